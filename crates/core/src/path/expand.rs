//! What a shell's pattern for names (`*.md`) finds: symlinks among it may lead anywhere.

use super::dynamic::{Part, unsure};
use super::files::Listing;
use super::{Files, PathError, Where};
use crate::shell::Piece;

/// The most names that are looked at for one pattern.
const MOST_NAMES: usize = 4096;

/// The symlinks that a pattern could be expanded to.
///
/// # Errors
/// When it could lead through one on the way, or when there is too much to look at: then it cannot be told where it leads.
pub fn symlinks_found(
    pieces: &[Piece], from: &Where, files: &dyn Files,
) -> Result<Vec<String>, PathError> {
    let parts = unsure(pieces, from).into_parts();
    if parts.contains(&Part::Any) {
        return Err(PathError::Unreadable("the pattern could lead anywhere".to_owned()));
    }
    let names: Vec<&[Part]> = parts.split(|part| *part == Part::Char('/')).skip(1).collect();
    let sure = names.iter().take_while(|name| literal(name).is_some()).count();
    let known: Vec<String> = names.iter().take(sure).filter_map(|name| literal(name)).collect();
    let mut dirs = vec![known.iter().map(|name| format!("/{name}")).collect::<String>()];
    let mut found = Vec::new();
    let mut left = MOST_NAMES;
    for (at, name) in names.iter().enumerate().skip(sure) {
        let last = at + 1 == names.len();
        let mut next = Vec::new();
        for dir in dirs {
            let (links, below) = matched(&dir, name, &mut left, files)?;
            if let Some(link) = links.first().filter(|_| !last) {
                return Err(PathError::Unreadable(format!(
                    "{link} is a symlink, which the pattern could lead through"
                )));
            }
            found.extend(links);
            next.extend(below);
        }
        dirs = next;
    }
    Ok(found)
}

/// The symlinks and the directories in a directory that the pattern for a name could mean.
fn matched(
    dir: &str, name: &[Part], left: &mut usize, files: &dyn Files,
) -> Result<(Vec<String>, Vec<String>), PathError> {
    let too_many = || PathError::Unreadable(format!("{dir}: too much for the pattern to be tried"));
    let (mut links, mut below) = (Vec::new(), Vec::new());
    if let Some(name) = literal(name) {
        let path = format!("{dir}/{name}");
        *left = left.checked_sub(1).ok_or_else(too_many)?;
        let into = if files.read_link(&path)?.is_some() { &mut links } else { &mut below };
        into.push(path);
        return Ok((links, below));
    }
    let listed = match files.list(if dir.is_empty() { "/" } else { dir }, *left) {
        Listing::Unknown => return Ok((links, below)),
        Listing::TooMany => return Err(too_many()),
        Listing::Names(listed) => listed,
    };
    for listed in listed {
        *left = left.checked_sub(1).ok_or_else(too_many)?;
        if (listed.is_link || listed.is_dir) && could_be(name, &listed.name) {
            let into = if listed.is_link { &mut links } else { &mut below };
            into.push(format!("{dir}/{}", listed.name));
        }
    }
    Ok((links, below))
}

fn literal(name: &[Part]) -> Option<String> {
    name.iter().map(|part| if let Part::Char(char) = part { Some(*char) } else { None }).collect()
}

/// Whether the name could be meant. Errs on the side of yes: in case, and where a dot comes first.
fn could_be(pattern: &[Part], name: &str) -> bool {
    let names: Vec<char> = name.chars().collect();
    let (mut at, mut part) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(part), names.get(at)) {
            (None, None) => return true,
            (Some(Part::Run | Part::Undotted | Part::Any), _) => {
                part += 1;
                back = Some((part, at));
                continue;
            }
            (Some(Part::One), Some(_)) => {
                (part, at) = (part + 1, at + 1);
                continue;
            }
            (Some(Part::Char(own)), Some(char))
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
