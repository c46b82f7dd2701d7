//! Where settings of TypeScript let the compiler write: it makes and replaces what they name, wherever that lies.

use super::ActionReader;
use super::repository::upwards;
use crate::path::{FileLookup, PathContext, PathError, is_below, locate};
use crate::policy::action::{ActionKind, ByArgument, PathStart};
use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, tree};
use crate::policy::judge::places;
use crate::shell::{FileAccess, Word};

/// The longest file of settings that is read, in bytes, and the most that name each other.
const MOST_TEXT: usize = 1 << 18;
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

/// The name of the file of settings.
const SETTINGS: &str = "tsconfig.json";

/// What stands for the folder of the settings that are begun with.
const BEGUN_WITH: &str = "${configDir}";

impl ActionReader<'_> {
    /// Whether the compiler is told to write nothing of its sources, which lie where they are imported from, and by no settings to write
    /// what it keeps for the next time outside of the project.
    pub(super) fn writes_within(
        &self, by: ByArgument, start: &PathStart,
    ) -> Result<bool, PathError> {
        let words: Option<Vec<&str>> = self.words(by).iter().skip(1).map(Word::literal).collect();
        let (dirs, adrift) = places(start, self.files)?;
        let Some(words) = words.filter(|words| !adrift && emits_nothing(words)) else {
            return Ok(false);
        };
        // The settings that it reads are not there yet.
        if self.actions.iter().any(|action| brings_settings(&action.kind, by)) {
            return Ok(false);
        }
        let mut settings =
            KnownSettings { roots: self.roots()?, files: self.files, left: Vec::new(), seen: 0 };
        for dir in dirs {
            let from = start.at(&dir);
            for folder in upwards(&dir).map_while(|folder| folder) {
                if settings.begins(format!("{folder}/{SETTINGS}"))? {
                    break;
                }
            }
            for word in words.iter().filter(|word| !word.starts_with('-')) {
                let named = locate(word, &from, self.files)?.real;
                if named.ends_with(".json") {
                    settings.begins(named)?;
                } else {
                    settings.begins(format!("{named}/{SETTINGS}"))?;
                }
            }
        }
        while let Some((file, whole)) = settings.left.pop() {
            settings.seen += 1;
            if settings.seen > MOST_FILES || !settings.stay_within(&file, whole)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether the words say that nothing is made of the sources. A word behind it may take that back.
fn emits_nothing(words: &[&str]) -> bool {
    let is_told = |word: &&str| word.trim_start_matches('-').eq_ignore_ascii_case("noEmit");
    let at = words.iter().position(|word| word.starts_with('-') && is_told(word));
    let next = at.and_then(|at| words.get(at + 1));
    let is_back = |next: &str| ["false", "null"].iter().any(|it| next.eq_ignore_ascii_case(it));
    at.is_some() && !next.is_some_and(|next| is_back(next))
}

/// Whether the line itself may write settings before the compiler, which is the command of `by`, reads them.
fn brings_settings(kind: &ActionKind, by: ByArgument) -> bool {
    let ActionKind::Path { access: FileAccess::Write, target, extent, by: writer } = kind else {
        return false;
    };
    let is_other = writer.is_none_or(|writer| writer.command != by.command);
    let named = |path: &str| path.to_ascii_lowercase().ends_with(".json");
    is_other && (extent.is_recursive() || target.literal().is_none_or(named))
}

/// Files of settings that are gone through.
struct KnownSettings<'a> {
    /// What is written has to lie in one of these.
    roots: Vec<String>,
    files: &'a dyn FileLookup,
    /// Those that are left, and whether each is of a project: else it is one that another goes on in.
    left: Vec<(String, bool)>,
    seen: usize,
}

impl KnownSettings<'_> {
    /// Takes this file up, where it is there.
    fn begins(&mut self, file: String) -> Result<bool, PathError> {
        let found = self.files.has(&file)?;
        if found {
            self.left.push((file, true));
        }
        Ok(found)
    }

    /// Whether what this file says is written lies in the project. Those that it names are taken up.
    fn stay_within(&mut self, file: &str, of_project: bool) -> Result<bool, PathError> {
        let folder = file.rsplit_once('/').map_or("/", |(folder, _)| folder);
        // Without a setting it writes beside the sources, and one file beside the settings.
        if of_project && !self.is_within(folder) {
            return Ok(false);
        }
        let text = self.files.text(file, MOST_TEXT);
        let Some(Ok(settings)) = text.map(|text| tree(&text, DocumentFormat::Json)) else {
            return Ok(false);
        };
        let DocumentValue::Table(entries) = &settings.value else { return Ok(false) };
        for entry in entries {
            let fine = match (entry.key.to_ascii_lowercase().as_str(), &entry.node.value) {
                ("compileroptions", DocumentValue::Table(options)) => {
                    let mut fine = true;
                    for option in options {
                        let is_written =
                            WRITTEN.contains(&option.key.to_ascii_lowercase().as_str());
                        fine &= !is_written || self.lies_within(folder, &option.node)?;
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
        let path = entries.iter().find(|entry| entry.key == "path").map(|entry| &entry.node.value);
        let Some(DocumentValue::Text(path)) = path else { return Ok(false) };
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        let named = locate(path, &from, self.files)?.real;
        if named.ends_with(".json") {
            return self.begins(named);
        }
        self.begins(format!("{named}/{SETTINGS}"))
    }

    /// Takes up the settings that others go on in; the answer is whether they are known.
    fn goes_on(&mut self, folder: &str, node: &DocumentNode) -> Result<bool, PathError> {
        let DocumentValue::Text(name) = &node.value else { return Ok(false) };
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        let mut named = Vec::new();
        if name.starts_with(['.', '/']) {
            let path = locate(name, &from, self.files)?.real;
            named.extend([path.clone(), format!("{path}.json")]);
        } else {
            let depth = if name.starts_with('@') { 2 } else { 1 };
            let package = name.split('/').take(depth).collect::<Vec<_>>().join("/");
            for folder in upwards(folder).map_while(|folder| folder) {
                let modules = format!("{folder}/node_modules");
                let about =
                    self.files.text(&format!("{modules}/{package}/package.json"), MOST_TEXT);
                // It may give its files other names.
                if about.is_some_and(|text| {
                    text.contains(['\\'])
                        || text.contains("\"exports\"")
                        || text.contains("\"tsconfig\"")
                }) {
                    return Ok(false);
                }
                let path = format!("{modules}/{name}");
                named.extend([path.clone(), format!("{path}.json"), format!("{path}/{SETTINGS}")]);
            }
        }
        for file in named {
            // It takes what has the very name first, and that is not read here.
            if !file.ends_with(".json") && self.files.text(&file, MOST_TEXT).is_some() {
                return Ok(false);
            }
            if file.ends_with(".json") && self.files.has(&file)? {
                self.left.push((file, false));
                return Ok(true);
            }
        }
        Ok(false)
    }
}
