//! Which files a command that runs unasked must not reach, by the policies.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

use std::fs;
use std::path::PathBuf;

use countersign_core::path::{DirEntry, DirListing, FileLookup, PathContext, PathError, RealFiles};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, read};
use countersign_core::policy::{Policy, sealed};

fn policy(rules: &str, root: &str) -> Policy {
    let source = PolicySource { layer: LayerKind::Code, name: "policy".into(), trusted: true };
    let text = format!("version = 1\n{rules}");
    let document = read(&text, DocumentFormat::Toml, source)
        .unwrap_or_else(|errors| panic!("{errors:?} in {text}"));
    let context = PathContext {
        cwd: root.to_owned(),
        project: Some(root.to_owned()),
        ..PathContext::default()
    };
    Policy::compile(vec![document], &context).unwrap()
}

/// What is sealed of a project with these files, under these rules, by names below it.
fn of(files: &[&str], rules: &str) -> (Vec<String>, Vec<String>) {
    let temporary = std::env::temp_dir().canonicalize().unwrap();
    let root = temporary.join(format!("sealed-{}", uuid::Uuid::now_v7()));
    for file in files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let text = root.to_str().unwrap();
    let found = sealed(&policy(&rules.replace("ROOT", text), text), text, &[], &[], &RealFiles);
    fs::remove_dir_all(&root).unwrap();
    assert!(found.complete);
    let names = |paths: Vec<String>| {
        let mut names: Vec<String> =
            paths.iter().map(|path| path[text.len() + 1..].to_owned()).collect();
        names.sort();
        names
    };
    (names(found.hidden), names(found.kept))
}

const PROJECT: &[&str] = &[
    ".env",
    ".env.example",
    ".git/HEAD",
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/modules/sub/config",
    ".github/workflows/ci.yml",
    "node_modules/x/.env",
    "src/a.ts",
    "src/private/b.ts",
    "sub/.git",
];
const GIT: &[&str] = &[".git/config", ".git/hooks", ".git/modules/sub/config"];

#[test]
fn what_is_protected_is_sealed() {
    let (hidden, kept) = of(PROJECT, "");
    assert_eq!(hidden, [".env"]);
    assert_eq!(kept, [&[".env.example"][..], GIT, &[".github", "sub/.git"]].concat());
}

#[test]
fn what_a_rule_asks_about_or_denies_is_sealed() {
    let rules = r#"
        [[rule]]
        reads = "ROOT/src/private/**"
        effect = "deny"
        [[rule]]
        writes = "ROOT/src/*.ts"
        effect = "ask"
    "#;
    let (hidden, kept) = of(PROJECT, rules);
    assert_eq!(hidden, [".env", "src/private/b.ts"]);
    assert!(kept.contains(&"src/a.ts".to_owned()), "{kept:?}");
}

#[test]
fn what_a_rule_allows_by_its_name_is_not() {
    let rules = r#"
        [[rule]]
        reads = "ROOT/.env"
        effect = "allow"
        [[rule]]
        writes = "ROOT/.github/**"
        effect = "allow"
    "#;
    let (hidden, kept) = of(PROJECT, rules);
    assert_eq!(hidden, [""; 0]);
    assert!(kept.contains(&".env".to_owned()), "{kept:?}");
}

/// A project with a closed folder, and one with too many names.
struct Unlisted;

impl FileLookup for Unlisted {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(None)
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }

    fn list(&self, dir: &str, _most: usize) -> DirListing {
        let entry = |name: &str| DirEntry { name: name.to_owned(), is_link: false, is_dir: true };
        match dir {
            "/closed" | "/open" => DirListing::Names(vec![entry("folder")]),
            // As long as systems take a path.
            _ if dir.starts_with("/deep") && dir.len() < 4_000 => {
                DirListing::Names(vec![entry(&"d".repeat(100))])
            }
            _ => DirListing::TooMany,
        }
    }

    fn has(&self, path: &str) -> Result<bool, PathError> {
        if path.starts_with("/closed/folder/") || path.len() > 4_000 {
            Err(PathError::Unreadable(path.to_owned()))
        } else {
            Ok(false)
        }
    }
}

#[test]
fn a_folder_that_nobody_gets_into_is_hidden_and_one_with_too_many_names_is_told() {
    let of = |root| sealed(&policy("", root), root, &[], &[], &Unlisted);
    let closed = of("/closed");
    assert_eq!((closed.hidden, closed.complete), (vec!["/closed/folder".to_owned()], true));
    let open = of("/open");
    assert_eq!((open.hidden, open.complete), (Vec::new(), false));
    assert_eq!(open.unlisted, ["/open/folder"]);
}

#[test]
fn what_lies_deeper_than_a_path_goes_is_told_and_not_taken_for_hidden() {
    let deep = sealed(&policy("", "/deep"), "/deep", &[], &[], &Unlisted);
    assert_eq!((deep.hidden, deep.complete), (Vec::new(), false));
    assert_eq!(deep.unlisted.len(), 1);
}
