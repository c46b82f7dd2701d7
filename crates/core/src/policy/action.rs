//! What a call would do, one thing at a time.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::Arc;

use super::looking::looks;
use crate::path::PathContext;
use crate::shell::{
    CommandRole, FileAccess, FileLoss, Span, Word, WordPiece, WorkingDir, base_name,
    takes_data_only,
};

/// One thing that a call would do, read off its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// What it is.
    pub kind: ActionKind,
    /// Where it stands in the command line, where there is one.
    pub span: Option<Span>,
    /// The argument it came from; `None` for what the call as a whole is.
    pub argument: Option<Arc<str>>,
    /// Whether something must allow it. What does not (a wrapper, a file used through a command's arguments) is covered by
    /// something else that must be; denies and asks bite it all the same.
    pub needs_allow: bool,
    /// Whether it is a guess at what a word of a command could name beyond its table. It is part of a verdict only where
    /// something stands against it.
    pub mentioned: bool,
    /// What becomes of what is in the file that is written.
    pub loss: FileLoss,
    /// Where relative paths start.
    pub start: Arc<PathStart>,
}

/// What an action is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ActionKind {
    /// A command runs.
    Command {
        /// Its words. Never empty.
        argv: Vec<Word>,
        /// What it is to the verdict.
        role: CommandRole,
    },
    /// A file is used.
    Path {
        /// How.
        access: FileAccess,
        /// The file.
        target: Word,
        /// How much of it.
        extent: UseExtent,
        /// The command's argument that says so.
        by: Option<ByArgument>,
    },
    /// An address is used.
    Url {
        /// The address.
        target: Word,
        /// The command's argument that says so.
        by: Option<ByArgument>,
    },
    /// A variable is set.
    Env {
        /// Its name.
        name: String,
    },
    /// A tool is used that nothing is known of but its name.
    Tool {
        /// Its name.
        name: Arc<str>,
    },
    /// Something that cannot be proven.
    Unknown {
        /// Why.
        why: Cow<'static, str>,
        /// A rule that spells out this command up to this argument knows what it allows.
        named: Option<ByArgument>,
        /// Whether a command that runs confined is held to what it may do, even in the worst case.
        held: bool,
    },
}

/// How much of a file or a directory is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UseExtent {
    /// It itself.
    Itself,
    /// The names in it.
    Names,
    /// The names in it and in all below it.
    AllNames,
    /// It itself and, where it is a directory, all below it: what a deny looks at.
    Tree,
    /// It itself and, where it should be a directory, all below it: a tool that deletes does not say which.
    Perhaps,
    /// All below it: what an allow must cover too.
    Below,
}

impl UseExtent {
    /// Whether what is below is used too.
    pub fn is_recursive(self) -> bool {
        matches!(self, Self::AllNames | Self::Tree | Self::Perhaps | Self::Below)
    }
}

/// An argument of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByArgument {
    /// The command, as an index among the call's actions.
    pub command: usize,
    /// The argument, as an index into its argv.
    pub arg: usize,
}

impl ActionKind {
    /// Whether it is a program that does what the files of the folder say that it runs in. What is not known to take data
    /// alone from there does.
    pub(crate) fn depends_on_folder(&self) -> bool {
        let Self::Command { argv, role: CommandRole::Plain } = self else { return false };
        let Some(name) = argv.first().and_then(Word::literal) else { return true };
        // With a relative path the program itself stands there.
        (name.contains('/') && !name.starts_with('/')) || !takes_data_only(name)
    }

    /// Whether it is git, and only looks.
    pub(crate) fn looks_with_git(&self) -> bool {
        let Self::Command { argv, .. } = self else { return false };
        argv.first().and_then(Word::literal) == Some("git") && looks(argv)
    }

    /// Whether it is git, and does more than to look, in whichever folder: a confined command has the history to look at alone.
    pub(crate) fn changes_history(&self) -> bool {
        let Some((git, mut rest)) = self.git().and_then(<[Word]>::split_first) else {
            return false;
        };
        while let [option, behind @ ..] = rest {
            rest = match (option.literal(), behind) {
                (Some("-C"), [_, behind @ ..]) => behind,
                (Some("--no-pager"), behind) => behind,
                _ => break,
            };
        }
        !looks(&[std::slice::from_ref(git), rest].concat())
    }

    /// The words of git, where it is git.
    pub(crate) fn git(&self) -> Option<&[Word]> {
        let Self::Command { argv, .. } = self else { return None };
        let name = argv.first().and_then(Word::literal)?;
        (base_name(name) == "git").then_some(argv)
    }

    /// Puts the action behind `base` others.
    pub(crate) fn move_commands(&mut self, base: usize) {
        if let Self::Path { by: Some(by), .. }
        | Self::Url { by: Some(by), .. }
        | Self::Unknown { named: Some(by), .. } = self
        {
            by.command += base;
        }
    }
}

/// Where relative paths start.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PathStart {
    /// Directories that the call surely runs in: one, or two where the name of it can be read in two ways. Absolute.
    pub bases: Vec<String>,
    /// Where `cd` may have led besides. Not empty: nothing relative is certain.
    pub dirs: Vec<WorkingDir>,
    /// The home directory. `None`: not known, or set by the command line itself.
    pub home: Option<String>,
    /// Whether a shell has read the paths: then a `~` still in a text is a name like any other.
    pub shell: bool,
    /// The command line, for messages.
    pub line: Option<Arc<str>>,
}

impl PathStart {
    /// Whether the call may run in another directory than this one, which the host runs it in.
    pub(crate) fn has_left(&self, host: &str) -> bool {
        !self.dirs.is_empty() || self.bases.iter().any(|base| base != host)
    }

    /// Where paths that start in this directory are read from.
    pub(crate) fn at(&self, dir: &str) -> PathContext {
        PathContext { cwd: dir.to_owned(), home: self.home.clone(), ..PathContext::default() }
    }

    /// For the paths of a tool that runs in this directory.
    pub fn of(dir: &str, context: &PathContext) -> Self {
        Self {
            bases: vec![dir.to_owned()],
            dirs: Vec::new(),
            home: context.home.clone(),
            shell: false,
            line: None,
        }
    }
}

impl Action {
    /// What kind of action it is: `command`, `read`, `write`, `url`, `env`, `tool` or `unknown`.
    pub fn kind_name(&self) -> &'static str {
        match &self.kind {
            ActionKind::Command { .. } => "command",
            ActionKind::Path { access: FileAccess::Read, .. } => "read",
            ActionKind::Path { access: FileAccess::Write, .. } => "write",
            ActionKind::Url { .. } => "url",
            ActionKind::Env { .. } => "env",
            ActionKind::Tool { .. } => "tool",
            ActionKind::Unknown { .. } => "unknown",
        }
    }

    /// What it is about, as a human would write it. Not escaped.
    pub fn text(&self) -> String {
        match &self.kind {
            ActionKind::Command { argv, .. } => command_text(argv, self.start.line.as_deref()),
            ActionKind::Path { target, .. } | ActionKind::Url { target, .. } => {
                as_written(target, self.start.line.as_deref()).unwrap_or_else(|| word_text(target))
            }
            ActionKind::Env { name } => name.clone(),
            ActionKind::Tool { name } => name.to_string(),
            ActionKind::Unknown { why, .. } => why.to_string(),
        }
    }
}

/// A word that is certain.
pub(crate) fn literal(text: impl Into<String>) -> Word {
    Word { span: Span { start: 0, end: 0 }, pieces: vec![WordPiece::Text(text.into())] }
}

/// The words of a command, blanks between them.
pub(crate) fn command_text(argv: &[Word], line: Option<&str>) -> String {
    let mut text = String::with_capacity(64);
    // The words of a script inside the line all have the place of what holds the script.
    let apart = argv.windows(2).all(|pair| match pair {
        [a, b] => a.span.end <= b.span.start,
        _ => true,
    });
    let line = line.filter(|_| apart);
    for word in argv {
        if !text.is_empty() {
            text.push(' ');
        }
        match word.literal() {
            Some(word) if needs_quotes(word) => {
                let _ = write!(text, "'{}'", word.replace('\'', r"'\''"));
            }
            Some(word) => text.push_str(word),
            None => match as_written(word, line) {
                Some(written) => text.push_str(&written),
                None => text.push_str(&word_text(word)),
            },
        }
        // A display keeps both ends of 200 characters; a line of a megabyte need not be copied for that.
        if text.len() > 4096 {
            text.push_str(" …");
            break;
        }
    }
    text
}

fn needs_quotes(word: &str) -> bool {
    word.is_empty()
        || !word.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || b"_-./:=@%+,^{}[]~*?#!".contains(&byte) || byte >= 0x80
        })
}

/// A word that is not certain, as it stands in the line, where that can be told.
fn as_written(word: &Word, line: Option<&str>) -> Option<String> {
    let uncertain = word.pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. }));
    let text = line.filter(|_| uncertain)?.get(word.span.start..word.span.end)?;
    // A script inside the line would stand there whole.
    let one = !text.is_empty()
        && text.len() <= 200
        && (text.contains(['$', '`', '<']) && !text.contains('\'') && !text.contains(';'));
    one.then(|| text.to_owned())
}

/// A word as it could be written; what only the run will tell is `$…`.
pub fn word_text(word: &Word) -> String {
    let mut text = String::new();
    let mut pieces = word.pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            WordPiece::Text(part) | WordPiece::Glob(part) => text.push_str(part),
            // `~*` would be a name.
            WordPiece::Home => text.push_str(match pieces.peek() {
                Some(WordPiece::Text(next)) if !next.starts_with('/') => "$HOME",
                Some(WordPiece::Glob(_)) => "$HOME",
                _ => "~",
            }),
            WordPiece::Unknown { .. } => text.push_str("$…"),
        }
    }
    text
}

/// At most 200 characters, both ends kept.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    const ENDS: usize = 95;
    if text.len() <= 200 || text.chars().count() <= 200 {
        return Cow::Borrowed(text);
    }
    let head = text.char_indices().nth(ENDS).map_or(text.len(), |(at, _)| at);
    let tail = text.char_indices().rev().nth(ENDS - 1).map_or(0, |(at, _)| at);
    match (text.get(..head), text.get(tail..)) {
        (Some(head), Some(tail)) => Cow::Owned(format!("{head} … {tail}")),
        _ => Cow::Borrowed("…"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_keep_both_ends() {
        let text = format!("start{}end", "é".repeat(500));
        let short = shorten(&text);
        assert!(short.chars().count() <= 200);
        assert!(short.starts_with("start") && short.ends_with("end"));
        assert_eq!(shorten("short"), "short");
        let exact = "x".repeat(200);
        assert_eq!(shorten(&exact), exact);
    }

    #[test]
    fn a_command_is_written_as_it_could_be_typed() {
        // All at one place, as in a script inside a line.
        let argv = [literal("echo"), literal("a b"), literal(""), literal("it's")];
        assert_eq!(command_text(&argv, None), r"echo 'a b' '' 'it'\''s'");
    }
}
