//! The repositories that git finds, and those that it goes into.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::path::{FileLookup, NearFiles, RealFiles};
use countersign_core::policy::{Effect, JudgedCall, judge};

use crate::house::{House, judged_near, own, started, tried, tried_in_both};
use crate::verdicts::{index, index_of, text};

#[test]
fn a_session_that_starts_in_a_folder_that_looks_like_a_repository_runs_no_git() {
    let house = House::new("start");
    for name in ["read-only", "developer"] {
        for folder in ["project/pkg", "project/pkg/objects"] {
            tried(
                &started(&house, name, folder),
                &[
                    "git status",
                    "git log -1",
                    "env git diff",
                    "timeout 5 git status",
                    "/usr/bin/git status",
                    "ls; git status",
                ],
                &["ls", "cat a.txt"],
            );
        }
        tried(
            &started(&house, name, "project"),
            &[
                "env -i git status",
                "env - git diff",
                "env -u GIT_CONFIG_COUNT git status",
                "exec -c git status",
                "cd pkg; git status",
                "unset GIT_CONFIG_COUNT; git status",
            ],
            &["git status", "git log -1", "env git status", "env -i ls"],
        );
        tried(&started(&house, name, "project/src"), &[], &["git status", "git log -1"]);
    }
}

#[test]
fn where_git_would_find_its_repository_is_judged_without_waiting() {
    let house = House::new("near");
    for (folder, line, expected) in [
        ("project", "git status", Some(Effect::Allow)),
        ("project", "git log --oneline -5 && git status | cat", Some(Effect::Allow)),
        ("project/src", "git status", Some(Effect::Allow)),
        ("project/pkg", "git status", Some(Effect::Ask)),
        ("project/pkg/objects", "git log", Some(Effect::Ask)),
        ("project", "git push", Some(Effect::Ask)),
        // What is elsewhere, and what is in files, is looked at by who may wait.
        ("project", "git diff", None),
        ("project", "cat src/lib.rs", None),
        ("project", "git fetch bare", None),
        ("project", "cd src; git status", None),
        ("project", "cat *", None),
    ] {
        let policy = started(&house, "read-only", folder);
        assert_eq!(judged_near(&policy, "bash", line), expected, "{folder}: {line}");
    }
    // A few looks are few.
    let project = house.at("project");
    let files = NearFiles::new(&project);
    let looks = (0..99).take_while(|name| files.has(&format!("{project}/{name}")).is_ok());
    assert_eq!(looks.count(), 64);
    assert!(files.is_beyond());
}

#[test]
fn a_file_is_no_folder_for_what_edits_it_and_may_become_one_for_git() {
    let house = House::new("file-or-folder");
    house.put("project/b.py", "");
    let policy = own(
        r#"{"effect":"allow","commands":["*"]},{"effect":"allow","writes":["/**"]},{"effect":"deny","writes":["**/secret/**","**/*.lock"]}"#,
    );
    tried(
        &started(&house, &policy, "project"),
        &[
            "git restore -s other b.py",
            "git checkout other -- b.py",
            "timeout 5 git restore -s other b.py",
            "time git restore -s other b.py",
            "rm b.py; black b.py",
            "black new.py",
        ],
        &[
            "black b.py",
            "isort b.py && black b.py",
            "timeout 5 black b.py | cat",
            "ruff check --no-cache --fix b.py",
        ],
    );
}

#[test]
fn a_file_that_leads_to_a_repository_is_no_name_of_a_remote() {
    let house = House::new("gitfile");
    house.put("project/x", "gitdir: bare\n");
    house.put("project/y.git", b"gitdir: b\xff\n");
    house.put("project/plain", "text");
    tried(
        &started(&house, "developer", "project"),
        &["git fetch x", "git fetch y", "git fetch bare", "git fetch -q x main"],
        &["git fetch plain", "git fetch origin", "git fetch"],
    );
}

#[test]
fn a_repository_that_lies_in_the_project_is_not_the_projects() {
    let house = House::new("nested");
    let write = |file: &str, text: &str| house.put(file, text);
    let evil = "[core]\n\tbare = false\n[diff \"evil\"]\n\ttextconv = touch x";
    for git in [
        "project/vendor/x/.git",
        "project/vendor/meta",
        "project/plain/.git",
        "project/.git/modules/m",
    ] {
        let config = if git.contains("plain") { "[core]\n\tbare = false" } else { evil };
        write(&format!("{git}/config"), config);
        write(&format!("{git}/HEAD"), "ref: refs/heads/main");
        fs::create_dir_all(house.root.join(git).join("hooks")).unwrap();
    }
    write("project/vendor/filed/.git", "gitdir: ../meta");
    write("project/m/.git", "gitdir: ../.git/modules/m");
    write("project/tree/.git", &format!("gitdir: {}", house.at("out/evil/.git")));
    fs::create_dir_all(house.root.join("project/vendor/linked")).unwrap();
    symlink("../meta", house.root.join("project/vendor/linked/.git")).unwrap();
    for name in ["read-only", "developer"] {
        tried(
            &started(&house, name, "project"),
            &[
                "cd vendor/x && git diff",
                "cd vendor/x && git log",
                "cd vendor/filed && git status",
                "cd vendor/linked && git status",
                "cd vendor/x/deep; git status",
            ],
            &["cd plain && git log -1", "cd src && git status", "git status"],
        );
        for folder in ["project/vendor/filed", "project/vendor/linked"] {
            // The folder that it leads to came with the one that it lies in.
            let above = House::at(&house, folder);
            fs::rename(house.root.join("project/vendor/meta"), format!("{above}/meta")).unwrap();
            let git = format!("{above}/.git");
            fs::remove_file(&git).unwrap();
            if folder.ends_with("filed") {
                fs::write(&git, "gitdir: meta").unwrap();
            } else {
                symlink("meta", &git).unwrap();
            }
            tried(&started(&house, name, folder), &["git status", "git log -1"], &["ls"]);
            fs::rename(format!("{above}/meta"), house.root.join("project/vendor/meta")).unwrap();
            fs::remove_file(&git).unwrap();
            if folder.ends_with("filed") {
                fs::write(&git, "gitdir: ../meta").unwrap();
            } else {
                symlink("../meta", &git).unwrap();
            }
        }
        // A worktree, whose repository lies elsewhere.
        tried(&started(&house, name, "project/tree"), &[], &["git status", "git log -1"]);
    }
}

#[test]
fn git_goes_into_no_repository_whose_settings_say_what_runs() {
    let house = House::new("enters");
    let write = |file: &str, text: &str| house.put(&format!("project/{file}"), text);
    let repository = |git: &str, config: &str| {
        write(&format!("{git}/config"), config);
        write(&format!("{git}/HEAD"), "ref: refs/heads/main");
        fs::create_dir_all(house.root.join("project").join(git).join("hooks")).unwrap();
    };
    let evil = "[filter \"evil\"]\n\tclean = touch x";
    repository("vendor/x/.git", evil);
    repository("-x/.git", evil);
    repository("add/.git", evil);
    repository("~x/.git", evil);
    repository("plain/.git", "[core]\n\tbare = false");
    repository("deep/.git", "[core]\n\tbare = false");
    repository("deep/in/.git", evil);
    repository(".git/modules/m", "[core]\n\tworktree = ../../../m");
    write("m/.git", "gitdir: ../.git/modules/m");
    repository("vendor/meta", evil);
    write("vendor/filed/.git", "gitdir: ../meta");
    write("vendor/husk/.git", "x");
    house.put("project/deep/.git/index", index(&["in/"]));
    let enters = [
        "git status",
        "git diff",
        "git diff HEAD -- vendor",
        "git diff --stat",
        "git diff-files",
        "git diff-index --quiet HEAD",
        "git status -uno",
        "git describe --always --dirty",
        "git -C . status",
        "git status --ignore-submodules=dirty",
        "git status --ignore-submodules=all --ignore-submodules=none",
        "git status -- --ignore-submodules",
        "git log -p --submodule=diff",
        "cd src && git status",
    ];
    let stays = [
        "git log -p -1",
        "git show HEAD",
        "git grep x",
        "git blame src/lib.rs",
        "git status --ignore-submodules",
        "git diff --ignore-submodules=all",
    ];
    for name in ["read-only", "developer"] {
        let policy = started(&house, name, "project");
        for tracked in ["vendor/x/", "deep/", "vendor/filed/", "vendor/husk/"] {
            house.track(&["src/lib.rs", tracked]);
            tried(&policy, &enters, &stays);
        }
        // Those that git keeps itself, those that name no program, and those that are not there.
        house.track(&["m/", "plain/", "src/lib.rs", "vendor/gone/"]);
        tried(&policy, &[], &enters[..9]);
        house.put("project/.git/index", "x");
        tried(&policy, &["git status"], &["git log -1"]);
    }
    house.track(&["src/lib.rs"]);
    tried(
        &started(&house, "developer", "project"),
        &[
            "git add vendor/x",
            "git add vendor/x; git status",
            "git add ./deep/ && git diff",
            "git add vendor; git status",
            "git add -A; git status",
            "git add . && git diff",
            "git add 'vendor/*' && git status",
            // A name of a folder, however it is written.
            r"git add 'vendor/\x' && git status",
            "git add src add",
            "git add src '~x'",
            "git add -- src -x",
            "git add src -- -x && git status",
            "git add -A; git add -A",
            "git add -A && git commit -m x",
            "git add -A; git commit -m x; git commit -m y",
        ],
        &[
            "git add src",
            "git add vendor",
            "git add -A",
            "git add src && git commit -m x",
            "git diff --cached",
            "git add plain && git status",
            "git add src && git status",
            "git add -A && git log -1",
        ],
    );
}

/// Puts a repository into the project: its own folder, and its settings.
pub(crate) fn nested_repository(house: &House, git: &str, config: &str) {
    let git = house.root.join("project").join(git);
    fs::create_dir_all(git.join("hooks")).unwrap();
    fs::write(git.join("config"), config).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
}

#[test]
fn git_goes_into_no_repository_whose_name_is_no_text() {
    let house = House::new("no-text");
    let project = house.root.join("project");
    let looks = ["git status", "git diff", "git diff HEAD --stat", "git describe --dirty"];
    let names: [&[u8]; 2] = [b"src/lib.rs", b"v\xe9/"];
    fs::write(project.join(".git/index"), index_of(&names)).unwrap();
    tried_in_both(&house, &looks, &["git log -1"]);
    tried(
        &started(&house, "developer", "project"),
        &["git add .", "git add -A", "git commit -m x", "git switch --no-overwrite-ignore main"],
        &[],
    );
    let names: [&[u8]; 2] = [b"src/caf\xe9", b"src/lib.rs"];
    fs::write(project.join(".git/index"), index_of(&names)).unwrap();
    tried(&started(&house, "read-only", "project"), &[], &looks);
    // Nor where a file says so that lies there.
    let tree = project.join("src/tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join(".git"), b"gitdir: ../v\xe9").unwrap();
    let policy = started(&house, "read-only", "project/src/tree");
    tried(&policy, &["git status", "git log -1"], &["ls"]);
}

#[test]
#[ignore = "long: npm run test:all"]
fn git_goes_into_no_repository_of_its_commits() {
    let house = House::new("commits");
    let evil = "[diff \"evil\"]\n\ttextconv = touch x";
    let others = [
        "git log -p --submodule=diff",
        "git log --submodule",
        "git log -p --submodule=log",
        "git show --submodule=diff",
        "git show --subm=diff",
        "git diff HEAD~1 HEAD --submodule=diff",
        "git diff --cached --submodule=diff",
        "git diff-tree -p --submodule=diff HEAD~1 HEAD",
        "git whatchanged -p --submodule=diff",
        "git stash show -p --submodule=diff",
        "git grep --recurse-submodules x",
        "git grep --recurse x HEAD",
        "git ls-files --recurse-submodules",
        "cd src && git log -p --submodule=diff",
    ];
    let stays = [
        "git log -p",
        "git show --submodule=short",
        "git grep --no-recurse-submodules x",
        "git diff HEAD~1 HEAD",
        "git status",
        "git log -- src/submodule",
    ];
    let moves =
        ["git switch --no-overwrite-ignore main", "git checkout -b x main --no-overwrite-ignore"];
    for name in [".env", "server.key"] {
        fs::remove_file(house.root.join("project").join(name)).unwrap();
    }
    fs::write(house.root.join("project/.git/index"), index(&["src/lib.rs"])).unwrap();
    let tried_all = |others_ask: bool, moves_ask: bool| {
        for name in [
            "read-only",
            "developer",
            own(r#"{"effect":"allow","commands":["git","cd"]}"#).as_str(),
        ] {
            let policy = started(&house, name, "project");
            tried(&policy, if others_ask { &others } else { &[] }, &stays);
            if !others_ask {
                tried(&policy, &[], &others);
            }
            if name == "developer" {
                let (asked, allowed): (&[&str], &[&str]) =
                    if moves_ask { (&moves, &[]) } else { (&[], &moves) };
                tried(&policy, asked, allowed);
            }
        }
    };
    // None lies there, or one that names no program.
    tried_all(false, false);
    nested_repository(&house, "plain/.git", "[core]\n\tbare = false");
    tried_all(false, false);
    nested_repository(&house, "deep/v/.git", evil);
    tried_all(true, true);
    // Another commit may hold what this one ignores.
    fs::write(house.root.join("project/.gitignore"), "deep\n").unwrap();
    tried_all(true, true);
    fs::remove_file(house.root.join("project/.gitignore")).unwrap();
    // Where packages lie that git ignores, only an option leads there.
    fs::rename(house.root.join("project/deep"), house.root.join("project/node_modules")).unwrap();
    tried_all(true, true);
    fs::write(house.root.join("project/.gitignore"), "node_modules\n").unwrap();
    tried_all(true, false);
    fs::remove_file(house.root.join("project/.gitignore")).unwrap();
    fs::remove_dir_all(house.root.join("project/node_modules")).unwrap();
    fs::create_dir_all(house.root.join("project/node_modules")).unwrap();
    symlink(house.at("out/evil"), house.root.join("project/v")).unwrap();
    fs::write(house.root.join("out/evil/.git/HEAD"), "ref: refs/heads/main").unwrap();
    tried_all(true, true);
}

#[test]
fn git_goes_into_no_repository_because_its_settings_say_so() {
    let house = House::new("says-so");
    let project = house.root.join("project");
    for name in [".env", "server.key"] {
        fs::remove_file(project.join(name)).unwrap();
    }
    fs::write(project.join(".git/index"), index(&["src/lib.rs"])).unwrap();
    fs::create_dir_all(house.root.join("home/.config/git")).unwrap();
    let all = own(r#"{"effect":"allow","commands":["git"],"writes":["${project}/.git/**"]}"#);
    let shows = [
        "git log -p",
        "git show",
        "git diff --cached",
        "git grep x",
        "git status",
        "git branch x main",
    ];
    let stays = ["git branch", "git branch -v", "git blame src/lib.rs", "git rev-parse HEAD"];
    let settings = [
        (".git/config", "[diff]\n\tsubmodule = diff"),
        (".git/config", "[status]\n\tsubmoduleSummary = true"),
        (".git/config.worktree", "[diff] submodule = log"),
        ("../home/.gitconfig", "[submodule]\n\trecurse"),
        ("../home/.config/git/config", "[diff]\n\tsubmodule = log"),
        ("../home/.gitconfig", "[includeIf \"gitdir:~/\"]\n\tpath = more"),
        ("../home/.gitconfig", "[include]\n\tpath = ~/more"),
        (".git/config", "[include]\n\tpath = ../../home/more"),
    ];
    fs::write(house.root.join("home/more"), "[diff]\n\tsubmodule = diff").unwrap();
    for (file, text) in settings {
        let has_own =
            if file.ends_with("worktree") { "[extensions]\n\tworktreeConfig" } else { "" };
        fs::write(project.join(".git/config"), has_own).unwrap();
        let file = project.join(file);
        fs::write(&file, text).unwrap();
        let policy = started(&house, &all, "project");
        tried(&policy, &[], &shows);
        tried(&started(&house, "read-only", "project"), &[], &shows[..5]);
        nested_repository(&house, "v/.git", "[core]\n\tfsmonitor = touch x");
        tried(&policy, &shows, &stays);
        tried(&started(&house, "read-only", "project"), &shows[..5], &stays);
        fs::write(&file, "[core]\n\tbare = false\n[submodule \"v\"]\n\turl = ../v").unwrap();
        tried(&policy, &[], &shows);
        fs::remove_dir_all(project.join("v")).unwrap();
    }
}

#[test]
fn what_git_does_not_add_is_known_by_what_it_ignores_and_not_by_its_name() {
    let house = House::new("ignored");
    fs::remove_dir_all(house.root.join("project/ev")).unwrap();
    let policy = started(&house, "developer", "project");
    let repository = |folder: &str| {
        house.put(&format!("project/{folder}/.git/config"), "[core]\n\tfsmonitor = touch x");
        house.put(&format!("project/{folder}/.git/HEAD"), "ref: refs/heads/main");
    };
    house.track(&["src/lib.rs"]);
    let adds = ["git add -A && git commit -m x", "git add . && git status"];
    tried(&policy, &[], &adds);
    for (folder, ignore, is_ignored) in [
        ("dist/x", "", false),
        ("dist/x", "# dist\n", false),
        ("dist/x", "*.log\n/dist/\n!.env.example\n", true),
        ("dist/x", "dist\n!d*t\n", false),
        ("dist/x", "dist\n!/dist/\n", false),
        ("dist/x", "dist/x\n", false),
        ("packages/a/node_modules/x", "/node_modules\n", false),
        ("packages/a/node_modules/x", "node_modules/\n", true),
        ("packages/a/node_modules/x", "**/node_modules\n", true),
        ("cache/x", "cache\n", true),
    ] {
        repository(folder);
        house.put("project/.gitignore", ignore);
        if is_ignored {
            tried(&policy, &["git add -Af && git status", "git add --forc . && git status"], &adds);
            // git does not follow it.
            let file = house.root.join("project/.gitignore");
            fs::rename(&file, house.root.join("project/ignores")).unwrap();
            symlink("ignores", &file).unwrap();
            tried(&policy, &adds, &[]);
            fs::remove_file(&file).unwrap();
        } else {
            tried(&policy, &adds, &[]);
        }
        let first = folder.split('/').next().unwrap();
        fs::remove_dir_all(house.root.join("project").join(first)).unwrap();
    }
    // As a virtual environment says of itself.
    repository(".venv/x");
    tried(&policy, &adds, &[]);
    house.put("project/.venv/.gitignore", "*\n");
    tried(&policy, &[], &adds);
    house.put("project/.venv/.gitignore", "*\n!x\n");
    tried(&policy, &adds, &[]);
}

#[test]
fn a_blank_beside_the_place_of_a_repository_is_a_part_of_its_name() {
    let house = House::new("blanks");
    nested_repository(&house, "vendor/meta", "[core]\n\tbare = false");
    for evil in ["vendor/meta ", "vendor/filed/ ../meta", "vendor/filed/\t../meta"] {
        nested_repository(&house, evil, "[core]\n\tfsmonitor = touch x");
    }
    house.track(&["src/lib.rs", "vendor/filed/"]);
    for name in ["read-only", "developer"] {
        let policy = started(&house, name, "project");
        for (link, harmless) in [
            ("gitdir: ../meta\n", true),
            ("gitdir: ../meta\r\n", true),
            ("gitdir: ../meta ", false),
            ("gitdir: ../meta \n", false),
            ("gitdir:  ../meta\n", false),
            ("gitdir: \t../meta\n", false),
            ("gitdir:../meta\n", false),
        ] {
            house.put("project/vendor/filed/.git", link);
            let lines = ["git status", "git diff --stat"];
            let (asked, allowed): (&[&str], &[&str]) =
                if harmless { (&[], &lines) } else { (&lines, &[]) };
            tried(&policy, asked, allowed);
        }
    }
    // Where the volume tells no cases apart, this lies in the project.
    house.put("project/vendor/filed/.git", "gitdir: ../../../PROJECT/vendor/meta\n");
    let policy = started(&house, "read-only", "project");
    let folder = house.at("project/vendor/filed");
    let call = JudgedCall {
        other_names: &[],
        tool_name: "bash",
        args: &text("command", "git status"),
        cwd: Some(&folder),
        annotations: &BTreeMap::new(),
        conditions: &[],
        confined: None,
    };
    assert_eq!(judge(&policy, &call, &RealFiles).unwrap().effect, Effect::Ask);
}

#[test]
fn git_goes_into_no_repository_of_a_commit_that_it_fetches() {
    let house = House::new("fetches");
    house.track(&["src/lib.rs"]);
    let all = own(
        r#"{"effect":"allow","commands":["git","git remote update","git remote -v update"],"writes":["${project}/.git/**"]}"#,
    );
    let fetches = ["git fetch", "git fetch origin main", "git fetch --all --tags"];
    let updates = ["git remote update", "git remote -v update"];
    let stays = ["git remote", "git remote -v", "git branch"];
    tried(&started(&house, "developer", "project"), &[], &fetches);
    tried(&started(&house, &all, "project"), &[], &updates);
    nested_repository(&house, "deep/v/.git", "[core]\n\tsshCommand = touch x");
    tried(&started(&house, "developer", "project"), &fetches, &["git remote -v"]);
    tried(&started(&house, &all, "project"), &[&fetches[..], &updates[..]].concat(), &stays);
}

#[test]
fn a_word_that_is_not_known_may_say_that_git_goes_on() {
    let house = House::new("unknown-words");
    house.track(&["src/lib.rs"]);
    nested_repository(&house, "deep/v/.git", "[core]\n\tfsmonitor = touch x");
    let all = own(r#"{"effect":"allow","commands":["git"],"env":["x"],"writes":["**"]}"#);
    tried(
        &started(&house, &all, "project"),
        &[
            "git log -p $x",
            "git log -p \"$x\"",
            "x=--submodule=diff; git log -p $x",
            "git diff HEAD~1 $(cat list)",
            "git -c submodule.recurse=true grep x",
            "git -c diff.submodule=log log -p",
            "git --config-env=diff.submodule=x log -p",
            "git -C deep/v status",
            "git --git-dir=deep/v/.git --work-tree=deep/v status",
            "git $x status",
            "git worktree $x list",
            "git stash $x list",
            "git stash -m list",
            "git stash --message list",
            "git submodule $x status",
            "git switch -c $x",
            "git checkout -b \"$x\" $y",
            "env GIT_CONFIG_COUNT=1 git log -p",
            "git log -p --submod*",
        ],
        &["git log -p", "git stash list", "git submodule status"],
    );
}
