//! Settings that name what a checker reads or writes, where its words alone should: those of black, mypy, prettier and rubocop, in
//! the folders that it looks at, and above.

use super::ActionReader;
use super::chosen::may_be_written;
use super::loaded::CommandPlace;
use super::looked_at::{MOST_NAMES, MOST_TEXT, folders_with};
use super::repository::upwards;
use crate::path::{FileLookup, PathContext, PathError, locate};
use crate::policy::action::{ByArgument, UseExtent};
use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, TableEntry, tree};
use crate::policy::judge::places;
use crate::policy::secrets::is_code;
use crate::policy::tokens::base_name;
use crate::shell::{FileAccess, Word, command_of, written_out};

/// Folders without settings of a checker.
const PASSED: &[&str] = &["node_modules", ".git", ".venv", "venv", "target"];

/// What a file of settings has the checker use besides. `None`: that is not known.
type SettingUses = Option<Vec<(FileAccess, String)>>;

/// Where a checker finds its settings, and what they may say.
struct KnownChecker {
    /// The names of the files.
    names: &'static [&'static str],
    /// The same below the home.
    of_user: &'static [&'static str],
    /// The options that name another.
    options: &'static [&'static str],
    /// Whether those below what it looks at count.
    below: bool,
    read: fn(&str, &str) -> SettingUses,
}

const BLACK: KnownChecker = KnownChecker {
    names: &["pyproject.toml"],
    of_user: &[".config/black", ".black"],
    options: &["--config"],
    below: false,
    read: of_black,
};

const MYPY: KnownChecker = KnownChecker {
    names: &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"],
    of_user: &[".config/mypy/config", ".mypy.ini"],
    options: &["--config-file"],
    below: false,
    read: of_mypy,
};

const PRETTIER: KnownChecker = KnownChecker {
    names: &[
        ".prettierrc",
        ".prettierrc.json",
        ".prettierrc.json5",
        ".prettierrc.toml",
        ".prettierrc.yaml",
        ".prettierrc.yml",
        "package.json",
        "package.yaml",
    ],
    of_user: &[],
    options: &["--config"],
    below: true,
    read: of_prettier,
};

const RUBOCOP: KnownChecker = KnownChecker {
    names: &[".rubocop.yml"],
    of_user: &[".rubocop.yml", ".config/rubocop/config.yml"],
    options: &["-c", "--config"],
    below: true,
    read: of_rubocop,
};

impl ActionReader<'_> {
    /// Whether the settings of this checker name no file that its words do not. What mypy is told by them it uses as if an
    /// operand named it.
    pub(super) fn names_no_others(
        &mut self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let command = command_of(self.words(by), usize::MAX);
        let checker = match command.first().and_then(Word::literal).map(base_name) {
            Some("black") => &BLACK,
            Some("mypy") => &MYPY,
            Some("prettier") => &PRETTIER,
            Some("rubocop") => &RUBOCOP,
            _ => return Ok(true),
        };
        if self.actions.iter().any(|action| may_be_written(&action.kind, checker.names)) {
            return Ok(false);
        }
        let Some(files) = self.settings_files(checker, by, place)? else { return Ok(false) };
        let mut used = Vec::new();
        for (name, file) in files {
            let text = self.files.text(&file, MOST_TEXT);
            let Some(uses) = text.and_then(|text| (checker.read)(&name, &text)) else {
                return Ok(false);
            };
            used.extend(uses);
        }
        let (dirs, _) = places(place.start, self.files)?;
        for (access, path) in used {
            for dir in &dirs {
                let from = PathContext { cwd: dir.clone(), ..PathContext::default() };
                let path = locate(&path, &from, self.files)?.lexical;
                self.also_uses(by.command, access, path, UseExtent::Tree, place);
            }
        }
        Ok(true)
    }

    /// The files of settings that count for what this command looks at, each with the name that says how it is read.
    fn settings_files(
        &self, checker: &KnownChecker, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<Option<Vec<(String, String)>>, PathError> {
        let looked_at = self.looked_at(by, place)?;
        let mut found = Vec::new();
        let add = |folder: &str, files: &dyn FileLookup, found: &mut Vec<(String, String)>| {
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
        let words: Vec<&str> = self.words(by).iter().map_while(Word::literal).collect();
        for (at, word) in words.iter().enumerate() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) => (option, Some(value)),
                None => (*word, words.get(at + 1).copied()),
            };
            let Some(value) = value.filter(|_| checker.options.contains(&option)) else { continue };
            for dir in places(place.start, self.files)?.0 {
                let file = locate(value, &place.start.at(&dir), self.files)?.real;
                found.push((value.rsplit('/').next().unwrap_or(value).to_owned(), file));
            }
        }
        let mut left = MOST_NAMES;
        let goes_in = |name: &str| !PASSED.contains(&name);
        for top in looked_at.tops.iter().filter(|_| checker.below) {
            let folders = folders_with(checker.names, top, goes_in, &mut left, self.files);
            let Some(folders) = folders else { return Ok(None) };
            for folder in folders {
                add(&folder, self.files, &mut found)?;
            }
        }
        Ok(Some(found))
    }
}

/// Settings of black that name no file and no folder.
const BLACK_HARMLESS: &[&str] = &[
    "check",
    "color",
    "diff",
    "enable_unstable_feature",
    "exclude",
    "extend_exclude",
    "fast",
    "force_exclude",
    "ipynb",
    "line_length",
    "preview",
    "pyi",
    "python_cell_magics",
    "quiet",
    "required_version",
    "safe",
    "skip_magic_trailing_comma",
    "skip_source_first_line",
    "skip_string_normalization",
    "target_version",
    "unstable",
    "verbose",
    "workers",
];

/// What black takes for sources, as people write it.
const BLACK_SOURCES: &[&str] = &[
    r"\.pyi?$",
    r"\.py$",
    r"\.pyi$",
    r"\.ipynb$",
    r"(\.pyi?|\.ipynb)$",
    r"\.(py|pyi|ipynb)$",
    r".*\.pyi?$",
];

fn of_black(_: &str, text: &str) -> SettingUses {
    let table = text.parse::<toml::Table>().ok()?;
    let Some(tool) = table.get("tool") else { return Some(Vec::new()) };
    let Some(black) = tool.as_table()?.get("black") else { return Some(Vec::new()) };
    let fine = black.as_table()?.iter().all(|(key, value)| {
        let key = key.replace("--", "").replace('-', "_");
        let is_source = || value.as_str().is_some_and(|it| BLACK_SOURCES.contains(&it.trim()));
        BLACK_HARMLESS.contains(&key.as_str()) || key == "include" && is_source()
    });
    fine.then(Vec::new)
}

/// Settings of mypy that name no file, but modules, kinds of errors, or what is left out.
const MYPY_HARMLESS: &[&str] = &[
    "always_false",
    "always_true",
    "deprecated_calls_exclude",
    "disable_error_code",
    "enable_error_code",
    "enable_incomplete_feature",
    "exclude",
    "follow_imports",
    "junit_format",
    "modules",
    "module",
    "mypy_path",
    "output",
    "packages",
    "platform",
    "plugins",
    "python_version",
    "untyped_calls_exclude",
];

fn of_mypy(name: &str, text: &str) -> SettingUses {
    let mut uses = Vec::new();
    if name.ends_with(".toml") {
        let table = text.parse::<toml::Table>().ok()?;
        let Some(tool) = table.get("tool") else { return Some(uses) };
        let Some(mypy) = tool.as_table()?.get("mypy") else { return Some(uses) };
        for (key, value) in mypy.as_table()? {
            match value {
                toml::Value::Boolean(_) | toml::Value::Integer(_) | toml::Value::Float(_) => {}
                // Of single modules: none of these names a file.
                toml::Value::Array(_) if key == "overrides" => {}
                toml::Value::Array(list) => {
                    let texts: Option<Vec<&str>> = list.iter().map(toml::Value::as_str).collect();
                    uses.extend(of_mypy_setting(key, &texts?.join("\n"))?);
                }
                value => uses.extend(of_mypy_setting(key, value.as_str()?)?),
            }
        }
        return Some(uses);
    }
    let mut is_meant = false;
    let mut setting: Option<(String, String)> = None;
    for line in text.lines().chain(["[end]"]) {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if let Some((_, value)) = &mut setting
            && line.starts_with(char::is_whitespace)
        {
            value.push('\n');
            value.push_str(bare);
            continue;
        }
        if let Some((key, value)) = setting.take() {
            uses.extend(of_mypy_setting(&key, &value)?);
        }
        if let Some(section) = bare.strip_prefix('[') {
            is_meant = section.starts_with("mypy");
        } else if is_meant {
            let (key, value) = bare.split_once(['=', ':'])?;
            setting = Some((key.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    Some(uses)
}

fn of_mypy_setting(key: &str, value: &str) -> SettingUses {
    const FLAGS: &[&str] =
        &["true", "false", "yes", "no", "on", "off", "normal", "silent", "skip", "error"];
    let key = key.replace('-', "_");
    let is_number = !value.is_empty() && value.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    let paths = || value.split([',', '\n']).map(str::trim).filter(|path| !path.is_empty());
    let access = match key.as_str() {
        "files" => FileAccess::Read,
        "cache_dir" | "junit_xml" => FileAccess::Write,
        report if report.ends_with("_report") => FileAccess::Write,
        known if MYPY_HARMLESS.contains(&known) => return Some(Vec::new()),
        _ if is_number || FLAGS.contains(&value.to_ascii_lowercase().as_str()) => {
            return Some(Vec::new());
        }
        _ => return None,
    };
    let mut uses = Vec::new();
    for path in paths() {
        if path.contains(['$', '~', '%']) {
            return None;
        }
        match path.find(['*', '?', '[']) {
            None => uses.push((access, path.to_owned())),
            // What a pattern finds are sources, below the folder that it begins with.
            Some(at) if is_code(path) && !path.contains("..") => {
                let folder = path.get(..at).and_then(|known| known.rsplit_once('/'));
                uses.push((access, folder.map_or(".", |(folder, _)| folder).to_owned()));
            }
            Some(_) => return None,
        }
    }
    Some(uses)
}

fn of_prettier(name: &str, text: &str) -> SettingUses {
    let format = if name.ends_with(".toml") { DocumentFormat::Toml } else { DocumentFormat::Json };
    let Ok(settings) = tree(text, format) else {
        // Of YAML it is enough that no parser is named. Code says anything.
        let is_code = name.ends_with("js") || name.ends_with("ts");
        // An escape may spell the word otherwise.
        let is_plain = !text.contains("parser") && !text.contains('\\');
        return (is_code || is_plain).then(Vec::new);
    };
    let DocumentValue::Table(entries) = &settings.value else {
        // The name of a package that has them.
        return matches!(settings.value, DocumentValue::Text(_) | DocumentValue::Null)
            .then(Vec::new);
    };
    let fine = if name == "package.json" {
        let own = entries.iter().filter(|entry| entry.key == "prettier");
        own.map(|entry| &entry.node.value).all(|value| match value {
            DocumentValue::Table(entries) => formats_kinds(entries),
            _ => true,
        })
    } else {
        formats_kinds(entries)
    };
    fine.then(Vec::new)
}

/// Whether a parser is named for sources alone.
fn formats_kinds(settings: &[TableEntry]) -> bool {
    settings.iter().all(|setting| match (setting.key.as_str(), &setting.node.value) {
        ("parser", _) => false,
        ("overrides", DocumentValue::List(overrides)) => overrides.iter().all(|one| {
            let DocumentValue::Table(one) = &one.value else { return false };
            let options = one.iter().filter(|entry| entry.key == "options");
            let names_parser =
                options.map(|entry| &entry.node.value).any(|options| match options {
                    DocumentValue::Table(options) => options.iter().any(|it| it.key == "parser"),
                    _ => true,
                });
            let mut files = one.iter().filter(|entry| entry.key == "files");
            !names_parser || files.all(|entry| are_kinds(&entry.node))
        }),
        ("overrides", _) => false,
        _ => true,
    })
}

/// Whether patterns find files of kinds that hold no secrets, or that are gone through anyway.
fn are_kinds(files: &DocumentNode) -> bool {
    const KINDS: &[&str] = &[
        ".json", ".jsonc", ".json5", ".svg", ".html", ".md", ".mdx", ".yml", ".yaml", ".css",
        ".vue",
    ];
    match &files.value {
        DocumentValue::List(list) => list.iter().all(are_kinds),
        DocumentValue::Text(pattern) => written_out(pattern).is_some_and(|patterns| {
            let is_kind = |it: &String| {
                let is_plain = !it.contains(['[', '(', '\\', '?', '!']);
                is_plain && (is_code(it) || KINDS.iter().any(|end| it.ends_with(end)))
            };
            patterns.iter().all(is_kind)
        }),
        _ => false,
    }
}

/// Settings that say which files are looked at, or where what was found is kept, are read line by line. What YAML could say in
/// another way, over several lines, by an alias or by code, is not understood.
fn of_rubocop(_: &str, text: &str) -> SettingUses {
    let mut includes = false;
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let hides = line.contains('\\') && line.contains('"') || line.contains("<%");
        if hides || line.contains("CacheRootDirectory") {
            return None;
        }
        if includes {
            match line.strip_prefix('-') {
                Some(item) if is_ruby(item) => continue,
                None if line.contains(':') => includes = false,
                _ => return None,
            }
        }
        if let Some((_, value)) = line.split_once("Include") {
            let value = value.trim_start_matches(['"', '\'']).trim().strip_prefix(':')?.trim();
            includes = true;
            let list = match value.strip_prefix('[') {
                None => value,
                Some(list) => list.strip_suffix(']')?,
            };
            if !value.is_empty() && !list.split(',').all(is_ruby) {
                return None;
            }
        }
    }
    Some(Vec::new())
}

/// Whether a pattern, as YAML has it, finds sources of Ruby alone.
fn is_ruby(pattern: &str) -> bool {
    const KINDS: &[&str] = &[
        ".rb",
        ".rake",
        ".gemspec",
        ".ru",
        ".erb",
        "Rakefile",
        "Gemfile",
        ".jbuilder",
        ".podspec",
        "*file",
    ];
    let pattern = pattern.trim();
    // Without quotes these begin an alias, an anchor, a tag, or a text of several lines.
    !pattern.starts_with(['*', '&', '!', '|', '>'])
        && KINDS.iter().any(|end| pattern.trim_matches(['"', '\'']).ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: fn(&str, &str) -> SettingUses, fine: &[(&str, &str)], others: &[(&str, &str)]) {
        for (name, text) in fine {
            assert_eq!(read(name, text), Some(Vec::new()), "{text}");
        }
        for (name, text) in others {
            assert_ne!(read(name, text), Some(Vec::new()), "{text}");
        }
    }

    #[test]
    fn settings_that_name_files_are_told_from_others() {
        let toml = "pyproject.toml";
        check(
            of_black,
            &[
                (toml, ""),
                (
                    toml,
                    "[tool.black]\nline-length = 100\ninclude = '\\.pyi?$'\ntarget-version = ['py311']",
                ),
                (toml, "[tool.ruff]\ninclude = ['x']"),
            ],
            &[
                (toml, "[tool.black]\ninclude = '(\\.env|server.key)$'"),
                (toml, "[tool.black]\ninclude = ''"),
                (toml, "[tool.black]\ncache-dir = '../x'"),
                (toml, "tool = 1"),
            ],
        );
        check(
            of_mypy,
            &[
                (
                    "mypy.ini",
                    "[mypy]\nstrict = True\npython_version = 3.11\nplugins =\n  a.b,\n  c\n[mypy-x.*]\nignore_errors = 1",
                ),
                ("setup.cfg", "[metadata]\nfiles = .env\n[mypy]\nexclude = x"),
                (
                    toml,
                    "[tool.mypy]\nstrict = true\nexclude = ['a']\n[[tool.mypy.overrides]]\nmodule = 'x'",
                ),
            ],
            &[
                ("mypy.ini", "[mypy]\nfiles = .env"),
                ("mypy.ini", "[mypy]\nfiles =\n  ~/.ssh/id_rsa"),
                ("mypy.ini", "[mypy]\ncache_dir=../o"),
                ("mypy.ini", "[mypy]\nTxt_Report: $HOME/x"),
                ("mypy.ini", "[mypy]\npython_executable = ./x"),
                (toml, "[tool.mypy]\nlinecount_report = '../x'"),
                (toml, "[tool.mypy]\nfiles = ['*.key']"),
            ],
        );
        check(
            of_prettier,
            &[
                (".prettierrc", "{\"semi\": false}"),
                (".prettierrc", "semi: false\n"),
                (
                    ".prettierrc.json",
                    "{\"overrides\":[{\"files\":\"*.key\",\"options\":{\"semi\":true}}]}",
                ),
                (
                    ".prettierrc.json",
                    "{\"overrides\":[{\"files\":[\"*.{svg,md}\"],\"options\":{\"parser\":\"html\"}}]}",
                ),
                (".prettierrc.toml", "semi = false"),
                ("package.json", "{\"prettier\":\"@x/config\",\"overrides\":{\"parser\":\"1\"}}"),
            ],
            &[
                (".prettierrc", "{\"parser\": \"babel\"}"),
                (".prettierrc", "{\"p\\u0061rser\": \"babel\"}"),
                (".prettierrc.json5", "{p\\u0061rser: 'babel'}"),
                (".prettierrc", "overrides:\n- files: .env\n  options:\n    parser: babel"),
                (
                    ".prettierrc",
                    "{\"overrides\":[{\"files\":[\"server.key\"],\"options\":{\"parser\":\"babel\"}}]}",
                ),
                (
                    ".prettierrc.toml",
                    "[[overrides]]\nfiles = '*.tfvars'\n[overrides.options]\nparser = 'babel'",
                ),
                ("package.json", "{\"prettier\":{\"parser\":\"babel\"}}"),
            ],
        );
        check(
            of_rubocop,
            &[
                (
                    ".rubocop.yml",
                    "AllCops:\n  Include:\n    - '**/*.rb'\n    - Gemfile\n  Exclude:\n    - .env\n",
                ),
                (".rubocop.yml", "AllCops:\n  NewCops: enable\n"),
                (
                    ".rubocop.yml",
                    "AllCops:\n  Include: ['**/*.rb', Gemfile]\n  Exclude:\n    - .env\n",
                ),
                (".rubocop.yml", "Style/X:\n  AllowedPatterns: ['\\A\\s*#']\n"),
            ],
            &[
                (".rubocop.yml", "AllCops:\n  Include:\n    - \".env\"\n"),
                (".rubocop.yml", "AllCops: {Include: [.env]}"),
                (".rubocop.yml", "AllCops:\n  CacheRootDirectory: ../x\n"),
                (".rubocop.yml", "AllCops:\n  \"Incl\\x75de\": [.env]\n"),
                (".rubocop.yml", "AllCops: {\"Incl\\x75de\": [.env]}\n"),
                (".rubocop.yml", "AllCops:\n  Include: [\n    .env\n  ]\n"),
                (".rubocop.yml", "AllCops:\n  Include:\n    [.env]\n"),
                (".rubocop.yml", "AllCops:\n  Include:\n    - a.rb\n      .env\n"),
                (".rubocop.yml", "X: &Rakefile\n  - .env\nAllCops:\n  Include: *Rakefile\n"),
                (".rubocop.yml", "AllCops:\n  Include: &x.rb [.env]\n"),
                (".rubocop.yml", "AllCops:\n  <%= 'Incl' + 'ude' %>: [.env]\n"),
            ],
        );
    }
}
