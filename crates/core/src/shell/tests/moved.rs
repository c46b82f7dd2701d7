//! Links and folders that a line makes or moves before it goes on.

use super::super::DoubtReason;
use super::{all_known, never_allowed};

#[test]
fn no_path_is_certain_behind_what_makes_or_moves_links() {
    never_allowed(
        DoubtReason::Moved,
        &[
            "cp -s /out/victim x; echo PWNED > x",
            "cp -l /out/victim x; echo PWNED > x",
            "cp -P link x; echo PWNED > x",
            "cp -a d e; cat e/l",
            "cp -r d e && cat e/l",
            "cp --symbolic-link /out/victim x; echo PWNED > x",
            "cp $o a b; cat b/l",
            "ln -s /out x; cat x/y",
            "mv d e; echo PWNED > e/l",
            "mv d e; cat e/keys/id_rsa",
            "mv d e; cd e; cat l",
            "mv d e && tee e/l",
            "mv d e; cat /project/e/l",
            "sh -c 'mv d e'; cat e/l",
            "env mv d e; cat e/l",
            "find . -name d -exec mv {} e \\; ; cat e/l",
            "ls | xargs mv; cat e/l",
            "mv d e | cat e/l",
            "cat e/l | mv d e",
            "cat e/l & mv d e",
            "{ sleep 1; cat e/l; } & mv d e",
            "while a; do cat e/l; mv d e; done",
            "for i in a b; do cat e/l; mv d e; done",
            "if a; then mv d e; fi; cat e/l",
            "f=$(mv d e); cat e/l",
            "(mv d e); cat e/l",
            "git switch other && echo x > link/f",
            "git checkout other; cat link/f",
            "git stash pop && cat link/f",
            "git -C . reset --hard other; cat link/f",
            "git pull; cat link/f",
            "git clone x y; cat y/link",
            "tar xf a.tar; cat link/f",
            "tar -xzf a.tar; cat link/f",
            "unzip a.zip; cat link/f",
            "rsync -a a/ b; cat b/l",
            "npm install && cat link/f",
            "git checkout other; grep -R x .",
        ],
    );
    all_known(&[
        "mv a b",
        "mv a b; ls",
        "mv a b 2>/dev/null; echo done",
        "cat a; mv b c",
        "cp a b; cat b",
        "cp -f a b && cat b",
        "mkdir -p a && cat a/b",
        "git add a && cat b",
        "git stash list; cat b",
        "git reset a; cat b",
        "git checkout -b new; cat b",
        "tar tf a.tar; cat b",
        "unzip -l a.zip; cat b",
    ]);
}
