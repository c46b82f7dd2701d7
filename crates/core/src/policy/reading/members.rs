//! Settings of the members of a workspace: files in other folders of the project that its settings name. Any folder may be one, so
//! that a symlink in the place of such a file counts wherever it lies.

use std::collections::BTreeSet;

use super::ActionReader;
use super::looked_at::{MOST_NAMES, MOST_TEXT};
use super::repository::upwards;
use super::settings::{FoundSettings, MOST_WAYS};
use crate::path::{DirEntry, DirListing, PathError, is_below, plain_text};
use crate::policy::judge::is_product;
use crate::shell::SettingsFiles;

impl ActionReader<'_> {
    /// The folders from which settings name others.
    fn tops_of_members(
        &self, files: &SettingsFiles, here: &BTreeSet<String>,
    ) -> Result<BTreeSet<String>, PathError> {
        let (roots, mut tops) = (self.roots()?, BTreeSet::new());
        for way in here.iter().take(MOST_WAYS) {
            // Above what is no project nothing is gone through.
            let top = roots.iter().filter(|root| is_below(way, root)).map(String::len).min();
            let inside = |folder: &&str| folder.len() >= top.unwrap_or(way.len());
            for folder in upwards(way).map_while(|folder| folder).take_while(inside) {
                for name in &files.here {
                    let path = format!("{folder}/{name}");
                    if self.files.has(&path)?
                        && plain_text(self.files, &path, MOST_TEXT)
                            .is_none_or(|text| files.members_by.iter().any(|it| text.contains(it)))
                    {
                        tops.insert(folder.to_owned());
                        break;
                    }
                }
            }
        }
        // The first of several has the others below it.
        let mut first: BTreeSet<String> = BTreeSet::new();
        for top in tops {
            if !first.iter().any(|above| is_below(&top, above)) {
                first.insert(top);
            }
        }
        Ok(first)
    }

    /// Adds those of the members, which may be any folder below.
    pub(super) fn settings_of_members(
        &self, files: &SettingsFiles, here: &BTreeSet<String>, found: &mut FoundSettings,
    ) -> Result<(), PathError> {
        if files.members.is_empty() {
            return Ok(());
        }
        let mut left = MOST_NAMES;
        let mut dirs: Vec<String> = self.tops_of_members(files, here)?.into_iter().collect();
        let mut products = Vec::new();
        while let Some((dir, is_last)) =
            dirs.pop().map(|dir| (dir, false)).or_else(|| products.pop().map(|dir| (dir, true)))
        {
            let names = match self.files.list(&dir, left) {
                DirListing::Names(names) => names,
                DirListing::Unknown => continue,
                DirListing::TooMany => {
                    // What tools make again is hardly a member.
                    found.too_many |= !is_last;
                    continue;
                }
            };
            left = left.saturating_sub(names.len());
            for DirEntry { name, is_link, is_dir } in names {
                let path = format!("{dir}/{name}");
                if is_link {
                    if files.members.contains(&name.as_str()) {
                        found.links.insert(path);
                        continue;
                    }
                    for member in &files.members {
                        let inner = format!("{path}/{member}");
                        if self.files.has(&inner)? {
                            found.links.insert(inner);
                        }
                    }
                } else if is_dir {
                    match name.as_str() {
                        ".git" | "node_modules" => {}
                        _ if is_last || is_product(&name) => products.push(path),
                        _ => dirs.push(path),
                    }
                }
            }
        }
        Ok(())
    }
}
