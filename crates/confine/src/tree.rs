//! The files as the command sees them: a root of its own, with what the plan names and nothing else.
//!
//! The trees are copied first, from where they are. Then a new root is put together of them, the outer paths before those inside of
//! them, and the old root is taken away. What may only be read is mounted read-only, which holds for modes and times as well, and
//! for what Landlock does not know. Nothing is copied that is not used: to let go of a tree waits for the whole kernel.
//!
//! What is protected or hidden inside of a tree is found once more when its turn comes, and mounted as what it is by then: commands
//! that run at the same time may change it. It takes no descriptor that stays open, however much of it there is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::files::Reach;
use crate::plan::Plan;
use crate::sys::{self, TreeUse};
use crate::way::{self, Found, Ways};

/// Where the new root is put together: any folder that there is, what is below it is copied already.
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

/// What stands at a path of the new root.
enum Part {
    /// A copy of what is there outside.
    Copy { tree: OwnedFd, is_folder: bool, read_only: bool },
    /// What is there in a copy above, put over itself: what is mounted can be neither moved away nor replaced.
    Held { read_only: bool },
    /// An empty folder, writable.
    Empty,
    /// The processes of the new namespace; where this kernel lets nobody mount them, those outside.
    Processes,
    /// A few devices.
    Devices { copies: Vec<(&'static str, OwnedFd)> },
    /// Nothing that can be read.
    Hidden,
}

/// A root that is to be put together.
struct Parts {
    parts: BTreeMap<PathBuf, Part>,
    links: BTreeMap<PathBuf, PathBuf>,
    ways: Ways,
}

/// What came of it.
pub(crate) struct Seen {
    /// Rules for Landlock, by the new root.
    pub rules: Vec<(PathBuf, Reach)>,
    /// Whether other processes can be seen, since this kernel lets no new `/proc` be mounted.
    pub sees_processes: bool,
}

/// Puts the new root together and goes there.
pub(crate) fn enter(plan: &Plan) -> Result<Seen, String> {
    sys::keep_mounts_private()
        .map_err(|error| format!("mounts cannot be made private: {error}"))?;
    let Parts { parts, links, .. } = Parts::of(plan)?;
    let root = WORKBENCHES
        .iter()
        .map(Path::new)
        .find(|place| place.is_dir())
        .ok_or("there is no folder to put a new root together in")?;
    let covers = Covers::new(root).map_err(|error| told("what hides files", &error))?;
    empty_folder(root, "0755").map_err(|error| told("/", &error))?;
    let mut seen = Seen { rules: vec![(PathBuf::from("/"), Reach::List)], sees_processes: false };
    for (path, part) in parts {
        let at = below(root, &path);
        let done = match part {
            Part::Copy { tree, is_folder, read_only } => {
                seen.rules.push((path.clone(), if read_only { Reach::Read } else { Reach::Write }));
                place_copy(&tree, &at, is_folder, read_only)
            }
            // Landlock knows it by the copy that it is in.
            Part::Held { read_only } => as_it_is(&at, |_| Ok((sys::copy_itself(&at)?, read_only))),
            Part::Hidden => as_it_is(&at, |is_folder| Ok((covers.over(is_folder)?, true))),
            Part::Empty => {
                seen.rules.push((path.clone(), Reach::Write));
                place(&at, true).and_then(|()| empty_folder(&at, "1777"))
            }
            Part::Processes => {
                seen.rules.push((path.clone(), Reach::Read));
                place(&at, true).and_then(|()| processes(&at)).or_else(|_| {
                    seen.sees_processes = true;
                    place_copy(&sys::copy_tree(&path)?, &at, true, true)
                })
            }
            Part::Devices { copies } => {
                seen.rules.push((path.clone(), Reach::Write));
                place(&at, true).and_then(|()| devices(&at, &copies))
            }
        };
        done.map_err(|error| told(&path.display().to_string(), &error))?;
    }
    for (link, target) in &links {
        let at = below(root, link);
        if fs::symlink_metadata(&at).is_err() {
            make_parent(&at)
                .and_then(|()| symlink(target, &at))
                .map_err(|error| told("a link", &error))?;
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
    go().map_err(|error| told("the new root", &error))?;
    Ok(seen)
}

fn told(what: &str, error: &io::Error) -> String {
    format!("{what} cannot be put up: {error}")
}

impl Parts {
    fn of(plan: &Plan) -> Result<Self, String> {
        let mut new = Self { parts: BTreeMap::new(), links: BTreeMap::new(), ways: Ways::of(plan) };
        let mut reads: Vec<&PathBuf> = plan.read.iter().collect();
        reads.sort_by_key(|path| path.components().count());
        for path in reads {
            new.copy(path, Reach::Read)?;
        }
        if new.parts.contains_key(Path::new("/")) {
            // What is only there while a machine runs: sockets of its services above all.
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
            new.copy(path, Reach::Write)?;
        }
        for path in &plan.protect {
            new.protect(path);
        }
        new.parts.insert("/proc".into(), Part::Processes);
        let device = |name: &&'static str| {
            Some((*name, sys::copy_tree(&Path::new("/dev").join(name)).ok()?))
        };
        new.parts.insert(
            "/dev".into(),
            Part::Devices { copies: DEVICES.iter().filter_map(device).collect() },
        );
        new.hide(plan);
        Ok(new)
    }

    fn copy(&mut self, path: &Path, reach: Reach) -> Result<(), String> {
        let Some(mut found) = self.ways.find(path) else { return Ok(()) };
        self.links.extend(std::mem::take(&mut found.links));
        let is_there = found.path.ancestors().skip(1).any(|above| self.parts.contains_key(above));
        // What may only be read comes with what is above it.
        if reach == Reach::Read && is_there { Ok(()) } else { self.insert(found, reach) }
    }

    /// What may be changed is put over itself once more, read-only.
    fn protect(&mut self, path: &Path) {
        let Some(real) = self.real(path) else { return };
        if let Some(Part::Copy { read_only, .. }) = self.parts.get_mut(&real) {
            *read_only = true;
        } else if self.hold_way(&real) {
            self.parts.insert(real, Part::Held { read_only: true });
        }
    }

    /// Holds the folders on the way to what lies in a copy: nobody moves them away with what is in them. Says whether it lies in one
    /// that may be changed; in any other, nothing can be moved.
    fn hold_way(&mut self, real: &Path) -> bool {
        let above = real.ancestors().skip(1).find_map(|path| Some((path, self.parts.get(path)?)));
        let Some((top, Part::Copy { read_only: false, .. } | Part::Held { read_only: false })) =
            above
        else {
            return false;
        };
        let top = top.to_path_buf();
        for way in real.ancestors().skip(1).take_while(|way| **way != *top) {
            self.parts.insert(way.to_path_buf(), Part::Held { read_only: false });
        }
        true
    }

    fn insert(&mut self, found: Found, reach: Reach) -> Result<(), String> {
        let copied = || Ok((sys::copy_open(&found.file)?, found.is_folder()?));
        let (tree, is_folder) =
            copied().map_err(|error| told(&found.path.display().to_string(), &error))?;
        let read_only = reach == Reach::Read;
        self.parts.insert(found.path, Part::Copy { tree, is_folder, read_only });
        Ok(())
    }

    /// An empty folder, also where there is none outside.
    fn empty(&mut self, path: &Path) {
        let real = self.real(path).unwrap_or_else(|| path.to_path_buf());
        let is_inside =
            self.parts.keys().any(|part| part != Path::new("/") && real.starts_with(part));
        let has_place = !(is_inside || self.parts.contains_key(Path::new("/"))) || real.is_dir();
        if has_place {
            self.parts.insert(real, Part::Empty);
        }
    }

    fn temporary(&mut self, path: &Path) -> Result<(), String> {
        let failed = |error| told(&path.display().to_string(), &error);
        let tree = sys::copy_tree(path).map_err(failed)?;
        self.parts.insert(TEMPORARY.into(), Part::Copy { tree, is_folder: true, read_only: false });
        Ok(())
    }

    /// What is in sight and must not be read.
    fn hide(&mut self, plan: &Plan) {
        // A link is hidden with what it leads to. A folder comes before what is in it.
        let all: BTreeSet<PathBuf> =
            plan.hide.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        for real in all {
            let is_seen = match real.ancestors().find_map(|above| self.parts.get(above)) {
                Some(Part::Copy { .. } | Part::Held { .. }) => true,
                // Nothing below it is seen at all.
                Some(Part::Hidden) => false,
                _ => self.parts.iter().any(|(place, part)| {
                    matches!(part, Part::Copy { .. }) && place.starts_with(&real)
                }),
            };
            if is_seen {
                self.parts.retain(|place, _| !place.starts_with(&real));
                self.hold_way(&real);
                self.parts.insert(real, Part::Hidden);
            }
        }
    }

    /// Where a path really lies, with the links on the way remembered; nothing when it is not there.
    fn real(&mut self, path: &Path) -> Option<PathBuf> {
        let found = way::find(path, |_| true)?;
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

/// Makes the file or folder that something is mounted on, where there is none.
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

/// Read-only: `/proc/sys` and what else there changes the machine, for root.
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
    // Terminals that a command makes for what it starts. Without it there are none.
    let terminals = at.join("pts");
    fs::create_dir(&terminals)?;
    let flags = libc::MS_NOSUID | libc::MS_NOEXEC;
    let _ = sys::mount("devpts", &terminals, flags, "newinstance,ptmxmode=0666,mode=620");
    Ok(())
}

/// Mounts over what is there, by whether it is a folder, a tree that may be read-only. What is gone by now, or has become a symlink,
/// needs nothing: a symlink is passed over wherever files are looked for.
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

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// What is put over all that is hidden: a file that nobody may open, and a folder that nobody may look into. To root, who may, they
/// are empty.
struct Covers {
    file: File,
    folder: File,
}

impl Covers {
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
