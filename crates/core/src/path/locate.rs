//! Where a path points: as it is written, and through symlinks.

use super::FileLookup;
use super::resolve::{FollowedLink, is_per_process, resolve};
use super::syntax::{AbsolutePath, LONGEST_NAME, PathSyntax};
use crate::shell::WordPiece;

/// Longest path that the kernel takes, in bytes.
const LONGEST_PATH: usize = 4095;

/// From where, and as whom, a path is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct PathContext {
    /// The directory that relative paths start from. Absolute.
    pub cwd: String,
    /// The home directory, for `~`. Absolute.
    pub home: Option<String>,
    /// The directory that `${project}` means. Absolute.
    pub project: Option<String>,
    /// How that is called besides, by a symlink or without: what `${project}` takes out of a deny or an ask, it takes out by this
    /// name too. Absolute.
    pub project_as: Option<String>,
    /// Files that what judges calls lives in, such as a ledger. Absolute. What begins with the name of one and a `-` belongs to it.
    pub own: Vec<String>,
}

/// A path, made absolute, in each reading that a tool may take it in. Always with `/`, on Windows too (`C:/dir/file`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedPath {
    /// `.`, `..` and `//` taken out of the text, as `path.resolve` does.
    pub lexical: String,
    /// Where the kernel gets from the path as it is written: symlinks followed, `..` physical; parents that do not exist
    /// as if they would be made.
    pub real: String,
    /// The same from [`LocatedPath::lexical`].
    pub real_of_lexical: String,
    /// What the path was called on the way, at each symlink that was followed. The symlink itself is what a delete or a
    /// rename acts on, so denies look at these too. Often empty.
    pub through: Vec<String>,
    /// What the path is called where it is a symlink itself, the directories before it resolved: what a delete or a rename
    /// acts on, so that an allow to write looks at it too. Mostly empty.
    pub itself: Vec<String>,
    /// Whether names that differ in case alone are one file there.
    pub folding: CaseFolding,
}

/// Whether names that differ in case alone are one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseFolding {
    /// They are not.
    Never,
    /// They are, or may be.
    Always,
    /// The file system knows, and is asked once it matters: that takes longer than all the rest.
    Ask,
}

impl LocatedPath {
    /// Whether names that differ in case alone are one file there.
    pub fn folds_case(&self, files: &dyn FileLookup) -> bool {
        match self.folding {
            CaseFolding::Never => false,
            CaseFolding::Always => true,
            CaseFolding::Ask => !files.is_case_sensitive(&self.real),
        }
    }

    /// Where the kernel gets in either reading of `..`, each place once.
    pub(crate) fn reals(&self) -> impl Iterator<Item = &str> {
        let other = Some(&self.real_of_lexical).filter(|other| **other != self.real);
        std::iter::once(&self.real).chain(other).map(String::as_str)
    }

    /// The same, behind the path as it is written.
    pub(crate) fn places(&self) -> impl Iterator<Item = &str> {
        let others = self.reals().filter(|real| *real != self.lexical);
        std::iter::once(self.lexical.as_str()).chain(others)
    }

    /// Every reading, each once: what a deny looks at.
    pub(super) fn readings(&self) -> Vec<&str> {
        let mut readings: Vec<&str> = self.places().collect();
        for reading in &self.through {
            if !readings.contains(&reading.as_str()) {
                readings.push(reading);
            }
        }
        readings
    }
}

/// Why it cannot be said where a path points.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It is empty.
    #[error("the path is empty")]
    Empty,
    /// It holds a NUL.
    #[error("the path holds a NUL")]
    Nul,
    /// It is longer than a path can be.
    #[error("the path is too long")]
    TooLong,
    /// It leads through more than 40 symlinks, or in a circle.
    #[error("the path leads through too many symlinks")]
    TooManyLinks,
    /// It leads through `/proc/self`, `/dev/fd` and the like: to something else for each process.
    #[error("the path means something else to each process")]
    PerProcess,
    /// It begins with `~` and no home directory is known.
    #[error("the path begins with ~ and no home directory is known")]
    NoHome,
    /// It begins with `~name`: the home directory of another user.
    #[error(
        "the path begins with the home directory of a user by name (~name), which is not looked up"
    )]
    OtherHome,
    /// It can be read in more ways than one, or names no ordinary file (Windows).
    #[error("it cannot be told which file the path means: {0}")]
    Ambiguous(&'static str),
    /// The file system did not tell.
    #[error("{0}")]
    Unreadable(String),
    /// It can only be told by looking at the file system.
    #[error("the file system is needed to tell where the path points")]
    NeedsFiles,
}

/// Where `path` points. Nothing but `/dev/null` is located without looking at the file system.
///
/// # Errors
/// When it cannot be told; such a path is never allowed.
pub fn locate(
    path: &str, from: &PathContext, files: &dyn FileLookup,
) -> Result<LocatedPath, PathError> {
    locate_as(PathSyntax::NATIVE, path, from, files)
}

pub(super) fn locate_as(
    syntax: PathSyntax, path: &str, from: &PathContext, files: &dyn FileLookup,
) -> Result<LocatedPath, PathError> {
    if path == "/dev/null" && syntax == PathSyntax::Posix {
        return Ok(unlinked(path.to_owned()));
    }
    if let Some(text) = plain(syntax, path, from)
        && leads_nowhere_else(&text, files)?
    {
        return Ok(LocatedPath { folding: CaseFolding::Ask, ..unlinked(text) });
    }
    let raw = absolute(syntax, path, from)?;
    let normal = raw.normalised();
    let lexical = normal.text();
    if lexical.len() > LONGEST_PATH {
        return Err(PathError::TooLong);
    }
    let mut followed = Vec::new();
    let real = resolve(syntax, &raw, files, Some(&mut followed))?;
    // Without `..` both readings take the same way.
    let real_of_lexical = if raw.has_parents() {
        resolve(syntax, &normal, files, Some(&mut followed))?
    } else {
        real.clone()
    };
    let mut itself = Vec::new();
    let mut through = Vec::new();
    for FollowedLink { place, called, last } in followed {
        if last {
            itself.push(place);
        }
        through.push(called);
    }
    Ok(LocatedPath { lexical, real, real_of_lexical, through, itself, folding: CaseFolding::Ask })
}

/// Where the symlinks stand that are followed on the way to this path, in either reading of `..`: replacing one leads the path
/// elsewhere.
///
/// # Errors
/// When it cannot be told where the path points.
pub fn links_on(
    path: &str, from: &PathContext, files: &dyn FileLookup,
) -> Result<Vec<String>, PathError> {
    let raw = absolute(PathSyntax::NATIVE, path, from)?;
    let mut followed = Vec::new();
    for reading in [&raw, &raw.normalised()] {
        resolve(PathSyntax::NATIVE, reading, files, Some(&mut followed))?;
    }
    Ok(followed.into_iter().map(|link| link.place).collect())
}

/// The path by its text alone, as if there were no symlink: for denies and asks, which must bite even where
/// [`locate`] fails. Never enough for an allow.
///
/// # Errors
/// When the text is no path.
pub fn lexically(path: &str, from: &PathContext) -> Result<LocatedPath, PathError> {
    Ok(unlinked(absolute(PathSyntax::NATIVE, path, from)?.normalised().text()))
}

/// The path that a word spells, when all of it is certain: `~` put in where the shell would, and nowhere else (`'~/x'` is
/// a name that begins with `~`), so that [`locate`] takes it as the shell does.
pub fn spelled(pieces: &[WordPiece], from: &PathContext) -> Option<String> {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            WordPiece::Home => text.push_str(from.home.as_deref()?),
            WordPiece::Text(part) => {
                if text.is_empty() && part.starts_with('~') {
                    text.push_str("./");
                }
                text.push_str(part);
            }
            WordPiece::Glob(_) | WordPiece::Unknown { .. } => return None,
        }
    }
    Some(text)
}

/// The path made absolute, where its text is all that it takes: for speed, since most are so.
fn plain(syntax: PathSyntax, path: &str, from: &PathContext) -> Option<String> {
    let text = match path.as_bytes().first()? {
        b'/' => path.to_owned(),
        b'~' => return None,
        _ => format!("{}/{path}", from.cwd),
    };
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.len() <= LONGEST_NAME;
    let normal = syntax == PathSyntax::Posix
        && text.len() <= LONGEST_PATH
        && !text.contains('\0')
        && text.strip_prefix('/').is_some_and(|names| names.split('/').all(is_name));
    normal.then_some(text)
}

/// Whether no symlink stands on the way to this path, which is absolute and normal. The directories are looked at once
/// for all that is in them. Errs on the side of no.
fn leads_nowhere_else(path: &str, files: &dyn FileLookup) -> Result<bool, PathError> {
    let Some((dir, _)) = path.rsplit_once('/').filter(|(dir, _)| !dir.is_empty()) else {
        return Ok(false);
    };
    Ok(files.real(dir).is_ok_and(|real| real == dir)
        && !is_per_process(path)
        && files.read_link(path)?.is_none())
}

fn unlinked(text: String) -> LocatedPath {
    LocatedPath {
        real: text.clone(),
        real_of_lexical: text.clone(),
        lexical: text,
        through: Vec::new(),
        itself: Vec::new(),
        folding: CaseFolding::Never,
    }
}

/// The path made absolute, not yet normalised.
fn absolute(syntax: PathSyntax, path: &str, from: &PathContext) -> Result<AbsolutePath, PathError> {
    if path.is_empty() {
        return Err(PathError::Empty);
    }
    if path.contains('\0') || from.cwd.contains('\0') {
        return Err(PathError::Nul);
    }
    if path.len() > LONGEST_PATH {
        return Err(PathError::TooLong);
    }
    let cwd = || {
        syntax.absolute(&from.cwd, None)?.ok_or_else(|| {
            PathError::Unreadable(format!("the working directory {:?} is not absolute", from.cwd))
        })
    };
    if let Some(rest) = path.strip_prefix('~') {
        if !rest.is_empty() && !rest.starts_with(|c| syntax.separates(c)) {
            // Short names of Windows (`~1`) do not begin a path that is meant for a home either.
            return Err(PathError::OtherHome);
        }
        let home = from.home.as_deref().filter(|home| !home.is_empty()).ok_or(PathError::NoHome)?;
        let home = syntax.absolute(home, None)?.ok_or(PathError::NoHome)?;
        return home.join(syntax, rest);
    }
    let cwd = cwd()?;
    match syntax.absolute(path, Some(&cwd))? {
        Some(absolute) => Ok(absolute),
        None => cwd.join(syntax, path),
    }
}
