//! What formatters write beside what they change, as files that no word and no setting names.

use std::collections::BTreeSet;

use super::super::ActionReader;
use super::super::loaded::CommandPlace;
use super::super::looked_at::MOST_NAMES;
use super::super::repository::upwards;
use crate::path::{DirListing, NameBudget, PathError, is_below};
use crate::policy::action::{Action, ActionKind, ByArgument, UseExtent};
use crate::policy::judge::{PathSpots, opened, places};
use crate::shell::{FileAccess, Word, command_of};

/// Where isort puts what becomes of a file, beside it.
const SORTED: &str = ".isorted";

/// Where prettier keeps what it found, in the folder of the nearest package.
const CACHE: &str = "node_modules/.cache/prettier/.prettier-cache";

/// Whether it lies in the folder of a repository.
fn is_of_git(path: &str) -> bool {
    path.split('/').any(|name| name == super::GIT)
}

impl ActionReader<'_> {
    /// Tells that isort makes a file beside each that it changes; the answer is whether all of those are known. `goes_into_git`:
    /// also the files of git that it changes.
    pub(super) fn sorts_beside(
        &mut self, by: ByArgument, goes_into_git: bool, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let command = command_of(self.words(by), usize::MAX).into_owned();
        let sorts =
            |path: &str| goes_into_git && is_of_git(path) && opened(&command, path, self.files);
        let mut beside = BTreeSet::new();
        for Action { kind, start, .. } in &self.actions {
            let ActionKind::Path {
                access: FileAccess::Write,
                target,
                extent,
                by: Some(writer),
                ..
            } = kind
            else {
                continue;
            };
            if writer.command != by.command {
                continue;
            }
            let spots = PathSpots::of(target, *extent, start, self.files)?;
            let mut left = NameBudget::new(MOST_NAMES);
            for located in spots.located.into_iter().chain(spots.begins) {
                // A path that is used as a folder is there as one, or not at all.
                if !self.files.has(&format!("{}/.", located.real))? {
                    beside.insert(format!("{}{SORTED}", located.real));
                    continue;
                }
                let (mut folders, mut seen) = (vec![located.real], BTreeSet::new());
                while let Some(folder) = folders.pop() {
                    if !seen.insert(folder.clone()) {
                        continue;
                    }
                    let DirListing::Names(names) = left.list(&folder, self.files) else {
                        return Ok(false);
                    };
                    for entry in names {
                        let path = format!("{folder}/{}", entry.name);
                        if entry.name.ends_with(SORTED) {
                            beside.insert(path);
                        } else if entry.is_link {
                            // It goes through symlinks, and writes beside what they lead to.
                            let real = self.files.real(&path)?;
                            let made = format!("{real}{SORTED}");
                            if self.files.has(&format!("{real}/."))? {
                                folders.push(real);
                            } else if self.files.read_link(&made)?.is_some()
                                || self.files.has(&made)?
                            {
                                beside.insert(made);
                            }
                        } else if entry.is_dir {
                            folders.push(path);
                        } else if sorts(&path) {
                            beside.insert(path);
                        }
                    }
                }
            }
        }
        for path in beside {
            self.also_writes(by.command, path, UseExtent::Itself, place);
        }
        Ok(true)
    }

    /// Tells where prettier keeps what it found; the answer is whether that is known. Without a package it is elsewhere.
    pub(super) fn keeps_cache(
        &mut self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<bool, PathError> {
        let is_kept = |word: &Word| word.literal().is_none_or(|it| it.starts_with("--cache"));
        if !self.words(by).iter().any(is_kept) {
            return Ok(true);
        }
        let roots = self.roots()?;
        for dir in places(place.start, self.files)?.0 {
            let inside = |folder: &&str| roots.iter().any(|root| is_below(folder, root));
            let mut package = None;
            for folder in upwards(&dir).map_while(|folder| folder).take_while(inside) {
                if self.files.has(&format!("{folder}/package.json"))? {
                    package = Some(folder);
                    break;
                }
            }
            // What is called so and is no file it goes past.
            let package = match package {
                Some(folder) if self.is_file(&format!("{folder}/package.json"))? => package,
                _ => None,
            };
            let Some(folder) = package else { return Ok(false) };
            self.also_writes(by.command, format!("{folder}/{CACHE}"), UseExtent::Itself, place);
        }
        Ok(true)
    }
}
