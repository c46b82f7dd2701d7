//! Patterns of commands: from text to tokens.

use super::error::quoted;
use super::{CommandPattern, PatternToken, WordsBehind};

/// Reads `git log --oneline`: split at blanks; `'…'` and `"…"` hold a token together, everything in them stands for
/// itself.
///
/// # Errors
/// The reason, with what to write instead.
pub(super) fn from_text(text: &str) -> Result<CommandPattern, String> {
    let mut tokens = Vec::new();
    let mut token: Option<TokenDraft> = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            ' ' | '\t' => tokens.extend(token.take()),
            '\'' | '"' => {
                let draft = token.get_or_insert_default();
                draft.quoted = true;
                loop {
                    match chars.next() {
                        Some(end) if end == char => break,
                        Some(inner) => draft.text.push(inner),
                        None => {
                            return Err(format!("{} has a quote without end", quoted(text)));
                        }
                    }
                }
            }
            ';' | '|' | '&' | '<' | '>' | '$' | '(' | ')' | '`' | '\n' | '\r' => {
                return Err(format!(
                    "{} holds {char:?}: a rule is compared token by token with each command of a line, never with the \
                     text of the line. Write each command as an entry of its own, or put the token in quotes if this \
                     very text is meant",
                    quoted(text)
                ));
            }
            '\\' => {
                return Err(format!(
                    "{} holds a backslash: nothing is escaped here; put the token in quotes, in which everything stands \
                     for itself",
                    quoted(text)
                ));
            }
            _ => {
                let draft = token.get_or_insert_default();
                draft.star |= char == '*';
                draft.text.push(char);
            }
        }
    }
    tokens.extend(token);
    whole(tokens.into_iter().map(TokenDraft::token).collect::<Result<_, _>>()?)
}

/// A token that is being read.
#[derive(Default)]
struct TokenDraft {
    text: String,
    /// A part of it stands in quotes.
    quoted: bool,
    /// A `*` in it does not.
    star: bool,
}

impl TokenDraft {
    fn token(self) -> Result<PatternToken, String> {
        match (self.quoted, self.star) {
            (true, false) => Ok(PatternToken::Text(self.text)),
            (true, true) => Err(format!(
                "{} is partly in quotes and holds \"*\" outside of them; write it without quotes, or in a list of tokens",
                quoted(&self.text)
            )),
            (false, _) => word(self.text),
        }
    }
}

/// One token of a list of tokens.
pub(super) fn word(token: String) -> Result<PatternToken, String> {
    match token.as_str() {
        "*" => Ok(PatternToken::Any),
        "**" => Ok(PatternToken::Rest),
        _ if token.contains('*') => Ok(PatternToken::Like(token)),
        _ => Ok(PatternToken::Text(token)),
    }
}

/// A pattern of these tokens.
pub(super) fn whole(tokens: Vec<PatternToken>) -> Result<CommandPattern, String> {
    let twice = |pair: &[PatternToken]| pair.iter().all(|token| *token == PatternToken::Rest);
    match tokens.as_slice() {
        [] => Err("there is no command in it".to_owned()),
        [PatternToken::Rest, _, ..] => Err(
            "\"**\" stands for any number of words, so it cannot stand for the program; \"*\" stands for one word"
                .to_owned(),
        ),
        tokens if tokens.windows(2).any(twice) => {
            Err("\"**\" twice in a row says no more than once".to_owned())
        }
        _ => Ok(CommandPattern::beginning(tokens)),
    }
}

/// A pattern with what may stand behind it.
pub(super) fn with(pattern: CommandPattern, behind: WordsBehind) -> Result<CommandPattern, String> {
    match behind {
        WordsBehind::Nothing if pattern.tokens.last() == Some(&PatternToken::Rest) => Err(
            "\"**\" at the end stands for whatever follows, and \"exact\" says that nothing does".to_owned(),
        ),
        WordsBehind::Only { .. } if pattern.tokens.contains(&PatternToken::Rest) => Err(
            "\"**\" stands for any operands, and \"operands\" says which there are: leave \"**\" out".to_owned(),
        ),
        behind => Ok(CommandPattern { behind, ..pattern }),
    }
}
