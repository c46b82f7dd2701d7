//! Sources and a destination.

use super::spec::OperandUse;
use super::uses::LINKS;
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand};
use super::words;
use crate::shell::{DoubtReason, FileAccess, FileLoss, Word, WordPiece, base_name};

/// What an option is kept under that has the destination be no folder to put the sources into.
const WHOLE: &str = "whole";

/// What is kept of a program, or of an option of it, whose sources go on under other names.
const RELINKS: &str = "relinks";

/// Of more sources than these the names in the destination are not spelled out.
const MOST_SOURCES: usize = 64;

impl ArgumentWalk<'_> {
    /// The destination may be a directory: the sources' names in it are written.
    fn under(&mut self, destination: ArgumentPart, sources: &[WalkOperand]) {
        if sources.len() > MOST_SOURCES {
            let target = words::unknown(self.place(destination.arg));
            return self.path(destination.arg, FileAccess::Write, target, true);
        }
        let directory = self.word(destination);
        let parents = self.kept("parents").is_some();
        for source in sources {
            if parents {
                // `--parents`: the whole path of the source, below the destination.
                let target = match self.place(source.arg).literal() {
                    Some(path) => {
                        let path = words::text(&directory, path.trim_start_matches('/'));
                        words::join(&directory, &path)
                    }
                    None => words::unknown(&directory),
                };
                self.copied(destination.arg, target);
            }
            if let Some(name) = words::file_name(self.place(source.arg)) {
                let target = words::join(&directory, &name);
                self.copied(destination.arg, target);
            } else if self.kept("makes-links").is_some() {
                // `ln -sf / a/b`: it first makes one beside the destination, under a name of its own.
                let mut target = words::text(&directory, "./");
                target.pieces.push(WordPiece::Unknown { splits: false });
                if let Some((above, _)) =
                    directory.literal().and_then(|path| path.trim_end_matches('/').rsplit_once('/'))
                {
                    target = words::join(&words::text(&directory, above), &target);
                }
                self.path(destination.arg, FileAccess::Write, target, false);
            }
        }
    }

    /// The destination is written. Where it is a folder, the sources are put into it under their own names, unless it takes the
    /// place of one itself, or what is in a source goes into it: `cp -T a b`, `cp -r a/. b`, `rsync a/ b`.
    fn replaced(&mut self, destination: WalkOperand, sources: &[WalkOperand]) {
        let poured = |source: &WalkOperand| {
            let place = self.place(source.arg);
            place.literal().is_some_and(|text| text.ends_with('/'))
                || words::file_name(place).is_none()
        };
        let whole = self.kept(WHOLE).is_some() || sources.iter().any(poured);
        match self.loss(destination.arg, FileAccess::Write) {
            FileLoss::Replaced if !whole => {
                self.operand_loses(destination, FileLoss::ReplacedFile);
            }
            loss => self.operand_loses(destination, loss),
        }
    }

    /// Notes what is written, and what is kept beside it of what was there.
    fn copied(&mut self, arg: usize, target: Word) {
        self.backup(arg, &target);
        self.path(arg, FileAccess::Write, target, self.recursive);
    }

    /// What was there is kept beside it, under a name that begins with its own.
    fn backup(&mut self, arg: usize, target: &Word) {
        if self.kept("backup").is_some() {
            let mut kept = target.clone();
            kept.pieces.push(WordPiece::Unknown { splits: false });
            self.path(arg, FileAccess::Write, kept, self.recursive);
        }
    }

    /// Sources and a destination. With words that may vanish or become several, more than one could be the destination.
    pub(super) fn copy(&mut self, operands: &[WalkOperand], source: OperandUse) {
        let last = operands.len().saturating_sub(1);
        // Writing the link writes what it leads to.
        let links = self.kept(LINKS).is_some() || matches!(source, OperandUse::Change);
        let source = if links { OperandUse::Read } else { source };
        let moved = if self.kept(RELINKS).is_some() { FileLoss::Moved } else { FileLoss::Nothing };
        if let Some(into) = self.into {
            self.under(into, operands);
        }
        let certain = operands.iter().rposition(|operand| !self.place(operand.arg).splits());
        for (index, operand) in operands.iter().enumerate() {
            let destination = self.into.is_none() && index >= certain.unwrap_or(0);
            let several = self.place(operand.arg).splits();
            if index < last || several || self.into.is_some() || last == 0 {
                self.operand_is(*operand, source);
                if links {
                    self.operand_loses(*operand, moved);
                }
                if self.kept("rights").is_some() {
                    self.runs(operand.arg, DoubtReason::KeepsRights);
                }
            }
            if destination && (last > 0 || several) {
                let sources = operands.get(..index).unwrap_or(&[]);
                self.replaced(*operand, sources);
                self.backup(operand.arg, self.place(operand.arg));
                self.under(ArgumentPart { arg: operand.arg, skip: 0 }, sources);
            }
            if last == 0 && self.into.is_none() && !several {
                // `ln -s target` writes here, under the target's name, or under any where that is not known.
                let word = self.place(operand.arg);
                let name = word.literal().map(base_name).filter(|it| !["", ".", ".."].contains(it));
                let here = name.map_or(".".to_owned(), |name| format!("./{name}"));
                self.path(operand.arg, FileAccess::Write, words::text(word, &here), name.is_none());
            }
        }
    }
}
