//! Where settings of TypeScript let the compiler write: it makes and replaces what they name, wherever that lies.

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
use crate::policy::tokens::base_name;
use crate::shell::{FileAccess, Word, command_of, only_reads};

/// The most files of settings that name each other.
const MOST_FILES: usize = 64;

/// The settings that name a file or a folder that is written, in lower case.
const WRITTEN: &[&str] = &[
    "declarationdir",
    "generatecpuprofile",
    "generatetrace",
    "out",
    "outdir",
    "outfile",
    "tsbuildinfofile",
];

/// The compiler, whose options have the names of settings: what its table does not have as harmless may write.
const PROGRAM: &str = "tsc";

/// Settings that are no options.
const READ: &[&str] = &["paths", "plugins"];

/// What is written beside `--noEmit`, too: a file, or all below a folder.
const WRITTEN_ALWAYS: &[(&str, UseExtent)] = &[
    ("generatecpuprofile", UseExtent::Itself),
    ("generatetrace", UseExtent::Tree),
    ("tsbuildinfofile", UseExtent::Itself),
];

/// The settings and options with which it keeps for the next time what it found.
const KEEPS: &[&str] = &["b", "build", "composite", "i", "incremental", "tsbuildinfofile"];

/// Settings that say where it keeps that, where none names the file.
const PLACES: &[&str] = &["outdir", "rootdir", "out", "outfile"];

/// What it takes off the name of an output before it puts its own ending there.
const OUTPUTS: &[&str] = &[
    ".d.ts", ".d.mts", ".d.cts", ".mjs", ".mts", ".cjs", ".cts", ".ts", ".js", ".tsx", ".jsx",
    ".json",
];

/// The options that name a project, and those that build all that are named.
const PROJECT: &[&str] = &["p", "project"];
const BUILD: &[&str] = &["b", "build"];

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
        for (path, extent) in written {
            self.also_writes(by.command, path, extent, place);
        }
        Ok(true)
    }

    /// What the compiler writes beside `--noEmit`. `None`: it may be anything.
    fn kept_by_compiler(
        &self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<Option<Vec<(String, UseExtent)>>, PathError> {
        let start = place.start;
        let words: Option<Vec<&str>> = self.words(by).iter().skip(1).map(Word::literal).collect();
        let (dirs, adrift) = places(start, self.files)?;
        let Some(words) = words.filter(|words| !adrift && emits_nothing(words)) else {
            return Ok(None);
        };
        let mut settings = KnownSettings::new(self.roots()?, self.files);
        let builds =
            words.iter().filter_map(|it| option_name(it)).any(|it| BUILD.contains(&it.as_str()));
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
                    let value = words.get(at + 1).filter(|_| PLACES.contains(&option.as_str()));
                    if let Some(value) = value {
                        settings.named.push((option, from.cwd.clone(), (*value).to_owned()));
                    }
                    continue;
                }
                let named = locate(word, &from, self.files)?.lexical;
                let is_whole = named.ends_with(".json");
                // With `-b` all operands are projects.
                let option = at.checked_sub(1).and_then(|at| option_name(words.get(at)?));
                let is_project = builds || option.is_some_and(|it| PROJECT.contains(&it.as_str()));
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
        const FORMATTERS: &[&str] = &["biome", "eslint", "oxlint", "prettier"];
        let ActionKind::Path { by: Some(writer), .. } = kind else { return false };
        let command = command_of(self.words(*writer), usize::MAX);
        let name = command.first().and_then(Word::literal).map(base_name);
        name.is_some_and(|name| FORMATTERS.contains(&name))
    }

    /// Whether there is anything but a folder.
    fn is_file(&self, path: &str) -> Result<bool, PathError> {
        let is_folder = self.files.has(&format!("{path}/."))?;
        Ok(!is_folder && self.files.has(path)?)
    }
}

/// The name of an option, in lower case.
fn option_name(word: &str) -> Option<String> {
    word.starts_with('-').then(|| word.trim_start_matches('-').to_ascii_lowercase())
}

/// Whether the words say that nothing is made of the sources. A word behind it may take that back.
fn emits_nothing(words: &[&str]) -> bool {
    let is_told = |word: &str| {
        option_name(word).is_some_and(|name| ["listfilesonly", "noemit"].contains(&name.as_str()))
    };
    let is_back = |next: &str| ["false", "null"].iter().any(|it| next.eq_ignore_ascii_case(it));
    let is_taken_back =
        |pair: &[&str]| matches!(pair, [told, next] if is_told(told) && is_back(next));
    words.iter().any(|word| is_told(word)) && !words.windows(2).any(is_taken_back)
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
}

impl<'a> KnownSettings<'a> {
    fn new(roots: Vec<String>, files: &'a dyn FileLookup) -> Self {
        let (left, projects, named) = (Vec::new(), Vec::new(), Vec::new());
        let names = BTreeSet::from(["package.json".to_owned()]);
        Self { roots, files, left, seen: 0, names, projects, named, keeps: false }
    }

    /// What is written beside `--noEmit`, as these settings say together: any may go on in any other. `None`: some of it may lie
    /// outside of the project.
    fn written(&self) -> Result<Option<Vec<(String, UseExtent)>>, PathError> {
        let mut written = Vec::new();
        for project in &self.projects {
            let folder = project.rsplit_once('/').map_or("/", |(folder, _)| folder);
            let all = |what: &str| -> Result<Vec<String>, PathError> {
                let meant = self.named.iter().filter(|(name, ..)| name == what);
                meant.map(|(_, from, path)| self.named_path(folder, from, path)).collect()
            };
            for (what, extent) in WRITTEN_ALWAYS {
                written.extend(all(what)?.into_iter().map(|path| (path, *extent)));
            }
            if !self.keeps {
                continue;
            }
            let whole = project.strip_suffix(".json").unwrap_or(project);
            let name = whole.rsplit('/').next().unwrap_or_default();
            let mut kept = vec![whole.to_owned()];
            let roots = all("rootdir")?;
            for out in all("outdir")? {
                kept.push(format!("{out}/{name}"));
                for root in &roots {
                    kept.push(moved(&out, root, whole));
                }
            }
            for out in all("out")?.into_iter().chain(all("outfile")?) {
                let bare = OUTPUTS.iter().find_map(|end| out.strip_suffix(end));
                kept.push(bare.unwrap_or(&out).to_owned());
            }
            written.extend(
                kept.into_iter().map(|path| (format!("{path}.tsbuildinfo"), UseExtent::Itself)),
            );
            if written.len() > MOST_FILES {
                return Ok(None);
            }
        }
        written.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        written.dedup_by(|(one, _), (other, _)| one == other);
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        for (path, _) in &written {
            if !locate(path, &from, self.files)?.places().all(|place| self.is_within(place)) {
                return Ok(None);
            }
        }
        Ok(Some(written))
    }

    /// A path as settings name it, seen from the project that they count for.
    fn named_path(&self, project: &str, seen_from: &str, path: &str) -> Result<String, PathError> {
        let (folder, path) = match path.strip_prefix(BEGUN_WITH) {
            Some(below) => (project, format!("./{below}")),
            None => (seen_from, path.to_owned()),
        };
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        Ok(locate(if path.is_empty() { "." } else { &path }, &from, self.files)?.lexical)
    }

    /// Whether a symlink leads to this file. Some versions see its paths from the symlink, and some from the file.
    fn is_linked(&self, file: &str) -> Result<bool, PathError> {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        Ok(locate(file, &from, self.files)?.real != file)
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
        self.names.extend(file.rsplit('/').next().map(str::to_owned));
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
            return Ok(!entries.iter().any(names_places));
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
                        self.takes(folder, name, &option.node);
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

    /// Keeps what an option says of where it writes.
    fn takes(&mut self, folder: &str, name: String, node: &DocumentNode) {
        let is_off = matches!(node.value, DocumentValue::Null | DocumentValue::Flag(false));
        self.keeps |= KEEPS.contains(&name.as_str()) && !is_off;
        let is_place = PLACES.contains(&name.as_str())
            || WRITTEN_ALWAYS.iter().any(|(written, _)| *written == name);
        if let DocumentValue::Text(path) = &node.value
            && is_place
        {
            self.named.push((name, folder.to_owned(), path.replace('\\', "/")));
        }
    }

    /// Whether all of this path lies in the project, wherever symlinks lead. Of a pattern its beginning counts.
    fn lies_within(&self, folder: &str, node: &DocumentNode) -> Result<bool, PathError> {
        let path = match &node.value {
            DocumentValue::Text(path) => path.replace('\\', "/"),
            value => return Ok(matches!(value, DocumentValue::Null)),
        };
        if let Some(below) = path.strip_prefix(BEGUN_WITH) {
            return Ok(!below.split('/').any(|name| name == ".."));
        }
        if path.contains("${") {
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
        if path.contains('\\') {
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
        if ["./", "../", "/"].iter().any(|begins| name.starts_with(begins)) {
            let file = locate(name, &from, self.files)?.lexical;
            return if name.contains('\\') { Ok(false) } else { self.goes_on_at(file) };
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
        self.names.extend(file.rsplit('/').next().map(str::to_owned));
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
            READ.contains(&name.as_str()) || !only_reads(PROGRAM, &name)
        }),
        ("compileroptions", _) => true,
        (name, _) => NAMING.contains(&name),
    }
}

/// Where a file lies that lay so below `from`, or above it, seen from `to` then.
fn moved(to: &str, from: &str, file: &str) -> String {
    let names = |path: &str| -> Vec<String> {
        path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let (from, file) = (names(from), names(file));
    let same = from.iter().zip(&file).take_while(|(one, other)| one == other).count();
    let mut path = names(to);
    path.truncate(path.len().saturating_sub(from.len() - same));
    path.extend(file.into_iter().skip(same));
    format!("/{}", path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_above_the_sources_lies_above_the_output() {
        for (to, from, file, expected) in [
            ("/p/out", "/p/src", "/p/tsconfig", "/p/tsconfig"),
            ("/p/out", "/p", "/p/tsconfig", "/p/out/tsconfig"),
            ("/p/out", "/p/src/a/b/c", "/p/tsconfig", "/tsconfig"),
            ("/x/p/out", "/x/p/src/a", "/x/p/tsconfig", "/x/tsconfig"),
            ("/p/out", "/p/src", "/p/src/tsconfig", "/p/out/tsconfig"),
        ] {
            assert_eq!(moved(to, from, file), expected, "{to} {from} {file}");
        }
    }
}
