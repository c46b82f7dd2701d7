//! What a proposal for a rule may stand on.

use crate::shell::{is_interpreter_or_launcher, subcommand_depth};

#[test]
fn names_that_are_too_broad() {
    for name in [
        "bash",
        "python",
        "python3",
        "python3.12",
        "/usr/bin/env",
        "sudo",
        "xargs",
        "git",
        "npm",
        "npx",
        "ssh",
        "docker",
        "eval",
        "cd",
        "curl",
        "make",
        "rm",
        "sed",
        "countersign",
    ] {
        assert!(is_interpreter_or_launcher(name), "{name}");
    }
    for name in ["ls", "cat", "grep", "rg", "jq", "wc", "eslint", "tsc", "pytest", "", "7", "x"] {
        assert!(!is_interpreter_or_launcher(name), "{name}");
    }
}

#[test]
fn the_words_that_say_what_a_command_does() {
    for (command, depth) in [
        ("ls -la", 1),
        ("ls src", 1),
        ("git status", 2),
        ("git -C x status", 1),
        ("git remote add o u", 3),
        ("git", 1),
        ("cargo test --all", 2),
        ("npm run test", 3),
        ("npm test", 2),
        ("npm run", 2),
        ("docker compose up -d", 3),
        ("docker ps", 2),
        ("aws s3 ls", 3),
        ("aws --profile x s3 ls", 1),
        ("gcloud compute instances list", 4),
        ("/usr/bin/git log", 2),
        ("python x.py", 1),
    ] {
        let argv: Vec<&str> = command.split(' ').collect();
        assert_eq!(subcommand_depth(&argv), depth, "{command}");
    }
    assert_eq!(subcommand_depth(&[]), 0);
}
