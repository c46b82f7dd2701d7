//! What a call takes away of what is there: the file that it deletes, and the one that it puts something else in the place of. A
//! person who is asked about it looks twice. It tightens nothing, so that what cannot be told counts as a loss.

use super::spot::PathSpots;
use super::{CallJudge, NeedsFiles, looked_up};
use crate::path::PathError;
use crate::policy::action::{Action, ActionKind, ByArgument};
use crate::shell::{FileAccess, FileLoss, Word, base_name, is_formatter};

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
        if loss == FileLoss::Nothing || action.mentioned {
            return Ok(FileLoss::Nothing);
        }
        let spots = match PathSpots::of(target, *extent, &action.start, self.files) {
            Err(PathError::NeedsFiles) => return Err(NeedsFiles),
            Err(_) => return Ok(loss),
            Ok(spots) => spots,
        };
        if spots.is_null_device() {
            return Ok(FileLoss::Nothing);
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
            if looked_up(is_there)?.unwrap_or(true) {
                return Ok(loss);
            }
        }
        Ok(FileLoss::Nothing)
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
                ActionKind::Path { access: FileAccess::Write, .. }
                    if other.loss != FileLoss::Nothing =>
                {
                    return false;
                }
                _ => {}
            }
        }
        // What git is given to change it has kept, or moves.
        reads && base_name(name) != "git" && !is_formatter(base_name(name))
    }
}
