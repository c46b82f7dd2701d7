//! Files that a program reads though no word names them: all of a folder, a name with an ending, what a parameter says.

use std::os::unix::fs::symlink;

use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, verdict};

/// A project with a secret.
fn house(name: &str) -> House {
    let house = House::new(name);
    house.put("project/prod.env", "PASSWORD=x");
    house.put("project/a.txt", "a");
    house
}

fn tried_in_both(house: &House, asked: &[&str], allowed: &[&str]) {
    for name in ["read-only", "developer"] {
        tried(&started(house, name, "project"), asked, allowed);
    }
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
