//! Where settings of TypeScript let the compiler write: it makes and replaces what they name, wherever that lies.

mod kept;

use std::collections::BTreeSet;

use super::ActionReader;
use super::chosen::may_be_written;
use super::loaded::CommandPlace;
use super::looked_at::MOST_TEXT;
use super::repository::upwards;
use crate::path::{FileLookup, PathContext, PathError, is_below, locate, plain_text};
use crate::policy::action::{Action, ActionKind, ByArgument, UseExtent};
use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, TableEntry, tree};
use crate::policy::judge::places;
use crate::shell::{
    CompilerWords, FileAccess, Word, base_name, command_of, is_formatter, only_reads,
};

/// The most files of settings that name each other.
const MOST_FILES: usize = 64;

/// The settings that name a file or a folder that is written, in lower case.
const WRITTEN: &[&str] = &["declarationdir", "out", "outdir", "outfile", TS_BUILD_INFO];

/// The one that says where it keeps what it found.
const TS_BUILD_INFO: &str = "tsbuildinfofile";

/// The compiler, whose options have the names of settings: what its table does not have as harmless may write.
const PROGRAM: &str = "tsc";

/// Settings that are no options.
const READ: &[&str] = &["paths", "plugins"];

/// The settings and options with which it keeps for the next time what it found.
const KEEPS: &[&str] = &["b", "build", "composite", "i", "incremental", TS_BUILD_INFO];

/// Settings that say where it keeps that, where none names the file: of one file for all outputs that is not known.
const PLACES: &[&str] = &["outdir", "rootdir", "out", "outfile"];

/// The options that name a project.
const PROJECT: &[&str] = &["p", "project"];

/// The name of the file of settings.
const SETTINGS: &str = "tsconfig.json";

/// What stands for the folder of the settings that are begun with.
const BEGUN_WITH: &str = "${configDir}";

impl ActionReader<'_> {
    /// Whether the compiler is told to write nothing of its sources, which lie where they are imported from, and by no settings to write
    /// what it keeps for the next time outside of the project. What it keeps is a write of the command.
    pub(super) fn writes_within(
        &mut self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let Some(written) = self.kept_by_compiler(by, place)? else { return Ok(false) };
        for path in written {
            self.also_writes(by.command, path, UseExtent::Itself, place);
        }
        Ok(true)
    }

    /// What the compiler writes beside `--noEmit`. `None`: it may be anything.
    fn kept_by_compiler(
        &self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<Option<Vec<String>>, PathError> {
        let start = place.start;
        let words = self.words(by).get(1..).unwrap_or_default();
        let told = CompilerWords::of(words).filter(|told| told.emits_nothing);
        let words: Vec<&str> = words.iter().filter_map(Word::literal).collect();
        let (dirs, adrift) = places(start, self.files)?;
        // Some take the beginning of such a path for the root.
        let is_odd = |word: &&str| word.contains([':', '\\']);
        let Some(told) = told.filter(|_| !adrift && !words.iter().any(is_odd)) else {
            return Ok(None);
        };
        let mut settings = KnownSettings::new(self.roots()?, self.files);
        for dir in dirs {
            let from = start.at(&dir);
            for folder in upwards(&dir).map_while(|folder| folder) {
                if settings.begins(format!("{folder}/{SETTINGS}"))? {
                    break;
                }
            }
            for (at, word) in words.iter().enumerate() {
                if let Some(option) = option_name(word) {
                    settings.keeps |= KEEPS.contains(&option.as_str());
                    settings.is_placed |= PLACES.contains(&option.as_str());
                    continue;
                }
                let named = locate(word, &from, self.files)?.lexical;
                let is_whole = named.ends_with(".json");
                // With `-b` all operands are projects.
                let option = at.checked_sub(1).and_then(|at| option_name(words.get(at)?));
                let is_project =
                    told.builds || option.is_some_and(|it| PROJECT.contains(&it.as_str()));
                if is_project && !is_whole && self.is_file(&named)? {
                    return Ok(None);
                }
                settings.begins_at(named)?;
            }
        }
        while let Some((file, of_project)) = settings.left.pop() {
            settings.seen += 1;
            if settings.seen > MOST_FILES || !settings.stay_within(&file, of_project)? {
                return Ok(None);
            }
        }
        // The settings that it reads may not be there yet.
        let names: Vec<&str> = settings.names.iter().map(String::as_str).collect();
        let is_brought = |action: &Action| brings_settings(&action.kind, by, &names);
        let mut brought = self.actions.iter().filter(|action| is_brought(action));
        if !brought.all(|action| self.is_formatted(&action.kind)) {
            return Ok(None);
        }
        settings.written()
    }
}

impl ActionReader<'_> {
    /// Whether a formatter writes this, which leaves settings as they are.
    fn is_formatted(&self, kind: &ActionKind) -> bool {
        let ActionKind::Path { by: Some(writer), .. } = kind else { return false };
        let command = command_of(self.words(*writer), usize::MAX);
        let name = command.first().and_then(Word::literal).map(base_name);
        name.is_some_and(is_formatter)
    }

    /// Whether there is anything but a folder.
    pub(super) fn is_file(&self, path: &str) -> Result<bool, PathError> {
        let is_folder = self.files.has(&format!("{path}/."))?;
        Ok(!is_folder && self.files.has(path)?)
    }
}

/// The name of an option, in lower case.
fn option_name(word: &str) -> Option<String> {
    word.starts_with('-').then(|| word.trim_start_matches('-').to_ascii_lowercase())
}

/// Whether the line itself may write a file of one of these names before the compiler, which is the command of `by`, reads it.
fn brings_settings(kind: &ActionKind, by: ByArgument, names: &[&str]) -> bool {
    let ActionKind::Path { access: FileAccess::Write, extent, by: writer, .. } = kind else {
        return false;
    };
    let is_other = writer.is_none_or(|writer| writer.command != by.command);
    is_other && (extent.is_recursive() || may_be_written(kind, names))
}

/// Files of settings that are gone through.
struct KnownSettings<'a> {
    /// What is written has to lie in one of these.
    roots: Vec<String>,
    files: &'a dyn FileLookup,
    /// Those that are left, and whether each is of a project: else it is one that another goes on in.
    left: Vec<(String, bool)>,
    seen: usize,
    /// The names of all that it may read for settings.
    names: BTreeSet<String>,
    /// Those of projects.
    projects: Vec<String>,
    /// What settings and options name: what it is, the folder that it is seen from, and the path.
    named: Vec<(String, String, String)>,
    /// Whether it keeps for the next time what it found.
    keeps: bool,
    /// Whether options say where.
    is_placed: bool,
}

impl<'a> KnownSettings<'a> {
    fn new(roots: Vec<String>, files: &'a dyn FileLookup) -> Self {
        let (left, projects, named) = (Vec::new(), Vec::new(), Vec::new());
        let names = BTreeSet::from(["package.json".to_owned()]);
        Self { roots, files, left, seen: 0, names, projects, named, keeps: false, is_placed: false }
    }

    /// Whether a symlink leads to this file, from the project on. Some versions see its paths from the symlink, and some from the file.
    fn is_linked(&self, file: &str) -> Result<bool, PathError> {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        let real = locate(file, &from, self.files)?.real;
        let mut roots = self.roots.iter().filter(|root| is_below(file, root)).peekable();
        if roots.peek().is_none() {
            return Ok(real != file);
        }
        for root in roots {
            if real == file.replacen(root.as_str(), &self.files.real(root)?, 1) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Takes up what an option or a reference names: a file of settings, or the folder that has it.
    fn begins_at(&mut self, named: String) -> Result<bool, PathError> {
        match named.ends_with(".json") {
            true => self.begins(named),
            false => self.begins(format!("{named}/{SETTINGS}")),
        }
    }

    /// Takes this file up, where it is there.
    fn begins(&mut self, file: String) -> Result<bool, PathError> {
        self.takes_up(file, true)
    }

    fn takes_up(&mut self, file: String, of_project: bool) -> Result<bool, PathError> {
        self.names.insert(base_name(&file).to_owned());
        let found = self.files.has(&file)?;
        if found {
            self.left.push((file, of_project));
        }
        Ok(found)
    }

    /// Whether what this file says is written lies in the project. Those that it names are taken up.
    fn stay_within(&mut self, file: &str, of_project: bool) -> Result<bool, PathError> {
        let folder = file.rsplit_once('/').map_or("/", |(folder, _)| folder);
        if of_project {
            self.projects.push(file.to_owned());
        }
        // Without a setting it writes beside the sources, and one file beside the settings.
        if of_project && !self.is_within(folder) {
            return Ok(false);
        }
        let text = plain_text(self.files, file, MOST_TEXT);
        let Some(Ok(settings)) = text.map(|text| tree(&text, DocumentFormat::Json)) else {
            return Ok(false);
        };
        let DocumentValue::Table(entries) = &settings.value else { return Ok(false) };
        if self.is_linked(file)? {
            return Ok(!of_project && !entries.iter().any(names_places));
        }
        for entry in entries {
            let fine = match (entry.key.to_ascii_lowercase().as_str(), &entry.node.value) {
                ("compileroptions", DocumentValue::Table(options)) => {
                    let mut fine = true;
                    for option in options {
                        let name = option.key.to_ascii_lowercase();
                        let is_written = WRITTEN.contains(&name.as_str());
                        fine &= match is_written {
                            true => self.lies_within(folder, &option.node)?,
                            false => READ.contains(&name.as_str()) || only_reads(PROGRAM, &name),
                        };
                        fine &= self.takes(folder, name, &option.node);
                    }
                    fine
                }
                ("files" | "include", DocumentValue::List(sources)) => {
                    let mut fine = true;
                    for source in sources {
                        fine &= self.lies_within(folder, source)?;
                    }
                    fine
                }
                ("references", DocumentValue::List(projects)) => {
                    let mut fine = true;
                    for project in projects {
                        fine &= self.goes_to(folder, project)?;
                    }
                    fine
                }
                ("extends", DocumentValue::List(others)) => {
                    let mut fine = true;
                    for other in others {
                        fine &= self.goes_on(folder, other)?;
                    }
                    fine
                }
                ("extends", _) => self.goes_on(folder, &entry.node)?,
                ("compileroptions" | "files" | "include" | "references", value) => {
                    matches!(value, DocumentValue::Null)
                }
                _ => true,
            };
            if !fine {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Keeps what an option says of where it writes; the answer is whether that is a plain place.
    fn takes(&mut self, folder: &str, name: String, node: &DocumentNode) -> bool {
        let is_off = matches!(node.value, DocumentValue::Null | DocumentValue::Flag(false));
        self.keeps |= KEEPS.contains(&name.as_str()) && !is_off;
        if is_off || !PLACES.contains(&name.as_str()) && name != TS_BUILD_INFO {
            return true;
        }
        let DocumentValue::Text(path) = &node.value else { return false };
        self.named.push((name, folder.to_owned(), path.clone()));
        is_plain_place(path)
    }

    /// Whether all of this path lies in the project, wherever symlinks lead. Of a pattern its beginning counts.
    fn lies_within(&self, folder: &str, node: &DocumentNode) -> Result<bool, PathError> {
        let path = match &node.value {
            DocumentValue::Text(path) => path,
            value => return Ok(matches!(value, DocumentValue::Null)),
        };
        let is_odd = |path: &str| path.contains(['$', '\\', ':']);
        if let Some(below) = path.strip_prefix(BEGUN_WITH) {
            let climbs = below.split('/').any(|name| name == "..");
            return Ok(below.starts_with('/') && !climbs && !is_odd(below));
        }
        if is_odd(path) {
            return Ok(false);
        }
        let (known, pattern) = path.split_at(path.find(['*', '?']).unwrap_or(path.len()));
        let climbs = pattern.split('/').any(|name| name == "..");
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        let known = if known.is_empty() { "." } else { known };
        let located = locate(known, &from, self.files)?;
        Ok(!climbs && located.reals().all(|path| self.is_within(path)))
    }

    fn is_within(&self, path: &str) -> bool {
        self.roots.iter().any(|root| is_below(path, root))
    }

    /// Takes up the project that another one refers to; the answer is whether it is known.
    fn goes_to(&mut self, folder: &str, node: &DocumentNode) -> Result<bool, PathError> {
        let DocumentValue::Table(entries) = &node.value else { return Ok(false) };
        // Of two of one name the last one counts.
        let mut paths = entries.iter().filter(|entry| entry.key == "path");
        let path = paths.next_back().map(|entry| &entry.node.value);
        let Some(DocumentValue::Text(path)) = path else { return Ok(false) };
        if !is_plain_place(path) {
            return Ok(false);
        }
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        let named = locate(path, &from, self.files)?.lexical;
        self.begins_at(named)
    }

    /// Takes up the settings that others go on in; the answer is whether they are known.
    fn goes_on(&mut self, folder: &str, node: &DocumentNode) -> Result<bool, PathError> {
        let DocumentValue::Text(name) = &node.value else { return Ok(false) };
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        if name.starts_with("./") || name.starts_with("../") {
            let file = locate(name, &from, self.files)?.lexical;
            return if is_plain_place(name) { self.goes_on_at(file) } else { Ok(false) };
        }
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
        let bare = name.strip_prefix('@').unwrap_or(name);
        let climbs = name.split('/').any(|part| part.is_empty() || part.starts_with('.'));
        if climbs || !bare.bytes().all(is_plain) {
            return Ok(false);
        }
        for folder in upwards(folder).map_while(|folder| folder) {
            // A package may go on in its own files, by its own name, and give them others.
            if !self.keeps_names(&format!("{folder}/package.json"), Some(name))? {
                return Ok(false);
            }
            let modules = format!("{folder}/node_modules");
            if !self.files.has(&modules)? {
                continue;
            }
            let depth = if name.starts_with('@') { 2 } else { 1 };
            let below = if name.split('/').count() == depth { "/tsconfig.json" } else { "" };
            let file = locate(&format!("{modules}/{name}{below}"), &from, self.files)?.lexical;
            let within = upwards(&file).map_while(|folder| folder).skip(1);
            for about in within.take_while(|it| is_below(it, &modules) && *it != modules) {
                if !self.keeps_names(&format!("{about}/package.json"), None)? {
                    return Ok(false);
                }
            }
            if self.goes_on_at(file)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes up the file of this name, or the one with the ending that it may lack. What has the very name comes first.
    fn goes_on_at(&mut self, file: String) -> Result<bool, PathError> {
        let is_whole = file.ends_with(".json");
        if !is_whole && self.files.has(&file)? {
            return Ok(false);
        }
        let whole = if is_whole { file.clone() } else { format!("{file}.json") };
        self.names.insert(base_name(&file).to_owned());
        self.takes_up(whole, false)
    }

    /// Whether this file, if it is there, surely gives no file of its package another name. `for_name`: it matters only where the name
    /// that is looked for is one of this package.
    fn keeps_names(&self, about: &str, for_name: Option<&str>) -> Result<bool, PathError> {
        const NAMES: &[&str] =
            &["exports", "main", "tsconfig", "types", "typesVersions", "typings"];
        if !self.files.has(about)? {
            return Ok(true);
        }
        let text = plain_text(self.files, about, MOST_TEXT);
        let Some(Ok(package)) = text.map(|text| tree(&text, DocumentFormat::Json)) else {
            return Ok(false);
        };
        let DocumentValue::Table(entries) = &package.value else { return Ok(false) };
        let is_meant = |name: &str| {
            let own = entries.iter().filter(|entry| entry.key == "name");
            let mut own = own.map(|entry| &entry.node.value);
            own.any(|it| matches!(it, DocumentValue::Text(own) if name.starts_with(own.as_str())))
        };
        Ok(for_name.is_some_and(|name| !is_meant(name))
            || !entries.iter().any(|entry| NAMES.contains(&entry.key.as_str())))
    }
}

/// Whether an entry of settings names a file, a folder, or other settings.
fn names_places(entry: &TableEntry) -> bool {
    const NAMING: &[&str] = &["extends", "files", "include", "references"];
    match (entry.key.to_ascii_lowercase().as_str(), &entry.node.value) {
        ("compileroptions", DocumentValue::Table(options)) => options.iter().any(|option| {
            let name = option.key.to_ascii_lowercase();
            [READ, KEEPS, PLACES].iter().any(|list| list.contains(&name.as_str()))
                || !only_reads(PROGRAM, &name)
        }),
        ("compileroptions", _) => true,
        (name, _) => NAMING.contains(&name),
    }
}

/// Whether it is a path of the plainest form, seen from the file that names it, or from the folder of the settings that are begun with.
fn is_plain_place(path: &str) -> bool {
    let bare =
        path.strip_prefix(BEGUN_WITH).and_then(|below| below.strip_prefix('/')).unwrap_or(path);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./@-".contains(&byte);
    !bare.starts_with('/') && bare.bytes().all(is_plain)
}
