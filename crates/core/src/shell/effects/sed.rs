//! Scripts of sed: which files they read and write, and whether all of them is understood.

use super::spec::OperandUse;
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, WordPiece};

/// The name under which `-e` is kept.
const SCRIPT: &str = "script";
const IN_PLACE: &str = "in_place";
/// One is the rule.
const MOST_SUFFIXES: usize = 4;
/// What is kept of a suffix that puts the copies elsewhere.
const COPIES: &str = "copies";
const MAYBE_SUFFIX: &str = "maybe_suffix";

/// `-i`. GNU takes a suffix only when it is attached, BSD takes the next word.
pub(super) fn in_place(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.apply(OperandUse::Keep(IN_PLACE), part, 0);
    let bare = part.skip == 0;
    // GNU puts the name in for a `*`, and with a `/` the copy lands in another directory.
    let plain = |text: &str| !text.contains(['/', '*']);
    if !bare && !walk.word(part).literal().is_some_and(plain) {
        walk.runs(part.arg, DoubtReason::Script);
        walk.keep(COPIES, part);
    }
    let next = walk.argv.get(part.arg + 1).and_then(|word| word.literal());
    if bare
        && (cfg!(not(target_os = "linux"))
            || next.is_some_and(|text| text.is_empty() || text.starts_with('.')))
    {
        walk.apply(OperandUse::Keep(MAYBE_SUFFIX), ArgumentPart { arg: part.arg + 1, skip: 0 }, 0);
    }
}

/// `-l`. To BSD it is a flag, and the next word the script.
pub(super) fn line_length(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !walk.word(part).literal().is_some_and(number) {
        walk.runs(part.arg, DoubtReason::Script);
    }
}

/// The script, unless an option gave it, and the files.
pub(super) fn operands(walk: &mut ArgumentWalk) {
    let mut operands = std::mem::take(&mut walk.operands);
    let scripts = walk.all_kept(SCRIPT);
    let given = !scripts.is_empty()
        || walk.effects.unknown.iter().any(|(_, why)| *why == DoubtReason::RunsCode);
    // The word after a bare `-i` is a suffix to BSD: what it leaves is judged as if it were not there, too.
    if let Some(suffix) = walk.kept(MAYBE_SUFFIX)
        && operands.iter().any(|operand| operand.arg == suffix.arg)
    {
        if walk.place(suffix.arg).literal().is_none_or(|text| !text.is_empty() && !given) {
            script(walk, &[suffix]);
        }
        operands.retain(|operand| operand.arg != suffix.arg);
    }
    if given {
        script(walk, &scripts);
    } else if !operands.is_empty() {
        script(walk, &[ArgumentPart { arg: operands.remove(0).arg, skip: 0 }]);
    }
    let uses = if walk.kept(IN_PLACE).is_some() { OperandUse::Change } else { OperandUse::Read };
    let suffixes = suffixes(walk);
    for part in walk.all_kept(COPIES) {
        let copy = words::unknown(walk.place(part.arg));
        walk.path(part.arg, FileAccess::Write, copy, false);
    }
    for operand in operands {
        walk.operand_is(operand, uses);
        for suffix in &suffixes {
            let mut copy = walk.place(operand.arg).clone();
            match copy.pieces.last_mut() {
                Some(WordPiece::Text(name)) => name.push_str(suffix),
                _ => copy.pieces.push(WordPiece::Text(suffix.clone())),
            }
            walk.path(operand.arg, FileAccess::Write, copy, false);
        }
    }
}

/// What is put behind the names of the files that are kept beside those that `-i` changes.
fn suffixes(walk: &ArgumentWalk) -> Vec<String> {
    let mut suffixes: Vec<String> = Vec::new();
    let attached = walk.all_kept(IN_PLACE).into_iter().filter(|part| part.skip > 0);
    for part in attached.chain(walk.kept(MAYBE_SUFFIX)) {
        if let Some(text) = walk.word(part).literal()
            && !text.is_empty()
            && !suffixes.iter().any(|known| known == text)
            && suffixes.len() < MOST_SUFFIXES
        {
            suffixes.push(text.to_owned());
        }
    }
    suffixes
}

/// Judges the scripts, which are lines of one script.
fn script(walk: &mut ArgumentWalk, parts: &[ArgumentPart]) {
    let mut text = String::new();
    for part in parts {
        let word = walk.word(*part);
        match word.pieces.as_slice() {
            [] => {}
            [WordPiece::Text(line)] => text.push_str(line),
            _ => return walk.runs(part.arg, DoubtReason::Script),
        }
        text.push('\n');
    }
    let Some(last) = parts.last() else { return };
    let mut reader = SedReader { rest: &text, files: Vec::new(), runs: None };
    let read = reader.script();
    let files = reader.files;
    if let Some(text) = reader.runs {
        walk.effects.scripts.push(words::text(walk.place(last.arg), &text));
    }
    for (access, name) in files {
        let word = words::text(walk.place(last.arg), &name);
        walk.path(last.arg, access, word, false);
    }
    match read {
        Ok(()) => {}
        Err(SedStop::Runs) => walk.runs(last.arg, DoubtReason::RunsCode),
        Err(SedStop::Odd) => walk.runs(last.arg, DoubtReason::Script),
    }
}

enum SedStop {
    /// It runs a command.
    Runs,
    /// It is not understood.
    Odd,
}

struct SedReader<'a> {
    rest: &'a str,
    files: Vec<(FileAccess, String)>,
    /// The command that it was found to run.
    runs: Option<String>,
}

impl<'a> SedReader<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let char = chars.next();
        self.rest = chars.as_str();
        char
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        self.rest = self.rest.trim_start_matches(wanted);
    }

    fn blanks(&mut self) {
        self.skip(|char| matches!(char, ' ' | '\t'));
    }

    fn script(&mut self) -> Result<(), SedStop> {
        loop {
            self.skip(|char| matches!(char, ' ' | '\t' | '\n' | ';'));
            if self.rest.is_empty() {
                return Ok(());
            }
            self.addresses()?;
            self.command()?;
        }
    }

    fn addresses(&mut self) -> Result<(), SedStop> {
        if self.address()? {
            self.blanks();
            if self.peek() == Some(',') {
                self.take();
                self.blanks();
                if matches!(self.peek(), Some('+' | '~')) {
                    self.take();
                    if !matches!(self.peek(), Some('0'..='9')) {
                        return Err(SedStop::Odd);
                    }
                }
                if !self.address()? {
                    return Err(SedStop::Odd);
                }
            }
        }
        self.skip(|char| matches!(char, ' ' | '\t' | '!'));
        Ok(())
    }

    fn address(&mut self) -> Result<bool, SedStop> {
        match self.peek() {
            Some('0'..='9') => {
                self.skip(|char| char.is_ascii_digit());
                if self.peek() == Some('~') {
                    self.take();
                    self.skip(|char| char.is_ascii_digit());
                }
                Ok(true)
            }
            Some('$') => {
                self.take();
                Ok(true)
            }
            Some(first @ ('/' | '\\')) => {
                self.take();
                let delimiter = if first == '/' { Some('/') } else { self.take() };
                self.delimited(delimiter.ok_or(SedStop::Odd)?, true)?;
                self.skip(|char| matches!(char, 'I' | 'M'));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Everything up to the delimiter. Programs differ on a delimiter within brackets: that is not understood.
    fn delimited(&mut self, delimiter: char, pattern: bool) -> Result<(), SedStop> {
        if matches!(delimiter, '\n' | '\\') {
            return Err(SedStop::Odd);
        }
        let mut bracket = BracketState::Outside;
        loop {
            let char = self.take().ok_or(SedStop::Odd)?;
            if char == delimiter {
                let inside = pattern && bracket != BracketState::Outside;
                return if inside { Err(SedStop::Odd) } else { Ok(()) };
            }
            match char {
                '\n' => return Err(SedStop::Odd),
                '\\' => {
                    let escaped = self.take().ok_or(SedStop::Odd)?;
                    // Within brackets a backslash is itself to some, and what follows could end them or the pattern.
                    let odd = bracket != BracketState::Outside
                        && (escaped == delimiter || escaped == ']');
                    if pattern && (odd || escaped == '\n') {
                        return Err(SedStop::Odd);
                    }
                    bracket = bracket.after('x');
                }
                char => bracket = bracket.step(char, &mut self.rest),
            }
        }
    }

    fn command(&mut self) -> Result<(), SedStop> {
        match self.take().ok_or(SedStop::Odd)? {
            '{' => Ok(()),
            '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z'
            | 'F' => self.end(),
            'a' | 'i' | 'c' => {
                self.text();
                Ok(())
            }
            's' => self.substitution(),
            'y' => {
                let delimiter = self.take().ok_or(SedStop::Odd)?;
                self.delimited(delimiter, false)?;
                self.delimited(delimiter, false)?;
                self.end()
            }
            'r' | 'R' => self.file(FileAccess::Read),
            'w' | 'W' => self.file(FileAccess::Write),
            ':' | 'b' | 't' | 'T' => {
                self.blanks();
                self.skip(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.'));
                self.end()
            }
            'q' | 'Q' | 'l' | 'L' | 'v' => {
                self.blanks();
                self.skip(|char| char.is_ascii_digit() || char == '.');
                self.end()
            }
            '#' => {
                self.line();
                Ok(())
            }
            'e' => {
                self.blanks();
                self.runs = Some(self.line().to_owned());
                Err(SedStop::Runs)
            }
            _ => Err(SedStop::Odd),
        }
    }

    /// What must follow a command.
    fn end(&mut self) -> Result<(), SedStop> {
        self.blanks();
        match self.peek() {
            None | Some('}' | '#') => Ok(()),
            Some(';' | '\n') => {
                self.take();
                Ok(())
            }
            Some(_) => Err(SedStop::Odd),
        }
    }

    fn substitution(&mut self) -> Result<(), SedStop> {
        let delimiter = self.take().ok_or(SedStop::Odd)?;
        self.delimited(delimiter, true)?;
        self.delimited(delimiter, false)?;
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                    self.take();
                }
                Some('e') => return Err(SedStop::Runs),
                Some('w') => {
                    self.take();
                    return self.file(FileAccess::Write);
                }
                _ => return self.end(),
            }
        }
    }

    /// A name of a file: everything to the end of the line.
    fn file(&mut self, access: FileAccess) -> Result<(), SedStop> {
        self.blanks();
        let name = self.line();
        if name.is_empty() {
            return Err(SedStop::Odd);
        }
        self.files.push((access, name.to_owned()));
        Ok(())
    }

    fn line(&mut self) -> &'a str {
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        line
    }

    /// Text goes on after a line that ends in a backslash.
    fn text(&mut self) {
        while let Some(char) = self.take() {
            match char {
                '\n' => return,
                '\\' => {
                    self.take();
                }
                _ => {}
            }
        }
    }
}

/// Where a pattern stands with its `[…]`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BracketState {
    Outside,
    /// After `[` or `[^`, where a `]` stands for itself.
    First,
    Inside,
}

impl BracketState {
    fn after(self, _char: char) -> Self {
        if self == Self::Outside { Self::Outside } else { Self::Inside }
    }

    fn step(self, char: char, rest: &mut &str) -> Self {
        match (self, char) {
            (Self::Outside, '[') => {
                if let Some(after) = rest.strip_prefix('^') {
                    *rest = after;
                }
                Self::First
            }
            (Self::Outside, _) => Self::Outside,
            (Self::Inside, ']') => Self::Outside,
            (_, '[') if rest.starts_with([':', '.', '=']) => {
                // `[:alpha:]`
                let close = rest.chars().next().unwrap_or(':');
                let end = rest.get(1..).and_then(|inner| inner.find([close, '\n', '/', '\\', '[']));
                if let Some(end) = end
                    && let Some(after) =
                        rest.get(1 + end..).and_then(|tail| tail.strip_prefix(close))
                    && let Some(after) = after.strip_prefix(']')
                {
                    *rest = after;
                }
                Self::Inside
            }
            (_, _) => Self::Inside,
        }
    }
}
