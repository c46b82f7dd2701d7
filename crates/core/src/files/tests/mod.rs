//! Real files in a folder of their own.

mod confinement;
mod search;
mod writing;

use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// `root/` is opened, `outside/` must not be seen. Both go with it.
struct House {
    place: PathBuf,
    root: FileRoot,
}

const SECRET: &str = "the secret";

impl House {
    fn new() -> Self {
        let place = std::env::temp_dir().join(format!("files-{}", uuid::Uuid::now_v7()));
        fs::create_dir_all(place.join("root")).unwrap();
        fs::create_dir_all(place.join("outside/inner")).unwrap();
        fs::write(place.join("outside/secret.txt"), SECRET).unwrap();
        fs::write(place.join("outside/inner/secret.txt"), SECRET).unwrap();
        fs::write(place.join("outside/private.txt"), SECRET).unwrap();
        let root = FileRoot::open(place.join("root").to_str().unwrap(), 1 << 20).unwrap();
        Self { place, root }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.place.join("root").join(path)
    }

    /// A file, and the folders on the way to it.
    fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.at(path).parent().unwrap()).unwrap();
        fs::write(self.at(path), content).unwrap();
    }

    #[cfg(unix)]
    fn link(&self, path: &str, target: impl AsRef<Path>) {
        std::os::unix::fs::symlink(target, self.at(path)).unwrap();
    }

    fn text(&self, path: &str) -> Result<String, FileFault> {
        self.root
            .read(path, 1, usize::MAX, &CancelFlag::default())
            .map(|text| text.text)
            .map_err(|error| error.fault)
    }

    fn write(&self, path: &str, content: &str, expected: ExpectedFile) -> Result<bool, FileFault> {
        self.root
            .write(path, content, &expected, &CancelFlag::default())
            .map(|written| written.created)
            .map_err(|error| error.fault)
    }

    fn edit(&self, path: &str, old: &str, new: &str, everywhere: bool) -> Result<usize, FileFault> {
        let edit = crate::preview::TextEdit { old, new, everywhere };
        self.root
            .edit(path, edit, &ExpectedFile::Anything, &CancelFlag::default())
            .map(|edited| edited.replaced)
            .map_err(|error| error.fault)
    }

    fn glob(&self, pattern: &str) -> Vec<String> {
        let mut paths = self.root.glob(pattern, "", 1_000, &CancelFlag::default()).unwrap().paths;
        paths.sort();
        paths
    }

    fn grep(&self, pattern: &str, glob: Option<&str>) -> Vec<String> {
        let query = GrepQuery { pattern, path: "", glob, ignore_case: false, limit: 1_000 };
        let found = self.root.grep(&query, &CancelFlag::default()).unwrap();
        found
            .matches
            .iter()
            .map(|line| format!("{}:{}:{}", line.path, line.line, line.text))
            .collect()
    }

    /// All names below a folder of the house, with what is in the files.
    fn all(&self, folder: &str) -> Vec<(PathBuf, String)> {
        fn add(folder: &Path, all: &mut Vec<(PathBuf, String)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let found = fs::symlink_metadata(&path).unwrap();
                let content = match () {
                    () if found.is_symlink() => format!("{:?}", fs::read_link(&path).unwrap()),
                    () if found.is_dir() => {
                        add(&path, all);
                        "folder".to_owned()
                    }
                    () => String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned(),
                };
                all.push((path, content));
            }
        }
        let mut all = Vec::new();
        add(&self.place.join(folder), &mut all);
        all.sort();
        all
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.place);
    }
}
