//! Where the paths of a call led when it was judged: what an approval of the call is bound to.

use std::collections::BTreeSet;

use sha2::{Digest as _, Sha256};

use crate::call::hex;
use crate::path::LocatedPath;

/// Paths that lead elsewhere than they say, each with where it leads. What leads where it says is not among them, so that a
/// file that is made in the meantime changes nothing, and a symlink that takes its place does.
#[derive(Debug, Default)]
pub(super) struct LedPlaces(BTreeSet<[String; 3]>);

impl LedPlaces {
    /// The places of one more path.
    pub(super) fn add(&mut self, located: &[LocatedPath]) {
        for LocatedPath { lexical, real, real_of_lexical, .. } in located {
            if lexical != real || lexical != real_of_lexical {
                self.0.insert([lexical.clone(), real.clone(), real_of_lexical.clone()]);
            }
        }
    }

    /// A digest of all; `None`: there are none.
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
