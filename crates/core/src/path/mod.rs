//! Where a path really points, and which paths, names and addresses a pattern means.
//!
//! Pure but for [`Files`], through which the file system is seen.

mod beginnings;
mod dynamic;
mod expand;
mod files;
mod glob;
mod index;
mod locate;
mod matching;
mod pattern;
mod resolve;
mod set;
mod syntax;
mod url;
mod url_index;
mod url_pattern;
mod way;

pub use beginnings::Links;
pub use dynamic::Partial;
pub use expand::{Expanded, expanded};
pub use files::{Cached, Files, Listed, Listing, NearFiles, NoFiles, NoLinks, RealFiles, Stamp};
pub use glob::{Glob, GlobError, Vars};
pub use index::PathIndex;
pub use locate::{Folding, Located, PathError, Where, lexically, locate, spelled};
pub(crate) use matching::fold;
pub use set::PathSet;
pub use url::{Address, UrlError, file_of};
pub use url_index::UrlIndex;
pub use url_pattern::{UrlPattern, UrlSet};
pub(crate) use way::is_below;

#[cfg(test)]
mod tests;
