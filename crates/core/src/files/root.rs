//! The folder that everything is below, and the way to what a path names.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};
use std::sync::Mutex;

use cap_fs_ext::{DirExt as _, MetadataExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

use super::error::{FileError, FileFault};

/// Symlinks on the way to one file: as many as systems follow.
const MOST_LINKS: usize = 40;

/// The longest path that is looked at, in bytes.
const LONGEST: usize = 4096;

/// A folder, held open, and what is below it.
#[derive(Debug)]
pub struct FileRoot {
    dir: Dir,
    /// As it was given; absolute.
    given: PathBuf,
    /// Without symlinks.
    real: PathBuf,
    /// The most bytes of a file that is read whole.
    pub(super) most_bytes: u64,
    /// Held while a file is changed: of two changes the later one sees the earlier.
    pub(super) writing: Mutex<()>,
}

/// What to do about folders that are not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MissingFolders {
    /// Nothing is there.
    Fail,
    /// They are made.
    Make,
}

/// A folder below the root.
#[derive(Debug)]
pub(super) struct OpenFolder {
    pub(super) dir: Dir,
    /// Its path from the root: with `/`, empty for the root itself.
    pub(super) path: String,
}

/// A name in a folder, which is no symlink.
#[derive(Debug)]
pub(super) struct FolderSpot {
    pub(super) folder: OpenFolder,
    pub(super) name: OsString,
    /// `None`: there is nothing of that name.
    pub(super) metadata: Option<Metadata>,
    pub(super) made: MadeFolders,
}

/// What a path leads to.
#[derive(Debug)]
pub(super) enum PathTarget {
    Folder(OpenFolder),
    Spot(Box<FolderSpot>),
}

impl FileRoot {
    /// Holds this folder open. `path` is absolute; `most_bytes`: files of more are not read whole.
    ///
    /// # Errors
    /// When it is no absolute folder, or cannot be opened.
    pub fn open(path: &str, most_bytes: u64) -> Result<Self, FileError> {
        let io = |error| FileError::io(path, &error);
        let given = PathBuf::from(path);
        if !given.is_absolute() {
            return Err(FileFault::NotADirectory.at(path, "the root must be an absolute path"));
        }
        let real = given.canonicalize().map_err(io)?;
        let dir = Dir::open_ambient_dir(&real, ambient_authority()).map_err(io)?;
        Ok(Self { dir, given, real, most_bytes, writing: Mutex::new(()) })
    }

    /// The folder at the path of the root could be another one by now; what a human is shown is what stands there.
    fn still_there(&self, path: &str) -> Result<(), FileError> {
        let id = |dir: &Dir| dir.dir_metadata().map(|found| (found.dev(), found.ino()));
        let now = Dir::open_ambient_dir(&self.given, ambient_authority()).and_then(|dir| id(&dir));
        match (now, id(&self.dir)) {
            (Ok(now), Ok(held)) if now == held => Ok(()),
            _ => Err(FileFault::OutsideRoot.at(
                path,
                format!(
                    "the root {:?} is no longer the folder that it was: make a new backend for it",
                    self.given.display().to_string()
                ),
            )),
        }
    }

    /// The names that a path consists of.
    fn names(&self, path: &str) -> Result<Vec<OsString>, FileError> {
        if path.contains('\0') {
            return Err(FileFault::NoSuchFile.at(path, "a path has no NUL character"));
        }
        if path.len() > LONGEST {
            let start: String = path.chars().take(64).collect();
            return Err(
                FileFault::NoSuchFile.at(&start, format!("a path has at most {LONGEST} bytes"))
            );
        }
        self.parts(Path::new(path)).ok_or_else(|| self.outside(path))
    }

    fn outside(&self, path: &str) -> FileError {
        FileFault::OutsideRoot.at(
            path,
            format!("it leads out of {:?}: name a path below it", self.given.display().to_string()),
        )
    }

    /// In reverse, so that the next one is the last; `None`: not below the root.
    pub(super) fn parts(&self, path: &Path) -> Option<Vec<OsString>> {
        let below = if path.is_absolute() {
            path.strip_prefix(&self.given).or_else(|_| path.strip_prefix(&self.real)).ok()?
        } else {
            path
        };
        let parts: Option<Vec<OsString>> = below
            .components()
            .filter(|part| *part != Component::CurDir)
            .map(|part| match part {
                // A stream of a file on Windows, which is not what its name says.
                Component::Normal(name)
                    if cfg!(windows) && name.as_encoded_bytes().contains(&b':') =>
                {
                    None
                }
                Component::Normal(name) => Some(name.to_owned()),
                Component::ParentDir => Some("..".into()),
                _ => None,
            })
            .collect();
        parts.map(|mut parts| {
            parts.reverse();
            parts
        })
    }

    /// Where a path leads, through symlinks that stay below the root.
    pub(super) fn locate(
        &self, path: &str, missing: MissingFolders,
    ) -> Result<PathTarget, FileError> {
        let io = |error| FileError::io(path, &error);
        let mut ahead = self.names(path)?;
        self.still_there(path)?;
        let mut way: Vec<(OsString, Dir)> = Vec::new();
        let mut made = MadeFolders::default();
        let mut links = 0;
        while let Some(name) = ahead.pop() {
            if name == ".." {
                way.pop().ok_or_else(|| self.outside(path))?;
                continue;
            }
            let here = way.last().map_or(&self.dir, |(_, dir)| dir);
            let found = match here.symlink_metadata(&name) {
                Ok(found) => Some(found),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(io(error)),
            };
            match found {
                Some(found) if found.is_symlink() => {
                    links += 1;
                    if links > MOST_LINKS {
                        return Err(FileFault::Io.at(path, "too many symlinks lead to it"));
                    }
                    let target = here.read_link_contents(&name).map_err(io)?;
                    if target.is_absolute() {
                        way.clear();
                    }
                    ahead.extend(self.parts(&target).ok_or_else(|| self.outside(path))?);
                }
                Some(found) if found.is_dir() => {
                    let dir = here.open_dir_nofollow(&name).map_err(io)?;
                    way.push((name, dir));
                }
                None if !ahead.is_empty()
                    && missing == MissingFolders::Make
                    && !ahead.contains(&OsString::from("..")) =>
                {
                    here.create_dir(&name).map_err(io)?;
                    made.note(here, &name).map_err(io)?;
                    let dir = here.open_dir_nofollow(&name).map_err(io)?;
                    way.push((name, dir));
                }
                None if !ahead.is_empty() => return Err(io(ErrorKind::NotFound.into())),
                Some(_) if !ahead.is_empty() => return Err(io(ErrorKind::NotADirectory.into())),
                metadata => {
                    let folder = self.folder(way).map_err(io)?;
                    return Ok(PathTarget::Spot(Box::new(FolderSpot {
                        folder,
                        name,
                        metadata,
                        made,
                    })));
                }
            }
        }
        self.folder(way).map(PathTarget::Folder).map_err(io)
    }

    fn folder(&self, mut way: Vec<(OsString, Dir)>) -> std::io::Result<OpenFolder> {
        let names: Vec<_> = way.iter().map(|(name, _)| name.to_string_lossy()).collect();
        let path = names.join("/");
        drop(names);
        let dir = match way.pop() {
            Some((_, dir)) => dir,
            None => self.dir.try_clone()?,
        };
        Ok(OpenFolder { dir, path })
    }

    /// The folder that a path leads to.
    pub(super) fn folder_at(&self, path: &str) -> Result<OpenFolder, FileError> {
        match self.locate(path, MissingFolders::Fail)? {
            PathTarget::Folder(folder) => Ok(folder),
            PathTarget::Spot(spot) if spot.metadata.is_none() => {
                Err(FileError::io(path, &ErrorKind::NotFound.into()))
            }
            PathTarget::Spot(_) => Err(FileFault::NotADirectory.at(path, "it is not a folder")),
        }
    }

    /// A pattern without what says that it is below the root.
    pub(super) fn pattern<'a>(&self, pattern: &'a str) -> Result<&'a str, FileError> {
        if !Path::new(pattern).is_absolute() {
            return Ok(pattern);
        }
        [&self.given, &self.real]
            .iter()
            .filter_map(|root| pattern.strip_prefix(root.to_str()?)?.strip_prefix('/'))
            .next()
            .ok_or_else(|| self.outside(pattern))
    }
}

/// A path from the root with one more name.
pub(super) fn below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Folders that were made on the way. They go again unless they are kept.
#[derive(Debug, Default)]
pub(super) struct MadeFolders(Vec<(Dir, OsString)>);

impl MadeFolders {
    fn note(&mut self, parent: &Dir, name: &OsStr) -> std::io::Result<()> {
        self.0.push((parent.try_clone()?, name.to_owned()));
        Ok(())
    }

    pub(super) fn keep(&mut self) {
        self.0.clear();
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        for (parent, name) in self.0.drain(..).rev() {
            // Only an empty one goes: somebody may have put something there.
            let _ = parent.remove_dir(name);
        }
    }
}
