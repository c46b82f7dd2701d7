//! Options and settings that choose which files are taken: a value that is no closed form takes anything.

use countersign_core::policy::Effect;

use crate::house::{House, own, started, tried, tried_in_both, verdict};

/// A project with one source and one file of secrets.
fn house(name: &str) -> House {
    let house = House::new(name);
    std::fs::remove_dir_all(house.root.join("project")).unwrap();
    for (file, text) in [
        ("project/.git/HEAD", "ref: refs/heads/main"),
        ("project/.git/config", "[core]"),
        ("project/prod.env", "TOKEN=hunter2"),
        ("project/a.py", "TOKEN = 1\n"),
        ("project/a.ts", "TOKEN\n"),
    ] {
        house.put(file, text);
    }
    for folder in ["project/.git/objects", "project/.git/refs"] {
        std::fs::create_dir_all(house.root.join(folder)).unwrap();
    }
    house
}

#[test]
fn a_glob_that_ripgrep_takes_for_none_searches_everything() {
    let house = house("kinds-rg");
    tried_in_both(
        &house,
        &[
            "rg TOKEN",
            "rg -g '#x' TOKEN",
            "rg -g '' TOKEN",
            "rg -g ' ' TOKEN",
            "rg --glob '' TOKEN",
            "rg --glob= TOKEN",
            "rg -. -g '#x' TOKEN",
            // It is cut at its end.
            "rg -g '*env ' TOKEN",
            "rg -g $'*env\\t' TOKEN",
            "rg -g '\\#x' TOKEN",
            "rg -g '*.py' -g '*.env' TOKEN",
            "rg -tpy --type-add 'py:*.env' TOKEN",
            "rg -tall TOKEN",
            "rg -t all TOKEN",
            "rg -Tpy TOKEN",
            "rg -tpy -g '*.env' TOKEN",
        ],
        &[
            "rg -g '*.py' TOKEN",
            "rg -g '*.{py,ts}' TOKEN",
            "rg -g '*.py' -g '!a.py' TOKEN",
            "rg TOKEN -tpy",
            "rg -t py TOKEN",
            "rg --type=rust TOKEN",
            "rg --type ts -n TOKEN",
        ],
    );
}

#[test]
fn folders_that_grep_leaves_out_are_those_below_the_first() {
    let house = house("kinds-grep");
    tried_in_both(
        &house,
        &[
            "grep -r --exclude-dir='*' TOKEN",
            "grep -r --exclude-dir= TOKEN",
            "grep -r --exclude-dir=. TOKEN",
            "grep -r --exclude-dir='*' TOKEN .",
        ],
        &["grep -r --include='*.py' TOKEN", "grep -r --include='*.py' --exclude-dir=x TOKEN ."],
    );
}

#[test]
fn a_checker_takes_files_of_other_kinds_where_an_option_says_so() {
    let house = house("kinds-checkers");
    tried(
        &started(&house, "developer", "project"),
        &[
            "prettier --parser babel .",
            "prettier --parser=babel --check .",
            "isort --ext env .",
            "isort --ext=env -c --diff .",
            "isort --extension env .",
            "isort --supported-extension env .",
            "isort --supported-extensions env .",
            "isort --supported env .",
            "flake8 --filename '*' --show-source",
            "flake8 --filename '*.e?v' --show-source",
            "flake8 --filename= --show-source",
            "flake8 --filen '*.env'",
            "python -m flake8 --filename '*' --show-source",
            "eslint . --ext=env -f json",
            "eslint --ext env .",
            "eslint --ext .js,.env .",
            "eslint --ext '' .",
            "ruff check --extension env:python .",
            "ruff check --config $'line-length=88\\ncache-dir=\"/tmp/x\"'",
            "black --include '' .",
            "black --include '\\.env$' .",
            "black --include '\\.(py|env)$' .",
            "mocha --extension env",
            "phpunit --test-suffix .env .",
            "pytest --doctest-glob='*.env'",
            "eslint --fix --ignore-pattern '!node_modules/*' .",
            "eslint --ignore-pattern='!node_modules/*' .",
            "oxlint --ignore-pattern '!node_modules/*' .",
        ],
        &[
            "prettier --check .",
            "isort .",
            "isort --ext pyi .",
            "flake8 --filename '*.py'",
            "flake8 --filename='*.py,*.pyi'",
            "eslint . --ext .ts,.tsx",
            "eslint --ext js --ext vue .",
            "eslint . --ext=.js,.jsx,.ts,.tsx --max-warnings 0",
            "eslint --ignore-pattern 'dist/**' .",
            "ruff check --extension ipynb:python .",
            "black --include '\\.pyi?$' .",
            "mocha --extension ts",
            "pytest --doctest-glob='*.rst'",
        ],
    );
}

#[test]
fn a_deny_meets_what_a_parser_takes_in() {
    let house = house("kinds-deny");
    house.put("project/secret/k.py", "TOKEN = 1\n");
    let rules =
        r#"{"effect":"allow","commands":["prettier"]},{"effect":"deny","reads":["**/secret/**"]}"#;
    let policy = started(&house, &own(rules), "project");
    assert_ne!(verdict(&policy, "bash", "prettier --parser babel .").0, Effect::Allow);
}

#[test]
fn what_a_search_of_sources_finds_is_all_that_is_read() {
    let house = house("kinds-found");
    house.track(&["a.py", "prod.env"]);
    for name in ["read-only", "developer"] {
        tried(
            &started(&house, name, "project"),
            &[
                "find . -type f -name '*.env' -exec wc -l {} +",
                "find . -type f -name '*.py' -o -name '*.env' -exec wc -l {} +",
                "find . -type f ! -name '*.py' -exec cat {} +",
                "find . -type f -not -name '*.py' | xargs cat",
                "find . -type f -exec cat {} + -name '*.py'",
                "find . -type f -name '*.py' -exec echo {} \\; -o -exec cat {} \\;",
                "find . -type f -name '*.py' -exec true {} \\; , -exec cat {} \\;",
                "find . -type f -name '*' -exec cat {} +",
                "find . -type f -name '*.p*' -exec cat {} +",
                "find . -type f -iname '*.ENV' -exec cat {} +",
                "find . -type f \\( -name '*.py' -o -name '*.env' \\) | xargs cat",
                "find . -name '*.py' -type d -exec grep -r TOKEN {} +",
                "find . -type f -name '*.py' -exec cat {} prod.env \\;",
                "find . -type f -name '*.py' -exec wc --files0-from {} \\;",
                "find . -type f -name '*.py' -exec file -f {} \\;",
                "find . -type f -name '*.py' | xargs md5sum -c",
                "git ls-files '*.env' | xargs cat",
                "git ls-files '*' | xargs cat",
                "git ls-files | xargs cat",
                "git ls-files -o '*.py' | xargs cat",
                "git ls-files '*.py' '*.env' | xargs cat",
                "git ls-files ':!*.py' | xargs cat",
                "git ls-files '*.py' | xargs cat prod.env",
                // A repository of that name is a folder.
                "git ls-files '*.py' | xargs grep -r TOKEN",
                "git ls-files '*.py' | xargs grep --recursive TOKEN",
                "git ls-files '*.py' | xargs -d , cat",
            ],
            &[
                "find . -type f -name '*.py' -exec wc -l {} +",
                "find . -type f -name '*.py' -exec grep -n TOKEN {} \\;",
                "find . -maxdepth 2 -type f -name '*.py' -not -path './x/*' | xargs grep -n TOKEN",
                "find . -type f -name '*.py' | xargs wc -l",
                "find . -type f -name '*.py' -print0 | xargs -0 cat",
                "git ls-files '*.py' | xargs wc -l",
                "git ls-files -z '*.py' | xargs -0 grep -n TOKEN",
            ],
        );
    }
    let rules = r#"{"effect":"allow","commands":["find","wc","git"]},{"effect":"deny","reads":["**/a.py"]}"#;
    let denies = started(&house, &own(rules), "project");
    for line in
        ["find . -type f -name '*.py' -exec wc -l {} +", "git ls-files '*.py' | xargs wc -l"]
    {
        assert_eq!(verdict(&denies, "bash", line).0, Effect::Deny, "{line}");
    }
    std::os::unix::fs::symlink("prod.env", house.root.join("project/b.py")).unwrap();
    tried(
        &started(&house, "developer", "project"),
        &["git ls-files '*.py' | xargs cat", "find . -name '*.py' | xargs cat"],
        &[],
    );
}

#[test]
fn one_file_that_git_compares_is_that_file_as_long_as_it_is_there() {
    let house = house("kinds-diff");
    house.track(&["a.py", "prod.env", "src/b.py"]);
    house.put("project/src/b.py", "TOKEN\n");
    tried_in_both(
        &house,
        &[
            "git diff",
            "git diff prod.env",
            "git diff gone.py",
            "git diff HEAD",
            "git diff main a.py",
            "git diff main",
            "git diff ./",
            "git diff ../project/a.py",
            "git diff '*.py'",
            "git diff :a.py",
            "git diff \"$x\"",
            "git diff --full-diff a.py",
            "cd \"$x\" && git diff a.py",
            "cd src && git diff a.py",
            "./x; git diff a.py",
            "git -C src diff a.py",
            "GIT_WORK_TREE=x git diff a.py",
        ],
        &["git diff a.py", "git diff --stat a.py", "git diff --cached src/b.py"],
    );
    let policy = started(&house, "developer", "project");
    tried(&policy, &["mv a.py b.py; git diff a.py", "git switch -c x; git diff a.py"], &[]);
    let rules = r#"{"effect":"allow","commands":["git"]},{"effect":"deny","reads":["**/a.py"]}"#;
    let denies = started(&house, &own(rules), "project");
    assert_eq!(verdict(&denies, "bash", "git diff a.py").0, Effect::Deny);
    assert_eq!(verdict(&denies, "bash", "git diff src/b.py").0, Effect::Allow);
}
