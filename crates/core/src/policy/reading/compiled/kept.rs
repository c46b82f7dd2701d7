//! Where the compiler keeps for the next time what it found, as its settings say.

use std::collections::BTreeSet;

use super::{BEGUN_WITH, KnownSettings, MOST_FILES, TS_BUILD_INFO};
use crate::path::{PathContext, PathError, locate};
use crate::shell::base_name;

/// How such a file is called.
const KEPT: &str = ".tsbuildinfo";

impl KnownSettings<'_> {
    /// What is written beside `--noEmit`, as these settings say together: any may go on in any other. `None`: some of it may be no file
    /// of that kind in the project.
    pub(super) fn written(&self) -> Result<Option<Vec<String>>, PathError> {
        if !self.keeps {
            return Ok(Some(Vec::new()));
        }
        let is_one = |what: &str| self.named.iter().any(|(name, ..)| name == what);
        if self.is_placed || is_one("out") || is_one("outfile") {
            return Ok(None);
        }
        // Older versions take that for the name of a folder.
        for (_, folder, _) in self.named.iter().filter(|(_, _, path)| path.starts_with(BEGUN_WITH))
        {
            if self.files.has(&format!("{folder}/{BEGUN_WITH}"))? {
                return Ok(None);
            }
        }
        let mut written = BTreeSet::new();
        for project in &self.projects {
            let folder = project.rsplit_once('/').map_or("/", |(folder, _)| folder);
            let all = |what: &str| -> Result<Vec<String>, PathError> {
                let meant = self.named.iter().filter(|(name, ..)| name == what);
                meant.map(|(_, from, path)| self.named_path(folder, from, path)).collect()
            };
            written.extend(all(TS_BUILD_INFO)?);
            let whole = project.strip_suffix(".json").unwrap_or(project);
            let mut kept = vec![whole.to_owned()];
            let roots = all("rootdir")?;
            for out in all("outdir")? {
                kept.push(format!("{out}/{}", base_name(whole)));
                for root in &roots {
                    // Some versions make no difference between cases.
                    let [place, other] = [
                        moved(&out, root, whole, |one, other| one == other),
                        moved(&out, root, whole, |one, other| one.eq_ignore_ascii_case(other)),
                    ];
                    if place != other {
                        return Ok(None);
                    }
                    kept.push(place);
                }
            }
            written.extend(kept.into_iter().map(|path| format!("{path}{KEPT}")));
            if written.len() > MOST_FILES {
                return Ok(None);
            }
        }
        for path in &written {
            let fine = path.ends_with(KEPT) && self.is_within(path) && !self.is_linked(path)?;
            if !fine {
                return Ok(None);
            }
        }
        Ok(Some(written.into_iter().collect()))
    }

    /// A path as settings name it, seen from the project that they count for.
    fn named_path(&self, project: &str, seen_from: &str, path: &str) -> Result<String, PathError> {
        let (folder, path) = match path.strip_prefix(BEGUN_WITH) {
            Some(below) => (project, format!("./{below}")),
            None => (seen_from, path.to_owned()),
        };
        let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
        Ok(locate(if path.is_empty() { "." } else { &path }, &from, self.files)?.lexical)
    }
}

/// Where a file lies that lay so below `from`, or above it, seen from `to` then.
fn moved(to: &str, from: &str, file: &str, is_same: fn(&String, &String) -> bool) -> String {
    let names = |path: &str| -> Vec<String> {
        path.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let (from, file) = (names(from), names(file));
    let same = from.iter().zip(&file).take_while(|(one, other)| is_same(one, other)).count();
    let mut path = names(to);
    path.truncate(path.len().saturating_sub(from.len() - same));
    path.extend(file.into_iter().skip(same));
    format!("/{}", path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_above_the_sources_lies_above_the_output() {
        for (to, from, file, expected) in [
            ("/p/out", "/p/src", "/p/tsconfig", "/p/tsconfig"),
            ("/p/out", "/p", "/p/tsconfig", "/p/out/tsconfig"),
            ("/p/out", "/p/src/a/b/c", "/p/tsconfig", "/tsconfig"),
            ("/x/p/out", "/x/p/src/a", "/x/p/tsconfig", "/x/tsconfig"),
            ("/p/out", "/p/src", "/p/src/tsconfig", "/p/out/tsconfig"),
        ] {
            assert_eq!(
                moved(to, from, file, |one, other| one == other),
                expected,
                "{to} {from} {file}"
            );
        }
    }
}
