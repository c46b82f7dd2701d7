//! The file system, as far as it matters to where a path points.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
#[cfg(unix)]
use std::time::{SystemTime, UNIX_EPOCH};

use super::PathError;
use super::resolve::{is_per_process, resolve};
use super::syntax::PathSyntax;
use super::way::is_below;

/// How many names of a directory are looked at to tell whether case matters in it.
const NAMES_TRIED: usize = 16;

/// How many names are listed for one verdict at most, and what it takes to list none, in names.
const NAMES_LISTED: usize = 100_000;
const COST_OF_LIST: usize = 16;

/// How many looks near are taken for one verdict, and the most names that one of them takes in.
const LOOKS_NEAR: u8 = 64;
const FEW_NAMES: usize = 1024;

/// The name of what makes a folder a repository, and what stands between the names of a path.
const GIT: &str = ".git";
const SEPARATOR: &str = if cfg!(windows) { "/" } else { "\\" };

/// The index of a repository, and the largest that is near, in bytes.
const INDEX: &str = "/.git/index";
const SMALL_INDEX: usize = 1 << 18;

/// How long ago a directory must have changed for its [`DirStamp`] to be sure, in seconds.
#[cfg(unix)]
const SETTLED: u64 = 2;

/// The file system, as far as it matters to where a path points.
pub trait FileLookup {
    /// What a symlink says, `None` for what is no symlink or does not exist.
    ///
    /// # Errors
    /// When it cannot be told, for lack of permission or for lack of a file system.
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError>;

    /// Whether names differ when only their case differs, where this path is. It need not exist.
    fn is_case_sensitive(&self, path: &str) -> bool;

    /// The state of a directory (missing is one too): as long as it is the same, so are the names in it, and which of
    /// them are symlinks; or that of a file, and what is in it. `None` when that cannot be told, or when it has just changed.
    fn stamp(&self, _dir: &str) -> Option<DirStamp> {
        None
    }

    /// Up to `most` entry names of a directory; empty if it is not one.
    fn list(&self, _dir: &str, _most: usize) -> DirListing {
        DirListing::Unknown
    }

    /// The same with each name as the system has it, also those that are no text.
    fn list_raw(&self, dir: &Path, most: usize) -> DirListing<RawEntry> {
        let Some(dir) = dir.to_str() else { return DirListing::Unknown };
        match self.list(dir, most) {
            DirListing::Names(names) => {
                DirListing::Names(names.into_iter().map(RawEntry::from).collect())
            }
            DirListing::TooMany => DirListing::TooMany,
            DirListing::Unknown => DirListing::Unknown,
        }
    }

    /// Whether there is anything of this name: what is known of no file is not there.
    ///
    /// # Errors
    /// When it cannot be told.
    fn has(&self, _path: &str) -> Result<bool, PathError> {
        Ok(false)
    }

    /// Whether a file of this name holds something, where it leads: what is put in its place is a loss then.
    ///
    /// # Errors
    /// When it cannot be told.
    fn holds_content(&self, _path: &str) -> Result<bool, PathError> {
        Ok(false)
    }

    /// The whole text of a file that has no more than `most` bytes; `None`: it has more, is no UTF-8, or cannot be read.
    fn text(&self, _path: &str, _most: usize) -> Option<String> {
        None
    }

    /// The mode of a file, as the system keeps it, where it leads; `None`: there is no file, or the system keeps none.
    ///
    /// # Errors
    /// When it cannot be told.
    fn mode_of_file(&self, _path: &str) -> Result<Option<u32>, PathError> {
        Ok(None)
    }

    /// Which file has this name; a symlink is not followed. `None`: it cannot be told.
    fn identity(&self, _path: &Path) -> Option<FileIdentity> {
        None
    }

    /// All bytes of a file that has no more than `most`; `None`: it has more, or cannot be read.
    fn bytes(&self, _path: &str, _most: usize) -> Option<Vec<u8>> {
        None
    }

    /// The first bytes of a file, up to `most`; `None`: it cannot be read.
    fn beginning(&self, _path: &str, _most: usize) -> Option<Vec<u8>> {
        None
    }

    /// The folders below this one that hold a `.git`, and the symlinks there to such ones, but for what is in a `.git` or in
    /// a folder that `passes` says of, which gets the one that it is in and its name. `None`: it cannot be told, or would take
    /// more than `most` names.
    fn repositories_below(
        &self, _dir: &str, _passes: &dyn Fn(&str, &str) -> bool, _most: usize,
    ) -> Option<Vec<String>> {
        Some(Vec::new())
    }

    /// Where an absolute path that is normal (no `..`) points. What keeps answers overrides it.
    ///
    /// # Errors
    /// When it cannot be told.
    fn real(&self, path: &str) -> Result<String, PathError> {
        match PathSyntax::NATIVE.absolute(path, None)? {
            Some(absolute) => resolve(PathSyntax::NATIVE, &absolute, self, None),
            None => Err(PathError::Unreadable(format!("{path}: not absolute"))),
        }
    }
}

/// How many names may still be looked at. Each that a folder has counts, so that no tree is gone through for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameBudget(usize);

impl NameBudget {
    /// So many names.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self(most)
    }

    /// The names in a folder; [`DirListing::TooMany`] where more are there than may be looked at.
    pub fn list(&mut self, dir: &str, files: &dyn FileLookup) -> DirListing<DirEntry> {
        self.counted(files.list(dir, self.0))
    }

    /// The same, as the system has them.
    pub fn list_raw(&mut self, dir: &Path, files: &dyn FileLookup) -> DirListing<RawEntry> {
        self.counted(files.list_raw(dir, self.0))
    }

    fn counted<T>(&mut self, listing: DirListing<T>) -> DirListing<T> {
        if let DirListing::Names(names) = &listing {
            self.0 = self.0.saturating_sub(names.len());
        }
        listing
    }
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirEntry {
    /// It. What is no text in it stands as U+FFFD: see [`is_garbled`].
    pub name: String,
    /// Whether it is a symlink.
    pub is_link: bool,
    /// Whether it is a directory.
    pub is_dir: bool,
}

/// Which file something is: two names of one file have the same numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity {
    /// The numbers of its device and of the file.
    pub numbers: (u64, u64),
    /// How many names it has. A folder has one.
    pub names: u64,
}

/// A name in a directory, as the system has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEntry {
    /// It.
    pub name: OsString,
    /// Whether it is a symlink.
    pub is_link: bool,
    /// Whether it is a directory.
    pub is_dir: bool,
}

impl From<DirEntry> for RawEntry {
    fn from(DirEntry { name, is_link, is_dir }: DirEntry) -> Self {
        Self { name: name.into(), is_link, is_dir }
    }
}

/// The name, with U+FFFD for each byte that is no text: to a shell each is a character.
pub(crate) fn garbled(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text
}

/// Whether a name is not certain: a part of it is no text, and may be any bytes in a comparison.
pub(crate) fn is_garbled(name: &str) -> bool {
    name.contains(char::REPLACEMENT_CHARACTER)
}

/// The names in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirListing<Name = DirEntry> {
    /// It cannot be told: each name can still be looked at.
    Unknown,
    /// There are more than were asked for, or they may not be read.
    TooMany,
    /// They are these.
    Names(Vec<Name>),
}

/// The state of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DirStamp {
    /// Device, inode, and when it changed, in seconds and nanoseconds.
    found: Option<(u64, u64, i64, i64)>,
}

impl DirStamp {
    /// Whether the directory does not exist, so that nothing is in it either.
    pub(super) fn is_missing(&self) -> bool {
        self.found.is_none()
    }

    /// One that no directory has.
    pub(super) fn never() -> Self {
        Self { found: Some((0, 0, i64::MIN, -1)) }
    }

    #[cfg(test)]
    pub(crate) fn numbered(number: u64) -> Self {
        Self { found: Some((0, number, 0, 0)) }
    }

    #[cfg(test)]
    pub(super) fn missing() -> Self {
        Self { found: None }
    }
}

/// The file system of this machine. Blocks: not for the JavaScript thread.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealFiles;

/// The file system of this machine where a process already is: names in its working directory and in those above, and
/// whether they hold a repository of git. A few looks at what the kernel has at hand, for a thread that must not wait.
///
/// All else is [`PathError::NeedsFiles`]. Not all that asks can say so: where [`NearFiles::is_beyond`], nothing holds that
/// was made of its answers.
#[derive(Debug, Clone)]
pub struct NearFiles<'a> {
    cwd: &'a str,
    left: Cell<u8>,
    beyond: Cell<bool>,
}

/// No file system: everything about it is [`PathError::NeedsFiles`].
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

/// A file system without symlinks; nothing else of it is known: for paths that are examples.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLinks;

/// Keeps the answers of another, so that the paths and patterns of one verdict ask once. Not for longer than a verdict:
/// it does not see changes.
pub struct CachedFiles<'a> {
    files: &'a dyn FileLookup,
    links: RefCell<HashMap<String, Result<Option<PathBuf>, PathError>>>,
    reals: RefCell<HashMap<String, Result<String, PathError>>>,
    cases: RefCell<HashMap<String, bool>>,
    stamps: RefCell<HashMap<String, Option<DirStamp>>>,
    there: RefCell<HashMap<String, Result<bool, PathError>>>,
    texts: RefCell<HashMap<String, Option<String>>>,
    lists: RefCell<HashMap<String, Rc<[DirEntry]>>>,
    /// How many names may still be listed.
    names: Cell<usize>,
}

impl FileLookup for NoFiles {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Err(PathError::NeedsFiles)
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }

    fn has(&self, _path: &str) -> Result<bool, PathError> {
        Err(PathError::NeedsFiles)
    }

    fn holds_content(&self, _path: &str) -> Result<bool, PathError> {
        Err(PathError::NeedsFiles)
    }

    fn mode_of_file(&self, _path: &str) -> Result<Option<u32>, PathError> {
        Err(PathError::NeedsFiles)
    }
}

impl<'a> NearFiles<'a> {
    /// Where the process works.
    pub fn new(cwd: &'a str) -> Self {
        Self { cwd, left: Cell::new(LOOKS_NEAR), beyond: Cell::new(false) }
    }

    /// Whether something was asked that is not near.
    pub fn is_beyond(&self) -> bool {
        self.beyond.get()
    }

    /// Takes one look at this path, where that is near.
    fn look(&self, path: &str) -> Result<(), PathError> {
        let folder = path.strip_suffix("/.git/HEAD").or_else(|| path.strip_suffix(INDEX));
        let folder = folder.or_else(|| path.rsplit_once('/').map(|(folder, _)| folder));
        let is_near = folder.is_some_and(|folder| is_below(self.cwd, folder));
        match self.left.get().checked_sub(1) {
            Some(left) if is_near || is_git_settings(path) => {
                self.left.set(left);
                Ok(())
            }
            _ => Err(self.go_beyond()),
        }
    }

    fn go_beyond(&self) -> PathError {
        self.beyond.set(true);
        PathError::NeedsFiles
    }
}

/// Where git has the settings of the machine, by where it is installed.
pub(crate) const GIT_SETTINGS_OF_MACHINE: &[&str] =
    &["/etc/gitconfig", "/usr/local/etc/gitconfig", "/opt/homebrew/etc/gitconfig"];

/// Whether git itself keeps its settings there, or where they are: for a repository, for the user, or for the machine.
fn is_git_settings(path: &str) -> bool {
    const ENDS: &[&str] = &[
        "/.git/config",
        "/.git/config.worktree",
        "/.git/commondir",
        "/.gitconfig",
        "/.config/git/config",
    ];
    GIT_SETTINGS_OF_MACHINE.contains(&path) || ENDS.iter().any(|end| path.ends_with(end))
}

impl FileLookup for NearFiles<'_> {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        self.look(path)?;
        RealFiles.read_link(path)
    }

    fn has(&self, path: &str) -> Result<bool, PathError> {
        self.look(path)?;
        RealFiles.has(path)
    }

    fn holds_content(&self, path: &str) -> Result<bool, PathError> {
        self.look(path)?;
        RealFiles.holds_content(path)
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        self.go_beyond();
        true
    }

    fn stamp(&self, path: &str) -> Option<DirStamp> {
        // Whether what is known of git's files and of the folders above still holds. Of all else it is not told, which costs
        // a look at it.
        let is_meant = path.ends_with(INDEX) || is_git_settings(path) || is_below(self.cwd, path);
        let near = is_meant && self.look(path).is_ok();
        near.then(|| RealFiles.stamp(path)).flatten()
    }

    fn list(&self, dir: &str, most: usize) -> DirListing {
        // A folder above with few names is read at once.
        let near = is_below(self.cwd, dir) && self.look(dir).is_ok();
        let names = near.then(|| RealFiles.list(dir, most.min(FEW_NAMES)));
        names.filter(|names| matches!(names, DirListing::Names(_))).unwrap_or_else(|| {
            self.go_beyond();
            DirListing::Unknown
        })
    }

    fn mode_of_file(&self, _path: &str) -> Result<Option<u32>, PathError> {
        Err(self.go_beyond())
    }

    fn text(&self, path: &str, most: usize) -> Option<String> {
        // What a worktree of git has, and git's settings: no text of the user's.
        if !path.ends_with("/.git") && !is_git_settings(path) {
            self.go_beyond();
            return None;
        }
        self.look(path).ok()?;
        RealFiles.text(path, most)
    }

    fn repositories_below(
        &self, _dir: &str, _passes: &dyn Fn(&str, &str) -> bool, _most: usize,
    ) -> Option<Vec<String>> {
        self.go_beyond();
        None
    }

    fn bytes(&self, path: &str, most: usize) -> Option<Vec<u8>> {
        // What git knows, where that is little.
        let near = path.ends_with(INDEX) && self.look(path).is_ok();
        let bytes = near.then(|| RealFiles.bytes(path, most.min(SMALL_INDEX))).flatten();
        if bytes.is_none() {
            self.go_beyond();
        }
        bytes
    }

    fn beginning(&self, _path: &str, _most: usize) -> Option<Vec<u8>> {
        self.go_beyond();
        None
    }
}

impl FileLookup for NoLinks {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(None)
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }
}

impl FileLookup for RealFiles {
    fn has(&self, path: &str) -> Result<bool, PathError> {
        match fs::symlink_metadata(path) {
            Ok(_) => Ok(true),
            Err(error) => missing(path, &error).map(|_| false),
        }
    }

    fn holds_content(&self, path: &str) -> Result<bool, PathError> {
        match fs::metadata(path) {
            Ok(found) => Ok((found.is_file() && found.len() > 0) || is_disk(&found)),
            Err(error) => missing(path, &error).map(|_| false),
        }
    }

    #[cfg(unix)]
    fn mode_of_file(&self, path: &str) -> Result<Option<u32>, PathError> {
        use std::os::unix::fs::MetadataExt as _;
        match fs::metadata(path) {
            Ok(found) => Ok(found.is_file().then(|| found.mode())),
            Err(error) => missing(path, &error).map(|_| None),
        }
    }

    fn text(&self, path: &str, most: usize) -> Option<String> {
        String::from_utf8(self.bytes(path, most)?).ok()
    }

    fn bytes(&self, path: &str, most: usize) -> Option<Vec<u8>> {
        // One more byte tells what is too long from what ends there.
        let bytes = self.beginning(path, most.checked_add(1)?)?;
        (bytes.len() <= most).then_some(bytes)
    }

    fn beginning(&self, path: &str, most: usize) -> Option<Vec<u8>> {
        use std::io::Read as _;
        // Looked at before it is opened: to open a pipe would wait for a writer.
        let found = fs::metadata(path).ok()?;
        if !found.is_file() {
            return None;
        }
        // Lengths that files tell may be old, or none at all.
        let length = usize::try_from(found.len()).ok()?;
        let mut bytes = Vec::with_capacity(length.saturating_add(1).min(most));
        let limit = u64::try_from(most).ok()?;
        fs::File::open(path).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        // One call to the kernel: reading what is no link is `InvalidInput` there. Windows has no such code.
        if cfg!(windows) {
            match fs::symlink_metadata(path) {
                Ok(found) if !found.is_symlink() => return Ok(None),
                Ok(_) => {}
                Err(error) => return missing(path, &error),
            }
        }
        match fs::read_link(path) {
            Ok(target) => Ok(Some(target)),
            Err(error) if error.kind() == ErrorKind::InvalidInput && !cfg!(windows) => Ok(None),
            Err(error) => missing(path, &error),
        }
    }

    fn is_case_sensitive(&self, path: &str) -> bool {
        let path = Path::new(path);
        if let Some(answer) = same_in_other_case(path) {
            return !answer;
        }
        // It does not exist, or has no letters: its neighbours tell, else the directory's own name.
        for dir in path.ancestors().skip(1) {
            let Ok(entries) = fs::read_dir(dir) else { continue };
            let by_neighbour = entries
                .take(NAMES_TRIED)
                .flatten()
                .find_map(|entry| same_in_other_case(&entry.path()));
            if let Some(answer) = by_neighbour.or_else(|| same_in_other_case(dir)) {
                return !answer;
            }
        }
        !cfg!(any(windows, target_vendor = "apple"))
    }

    fn list(&self, dir: &str, most: usize) -> DirListing {
        match self.list_raw(Path::new(dir), most) {
            DirListing::Names(names) => names
                .into_iter()
                .map(as_text)
                .collect::<Option<_>>()
                .map_or(DirListing::TooMany, DirListing::Names),
            DirListing::TooMany => DirListing::TooMany,
            DirListing::Unknown => DirListing::Unknown,
        }
    }

    #[cfg(unix)]
    fn identity(&self, path: &Path) -> Option<FileIdentity> {
        use std::os::unix::fs::MetadataExt as _;
        let about = fs::symlink_metadata(path).ok()?;
        let names = if about.is_dir() { 1 } else { about.nlink() };
        Some(FileIdentity { numbers: (about.dev(), about.ino()), names })
    }

    fn list_raw(&self, dir: &Path, most: usize) -> DirListing<RawEntry> {
        match listed(dir, most) {
            Ok(Some(names)) => DirListing::Names(names),
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                DirListing::Names(Vec::new())
            }
            Ok(None) | Err(_) => DirListing::TooMany,
        }
    }

    fn repositories_below(
        &self, dir: &str, passes: &dyn Fn(&str, &str) -> bool, most: usize,
    ) -> Option<Vec<String>> {
        let mut found = Vec::new();
        let mut left = most;
        let top = Path::new(if dir.is_empty() { "/" } else { dir });
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            let names = match fs::read_dir(&folder) {
                Ok(names) => names,
                Err(error) if is_closed(&folder, &error) => continue,
                Err(_) => return None,
            };
            for entry in names {
                left = left.checked_sub(1)?;
                let entry = entry.ok()?;
                let (name, kind) = (entry.file_name(), entry.file_type().ok()?);
                let path = entry.path();
                if name.eq_ignore_ascii_case(GIT) {
                    if folder != top {
                        found.push(folder.to_str()?.replace('\\', SEPARATOR));
                    }
                } else if kind.is_symlink() {
                    if fs::symlink_metadata(path.join(GIT)).is_ok() {
                        found.push(path.to_str()?.replace('\\', SEPARATOR));
                    }
                } else if kind.is_dir() {
                    let passed =
                        |folder: &str| name.to_str().is_some_and(|name| passes(folder, name));
                    if !folder.to_str().is_some_and(passed) {
                        folders.push(path);
                    }
                }
            }
        }
        Some(found)
    }

    #[cfg(unix)]
    fn stamp(&self, dir: &str) -> Option<DirStamp> {
        use std::os::unix::fs::MetadataExt as _;
        let found = match fs::metadata(dir) {
            Ok(found) => found,
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Some(DirStamp { found: None });
            }
            Err(_) => return None,
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        // Clocks of file systems are coarse: two changes may have one time.
        let settled = now.checked_sub(SETTLED)?;
        if u64::try_from(found.ctime()).ok()? >= settled {
            return None;
        }
        let found = (found.dev(), found.ino(), found.ctime(), found.ctime_nsec());
        Some(DirStamp { found: Some(found) })
    }
}

/// Whether the folder does not exist, or cannot be entered.
fn is_closed(folder: &Path, error: &std::io::Error) -> bool {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => true,
        ErrorKind::PermissionDenied => fs::symlink_metadata(folder.join(GIT))
            .is_err_and(|error| error.kind() == ErrorKind::PermissionDenied),
        _ => false,
    }
}

fn listed(dir: &Path, most: usize) -> std::io::Result<Option<Vec<RawEntry>>> {
    let mut names = Vec::new();
    for (count, entry) in fs::read_dir(dir)?.enumerate() {
        if count == most {
            return Ok(None);
        }
        let entry = entry?;
        // The kind comes with the name: the file itself is not looked at.
        let kind = entry.file_type()?;
        let (is_link, is_dir) = (kind.is_symlink(), kind.is_dir());
        names.push(RawEntry { name: entry.file_name(), is_link, is_dir });
    }
    Ok(Some(names))
}

/// What is no text has no other name by which a symlink or a directory could be looked into: `None`. A file is judged by what is
/// text of its name.
fn as_text(RawEntry { name, is_link, is_dir }: RawEntry) -> Option<DirEntry> {
    match name.into_string() {
        Ok(name) => Some(DirEntry { name, is_link, is_dir }),
        Err(_) if is_link || is_dir => None,
        Err(name) => Some(DirEntry { name: garbled(&name), is_link, is_dir }),
    }
}

/// Whether it is a disk, or a part of one.
#[cfg(unix)]
fn is_disk(found: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    found.file_type().is_block_device()
}

#[cfg(not(unix))]
fn is_disk(_found: &fs::Metadata) -> bool {
    false
}

fn missing(path: &str, error: &std::io::Error) -> Result<Option<PathBuf>, PathError> {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(None),
        ErrorKind::InvalidFilename => Err(PathError::TooLong),
        _ => Err(PathError::Unreadable(format!("{path}: {error}"))),
    }
}

/// Whether the same file answers to its name in the other case; `None` when it does not exist or has no letters.
fn same_in_other_case(path: &Path) -> Option<bool> {
    let name = path.file_name()?.to_str()?;
    let other: String =
        name.chars()
            .map(|c| {
                if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
            })
            .collect();
    if other == name {
        return None;
    }
    let here = fs::symlink_metadata(path).ok()?;
    let there = fs::symlink_metadata(path.with_file_name(other));
    Some(there.is_ok_and(|there| is_same(&here, &there)))
}

#[cfg(unix)]
fn is_same(one: &fs::Metadata, other: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(_one: &fs::Metadata, _other: &fs::Metadata) -> bool {
    true
}

impl<'a> CachedFiles<'a> {
    /// Over these.
    pub fn new(files: &'a dyn FileLookup) -> Self {
        Self {
            files,
            links: RefCell::default(),
            reals: RefCell::default(),
            cases: RefCell::default(),
            stamps: RefCell::default(),
            there: RefCell::default(),
            texts: RefCell::default(),
            lists: RefCell::default(),
            names: Cell::new(NAMES_LISTED),
        }
    }
}

impl FileLookup for CachedFiles<'_> {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        kept(&self.links, path, || self.files.read_link(path))
    }

    fn is_case_sensitive(&self, path: &str) -> bool {
        // Names beside each other have one answer.
        let dir = path.rfind('/').and_then(|end| path.get(..end)).unwrap_or_default();
        kept(&self.cases, dir, || self.files.is_case_sensitive(path))
    }

    fn list(&self, dir: &str, most: usize) -> DirListing {
        // Several look through the same folders.
        if let Some(known) = self.lists.borrow().get(dir) {
            return match known.len() <= most {
                true => DirListing::Names(known.to_vec()),
                false => DirListing::TooMany,
            };
        }
        let left = self.names.get();
        let listing =
            if left == 0 { DirListing::TooMany } else { self.files.list(dir, most.min(left)) };
        let taken = match &listing {
            DirListing::Names(names) => names.len() + COST_OF_LIST,
            DirListing::Unknown => 0,
            DirListing::TooMany => most,
        };
        self.names.set(left.saturating_sub(taken));
        if let DirListing::Names(names) = &listing {
            self.lists.borrow_mut().insert(dir.to_owned(), names.as_slice().into());
        }
        listing
    }

    fn list_raw(&self, dir: &Path, most: usize) -> DirListing<RawEntry> {
        // Who asks looks through each folder once.
        self.files.list_raw(dir, most)
    }

    fn identity(&self, path: &Path) -> Option<FileIdentity> {
        self.files.identity(path)
    }

    fn has(&self, path: &str) -> Result<bool, PathError> {
        kept(&self.there, path, || self.files.has(path))
    }

    fn holds_content(&self, path: &str) -> Result<bool, PathError> {
        self.files.holds_content(path)
    }

    fn mode_of_file(&self, path: &str) -> Result<Option<u32>, PathError> {
        self.files.mode_of_file(path)
    }

    fn text(&self, path: &str, most: usize) -> Option<String> {
        let text = kept(&self.texts, path, || self.files.text(path, most));
        text.filter(|text| text.len() <= most)
    }

    fn repositories_below(
        &self, dir: &str, passes: &dyn Fn(&str, &str) -> bool, most: usize,
    ) -> Option<Vec<String>> {
        self.files.repositories_below(dir, passes, most)
    }

    fn bytes(&self, path: &str, most: usize) -> Option<Vec<u8>> {
        // Too much to keep: what is made of it is.
        self.files.bytes(path, most)
    }

    fn beginning(&self, path: &str, most: usize) -> Option<Vec<u8>> {
        self.files.beginning(path, most)
    }

    fn stamp(&self, dir: &str) -> Option<DirStamp> {
        kept(&self.stamps, dir, || self.files.stamp(dir))
    }

    fn real(&self, path: &str) -> Result<String, PathError> {
        kept(&self.reals, path, || {
            // Many patterns begin alike: only what follows the last known directory is new.
            let known = path.rsplit_once('/').and_then(|(dir, name)| {
                let dir = self.reals.borrow().get(dir)?.clone().ok()?;
                Some(format!("{}/{name}", dir.trim_end_matches('/')))
            });
            if let Some(known) = known
                && !known.ends_with("/..")
                && self.read_link(&known)?.is_none()
                && !is_per_process(&known)
            {
                return Ok(known);
            }
            match PathSyntax::NATIVE.absolute(path, None)? {
                Some(absolute) => resolve(PathSyntax::NATIVE, &absolute, self, None),
                None => Err(PathError::Unreadable(format!("{path}: not absolute"))),
            }
        })
    }
}

fn kept<T: Clone>(answers: &RefCell<HashMap<String, T>>, path: &str, ask: impl FnOnce() -> T) -> T {
    if let Some(answer) = answers.borrow().get(path) {
        return answer.clone();
    }
    let answer = ask();
    answers.borrow_mut().insert(path.to_owned(), answer.clone());
    answer
}
