//! Settings that name what a checker reads or writes, where its words alone should: in the folders that it looks at, and above.

mod beside;
mod files;
mod inside;
mod javascript;
mod kinds;
mod phpunit;
mod python;
mod rubocop;
mod runners;
mod setting_use;
#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeSet;

use super::ActionReader;
use super::chosen::may_be_written;
use super::ignored::is_ignored_below;
use super::loaded::CommandPlace;
use super::looked_at::{MOST_NAMES, MOST_TEXT, folders_with};
use super::repository::upwards;
use crate::path::{
    DirListing, FileLookup, NameBudget, PathContext, PathError, is_below, locate, plain_text,
};
use crate::policy::action::{ByArgument, UseExtent, literal};
use crate::policy::judge::places;
use crate::shell::{
    DoubtReason, FileAccess, LinksRead, PathUse, Word, WordPiece, base_name, command_of,
    links_read, used_by,
};
use files::KnownChecker;
use setting_use::{SettingUse, is_plain_path};

/// Folders without settings of a checker.
const PASSED: &[&str] = &["node_modules", ".git"];

/// Folders with many files that `.gitignore` mostly has.
const PRODUCTS: &[&str] = &["target", ".venv", "venv", "dist", ".next"];

/// The most files of settings that name each other.
const MOST_EXTENDED: usize = 64;

/// The folder that each repository has.
const GIT: &str = ".git";

/// The endings of settings that are code.
const CODE: &[&str] = &[".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"];

/// A file of settings that counts, and its name, which says how it is read.
type SettingsFile = (String, String);

impl ActionReader<'_> {
    /// Whether the settings of this checker say nothing but what is known to be harmless. What they have it use besides is a use of the
    /// command.
    pub(super) fn names_no_others(
        &mut self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let command = command_of(self.words(by), usize::MAX).into_owned();
        let program = command.first().and_then(Word::literal).map(base_name).unwrap_or_default();
        let Some(checker) = files::of_program(program) else { return Ok(true) };
        if self.writes_one_of(checker.names) {
            return Ok(false);
        }
        let Some(files) = self.settings_files((program, checker), by, place)? else {
            return Ok(false);
        };
        let (mut fine, goes_into_git) = self.uses_of(checker, files, by, place)?;
        fine &= match program {
            "isort" => self.sorts_beside(by, goes_into_git, place)?,
            "prettier" => self.keeps_cache(by, place)?,
            _ => true,
        };
        // ESLint looks at what such a pattern takes in again.
        let patterns = named_by_options(self.words(by), checker.taking_in, checker.exact);
        let takes_in = patterns.iter().any(|it| it.is_none_or(|pattern| pattern.starts_with('!')));
        Ok(fine && (!takes_in || !self.shows_or_changes(by)))
    }

    /// Whether the line itself may write a file of one of these names.
    fn writes_one_of(&self, names: &[&str]) -> bool {
        self.actions.iter().any(|action| may_be_written(&action.kind, names))
    }

    /// Follows what is in these files; the answer is whether all of it is harmless, and whether it lets the checker go into `.git`.
    fn uses_of(
        &mut self, checker: &KnownChecker, mut left: Vec<SettingsFile>, by: ByArgument,
        place: CommandPlace<'_>,
    ) -> Result<(bool, bool), PathError> {
        let (dirs, _) = places(place.start, self.files)?;
        // Options that take the place of what a checker leaves out by itself.
        let left_out = named_by_options(self.words(by), checker.leaving_out, checker.exact);
        let mut goes_into_git = !left_out.is_empty() && !left_out.contains(&Some(GIT));
        let mut named = BTreeSet::new();
        let mut finding: BTreeSet<String> = BTreeSet::new();
        let mut fine = true;
        let mut names = NameBudget::new(MOST_NAMES);
        while let Some((name, file)) = left.pop() {
            let text = plain_text(self.files, &file, MOST_TEXT);
            let Some(uses) = text.and_then(|text| (checker.read)(&name, &text)) else {
                fine = false;
                continue;
            };
            let folder = file.rsplit_once('/').map_or("/", |(folder, _)| folder);
            for used in uses {
                match used {
                    SettingUse::Path(access, path) => {
                        // Some take it from the folder of the file.
                        let is_own = access == FileAccess::Read || checker.of_user.is_empty();
                        let own = is_own.then_some(folder);
                        for dir in dirs.iter().map(String::as_str).chain(own) {
                            let from =
                                PathContext { cwd: dir.to_owned(), ..PathContext::default() };
                            let path = locate(&path, &from, self.files)?.lexical;
                            self.also_uses(by.command, access, path, UseExtent::Tree, place);
                        }
                    }
                    SettingUse::GoesOn(path) => {
                        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
                        let other = locate(&path, &from, self.files)?.lexical;
                        let extent = UseExtent::Itself;
                        self.also_uses(by.command, FileAccess::Read, other.clone(), extent, place);
                        // A symlink may lie elsewhere than what it leads to.
                        let is_link = self.files.read_link(&file)?.is_some();
                        fine &= !is_link && self.stays_inside(&other)?;
                        fine &= !self.writes_one_of(&[base_name(&other)]);
                        let is_code = CODE.iter().chain(&[".css"]).any(|it| other.ends_with(it));
                        if !is_code && self.files.has(&other)? && named.insert(other.clone()) {
                            left.push((base_name(&other).to_owned(), other));
                        }
                        fine &= named.len() <= MOST_EXTENDED;
                    }
                    SettingUse::Module(name) => {
                        for dir in &dirs {
                            fine &= self.has_own_module(dir, &name)?;
                        }
                    }
                    SettingUse::Packages => {
                        finding.extend(dirs.iter().cloned().chain([folder.to_owned()]));
                    }
                    SettingUse::Own(path) => {
                        for dir in dirs.iter().map(String::as_str).chain([folder]) {
                            let from =
                                PathContext { cwd: dir.to_owned(), ..PathContext::default() };
                            fine &=
                                self.stays_inside(&locate(&path, &from, self.files)?.lexical)?;
                        }
                    }
                    SettingUse::Folder(path) => {
                        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
                        let top = locate(&path, &from, self.files)?.real;
                        let goes_in = |name: &str| !PASSED.contains(&name);
                        let found = folders_with(
                            checker.names,
                            &top,
                            goes_in,
                            true,
                            &mut names,
                            self.files,
                        );
                        fine &= found.is_some();
                        for folder in found.into_iter().flatten() {
                            for name in checker.names {
                                let file = format!("{folder}/{name}");
                                if self.files.has(&file)? && named.insert(file.clone()) {
                                    left.push(((*name).to_owned(), file));
                                }
                            }
                        }
                        fine &= named.len() <= MOST_EXTENDED;
                    }
                    SettingUse::Words(words) => {
                        // Not that other settings count.
                        let said: Vec<Word> = [""]
                            .into_iter()
                            .chain(words.iter().map(String::as_str))
                            .map(literal)
                            .collect();
                        fine &= named_by_options(&said, checker.options, checker.exact).is_empty();
                        fine &= self.says_no_others(&words, folder, by, place)?;
                    }
                    SettingUse::Git => goes_into_git = true,
                    SettingUse::TakesIn => fine &= !self.shows_or_changes(by),
                }
            }
            if !fine && named.len() > MOST_EXTENDED {
                break;
            }
        }
        for folder in finding {
            fine &= fine && self.has_own_packages(&folder)?;
        }
        Ok((fine, goes_into_git))
    }

    /// Reads words that settings put before those of the command, seen from where it runs and from this folder. What they have it
    /// use is a use of the command; the answer is whether all of it is known.
    fn says_no_others(
        &mut self, words: &[String], folder: &str, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let command = command_of(self.words(by), usize::MAX).into_owned();
        let Some((program, rest)) = command.split_first() else { return Ok(false) };
        let said = words.iter().map(|word| literal(word.as_str()));
        let argv: Vec<Word> =
            std::iter::once(program.clone()).chain(said).chain(rest.iter().cloned()).collect();
        let (all, own) = (used_by(&argv), used_by(&command));
        // The last of them may take the first word of the command.
        let is_said = |arg: usize| arg <= words.len();
        let is_own = |arg: usize| arg == words.len() + 1;
        let first = |arg: usize| arg.saturating_sub(words.len());
        for (arg, why) in all.unknown {
            let known = is_own(arg) && own.unknown.contains(&(first(arg), why));
            if (is_said(arg) || is_own(arg)) && !known && why != DoubtReason::SettingsOfChecker {
                return Ok(false);
            }
        }
        let mut loads = Vec::new();
        for (arg, target) in all.loads {
            let known = is_own(arg) && own.loads.contains(&(first(arg), target.clone()));
            if (is_said(arg) || is_own(arg)) && !known {
                loads.push(target);
            }
        }
        for target in loads {
            if !self.is_own(&target, place.start)? {
                return Ok(false);
            }
        }
        let (dirs, adrift) = places(place.start, self.files)?;
        for used in all.paths {
            let as_own = PathUse { arg: first(used.arg), ..used.clone() };
            let known = is_own(used.arg) && own.paths.contains(&as_own);
            if used.arg == 0 || known || !(is_said(used.arg) || is_own(used.arg)) {
                continue;
            }
            let Some(path) = used.target.literal().filter(|_| !adrift) else { return Ok(false) };
            let extent = if used.recursive { UseExtent::Tree } else { UseExtent::Itself };
            for dir in dirs.iter().map(String::as_str).chain([folder]) {
                let from = PathContext { cwd: dir.to_owned(), ..PathContext::default() };
                let path = locate(path, &from, self.files)?.lexical;
                self.also_uses(by.command, used.access, path, extent, place);
            }
        }
        Ok(all.urls.is_empty() && all.launches.is_none())
    }

    /// Whether the words have it change files, or perhaps show what is in them.
    fn shows_or_changes(&self, by: ByArgument) -> bool {
        let is_one = |text: &str| ["--fix", "-f", "--format"].iter().any(|it| text.starts_with(it));
        self.words(by).iter().any(|word| word.literal().is_none_or(is_one))
    }

    /// Whether a module of Python of this name that is found in this folder lies in the project.
    fn has_own_module(&self, dir: &str, name: &str) -> Result<bool, PathError> {
        let mut path = dir.to_owned();
        for part in name.split('.') {
            path = format!("{path}/{part}");
            for file in [path.clone(), format!("{path}.py"), format!("{path}/__init__.py")] {
                if self.files.has(&file)? && !self.stays_inside(&file)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether the packages that are found from this folder on lie in the project: no symlink in the place of one leads out of it.
    fn has_own_packages(&self, folder: &str) -> Result<bool, PathError> {
        let roots = self.roots()?;
        for folder in upwards(folder).map_while(|folder| folder) {
            // Those above the project are not its own, and nothing looks at what they are.
            if !roots.iter().any(|root| is_below(folder, root)) {
                if self.files.has(&format!("{folder}/node_modules"))? {
                    return Ok(false);
                }
                continue;
            }
            let mut folders = vec![format!("{folder}/node_modules")];
            while let Some(folder) = folders.pop() {
                if !self.files.has(&folder)? {
                    continue;
                }
                let DirListing::Names(names) = self.files.list(&folder, MOST_NAMES) else {
                    return Ok(false);
                };
                if !self.stays_inside(&folder)? {
                    return Ok(false);
                }
                for entry in names {
                    let path = format!("{folder}/{}", entry.name);
                    if entry.is_link && !self.stays_inside(&path)? {
                        return Ok(false);
                    }
                    if entry.name.starts_with('@') {
                        folders.push(path);
                    }
                }
            }
        }
        Ok(true)
    }

    /// The files of settings that count for what this command looks at, each with the name that says how it is read.
    fn settings_files(
        &self, (program, checker): (&str, &KnownChecker), by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<Option<Vec<SettingsFile>>, PathError> {
        let looked_at = self.looked_at(by, place)?;
        let mut found = Vec::new();
        let add = |folder: &str, files: &dyn FileLookup, found: &mut Vec<SettingsFile>| {
            for name in checker.names {
                let file = format!("{folder}/{name}");
                if files.has(&file)? && !found.iter().any(|(_, it)| *it == file) {
                    found.push(((*name).to_owned(), file));
                }
            }
            Ok::<(), PathError>(())
        };
        for path in &looked_at.above {
            for folder in upwards(path).map_while(|folder| folder) {
                add(folder, self.files, &mut found)?;
            }
        }
        let home = self.context.home.as_deref().unwrap_or_default();
        for name in checker.of_user.iter().filter(|_| !home.is_empty()) {
            let file = format!("{home}/{name}");
            if self.files.has(&file)? {
                found.push(((*name).to_owned(), file));
            }
        }
        for value in named_by_options(self.words(by), checker.options, checker.exact) {
            // One of another name may be read in another way, and in a name some put another text for what a `$` begins.
            let Some(value) = value.filter(|it| is_plain_path(it)) else { return Ok(None) };
            let name = base_name(value);
            let has = |ends: &[&str]| checker.by_ending && ends.iter().any(|it| name.ends_with(it));
            if has(CODE) {
                continue;
            }
            let is_fine =
                checker.names.contains(&name) || has(&[".json"]) && !self.writes_one_of(&[name]);
            if !is_fine {
                return Ok(None);
            }
            for dir in places(place.start, self.files)?.0 {
                let file = locate(value, &place.start.at(&dir), self.files)?.real;
                found.push((name.to_owned(), file));
            }
        }
        let mut left = NameBudget::new(MOST_NAMES);
        let mut ignored = Vec::new();
        // With another file of patterns that one counts no more.
        let is_other =
            |word: &Word| word.literal().is_none_or(|it| it.starts_with("--ignore-path"));
        if checker.reads_ignores && !self.words(by).iter().any(is_other) {
            for name in PRODUCTS {
                let dirs = places(place.start, self.files)?.0;
                if dirs.iter().all(|dir| is_ignored_below(dir, name, self.files)) {
                    ignored.push(*name);
                }
            }
        }
        let goes_in = |name: &str| !PASSED.contains(&name) && !ignored.contains(&name);
        let follows = links_read(program) == LinksRead::All;
        for top in looked_at.tops.iter().filter(|_| checker.below) {
            let folders = folders_with(checker.names, top, goes_in, follows, &mut left, self.files);
            let Some(folders) = folders else { return Ok(None) };
            for folder in folders {
                add(&folder, self.files, &mut found)?;
            }
        }
        Ok(Some(found))
    }
}

/// What the options that name settings are given, also where a program takes their beginnings for them, or letters together. `None`: it is
/// not known.
fn named_by_options<'w>(words: &'w [Word], options: &[&str], exact: bool) -> Vec<Option<&'w str>> {
    let mut named = Vec::new();
    for (at, word) in words.iter().enumerate().skip(1) {
        let next = || words.get(at + 1).and_then(Word::literal);
        let Some(text) = word.literal() else {
            // Of such an option the beginning alone is known.
            if matches!(word.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with('-')) {
                named.push(None);
            }
            continue;
        };
        let (option, value) = match text.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (text, next()),
        };
        let is_meant = |known: &&str| match (option.strip_prefix("--"), known.strip_prefix("--")) {
            (Some(begins), Some(known)) if !exact => {
                !begins.is_empty() && known.starts_with(begins)
            }
            _ => *known == option,
        };
        let letters = option.strip_prefix('-').filter(|it| !it.starts_with('-'));
        let is_letter = |known: &&str| {
            let letter = known.strip_prefix('-').filter(|it| it.len() == 1);
            letters.is_some_and(|letters| letter.is_some_and(|letter| letters.contains(letter)))
        };
        if options.iter().any(is_meant) {
            named.push(value);
        } else if options.iter().any(is_letter) {
            named.push(None);
        }
    }
    named
}
