//! What the arguments of a command are used for.

use super::PathUse;
use super::expansion;
use super::spec::{OperandSpec, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, FileLoss, Word};

/// What [`OperandUse::Moves`] is kept under.
pub(super) const LINKS: &str = "links";

/// What says that what is in a file stays where it is written: something is added, or only its times and rights change.
const STAYS: &str = "stays";

/// More changes of directory than anyone writes on one line.
const MOST_BASES: usize = 16;

impl ArgumentWalk<'_> {
    /// Operands from here on are relative to this directory.
    pub(super) fn enter(&mut self, part: ArgumentPart) {
        if self.bases.len() >= MOST_BASES {
            // Each is relative to the one before: together they would grow without end.
            return self.runs(part.arg, DoubtReason::NotUnderstood);
        }
        let word = self.named(part, FileAccess::Read);
        let base = self.based(word);
        self.bases.push((part.arg, base.clone()));
        self.path(part.arg, FileAccess::Read, base, false);
    }

    /// The file as it is to who starts where the last [`OperandUse::Base`] leads.
    pub(super) fn based(&self, file: Word) -> Word {
        match self.bases.last() {
            Some((_, base)) => words::join(base, &file),
            None => file,
        }
    }

    /// Notes what a part is used for, relative to the base of this number.
    pub(super) fn apply(&mut self, uses: OperandUse, part: ArgumentPart, base: usize) {
        let recursive = self.recursive;
        match uses {
            OperandUse::Nothing
            | OperandUse::Recursive
            | OperandUse::FollowsBelow
            | OperandUse::Settles
            | OperandUse::Into
            | OperandUse::Base => {}
            OperandUse::Follows => {
                let anywhere = words::unknown(self.place(part.arg));
                self.path(part.arg, FileAccess::Read, anywhere, true);
            }
            OperandUse::Moves => {
                self.effects.moves = true;
                self.keep(LINKS, part);
            }
            OperandUse::Kinds(known) => {
                if !words::names_kinds(&self.word(part), known) {
                    self.runs(part.arg, DoubtReason::Alters);
                }
            }
            OperandUse::Runs => self.runs(part.arg, DoubtReason::RunsCode),
            OperandUse::RunsText => {
                self.runs(part.arg, DoubtReason::RunsCode);
                let script = self.word(part);
                self.effects.scripts.push(script);
            }
            OperandUse::Code(code) => code(self, part),
            OperandUse::Keep(name) | OperandUse::Looks(name) => self.keep(name, part),
            OperandUse::Connects => self.runs(part.arg, DoubtReason::Connects),
            OperandUse::Shows => self.runs(part.arg, DoubtReason::ShowsSecrets),
            OperandUse::Alters => self.runs(part.arg, DoubtReason::Alters),
            OperandUse::Url => {
                let word = self.word(part);
                self.effects.urls.push((part.arg, word));
            }
            OperandUse::Read
            | OperandUse::ReadBelow
            | OperandUse::RunsFile
            | OperandUse::SettlesRead => {
                if matches!(uses, OperandUse::RunsFile) {
                    self.runs(part.arg, DoubtReason::RunsCode);
                }
                let recursive = recursive || matches!(uses, OperandUse::ReadBelow);
                self.file(FileAccess::Read, part, base, recursive);
            }
            OperandUse::Loads => {
                let hidden = words::leads_outside(&self.word(part));
                self.loads(part, base, hidden);
                self.file(FileAccess::Read, part, base, recursive);
            }
            // To others it is a file of that name, which somebody else may have put there.
            OperandUse::WriteOut if self.word(part).literal() == Some("-") => {}
            OperandUse::Empties(name) => {
                let emptied = words::text(self.place(0), name);
                self.lost(0, emptied, true, FileLoss::Deleted);
            }
            OperandUse::Clears(name) => {
                let cleared = words::text(self.place(0), name);
                self.path(0, FileAccess::Write, cleared, true);
            }
            OperandUse::Write | OperandUse::WriteOut | OperandUse::WriteBelow => {
                let recursive = recursive || matches!(uses, OperandUse::WriteBelow);
                self.file(FileAccess::Write, part, base, recursive);
            }
            OperandUse::Replaces => self.loses(part, base, FileLoss::Replaced),
            OperandUse::Deletes => {
                let target = self.named(part, FileAccess::Write);
                let target = self.at_base(target, base);
                self.lost(part.arg, target, true, FileLoss::Deleted);
            }
            OperandUse::Change => {
                self.file(FileAccess::Read, part, base, recursive);
                self.loses(part, base, FileLoss::Nothing);
            }
            OperandUse::Takes => {
                self.file(FileAccess::Read, part, base, recursive);
                self.loses(part, base, FileLoss::Deleted);
            }
        }
    }

    /// Code, or settings that decide what runs. Whether it is the project's own is for who knows the files to say; here it
    /// only counts whether it can be said. `hidden`: a part of the word may name what is not.
    pub(super) fn loads(&mut self, part: ArgumentPart, base: usize, hidden: bool) {
        let word = self.word(part);
        if words::may_expand(&word, words::EXPANDS) {
            return self.runs(part.arg, DoubtReason::Expands);
        }
        let below = words::stays_below(&word) && !hidden && !words::may_stray(&word);
        let told = words::is_plain_path(&word) || below;
        if !told {
            return self.runs(part.arg, DoubtReason::RunsCode);
        }
        // `FILE::TEST`
        if let Some((file, _)) = word.literal().and_then(|text| text.split_once("::")) {
            let file = self.at_base(words::text(&word, file), base);
            self.effects.loads.push((part.arg, file));
        }
        let Some(more) = expansion::alternatives(&word) else {
            return self.runs(part.arg, DoubtReason::NotUnderstood);
        };
        for word in more.into_iter().chain([word]) {
            let word = self.at_base(word, base);
            self.effects.loads.push((part.arg, word));
        }
    }

    fn file(&mut self, access: FileAccess, part: ArgumentPart, base: usize, recursive: bool) {
        let word = self.named(part, access);
        let word = self.at_base(word, base);
        self.path(part.arg, access, word, recursive);
    }

    /// The file that a part names, or any where its program may expand what the shell has left alone. Programs that take data from
    /// their folder alone expand nothing but `~`.
    fn named(&mut self, part: ArgumentPart, access: FileAccess) -> Word {
        let word = self.word(part);
        let signs = match access {
            _ if super::tells_reads(self.program.path.split('.').next().unwrap_or_default()) => &[],
            FileAccess::Read => words::EXPANDS,
            FileAccess::Write => words::EXPANDS_OUT,
        };
        if words::may_expand(&word, signs) {
            self.runs(part.arg, DoubtReason::Expands);
            return words::unknown(&word);
        }
        word
    }

    /// The file as it is to who starts where the base of this number leads.
    fn at_base(&self, file: Word, base: usize) -> Word {
        match base.checked_sub(1).and_then(|index| self.bases.get(index)) {
            Some((_, base)) => words::join(base, &file),
            None => file,
        }
    }

    /// Notes the use of a file.
    pub(super) fn path(&mut self, arg: usize, access: FileAccess, target: Word, recursive: bool) {
        let loss = self.loss(arg, access);
        self.effects.paths.push(PathUse { arg, access, target, recursive, loss });
    }

    /// Notes a file that is written, and what becomes of what is in it.
    pub(super) fn loses(&mut self, part: ArgumentPart, base: usize, loss: FileLoss) {
        let target = self.named(part, FileAccess::Write);
        let target = self.at_base(target, base);
        self.lost(part.arg, target, self.recursive, loss);
    }

    /// The same of a file whose name was put together.
    pub(super) fn lost(&mut self, arg: usize, target: Word, recursive: bool, loss: FileLoss) {
        let access = FileAccess::Write;
        self.effects.paths.push(PathUse { arg, access, target, recursive, loss });
    }

    /// What becomes of what is in a file that this argument names. What no word names the program has made itself, and what a
    /// program writes that builds the project, it makes again.
    pub(super) fn loss(&self, arg: usize, access: FileAccess) -> FileLoss {
        if access == FileAccess::Read || arg == 0 || self.kept(STAYS).is_some() {
            FileLoss::Nothing
        } else if self.kept("deletes").is_some() {
            FileLoss::Deleted
        } else if self.program.data_only || self.kept("overwrites").is_some() {
            FileLoss::Replaced
        } else {
            FileLoss::Nothing
        }
    }

    /// Goes over the operands; `here` is used without any.
    pub(super) fn lay_out(&mut self, layout: OperandSpec, here: OperandUse) {
        if let OperandSpec::Code(code) = layout {
            return code(self);
        }
        let operands = std::mem::take(&mut self.operands);
        let mut used = 0;
        match layout {
            OperandSpec::All(uses) => {
                used = operands.len();
                operands.iter().for_each(|operand| self.operand_is(*operand, uses));
            }
            OperandSpec::First(first, rest) => {
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
            OperandSpec::Copy(source) => {
                used = operands.len();
                self.copy(&operands, source);
            }
            OperandSpec::Code(_) | OperandSpec::Command | OperandSpec::Launches(_) => {}
        }
        let unused = match here {
            OperandUse::Connects => operands.is_empty(),
            OperandUse::Nothing => false,
            _ => used == 0,
        };
        if unused || (self.doubtful && !matches!(here, OperandUse::Nothing)) {
            self.here(here);
        }
    }

    /// The working directory is used, since no operand says otherwise.
    pub(super) fn here(&mut self, uses: OperandUse) {
        if matches!(uses, OperandUse::Connects) {
            return self.runs(0, DoubtReason::Connects);
        }
        let (arg, word) = match self.bases.last() {
            Some((arg, base)) => (*arg, base.clone()),
            None => (0, words::text(self.place(0), ".")),
        };
        let (access, below) = match uses {
            OperandUse::Write => (FileAccess::Write, false),
            OperandUse::WriteBelow => (FileAccess::Write, true),
            OperandUse::ReadBelow => (FileAccess::Read, true),
            _ => (FileAccess::Read, false),
        };
        // No word says it, and yet it takes away what is there, or puts what it has in its place.
        let is_lossy = self.kept("overwrites").is_some() || self.kept("deletes").is_some();
        let loss = self.loss(if is_lossy { arg.max(1) } else { arg }, access);
        let recursive = below || self.recursive;
        self.effects.paths.push(PathUse { arg, access, target: word, recursive, loss });
    }
}
