//! The files as the command sees them: a root of its own, with what the plan names and nothing else.
//!
//! The trees are copied first, from where they are. Then a new root is put together of them, the outer paths before those inside of
//! them, and the old root is taken away. What may only be read is mounted read-only, which holds for modes and times as well, and
//! for what Landlock does not know. Nothing is copied that is not used: to let go of a tree waits for the whole kernel.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions, Permissions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use crate::files::Reach;
use crate::plan::Plan;
use crate::sys::{self, TreeUse};

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
/// What lies over hidden files, until they are.
const COVER: &str = "/hidden";

/// What stands at a path of the new root.
enum Part {
    /// A copy of what is there outside.
    Copy { tree: OwnedFd, is_folder: bool, read_only: bool },
    /// An empty folder, writable.
    Empty,
    /// The processes of the new namespace; where this kernel lets nobody mount them, those outside.
    Processes,
    /// A few devices.
    Devices { copies: Vec<(&'static str, OwnedFd)> },
    /// Nothing that can be read. `cover`: what is put over a file.
    Hidden { is_folder: bool, cover: Option<OwnedFd> },
}

/// A root that is to be put together.
struct Parts {
    parts: BTreeMap<PathBuf, Part>,
    links: BTreeMap<PathBuf, PathBuf>,
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
    let Parts { mut parts, links } = Parts::of(plan)?;
    let root = WORKBENCHES
        .iter()
        .map(Path::new)
        .find(|place| place.is_dir())
        .ok_or("there is no folder to put a new root together in")?;
    empty_folder(root, "0755")
        .and_then(|()| covers(root, &mut parts))
        .map_err(|error| told("/", &error))?;
    let mut seen = Seen { rules: vec![(PathBuf::from("/"), Reach::List)], sees_processes: false };
    for (path, part) in &parts {
        let at = below(root, path);
        let done = match part {
            Part::Copy { tree, is_folder, read_only } => {
                seen.rules
                    .push((path.clone(), if *read_only { Reach::Read } else { Reach::Write }));
                place_copy(tree, &at, *is_folder, *read_only)
            }
            Part::Empty => {
                seen.rules.push((path.clone(), Reach::Write));
                place(&at, true).and_then(|()| empty_folder(&at, "1777"))
            }
            Part::Processes => {
                seen.rules.push((path.clone(), Reach::Read));
                place(&at, true).and_then(|()| processes(&at)).or_else(|_| {
                    seen.sees_processes = true;
                    place_copy(&sys::copy_tree(path)?, &at, true, true)
                })
            }
            Part::Devices { copies } => {
                seen.rules.push((path.clone(), Reach::Write));
                place(&at, true).and_then(|()| devices(&at, copies))
            }
            Part::Hidden { is_folder, cover } => hide(&at, *is_folder, cover.as_ref()),
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
        if !parts.contains_key(Path::new("/")) {
            fs::remove_file(COVER)?;
        }
        let here = fs::File::open("/")?;
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
        let mut new = Self { parts: BTreeMap::new(), links: BTreeMap::new() };
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
            new.protect(path)?;
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
        let Some(real) = self.real(path) else { return Ok(()) };
        let is_there = real.ancestors().skip(1).any(|above| self.parts.contains_key(above));
        // What may only be read comes with what is above it.
        if reach == Reach::Read && is_there { Ok(()) } else { self.insert(real, reach) }
    }

    /// What is in sight is put over itself once more, read-only. So are the folders on the way there, as they are: what is mounted
    /// can be neither moved away nor replaced.
    fn protect(&mut self, path: &Path) -> Result<(), String> {
        let Some(real) = self.real(path) else { return Ok(()) };
        let seen = real.ancestors().skip(1).find_map(|above| Some((above, self.parts.get(above)?)));
        let Some((top, Part::Copy { read_only: false, .. })) = seen else { return Ok(()) };
        let top = top.to_path_buf();
        for way in real.ancestors().skip(1).take_while(|way| **way != *top) {
            self.insert(way.to_path_buf(), Reach::Write)?;
        }
        self.insert(real, Reach::Read)
    }

    fn insert(&mut self, real: PathBuf, reach: Reach) -> Result<(), String> {
        let failed = |error| told(&real.display().to_string(), &error);
        let about = fs::metadata(&real).map_err(failed)?;
        let tree = sys::copy_tree(&real).map_err(failed)?;
        let read_only = reach == Reach::Read;
        self.parts.insert(real, Part::Copy { tree, is_folder: about.is_dir(), read_only });
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
        for path in &plan.hide {
            // A link is hidden with what it leads to.
            let Ok(real) = fs::canonicalize(path) else { continue };
            let is_folder = real.is_dir();
            let is_seen = self
                .parts
                .iter()
                .any(|(place, part)| matches!(part, Part::Copy { .. }) && real.starts_with(place));
            if is_seen {
                self.parts.retain(|place, _| !place.starts_with(&real));
                self.parts.insert(real, Part::Hidden { is_folder, cover: None });
            }
        }
    }

    /// Where a path really lies, with the links on the way remembered; nothing when it is not there.
    fn real(&mut self, path: &Path) -> Option<PathBuf> {
        let mut real = PathBuf::from("/");
        let mut rest: Vec<PathBuf> = parts_of(path);
        let mut links = Vec::new();
        while let Some(part) = rest.pop() {
            if part == Path::new("..") {
                real.pop();
                continue;
            }
            let next = real.join(&part);
            let Ok(about) = fs::symlink_metadata(&next) else { return None };
            if !about.is_symlink() {
                real = next;
                continue;
            }
            let Ok(target) = fs::read_link(&next) else { return None };
            if target.is_absolute() {
                real = PathBuf::from("/");
            }
            rest.extend(parts_of(&target));
            links.push((next, target));
            // As many as the kernel follows.
            if links.len() > 40 {
                return None;
            }
        }
        self.links.extend(links);
        Some(real)
    }
}

/// The names in a path, the last one first.
fn parts_of(path: &Path) -> Vec<PathBuf> {
    let names = path
        .components()
        .rev()
        .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir));
    names.map(|part| part.as_os_str().into()).collect()
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

/// Something to put over each file that is hidden: a file that nobody may open. To root, who may, it is empty.
fn covers(root: &Path, parts: &mut BTreeMap<PathBuf, Part>) -> io::Result<()> {
    let file = below(root, Path::new(COVER));
    OpenOptions::new().write(true).create_new(true).mode(0o000).open(&file)?;
    for part in parts.values_mut() {
        if let Part::Hidden { is_folder: false, cover } = part {
            *cover = Some(sys::copy_tree(&file)?);
        }
    }
    Ok(())
}

/// A folder that is hidden is one that nobody may look into; to root it is empty.
fn hide(at: &Path, is_folder: bool, cover: Option<&OwnedFd>) -> io::Result<()> {
    if let Some(cover) = cover {
        return place_copy(cover, at, is_folder, true);
    }
    place(at, is_folder)?;
    let flags = libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    sys::mount("tmpfs", at, flags | libc::MS_RDONLY, "mode=0000,size=4k")
}
