//! The files as the command sees them: a root of its own, with the paths of the plan and nothing else.
//!
//! The trees are copied first, from where they are. Then a new root is put together of them, the outer paths before those inside of
//! them, and the old root is taken away. Paths without write access are mounted read-only, which also holds for modes and times,
//! and for all else that Landlock does not know. Only trees that are used are copied: to release one waits for the whole kernel.
//!
//! Protected and hidden paths inside of a tree are looked up once more when their turn comes, and mounted by their kind at that
//! time: commands that run at the same time may change them. They take no descriptor that stays open, however many there are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::files::PathAccess;
use crate::plan::LaunchPlan;
use crate::resolve::{self, PathResolver, ResolvedPath};
use crate::sys::{self, TreeUse};

/// Folders in which the new root may be put together: the first that exists. The trees below it are copied by then.
const WORKBENCHES: &[&str] = &["/tmp", "/var", "/usr"];
/// Devices that give nothing away.
pub(crate) const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "fd/0"),
    ("stdout", "fd/1"),
    ("stderr", "fd/2"),
    ("ptmx", "pts/ptmx"),
];
const TEMPORARY: &str = "/tmp";
/// How often something is mounted anew that became something else meanwhile.
const TRIES: usize = 100;

/// An entry of the new root: the mount at a path.
enum RootEntry {
    /// A copy of the file or folder there outside.
    Copy { tree: OwnedFd, is_folder: bool, read_only: bool },
    /// A part of a copy above, mounted over itself: a mount point can be neither moved away nor replaced.
    Held { read_only: bool },
    /// The same of a symlink, which still leads where it led.
    HeldLink,
    /// An empty folder, writable.
    Empty,
    /// `/proc` of the new namespace; if this kernel does not let it be mounted, that of the outside.
    Processes,
    /// A few devices.
    Devices { copies: Vec<(&'static str, OwnedFd)> },
    /// A mask: nothing there can be read.
    Hidden,
}

/// The layout of the new root: its entries and symlinks, before anything is mounted.
struct RootLayout {
    entries: BTreeMap<PathBuf, RootEntry>,
    links: BTreeMap<PathBuf, PathBuf>,
    resolver: PathResolver,
}

/// The new root, as the later walls need to know it.
pub(crate) struct NewRoot {
    /// Rules for Landlock, by paths of the new root.
    pub rules: Vec<(PathBuf, PathAccess)>,
    /// Whether other processes can be seen, since this kernel lets no new `/proc` be mounted.
    pub sees_processes: bool,
}

/// Puts the new root together and goes there.
pub(crate) fn enter(plan: &LaunchPlan) -> Result<NewRoot, String> {
    sys::keep_mounts_private()
        .map_err(|error| format!("mounts cannot be made private: {error}"))?;
    let RootLayout { entries, links, .. } = RootLayout::of(plan)?;
    let root = WORKBENCHES
        .iter()
        .map(Path::new)
        .find(|place| place.is_dir())
        .ok_or("there is no folder to put a new root together in")?;
    let masks = PathMasks::new(root).map_err(|error| setup_error("what hides files", &error))?;
    empty_folder(root, "0755").map_err(|error| setup_error("/", &error))?;
    let mut new_root =
        NewRoot { rules: vec![(PathBuf::from("/"), PathAccess::List)], sees_processes: false };
    for (path, entry) in entries {
        let at = below(root, &path);
        let done = match entry {
            RootEntry::Copy { tree, is_folder, read_only } => {
                new_root.rules.push((
                    path.clone(),
                    if read_only { PathAccess::Read } else { PathAccess::Write },
                ));
                place_copy(&tree, &at, is_folder, read_only)
            }
            // Landlock knows it by the copy that it is in.
            RootEntry::Held { read_only } => {
                as_it_is(&at, |_| Ok((sys::copy_itself(&at)?, read_only)))
            }
            RootEntry::HeldLink => hold_link(&at),
            RootEntry::Hidden => as_it_is(&at, |is_folder| Ok((masks.over(is_folder)?, true))),
            RootEntry::Empty => {
                new_root.rules.push((path.clone(), PathAccess::Write));
                place(&at, true).and_then(|()| empty_folder(&at, "1777"))
            }
            RootEntry::Processes => {
                new_root.rules.push((path.clone(), PathAccess::Read));
                place(&at, true).and_then(|()| processes(&at)).or_else(|_| {
                    new_root.sees_processes = true;
                    place_copy(&sys::copy_tree(&path)?, &at, true, true)
                })
            }
            RootEntry::Devices { copies } => {
                new_root.rules.push((path.clone(), PathAccess::Write));
                place(&at, true).and_then(|()| devices(&at, &copies))
            }
        };
        done.map_err(|error| setup_error(&path.display().to_string(), &error))?;
    }
    for (link, target) in &links {
        let at = below(root, link);
        if fs::symlink_metadata(&at).is_err() {
            make_parent(&at)
                .and_then(|()| symlink(target, &at))
                .map_err(|error| setup_error("a link", &error))?;
        }
    }
    let go = || -> io::Result<()> {
        std::env::set_current_dir(root)?;
        sys::become_root()?;
        std::env::set_current_dir("/")?;
        let here = File::open("/")?;
        // Where the root is a copy of the old one, it is read-only already; else it is the empty folder of above.
        sys::use_tree(&here, TreeUse { read_only: true, whole: false })
    };
    go().map_err(|error| setup_error("the new root", &error))?;
    Ok(new_root)
}

fn setup_error(what: &str, error: &io::Error) -> String {
    format!("{what} cannot be put up: {error}")
}

impl RootLayout {
    fn of(plan: &LaunchPlan) -> Result<Self, String> {
        let mut new = Self {
            entries: BTreeMap::new(),
            links: BTreeMap::new(),
            resolver: PathResolver::of(plan),
        };
        let mut reads: Vec<&PathBuf> = plan.read.iter().collect();
        reads.sort_by_key(|path| path.components().count());
        for path in reads {
            new.copy(path, PathAccess::Read)?;
        }
        if new.entries.contains_key(Path::new("/")) {
            // Runtime state of the machine: sockets of its services above all.
            new.empty(Path::new("/run"));
        }
        new.empty(Path::new("/var/tmp"));
        for path in &plan.private {
            new.empty(path);
        }
        match &plan.temporary {
            Some(path) => new.temporary(path)?,
            None => new.empty(Path::new(TEMPORARY)),
        }
        for path in &plan.write {
            new.copy(path, PathAccess::Write)?;
        }
        for path in &plan.protect {
            new.protect(path);
        }
        new.entries.insert("/proc".into(), RootEntry::Processes);
        let device = |name: &&'static str| {
            Some((*name, sys::copy_tree(&Path::new("/dev").join(name)).ok()?))
        };
        new.entries.insert(
            "/dev".into(),
            RootEntry::Devices { copies: DEVICES.iter().filter_map(device).collect() },
        );
        new.hide(plan);
        Ok(new)
    }

    fn copy(&mut self, path: &Path, access: PathAccess) -> Result<(), String> {
        let Some(mut found) = self.resolver.find(path) else { return Ok(()) };
        self.links.extend(std::mem::take(&mut found.links));
        let is_there = found.path.ancestors().skip(1).any(|above| self.entries.contains_key(above));
        // A read-only path comes with the copy above it.
        if access == PathAccess::Read && is_there { Ok(()) } else { self.insert(found, access) }
    }

    /// Mounts a path that may be changed over itself once more, read-only. A symlink is kept as well as its target. Where nothing is
    /// there, a file on the way is held, so that no folder takes its place.
    fn protect(&mut self, path: &Path) {
        self.hold_links(path);
        let Some(real) = self.real(path) else {
            if let Some(file) = resolve::way_end(path)
                && self.hold_way(&file)
            {
                self.entries.entry(file).or_insert(RootEntry::Held { read_only: false });
            }
            return;
        };
        if let Some(RootEntry::Copy { read_only, .. }) = self.entries.get_mut(&real) {
            *read_only = true;
        } else if self.hold_way(&real) {
            self.entries.insert(real, RootEntry::Held { read_only: true });
        }
    }

    /// Holds the folders on the way to a path in a copy, so that they cannot be moved away with their contents. Returns whether
    /// the copy may be changed; in any other, nothing can be moved.
    fn hold_way(&mut self, real: &Path) -> bool {
        let above = real.ancestors().skip(1).find_map(|path| Some((path, self.entries.get(path)?)));
        let Some((
            top,
            RootEntry::Copy { read_only: false, .. } | RootEntry::Held { read_only: false },
        )) = above
        else {
            return false;
        };
        let top = top.to_path_buf();
        for folder in real.ancestors().skip(1).take_while(|folder| **folder != *top) {
            self.entries.insert(folder.to_path_buf(), RootEntry::Held { read_only: false });
        }
        true
    }

    /// Holds the symlinks on the way to a path, where they could be replaced.
    fn hold_links(&mut self, path: &Path) {
        for link in resolve::links_on(path) {
            if self.hold_way(&link) {
                self.entries.entry(link).or_insert(RootEntry::HeldLink);
            }
        }
    }

    fn insert(&mut self, found: ResolvedPath, access: PathAccess) -> Result<(), String> {
        let copied = || Ok((sys::copy_open(&found.file)?, found.is_folder()?));
        let (tree, is_folder) =
            copied().map_err(|error| setup_error(&found.path.display().to_string(), &error))?;
        let read_only = access == PathAccess::Read;
        self.entries.insert(found.path, RootEntry::Copy { tree, is_folder, read_only });
        Ok(())
    }

    /// Adds an empty folder, even if outside has none.
    fn empty(&mut self, path: &Path) {
        let real = self.real(path).unwrap_or_else(|| path.to_path_buf());
        let is_inside =
            self.entries.keys().any(|entry| entry != Path::new("/") && real.starts_with(entry));
        let has_place = !(is_inside || self.entries.contains_key(Path::new("/"))) || real.is_dir();
        if has_place {
            self.entries.insert(real, RootEntry::Empty);
        }
    }

    fn temporary(&mut self, path: &Path) -> Result<(), String> {
        let failed = |error| setup_error(&path.display().to_string(), &error);
        let tree = sys::copy_tree(path).map_err(failed)?;
        self.entries
            .insert(TEMPORARY.into(), RootEntry::Copy { tree, is_folder: true, read_only: false });
        Ok(())
    }

    /// Masks the visible paths that must not be read.
    fn hide(&mut self, plan: &LaunchPlan) {
        // A link is hidden together with its target. A folder comes before its contents.
        let all: BTreeSet<PathBuf> =
            plan.hide.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        for real in all {
            let is_seen = match real.ancestors().find_map(|above| self.entries.get(above)) {
                Some(RootEntry::Copy { .. } | RootEntry::Held { .. }) => true,
                // Nothing below it can be seen at all.
                Some(RootEntry::Hidden) => false,
                _ => self.entries.iter().any(|(place, entry)| {
                    matches!(entry, RootEntry::Copy { .. }) && place.starts_with(&real)
                }),
            };
            if is_seen {
                self.entries.retain(|place, _| !place.starts_with(&real));
                self.hold_way(&real);
                self.entries.insert(real, RootEntry::Hidden);
            }
        }
        for path in &plan.hide {
            self.hold_links(path);
        }
    }

    /// A path without symlinks, with the links on the way remembered; `None` when nothing is there.
    fn real(&mut self, path: &Path) -> Option<PathBuf> {
        let found = resolve::find(path, |_| true)?;
        self.links.extend(found.links);
        Some(found.path)
    }
}

/// The sockets that have a path and are open now, in the network of this process.
pub(crate) fn sockets() -> BTreeSet<PathBuf> {
    let table = fs::read_to_string("/proc/net/unix").unwrap_or_default();
    table
        .lines()
        .filter_map(|line| line.find(" /").map(|at| PathBuf::from(&line[at + 1..])))
        .collect()
}

fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}

fn make_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)
}

/// Makes the file or folder that something is mounted on, where it is missing.
fn place(at: &Path, is_folder: bool) -> io::Result<()> {
    if fs::symlink_metadata(at).is_ok() {
        return Ok(());
    }
    if is_folder {
        return fs::create_dir_all(at);
    }
    make_parent(at)?;
    OpenOptions::new().write(true).create_new(true).mode(0o644).open(at).map(drop)
}

fn place_copy(tree: &OwnedFd, at: &Path, is_folder: bool, read_only: bool) -> io::Result<()> {
    place(at, is_folder)?;
    sys::use_tree(tree, TreeUse { read_only, whole: true })?;
    sys::place_tree(tree, at)
}

fn empty_folder(at: &Path, mode: &str) -> io::Result<()> {
    sys::mount("tmpfs", at, libc::MS_NOSUID | libc::MS_NODEV, &format!("mode={mode}"))
}

/// Mounts `/proc` read-only: by `/proc/sys` and other files, root could change the machine.
fn processes(at: &Path) -> io::Result<()> {
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC | libc::MS_RDONLY;
    sys::mount("proc", at, flags, "")
}

fn devices(at: &Path, copies: &[(&str, OwnedFd)]) -> io::Result<()> {
    empty_folder(at, "0755")?;
    for (name, tree) in copies {
        let device = at.join(name);
        place(&device, false)?;
        sys::place_tree(tree, &device)?;
    }
    for (name, target) in LINKS {
        symlink(target, at.join(name))?;
    }
    let memory = at.join("shm");
    fs::create_dir(&memory)?;
    fs::set_permissions(&memory, Permissions::from_mode(0o1777))?;
    // Terminals that a command makes for its children. They need this mount.
    let terminals = at.join("pts");
    fs::create_dir(&terminals)?;
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    let _ = sys::mount("devpts", &terminals, flags, "newinstance,ptmxmode=0666,mode=620");
    Ok(())
}

/// Mounts a tree, perhaps read-only, over an existing file or folder, by its kind. A path that is gone by now, or is a symlink,
/// needs nothing: symlinks are never followed when files are searched.
fn as_it_is(at: &Path, tree: impl Fn(bool) -> io::Result<(OwnedFd, bool)>) -> io::Result<()> {
    let once = |is_folder| -> io::Result<()> {
        let (tree, read_only) = tree(is_folder)?;
        sys::use_tree(&tree, TreeUse { read_only, whole: true })?;
        sys::place_tree(&tree, at)
    };
    let mut last = Ok(());
    for _ in 0..TRIES {
        let about = match fs::symlink_metadata(at) {
            Err(error) if is_gone(&error) => return Ok(()),
            about => about?,
        };
        if about.is_symlink() {
            return Ok(());
        }
        last = once(about.is_dir());
        if last.is_ok() {
            break;
        }
    }
    last
}

/// Mounts a symlink over itself. A kernel that does not leaves it as it is: its target is kept all the same.
fn hold_link(at: &Path) -> io::Result<()> {
    if !fs::symlink_metadata(at).is_ok_and(|about| about.is_symlink()) {
        return Ok(());
    }
    let held = sys::copy_itself(at).and_then(|link| sys::place_tree(&link, at));
    match held {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOTDIR)) => Ok(()),
        Err(error) if is_gone(&error) => Ok(()),
        held => held,
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The masks that are mounted over hidden paths: a file and a folder without any permissions. Root, which may open them, finds
/// them empty.
struct PathMasks {
    file: File,
    folder: File,
}

impl PathMasks {
    /// They lie below the new root, which is put together over them, so that nothing in it leads there.
    fn new(bench: &Path) -> io::Result<Self> {
        empty_folder(bench, "0755")?;
        let [file, folder] = ["file", "folder"].map(|name| bench.join(name));
        OpenOptions::new().write(true).create_new(true).mode(0o000).open(&file)?;
        DirBuilder::new().mode(0o000).create(&folder)?;
        let opened = |path| OpenOptions::new().read(true).custom_flags(libc::O_PATH).open(path);
        Ok(Self { file: opened(file)?, folder: opened(folder)? })
    }

    fn over(&self, is_folder: bool) -> io::Result<OwnedFd> {
        sys::copy_open(if is_folder { &self.folder } else { &self.file })
    }
}
