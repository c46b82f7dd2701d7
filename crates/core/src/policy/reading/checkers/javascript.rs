//! What the settings of prettier, ESLint and oxlint may say.

use super::kinds::uses;
use super::setting_use::{
    SettingUse, SettingUses, are_first_kinds, are_kinds, is_plain_path, is_word,
};
use super::values::{SettingTable, SettingValue, of_json, of_jsonc, of_toml, of_yaml, whole};

pub(super) fn of_prettier(name: &str, text: &str) -> SettingUses {
    let ending = name.rsplit('.').next().unwrap_or_default();
    let settings = match ending {
        "toml" => SettingValue::Table(of_toml(text)?),
        "json" => of_json(text)?,
        "json5" => of_jsonc(text)?,
        _ => of_json(text).or_else(|| of_yaml(text))?,
    };
    if name.starts_with("package.") {
        let mut all = Vec::new();
        for (_, own) in whole(settings)?.into_iter().filter(|(key, _)| key == "prettier") {
            all.extend(of_prettier_settings(&own)?);
        }
        return Some(all);
    }
    of_prettier_settings(&settings)
}

fn of_prettier_settings(settings: &SettingValue) -> SettingUses {
    let settings = match settings {
        SettingValue::Table(settings) => settings,
        SettingValue::Nothing => return Some(Vec::new()),
        // The name of a package that has them.
        name => return packages(name),
    };
    let mut all = Vec::new();
    for (key, value) in settings {
        all.extend(match (key.as_str(), value) {
            ("plugins", names) => packages(names)?,
            ("tailwindConfig" | "tailwindStylesheet", SettingValue::Text(path))
                if is_plain_path(path) =>
            {
                vec![SettingUse::GoesOn(path.clone())]
            }
            ("overrides", SettingValue::List(overrides)) => {
                overrides.iter().map(of_prettier_override).collect::<Option<Vec<_>>>()?.concat()
            }
            _ => uses("prettier", &vec![(key.clone(), value.clone())])?,
        });
    }
    Some(all)
}

/// What it says of some files. A parser makes those files sources.
fn of_prettier_override(one: &SettingValue) -> SettingUses {
    let SettingValue::Table(one) = one else { return None };
    let mut all = Vec::new();
    for (key, value) in one {
        match (key.as_str(), value) {
            ("files" | "excludeFiles", _) => {}
            ("options", SettingValue::Table(options)) => {
                let (parser, others): (SettingTable, SettingTable) =
                    options.iter().cloned().partition(|(key, _)| key == "parser");
                let is_name = |value: &SettingValue| matches!(value, SettingValue::Text(name) if is_word(name));
                let mut files = one.iter().filter(|(key, _)| key == "files");
                let fine = parser.iter().all(|(_, name)| is_name(name))
                    && files.all(|(_, files)| are_kinds("prettier", files, false));
                if !parser.is_empty() && !fine {
                    return None;
                }
                all.extend(of_prettier_settings(&SettingValue::Table(others))?);
            }
            _ => return None,
        }
    }
    Some(all)
}

/// The names of packages alone, whose code says anything.
fn packages(names: &SettingValue) -> SettingUses {
    let names = names.texts()?;
    names
        .iter()
        .all(|name| is_package(name))
        .then(|| names.first().map(|_| SettingUse::Packages).into_iter().collect())
}

/// Whether it is the name of a package, or of something in one.
fn is_package(name: &str) -> bool {
    is_plain_path(&name.replace('@', ""))
        && !name.split('/').any(|part| part.is_empty() || part.starts_with('.'))
}

pub(super) fn of_eslint(name: &str, text: &str) -> SettingUses {
    let settings = match name {
        ".eslintignore" => {
            let takes_in = text.lines().any(|line| line.trim_start().starts_with('!'));
            return Some(takes_in.then_some(SettingUse::TakesIn).into_iter().collect());
        }
        _ if name.ends_with(".yaml") || name.ends_with(".yml") => {
            of_json(text).or_else(|| of_yaml(text))?
        }
        _ if name.ends_with(".json") => of_jsonc(text)?,
        // This may be both.
        _ => of_jsonc(text).or_else(|| of_yaml(text))?,
    };
    if name != "package.json" {
        return match settings {
            SettingValue::Nothing => Some(Vec::new()),
            settings => of_eslint_settings(&whole(settings)?),
        };
    }
    let mut all = Vec::new();
    for (key, value) in whole(settings)? {
        match key.as_str() {
            "eslintConfig" => all.extend(of_eslint_settings(&whole(value)?)?),
            "eslintIgnore" => all.extend(ignoring(&value)?),
            _ => {}
        }
    }
    Some(all)
}

fn of_eslint_settings(settings: &SettingTable) -> SettingUses {
    let mut all = Vec::new();
    for (key, value) in settings {
        match (key.as_str(), value) {
            // What rules and packages are told.
            (
                "$schema"
                | "env"
                | "globals"
                | "noInlineConfig"
                | "reportUnusedDisableDirectives"
                | "root",
                _,
            )
            | (_, SettingValue::Nothing) => {}
            ("rules", SettingValue::Table(rules)) if rules.iter().all(is_fine_rule) => {}
            ("parserOptions", SettingValue::Table(options)) if options.iter().all(is_parsed) => {}
            ("settings", SettingValue::Table(settings)) if settings.iter().all(is_shared) => {}
            // A path without its ending may be another one.
            ("parser", SettingValue::Text(name)) if name.starts_with(['.', '/']) => {
                all.extend(
                    [".js", ".cjs"]
                        .iter()
                        .any(|end| name.ends_with(end))
                        .then_some(())
                        .and_then(|()| goes_on(value))?,
                );
            }
            ("extends" | "parser", names) => all.extend(goes_on(names)?),
            ("plugins" | "processor", names) => all.extend(packages(names)?),
            ("ignorePatterns", patterns) => all.extend(ignoring(patterns)?),
            ("excludedFiles", _) => {}
            // They are sources, then.
            ("files", files) if are_kinds("eslint", files, true) => {
                all.extend((!are_first_kinds("eslint", files)).then_some(SettingUse::TakesIn));
            }
            ("overrides", SettingValue::List(overrides)) => {
                for one in overrides {
                    all.extend(of_eslint_settings(&whole(one.clone())?)?);
                }
            }
            _ => return None,
        }
    }
    Some(all)
}

/// Whether a text is a path that may lead out of the project: it begins at the root or in a home, or climbs.
pub(super) fn leads_out(text: &str) -> bool {
    let begins = |path: &str| {
        let below = path.trim_start_matches('/');
        let is_path = below.starts_with(|it: char| it.is_alphanumeric() || "._-@".contains(it));
        path.starts_with('~') || path.starts_with('/') && is_path
    };
    // An address of the network is no path; one of files is.
    let text = ["http://", "https://"].iter().find_map(|it| text.strip_prefix(it)).unwrap_or(text);
    text.split(':').any(begins) || text.split(['/', '\\', ':', '<']).any(|part| part == "..")
}

/// Whether no value in it leads out.
fn stays_in(value: &SettingValue) -> bool {
    match value {
        SettingValue::Text(text) => text.split([',', ' ', '=']).all(|part| !leads_out(part)),
        SettingValue::List(items) => items.iter().all(stays_in),
        SettingValue::Table(entries) => entries.iter().all(|(_, value)| stays_in(value)),
        SettingValue::Flag(_) | SettingValue::Number | SettingValue::Nothing => true,
    }
}

/// Whether what a rule is told leads nowhere. Those of plugins may load what they are told; those of ESLint name no file.
fn is_fine_rule((name, options): &(String, SettingValue)) -> bool {
    !name.contains('/') || stays_in(options)
}

/// Whether it says of the language alone what a parser is told, or names settings of TypeScript in the project.
fn is_parsed((key, value): &(String, SettingValue)) -> bool {
    let is_flag = |value: &SettingValue| matches!(value, SettingValue::Flag(_));
    match (key.as_str(), value) {
        ("ecmaVersion", SettingValue::Number) => true,
        ("ecmaVersion" | "sourceType", SettingValue::Text(word)) => is_word(word),
        ("ecmaFeatures", SettingValue::Table(features)) => {
            features.iter().all(|(_, value)| is_flag(value))
        }
        ("project", SettingValue::Text(_) | SettingValue::List(_)) => {
            value.texts().is_some_and(|paths| paths.into_iter().all(is_plain_path))
        }
        ("tsconfigRootDir", SettingValue::Text(path)) => path == "." || path == "./",
        (
            "project"
            | "projectService"
            | "requireConfigFile"
            | "emitDecoratorMetadata"
            | "experimentalDecorators"
            | "warnOnUnsupportedTypeScriptVersion",
            value,
        ) => is_flag(value),
        _ => false,
    }
}

/// Whether what all rules are told is a switch, a number, or which React it is.
fn is_shared((key, value): &(String, SettingValue)) -> bool {
    match (key.as_str(), value) {
        (_, SettingValue::Flag(_) | SettingValue::Number) => true,
        ("react", SettingValue::Table(react)) => react.iter().all(|(key, value)| {
            let is_known = ["createClass", "defaultVersion", "fragment", "pragma", "version"]
                .contains(&key.as_str());
            is_known && matches!(value, SettingValue::Text(word) if is_word(word))
        }),
        _ => false,
    }
}

pub(super) fn of_oxlint(_: &str, text: &str) -> SettingUses {
    of_oxlint_settings(&whole(of_jsonc(text)?)?)
}

/// Not `jsPlugins`, which are code.
fn of_oxlint_settings(settings: &SettingTable) -> SettingUses {
    let mut all = Vec::new();
    for (key, value) in settings {
        match (key.as_str(), value) {
            ("$schema" | "categories" | "env" | "globals" | "rules" | "settings", _) => {}
            ("ignorePatterns", patterns) => all.extend(ignoring(patterns)?),
            // Those come with it.
            ("plugins", SettingValue::List(_)) => {}
            ("extends", names) => all.extend(goes_on(names)?),
            ("files" | "excludeFiles", _) => {}
            ("overrides", SettingValue::List(overrides)) => {
                for one in overrides {
                    all.extend(of_oxlint_settings(&whole(one.clone())?)?);
                }
            }
            _ => return None,
        }
    }
    Some(all)
}

/// Files of settings and of code that are named by their paths, and packages that have some.
fn goes_on(names: &SettingValue) -> SettingUses {
    let known = names.texts()?.into_iter().map(|name| {
        let is_path = name.starts_with(['.', '/']);
        let package = name.strip_prefix("plugin:").unwrap_or(name);
        match name {
            _ if is_path && !name.contains(['\\', '\0']) => {
                Some(SettingUse::GoesOn(name.to_owned()))
            }
            "eslint:all" | "eslint:recommended" => Some(SettingUse::Packages),
            _ => is_package(package).then_some(SettingUse::Packages),
        }
    });
    known.collect()
}

/// Patterns of what is passed over.
fn ignoring(patterns: &SettingValue) -> SettingUses {
    let takes_in = patterns.texts()?.iter().any(|it| it.trim_start().starts_with('!'));
    Some(takes_in.then_some(SettingUse::TakesIn).into_iter().collect())
}
