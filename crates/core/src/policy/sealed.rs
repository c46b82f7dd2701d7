//! Which files below a folder are out of reach for a command that runs unasked: those that a policy would ask about, or deny, if
//! a call named them. What runs such a command holds it to that.

use std::collections::{BTreeMap, VecDeque};

use super::Effect;
use super::compile::{Policy, RulePatterns};
use super::judge::{JudgedCall, judge};
use super::protected::PathNames;
use super::run_by_git::{GIT, GitLook, run_by_git};
use crate::call::Json;
use crate::path::{DirEntry, DirListing, FileLookup, PathContext, lexically};
use crate::shell::FileAccess;

/// How many names are looked at, and how many files are sealed at most.
const MOST_NAMES: usize = 100_000;
const MOST_SEALED: usize = 1_000;
/// How many folders may remain that could not be listed; where there are more, all counts as not looked at.
const MOST_UNLISTED: usize = 100;

/// How long the path of a folder may be, in bytes: with a name in it, systems take 4,096 (`PATH_MAX`). What lies deeper can be reached
/// step by step, and not be hidden.
const MOST_PATH: usize = 3_800;

/// Where nothing of the user's own lies.
const PACKAGES: &str = "node_modules";

/// What a command that runs unasked must not reach. Paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealedFiles {
    /// Neither read nor changed.
    pub hidden: Vec<String>,
    /// Not changed.
    pub kept: Vec<String>,
    /// Not made: they are not there.
    pub absent: Vec<String>,
    /// Each `.git` that is there, symlinks too, with what it has of submodules and worktrees: a new one git would obey.
    pub repositories: Vec<String>,
    /// Where they keep what was committed, if that is not below one of them.
    pub stores: Vec<String>,
    /// Whether what was committed may be elsewhere all the same.
    pub unheld: bool,
    /// Whether these are all.
    pub complete: bool,
    /// Where they are not all for these folders alone: they could not be listed.
    pub unlisted: Vec<String>,
}

/// Looks for them below a project, and below more folders, for a user with these homes. What lies in packages, and behind symlinks, is
/// passed over. Blocks.
pub fn sealed(
    policy: &Policy, root: &str, more: &[String], homes: &[String], files: &dyn FileLookup,
) -> SealedFiles {
    let root = root.trim_end_matches('/');
    let more = more.iter().map(|folder| folder.trim_end_matches('/'));
    let places: Vec<String> =
        std::iter::once(root).chain(more.clone()).map(str::to_owned).collect();
    let git_look = GitLook { places: &places, homes, files };
    let mut is_cut = false;
    let mut found = SealedFiles::default();
    let projects = [root.to_owned()];
    let look = |access| SealedAccess::new(policy, access, &projects, files);
    let (reads, writes) = (look(FileAccess::Read), look(FileAccess::Write));
    let mut left = MOST_NAMES;
    // Each with whether all below it is kept already.
    let mut folders: VecDeque<_> =
        std::iter::once(root).chain(more).map(|folder| (folder.to_owned(), false)).collect();
    while let Some((folder, in_kept)) = folders.pop_front() {
        let listing = if folder.len() > MOST_PATH {
            DirListing::Unknown
        } else {
            files.list(if folder.is_empty() { "/" } else { &folder }, left)
        };
        let names = match listing {
            DirListing::Names(names) => names,
            // It cannot be entered, until its mode is changed: it is hidden with all that is in it.
            DirListing::TooMany
                if folder != root && files.has(&format!("{folder}/{GIT}")).is_err() =>
            {
                found.hidden.push(folder);
                continue;
            }
            DirListing::Unknown | DirListing::TooMany => {
                found.unlisted.push(folder);
                is_cut = found.unlisted.len() > MOST_UNLISTED;
                if is_cut {
                    break;
                }
                continue;
            }
        };
        left = left.saturating_sub(names.len());
        for DirEntry { name, is_link, is_dir } in names {
            let path = format!("{folder}/{name}");
            if name == GIT {
                let git = run_by_git(&folder, &git_look);
                found.kept.extend(git.kept);
                found.absent.extend(git.absent);
                found.repositories.extend(git.repositories);
                found.stores.extend(git.stores);
                found.unheld |= git.unheld;
                is_cut |= git.incomplete;
                continue;
            }
            if is_link || name == PACKAGES {
                continue;
            }
            if reads.is_sealed(&path) {
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
            is_cut = true;
            break;
        }
    }
    found.complete = !is_cut && found.unlisted.is_empty();
    if is_cut {
        found.unlisted.clear();
    }
    found
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
            other_names: &[],
            tool_name,
            args: &args,
            cwd: None,
            annotations: &BTreeMap::new(),
            conditions: &[],
            confined: None,
        };
        judge(self.policy, &call, self.files).is_ok_and(|verdict| verdict.effect == Effect::Allow)
    }
}
