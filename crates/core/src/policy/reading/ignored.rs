//! What git does not add, as far as its files of patterns prove it.

use std::iter::successors;

use crate::path::{FileLookup, is_below, plain_text};
use crate::policy::judge::takes_in_again;

/// The longest file of patterns that is read, in bytes.
const MOST_TEXT: usize = 1 << 16;

/// Whether git surely adds nothing of the folder of this name in `parent`, unless it is forced to: a `.gitignore` there, or
/// above up to the top of the work tree, names it plainly, or its own leaves out all that is in it, and none takes it in again.
pub(super) fn is_ignored(parent: &str, name: &str, top: &str, files: &dyn FileLookup) -> bool {
    let Some(own) = patterns(&format!("{parent}/{name}"), files) else { return false };
    if lines(&own).any(|line| line == "*") && !lines(&own).any(|line| line.starts_with('!')) {
        return true;
    }
    // What is special in a pattern means something else there.
    if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
        return false;
    }
    let mut found = false;
    let above = successors(Some(parent), |folder| Some(folder.rsplit_once('/')?.0));
    for folder in above.take_while(|folder| is_below(folder, top)) {
        let Some(text) = patterns(folder, files) else { return false };
        if lines(&text).any(|line| takes_in_again(line, name)) {
            return false;
        }
        found |= lines(&text).any(|line| {
            let line = line.strip_suffix('/').unwrap_or(line);
            let here = line.strip_prefix('/').filter(|_| folder == parent);
            here.or_else(|| line.strip_prefix("**/")).unwrap_or(line) == name
        });
    }
    found
}

/// Whether the `.gitignore` of this folder surely leaves out all folders of this name below it.
pub(super) fn is_ignored_below(folder: &str, name: &str, files: &dyn FileLookup) -> bool {
    patterns(folder, files).is_some_and(|text| {
        let is_it = |line: &str| {
            let line = line.strip_suffix('/').unwrap_or(line);
            line.strip_prefix("**/").unwrap_or(line) == name
        };
        lines(&text).any(is_it) && !lines(&text).any(|line| line.starts_with('!'))
    })
}

/// The patterns that a folder holds; `None`: they cannot be told. git follows no symlink to them, and older versions do.
fn patterns(folder: &str, files: &dyn FileLookup) -> Option<String> {
    let file = format!("{folder}/.gitignore");
    match files.read_link(&file) {
        Ok(None) if files.has(&file) == Ok(false) => Some(String::new()),
        Ok(None) => plain_text(files, &file, MOST_TEXT),
        Ok(Some(_)) | Err(_) => None,
    }
}

/// Lines as git reads them: without blanks at their ends.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.trim_end_matches(' '))
}
