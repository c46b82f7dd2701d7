//! The effects of a line against the files and programs that its verdict mentions.

use countersign_core::shell::FileAccess;
use serde::{Deserialize, Serialize};

use super::effects::{EffectKind, ObservedEffect, real};
use super::judge::{FileMention, VerdictMentions};
use super::known;
use super::world::WorldTree;

/// A difference: an effect of a line that its verdict does not cover.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineDifference {
    /// The words that the line begins with.
    pub target: String,
    /// The line.
    pub line: String,
    /// The kind of the effect: `Reads`, `Writes`, `Runs` and the like.
    pub what: String,
    /// The file or address.
    pub path: String,
    /// The system call, in strace's words.
    pub call: String,
}

/// The effects that the verdict does not cover, each once. `words` are those of the line.
pub fn differences(
    words: &[String], file: &str, mentions: &VerdictMentions, effects: &[ObservedEffect],
    world: &WorldTree,
) -> Vec<ObservedEffect> {
    let mut found: Vec<ObservedEffect> = Vec::new();
    let mut started = false;
    let files = mentions.files.as_slice();
    let runs = |path: &str| {
        let name = path.rsplit('/').next();
        mentions.programs.iter().any(|program| program == path || Some(program.as_str()) == name)
    };
    for effect in effects {
        if effect.kind == EffectKind::Runs && !started && (effect.path == file) {
            started = true;
            continue;
        }
        // The verdict covers the program that a wrapper runs by itself.
        if effect.kind == EffectKind::Runs && runs(&effect.path) && started {
            continue;
        }
        let effect = ObservedEffect { path: place(effect), ..effect.clone() };
        if is_mentioned(words, &effect, files, world) || known::is_known(words, &effect, world) {
            continue;
        }
        if !found.iter().any(|other| other.kind == effect.kind && other.path == effect.path) {
            found.push(effect);
        }
    }
    found
}

fn place(effect: &ObservedEffect) -> String {
    match effect.kind {
        EffectKind::Reads | EffectKind::Lists | EffectKind::Writes | EffectKind::Runs => {
            real(&effect.path)
        }
        _ => effect.path.clone(),
    }
}

fn is_mentioned(
    words: &[String], effect: &ObservedEffect, files: &[FileMention], world: &WorldTree,
) -> bool {
    let speaks = |access: Option<FileAccess>| {
        files.iter().any(|it| {
            access.is_none_or(|access| it.access == access)
                && it
                    .places
                    .iter()
                    .any(|place| *place == effect.path || it.below && is_below(&effect.path, place))
        })
    };
    let program = words.first().map_or("", String::as_str);
    // Files that the line itself made may be read.
    let is_made = || !world.has(&effect.path) && is_ours(&effect.path);
    let named = || files.iter().any(|it| lists(program, it, &effect.path));
    match effect.kind {
        EffectKind::Reads if known::looks_again(program) => speaks(None) || is_made(),
        // It opens files to ask for their attributes.
        EffectKind::Reads if program == "lsattr" => named(),
        EffectKind::Reads => speaks(Some(FileAccess::Read)) || is_made(),
        EffectKind::Lists => speaks(None) || is_made() || named(),
        // A directory on the way to a file that is made.
        EffectKind::Writes if effect.call.starts_with("mkdir") && leads(&effect.path, files) => {
            true
        }
        EffectKind::Writes => speaks(Some(FileAccess::Write)) || is_passing(effect, files, world),
        EffectKind::Runs | EffectKind::Connects | EffectKind::Signals | EffectKind::Machine => {
            false
        }
    }
}

/// Whether a file that the verdict lets be written lies below this directory.
fn leads(dir: &str, files: &[FileMention]) -> bool {
    let written = files.iter().filter(|it| it.access == FileAccess::Write);
    written.flat_map(|it| &it.places).any(|place| is_below(place, dir))
}

/// Whether the use of a mentioned file includes reading the names in a directory: those beside a written file, for the number of
/// its backup, and those below a directory whose names alone are read.
fn lists(program: &str, file: &FileMention, dir: &str) -> bool {
    file.places.iter().any(|place| match file.access {
        FileAccess::Write => known::names_beside(program) && parent(place) == dir,
        FileAccess::Read => known::names_below(program) && is_below(dir, place),
    })
}

/// A file that was made beside a written one, and is gone again.
fn is_passing(effect: &ObservedEffect, files: &[FileMention], world: &WorldTree) -> bool {
    let gone = std::path::Path::new(&effect.path).symlink_metadata().is_err();
    gone && !world.has(&effect.path)
        && files.iter().any(|it| {
            it.access == FileAccess::Write
                && it.places.iter().any(|place| parent(place) == parent(&effect.path))
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
        let file = |access, place: &str| FileMention {
            access,
            places: vec![place.to_owned()],
            below: false,
        };
        let (writes, reads) =
            (file(FileAccess::Write, "/srv/w/p/a"), file(FileAccess::Read, "/srv/w/p/d"));
        assert!(lists("cp", &writes, "/srv/w/p") && lists("find", &reads, "/srv/w/p/d/e"));
        assert!(!lists("sort", &writes, "/srv/w/p") && !lists("cp", &writes, "/srv/w/p/d"));
        assert!(!lists("cat", &reads, "/srv/w/p/d/e") && !lists("find", &reads, "/srv/w/p"));
    }
}
