//! Commands that run other commands: each is looked through to what it runs.

mod builtins;
mod search;
mod shells;
mod wrappers;

use std::collections::HashSet;
use std::hash::Hash;

use super::effects::{self, CommandEffects, PathUse, beginning, without};
use super::findings::span_of;
use super::prover::LineProver;
use super::{CommandRole, DoubtReason, FileAccess, Span, Word, WordPiece};

/// What the shell may call a pipe that it reads from. Each process has others of this name, so that no other reading of it is
/// judged.
const PIPE: &str = "/dev/fd/63";

/// Programs that read each operand, and no file that one of these names.
const READ_PIPES: &[&str] = &[
    "cat", "cmp", "comm", "cut", "diff", "diff3", "grep", "head", "join", "nl", "paste", "sort",
    "tac", "tail", "uniq", "wc",
];

/// How many words behind an option that is not understood are tried as the command.
const GUESSES: usize = 2;

/// Whether the shell itself is the program of this name.
pub(crate) fn is_builtin(name: &str) -> bool {
    builtins::is_builtin(name) || MORE_BUILTINS.contains(&name)
}

/// Whether the program of this name runs other commands, which are judged in its place.
pub(super) fn is_looked_through(name: &str) -> bool {
    wrappers::find(name).is_some()
}

/// Builtins that need no closer look.
const MORE_BUILTINS: &[&str] = &[
    ":", "bg", "break", "caller", "continue", "dirs", "disown", "echo", "exit", "false", "fg",
    "kill", "logout", "pwd", "return", "shift", "suspend", "times", "true", "type", "ulimit",
    "umask",
];

impl LineProver<'_, '_> {
    /// A command with these words runs.
    pub(super) fn runs(&mut self, argv: Vec<Word>) {
        let span = span_of(&argv);
        if self.found.exhausted || argv.is_empty() {
            return;
        }
        if !self.found.enter_chain() {
            return self.found.unknown(span, DoubtReason::TooDeep);
        }
        self.dispatch(argv);
        self.found.leave_chain();
    }

    fn dispatch(&mut self, argv: Vec<Word>) {
        let Some(name) = argv.first().and_then(Word::literal) else {
            let span = argv.first().map_or(span_of(&argv), |word| word.span);
            self.printed_command(&argv);
            self.plain(argv);
            return self.found.unknown(span, DoubtReason::DynamicCommand);
        };
        let (dir, base) = match name.rsplit_once('/') {
            Some((dir, base)) => (Some(dir), base),
            None => (None, name),
        };
        if let Some(wrapper) = wrappers::find(base) {
            // What only has the name of a wrapper needs an allow of its own.
            let trusted = dir.is_none_or(|dir| SYSTEM_DIRS.contains(&dir));
            let role = if trusted { CommandRole::Wrapper } else { CommandRole::Plain };
            let start = self.found.len();
            let before = self.found.handed.wrapped.len();
            wrapper.look(self, argv, role);
            let handed = self.found.handed.wrapped.split_off(before);
            self.found.hand_on(start, &handed);
            return self.found.stands_alone(start);
        }
        if matches!(base, "echo" | "printf") {
            self.prints(&argv);
        }
        if dir.is_none() && builtins::is_builtin(base) {
            return self.builtin(argv);
        }
        let command = self.plain(argv.clone());
        self.found.prints_names = search::listed(&argv, command);
    }

    /// A command, with what it does to its arguments, and what the command does that it launches. Says its index.
    pub(super) fn plain(&mut self, argv: Vec<Word>) -> usize {
        // The words are lent while the facts behind the command are found.
        let command = self.found.command_at(span_of(&argv), CommandRole::Plain);
        self.effects(&argv, command, 0);
        self.found.words_of(command, argv);
        command
    }

    /// What these words do to their arguments; the first is the argument `from` of `command`.
    fn effects(&mut self, argv: &[Word], command: usize, from: usize) {
        let piped = self.with_pipes(argv);
        let mut effects = effects::of(piped.as_deref().unwrap_or(argv), &self.found.files);
        if piped.is_some() {
            // All other words are literal.
            let is_pipe = |used: &PathUse| {
                let reads = used.access == FileAccess::Read;
                let word = argv.get(used.arg).filter(|word| word.literal().is_none());
                reads && word.is_some() && used.target.literal() == Some(PIPE)
            };
            effects.paths.retain(|used| !is_pipe(used));
        }
        let launches = effects.launches;
        let scripts = std::mem::take(&mut effects.scripts);
        let own = as_own_text(argv).map(|argv| effects::of(&argv, &self.found.files));
        let own = own.map(|own| beside(own, &effects));
        self.used(argv, effects, command, from);
        if let Some((arg, skip)) = launches {
            self.launched(argv, arg, skip, (command, from + arg));
        }
        for script in scripts {
            if let Some(text) = script.literal() {
                self.printed_script(text, script.span);
            }
        }
        if let Some(own) = own {
            self.used(argv, own, command, from);
        }
    }

    /// The words of a command that reads what others print as it reads files, with the name of a pipe in the place of each. The
    /// commands that print are judged by themselves.
    fn with_pipes(&self, argv: &[Word]) -> Option<Vec<Word>> {
        let is_read = |word: &&Word| {
            self.found.pipes.contains(&word.span)
                && word.pieces == [WordPiece::Unknown { splits: false }]
        };
        let words = argv.get(1..)?;
        let name = argv.first().and_then(Word::literal)?;
        // Long options may name lists of files.
        let is_plain = |word: &Word| word.literal().is_some_and(|text| !text.starts_with("--"));
        let all = words.iter().all(|word| is_read(&word) || is_plain(word));
        let is_one = READ_PIPES.contains(&name) && all && words.iter().any(|word| is_read(&word));
        let pipe = |word: &Word| match is_read(&word) {
            true => Word { span: word.span, pieces: vec![WordPiece::Text(PIPE.to_owned())] },
            false => word.clone(),
        };
        is_one.then(|| argv.iter().map(pipe).collect())
    }

    fn used(&mut self, argv: &[Word], effects: CommandEffects, command: usize, from: usize) {
        for used in effects.paths {
            self.found.used(command, PathUse { arg: from + used.arg, ..used });
        }
        for (arg, target) in effects.loads {
            self.found.loads(command, from + arg, target);
        }
        for (arg, target) in effects.urls {
            self.found.url(command, from + arg, target);
        }
        for (arg, why) in effects.unknown {
            let span = argv.get(arg).map_or_else(|| span_of(argv), |word| word.span);
            self.found.unknown_at(span, why, command, from + arg);
        }
        if effects.moves {
            self.found.has_moved_links();
        }
    }

    /// The command that a launcher runs. Where it does nothing but its own, what it does is the launcher's, which needs an
    /// allow that spells out the command; its own name counts for denies.
    fn launched(
        &mut self, argv: &[Word], arg: usize, skip: usize, (command, from): (usize, usize),
    ) {
        let mut words = argv.get(arg..).unwrap_or_default().to_vec();
        if let Some(first) = words.first_mut() {
            *first = without(first, skip);
        }
        let span = span_of(&words);
        if self.found.exhausted || !self.found.pay_words(words.len(), span) {
            return;
        }
        let plain = words
            .first()
            .and_then(Word::literal)
            .is_some_and(|name| wrappers::find(effects::base_name(name)).is_none());
        if !plain {
            return self.runs(words);
        }
        if !self.found.enter_chain() {
            return self.found.unknown(span, DoubtReason::TooDeep);
        }
        self.found.command(words.clone(), CommandRole::Wrapper);
        self.effects(&words, command, from);
        self.found.leave_chain();
    }

    /// Where the command stands behind `from` is not known: what could be it is looked at, for the sake of denies.
    fn guess(&mut self, argv: &[Word], from: usize) {
        let named = |word: &Word| {
            word.literal().is_some_and(|text| {
                text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
            })
        };
        let positions: Vec<usize> = argv
            .iter()
            .enumerate()
            .skip(from)
            .filter(|(_, word)| named(word))
            .map(|(index, _)| index)
            .take(GUESSES)
            .collect();
        for index in positions {
            self.rest(argv, index);
        }
    }

    /// The words from `from` on run as a command.
    fn rest(&mut self, argv: &[Word], from: usize) {
        let rest = argv.get(from..).unwrap_or_default();
        if self.found.pay_words(rest.len(), span_of(rest)) {
            self.runs(rest.to_vec());
        }
    }

    /// The words from `from` on, with blanks between them, run as a script, as far as they are known.
    fn joined_script(&mut self, argv: &[Word], from: usize) {
        let words = argv.get(from..).unwrap_or_default();
        let script: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
        match script {
            Some(script) => {
                let script = script.join(" ");
                self.read_script(&script, words, super::Shell::Sh);
            }
            None => self.rest(argv, from),
        }
    }

    /// `echo` and `printf`: what they print may be run.
    fn prints(&mut self, argv: &[Word]) {
        let words = argv.get(1..).unwrap_or_default();
        let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
        if let Some(texts) = texts {
            let options =
                texts.iter().take_while(|text| matches!(**text, "-n" | "-e" | "-ne" | "--"));
            let said = texts.get(options.count()..).unwrap_or_default().join(" ");
            self.found.print(span_of(argv), said.replace("\\n", "\n"));
        }
    }

    /// What is printed within this place is run: as far as it is known it is read. It stays unknown what runs.
    pub(in super::super) fn printed_scripts(&mut self, place: Span) {
        for text in self.found.printed_in(place) {
            self.printed_script(&text, place);
        }
    }

    /// A text that a shell may read as commands.
    pub(in super::super) fn printed_script(&mut self, text: &str, place: Span) {
        if !self.found.exhausted {
            let word = Word { span: place, pieces: vec![WordPiece::Text(text.to_owned())] };
            self.read_script(text, std::slice::from_ref(&word), super::Shell::Sh);
        }
    }

    /// A command whose name is printed: with that, and with the words behind it that are known.
    fn printed_command(&mut self, argv: &[Word]) {
        let Some((first, rest)) = argv.split_first() else { return };
        let known: Vec<&str> = rest.iter().map_while(Word::literal).collect();
        for text in self.found.printed_in(first.span) {
            self.printed_script(&format!("{text} {}", known.join(" ")), first.span);
        }
    }

    /// A script in the words of a command.
    fn read_script(&mut self, script: &str, words: &[Word], shell: super::Shell) {
        self.read_script_with(script, words, shell, &[]);
    }

    /// The same of a script with these words, the first as `$0`.
    fn read_script_with(
        &mut self, script: &str, words: &[Word], shell: super::Shell, given: &[Word],
    ) {
        let span = span_of(words);
        let readings =
            if shell == super::Shell::Sh && !super::prover::is_shared(script) { 2 } else { 1 };
        if self.found.pay_text(script.len() * readings, span) {
            // Of the variables out here it knows at most those that are exported.
            let outer = self.found.values.enter();
            self.found.values.give_parameters(given);
            super::prove(script, shell, Some(span), self.found);
            self.found.values.leave(outer);
        }
    }
}

/// The words as they are where the patterns among them find nothing: the shell leaves those as their own text. `None`: no
/// patterns.
fn as_own_text(argv: &[Word]) -> Option<Vec<Word>> {
    let own = |piece: &WordPiece| match piece {
        WordPiece::Glob(pattern) => WordPiece::Text(pattern.clone()),
        other => other.clone(),
    };
    let spelled = |word: &Word| match word.has_pattern() {
        true => {
            let pieces = word.pieces.iter().map(own).collect();
            effects::joined(Word { span: word.span, pieces })
        }
        false => word.clone(),
    };
    argv.iter().any(Word::has_pattern).then(|| argv.iter().map(spelled).collect())
}

/// What the words do as their own text, beside what they do as the names that they find. A file of such a name would have been
/// found, so none is read.
fn beside(own: CommandEffects, known: &CommandEffects) -> CommandEffects {
    let mut paths = others(own.paths, &known.paths);
    paths.retain(|used| used.access == FileAccess::Write);
    CommandEffects {
        paths,
        loads: others(own.loads, &known.loads),
        urls: others(own.urls, &known.urls),
        unknown: others(own.unknown, &known.unknown),
        ..own
    }
}

/// Those that are not among the known.
fn others<T: Eq + Hash>(all: Vec<T>, known: &[T]) -> Vec<T> {
    let known: HashSet<&T> = known.iter().collect();
    all.into_iter().filter(|one| !known.contains(one)).collect()
}

/// Where programs are what their name says.
pub(super) const SYSTEM_DIRS: &[&str] =
    &["/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

/// `NAME` of an argument that a program takes for `NAME=value`: all that stands before a `=`.
fn environment_name(word: &Word) -> Option<&str> {
    beginning(word).split_once('=').map(|(name, _)| name)
}

/// `NAME` of a word that certainly starts with `NAME=` or `NAME+=`.
fn assigned_name(word: &Word) -> Option<&str> {
    let (name, _) = beginning(word).split_once('=')?;
    let name = name.strip_suffix('+').unwrap_or(name);
    is_name(name).then_some(name)
}

/// Whether it can be the name of a variable.
pub(super) fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
