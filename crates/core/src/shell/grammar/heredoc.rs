//! Here-documents.

use super::super::lexer::{QuotingState, WordPieces};
use super::super::prover::{LineProver, Read, ReadStop};
use super::super::{DoubtReason, Span};

/// A here-document whose text is still to come.
pub(in super::super) struct HereDoc {
    delimiter: String,
    /// Nothing expands in it.
    quoted: bool,
    /// `<<-`
    strips_tabs: bool,
    /// A shell reads its commands from it.
    is_script: bool,
}

impl HereDoc {
    /// A shell reads its commands from it.
    pub(in super::super) fn is_run(&mut self) {
        self.is_script = true;
    }
}

/// The most that start on one line.
const MAX_WAITING: usize = 100;

/// The most readings of joined lines.
const MAX_JOINED: usize = 4;

/// How a here-document ends.
enum HereDocEnd {
    /// With a line that is the delimiter, behind which reading goes on here.
    Line(usize),
    /// In the midst of a line, as some versions of bash have it.
    Within(usize),
    /// With the text.
    Missing,
}

impl LineProver<'_, '_> {
    /// `<<`, behind the operator.
    pub(super) fn here_document(&mut self) -> Read {
        let strips_tabs = self.eat(b'-');
        let start = self.at;
        let place = self.span(start);
        if !self.found.count_word(place) || self.waiting.len() >= MAX_WAITING {
            return Err(ReadStop(DoubtReason::TooMuch));
        }
        while matches!(self.peek(), b' ' | b'\t') {
            self.bump(1);
        }
        let mut delimiter = WordPieces::default();
        let mut doubtful = false;
        let from = self.at;
        loop {
            match self.peek() {
                0 | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                b'\'' => self.single(&mut delimiter)?,
                b'"' => {
                    let quote = self.at;
                    self.double(&mut delimiter)?;
                    doubtful |= self.slice(quote, self.at).contains(['$', '`', '\\']);
                }
                b'\\' => self.escape(&mut delimiter),
                byte => {
                    doubtful |= matches!(byte, b'$' | b'`');
                    self.take(&mut delimiter);
                }
            }
        }
        if self.at == from {
            return Err(ReadStop(DoubtReason::NotUnderstood));
        }
        let quoted = delimiter.quoted;
        let delimiter = match delimiter.finish().as_deref() {
            Some([]) => String::new(),
            Some([super::super::WordPiece::Text(text)]) => text.clone(),
            _ => return Err(ReadStop(DoubtReason::HereDocument)),
        };
        if doubtful || delimiter.contains('\n') {
            self.unknown(start, DoubtReason::HereDocument);
        }
        self.waiting.push(HereDoc { delimiter, quoted, strips_tabs, is_script: false });
        if self.in_substitution && self.bash() && self.behind_document.is_none() {
            self.behind_document = Some((self.at, false));
        }
        Ok(())
    }

    /// At the end of a substitution, or of a line in it. bash stores the commands of a substitution as text, printed anew,
    /// and loses separators behind a here-document: behind its operator a pipe is certain, behind its text nothing is.
    pub(in super::super) fn documents_end(&mut self) {
        let Some((from, ended)) = self.behind_document else { return };
        let rest = self.slice(from, self.at);
        let certain = if ended {
            rest.trim().is_empty()
        } else {
            !rest.contains([';', '&', '(', ')', '{', '}', '`'])
        };
        if !certain {
            self.unknown(from, DoubtReason::HereDocument);
        }
    }

    /// Steps over a newline, and the here-documents behind it.
    pub(in super::super) fn newline(&mut self) -> Read {
        self.bump(1);
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.documents_end();
        for document in std::mem::take(&mut self.waiting) {
            self.document(&document)?;
        }
        Ok(())
    }

    fn document(&mut self, document: &HereDoc) -> Read {
        let start = self.at;
        let (end, next) = match self.end_of(document) {
            (end, HereDocEnd::Line(next)) => (end, next),
            (end, HereDocEnd::Within(next)) => {
                self.unknown(end, DoubtReason::HereDocument);
                (end, next)
            }
            (end, HereDocEnd::Missing) => {
                self.unknown(start, DoubtReason::HereDocument);
                // Others may look through the same text for their end.
                if !self.found.pay_text((end - start) / 8, self.span(start)) {
                    return Err(ReadStop(DoubtReason::TooMuch));
                }
                (end, end)
            }
        };
        if !document.quoted && self.slice(start, end).contains(['$', '`']) {
            self.here_body(start, end)?;
        }
        let place = self.outer_place().unwrap_or(Span { start, end });
        if document.is_script {
            self.printed_script(self.slice(start, end), place);
        } else {
            // What comes behind it may be a shell that gets it.
            self.found.print(place, self.slice(start, end).to_owned());
        }
        self.at = next;
        if self.behind_document.is_some() {
            self.behind_document = Some((next, true));
        }
        Ok(())
    }

    /// Reads the text of a here-document in which something may expand.
    fn here_body(&mut self, start: usize, end: usize) -> Read {
        let text = self.slice(start, end);
        let joined = if self.bash() { without_continuations(text) } else { None };
        let read = match &joined {
            Some(joined) => {
                let place = Span { start, end };
                let place = self.outer_place().unwrap_or(place);
                if !self.found.pay(joined.len(), place) {
                    return Err(ReadStop(DoubtReason::TooMuch));
                }
                LineProver::new(joined, self.dialect, Some(place), self.found).here_text()
            }
            None => {
                let place = self.outer_place();
                let mut body = LineProver::new(self.slice(0, end), self.dialect, place, self.found);
                body.at = start;
                body.here_text()
            }
        };
        if read.is_err() {
            self.unknown(start, DoubtReason::HereDocument);
        }
        self.check_limits()
    }

    fn here_text(&mut self) -> Read {
        let seen = self.seen.len();
        let read =
            self.deeper(|this| this.expanding(QuotingState::Here, &mut WordPieces::default()));
        self.seen.truncate(seen);
        read
    }

    /// Where its text ends, and how.
    fn end_of(&mut self, document: &HereDoc) -> (usize, HereDocEnd) {
        let delimiter = document.delimiter.as_str();
        let within = self.bash() && self.in_substitution;
        let mut at = self.at;
        // The lines that a backslash joins, as long as they could become the delimiter, or begin with it: without the tabs
        // of each line, and with those behind the first.
        let mut joined: Vec<String> = Vec::new();
        // Where the delimiter ends that they begin with.
        let mut tail = None;
        let mut continued = false;
        while at < self.text.len() {
            let rest = self.text.get(at..).unwrap_or_default();
            let length = rest.find('\n').unwrap_or(rest.len());
            let next = (at + length + 1).min(self.text.len());
            let whole = rest.get(..length).unwrap_or_default();
            let line = if document.strips_tabs { whole.trim_start_matches('\t') } else { whole };
            let before = std::mem::take(&mut joined);
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            let continues = !document.quoted && backslashes % 2 == 1 && next > at + length;
            if !continued {
                tail = None;
                if line == delimiter {
                    return (at, HereDocEnd::Line(next));
                }
                if let Some(behind) = line.strip_prefix(delimiter) {
                    let end = at + length - behind.len();
                    if within && behind.contains(')') {
                        return (at, HereDocEnd::Within(end));
                    }
                    tail = Some(end);
                }
            }
            let mut lines: Vec<String> = Vec::new();
            if continued {
                for before in &before {
                    lines.push(before.clone() + line);
                    if line.len() != whole.len() {
                        lines.push(before.clone() + whole);
                    }
                }
                lines.dedup();
            } else {
                lines.push(line.to_owned());
            }
            if continued {
                // The versions differ in whether this ends it.
                if lines.iter().any(|whole| whole == delimiter) {
                    self.unknown(at, DoubtReason::HereDocument);
                    return (at, HereDocEnd::Line(next));
                }
                let begun = lines.iter().find_map(|whole| whole.strip_prefix(delimiter));
                if let Some(behind) = begun {
                    let end = tail.unwrap_or((at + length).saturating_sub(behind.len()).max(at));
                    tail = Some(end);
                    if within && behind.contains(')') {
                        return (at, HereDocEnd::Within(end));
                    }
                }
            }
            if continues {
                joined = lines
                    .into_iter()
                    .filter_map(|line| begins_alike(&line, delimiter, within))
                    .take(MAX_JOINED)
                    .collect();
            }
            continued = continues && !joined.is_empty();
            if continues && !continued {
                // The rest of this line cannot become the delimiter, nor can what is joined to it.
                at = next;
                at = self.behind_joined(at);
                continue;
            }
            at = next;
        }
        (self.text.len(), HereDocEnd::Missing)
    }

    /// Behind the lines that go on one that ends in a backslash.
    fn behind_joined(&self, mut at: usize) -> usize {
        while at < self.text.len() {
            let rest = self.text.get(at..).unwrap_or_default();
            let length = rest.find('\n').unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            at = (at + length + 1).min(self.text.len());
            if backslashes % 2 == 0 {
                break;
            }
        }
        at
    }
}

/// The text without the backslashes at the ends of lines and these ends, where there are any: bash drops them before it
/// looks for anything else, also inside of the single quotes of a substitution.
fn without_continuations(text: &str) -> Option<String> {
    if !text.contains("\\\n") {
        return None;
    }
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        joined.push_str(before);
        let length = 1 + escape.chars().nth(1).map_or(0, char::len_utf8);
        let (escape, behind) = escape.split_at(length);
        if escape != "\\\n" {
            joined.push_str(escape);
        }
        rest = behind;
    }
    joined.push_str(rest);
    Some(joined)
}

/// The line without its last backslash, when the delimiter starts with it or, where that ends it too, it with the delimiter.
fn begins_alike(line: &str, delimiter: &str, within: bool) -> Option<String> {
    let line = line.strip_suffix('\\')?;
    (delimiter.starts_with(line) || (within && line.starts_with(delimiter)))
        .then(|| line.to_owned())
}
