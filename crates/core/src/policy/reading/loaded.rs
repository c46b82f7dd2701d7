//! Code that a command names and runs, and settings that decide what it runs: the project's own, wherever symlinks lead.

use std::sync::Arc;

use super::ActionReader;
use crate::path::{
    DirEntry, DirListing, ExpandedPattern, NameBudget, PathContext, PathError, expanded, is_below,
    is_garbled, locate, spelled,
};
use crate::policy::action::{Action, ActionKind, ByArgument, PathStart, UseExtent, literal};
use crate::policy::judge::{NeedsFiles, PathSpots, looked_up, places};
use crate::shell::{
    DoubtReason, FileAccess, FileLoss, PassedOver, Span, Word, WordPiece, option_marks, stays_below,
};

/// How many names a pattern is tried on.
pub(super) const MOST_NAMES: usize = 4096;

/// How many names below the directories of a search are looked at.
pub(super) const MOST_FOUND: usize = 20_000;

/// What no pattern of a program is tried on: packages, and the interpreter of a virtual environment.
const PASSED: PassedOver = PassedOver { modules: true, interpreters: true };

/// A file or a directory that a command loads, or a pattern that may find options.
pub(super) struct LoadedFile {
    pub(super) by: ByArgument,
    pub(super) target: Word,
    /// What it is doubted for.
    pub(super) why: DoubtReason,
    pub(super) span: Option<Span>,
    pub(super) argument: Arc<str>,
    pub(super) start: Arc<PathStart>,
}

/// Where something about a command is said.
#[derive(Clone, Copy)]
pub(super) struct CommandPlace<'p> {
    pub(super) start: &'p Arc<PathStart>,
    pub(super) span: Option<Span>,
    pub(super) argument: &'p Arc<str>,
}

impl ActionReader<'_> {
    /// Adds what a command writes that no word names, and no table: settings do, or files that are there. An allow of the
    /// program covers that, and spells none of it out.
    pub(super) fn also_writes(
        &mut self, command: usize, path: String, extent: UseExtent, place: CommandPlace<'_>,
    ) {
        self.also_uses(command, FileAccess::Write, path, extent, place);
    }

    /// The same of what it reads or writes.
    pub(super) fn also_uses(
        &mut self, command: usize, access: FileAccess, path: String, extent: UseExtent,
        place: CommandPlace<'_>,
    ) {
        let arg = self.words(ByArgument { command, arg: 0 }).len();
        let kind = ActionKind::Path {
            access,
            target: literal(path),
            extent,
            by: Some(ByArgument { command, arg }),
        };
        self.actions.push(Action {
            kind,
            span: place.span,
            argument: Some(Arc::clone(place.argument)),
            needs_allow: false,
            mentioned: false,
            loss: FileLoss::Nothing,
            start: Arc::clone(place.start),
        });
    }

    /// Says so where a command loads what is not the project's own, or may not be.
    pub(super) fn loaded(&mut self) -> Result<(), NeedsFiles> {
        for LoadedFile { by, target, why, span, argument, start } in std::mem::take(&mut self.loads)
        {
            let place = CommandPlace { start: &start, span, argument: &argument };
            let own = match why {
                DoubtReason::ShowsFile => {
                    self.shows_file(by, &target, (&start, span, &argument))?;
                    continue;
                }
                DoubtReason::ShowsObjects => {
                    self.shows_object(by, &target, (&start, span, &argument))?;
                    continue;
                }
                DoubtReason::ShowsSettings => {
                    self.shows_settings((&start, span, &argument))?;
                    continue;
                }
                DoubtReason::FindsOptions => {
                    let marks = option_marks(self.program(by));
                    self.finds_none(&target, &start, |name| name.starts_with(marks))
                }
                DoubtReason::ForeignModule => self.has_module(&target, &start),
                DoubtReason::SettingsOfNpm => self.is_plain_npm(&start),
                DoubtReason::LinkedModule => self.has_own_modules(by, &start),
                DoubtReason::SettingsOfGolangci => self.is_plain_golangci(by, &start),
                DoubtReason::SettingsOfCargo => self.is_plain_cargo(by, &start),
                DoubtReason::SettingsOfShellcheck => self.is_plain_shellcheck(&target, &start),
                DoubtReason::SettingsOfTypeScript => self.writes_within(by, place),
                DoubtReason::SettingsOfRuff => self.lints_only(by, place),
                DoubtReason::SettingsOfChecker => self.names_no_others(by, place),
                DoubtReason::KeepsRights => self.has_plain_rights(&target, &start),
                DoubtReason::NotInstalled => self.is_installed(by, &start),
                DoubtReason::FindsWords | DoubtReason::FindsLinks => {
                    let here = literal(".");
                    let top = if by.arg == 0 { &here } else { &target };
                    let is_fine = |found: &DirEntry| match why {
                        DoubtReason::FindsLinks => !found.is_link,
                        _ => !is_several_words(&found.name) && !is_garbled(&found.name),
                    };
                    self.finds_only(top, &start, is_fine)
                }
                DoubtReason::FindsHosts => {
                    self.finds_none(&target, &start, |name| name.contains(':'))
                }
                _ => {
                    let own = self.is_own(&target, &start);
                    if let Err(error) = &own {
                        self.led.add_error(error);
                    }
                    own
                }
            };
            if looked_up(own)?.unwrap_or(false) {
                continue;
            }
            // Who allows a search says nothing of what another program makes of its names.
            let is_search = matches!(why, DoubtReason::FindsWords | DoubtReason::FindsLinks);
            let named = (!is_search).then_some(by);
            let kind =
                ActionKind::Unknown { why: why.to_string().into(), named, held: why.is_held() };
            let argument = Some(argument);
            self.actions.push(Action {
                kind,
                span,
                argument,
                needs_allow: !self.guesses,
                mentioned: false,
                loss: FileLoss::Nothing,
                start,
            });
        }
        Ok(())
    }

    /// The words of the command that an argument belongs to.
    pub(super) fn words(&self, by: ByArgument) -> &[Word] {
        match self.actions.get(by.command).map(|it| &it.kind) {
            Some(ActionKind::Command { argv, .. }) => argv,
            _ => &[],
        }
    }

    /// Whether an argument is a word of this command: its own, or one of the command that starts it, whose words end with its own.
    pub(super) fn is_word_of(&self, by: ByArgument, command: usize) -> bool {
        if by.command == command {
            return true;
        }
        let own = self.words(ByArgument { command, arg: 0 }).get(1..).unwrap_or_default();
        let words = self.words(by);
        by.command < command && words.ends_with(own) && by.arg + own.len() >= words.len()
    }

    /// The name of its program.
    fn program(&self, by: ByArgument) -> &str {
        self.words(by).first().and_then(Word::literal).unwrap_or_default()
    }

    /// Whether no name that the pattern could find is one of these. What the line itself makes is not there yet.
    fn finds_none(
        &self, target: &Word, start: &PathStart, is_one: impl Fn(&str) -> bool,
    ) -> Result<bool, PathError> {
        let (dirs, adrift) = places(start, self.files)?;
        if adrift || self.actions.iter().any(|action| may_name_a_file(&action.kind)) {
            return Ok(false);
        }
        for dir in dirs {
            match self.files.list(&dir, MOST_NAMES) {
                DirListing::Names(names) => {
                    if names.iter().any(|it| is_one(&it.name) && may_find(target, &it.name)) {
                        return Ok(false);
                    }
                }
                DirListing::Unknown | DirListing::TooMany => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Whether all that lies below this directory, and itself, is so. What the line itself makes is not there yet.
    fn finds_only(
        &self, top: &Word, start: &PathStart, is_fine: impl Fn(&DirEntry) -> bool,
    ) -> Result<bool, PathError> {
        let (dirs, adrift) = places(start, self.files)?;
        let makes_others = |action: &Action| match &action.kind {
            ActionKind::Path { access: FileAccess::Write, target, extent, .. } => {
                *extent != UseExtent::Itself || target.literal().is_none_or(is_several_words)
            }
            kind => may_name_a_file(kind),
        };
        let itself = DirEntry {
            name: top.literal().unwrap_or_default().to_owned(),
            is_link: false,
            is_dir: true,
        };
        if adrift || !is_fine(&itself) || self.actions.iter().any(makes_others) {
            return Ok(false);
        }
        let mut left = NameBudget::new(MOST_FOUND);
        for dir in dirs {
            for top in self.named(top, &start.at(&dir))? {
                let mut folders = vec![locate(&top, &start.at(&dir), self.files)?.real];
                while let Some(folder) = folders.pop() {
                    let DirListing::Names(names) = left.list(&folder, self.files) else {
                        return Ok(false);
                    };
                    for found in names {
                        if !is_fine(&found) {
                            return Ok(false);
                        }
                        if found.is_dir && !found.is_link {
                            folders.push(format!(
                                "{}/{}",
                                folder.trim_end_matches('/'),
                                found.name
                            ));
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Whether it lies in the project, or in the directory that the command runs in.
    pub(super) fn is_own(&mut self, target: &Word, start: &PathStart) -> Result<bool, PathError> {
        let (dirs, adrift) = places(start, self.files)?;
        if adrift && !stays_below(target) {
            return Ok(false);
        }
        let mut roots = start.bases.clone();
        roots.extend(self.context.project.clone());
        for root in roots.clone() {
            roots.push(self.files.real(&root)?);
        }
        for dir in dirs {
            let from = start.at(&dir);
            for path in self.named(target, &from)? {
                // What is there belongs to the directory that a `cd` led to. Of an absolute path that says nothing.
                let here = (!path.starts_with(['/', '~'])).then_some(&from.cwd);
                let located = locate(&path, &from, self.files)?;
                self.led.add(&located);
                let own = |path: &str| roots.iter().chain(here).any(|root| is_below(path, root));
                if !located.reals().all(own) {
                    return Ok(false);
                }
            }
            let own = |path: &str| roots.iter().chain([&dir]).any(|root| is_below(path, root));
            for top in self.tops(target, &from)? {
                let mut below = PathSpots::at(locate(&top, &from, self.files)?);
                below.add_links_below(PASSED, true, self.files)?;
                below.located.iter().for_each(|path| self.led.add(path));
                if !below.certain || !below.located.iter().all(|it| it.reals().all(own)) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The directories whose whole content a pattern means (`**`): a program may load what a symlink there leads to.
    fn tops(&self, target: &Word, from: &PathContext) -> Result<Vec<String>, PathError> {
        let Some(at) = deep(target) else { return Ok(Vec::new()) };
        let mut before = target.pieces.get(..at).unwrap_or_default().to_vec();
        // The name that it is a part of is not a directory's.
        if let Some(WordPiece::Text(text)) = before.last_mut() {
            *text = text.rsplit_once('/').map_or(".", |(dir, _)| dir).to_owned();
        }
        match spelled(&before, from) {
            Some(dir) => Ok(vec![dir]),
            None => {
                let ExpandedPattern { links, dirs, .. } = expanded(&before, from, self.files)?;
                Ok(links.into_iter().chain(dirs).collect())
            }
        }
    }

    /// The paths that it may be, seen from there. Of a pattern the directory that it begins with, and the symlinks that it
    /// finds.
    fn named(&self, target: &Word, from: &PathContext) -> Result<Vec<String>, PathError> {
        if let Some(path) = spelled(&target.pieces, from) {
            return Ok(vec![path]);
        }
        if !stays_below(target) {
            return Err(PathError::Ambiguous("it is only known when it runs"));
        }
        // Of `**` all that is below is looked at.
        let mut paths = match deep(target) {
            Some(_) => Vec::new(),
            None => expanded(&target.pieces, from, self.files)?.links,
        };
        if let Some(WordPiece::Text(text)) = target.pieces.first()
            && let Some((dir, _)) = text.rsplit_once('/')
        {
            paths.push(dir.to_owned());
        }
        Ok(paths)
    }
}

/// Whether `xargs` may take this for more than one word, or for another one.
fn is_several_words(name: &str) -> bool {
    name.contains(|char: char| char.is_whitespace() || char.is_control() || "'\"\\".contains(char))
}

/// The piece that is a `**`.
fn deep(target: &Word) -> Option<usize> {
    let is_deep = |piece: &WordPiece| matches!(piece, WordPiece::Glob(text) if text.contains("**"));
    target.pieces.iter().position(is_deep)
}

/// Whether what the pattern begins with, behind the characters that are not certain, lets it find this name. Only the end of
/// a name that is one component is compared: what comes before may be anything.
fn may_find(pattern: &Word, name: &str) -> bool {
    let slash = |piece: &WordPiece| matches!(piece, WordPiece::Text(text) if text.contains('/'));
    match pattern.pieces.last() {
        Some(WordPiece::Text(ending)) if !pattern.pieces.iter().any(slash) => {
            is_garbled(name) || name.to_lowercase().ends_with(&ending.to_lowercase())
        }
        _ => true,
    }
}

/// Whether this may make a file whose name is an option, or a place on another machine: a program that does what the project
/// says, or one that writes where not one name is told.
fn may_name_a_file(kind: &ActionKind) -> bool {
    match kind {
        ActionKind::Command { .. } => kind.depends_on_folder() && !kind.looks_with_git(),
        ActionKind::Path { access: FileAccess::Write, target, extent, .. } => {
            let name = target.literal().map(|text| text.rsplit('/').next().unwrap_or(text));
            *extent != UseExtent::Itself
                || name.is_none_or(|name| {
                    name.is_empty() || name.starts_with(['-', '+', '@']) || name.contains(':')
                })
        }
        _ => false,
    }
}
