//! git, as tests run it.

use std::process::Command;

/// Without what a hook of git that runs the tests says of its own repository.
pub(crate) fn git() -> Command {
    let mut git = Command::new("git");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            git.env_remove(name);
        }
    }
    git
}
