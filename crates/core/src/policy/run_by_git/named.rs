//! What git's settings name: folders of hooks, and more settings.

use super::Finding;
use crate::path::GIT_SETTINGS_OF_MACHINE;
use crate::policy::git::values_of;
use crate::policy::reading::repository::common_dir;

/// The longest settings that are read, in bytes, and the most files that name each other.
pub(super) const LONGEST: usize = 256 << 10;
const MOST_FILES: usize = 64;

/// What git calls the programs that it runs by itself.
pub(super) const HOOKS: &[&str] = &[
    "applypatch-msg",
    "pre-applypatch",
    "post-applypatch",
    "pre-commit",
    "pre-merge-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-rebase",
    "post-checkout",
    "post-merge",
    "pre-push",
    "pre-receive",
    "update",
    "proc-receive",
    "post-receive",
    "post-update",
    "reference-transaction",
    "push-to-checkout",
    "pre-auto-gc",
    "post-rewrite",
    "sendemail-validate",
    "fsmonitor-watchman",
    "post-index-change",
    "p4-changelist",
    "p4-prepare-changelist",
    "p4-post-changelist",
    "p4-pre-submit",
];

impl Finding<'_> {
    /// All that the settings name which count for this repository, whose files lie in `git` and whose work tree in `top`: its own,
    /// those of the user and those of the machine.
    pub(super) fn add_named(&mut self, git: &str, top: &str) {
        let common = common_dir(git, self.look.files);
        let own = [format!("{common}/config"), format!("{git}/config.worktree")];
        let mut tops = vec![top.to_owned()];
        for file in &own {
            let trees = self.text(file).map(|text| self.paths(&text, "worktree", git));
            tops.extend(trees.unwrap_or_default());
        }
        let mut left: Vec<String> =
            GIT_SETTINGS_OF_MACHINE.iter().map(|file| (*file).to_owned()).collect();
        for home in self.look.homes {
            left.extend([format!("{home}/.gitconfig"), format!("{home}/.config/git/config")]);
        }
        left.extend(own);
        let mut looked = 0;
        while let Some(file) = left.pop() {
            looked += 1;
            if looked > MOST_FILES {
                return self.found.incomplete = true;
            }
            self.keep(&file);
            let Some(text) = self.text(&file) else { continue };
            for top in &tops {
                for hooks in self.paths(&text, "hookspath", top) {
                    self.keep_hooks(&hooks);
                    // The hooks that husky makes run those of the same name in the folder above.
                    if let Some(above) = hooks.strip_suffix("/_") {
                        self.keep_each_hook(above);
                    }
                }
                for templates in self.paths(&text, "templatedir", top) {
                    self.keep(&templates);
                }
            }
            if text.to_ascii_lowercase().contains("[include") {
                let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
                left.extend(self.paths(&text, "path", folder));
            }
        }
    }

    /// Settings that are there.
    fn text(&mut self, file: &str) -> Option<String> {
        let bytes = self.look.files.bytes(file, LONGEST);
        if bytes.is_none() && self.is_there(&self.located(file).1) {
            self.found.incomplete = true;
        }
        // What is no text in them stands in no path of ours.
        bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The paths that settings say of this key. What git would not read it does not obey either.
    fn paths(&mut self, text: &str, key: &str, from: &str) -> Vec<String> {
        let mut paths = Vec::new();
        for value in values_of(text, key).into_iter().flatten() {
            let value = value.strip_prefix(":(optional)").unwrap_or(&value);
            let value = if value.len() > 1 { value.trim_end_matches('/') } else { value };
            match value.strip_prefix('~') {
                None if value.is_empty() => {}
                // Where git itself is, and what leads out of there. What else may stand so is not known.
                None if value.starts_with("%(") => self.found.incomplete = true,
                None if value.starts_with('/') => paths.push(value.to_owned()),
                None => paths.push(format!("{from}/{value}")),
                Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                    paths.extend(self.look.homes.iter().map(|home| format!("{home}{rest}")));
                }
                // The home of somebody by their name.
                Some(_) => self.found.incomplete = true,
            }
        }
        paths
    }
}
