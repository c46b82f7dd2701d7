//! What git runs of the files in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::path::{NoFiles, RealFiles};
use crate::policy::{GitLook, run_by_git};

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
        let (kept, absent, _) = self.found_in("", &[]);
        (kept, absent)
    }

    /// What is found of a folder in it, where alone commands may write, with the names of the repositories.
    fn found_in(&self, place: &str, homes: &[&str]) -> (Vec<String>, Vec<String>, Vec<String>) {
        let place = self.path(place);
        let homes: Vec<String> = homes.iter().map(|home| self.path(home)).collect();
        let look =
            GitLook { places: std::slice::from_ref(&place), homes: &homes, files: &RealFiles };
        let found = run_by_git(&place, &look);
        assert!(!found.incomplete);
        let short = |paths: Vec<String>| -> Vec<String> {
            let mut paths: Vec<_> =
                paths.iter().map(|path| path.replace(&self.path("/"), "")).collect();
            paths.sort();
            paths
        };
        (short(found.kept), short(found.absent), short(found.repositories))
    }

    fn path(&self, name: &str) -> String {
        format!("{}/{name}", self.0.to_str().unwrap()).replace("//", "/")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.0));
    }
}

#[test]
fn where_the_disk_answers_with_an_error_what_git_obeys_is_kept_as_it_is() {
    let place = "/p".to_owned();
    let look = GitLook { places: std::slice::from_ref(&place), homes: &[], files: &NoFiles };
    let found = run_by_git(&place, &look);
    assert_eq!((found.kept, found.absent), (vec!["/p/.git".to_owned()], vec![]));
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
            ".git/branches",
            ".git/commondir",
            ".git/config.worktree",
            ".git/info/attributes",
            ".git/modules",
            ".git/rebase-apply",
            ".git/rebase-merge",
            ".git/remotes",
            ".git/sequencer",
            ".git/worktrees",
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

/// What the settings of a project say, and what of the names is kept or must not be made.
#[test]
fn what_settings_name_is_kept_however_it_is_written() {
    for (name, config, kept, absent) in [
        ("comment", "[core]\n\thooksPath = dev # ours\n", &["dev"][..], &[][..]),
        ("line", "[core] hooksPath = dev\n", &["dev"], &[]),
        ("goes-on", "[core]\n\thooksPath = d\\\nev\n", &["dev"], &[]),
        ("dots", "[core]\n\thooksPath = ./dev/../dev//\n", &["dev"], &[]),
        ("missing", "[core]\n\thooksPath = .husky/_\n", &[], &[".husky/_", ".husky/pre-commit"]),
        ("included", "[include]\n\tpath = ../more\n", &["dev", "more", "own"], &["none"]),
        ("sometimes", "[includeIf \"gitdir:x\"]\n\tpath = ../more\n", &["own"], &["none"]),
        ("missing-include", "[include]\n\tpath = ../else\n", &[], &["else"]),
        ("home", "[include]\n\tpath = ~/settings\n", &["home/settings", "own"], &[]),
        ("outside", "[core]\n\thooksPath = ../../outside\n", &[], &[]),
        ("root", "[core]\n\thooksPath = .\n", &["pre-commit"], &["commit-msg"]),
    ] {
        let made = [".git/HEAD", "dev/x", "own/x", "pre-commit"];
        let folder = Folder::new(&format!("says-{name}"), &made);
        folder.write(".git/config", config);
        folder.write("more", "[core]\nhooksPath = dev\n[include]\npath = further\npath = none\n");
        folder.write("further", "[core]\nhooksPath = own\n");
        folder.write("home/settings", "[core]\nhooksPath = own\n");
        let (all_kept, all_absent, _) = folder.found_in("", &["home"]);
        for path in kept {
            assert!(all_kept.iter().any(|each| each == path), "{name}: {path}: {all_kept:?}");
        }
        for path in absent {
            assert!(all_absent.iter().any(|each| each == path), "{name}: {path}: {all_absent:?}");
        }
        let is_other = |path: &&String| {
            !path.starts_with(".git") && !path.starts_with("home/") && path.as_str() != "further"
        };
        if kept.is_empty() {
            assert_eq!(all_kept.iter().find(is_other), None, "{name}");
        }
        if absent.is_empty() {
            assert_eq!(all_absent.iter().find(is_other), None, "{name}");
        }
    }
}

#[test]
fn settings_of_the_user_and_of_one_worktree_count_too() {
    let folder =
        Folder::new("user", &["project/.git/HEAD", "project/a/x", "project/b/x", "project/c/x"]);
    folder.write("home/.gitconfig", "[core]\nhooksPath = a\n");
    folder.write("home/.config/git/config", "[core]\nhooksPath = b\n");
    folder.write("project/.git/config.worktree", "[core]\nhooksPath = c\n");
    let (kept, absent, _) = folder.found_in("project", &["home"]);
    let expected = ["project/.git/config.worktree", "project/a", "project/b", "project/c"];
    assert_eq!(kept, expected);
    assert!(absent.iter().all(|path| path.starts_with("project/")), "{absent:?}");
}

#[test]
fn a_worktree_a_submodule_and_a_folder_further_down_have_the_settings_of_their_repository() {
    let made = ["main/.git/HEAD", "main/.git/worktrees/w/HEAD", "tree/dev/x", "main/low/dev/x"];
    let folder = Folder::new("elsewhere", &made);
    folder.write("main/.git/config", "[core]\nhooksPath = dev\n[core]\nhooksPath = low/dev\n");
    folder.write("tree/.git", &format!("gitdir: {}\n", folder.path("main/.git/worktrees/w")));
    folder.write("main/.git/worktrees/w/commondir", "../..\n");
    folder.write("main/.git/worktrees/w/gitdir", &format!("{}\n", folder.path("tree/.git")));
    let (kept, absent, _) = folder.found_in("tree", &[]);
    assert_eq!(kept, ["tree/.git", "tree/dev"]);
    assert_eq!(absent, ["tree/low/dev"]);
    let (kept, absent, _) = folder.found_in("main/low", &[]);
    assert_eq!(kept, ["main/low/dev"]);
    assert_eq!(absent, ["main/low/.git"]);
    folder.write("main/.git/modules/sub/HEAD", "");
    let config = "[core]\nworktree = ../../../sub\nhooksPath = own\n";
    folder.write("main/.git/modules/sub/config", config);
    let (_, absent, _) = folder.found_in("main", &[]);
    assert!(absent.contains(&"main/sub/own".to_owned()), "{absent:?}");
}

#[test]
fn repositories_that_a_submodule_would_take_over_are_known_and_where_there_are_none_none_are_made()
{
    let made = [".git/HEAD", ".git/modules/libs/one/HEAD", ".git/modules/libs/one/modules/in/HEAD"];
    let folder = Folder::new("taken", &made);
    let (_, absent, repositories) = folder.found_in("", &[]);
    let expected =
        [".git", ".git/modules/libs", ".git/modules/libs/one", ".git/modules/libs/one/modules/in"];
    assert_eq!(repositories, expected);
    for path in [".git/worktrees", ".git/modules/libs/HEAD", ".git/modules/libs/one/worktrees"] {
        assert!(absent.iter().any(|each| each == path), "{path}: {absent:?}");
    }
}

#[cfg(unix)]
#[test]
fn what_symlinks_of_git_lead_to_is_kept_and_where_it_is_not_there_not_made() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links", &[".git/HEAD", "tools/pc", ".git/hooks/x.sample"]);
    symlink("../../tools/pc", folder.0.join(".git/hooks/pre-commit")).unwrap();
    symlink("../../tools/none", folder.0.join(".git/hooks/pre-push")).unwrap();
    symlink("../elsewhere", folder.0.join(".git/config")).unwrap();
    let (kept, absent) = folder.found();
    assert_eq!(
        kept,
        [".git/config", ".git/hooks", ".git/hooks/pre-commit", ".git/hooks/pre-push", "tools/pc"]
    );
    for path in ["elsewhere", "tools/none"] {
        assert!(absent.iter().any(|each| each == path), "{path}: {absent:?}");
    }
    let folder = Folder::new("dangling", &[".git/HEAD"]);
    symlink("../dev", folder.0.join(".git/hooks")).unwrap();
    let (kept, absent) = folder.found();
    assert_eq!(kept, [".git/hooks"]);
    assert!(absent.contains(&"dev".to_owned()), "{absent:?}");
}

#[test]
fn what_was_committed_is_found_wherever_git_keeps_it() {
    let stores = |folder: &Folder| -> (Vec<String>, Vec<String>, Vec<String>) {
        let place = folder.path("");
        let homes = [];
        let look =
            GitLook { places: std::slice::from_ref(&place), homes: &homes, files: &RealFiles };
        let found = run_by_git(&folder.path("tree"), &look);
        assert!(!found.incomplete);
        let short = |paths: Vec<String>| -> Vec<String> {
            paths.iter().map(|path| path.replace(&folder.path("/"), "")).collect()
        };
        (short(found.stores), short(found.kept), short(found.absent))
    };
    // All of it lies below the `.git`.
    let plain = Folder::new("store-plain", &["tree/.git/HEAD", "tree/.git/objects/x"]);
    assert_eq!(stores(&plain).0, [""; 0]);

    // A store that several work trees share, with objects that it borrows.
    let shared =
        Folder::new("store-shared", &[".bare/HEAD", ".bare/objects/x", ".bare/refs/x", "lent/x"]);
    shared.write("tree/.git", "gitdir: ../.bare/worktrees/tree\n");
    shared.write(".bare/worktrees/tree/HEAD", "");
    shared.write(".bare/worktrees/tree/commondir", "../..\n");
    shared.write(".bare/objects/info/alternates", "# none\n../../lent\n");
    let (found, kept, absent) = stores(&shared);
    for path in [".bare", "lent"] {
        assert!(found.iter().any(|each| each == path), "{path}: {found:?}");
    }
    // Its hooks are run in each of them.
    assert!(absent.iter().any(|each| each == ".bare/hooks"), "{kept:?} {absent:?}");
}

/// Where what was committed is kept, and whether it may be elsewhere all the same.
fn history(folder: &Folder, tree: &str) -> (Vec<String>, bool) {
    let place = folder.path("");
    let look = GitLook { places: std::slice::from_ref(&place), homes: &[], files: &RealFiles };
    let found = run_by_git(&folder.path(tree), &look);
    let short = |path: &String| path.replace(&folder.path("/"), "");
    (found.stores.iter().map(short).collect(), found.unheld)
}

#[test]
fn objects_that_are_borrowed_by_a_name_in_quotes_are_found() {
    for (text, stores) in [
        ("\"../../p q/o\\\"o\"\n", &["p q/o\"o"][..]),
        ("# ours\n\"../../po\\303\\266l\"\n../../lent", &["po\u{f6}l", "lent"]),
        ("../../none/../lent/\n", &["lent"]),
    ] {
        let made = [".git/HEAD", ".git/objects/x", "p q/o\"o/x", "po\u{f6}l/x", "lent/x"];
        let folder = Folder::new("quoted", &made);
        folder.write(".git/objects/info/alternates", text);
        assert_eq!(
            history(&folder, ""),
            (stores.iter().map(|it| (*it).to_owned()).collect(), false)
        );
    }
    // Those of one that borrows in turn, and of a submodule that is not checked out.
    let made = [".git/HEAD", ".git/modules/sub/HEAD", "mid/x", "end/x"];
    let folder = Folder::new("nested", &made);
    folder.write(".git/modules/sub/objects/info/alternates", "../../../../mid\n");
    folder.write("mid/info/alternates", &format!("{}\n", folder.path("end")));
    assert_eq!(history(&folder, ""), (vec!["mid".to_owned(), "end".to_owned()], false));
    // Of a repository further up.
    let folder = Folder::new("further-up", &[".git/HEAD", ".git/objects/x", "in/lent/x"]);
    folder.write(".git/objects/info/alternates", "../../in/lent\n");
    let place = folder.path("in");
    let look = GitLook { places: std::slice::from_ref(&place), homes: &[], files: &RealFiles };
    assert_eq!(run_by_git(&place, &look).stores, [folder.path("in/lent")]);
}

#[test]
fn what_names_a_store_and_cannot_be_read_leaves_it_unknown() {
    for (name, bytes) in [
        (".git/objects/info/alternates", &b"\xff\n"[..]),
        (".git/objects/info/alternates", b"\"\\377\"\n"),
        (".git/objects/info/alternates", b"a\0b\n"),
        (".git/commondir", b"\xff\n"),
        ("tree/.git", b"gitdir: ../\xff\n"),
        ("tree/.git", b"gitdir: ../store \n"),
    ] {
        let made: &[&str] = if name.starts_with('t') { &["x"] } else { &[".git/HEAD"] };
        let folder = Folder::new("unknown", made);
        folder.write(name, "");
        fs::write(folder.0.join(name), bytes).unwrap();
        let tree = name.strip_suffix("/.git").unwrap_or_default();
        assert!(history(&folder, tree).1, "{name} {}", String::from_utf8_lossy(bytes));
    }
}

#[cfg(unix)]
#[test]
fn a_symlink_on_the_way_to_a_store_that_a_command_may_replace_leaves_it_unheld() {
    use std::os::unix::fs::symlink;
    let made = ["st/x/HEAD", "st/x/objects/x", "st/x/refs/x", "st/lent/x"];
    let new = |links: &[(&str, &str)], texts: &[(&str, &str)]| {
        let folder = Folder::new("led", &made);
        for (name, text) in texts {
            folder.write(name, text);
        }
        for (name, target) in links {
            fs::create_dir_all(folder.0.join(name).parent().unwrap()).unwrap();
            symlink(target, folder.0.join(name)).unwrap();
        }
        folder
    };
    let alternates = "st/x/objects/info/alternates";
    let by_file = (".git", "gitdir: st/x\n");
    for (what, links, texts) in [
        (".git", &[(".git", "st/x")][..], &[][..]),
        ("a folder on the way", &[("lk", "st")], &[(".git", "gitdir: lk/x\n")]),
        ("a way out and back", &[("lk", "st")], &[(".git", "gitdir: lk/../st/x\n")]),
        ("the file", &[(".git", "says")], &[("says", "gitdir: st/x\n")]),
        ("alternates", &[("lk", "st")], &[by_file, (alternates, "../../../lk/lent\n")]),
        (
            "objects of objects",
            &[("lk", "st"), ("st/x/objects/aa", "../../../lk/lent")],
            &[by_file],
        ),
        ("two links", &[("st/x/packed-refs", "../../a"), ("a", "b")], &[by_file, ("b", "")]),
    ] {
        assert!(history(&new(links, texts), "").1, "{what}");
    }
    // What lies in the store is held with it, and so is where it leads; and so is the file that names another store.
    for (what, links, texts, stores) in [
        ("plain", &[][..], &[by_file][..], &["st/x"][..]),
        ("objects", &[("st/x/objects/aa", "../../lent")], &[by_file], &["st/x", "st/lent"]),
        (
            "an object",
            &[("st/x/objects/ab/cd", "../../../lent/x")],
            &[by_file],
            &["st/x", "st/lent/x"],
        ),
        ("a branch", &[("st/x/refs/heads/b", "../../../lent/x")], &[by_file], &["st/lent/x"]),
        ("branches", &[("st/x/refs/heads", "../../lent")], &[by_file], &["st/lent"]),
        ("logs", &[("st/x/logs", "../lent")], &[by_file], &["st/lent"]),
        (
            "the file of alternates",
            &[(alternates, "../../../../says")],
            &[by_file, ("says", "../../lent\n")],
            &["st/x", "says", "st/lent"],
        ),
    ] {
        let (found, unheld) = history(&new(links, texts), "");
        assert!(!unheld, "{what}");
        for store in stores {
            assert!(found.iter().any(|each| each == store), "{what}: {store}: {found:?}");
        }
    }
    // The way to the project itself is no command's to change.
    let folder = new(&[("here", "st")], &[("st/.git", "gitdir: x\n")]);
    let place = folder.path("here");
    let look = GitLook { places: std::slice::from_ref(&place), homes: &[], files: &RealFiles };
    assert!(!run_by_git(&place, &look).unheld);
}

/// Git puts its own folder, or somebody's home, in their place: from there `..` leads anywhere.
#[test]
fn a_path_of_settings_that_begins_with_what_is_not_known_is_told_as_not_looked_at() {
    for config in [
        "[core]\n\thooksPath = %(prefix)/../work/hk\n",
        "[core]\n\thooksPath = \":(optional)%(prefix)/hk\"\n",
        "[include]\n\tpath = %(prefix)/../work/inc\n",
        "[includeIf \"gitdir:x\"]\n\tpath = %(other)/inc\n",
        "[init]\n\ttemplateDir = %(prefix)/../work/t\n",
        "[core]\n\thooksPath = ~root/hk\n",
    ] {
        let folder = Folder::new("unknown", &[".git/HEAD"]);
        folder.write(".git/config", config);
        let (place, homes) = (folder.path(""), Vec::new());
        let places = std::slice::from_ref(&place);
        let found = run_by_git(&place, &GitLook { places, homes: &homes, files: &RealFiles });
        assert!(found.incomplete, "{config}");
    }
    // Of a variable git knows nothing: it is a name.
    let folder = Folder::new("variable", &[".git/HEAD"]);
    folder.write(".git/config", "[core]\n\thooksPath = ${PWD}/hk\n");
    let (_, absent) = folder.found();
    assert!(absent.iter().any(|path| path == "${PWD}/hk"), "{absent:?}");
}
