//! Whether a directory lies on a disk of this machine alone. Where several machines share it, locks and the shared memory of
//! the write-ahead log do not reach from one to the other, and what two of them write damages the file.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod here {
    use std::path::Path;

    /// `f_type` of file systems that several machines share, and what to call them.
    const SHARED: &[(u64, &str)] = &[
        (0x6969, "NFS"),
        (0x517b, "SMB"),
        (0xff53_4d42, "CIFS"),
        (0xfe53_4d42, "SMB"),
        (0x0102_1997, "9p"),
        (0x5346_414f, "AFS"),
        (0x6b41_4653, "AFS"),
        (0x00c3_6400, "Ceph"),
        (0x0bd0_0bd0, "Lustre"),
        (0x4750_4653, "GPFS"),
        (0x7375_7245, "Coda"),
        (0x1983_0326, "BeeGFS"),
        (0x7461_636f, "OCFS2"),
        (0x0116_1970, "GFS2"),
        (0x786f_4256, "VirtualBox shared folder"),
    ];

    /// `f_type` of what a program serves, which may be anything: its name tells.
    const FUSE: u64 = 0x6573_5546;

    /// The file systems of programs that keep it all on a disk of this machine.
    const LOCAL: &[&str] = &[
        "fuse.bindfs",
        "fuse.encfs",
        "fuse.fuse-overlayfs",
        "fuse.gocryptfs",
        "fuse.mergerfs",
        "fuse.ntfs-3g",
        "fuseblk",
    ];

    pub(super) fn shared(directory: &Path) -> Option<String> {
        let found = rustix::fs::statfs(directory).ok()?;
        // Signed on some systems; the numbers have 32 bits on all.
        #[allow(
            clippy::cast_sign_loss,
            clippy::unnecessary_cast,
            reason = "the type of this number differs from system to system"
        )]
        let kind = found.f_type as u64 & 0xffff_ffff;
        let mounts = || std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        judge(kind, mounts, directory)
    }

    /// What several machines may share there.
    pub(super) fn judge(
        kind: u64, mounts: impl FnOnce() -> String, directory: &Path,
    ) -> Option<String> {
        if kind == FUSE {
            let name = mounted(&mounts(), directory).unwrap_or_else(|| "FUSE".to_owned());
            return (!LOCAL.contains(&name.as_str())).then_some(name);
        }
        SHARED.iter().find(|(magic, _)| *magic == kind).map(|(_, name)| (*name).to_owned())
    }

    /// The type of what is mounted deepest above the directory.
    fn mounted(mountinfo: &str, directory: &Path) -> Option<String> {
        let mounts = mountinfo.lines().filter_map(|line| {
            let (mount, kind) = line.split_once(" - ")?;
            Some((unescaped(mount.split(' ').nth(4)?), kind.split(' ').next()?))
        });
        // A later mount on the same point hides the earlier one.
        mounts
            .filter(|(point, _)| directory.starts_with(point))
            .max_by_key(|(point, _)| Path::new(point).components().count())
            .map(|(_, kind)| kind.to_owned())
    }

    /// A path as mountinfo writes it, with blanks and the like in octal.
    fn unescaped(text: &str) -> String {
        let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
        escapes.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }
}

#[cfg(any(target_os = "macos", target_os = "ios"))]
mod here {
    use std::path::Path;

    const SHARED: &[&str] = &["nfs", "smbfs", "afpfs", "webdav", "ftp"];

    pub(super) fn shared(directory: &Path) -> Option<String> {
        let found = rustix::fs::statfs(directory).ok()?;
        let name: String = found
            .f_fstypename
            .iter()
            .filter_map(|byte| u8::try_from(*byte).ok())
            .take_while(|byte| *byte != 0)
            .map(char::from)
            .collect();
        let programs = name.contains("fuse");
        (programs || SHARED.contains(&name.as_str())).then_some(name)
    }
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "android",
    target_os = "macos",
    target_os = "ios"
)))]
mod here {
    use std::path::Path;

    pub(super) fn shared(_directory: &Path) -> Option<String> {
        None
    }
}

use std::path::Path;

use crate::ledger::{LedgerError, LedgerErrorKind};

/// Refuses a directory that several machines may share.
pub(crate) fn is_local(directory: &Path) -> Result<(), LedgerError> {
    let Some(name) = here::shared(directory) else { return Ok(()) };
    Err(LedgerErrorKind::NetworkFs.because(format!(
        "{} lies on a file system that several machines may share ({name}), where a ledger would be damaged; put it on a disk of \
         this machine",
        directory.display()
    )))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::Path;

    use super::here::judge;

    const MOUNTS: &str = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
31 22 0:44 / /mnt/far rw,nosuid - fuse.sshfs host:/ rw,user_id=0
32 22 0:45 / /mnt/near rw - fuse.gocryptfs /home/a/.b rw
33 32 0:46 / /mnt/near/two\\040words rw - fuse.s3fs bucket rw
34 22 8:2 / /mnt/disk rw - fuseblk /dev/sdb1 rw
";

    #[test]
    fn what_machines_share_is_told_from_what_they_do_not() {
        let ext4 = 0xef53;
        let fuse = 0x6573_5546;
        for (kind, directory, expected) in [
            (ext4, "/home/a", None),
            (0x6969, "/home/a", Some("NFS")),
            (0xff53_4d42, "/home/a", Some("CIFS")),
            (0xfe53_4d42, "/home/a", Some("SMB")),
            (0x0102_1997, "/home/a", Some("9p")),
            (0x00c3_6400, "/home/a", Some("Ceph")),
            (0x0bd0_0bd0, "/home/a", Some("Lustre")),
            (0x4750_4653, "/home/a", Some("GPFS")),
            (0x5346_414f, "/home/a", Some("AFS")),
            (fuse, "/mnt/far/x", Some("fuse.sshfs")),
            (fuse, "/mnt/near/x", None),
            (fuse, "/mnt/near/two words/x", Some("fuse.s3fs")),
            (fuse, "/mnt/disk", None),
            // A mount that cannot be found is not trusted.
            (fuse, "relative", Some("FUSE")),
        ] {
            let found = judge(kind, || MOUNTS.to_owned(), Path::new(directory));
            assert_eq!(found.as_deref(), expected, "{kind:#x} {directory}");
        }
    }
}
