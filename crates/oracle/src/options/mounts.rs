//! The mounts of the oracle's own namespace: the machine as it is, read-only, with a world of its own.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::path::Path;

use nix::mount::{MsFlags, mount};

const NONE: Option<&str> = None;

/// The oracle itself, as the driver under strace.
pub(super) const DRIVER: &str = "/srv/driver";

/// A `/proc` in which the init can still write who it is.
pub(super) const OWN_PROC: &str = "/srv/proc";

/// Makes it so. Needs the rights to mount.
pub(super) fn build() -> io::Result<()> {
    let exe = std::env::current_exe()?;
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)?;
    let points = points()?;
    let size = Some("size=512m,mode=0755");
    mount(Some("tmpfs"), "/srv", Some("tmpfs"), MsFlags::MS_NOSUID | MsFlags::MS_NODEV, size)?;
    for dir in ["w", "proc", "dev", "dev/shm", "dev/pts"] {
        fs::create_dir(Path::new("/srv").join(dir))?;
    }
    File::create(DRIVER)?;
    mount(Some(&exe), DRIVER, NONE, MsFlags::MS_BIND, NONE)?;
    devices()?;
    for hidden in ["/tmp", "/run", "/var/tmp", "/dev/shm"] {
        if Path::new(hidden).is_dir() {
            let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
            mount(Some("tmpfs"), hidden, Some("tmpfs"), flags, Some("size=256m,mode=1777"))?;
        }
    }
    mount(Some("proc"), "/proc", Some("proc"), MsFlags::empty(), NONE)?;
    mount(Some("/proc"), OWN_PROC, NONE, MsFlags::MS_BIND, NONE)?;
    let read_only = MsFlags::MS_BIND | MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
    mount(NONE, "/proc", NONE, read_only, NONE)?;
    for (point, flags) in points {
        let ours = ["/proc", "/srv", "/tmp", "/run", "/dev", "/var/tmp"];
        if ours.iter().any(|dir| Path::new(&point).starts_with(dir)) {
            continue;
        }
        let made = mount(NONE, point.as_str(), NONE, read_only | flags, NONE);
        // A path that is hidden by another mount cannot be written to either.
        if let Err(error) = made
            && point == "/"
        {
            return Err(error.into());
        }
    }
    Ok(())
}

/// A `/dev` with nothing in it that could hurt the machine.
fn devices() -> io::Result<()> {
    for name in ["null", "zero", "full", "random", "urandom"] {
        let inside = Path::new("/srv/dev").join(name);
        File::create(&inside)?;
        mount(Some(&Path::new("/dev").join(name)), &inside, NONE, MsFlags::MS_BIND, NONE)?;
    }
    for (name, target) in [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")]
    {
        symlink(format!("/proc/self/{target}"), Path::new("/srv/dev").join(name))?;
    }
    mount(Some("/srv/dev"), "/dev", NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)?;
    Ok(())
}

/// All mount points, with the flags that must stay.
fn points() -> io::Result<Vec<(String, MsFlags)>> {
    let text = fs::read_to_string("/proc/self/mountinfo")?;
    let mut points = Vec::new();
    for line in text.lines() {
        let mut fields = line.split(' ').skip(4);
        let (Some(point), Some(options)) = (fields.next(), fields.next()) else { continue };
        let mut flags = MsFlags::empty();
        for option in options.split(',') {
            flags |= match option {
                "nosuid" => MsFlags::MS_NOSUID,
                "nodev" => MsFlags::MS_NODEV,
                "noexec" => MsFlags::MS_NOEXEC,
                "noatime" => MsFlags::MS_NOATIME,
                "nodiratime" => MsFlags::MS_NODIRATIME,
                "relatime" => MsFlags::MS_RELATIME,
                _ => MsFlags::empty(),
            };
        }
        points.push((point.replace("\\040", " "), flags));
    }
    Ok(points)
}
