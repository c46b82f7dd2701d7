//! Values that name what lies in the project: its code, the folders of its tests, and what that code is told.

use super::setting_use::{SettingUse, SettingUses, are_kinds, is_plain_path, is_word};
use super::values::SettingValue;
use crate::shell::{FileAccess, written_out};

/// Endings of what runs as JavaScript, and of data that goes with it.
pub(super) const ENDINGS: &[&str] =
    &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "json", "node", "vue", "svelte"];

/// Paths of the project, in a list or with blanks or commas between them. Of a pattern it is the folder that it begins with.
pub(super) fn insides(value: &SettingValue) -> SettingUses {
    let parts = |text: &'_ str| match value {
        SettingValue::List(_) => vec![text.to_owned()],
        _ => text.split([' ', ',', '\n', '\t']).map(str::to_owned).collect(),
    };
    let mut all = Vec::new();
    for path in value.texts()?.into_iter().flat_map(parts).filter(|path| !path.is_empty()) {
        all.push(SettingUse::Own(inside(&path)?));
    }
    Some(all)
}

/// Folders of the project that have settings of their own.
pub(super) fn projects(value: &SettingValue) -> SettingUses {
    let mut all = insides(value)?;
    for path in value.texts()? {
        // A file of settings may have any name.
        let is_folder = !path.rsplit('/').next().unwrap_or(path).contains('.') || path == ".";
        all.push(SettingUse::Folder(inside(path).filter(|_| is_folder)?));
    }
    Some(all)
}

fn inside(path: &str) -> Option<String> {
    let begins = path
        .split_once('*')
        .map_or(path, |(begins, _)| begins.rsplit_once('/').map_or(".", |(folder, _)| folder));
    is_plain_path(&path.replace('*', "x")).then(|| begins.to_owned())
}

/// Names of packages and of files: one, several, each with what it is told, or those of a table.
pub(super) fn code(value: &SettingValue) -> SettingUses {
    use SettingValue::{Flag, List, Table, Text};
    let mut all = Vec::new();
    match value {
        // What a pattern found stands behind a `$`.
        Text(name) => {
            let digit = |it: char| it.is_ascii_digit();
            let mut found = name.split('$');
            let begins = found.next().unwrap_or_default().to_owned();
            let rest = found.map(|part| part.strip_prefix(digit).map(|rest| format!("x{rest}")));
            let path = rest.collect::<Option<Vec<_>>>().map(|it| begins + &it.concat())?;
            let path = path.replace('@', "");
            all.push(is_plain_path(&path).then(|| SettingUse::Own(name.clone()))?);
        }
        List(items) => {
            for item in items {
                all.extend(if let Table(_) = item { told(item) } else { code(item) }?);
            }
        }
        Table(entries) => {
            for (_, value) in entries {
                all.extend(code(value)?);
            }
        }
        Flag(false) | SettingValue::Nothing => {}
        _ => return None,
    }
    Some(all)
}

/// Files that are run. What a pattern finds ends like a script, and a folder is gone through for those that do.
pub(super) fn scripts(tool: &str, value: &SettingValue) -> SettingUses {
    let mut all = Vec::new();
    for text in value.texts()? {
        if !text.contains('*') && is_plain_path(text) {
            all.push(SettingUse::Path(FileAccess::Read, text.to_owned()));
            all.push(SettingUse::Own(text.to_owned()));
            continue;
        }
        let known = are_kinds(tool, &SettingValue::Text(text.to_owned()), false);
        for path in written_out(text).filter(|_| known)? {
            all.push(SettingUse::Own(inside(&path)?));
        }
    }
    Some(all)
}

/// All texts in it: one that is a path is written, and another is no path.
pub(super) fn told(value: &SettingValue) -> SettingUses {
    use SettingValue::{Flag, List, Number, Table, Text};
    let mut all = Vec::new();
    match value {
        Text(text) => {
            // Some have a name before it.
            let path = text.split_once('=').map_or(text.as_str(), |(_, value)| value);
            let is_address = ["http://", "https://"].iter().any(|it| text.starts_with(it));
            match is_plain_path(path) {
                true => all.push(SettingUse::Path(FileAccess::Write, path.to_owned())),
                false => (is_address || is_bare(path)).then_some(())?,
            }
        }
        List(items) => {
            for item in items {
                all.extend(told(item)?);
            }
        }
        Table(entries) => {
            for (key, value) in entries {
                // Settings of a compiler that it reads.
                let is_code = ["tsconfig", "tsConfig", "babelConfig"].contains(&key.as_str());
                all.extend(if is_code { code(value) } else { told(value) }?);
            }
        }
        Flag(_) | Number | SettingValue::Nothing => {}
    }
    Some(all)
}

/// Whether a text is surely no path.
pub(super) fn is_bare(text: &str) -> bool {
    !text.contains(['/', '\\', '~', '$', '%']) && text != ".."
}

/// `error`, `ignore:MESSAGE:CATEGORY:MODULE:LINE`. The category may be one of a module, which is loaded.
pub(super) fn warnings(value: &SettingValue) -> SettingUses {
    let mut all = Vec::new();
    for line in value.texts()?.into_iter().flat_map(str::lines) {
        let category = line.split(':').nth(2).unwrap_or_default().trim();
        if !is_word(category) {
            return None;
        }
        if let Some((module, _)) = category.rsplit_once('.') {
            all.push(SettingUse::Module(module.to_owned()));
        }
    }
    Some(all)
}

/// An option of Node that says how sources are read, or loads code of the project or of its packages.
pub(super) fn node_option(option: &str) -> SettingUses {
    const PLAIN: &[&str] = &[
        "enable-source-maps",
        "experimental-specifier-resolution",
        "max-old-space-size",
        "no-warnings",
    ];
    const LOADS: &[&str] = &["experimental-loader", "import", "loader", "require"];
    let (name, value) = option.split_once('=').unwrap_or((option, ""));
    match name {
        _ if PLAIN.contains(&name) && is_word(value) => Some(Vec::new()),
        _ if LOADS.contains(&name) => code(&SettingValue::Text(value.to_owned())),
        _ => None,
    }
}
