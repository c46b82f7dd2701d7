//! Files by which managers of versions choose the program that runs under a name: which there are, and what they say.
//!
//! A shim of such a manager runs what the nearest file says, may fetch what is not installed, and may take a folder of the
//! project for a version. So what is known to be harmless is described here, and all else is asked about.

use std::sync::Arc;

use super::programs::{COREPACK, ChosenPrograms, RUST};
use super::wanted::{self, FEW_NAMES, MOST_TEXT, WantedVersion};
use crate::path::{DirListing, FileLookup, PathError, fold, plain_text};
use crate::policy::judge::KnownFiles;

/// How many names of a folder are gone through, beyond the few that are near.
const MOST_NAMES: usize = 20_000;

/// What is looked for in a folder with more names than that.
const USUAL: &[&str] = &[
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    "mise.lock",
    ".mise.lock",
    "mise.local.lock",
    ".miserc.toml",
    ".rtx.toml",
    "mise",
    ".mise",
    ".config",
    ".prototools",
    ".volta",
    "package.json",
    ".corepack.env",
    "rust-toolchain",
    "rust-toolchain.toml",
    "Gemfile",
    ".nvmrc",
    ".node-version",
    ".python-version",
    ".python-versions",
    ".ruby-version",
    ".java-version",
    ".perl-version",
    ".go-version",
    ".php-version",
    ".lua-version",
    ".swift-version",
    ".bun-version",
    ".deno-version",
    ".terraform-version",
];

/// What is known of such files from earlier verdicts: their names, by the folders that they lie in.
#[derive(Debug, Default)]
pub(crate) struct KnownVersions {
    names: KnownFiles<[String]>,
}

impl KnownVersions {
    /// The files of this folder that may choose a program, and which.
    ///
    /// `of_base`: whether it is about programs of the base system alone, which few files choose.
    pub(super) fn of_folder(
        &self, folder: &str, home: Option<&str>, of_base: bool, files: &dyn FileLookup,
    ) -> Result<Vec<(String, ChosenPrograms)>, PathError> {
        let top = if folder.is_empty() { "/" } else { folder };
        let names = match self.names.of(top, files, || listed(top, files)) {
            Some(names) => names,
            None => probed(folder, files)?,
        };
        let mut chosen = Vec::new();
        for name in names.iter() {
            let kind = FileKind::of(name);
            if of_base && kind.is_some_and(FileKind::is_for_few) {
                continue;
            }
            for (file, kind) in files_of(folder, name, files) {
                for wanted in kind.wants(&format!("{folder}/{file}"), files)? {
                    let found = (file.clone(), wanted.programs);
                    if !chosen.contains(&found) && !wanted.is_installed(home, files)? {
                        chosen.push(found);
                    }
                }
            }
        }
        Ok(chosen)
    }
}

/// The names in this folder that a manager of versions may read; `None`: there are too many to go through.
fn listed(folder: &str, files: &dyn FileLookup) -> Option<Arc<[String]>> {
    let mut names = files.list(folder, FEW_NAMES);
    if names == DirListing::TooMany {
        names = files.list(folder, MOST_NAMES);
    }
    let DirListing::Names(names) = names else { return None };
    Some(names.into_iter().map(|found| found.name).filter(|name| may_choose(name)).collect())
}

/// The same, each of the usual names looked at.
fn probed(folder: &str, files: &dyn FileLookup) -> Result<Arc<[String]>, PathError> {
    let mut found = Vec::new();
    for name in USUAL {
        if files.has(&format!("{folder}/{name}"))? {
            found.push((*name).to_owned());
        }
    }
    Ok(found.into())
}

/// Folders in which mise looks for its files.
const FOLDERS: &[&str] = &["mise", ".mise", ".config"];

/// Whether a manager of versions reads what has this name.
pub(super) fn may_choose(name: &str) -> bool {
    FileKind::of(name).is_some() || FOLDERS.contains(&fold(name).as_str())
}

/// Whether a line that writes a file of this name may choose what runs in it. What else a `package.json` says is changed often.
pub(super) fn chooses(name: &str) -> bool {
    FileKind::of(name)
        .map_or_else(|| FOLDERS.contains(&fold(name).as_str()), |kind| !kind.is_for_few())
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    /// `.tool-versions`: a tool and its versions in each line.
    Lines,
    Mise,
    /// `mise.lock`: where a version is fetched from.
    MiseLock,
    Proto,
    /// A version in each line.
    Plain,
    Rust,
    Package,
    /// The variables of corepack.
    Corepack,
    /// The folder of volta, whose hooks are programs.
    Volta,
    Gemfile,
}

impl FileKind {
    fn of(name: &str) -> Option<Self> {
        // Of a volume that tells no cases apart a file has many names.
        let name = fold(name);
        let hidden = name.strip_prefix('.');
        let bare = hidden.unwrap_or(&name);
        let is_toml = bare.ends_with(".toml");
        Some(match name.as_str() {
            ".tool-versions" => Self::Lines,
            "package.json" => Self::Package,
            ".corepack.env" => Self::Corepack,
            ".volta" => Self::Volta,
            "rust-toolchain" | "rust-toolchain.toml" => Self::Rust,
            "gemfile" => Self::Gemfile,
            ".nvmrc" | ".yvmrc" | ".sdkmanrc" => Self::Plain,
            _ if is_toml && (bare.starts_with("mise") || bare.starts_with("rtx")) => Self::Mise,
            _ if bare.starts_with("mise") && bare.ends_with(".lock") => Self::MiseLock,
            _ if hidden.is_some() && bare.starts_with("prototools") => Self::Proto,
            _ if hidden.is_some()
                && (bare.ends_with("-version") || bare.ends_with("-versions")) =>
            {
                Self::Plain
            }
            _ => return None,
        })
    }

    /// Whether it never chooses a program of the base system.
    fn is_for_few(self) -> bool {
        matches!(self, Self::Package | Self::Corepack | Self::Volta | Self::Gemfile)
    }

    fn wants(self, file: &str, files: &dyn FileLookup) -> Result<Vec<WantedVersion>, PathError> {
        let of_it = match self {
            Self::Package | Self::Corepack => ChosenPrograms::Only(COREPACK),
            Self::Rust => ChosenPrograms::Only(RUST),
            _ => ChosenPrograms::All,
        };
        // A manager prints what it cannot use: of a symlink to a secret that would be the secret.
        if self == Self::Plain && leads_elsewhere(file, files)? {
            return Ok(vec![WantedVersion::of(ChosenPrograms::Managed)]);
        }
        if self == Self::Volta {
            let hooks = files.has(&format!("{file}/hooks.json"))?;
            return Ok(hooks
                .then(|| WantedVersion::of(ChosenPrograms::Managed))
                .into_iter()
                .collect());
        }
        let Some(text) = plain_text(files, file, MOST_TEXT) else {
            // A folder of that name is no file of anybody's. It has no text, and names in it.
            let has_names = match files.list(file, FEW_NAMES) {
                DirListing::Names(names) => !names.is_empty(),
                DirListing::Unknown | DirListing::TooMany => false,
            };
            return Ok((!has_names).then(|| WantedVersion::of(of_it)).into_iter().collect());
        };
        Ok(match self {
            Self::Lines => wanted::of_lines(&text),
            Self::Mise => wanted::of_toml(&text, wanted::of_mise),
            // What it says of a version is fetched, though another one of that name is installed.
            Self::MiseLock => vec![WantedVersion::of(ChosenPrograms::Managed)],
            Self::Proto => wanted::of_toml(&text, wanted::of_proto),
            Self::Plain => wanted::of_plain(&text),
            Self::Rust => wanted::of_rust(&text),
            Self::Package => wanted::of_package(&text),
            Self::Corepack => vec![WantedVersion::of(ChosenPrograms::Only(COREPACK))],
            Self::Volta => Vec::new(),
            Self::Gemfile => wanted::of_gemfile(&text),
        })
    }
}

/// Whether it is a symlink to a file of another name, which no manager reads.
fn leads_elsewhere(file: &str, files: &dyn FileLookup) -> Result<bool, PathError> {
    let name_of = |path: &str| path.rsplit('/').next().map(str::to_owned).unwrap_or_default();
    let real = match files.real(file) {
        Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
        real => real.map_or_else(|_| String::new(), |real| name_of(&real)),
    };
    Ok(fold(&real) != fold(&name_of(file)) && FileKind::of(&real).is_none())
}

/// The files that this name stands for: itself, or the files of mise in its folders.
fn files_of(folder: &str, name: &str, files: &dyn FileLookup) -> Vec<(String, FileKind)> {
    if let Some(kind) = FileKind::of(name) {
        return vec![(name.to_owned(), kind)];
    }
    let mut found = Vec::new();
    // Each folder, and whether mise reads all settings in it or only those that have its name.
    let mut left = vec![(name.to_owned(), fold(name) != ".config")];
    while let Some((within, all)) = left.pop() {
        let entries = match files.list(&format!("{folder}/{within}"), FEW_NAMES) {
            DirListing::Names(entries) => entries,
            DirListing::Unknown => continue,
            DirListing::TooMany => {
                // Too many to say which.
                found.push((within, FileKind::Mise));
                continue;
            }
        };
        for entry in entries {
            let file = format!("{within}/{}", entry.name);
            let lower = fold(&entry.name);
            let is_meant = all || lower.starts_with("mise");
            if lower.ends_with(".toml") && is_meant {
                found.push((file, FileKind::Mise));
            } else if lower.ends_with(".lock") && is_meant {
                found.push((file, FileKind::MiseLock));
            } else if lower == "mise" && !all || lower == "conf.d" && all {
                left.push((file, true));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_managers_are_known_in_any_case() {
        for name in [
            ".tool-versions",
            "Mise.toml",
            ".mise.ci.toml",
            ".FOO-version",
            ".config",
            "mise",
            ".prototools.x",
        ] {
            assert!(may_choose(name) && chooses(name), "{name}");
        }
        for name in ["package.json", "Gemfile", ".volta", ".corepack.env"] {
            assert!(may_choose(name) && !chooses(name), "{name}");
        }
        for name in ["check-version", "x.toml", "tool-versions", "README.md"] {
            assert!(!may_choose(name), "{name}");
        }
    }
}
