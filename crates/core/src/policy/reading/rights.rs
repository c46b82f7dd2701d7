//! Files that run with the rights of their owner: what a copy would take over.

use super::ActionReader;
use crate::path::{DirListing, NameBudget, PathError, locate, spelled};
use crate::policy::action::PathStart;
use crate::policy::judge::places;
use crate::shell::{Word, WordPiece};

/// How many names below a folder are looked at.
const MOST_FOUND: usize = 20_000;

/// The bits of setuid and setgid.
const SETS_ID: u32 = 0o6000;

impl ActionReader<'_> {
    /// Whether nothing that this names, or that lies below it, runs with the rights of its owner.
    pub(super) fn has_plain_rights(
        &self, target: &Word, start: &PathStart,
    ) -> Result<bool, PathError> {
        let (dirs, adrift) = places(start, self.files)?;
        if adrift {
            return Ok(false);
        }
        let mut left = NameBudget::new(MOST_FOUND);
        for dir in dirs {
            let from = start.at(&dir);
            let top = match (spelled(&target.pieces, &from), target.pieces.as_slice()) {
                (Some(path), _) => path,
                // Of a pattern all that lies in the folder that it begins with.
                (None, [WordPiece::Text(known), rest @ ..]) if are_patterns(rest) => {
                    known.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()
                }
                (None, rest) if are_patterns(rest) => ".".to_owned(),
                _ => return Ok(false),
            };
            let mut found = vec![(locate(&top, &from, self.files)?.real, true)];
            while let Some((path, is_dir)) = found.pop() {
                if is_dir {
                    let DirListing::Names(names) = left.list(&path, self.files) else {
                        return Ok(false);
                    };
                    let inside = names.into_iter().filter(|name| !name.is_link);
                    found.extend(inside.map(|name| (format!("{path}/{}", name.name), name.is_dir)));
                }
                // A folder hands its group on, and no more.
                let mode = self.files.mode_of_file(&path)?;
                if mode.is_some_and(|mode| mode & SETS_ID != 0) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

/// Whether these pieces are patterns and text: they leave the folder that they begin with by none but its own.
fn are_patterns(pieces: &[WordPiece]) -> bool {
    pieces.iter().all(|piece| match piece {
        WordPiece::Text(text) | WordPiece::Glob(text) => !text.contains(".."),
        _ => false,
    })
}
