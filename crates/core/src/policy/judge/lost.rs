//! What a confined command would take away that git cannot give back: what it deletes, and what it puts something else in the
//! place of. To be confined to the project is no guard against that.

use super::matching::{MatchStrength, RuleHit};
use super::names_below::{NameBelow, any_below};
use super::spot::{PathSpots, is_known_from_here};
use super::{CallJudge, NeedsFiles, below, looked_up, tracked};
use crate::path::{DirEntry, LocatedPath, PathError, is_below};
use crate::policy::Effect;
use crate::policy::action::{Action, ActionKind, ByArgument};
use crate::shell::{FileAccess, FileLoss, Word, WordPiece, base_name, deletes, replaces};

/// Folders that a confined command has for itself, empty at first and gone afterwards.
const PRIVATE: &[&str] = &["/tmp", "/var/tmp"];

/// A program that empties a folder, and what else says which folder that is.
struct EmptiedElsewhere {
    program: &'static str,
    variables: &'static [&'static str],
    /// Files of settings where it runs and above, and the word there that names a folder.
    settings: &'static [&'static str],
    word: &'static str,
}

const EMPTIED_ELSEWHERE: &[EmptiedElsewhere] = &[EmptiedElsewhere {
    program: "cargo",
    variables: &["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"],
    settings: &[".cargo/config.toml", ".cargo/config"],
    word: "target-dir",
}];

/// Files of settings are short.
const MOST_SETTINGS: usize = 1 << 16;

/// Whether this word names a program that does this.
pub(super) fn is_one_that(word: &Word, is: fn(&str) -> bool) -> bool {
    word.literal().is_some_and(|name| is(base_name(name)))
}

/// A place that a line writes to.
struct LaterWrite {
    /// `None`: a redirection.
    command: Option<usize>,
    loss: FileLoss,
    /// With all that is below it.
    tree: bool,
    spots: PathSpots,
    /// By a program that moves: what was there is gone.
    is_move: bool,
}

impl LaterWrite {
    /// Whether it may be one of these places, or be below it; where it is used with all that is below it, also above.
    fn reaches(&self, places: &[LocatedPath]) -> bool {
        let PathSpots { located, begins, loose, error, .. } = &self.spots;
        let is_open = error.is_some() || !loose.is_empty();
        if is_open && begins.is_empty() {
            return !places.is_empty();
        }
        let goes_above = is_open
            || match self.loss {
                FileLoss::Deleted | FileLoss::Moved => true,
                FileLoss::Replaced => self.tree,
                _ => false,
            };
        let meets = |own: &LocatedPath, place: &LocatedPath| {
            is_below(&own.real, &place.real) || goes_above && is_below(&place.real, &own.real)
        };
        located.iter().chain(begins).any(|own| places.iter().any(|place| meets(own, place)))
    }
}

impl CallJudge<'_> {
    /// Whether what is allowed would take away what git cannot give back, and no rule says that it may: a rule that lets confined
    /// commands run says nothing of that. `confined`: it is such a rule that allows it.
    ///
    /// Where another rule of its document allows it, by the name of the program, that counts for what deletes or moves. An edit
    /// is no loss that anybody has to be asked about once edits are allowed.
    pub(super) fn loses(
        &self, action: &Action, hits: &[RuleHit], spots: Option<&PathSpots>, confined: bool,
    ) -> Result<bool, NeedsFiles> {
        if !self.runs_confined() || action.mentioned {
            return Ok(false);
        }
        match &action.kind {
            ActionKind::Command { argv, .. } => {
                // Where it names files, each of them is looked at.
                let names_some = self.actions.iter().any(|other| match &other.kind {
                    ActionKind::Path { by: Some(by), .. } if other.loss == FileLoss::Deleted => {
                        self.argv(by).is_some_and(|its| its == argv.as_slice())
                    }
                    _ => false,
                });
                let first = argv.first();
                Ok(confined
                    && !names_some
                    && first.is_some_and(|first| is_one_that(first, deletes)))
            }
            ActionKind::Path { access: FileAccess::Write, by, extent, .. } => {
                let moved = match by {
                    Some(by) if action.loss == FileLoss::Moved => self.is_moved_away(by)?,
                    _ => false,
                };
                if !action.loss.takes_away() && !moved {
                    return Ok(false);
                }
                let argv = by.as_ref().and_then(|by| self.argv(by));
                let first = argv.and_then(<[Word]>::first);
                let by_name = moved || first.is_some_and(|first| is_one_that(first, replaces));
                let by_others = || by.as_ref().is_some_and(|by| self.is_allowed_elsewhere(by));
                let is_covered = confined || by_name && self.is_by_document(hits) && !by_others();
                match spots.filter(|_| is_covered) {
                    Some(spots) => {
                        let is_told = by_name
                            || action.loss == FileLoss::Deleted
                            || action.loss != FileLoss::Moved
                                // Which files a pattern finds is known.
                                && !spots.stays
                                && !self.is_away(spots)
                                && !is_known_from_here(action);
                        let tree = action.loss == FileLoss::Replaced && extent.is_recursive();
                        let is_lost = self.is_lost(spots, action.loss, is_told, (moved, tree))?;
                        Ok(is_lost
                            || action.loss == FileLoss::Deleted
                                && self.empties_elsewhere(spots, by.as_ref())?
                            || action.loss.takes_away()
                                && self.is_behind_link(spots, by.as_ref())?)
                    }
                    None => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }

    /// Whether what this command gives another name does not stay there: it lies out of the project, since a confined command has
    /// folders of its own there that are gone with it, or something is written later to a place where it may be by then.
    fn is_moved_away(&self, by: &ByArgument) -> Result<bool, NeedsFiles> {
        let project =
            looked_up(self.files.real(self.policy.context().project.as_deref().unwrap_or("/")))?;
        let is_inside = |place: &LocatedPath| {
            project.as_ref().is_ok_and(|project| is_below(&place.real, project))
        };
        let mut line = self.later_writes(by.command)?;
        // Of a redirection no command tells when it is.
        line.sort_by_key(|write| write.command.unwrap_or(usize::MAX));
        let mut places: Vec<LocatedPath> = Vec::new();
        for writes in line.chunk_by(|one, other| one.command == other.command) {
            let is_own = writes.first().is_some_and(|write| write.command == Some(by.command));
            let mut others = writes.iter().filter(|write| write.loss != FileLoss::Moved);
            if !is_own && others.any(|write| write.reaches(&places)) {
                return Ok(true);
            }
            let mut moved = writes.iter().filter(|write| write.loss == FileLoss::Moved);
            if is_own || moved.any(|write| write.reaches(&places)) {
                let gets = writes.iter().filter(|write| write.loss != FileLoss::Moved);
                let gets: Vec<_> = gets.flat_map(|write| write.spots.located.clone()).collect();
                if writes.iter().any(|write| write.is_move) && !gets.iter().all(is_inside) {
                    return Ok(true);
                }
                places.extend(gets);
            }
        }
        Ok(false)
    }

    /// What the line moves, replaces or deletes from this command on.
    fn later_writes(&self, from: usize) -> Result<Vec<LaterWrite>, NeedsFiles> {
        let mut writes = Vec::new();
        for other in self.actions {
            let ActionKind::Path { access: FileAccess::Write, target, extent, by } = &other.kind
            else {
                continue;
            };
            // An edit in place is no loss, under any name.
            let loss = other.loss;
            let command = by.as_ref().map(|by| by.command);
            if loss == FileLoss::Nothing || command.is_some_and(|command| command < from) {
                continue;
            }
            let spots = match PathSpots::of(target, *extent, &other.start, self.files) {
                Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                spots => spots.unwrap_or_default(),
            };
            let program = by.as_ref().and_then(|by| self.argv(by)).and_then(<[Word]>::first);
            let is_move = program.is_some_and(|first| is_one_that(first, replaces));
            writes.push(LaterWrite { command, loss, tree: extent.is_recursive(), spots, is_move });
        }
        Ok(writes)
    }

    /// Whether what allows it, as far as rules do, are rules of documents that let confined commands run.
    fn is_by_document(&self, hits: &[RuleHit]) -> bool {
        let allows =
            |hit: &&RuleHit| hit.effect == Effect::Allow && hit.how == MatchStrength::Surely;
        let mut allows = hits.iter().filter(allows).peekable();
        allows.peek().is_none() && self.policy.rests_on_confinement()
            || allows.all(|hit| self.policy.lets_confined_run(hit.document))
    }

    /// Whether something is there that git does not have. What tools make again is no loss. `told`: which file it is has to be
    /// known. `moved`: a folder goes too; `tree`: what is in it.
    fn is_lost(
        &self, spots: &PathSpots, loss: FileLoss, told: bool, (moved, tree): (bool, bool),
    ) -> Result<bool, NeedsFiles> {
        let is_open = spots.error.is_some() || !spots.loose.is_empty();
        if is_open && told {
            return Ok(true);
        }
        let found = spots.found.iter().map(String::as_str);
        let places = spots.located.iter().map(|path| path.real.as_str()).chain(found);
        let is_own = |place: &&str| !self.is_private(place) && !self.is_product(place);
        for place in places.filter(is_own) {
            if loss == FileLoss::Deleted
                || self.is_unkept(place)?
                || moved && looked_up(self.files.has(&format!("{place}/.")))?.unwrap_or(true)
                || tree && self.holds_unkept(place)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether what is known of it lies where nothing of the user's own is lost.
    fn is_away(&self, spots: &PathSpots) -> bool {
        let goes_up = |pieces: &[WordPiece]| {
            pieces.iter().any(|piece| matches!(piece, WordPiece::Text(text) if text.contains("..")))
        };
        let is_private = |place: &LocatedPath| {
            self.is_private(&place.real) || self.is_product(&format!("{}/x", place.real))
        };
        !spots.begins.is_empty()
            && spots.begins.iter().all(is_private)
            && !spots.loose.iter().any(|(pieces, _)| goes_up(pieces))
    }

    /// Whether it lies where tools of the project put what they make again.
    fn is_product(&self, path: &str) -> bool {
        let project = self.policy.context().project.as_deref().unwrap_or_default();
        below::is_product(path.strip_prefix(project).unwrap_or(path))
    }

    /// Whether it is a folder that no word names and its program empties, and another one may be meant: a variable of the line, or
    /// settings of the project, say which.
    fn empties_elsewhere(
        &self, spots: &PathSpots, by: Option<&ByArgument>,
    ) -> Result<bool, NeedsFiles> {
        let Some(by) = by.filter(|by| by.arg == 0) else { return Ok(false) };
        let program = self.argv(by).and_then(<[Word]>::first);
        let Some(known) = EMPTIED_ELSEWHERE.iter().find(|known| {
            program.and_then(Word::literal).is_some_and(|it| base_name(it) == known.program)
        }) else {
            return Ok(false);
        };
        let is_set = |action: &Action| matches!(&action.kind, ActionKind::Env { name } if known.variables.contains(&name.as_str()));
        if self.actions.iter().any(is_set) {
            return Ok(true);
        }
        let project = self.policy.context().project.as_deref().unwrap_or("/");
        for place in &spots.located {
            let folders = place.real.rmatch_indices('/').filter_map(|(at, _)| place.real.get(..at));
            for folder in folders.take_while(|folder| is_below(folder, project)) {
                for name in known.settings {
                    let path = format!("{folder}/{name}");
                    if !looked_up(self.files.has(&path))?.unwrap_or(true) {
                        continue;
                    }
                    let text = self.files.bytes(&path, MOST_SETTINGS);
                    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
                    if text.is_none_or(|text| text.contains(known.word)) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// Whether it lies in a folder that is gone with the command.
    fn is_private(&self, path: &str) -> bool {
        let project = self.policy.context().project.as_deref();
        PRIVATE.iter().any(|folder| is_below(path, folder))
            && !project.is_some_and(|project| is_below(path, project))
    }

    /// Whether a file lies below that git does not have, and that tools do not make again.
    fn holds_unkept(&self, folder: &str) -> Result<bool, NeedsFiles> {
        any_below(folder, self.files, |path, DirEntry { name, is_dir, is_link }| {
            if name == ".git" || self.is_product(&format!("{path}/x")) {
                return Ok(NameBelow::Passed);
            }
            let is_entered = *is_dir && !is_link;
            let is_meant = !is_entered && self.is_unkept(path)?;
            Ok(if is_meant { NameBelow::Meant } else { NameBelow::Other })
        })
    }

    /// Whether there is such a file, and git does not have it.
    fn is_unkept(&self, path: &str) -> Result<bool, NeedsFiles> {
        let has = |path: &str| looked_up(self.files.has(path));
        // What cannot be told may be there. A folder stays, also when files are put into it.
        let is_file = has(path)?.unwrap_or(true) && !has(&format!("{path}/."))?.unwrap_or(false);
        Ok(is_file && !tracked::is_kept(path, self.policy.readings().git.names(), self.files))
    }
}
