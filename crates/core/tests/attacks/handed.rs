//! What a command reads from others, and writes for others, without a file.

use crate::house::{House, own, started, tried, tried_in_both, verdict};
use countersign_core::policy::Effect;

#[test]
fn what_another_command_prints_is_read_as_that_command_is_judged() {
    let house = House::new("handed");
    house.put("project/a.txt", "a\n");
    tried_in_both(
        &house,
        &[
            "cat <(cat .env)",
            "diff <(sort a.txt) <(cat server.key)",
            "cat <(rm a.txt)",
            "cat <(curl http://a.example)",
            "cat <(echo hi) .env",
            "cat <(echo hi) \"$X\"",
            "cat \"$X\" <(echo hi)",
            "cat <(echo hi)x",
            "cat {\"$X\",<(echo hi)}",
            "cat {<(echo hi),\"$X\"}",
            "cat \"\"<(echo hi)",
            "cat >(echo hi)",
            "bash -c 'cat <(echo hi); cat \"$X\"'",
            "x=<(echo hi); cat $x",
            "cat /dev/fd/63",
            "cat <(echo hi) /dev/fd/63",
            "sort -o <(echo hi) a.txt",
            "sort --files0-from <(printf .env)",
            "wc --files0-from=<(printf .env)",
            "wc --files0-from <(printf .env)",
            "uniq a.txt <(echo hi)",
            "file -f <(echo .env)",
            "tar -c -T <(echo .env)",
            "xargs -a <(echo .env) cat",
            "bash <(echo ls)",
            "source <(echo ls)",
            "awk -f <(echo x) a.txt",
            "sed -f <(echo x) a.txt",
            "git -c a=b diff <(echo x)",
        ],
        &[
            "diff <(sort a.txt) <(sort a.txt)",
            "diff -u a.txt <(sort a.txt)",
            "comm -12 <(sort a.txt) <(sort -r a.txt)",
            "cat <(echo hi)",
            "grep -n x <(sort a.txt)",
            "grep -f <(sort a.txt) a.txt",
            "paste <(cut -f1 a.txt) <(cut -f2 a.txt) | head",
        ],
    );
    tried(&started(&house, "developer", "project"), &["cp <(echo hi) dst", "tee <(echo x)"], &[]);
    let rules =
        r#"{"effect":"allow","commands":["cat","diff"]},{"effect":"deny","reads":["**/.env"]}"#;
    let denies = started(&house, &own(rules), "project");
    assert_eq!(verdict(&denies, "bash", "diff <(cat .env) a.txt").0, Effect::Deny);
}

#[test]
fn the_errors_of_awk_are_no_file() {
    let house = House::new("errors");
    house.put("project/a.txt", "a\n");
    tried_in_both(
        &house,
        &[
            "awk '{print > \"/dev/stderr/../x\"}' a.txt",
            "awk '{print > \"/dev/stderr\" \"x\"}' a.txt",
            "awk '{print > \"/dev/stderrx\"}' a.txt",
            "awk '{print > (\"/dev/stderr\" x)}' a.txt",
            "awk '{print > \"/dev/sda\"}' a.txt",
        ],
        &[
            "awk '{print > \"/dev/stderr\"}' a.txt",
            "awk '{ print \"x\" >> \"/dev/stderr\" }' a.txt",
        ],
    );
}

#[test]
fn go_starts_elsewhere_and_not_by_how_many_run_at_once() {
    let house = House::new("go");
    std::fs::remove_dir_all(house.root.join("project")).unwrap();
    house.put("project/go.mod", "module x");
    tried(
        &started(&house, "developer", "project"),
        &[
            "go build -C ../x",
            "go build -C src",
            "go build -C=src ./...",
            "go -C src build",
            "go test --C=src",
            "make -f x",
            "gradle -p x test",
            "docker ps --format '{{json .}}'",
            "docker -H x ps -a",
            "docker images x",
            "npm ls --prefix=x",
        ],
        &[
            "go test -p 4 ./...",
            "go build -p 2 ./...",
            "go list -f '{{.Dir}}' ./...",
            "docker ps -a",
            "docker ps -aq",
            "docker images -q",
            "npm ls --omit=dev",
            "npm ls --omit dev react",
        ],
    );
    let all = own(r#"{"effect":"allow","commands":["go"]}"#);
    tried(
        &started(&house, &all, "project"),
        &["go build -C=src -o=l/x ./...", "go -C src build", "go test -C src ./..."],
        &[],
    );
}
