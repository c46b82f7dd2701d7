//! What the arguments of a command are used for.

use super::PathUse;
use super::spec::{Operands, Use};
use super::walk::{Part, Walk};
use super::words;
use crate::shell::{Access, Why, Word};

/// What [`Use::Moves`] is kept under.
pub(super) const LINKS: &str = "links";

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
            Use::Nothing
            | Use::Recursive
            | Use::FollowsBelow
            | Use::Settles
            | Use::Into
            | Use::Base => {}
            Use::Follows => {
                let anywhere = words::unknown(self.place(part.arg));
                self.path(part.arg, Access::Read, anywhere, true);
            }
            Use::Moves => {
                self.effects.moves = true;
                self.keep(LINKS, part);
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
                let hidden = words::leads_outside(&self.word(part));
                self.loads(part, base, hidden);
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

    /// Code, or settings that decide what runs. Whether it is the project's own is for who knows the files to say; here it
    /// only counts whether it can be said. `hidden`: a part of the word may name what is not.
    pub(super) fn loads(&mut self, part: Part, base: usize, hidden: bool) {
        let word = self.word(part);
        let below = words::stays_below(&word) && !hidden && !words::may_stray(&word);
        let told = words::is_plain_path(&word) || below;
        if !told {
            return self.runs(part.arg, Why::RunsCode);
        }
        // `FILE::TEST`
        if let Some((file, _)) = word.literal().and_then(|text| text.split_once("::")) {
            let file = self.at_base(words::text(&word, file), base);
            self.effects.loads.push((part.arg, file));
        }
        let word = self.at_base(word, base);
        self.effects.loads.push((part.arg, word));
    }

    fn file(&mut self, access: Access, part: Part, base: usize, recursive: bool) {
        let word = self.word(part);
        if word.literal() == Some("-") && !self.program.dash {
            return;
        }
        let word = self.at_base(word, base);
        self.path(part.arg, access, word, recursive);
    }

    /// The file as it is to who starts where the base of this number leads.
    fn at_base(&self, file: Word, base: usize) -> Word {
        match base.checked_sub(1).and_then(|index| self.bases.get(index)) {
            Some((_, base)) => words::join(base, &file),
            None => file,
        }
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
        let unused = match here {
            Use::Connects => operands.is_empty(),
            Use::Nothing => false,
            _ => used == 0,
        };
        if unused || (self.doubtful && !matches!(here, Use::Nothing)) {
            self.here(here);
        }
    }

    /// The working directory is used, since no operand says otherwise.
    pub(super) fn here(&mut self, uses: Use) {
        if matches!(uses, Use::Connects) {
            return self.runs(0, Why::Connects);
        }
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
