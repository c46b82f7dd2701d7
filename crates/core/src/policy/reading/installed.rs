//! Programs that a project has: those that are called by a path, those of its packages, and those of its virtual environment. A
//! symlink in the place of one may lead out of the project.

use std::sync::Arc;

use serde_json::Value;

use super::ActionReader;
use super::chosen::MOST_TEXT;
use super::looked_at::{MOST_NAMES, folders_with};
use crate::path::{DirListing, NameBudget, PathError, is_below, locate, plain_text};
use crate::policy::action::{ActionKind, ByArgument, PathStart};
use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, tree};
use crate::policy::judge::{NeedsFiles, looked_up, places};
use crate::policy::quoted::quoted;
use crate::shell::{Word, base_name};

/// The virtual environment of a project, and the managers that run programs of it.
const ENVIRONMENT: &str = ".venv";
const OF_ENVIRONMENTS: &[&str] = &["hatch", "pdm", "pipenv", POETRY, "rye", "uv"];

/// The one of them whose settings in the project say where the environment lies.
const POETRY: &str = "poetry";
const POETRY_SETTINGS: &str = "poetry.toml";

/// The programs that a `package.json` says the package has.
#[derive(Debug, Default, PartialEq, Eq)]
struct ProgramsOfPackage {
    /// These, each with its file.
    named: Vec<(String, String)>,
    /// All files below this folder, where npm takes none of those that are named. It counts in any case.
    below: Option<String>,
}

impl ProgramsOfPackage {
    /// As npm reads them; `None`: they are not understood.
    fn of(text: &str) -> Option<Self> {
        let package: Value = serde_json::from_str(text).ok()?;
        let last = |text: &str| {
            let text = text.replace(['\\', ':'], "/");
            base_name(text.trim_end_matches('/')).to_owned()
        };
        let named = match package.get("bin") {
            Some(Value::String(path)) => {
                let name = package.get("name").and_then(Value::as_str).unwrap_or_default();
                vec![(last(name), path.clone())]
            }
            Some(Value::Object(programs)) => {
                let texts = programs.iter().filter_map(|(name, it)| Some((name, it.as_str()?)));
                texts.map(|(name, path)| (last(name), path.to_owned())).collect()
            }
            Some(Value::Array(programs)) => {
                let texts = programs.iter().filter_map(Value::as_str);
                texts.map(|path| (last(path), path.to_owned())).collect()
            }
            _ => Vec::new(),
        };
        let below = package.get("directories").and_then(|it| it.get("bin"));
        Some(Self { named, below: below.and_then(Value::as_str).map(str::to_owned) })
    }
}

/// Whether settings of poetry say where environments, or what is kept for them, lie: anywhere but where the user keeps those.
fn names_place(settings: &DocumentNode) -> bool {
    const PLACES: &[&str] = &["path", "cache-dir", "data-dir", "installation-dir"];
    let DocumentValue::Table(entries) = &settings.value else { return false };
    entries.iter().any(|entry| match &entry.node.value {
        DocumentValue::Text(place) if PLACES.contains(&entry.key.as_str()) => {
            !place.starts_with("{cache-dir}/") || leads_up(place)
        }
        _ => PLACES.contains(&entry.key.as_str()) || names_place(&entry.node),
    })
}

/// Whether a file is called like an interpreter of Python: `python3.12`.
fn is_python(name: &str) -> bool {
    let version = ["python", "pypy"].iter().find_map(|it| name.strip_prefix(it));
    version
        .is_some_and(|it| it.trim_end_matches('t').bytes().all(|c| c == b'.' || c.is_ascii_digit()))
}

fn leads_up(path: &str) -> bool {
    path.contains("..") || path.contains(['\\', ':'])
}

impl ActionReader<'_> {
    /// Says so where a program is called by a path of the project, or lies in its virtual environment, and a symlink there leads out
    /// of it: an allow of `./gradlew` means the one of the project.
    pub(super) fn linked_programs(&mut self) -> Result<(), NeedsFiles> {
        for at in 0..self.actions.len() {
            let Some(action) = self.actions.get(at) else { break };
            let ActionKind::Command { argv, .. } = &action.kind else { continue };
            let Some(name) = argv.first().and_then(Word::literal) else { continue };
            let runs = argv.get(1).and_then(Word::literal) == Some("run");
            let (name, start) = (name.to_owned(), Arc::clone(&action.start));
            let names = match name.as_str() {
                // Any word may be the program: the options are those of many managers.
                name if runs && OF_ENVIRONMENTS.contains(&name) => {
                    let words = argv.iter().skip(2).filter_map(Word::literal);
                    let programs = words.filter(|word| !word.contains('/'));
                    let programs = programs.map(|word| format!("{ENVIRONMENT}/bin/{word}"));
                    let folders = looked_up(self.folders_of_modules(&start))?.unwrap_or_default();
                    folders.into_iter().chain(programs).collect()
                }
                name if !name.contains('/') || name.starts_with(['/', '~']) => continue,
                name => vec![name.to_owned()],
            };
            if name == POETRY && looked_up(self.places_environment(&start))?.unwrap_or(true) {
                self.unknown_code(format!(
                    "{POETRY_SETTINGS} says where the environment lies from which {POETRY} runs, or cannot be read"
                ));
                return Ok(());
            }
            for name in names {
                if looked_up(self.leads_out(&name, &start))?.unwrap_or(true) {
                    let name = quoted(&name);
                    self.unknown_code(format!("{name} is a symlink that leads out of the project"));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The folders on the way to the modules of a virtual environment, and the modules that Python loads at each start.
    fn folders_of_modules(&self, start: &PathStart) -> Result<Vec<String>, PathError> {
        let mut folders = vec![ENVIRONMENT.to_owned()];
        for lib in ["lib", "lib64"] {
            let lib = format!("{ENVIRONMENT}/{lib}");
            for dir in places(start, self.files)?.0 {
                let path = locate(&lib, &start.at(&dir), self.files)?.real;
                let DirListing::Names(names) = self.files.list(&path, MOST_NAMES) else { continue };
                for version in names {
                    let version = format!("{lib}/{}", version.name);
                    let modules = format!("{version}/site-packages");
                    let loaded = ["sitecustomize.py", "usercustomize.py"];
                    folders.extend(loaded.map(|file| format!("{modules}/{file}")));
                    folders.extend([version, modules]);
                }
            }
            folders.push(lib);
        }
        Ok(folders)
    }

    /// Whether settings of the project place the environment of poetry, or are not understood.
    fn places_environment(&self, start: &PathStart) -> Result<bool, PathError> {
        let found = self.of_folders(start, |folder, files| {
            let file = format!("{folder}/{POETRY_SETTINGS}");
            if !files.has(&file)? {
                return Ok(None);
            }
            let settings = plain_text(files, &file, MOST_TEXT);
            let settings = settings.and_then(|text| tree(&text, DocumentFormat::Toml).ok());
            Ok(settings.is_none_or(|settings| names_place(&settings)).then_some(()))
        })?;
        Ok(found.is_some())
    }

    /// Whether a path of the project leads out of it.
    fn leads_out(&self, name: &str, start: &PathStart) -> Result<bool, PathError> {
        let roots = self.roots()?;
        let inside = |path: &str| roots.iter().any(|root| is_below(path, root));
        for dir in places(start, self.files)?.0 {
            let located = locate(name, &start.at(&dir), self.files)?;
            // In an environment the interpreter is the one that made it.
            let is_interpreter = name.starts_with(ENVIRONMENT)
                && [name, &located.real].into_iter().all(|path| is_python(base_name(path)));
            if inside(&located.lexical) && !is_interpreter && !located.reals().all(inside) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the program that `npx` is to run is one of a package of the project. Any other it asks a server for, with
    /// any options.
    pub(super) fn is_installed(
        &self, by: ByArgument, start: &PathStart,
    ) -> Result<bool, PathError> {
        let mut words = self.words(by).iter().skip(1).map(Word::literal);
        let Some(Some(name)) = words.find(|word| word.is_none_or(|word| !word.starts_with('-')))
        else {
            return Ok(false);
        };
        let roots = self.roots()?;
        // Where the package of the folder itself has a program of this name, that one runs.
        let foreign = self.of_folders(start, |folder, _| {
            let is_inside = roots.iter().any(|root| is_below(folder, root));
            Ok((is_inside && !self.has_no_foreign_program(folder, name, &roots)?).then_some(()))
        })?;
        if foreign.is_some() {
            return Ok(false);
        }
        let found = self.of_folders(start, |folder, files| {
            if !roots.iter().any(|root| is_below(folder, root)) {
                return Ok(None);
            }
            let programs = format!("{folder}/node_modules/.bin");
            Ok(match files.list(&programs, MOST_NAMES) {
                DirListing::Names(names) if names.iter().any(|it| it.name == name) => {
                    // What a symlink of the project leads to elsewhere is no package of it.
                    let program = format!("{programs}/{name}");
                    let real = self.files.real(&program)?;
                    roots.iter().any(|root| is_below(&real, root)).then_some(())
                }
                DirListing::Names(_) => None,
                // Without files at hand, what is said of the words holds.
                DirListing::Unknown => Some(()),
                DirListing::TooMany => None,
            })
        })?;
        Ok(found.is_some())
    }

    /// Whether no program of this name that the package of this folder has leads out of the project.
    fn has_no_foreign_program(
        &self, folder: &str, name: &str, roots: &[String],
    ) -> Result<bool, PathError> {
        let file = format!("{folder}/package.json");
        if !self.files.has(&file)? {
            return Ok(true);
        }
        let text = plain_text(self.files, &file, MOST_TEXT);
        let Some(programs) = text.and_then(|text| ProgramsOfPackage::of(&text)) else {
            return Ok(false);
        };
        let is_inside = |path: &str| roots.iter().any(|root| is_below(path, root));
        if let Some(below) = programs.below {
            let mut left = NameBudget::new(MOST_NAMES);
            let top = self.files.real(&format!("{folder}/{below}"))?;
            let found = folders_with(&[name], &top, |_| true, false, &mut left, self.files);
            let Some(found) = found.filter(|_| !leads_up(&below)) else { return Ok(false) };
            for folder in found {
                if !is_inside(&self.files.real(&format!("{folder}/{name}"))?) {
                    return Ok(false);
                }
            }
        }
        for (_, path) in programs.named.into_iter().filter(|(its, _)| its == name) {
            let real = self.files.real(&format!("{folder}/{path}"))?;
            if leads_up(&path) || !is_inside(&real) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_says_which_programs_it_has() {
        let of = |programs: &[(&str, &str)], below: Option<&str>| {
            let owned = programs.iter().map(|(name, path)| (name.to_string(), path.to_string()));
            Some(ProgramsOfPackage { named: owned.collect(), below: below.map(str::to_owned) })
        };
        for (text, expected) in [
            ("{}", of(&[], None)),
            (r#"{"name":"x","bin":"./b.sh"}"#, of(&[("x", "./b.sh")], None)),
            (r#"{"name":"@a/x","bin":"b.sh"}"#, of(&[("x", "b.sh")], None)),
            (r#"{"bin":{"x":"./b.sh","../a/y":"c"}}"#, of(&[("y", "c"), ("x", "./b.sh")], None)),
            (r#"{"bin":{"x/":"b.sh"}}"#, of(&[("x", "b.sh")], None)),
            (r#"{"bin":{"a:x\\\\/":"b.sh"}}"#, of(&[("x", "b.sh")], None)),
            (r#"{"bin":["a/b.sh"]}"#, of(&[("b.sh", "a/b.sh")], None)),
            (r#"{"directories":{"bin":"./bin"}}"#, of(&[], Some("./bin"))),
            (
                r#"{"bin":{"x":"a"},"directories":{"bin":"./bin"}}"#,
                of(&[("x", "a")], Some("./bin")),
            ),
            ("{\"bin\"", None),
            ("", None),
        ] {
            assert_eq!(ProgramsOfPackage::of(text), expected, "{text}");
        }
    }
}
