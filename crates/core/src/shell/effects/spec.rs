//! The form of the tables: what a program's options take, and what they and the operands are used for.

use super::walk::{Part, Walk};

/// What a file, an address or a text given to a program is used for.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// Nothing that matters here.
    Nothing,
    /// A file that is read.
    Read,
    /// A directory that is read with all that is below it.
    ReadBelow,
    /// A file that is written.
    Write,
    /// A directory that is written with all that is below it.
    WriteBelow,
    /// A file that is read and written.
    Change,
    /// An address.
    Url,
    /// It is, or names, or leads to code that runs: the command is unknown.
    Runs,
    /// A file whose content decides what runs: read, and the command is unknown.
    RunsFile,
    /// The directory that the operands are written into (`cp -t`): all of them are sources.
    Into,
    /// The directory that the operands after it are relative to (`tar -C`).
    Base,
    /// A flag: the operands are used with all that is below them.
    Recursive,
    /// Stands for what is otherwise the first operand (`grep -e`).
    Settles,
    /// A file that stands for what is otherwise the first operand (`grep -f`).
    SettlesRead,
    /// Kept under this number for the program's own code.
    Keep(u8),
    /// The program's own code looks at it.
    Look(fn(&mut Walk, Part)),
}

/// Whether an option takes a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// None.
    Nothing,
    /// One: attached, after `=`, or the next word.
    Value,
    /// One when it is attached or after `=`.
    Maybe,
}

/// Options that are treated alike.
#[derive(Clone, Copy)]
pub(super) struct Row {
    /// Their one-letter names.
    pub(super) short: &'static str,
    /// Their long names, apart by blanks, without the dashes.
    pub(super) long: &'static str,
    /// Whether they take a value.
    pub(super) takes: Takes,
    /// What they, or their values, are used for.
    pub(super) uses: Use,
}

/// Options without a value.
pub(super) const fn flags(short: &'static str, long: &'static str, uses: Use) -> Row {
    Row { short, long, takes: Takes::Nothing, uses }
}

/// Options with a value.
pub(super) const fn value(short: &'static str, long: &'static str, uses: Use) -> Row {
    Row { short, long, takes: Takes::Value, uses }
}

/// Options whose value, if any, is attached to them.
pub(super) const fn maybe(short: &'static str, long: &'static str, uses: Use) -> Row {
    Row { short, long, takes: Takes::Maybe, uses }
}

/// What the words that are no options are.
#[derive(Clone, Copy)]
pub(super) enum Operands {
    /// All the same.
    All(Use),
    /// The first is one thing, unless an option [`Use::Settles`] it, and the others another.
    First(Use, Use),
    /// The last is written, the others are its sources.
    Copy(Use),
    /// The program's own code looks at them when all options have been seen.
    Look(fn(&mut Walk)),
}

/// How the program tells options from operands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Options may stand anywhere before `--`.
    Anywhere,
    /// Options end at the first operand.
    Leading,
    /// As [`Style::Anywhere`], and a long name has one dash (`-out FILE`) or two, and no abbreviation.
    OneDash,
    /// As [`Style::OneDash`], and options end at the first operand.
    OneDashLeading,
}

/// What is thought of a word that only the run will tell, where it could become an option that runs code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Dynamic {
    /// Nothing at all, by decision: `cargo test $FLAGS` is what it is allowed for.
    Ignored,
    /// Nothing, but where it can become an option that names a file to write it may be that.
    Free,
    /// Unknown when it can become several words, or begins with a pattern for names of files.
    Splitting,
    /// Unknown when it can, or when its beginning is not certain.
    Leading,
}

/// A program.
#[derive(Clone, Copy)]
pub(super) struct Program {
    /// Its names.
    pub(super) names: &'static [&'static str],
    /// Its options, as far as they matter.
    pub(super) rows: &'static [Row],
    /// Its operands.
    pub(super) operands: Operands,
    /// How options are told from operands.
    pub(super) style: Style,
    /// What is thought of words that are not certain.
    pub(super) dynamic: Dynamic,
    /// Whether an option that stands in no row makes the command unknown.
    pub(super) closed: bool,
    /// Whether directories among the operands are always used with all that is below them.
    pub(super) recursive: bool,
    /// What is used of the working directory when there is no operand.
    pub(super) here: Use,
    /// Whether `+x` is an option too.
    pub(super) plus: bool,
}

impl Program {
    /// A program without options that matter.
    pub(super) const fn new(names: &'static [&'static str], operands: Operands) -> Self {
        Self {
            names,
            rows: &[],
            operands,
            style: Style::Anywhere,
            dynamic: Dynamic::Free,
            closed: false,
            recursive: false,
            here: Use::Nothing,
            plus: false,
        }
    }

    /// With these options.
    pub(super) const fn rows(self, rows: &'static [Row]) -> Self {
        Self { rows, ..self }
    }

    /// With options read in this style.
    pub(super) const fn style(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// With this thought of words that are not certain.
    pub(super) const fn dynamic(self, dynamic: Dynamic) -> Self {
        Self { dynamic, ..self }
    }

    /// All its options are in the rows: any other makes the command unknown.
    pub(super) const fn closed(self) -> Self {
        Self { closed: true, ..self }
    }

    /// It goes into directories.
    pub(super) const fn recursive(self) -> Self {
        Self { recursive: true, ..self }
    }

    /// Without an operand it uses the working directory.
    pub(super) const fn here(self, here: Use) -> Self {
        Self { here, ..self }
    }

    /// A word that begins with `+` is an option.
    pub(super) const fn plus(self) -> Self {
        Self { plus: true, ..self }
    }
}
