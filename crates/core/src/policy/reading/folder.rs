//! The folder that a program runs in is part of what is judged: what stands there says what `make`, `npm test` or a test
//! runner does, and where git finds a repository its settings say which programs git runs.

use std::collections::HashMap;
use std::sync::Arc;

use super::ActionReader;
use super::nested::{NestedRepositories, NestedRepository, PassedFolders};
use super::repository::{self, FoundRepository};
use crate::path::{LocatedPath, PathError, is_below, locate, spelled};
use crate::policy::action::{Action, ActionKind, ByArgument, PathStart, UseExtent, literal};
use crate::policy::git::{self, GitReach};
use crate::policy::judge::{NeedsFiles, looked_up, places, through};
use crate::policy::looking::looks;
use crate::policy::quoted::quoted;
use crate::shell::{FileAccess, FileLoss, Span, Word, WordPiece};

/// Folders that a call runs in beside its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallFolders {
    /// All lie in the project.
    Inside,
    /// One lies elsewhere, or it cannot be told where it lies.
    Elsewhere,
    /// One may be a repository that came as plain files: a `HEAD`, `objects` and `refs` beside each other, as any clone can
    /// bring them.
    Repository,
}

impl ActionReader<'_> {
    /// Says so where the folder that a program runs in may make it do more than was asked for.
    pub(super) fn folders(&mut self) -> Result<(), NeedsFiles> {
        if self.moved()? {
            return Ok(());
        }
        self.repositories()
    }

    /// Says so where git would find a repository that came as plain files: wherever it runs, also where the session starts, which
    /// may be a folder of a clone. And where it would take a folder that is there for the repository to talk with.
    fn repositories(&mut self) -> Result<(), NeedsFiles> {
        let mut starts: Vec<Arc<PathStart>> = Vec::new();
        let mut named: Vec<String> = Vec::new();
        for action in &self.actions {
            let Some(argv) = action.kind.git() else { continue };
            if !starts.iter().any(|start| Arc::ptr_eq(start, &action.start)) {
                starts.push(Arc::clone(&action.start));
            }
            let mut words: Vec<&str> = argv.iter().skip(1).filter_map(Word::literal).collect();
            if let Some(command) = words.iter().position(|word| TALKS.contains(word)) {
                words.remove(command);
                words.retain(|word| !word.starts_with('-') && !word.contains([':', '/', '.']));
                named.extend(words.into_iter().map(str::to_owned));
            }
        }
        named.sort_unstable();
        named.dedup();
        for start in starts {
            let mut hidden = false;
            for dir in &self.dirs_of(&start)? {
                let located = looked_up(locate(".", &start.at(dir), self.files))?;
                hidden |= located.is_err();
                for path in located.iter().flat_map(LocatedPath::reals) {
                    let found = repository::is_hidden(path, || self.roots(), self.files);
                    hidden |= looked_up(found)?.unwrap_or(true);
                }
                let dir = dir.trim_end_matches('/');
                // What the line itself makes is not there yet.
                hidden |= self.makes_repository()
                    && !looked_up(self.files.has(&format!("{dir}/.git")))?.unwrap_or(false);
                for name in &named {
                    let found = repository::is_repository(&format!("{dir}/{name}"), self.files);
                    if looked_up(found)?.unwrap_or(true) {
                        let why = format!(
                            "{} is here, and as a repository its settings say what runs",
                            quoted(name)
                        );
                        self.unknown_code(why);
                        return Ok(());
                    }
                }
            }
            if hidden {
                self.unknown_code(
                    "`git` runs in a folder that may hold a repository of its own, whose settings say what git runs",
                );
                return Ok(());
            }
        }
        Ok(())
    }

    /// Says so where git goes on into a repository that lies in the one that it finds, as an index says, an option, or the
    /// line itself.
    pub(super) fn nested(&mut self) -> Result<(), NeedsFiles> {
        if let Some(found) = self.entered()? {
            self.unknown_code(found.why());
        }
        Ok(())
    }

    /// Says so where git finds a partial clone, and may read what is missing there: it connects to what the settings name, which
    /// may be a program, and tells it which files are looked at.
    pub(super) fn partial_clones(&mut self) -> Result<(), NeedsFiles> {
        let home = self.context.home.as_deref();
        let mut looked: Vec<String> = Vec::new();
        let mut fetches = false;
        for action in &self.actions {
            let Some(argv) = action.kind.git() else { continue };
            if git::reads_no_objects(argv) {
                continue;
            }
            for dir in self.dirs_of(&action.start)? {
                let Some((_, git)) = self.work_tree(&dir)? else { continue };
                if !looked.contains(&git) {
                    fetches |= self.git.fetches_lazily(&git, home, self.files);
                    looked.push(git);
                }
            }
        }
        if fetches {
            self.unknown(
                None,
                "`git` fetches from a server what is missing in this partial clone: `git --no-lazy-fetch …` does not",
            );
        }
        Ok(())
    }

    /// The first repository that git goes on into, where its settings may say what git runs.
    fn entered(&self) -> Result<Option<NestedRepository>, NeedsFiles> {
        let goes = |action: &&Action| {
            action.kind.git().is_some_and(|argv| git::reach(argv) > GitReach::Settings)
        };
        // What is added is gone into by what follows.
        let several = self.actions.iter().filter(goes).count() > 1;
        let home = self.context.home.as_deref();
        let mut looked: Vec<(String, GitReach)> = Vec::new();
        let mut named: HashMap<String, bool> = HashMap::new();
        for action in &self.actions {
            let Some(argv) = action.kind.git() else { continue };
            let by_words = git::reach(argv);
            if by_words == GitReach::Here {
                continue;
            }
            for dir in self.dirs_of(&action.start)? {
                let Some((top, git)) = self.work_tree(&dir)? else { continue };
                let name_others = || self.git.settings_name_others(&git, home, self.files);
                let reach = by_words
                    .with_settings(|| *named.entry(git.clone()).or_insert_with(name_others));
                if reach == GitReach::Here {
                    continue;
                }
                let nested = NestedRepositories::of((&top, &git), self.git, self.files);
                let untold = |folder: &str| Some(NestedRepository::Perhaps(folder.to_owned()));
                if !looked.iter().any(|(known, how)| *known == top && *how >= reach) {
                    let mut entered =
                        looked_up(nested.in_index())?.unwrap_or_else(|_| untold(&top));
                    if entered.is_none() && reach >= GitReach::Further {
                        let passed = match reach {
                            GitReach::Others => PassedFolders::Nothing,
                            _ => PassedFolders::Packages,
                        };
                        entered =
                            looked_up(nested.below(&top, passed))?.unwrap_or_else(|_| untold(&top));
                    }
                    if entered.is_some() {
                        return Ok(entered);
                    }
                    looked.push((top.clone(), reach));
                }
                if !has_word(action, &["add", "stage"]) {
                    continue;
                }
                let passed =
                    if is_forced(action) { PassedFolders::Nothing } else { PassedFolders::Ignored };
                for folder in self.added(action, &dir, &top)? {
                    let mut entered = Ok(None);
                    if folder != top {
                        entered = looked_up(nested.in_folder(&folder))?;
                    }
                    if several && matches!(entered, Ok(None)) {
                        entered = looked_up(nested.below(&folder, passed))?;
                    }
                    let entered = entered.unwrap_or_else(|_| untold(&folder));
                    if entered.is_some() {
                        return Ok(entered);
                    }
                }
            }
        }
        Ok(None)
    }

    /// The folders, or files, that `git add` takes in; where not all is told, the whole work tree.
    fn added(&self, action: &Action, dir: &str, top: &str) -> Result<Vec<String>, NeedsFiles> {
        const SPECIAL: &[char] = &['*', '?', '[', '\\', ':'];
        let words = action.kind.git().unwrap_or_default().iter().skip(1);
        let (mut is_named, mut is_behind) = (false, false);
        let names = words.filter(|word| match word.literal() {
            // A folder may be called so, too.
            Some("add" | "stage") if !is_named => {
                is_named = true;
                false
            }
            // Each word behind it is a name, even one like an option.
            Some("--") if !is_behind => {
                is_behind = true;
                false
            }
            Some(text) => is_behind || !text.starts_with('-'),
            None => true,
        });
        let from = action.start.at(dir);
        let mut folders = Vec::new();
        for name in names {
            let name = spelled(&name.pieces, &from).filter(|name| !name.contains(SPECIAL));
            let located = match name {
                Some(name) => looked_up(locate(&name, &from, self.files))?.ok(),
                None => None,
            };
            folders.push(located.map_or_else(|| top.to_owned(), |located| located.real));
        }
        if folders.is_empty() {
            folders.push(top.to_owned());
        }
        Ok(folders)
    }

    /// What git reads of all that is here it reads of the whole work tree, which may begin further up.
    pub(super) fn work_trees(&mut self) -> Result<(), NeedsFiles> {
        let mut more: Vec<Action> = Vec::new();
        for action in &self.actions {
            let ActionKind::Path {
                access: FileAccess::Read,
                target,
                extent: UseExtent::Tree,
                by: Some(by),
            } = &action.kind
            else {
                continue;
            };
            let git = self.actions.get(by.command).is_some_and(|it| it.kind.git().is_some());
            if !git || target.literal() != Some(".") {
                continue;
            }
            for dir in self.dirs_of(&action.start)? {
                let Some((top, _)) = self.work_tree(&dir)?.filter(|(top, _)| *top != dir) else {
                    continue;
                };
                let mut above = action.clone();
                if let ActionKind::Path { target, .. } = &mut above.kind {
                    *target = literal(if top.is_empty() { "/".to_owned() } else { top });
                }
                if !more.iter().any(|known| known.kind == above.kind) {
                    more.push(above);
                }
            }
        }
        self.actions.extend(more);
        Ok(())
    }

    /// A word in the place of a revision. What is not known to be a commit may be a file of any name, or a folder in which
    /// other names begin: so all that git knows is read.
    pub(super) fn shows_object(
        &mut self, by: ByArgument, word: &Word,
        (start, span, argument): (&Arc<PathStart>, Option<Span>, &Arc<str>),
    ) -> Result<(), NeedsFiles> {
        let (dirs, adrift) = match looked_up(places(start, self.files))? {
            Ok(found) => found,
            Err(_) => (Vec::new(), true),
        };
        let mut all = adrift;
        let mut paths: Vec<String> = Vec::new();
        for dir in dirs {
            let Some((top, git)) = self.work_tree(&dir)? else { continue };
            let named = word.literal().map(|word| repository::names_commit(word, &git, self.files));
            match named.flatten() {
                None => all = true,
                Some(None) => {}
                // A path begins at the top, wherever git runs.
                Some(Some(path)) if path.starts_with("./") || path.starts_with("../") => {}
                Some(Some(path)) => paths.push(format!("{top}/{path}")),
            }
        }
        if all {
            paths.push(".".to_owned());
        }
        for path in paths {
            self.reads(path, UseExtent::Tree, Some(by), (start, span, argument));
        }
        Ok(())
    }

    /// A word that is a file or a revision. Where there is such a file, and the line takes none away, it is that; of a revision
    /// all that git knows is read.
    pub(super) fn shows_file(
        &mut self, by: ByArgument, word: &Word,
        (start, span, argument): (&Arc<PathStart>, Option<Span>, &Arc<str>),
    ) -> Result<(), NeedsFiles> {
        let stays = |action: &Action| match &action.kind {
            ActionKind::Command { argv, .. } => looks(argv),
            ActionKind::Path { access, .. } => *access == FileAccess::Read,
            _ => false,
        };
        let has = |(dirs, adrift): (Vec<String>, bool)| {
            let Some(name) = word.literal().filter(|_| !adrift && !dirs.is_empty()) else {
                return Ok(false);
            };
            let found: Result<Vec<bool>, PathError> =
                dirs.iter().map(|dir| self.files.has(&format!("{dir}/{name}"))).collect();
            Ok(found?.into_iter().all(|is_there| is_there))
        };
        let is_file = looked_up(places(start, self.files).and_then(has))?.unwrap_or(false);
        if !(is_file && self.actions.iter().all(stays)) {
            self.reads(".".to_owned(), UseExtent::Tree, Some(by), (start, span, argument));
        }
        Ok(())
    }

    /// Settings of a repository, where an address in them may hold a password.
    pub(super) fn shows_settings(
        &mut self, (start, span, argument): (&Arc<PathStart>, Option<Span>, &Arc<str>),
    ) -> Result<(), NeedsFiles> {
        for dir in self.dirs_of(start)? {
            let Some((_, git)) = self.work_tree(&dir)? else { continue };
            if let Some(settings) = repository::secret_settings(&git, self.files) {
                // No word of the command spells it out.
                self.reads(settings, UseExtent::Itself, None, (start, span, argument));
            }
        }
        Ok(())
    }

    /// A command reads a file that none of its words names.
    fn reads(
        &mut self, path: String, extent: UseExtent, by: Option<ByArgument>,
        (start, span, argument): (&Arc<PathStart>, Option<Span>, &Arc<str>),
    ) {
        let kind = ActionKind::Path { access: FileAccess::Read, target: literal(path), extent, by };
        self.actions.push(Action {
            kind,
            span,
            argument: Some(Arc::clone(argument)),
            needs_allow: false,
            mentioned: false,
            loss: FileLoss::Nothing,
            start: Arc::clone(start),
        });
    }

    /// The folders that something may run in, as far as they are known.
    fn dirs_of(&self, start: &PathStart) -> Result<Vec<String>, NeedsFiles> {
        Ok(looked_up(places(start, self.files))?.map(|(dirs, _)| dirs).unwrap_or_default())
    }

    /// The work tree that git finds from this folder, and the folder that it keeps its own files in. `None` also where that
    /// cannot be told: git finds none there either.
    fn work_tree(&self, dir: &str) -> Result<Option<(String, String)>, NeedsFiles> {
        Ok(looked_up(repository::work_tree(dir, self.files))?.unwrap_or_default())
    }

    /// Says so where a program that does what the files of its folder say runs in a folder that was not spoken of, and whether
    /// one does.
    ///
    /// Unknown, and no question about the folder: an allow of `cd` and `make` means neither `make` in every folder, nor what any
    /// folder's files make of it.
    fn moved(&mut self) -> Result<bool, NeedsFiles> {
        let host = self.host();
        let mut moved = self
            .actions
            .iter()
            .filter(|action| action.start.has_left(host) && action.kind.depends_on_folder());
        // Where git only looks, the settings that it finds can be looked at before.
        let all_look = moved.clone().all(|action| action.kind.looks_with_git());
        let first = moved.find(|action| all_look || !action.kind.looks_with_git());
        let Some((kind, start)) = first.map(|it| (&it.kind, Arc::clone(&it.start))) else {
            return Ok(false);
        };
        let program = match kind {
            ActionKind::Command { argv, .. } => argv.first().and_then(Word::literal),
            _ => None,
        };
        let program = program.unwrap_or_default().to_owned();
        let stays = all_stay(&self.actions);
        let folders = match self.folders_of(&start, all_look, stays)? {
            // One that the line itself makes is not there yet.
            CallFolders::Inside if self.makes_repository() => CallFolders::Repository,
            folders => folders,
        };
        match folders {
            CallFolders::Inside => return Ok(false),
            CallFolders::Elsewhere => self.unknown_code(
                format!("`{program}` does what the files of its folder say, and that may be a folder outside of the project"),
            ),
            CallFolders::Repository => self.unknown_code(
                format!("`{program}` runs in a folder that may hold a repository of its own, whose settings say what git runs"),
            ),
        }
        Ok(true)
    }

    /// Whether a file called `HEAD` may be written.
    fn makes_repository(&self) -> bool {
        const HEAD: &str = "head";
        self.actions.iter().any(|action| match &action.kind {
            ActionKind::Path { access: FileAccess::Write, target, .. } => {
                match target.pieces.last() {
                    Some(WordPiece::Text(end)) => {
                        let end = end.to_ascii_lowercase();
                        let end = end.trim_end_matches('/');
                        end.ends_with(HEAD) || target.literal().is_none() && HEAD.ends_with(end)
                    }
                    Some(_) => true,
                    None => false,
                }
            }
            _ => false,
        })
    }

    fn folders_of(
        &self, start: &PathStart, looks: bool, stays: bool,
    ) -> Result<CallFolders, NeedsFiles> {
        let mut texts = vec![".".to_owned()];
        for dir in &start.dirs {
            let Some(text) = through(dir, start) else { return Ok(CallFolders::Elsewhere) };
            texts.push(text);
        }
        let Ok(roots) = looked_up(self.roots())? else { return Ok(CallFolders::Elsewhere) };
        let runs_git = self.actions.iter().any(|action| action.kind.git().is_some());
        let inside = |path: &str| roots.iter().any(|root| is_below(path, root));
        for base in &start.bases {
            let from = start.at(base);
            for text in &texts {
                let Ok(located) = looked_up(locate(text, &from, self.files))? else {
                    return Ok(CallFolders::Elsewhere);
                };
                let inside = located.places().all(inside);
                if !inside && !looks {
                    return Ok(CallFolders::Elsewhere);
                }
                for path in located.reals() {
                    // Its settings are not those of the project.
                    let nested = runs_git
                        && looked_up(repository::is_nested(path, &roots, self.files))?
                            .unwrap_or(true);
                    let inside = inside && !nested;
                    match looked_up(repository::found(path, self.files))? {
                        Ok(FoundRepository::Some) if !inside => return Ok(CallFolders::Elsewhere),
                        Ok(FoundRepository::Plain) if !inside && !stays => {
                            return Ok(CallFolders::Elsewhere);
                        }
                        Ok(
                            FoundRepository::Nothing
                            | FoundRepository::Plain
                            | FoundRepository::Some,
                        ) => {}
                        Ok(FoundRepository::Hidden) | Err(_) => return Ok(CallFolders::Repository),
                    }
                }
            }
        }
        Ok(CallFolders::Inside)
    }

    /// The folders that the call is about, by all their names. Fails with [`PathError::NeedsFiles`] alone.
    pub(super) fn roots(&self) -> Result<Vec<String>, PathError> {
        let named = [Some(self.host()), self.context.project.as_deref()];
        let mut roots = Vec::new();
        for root in named.into_iter().flatten() {
            match self.files.real(root) {
                Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                real => roots.extend(real),
            }
            roots.push(root.to_owned());
        }
        Ok(roots)
    }
}

/// Whether it is git with one of these words.
fn has_word(action: &Action, names: &[&str]) -> bool {
    let mut words = action.kind.git().unwrap_or_default().iter().filter_map(Word::literal);
    words.any(|word| names.contains(&word))
}

/// Whether `git add` may take what git ignores: `-f`, also among other letters, or what only the run will tell.
fn is_forced(action: &Action) -> bool {
    action.kind.git().unwrap_or_default().iter().any(|word| {
        let Some(text) = word.literal() else { return true };
        match text.strip_prefix('-') {
            Some(long) if long.starts_with('-') => long.starts_with("-f"),
            Some(letters) => letters.contains('f'),
            None => false,
        }
    })
}

/// Commands of git that talk with another repository.
const TALKS: &[&str] = &["fetch", "pull", "push", "ls-remote", "remote", "fetch-pack", "send-pack"];

/// Whether all commands of git stay in the repository that they find.
fn all_stay(actions: &[Action]) -> bool {
    actions.iter().filter(|action| action.kind.looks_with_git()).all(
        |action| matches!(&action.kind, ActionKind::Command { argv, .. } if git::reach(argv) <= GitReach::Settings),
    )
}
