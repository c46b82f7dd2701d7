//! Where a path really points, and which paths, names and addresses a pattern means.
//!
//! Pure but for [`Files`], through which the file system is seen.

mod glob;
mod locate;
mod url;

pub use glob::{Glob, GlobError, Vars};
pub use locate::{Files, Located, NoFiles, PathError, RealFiles, Where, locate};
pub use url::{Address, UrlError, UrlPattern};
