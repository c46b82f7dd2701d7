//! Files of settings that a program reads and that no word of its command names. A symlink in the place of one counts as a read of what
//! it leads to: programs print what they do not understand. What the line itself writes there is not known yet.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::ActionReader;
use super::chosen::may_be_called;
use super::ignored::{is_ignored, is_ignored_below};
use super::looked_at::MOST_NAMES;
use super::repository::{self, upwards};
use crate::path::{
    DirEntry, DirListing, FileLookup, NameBudget, PathContext, PathError, is_below, locate,
};
use crate::policy::action::{Action, ActionKind, ByArgument, PathStart, UseExtent, literal};
use crate::policy::git::git_command;
use crate::policy::judge::{NeedsFiles, PathSpots, is_product, looked_up, places};
use crate::policy::quoted::quoted;
use crate::shell::{FileAccess, FileLoss, PassedOver, SettingsFiles, Word, base_name, settings_of};

/// From how many folders on the way up is begun.
pub(super) const MOST_WAYS: usize = 256;

/// What a list of commits that `git blame` passes over is called.
const USUAL_LIST: &str = ".git-blame-ignore-revs";

/// The names of files of settings that were found.
#[derive(Debug, Default)]
pub(super) struct FoundSettings {
    /// Symlinks, or files that one reaches through a symlink.
    pub(super) links: BTreeSet<String>,
    /// Files, or symlinks to them, that go on elsewhere.
    extending: BTreeSet<String>,
    /// More names than are looked through.
    pub(super) too_many: bool,
}

/// Which folders below what it looks at a program surely does not go into.
struct SettingsReach<'f> {
    files: &'f SettingsFiles,
    passed: PassedOver,
    /// Where it runs.
    here: BTreeSet<String>,
    /// Whether it heeds files of patterns: no option of it speaks of any.
    ignores: bool,
}

impl SettingsReach<'_> {
    /// Whether it passes over this folder, as the files of patterns say that it heeds.
    fn passes(&self, folder: &str, files: &dyn FileLookup) -> Result<bool, PathError> {
        const PATTERNS: &str = ".gitignore";
        if !self.ignores {
            return Ok(false);
        }
        for path in upwards(folder).map_while(|folder| folder) {
            let Some((parent, name)) = path.rsplit_once('/').filter(|(_, name)| is_product(name))
            else {
                continue;
            };
            // Some heed that file alone which lies where they run.
            let passes = if self.files.below.contains(&PATTERNS) {
                let top = repository::work_tree(parent, files)?;
                top.is_some_and(|(top, _)| is_ignored(parent, name, &top, files))
            } else {
                self.files.here.contains(&PATTERNS)
                    && self.here.iter().all(|dir| is_ignored_below(dir, name, files))
            };
            if passes {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl ActionReader<'_> {
    /// Takes what the settings of a program lead to for a file that it reads.
    pub(super) fn settings(&mut self) -> Result<(), NeedsFiles> {
        let mut told: HashSet<String> = HashSet::new();
        for at in 0..self.actions.len() {
            let Some((argv, start)) = self.actions.get(at).and_then(|action| match &action.kind {
                ActionKind::Command { argv, .. } => Some((argv, Arc::clone(&action.start))),
                _ => None,
            }) else {
                continue;
            };
            if matches!(git_command(argv), Some("blame" | "annotate")) {
                for list in self.ignored_revisions(&start)? {
                    if told.insert(list.clone()) {
                        self.reads_settings(&list, "git", &start)?;
                    }
                }
            }
            let argv = self.words(ByArgument { command: at, arg: 0 });
            let Some(files) = settings_of(argv) else { continue };
            let program = argv.first().and_then(Word::literal).map(base_name).unwrap_or_default();
            let program = program.to_owned();
            if let Some(name) = self.brought(at, files) {
                self.unknown_code(format!(
                    "the line may write {}, which tells {} what it does",
                    quoted(name),
                    quoted(&program)
                ));
            }
            let found = match looked_up(self.found_settings(at, files, &start))? {
                Ok(found) => found,
                Err(error) => {
                    self.unknown_code(format!(
                        "it cannot be told which settings {} reads: {error}",
                        quoted(&program)
                    ));
                    continue;
                }
            };
            if found.too_many {
                self.unknown_code(format!(
                    "there are too many names to tell which settings {} reads",
                    quoted(&program)
                ));
            }
            for link in found.links {
                if told.insert(link.clone()) {
                    self.reads_settings(&link, &program, &start)?;
                }
            }
            for file in found.extending {
                if told.insert(format!("{file}/")) {
                    self.extended(file, &program, &start)?;
                }
            }
        }
        Ok(())
    }

    /// The symlinks to lists of commits that `git blame` passes over, as settings of git name them.
    fn ignored_revisions(&self, start: &PathStart) -> Result<Vec<String>, NeedsFiles> {
        let home = self.context.home.as_deref();
        let mut links = Vec::new();
        for dir in looked_up(places(start, self.files))?.map(|(dirs, _)| dirs).unwrap_or_default() {
            let Some((top, git)) =
                looked_up(repository::work_tree(&dir, self.files))?.unwrap_or_default()
            else {
                continue;
            };
            let lists = self.git.ignored_revisions(&git, home, self.files);
            // Which it is may be untold: then the name that everybody gives it counts.
            for list in lists.unwrap_or_else(|| vec![USUAL_LIST.to_owned()]) {
                let from = PathContext {
                    cwd: top.clone(),
                    home: start.home.clone(),
                    ..PathContext::default()
                };
                let Ok(located) = looked_up(locate(&list, &from, self.files))? else { continue };
                let is_led = looked_up(self.files.real(&top))?
                    .is_ok_and(|top| located.real != located.lexical.replacen(&from.cwd, &top, 1));
                if is_led {
                    links.push(located.lexical);
                }
            }
        }
        Ok(links)
    }

    /// A program reads this file of settings.
    pub(super) fn reads_settings(
        &mut self, path: &str, program: &str, start: &Arc<PathStart>,
    ) -> Result<(), NeedsFiles> {
        self.reads_unnamed(path, program, "reads it as its settings", start)
    }

    /// A program reads this file, which no word names. `does`: what it does with it.
    pub(super) fn reads_unnamed(
        &mut self, path: &str, program: &str, does: &str, start: &Arc<PathStart>,
    ) -> Result<(), NeedsFiles> {
        let kind = ActionKind::Path {
            access: FileAccess::Read,
            target: literal(path),
            extent: UseExtent::Itself,
            by: None,
        };
        self.actions.push(Action {
            kind,
            span: None,
            argument: None,
            needs_allow: false,
            mentioned: false,
            loss: FileLoss::Nothing,
            start: Arc::clone(start),
        });
        if !looked_up(self.stays_inside(path))?.unwrap_or(false) {
            self.unknown_code(format!(
                "{} leads out of the project, and {} {does}",
                quoted(path),
                quoted(program)
            ));
        }
        Ok(())
    }

    /// Whether this absolute path leads nowhere but into the project.
    pub(super) fn stays_inside(&self, path: &str) -> Result<bool, PathError> {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        let (located, roots) = (locate(path, &from, self.files)?, self.roots()?);
        Ok(located.reals().all(|path| roots.iter().any(|root| is_below(path, root))))
    }

    /// The name among these that another command of the line may write.
    fn brought(&self, command: usize, files: &SettingsFiles) -> Option<&'static str> {
        self.actions.iter().find_map(|action| match &action.kind {
            ActionKind::Path { access: FileAccess::Write, target, by, .. }
                if by.is_none_or(|by| by.command != command) =>
            {
                files.names().find(|name| may_be_called(target, base_name(name)))
            }
            _ => None,
        })
    }

    /// The settings that are there and matter.
    fn found_settings(
        &self, command: usize, files: &SettingsFiles, start: &PathStart,
    ) -> Result<FoundSettings, PathError> {
        let mut found = FoundSettings::default();
        let mut here: BTreeSet<String> = BTreeSet::new();
        for dir in places(start, self.files)?.0 {
            here.insert(self.files.real(&dir)?);
        }
        let (mut ways, mut tops) = (here.clone(), BTreeSet::new());
        for action in self.actions.iter().filter(|_| !files.below.is_empty()) {
            let ActionKind::Path { target, extent, by: Some(by), .. } = &action.kind else {
                continue;
            };
            if by.command != command {
                continue;
            }
            let spots = PathSpots::of(target, *extent, &action.start, self.files)?;
            for located in spots.located.into_iter().chain(spots.begins) {
                if extent.is_recursive() {
                    tops.insert(located.real.clone());
                    ways.insert(located.real);
                } else {
                    let above = located.real.rsplit_once('/').map(|(above, _)| above.to_owned());
                    ways.extend(above);
                }
            }
        }
        found.too_many |= ways.len() > MOST_WAYS;
        let roots = self.roots()?;
        for (ways, names) in [(&here, &files.here), (&ways, &files.below)] {
            let mut seen: HashSet<&str> = HashSet::new();
            for way in ways.iter().take(MOST_WAYS) {
                let top = roots.iter().filter(|root| is_below(way, root)).map(String::len).min();
                let inside = |folder: &&str| top.is_none_or(|top| folder.len() >= top);
                for folder in upwards(way).map_while(|folder| folder).take_while(inside) {
                    if !seen.insert(folder) {
                        break;
                    }
                    self.settings_in(folder, names, files, &mut found)?;
                }
            }
        }
        self.settings_of_members(files, &here, &mut found)?;
        let reach = self.reach(command, files, here);
        let mut left = NameBudget::new(MOST_NAMES);
        for top in tops {
            self.settings_below(top, &reach, &mut left, &mut found)?;
        }
        Ok(found)
    }

    /// What this command does not go into.
    fn reach<'f>(
        &self, command: usize, files: &'f SettingsFiles, here: BTreeSet<String>,
    ) -> SettingsReach<'f> {
        let words = self.words(ByArgument { command, arg: 0 });
        let program = words.first().and_then(Word::literal).map(base_name).unwrap_or_default();
        let letters: &[char] = if program == "ag" { &['u', 'U', 'a', 't'] } else { &['u', 'I'] };
        let speaks = |word: &Word| match word.literal() {
            None => true,
            Some(text) if text.starts_with("--") => {
                ["ignore", "vcs", "--un", "--sk"].iter().any(|it| text.contains(it))
            }
            Some(text) => text.starts_with('-') && text.contains(letters),
        };
        let ignores = !words.iter().any(speaks);
        SettingsReach { files, passed: PassedOver::by(program), here, ignores }
    }

    /// Those in one folder.
    fn settings_in(
        &self, folder: &str, names: &[&'static str], files: &SettingsFiles,
        found: &mut FoundSettings,
    ) -> Result<(), PathError> {
        let mut is_users = None;
        for name in names {
            let path = format!("{folder}/{name}");
            let is_link = match name.rsplit_once('/') {
                None => self.files.read_link(&path)?.is_some(),
                // Each folder on the way may be one.
                Some(_) => {
                    let first = name.split('/').next().unwrap_or_default();
                    self.files.has(&format!("{folder}/{first}"))?
                        && self.files.has(&path)?
                        && self.files.real(&path)? != format!("{}/{name}", self.files.real(folder)?)
                }
            };
            let goes_on = files.extending.contains(name) && self.files.has(&path)?;
            if !is_link && !goes_on {
                continue;
            }
            // What the user set up is no clone's.
            let is_users = match is_users {
                Some(known) => known,
                None => *is_users.insert(self.is_of_user(folder)?),
            };
            if is_users {
                break;
            }
            if is_link {
                found.links.insert(path.clone());
            }
            if goes_on {
                found.extending.insert(path);
            }
        }
        Ok(())
    }

    /// Those below a folder. Where tools put what they make again is looked at last.
    fn settings_below(
        &self, top: String, reach: &SettingsReach<'_>, left: &mut NameBudget,
        found: &mut FoundSettings,
    ) -> Result<(), PathError> {
        let (mut dirs, mut products) = (vec![top], Vec::new());
        while let Some(dir) = dirs.pop().or_else(|| products.pop()) {
            let names = match left.list(if dir.is_empty() { "/" } else { &dir }, self.files) {
                DirListing::Names(names) => names,
                // A file system that lists nothing has none that anybody could have made.
                DirListing::Unknown => continue,
                DirListing::TooMany => {
                    found.too_many |=
                        !reach.files.passes_many && !reach.passes(&dir, self.files)?;
                    continue;
                }
            };
            for DirEntry { name, is_link, is_dir } in names {
                let path = format!("{}/{name}", dir.trim_end_matches('/'));
                if is_dir && !is_link {
                    match name.as_str() {
                        // No clone brings what lies there.
                        ".git" => {}
                        "node_modules" if reach.passed.modules => {}
                        _ if is_product(&name) => products.push(path),
                        _ => dirs.push(path),
                    }
                    continue;
                }
                let is_one = |known: &&&str| known.eq_ignore_ascii_case(&name);
                if reach.files.extending.iter().any(|known| is_one(&known)) {
                    found.extending.insert(path.clone());
                }
                if is_link && reach.files.below.iter().any(|known| is_one(&known)) {
                    found.links.insert(path);
                }
            }
        }
        Ok(())
    }
}
