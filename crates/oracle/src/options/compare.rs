//! What a line did against what the verdict spoke of.

use countersign_core::shell::FileAccess;
use serde::{Deserialize, Serialize};

use super::deeds::{Deed, How, real};
use super::judge::{Said, Spoken};
use super::known;
use super::world::World;

/// Something that a line did and the verdict did not speak of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The words that the line begins with.
    pub target: String,
    /// The line.
    pub line: String,
    /// What it did: `Reads`, `Writes`, `Runs` and the like.
    pub what: String,
    /// The file or address.
    pub path: String,
    /// strace's words.
    pub call: String,
}

/// All that was done and not spoken of, each once. `words` are the line's.
pub fn differences(
    words: &[String], file: &str, spoken: &Spoken, deeds: &[Deed], world: &World,
) -> Vec<Deed> {
    let mut found: Vec<Deed> = Vec::new();
    let mut started = false;
    let said = spoken.files.as_slice();
    let runs = |path: &str| {
        let name = path.rsplit('/').next();
        spoken.programs.iter().any(|program| program == path || Some(program.as_str()) == name)
    };
    for deed in deeds {
        if deed.how == How::Runs && !started && (deed.path == file) {
            started = true;
            continue;
        }
        // What a wrapper runs has its own part in the verdict.
        if deed.how == How::Runs && runs(&deed.path) && started {
            continue;
        }
        let deed = Deed { path: place(deed), ..deed.clone() };
        if is_said(words, &deed, said, world) || known::is_known(words, &deed, world) {
            continue;
        }
        if !found.iter().any(|other| other.how == deed.how && other.path == deed.path) {
            found.push(deed);
        }
    }
    found
}

fn place(deed: &Deed) -> String {
    match deed.how {
        How::Reads | How::Lists | How::Writes | How::Runs => real(&deed.path),
        _ => deed.path.clone(),
    }
}

fn is_said(words: &[String], deed: &Deed, said: &[Said], world: &World) -> bool {
    let speaks = |access: Option<FileAccess>| {
        said.iter().any(|it| {
            access.is_none_or(|access| it.access == access)
                && it
                    .places
                    .iter()
                    .any(|place| *place == deed.path || it.below && is_below(&deed.path, place))
        })
    };
    let program = words.first().map_or("", String::as_str);
    // What the line itself made may be read.
    let is_made = || !world.has(&deed.path) && is_ours(&deed.path);
    let named = || said.iter().any(|it| lists(program, it, &deed.path));
    match deed.how {
        How::Reads if known::looks_again(program) => speaks(None) || is_made(),
        // It opens files to ask for their attributes.
        How::Reads if program == "lsattr" => named(),
        How::Reads => speaks(Some(FileAccess::Read)) || is_made(),
        How::Lists => speaks(None) || is_made() || named(),
        // A directory on the way to what is made.
        How::Writes if deed.call.starts_with("mkdir") && leads(&deed.path, said) => true,
        How::Writes => speaks(Some(FileAccess::Write)) || is_passing(deed, said, world),
        How::Runs | How::Connects | How::Signals | How::Machine => false,
    }
}

/// Whether something that is written lies below this directory.
fn leads(dir: &str, said: &[Said]) -> bool {
    let written = said.iter().filter(|it| it.access == FileAccess::Write);
    written.flat_map(|it| &it.places).any(|place| is_below(place, dir))
}

/// Whether the names in a directory belong to what is said: those beside a file that is written, for the number of its
/// backup, and those below a directory where names are all that is read.
fn lists(program: &str, said: &Said, dir: &str) -> bool {
    said.places.iter().any(|place| match said.access {
        FileAccess::Write => known::names_beside(program) && parent(place) == dir,
        FileAccess::Read => known::names_below(program) && is_below(dir, place),
    })
}

/// A file that was made beside one that is written, and is gone again.
fn is_passing(deed: &Deed, said: &[Said], world: &World) -> bool {
    let gone = std::path::Path::new(&deed.path).symlink_metadata().is_err();
    gone && !world.has(&deed.path)
        && said.iter().any(|it| {
            it.access == FileAccess::Write
                && it.places.iter().any(|place| parent(place) == parent(&deed.path))
        })
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn is_ours(path: &str) -> bool {
    is_below(path, super::world::ROOT)
}

pub(super) fn is_below(path: &str, dir: &str) -> bool {
    let dir = dir.trim_end_matches('/');
    path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_beside_and_below_by_those_alone_that_must() {
        let said =
            |access, place: &str| Said { access, places: vec![place.to_owned()], below: false };
        let (writes, reads) =
            (said(FileAccess::Write, "/srv/w/p/a"), said(FileAccess::Read, "/srv/w/p/d"));
        assert!(lists("cp", &writes, "/srv/w/p") && lists("find", &reads, "/srv/w/p/d/e"));
        assert!(!lists("sort", &writes, "/srv/w/p") && !lists("cp", &writes, "/srv/w/p/d"));
        assert!(!lists("cat", &reads, "/srv/w/p/d/e") && !lists("find", &reads, "/srv/w/p"));
    }
}
