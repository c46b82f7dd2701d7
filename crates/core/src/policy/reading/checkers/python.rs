//! What the settings of black, flake8, isort, mypy, pylint and pyright may say.

use super::kinds::{is_known, uses};
use super::setting_use::{SettingUse, SettingUses, is_plain_path};
use super::values::{SettingTable, SettingValue, of_ini, of_jsonc, of_tool, whole};

/// The settings of a tool, in TOML or in the sections of the other format that count.
fn settings_of(
    name: &str, text: &str, tool: &str, counts: impl Fn(&str) -> bool,
) -> Option<SettingTable> {
    if name.ends_with(".toml") { of_tool(text, tool) } else { of_ini(text, counts) }
}

/// The same with underscores in the names of keys, where a tool makes no difference.
fn underscored(settings: SettingTable) -> SettingTable {
    settings.into_iter().map(|(key, value)| (key.replace('-', "_"), value)).collect()
}

pub(super) fn of_black(_: &str, text: &str) -> SettingUses {
    uses("black", &underscored(of_tool(text, "black")?))
}

pub(super) fn of_flake8(_: &str, text: &str) -> SettingUses {
    // Not those of plugins of the project, which name their folder.
    uses("flake8", &underscored(of_ini(text, |section| section.starts_with("flake8"))?))
}

pub(super) fn of_isort(name: &str, text: &str) -> SettingUses {
    let is_shared = name == ".editorconfig";
    let settings = settings_of(name, text, "isort", |section| match is_shared {
        true => section == "*" || section.contains("py"),
        false => ["isort", "settings", "tool.isort", "tool:isort"].contains(&section),
    })?;
    let (editors, own) = underscored(settings)
        .into_iter()
        .partition::<SettingTable, _>(|(key, _)| is_shared && is_known("editors", key));
    uses("editors", &editors)?;
    uses("isort", &own)
}

pub(super) fn of_mypy(name: &str, text: &str) -> SettingUses {
    let counts = |section: &str| section == "mypy" || section.starts_with("mypy-");
    uses("mypy", &settings_of(name, text, "mypy", counts)?)
}

pub(super) fn of_pylint(name: &str, text: &str) -> SettingUses {
    let is_own = name.ends_with("pylintrc");
    let settings =
        settings_of(name, text, "pylint", |section| is_own || section.starts_with("pylint"))?;
    let mut told = SettingTable::new();
    flatten(settings, &mut told);
    uses("pylint", &told)
}

pub(super) fn of_pyright(name: &str, text: &str) -> SettingUses {
    let settings = match name.ends_with(".toml") {
        true => {
            // Each of the two reads its own, and the second those of the first as well.
            [of_tool(text, "pyright")?, of_tool(text, "basedpyright")?].concat()
        }
        false => whole(of_jsonc(text)?)?,
    };
    let (extended, own): (SettingTable, SettingTable) =
        settings.into_iter().partition(|(key, _)| key == "extends");
    let mut all = uses("pyright", &own)?;
    for (_, value) in extended {
        for path in value.texts()? {
            all.push(is_plain_path(path).then(|| SettingUse::GoesOn(path.to_owned()))?);
        }
    }
    Some(all)
}

/// All settings of a table and of those in it.
fn flatten(table: SettingTable, told: &mut SettingTable) {
    for (key, value) in table {
        match value {
            SettingValue::Table(inner) => flatten(inner, told),
            value => told.push((key, value)),
        }
    }
}
