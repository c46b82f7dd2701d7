//! Here-documents.

use super::super::Why;
use super::super::lexer::{Pieces, Quoting};
use super::super::prover::{Prover, Read, Stop};

/// A here-document whose text is still to come.
pub(in super::super) struct HereDoc {
    delimiter: String,
    /// Nothing expands in it.
    quoted: bool,
    /// `<<-`
    strips_tabs: bool,
}

/// How a here-document ends.
enum End {
    /// With a line that is the delimiter, behind which reading goes on here.
    Line(usize),
    /// In the midst of a line, as some versions of bash have it.
    Within(usize),
    /// With the text.
    Missing,
}

impl Prover<'_, '_> {
    /// `<<`, behind the operator.
    pub(super) fn here_document(&mut self) -> Read {
        let strips_tabs = self.eat(b'-');
        let start = self.at;
        while matches!(self.peek(), b' ' | b'\t') {
            self.bump(1);
        }
        let mut delimiter = Pieces::default();
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
            return Err(Stop(Why::NotUnderstood));
        }
        let quoted = delimiter.quoted;
        let delimiter = match delimiter.finish().as_slice() {
            [] => String::new(),
            [super::super::Piece::Text(text)] => text.clone(),
            _ => return Err(Stop(Why::HereDocument)),
        };
        if doubtful || delimiter.contains('\n') {
            self.unknown(start, Why::HereDocument);
        }
        self.waiting.push(HereDoc { delimiter, quoted, strips_tabs });
        Ok(())
    }

    /// Steps over a newline, and the here-documents behind it.
    pub(in super::super) fn newline(&mut self) -> Read {
        self.bump(1);
        if self.waiting.is_empty() {
            return Ok(());
        }
        for document in std::mem::take(&mut self.waiting) {
            self.document(&document)?;
        }
        Ok(())
    }

    fn document(&mut self, document: &HereDoc) -> Read {
        let start = self.at;
        let (end, next) = match self.end_of(document) {
            (end, End::Line(next)) => (end, next),
            (end, End::Within(next)) => {
                self.unknown(end, Why::HereDocument);
                (end, next)
            }
            (end, End::Missing) => {
                self.unknown(start, Why::HereDocument);
                (end, end)
            }
        };
        if !document.quoted && self.slice(start, end).contains(['$', '`']) {
            let place = Some(self.span(start)).filter(|_| self.is_nested());
            let mut body = Prover::new(self.slice(0, end), self.dialect, place, self.found);
            body.at = start;
            let read = body.deeper(|body| body.expanding(Quoting::Here, &mut Pieces::default()));
            if read.is_err() {
                self.unknown(start, Why::HereDocument);
            }
            self.check_limits()?;
        }
        self.at = next;
        Ok(())
    }

    /// Where its text ends, and how.
    fn end_of(&mut self, document: &HereDoc) -> (usize, End) {
        let delimiter = document.delimiter.as_str();
        let mut at = self.at;
        // The text of lines that a backslash joins, as long as it could become the delimiter.
        let mut joined: Option<String> = None;
        let mut continued = false;
        while at < self.text.len() {
            let rest = self.text.get(at..).unwrap_or_default();
            let length = rest.find('\n').unwrap_or(rest.len());
            let next = (at + length + 1).min(self.text.len());
            let mut line = rest.get(..length).unwrap_or_default();
            if document.strips_tabs {
                line = line.trim_start_matches('\t');
            }
            let before = joined.take();
            let backslashes = line.bytes().rev().take_while(|byte| *byte == b'\\').count();
            let continues = !document.quoted && backslashes % 2 == 1 && next > at + length;
            if continued {
                let whole = before.map(|before| before + line);
                match whole {
                    // The versions differ in whether this ends it.
                    Some(whole) if whole == delimiter => {
                        self.unknown(at, Why::HereDocument);
                        return (at, End::Line(next));
                    }
                    Some(whole) if continues => joined = prefix_of(&whole, delimiter),
                    _ => {}
                }
            } else if line == delimiter {
                return (at, End::Line(next));
            } else if let Some(tail) = line.strip_prefix(delimiter) {
                if self.bash() && self.in_substitution && tail.contains(')') {
                    return (at, End::Within(at + length - tail.len()));
                }
                if continues {
                    joined = prefix_of(line, delimiter);
                }
            } else if continues {
                joined = prefix_of(line, delimiter);
            }
            continued = continues;
            at = next;
        }
        (self.text.len(), End::Missing)
    }
}

/// The line without its last backslash, when the delimiter starts with it.
fn prefix_of(line: &str, delimiter: &str) -> Option<String> {
    let line = line.strip_suffix('\\')?;
    delimiter.starts_with(line).then(|| line.to_owned())
}
