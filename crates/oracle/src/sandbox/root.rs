//! The sandbox's file tree, on a tmpfs of its own.

use std::collections::BTreeSet;
use std::fs::{self, File, FileTimes};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::unistd::{chdir, pivot_root};

use super::house;

/// Builds the tree on `dir` and makes it the root. Needs the rights to mount.
pub(super) fn build(stub: &Path, dir: &Path) -> io::Result<()> {
    const NONE: Option<&str> = None;
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)?;
    mount(
        Some("tmpfs"),
        dir,
        Some("tmpfs"),
        MsFlags::MS_NOSUID | MsFlags::MS_NODEV,
        Some("size=96m,mode=0755"),
    )?;
    for name in
        ["bin", "real", "log", "dev", "proc"].iter().copied().chain(house::DIRS.iter().copied())
    {
        fs::create_dir_all(dir.join(name.trim_start_matches('/')))?;
    }
    std::os::unix::fs::symlink("../bin", dir.join("usr/bin"))?;
    programs(stub, dir)?;
    fs::write(dir.join("real/bashenv"), house::BASH_ENV)?;
    File::create(dir.join(house::LOG.trim_start_matches('/')))?;
    fill(dir)?;

    mount(Some("proc"), &dir.join("proc"), Some("proc"), MsFlags::empty(), NONE)?;
    for name in ["null", "zero", "urandom"] {
        let inside = dir.join("dev").join(name);
        File::create(&inside)?;
        mount(Some(&Path::new("/dev").join(name)), &inside, NONE, MsFlags::MS_BIND, NONE)?;
    }
    std::os::unix::fs::symlink("/proc/self/fd", dir.join("dev/fd"))?;
    for name in ["bin", "real", "dev"] {
        let inside = dir.join(name);
        mount(Some(&inside), &inside, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)?;
        let read_only = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
        mount(NONE, &inside, NONE, read_only | MsFlags::MS_NOSUID | MsFlags::MS_NODEV, NONE)?;
    }
    // A limit where the kernel has one for each PID namespace: against scripts that start themselves without end.
    let _ = fs::write("/proc/sys/kernel/pid_max", "1000");

    chdir(dir)?;
    pivot_root(".", ".")?;
    umount2(".", MntFlags::MNT_DETACH)?;
    chdir("/")?;
    Ok(())
}

/// Puts the files back that a script may have changed, with a time long ago.
pub(super) fn fill(root: &Path) -> io::Result<()> {
    for (path, text) in house::FILES {
        let path = root.join(path.trim_start_matches('/'));
        fs::write(&path, text)?;
        File::options()
            .write(true)
            .open(&path)?
            .set_times(FileTimes::new().set_modified(SystemTime::UNIX_EPOCH))?;
    }
    for (link, target) in house::LINKS {
        std::os::unix::fs::symlink(target, root.join(link.trim_start_matches('/')))?;
    }
    Ok(())
}

/// Directories that are the sandbox's own.
const KEPT: &[&str] =
    &["/bin", "/real", "/log", "/dev", "/proc", "/lib", "/lib64", "/usr/lib", "/usr/local"];

/// Takes away all that a script left, from the root it was built as.
pub(super) fn clean() -> io::Result<()> {
    for dir in house::DIRS {
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            let kind = entry.file_type()?;
            let path = entry.path();
            if kind.is_dir() {
                if !KEPT.iter().chain(house::DIRS).any(|dir| path == Path::new(dir)) {
                    let _ = fs::remove_dir_all(path);
                }
            } else if !(kind.is_symlink() && path == Path::new("/usr/bin")) {
                // A file that cannot be deleted fails when it is written again.
                let _ = fs::remove_file(path);
            }
        }
    }
    fill(Path::new("/"))
}

fn programs(stub: &Path, dir: &Path) -> io::Result<()> {
    let bin = dir.join("bin");
    let mut copied = vec![stub.to_path_buf()];
    for (name, links) in [("bash", &["bash"][..]), ("dash", &["dash", "sh"])] {
        let shell =
            which(name).ok_or_else(|| io::Error::other(format!("{name} is not installed")))?;
        for link in links {
            fs::copy(&shell, bin.join(link))?;
        }
        copied.push(shell);
    }
    for name in house::REAL {
        if let Some(program) = which(name) {
            fs::copy(&program, dir.join("real").join(name))?;
            copied.push(program);
        }
    }
    for library in libraries(&copied)? {
        let inside = dir.join(library.strip_prefix("/").unwrap_or(&library));
        if let Some(parent) = inside.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::copy(&library, inside)?;
    }
    let first = bin.join(house::MISSING);
    fs::copy(stub, &first)?;
    for name in house::STUBS.iter().chain(house::REAL).filter(|name| **name != house::MISSING) {
        fs::hard_link(&first, bin.join(name))?;
    }
    Ok(())
}

fn which(name: &str) -> Option<PathBuf> {
    let dirs = ["/usr/bin", "/bin", "/usr/local/bin"];
    dirs.iter().map(|dir| Path::new(dir).join(name)).find_map(|path| path.canonicalize().ok())
}

/// The libraries of these programs, by `ldd`. None for static ones.
fn libraries(programs: &[PathBuf]) -> io::Result<BTreeSet<PathBuf>> {
    let said = Command::new("ldd").args(programs).output()?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let words = text
        .lines()
        .filter(|line| line.starts_with(char::is_whitespace))
        .flat_map(str::split_whitespace);
    Ok(words
        .filter(|word| word.starts_with('/'))
        .map(PathBuf::from)
        .filter(|path| path.is_file())
        .collect())
}
