//! `-` is the name of a file, wherever a program may take it for one: somebody else may have put a symlink there.

use super::*;

const DENIES: &str = r#"
[[rule]]
effect = "allow"
commands = ["sort", "shuf", "git log", "git diff", "xxd", "echo", "cat", "tee", "curl", "tar", "pytest", "npm", "go", "mypy", "rev"]
[[rule]]
effect = "allow"
urls = ["https://a.example/**"]
[[rule]]
effect = "deny"
writes = ["/**"]
[[rule]]
effect = "deny"
reads = ["secret/**", "./-"]
"#;

#[test]
fn what_writes_a_dash_writes_a_file_and_what_reads_it_reads_one() {
    runs(
        DENIES,
        &[
            ("deny", "sort a -o -"),
            ("deny", "sort -o- a"),
            ("deny", "sort --output=- a"),
            ("deny", "shuf -o - a"),
            ("deny", "git log --output=-"),
            ("deny", "git diff --output=-"),
            ("deny", "echo x | tee -"),
            ("deny", "echo x > -"),
            ("deny", "rev -"),
            ("deny", "cat -"),
            ("allow", "curl -o - https://a.example/x"),
            ("allow", "sort a"),
        ],
    );
}

#[test]
fn a_value_behind_an_equals_sign_is_the_next_word_to_xxd() {
    runs(
        DENIES,
        &[
            ("allow", "xxd -seek 0 a"),
            ("deny", "xxd a b"),
            ("ask", "xxd -seek=0 -seek a"),
            ("ask", "xxd -r -p -seek=0 -seek - out"),
            ("ask", "xxd -len=0 -len a"),
            ("ask", "xxd --seek=0 --seek a"),
        ],
    );
}

#[test]
fn what_runs_a_project_reads_what_its_words_name() {
    runs(
        DENIES,
        &[
            ("allow", "pytest tests/test_a.py"),
            ("deny", "pytest secret/test_a.py"),
            ("deny", "mypy --pretty secret/a.py"),
            ("deny", "go run secret/s.go"),
            ("deny", "go vet ./secret/x"),
            ("deny", "npm pack file:secret/x"),
        ],
    );
}
