//! What a command looks at: there, above and below, settings count that no word of it names.

use std::collections::BTreeSet;

use super::ActionReader;
use super::loaded::CommandPlace;
use crate::path::{DirEntry, DirListing, FileLookup, NameBudget, PathError, locate};
use crate::policy::action::{ActionKind, ByArgument};
use crate::policy::judge::places;
use crate::shell::WordPiece;

/// The longest file of settings that is read, in bytes.
pub(super) const MOST_TEXT: usize = 1 << 18;

/// How many names below what a command looks at are gone through.
pub(super) const MOST_NAMES: usize = 20_000;

/// Where settings count for a command.
#[derive(Default)]
pub(super) struct LookedAt {
    /// What it looks at, and where it runs: settings in the folders above count.
    pub(super) above: BTreeSet<String>,
    /// The folders that it goes through.
    pub(super) tops: BTreeSet<String>,
    /// Whether its words say all of that.
    pub(super) certain: bool,
}

impl ActionReader<'_> {
    /// What a command looks at, as its words say.
    pub(super) fn looked_at(
        &self, by: ByArgument, place: CommandPlace<'_>,
    ) -> Result<LookedAt, PathError> {
        let mut looked_at = LookedAt { certain: true, ..LookedAt::default() };
        for dir in places(place.start, self.files)?.0 {
            let here = locate(".", &place.start.at(&dir), self.files)?;
            looked_at.above.extend(here.places().map(str::to_owned));
            for action in &self.actions {
                let ActionKind::Path { target, extent, by: Some(user), .. } = &action.kind else {
                    continue;
                };
                if user.command != by.command {
                    continue;
                }
                // Of what is known in part, the folder that it begins with.
                let known = match (target.literal(), target.pieces.first()) {
                    (Some(path), _) => path,
                    (None, Some(WordPiece::Text(text))) => {
                        text.rsplit_once('/').map_or(".", |(folder, _)| folder)
                    }
                    (None, _) => ".",
                };
                let is_whole = target.literal().is_some();
                looked_at.certain &= is_whole;
                let located = locate(known, &place.start.at(&dir), self.files)?;
                looked_at.above.extend(located.places().map(str::to_owned));
                if extent.is_recursive() || !is_whole {
                    looked_at.tops.extend(located.reals().map(str::to_owned));
                }
            }
        }
        Ok(looked_at)
    }
}

/// The folders from this one down that have a file of one of these names. `goes_in`: whether those below a folder of this name count.
/// `follows`: also those that symlinks to folders lead to. `None`: there are more than `left` names, or they cannot be listed.
pub(super) fn folders_with(
    names: &[&str], top: &str, goes_in: impl Fn(&str) -> bool, follows: bool,
    left: &mut NameBudget, files: &dyn FileLookup,
) -> Option<Vec<String>> {
    let (mut folders, mut found) = (vec![top.to_owned()], Vec::new());
    let mut seen = BTreeSet::from([top.to_owned()]);
    while let Some(folder) = folders.pop() {
        let DirListing::Names(entries) = left.list(&folder, files) else { return None };
        for entry in &entries {
            let path = format!("{folder}/{}", entry.name);
            let inner = match (entry.is_link, entry.is_dir) {
                // One that leads nowhere has nothing below it.
                (true, _) if follows => files.real(&path).ok(),
                (false, true) if goes_in(&entry.name) => Some(path),
                _ => None,
            };
            folders.extend(inner.filter(|inner| seen.insert(inner.clone())));
        }
        // Some file systems make no difference between cases.
        let is_one = |it: &DirEntry| names.iter().any(|name| it.name.eq_ignore_ascii_case(name));
        if entries.iter().any(is_one) {
            found.push(folder);
        }
    }
    Some(found)
}
