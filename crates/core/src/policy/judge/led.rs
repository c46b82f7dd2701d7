//! Where the paths of a call led when it was judged: what an approval of the call is bound to.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::NeedsFiles;
use super::spot::{PathSpots, through};
use crate::call::hex;
use crate::path::{FileLookup, LocatedPath, PathError, locate};
use crate::policy::action::{Action, ActionKind, PathStart, UseExtent};
use crate::shell::{Word, WordPiece};

/// Paths that lead elsewhere than they say, each with where it leads. What leads where it says is not among them, so that a
/// file that is made in the meantime changes nothing, and a symlink that takes its place does.
#[derive(Debug, Default)]
pub(crate) struct LedPlaces(BTreeSet<[String; 3]>);

impl LedPlaces {
    /// One more path.
    pub(crate) fn add(&mut self, path: &LocatedPath) {
        let LocatedPath { lexical, real, real_of_lexical, .. } = path;
        if lexical != real || lexical != real_of_lexical {
            self.0.insert([lexical.clone(), real.clone(), real_of_lexical.clone()]);
        }
    }

    /// Why it cannot be told where a path leads. A symlink on the way of a pattern is such a reason.
    pub(crate) fn add_error(&mut self, error: &PathError) {
        self.0.insert([String::new(), error.to_string(), String::new()]);
    }

    /// All places of one more path.
    pub(super) fn add_spots(&mut self, spots: &PathSpots) {
        spots.located.iter().chain(&spots.begins).for_each(|path| self.add(path));
        spots.error.iter().for_each(|error| self.add_error(error));
    }

    /// Those of others.
    pub(super) fn append(&mut self, mut others: Self) {
        self.0.append(&mut others.0);
    }

    /// The programs that are named by a path, and the folders that those run in which do what stands there. What else a command
    /// takes from its folder is a path of its own.
    ///
    /// # Errors
    /// When the file system is needed.
    pub(super) fn add_commands(
        &mut self, actions: &[Action], files: &dyn FileLookup,
    ) -> Result<(), NeedsFiles> {
        // By identity: the actions of one line have one.
        let mut starts: HashSet<*const PathStart> = HashSet::new();
        let mut programs: HashSet<(*const PathStart, &[WordPiece])> = HashSet::new();
        for Action { kind, start, .. } in actions {
            let ActionKind::Command { argv, .. } = kind else { continue };
            let key = Arc::as_ptr(start);
            if kind.depends_on_folder() && starts.insert(key) {
                self.add_folders(start, files)?;
            }
            let Some(program) = argv.first().filter(|word| is_path(word)) else { continue };
            if programs.insert((key, &program.pieces)) {
                match PathSpots::of(program, UseExtent::Itself, start, files) {
                    Ok(spots) => self.add_spots(&spots),
                    Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                    Err(error) => self.add_error(&error),
                }
            }
        }
        Ok(())
    }

    /// The folders that a line runs in.
    fn add_folders(&mut self, start: &PathStart, files: &dyn FileLookup) -> Result<(), NeedsFiles> {
        let here = Some(".".to_owned());
        let dirs = start.dirs.iter().map(|dir| through(dir, start));
        for dir in std::iter::once(here).chain(dirs).flatten() {
            for base in &start.bases {
                match locate(&dir, &start.at(base), files) {
                    Ok(located) => self.add(&located),
                    Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                    Err(error) => self.add_error(&error),
                }
            }
        }
        Ok(())
    }

    /// A digest of all; `None` without any.
    pub(super) fn digest(self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let mut hash = Sha256::new();
        for text in self.0.iter().flatten() {
            // No path has a zero byte in it.
            hash.update(text.as_bytes());
            hash.update([0]);
        }
        Some(hex(&hash.finalize()))
    }
}

/// Whether a program is named by a path, and not looked for by its name.
fn is_path(program: &Word) -> bool {
    program.pieces.iter().any(|piece| match piece {
        WordPiece::Text(text) | WordPiece::Glob(text) => text.contains('/'),
        WordPiece::Home => true,
        WordPiece::Unknown { .. } => false,
    })
}
