//! What a command line can do, as a list.

use std::fmt;

/// A place in the command line, in bytes; the end is not part of it. What stands in a script inside the script
/// (`sh -c '…'`) has the place of the word that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The shell that will run a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shell {
    /// bash, 3.2 to 5.3, without aliases, history and `extglob`.
    Bash,
    /// `sh`, which may be dash or bash: the stricter of both.
    Sh,
    /// dash, as the POSIX shell.
    Posix,
    /// zsh: lists of plain words only, everything else is unknown.
    Zsh,
    /// Any other, like PowerShell or cmd: the whole line is unknown.
    Other,
}

/// A piece of a word, its quotes removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Piece {
    /// Text that stands for itself.
    Text(String),
    /// The home directory: `~`, `$HOME`.
    Home,
    /// A pattern for names of files: `*`, `?`, `[a-z]`, as written. It can become any number of words, none included only
    /// where the shell is told so; it never matches a `/`, nor a leading dot.
    Glob(String),
    /// Text that only the run will tell: any other expansion or substitution.
    Unknown {
        /// Outside of quotes, it can become any number of words, or none.
        splits: bool,
    },
}

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub span: Span,
    /// In order; adjacent texts are joined. Empty for `''`.
    pub pieces: Vec<Piece>,
}

impl Word {
    /// What it is, when that is certain.
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it can become several words, or none.
    pub fn splits(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Glob(_) | Piece::Unknown { splits: true }))
    }
}

/// What a command is to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// It needs an allow.
    Plain,
    /// It was looked through (`env`, `timeout`, `sh -c`): what it runs needs the allow, and only denies and asks of its own
    /// name matter.
    Wrapper,
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its words, redirections and leading assignments left out. Never empty.
    pub argv: Vec<Word>,
    /// What it is to the verdict.
    pub role: Role,
}

/// How a file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Its content or its name is read.
    Read,
    /// It is made, changed, moved, or deleted.
    Write,
}

/// One thing that a command line can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub what: What,
}

/// What a fact is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A command runs.
    Command(Command),
    /// A redirection. One that reads and writes (`<>`) is two.
    Redirect {
        /// How the target is used.
        access: Access,
        /// The file. Duplicated and closed descriptors are no facts.
        target: Word,
    },
    /// A variable is set.
    Assign {
        /// Its name.
        name: String,
    },
    /// A command uses a file through its arguments.
    Path {
        /// The index of the command among the facts.
        command: usize,
        /// The index of the argument that says so; the file may be a part of it (`--output=FILE`).
        arg: usize,
        /// How the file is used.
        access: Access,
        /// The file.
        target: Word,
        /// Whether all that is below it is used too (`rm -r`, `cp -r`, `grep -r`, `find`).
        recursive: bool,
    },
    /// A command fetches from, or sends to, an address that stands in its arguments.
    Url {
        /// The index of the command among the facts.
        command: usize,
        /// The index of the argument that says so.
        arg: usize,
        /// The address.
        target: Word,
    },
    /// Something that cannot be proven. Nothing allows it, unless `named` says where a rule may speak of it.
    Unknown {
        /// Why.
        why: Why,
        /// The command (its index among the facts) and the argument that make it unknown: `-c` of `git -c`. A rule that
        /// spells out the command's words up to and including this one, as they are, knows what it allows.
        named: Option<(usize, usize)>,
    },
}

/// A directory that `cd`, `pushd` or `popd` may have led to, from where the command line began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dir {
    /// These operands, one after the other.
    Through(Vec<Word>),
    /// Anywhere.
    Anywhere,
}

/// All that a command line can do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Analysis {
    /// In the order in which they stand. Never empty: a line that does nothing is unknown.
    pub facts: Vec<Fact>,
    /// Where relative paths may start from besides the call's own directory. Not empty: no relative path is certain, so
    /// that none is allowed, and denies are looked for from each.
    pub dirs: Vec<Dir>,
}

impl Analysis {
    /// A line of which nothing is known.
    pub fn unknown(span: Span, why: Why) -> Self {
        let what = What::Unknown { why, named: None };
        Self { facts: vec![Fact { span, what }], dirs: Vec::new() }
    }
}

/// Why something cannot be proven. Shown to the human who is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Syntax that the prover does not fully accept.
    NotUnderstood,
}

impl fmt::Display for Why {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NotUnderstood => {
                formatter.write_str("this part of the command line is not understood")
            }
        }
    }
}
