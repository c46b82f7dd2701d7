//! A small reader for the calls that Codex' rules are made of: `name(key = value, …)`, with texts and lists as values.
//!
//! It knows nothing else of the language. Whatever else stands there is an error: it could have made a deny.

use super::super::document::Place;
use super::{ImportError, Text};

/// Lists lie at most so deep in lists.
const DEEPEST: usize = 8;

/// A call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub(super) name: &'a str,
    pub(super) at: Place,
    pub(super) arguments: Vec<Argument<'a>>,
    /// As it is written.
    pub(super) source: &'a str,
}

/// A named argument of a call.
#[derive(Debug)]
pub(super) struct Argument<'a> {
    pub(super) name: &'a str,
    pub(super) at: Place,
    pub(super) value: Value,
}

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    List(Vec<Value>),
}

/// Reads a file of calls.
pub(super) fn calls<'a>(text: &Text<'a>) -> Result<Vec<Call<'a>>, ImportError> {
    let mut reader = Reader { text, at: 0 };
    let mut calls = Vec::new();
    loop {
        reader.skip();
        if reader.rest().is_empty() {
            return Ok(calls);
        }
        calls.push(reader.call()?);
    }
}

struct Reader<'t, 'a> {
    text: &'t Text<'a>,
    /// In bytes.
    at: usize,
}

impl<'a> Reader<'_, 'a> {
    fn rest(&self) -> &'a str {
        self.text.text.get(self.at..).unwrap_or("")
    }

    /// Over spaces, ends of lines and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ';');
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn take(&mut self, sign: &str) -> bool {
        self.skip();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn error<T>(&self, message: impl Into<String>) -> Result<T, ImportError> {
        Err(ImportError::new(message, self.text.place(self.at)))
    }

    fn expect(&mut self, sign: &str) -> Result<(), ImportError> {
        if self.take(sign) {
            return Ok(());
        }
        self.error(format!("`{sign}` is expected here; only calls like `prefix_rule(pattern = [\"git\", \"status\"])` are read"))
    }

    fn name(&mut self) -> Result<&'a str, ImportError> {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        match rest.get(..end) {
            Some(name) if !name.is_empty() => {
                self.at += end;
                Ok(name)
            }
            _ => self.error("a name is expected here; only calls like `prefix_rule(…)` are read"),
        }
    }

    fn call(&mut self) -> Result<Call<'a>, ImportError> {
        let start = self.at;
        let at = self.text.place(start);
        let name = self.name()?;
        self.expect("(")?;
        let mut arguments: Vec<Argument> = Vec::new();
        while !self.take(")") {
            self.skip();
            let at = self.text.place(self.at);
            let name = self.name()?;
            if arguments.iter().any(|argument| argument.name == name) {
                return Err(ImportError::new(
                    format!("`{name}` stands here twice; remove one"),
                    at,
                ));
            }
            self.expect("=")?;
            arguments.push(Argument { name, at, value: self.value(0)? });
            if !self.take(",") {
                self.expect(")")?;
                break;
            }
        }
        let source = self.text.text.get(start..self.at).unwrap_or("");
        Ok(Call { name, at, arguments, source })
    }

    fn value(&mut self, depth: usize) -> Result<Value, ImportError> {
        if depth > DEEPEST {
            return self.error("the lists lie too deep in each other");
        }
        if !self.take("[") {
            return self.string().map(Value::Text);
        }
        let mut values = Vec::new();
        while !self.take("]") {
            values.push(self.value(depth + 1)?);
            if !self.take(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(Value::List(values))
    }

    fn string(&mut self) -> Result<String, ImportError> {
        self.skip();
        let raw = self.rest().starts_with(['r', 'R']);
        let quoted = self.rest().get(usize::from(raw)..).unwrap_or("");
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let Some(quote) = quotes.into_iter().find(|quote| quoted.starts_with(quote)) else {
            return self.error("a text or a list is expected here: `\"…\"` or `[…]`");
        };
        self.at += usize::from(raw) + quote.len();
        let mut text = String::new();
        loop {
            let rest = self.rest();
            if rest.starts_with(quote) {
                self.at += quote.len();
                return Ok(text);
            }
            let Some(c) = rest.chars().next() else {
                return self.error(format!("the text does not end: `{quote}` is missing"));
            };
            if c == '\n' && quote.len() == 1 {
                return self
                    .error(format!("the text does not end on its line: `{quote}` is missing"));
            }
            self.at += c.len_utf8();
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some(next) = self.rest().chars().next() else { continue };
            self.at += next.len_utf8();
            match next {
                _ if raw => text.extend([c, next]),
                '\\' | '\'' | '"' => text.push(next),
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                '\n' => {}
                _ => {
                    return self
                        .error(format!("`\\{next}` is not read; write the character itself"));
                }
            }
        }
    }
}
