//! What the arguments of a command are used for.

use super::PathUse;
use super::spec::{Operands, Use};
use super::walk::{Part, Walk};
use super::words;
use crate::shell::{Access, Why, Word};

/// More changes of directory than anyone writes on one line.
const MOST_BASES: usize = 16;

impl Walk<'_> {
    /// Operands from here on are relative to this directory.
    pub(super) fn enter(&mut self, part: Part) {
        if self.bases.len() >= MOST_BASES {
            // Each is relative to the one before: together they would grow without end.
            return self.runs(part.arg, Why::NotUnderstood);
        }
        let word = self.word(part);
        let base = self.based(word);
        self.bases.push((part.arg, base.clone()));
        self.path(part.arg, Access::Read, base, false);
    }

    /// The file as it is to who starts where the last [`Use::Base`] leads.
    pub(super) fn based(&self, file: Word) -> Word {
        match self.bases.last() {
            Some((_, base)) => words::join(base, &file),
            None => file,
        }
    }

    /// Notes what a part is used for, relative to the base of this number.
    pub(super) fn apply(&mut self, uses: Use, part: Part, base: usize) {
        let recursive = self.recursive;
        match uses {
            Use::Nothing | Use::Recursive | Use::Settles | Use::Into | Use::Base => {}
            Use::Follows => {
                let anywhere = words::unknown(self.place(part.arg));
                self.path(part.arg, Access::Read, anywhere, true);
            }
            Use::Runs => self.runs(part.arg, Why::RunsCode),
            Use::Code(code) => code(self, part),
            Use::Keep(name) => self.keep(name, part),
            Use::Connects => self.runs(part.arg, Why::Connects),
            Use::Shows => self.runs(part.arg, Why::ShowsSecrets),
            Use::Alters => self.runs(part.arg, Why::Alters),
            Use::Url => {
                let word = self.word(part);
                self.effects.urls.push((part.arg, word));
            }
            Use::Read | Use::ReadBelow | Use::RunsFile | Use::SettlesRead => {
                if matches!(uses, Use::RunsFile) {
                    self.runs(part.arg, Why::RunsCode);
                }
                let recursive = recursive || matches!(uses, Use::ReadBelow);
                self.file(Access::Read, part, base, recursive);
            }
            Use::Loads => {
                let word = self.word(part);
                if !words::stays_below(&word) || words::leads_outside(&word) {
                    self.runs(part.arg, Why::RunsCode);
                }
                self.file(Access::Read, part, base, recursive);
            }
            Use::Write | Use::WriteBelow => {
                let recursive = recursive || matches!(uses, Use::WriteBelow);
                self.file(Access::Write, part, base, recursive);
            }
            Use::Change => {
                self.file(Access::Read, part, base, recursive);
                self.file(Access::Write, part, base, recursive);
            }
        }
    }

    fn file(&mut self, access: Access, part: Part, base: usize, recursive: bool) {
        let word = self.word(part);
        if word.literal() == Some("-") && !self.program.dash {
            return;
        }
        let word = match base.checked_sub(1).and_then(|index| self.bases.get(index)) {
            Some((_, base)) => words::join(base, &word),
            None => word,
        };
        self.path(part.arg, access, word, recursive);
    }

    /// Notes the use of a file.
    pub(super) fn path(&mut self, arg: usize, access: Access, target: Word, recursive: bool) {
        self.effects.paths.push(PathUse { arg, access, target, recursive });
    }

    /// Goes over the operands; `here` is used when there is none.
    pub(super) fn lay_out(&mut self, layout: Operands, here: Use) {
        if let Operands::Code(code) = layout {
            return code(self);
        }
        let operands = std::mem::take(&mut self.operands);
        let mut used = 0;
        match layout {
            Operands::All(uses) => {
                used = operands.len();
                operands.iter().for_each(|operand| self.operand_is(*operand, uses));
            }
            Operands::First(first, rest) => {
                let mut settled = self.settled;
                for operand in &operands {
                    if settled {
                        used += 1;
                        self.operand_is(*operand, rest);
                        continue;
                    }
                    self.operand_is(*operand, first);
                    // A word that may vanish leaves its place to the next.
                    settled = !self.place(operand.arg).splits();
                    if !settled {
                        self.operand_is(*operand, rest);
                    }
                }
            }
            Operands::Copy(source) => {
                used = operands.len();
                self.copy(&operands, source);
            }
            Operands::Code(_) | Operands::Command | Operands::Launches(_) => {}
        }
        if (used == 0 || self.doubtful) && !matches!(here, Use::Nothing) {
            self.here(here);
        }
    }

    /// The working directory is used, since no operand says otherwise.
    pub(super) fn here(&mut self, uses: Use) {
        let (arg, word) = match self.bases.last() {
            Some((arg, base)) => (*arg, base.clone()),
            None => (0, words::text(self.place(0), ".")),
        };
        let (access, below) = match uses {
            Use::Write => (Access::Write, false),
            Use::WriteBelow => (Access::Write, true),
            Use::ReadBelow => (Access::Read, true),
            _ => (Access::Read, false),
        };
        self.path(arg, access, word, below || self.recursive);
    }
}
