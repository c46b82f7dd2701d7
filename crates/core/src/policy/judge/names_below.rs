//! Looking for a name below a folder.

use super::NeedsFiles;
use crate::path::{DirEntry, DirListing, FileLookup, NameBudget};

/// Of more names not all are looked at.
const MOST_NAMES: usize = 20_000;

/// What a name below a folder is.
pub(super) enum NameBelow {
    /// What is looked for.
    Meant,
    /// Something else. A folder is gone into.
    Other,
    /// Not gone into.
    Passed,
}

/// Whether something below this folder is meant. Where there are too many names to look at all, something is.
pub(super) fn any_below(
    folder: &str, files: &dyn FileLookup,
    is: impl Fn(&str, &DirEntry) -> Result<NameBelow, NeedsFiles>,
) -> Result<bool, NeedsFiles> {
    let mut left = NameBudget::new(MOST_NAMES);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let names = match left.list(&folder, files) {
            DirListing::Names(names) => names,
            // It is no folder.
            DirListing::Unknown => continue,
            DirListing::TooMany => return Ok(true),
        };
        for entry in names {
            let path = format!("{}/{}", folder.trim_end_matches('/'), entry.name);
            match is(&path, &entry)? {
                NameBelow::Meant => return Ok(true),
                NameBelow::Other if entry.is_dir && !entry.is_link => folders.push(path),
                NameBelow::Other | NameBelow::Passed => {}
            }
        }
    }
    Ok(false)
}
