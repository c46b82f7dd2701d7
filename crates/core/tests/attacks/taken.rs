//! Files that git takes out of a tree under other names: what a rule denies is there under a name that no rule knows.

use crate::house::{House, own, started, tried};

#[test]
fn a_folder_of_a_commit_is_no_source_of_files_for_who_may_not_read_it() {
    let house = House::without_links("taken");
    house.put("project/secrets/s.txt", "SECRET");
    house.track(&["secrets/s.txt", "src/lib.rs"]);
    let rules = r#"{"effect":"allow","commands":["git"],"writes":["${project}/**"]},{"effect":"deny","reads":["**/secrets/**"]}"#;
    let policy = started(&house, &own(rules), "project");
    tried(
        &policy,
        &[
            "git checkout HEAD:secrets -- s.txt",
            "git checkout HEAD:secrets s.txt",
            "git checkout \"HEAD:secrets\" -- s.txt",
            "git checkout 9f592eb7d58c -- s.txt",
            "git checkout 9f592eb7d58c s.txt",
            "git checkout \"$T\" -- s.txt",
            "git checkout sometag -- s.txt",
            "git restore --source=HEAD:secrets -- s.txt",
            "git restore --source HEAD:secrets s.txt",
            "git restore -sHEAD:secrets s.txt",
            "git restore -SW -s HEAD:secrets s.txt",
            "git restore --sour=9f592eb7d58c s.txt",
            "git reset HEAD:secrets -- s.txt",
            "git reset 9f592eb7d58c s.txt",
            "git read-tree HEAD:secrets",
            "git checkout-index -a --prefix=x/y_",
            "git checkout-index --all --prefix=x/y_",
            "git checkout-index --prefix=x/y_ secrets/s.txt",
        ],
        &[
            "git checkout -- src/lib.rs",
            "git checkout HEAD -- src/lib.rs",
            "git checkout HEAD~2 -- src/lib.rs",
            "git checkout @^ -- src/lib.rs",
            "git restore src/lib.rs",
            "git restore --staged src/lib.rs",
            "git restore --source=HEAD~1 -- src/lib.rs",
            "git restore -s HEAD src/lib.rs",
            "git reset HEAD -- src/lib.rs",
            "git reset src/lib.rs",
        ],
    );
}
