//! What git runs of the files in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::path::RealFiles;
use crate::policy::run_by_git;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, made: &[&str]) -> Self {
        let root = std::env::temp_dir().join(format!("run-by-git-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for path in made {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        Self(root)
    }

    fn found(&self) -> (Vec<String>, Vec<String>) {
        let root = self.0.to_str().unwrap();
        let found = run_by_git(root, &RealFiles);
        let short = |paths: Vec<String>| -> Vec<String> {
            let mut paths: Vec<_> =
                paths.iter().map(|path| path.replace(&format!("{root}/"), "")).collect();
            paths.sort();
            paths
        };
        (short(found.kept), short(found.absent))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.0));
    }
}

#[test]
fn a_folder_without_a_repository_gets_none() {
    let folder = Folder::new("none", &["file"]);
    assert_eq!(folder.found(), (vec![], vec![".git".to_owned()]));
}

#[test]
fn a_file_that_says_where_the_folder_is_stays() {
    let folder = Folder::new("file", &[".git"]);
    assert_eq!(folder.found(), (vec![".git".to_owned()], vec![]));
}

#[test]
fn what_is_there_stays_and_what_is_not_is_not_made() {
    let folder = Folder::new(
        "plain",
        &[".git/HEAD", ".git/config", ".git/hooks/x.sample", ".git/info/exclude"],
    );
    let (kept, absent) = folder.found();
    assert_eq!(kept, [".git/config", ".git/hooks"]);
    assert_eq!(
        absent,
        [
            ".git/commondir",
            ".git/config.worktree",
            ".git/info/attributes",
            ".git/rebase-apply",
            ".git/rebase-merge",
            ".git/sequencer",
        ]
    );
}

#[test]
fn submodules_of_any_name_and_worktrees_are_repositories_too() {
    let made = [
        ".git/HEAD",
        ".git/config",
        ".git/modules/libs/one/HEAD",
        ".git/modules/libs/one/config",
        ".git/worktrees/two/HEAD",
        ".git/worktrees/two/commondir",
        ".git/worktrees/two/config.worktree",
    ];
    let (kept, absent) = Folder::new("more", &made).found();
    for path in [
        ".git/modules/libs/one/config",
        ".git/worktrees/two/commondir",
        ".git/worktrees/two/config.worktree",
    ] {
        assert!(kept.iter().any(|each| each == path), "{path}: {kept:?}");
    }
    assert!(absent.iter().any(|each| each == ".git/modules/libs/one/hooks"), "{absent:?}");
}

#[test]
fn folders_of_hooks_that_the_settings_name_stay() {
    let folder = Folder::new("named", &[".git/HEAD", ".git/more", "own hooks/pre-commit"]);
    let config =
        "[core]\n\thooksPath = \"own hooks\"\n[include]\n\tpath = more\n\tpath = ~/other\n";
    fs::write(folder.0.join(".git/config"), config).unwrap();
    let (kept, _) = folder.found();
    assert_eq!(kept, [".git/config", ".git/more", "own hooks"]);
}
