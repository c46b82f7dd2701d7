//! Which rules speak of an action.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use super::below::{FilesBelow, GoesOn, Lists, MeantFile};
use super::sieve::SearchSieve;
use super::spot::PathSpots;
use super::{CallJudge, NeedsFiles, looked_up, tracked};
use crate::path::{
    DirListing, LinkedBeginnings, LocatedPath, PartialPath, PathError, UrlAddress, locate,
};
use crate::policy::Effect;
use crate::policy::action::{Action, ActionKind, ByArgument, UseExtent};
use crate::policy::compile::{CompiledRule, PathRules, RulePatterns};
use crate::policy::document::CommandPattern;
use crate::policy::git::{self, git_command, makes_branch};
use crate::policy::looking::looks;
use crate::policy::reading::glob_of;
use crate::policy::tokens::{self, CommandWords, RuleMeeting};
use crate::shell::{
    FileAccess, LinksRead, PassedOver, TakenBelow, Word, WordPiece, base_name, command_of, deletes,
    links_read, opens, opens_no_file, passes_links, reads_names_only, replaces, takes_below,
    takes_data_only,
};

/// Why it is not known where the symlinks below a folder lead.
const LINKS: &str = "there are symlinks below, or too many names to tell";

/// More names are not gone through to tell that any exist.
const MOST_NAMES: usize = 64;

/// A rule that speaks of an action.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleHit {
    /// It.
    pub(crate) rule: usize,
    /// Its document.
    pub(crate) document: usize,
    /// What it says.
    pub(crate) effect: Effect,
    /// How surely.
    pub(crate) how: MatchStrength,
    /// It spells out what makes the action unknown.
    pub(crate) names_unknown: bool,
}

/// How surely a rule speaks of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatchStrength {
    /// It does.
    Surely,
    /// It could: an ask, with any effect of the rule.
    Could,
    /// Its condition could not be tried: an ask as well.
    Condition,
    /// It would, but its allows do not count.
    Untrusted,
}

impl CallJudge<'_> {
    /// The rules for whole calls that speak of this one.
    pub(super) fn whole_rules(&self) -> Vec<RuleHit> {
        let mut found = Vec::new();
        self.policy.index().whole(self.call.tool_name, self.call.other_names, &mut found);
        found.sort_unstable();
        found.dedup();
        found.into_iter().filter_map(|rule| self.hit(rule, |_| RuleMeeting::Yes)).collect()
    }

    /// Gathers the rules that speak of this action; for a path, says where it is.
    pub(super) fn hits(
        &self, action: &Action, hits: &mut Vec<RuleHit>,
    ) -> Result<Option<PathSpots>, NeedsFiles> {
        let mut found = Vec::new();
        let index = self.policy.index();
        let mut spots = None;
        match &action.kind {
            ActionKind::Command { argv, .. } => {
                index.commands(argv, &mut found);
                let words = CommandWords::of(argv);
                self.gather(found, hits, |rule| {
                    self.spend(cost(rule, &words));
                    let meets = as_marked(rule, |effect| command_meets(rule, effect, &words));
                    let is_open = rule.tracked
                        && meets == RuleMeeting::Yes
                        && !self.all_comes_back(rule, argv)?;
                    Ok(if is_open { RuleMeeting::No } else { meets })
                })?;
            }
            ActionKind::Env { name } => {
                index.env(name, &mut found);
                self.gather(found, hits, |rule| {
                    let speaks = rule.env.iter().any(|pattern| pattern.matches(name));
                    Ok(if speaks { RuleMeeting::Yes } else { RuleMeeting::No })
                })?;
            }
            ActionKind::Path { access, target, extent, by } => {
                let mut places = self.spots(action, target, *access, *extent, by.as_ref())?;
                places.below = match access {
                    FileAccess::Read if matches!(extent, UseExtent::Tree | UseExtent::Below) => {
                        Some(self.below(target, &places, *extent, by.as_ref()))
                    }
                    FileAccess::Write if !action.mentioned => {
                        let deleted = self.deleted(&places, *extent, by.as_ref())?;
                        deleted
                            .or_else(|| self.changed(target, &places, *extent, by.as_ref()))
                            .or_else(|| self.handed(target, &places, by.as_ref()))
                    }
                    FileAccess::Read | FileAccess::Write => None,
                };
                let (rules, links) = match access {
                    FileAccess::Read => (&index.reads, &self.read_links),
                    FileAccess::Write => (&index.writes, &self.write_links),
                };
                if !places.is_null_device() && !rules.all().is_empty() {
                    let guesses = self.guesses(&places)?;
                    let extent = self.narrowed(*extent, &places, by.as_ref())?;
                    let recursive = extent.is_recursive();
                    self.path_rules(rules, links, &places, recursive, &guesses, &mut found)?;
                    // One rule that could match is enough to ask, and an administrator's comes first. Where the first rule
                    // of a document decides, some are passed over.
                    let guessed = Cell::new(false);
                    self.gather(found, hits, |rule| {
                        let Some(paths) = rule.paths(*access) else { return Ok(RuleMeeting::No) };
                        let mentions = action.mentioned && *access == FileAccess::Write;
                        // For any write the command needed the allow of a rule: an ask wants no more than that.
                        if mentions && rule.effect != Effect::Deny {
                            return Ok(RuleMeeting::No);
                        }
                        let meets = self.path_meets(
                            rule.effect,
                            paths,
                            &places,
                            *access,
                            extent,
                            &guesses,
                        )?;
                        let is_write = *access == FileAccess::Write;
                        if rule.tracked
                            && is_write
                            && meets == RuleMeeting::Yes
                            && !self.gives_back(&places)?
                        {
                            return Ok(RuleMeeting::No);
                        }
                        // As `as_marked`.
                        let is_marked = rule.reviewer && rule.effect == Effect::Ask;
                        if is_marked && meets == RuleMeeting::Yes {
                            let allowed = self.path_meets(
                                Effect::Allow,
                                paths,
                                &places,
                                *access,
                                extent,
                                &guesses,
                            )?;
                            return Ok(if allowed == RuleMeeting::Yes && !mentions {
                                RuleMeeting::Yes
                            } else {
                                RuleMeeting::Could
                            });
                        }
                        let is_known = guessed.get() && rule.who.is_none();
                        if meets == RuleMeeting::Yes && mentions {
                            // Most words name what is read.
                            return Ok(RuleMeeting::Could);
                        }
                        if meets != RuleMeeting::No || is_known || rule.effect == Effect::Allow {
                            return Ok(meets);
                        }
                        let could = self.guess(paths, &guesses)?;
                        guessed.set(guessed.get() || (could && !self.policy.has_first()));
                        Ok(if could { RuleMeeting::Could } else { RuleMeeting::No })
                    })?;
                }
                spots = Some(places);
            }
            ActionKind::Url { target, .. } => {
                let address = target.literal().and_then(|text| UrlAddress::parse(text).ok());
                index.urls(target, address.as_ref(), &mut found);
                self.gather(found, hits, |rule| {
                    Ok(as_marked(rule, |effect| url_meets(rule, effect, target, address.as_ref())))
                })?;
            }
            ActionKind::Unknown { named: Some(by), .. } => {
                if let Some(ActionKind::Command { argv, .. }) = self.kind(by.command) {
                    index.commands(argv, &mut found);
                    let words = CommandWords::of(argv);
                    self.gather(found, hits, |rule| {
                        let spells =
                            rule.effect == Effect::Allow && spells_out(rule, &words, by.arg);
                        Ok(if spells { RuleMeeting::Yes } else { RuleMeeting::No })
                    })?;
                    for hit in &mut *hits {
                        hit.names_unknown = hit.how == MatchStrength::Surely;
                    }
                }
            }
            ActionKind::Tool { .. } | ActionKind::Unknown { named: None, .. } => {}
        }
        for hit in &self.whole {
            match &action.kind {
                // No rule allows what it cannot know, but where a confined command is held to what it may do all the same.
                ActionKind::Unknown { held, .. } if hit.effect == Effect::Allow => {
                    if *held && self.rests_on_confinement(hit) {
                        hits.push(RuleHit { names_unknown: true, ..*hit });
                    }
                }
                // No connection comes of being confined: it needs one that it has not.
                ActionKind::Command { argv, .. }
                    if self.rests_on_confinement(hit) && self.connects(argv) => {}
                // A tool that is known by its name alone is no command that anything holds.
                ActionKind::Tool { .. } if self.rests_on_confinement(hit) => {}
                _ => hits.push(*hit),
            }
        }
        Ok(spots)
    }

    /// Where a path may be, and how the program or the tool that uses it goes about it.
    fn spots(
        &self, action: &Action, target: &Word, access: FileAccess, extent: UseExtent,
        by: Option<&ByArgument>,
    ) -> Result<PathSpots, NeedsFiles> {
        let spots = looked_up(PathSpots::of(target, extent, &action.start, self.files))?;
        let mut spots =
            spots.unwrap_or_else(|error| PathSpots { error: Some(error), ..PathSpots::default() });
        let program = by.and_then(|by| self.argv(by)?.first()?.literal());
        spots.mentioned = action.mentioned;
        let word = by.and_then(|by| self.argv(by)?.get(by.arg));
        spots.spelled = word.is_some_and(|word| {
            !word.pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. }))
        });
        spots.names_only = access == FileAccess::Read && program.is_some_and(reads_names_only);
        // A tool that takes a file away, or puts another in its place, takes a folder as well.
        spots.replaces = access == FileAccess::Write
            && match by {
                Some(_) => program.is_some_and(replaces),
                None => extent.is_recursive(),
            };
        let lists = by.is_none() && extent == UseExtent::Names;
        spots.unopened = lists || (spots.names_only && program.is_some_and(opens_no_file));
        // What a formatter writes over the sources of a project is no word of the line: who allows it means those, and not
        // what symlinks among them lead to.
        let unsaid = by.is_some_and(|by| by.arg == 0);
        let passes = by.is_none() || unsaid && program.is_some_and(passes_links);
        match access {
            FileAccess::Read if extent == UseExtent::Tree => {
                let command = by.and_then(|by| Some(command_of(self.argv(by)?, by.arg)));
                let command = command.unwrap_or_default();
                let name = command.first().and_then(Word::literal).map(base_name);
                // A tool says of itself what it follows.
                let read = name.map_or(LinksRead::Nothing, links_read);
                let passed = name.map(PassedOver::by).unwrap_or_default();
                let opened = opens(&command);
                // What lies behind a link to a script no name tells.
                let kinds = if opened.scripts.is_empty() { opened.names } else { &[] };
                let was_certain = spots.certain;
                let known = spots.add_links_read(read, kinds, passed, self.files);
                spots.certain &= looked_up(known)?.is_ok();
                if was_certain && !spots.certain && spots.error.is_none() {
                    spots.error = Some(PathError::Unreadable(LINKS.to_owned()));
                }
            }
            FileAccess::Write if extent == UseExtent::Tree && !passes => {
                let passed = program.filter(|_| unsaid).map(PassedOver::by).unwrap_or_default();
                // What works on files as such leaves folders alone that links lead to, or says what it follows.
                let goes_in = !program.is_some_and(|name| takes_data_only(base_name(name)));
                let known = looked_up(spots.add_links_below(passed, goes_in, self.files))?;
                spots.certain &= known.is_ok();
                if unsaid && !spots.certain && spots.error.is_none() {
                    spots.error = Some(PathError::Unreadable(LINKS.to_owned()));
                }
            }
            FileAccess::Read | FileAccess::Write => {}
        }
        Ok(spots)
    }

    fn gather(
        &self, mut found: Vec<usize>, hits: &mut Vec<RuleHit>,
        meets: impl Fn(&CompiledRule) -> Result<RuleMeeting, NeedsFiles>,
    ) -> Result<(), NeedsFiles> {
        if found.len() > 1 {
            found.sort_unstable();
            found.dedup();
        }
        for rule in found {
            if self.late.get()
                && self.policy.rule(rule).is_some_and(|rule| rule.effect == Effect::Allow)
            {
                continue;
            }
            if !self.spend(1) {
                break;
            }
            let mut failed = None;
            let hit = self.hit(rule, |rule| match meets(rule) {
                Ok(meets) => meets,
                Err(error) => {
                    failed = Some(error);
                    RuleMeeting::No
                }
            });
            if let Some(error) = failed {
                return Err(error);
            }
            hits.extend(hit);
        }
        Ok(())
    }

    /// What a rule says, when it speaks of this tool and meets the action.
    fn hit(
        &self, id: usize, mut meets: impl FnMut(&CompiledRule) -> RuleMeeting,
    ) -> Option<RuleHit> {
        let rule = self.policy.rule(id)?;
        let condition = match rule.condition {
            None => Some(true),
            Some(number) => self.call.conditions.get(number).copied().flatten(),
        };
        if !rule.confined.is_none_or(|runs| runs.speaks_of(self.confined)) {
            return None;
        }
        if condition == Some(false) || !rule.speaks_of(self.call) {
            return None;
        }
        let how = match (rule.effect, meets(rule)) {
            (_, RuleMeeting::No) | (Effect::Allow, RuleMeeting::Could) => return None,
            // What a tool says of itself is no reason to allow it.
            (Effect::Allow, _) if !rule.hints_are_empty() => return None,
            (_, RuleMeeting::Yes) if condition.is_none() => MatchStrength::Condition,
            (Effect::Allow, RuleMeeting::Yes) => {
                let trusted = self.policy.source(rule).is_some_and(|source| source.trusted);
                if trusted { MatchStrength::Surely } else { MatchStrength::Untrusted }
            }
            (_, RuleMeeting::Could) => MatchStrength::Could,
            (_, RuleMeeting::Yes) => MatchStrength::Surely,
        };
        let effect = match how {
            MatchStrength::Could | MatchStrength::Condition => Effect::Ask,
            MatchStrength::Surely | MatchStrength::Untrusted => rule.effect,
        };
        Some(RuleHit { rule: id, document: rule.document, effect, how, names_unknown: false })
    }

    /// Whether this command uses an address that its words say: it works on another machine, or fetches from there.
    fn connects(&self, argv: &[Word]) -> bool {
        self.actions.iter().any(|other| match &other.kind {
            ActionKind::Url { by: Some(by), .. } if !other.mentioned => {
                self.argv(by).is_some_and(|its| its == argv)
            }
            _ => false,
        })
    }

    /// Whether this is an allow that counts since the command runs confined.
    pub(super) fn rests_on_confinement(&self, hit: &RuleHit) -> bool {
        hit.how == MatchStrength::Surely
            && self.policy.rule(hit.rule).is_some_and(CompiledRule::rests_on_confinement)
    }

    /// Whether a rule allows the command that this argument belongs to, of a document that says nothing of confined commands.
    pub(super) fn is_allowed_elsewhere(&self, by: &ByArgument) -> bool {
        let Some(argv) = self.argv(by) else { return false };
        let mut found = Vec::new();
        self.policy.index().commands(argv, &mut found);
        let words = CommandWords::of(argv);
        let mut hits = found.into_iter().filter_map(|rule| {
            self.hit(rule, |rule| as_marked(rule, |effect| command_meets(rule, effect, &words)))
        });
        hits.any(|hit| {
            let allows = hit.effect == Effect::Allow && hit.how == MatchStrength::Surely;
            allows && !self.policy.lets_confined_run(hit.document)
        })
    }

    fn kind(&self, action: usize) -> Option<&ActionKind> {
        self.actions.get(action).map(|action| &action.kind)
    }

    /// The words of the command that an argument belongs to.
    pub(super) fn argv(&self, by: &ByArgument) -> Option<&[Word]> {
        match self.kind(by.command)? {
            ActionKind::Command { argv, .. } => Some(argv),
            _ => None,
        }
    }

    /// What is known of the places that are known in part; `None` for one that could be anywhere.
    fn guesses(&self, spots: &PathSpots) -> Result<Vec<Option<PartialPath>>, NeedsFiles> {
        let guesses = spots.loose.iter().map(|(pieces, from)| {
            let guess = looked_up(PartialPath::of(pieces, from, self.files))?.ok();
            let stays = |guess: PartialPath| if spots.stays { guess.staying() } else { guess };
            let below =
                |guess: PartialPath| if spots.loose_below { guess.with_below() } else { guess };
            Ok(guess.map(stays).map(below))
        });
        guesses.collect()
    }

    /// Whether a rule could mean one of these.
    fn guess(
        &self, paths: &RulePatterns, guesses: &[Option<PartialPath>],
    ) -> Result<bool, NeedsFiles> {
        for guess in guesses {
            let Some(guess) = guess else { return Ok(true) };
            let could = paths.set.could_be(guess, self.files, &self.guesswork);
            if looked_up(could)?.unwrap_or(true) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The rules that could speak of a path. Where nothing of it is known, that is all of them.
    fn path_rules(
        &self, rules: &PathRules, links: &OnceCell<LinkedBeginnings>, spots: &PathSpots,
        recursive: bool, guesses: &[Option<PartialPath>], found: &mut Vec<usize>,
    ) -> Result<(), NeedsFiles> {
        if guesses.iter().any(Option::is_none) {
            found.extend(rules.all());
            return Ok(());
        }
        if spots.located.is_empty() && !guesses.iter().flatten().any(PartialPath::is_rooted) {
            // Where symlinks lead makes no difference.
            for guess in guesses.iter().flatten() {
                rules.find_for(guess, &LinkedBeginnings::default(), found);
            }
            return Ok(());
        }
        let links = match links.get() {
            Some(links) => links,
            None => {
                let found = looked_up(rules.links(self.files))?.unwrap_or_default();
                links.get_or_init(|| found)
            }
        };
        for path in &spots.located {
            rules.find(path, recursive, links, found);
        }
        for guess in guesses.iter().flatten() {
            rules.find_for(guess, links, found);
        }
        Ok(())
    }

    fn path_meets(
        &self, effect: Effect, paths: &RulePatterns, spots: &PathSpots, access: FileAccess,
        extent: UseExtent, guesses: &[Option<PartialPath>],
    ) -> Result<RuleMeeting, NeedsFiles> {
        if effect == Effect::Allow {
            let known = if spots.certain { !spots.located.is_empty() } else { spots.stays };
            if !known || spots.error.is_some() {
                return Ok(RuleMeeting::No);
            }
            for guess in guesses.iter().filter(|_| !spots.certain) {
                let Some(guess) = guess else { return Ok(RuleMeeting::No) };
                let covers = paths.set.covers_all(guess, self.files, &self.guesswork);
                if !looked_up(covers)?.unwrap_or(false) {
                    return Ok(RuleMeeting::No);
                }
            }
            for path in &spots.located {
                self.spend(4);
                if !looked_up(paths.covers(path, access, extent, self.files))?.unwrap_or(false) {
                    return Ok(RuleMeeting::No);
                }
            }
            return Ok(RuleMeeting::Yes);
        }
        let mut meets = RuleMeeting::No;
        for path in &spots.located {
            self.spend(4);
            // What cannot be told could be.
            let this = match looked_up(paths.bites(path, access, extent, self.files))? {
                Ok(RuleMeeting::Could) => match (&spots.below, access, extent) {
                    (Some(below), FileAccess::Read, UseExtent::Tree) => {
                        self.below_meets(paths, below)
                    }
                    // What a tool passes over is known well enough for unnamed files, and not for a rule that names them.
                    (Some(below), FileAccess::Read, UseExtent::Below) => {
                        self.below_meets(paths, below).max(RuleMeeting::Could)
                    }
                    // It is a folder, which is gone with all below it.
                    (_, FileAccess::Write, UseExtent::Perhaps) if self.holds_names(path) => {
                        RuleMeeting::Yes
                    }
                    _ => RuleMeeting::Could,
                },
                this => this.unwrap_or(RuleMeeting::Could),
            };
            meets = meets.max(this);
        }
        Ok(meets)
    }

    /// Whether a command is known to write, the rule says that these files may be written, and git can give back all of them.
    fn all_comes_back(&self, rule: &CompiledRule, argv: &[Word]) -> Result<bool, NeedsFiles> {
        let program = argv.first().and_then(Word::literal);
        let (Some(paths), true) =
            (&rule.writes, program.is_some_and(tracked::writes_operands_alone))
        else {
            return Ok(false);
        };
        let access = FileAccess::Write;
        let mut writes = false;
        for action in self.actions {
            let ActionKind::Path { access: FileAccess::Write, target, extent, by: Some(by) } =
                &action.kind
            else {
                continue;
            };
            if self.argv(by).is_some_and(|its| its == argv) {
                let spots = self.spots(action, target, access, *extent, Some(by))?;
                let guesses = self.guesses(&spots)?;
                let meets =
                    self.path_meets(Effect::Allow, paths, &spots, access, *extent, &guesses)?;
                if meets != RuleMeeting::Yes || !self.gives_back(&spots)? {
                    return Ok(false);
                }
                writes = true;
            }
        }
        Ok(writes)
    }

    /// Whether git can give back all that is written there, also after what the line does to its index.
    fn gives_back(&self, spots: &PathSpots) -> Result<bool, NeedsFiles> {
        if !spots.certain || !matches!(self.index(), Lists::Index) || !self.leaves_files() {
            return Ok(false);
        }
        for path in &spots.located {
            // A symlink is another file than the one that it leads to.
            let is_one = path.real == path.real_of_lexical && path.itself.is_empty();
            let comes_back = |file: &str| {
                let is_there = looked_up(self.files.has(file))?.unwrap_or(false);
                Ok(is_there && tracked::gives_back(file, self.files))
            };
            // Below a file there can be no other: `cp a b` writes `b/a` where `b` is a folder.
            let above = path.real.rsplit_once('/').map_or("", |(above, _)| above);
            if !is_one || !comes_back(&path.real)? && !comes_back(above)? {
                return Ok(false);
            }
        }
        Ok(!spots.located.is_empty())
    }

    /// What is used of a path by a call whose commands edit files: of what is a file now, that file. Others may leave a folder there.
    fn narrowed(
        &self, extent: UseExtent, spots: &PathSpots, by: Option<&ByArgument>,
    ) -> Result<UseExtent, NeedsFiles> {
        let mut programs = self.actions.iter().filter_map(|action| match &action.kind {
            ActionKind::Command { argv, .. } => Some(argv.first().and_then(Word::literal)),
            _ => None,
        });
        let edit = programs.all(|name| name.is_some_and(|it| tracked::edits_files(base_name(it))));
        // What a tool does of itself is not known.
        let is_sure = by.is_some() && spots.certain && !spots.located.is_empty() && edit;
        if extent != UseExtent::Tree || !is_sure {
            return Ok(extent);
        }
        for path in &spots.located {
            let mode = looked_up(self.files.mode_of_file(&path.real))?;
            if !matches!(mode, Ok(Some(_))) {
                return Ok(extent);
            }
        }
        Ok(UseExtent::Itself)
    }

    /// Whether each program of the line writes the files alone that its words name. Another one may put there what git does not
    /// have, before it is deleted: `gunzip a.gz; rm a`.
    fn leaves_files(&self) -> bool {
        let is_known = |argv: &[Word]| {
            argv.first().and_then(Word::literal).is_some_and(tracked::writes_operands_alone)
        };
        self.actions.iter().all(|action| match &action.kind {
            ActionKind::Command { argv, .. } => {
                let name = argv.first().and_then(Word::literal);
                is_known(argv) || name.is_some_and(|name| takes_data_only(base_name(name)))
            }
            ActionKind::Path { access: FileAccess::Write, by: Some(by), .. } => {
                self.argv(by).is_some_and(is_known)
            }
            ActionKind::Unknown { .. } => false,
            _ => true,
        })
    }

    /// Whether it is a folder in which there is something.
    fn holds_names(&self, path: &LocatedPath) -> bool {
        match self.files.list(&path.real, MOST_NAMES) {
            DirListing::Names(names) => !names.is_empty(),
            // More than that exist, or they are not known.
            DirListing::TooMany => true,
            DirListing::Unknown => false,
        }
    }

    /// What lies below what is read. A program that does what the files of its folder say reads what they say, and not what
    /// its words do.
    fn below(
        &self, target: &Word, spots: &PathSpots, extent: UseExtent, by: Option<&ByArgument>,
    ) -> FilesBelow {
        let argv = by.and_then(|by| self.argv(by));
        let name = argv.and_then(|argv| argv.first()?.literal());
        let shows = argv.zip(by).is_some_and(|(argv, by)| git_shows(argv, by.arg));
        let all =
            by.is_none() || shows || name.is_some_and(|name| takes_data_only(base_name(name)));
        let tells = match by {
            Some(by) if !all => self.takes_below(by),
            _ => TakenBelow::All,
        };
        let lists = match argv.filter(|_| shows) {
            None => Lists::Folders,
            Some(argv) => match self.index() {
                // What is gone from the folders git shows all the same.
                Lists::Index if !git_knows(argv) => Lists::Both,
                lists => lists,
            },
        };
        // A search that begins in the folder says how what it finds ends, where the word itself is no such place.
        let word = argv.zip(by).and_then(|(argv, by)| argv.get(by.arg));
        let found = word.filter(|_| target.literal().is_some()).and_then(SearchSieve::of_found);
        let sieve = match (argv, extent) {
            _ if found.is_some() => found.unwrap_or_default(),
            (Some(argv), _) => SearchSieve::of(&command_of(argv, by.map_or(0, |by| by.arg))),
            (None, UseExtent::Below) => SearchSieve::of_tool(glob_of(self.call)),
            (None, _) => SearchSieve::default(),
        };
        let sieve = sieve.with_home(self.policy.context().home.as_deref());
        let goes = by.filter(|_| shows).zip(argv).map(|(by, argv)| self.goes(by.command, argv));
        FilesBelow::of(&spots.located, sieve, tells, lists).with_others(goes)
    }

    /// How git goes on into repositories that lie in the one that it finds.
    fn goes(&self, command: usize, argv: &[Word]) -> GoesOn {
        let by_words =
            *self.reaches.borrow_mut().entry(command).or_insert_with(|| git::reach(argv));
        let home = self.policy.context().home.clone();
        GoesOn { by_words, home, known: Arc::clone(&self.policy.readings().git) }
    }

    /// What the index of git tells, after what other commands of the line make of it.
    fn index(&self) -> Lists {
        /// They put names into it, and take none out.
        const ADD: &[&str] = &["add", "stage", "commit", "mv"];
        /// They do not change it.
        const KEEP: &[&str] =
            &["fetch", "push", "config", "remote", "tag", "branch", "notes", "gc"];
        let mut lists = Lists::Index;
        for argv in self.actions.iter().filter_map(|action| action.kind.git()) {
            let Some(command) = git_command(argv) else { continue };
            if ADD.contains(&command) {
                lists = Lists::Both;
            } else if !(looks(argv) || makes_branch(argv) || KEEP.contains(&command)) {
                return Lists::Nobody;
            }
        }
        lists
    }

    /// What the program of this argument shows, or changes, of its kinds below the directory that it is, or names. Where another
    /// names one, what lies where it runs is only what it may go on to.
    fn takes_below(&self, by: &ByArgument) -> TakenBelow {
        let command = self.argv(by).map(|argv| command_of(argv, by.arg)).unwrap_or_default();
        let is_named = |action: &Action| {
            matches!(&action.kind, ActionKind::Path { access: FileAccess::Read, by: Some(other), .. }
                if !action.mentioned && other.command == by.command && other.arg > 0)
        };
        if by.arg == 0 && self.actions.iter().any(is_named) {
            return TakenBelow::Unknown;
        }
        takes_below(&command)
    }

    /// What is changed below the directories that a formatter goes through: what it reads there of its kinds, and writes.
    fn changed(
        &self, target: &Word, spots: &PathSpots, extent: UseExtent, by: Option<&ByArgument>,
    ) -> Option<FilesBelow> {
        let by = by.filter(|_| extent == UseExtent::Tree)?;
        let taken = self.actions.iter().filter_map(|action| match &action.kind {
            ActionKind::Path {
                access: FileAccess::Read,
                extent,
                target: read,
                by: Some(other),
            } if other.command == by.command && extent.is_recursive() && read == target => {
                Some(self.takes_below(other))
            }
            _ => None,
        });
        let tells = taken.max().filter(|taken| *taken != TakenBelow::Unknown)?;
        let command = command_of(self.argv(by)?, by.arg);
        let (sieve, leaves_out) = (SearchSieve::of(&command), opens(&command).leaves_out);
        Some(FilesBelow::changed(&spots.located, sieve, tells, leaves_out))
    }

    /// What is written below the directory in which a search found the names that it hands to a command.
    fn handed(
        &self, target: &Word, spots: &PathSpots, by: Option<&ByArgument>,
    ) -> Option<FilesBelow> {
        let is_known = |word: &Word| {
            !word.pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. }))
        };
        let by = by.filter(|_| is_known(target))?;
        // Of several directories it says none.
        let word = self.argv(by)?.get(by.arg).filter(|word| !is_known(word))?;
        let sieve = SearchSieve::of_found(word).unwrap_or_default();
        Some(FilesBelow::changed(&spots.located, sieve, TakenBelow::All, &[]))
    }

    /// What is gone with what is written, where a tool deletes it, or a program does.
    fn deleted(
        &self, spots: &PathSpots, extent: UseExtent, by: Option<&ByArgument>,
    ) -> Result<Option<FilesBelow>, NeedsFiles> {
        let argv = by.and_then(|by| self.argv(by)).unwrap_or_default();
        let name = argv.first().and_then(Word::literal).map(base_name);
        let (deletes, repositories) = match by {
            // Of the tools those that delete say nothing of what they are given, or all below it.
            None => (matches!(extent, UseExtent::Perhaps | UseExtent::Below), true),
            // git passes over repositories.
            Some(_) if git_command(argv) == Some("clean") => (true, false),
            Some(_) => (name.is_some_and(deletes), true),
        };
        if !deletes {
            return Ok(None);
        }
        let folders = self.folders_of(spots, extent)?;
        Ok((!folders.is_empty()).then(|| FilesBelow::deleted(&folders, repositories)))
    }

    /// The directories that are used with all below them: those that are named, and the one that what is known in part surely
    /// begins with.
    fn folders_of(
        &self, spots: &PathSpots, extent: UseExtent,
    ) -> Result<Vec<LocatedPath>, NeedsFiles> {
        let mut folders = if extent.is_recursive() { spots.located.clone() } else { Vec::new() };
        for (pieces, from) in &spots.loose {
            let Some(WordPiece::Text(text)) = pieces.first() else { continue };
            let Some((folder, _)) = text.rsplit_once('/') else { continue };
            let folder = if folder.is_empty() { "/" } else { folder };
            let open = pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. }));
            if open && let Ok(folder) = looked_up(locate(folder, from, self.files))? {
                folders.push(folder);
            }
        }
        Ok(folders)
    }

    /// Whether a deny or an ask means a file below.
    fn below_meets(&self, paths: &RulePatterns, below: &FilesBelow) -> RuleMeeting {
        // What cannot be told is meant.
        let is_meant = |path: &str| {
            self.spend(1);
            below
                .located(path)
                .and_then(|path| paths.set.touches(&path, self.files))
                .unwrap_or(true)
        };
        let may_mean = |pieces: &[WordPiece]| {
            self.spend(1);
            PartialPath::of(pieces, self.policy.context(), self.files)
                .and_then(|path| paths.set.could_be(&path, self.files, &self.guesswork))
                .unwrap_or(true)
        };
        match below.meant(is_meant, may_mean, self.files) {
            MeantFile::Yes => RuleMeeting::Yes,
            MeantFile::Perhaps => RuleMeeting::Could,
            MeantFile::No => RuleMeeting::No,
        }
    }

    /// Whether an allow spells out this argument of a command, and all before it.
    pub(crate) fn is_spelled_out(&self, by: ByArgument) -> bool {
        self.is_meant(by, |pattern, _, arg| tokens::spells_out(pattern, arg))
    }

    /// Whether an allow names this argument of a command: it spells it out, or lists it or its option among what may stand
    /// behind the words.
    pub(super) fn is_named(&self, by: ByArgument) -> bool {
        self.is_meant(by, tokens::names)
    }

    /// Whether an allow covers a command, and means this argument of it.
    fn is_meant(
        &self, by: ByArgument, means: impl Fn(&CommandPattern, &CommandWords, usize) -> bool,
    ) -> bool {
        let Some(ActionKind::Command { argv, .. }) = self.kind(by.command) else { return false };
        let mut found = Vec::new();
        self.policy.index().commands(argv, &mut found);
        let words = CommandWords::of(argv);
        let meets = |rule: &CompiledRule| {
            let means = rule.effect == Effect::Allow
                && rule.commands.iter().any(|pattern| {
                    tokens::covers(pattern, &words) && means(pattern, &words, by.arg)
                });
            if means { RuleMeeting::Yes } else { RuleMeeting::No }
        };
        found
            .into_iter()
            .any(|rule| self.hit(rule, meets).is_some_and(|hit| hit.how == MatchStrength::Surely))
    }
}

/// Whether it is git, and shows what is in files, where this argument makes it read all below a folder, or put it under another
/// name, where it may be no secret. What it takes in it does not show, unless an option says so.
fn git_shows(argv: &[Word], arg: usize) -> bool {
    const TAKES: &[&str] =
        &["add", "stage", "fetch", "pull", "push", "clone", "remote", "ls-remote", "submodule"];
    let option = argv
        .get(arg)
        .and_then(|word| word.pieces.first())
        .is_some_and(|piece| matches!(piece, WordPiece::Text(text) if text.starts_with('-')));
    git_command(argv).is_some_and(|command| option || !TAKES.contains(&command))
}

/// Whether all that git shows is surely of files that it knows.
fn git_knows(argv: &[Word]) -> bool {
    let files = match git_command(argv) {
        Some("diff") => true,
        Some("grep") => false,
        Some(command) => return !command.is_empty(),
        None => return false,
    };
    argv.iter().all(|word| {
        word.literal().is_some_and(|word| {
            // Where one of two files lies outside, or by an option, `git diff` compares files of anywhere.
            let outside = word.starts_with(['/', '~']) || word.split('/').any(|part| part == "..");
            !(word.starts_with("--no-i") || word.starts_with("--unt") || (files && outside))
        })
    })
}

/// What it costs to look for words anywhere in a long command: behind a `**`, and for a deny behind options.
fn cost(rule: &CompiledRule, words: &CommandWords) -> u32 {
    let options = rule.effect != Effect::Allow && words.beside().is_some();
    let far = rule.commands.iter().filter(|pattern| options || !pattern.is_simple()).count();
    u32::try_from(far * words.len() / 16).unwrap_or(u32::MAX)
}

/// An ask speaks of more than an allow of the same words would. What is left to a reviewer is no more than an allow would open: of
/// the rest it is said that it could.
fn as_marked(rule: &CompiledRule, meets: impl Fn(Effect) -> RuleMeeting) -> RuleMeeting {
    let met = meets(rule.effect);
    let is_wider = rule.reviewer
        && rule.effect == Effect::Ask
        && met == RuleMeeting::Yes
        && meets(Effect::Allow) != RuleMeeting::Yes;
    if is_wider { RuleMeeting::Could } else { met }
}

fn command_meets(rule: &CompiledRule, effect: Effect, words: &CommandWords) -> RuleMeeting {
    if effect == Effect::Allow {
        let covers = rule.commands.iter().any(|pattern| tokens::covers(pattern, words));
        return if covers { RuleMeeting::Yes } else { RuleMeeting::No };
    }
    let mut meets = RuleMeeting::No;
    for pattern in &rule.commands {
        meets = meets.max(tokens::bites(pattern, words));
    }
    meets
}

fn spells_out(rule: &CompiledRule, words: &CommandWords, arg: usize) -> bool {
    rule.commands
        .iter()
        .any(|pattern| tokens::covers(pattern, words) && tokens::spells_out(pattern, arg))
}

/// An address that is not known could be any.
fn url_meets(
    rule: &CompiledRule, effect: Effect, target: &Word, address: Option<&UrlAddress>,
) -> RuleMeeting {
    let Some(urls) = &rule.urls else { return RuleMeeting::No };
    let speaks = match (effect, address) {
        (Effect::Allow, Some(address)) => urls.covers(address),
        (Effect::Allow, None) => false,
        (_, Some(address)) => urls.touches(address),
        (_, None) if urls.could_match(&target.pieces) => return RuleMeeting::Could,
        (_, None) => false,
    };
    if speaks { RuleMeeting::Yes } else { RuleMeeting::No }
}
