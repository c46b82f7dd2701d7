use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::places::project_root_in;
use super::*;
use crate::effort::effort;
use crate::policy::Effect;
use crate::policy::document::{DocumentFormat, ErrorCode, LayerKind};

mod trusted;

/// A directory of its own, gone when the test ends.
struct Dir(PathBuf);

impl Dir {
    fn new() -> Self {
        let dir =
            std::env::temp_dir().join(format!("countersign-{}", uuid::Uuid::now_v7().simple()));
        fs::create_dir_all(&dir).unwrap();
        Self(fs::canonicalize(dir).unwrap())
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn files(&self) -> LayerFiles {
        LayerFiles {
            managed: Some(self.0.join("etc/policy.toml")),
            user: Some(self.0.join("config/policy.toml")),
            project: Some(self.0.join("project/.countersign/policy.toml")),
            trust: Some(self.0.join("config/trust.toml")),
        }
    }

    fn open(&self) -> PolicyLayers {
        let options = LayersOptions {
            files: self.files(),
            managed_owner: me(&self.0),
            ..LayersOptions::default()
        };
        PolicyLayers::open(options).unwrap()
    }
}

impl Drop for Dir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(unix)]
fn me(dir: &Path) -> u32 {
    std::os::unix::fs::MetadataExt::uid(&fs::metadata(dir).unwrap())
}

#[cfg(not(unix))]
fn me(_: &Path) -> u32 {
    0
}

#[cfg(unix)]
fn chmod(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn policy(default: &str) -> String {
    format!("version = 1\ndefault = \"{default}\"\n")
}

/// Layer, default and trust of each document.
fn told(snapshot: &LayerSnapshot) -> Vec<(LayerKind, Option<Effect>, bool)> {
    snapshot
        .documents
        .iter()
        .map(|document| (document.source.layer, document.default, document.source.trusted))
        .collect()
}

const USER: &str = "config/policy.toml";
const PROJECT: &str = "project/.countersign/policy.toml";

#[test]
fn layers_are_read_in_order() {
    let dir = Dir::new();
    dir.write(USER, &policy("allow"));
    dir.write(PROJECT, &policy("ask"));
    let managed = dir.write("etc/policy.toml", &policy("deny"));
    #[cfg(unix)]
    let _ = [managed.as_path(), managed.parent().unwrap()].map(|path| chmod(path, 0o755));
    let text = r#"{ "version": 1, "default": "ask" }"#.to_owned();
    let code =
        CodePolicy { name: Arc::from("policy option"), format: DocumentFormat::Object, text };
    let options =
        LayersOptions { files: dir.files(), code: vec![code], managed_owner: me(&managed) };
    let snapshot = PolicyLayers::open(options).unwrap().snapshot();
    assert_eq!(
        told(&snapshot),
        [
            (LayerKind::Managed, Some(Effect::Deny), cfg!(unix)),
            (LayerKind::User, Some(Effect::Allow), true),
            (LayerKind::Project, Some(Effect::Ask), false),
            (LayerKind::Code, Some(Effect::Ask), true),
        ]
    );
    assert_eq!((&snapshot.broken, snapshot.problems.len()), (&None, 0));
    assert_eq!(snapshot.hash.len(), 64);
    assert!(PolicyLayers::open(LayersOptions::default()).unwrap().snapshot().documents.is_empty());
}

#[test]
fn a_policy_of_the_program_must_be_right() {
    let code = CodePolicy {
        name: Arc::from("policy option"),
        format: DocumentFormat::Object,
        text: "{}".into(),
    };
    let errors = PolicyLayers::open(LayersOptions { code: vec![code], ..LayersOptions::default() });
    assert_eq!(errors.unwrap_err()[0].code, ErrorCode::Version);
}

#[test]
fn changes_are_taken_over() {
    let dir = Dir::new();
    let layers = dir.open();
    let empty = layers.snapshot();
    assert!(empty.documents.is_empty() && empty.broken.is_none());
    assert!(Arc::ptr_eq(&empty, &layers.refresh()));

    // It appears.
    let file = dir.write(USER, &policy("ask"));
    assert!(layers.snapshot().documents.is_empty(), "only a refresh reads");
    let first = layers.refresh();
    assert_eq!(told(&first), [(LayerKind::User, Some(Effect::Ask), true)]);
    assert!(Arc::ptr_eq(&first, &layers.refresh()));
    assert_ne!(first.hash, empty.hash);

    // It changes, to as many bytes and at once, so that only a second look tells.
    let [deny, ask] = ["version = 1\ndefault = \"deny\"\n", "version = 1\ndefault = \"ask\" \n"];
    assert_eq!(deny.len(), ask.len());
    for (text, effect) in [(deny, Effect::Deny), (ask, Effect::Ask), (deny, Effect::Deny)] {
        fs::write(&file, text).unwrap();
        assert_eq!(told(&layers.refresh()), [(LayerKind::User, Some(effect), true)], "{text}");
    }

    // It breaks: what it said goes on to count.
    let before = layers.snapshot();
    fs::write(&file, "version = 1\ndefualt = \"allow\"\n").unwrap();
    let broken = layers.refresh();
    assert_eq!((told(&broken), &broken.hash, &broken.broken), (told(&before), &before.hash, &None));
    let [problem] = broken.problems.as_slice() else { panic!("{:?}", broken.problems) };
    assert!(problem.kept);
    assert_eq!(
        problem.errors[0].to_string(),
        format!(
            "{}:2:1: unknown key \"defualt\" in a policy: did you mean \"default\"?",
            file.display()
        )
    );

    // It is mended.
    fs::write(&file, policy("deny")).unwrap();
    assert_eq!(*layers.refresh(), *before);

    // It goes: what it said goes on to deny, and nothing is allowed.
    fs::remove_file(&file).unwrap();
    let gone = layers.refresh();
    assert_eq!(told(&gone), told(&before));
    assert!(gone.broken.as_deref().unwrap().contains("was there and is gone"));
    assert!(!gone.problems[0].kept);
    assert!(Arc::ptr_eq(&gone, &layers.refresh()));
    assert_eq!(*dir.open().snapshot(), *empty);

    // It is back.
    fs::write(&file, policy("deny")).unwrap();
    assert_eq!(*layers.refresh(), *before);
}

/// A path that leads to a file through symlinks, with what stands there then, and a word of what is told.
#[cfg(unix)]
#[test]
fn a_name_that_leads_nowhere_is_no_absence() {
    use std::os::unix::fs::symlink;
    let nowhere = "is a symlink to what is not there";
    for (place, target, told) in [
        (USER, Some("/nope/policy.toml"), nowhere),
        (USER, Some("../away/policy.toml"), nowhere),
        ("config", Some("/dev/null/nope"), nowhere),
        ("config", Some("away"), nowhere),
        ("config", None, "is not a directory"),
        (PROJECT, Some("/dev/null/nope"), nowhere),
        ("project/.countersign", Some("/dev/null/nope"), nowhere),
        ("project/.countersign", None, "is not a directory"),
        ("project", Some("nope"), nowhere),
        ("etc/policy.toml", Some("/dev/null/nope"), nowhere),
        ("etc", Some("/dev/null/nope"), nowhere),
    ] {
        let stands = |dir: &Dir| {
            let path = dir.0.join(place);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            match target {
                Some(target) => symlink(target, &path).unwrap(),
                None => fs::write(&path, "").unwrap(),
            }
            path
        };
        let dir = Dir::new();
        stands(&dir);
        let broken = dir.open().snapshot().broken.clone();
        assert!(broken.as_deref().is_some_and(|text| text.contains(told)), "{place}: {broken:?}");

        // It comes to stand there later, where nothing was.
        let dir = Dir::new();
        let layers = dir.open();
        assert_eq!(layers.refresh().broken, None, "{place}");
        let path = stands(&dir);
        assert!(layers.refresh().broken.is_some(), "{place}");
        // What went is missed; a gate that is made anew does not miss it.
        fs::remove_file(path).unwrap();
        assert!(layers.refresh().broken.is_some(), "{place}");
        assert_eq!(dir.open().snapshot().broken, None, "{place}");
    }
}

#[cfg(unix)]
#[test]
fn a_deny_behind_a_symlink_bites_while_its_target_is_away() {
    let dir = Dir::new();
    let target = dir.write("dot/policy.toml", &policy("deny"));
    fs::create_dir(dir.0.join("config")).unwrap();
    std::os::unix::fs::symlink("../dot/policy.toml", dir.0.join(USER)).unwrap();
    let layers = dir.open();
    let before = layers.snapshot();
    assert_eq!(told(&before), [(LayerKind::User, Some(Effect::Deny), true)]);
    let away = dir.0.join("dot.away");
    fs::rename(target.parent().unwrap(), &away).unwrap();
    let snapshot = layers.refresh();
    assert_eq!((told(&snapshot), snapshot.problems.len()), (told(&before), 1));
    fs::rename(away, target.parent().unwrap()).unwrap();
    assert_eq!(*layers.refresh(), *before);
}

#[test]
fn what_was_never_read_breaks_everything_until_it_can_be() {
    let dir = Dir::new();
    let file = dir.write(USER, "version = ");
    let layers = dir.open();
    let snapshot = layers.snapshot();
    let lost = "is broken, and none of its rules count, denies included: ";
    let said = format!("{}:1:11 {lost}", file.display());
    assert!(snapshot.broken.as_deref().unwrap().starts_with(&said), "{:?}", snapshot.broken);
    assert!(!snapshot.problems[0].kept);
    let hash = snapshot.hash.clone();
    // Still.
    assert!(layers.refresh().broken.is_some());
    // What it would have said is unknown.
    fs::remove_file(&file).unwrap();
    assert!(layers.refresh().broken.is_some());
    fs::write(&file, policy("ask")).unwrap();
    let snapshot = layers.refresh();
    assert_eq!((&snapshot.broken, snapshot.problems.len()), (&None, 0));
    assert_ne!(snapshot.hash, hash);
}

#[test]
fn what_is_no_text_or_no_file_or_too_large() {
    for (what, make) in [
        ("is not UTF-8 from byte 3 on", (|path| fs::write(path, b"abc\xff").unwrap()) as fn(&Path)),
        ("is not a file", |path| fs::create_dir(path).unwrap()),
        ("has 1048577 bytes, 1048576 are allowed", |path| {
            fs::write(path, vec![b'#'; (1 << 20) + 1]).unwrap()
        }),
    ] {
        let dir = Dir::new();
        fs::create_dir_all(dir.0.join("config")).unwrap();
        let path = dir.0.join(USER);
        make(&path);
        let lost = "is broken, and none of its rules count, denies included";
        let expected = format!("{} {lost}: {what}", path.display());
        assert_eq!(dir.open().snapshot().broken, Some(expected));
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_others_can_write_to_does_not_count() {
    let owner = |dir: &Dir| me(&dir.0);
    for (file_mode, dir_mode, own, expected) in [
        (0o644, 0o755, true, None),
        (0o600, 0o700, true, None),
        (0o664, 0o755, true, Some("others than the administrator can write to it (mode 664)")),
        (0o646, 0o755, true, Some("others than the administrator can write to it (mode 646)")),
        (
            0o644,
            0o777,
            true,
            Some("others than the administrator can write to its directory (mode 777)"),
        ),
        (
            0o644,
            0o775,
            true,
            Some("others than the administrator can write to its directory (mode 775)"),
        ),
        (0o644, 0o755, false, Some("it belongs to user")),
    ] {
        let dir = Dir::new();
        let file = dir.write("etc/policy.toml", &policy("allow"));
        chmod(&file, file_mode);
        chmod(file.parent().unwrap(), dir_mode);
        let managed_owner = owner(&dir) + u32::from(!own);
        let options =
            LayersOptions { files: dir.files(), managed_owner, ..LayersOptions::default() };
        let broken = PolicyLayers::open(options).unwrap().snapshot().broken.clone();
        match expected {
            None => assert_eq!(broken, None),
            Some(expected) => {
                assert!(broken.as_deref().is_some_and(|text| text.contains(expected)), "{broken:?}")
            }
        }
    }
    // The user's file: not everybody.
    let dir = Dir::new();
    let file = dir.write(USER, &policy("allow"));
    chmod(&file, 0o666);
    let layers = dir.open();
    assert!(
        layers
            .snapshot()
            .broken
            .as_deref()
            .unwrap()
            .contains("everybody can write to it (mode 666): run `chmod o-w`")
    );
    chmod(&file, 0o664);
    assert_eq!(layers.refresh().broken, None);
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_any_more_goes_on_to_count() {
    let dir = Dir::new();
    let file = dir.write(USER, &policy("deny"));
    let layers = dir.open();
    // A loop of symlinks, since root may read everything.
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&file, &file).unwrap();
    let snapshot = layers.refresh();
    assert_eq!(told(&snapshot), [(LayerKind::User, Some(Effect::Deny), true)]);
    assert!(snapshot.broken.is_none());
    assert_eq!(snapshot.problems[0].errors[0].code, ErrorCode::File);
    assert!(dir.open().snapshot().broken.is_some());
}

#[cfg(unix)]
#[test]
fn files_are_written_in_one_step() {
    use std::os::unix::fs::PermissionsExt;
    let dir = Dir::new();
    let path = dir.0.join("a/b/policy.toml");
    write_atomically(&path, "one").unwrap();
    write_atomically(&path, "two").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "two");
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let link = dir.0.join("link.toml");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    write_atomically(&link, "three").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "three");
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
}

#[test]
fn a_reader_never_sees_half_a_file() {
    let dir = Dir::new();
    let path = dir.write(USER, &policy("deny"));
    let layers = Arc::new(dir.open());
    let long = |default: &str| format!("{}# {}\n", policy(default), "x".repeat(100_000));
    let is_over = Arc::new(AtomicBool::new(false));
    let (looked, looks) = std::sync::mpsc::channel();
    let reader = {
        let (layers, is_over) = (Arc::clone(&layers), Arc::clone(&is_over));
        std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                let snapshot = layers.refresh();
                assert_eq!((snapshot.documents.len(), &snapshot.problems), (1, &vec![]));
                let _ = looked.send(());
            }
        })
    };
    for _ in 0..effort(10, 50) {
        // However they are scheduled, it looks meanwhile.
        looks.try_iter().for_each(drop);
        write_atomically(&path, &long("ask")).unwrap();
        write_atomically(&path, &long("deny")).unwrap();
        looks.recv().unwrap();
    }
    is_over.store(true, Ordering::Relaxed);
    reader.join().unwrap();
    assert_eq!(told(&layers.refresh())[0].1, Some(Effect::Deny));
}

#[cfg(not(windows))]
#[test]
fn usual_files() {
    let files = |variables: &[(&str, &str)]| {
        let files = LayerFiles::from_environment(Path::new("/p"), |name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into())
        });
        let text = |path: Option<PathBuf>| path.map(|path| path.display().to_string());
        (text(files.user), text(files.trust), text(files.project), text(files.managed))
    };
    let managed = if cfg!(target_os = "macos") { "/Library/Application Support" } else { "/etc" };
    let expected = |config: &str| {
        let at = |path: String| Some(path);
        (
            at(format!("{config}/countersign/policy.toml")),
            at(format!("{config}/countersign/trust.toml")),
            at("/p/.countersign/policy.toml".into()),
            at(format!("{managed}/countersign/policy.toml")),
        )
    };
    assert_eq!(files(&[("HOME", "/h")]), expected("/h/.config"));
    assert_eq!(files(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/x")]), expected("/x"));
    assert_eq!(files(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "x")]), expected("/h/.config"));
    assert_eq!(files(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "")]), expected("/h/.config"));
    assert_eq!(files(&[]).0, None);
}

#[test]
fn a_project_begins_at_its_mark() {
    let dir = Dir::new();
    let inner = dir.0.join("a/b/c");
    fs::create_dir_all(&inner).unwrap();
    let root = |path: &Path| project_root(path).strip_prefix(&dir.0).unwrap().to_owned();
    assert_eq!(root(&inner), Path::new("a/b/c"));
    fs::create_dir(dir.0.join("a/.git")).unwrap();
    assert_eq!(root(&inner), Path::new("a/b/c"), "no repository");
    fs::write(dir.0.join("a/.git/HEAD"), "ref: refs/heads/main").unwrap();
    assert_eq!(root(&inner), Path::new("a"));
    let home = fs::canonicalize(dir.0.join("a")).unwrap();
    let cwd = fs::canonicalize(&inner).unwrap();
    assert_eq!(project_root_in(&cwd, Some(&home)), cwd, "the home directory is no project");
    assert_eq!(project_root_in(&home, Some(&home)), home);
    // A worktree's is a file.
    fs::write(dir.0.join("a/b/.git"), "gitdir: elsewhere").unwrap();
    assert_eq!(root(&inner), Path::new("a/b"));
    fs::write(dir.0.join("a/b/c/.countersign"), "").unwrap();
    assert_eq!(root(&inner), Path::new("a/b"), "no directory");
    fs::remove_file(dir.0.join("a/b/c/.countersign")).unwrap();
    fs::create_dir(dir.0.join("a/b/c/.countersign")).unwrap();
    assert_eq!(root(&inner), Path::new("a/b/c"));
    assert_eq!(root(&dir.0.join("a/b")), Path::new("a/b"));
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_opened() {
    let dir = Dir::new();
    let path = dir.0.join("grants.json");
    let pipe = |path: &Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    // To open it would wait for a writer, and for a reader.
    pipe(&path);
    assert_eq!(user_text_at(&path).unwrap_err(), "is not a file");
    pipe(&path.with_extension("lock"));
    assert!(hold(&path).is_err());
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert_eq!(user_text_at(&path).unwrap_err(), "is not a file");
    fs::remove_file(&path).unwrap();
    assert_eq!(user_text_at(&path), Ok(None));
    fs::write(&path, "{}").unwrap();
    assert_eq!(user_text_at(&path), Ok(Some("{}".to_owned())));
    chmod(&path, 0o666);
    let refused = user_text_at(&path).unwrap_err();
    assert!(refused.contains("everybody can write to it (mode 666): run `chmod o-w`"), "{refused}");
}
