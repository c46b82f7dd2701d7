//! Settings that go on in other files, which they name: a symlink in the place of such a file counts, too.

use std::collections::HashSet;
use std::sync::Arc;

use super::ActionReader;
use super::looked_at::MOST_TEXT;
use super::repository::upwards;
use crate::path::{PathContext, PathError, locate, plain_text};
use crate::policy::action::PathStart;
use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, tree};
use crate::policy::judge::{NeedsFiles, looked_up};
use crate::policy::quoted::quoted;

/// The most files of settings that name each other.
const MOST_EXTENDED: usize = 64;

impl ActionReader<'_> {
    /// Follows what settings go on in.
    pub(super) fn extended(
        &mut self, file: String, program: &str, start: &Arc<PathStart>,
    ) -> Result<(), NeedsFiles> {
        // All that make includes are makefiles, of any name; other settings that go on are JSON or YAML.
        let is_make = ["make", "gmake"].contains(&program);
        let first = file.clone();
        let (mut left, mut seen) = (vec![file], HashSet::new());
        while let Some(file) = left.pop() {
            if !seen.insert(file.clone()) {
                continue;
            }
            let text = plain_text(self.files, &file, MOST_TEXT);
            let extended = text.and_then(|text| match is_make {
                true => included_by(&text),
                false => extended_by(&text),
            });
            let Some(extended) = extended.filter(|_| seen.len() <= MOST_EXTENDED) else {
                self.unknown_code(format!(
                    "what {} goes on in is not known, and {} reads it as its settings",
                    quoted(&file),
                    quoted(program)
                ));
                return Ok(());
            };
            // make looks from where it runs, also for what another file includes.
            let from = if is_make { &first } else { &file };
            let folder = from.rsplit_once('/').map_or("/", |(folder, _)| folder).to_owned();
            for name in extended {
                let Some((path, is_named)) = looked_up(self.extends(&folder, &name))?
                    .unwrap_or_else(|_| Some((format!("{folder}/{name}"), true)))
                else {
                    continue;
                };
                let inside = looked_up(self.stays_inside(&path))?.unwrap_or(false);
                // Of packages those of the project say enough.
                if is_named || !inside {
                    self.reads_settings(&path, program, start)?;
                }
                if is_named && inside && looked_up(self.files.has(&path))?.unwrap_or(false) {
                    left.push(path);
                }
            }
        }
        Ok(())
    }

    /// The file that settings in this folder go on in, and whether they name it by its path; `None`: one of a package that is not
    /// there, or of the root.
    fn extends(&self, folder: &str, name: &str) -> Result<Option<(String, bool)>, PathError> {
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        if name == "//" {
            return Ok(None);
        }
        let path = locate(name, &from, self.files)?.lexical;
        if name.starts_with(['.', '/']) || self.files.has(&path)? {
            return Ok(Some((path, true)));
        }
        for folder in upwards(folder).map_while(|folder| folder) {
            let path = format!("{folder}/node_modules/{name}");
            if self.files.has(&path)? {
                return Ok(Some((path, false)));
            }
        }
        Ok(None)
    }
}

/// What settings say that they go on in, also for some files alone; `None`: they are not understood.
fn extended_by(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let Ok(settings) = tree(text, DocumentFormat::Json) else {
        // Of YAML it is enough that the word is not there. An escape may spell it otherwise.
        return (!text.contains("extends") && !text.contains('\\')).then_some(names);
    };
    if !matches!(settings.value, DocumentValue::Table(_)) {
        return None;
    }
    add_extended(&settings, &mut names)?;
    Some(names)
}

fn add_extended(node: &DocumentNode, names: &mut Vec<String>) -> Option<()> {
    match &node.value {
        DocumentValue::List(parts) => parts.iter().try_for_each(|part| add_extended(part, names)),
        DocumentValue::Table(entries) => entries.iter().try_for_each(|entry| {
            if entry.key != "extends" {
                return add_extended(&entry.node, names);
            }
            let values = match &entry.node.value {
                DocumentValue::List(values) => values.as_slice(),
                _ => std::slice::from_ref(&entry.node),
            };
            values.iter().try_for_each(|value| match &value.value {
                DocumentValue::Text(name) => {
                    names.push(name.clone());
                    Some(())
                }
                DocumentValue::Null => Some(()),
                _ => None,
            })
        }),
        _ => Some(()),
    }
}

/// The files that a makefile includes, or loads as code, by their names; `None`: such a name is not understood. What a variable or a
/// pattern says is not told.
fn included_by(text: &str) -> Option<Vec<String>> {
    const WORDS: &[&str] = &["include", "-include", "sinclude", ".include", "load", "-load"];
    let text = text.replace("\\\n", " ");
    let mut names = Vec::new();
    for line in text.lines() {
        let is_evaluated = ["(eval", "{eval", "call eval"].iter().any(|it| line.contains(it));
        if is_evaluated && WORDS.iter().any(|word| line.contains(word)) {
            return None;
        }
        let Some((word, files)) = line.trim_start().split_once(char::is_whitespace) else {
            continue;
        };
        if !WORDS.contains(&word) {
            continue;
        }
        let files = files.split('#').next().unwrap_or_default();
        // The character behind it belongs to the name, also a `#`.
        if files.contains('\\') {
            return None;
        }
        for name in files.split_whitespace().filter(|name| !name.contains(['$', '*', '?', '['])) {
            // The end of what is evaluated.
            if name.starts_with('~') || name.ends_with([')', '}']) && !name.contains(['(', '{']) {
                return None;
            }
            // GNU make takes a quote for a part of the name. What is loaded may have the name of a function behind it.
            let bare = name.split('(').next().unwrap_or_default().trim_matches('"');
            names.extend([bare, name].into_iter().filter(|it| !it.is_empty()).map(str::to_owned));
        }
    }
    names.dedup();
    Some(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_settings_go_on_in_is_told_or_they_are_not_understood() {
        for (text, expected) in [
            ("{}", Some(vec![])),
            ("{\"extends\": \"a\"}", Some(vec!["a"])),
            (
                "// x\n{\"extends\": [\"a\", \"../b\"], \"x\": {\"extends\": \"c\"}}",
                Some(vec!["a", "../b", "c"]),
            ),
            ("{\"overrides\": [{\"extends\": \"../c\"}]}", Some(vec!["../c"])),
            ("env:\n  node: true\n", Some(vec![])),
            ("extends: ../c\n", None),
            ("\"e\\x78tends\": ../c\n", None),
            ("{\"extends\": null}", Some(vec![])),
            ("{\"extends\": 1}", None),
            ("{\"extends\": [{}]}", None),
            ("[]", None),
            ("", Some(vec![])),
        ] {
            let names = extended_by(text);
            let names = names.as_ref().map(|it| it.iter().map(String::as_str).collect());
            assert_eq!(names, expected, "{text}");
        }
    }

    #[test]
    fn a_makefile_includes_what_it_names() {
        let text = "a: b\n\tinclude no\ninclude x.mk ../y.mk # z\n-include \\\n  o.d $(D) *.d\n  sinclude q\nincluded x\n";
        let names = included_by(text).unwrap();
        assert_eq!(names, ["no", "x.mk", "../y.mk", "o.d", "q"]);
        let text = "load a.so(f)\ninclude \"b\" #\\\n c\n";
        let names = included_by(text).unwrap();
        assert_eq!(names, ["a.so", "a.so(f)", "b", "\"b\""]);
        for text in [
            "$(eval include a)",
            "x: ; ${eval -include a}",
            "include \\\r\n a",
            "include a\\#b",
            "-include a\\ b",
            "include ~/a",
            "$(call eval,include a)",
            "define X\n$(eval\ninclude a)\nendef\n$(X)",
        ] {
            assert_eq!(included_by(text), None, "{text}");
        }
    }
}
