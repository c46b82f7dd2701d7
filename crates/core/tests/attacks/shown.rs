//! What git shows of the files that it knows, and of others.

use std::fs;

use countersign_core::policy::Effect;

use crate::house::{House, ID, own, started, tried, verdict};
use crate::repositories::nested_repository;
use crate::verdicts::index;

/// What shows, of all that git knows, what is in it.
const SHOWS_ALL: &[&str] = &[
    "git diff",
    "git diff HEAD",
    "git diff .",
    "git diff -- '*'",
    "git diff -- ':!README.md'",
    "git diff -- ':(icase).ENV'",
    "git status -vv",
    "git status --verb",
    "git diff-index -p HEAD",
    "git diff-files -p",
    "git show",
    "git show HEAD",
    "git log -p",
    "git log --patch -1",
    "git log -U3",
    "git cat-file --batch-all-objects --batch",
    "git cat-file -p HEAD",
    "git grep KEY",
    "git grep KEY HEAD",
    "git grep KEY -- ':(exclude)src'",
    "git grep KEY -- ':/'",
    "git grep KEY -- '.e*'",
    "git --icase-pathspecs grep KEY -- .ENV",
    "git stash show -p",
    "git stash list -p",
    "git reflog -p",
    "git log -p -- .",
    "git show -- .",
    "git whatchanged -p -- .",
    "git stash show -p -- .",
    "git log --full-diff -p -- src",
    "git show --full-diff HEAD -- src/lib.rs",
    "git diff-tree HEAD --full-diff -p -- src",
    "git stash show -W",
    "git stash show --histogram",
    "git stash show stash@{0} --minimal",
];

/// What shows nothing that is in `.env`.
const SHOWS_OTHERS: &[&str] = &[
    "git status",
    "git log --oneline -5",
    "git log --stat",
    "git diff --stat",
    "git diff --name-only HEAD~1",
    "git diff -- src",
    "git diff -- 'src/*.rs'",
    "git show HEAD:src/lib.rs",
    "git show --stat HEAD",
    "git stash show",
    "git stash show --stat",
    "git stash show --name-only -w",
    "git grep KEY -- src",
    "git ls-files",
];

#[test]
#[ignore = "long: npm run test:all"]
fn a_secret_that_git_knows_is_met_by_each_pathspec_and_by_none() {
    let house = House::new("tracked");
    house.track(&[".env", "src/lib.rs"]);
    for name in ["read-only", "deny-env"] {
        for folder in ["project", "project/src"] {
            let lines: Vec<&str> = SHOWS_ALL
                .iter()
                .copied()
                // A name is one of the folder.
                .filter(|line| folder == "project" || !line.contains(".e*"))
                .collect();
            tried(&started(&house, name, folder), &lines, &[]);
        }
        tried(&started(&house, name, "project"), &[], SHOWS_OTHERS);
    }
    // What is not there any more is shown by git all the same.
    let others = ["project/.env", "project/server.key"].map(|file| house.root.join(file));
    others.iter().for_each(|file| fs::remove_file(file).unwrap());
    let whole = format!("git diff {}", house.at("project"));
    tried(
        &started(&house, "deny-env", "project"),
        &["git diff", "git diff ../project", "git diff -- ../project", &whole, "git diff \"$x\""],
        &["git diff -- src", "git grep --no-index KEY src"],
    );
    others.iter().for_each(|file| fs::write(file, "SECRET").unwrap());
    house.track(&["ops/.env", "src/lib.rs"]);
    for name in ["read-only", "deny-env"] {
        tried(
            &started(&house, name, "project"),
            &[
                "git log -p -- ops",
                "git log -u -- src ops/",
                "git show HEAD -- ./ops",
                "git show -- src ops",
                "git whatchanged -p -- ops",
                "git --no-pager log -p --reverse main -- ops",
                "git stash show -p -- ops",
                "git range-diff a b c -- ops",
                "cd src && git log -p -- ../ops",
                "cd src && git show -- ..",
            ],
            &["git log -p -- src", "git show HEAD -- src", "git log --oneline -- ops"],
        );
    }
}

#[test]
fn what_is_packed_of_a_revision_meets_a_deny() {
    let house = House::new("packs");
    house.track(&["ops/.env", "src/lib.rs"]);
    let policy =
        own(r#"{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["**/.env"]}"#);
    for folder in ["project", "project/src"] {
        tried(
            &started(&house, &policy, folder),
            &[
                "git archive HEAD",
                "git archive --format=tar HEAD:ops",
                "git bundle create - HEAD",
                "git diff HEAD:ops main:ops",
                "git grep KEY HEAD:ops",
                "git format-patch --stdout -1",
            ],
            &["git show HEAD:src/lib.rs", "git show HEAD:src"],
        );
    }
}

#[test]
fn a_repository_without_an_index_does_not_say_that_it_knows_nothing() {
    let house = House::new("unborn");
    let policy =
        own(r#"{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["**/.env"]}"#);
    let policy = started(&house, &policy, "project");
    tried(&policy, &[], &["git log -p"]);
    // What was fetched is on no branch of its own.
    let object = house.root.join("project/.git/objects/ab");
    fs::create_dir(&object).unwrap();
    tried(&policy, &["git log -p origin/main", "git show FETCH_HEAD"], &["git log", "git status"]);
    fs::remove_dir(&object).unwrap();
    let packed = house.root.join("project/.git/objects/pack");
    fs::create_dir(&packed).unwrap();
    tried(&policy, &[], &["git log -p"]);
    fs::write(packed.join("p.pack"), "x").unwrap();
    tried(&policy, &["git log -p origin/main"], &["git log"]);
    fs::remove_dir_all(&packed).unwrap();
    house.put("project/.git/packed-refs", "x");
    tried(&policy, &["git log -p", "git diff", "git show"], &["git log", "git status"]);
}

/// A house whose repository has branches and a tag.
fn house_with_refs(name: &str, tracked: &[&str]) -> House {
    let house = House::new(name);
    let git = house.root.join("project/.git");
    for folder in ["refs/heads/feat", "refs/tags", "refs/remotes/origin"] {
        fs::create_dir_all(git.join(folder)).unwrap();
    }
    for name in ["refs/heads/main", "refs/heads/feat/x", "refs/tags/v1", "ORIG_HEAD"] {
        fs::write(git.join(name), format!("{ID}\n")).unwrap();
    }
    fs::write(git.join("refs/heads/v1"), ID).unwrap();
    fs::write(git.join("refs/remotes/origin/HEAD"), "ref: refs/remotes/origin/main\n").unwrap();
    let packed = format!(
        "# pack-refs\n{ID} refs/heads/old\n{ID} refs/remotes/origin/main\n{ID} refs/tags/v0\n"
    );
    fs::write(git.join("packed-refs"), packed).unwrap();
    fs::write(git.join("index"), index(tracked)).unwrap();
    house
}

#[test]
fn an_object_that_is_no_commit_is_shown_whatever_stands_beside_it() {
    let house = house_with_refs("objects", &["ops/id_rsa", "src/lib.rs"]);
    let denied = own(
        r#"{"effect":"allow","commands":["git","cd"]},{"effect":"deny","reads":["**/id_rsa"]}"#,
    );
    let asked = [
        "git show ID -- src",
        "git show --end-of-options ID -- src",
        "git show -s ID",
        "git show --no-patch ID",
        "git show --stat ID",
        "git show 9f592eb -- src",
        "git show $id --stat",
        "git show main $id --stat",
        "git grep x ID -- src",
        "git diff ID ID -- src",
        "git diff main..ID -- src",
        "git diff main ^ID -- src",
        "git diff-tree -p ID ID -- src",
        "git diff-index -p ID -- src",
        "git show v1 -- src",
        "git show v0 -s",
        "git show refs/tags/v1 --stat",
        "git show feat -s",
        "git show nothing --stat",
        "git show main^{tree} -- src",
        "git show main@{0}^{blob} -s",
        "git show ID:lib.rs",
        "git show v1:src/lib.rs",
        "git grep x HEAD:ops -- src",
        "cd src && git show HEAD:ops/id_rsa",
        "git cat-file -p ID",
        "git show --tags -s",
        "git show --all --stat",
        "git show --indexed-objects -- src",
        "git show --default=ID -s",
        "git show --stdin --stat <<< HEAD:ops/id_rsa",
        "git show --stdin -s <<< ID",
        "git show --stdin -- src <<< ID",
        "git log --stdin -p -- src <<< $'HEAD\n--\nops'",
        "printf 'HEAD\n--\nops\n' | git log --stdin -p -- src",
        "git log --stdin --oneline < list",
        "git diff-tree --stdin -p -- src <<< x",
        "git reflog show --stdin -p -- src",
        "git reflog --stdin",
    ];
    let asked = asked.map(|line| line.replace("ID", ID).replace("ORIG_HEAD", "x"));
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let harmless = [
        "git diff main...HEAD -- src",
        "git diff main -- src",
        "git diff @~1 old -- src",
        "git log -p -- src",
        "git log -p 9f592eb..main -- src",
        "git log -p --all -- src",
        "git show HEAD~2 -- src",
        "git show HEAD --stat",
        "git show -s main^",
        "git show --name-only feat/x",
        "git show origin/main -s",
        "git show origin -s",
        "git show main@{1} @{upstream} --stat",
        "git show ORIG_HEAD^{commit} --stat",
        "git show HEAD:src/lib.rs",
        "git show main~3:src/lib.rs",
        "git show :src/lib.rs",
        "git grep x main -- src",
        "git diff --stat 9f592eb",
    ];
    for name in ["read-only", denied.as_str()] {
        tried(&started(&house, name, "project"), &asked, &harmless);
    }
    // Where nothing is secret, no id is asked about.
    let house = house_with_refs("ids", &["src/lib.rs"]);
    tried(
        &started(&house, "read-only", "project"),
        &[],
        &["git show 9f592eb --stat", "git show v1 -s", "git diff 9f592eb -- src", "git show"],
    );
}

#[test]
fn what_a_file_holds_is_put_under_no_other_name_by_git() {
    let house = house_with_refs("launder", &["ops/id_rsa", "src/lib.rs"]);
    let denied =
        own(r#"{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["**/id_rsa"]}"#);
    tried(
        &started(&house, &denied, "project"),
        &[
            "git merge-tree main~1 old main",
            "git merge-file -p --object-id a b c",
            "git rerere diff",
            "git am --show-current-patch",
            "git rebase --show-current-patch",
            "git notes add -C 9f592eb main",
            "git notes append --reuse-message=9f592eb",
            "git update-index --add --cacheinfo 100644,9f592eb,x",
            "git update-index --index-info",
            "git read-tree --prefix=x/ 9f592eb",
            "git commit-tree 9f592eb -m x",
            "git mktree",
            "git config --blob=9f592eb -l",
            // The names that are taken for commits.
            "git update-ref refs/remotes/origin/main 9f592eb",
            "git update-ref --stdin",
            "git symbolic-ref refs/heads/main refs/tags/v1",
            "git stash store 9f592eb",
        ],
        &["git symbolic-ref --short HEAD", "git notes show", "git merge-file a b c"],
    );
}

#[test]
fn what_git_shows_of_a_submodule_is_what_that_one_knows() {
    let house = House::new("shows-others");
    let project = house.root.join("project");
    for name in [".env", "server.key"] {
        fs::remove_file(project.join(name)).unwrap();
    }
    fs::write(project.join(".git/index"), index(&["src/lib.rs", "sub/"])).unwrap();
    nested_repository(&house, ".git/modules/m", "[core]\n\tworktree = ../../../sub");
    fs::write(project.join("sub/.git"), "gitdir: ../.git/modules/m").unwrap();
    let known = project.join(".git/modules/m/index");
    let shows = [
        "git grep --recurse-submodules hunter",
        "git grep --recurse-submodules hunter HEAD",
        "git diff --submodule=diff",
        "git show --submodule=diff",
        "git log -p --submodule=diff",
        "git diff --submodule=diff HEAD~1",
        "git diff-tree -p --submodule=diff HEAD~1 HEAD",
        "cd src && git diff --submodule=diff",
    ];
    let stays = ["git grep hunter", "git diff", "git log -p", "git diff --submodule=diff -- src"];
    let denied =
        own(r#"{"effect":"allow","commands":["git","cd"]},{"effect":"deny","reads":["**/*.key"]}"#);
    for name in ["read-only", "developer", denied.as_str()] {
        let policy = started(&house, name, "project");
        fs::write(&known, index(&["a.txt"])).unwrap();
        tried(&policy, &[], &[&shows[..], &stays[..]].concat());
        fs::write(&known, index(&["a.txt", "server.key"])).unwrap();
        tried(&policy, &shows, &stays);
        // One without a checkout is shown all the same.
        fs::rename(project.join("sub/.git"), project.join("sub/git")).unwrap();
        fs::write(&known, index(&["a.txt"])).unwrap();
        tried(&policy, &shows, &stays[..3]);
        fs::rename(project.join("sub/git"), project.join("sub/.git")).unwrap();
    }
    let policy = started(&house, &denied, "project");
    fs::write(&known, index(&["a.txt", "server.key"])).unwrap();
    let (effect, _) = verdict(&policy, "bash", shows[0]);
    assert_eq!(effect, Effect::Deny);
    fs::write(project.join(".git/config"), "[submodule]\n\trecurse = true").unwrap();
    tried(&policy, &["git grep hunter", "git grep hunter HEAD"], &["git log -1"]);
}

#[test]
fn a_folder_in_an_index_hides_nothing_that_git_shows() {
    let house = House::new("sparse");
    let project = house.root.join("project");
    for name in [".env", "server.key"] {
        fs::remove_file(project.join(name)).unwrap();
    }
    let shows = [
        "git show",
        "git log -p -1",
        "git grep --cached hunter",
        "git grep hunter HEAD",
        "git diff --cached HEAD~0",
        "git show -- ops",
        "git log -p -- :/ops",
    ];
    let stays =
        ["git status", "git log -1", "git stash list", "git diff -- src", "git show -- src"];
    let denied =
        own(r#"{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["**/*.key"]}"#);
    fs::write(project.join(".git/index"), index(&["ops//", "src/lib.rs"])).unwrap();
    for name in ["read-only", "developer", denied.as_str()] {
        tried(&started(&house, name, "project"), &shows, &stays);
    }
    // What lies there may be a repository of a commit.
    fs::create_dir(project.join("ops")).unwrap();
    tried(&started(&house, "read-only", "project"), &["git status", "git diff"], &["git log -1"]);
}

#[test]
fn a_secret_that_git_does_not_know_is_shown_by_what_looks_at_other_files() {
    let house = House::new("untracked");
    house.track(&["src/lib.rs"]);
    let asked = [
        "git grep --no-index KEY",
        "git grep --no-index KEY '.e*'",
        "git grep --no-index KEY '*.en[v]'",
        "git grep --no-index KEY '?env'",
        "git grep --no-index KEY ':(icase).ENV'",
        "git grep --no-index KEY ':(glob)**/.e*'",
        "git grep --no-index KEY ':!README.md'",
        "git grep --untracked --no-exclude-standard KEY -- '.e*'",
        "git --glob-pathspecs grep --no-index KEY '**/.e*'",
        "git diff --no-index . ../out",
    ];
    for name in ["read-only", "deny-env"] {
        let policy = started(&house, name, "project");
        // All but what shows what lies in no index.
        let plain: Vec<&str> =
            SHOWS_ALL.iter().copied().filter(|line| !line.contains(".ENV")).collect();
        tried(&policy, &asked, &plain);
        tried(
            &policy,
            &["git grep --no-index KEY -- .env"],
            &["git grep --no-index KEY src", "git diff"],
        );
    }
    let developer = started(&house, "developer", "project");
    tried(
        &developer,
        &[
            "git stash -a",
            "git stash --all",
            "git stash push -u",
            "git add '.e*'",
            "git add ':(icase).ENV'",
            "git commit -m x -- '.e*'",
            "git stash push -- '.e*'",
        ],
        &["git add src", "git add -A", "git commit -m x", "git add 'src/*.rs'", "git diff ."],
    );
}

#[test]
fn what_is_picked_piece_by_piece_is_shown() {
    let house = House::new("pieces");
    let shows = [
        "git add -p",
        "git add -p < /dev/null",
        "git add -p ops",
        "git add --patch .",
        "yes | git add -p",
        "printf 'd\\n1\\n\\nq\\n' | git add -i",
        "git add --interactive",
        "git stage -p",
        "git commit -p",
        "git commit --patch -m x",
        "git commit --interactive",
        "git commit -am x -v",
        "git stash -p",
        "git stash push --patch",
        "git stash push -kp",
        "git stash save -p",
    ];
    let known = ["ops/id_rsa", "src/lib.rs"];
    house.track(&known);
    house.put("project/.git/HEAD", "ref: refs/heads/main");
    let does_not = ["git add .", "git add -A", "git commit -m x", "git add -v src"];
    let developer = started(&house, "developer", "project");
    tried(&developer, &shows, &does_not);
    let own = own(
        r#"{"effect":"allow","commands":["git","yes","printf"],"writes":["${project}/**"]},{"effect":"deny","reads":["**/id_rsa"]}"#,
    );
    let own = started(&house, &own, "project");
    let more = [
        "git checkout -p",
        "git reset -p",
        "git reset --patch HEAD",
        "git restore -p",
        "git am --show-current-patch",
        "git rebase --show-current-patch",
        "git rerere diff",
    ];
    for line in shows.iter().chain(&more) {
        let (effect, reason) = verdict(&own, "bash", line);
        assert_ne!(effect, Effect::Allow, "{line}: {reason}");
    }
    for line in ["git add -p", "git commit -p", "git add -p src"] {
        assert_eq!(verdict(&own, "bash", line).0, Effect::Deny, "{line}");
    }
    house.track(&["src/lib.rs"]);
    fs::remove_file(house.root.join("project/server.key")).unwrap();
    fs::remove_file(house.root.join("project/.env")).unwrap();
    // A piece may be opened in the editor.
    tried(&developer, &["git add -p", "git commit -p -m x"], &[]);
}

#[test]
fn an_index_that_the_line_changes_tells_nothing_any_more() {
    let house = House::new("changed-index");
    house.track(&["src/lib.rs"]);
    house.put("project/.git/HEAD", "ref: refs/heads/main");
    tried(
        &started(&house, "deny-env", "project"),
        &[
            "git reset -q main; git grep --cached KEY",
            "git read-tree main && git diff HEAD",
            "git rm -r --cached conf; git show HEAD",
            "git add -Af; git diff --cached",
            "git switch main; git diff HEAD",
            "git checkout -B x main; git diff HEAD",
        ],
        &[
            "git switch -c x; git diff HEAD",
            "git checkout -b x; git diff HEAD",
            "git fetch origin; git diff HEAD",
            "git tag x; git show HEAD",
            "git diff HEAD",
        ],
    );
}
