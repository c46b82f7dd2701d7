//! What the policies say against one kind of access.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::folder::{OpenFolder, SeenEntry};
use crate::call::Json;
use crate::path::{FileLookup, PathSet, is_below, sample_names};
use crate::policy::Effect;
use crate::policy::compile::{Policy, RulePatterns};
use crate::policy::confined::ConfinedWrites;
use crate::policy::judge::{ActionVerdict, JudgedCall, judge_opened};
use crate::policy::protected::PathNames;
use crate::policy::verdict::VerdictCause;
use crate::shell::FileAccess;

/// A name as a command can make it up: no pattern means this alone. What is not said of it need not be compared.
const NEW_FILE: &str = "\u{f8ff}q7Zk\u{f8ff}";

/// What is said of the files that a command could make in a folder.
pub(super) enum NewFiles {
    /// They are out of reach.
    Sealed,
    /// A rule takes all of them out again.
    LeftOut,
    /// Neither.
    Open,
}

/// What is out of reach for one access.
pub(super) struct SealedAccess<'a> {
    policy: &'a Policy,
    access: FileAccess,
    tool_name: &'a str,
    levels: &'a [Option<ConfinedWrites>],
    names: PathNames<'a>,
    real_names: PathNames<'a>,
    /// The paths of rules that deny, or ask.
    pub(super) against: Vec<&'a RulePatterns>,
    /// What stands for all names that a command can make up.
    new_names: OnceCell<Vec<String>>,
    files: &'a dyn FileLookup,
}

impl<'a> SealedAccess<'a> {
    pub(super) fn new(
        policy: &'a Policy, access: FileAccess, tool_name: &'a str,
        levels: &'a [Option<ConfinedWrites>], projects: &'a [String], files: &'a dyn FileLookup,
    ) -> Self {
        let rules = (0..).map_while(|rule| policy.rule(rule));
        let against = rules
            .filter(|rule| rule.effect != Effect::Allow)
            .filter_map(|rule| rule.paths(access))
            .collect();
        let names = || PathNames::new(access, projects);
        let (names, real_names) = (names(), names());
        let new_names = OnceCell::new();
        Self { policy, access, tool_name, levels, names, real_names, against, new_names, files }
    }

    /// Whether this file is protected, or some rule speaks against it, and the policies do not allow it all the same.
    pub(super) fn is_sealed(&self, entry: &SeenEntry) -> bool {
        (self.is_protected(entry) || self.is_spoken_against(entry))
            && !self.levels.iter().all(|level| self.is_allowed(entry, *level))
    }

    pub(super) fn new_files(&self, folder: &OpenFolder) -> NewFiles {
        let real = folder.real.as_ref().unwrap_or(&folder.path);
        let is_meant = |file: &SeenEntry| self.is_protected(file) || self.is_taken_in(file);
        let any = folder.fresh(NEW_FILE);
        let is_closed = is_meant(&any) && {
            // Mostly one pattern takes all names in, and nothing leaves this one out: no other name is needed.
            let mut globs = self.against.iter().flat_map(|paths| paths.set.globs());
            let mut fresh = vec![any];
            let takes_all = globs.any(|glob| glob.takes_all_below(real));
            if !takes_all || !fresh.iter().any(|file| self.is_sealed(file)) || folder.is_top {
                fresh.extend(self.new_names().iter().map(|name| folder.fresh(name)));
            }
            // What is left out for some names only leaves no folder open: the command makes up the name.
            let is_closed =
                fresh.iter().all(is_meant) && fresh.iter().any(|file| self.is_sealed(file));
            // A place to write was given by one who may be asked.
            if is_closed && folder.is_top && !fresh.iter().any(|file| self.is_denied(file)) {
                return NewFiles::Open;
            }
            is_closed
        };
        if is_closed {
            return NewFiles::Sealed;
        }
        if self.against.iter().any(|paths| paths.set.takes_out_all_below(real)) {
            NewFiles::LeftOut
        } else {
            NewFiles::Open
        }
    }

    fn new_names(&self) -> &[String] {
        self.new_names.get_or_init(|| {
            let rules = (0..).map_while(|rule| self.policy.rule(rule));
            let sets = rules.filter_map(|rule| rule.paths(self.access)).map(|paths| &paths.set);
            sample_names(sets)
        })
    }

    /// Whether a rule speaks against this file, but for what it leaves out. Not to know counts as yes.
    fn is_taken_in(&self, entry: &SeenEntry) -> bool {
        let Some(path) = entry.located(self.files) else { return true };
        let mut globs = self.against.iter().flat_map(|paths| paths.set.globs());
        globs.any(|glob| glob.touches(path, self.files).unwrap_or(true))
    }

    /// The folders in these places in which a rule spells out that something is not to be, as its patterns name them.
    pub(super) fn named_folders(&self, places: &[String]) -> BTreeSet<String> {
        let folders = self.against.iter().flat_map(|paths| paths.set.named_folders());
        within(folders, places)
    }

    /// The same of what a rule takes out again.
    pub(super) fn left_out_folders(&self, places: &[String]) -> BTreeSet<String> {
        let folders = self.against.iter().flat_map(|paths| paths.set.left_out_folders());
        within(folders, places)
    }

    fn is_protected(&self, entry: &SeenEntry) -> bool {
        let is_real = |real: &String| self.real_names.protection(real).is_some();
        !entry.by_rules
            && (self.names.protection(&entry.path).is_some()
                || entry.real.as_ref().is_some_and(is_real))
    }

    fn is_spoken_against(&self, entry: &SeenEntry) -> bool {
        if self.against.is_empty() {
            return false;
        }
        let Some(path) = entry.located(self.files) else { return true };
        // Not to know counts as yes; the verdict says.
        let touches = |set: &PathSet| set.touches(path, self.files).unwrap_or(true);
        // Of a folder with exceptions each name is looked at. What is to be written there has no name yet.
        let is_parted = |set: &PathSet| {
            self.access == FileAccess::Read
                && entry.is_dir
                && !entry.is_link
                && set.takes_out_below(path, self.files).unwrap_or(false)
        };
        // What it leads to is looked at there.
        let is_left_out = |set: &PathSet| {
            entry.leads_inside && set.leads_to_left_out(path, self.files).unwrap_or(false)
        };
        let is_meant = |set: &PathSet| touches(set) && !is_parted(set) && !is_left_out(set);
        self.against.iter().any(|paths| is_meant(&paths.set))
    }

    /// Whether a rule speaks against anything in this folder.
    pub(super) fn speaks_below(&self, entry: &SeenEntry) -> bool {
        if self.against.is_empty() {
            return false;
        }
        let Some(path) = entry.located(self.files) else { return true };
        self.against.iter().any(|paths| paths.set.touches_below(path, self.files).unwrap_or(true))
    }

    /// Whether a rule that speaks against some path has this name in it.
    pub(super) fn is_spelled_out(&self, name: &str) -> bool {
        self.against.iter().any(|paths| paths.set.names(&|spelled| spelled == name))
    }

    fn is_allowed(&self, entry: &SeenEntry, level: Option<ConfinedWrites>) -> bool {
        self.says(entry, level).is_some_and(|says| {
            let is_own = entry.by_rules && matches!(says.cause, VerdictCause::Protected(_));
            says.effect == Effect::Allow || is_own
        })
    }

    /// Not to know counts as yes.
    fn is_denied(&self, entry: &SeenEntry) -> bool {
        let is_denied = |says: ActionVerdict| says.effect == Effect::Deny;
        self.levels.iter().any(|level| self.says(entry, *level).is_none_or(is_denied))
    }

    fn says(&self, entry: &SeenEntry, level: Option<ConfinedWrites>) -> Option<ActionVerdict> {
        let args = Json::Object(BTreeMap::new());
        let call = JudgedCall {
            other_names: &[],
            tool_name: self.tool_name,
            args: &args,
            cwd: None,
            annotations: &BTreeMap::new(),
            conditions: &[],
            confined: None,
        };
        judge_opened(self.policy, &call, level, (&entry.path, self.access), self.files).ok()
    }
}

fn within<'a>(folders: impl Iterator<Item = &'a str>, places: &[String]) -> BTreeSet<String> {
    folders
        .filter(|folder| places.iter().any(|place| is_below(folder, place)))
        .map(str::to_owned)
        .collect()
}
