//! The walk over a command's words with a program's table in hand.

use super::Effects;
use super::index::Index;
use super::spec::{Dynamic, Operands, Program, Row, Style, Takes, Use};
use super::words;
use crate::shell::{Access, Why, Word};

/// An argument, or what is left of it after its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The argument.
    pub(super) arg: usize,
    /// The bytes left out.
    pub(super) skip: usize,
}

/// An operand, and how many [`Use::Base`] stood before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub(super) arg: usize,
    base: usize,
}

/// A walk.
pub(super) struct Walk<'a> {
    pub(super) argv: &'a [Word],
    /// Words that are files, whatever they become.
    pub(super) files: &'a [Word],
    pub(super) index: &'static Index,
    pub(super) program: &'static Program,
    pub(super) effects: Effects,
    pub(super) operands: Vec<Operand>,
    /// Whether an option stood for the first operand.
    pub(super) settled: bool,
    /// Directories, and the arguments that name them.
    pub(super) bases: Vec<(usize, Word)>,
    pub(super) recursive: bool,
    pub(super) into: Option<Part>,
    kept: Vec<(u8, Part)>,
    /// The last of each number.
    last_kept: Vec<(u8, Part)>,
}

/// What the program of this index does with `argv[from..]`, where `from` is its first argument.
pub(super) fn walk<'a>(
    index: &'static Index, argv: &'a [Word], files: &'a [Word], from: usize,
) -> Effects {
    let program = index.program;
    let mut walk = Walk {
        argv,
        files,
        index,
        program,
        effects: Effects::default(),
        operands: Vec::new(),
        settled: false,
        bases: Vec::new(),
        recursive: program.recursive,
        into: None,
        kept: Vec::new(),
        last_kept: Vec::new(),
    };
    walk.arguments(from);
    walk.finish();
    walk.effects
}

impl<'a> Walk<'a> {
    fn arguments(&mut self, from: usize) {
        let one_dash = matches!(self.program.style, Style::OneDash | Style::OneDashLeading);
        let leading = matches!(self.program.style, Style::Leading | Style::OneDashLeading);
        let mut next = from;
        while let Some(word) = self.argv.get(next) {
            let at = next;
            next += 1;
            let begins = words::beginning(word);
            let long = begins.strip_prefix("--");
            if long == Some("") && word.pieces.len() == 1 {
                self.operands_from(next);
                return;
            }
            self.uncertain(at, begins.is_empty());
            if let Some(name) = long {
                next += self.long(at, name, 2);
            } else if begins.len() > 1 && begins.starts_with('-') {
                next += if one_dash {
                    self.long(at, begins.get(1..).unwrap_or(""), 1)
                } else {
                    self.bundle(at, begins)
                };
            } else if begins == "-" && word.pieces.len() > 1 {
                self.option_in_doubt(at);
            } else if self.program.plus && begins.starts_with('+') {
                self.runs(at, Why::RunsCode);
            } else {
                self.operand(at);
                if leading {
                    self.operands_from(next);
                    return;
                }
            }
        }
    }

    fn operands_from(&mut self, from: usize) {
        for at in from..self.argv.len() {
            self.operand(at);
        }
    }

    fn operand(&mut self, arg: usize) {
        self.operands.push(Operand { arg, base: self.bases.len() });
    }

    /// A word before `--` that could become an option.
    fn uncertain(&mut self, at: usize, whole: bool) {
        let Some(word) = self.argv.get(at) else { return };
        let doubt = words::splits_into_options(word) || (whole && words::begins_unknown(word));
        if !doubt || self.files.contains(word) {
            return;
        }
        let splits = words::splits_into_options(word);
        match self.program.dynamic {
            Dynamic::Splitting if splits => self.runs(at, Why::MayBeOption),
            Dynamic::Leading => self.runs(at, Why::MayBeOption),
            Dynamic::Free if splits && self.writes() => {
                self.path(at, Access::Write, word.clone(), false)
            }
            _ => {}
        }
    }

    /// Whether some option names a file that is written.
    fn writes(&self) -> bool {
        self.program.rows.iter().any(|row| {
            matches!(row.uses, Use::Write | Use::WriteBelow | Use::Change | Use::Into)
                && row.takes != Takes::Nothing
        })
    }

    /// An option whose name is not certain.
    fn option_in_doubt(&mut self, at: usize) {
        if matches!(self.program.dynamic, Dynamic::Splitting | Dynamic::Leading)
            || self.program.closed
        {
            self.runs(at, Why::MayBeOption);
        } else if self.writes() {
            self.path(at, Access::Write, words::unknown(self.place(at)), false);
        } else {
            self.operand(at);
        }
    }

    /// A long option; how many words after it belong to it.
    fn long(&mut self, at: usize, name: &str, dashes: usize) -> usize {
        let (name, attached) = match name.split_once('=') {
            Some((name, _)) => (name, Some(Part { arg: at, skip: dashes + name.len() + 1 })),
            None => (name, None),
        };
        if attached.is_none() && self.place(at).pieces.len() > 1 {
            self.option_in_doubt(at);
            return 0;
        }
        let Some(row) = self.index.long(name) else {
            if self.program.closed {
                self.runs(at, Why::UnknownOption);
            } else if let Some(part) = attached {
                self.unknown_value(part);
            }
            return 0;
        };
        match (attached, row.takes) {
            (Some(part), Takes::Value | Takes::Maybe) => self.option(row, part),
            (None, Takes::Value) => return self.with_next(row, at),
            (_, _) => self.option(row, Part { arg: at, skip: 0 }),
        }
        0
    }

    /// One-letter options in one word; how many words after it belong to it.
    fn bundle(&mut self, at: usize, begins: &str) -> usize {
        let whole = self.place(at).pieces.len() == 1;
        for (index, letter) in begins.char_indices().skip(1) {
            let Some(row) = self.index.short(letter) else {
                if self.program.closed && !(letter.is_ascii_digit() && self.digits()) {
                    self.runs(at, Why::UnknownOption);
                    return 0;
                }
                continue;
            };
            let rest = Part { arg: at, skip: index + letter.len_utf8() };
            let attached = !whole || rest.skip < begins.len();
            match row.takes {
                Takes::Nothing => self.option(row, Part { arg: at, skip: 0 }),
                Takes::Maybe if attached => {
                    self.option(row, rest);
                    return 0;
                }
                Takes::Maybe => self.option(row, Part { arg: at, skip: 0 }),
                Takes::Value if attached => {
                    self.option(row, rest);
                    return 0;
                }
                Takes::Value => return self.with_next(row, at),
            }
        }
        if !whole {
            self.option_in_doubt(at);
        }
        0
    }

    /// Whether `-5` is a number to this program.
    fn digits(&self) -> bool {
        self.index.short('0').is_some()
    }

    fn with_next(&mut self, row: &'static Row, at: usize) -> usize {
        if self.argv.get(at + 1).is_none() {
            // The program will complain, but a wrapper may add words.
            self.option(row, Part { arg: at, skip: 0 });
            return 0;
        }
        if let Some(word) = self.argv.get(at + 1)
            && words::splits_into_options(word)
        {
            self.uncertain(at + 1, false);
        }
        self.option(row, Part { arg: at + 1, skip: 0 });
        1
    }

    /// The value of an option that is not known may be what an operand is.
    fn unknown_value(&mut self, part: Part) {
        let (Operands::All(uses) | Operands::First(_, uses)) = self.program.operands else {
            return;
        };
        self.apply(uses, part, 0);
    }

    fn option(&mut self, row: &Row, part: Part) {
        match row.uses {
            Use::Recursive => self.recursive = true,
            Use::Settles => self.settled = true,
            Use::SettlesRead => {
                self.settled = true;
                self.apply(Use::Read, part, 0);
            }
            Use::Keep(number) => self.keep(number, part),
            Use::Into => {
                self.into = Some(part);
                self.apply(Use::Write, part, 0);
            }
            Use::Base => self.enter(part),
            uses => self.apply(uses, part, 0),
        }
    }

    /// Notes that an argument makes the command unknown.
    pub(super) fn runs(&mut self, arg: usize, why: Why) {
        self.effects.unknown.push((arg, why));
    }

    /// Notes that the command is unknown, whatever rule there is.
    pub(super) fn unnamable(&mut self, why: Why) {
        self.effects.unknown.push((self.argv.len(), why));
    }

    /// The argument, as a place; the command when there is none.
    pub(super) fn place(&self, arg: usize) -> &'a Word {
        static NONE: Word =
            Word { span: crate::shell::Span { start: 0, end: 0 }, pieces: Vec::new() };
        self.argv.get(arg).or_else(|| self.argv.first()).unwrap_or(&NONE)
    }

    /// The word that a part is.
    pub(super) fn word(&self, part: Part) -> Word {
        words::without(self.place(part.arg), part.skip)
    }

    pub(super) fn keep(&mut self, number: u8, part: Part) {
        self.kept.push((number, part));
        match self.last_kept.iter_mut().find(|(kept, _)| *kept == number) {
            Some((_, last)) => *last = part,
            None => self.last_kept.push((number, part)),
        }
    }

    /// What was last kept under this number.
    pub(super) fn kept(&self, number: u8) -> Option<Part> {
        self.last_kept.iter().find(|(kept, _)| *kept == number).map(|(_, part)| *part)
    }

    /// All that was kept under this number.
    pub(super) fn all_kept(&self, number: u8) -> Vec<Part> {
        self.kept.iter().filter(|(kept, _)| *kept == number).map(|(_, part)| *part).collect()
    }

    /// Notes what an operand is used for.
    pub(super) fn operand_is(&mut self, operand: Operand, uses: Use) {
        self.apply(uses, Part { arg: operand.arg, skip: 0 }, operand.base);
    }

    fn finish(&mut self) {
        self.lay_out(self.program.operands, self.program.here);
    }

    /// Whether what is used is used with all that is below it.
    pub(super) fn recursive(&self) -> bool {
        self.recursive
    }

    /// From here on, what is used is used with all that is below it.
    pub(super) fn below(&mut self) {
        self.recursive = true;
    }
}
