use super::super::{
    CachedFiles, NoFiles, PathContext, PathError, RealFiles, lexically, locate, spelled,
};
use super::{BARE, Links, here, star, text};
use crate::path::FileLookup as _;
use crate::shell::WordPiece;

/// path, lexical, real, real of lexical
const PLACES: &[[&str; 4]] = &[
    ["x", "/srv/app/x", "/srv/app/x", "/srv/app/x"],
    ["./././x/.", "/srv/app/x", "/srv/app/x", "/srv/app/x"],
    ["/srv//app///x//", "/srv/app/x", "/srv/app/x", "/srv/app/x"],
    ["..", "/srv", "/srv", "/srv"],
    ["../../../../x", "/x", "/x", "/x"],
    ["/", "/", "/", "/"],
    ["/..", "/", "/", "/"],
    ["..x/y...", "/srv/app/..x/y...", "/srv/app/..x/y...", "/srv/app/..x/y..."],
    ["~", "/home/u", "/home/u", "/home/u"],
    ["~/x", "/home/u/x", "/home/u/x", "/home/u/x"],
    ["~/../x", "/home/x", "/home/x", "/home/x"],
    ["./~", "/srv/app/~", "/srv/app/~", "/srv/app/~"],
    ["a b\n c", "/srv/app/a b\n c", "/srv/app/a b\n c", "/srv/app/a b\n c"],
    // Through links: `out` -> /var/lib, `rel` -> ../other, `chain` -> rel, `dot` -> ., `deep` -> out/sub
    ["out/x", "/srv/app/out/x", "/var/lib/x", "/var/lib/x"],
    ["out/../x", "/srv/app/x", "/var/x", "/srv/app/x"],
    ["out/new/new/x", "/srv/app/out/new/new/x", "/var/lib/new/new/x", "/var/lib/new/new/x"],
    ["missing/../out/x", "/srv/app/out/x", "/var/lib/x", "/var/lib/x"],
    ["rel", "/srv/app/rel", "/srv/other", "/srv/other"],
    ["rel/", "/srv/app/rel", "/srv/other", "/srv/other"],
    ["chain/x", "/srv/app/chain/x", "/srv/other/x", "/srv/other/x"],
    ["dot/dot/dot/x", "/srv/app/dot/dot/dot/x", "/srv/app/x", "/srv/app/x"],
    ["deep/x", "/srv/app/deep/x", "/var/lib/sub/x", "/var/lib/sub/x"],
    ["top", "/srv/app/top", "/", "/"],
    ["top/..", "/srv/app", "/", "/srv/app"],
];

fn links() -> Links {
    Links::new(&[
        ("/srv/app/out", "/var/lib"),
        ("/srv/app/rel", "../other"),
        ("/srv/app/chain", "rel"),
        ("/srv/app/dot", "."),
        ("/srv/app/deep", "out/sub/"),
        ("/srv/app/top", "/"),
        ("/srv/app/a", "b"),
        ("/srv/app/b", "a"),
        ("/srv/app/me", "/proc"),
        ("/srv/app/empty", ""),
    ])
}

#[test]
fn places() {
    for [path, lexical, real, real_of_lexical] in PLACES {
        let located = locate(path, &here(), &links()).unwrap();
        assert_eq!(located.lexical, *lexical, "{path}");
        assert_eq!(located.real, *real, "{path}");
        assert_eq!(located.real_of_lexical, *real_of_lexical, "{path}");
    }
}

#[test]
fn what_cannot_be_told() {
    let long_name = format!("x/{}", "a".repeat(256));
    let long_path = "a/".repeat(2048);
    for (path, error) in [
        ("", PathError::Empty),
        ("a\0b", PathError::Nul),
        (&long_name, PathError::TooLong),
        (&long_path, PathError::TooLong),
        ("a/x", PathError::TooManyLinks),
        ("~root/x", PathError::OtherHome),
        ("/proc/self", PathError::PerProcess),
        ("/proc/self/../x", PathError::PerProcess),
        ("/proc//./self/root/etc/passwd", PathError::PerProcess),
        ("/proc/thread-self/cwd", PathError::PerProcess),
        ("/proc/12/root/etc", PathError::PerProcess),
        ("/proc/12/fd/3", PathError::PerProcess),
        ("/proc/12/task/12/cwd/x", PathError::PerProcess),
        ("me/self/cwd", PathError::PerProcess),
        ("/dev/fd/3", PathError::PerProcess),
        ("/dev/stdin", PathError::PerProcess),
        ("/dev/../dev/stdout", PathError::PerProcess),
    ] {
        assert_eq!(locate(path, &here(), &links()), Err(error), "{path:.40}");
    }
    assert!(matches!(locate("empty", &here(), &links()), Err(PathError::Unreadable(_))));
    let homeless = PathContext { home: None, ..here() };
    assert_eq!(locate("~/x", &homeless, &links()), Err(PathError::NoHome));
    let nowhere = PathContext { cwd: "srv".to_owned(), ..here() };
    assert!(matches!(locate("x", &nowhere, &links()), Err(PathError::Unreadable(_))));
    assert!(locate("/proc/12/status", &here(), &links()).is_ok());
    assert!(locate("/proc/cpuinfo", &here(), &links()).is_ok());
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let names: Vec<String> = (0..=41).map(|n| format!("/l{n}")).collect();
    let links: Vec<(&str, &str)> =
        names.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect();
    let links = Links::new(&links);
    assert_eq!(locate("/l1", &here(), &links).unwrap().real, "/l41");
    assert_eq!(locate("/l0", &here(), &links), Err(PathError::TooManyLinks));
}

#[test]
fn the_ways_through_links_are_told() {
    let links = Links::new(&[("/l", "/home/u/.ssh"), ("/home/u/.ssh/keys", "/mnt")]);
    let located = locate("/l/keys/id", &here(), &links).unwrap();
    assert_eq!(located.through, ["/l/keys/id", "/home/u/.ssh/keys/id"]);
    assert_eq!(located.real, "/mnt/id");
}

#[test]
fn nothing_is_told_without_files() {
    for path in
        ["x", "/", "/etc/passwd", "~", "~/x", "..", ".", "/dev/nul", "/dev/null/..", "//dev/null"]
    {
        assert_eq!(locate(path, &here(), &NoFiles), Err(PathError::NeedsFiles), "{path}");
    }
    assert_eq!(locate("/dev/null", &here(), &NoFiles).unwrap().real, "/dev/null");
    assert_eq!(locate("", &here(), &NoFiles), Err(PathError::Empty));
    assert_eq!(locate("\0", &here(), &NoFiles), Err(PathError::Nul));
    assert_eq!(lexically("a/../b", &here()).unwrap().real, "/srv/app/b");
}

#[test]
fn words_are_spelled_as_the_shell_does() {
    let spell = |pieces: &[WordPiece]| spelled(pieces, &here());
    assert_eq!(spell(&[WordPiece::Home, text("/x")]).as_deref(), Some("/home/u/x"));
    assert_eq!(spell(&[text("~/x")]).as_deref(), Some("./~/x"));
    assert_eq!(spell(&[text("a~"), text("~")]).as_deref(), Some("a~~"));
    assert_eq!(spell(&[]).as_deref(), Some(""));
    assert_eq!(spell(&[text("a"), star("*")]), None);
    assert_eq!(spell(&[BARE]), None);
}

#[cfg(unix)]
mod real {
    use std::ffi::OsStr;
    use std::fs;
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::{Path, PathBuf};

    use proptest::prelude::*;

    use super::*;
    use crate::cases::cases;

    struct TempDir(PathBuf);

    impl TempDir {
        fn new(name: &str) -> Self {
            let name = format!("countersign-path-{}-{name}", std::process::id());
            let dir = std::env::temp_dir().canonicalize().unwrap().join(name);
            fs::create_dir_all(&dir).unwrap();
            Self(dir)
        }

        fn path(&self) -> &str {
            self.0.to_str().unwrap()
        }

        fn at(&self) -> PathContext {
            PathContext { cwd: self.path().to_owned(), ..PathContext::default() }
        }
    }

    impl Drop for TempDir {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).ok();
        }
    }

    #[test]
    fn links_on_disk() {
        let dir = TempDir::new("links");
        fs::create_dir_all(dir.0.join("in/sub")).unwrap();
        fs::write(dir.0.join("file"), "").unwrap();
        symlink("in/sub", dir.0.join("sub")).unwrap();
        symlink(dir.0.join("nowhere"), dir.0.join("dangling")).unwrap();
        symlink("loop", dir.0.join("loop")).unwrap();
        for (path, real) in [
            ("in/sub/x", "in/sub/x"),
            ("sub/x", "in/sub/x"),
            ("sub/../x", "in/x"),
            ("dangling", "nowhere"),
            ("dangling/a/../b", "nowhere/b"),
            ("file/below", "file/below"),
            ("new/new", "new/new"),
        ] {
            for files in [&RealFiles as &dyn crate::path::FileLookup, &CachedFiles::new(&RealFiles)]
            {
                let located = locate(path, &dir.at(), files).unwrap();
                assert_eq!(located.real, format!("{}/{real}", dir.path()), "{path}");
            }
        }
        assert_eq!(locate("loop/x", &dir.at(), &RealFiles), Err(PathError::TooManyLinks));
        // What exists is where the kernel says.
        let kernel = dir.0.join("sub/..").canonicalize().unwrap();
        assert_eq!(Path::new(&locate("sub/..", &dir.at(), &RealFiles).unwrap().real), kernel);
    }

    #[test]
    fn targets_that_are_no_text() {
        let dir = TempDir::new("bytes");
        if symlink(OsStr::from_bytes(b"\xff"), dir.0.join("odd")).is_ok() {
            let error = locate("odd", &dir.at(), &RealFiles);
            assert!(matches!(error, Err(PathError::Unreadable(_))), "{error:?}");
        }
    }

    #[test]
    fn directories_that_may_not_be_searched() {
        let dir = TempDir::new("closed");
        let closed = dir.0.join("closed");
        fs::create_dir_all(closed.join("sub")).unwrap();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o000)).unwrap();
        let answer = locate("closed/sub", &dir.at(), &RealFiles);
        let may = fs::symlink_metadata(closed.join("sub")).is_ok();
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o755)).unwrap();
        // The superuser may search everything.
        assert!(may || matches!(answer, Err(PathError::Unreadable(_))), "{answer:?}");
    }

    #[test]
    fn case_is_told_by_what_is_there() {
        let dir = TempDir::new("case");
        fs::write(dir.0.join("name"), "").unwrap();
        let folds = fs::symlink_metadata(dir.0.join("NAME")).is_ok();
        for path in ["name", "other", "new/other", "123"] {
            let located = locate(path, &dir.at(), &RealFiles).unwrap();
            assert_eq!(located.folds_case(&RealFiles), folds, "{path}");
        }
        // Two files whose names differ in case alone are no folding.
        if !folds {
            fs::write(dir.0.join("NAME"), "").unwrap();
            assert!(!locate("name", &dir.at(), &RealFiles).unwrap().folds_case(&RealFiles));
        }
    }

    #[test]
    fn answers_are_kept_for_a_verdict() {
        let dir = TempDir::new("kept");
        let link = dir.0.join("link");
        symlink("one", &link).unwrap();
        let kept = CachedFiles::new(&RealFiles);
        let one = locate("link", &dir.at(), &kept).unwrap();
        fs::remove_file(&link).unwrap();
        symlink("two", &link).unwrap();
        assert_eq!(locate("link", &dir.at(), &kept).unwrap(), one);
        assert_eq!(kept.real(link.to_str().unwrap()).unwrap(), one.real);
        assert_ne!(locate("link", &dir.at(), &RealFiles).unwrap(), one);
        let text = dir.0.join("text");
        let read = |most| kept.text(text.to_str().unwrap(), most);
        fs::write(&text, "one").unwrap();
        assert_eq!(read(3).as_deref(), Some("one"));
        fs::write(&text, "two").unwrap();
        assert_eq!((read(3).as_deref(), read(2)), (Some("one"), None));
    }

    #[test]
    fn a_text_is_whole_or_not_told() {
        let dir = TempDir::new("text");
        fs::write(dir.0.join("bytes"), b"\xff").unwrap();
        fs::write(dir.0.join("text"), "12345").unwrap();
        let read = |name: &str, most| RealFiles.text(dir.0.join(name).to_str().unwrap(), most);
        assert_eq!(read("text", 5).as_deref(), Some("12345"));
        assert_eq!((read("text", 4), read("bytes", 5), read("none", 5)), (None, None, None));
        assert_eq!(RealFiles.text(dir.path(), 5), None);
        // The length that it tells of itself is 0.
        if cfg!(target_os = "linux") {
            assert_eq!(RealFiles.text("/proc/self/status", 4), None);
        }
    }

    proptest! {
        #![proptest_config(cases(16, 64))]

        /// The kernel is asked about paths that exist; it must agree.
        #[test]
        fn the_kernel_agrees(
            entries in prop::collection::vec(("[ab](/[ab]){0,2}", prop::option::of("(/|[.]{2}/|[.]/){0,1}[ab](/[ab.]|/[.]{2}){0,2}")), 1..8),
            paths in prop::collection::vec("([ab]|[.]{1,2})(/[ab]|/[.]{1,2}|/){0,5}", 24),
        ) {
            let dir = TempDir::new(&format!("kernel-{:?}", std::thread::current().id()));
            // So deep that nothing leads out of it, to files of others.
            let root = dir.0.join("x/y/".repeat(8));
            fs::create_dir_all(&root).unwrap();
            for (name, target) in &entries {
                let place = root.join(name);
                fs::create_dir_all(place.parent().unwrap()).ok();
                match target {
                    Some(target) => {
                        let inside = target.strip_prefix('/').map(|rest| root.join(rest));
                        symlink(inside.unwrap_or_else(|| PathBuf::from(target)), &place).ok();
                    }
                    None => {
                        fs::create_dir_all(&place).ok();
                    }
                }
            }
            let from = PathContext { cwd: root.to_str().unwrap().to_owned(), ..PathContext::default() };
            for path in &paths {
                let located = locate(path, &from, &RealFiles);
                match root.join(path).canonicalize() {
                    Ok(kernel) => {
                        let real = located.unwrap().real;
                        prop_assert_eq!(Path::new(&real), kernel, "{}", path);
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                    Err(_) => prop_assert_eq!(located, Err(PathError::TooManyLinks), "{}", path),
                }
            }
        }
    }
}
