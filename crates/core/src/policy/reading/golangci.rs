//! Settings of golangci-lint that a project brings: they may name files that it writes (`output`), that it reads and shows, and
//! plug-ins. What is known to be harmless is described here, in the plainest form of YAML, and all else is asked about.

use super::ActionReader;
use crate::path::{PathError, plain_text};
use crate::policy::action::{ByArgument, PathStart};
use crate::policy::judge::places;

/// The files that it reads: the first of them, from the folder of what it checks up.
const NAMES: &[&str] = &[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];

/// The longest that is read, in bytes.
const MOST_TEXT: usize = 1 << 16;

/// The keys of each section that name no file which is written or shown, and run nothing.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "run",
        &[
            "timeout",
            "tests",
            "go",
            "concurrency",
            "issues-exit-code",
            "build-tags",
            "modules-download-mode",
            "allow-parallel-runners",
            "allow-serial-runners",
            "relative-path-mode",
            "skip-dirs",
            "skip-files",
        ],
    ),
    (
        "linters",
        &[
            "default",
            "enable",
            "disable",
            "enable-all",
            "disable-all",
            "fast",
            "presets",
            "exclusions",
        ],
    ),
    ("formatters", &["enable", "exclusions"]),
    (
        "issues",
        &[
            "exclude",
            "exclude-rules",
            "exclude-use-default",
            "exclude-dirs",
            "exclude-dirs-use-default",
            "exclude-files",
            "exclude-generated",
            "exclude-case-sensitive",
            "include",
            "uniq-by-line",
            "max-issues-per-linter",
            "max-same-issues",
            "new",
        ],
    ),
    (
        "output",
        &["sort-results", "sort-order", "show-stats", "print-issued-lines", "print-linter-name"],
    ),
    ("severity", &["default", "default-severity", "case-sensitive", "rules"]),
];

/// Linters of whose settings none names a file, or those of their keys that name none.
const LINTERS: &[(&str, &[&str])] = &[
    (
        "errcheck",
        &[
            "check-type-assertions",
            "check-blank",
            "exclude-functions",
            "disable-default-exclusions",
        ],
    ),
    (
        "gocritic",
        &[
            "enabled-tags",
            "disabled-tags",
            "enabled-checks",
            "disabled-checks",
            "enable-all",
            "disable-all",
        ],
    ),
    ("gosec", &["includes", "excludes", "severity", "confidence"]),
];
const FREE: &[&str] = &[
    "asasalint",
    "bidichk",
    "cyclop",
    "depguard",
    "dogsled",
    "dupl",
    "dupword",
    "errorlint",
    "exhaustive",
    "exhaustruct",
    "forbidigo",
    "funlen",
    "gci",
    "gocognit",
    "goconst",
    "gocyclo",
    "godot",
    "godox",
    "gofmt",
    "gofumpt",
    "goimports",
    "gomnd",
    "gomoddirectives",
    "gomodguard",
    "gosimple",
    "govet",
    "importas",
    "interfacebloat",
    "ireturn",
    "lll",
    "maintidx",
    "makezero",
    "misspell",
    "mnd",
    "nakedret",
    "nestif",
    "nilnil",
    "nlreturn",
    "nolintlint",
    "paralleltest",
    "perfsprint",
    "prealloc",
    "predeclared",
    "revive",
    "rowserrcheck",
    "sloglint",
    "staticcheck",
    "stylecheck",
    "tagalign",
    "tagliatelle",
    "testifylint",
    "testpackage",
    "thelper",
    "unconvert",
    "unparam",
    "unused",
    "usestdlibvars",
    "usetesting",
    "varnamelen",
    "whitespace",
    "wrapcheck",
    "wsl",
];

impl ActionReader<'_> {
    /// Whether golangci-lint, which runs from there with these words, is told nothing by the project that names a file.
    pub(super) fn is_plain_golangci(
        &self, by: ByArgument, start: &PathStart,
    ) -> Result<bool, PathError> {
        // It looks beside what it checks, first.
        for word in self.words(by).iter().skip(2) {
            let Some(text) = word.literal() else { return Ok(false) };
            let folder = text.strip_prefix("./").unwrap_or(text);
            let mut folder = folder.strip_suffix("/...").unwrap_or(folder).trim_end_matches('/');
            if text.starts_with('-') || matches!(folder, "" | "." | "...") {
                continue;
            }
            loop {
                for dir in places(start, self.files)?.0 {
                    for name in NAMES {
                        if self.files.has(&format!("{dir}/{folder}/{name}"))? {
                            return Ok(false);
                        }
                    }
                }
                let Some((above, _)) = folder.rsplit_once('/') else { break };
                folder = above;
            }
        }
        let told = self.of_folders(start, |folder, files| {
            for name in NAMES {
                let file = format!("{folder}/{name}");
                if files.has(&file)? {
                    let text = plain_text(files, &file, MOST_TEXT);
                    let is_yaml = name.ends_with("ml") && !name.ends_with(".toml");
                    return Ok(
                        (!is_yaml || text.is_none_or(|text| !is_harmless(&text))).then_some(())
                    );
                }
            }
            Ok(None)
        })?;
        Ok(told.is_none())
    }
}

/// Whether each line is a key, an item of a list, or both, in a form that says the same to any reader, and no key is another than
/// those above.
fn is_harmless(text: &str) -> bool {
    // A key on the way to a line, with the column that it stands in.
    let mut way: Vec<(usize, &str)> = Vec::new();
    for (at, line) in text.split('\n').enumerate() {
        let bare = line.trim_start_matches(' ');
        if bare.is_empty() || bare.starts_with('#') || (at == 0 && line == "---") {
            continue;
        }
        if line.contains(|char: char| {
            char.is_control() || "\u{85}\u{2028}\u{2029}\u{feff}".contains(char)
        }) {
            return false;
        }
        let (column, said) = match bare.strip_prefix("- ") {
            Some(item) => (line.len() - bare.len() + 2, item),
            None => (line.len() - bare.len(), bare),
        };
        let is_item = said.len() < bare.len();
        let key = said
            .split_once(':')
            .filter(|(key, value)| is_key(key) && (value.is_empty() || value.starts_with(' ')));
        match key {
            Some((key, value)) => {
                while way.last().is_some_and(|(above, _)| *above >= column) {
                    way.pop();
                }
                way.push((column, key));
                if !is_known(&way) || !is_scalar(value.trim()) {
                    return false;
                }
            }
            None if is_item && is_scalar(said.trim()) => {}
            None => return false,
        }
    }
    true
}

fn is_key(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}

/// Whether it is nothing, or a value that ends with its line: a plain one, one in quotes, or a list of plain ones.
fn is_scalar(text: &str) -> bool {
    let plain = |char: char| char.is_alphanumeric() || "_-./, ()*+^$?@~\\|=<>:;%".contains(char);
    let inside = |text: &str, sign: char| {
        text.strip_prefix(sign).and_then(|text| text.strip_suffix(sign)).map(str::to_owned)
    };
    let (text, _) = text.split_once(" #").unwrap_or((text, ""));
    let text = text.trim();
    if let Some(quoted) = inside(text, '\'') {
        return !quoted.contains('\'');
    }
    if let Some(quoted) = inside(text, '"') {
        return !quoted.contains(['"', '\\']);
    }
    if let Some(list) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        return list.chars().all(|char| char.is_ascii_alphanumeric() || "_-., ".contains(char));
    }
    let begins =
        text.starts_with(|char: char| char.is_alphanumeric() || "./(^$-_\\~".contains(char));
    text.is_empty()
        || begins
            && !text.contains(": ")
            && !text.starts_with("- ")
            && !text.ends_with(':')
            && text.chars().all(plain)
}

/// Whether a key that stands there is one of those above.
fn is_known(way: &[(usize, &str)]) -> bool {
    let names: Vec<&str> = way.iter().map(|(_, name)| *name).collect();
    let in_section = |section: &str, key: &str| {
        SECTIONS.iter().any(|(known, keys)| *known == section && keys.contains(&key))
    };
    let in_linter = |below: &[&str]| match below {
        [] => true,
        [linter] => FREE.contains(linter) || LINTERS.iter().any(|(known, _)| known == linter),
        [linter, key, ..] => {
            FREE.contains(linter)
                || LINTERS.iter().any(|(known, keys)| known == linter && keys.contains(key))
        }
    };
    match names.as_slice() {
        ["version"] => true,
        ["linters-settings", below @ ..] | ["linters" | "formatters", "settings", below @ ..] => {
            in_linter(below)
        }
        [section] => SECTIONS.iter().any(|(known, _)| known == section),
        [section, key, ..] => in_section(section, key),
        [] => true,
    }
}
