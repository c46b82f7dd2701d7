//! What a call takes away of what is there: the file that it deletes, and the one that it puts something else in the place of. A
//! person who is asked about it looks twice. It tightens nothing, so that what cannot be told counts as a loss.

use super::lost::is_one_that;
use super::spot::{PathSpots, is_folder};
use super::{CallJudge, NeedsFiles, looked_up};
use crate::path::PathError;
use crate::policy::action::{Action, ActionKind, ByArgument};
use crate::shell::{FileAccess, FileLoss, Word, base_name, is_formatter, replaces};

/// Devices that keep nothing of what is written to them.
const STREAMS: &[&str] =
    &["null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "console"];

/// Folders of such.
const STREAM_FOLDERS: &[&str] = &["fd/", "pts/", "tcp/", "udp/"];

/// Folders of files there that lie in memory.
const MEMORY: &[&str] = &["shm/", "mqueue/"];

impl CallJudge<'_> {
    /// Of each action what becomes of what is there.
    pub(super) fn losses(&self) -> Result<Vec<FileLoss>, NeedsFiles> {
        self.actions.iter().map(|action| self.loss_now(action)).collect()
    }

    fn loss_now(&self, action: &Action) -> Result<FileLoss, NeedsFiles> {
        let ActionKind::Path { access: FileAccess::Write, target, extent, by } = &action.kind
        else {
            return Ok(FileLoss::Nothing);
        };
        let loss = match action.loss {
            FileLoss::Nothing if self.changes_in_place(by.as_ref(), target) => FileLoss::Replaced,
            loss => loss,
        };
        if !loss.takes_away() || action.mentioned {
            return Ok(FileLoss::Nothing);
        }
        let spots = match PathSpots::of(target, *extent, &action.start, self.files) {
            Err(PathError::NeedsFiles) => return Err(NeedsFiles),
            Err(_) => return Ok(loss),
            Ok(spots) => spots,
        };
        if self.is_of_repository(by.as_ref(), target) {
            return Ok(loss);
        }
        if let Some(is_lost) = self.device_loss(&spots, target, by.as_ref()) {
            return Ok(if is_lost { loss } else { FileLoss::Nothing });
        }
        if spots.error.is_some() || !spots.loose.is_empty() {
            return Ok(loss);
        }
        let found = spots.found.iter().map(String::as_str);
        for place in spots.located.iter().map(|path| path.real.as_str()).chain(found) {
            let is_there = match loss {
                FileLoss::Deleted => self.files.has(place),
                _ => self.files.holds_content(place),
            };
            let is_tree = loss == FileLoss::Replaced && extent.is_recursive();
            if looked_up(is_there)?.unwrap_or(true) || is_tree && is_folder(place, self.files) {
                return Ok(loss);
            }
        }
        Ok(FileLoss::Nothing)
    }

    /// Whether it stands for what git keeps in its repository, wherever that lies.
    fn is_of_repository(&self, by: Option<&ByArgument>, target: &Word) -> bool {
        let program = by.and_then(|by| self.argv(by)).and_then(<[Word]>::first);
        program.is_some_and(|first| is_one_that(first, |name| name == "git"))
            && target.literal().is_some_and(|path| path.starts_with(".git/"))
    }

    /// Whether what is written to a device takes something away; `None`: it is no device. A disk that is not plugged in yet counts.
    /// What moves a file there puts that in the device's place.
    fn device_loss(
        &self, spots: &PathSpots, target: &Word, by: Option<&ByArgument>,
    ) -> Option<bool> {
        let name = match target.literal().and_then(|path| path.strip_prefix("/dev/")) {
            Some(name) if !MEMORY.iter().any(|it| name.starts_with(it)) => name,
            _ if spots.is_null_device() => "null",
            _ => return None,
        };
        let is_stream =
            STREAMS.contains(&name) || STREAM_FOLDERS.iter().any(|it| name.starts_with(it));
        let program = by.and_then(|by| self.argv(by)).and_then(<[Word]>::first);
        Some(!is_stream || program.is_some_and(|first| is_one_that(first, replaces)))
    }

    /// Whether a command edits this file by itself, and is no formatter: it reads it and writes it, and moves it nowhere.
    fn changes_in_place(&self, by: Option<&ByArgument>, target: &Word) -> bool {
        let Some(by) = by else { return false };
        let Some(name) = self.argv(by).and_then(<[Word]>::first).and_then(Word::literal) else {
            return false;
        };
        let of_command = |other: &&Action| matches!(&other.kind, ActionKind::Path { by: Some(its), .. } if its.command == by.command);
        let mut reads = false;
        for other in self.actions.iter().filter(of_command) {
            match &other.kind {
                ActionKind::Path {
                    access: FileAccess::Read, target: its, by: Some(at), ..
                } => {
                    reads |= at.arg == by.arg && its == target;
                }
                ActionKind::Path { access: FileAccess::Write, .. } if other.loss.takes_away() => {
                    return false;
                }
                _ => {}
            }
        }
        // What git is given to change it has kept, or moves.
        reads && base_name(name) != "git" && !is_formatter(base_name(name))
    }
}
