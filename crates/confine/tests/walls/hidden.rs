//! What is hidden or protected stays so: beside other hidden places, in any number, and during changes by other processes. Where
//! it cannot, nothing runs.

use std::fs;
use std::os::unix::fs::chown;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use crate::effort::effort;
use crate::launch::{LAUNCHER, LaunchResult, TestFolder, changed, exists, has_namespaces, users};

/// Reads hidden files, changes protected ones, and looks at other processes.
const STEAL: &str =
    "cat .env .secrets/key; echo evil > .git/hooks/evil; ls -a / | grep -c outside; true";

/// Files of the project, of the user who runs the commands.
fn write_all(place: &TestFolder, names: &[String]) -> Vec<PathBuf> {
    let paths: Vec<PathBuf> = names.iter().map(|name| place.project().join(name)).collect();
    for path in &paths {
        let folder = path.parent().unwrap();
        fs::create_dir_all(folder).unwrap();
        fs::write(path, "hidden").unwrap();
        for each in [folder, path] {
            chown(each, place.user, place.user).unwrap();
        }
    }
    paths
}

fn stole_nothing(place: &TestFolder, ended: &LaunchResult) {
    assert!(!ended.out.contains("hidden"), "{ended:?}");
    assert!(!exists(&place.project().join(".git/hooks/evil")), "{ended:?}");
}

/// The launcher with this plan, and with no more descriptors than this.
fn with_descriptors(place: &TestFolder, most: u32, plan: &Value) -> LaunchResult {
    let mut command = Command::new("sh");
    let line = format!("ulimit -n {most}; exec \"$0\" run \"$1\"");
    command.args(["-c", &line, LAUNCHER, &plan.to_string()]).stdin(Stdio::null());
    place.as_user(command.env("PATH", "/usr/bin:/bin"));
    LaunchResult::of(command.output().unwrap())
}

#[test]
fn a_hidden_folder_with_something_hidden_in_it_opens_nothing() {
    for user in users() {
        let place = TestFolder::new("within", user);
        if !has_namespaces(&place) {
            continue;
        }
        let [env, folder, key] =
            [".env", ".secrets", ".secrets/key"].map(|name| place.project().join(name));
        for hide in [json!([env, folder, key]), json!([key, folder, env, folder, key])] {
            let ended = place.sh(STEAL, &json!({ "hide": hide, "demand": "whole" }));
            assert_eq!(ended.code, Some(0), "{ended:?}");
            assert_eq!(ended.open(), [""; 0]);
            stole_nothing(&place, &ended);
        }
    }
}

#[test]
fn what_fails_in_namespaces_is_not_run_without_them() {
    for user in users() {
        let place = TestFolder::new("fails", user);
        if !has_namespaces(&place) {
            continue;
        }
        let line = format!("{STEAL}; touch ran");
        let absent = json!({ "temporary": place.root.join("absent") });
        let few = place.plan(&["sh", "-c", &line]);
        for ended in [place.sh(&line, &absent), with_descriptors(&place, 12, &few)] {
            assert_eq!(ended.code, Some(125), "{ended:?}");
            assert!(ended.err.contains("countersign-confine: "), "{ended:?}");
            assert!(
                ended.status.as_ref().is_some_and(|said| said["failed"].is_object()),
                "{ended:?}"
            );
            stole_nothing(&place, &ended);
            assert!(!exists(&place.project().join("ran")), "{ended:?}");
        }
    }
}

#[test]
fn more_that_is_hidden_than_there_are_descriptors_opens_nothing() {
    for user in users() {
        let place = TestFolder::new("many", user);
        if !has_namespaces(&place) {
            continue;
        }
        let names: Vec<String> = (0..300).map(|number| format!("deep/{number}/key")).collect();
        let all = write_all(&place, &names);
        let hide = [vec![place.project().join(".env"), place.project().join(".secrets")], all];
        let line = format!("{STEAL}; cat deep/*/key");
        let plan = changed(place.plan(&["sh", "-c", &line]), &json!({ "hide": hide.concat() }));
        let ended = with_descriptors(&place, 64, &plan);
        assert_eq!(ended.open(), [""; 0]);
        stole_nothing(&place, &ended);
    }
}

#[test]
fn files_that_become_folders_while_a_command_starts_open_nothing() {
    for user in users() {
        let place = TestFolder::new("race", user);
        if !has_namespaces(&place) {
            continue;
        }
        let names: Vec<String> = (0..8).map(|number| format!("flips-{number}")).collect();
        let flips = write_all(&place, &names);
        let own = [".env", ".secrets"].map(|name| place.project().join(name));
        let hide = [&own[..], &flips].concat();
        let protect = [&[place.project().join(".git/hooks")][..], &flips].concat();
        let is_over = AtomicBool::new(false);
        let all: Vec<LaunchResult> = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    for path in &flips {
                        let _ = fs::remove_file(path).and_then(|()| fs::create_dir(path));
                        let _ = fs::remove_dir(path).and_then(|()| fs::write(path, ""));
                    }
                }
            });
            let both = [json!({ "hide": hide }), json!({ "protect": protect })];
            let all =
                both.iter().cycle().take(effort(10, 40)).map(|changes| place.sh(STEAL, changes));
            let all = all.collect();
            is_over.store(true, Ordering::Relaxed);
            all
        });
        for ended in all {
            stole_nothing(&place, &ended);
            // It may give up, where something never stands still.
            assert!(ended.code == Some(125) || ended.open().is_empty(), "{ended:?}");
        }
    }
}

#[test]
fn a_folder_with_something_hidden_in_it_cannot_be_moved_to_where_it_is_read() {
    for user in users() {
        let place = TestFolder::new("moved", user);
        if !has_namespaces(&place) {
            continue;
        }
        let hide = write_all(&place, &["deep/config/token".into(), "deep/config/tokens/t1".into()]);
        let line = "mv deep node_modules; mv deep/config c2; mv deep/config/token t2; rm -rf deep; \
            find . -type f -name 't*' | xargs cat; echo new > deep/config/new && cat deep/config/new";
        let changes = json!({ "hide": hide });
        let first = place.sh(line, &changes);
        let then = place.sh("find . -type f -name 't*' | xargs cat", &changes);
        assert!(first.out.ends_with("new\n"), "{first:?}");
        for ended in [first, then] {
            assert!(!ended.out.contains("hidden"), "{ended:?}");
        }
        for path in hide {
            assert_eq!(fs::read_to_string(path).unwrap(), "hidden");
        }
    }
}

#[test]
fn a_folder_above_what_may_be_read_hides_it() {
    for user in users() {
        let place = TestFolder::new("above", user);
        if !has_namespaces(&place) {
            continue;
        }
        let kept = place.outside().join("kept");
        let given = json!(["/usr", "/bin", "/lib", "/lib64", "/etc", kept]);
        let seen = place.sh("cat ../outside/kept", &json!({ "read": given }));
        assert_eq!(seen.out, "kept", "{seen:?}");
        let changes = json!({ "read": given, "hide": [place.outside()] });
        let ended = place.sh("cat ../outside/kept", &changes);
        assert_eq!(ended.out, "", "{ended:?}");
    }
}

#[test]
fn what_is_protected_is_not_changed_though_it_is_given() {
    let place = TestFolder::new("given", None);
    if !has_namespaces(&place) {
        return;
    }
    let deep = place.project().join("deep");
    let changes = json!({ "write": [deep, place.outside()], "protect": [deep] });
    let ended = place.sh("echo x > deep/file; echo x > ../outside/file", &changes);
    let made = [deep.join("file"), place.outside().join("file")];
    assert_eq!(made.map(|path| exists(Path::new(&path))), [false, true], "{ended:?}");
}

#[test]
fn what_stays_open_and_was_not_said_before_is_not_run() {
    let place = TestFolder::new("said", None);
    let run = |open: Value| place.sh("true", &json!({ "withoutNamespaces": true, "open": open }));
    let all = run(json!(null)).open();
    assert_eq!(run(json!(all)).code, Some(0));
    for missing in 0..all.len() {
        let ended = run(json!([&all[..missing], &all[missing + 1..]].concat()));
        assert_eq!(ended.code, Some(125), "{ended:?}");
        assert!(ended.err.contains(&all[missing]), "{ended:?}");
    }
}
