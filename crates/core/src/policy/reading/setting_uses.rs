//! What the settings of single checkers say of files: of each that names some, which ones, and what is done with them.

use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, TableEntry, tree};
use crate::policy::secrets::is_code;
use crate::shell::{FileAccess, only_reads, written_out};

/// What a file of settings has the checker use besides. `None`: that is not known.
pub(super) type SettingUses = Option<Vec<(FileAccess, String)>>;

/// The settings of this tool in a `pyproject.toml`; `Some(None)`: it has none there. `None`: they cannot be read.
fn of_tool(text: &str, name: &str) -> Option<Option<toml::Table>> {
    let mut table = text.parse::<toml::Table>().ok()?;
    let Some(tools) = table.remove("tool") else { return Some(None) };
    let toml::Value::Table(mut tools) = tools else { return None };
    match tools.remove(name) {
        None => Some(None),
        Some(toml::Value::Table(settings)) => Some(Some(settings)),
        Some(_) => None,
    }
}

/// A text, or a list of texts in lines.
fn texts(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::Array(list) => {
            let texts: Option<Vec<&str>> = list.iter().map(toml::Value::as_str).collect();
            Some(texts?.join("\n"))
        }
        value => value.as_str().map(str::to_owned),
    }
}

/// The settings of the sections that count, and of those that count for all, as Python's `configparser` reads them. `None` where a line
/// may be read in two ways: of those that are indented it tells by how far which of them begin.
fn ini(text: &str, counts: impl Fn(&str) -> bool) -> Option<Vec<(String, String)>> {
    let mut settings: Vec<(String, String)> = Vec::new();
    let (mut is_meant, mut is_open) = (false, false);
    for line in text.lines() {
        let bare = line.trim();
        if bare.is_empty() || bare.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t']) {
            // Behind a key at the beginning of its line it goes on, with all that is in it.
            if !is_open {
                return None;
            }
            if is_meant {
                let (_, value) = settings.last_mut()?;
                value.push('\n');
                value.push_str(bare);
            }
        } else if let Some(section) = bare.strip_prefix('[') {
            let section = section.strip_suffix(']').filter(|name| !name.contains(']'))?;
            is_meant = section == "DEFAULT" || counts(section);
            is_open = false;
        } else {
            let (key, value) = bare.split_once(['=', ':'])?;
            is_open = true;
            if is_meant {
                let value = value.trim();
                settings.push((key.trim().to_ascii_lowercase(), value.to_owned()));
            }
        }
    }
    Some(settings)
}

/// Whether a section of a file that several programs share is of the one of this name.
fn is_of(section: &str, program: &str) -> bool {
    section.to_ascii_lowercase().contains(program)
}

/// Whether a value is empty, a number, or a word that switches something: these name no file.
fn is_switch(value: &str) -> bool {
    const SWITCHES: &[&str] = &["true", "false", "yes", "no", "y", "n", "on", "off"];
    value.bytes().all(|it| it.is_ascii_digit() || it == b'.')
        || SWITCHES.contains(&value.to_ascii_lowercase().as_str())
}

/// Whether a setting does what an option of that name does, and that names no file.
fn is_harmless_option(program: &str, key: &str) -> bool {
    only_reads(program, &key.replace('_', "-")) || only_reads(program, key)
}

pub(super) fn of_flake8(_: &str, text: &str) -> SettingUses {
    const NAMING: &[&str] = &["filename", "output_file", "stdin_display_name"];
    let settings = ini(text, |section| is_of(section, "flake8"))?;
    let is_fine = |(key, value): &(String, String)| {
        let key = key.replace('-', "_");
        !NAMING.contains(&key.as_str()) && (is_switch(value) || is_harmless_option("flake8", &key))
            || key == "filename" && value.split([',', ' ', '\t', '\n']).all(is_python)
            // What adds rules is code of the project, and so are their settings.
            || FLAKE8_HARMLESS.contains(&key.as_str())
    };
    settings.iter().all(is_fine).then(Vec::new)
}

/// Settings of common plugins of flake8 that name no file, and those that load code of the project.
const FLAKE8_HARMLESS: &[&str] = &[
    "application_import_names",
    "application_package_names",
    "ban_relative_imports",
    "banned_modules",
    "classmethod_decorators",
    "dictionaries",
    "docstring_convention",
    "docstring_quotes",
    "extend_immutable_calls",
    "extension",
    "ignore_decorators",
    "ignore_names",
    "import_order_style",
    "inline_quotes",
    "known_modules",
    "multiline_quotes",
    "paths",
    "quotes",
    "report",
    "rst_directives",
    "rst_roles",
    "staticmethod_decorators",
    "type_checking_exempt_modules",
    "type_checking_modules",
];

fn is_python(pattern: &str) -> bool {
    pattern.is_empty() || pattern.ends_with(".py") || pattern.ends_with(".pyi")
}

pub(super) fn of_isort(name: &str, text: &str) -> SettingUses {
    // Of all editors and tools: what isort takes of it names a file with few of its settings.
    if name == ".editorconfig" {
        let mut keys = text.lines().filter_map(|line| line.split_once(['=', ':']));
        let fine = keys.all(|(key, _)| !ISORT_NAMING.contains(&isort_key(key).as_str()));
        return fine.then(Vec::new);
    }
    let settings = if name.ends_with(".toml") {
        let Some(settings) = of_tool(text, "isort")? else { return Some(Vec::new()) };
        let named = settings.iter().map(|(key, value)| {
            let is_table = value.is_table() || value.is_integer() || value.is_bool();
            Some((isort_key(key), if is_table { String::new() } else { texts(value)? }))
        });
        named.collect::<Option<Vec<_>>>()?
    } else {
        ini(text, |section| section == "settings" || is_of(section, "isort"))?
    };
    let is_fine = |(key, value): &(String, String)| {
        let key = isort_key(key);
        !ISORT_NAMING.contains(&key.as_str())
            && (is_switch(value)
                || ISORT_HARMLESS.iter().any(|known| key.starts_with(known))
                || is_harmless_option("isort", &key))
    };
    settings.iter().all(is_fine).then(Vec::new)
}

fn isort_key(key: &str) -> String {
    key.trim().to_ascii_lowercase().replace('-', "_")
}

/// Settings of isort that say which files it takes for sources, or that lead it elsewhere.
const ISORT_NAMING: &[&str] = &[
    "conda_env",
    "config_root",
    "directory",
    "ext_format",
    "extension",
    "formatter",
    "resolve_all_configs",
    "settings_file",
    "settings_path",
    "supported_extension",
    "supported_extensions",
    "virtual_env",
];

/// The beginnings of settings of isort that speak of imports, and of what is left out.
const ISORT_HARMLESS: &[&str] = &[
    "add_imports",
    "blocked_extensions",
    "filter_files",
    "namespace_packages",
    "classes",
    "comment_prefix",
    "constants",
    "default_section",
    "extra_standard_library",
    "force_",
    "forced_separate",
    "future_library",
    "import_footer",
    "import_heading",
    "indent",
    "known_",
    "length_sort",
    "line_ending",
    "multi_line_output",
    "no_lines_before",
    "profile",
    "remove_imports",
    "required_imports",
    "sections",
    "single_line_exclusions",
    "treat_",
    "skip",
    "skip_glob",
    "src_paths",
    "variables",
];

pub(super) fn of_pylint(name: &str, text: &str) -> SettingUses {
    let settings = if name.ends_with(".toml") {
        let Some(settings) = of_tool(text, "pylint")? else { return Some(Vec::new()) };
        let mut told = Vec::new();
        flatten(&settings, &mut told)?;
        told
    } else {
        let is_own = name.ends_with("pylintrc");
        ini(text, |section| is_own || is_of(section, "pylint"))?
    };
    let is_fine = |(key, value): &(String, String)| {
        let key = key.to_ascii_lowercase().replace('_', "-");
        // It becomes a word of its command line.
        if value.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_err()) {
            return false;
        }
        match key.as_str() {
            // A format may have a file behind it.
            "output-format" => {
                value.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_,".contains(&it))
            }
            _ if PYLINT_NAMING.contains(&key.as_str()) => {
                value.is_empty() || ["n", "no", "false"].contains(&value.as_str())
            }
            _ if PYLINT_HARMLESS.iter().any(|known| key.ends_with(known)) => true,
            _ => is_switch(value) || is_harmless_option("pylint", &key),
        }
    };
    settings.iter().all(is_fine).then(Vec::new)
}

/// All settings of a table and of those in it.
fn flatten(table: &toml::Table, told: &mut Vec<(String, String)>) -> Option<()> {
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => flatten(inner, told)?,
            toml::Value::Boolean(_) | toml::Value::Integer(_) | toml::Value::Float(_) => {
                told.push((key.clone(), "1".to_owned()));
            }
            value => told.push((key.clone(), texts(value)?)),
        }
    }
    Some(())
}

/// Settings of pylint that name files which it writes.
const PYLINT_NAMING: &[&str] = &[
    "ext-import-graph",
    "import-graph",
    "int-import-graph",
    "output",
    "spelling-private-dict-file",
    "spelling-store-unknown-words",
];

/// The ends of settings of pylint that speak of names, modules and messages, and of code of the project that is loaded.
const PYLINT_HARMLESS: &[&str] = &[
    "-arg",
    "-builtins",
    "-callbacks",
    "-classes",
    "-comments",
    "-directives",
    "-decorators",
    "-exceptions",
    "-format",
    "-functions",
    "-hint",
    "-hook",
    "-length",
    "-lines",
    "-list",
    "-members",
    "-methods",
    "-mixins",
    "-module",
    "-mutators",
    "-parents",
    "-modules",
    "-names",
    "-packages",
    "-paths",
    "-patterns",
    "-plugins",
    "-protected",
    "-rgx",
    "-rgxs",
    "-style",
    "-type",
    "-variables",
    "-version",
    "-whitelist",
    "-words",
    "callbacks",
    "known-standard-library",
    "known-third-party",
    "evaluation",
];

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
    "no_cache",
    "preview",
    "pyi",
    "python_cell_magics",
    "quiet",
    "required_version",
    "safe",
    "skip_magic_trailing_comma",
    "skip_numeric_underscore_normalization",
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
    r"\.pyi?$|\.ipynb$",
    r"(\.pyi?|\.ipynb)$",
    r"\.(py|pyi|ipynb)$",
    r".*\.pyi?$",
];

pub(super) fn of_black(_: &str, text: &str) -> SettingUses {
    let Some(settings) = of_tool(text, "black")? else { return Some(Vec::new()) };
    let fine = settings.iter().all(|(key, value)| {
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
    "django_settings_module",
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

pub(super) fn of_mypy(name: &str, text: &str) -> SettingUses {
    let settings = if name.ends_with(".toml") {
        let Some(settings) = of_tool(text, "mypy")? else { return Some(Vec::new()) };
        let is_plain = |(key, value): &(&String, &toml::Value)| match value {
            toml::Value::Boolean(_) | toml::Value::Integer(_) | toml::Value::Float(_) => false,
            // Of single modules: none of these names a file.
            value => *key != "overrides" || !value.is_array(),
        };
        let told = settings.iter().filter(is_plain);
        told.map(|(key, value)| Some((key.clone(), texts(value)?))).collect::<Option<Vec<_>>>()?
    } else {
        ini(text, |section| is_of(section, "mypy"))?
    };
    let mut uses = Vec::new();
    for (key, value) in settings {
        uses.extend(of_mypy_setting(&key, &value)?);
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
    // What is written is one path.
    if access == FileAccess::Write && value.contains([',', '\n']) {
        return None;
    }
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

pub(super) fn of_prettier(name: &str, text: &str) -> SettingUses {
    let is_toml = name.ends_with(".toml");
    let format = if is_toml { DocumentFormat::Toml } else { DocumentFormat::Json };
    // JSON without comments is the same in YAML. With some it may be another text there.
    let is_strict = is_toml || serde_json::from_str::<serde_json::Value>(text).is_ok();
    let Some(settings) = tree(text, format).ok().filter(|_| is_strict) else {
        // Of YAML it is enough that no parser is named. Code says anything.
        let is_code = name.ends_with("js") || name.ends_with("ts");
        // An escape may spell the word otherwise.
        let is_plain = !text.contains("parser") && !text.contains('\\');
        return (is_code || is_plain).then(Vec::new);
    };
    let DocumentValue::Table(entries) = &settings.value else {
        // The name of a package that has them.
        return is_package(&settings.value).then(Vec::new);
    };
    let fine = if name.starts_with("package.") {
        let own = entries.iter().filter(|entry| entry.key == "prettier");
        own.map(|entry| &entry.node.value).all(|value| match value {
            DocumentValue::Table(entries) => formats_kinds(entries),
            value => is_package(value),
        })
    } else {
        formats_kinds(entries)
    };
    fine.then(Vec::new)
}

/// Whether there are no settings, or those of a package, whose code says anything.
fn is_package(value: &DocumentValue) -> bool {
    match value {
        DocumentValue::Text(name) => !name.starts_with(['.', '/', '\\']) && !name.contains(':'),
        value => matches!(value, DocumentValue::Null),
    }
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
        ".json",
        ".jsonc",
        ".json5",
        ".svg",
        ".html",
        ".md",
        ".mdx",
        ".yml",
        ".yaml",
        ".css",
        ".vue",
        ".code-workspace",
        ".hbs",
        ".astro",
        ".svelte",
        ".babelrc",
        ".eslintrc",
        ".prettierrc",
        ".swcrc",
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

/// The words of an options file of RuboCop that name no file.
const RUBOCOP_HARMLESS: &[&str] = &[
    "-D",
    "-E",
    "-P",
    "-S",
    "--color",
    "--display-cop-names",
    "--display-style-guide",
    "--extra-details",
    "--force-exclusion",
    "--no-color",
    "--parallel",
];

/// The text without the line that goes on in the settings of what is left for later: those are looked at anyway. `None`: it may go on
/// in others.
fn without_todo(text: &str) -> Option<String> {
    const ALONE: &str = "inherit_from: .rubocop_todo.yml";
    const LISTED: [&str; 2] = ["- .rubocop_todo.yml", "  - .rubocop_todo.yml"];
    let mut rest = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let is_list = line == "inherit_from:" && lines.next_if(|it| LISTED.contains(it)).is_some();
        if line != ALONE && !is_list {
            rest.push(line);
            continue;
        }
        // An indented line would go on with the name, and an item with the list.
        let mut below = lines.clone().skip_while(|it| it.is_empty());
        if below.next().is_some_and(|it| it.starts_with([' ', '\t', '-'])) {
            return None;
        }
    }
    let rest = rest.join("\n");
    let climbs = rest.contains("inherit_gem") && rest.contains("..");
    (!rest.contains("inherit_from") && !climbs).then_some(rest)
}

/// Settings that say which files are looked at, or where what was found is kept, are read line by line. What YAML could say in
/// another way, over several lines, by an alias or by code, is not understood.
pub(super) fn of_rubocop(name: &str, text: &str) -> SettingUses {
    if name == ".rubocop" {
        return text.split_whitespace().all(|word| RUBOCOP_HARMLESS.contains(&word)).then(Vec::new);
    }
    let mut includes = false;
    let text = without_todo(text)?;
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
        && !pattern.contains('#')
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
                ("mypy.ini", "[mypy]\n  exclude = x\n  files = .env"),
                ("mypy.ini", " [mypy] x\njunit_xml = ../x"),
                ("mypy.ini", "[mypy]\ncache_dir = l,k"),
                ("mypy.ini", "[DEFAULT]\njunit_xml = ../x\n[mypy]\nstrict = True"),
                ("setup.cfg", "[metadata]\n  [mypy]\n  junit_xml = ../x"),
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
                (".prettierrc", "{\"semi\": false, // : 1, parser: babel\n}"),
                (".prettierrc", "\"./o.json\""),
                ("package.json", "{\"prettier\":\"./o.json\"}"),
                ("package.yaml", "{\"prettier\":{\"parser\":\"babel\"}}"),
                ("package.yaml", "prettier:\n  parser: babel"),
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
            of_flake8,
            &[
                (
                    ".flake8",
                    "[flake8]\nmax-line-length = 100\nextend-ignore = E203,\n  W503\nshow-source = true",
                ),
                (
                    "setup.cfg",
                    "[flake8]\nper-file-ignores =\n  # c\n  __init__.py:F401\n\n  a.py: E501\n[options]\noutput-file = x",
                ),
                (
                    "tox.ini",
                    "[testenv]\ncommands =\n  flake8 --x=1\n[flake8]\nfilename = *.py, *.pyi",
                ),
            ],
            &[
                (".flake8", "[flake8]\nfilename = *.env,*.cfg"),
                (".flake8", "[flake8]\nfilename = *.env *.py"),
                (".flake8", " [flake8] x\nfilename = *.env"),
                (".flake8", "[flake8]\noutput-file = ../x"),
                (".flake8", "[flake8]\noutput_file = 1"),
                (".flake8", "[DEFAULT]\nfilename = .env\n[flake8]"),
                (".flake8", "[flake8]\nsomething-new = ../x"),
            ],
        );
        check(
            of_isort,
            &[
                (
                    ".isort.cfg",
                    "[settings]\nprofile = black\nknown_first_party = a,b\nmulti_line_output=3",
                ),
                (toml, "[tool.isort]\nprofile = 'black'\nskip = ['x']\nline_length = 100"),
                (".editorconfig", "root = true\n[*]\nindent_size = 4\n[*.py]\nprofile = black"),
            ],
            &[
                (".isort.cfg", "[settings]\nsupported_extensions=env,py"),
                ("tox.ini", "[tool.isort]\nsupported_extensions=env,py"),
                (toml, "[tool.isort]\nsupported-extensions = ['env']"),
                (toml, "[tool.isort]\nvirtual_env = '../x'"),
                (".editorconfig", "[*.py]\nsupported_extensions = env"),
            ],
        );
        check(
            of_pylint,
            &[
                (
                    ".pylintrc",
                    "[MASTER]\nload-plugins=a.b\ndocstring-min-length=-1\nignore-long-lines=^\\s*(# )?x$\n[REPORTS]\noutput-format=colorized\nimport-graph=\nspelling-store-unknown-words=no",
                ),
                ("setup.cfg", "[pylint.main]\njobs=4\n[tool]\noutput=x"),
                (
                    toml,
                    "[tool.pylint.main]\njobs = 2\n[tool.pylint.'messages control']\ndisable = ['C0111']",
                ),
            ],
            &[
                (".pylintrc", "[MASTER]\noutput-format=json:../x"),
                (".pylintrc", "[MASTER]\noutput=../x"),
                (".pylintrc", "[MAIN]\nerrors-only=--output-format=json:/x"),
                (toml, "[tool.pylint]\nerrors-only = '--output-format=json:/x'"),
                (toml, "[tool.pylint.reports]\noutput-format = 'json:../x'"),
                (toml, "[tool.pylint]\nimport-graph = '../x'"),
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
                (".rubocop.yml", "inherit_from: .rubocop_todo.yml\nAllCops:\n  NewCops: enable\n"),
                (
                    ".rubocop.yml",
                    "inherit_from:\n  - .rubocop_todo.yml\nAllCops:\n  Exclude:\n    - x\n",
                ),
                (".rubocop", "--parallel\n--display-cop-names"),
            ],
            &[
                (".rubocop", "--parallel --out /tmp/x"),
                (".rubocop", "-A"),
                (".rubocop.yml", "inherit_from: other.yml\n"),
                (".rubocop.yml", "inherit_from:\n  other.yml\n"),
                (".rubocop.yml", "inherit_from: .rubocop_todo.yml\n  x\n"),
                (".rubocop.yml", "inherit_gem:\n  rubocop: ../../x.yml\n"),
                (".rubocop.yml", "AllCops:\n  Include:\n    - .env # a.rb\n"),
                (".rubocop.yml", "AllCops:\n  Include: [.env] # .rb]\n"),
                (".rubocop.yml", "inherit_from:\n  - .rubocop_todo.yml\n  - other.yml\n"),
                (".rubocop.yml", "inherit_from: [other.yml]\n"),
                (".rubocop.yml", "{inherit_from: other.yml}\n"),
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
