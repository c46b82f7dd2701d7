//! A disk whose latest changes are not durable yet.
//!
//! The model is harsher than a journaling file system is:
//!
//! - The contents of a file last once *that file* was synced. Until then each write and each change of length may be lost,
//!   kept, or kept in part, each on its own.
//! - A name that comes, goes or changes lasts once *its folder* was synced; syncing the file alone does not do. Until then the
//!   changes of names are lost from some point on: file systems keep their order. One rename is lost or kept as a whole.
//! - SQLite's `-shm` is never there after a cut: it is a cache of the log beside it, made anew.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;

use super::DiskEvent;
use crate::store::ProofError;

/// The effect of a cut on changes that were not synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CutMode {
    /// All of them are lost.
    Dropped,
    /// Any of them are kept, applied in any order.
    Reordered,
    /// Any of them are kept, and of each write any sectors.
    Torn,
}

impl CutMode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Dropped, Self::Reordered, Self::Torn];
}

/// The unit that a disk writes as a whole, in bytes.
const SECTOR: usize = 512;

/// A change of a file that is not durable yet.
#[derive(Debug, Clone, Copy)]
enum FileChange<'a> {
    Write { at: usize, data: &'a [u8] },
    Truncate { length: usize },
}

/// A file: its durable contents, and the changes since.
#[derive(Debug, Default, Clone)]
struct DiskFile<'a> {
    durable: Vec<u8>,
    waiting: Vec<FileChange<'a>>,
}

/// The node that a name leads to: a file by its place, or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DiskNode {
    File(usize),
    Dir,
}

/// Names that change together; `None`: the name is gone.
type NameChanges = Vec<(PathBuf, Option<DiskNode>)>;
/// The nodes by their paths.
type DiskNames = BTreeMap<PathBuf, DiskNode>;

/// The disk under one folder.
#[derive(Debug, Clone)]
pub struct SimulatedDisk<'a> {
    root: PathBuf,
    files: Vec<DiskFile<'a>>,
    inodes: HashMap<u64, usize>,
    /// As the program sees them.
    names: DiskNames,
    durable: DiskNames,
    waiting: Vec<NameChanges>,
}

impl<'a> SimulatedDisk<'a> {
    /// The disk of a folder to which this image was written, and which has not changed since.
    pub fn new(root: &Path, image: &DiskImage) -> Result<Self, ProofError> {
        let mut disk = Self {
            root: root.to_owned(),
            files: Vec::new(),
            inodes: HashMap::new(),
            names: DiskNames::new(),
            durable: DiskNames::new(),
            waiting: Vec::new(),
        };
        for folder in &image.folders {
            disk.durable.insert(folder.clone(), DiskNode::Dir);
        }
        for (path, bytes) in &image.files {
            disk.durable.insert(path.clone(), DiskNode::File(disk.files.len()));
            disk.inodes.insert(inode(&root.join(path))?, disk.files.len());
            disk.files.push(DiskFile { durable: bytes.clone(), waiting: Vec::new() });
        }
        disk.names = disk.durable.clone();
        Ok(disk)
    }

    /// Applies an event of the record.
    pub fn apply(&mut self, event: &DiskEvent<'a>) -> Result<(), ProofError> {
        match *event {
            DiskEvent::Create { path, inode } => {
                // The number of a file that is gone is given to the next one.
                self.inodes.insert(inode, self.files.len());
                self.files.push(DiskFile::default());
                let node = DiskNode::File(self.files.len() - 1);
                self.rename(vec![(self.inside(path)?, Some(node))]);
            }
            DiskEvent::MakeDir { path } => {
                // The folder itself is the disk.
                if path != self.root {
                    self.rename(vec![(self.inside(path)?, Some(DiskNode::Dir))]);
                }
            }
            DiskEvent::Rename { from, to } => {
                let from = self.inside(from)?;
                let Some(DiskNode::File(file)) = self.names.get(&from).copied() else {
                    return Err(ProofError(format!(
                        "{} was renamed, which is not modelled",
                        from.display()
                    )));
                };
                self.rename(vec![(from, None), (self.inside(to)?, Some(DiskNode::File(file)))]);
            }
            DiskEvent::Unlink { path } => self.rename(vec![(self.inside(path)?, None)]),
            DiskEvent::Write { inode, at, data } => {
                let at = usize::try_from(at).map_err(|error| error.to_string())?;
                self.file(inode)?.waiting.push(FileChange::Write { at, data });
            }
            DiskEvent::Truncate { inode, length } => {
                let length = usize::try_from(length).map_err(|error| error.to_string())?;
                self.file(inode)?.waiting.push(FileChange::Truncate { length });
            }
            DiskEvent::Sync { inode } => {
                let file = self.file(inode)?;
                for change in std::mem::take(&mut file.waiting) {
                    change.apply(&mut file.durable, |_| true);
                }
            }
            DiskEvent::SyncDir { path } => {
                let dir = if path == self.root { PathBuf::new() } else { self.inside(path)? };
                for step in std::mem::take(&mut self.waiting) {
                    if step.iter().any(|(path, _)| path.parent() == Some(&dir)) {
                        keep(&mut self.durable, &step);
                    } else {
                        self.waiting.push(step);
                    }
                }
            }
            DiskEvent::Ack(_) => {}
            DiskEvent::Unmodelled { path, function } => {
                return Err(ProofError(format!(
                    "{function} on {} is not modelled",
                    path.display()
                )));
            }
        }
        Ok(())
    }

    fn inside(&self, path: &Path) -> Result<PathBuf, ProofError> {
        let inside = path.strip_prefix(&self.root).map(Path::to_owned);
        inside.map_err(|_| ProofError(format!("{} is outside of the folder", path.display())))
    }

    fn file(&mut self, inode: u64) -> Result<&mut DiskFile<'a>, ProofError> {
        let place = self.inodes.get(&inode).copied();
        place
            .and_then(|place| self.files.get_mut(place))
            .ok_or_else(|| ProofError(format!("nobody made file {inode}")))
    }

    fn rename(&mut self, step: NameChanges) {
        keep(&mut self.names, &step);
        self.waiting.push(step);
    }

    /// A folder as a cut may leave it.
    pub fn after_a_cut(&self, mode: CutMode, random: &mut Rng) -> DiskImage {
        let mut names = self.durable.clone();
        if mode != CutMode::Dropped {
            let kept = random.usize(..=self.waiting.len());
            self.waiting.iter().take(kept).for_each(|step| keep(&mut names, step));
        }
        let mut image = DiskImage::default();
        for (path, node) in &names {
            let parent = path.parent().unwrap_or(Path::new(""));
            let lost_parent = parent != Path::new("") && names.get(parent) != Some(&DiskNode::Dir);
            if lost_parent || path.to_string_lossy().ends_with("-shm") {
                continue;
            }
            match node {
                DiskNode::Dir => image.folders.push(path.clone()),
                DiskNode::File(file) => {
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
fn inode(path: &Path) -> Result<u64, ProofError> {
    Ok(std::os::unix::fs::MetadataExt::ino(&fs::metadata(path)?))
}

#[cfg(not(unix))]
fn inode(path: &Path) -> Result<u64, ProofError> {
    Err(ProofError(format!("{}: files have no numbers here", path.display())))
}

fn keep(names: &mut DiskNames, step: &NameChanges) {
    for (path, node) in step {
        match node {
            Some(node) => names.insert(path.clone(), *node),
            None => names.remove(path),
        };
    }
}

impl DiskFile<'_> {
    fn after_a_cut(&self, mode: CutMode, random: &mut Rng) -> Vec<u8> {
        let mut bytes = self.durable.clone();
        // From nearly nothing to nearly all.
        let share = random.f64();
        let mut kept: Vec<FileChange<'_>> =
            self.waiting.iter().filter(|_| random.f64() < share).copied().collect();
        match mode {
            CutMode::Dropped => {}
            CutMode::Reordered => {
                random.shuffle(&mut kept);
                kept.iter().for_each(|change| change.apply(&mut bytes, |_| true));
            }
            CutMode::Torn => kept.iter().for_each(|change| {
                let torn = random.bool();
                change.apply(&mut bytes, |_| !torn || random.bool());
            }),
        }
        bytes
    }
}

impl FileChange<'_> {
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

/// The image of a disk: a folder after a cut.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct DiskImage {
    /// Its folders, from the outer to the inner.
    pub folders: Vec<PathBuf>,
    /// Its files.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
}

impl DiskImage {
    /// Writes it as a real folder, in place of the old one.
    pub fn write(&self, dir: &Path) -> Result<(), ProofError> {
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
