//! Git's settings, which may hold a password.

use std::fs;
use std::os::unix::fs::symlink;

use countersign_core::call::Json;
use countersign_core::path::RealFiles;
use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, verdict};
use crate::verdicts::judged;

#[test]
fn settings_of_git_and_copies_of_secrets_are_known_wherever_they_lie() {
    let house = House::new("settings-elsewhere");
    let project = house.root.join("project");
    let secret = "[remote \"o\"]\n\turl = https://u:hunter2@example.com/x";
    for (folder, config) in [("mirror.git", secret), ("gd", secret), ("fine", "[core]")] {
        fs::create_dir_all(project.join(folder).join("objects")).unwrap();
        fs::write(project.join(folder).join("HEAD"), "ref: refs/heads/main").unwrap();
        fs::write(project.join(folder).join("config"), config).unwrap();
    }
    fs::create_dir(project.join("app")).unwrap();
    fs::write(project.join("app/config"), "https://u:x@example.com").unwrap();
    tried(
        &started(&house, "read-only", "project"),
        &[
            "cat mirror.git/config",
            "cat gd/config",
            "cat gd/CONFIG.bak",
            "cat gd/c*",
            "cd mirror.git && cat config",
            "grep -r url mirror.git",
            "rg url gd",
            "find mirror.git -type f -exec cat {} +",
            "cat .git/config.bak",
            "cat .git/config~",
            "cat .netrc.bak",
            "cat .NPMRC.OLD",
            "cat .gitconfig~",
            "cat ~/.config/gh.bak/hosts.yml",
            "cat ~/.cargo/credentials.bak",
        ],
        &[
            "cat app/config",
            "cat fine/config",
            "grep -r url app",
            "grep -r url fine",
            "ls -la gd",
            "cat config.bak",
        ],
    );
}

#[test]
fn settings_of_git_that_hold_a_password_are_met_by_whatever_reads_all() {
    let house = House::new("settings-below");
    fs::remove_file(house.root.join("project/server.key")).unwrap();
    fs::remove_file(house.root.join("project/.env")).unwrap();
    for link in ["keys", "key", "h/f", "ol", "d/l", "dst/c", "-out", "sub/00Tree.html"] {
        fs::remove_file(house.root.join("project").join(link)).unwrap();
    }
    let write = |file: &str, text: &str| house.put(&format!("project/{file}"), text);
    let asked = [
        "grep -r url .",
        "grep -r url ./",
        "grep -r url ../project",
        "grep -rI url --include='conf*' .",
        "grep -r --include=config url .",
        "rg --hidden url .",
        "rg -uu url .",
        "ag -u url .",
        "ag --hidden url .",
        "git diff --no-index . sub",
        "find . -type f -exec cat {} +",
        "find . -type f -exec awk /url/ {} +",
        "find . -maxdepth 2 -type f -exec cat {} +",
        "find . -type f -name 'c*' -exec cat {} +",
    ];
    let others = ["rg url .", "grep -r --include='*.ts' url .", "grep -r url src", "ls -la .git"];
    let plain = "[remote \"origin\"]\n\turl = https://example.com/x\n";
    let policy = started(&house, "read-only", "project");
    let searched = |args: &str| {
        let args: Json = serde_json::from_str(args).unwrap();
        judged(&policy, "grep", &args, &RealFiles).unwrap().effect
    };
    let globs = [
        r#"{"pattern":"url","path":".","glob":".git/*"}"#,
        r#"{"pattern":"url","glob":".git/conf*"}"#,
        r#"{"pattern":"url","glob":"{.git,a}/conf*"}"#,
        r#"{"pattern":"url","glob":"**/.git/**"}"#,
    ];
    for secret in [
        "[remote \"origin\"]\n\turl = https://u:hunter2@example.com/x\n",
        "[http]\n\textraHeader = Authorization: Basic x\n",
    ] {
        for place in [
            ".git/config",
            ".git/modules/m/config",
            ".git/worktrees/w/config.worktree",
            "vendor/x/.git/config",
        ] {
            write(".git/config", plain);
            write(place, secret);
            let deep = place != ".git/config";
            let asked: Vec<&str> = asked
                .into_iter()
                .filter(|line| !(deep && (line.contains("maxdepth") || line.contains("--include"))))
                .collect();
            tried(&policy, &asked, &others);
            write(place, plain);
        }
    }
    tried(&policy, &[], &asked);
    tried(&policy, &[], &others);
    globs.iter().for_each(|glob| assert_eq!(searched(glob), Effect::Allow, "{glob}"));
    write(".git/config", "[remote \"origin\"]\n\turl = https://u:hunter2@example.com/x\n");
    globs.iter().for_each(|glob| assert_eq!(searched(glob), Effect::Ask, "{glob}"));
    assert_eq!(searched(r#"{"pattern":"url","glob":"src/**/*.rs"}"#), Effect::Allow);
}

#[test]
fn the_password_in_the_address_of_a_remote_has_one_door() {
    let house = House::new("remotes");
    let config = house.root.join("project/.git/config");
    let asked = ["git remote -v", "git remote get-url origin"];
    let policy = started(&house, "read-only", "project");
    house.put("project/.git/HEAD", "ref: refs/heads/main");
    fs::write(&config, "[remote \"origin\"]\n\turl = https://u:hunter2@example.com/x\n").unwrap();
    tried(&policy, &asked, &["git remote"]);
    // git takes the beginning of an option for it, and short ones together.
    let all = own(r#"{"effect":"allow","commands":["git"]}"#);
    tried(
        &started(&house, &all, "project"),
        &[
            "git remote --verb",
            "git var -l",
            "git config -lz",
            "git config --lis",
            "git config --get-re .",
            "git config --get-all remote.origin.url",
            "git config --get remote.origin.url user.name",
            "git config --get-regexp user.name",
            "git config get --regexp user.name",
            "git config get remote.origin.url",
            "git config list",
            "git config branch.main.remote",
            "git config http.extraheader",
            "git config --get $key",
            "git remote -v show",
            "git remote show -n origin",
            "git ls-remote --get-url",
            "git submodule init",
            "git for-each-ref --format='%(push:remotename)'",
            "git for-each-ref --format=%(refname)%(upstream:remotename)",
            "git branch --format='%(push:remotename)'",
            "git branch --sort='push:remotename'",
        ],
        &[
            "git branch --format='%(refname)'",
            "git config get user.name",
            "git remote",
            "git config user.name",
            "git config --get user.name",
            "git var GIT_EDITOR",
        ],
    );
    // A worktree has the settings of the repository that it belongs to.
    let kept = house.root.join("project/.git/worktrees/tree");
    for folder in [&kept, &house.root.join("tree")] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(kept.join("HEAD"), "ref: refs/heads/tree").unwrap();
    fs::write(kept.join("commondir"), "../..").unwrap();
    house.put("tree/.git", format!("gitdir: {}", kept.display()));
    let denied = own(
        r#"{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["**/project/.git/config"]}"#,
    );
    for folder in ["project", "tree"] {
        let (effect, reason) = verdict(&started(&house, &denied, folder), "bash", "git remote -v");
        assert_eq!(effect, Effect::Deny, "{folder}: {reason}");
    }
    fs::write(&config, "[remote \"origin\"]\n\turl = https://example.com/x\n").unwrap();
    tried(&policy, &[], &asked);
    for elsewhere in ["[Include]\n\tpath = more\n", "[extensions]\n\tworktreeConfig = true\n"] {
        fs::write(&config, elsewhere).unwrap();
        tried(&policy, &asked, &["git remote"]);
    }
}

#[test]
fn settings_of_git_are_told_wherever_the_repository_lies() {
    let house = House::new("settings-beside");
    let settings = "[remote \"o\"]\n\turl = https://u:hunter2@example.com/x\n";
    for folder in ["project/bare.git", "project/gd"] {
        for (file, text) in [("HEAD", "ref: refs/heads/main"), ("config", settings), ("a", "x")] {
            house.put(&format!("{folder}/{file}"), text);
        }
        fs::create_dir_all(house.root.join(folder).join("objects")).unwrap();
    }
    for file in ["bare.git/config.bak", "gd/config.worktree", ".git/config.old", ".git/config~"] {
        house.put(&format!("project/{file}"), settings);
    }
    house.put("project/plain/HEAD", "x");
    house.put("project/plain/config", "x");
    symlink("gd", house.root.join("project/link")).unwrap();
    let own = own(
        r#"{"effect":"allow","commands":["cat","grep","rg","find","cd","cp"],"writes":["${project}/**"]}"#,
    );
    for name in ["read-only", "developer", &own] {
        tried(
            &started(&house, name, "project"),
            &[
                "cat bare.git/config",
                "cat gd/config",
                "cat link/config",
                "cat gd/config.worktree",
                "cat gd/conf*",
                "cat bare.git/config.bak",
                "cat .git/config.old",
                "cat .git/config~",
                "grep -r url bare.git",
                "grep -r url .",
                "rg url gd",
                "find bare.git -type f -exec cat {} +",
                "cd bare.git && cat config",
                "cp bare.git/config x",
            ],
            &["cat bare.git/HEAD", "cat gd/a", "cat plain/config", "grep -r url plain"],
        );
    }
}
