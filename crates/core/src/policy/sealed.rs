//! Which files below a folder are out of reach for a command that nobody was asked about: those that a policy would ask about, or
//! deny, if a call named them. What runs such a command holds it to that.

use std::collections::{BTreeMap, VecDeque};

use super::Effect;
use super::compile::{Policy, RulePatterns};
use super::judge::{JudgedCall, judge};
use super::protected::PathNames;
use crate::call::Json;
use crate::path::{DirEntry, DirListing, FileLookup, PathContext, lexically};
use crate::shell::FileAccess;

/// How many names are looked at, and how many files are sealed at most.
const MOST_NAMES: usize = 100_000;
const MOST_SEALED: usize = 1_000;

/// Where nothing of the user's own lies.
const PACKAGES: &str = "node_modules";
const GIT: &str = ".git";
/// What git runs, or is told to run, of what stands in its own folder.
const RUN_BY_GIT: &[&str] = &["hooks", "config", "config.worktree", "info/attributes"];

/// What a command that nobody was asked about must not reach. Paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealedFiles {
    /// Neither read nor changed.
    pub hidden: Vec<String>,
    /// Not changed.
    pub kept: Vec<String>,
    /// Whether these are all.
    pub complete: bool,
}

/// Looks for them below a folder. What lies in packages, and behind symlinks, is passed over. Blocks.
pub fn sealed(policy: &Policy, root: &str, files: &dyn FileLookup) -> SealedFiles {
    let root = root.trim_end_matches('/');
    let mut found = SealedFiles { complete: true, ..SealedFiles::default() };
    let projects = [root.to_owned()];
    let look = |access| SealedAccess::new(policy, access, &projects, files);
    let (reads, writes) = (look(FileAccess::Read), look(FileAccess::Write));
    let mut left = MOST_NAMES;
    // Each with whether all below it is kept already.
    let mut folders = VecDeque::from([(root.to_owned(), false)]);
    while let Some((folder, in_kept)) = folders.pop_front() {
        let names = match files.list(if folder.is_empty() { "/" } else { &folder }, left) {
            DirListing::Names(names) => names,
            // Nobody gets into it, until somebody changes its mode: it is hidden with all that is in it.
            DirListing::TooMany
                if folder != root && files.has(&format!("{folder}/{GIT}")).is_err() =>
            {
                found.hidden.push(folder);
                continue;
            }
            DirListing::Unknown | DirListing::TooMany => {
                found.complete = false;
                continue;
            }
        };
        left = left.saturating_sub(names.len());
        for DirEntry { name, is_link, is_dir } in names {
            let path = format!("{folder}/{name}");
            if is_link || name == PACKAGES {
                continue;
            }
            if name == GIT {
                found.keep_git(&path, is_dir, files);
            } else if reads.is_sealed(&path) {
                found.hidden.push(path);
            } else {
                let is_kept = in_kept || writes.is_sealed(&path);
                if is_kept && !in_kept {
                    found.kept.push(path.clone());
                }
                // What is not to be read may lie further down.
                if is_dir {
                    folders.push_back((path, is_kept));
                }
            }
        }
        if found.hidden.len() + found.kept.len() > MOST_SEALED {
            found.complete = false;
            break;
        }
    }
    found
}

impl SealedFiles {
    /// A repository works in its own folder; what it would run from there stays as it is.
    fn keep_git(&mut self, git: &str, is_dir: bool, files: &dyn FileLookup) {
        if !is_dir {
            // It names the folder.
            self.kept.push(git.to_owned());
            return;
        }
        let mut own = vec![git.to_owned()];
        for more in ["modules", "worktrees"] {
            if let DirListing::Names(names) = files.list(&format!("{git}/{more}"), MOST_SEALED) {
                own.extend(
                    names.iter().map(|DirEntry { name, .. }| format!("{git}/{more}/{name}")),
                );
            }
        }
        for folder in own {
            let run = RUN_BY_GIT.iter().map(|name| format!("{folder}/{name}"));
            self.kept.extend(run.filter(|path| files.has(path) == Ok(true)));
        }
    }
}

/// What is out of reach for one access.
struct SealedAccess<'a> {
    policy: &'a Policy,
    access: FileAccess,
    names: PathNames<'a>,
    /// The paths of rules that deny, or ask.
    against: Vec<&'a RulePatterns>,
    files: &'a dyn FileLookup,
}

impl<'a> SealedAccess<'a> {
    fn new(
        policy: &'a Policy, access: FileAccess, projects: &'a [String], files: &'a dyn FileLookup,
    ) -> Self {
        let rules = (0..).map_while(|rule| policy.rule(rule));
        let against = rules
            .filter(|rule| rule.effect != Effect::Allow)
            .filter_map(|rule| rule.paths(access))
            .collect();
        Self { policy, access, names: PathNames::new(access, projects), against, files }
    }

    /// Whether this path is protected, or some rule speaks against it, and the policies do not allow it all the same.
    fn is_sealed(&self, path: &str) -> bool {
        let is_protected = self.names.protection(path).is_some();
        (is_protected || self.is_spoken_against(path)) && !self.is_allowed(path)
    }

    fn is_spoken_against(&self, path: &str) -> bool {
        if self.against.is_empty() {
            return false;
        }
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        // Not to know counts as yes; the verdict says.
        let Ok(path) = lexically(path, &from) else { return true };
        self.against.iter().any(|paths| paths.set.touches(&path, self.files).unwrap_or(true))
    }

    fn is_allowed(&self, path: &str) -> bool {
        let tool_name = match self.access {
            FileAccess::Read => "read_file",
            FileAccess::Write => "edit_file",
        };
        let text = Json::String(path.to_owned());
        let args = Json::Object(BTreeMap::from([("file_path".to_owned(), text)]));
        let call = JudgedCall {
            tool_name,
            args: &args,
            cwd: None,
            annotations: &BTreeMap::new(),
            conditions: &[],
        };
        judge(self.policy, &call, self.files).is_ok_and(|verdict| verdict.effect == Effect::Allow)
    }
}
