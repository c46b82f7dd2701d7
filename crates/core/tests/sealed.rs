//! Which files a command that runs unasked must not reach, by the policies.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

use std::fs;
use std::path::PathBuf;

use countersign_core::path::{DirEntry, DirListing, FileLookup, PathContext, PathError, RealFiles};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, read};
use countersign_core::policy::{
    ConfinedRun, ConfinedWrites, FileOpener, Policy, SealedFiles, SealedLook, sealed,
};

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

/// A project of a test's own, removed with all that is in it.
struct Project(PathBuf);

impl Project {
    fn new(files: &[&str]) -> Self {
        let temporary = std::env::temp_dir().canonicalize().unwrap();
        let project = Self(temporary.join(format!("sealed-{}", uuid::Uuid::now_v7())));
        for file in files {
            let path = project.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        project
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// What is sealed of it, as it is called there: for a command that is allowed by itself, or is held to this.
    fn sealed_as(&self, root: &str, rules: &str, held: Option<ConfinedWrites>) -> SealedFiles {
        let run = ConfinedRun { writes: vec![root.to_owned()] };
        let opener = FileOpener { tool_name: "execute", held, run: Some(&run) };
        let look = SealedLook { root, more: &[], homes: &[], opener };
        sealed(&policy(&rules.replace("ROOT", root), root), &look, &RealFiles)
    }

    /// What is sealed under these rules, by names below it.
    fn sealed(&self, rules: &str) -> (Vec<String>, Vec<String>) {
        let found = self.sealed_as(self.path(), rules, None);
        assert!(found.complete);
        self.names(found)
    }

    fn names(&self, found: SealedFiles) -> (Vec<String>, Vec<String>) {
        let names = |paths: Vec<String>| {
            let mut names: Vec<String> = paths
                .iter()
                .map(|path| path[self.path().len()..].trim_start_matches('/').to_owned())
                .collect();
            names.sort();
            names
        };
        (names(found.hidden), names(found.kept))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What is sealed of a project with these files, under these rules, by names below it.
fn of(files: &[&str], rules: &str) -> (Vec<String>, Vec<String>) {
    Project::new(files).sealed(rules)
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
fn a_folder_with_what_a_rule_leaves_out_is_not_hidden_whole() {
    let rules = r#"
        [[rule]]
        reads = ["ROOT/**", "!ROOT/src/**"]
        effect = "deny"
    "#;
    let (hidden, _) = of(&["src/a.ts", "src/in/b.ts", "other/c", "d"], rules);
    assert_eq!(hidden, ["d", "other"]);
}

/// What is kept under a rule that speaks against these writes, and what stays open in it.
fn kept_and_opened(effect: &str, writes: &str) -> (Vec<String>, Vec<String>) {
    let project = Project::new(&["locked/a", "locked/ok/b", "locked/sub/c", "other/c", "y.lock"]);
    let rules = format!("[[rule]]\neffect = \"{effect}\"\nwrites = {writes}\n");
    let found = project.sealed_as(project.path(), &rules, None);
    let opened = SealedFiles { hidden: found.opened.clone(), ..SealedFiles::default() };
    (project.names(found).1, project.names(opened).0)
}

#[test]
fn a_folder_whose_new_files_are_denied_is_kept_and_what_a_rule_leaves_out_stays_open() {
    let nothing: &[&str] = &[];
    for (writes, kept, opened) in [
        (r#"["ROOT/locked/**"]"#, &["locked"][..], nothing),
        (r#"["ROOT/locked/**", "!ROOT/locked/ok/**"]"#, &["locked"], &["locked/ok"]),
        (r#"["ROOT/locked/*/**", "!ROOT/locked/ok/**"]"#, &["locked/sub"], nothing),
        (r#"["ROOT/**", "!ROOT/locked/ok/**"]"#, &[""], &["locked/ok"]),
        (
            r#"["ROOT/**", "!ROOT/locked/**", "ROOT/locked/sub/*"]"#,
            &["", "locked/sub"],
            &["locked"],
        ),
        // Where a new file has no name yet, a part of a name says nothing of it.
        (r#"["ROOT/*.lock"]"#, &["y.lock"], nothing),
        (r#"["ROOT/locked"]"#, &["locked"], nothing),
        // A new file may have any name.
        (r#"["ROOT/locked/**", "!ROOT/**/new-*"]"#, &["locked"], nothing),
        (r#"["ROOT/locked/**", "!ROOT/locked/*.*"]"#, &["locked"], nothing),
        (r#"["ROOT/locked/*/**", "!ROOT/locked/*/*"]"#, nothing, nothing),
        (r#"["ROOT/**/new-*", "ROOT/**/*.*"]"#, &["y.lock"], nothing),
        (r#"["ROOT/locked/[!x]*", "ROOT/locked/x*"]"#, &["locked"], nothing),
        (
            r#"["ROOT/locked/[!x]*", "ROOT/locked/x?*"]"#,
            &["locked/a", "locked/ok", "locked/sub"],
            nothing,
        ),
        (r#"["ROOT/locked/[!.]*", "ROOT/locked/.?*"]"#, &["locked"], nothing),
    ] {
        let (found, open) = kept_and_opened("deny", writes);
        assert_eq!(
            (found.as_slice(), open.as_slice()),
            (&owned(kept)[..], &owned(opened)[..]),
            "{writes}"
        );
    }
}

/// The command makes up the name: it takes one that is not left out.
#[test]
fn an_exception_for_a_class_of_names_does_not_open_a_folder() {
    for except in
        ["*[0-9]*", "[!.]*", "*[A-Z]*", "????*", "[!a-zA-Z]*", "*[!0-9]*", "*_*", "{[!.]*,.?}", "?"]
    {
        let writes = format!(r#"["ROOT/locked/**", "!ROOT/locked/{except}"]"#);
        assert_eq!(kept_and_opened("deny", &writes), (owned(&["locked"]), owned(&[])), "{writes}");
    }
    for all in [&["[!.]*", ".*"][..], &["?", "??*"], &["{a*,[!a]*}"]] {
        let patterns = all.iter().map(|except| format!(r#", "!ROOT/locked/*/{except}""#));
        let writes = format!(r#"["ROOT/locked/*/**"{}]"#, patterns.collect::<String>());
        assert_eq!(kept_and_opened("deny", &writes), (owned(&[]), owned(&[])), "{writes}");
    }
}

/// It would keep the command from names that the rule does not mean.
#[test]
fn a_rule_on_a_class_of_names_does_not_close_a_folder() {
    for class in ["*[0-9]*", "[!.]*", "*[A-Z]*", "????*", "[!a-zA-Z]*", "*[!0-9]*", "??*", "[!~]*"]
    {
        let writes = format!(r#"["ROOT/locked/sub/{class}"]"#);
        let (kept, _) = kept_and_opened("deny", &writes);
        assert!(!kept.contains(&"locked/sub".to_owned()), "{writes}: {kept:?}");
    }
}

/// Who gives a command a place to write lets it make files there, though each call that names one is asked about.
#[test]
fn an_ask_about_all_of_a_place_keeps_what_is_there_and_not_the_place() {
    let all = r#"["ROOT/**", "!ROOT/locked/ok/**"]"#;
    let expected = (owned(&["locked", "other", "y.lock"]), owned(&["locked/ok"]));
    assert_eq!(kept_and_opened("ask", all), expected);
    assert_eq!(kept_and_opened("ask", r#"["ROOT/locked/**"]"#).0, ["locked"]);
}

/// No look through the project finds these: they are not there, lie in packages, or are the way there.
#[test]
#[cfg(unix)]
fn a_folder_that_a_rule_spells_out_is_held_wherever_it_lies() {
    let project = Project::new(&["locked/a", "node_modules/x/a", "file"]);
    let link = |link: &str, target: &str| {
        std::os::unix::fs::symlink(target, project.0.join(link)).unwrap();
    };
    link("lk", "locked");
    link("none", "nothing");
    link("lf", "file");
    let held = |writes: &str| {
        let rules = format!("[[rule]]\neffect = \"deny\"\nwrites = {writes}\n");
        let found = project.sealed_as(project.path(), &rules, None);
        let absent = SealedFiles { hidden: found.absent.clone(), ..SealedFiles::default() };
        (project.names(absent).0, project.names(found).1)
    };
    let nothing: &[&str] = &[];
    for (writes, absent, kept) in [
        (r#"["ROOT/new/**"]"#, &["new"][..], &["new"][..]),
        (r#"["ROOT/new/in/*", "!ROOT/new/in/x"]"#, &["new/in"], &["new/in"]),
        (r#"["ROOT/new/**", "!ROOT/new/[!.]*"]"#, &["new"], &["new"]),
        (r#"["ROOT/new/*.lock", "/elsewhere/new/**"]"#, nothing, nothing),
        (r#"["ROOT/lk/**"]"#, nothing, &["lk", "locked"]),
        (r#"["ROOT/lk/new/**"]"#, &["lk/new"], &["lk/new"]),
        (r#"["ROOT/node_modules/**"]"#, nothing, &["node_modules"]),
        (r#"["ROOT/{new,node_modules/x}/**"]"#, &["new"], &["new", "node_modules/x"]),
    ] {
        assert_eq!(held(writes), (owned(absent), owned(kept)), "{writes}");
    }
    // With a folder in its place, a command would make what is denied there.
    for place in ["file", "none", "lf", "file/in", "none/in", "lf/in"] {
        let (_, kept) = held(&format!(r#"["ROOT/{place}/**"]"#));
        assert_eq!(kept, [place]);
    }
    let rules = "[[rule]]\neffect = \"deny\"\nwrites = \"ROOT/sub/.git/x/*.lock\"\n";
    assert_eq!(of(&["sub/.git/x/a"], rules).1, ["sub/.git"]);
}

/// No look goes there.
#[test]
fn what_a_rule_leaves_out_of_a_folder_in_packages_stays_open() {
    let project = Project::new(&["node_modules/p/ok/a", "node_modules/p/ok/shut/a", "other/a"]);
    let opened = |writes: &str| {
        let rules = format!("[[rule]]\neffect = \"deny\"\nwrites = {writes}\n");
        let found = project.sealed_as(project.path(), &rules, None);
        let opened = SealedFiles { hidden: found.opened.clone(), ..SealedFiles::default() };
        project.names(opened).0
    };
    let p = |more: &str| opened(&format!(r#"["ROOT/node_modules/p/**", {more}]"#));
    assert_eq!(p(r#""!ROOT/node_modules/p/ok/**""#), ["node_modules/p/ok"]);
    for none in [
        r#""!ROOT/node_modules/p/none/**""#,
        r#""!ROOT/node_modules/p/ok/a*""#,
        r#""!ROOT/other/**""#,
        r#""!ROOT/node_modules/p/ok/**", "ROOT/node_modules/p/ok/*""#,
    ] {
        assert_eq!(p(none), [""; 0], "{none}");
    }
}

/// By it a command would approve what waits there.
#[test]
#[cfg(unix)]
fn another_name_of_a_ledger_in_the_project_is_hidden_as_well() {
    let ledger = ["s/l", "s/l-lock", "s/l-owners/x"];
    let project = Project::new(&[&ledger[..], &["src/a", "node_modules/m/a"]].concat());
    for name in ["src/hard", "node_modules/m/.deep", "s/near"] {
        fs::hard_link(project.0.join("s/l"), project.0.join(name)).unwrap();
    }
    fs::hard_link(project.0.join("src/a"), project.0.join("src/b")).unwrap();
    let (hidden, _) = project.sealed("");
    let own = ["s/l", "s/l-lock", "s/l-owners", "s/near", "src/hard"];
    assert_eq!(hidden, [&["node_modules/m/.deep"][..], &own].concat());
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Git would run what a command puts there.
#[test]
fn what_git_runs_stays_kept_though_a_rule_leaves_it_out() {
    let project = Project::new(&[".git/HEAD", "tools/hooks/in/x"]);
    fs::write(project.0.join(".git/config"), "[core]\nhooksPath = tools/hooks\n").unwrap();
    let rules = r#"
        [[rule]]
        writes = ["ROOT/tools/**", "!ROOT/tools/hooks/**"]
        effect = "deny"
    "#;
    assert_eq!(project.sealed_as(project.path(), rules, None).opened, [""; 0]);
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

#[test]
#[cfg(unix)]
fn a_protected_or_denied_file_that_is_a_symlink_is_sealed() {
    let project = Project::new(&["cfg/settings", "ci/job", "s3/key", "data/k", "plain/x"]);
    let links = [
        (".env", "cfg/settings"),
        (".github", "ci"),
        ("sub/.aws", "../s3"),
        ("denied", "plain"),
        ("secret", "data"),
        ("again", "."),
        ("loop", "loop"),
        (".envrc", "nothing"),
    ];
    fs::create_dir(project.0.join("sub")).unwrap();
    for (link, target) in links {
        std::os::unix::fs::symlink(target, project.0.join(link)).unwrap();
    }
    let rules = r#"
        [[rule]]
        reads = ["**/denied", "**/secret/*"]
        effect = "deny"
    "#;
    let (hidden, kept) = project.sealed(rules);
    // Of what leads nowhere, rules may mean it.
    assert_eq!(hidden, [".env", ".envrc", "denied", "loop", "secret/k", "sub/.aws"]);
    assert_eq!(kept, [".github"]);
}

/// A script that goes through the link reads what a line with the same path is denied.
#[test]
#[cfg(unix)]
fn a_rule_that_covers_the_name_of_a_linked_folder_holds_below_it() {
    let project = Project::new(&["lA/B/s", "lA/B/t", "pub/x", "sec/k", "sec/in/k", "sec/other"]);
    fs::create_dir_all(project.0.join("node_modules/m")).unwrap();
    fs::create_dir(project.0.join("node_modules/m/in")).unwrap();
    fs::write(project.0.join("node_modules/m/s"), "").unwrap();
    fs::write(project.0.join("node_modules/m/in/s"), "").unwrap();
    let links = [
        ("lB", "lA/B"),
        ("mm", "node_modules/m"),
        ("pp", "pub"),
        ("pub/s", "../sec"),
        ("pub/round", ".."),
        ("sec/in/up", ".."),
    ];
    for (link, target) in links {
        std::os::unix::fs::symlink(target, project.0.join(link)).unwrap();
    }
    let real_of = |rule: &str| {
        let rules = format!("[[rule]]\neffect = \"deny\"\nreads = [\"ROOT/{rule}\"]");
        let found = project.sealed_as(project.path(), &rules, None);
        assert!(found.complete, "{rule}");
        let real = |path: &String| fs::canonicalize(path).unwrap().to_str().unwrap().to_owned();
        let below = project.path().len() + 1;
        let mut names: Vec<String> =
            found.hidden.iter().map(|path| real(path)[below..].to_owned()).collect();
        names.sort();
        names.dedup();
        names
    };
    for rule in ["l?/s", "[l]B/s", "?B/s", "lB/s", "{lB,x}/s", "l*/[s]"] {
        assert_eq!(real_of(rule), ["lA/B/s"], "{rule}");
    }
    assert_eq!(real_of("m?/s"), ["node_modules/m/s"]);
    assert_eq!(real_of("m?/**/s"), ["node_modules/m/in/s", "node_modules/m/s"]);
    for rule in ["pp/**/k", "p?/**/k", "pp/s/**/k", "pub/s/**/k"] {
        assert_eq!(real_of(rule), ["sec/in/k", "sec/k"], "{rule}");
    }
    assert_eq!(real_of("pp/s/*"), ["sec/in", "sec/k", "sec/other"]);
    assert_eq!(real_of("**/k"), ["sec/in/k", "sec/k"]);
}

#[test]
#[cfg(unix)]
fn a_root_that_is_called_by_a_symlink_is_sealed_as_it_is_by_its_own_name() {
    let project = Project::new(&["homey.txt", "src/a.ts", "package.json"]);
    let link = project.0.with_extension("link");
    std::os::unix::fs::symlink(&project.0, &link).unwrap();
    let (real, spelled) = (project.path().to_owned(), link.to_str().unwrap().to_owned());
    for (root, said) in [(&spelled, &real), (&real, &spelled), (&spelled, &spelled)] {
        let rules = format!(
            "[[rule]]\nreads = \"{said}/homey.txt\"\neffect = \"deny\"\n\
             [[rule]]\nwrites = \"{said}/package.json\"\neffect = \"deny\"\n"
        );
        let found = project.sealed_as(root, &rules, None);
        assert_eq!(found.hidden, [format!("{root}/homey.txt")], "{root} {said}");
        assert_eq!(found.kept, [format!("{root}/package.json")], "{root} {said}");
    }
    let rules = "[[rule]]\nreads = \"${project}/homey.txt\"\neffect = \"deny\"\n";
    assert_eq!(project.sealed_as(&spelled, rules, None).hidden, [format!("{spelled}/homey.txt")]);
    fs::remove_file(link).unwrap();
}

#[test]
fn what_a_rule_says_of_another_tool_opens_and_seals_nothing() {
    let files = [".env", "secret/k", "src/a", "notes.md"];
    let rules = r#"
        [[rule]]
        tools = "execute"
        reads = "ROOT/secret/**"
        effect = "deny"
        [[rule]]
        tools = ["execute", "write_file"]
        writes = "ROOT/src/**"
        effect = "ask"
        [[rule]]
        tools = ["read_file", "edit_file"]
        reads = ["ROOT/**", "ROOT/.env"]
        writes = "ROOT/**"
        effect = "allow"
        [[rule]]
        tools = "read_file"
        reads = "ROOT/notes.md"
        effect = "deny"
    "#;
    let project = Project::new(&files);
    let (hidden, kept) = project.sealed(&rules.replace("ROOT", project.path()));
    assert_eq!(hidden, [".env", "secret/k"]);
    assert_eq!(kept, ["src"]);
}

#[test]
fn what_a_rule_says_of_confined_commands_holds_for_each_that_runs_so() {
    let project = Project::new(&["secret/k", "loud/k"]);
    let rules = r#"
        [[rule]]
        confined = "project"
        reads = "ROOT/secret/**"
        effect = "deny"
        [[rule]]
        confined = false
        reads = "ROOT/loud/**"
        effect = "ask"
        [[rule]]
        reads = "ROOT/**"
        effect = "allow"
    "#;
    for (held, expected) in [
        (None, &["loud/k", "secret/k"][..]),
        (Some(ConfinedWrites::Project), &["secret/k"]),
        (Some(ConfinedWrites::Nothing), &["secret/k"]),
    ] {
        let found = project.sealed_as(project.path(), rules, held);
        assert_eq!(project.names(found).0, expected, "{held:?}");
    }
}

#[test]
fn rules_about_the_folder_of_git_bind_what_runs_confined() {
    let files = [".git/HEAD", ".git/config", ".git/objects/ab/c", ".git/refs/heads/main", "a"];
    let rules = r#"
        [[rule]]
        reads = "ROOT/.git/config"
        effect = "deny"
        [[rule]]
        writes = "ROOT/.git/**"
        effect = "deny"
    "#;
    let (hidden, kept) = of(&files, rules);
    assert_eq!(hidden, [".git/config"]);
    for name in [".git/HEAD", ".git/objects", ".git/refs"] {
        assert!(kept.contains(&name.to_owned()), "{name}: {kept:?}");
    }
    let whole = "[[rule]]\nreads = \"**/.git\"\neffect = \"ask\"\n";
    assert_eq!(of(&files, whole).0, [".git"]);
    let refs = "[[rule]]\nwrites = \"**/refs/heads/main\"\neffect = \"deny\"\n";
    assert!(of(&files, refs).1.contains(&".git/refs/heads/main".to_owned()));
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_that_is_no_text_is_passed_unless_it_would_have_to_be_hidden() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let project = Project::new(&["a", ".env"]);
    let at = |name: &[u8]| project.0.join(OsStr::from_bytes(name));
    fs::create_dir(at(b"caf\xe9")).unwrap();
    fs::write(at(b"caf\xe9/menu"), "").unwrap();
    fs::write(at(b"r\xe9sum\xe9.txt"), "").unwrap();
    std::os::unix::fs::symlink("a", at(b"l\xe9")).unwrap();
    assert_eq!(project.sealed("").0, [".env"]);
    fs::write(at(b"caf\xe9/.env"), "").unwrap();
    fs::write(at(b"cl\xe9.pem"), "").unwrap();
    let found = project.sealed_as(project.path(), "", None);
    assert!(found.complete);
    let mut unnamed = found.unnamed.clone();
    unnamed.sort();
    let named = ["caf\u{fffd}/.env", "cl\u{fffd}.pem"];
    assert_eq!(unnamed, named.map(|name| format!("{}/{name}", project.path())));
    assert_eq!(found.hidden, [format!("{}/.env", project.path())]);
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

fn of_unlisted(root: &str) -> SealedFiles {
    let opener = FileOpener { tool_name: "execute", held: None, run: None };
    let look = SealedLook { root, more: &[], homes: &[], opener };
    sealed(&policy("", root), &look, &Unlisted)
}

#[test]
fn a_folder_that_nobody_gets_into_is_hidden_and_one_with_too_many_names_is_told() {
    let of = of_unlisted;
    let closed = of("/closed");
    assert_eq!((closed.hidden, closed.complete), (vec!["/closed/folder".to_owned()], true));
    let open = of("/open");
    assert_eq!((open.hidden, open.complete), (Vec::new(), false));
    assert_eq!(open.unlisted, ["/open/folder"]);
}

#[test]
fn what_lies_deeper_than_a_path_goes_is_told_and_not_taken_for_hidden() {
    let deep = of_unlisted("/deep");
    assert_eq!((deep.hidden, deep.complete), (Vec::new(), false));
    assert_eq!(deep.unlisted.len(), 1);
}

/// Who could write there would approve what waits for another process.
#[test]
#[cfg(unix)]
fn a_ledger_of_any_process_is_hidden_with_what_lies_beside_it() {
    use countersign_core::ledger::sqlite::SqliteLedger;
    use countersign_core::ledger::{EventFeed, OpenOptions};

    let project = Project::new(&["sub/x", "other.db", "other.db-lock", "a-owners/x"]);
    let file = project.0.join("sub/server.db");
    let feed = std::sync::Arc::new(EventFeed::default());
    let options = OpenOptions { key: None, read_only: false, feed, now: 1 };
    let rules = r#"
        [[rule]]
        effect = "allow"
        reads = "ROOT/**"
        writes = "ROOT/sub/server.db"
    "#;
    let beside =
        ["", "-bell", "-journal", "-lock", "-owners"].map(|end| format!("sub/server.db{end}"));
    let opened = SqliteLedger::open(Some(&file), options).unwrap();
    let found = project.sealed_as(project.path(), rules, Some(ConfinedWrites::Project));
    let (hidden, _) = project.names(found);
    for name in beside.iter().map(String::as_str).chain(["sub/server.db-wal", "sub/server.db-shm"])
    {
        assert!(hidden.iter().any(|it| it == name), "{name}: {hidden:?}");
    }
    drop(opened);
    fs::remove_file(project.0.join("sub/server.db-journal")).unwrap();
    let journal = format!("{}-journal", file.display());
    assert_eq!(project.sealed_as(project.path(), rules, None).absent, [journal.as_str()]);
    fs::write(&journal, "").unwrap();
    let (hidden, kept) = project.sealed("");
    assert!(beside.iter().all(|name| hidden.contains(name)), "{hidden:?}");
    assert!(kept.is_empty() && hidden.iter().all(|name| name.starts_with(beside[0].as_str())));
}

/// A command that runs unasked makes these names: they must take nothing from the commands after it.
#[test]
#[cfg(unix)]
fn a_folder_is_no_ledger_and_of_a_ledger_only_what_it_makes_itself_is_hidden() {
    let folders = ["src/x", "src-lock", "src-owners/x", ".git/HEAD", ".git-lock", ".git-owners/x"];
    let linked = ["link-lock", "link-owners/x", "l-lock/x", "l-owners/x", "l"];
    let ledger = ["app", "app-lock", "app-owners/x", "app-web/x", "app-2", "app-wal"];
    let project = Project::new(&[folders.as_slice(), &linked, &ledger].concat());
    std::os::unix::fs::symlink("src", project.0.join("link")).unwrap();
    std::os::unix::fs::symlink("app", project.0.join("at")).unwrap();
    fs::write(project.0.join("at-lock"), "").unwrap();
    fs::create_dir(project.0.join("at-owners")).unwrap();
    let (hidden, kept) = project.sealed("");
    let own = ["app", "app-lock", "app-owners", "app-wal", "at", "at-lock", "at-owners"];
    assert_eq!(hidden, own);
    assert!(!kept.iter().any(|name| name.starts_with("src")), "{kept:?}");
}

/// Where nothing else is looked for.
#[test]
#[cfg(unix)]
fn a_ledger_in_packages_or_in_git_or_behind_a_link_there_is_hidden() {
    let places = [
        "node_modules",
        "node_modules/.c",
        "a/node_modules/.c",
        ".git",
        "node_modules/m/deep",
        "node_modules/m/far",
    ];
    let ledger = |place: &&str| ["l", "l-lock", "l-owners/x"].map(|name| format!("{place}/{name}"));
    let files: Vec<String> = places.iter().flat_map(ledger).collect();
    let project = Project::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
    std::os::unix::fs::symlink("node_modules/m/deep", project.0.join("state")).unwrap();
    std::os::unix::fs::symlink("node_modules/.c", project.0.join("other")).unwrap();
    let found = project.sealed_as(project.path(), "", None);
    let absent = places[..5].iter().map(|place| format!("{}/{place}/l-journal", project.path()));
    let (hidden, _) = project.names(found.clone());
    let mut own: Vec<String> = places[..5]
        .iter()
        .flat_map(|place| ["l", "l-lock", "l-owners"].map(|name| format!("{place}/{name}")))
        .collect();
    own.sort();
    // Deep in packages none is looked for.
    assert_eq!(hidden, own);
    for journal in absent {
        assert!(found.absent.contains(&journal), "{journal}: {:?}", found.absent);
    }
}

/// A command reaches by it what is approved there.
#[test]
#[cfg(unix)]
fn a_ledger_deep_in_packages_to_which_a_link_leads_is_hidden_where_it_is() {
    let ledger = ["l", "l-lock", "l-owners/x"];
    for (link, target) in [
        ("state.db", "node_modules/a/b/l"),
        ("sub/in/state.db", "../../node_modules/a/b/l"),
        ("node_modules/.c", "a/b"),
        ("node_modules/.l", "a/b/l"),
        ("node_modules/l.db", "a/b/l"),
    ] {
        let files: Vec<String> =
            ledger.iter().map(|name| format!("node_modules/a/b/{name}")).collect();
        let project = Project::new(&files.iter().map(String::as_str).collect::<Vec<_>>());
        let link = project.0.join(link);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, &link).unwrap();
        let found = project.sealed_as(project.path(), "", None);
        let journal = format!("{}/node_modules/a/b/l-journal", project.path());
        assert!(found.absent.contains(&journal), "{link:?}: {:?}", found.absent);
        let (hidden, _) = project.names(found);
        let own = ["l", "l-lock", "l-owners"].map(|name| format!("node_modules/a/b/{name}"));
        assert!(own.iter().all(|name| hidden.contains(name)), "{link:?}: {hidden:?}");
    }
}

#[test]
#[cfg(unix)]
fn a_link_to_a_folder_that_a_rule_leaves_out_takes_nothing_from_it() {
    let project = Project::new(&["locked/ok/a", "locked/b", "node_modules/x/a"]);
    let links =
        [("lok", "locked/ok"), ("again", "lok"), ("all", "locked"), ("far", "node_modules/x")];
    for (link, target) in links {
        std::os::unix::fs::symlink(target, project.0.join(link)).unwrap();
    }
    let sealed = |paths: &str| {
        let rules = format!("[[rule]]\neffect = \"deny\"\nreads = {paths}\nwrites = {paths}\n");
        project.sealed(&rules)
    };
    let (hidden, kept) = sealed(r#"["ROOT/locked/**", "!ROOT/locked/ok/**"]"#);
    assert_eq!(hidden, ["locked/b"]);
    assert_eq!(kept, ["locked"]);
    let (hidden, _) = sealed(r#"["ROOT/lok", "ROOT/locked/**", "!ROOT/locked/ok/**"]"#);
    assert_eq!(hidden, ["again", "locked/b", "lok"]);
    let (hidden, _) = sealed(r#"["ROOT/locked/**", "!ROOT/locked/ok/**", "ROOT/locked/ok/a"]"#);
    assert_eq!(hidden, ["locked/b", "locked/ok/a"]);
    let (hidden, _) = sealed(r#"["ROOT/node_modules/**", "!ROOT/node_modules/x/**"]"#);
    assert_eq!(hidden, ["far"]);
}
