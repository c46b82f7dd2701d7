//! Which files below a folder are out of reach for a command that runs unasked: those that a policy would ask about, or deny, if
//! the command's line named them. What runs such a command holds it to that.

use std::collections::{BTreeSet, VecDeque};
use std::path::PathBuf;

mod access;
mod folder;

use self::access::{NewFiles, SealedAccess};
use self::folder::{FolderKind, OpenFolder, SeenEntry};
use super::compile::Policy;
use super::confined::{ConfinedRun, ConfinedWrites};
use super::ledgers::{FolderLedgers, PassedFolders, other_names};
use super::run_by_git::{GIT, GitLook, run_by_git};
use crate::path::{
    DirListing, FileLookup, LocatedPath, NameBudget, PatternsBelow, garbled, is_below,
};
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
/// Where git keeps contents, under names that say nothing.
const OBJECTS: &str = "objects";

/// The call whose command opens the files.
#[derive(Debug, Clone, Copy)]
pub struct FileOpener<'a> {
    /// Its tool: rules may speak of that one alone.
    pub tool_name: &'a str,
    /// What the command is held to, where its verdict rests on that.
    pub held: Option<ConfinedWrites>,
    /// How it runs confined.
    pub run: Option<&'a ConfinedRun>,
}

/// Where files are looked for, and for which command. Paths are absolute.
#[derive(Debug, Clone, Copy)]
pub struct SealedLook<'a> {
    /// The project.
    pub root: &'a str,
    /// More folders.
    pub more: &'a [String],
    /// The homes of the user.
    pub homes: &'a [String],
    /// The command.
    pub opener: FileOpener<'a>,
}

/// What a command that runs unasked must not reach. Paths are absolute.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SealedFiles {
    /// Neither read nor changed.
    pub hidden: Vec<String>,
    /// Not changed.
    pub kept: Vec<String>,
    /// Folders in what is kept that can be changed all the same: a rule leaves them out.
    pub opened: Vec<String>,
    /// Not made: they are not there.
    pub absent: Vec<String>,
    /// Each `.git` that is there, symlinks too, with what it has of submodules and worktrees: a new one git would obey.
    pub repositories: Vec<String>,
    /// Where they keep what was committed, if that is not below one of them.
    pub stores: Vec<String>,
    /// Whether what was committed may be elsewhere all the same.
    pub unheld: bool,
    /// Whether all names were looked at.
    pub complete: bool,
    /// Where they are not all for these folders alone: they could not be listed.
    pub unlisted: Vec<String>,
    /// Out of reach, and not kept from anybody: a part of the name is no text (U+FFFD here).
    pub unnamed: Vec<String>,
}

/// The folders that are gone through by the name of a symlink.
struct LinkedFolders<'a> {
    /// Rules that deny, or ask, for each access.
    accesses: [&'a SealedAccess<'a>; 2],
    /// What is looked through by its own name.
    places: Vec<String>,
    /// Where each lies, with where the patterns stand there: twice would tell nothing new.
    entered: BTreeSet<(String, Vec<PatternsBelow>)>,
}

impl SeenEntry {
    /// What is in it, by its own name; `None`: nothing is looked at.
    fn inside(
        self, is_kept: bool, (above, links): (FolderKind, &mut LinkedFolders<'_>),
        files: &dyn FileLookup,
    ) -> Option<OpenFolder> {
        if (self.is_link || above == FolderKind::Linked && self.is_dir) && !self.by_rules {
            // By their real names they are judged where they lie.
            let place = self.located(files)?.clone();
            let is_new = links.enters(&place, self.is_link, files);
            let Self { path, place: raw, is_link, .. } = self;
            return is_new.then_some(OpenFolder {
                path,
                real: Some(place.real),
                place: raw,
                kind: FolderKind::Linked,
                is_kept: is_kept && !is_link,
                is_top: false,
            });
        }
        let Self { path, real, place, name, is_link, is_dir, by_rules, .. } = self;
        let is_told = !(by_rules && name == OBJECTS) || links.is_spelled_out(OBJECTS);
        let kind = if by_rules { FolderKind::Git } else { FolderKind::Plain };
        let is_top = false;
        (is_dir && !is_link && is_told).then_some(OpenFolder {
            path,
            real,
            place,
            kind,
            is_kept,
            is_top,
        })
    }
}

impl LinkedFolders<'_> {
    /// Whether what lies there has to be looked at by this name: rules mean it by that, and not by its own, and it was not looked
    /// at for them.
    fn enters(&mut self, place: &LocatedPath, is_link: bool, files: &dyn FileLookup) -> bool {
        let below = |dir: &str| -> Vec<PatternsBelow> {
            let patterns = self.accesses.iter().flat_map(|access| &access.against);
            patterns.map(|paths| paths.set.below(dir, place, files)).collect()
        };
        let by_link = below(&place.lexical);
        if by_link.iter().all(PatternsBelow::is_empty) {
            return false;
        }
        let is_new = if self.is_looked_at(&place.real) {
            let by_real = below(&place.real);
            !by_link.iter().zip(&by_real).all(|(link, real)| link.is_within(real))
        } else {
            // What is elsewhere, a rule has to mean by the name of the link.
            !is_link || by_link.iter().any(PatternsBelow::is_by_name)
        };
        is_new && self.entered.insert((place.real.clone(), by_link))
    }

    /// Whether it is a symlink to what lies in one of the places, and is not looked through there.
    fn lead_past(&self, entry: &SeenEntry, files: &dyn FileLookup) -> bool {
        let real =
            if entry.is_link { entry.located(files).map(|at| at.real.as_str()) } else { None };
        real.is_some_and(|real| {
            self.places.iter().any(|place| is_below(real, place)) && !self.is_looked_at(real)
        })
    }

    /// Whether it is a symlink to a folder that is looked through by its own name.
    fn lead_inside(&self, entry: &SeenEntry, files: &dyn FileLookup) -> bool {
        let real = entry.located(files).filter(|_| entry.is_link).map(|at| at.real.as_str());
        real.is_some_and(|real| {
            self.is_looked_at(real) && files.has(&format!("{real}/.")) == Ok(true)
        })
    }

    fn is_looked_at(&self, real: &str) -> bool {
        let is_passed = |below: &str| below.split('/').any(|it| it == PACKAGES || it == GIT);
        let mut places = self.places.iter().filter(|place| is_below(real, place));
        places.any(|place| !is_passed(real.get(place.len()..).unwrap_or_default()))
    }

    /// Whether a rule that speaks against some path has this name in it.
    fn is_spelled_out(&self, name: &str) -> bool {
        self.accesses.iter().any(|access| access.is_spelled_out(name))
    }
}

/// Looks for them below a project, and below more folders. What lies in packages is passed over, but for ledgers at the top. Blocks.
pub fn sealed(policy: &Policy, look: &SealedLook<'_>, files: &dyn FileLookup) -> SealedFiles {
    let root = look.root.trim_end_matches('/');
    let more = look.more.iter().map(|folder| folder.trim_end_matches('/'));
    let places: Vec<String> =
        std::iter::once(root).chain(more.clone()).map(str::to_owned).collect();
    let git_look = GitLook { places: &places, homes: look.homes, files };
    let mut is_cut = false;
    let mut found = SealedFiles::default();
    let mut folders: VecDeque<_> =
        std::iter::once(root).chain(more).map(|folder| OpenFolder::top(folder, files)).collect();
    let mut projects = vec![root.to_owned()];
    projects.extend(folders.front().and_then(|top| top.real.clone()));
    let levels = levels(policy, &look.opener, files);
    let access = |access| {
        SealedAccess::new(policy, access, look.opener.tool_name, &levels, &projects, files)
    };
    let (reads, writes) = (access(FileAccess::Read), access(FileAccess::Write));
    let looked_at = folders.iter().filter_map(|top| top.real.clone());
    let mut links = LinkedFolders {
        accesses: [&reads, &writes],
        places: places.iter().cloned().chain(looked_at).collect(),
        entered: BTreeSet::new(),
    };
    let mut passed = PassedFolders::default();
    let mut ledger_files = Vec::new();
    let mut left = NameBudget::new(MOST_NAMES);
    let mut kept_for_git = Vec::new();
    while let Some(mut folder) = folders.pop_front() {
        let listing = if folder.path.len() > MOST_PATH {
            DirListing::Unknown
        } else {
            left.list_raw(&folder.place, files)
        };
        let names = match listing {
            DirListing::Names(names) => names,
            // It cannot be entered, until its mode is changed: it is hidden with all that is in it.
            DirListing::TooMany
                if folder.path != root && files.has(&format!("{}/{GIT}", folder.path)).is_err() =>
            {
                found.hidden.push(folder.path);
                continue;
            }
            DirListing::Unknown | DirListing::TooMany => {
                found.unlisted.push(folder.path);
                is_cut = found.unlisted.len() > MOST_UNLISTED;
                if is_cut {
                    break;
                }
                continue;
            }
        };
        if folder.kind == FolderKind::Plain {
            match writes.new_files(&folder) {
                NewFiles::Sealed if !folder.is_kept => {
                    found.kept.push(folder.path.clone());
                    folder.is_kept = true;
                }
                NewFiles::LeftOut if folder.is_kept && !found.kept.contains(&folder.path) => {
                    found.opened.push(folder.path.clone());
                    folder.is_kept = false;
                }
                _ => {}
            }
        }
        let ledgers = FolderLedgers::among(&names, &folder.path, files);
        found.absent.extend(
            ledgers
                .journals()
                .filter(|name| names.iter().all(|entry| entry.name != name.as_str()))
                .map(|name| format!("{}/{name}", folder.path)),
        );
        for entry in names {
            let is_ledger = ledgers.has(&entry.name);
            let mut entry = SeenEntry::of(&folder, entry);
            if is_ledger {
                ledger_files.push(entry.place.clone());
            }
            let is_git = entry.name == GIT && folder.kind != FolderKind::Git;
            if is_git && folder.kind == FolderKind::Plain {
                if entry.has_name() {
                    let git = run_by_git(&folder.path, &git_look);
                    kept_for_git.extend(git.kept);
                    found.absent.extend(git.absent);
                    found.repositories.extend(git.repositories);
                    found.stores.extend(git.stores);
                    found.unheld |= git.unheld;
                    is_cut |= git.incomplete;
                } else {
                    found.unnamed.push(entry.path.clone());
                }
            }
            entry.by_rules |= is_git;
            entry.leads_inside = links.lead_inside(&entry, files);
            if entry.name == PACKAGES && !entry.by_rules {
                passed.add(entry.real_place(files));
                continue;
            }
            // No rule opens it: who writes there approves what waits.
            let is_hidden = is_ledger || reads.is_sealed(&entry);
            // A symlink may lead out of what is kept.
            let is_new =
                (!folder.is_kept || entry.is_link) && !is_hidden && writes.is_sealed(&entry);
            if (is_hidden || is_new) && !entry.has_name() {
                found.unnamed.push(entry.path);
                continue;
            }
            match (is_hidden, is_new) {
                (true, _) => found.hidden.push(entry.path.clone()),
                (_, true) => found.kept.push(entry.path.clone()),
                _ => {}
            }
            let is_passed =
                is_hidden || is_git && !(reads.speaks_below(&entry) || writes.speaks_below(&entry));
            if !is_hidden && is_git && is_passed {
                passed.add(entry.real_place(files));
            } else if !is_hidden && links.lead_past(&entry, files) {
                passed.add_target(entry.real_place(files), files);
            }
            // What is not to be read may lie further down.
            if !is_passed {
                let is_kept = folder.is_kept || is_new;
                folders.extend(entry.inside(is_kept, (folder.kind, &mut links), files));
            }
        }
        if found.hidden.len() + found.kept.len() + found.unnamed.len() > MOST_SEALED {
            is_cut = true;
            break;
        }
    }
    for folder in writes.named_folders(&links.places) {
        let is_held = found.kept.contains(&folder) || found.hidden.contains(&folder);
        let is_passed = is_held || links.places.contains(&folder);
        if is_passed
            || !matches!(writes.new_files(&OpenFolder::named(&folder, files)), NewFiles::Sealed)
        {
            continue;
        }
        if files.has(&folder) == Ok(false) {
            found.absent.push(folder.clone());
        }
        // Nor does a folder take the place of what stands there, or of a file or symlink on the way.
        found.kept.push(folder);
    }
    for folder in writes.left_out_folders(&links.places) {
        let seen = OpenFolder::named(&folder, files);
        let is_kept = found.kept.iter().any(|place| is_below(&folder, place));
        if is_kept
            && seen.kind == FolderKind::Plain
            && !found.opened.contains(&folder)
            && files.has(&format!("{folder}/.")) == Ok(true)
            && matches!(writes.new_files(&seen), NewFiles::LeftOut)
        {
            found.opened.push(folder);
        }
    }
    found.opened.retain(|path| {
        let mut kept = kept_for_git.iter().chain(&found.stores);
        !kept.any(|place| is_below(path, place))
    });
    found.kept.extend(kept_for_git);
    let ledgers = passed.ledgers(NameBudget::new(MOST_NAMES), files);
    ledger_files.extend(ledgers.hidden.iter().map(PathBuf::from));
    found.hidden.extend(ledgers.hidden);
    found.absent.extend(ledgers.absent);
    match other_names(&ledger_files, &places, NameBudget::new(MOST_NAMES), files) {
        Some(names) => {
            for name in names {
                match name.into_os_string().into_string() {
                    Ok(name) => found.hidden.push(name),
                    Err(name) => found.unnamed.push(garbled(&name)),
                }
            }
        }
        None => is_cut = true,
    }
    found.complete = !is_cut && found.unlisted.is_empty();
    if is_cut {
        found.unlisted.clear();
    }
    found
}

/// The runs that rules may speak of: what the verdict rests on. Where it rests on nothing, the command is confined all the same, and
/// a rule about either run counts.
fn levels(
    policy: &Policy, opener: &FileOpener<'_>, files: &dyn FileLookup,
) -> Vec<Option<ConfinedWrites>> {
    if opener.held.is_some() {
        return vec![opener.held];
    }
    let stays = |run: &&ConfinedRun| {
        // Not to know counts as yes.
        run.stays_in_project(policy.context(), files).unwrap_or(true)
    };
    let confined = opener.run.filter(stays).map(|_| Some(ConfinedWrites::Project));
    std::iter::once(None).chain(confined).collect()
}
