//! Symlinks followed, name by name, as the kernel does.

use super::syntax::{AbsolutePath, PathSyntax};
use super::{FileLookup, PathError};

/// How many symlinks the kernel follows in one path.
const MOST_LINKS: usize = 40;

/// A symlink that was followed.
pub(super) struct FollowedLink {
    /// Where it is itself, the directories before it resolved.
    pub(super) place: String,
    /// What the whole path is called there.
    pub(super) called: String,
    /// Whether it is what the path names, and not a directory on the way there.
    pub(super) last: bool,
}

/// Where the kernel gets from `path`; names that do not exist are taken as if they would be made. Each symlink goes to
/// `followed`.
pub(super) fn resolve<F: FileLookup + ?Sized>(
    syntax: PathSyntax, path: &AbsolutePath, files: &F,
    mut followed: Option<&mut Vec<FollowedLink>>,
) -> Result<String, PathError> {
    // What is still to go, the next name last.
    let mut ahead: Vec<String> = path.names.iter().rev().cloned().collect();
    let mut root = path.root.clone();
    let mut here = root.clone();
    let mut links = 0;
    let mut reached = false;
    if ahead.is_empty() {
        files.read_link(&path.text())?;
    }
    while let Some(name) = ahead.pop() {
        if name == ".." {
            let up = here.rfind('/').unwrap_or(0).max(root.len());
            here.truncate(up);
            continue;
        }
        let before = here.len();
        here.push('/');
        here.push_str(&name);
        if syntax == PathSyntax::Posix && is_per_process(&here) {
            return Err(PathError::PerProcess);
        }
        let Some(target) = files.read_link(&here)? else { continue };
        links += 1;
        if links > MOST_LINKS {
            return Err(PathError::TooManyLinks);
        }
        if let Some(followed) = followed.as_deref_mut() {
            let names = here.get(root.len()..).unwrap_or_default();
            let names = syntax.names(names)?.into_iter().chain(ahead.iter().rev().cloned());
            let called = AbsolutePath { root: root.clone(), names: names.collect() };
            followed.push(FollowedLink {
                place: here.clone(),
                called: called.normalised().text(),
                last: ahead.is_empty() && !reached,
            });
            reached |= ahead.is_empty();
        }
        let unreadable = || PathError::Unreadable(format!("{here}: its target cannot be read"));
        let target = target.to_str().filter(|target| !target.is_empty()).ok_or_else(unreadable)?;
        let base = AbsolutePath { root: root.clone(), names: Vec::new() };
        let names = match syntax.absolute(target, Some(&base))? {
            Some(absolute) => {
                root = absolute.root;
                here.clone_from(&root);
                absolute.names
            }
            None => {
                here.truncate(before);
                syntax.names(target)?
            }
        };
        ahead.extend(names.into_iter().rev());
    }
    if here.len() == root.len() {
        here.push('/');
    }
    Ok(here)
}

/// What is something else to each process, and is no symlink like others: it cannot be told what another process sees.
pub(super) fn is_per_process(path: &str) -> bool {
    if let Some(rest) = path.strip_prefix("/proc/") {
        let mut names = rest.split('/');
        let process = names.next().unwrap_or_default();
        return match process {
            "self" | "thread-self" => true,
            _ if process.bytes().all(|byte| byte.is_ascii_digit()) => matches!(
                names.next(),
                Some("root" | "cwd" | "exe" | "fd" | "fdinfo" | "map_files" | "ns" | "task")
            ),
            _ => false,
        };
    }
    matches!(path, "/dev/fd" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr")
}
