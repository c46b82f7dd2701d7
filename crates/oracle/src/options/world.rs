//! The files among which the lines run: a project that is a repository, a home with secrets, and files outside of both.
//!
//! Words that look like numbers or names are files too, so that a program that takes such a word for a file is seen.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where all of it is.
pub const ROOT: &str = "/srv/w";
/// The project, in which lines start.
pub const PROJECT: &str = "/srv/w/p";
/// The home directory.
pub const HOME: &str = "/srv/w/home";
/// The folder outside of both.
pub const OUTSIDE: &str = "/srv/w/outside";
/// The directory of temporary files.
pub const TEMP: &str = "/tmp";
/// A text that stands in a variable of the environment and in files outside of the project.
pub const CANARY: &str = "canary-5f0c1e";

const FILES: &[(&str, &str)] = &[
    ("p/a.txt", "alpha\nbeta\ngamma\n"),
    ("p/b.txt", "alpha\nbeta\ndelta\n"),
    ("p/3", "alpha three\n"),
    ("p/word", "alpha word\n"),
    ("p/x", "alpha x\n"),
    ("p/w", "alpha w\n"),
    ("p/sorted", "a\nb\nc\n"),
    ("p/secret", "alpha unsaid\n"),
    ("p/d/z.txt", "alpha zeta\n"),
    ("p/d/e/y.txt", "alpha eta\n"),
    ("p/d2/z.txt", "alpha zeta two\n"),
    ("p/list", "secret\nd/z.txt\n"),
    ("p/list0", "secret\0d/z.txt\0"),
    ("p/sums", "d41d8cd98f00b204e9800998ecf8427e  secret\n"),
    ("p/a.json", "{\"a\": [1, 2], \"b\": \"secret\"}\n"),
    ("p/a.yml", "a: 1\nb: [secret]\n"),
    ("p/a.toml", "a = 1\n"),
    ("p/a.xml", "<?xml version=\"1.0\"?>\n<a><b>alpha</b></a>\n"),
    ("p/a.c", "#include \"a.h\"\nint main(void) { return 0; }\n"),
    ("p/a.h", "int one(void);\n"),
    ("p/a.py", "print('alpha')\n"),
    ("p/a.js", "console.log('alpha')\n"),
    ("p/a.sh", "echo alpha\n"),
    ("p/a.sql", "select 1;\n"),
    ("p/a.awk", "{ print $1 }\n"),
    ("p/a.sed", "s/alpha/omega/\n"),
    ("p/a.1", ".TH A 1\n.SH NAME\na \\- alpha\n"),
    ("p/a.csv", "a,b\n1,2\n"),
    ("p/a.diff", "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n alpha\n-beta\n+BETA\n gamma\n"),
    ("p/a.hex", "616c7068610a\n"),
    ("p/a.b64", "YWxwaGEK\n"),
    ("p/Makefile", "all:\n\t@echo alpha\n"),
    (
        "p/package.json",
        "{\"name\":\"p\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"echo alpha\"}}\n",
    ),
    ("p/Cargo.toml", "[package]\nname = \"p\"\nversion = \"1.0.0\"\nedition = \"2021\"\n"),
    ("p/src/main.rs", "fn main() {}\n"),
    ("p/.gitignore", "ignored\n"),
    ("p/ignored", "alpha ignored\n"),
    ("p/.hidden", "alpha hidden\n"),
    ("outside/secret", "canary-5f0c1e alpha\nsecret line\n"),
    ("outside/dir/f", "canary-5f0c1e alpha f\n"),
    ("outside/3", "canary-5f0c1e alpha\n"),
    ("home/.ssh/id_rsa", "canary-5f0c1e alpha key\n"),
    ("home/.netrc", "machine example.com login a password canary-5f0c1e\n"),
    ("home/notes", "canary-5f0c1e alpha notes\n"),
    (
        "home/.gitconfig",
        "[user]\n\tname = A\n\temail = a@example.com\n[init]\n\tdefaultBranch = main\n",
    ),
];

/// Symlinks, and their targets.
const LINKS: &[(&str, &str)] = &[
    ("p/link", "../outside/secret"),
    ("p/linkdir", "../outside/dir"),
    ("p/d2/linked", "../../outside/secret"),
    ("p/within", "a.txt"),
];

/// The script that makes the repository and the archives. A program that is missing leaves its file out.
const STEPS: &str = "
git init -q -b main . && git add a.txt b.txt d sorted a.c a.h .gitignore && git commit -qm one
git tag v1; git branch side
printf 'alpha\\nBETA\\ngamma\\n' > a.txt; git commit -qam two; git tag -am annotated v2
printf 'stashed\\n' >> b.txt; git stash push -qm kept
git remote add origin ../outside/bare
git notes add -m noted
git switch -q side && printf 'side\\n' > side.txt && git add side.txt && git commit -qm three && git switch -q main
printf 'changed\\n' >> b.txt; printf 'staged\\n' >> sorted; git add sorted
tar cf a.tar a.txt d; tar czf a.tgz a.txt d; zip -qr a.zip a.txt d
for t in gzip bzip2 xz zstd lz4 lzip lzop compress; do $t -k a.csv 2>/dev/null; done
sqlite3 a.db 'create table t (a); insert into t values (1)'
ar rc a.a a.h; gcc -c a.c -o a.o
";

/// A file of the world, as it was when it was made.
#[derive(Debug, Clone)]
struct WorldFile {
    mode: u32,
    content: FileContent,
    /// Inode and change time: a file whose mark differs was touched.
    mark: (u64, i64, i64),
}

/// The content of a file: its bytes, or the target of a symlink.
#[derive(Debug, Clone)]
enum FileContent {
    File(Vec<u8>),
    Dir,
    Link(PathBuf),
}

/// The files of the world as they were made, to put them back after each line.
#[derive(Debug)]
pub struct WorldTree {
    files: BTreeMap<PathBuf, WorldFile>,
    /// The files that the repository holds, relative to the project.
    tracked: BTreeSet<String>,
}

impl WorldTree {
    /// Makes it, in an empty directory that must be there.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn new() -> io::Result<Self> {
        let root = Path::new(ROOT);
        for (path, text) in FILES {
            let path = root.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
        for (path, target) in LINKS {
            symlink(target, root.join(path))?;
        }
        sh(STEPS, PROJECT)?;
        sh("git clone -q --bare p outside/bare", ROOT)?;
        let tracked = Command::new("git")
            .args(["ls-files"])
            .current_dir(PROJECT)
            .env_clear()
            .envs(environment())
            .output()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
            .unwrap_or_default();
        let tracked = tracked.lines().map(str::to_owned).chain(["side.txt".to_owned()]).collect();
        let mut world = Self { files: BTreeMap::new(), tracked };
        let mut found = Vec::new();
        walk(root, &mut found)?;
        for path in found {
            let file = WorldFile::of(&path)?;
            world.files.insert(path, file);
        }
        Ok(world)
    }

    /// Whether this was there from the beginning.
    pub fn has(&self, path: &str) -> bool {
        self.files.contains_key(Path::new(path))
    }

    /// Whether the repository holds this file of the project.
    pub fn tracks(&self, inside: &str) -> bool {
        self.tracked.contains(inside)
    }

    /// Whether this was a directory from the beginning.
    pub fn has_dir(&self, path: &str) -> bool {
        path == ROOT
            || self
                .files
                .get(Path::new(path))
                .is_some_and(|file| matches!(file.content, FileContent::Dir))
    }

    /// The bytes of a file as it was.
    pub fn text(&self, path: &str) -> Option<&[u8]> {
        match &self.files.get(Path::new(path))?.content {
            FileContent::File(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Puts everything back.
    ///
    /// # Errors
    /// When it cannot.
    pub fn restore(&mut self) -> io::Result<()> {
        // Twice, for directories that could not be entered.
        let mut found = Vec::new();
        if walk(Path::new(ROOT), &mut found).is_err() {
            self.open_up();
            found.clear();
            walk(Path::new(ROOT), &mut found)?;
        }
        for path in found.iter().rev() {
            let same_kind = self.files.get(path).is_some_and(|file| file.is_kind_of(path));
            if !same_kind {
                remove(path);
            }
        }
        for (path, file) in &mut self.files {
            if file.is_same(path) {
                continue;
            }
            file.make(path)?;
        }
        // The times of directories change with their contents.
        for (path, file) in &mut self.files {
            if matches!(file.content, FileContent::Dir) {
                file.mark = mark(path)?;
            }
        }
        clear(Path::new(TEMP));
        Ok(())
    }

    fn open_up(&self) {
        for (path, file) in &self.files {
            if matches!(file.content, FileContent::Dir) {
                let _ = fs::set_permissions(path, fs::Permissions::from_mode(file.mode));
            }
        }
    }
}

/// Runs a script among the files. Programs that are missing are left out.
fn sh(script: &str, dir: &str) -> io::Result<()> {
    let _ = Command::new("/bin/sh")
        .args(["-c", script])
        .current_dir(dir)
        .env_clear()
        .envs(environment())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    Ok(())
}

impl WorldFile {
    fn of(path: &Path) -> io::Result<Self> {
        let info = path.symlink_metadata()?;
        let content = if info.is_dir() {
            FileContent::Dir
        } else if info.is_symlink() {
            FileContent::Link(fs::read_link(path)?)
        } else {
            FileContent::File(fs::read(path)?)
        };
        Ok(Self { mode: info.mode() & 0o7777, content, mark: mark(path)? })
    }

    fn is_kind_of(&self, path: &Path) -> bool {
        let Ok(info) = path.symlink_metadata() else { return false };
        match &self.content {
            FileContent::Dir => info.is_dir(),
            FileContent::Link(target) => fs::read_link(path).is_ok_and(|found| found == *target),
            FileContent::File(_) => info.is_file() && info.nlink() == 1,
        }
    }

    fn is_same(&self, path: &Path) -> bool {
        mark(path).is_ok_and(|found| found == self.mark)
    }

    fn make(&mut self, path: &Path) -> io::Result<()> {
        match &self.content {
            FileContent::Dir => {
                if !path.is_dir() {
                    fs::create_dir(path)?;
                }
                fs::set_permissions(path, fs::Permissions::from_mode(self.mode))?;
            }
            FileContent::Link(target) => {
                remove(path);
                symlink(target, path)?;
            }
            FileContent::File(bytes) => {
                // A new file: a process that still has the old one open does not change it.
                remove(path);
                fs::write(path, bytes)?;
                fs::set_permissions(path, fs::Permissions::from_mode(self.mode))?;
            }
        }
        self.mark = mark(path)?;
        Ok(())
    }
}

fn mark(path: &Path) -> io::Result<(u64, i64, i64)> {
    let info = path.symlink_metadata()?;
    Ok((info.ino(), info.ctime(), info.ctime_nsec()))
}

fn remove(path: &Path) {
    let Ok(info) = path.symlink_metadata() else { return };
    if info.is_dir() {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o700));
        let _ = fs::remove_dir_all(path);
    } else {
        let _ = fs::remove_file(path);
    }
}

fn clear(dir: &Path) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        remove(&entry.path());
    }
}

fn walk(dir: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        found.push(path.clone());
        if entry.file_type()?.is_dir() {
            walk(&path, found)?;
        }
    }
    Ok(())
}

/// The environment of every line.
pub fn environment() -> Vec<(String, String)> {
    let path = super::targets::path();
    let path = std::env::join_paths(path).unwrap_or_default().to_string_lossy().into_owned();
    let toolchains = std::env::var("HOME").unwrap_or_default();
    let set = [
        ("HOME", HOME.to_owned()),
        ("PATH", path),
        ("LC_ALL", "C".to_owned()),
        ("TERM", "dumb".to_owned()),
        ("TMPDIR", TEMP.to_owned()),
        ("EDITOR", "true".to_owned()),
        // Node's own threads for files are seen, its rings are not.
        ("UV_USE_IO_URING", "0".to_owned()),
        ("RUSTUP_HOME", format!("{toolchains}/.rustup")),
        ("ORACLE_SECRET", CANARY.to_owned()),
    ];
    set.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// An empty file for the output of a line.
///
/// # Errors
/// When it cannot be made.
pub fn output() -> io::Result<File> {
    File::options().create(true).write(true).truncate(true).open(OUTPUT)
}

/// Where a line prints to.
pub const OUTPUT: &str = "/srv/out";
