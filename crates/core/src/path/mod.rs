//! Where a path really points, and which paths, names and addresses a pattern means.
//!
//! Pure but for [`FileLookup`], through which the file system is seen.

mod beginnings;
mod dynamic;
mod expand;
mod files;
mod glob;
mod index;
mod locate;
mod matching;
mod pattern;
mod plain;
mod resolve;
mod samples;
mod set;
mod standing;
mod syntax;
mod url;
mod url_index;
mod url_pattern;
mod way;

pub use beginnings::LinkedBeginnings;
pub use dynamic::PartialPath;
pub use expand::{ExpandedPattern, expanded, goes_deeper};
pub use files::{
    CachedFiles, DirEntry, DirListing, DirStamp, FileIdentity, FileLookup, NameBudget, NearFiles,
    NoFiles, NoLinks, RawEntry, RealFiles,
};
pub(crate) use files::{GIT_SETTINGS_OF_MACHINE, garbled, is_garbled};
pub use glob::{GlobError, PathGlob, Vars};
pub use index::PathIndex;
pub use locate::{
    CaseFolding, LocatedPath, PathContext, PathError, lexically, links_on, locate, spelled,
};
pub(crate) use matching::fold;
pub(crate) use plain::plain_text;
pub(crate) use samples::sample_names;
pub use set::PathSet;
pub use standing::PatternsBelow;
pub use url::{UrlAddress, UrlError, file_of};
pub use url_index::UrlIndex;
pub use url_pattern::{UrlPattern, UrlSet};
pub(crate) use way::is_below;

#[cfg(test)]
mod tests;
