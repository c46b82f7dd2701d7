//! A disk that has not been told to keep everything yet.
//!
//! The model is harsher than a journaling file system is:
//!
//! - What is written to a file lasts once *that file* was synced. Until then each write and each change of length may be lost,
//!   kept, or kept in part, each on its own.
//! - A name that comes, goes or changes lasts once *its folder* was synced; syncing the file alone does not do. Until then the
//!   changes of names are lost from some point on: file systems keep their order. One rename is lost or kept as a whole.
//! - SQLite's `-shm` is never there after a cut: it is a cache of the log beside it, made anew.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use super::Event;
use crate::store::Failure;

/// What a cut does to what was not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// All of it is lost.
    Dropped,
    /// Any part of it is there, in any order.
    Reordered,
    /// Any part of it is there, and of each write any sectors.
    Torn,
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Dropped, Self::Reordered, Self::Torn];
}

/// What a disk writes as a whole, in bytes.
const SECTOR: usize = 512;

#[derive(Debug, Clone, Copy)]
enum Change<'a> {
    Write { at: usize, data: &'a [u8] },
    Truncate { length: usize },
}

#[derive(Debug, Default, Clone)]
struct File<'a> {
    durable: Vec<u8>,
    waiting: Vec<Change<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Node {
    File(usize),
    Dir,
}

/// Names that change together; `None`: the name is gone.
type Step = Vec<(PathBuf, Option<Node>)>;
type Names = BTreeMap<PathBuf, Node>;

/// The disk under one folder.
#[derive(Debug, Clone)]
pub struct Disk<'a> {
    root: PathBuf,
    files: Vec<File<'a>>,
    inodes: HashMap<u64, usize>,
    /// As the program sees them.
    names: Names,
    durable: Names,
    waiting: Vec<Step>,
}

impl<'a> Disk<'a> {
    /// A folder that this image was written to, and nobody has touched since.
    pub fn new(root: &Path, image: &Image) -> Result<Self, Failure> {
        let mut disk = Self {
            root: root.to_owned(),
            files: Vec::new(),
            inodes: HashMap::new(),
            names: Names::new(),
            durable: Names::new(),
            waiting: Vec::new(),
        };
        for folder in &image.folders {
            disk.durable.insert(folder.clone(), Node::Dir);
        }
        for (path, bytes) in &image.files {
            disk.durable.insert(path.clone(), Node::File(disk.files.len()));
            disk.inodes.insert(inode(&root.join(path))?, disk.files.len());
            disk.files.push(File { durable: bytes.clone(), waiting: Vec::new() });
        }
        disk.names = disk.durable.clone();
        Ok(disk)
    }

    /// Does what the program did.
    pub fn apply(&mut self, event: &Event<'a>) -> Result<(), Failure> {
        match *event {
            Event::Create { path, inode } => {
                // The number of a file that is gone is given to the next one.
                self.inodes.insert(inode, self.files.len());
                self.files.push(File::default());
                let node = Node::File(self.files.len() - 1);
                self.rename(vec![(self.inside(path)?, Some(node))]);
            }
            Event::MakeDir { path } => {
                // The folder itself is the disk.
                if path != self.root {
                    self.rename(vec![(self.inside(path)?, Some(Node::Dir))]);
                }
            }
            Event::Rename { from, to } => {
                let from = self.inside(from)?;
                let Some(Node::File(file)) = self.names.get(&from).copied() else {
                    return Err(Failure(format!(
                        "{} was renamed, which is not modelled",
                        from.display()
                    )));
                };
                self.rename(vec![(from, None), (self.inside(to)?, Some(Node::File(file)))]);
            }
            Event::Unlink { path } => self.rename(vec![(self.inside(path)?, None)]),
            Event::Write { inode, at, data } => {
                let at = usize::try_from(at).map_err(|error| error.to_string())?;
                self.file(inode)?.waiting.push(Change::Write { at, data });
            }
            Event::Truncate { inode, length } => {
                let length = usize::try_from(length).map_err(|error| error.to_string())?;
                self.file(inode)?.waiting.push(Change::Truncate { length });
            }
            Event::Sync { inode } => {
                let file = self.file(inode)?;
                for change in std::mem::take(&mut file.waiting) {
                    change.apply(&mut file.durable, |_| true);
                }
            }
            Event::SyncDir { path } => {
                let dir = if path == self.root { PathBuf::new() } else { self.inside(path)? };
                for step in std::mem::take(&mut self.waiting) {
                    if step.iter().any(|(path, _)| path.parent() == Some(&dir)) {
                        keep(&mut self.durable, &step);
                    } else {
                        self.waiting.push(step);
                    }
                }
            }
            Event::Ack(_) => {}
            Event::Unmodelled { path, function } => {
                return Err(Failure(format!("{function} on {} is not modelled", path.display())));
            }
        }
        Ok(())
    }

    fn inside(&self, path: &Path) -> Result<PathBuf, Failure> {
        let inside = path.strip_prefix(&self.root).map(Path::to_owned);
        inside.map_err(|_| Failure(format!("{} is outside of the folder", path.display())))
    }

    fn file(&mut self, inode: u64) -> Result<&mut File<'a>, Failure> {
        let place = self.inodes.get(&inode).copied();
        place
            .and_then(|place| self.files.get_mut(place))
            .ok_or_else(|| Failure(format!("nobody made file {inode}")))
    }

    fn rename(&mut self, step: Step) {
        keep(&mut self.names, &step);
        self.waiting.push(step);
    }

    /// What a cut may leave behind.
    pub fn after_a_cut(&self, mode: Mode, random: &mut Rng) -> Image {
        let mut names = self.durable.clone();
        if mode != Mode::Dropped {
            let kept = random.usize(..=self.waiting.len());
            self.waiting.iter().take(kept).for_each(|step| keep(&mut names, step));
        }
        let mut image = Image::default();
        for (path, node) in &names {
            let parent = path.parent().unwrap_or(Path::new(""));
            let lost_parent = parent != Path::new("") && names.get(parent) != Some(&Node::Dir);
            if lost_parent || path.to_string_lossy().ends_with("-shm") {
                continue;
            }
            match node {
                Node::Dir => image.folders.push(path.clone()),
                Node::File(file) => {
                    if let Some(file) = self.files.get(*file) {
                        image.files.insert(path.clone(), file.after_a_cut(mode, random));
                    }
                }
            }
        }
        image
    }
}

#[cfg(unix)]
fn inode(path: &Path) -> Result<u64, Failure> {
    Ok(std::os::unix::fs::MetadataExt::ino(&fs::metadata(path)?))
}

#[cfg(not(unix))]
fn inode(path: &Path) -> Result<u64, Failure> {
    Err(Failure(format!("{}: files have no numbers here", path.display())))
}

fn keep(names: &mut Names, step: &Step) {
    for (path, node) in step {
        match node {
            Some(node) => names.insert(path.clone(), *node),
            None => names.remove(path),
        };
    }
}

impl File<'_> {
    fn after_a_cut(&self, mode: Mode, random: &mut Rng) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        // From nearly nothing to nearly all.
        let share = random.f64();
        let mut kept: Vec<Change<'_>> =
            self.waiting.iter().filter(|_| random.f64() < share).copied().collect();
        match mode {
            Mode::Dropped => {}
            Mode::Reordered => {
                random.shuffle(&mut kept);
                kept.iter().for_each(|change| change.apply(&mut bytes, |_| true));
            }
            Mode::Torn => kept.iter().for_each(|change| {
                let torn = random.bool();
                change.apply(&mut bytes, |_| !torn || random.bool());
            }),
        }
        bytes
    }
}

impl Change<'_> {
    /// Applies those sectors of it that are to be.
    fn apply(&self, bytes: &mut Vec<u8>, mut keeps: impl FnMut(usize) -> bool) {
        match *self {
            Self::Truncate { length } => bytes.resize(length, 0),
            Self::Write { at, data } => {
                let mut from = 0;
                while from < data.len() {
                    let sector = (at + from) / SECTOR;
                    let to = ((sector + 1) * SECTOR - at).min(data.len());
                    if keeps(sector) {
                        if bytes.len() < at + to {
                            bytes.resize(at + to, 0);
                        }
                        if let (Some(target), Some(source)) =
                            (bytes.get_mut(at + from..at + to), data.get(from..to))
                        {
                            target.copy_from_slice(source);
                        }
                    }
                    from = to;
                }
            }
        }
    }
}

/// A folder after a cut.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Image {
    /// Its folders, from the outer to the inner.
    pub folders: Vec<PathBuf>,
    /// Its files.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Image {
    /// Makes a real folder of it, in place of what was there.
    pub fn write(&self, dir: &Path) -> Result<(), Failure> {
        if dir.exists() {
            fs::remove_dir_all(dir)?;
        }
        fs::create_dir_all(dir)?;
        for folder in &self.folders {
            fs::create_dir(dir.join(folder))?;
        }
        for (path, bytes) in &self.files {
            fs::write(dir.join(path), bytes)?;
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
