//! What a shell's pattern for names (`*.md`) finds: symlinks among it may lead anywhere, and what is done to a directory among it
//! may be done to all below.

use super::dynamic::{PathPart, unsure};
use super::files::{DirListing, is_garbled};
use super::{FileLookup, PathContext, PathError};
use crate::shell::WordPiece;

/// The most names that are looked at for one pattern.
const MOST_NAMES: usize = 4096;

/// What a pattern could be expanded to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpandedPattern {
    /// The symlinks.
    pub links: Vec<String>,
    /// The directories, and names at its end that are no pattern.
    pub dirs: Vec<String>,
    /// What else it finds.
    pub files: Vec<String>,
    /// Whether these are all: each directory on the way could be listed.
    pub complete: bool,
}

impl ExpandedPattern {
    /// A name among those found that is no text.
    pub fn garbled(&self) -> Option<&str> {
        self.files.iter().chain(&self.dirs).map(String::as_str).find(|path| is_garbled(path))
    }
}

/// Whether a shell with other settings finds more: names at any depth (`**`).
pub fn goes_deeper(pieces: &[WordPiece]) -> bool {
    pieces.iter().any(|piece| matches!(piece, WordPiece::Glob(glob) if glob.contains("**")))
        || pieces.windows(2).any(|pair| {
            matches!(pair, [WordPiece::Glob(one), WordPiece::Glob(next)]
                if one.ends_with('*') && next.starts_with('*'))
        })
}

/// What a pattern could be expanded to.
///
/// # Errors
/// When it could lead through one on the way, or when there is too much to look at: then it cannot be told where it leads.
pub fn expanded(
    pieces: &[WordPiece], from: &PathContext, files: &dyn FileLookup,
) -> Result<ExpandedPattern, PathError> {
    let parts = unsure(pieces, from).into_parts();
    if parts.contains(&PathPart::Any) {
        return Err(PathError::Unreadable("the pattern could lead anywhere".to_owned()));
    }
    let names: Vec<&[PathPart]> =
        parts.split(|part| *part == PathPart::Char('/')).skip(1).collect();
    let sure = names.iter().take_while(|name| literal(name).is_some()).count();
    let known: Vec<String> = names.iter().take(sure).filter_map(|name| literal(name)).collect();
    let mut dirs = vec![known.iter().map(|name| format!("/{name}")).collect::<String>()];
    let mut found = ExpandedPattern { complete: true, ..ExpandedPattern::default() };
    let mut left = MOST_NAMES;
    for (at, name) in names.iter().enumerate().skip(sure) {
        let last = at + 1 == names.len();
        let mut next = Vec::new();
        for dir in dirs {
            let Some(MatchedNames { links, dirs, files }) = matched(&dir, name, &mut left, files)?
            else {
                found.complete = false;
                continue;
            };
            if let Some(link) = links.first().filter(|_| !last) {
                return Err(PathError::Unreadable(format!(
                    "{link} is a symlink, which the pattern could lead through"
                )));
            }
            found.links.extend(links);
            next.extend(dirs);
            if last {
                found.files.extend(files);
            }
        }
        dirs = next;
    }
    found.dirs = dirs;
    Ok(found)
}

/// What a pattern for a name finds in one directory.
#[derive(Default)]
struct MatchedNames {
    links: Vec<String>,
    dirs: Vec<String>,
    files: Vec<String>,
}

/// Those in a directory that the pattern for a name could mean; `None` where it cannot be listed.
fn matched(
    dir: &str, name: &[PathPart], left: &mut usize, files: &dyn FileLookup,
) -> Result<Option<MatchedNames>, PathError> {
    let too_many = || {
        PathError::Unreadable(format!(
            "{dir} has too many names for the pattern to be tried, or some that cannot be read"
        ))
    };
    let mut found = MatchedNames::default();
    if let Some(name) = literal(name) {
        let path = format!("{dir}/{name}");
        *left = left.checked_sub(1).ok_or_else(too_many)?;
        let is_link = files.read_link(&path)?.is_some();
        let into = if is_link { &mut found.links } else { &mut found.dirs };
        into.push(path);
        return Ok(Some(found));
    }
    let listed = match files.list(if dir.is_empty() { "/" } else { dir }, *left) {
        DirListing::Unknown => return Ok(None),
        DirListing::TooMany => return Err(too_many()),
        DirListing::Names(listed) => listed,
    };
    for listed in listed {
        *left = left.checked_sub(1).ok_or_else(too_many)?;
        // A wildcard takes no dot. A symlink is looked at all the same.
        let is_hidden = listed.name.starts_with('.') && is_undotted(name);
        if (listed.is_link || !is_hidden) && could_be(name, &listed.name) {
            let path = format!("{dir}/{}", listed.name);
            let into = match (listed.is_link, listed.is_dir) {
                (true, _) => &mut found.links,
                (false, true) => &mut found.dirs,
                (false, false) => &mut found.files,
            };
            into.push(path);
        }
    }
    Ok(Some(found))
}

/// Whether the pattern begins with a wildcard, which takes no dot.
fn is_undotted(name: &[PathPart]) -> bool {
    matches!(name.first(), Some(PathPart::One | PathPart::Undotted))
}

fn literal(name: &[PathPart]) -> Option<String> {
    name.iter()
        .map(|part| if let PathPart::Char(char) = part { Some(*char) } else { None })
        .collect()
}

/// Whether the name could be meant. Errs on the side of yes: in case, where a dot comes first, and whether a shell takes
/// characters for one, or bytes, as it does in the locale `C`.
fn could_be(pattern: &[PathPart], name: &str) -> bool {
    let bytes = || name.bytes().map(char::from).collect::<Vec<char>>();
    is_garbled(name)
        || fits(pattern, &name.chars().collect::<Vec<char>>())
        || !name.is_ascii() && fits(&in_bytes(pattern), &bytes())
}

/// The pattern, with a part for each byte of a character that it spells out.
fn in_bytes(pattern: &[PathPart]) -> Vec<PathPart> {
    let mut parts = Vec::new();
    for part in pattern {
        match part {
            PathPart::Char(char) => {
                let mut buffer = [0; 4];
                let bytes = char.encode_utf8(&mut buffer).bytes();
                parts.extend(bytes.map(|byte| PathPart::Char(char::from(byte))));
            }
            other => parts.push(*other),
        }
    }
    parts
}

fn fits(pattern: &[PathPart], names: &[char]) -> bool {
    let (mut at, mut part) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(part), names.get(at)) {
            (None, None) => return true,
            (Some(PathPart::Run | PathPart::Undotted | PathPart::Any), _) => {
                part += 1;
                back = Some((part, at));
                continue;
            }
            (Some(PathPart::One), Some(_)) => {
                (part, at) = (part + 1, at + 1);
                continue;
            }
            (Some(PathPart::Char(own)), Some(char))
                if own == char || own.to_lowercase().eq(char.to_lowercase()) =>
            {
                (part, at) = (part + 1, at + 1);
                continue;
            }
            _ => {}
        }
        match back {
            Some((after, tried)) if tried < names.len() => {
                (part, at) = (after, tried + 1);
                back = Some((after, at));
            }
            _ => return false,
        }
    }
}
