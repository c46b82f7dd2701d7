//! Rules that rest on git having what is written: `tracked = true`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

mod git;
#[path = "../src/skip.rs"]
mod skip;

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs, process};

use countersign_core::call::Json;
use countersign_core::path::{PathContext, RealFiles};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, load};
use countersign_core::policy::{Effect, JudgedCall, Policy, judge};
use skip::skipped;

const RULE: &str = r#"
version = 1
[[rule]]
effect = "allow"
commands = ["rm", "sed", "tee", "mv", "cp", "make", "git rm", "sqlite3", "ssh-keygen", "tar", "strip"]
writes = ["${project}/**"]
tracked = true
[[rule]]
effect = "allow"
commands = ["echo", "cd", "true", "git reset"]
reads = ["${project}/**"]
"#;

/// A repository with a file that is committed, one that is staged, one that is changed and one that git does not know.
struct Repository(PathBuf);

impl Repository {
    /// `None`: this git knows no such repository. It says so.
    fn new(name: &str, format: &str) -> Option<Self> {
        let base = env::temp_dir().canonicalize().unwrap();
        let root = base.join(format!("countersign-tracked-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(&root).unwrap();
        let made = Self(root);
        let init = ["init", "-q", "--object-format", format];
        if !made.tries(&init) {
            skipped(format!("git makes no repository of the format {format}"));
            return None;
        }
        for file in ["kept.txt", "changed.txt", "sub/kept.txt", "other.txt"] {
            made.put(file, "as it was\n");
        }
        symlink("kept.txt", made.0.join("link")).unwrap();
        made.git(&["add", "."]);
        made.git(&["commit", "-qm", "x"]);
        made.put("staged.txt", "staged\n");
        made.git(&["add", "staged.txt"]);
        made.put("changed.txt", "changed\n");
        made.put("new.txt", "new\n");
        Some(made)
    }

    fn put(&self, name: &str, content: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut git = git::git();
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
        git.args(["-c", "user.name=x", "-c", "user.email=x@example.com"]).args(args);
        git.current_dir(&self.0);
        git
    }

    fn tries(&self, args: &[&str]) -> bool {
        self.command(args).output().is_ok_and(|output| output.status.success())
    }

    fn output(&self, args: &[&str]) -> Vec<u8> {
        self.command(args).output().unwrap().stdout
    }

    fn git(&self, args: &[&str]) {
        assert!(self.tries(args), "git {args:?}");
    }

    fn says(&self, tool: &str, argument: &str, text: &str) -> Effect {
        self.says_under(RULE, tool, argument, text)
    }

    fn says_under(&self, rule: &str, tool: &str, argument: &str, text: &str) -> Effect {
        let root = self.0.to_str().unwrap().to_owned();
        let context = PathContext {
            cwd: root.clone(),
            home: Some("/home/nobody".to_owned()),
            project: Some(root),
            project_as: None,
            own: Vec::new(),
        };
        let source = PolicySource { layer: LayerKind::Code, name: "code".into(), trusted: true };
        let document = load(rule, DocumentFormat::Toml, source).unwrap();
        let policy = Policy::compile(vec![document], &context).unwrap();
        let args =
            Json::Object(BTreeMap::from([(argument.to_owned(), Json::String(text.to_owned()))]));
        let annotations = BTreeMap::new();
        let call = JudgedCall {
            other_names: &[],
            tool_name: tool,
            args: &args,
            cwd: None,
            annotations: &annotations,
            conditions: &[],
            confined: None,
        };
        judge(&policy, &call, &RealFiles).unwrap().effect
    }

    fn runs_under(&self, rule: &str, line: &str) -> Effect {
        self.says_under(rule, "bash", "command", line)
    }

    fn runs(&self, line: &str) -> Effect {
        self.says("bash", "command", line)
    }

    fn allows(&self, lines: &[&str]) {
        for line in lines {
            assert_eq!(self.runs(line), Effect::Allow, "{line}");
        }
    }

    fn asks(&self, lines: &[&str]) {
        for line in lines {
            assert_eq!(self.runs(line), Effect::Ask, "{line}");
        }
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_rule_says_which_files_it_allows_where_git_has_them() {
    for (rule, message) in [
        ("effect = \"deny\"\nwrites = \"/x/**\"\ntracked = true", "only a rule that allows"),
        ("effect = \"ask\"\nwrites = \"/x/**\"\ntracked = true", "only a rule that allows"),
        ("effect = \"allow\"\ncommands = [\"rm\"]\ntracked = true", "say which beside it"),
        ("effect = \"allow\"\nwrites = \"/x/**\"\ntracked = \"yes\"", "true or false"),
    ] {
        let source = PolicySource { layer: LayerKind::Code, name: "code".into(), trusted: true };
        let text = format!("version = 1\n[[rule]]\n{rule}\n");
        let faults = load(&text, DocumentFormat::Toml, source).unwrap_err();
        assert!(format!("{faults:?}").contains(message), "{rule}: {faults:?}");
    }
}

#[test]
fn what_git_has_just_so_may_be_changed_and_deleted() {
    for format in ["sha1", "sha256"] {
        let Some(repository) = Repository::new(format, format) else { continue };
        repository.allows(&[
            "rm kept.txt",
            "rm -f kept.txt sub/kept.txt",
            "rm staged.txt",
            "sed -i s/a/b/ kept.txt",
            "echo x > kept.txt",
            "echo x >> sub/kept.txt; rm other.txt",
            "cp kept.txt other.txt",
            "cp -f sub/kept.txt kept.txt",
            "mv kept.txt other.txt",
            "true | tee kept.txt",
        ]);
        assert_eq!(repository.says("write_file", "file_path", "kept.txt"), Effect::Allow);
        assert_eq!(repository.says("edit_file", "file_path", "sub/kept.txt"), Effect::Allow);
        assert_eq!(repository.says("delete_file", "file_path", "kept.txt"), Effect::Allow);
    }
}

#[test]
fn what_git_cannot_give_back_asks() {
    let Some(repository) = Repository::new("lost", "sha1") else { return };
    repository.asks(&[
        // It is not as git has it, git does not have it, or it is not there.
        "rm changed.txt",
        "rm new.txt",
        "rm nowhere.txt",
        // Another program may put there what git does not have.
        "gunzip -f kept.txt.gz; rm kept.txt",
        "xz -df kept.txt.xz && truncate -s 0 kept.txt",
        "./run.sh; rm kept.txt",
        "make; rm kept.txt",
        "rm kept.txt new.txt",
        "echo x > changed.txt",
        "echo x > nowhere.txt",
        "sed -i s/a/b/ changed.txt",
        // All that is in a folder.
        "rm -r sub",
        "rm -rf .",
        // A symlink is another file than the one that it leads to.
        "rm link",
        "echo x > link",
        // Something else comes into its place, or it goes elsewhere.
        "mv new.txt kept.txt",
        "mv kept.txt moved.txt",
        // Not all is known: `cd` may have failed.
        "cd sub && rm kept.txt",
        "rm $X",
        "rm kept.txt$X",
        // The line makes another index before.
        "git reset; rm staged.txt",
        "git rm --cached kept.txt; rm kept.txt",
        // What it writes is not known, or more than its operands.
        "make",
        "sqlite3 kept.txt 'delete from t'",
        "ssh-keygen -q -f kept.txt",
        "tar --backup -cf kept.txt sub",
        "strip kept.txt",
    ]);
    for name in ["changed.txt", "new.txt", "nowhere.txt", "sub", "link"] {
        for tool in ["write_file", "edit_file", "delete_file"] {
            assert_ne!(repository.says(tool, "file_path", name), Effect::Allow, "{tool} {name}");
        }
    }
}

#[test]
fn a_command_deletes_no_file_that_the_rule_does_not_name() {
    let Some(repository) = Repository::new("named", "sha1") else { return };
    let Some(other) = Repository::new("elsewhere", "sha1") else { return };
    let rule = RULE.replacen("${project}/**", "${project}/sub/**", 1);
    assert_eq!(repository.runs_under(&rule, "rm sub/kept.txt"), Effect::Allow);
    for line in ["rm kept.txt", "rm sub/kept.txt kept.txt", "mv sub/kept.txt kept.txt"] {
        assert_eq!(repository.runs_under(&rule, line), Effect::Ask, "{line}");
    }
    // Another repository has it.
    let line = format!("rm {}", other.0.join("kept.txt").display());
    assert_eq!(repository.runs(&line), Effect::Ask, "{line}");
    // Nor does a program of the project that only has such a name.
    let own = RULE.replacen("\"rm\"", "\"./rm\"", 1);
    assert_eq!(repository.runs_under(&own, "./rm kept.txt"), Effect::Ask);
}

#[test]
fn what_is_only_meant_to_be_taken_in_is_not_tracked() {
    let Some(repository) = Repository::new("meant", "sha1") else { return };
    repository.put("empty.txt", "");
    repository.git(&["add", "--intent-to-add", "empty.txt"]);
    repository.asks(&["rm empty.txt"]);
    repository.git(&["add", "empty.txt"]);
    repository.allows(&["rm empty.txt"]);
}

#[test]
fn what_is_in_conflict_is_not_tracked() {
    let Some(repository) = Repository::new("conflict", "sha1") else { return };
    repository.git(&["stash", "-q"]);
    repository.git(&["switch", "-qc", "other"]);
    repository.put("kept.txt", "theirs\n");
    repository.git(&["commit", "-qam", "theirs"]);
    repository.git(&["switch", "-q", "-"]);
    repository.put("kept.txt", "ours\n");
    repository.git(&["commit", "-qam", "ours"]);
    assert!(!repository.tries(&["merge", "-q", "other"]));
    // As each side has it: git has both, and no one of them.
    for content in ["as it was\n", "ours\n", "theirs\n"] {
        repository.put("kept.txt", content);
        repository.asks(&["rm kept.txt"]);
    }
    repository.allows(&["rm other.txt"]);
}

#[test]
fn what_git_changes_as_it_takes_it_in_is_not_tracked() {
    let Some(repository) = Repository::new("changed", "sha1") else { return };
    repository.put("dos.txt", "a\r\n");
    repository.git(&["-c", "core.autocrlf=input", "-c", "core.safecrlf=false", "add", "dos.txt"]);
    repository.asks(&["rm dos.txt"]);
}

#[test]
fn an_index_that_rests_on_another_tells_nothing() {
    let Some(repository) = Repository::new("split", "sha1") else { return };
    repository.git(&["update-index", "--split-index"]);
    repository.asks(&["rm kept.txt"]);
    repository.git(&["update-index", "--no-split-index"]);
    repository.allows(&["rm kept.txt"]);
    repository.git(&["update-index", "--index-version", "4"]);
    repository.allows(&["rm kept.txt", "rm sub/kept.txt"]);
}

#[test]
fn a_repository_that_lies_in_another_has_files_of_its_own() {
    let Some(repository) = Repository::new("nested", "sha1") else { return };
    repository.git(&["init", "-q", "sub/inner"]);
    repository.put("sub/inner/kept.txt", "as it was\n");
    repository.asks(&["rm sub/inner/kept.txt"]);
    repository.git(&["-C", "sub/inner", "add", "kept.txt"]);
    repository.allows(&["rm sub/inner/kept.txt"]);
}

#[test]
fn what_is_missing_in_the_store_does_not_come_back() {
    let Some(repository) = Repository::new("missing", "sha1") else { return };
    repository.put("alone.txt", "alone\n");
    repository.git(&["update-index", "--add", "--info-only", "alone.txt"]);
    repository.asks(&["rm alone.txt"]);
    repository.git(&["hash-object", "-w", "alone.txt"]);
    repository.allows(&["rm alone.txt"]);
    // A file of the store is empty after a power cut.
    let path = String::from_utf8(repository.output(&["rev-parse", ":kept.txt"])).unwrap();
    let (folder, file) = path.trim_end().split_at(2);
    let loose = repository.0.join(".git/objects").join(folder).join(file);
    let content = fs::read(&loose).unwrap();
    fs::remove_file(&loose).unwrap();
    fs::write(&loose, "").unwrap();
    repository.asks(&["rm kept.txt"]);
    fs::remove_file(&loose).unwrap();
    repository.asks(&["rm kept.txt"]);
    fs::write(&loose, content).unwrap();
    repository.allows(&["rm kept.txt"]);
    // In a pack, whose index alone is not enough.
    repository.git(&["repack", "-adq"]);
    repository.git(&["prune-packed"]);
    assert!(!loose.exists());
    repository.allows(&["rm kept.txt", "rm sub/kept.txt"]);
    let packs = repository.0.join(".git/objects/pack");
    for entry in fs::read_dir(packs).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "pack") {
            fs::remove_file(path).unwrap();
        }
    }
    repository.asks(&["rm kept.txt"]);
}

#[test]
fn a_work_tree_beside_the_main_one_has_the_same_store() {
    let Some(repository) = Repository::new("beside", "sha1") else { return };
    repository.git(&["worktree", "add", "-q", "beside"]);
    repository.allows(&["rm beside/kept.txt"]);
    repository.put("beside/new.txt", "new\n");
    repository.asks(&["rm beside/new.txt"]);
}

#[test]
fn a_damaged_index_tells_nothing() {
    let Some(repository) = Repository::new("damaged", "sha1") else { return };
    let path = repository.0.join(".git/index");
    let mut index = fs::read(&path).unwrap();
    let at = index.windows(9).position(|window| window == b"other.txt").unwrap();
    index[at] = b'p';
    fs::write(&path, index).unwrap();
    repository.asks(&["rm kept.txt"]);
}
