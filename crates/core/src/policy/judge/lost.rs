//! What a confined command would take away that git cannot give back: what it deletes, and what it puts something else in the
//! place of. To be confined to the project is no guard against that.

use super::matching::{MatchStrength, RuleHit};
use super::spot::{PathSpots, is_known_from_here};
use super::{CallJudge, NeedsFiles, below, looked_up, tracked};
use crate::path::{LocatedPath, PathError, is_below};
use crate::policy::Effect;
use crate::policy::action::{Action, ActionKind, ByArgument};
use crate::shell::{FileAccess, FileLoss, Word, WordPiece, base_name, deletes, replaces};

/// Folders that a confined command has for itself, empty at first and gone afterwards.
const PRIVATE: &[&str] = &["/tmp", "/var/tmp"];

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
        let takes_away = |word: &Word, is: fn(&str) -> bool| {
            word.literal().is_some_and(|name| is(base_name(name)))
        };
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
                Ok(confined && !names_some && first.is_some_and(|first| takes_away(first, deletes)))
            }
            ActionKind::Path { access: FileAccess::Write, by, .. } => {
                let moved = match by {
                    Some(by) if action.loss == FileLoss::Nothing => self.is_moved_away(by)?,
                    _ => false,
                };
                if action.loss == FileLoss::Nothing && !moved {
                    return Ok(false);
                }
                let argv = by.as_ref().and_then(|by| self.argv(by));
                let first = argv.and_then(<[Word]>::first);
                let by_name = first.is_some_and(|first| takes_away(first, replaces));
                let by_others = || by.as_ref().is_some_and(|by| self.is_allowed_elsewhere(by));
                let is_covered = confined || by_name && self.is_by_document(hits) && !by_others();
                match spots.filter(|_| is_covered) {
                    Some(spots) => {
                        let is_told = by_name
                            || action.loss == FileLoss::Deleted
                            || action.loss == FileLoss::Replaced
                                // Which files a pattern finds is known.
                                && !spots.stays
                                && !self.is_away(spots)
                                && !is_known_from_here(action);
                        self.is_lost(spots, action.loss, is_told, moved)
                    }
                    None => Ok(false),
                }
            }
            _ => Ok(false),
        }
    }

    /// Whether this command moves what it is given to where it does not stay: out of the project, since a confined command has
    /// folders of its own there that are gone with it, or to what the line deletes or replaces later.
    fn is_moved_away(&self, by: &ByArgument) -> Result<bool, NeedsFiles> {
        let is_move = self.argv(by).and_then(<[Word]>::first).and_then(Word::literal);
        if !is_move.is_some_and(|name| replaces(base_name(name))) {
            return Ok(false);
        }
        let (mut gets, mut deleted, mut replaced) = (Vec::new(), Vec::new(), Vec::new());
        for other in self.actions {
            let ActionKind::Path { access: FileAccess::Write, target, extent, by: its } =
                &other.kind
            else {
                continue;
            };
            // Of a redirection no command tells when it is.
            let is_later = its.as_ref().is_none_or(|its| its.command > by.command);
            let spots = || match PathSpots::of(target, *extent, &other.start, self.files) {
                Err(PathError::NeedsFiles) => Err(NeedsFiles),
                spots => Ok(spots.unwrap_or_default()),
            };
            let is_its = its.as_ref().is_some_and(|its| its.command == by.command);
            match other.loss {
                FileLoss::Replaced if is_its => gets.extend(spots()?.located),
                FileLoss::Replaced if is_later => replaced.extend(spots()?.located),
                FileLoss::Deleted if is_later => {
                    let spots = spots()?;
                    deleted.extend(spots.located.into_iter().chain(spots.begins));
                }
                _ => {}
            }
        }
        let project =
            looked_up(self.files.real(self.policy.context().project.as_deref().unwrap_or("/")))?;
        let stays = |place: &LocatedPath| {
            project.as_ref().is_ok_and(|project| is_below(&place.real, project))
                && !deleted.iter().any(|gone| is_below(&place.real, &gone.real))
                && !replaced.iter().any(|gone| is_below(&gone.real, &place.real))
        };
        Ok(!gets.iter().all(stays))
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
    /// known.
    fn is_lost(
        &self, spots: &PathSpots, loss: FileLoss, told: bool, moved: bool,
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

    /// Whether it lies in a folder that is gone with the command.
    fn is_private(&self, path: &str) -> bool {
        let project = self.policy.context().project.as_deref();
        PRIVATE.iter().any(|folder| is_below(path, folder))
            && !project.is_some_and(|project| is_below(path, project))
    }

    /// Whether there is such a file, and git does not have it.
    fn is_unkept(&self, path: &str) -> Result<bool, NeedsFiles> {
        let has = |path: &str| looked_up(self.files.has(path));
        // What cannot be told may be there. A folder stays, also when files are put into it.
        let is_file = has(path)?.unwrap_or(true) && !has(&format!("{path}/."))?.unwrap_or(false);
        Ok(is_file && !tracked::is_kept(path, self.policy.readings().git.names(), self.files))
    }
}
