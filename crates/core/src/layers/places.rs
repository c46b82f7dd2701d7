//! Where the files of the layers are.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// The files of the layers. `None`: there is no such layer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LayerFiles {
    /// The administrator's.
    pub managed: Option<PathBuf>,
    /// The user's.
    pub user: Option<PathBuf>,
    /// The project's.
    pub project: Option<PathBuf>,
    /// Which projects the user trusts.
    pub trust: Option<PathBuf>,
}

impl LayerFiles {
    /// The usual files, for a project:
    ///
    /// - managed: `/etc/countersign/policy.toml`, on macOS below `/Library/Application Support`, on Windows below
    ///   `%ProgramData%`
    /// - user: `countersign/policy.toml` below `$XDG_CONFIG_HOME` or `~/.config`, on Windows below `%APPDATA%`
    /// - project: `.countersign/policy.toml` in it
    /// - trust: `trust.toml` beside the user's
    pub fn usual(project: &Path) -> Self {
        Self::from_environment(project, |name| std::env::var_os(name))
    }

    /// [`LayerFiles::usual`] with these environment variables.
    pub fn from_environment(project: &Path, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let dir = |name: &str| {
            // The XDG specification has relative ones ignored.
            variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
        };
        let (managed, config) = if cfg!(windows) {
            (dir("ProgramData"), dir("APPDATA"))
        } else {
            let managed =
                if cfg!(target_os = "macos") { "/Library/Application Support" } else { "/etc" };
            let config =
                dir("XDG_CONFIG_HOME").or_else(|| dir("HOME").map(|home| home.join(".config")));
            (Some(PathBuf::from(managed)), config)
        };
        let below = |dir: &PathBuf, name: &str| dir.join("countersign").join(name);
        Self {
            managed: managed.map(|dir| below(&dir, "policy.toml")),
            user: config.as_ref().map(|dir| below(dir, "policy.toml")),
            project: Some(project.join(".countersign").join("policy.toml")),
            trust: config.as_ref().map(|dir| below(dir, "trust.toml")),
        }
    }
}

/// The project that `cwd` is in: the nearest directory above it, or itself, with a `.countersign` directory or a `.git`;
/// else `cwd`.
///
/// Ignored are: a marker with another owner than `cwd`, since anyone who can write to a directory above, like `/tmp`, must not
/// set the bounds of the project; an empty `.git`, which is not a repository; and one in the home directory or above it, since
/// settings that are kept in git do not make one project of all files of the user.
pub fn project_root(cwd: &Path) -> PathBuf {
    project_root_in(cwd, home().as_deref())
}

/// Where a path leads, all symlinks followed; `None`: nothing is there, or its name is no text.
pub fn real_path(path: &str) -> Option<String> {
    fs::canonicalize(path).ok()?.into_os_string().into_string().ok()
}

fn home() -> Option<PathBuf> {
    let home = std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?;
    fs::canonicalize(home).ok()
}

/// The same, where this is the home directory, symlinks followed.
pub(super) fn project_root_in(cwd: &Path, home: Option<&Path>) -> PathBuf {
    let cwd = fs::canonicalize(cwd).unwrap_or_else(|_| cwd.to_owned());
    let owner = fs::metadata(&cwd).ok().and_then(|metadata| owner(&metadata));
    let marks = |dir: &&Path| {
        let found = |name: &str| fs::symlink_metadata(dir.join(name)).ok();
        let ours = |metadata: &fs::Metadata| self::owner(metadata) == owner;
        found(".countersign").is_some_and(|mark| mark.is_dir() && ours(&mark))
            || found(".git").is_some_and(|mark| {
                let is_repository =
                    !mark.is_dir() || fs::symlink_metadata(dir.join(".git/HEAD")).is_ok();
                is_repository && ours(&mark)
            })
    };
    let is_home = |dir: &&Path| home.is_some_and(|home| home.starts_with(dir));
    cwd.ancestors().take_while(|dir| !is_home(dir)).find(marks).unwrap_or(&cwd).to_owned()
}

#[cfg(unix)]
fn owner(metadata: &fs::Metadata) -> Option<u32> {
    Some(std::os::unix::fs::MetadataExt::uid(metadata))
}

#[cfg(not(unix))]
fn owner(_metadata: &fs::Metadata) -> Option<u32> {
    None
}
