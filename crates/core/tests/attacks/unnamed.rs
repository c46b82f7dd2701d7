//! Files that a program reads though no word names them: all of a folder, a name with an ending, what a parameter says.

use std::os::unix::fs::symlink;

use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, tried_in_both, verdict};

/// A project with a secret.
fn house(name: &str) -> House {
    let house = House::new(name);
    house.put("project/prod.env", "PASSWORD=x");
    house.put("project/a.txt", "a");
    house
}

#[test]
fn rules_of_magic_are_all_that_is_in_a_folder() {
    let house = house("unnamed-magic");
    house.put("project/conf/prod.env", "PASSWORD=x");
    symlink("prod.env", house.root.join("project/m.mgc")).unwrap();
    std::fs::create_dir(house.root.join("project/c3")).unwrap();
    symlink("../prod.env", house.root.join("project/c3/zz")).unwrap();
    let lines = [
        "file -m conf a.txt",
        "file -m . a.txt",
        "file --magic-file=conf a.txt",
        "file -m a.txt:conf a.txt",
        "file -m m a.txt",
        "file -m c3 a.txt",
    ];
    tried_in_both(&house, &lines, &["file a.txt", "file -b --mime-type a.txt"]);
    let denies =
        own(r#"{"effect":"allow","commands":["file"]},{"effect":"deny","reads":["**/*.env"]}"#);
    tried(&started(&house, &denies, "project"), &lines, &["file a.txt"]);
}

#[test]
fn gzip_reads_a_file_with_an_ending_where_there_is_none_without() {
    let house = house("unnamed-endings");
    for name in ["k.gz", "k2.Z", "k3.z", "k4-gz", "k5-z", "k6_z"] {
        symlink("prod.env", house.root.join("project").join(name)).unwrap();
    }
    tried_in_both(
        &house,
        &[
            "zgrep . k",
            "zgrep P a.txt k",
            "zgrep -e P k",
            "zcat -f k",
            "zcat k2",
            "gunzip -cf k",
            "gzip -cdf k",
            "gzip -cdf k3",
            "gzip -cdf k4",
            "gzip -cdf k5",
            "gzip -cdf k6",
        ],
        &["zcat a.txt", "zgrep x a.log.gz", "gzip -l a.gz", "zcat logs/*.gz"],
    );
    let denies =
        own(r#"{"effect":"allow","commands":["zcat"]},{"effect":"deny","reads":["**/*.gz"]}"#);
    let policy = started(&house, &denies, "project");
    assert_eq!(verdict(&policy, "bash", "zcat backup").0, Effect::Deny);
}

#[test]
fn a_parameter_of_lspci_names_a_file() {
    let house = house("unnamed-lspci");
    tried_in_both(
        &house,
        &["lspci -A dump -O dump.name=prod.env -vvv", "lspci -F prod.env"],
        &["lspci -vvv"],
    );
}

#[test]
fn scripts_for_bzip2_and_programs_for_zip_read_a_file_with_their_ending() {
    let house = house("unnamed-scripts");
    for name in ["k.bz2", "k.bz2.bz2", "k.tgz.bz2", "k.tbz.gz"] {
        symlink("prod.env", house.root.join("project").join(name)).unwrap();
    }
    house.put("project/secrets/s.zip", "");
    for name in ["z.zip", "z.zip.zip", "z.tgz.zip"] {
        symlink("secrets/s.zip", house.root.join("project").join(name)).unwrap();
    }
    tried_in_both(
        &house,
        &[
            "bzgrep . k",
            "bzgrep P a.txt k",
            "bzegrep . ./k",
            "bzgrep . k.bz2",
            "bzgrep . k.tgz",
            "zgrep . k.tbz",
        ],
        &["bzgrep . a.txt"],
    );
    let denies = own(
        r#"{"effect":"allow","commands":["unzip","zipinfo"]},{"effect":"deny","reads":["secrets/**"]}"#,
    );
    let policy = started(&house, &denies, "project");
    // The names are those of links, and of files that are not there.
    let longer = ["unzip -p z.zip.zip", "unzip -p z.tgz", "zipinfo z.tgz"];
    let lines = ["unzip -p z", "unzip -l z", "unzip -v z", "zipinfo z", "unzip -Z z"];
    for line in lines.into_iter().chain(longer) {
        assert_eq!(verdict(&policy, "bash", line).0, Effect::Deny, "{line}");
    }
    tried(&policy, &[], &["unzip -l a.zip"]);
}

#[test]
fn what_a_search_hands_to_a_writer_is_looked_for_below() {
    let house = house("unnamed-handed");
    house.put("project/m/.git/hooks/pre-commit", "");
    house.put("project/m/.vscode/settings.json", "");
    house.put("project/conf/prod.env", "PASSWORD=x");
    house.put("project/plain/a.ts", "");
    let writers = ["tee {} +", "tee -a {} +", "touch {} +", "chmod +x {} +"];
    let lines: Vec<String> = ["m", "conf", ".", "m plain", "plain conf", "{m,plain}"]
        .iter()
        .flat_map(|folder| {
            writers.iter().map(move |run| format!("find {folder} -type f -exec {run}"))
        })
        .chain([
            "cat a.txt | find m -type f -exec tee {} +".to_owned(),
            "find m -name pre-commit -exec tee {} +".to_owned(),
            "find m -name '*.json' -exec tee {} +".to_owned(),
            "find m -type f -exec uniq a.txt {} \\;".to_owned(),
            "find m -type f -print0 | xargs -0 tee".to_owned(),
            "find m plain -type f -print0 | xargs -0 tee".to_owned(),
        ])
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    tried(
        &started(&house, "developer", "project"),
        &lines,
        &["find plain -type f -exec touch {} +"],
    );
    house.put("home/work/m/.git/hooks/pre-commit", "");
    house.put("home/work/plain/a.ts", "");
    tried(
        &started(&house, "developer", "home/work"),
        &["find ~/work/m -type f -exec tee {} +", "find ~/work/m plain -type f -exec touch {} +"],
        &["find plain -type f -exec touch {} +"],
    );
}
