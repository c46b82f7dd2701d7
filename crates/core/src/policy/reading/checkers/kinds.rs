//! What a setting may be: each key that counts as harmless is in `known.txt` by its whole name, with a kind of value. Any other key asks,
//! and so does a value of another kind.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::inside::{
    ENDINGS, code, insides, is_bare, node_option, projects, scripts, told, warnings,
};
use super::setting_use::{SettingUse, SettingUses, is_plain_path, is_word};
use super::values::{SettingTable, SettingValue, split};
use crate::shell::FileAccess;

/// The kind of a value.
#[derive(Debug, Clone, Copy)]
pub(super) enum ValueKind {
    Switch,
    Number,
    /// Words of letters, digits and few other characters. Switches and numbers are some, too.
    Words,
    /// What names or texts are compared with. It leads nowhere, whichever it is.
    Compared,
    /// The same in one line: it is put behind a `#`.
    Line,
    /// It names something only where it is not empty, and not off.
    Nothing,
    /// What black takes for sources, as people write it.
    Include,
    /// Patterns of names that end like sources of Python.
    Python,
    /// `from __future__ import …`
    Future,
    /// Reporters that pylint brings along. Any other is code.
    Reporters,
    /// What takes the place of what it leaves out by itself.
    Skipped,
    /// Python that computes a mark.
    Evaluation,
    /// Modules, by their dotted names.
    Modules,
    /// Files and folders that are read.
    Sources,
    /// A folder that it fills.
    Kept,
    /// Tables with the same settings for some modules.
    Tables,
    /// The same, or files of settings in the project.
    Projects,
    /// Words of its command line.
    CommandLine,
    /// Files and folders of the project.
    Inside,
    /// Code of the project or of its packages, perhaps with what that is told.
    Code,
    /// The name of a package.
    Package,
    /// Scripts of the project that it runs.
    Scripts,
    /// What code of the project, or of its packages, is told. A path is written.
    Told,
    /// Endings of sources.
    Endings,
    /// What becomes of warnings, perhaps of those of a module.
    Warnings,
    /// Options of Node.
    Node,
    /// A part of the name of a source of PHP.
    Php,
    /// A value of a variable.
    Variable,
}

use ValueKind::*;

/// The name of each kind.
const KINDS: &[(&str, ValueKind)] = &[
    ("switch", Switch),
    ("number", Number),
    ("words", Words),
    ("compared", Compared),
    ("line", Line),
    ("nothing", Nothing),
    ("include", Include),
    ("python", Python),
    ("future", Future),
    ("reporters", Reporters),
    ("skipped", Skipped),
    ("evaluation", Evaluation),
    ("modules", Modules),
    ("sources", Sources),
    ("kept", Kept),
    ("tables", Tables),
    ("projects", Projects),
    ("command-line", CommandLine),
    ("inside", Inside),
    ("code", Code),
    ("package", Package),
    ("scripts", Scripts),
    ("told", Told),
    ("endings", Endings),
    ("warnings", Warnings),
    ("node", Node),
    ("php", Php),
    ("variable", Variable),
];

/// The keys of each kind, and the kinds of each tool.
type KnownKeys = Vec<(ValueKind, Vec<&'static str>)>;

static KNOWN: LazyLock<HashMap<&str, KnownKeys>> = LazyLock::new(|| {
    let mut known: HashMap<&str, KnownKeys> = HashMap::new();
    let mut tool = "";
    for line in include_str!("known.txt").lines().filter(|line| !line.starts_with('#')) {
        if !line.starts_with(' ') {
            tool = line;
            continue;
        }
        let mut words = line.split_whitespace();
        let named = words.next().and_then(|name| KINDS.iter().find(|(known, _)| *known == name));
        if let Some((_, kind)) = named {
            known.entry(tool).or_default().push((*kind, words.collect()));
        }
    }
    known
});

/// The kind of the value of this key. `None`: it is not known.
fn kind_of(tool: &str, key: &str) -> Option<ValueKind> {
    let is_it = |name: &&str| match name.strip_suffix('*') {
        None => *name == key,
        Some(begins) => {
            key.strip_prefix(begins).is_some_and(|rest| !rest.is_empty() && is_word(rest))
        }
    };
    let known = KNOWN.get(tool)?.iter().find(|(_, names)| names.iter().any(is_it));
    known.map(|(kind, _)| *kind)
}

/// Whether this tool has such a key.
pub(super) fn is_known(tool: &str, key: &str) -> bool {
    kind_of(tool, key).is_some()
}

/// What all of these settings have this tool use.
pub(super) fn uses(tool: &str, settings: &SettingTable) -> SettingUses {
    let mut uses = Vec::new();
    for (key, value) in settings {
        uses.extend(use_of(tool, kind_of(tool, key)?, value)?);
    }
    Some(uses)
}

fn use_of(tool: &str, kind: ValueKind, value: &SettingValue) -> SettingUses {
    use SettingValue::{Flag, List, Number as Digits, Table, Text};
    let all = |is_fine: fn(&str) -> bool| {
        value.texts().is_some_and(|texts| texts.into_iter().all(is_fine))
    };
    let fine = match (kind, value) {
        (CommandLine, _) => {
            // A list has words, and a text is split.
            let words = match value {
                List(_) => value.texts()?.into_iter().map(one_word).collect(),
                Text(text) => split(text),
                _ => None,
            };
            return Some(vec![SettingUse::Words(words?)]);
        }
        // Some hand each value on as a word of a command line.
        (_, Text(text)) if text.starts_with('-') => false,
        (Switch, value) => matches!(value, Flag(_) | Digits),
        (Number, value) => matches!(value, Digits),
        (Words | Compared, Flag(_) | Digits) => true,
        (Words, _) => all(are_words),
        (Compared, _) => all(|it| !it.starts_with('-')),
        (Line, _) => all(|it| !it.contains(char::is_control)),
        (ValueKind::Nothing, Text(text)) => text.is_empty(),
        (ValueKind::Nothing, List(items)) => items.is_empty(),
        (ValueKind::Nothing, value) => *value == Flag(false),
        (Include, Text(text)) => INCLUDED.contains(&text.trim()),
        (Python, _) => all(|it| items(it, &[',', ' ', '\t', '\n']).all(is_python)),
        (Future, _) => all(|it| items(it, &[',', '\n']).all(is_future)),
        (Reporters, _) => all(|it| items(it, &[',']).all(|name| REPORTERS.contains(&name))),
        (Evaluation, Text(text)) => computes(text),
        (Skipped, _) => {
            let is_git = |text: &str| items(text, &[',', '\n']).any(|name| name == ".git");
            let has_git = value.texts()?.into_iter().any(is_git);
            return Some((!has_git).then_some(SettingUse::Git).into_iter().collect());
        }
        (Modules, _) => {
            let names = value.texts()?.into_iter().flat_map(|text| items(text, &[',', '\n']));
            let named = names.map(|name| {
                let fine = is_word(name) && !name.ends_with(".py");
                fine.then(|| SettingUse::Module(name.to_owned()))
            });
            return named.collect();
        }
        (Sources, _) => {
            let mut uses = Vec::new();
            for text in value.texts()? {
                // A list has a path in each item, and a text several.
                let paths = match value {
                    List(_) => vec![text],
                    _ => items(text, &[',']).collect(),
                };
                for path in paths {
                    uses.push(SettingUse::Path(FileAccess::Read, source(path)?));
                }
            }
            return Some(uses);
        }
        (Kept, Text(path)) if NOWHERE.contains(&path.as_str()) => true,
        (Kept, Text(path)) if is_plain_path(path) => {
            return Some(vec![SettingUse::Path(FileAccess::Write, path.clone())]);
        }
        (Tables | Projects, List(tables)) => {
            let mut all = Vec::new();
            for table in tables {
                all.extend(match (kind, table) {
                    (_, Table(table)) => uses(tool, table)?,
                    (Projects, path) => projects(path)?,
                    _ => return None,
                });
            }
            return Some(all);
        }
        (Inside, _) => return insides(value),
        (ValueKind::Code, _) => return code(value),
        (Package, Text(name)) => !name.starts_with('.') && is_plain_path(&name.replace('@', "")),
        (Scripts, _) => return scripts(tool, value),
        (Told, _) => return told(value),
        (Endings, _) => all(|it| ENDINGS.contains(&it.trim_start_matches('.'))),
        (Warnings, _) => return warnings(value),
        (Node, _) => {
            let options = value.texts()?.into_iter().map(node_option);
            return options.collect::<Option<Vec<_>>>().map(|it| it.concat());
        }
        (Php, Text(text)) => is_word(text) && (!text.contains('.') || text.ends_with(".php")),
        (Variable, Flag(_) | Digits) => true,
        (Variable, Text(text)) => is_plain_path(text) || is_bare(text),
        _ => false,
    };
    fine.then(Vec::new)
}

/// Where what is written is kept nowhere.
const NOWHERE: &[&str] = &["/dev/null", "php://stdout", "php://stderr"];

/// A word that the program makes no other of.
fn one_word(word: &str) -> Option<String> {
    (!word.contains(['$', '~', '`', '\\'])).then(|| word.to_owned())
}

const INCLUDED: &[&str] = &[
    r"\.pyi?$",
    r"\.py$",
    r"\.pyi$",
    r"\.ipynb$",
    r"\.pyi?$|\.ipynb$",
    r"(\.pyi?|\.ipynb)$",
    r"\.(py|pyi|ipynb)$",
    r".*\.pyi?$",
];

const REPORTERS: &[&str] =
    &["colorized", "github", "json", "json2", "msvs", "no-header", "parseable", "text"];

/// The parts of a text between these characters.
fn items<'t>(text: &'t str, between: &'static [char]) -> impl Iterator<Item = &'t str> {
    text.split(between).map(str::trim).filter(|item| !item.is_empty())
}

/// Words with blanks or commas between them, perhaps in quotes.
fn are_words(text: &str) -> bool {
    let text = text.trim_matches(['"', '\'']);
    text.split([',', ' ', '\n']).all(|word| word.is_empty() || is_word(word))
}

/// Whether a pattern finds sources of Python alone.
fn is_python(pattern: &str) -> bool {
    let path = pattern.replace('*', "x");
    is_plain_path(&path) && (path.ends_with(".py") || path.ends_with(".pyi"))
}

/// A path that is read. What a pattern finds are sources, below the folder that it begins with.
fn source(path: &str) -> Option<String> {
    let Some(at) = path.find('*') else { return is_plain_path(path).then(|| path.to_owned()) };
    let folder = path.get(..at)?.rsplit_once('/').map_or(".", |(folder, _)| folder);
    is_python(path).then(|| folder.to_owned())
}

fn is_future(import: &str) -> bool {
    import.strip_prefix("from __future__ import ").is_some_and(is_word)
}

/// Whether it has nothing but numbers, marks and the counts of messages.
fn computes(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "max",
        "min",
        "float",
        "if",
        "else",
        "fatal",
        "error",
        "warning",
        "refactor",
        "convention",
        "info",
        "statement",
    ];
    let mut words = text.split(|it: char| " ()+*/,-".contains(it));
    words.all(|word| {
        word.bytes().all(|it| it.is_ascii_digit() || it == b'.') || NAMES.contains(&word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_of_the_list_is_of_a_known_kind() {
        let lines = include_str!("known.txt").lines().filter(|line| line.starts_with("  "));
        for line in lines {
            let kind = line.split_whitespace().next().unwrap();
            assert!(KINDS.iter().any(|(known, _)| *known == kind), "{line}");
        }
        assert_eq!(KNOWN.len(), 14);
        assert!(is_known("isort", "known_django") && !is_known("isort", "known_"));
        assert!(!is_known("mypy", "install_types") && !is_known("mypy", "files "));
    }
}
