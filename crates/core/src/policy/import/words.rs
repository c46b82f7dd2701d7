//! Foreign patterns over the text of a command, as patterns over its words: a narrower one for an allow, a wider one for an
//! ask or a deny.

use super::super::document::{CommandPattern, Token};

/// A part of a word of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// This very text.
    Text(String),
    /// Any text, spaces included.
    Any,
}

/// What may come after the last word of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing.
    Closed,
    /// More words.
    Word,
    /// Whatever does not begin with a letter, a digit or `_`.
    Boundary,
    /// Whatever, also within the last word.
    Glued,
}

/// A pattern over the text of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) words: Vec<Vec<Part>>,
    pub(super) end: End,
}

/// A pattern over words that matches no more than the foreign one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Narrow {
    pub(super) pattern: CommandPattern,
    /// It must match the whole command, not only its beginning.
    pub(super) closed: bool,
    pub(super) exact: bool,
}

/// A pattern over words that matches no less than the foreign one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wide {
    /// No tokens: every command.
    pub(super) tokens: Vec<Token>,
    pub(super) exact: bool,
}

/// Words that are grammar and never the name of a command.
const RESERVED: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "in", "select", "function", "time", "coproc", "{", "}", "!", "[[", "]]",
];

impl Words {
    /// Every command.
    pub(super) const fn all() -> Self {
        Self { words: Vec::new(), end: End::Word }
    }

    /// Whether every command matches.
    pub(super) fn is_all(&self) -> bool {
        self.words.is_empty()
    }

    /// A glob over the text: `*` is any text, and `<space>*` at the end may be missing.
    pub(super) fn glob(text: &str) -> Self {
        let mut words: Vec<Vec<Part>> = text.split_whitespace().map(parts).collect();
        let mut end = End::Closed;
        if let Some(last) = words.last_mut()
            && last.last() == Some(&Part::Any)
        {
            last.pop();
            end = End::Glued;
            if last.is_empty() {
                words.pop();
                end = End::Word;
            }
        }
        Self { words, end }
    }

    /// The beginning of a text, spelled out.
    pub(super) fn beginning(text: &str, end: End) -> Self {
        let words = text.split_whitespace().map(|word| vec![Part::Text(word.to_owned())]);
        Self { words: words.collect(), end }
    }

    /// For an allow; `None` when there is nothing that surely matches no more.
    pub(super) fn narrow(&self) -> Option<Narrow> {
        if self.is_all() {
            let pattern = CommandPattern::beginning(vec![Token::Any]);
            return (self.end != End::Closed).then_some(Narrow {
                pattern,
                closed: false,
                exact: true,
            });
        }
        let mut exact = self.end != End::Boundary;
        let mut tokens = Vec::with_capacity(self.words.len());
        for (index, word) in self.words.iter().enumerate() {
            let last = index + 1 == self.words.len();
            let glued = last && self.end == End::Glued;
            tokens.push(match word.as_slice() {
                [Part::Text(text)] if index == 0 && is_assignment(text) => return None,
                [Part::Text(text)] if !differs_from_word(text) => match glued {
                    true => Token::Like(format!("{text}*")),
                    false => Token::Text(text.clone()),
                },
                [Part::Any] => {
                    exact = false;
                    Token::Any
                }
                [.., Part::Any] | [.., Part::Text(_)] if word.len() > 1 => {
                    exact = false;
                    Token::Like(like(word, glued)?)
                }
                _ => return None,
            });
        }
        Some(Narrow {
            pattern: CommandPattern::beginning(tokens),
            closed: self.end == End::Closed,
            exact,
        })
    }

    /// For an ask or a deny.
    pub(super) fn wide(&self) -> Wide {
        let mut exact = !matches!(self.end, End::Closed | End::Boundary);
        let mut tokens = Vec::with_capacity(self.words.len());
        for (index, word) in self.words.iter().enumerate() {
            let last = index + 1 == self.words.len();
            let Some(Part::Text(text)) = word.first() else { return Wide { tokens, exact: false } };
            if tokens.is_empty() && is_assignment(text) {
                // `CI=1 npm test`: the assignment is no word of the command.
                exact = false;
                if word.len() > 1 {
                    return Wide { tokens, exact };
                }
                continue;
            }
            let reserved = tokens.is_empty() && RESERVED.contains(&text.as_str());
            if reserved || may_be_written_otherwise(text) {
                return Wide { tokens, exact: false };
            }
            let glued = word.len() > 1 || last && matches!(self.end, End::Glued | End::Boundary);
            tokens.push(match glued {
                true => Token::Like(format!("{text}*")),
                false => Token::Text(text.clone()),
            });
            if word.len() > 1 {
                return Wide { tokens, exact: false };
            }
        }
        Wide { exact: exact && !tokens.is_empty() || self.is_all(), tokens }
    }
}

fn parts(word: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (index, text) in word.split('*').enumerate() {
        if index > 0 && parts.last() != Some(&Part::Any) {
            parts.push(Part::Any);
        }
        if !text.is_empty() {
            parts.push(Part::Text(text.to_owned()));
        }
    }
    parts
}

/// A word with `*` in it, `None` when its text is not what the shell makes of it.
fn like(word: &[Part], glued: bool) -> Option<String> {
    let mut text = String::new();
    for part in word {
        match part {
            Part::Any => text.push('*'),
            Part::Text(part) if differs_from_word(part) => return None,
            Part::Text(part) => text.push_str(part),
        }
    }
    if glued {
        text.push('*');
    }
    Some(text)
}

/// Whether a text is not the word that the shell makes of it, or cannot be a token.
fn differs_from_word(text: &str) -> bool {
    text.contains(|c: char| "'\"\\$`;&|<>()*".contains(c) || c.is_control())
}

/// Whether the shell makes something else of a text than the word itself.
fn may_be_written_otherwise(text: &str) -> bool {
    differs_from_word(text)
        || text.contains(['?', '[', '{', '}', '!', '#'])
        || text.starts_with('~')
}

fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        name.chars().all(|c| c.is_alphanumeric() || "_[]".contains(c)) && !name.is_empty()
    })
}
