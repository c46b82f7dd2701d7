//! Whether the beginning of a command is the one that a rule speaks of.

use super::compile::wild;
use super::document::{CommandPattern, Token};
use crate::shell::{Piece, Word};

/// Whether programs whose names differ in case alone are one program: where the usual volumes fold case.
pub(crate) const FOLDS_CASE: bool = cfg!(any(target_os = "macos", windows));

/// How far a rule and a subject meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meets {
    /// They cannot.
    No,
    /// They may: something only the run will tell.
    Could,
    /// They do.
    Yes,
}

/// The last part of a program's path, as denies and asks compare it.
pub(crate) fn base_name(word: &str) -> &str {
    let name = word.rsplit('/').next().unwrap_or(word);
    if cfg!(windows) { name.rsplit('\\').next().unwrap_or(name) } else { name }
}

/// Whether an allow speaks of this command: literal words as they are written.
pub(crate) fn covers(pattern: &CommandPattern, argv: &[Word]) -> bool {
    // A command whose name is not known is nothing that could be allowed, not even by `*`.
    if argv.first().and_then(Word::literal).is_none() {
        return false;
    }
    for (at, token) in pattern.tokens.iter().enumerate() {
        if *token == Token::Rest {
            return true;
        }
        let Some(word) = argv.get(at).and_then(Word::literal) else { return false };
        if !token_is(token, word) {
            return false;
        }
    }
    !pattern.tokens.is_empty()
}

/// Whether the pattern spells out the argument at this index, all before it as well.
pub(crate) fn spells_out(pattern: &CommandPattern, arg: usize) -> bool {
    pattern.tokens.get(..=arg).is_some_and(|tokens| {
        tokens.iter().all(|token| matches!(token, Token::Text(_) | Token::OneOf(_)))
    })
}

/// Whether a deny or an ask speaks of this command, or could.
pub(crate) fn bites(pattern: &CommandPattern, argv: &[Word]) -> Meets {
    let certain = pattern
        .tokens
        .iter()
        .take_while(|token| **token != Token::Rest)
        .enumerate()
        .all(|(at, token)| argv.get(at).is_some_and(|word| surely(token, word, at == 0)));
    if certain {
        return Meets::Yes;
    }
    if argv.iter().all(|word| word.literal().is_some()) {
        return Meets::No;
    }
    if could(&pattern.tokens, argv) { Meets::Could } else { Meets::No }
}

fn surely(token: &Token, word: &Word, first: bool) -> bool {
    match word.literal() {
        Some(text) => token_is(token, text) || first && token_is_name(token, text),
        None => *token == Token::Any && !word.splits(),
    }
}

fn token_is(token: &Token, word: &str) -> bool {
    match token {
        Token::Text(text) => text == word,
        Token::OneOf(texts) => texts.iter().any(|text| text == word),
        Token::Like(pattern) => wild(pattern, word),
        Token::Any | Token::Rest => true,
    }
}

fn token_is_name(token: &Token, word: &str) -> bool {
    let name = base_name(word);
    let is = |text: &String| {
        if FOLDS_CASE {
            let name = name.strip_suffix(".exe").unwrap_or(name);
            text.eq_ignore_ascii_case(name)
        } else {
            text == name
        }
    };
    match token {
        Token::Text(text) => is(text),
        Token::OneOf(texts) => texts.iter().any(is),
        Token::Like(pattern) if FOLDS_CASE => {
            wild(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase())
        }
        Token::Like(pattern) => wild(pattern, name),
        Token::Any | Token::Rest => true,
    }
}

/// Whether the tokens could be a beginning of what the words become, each of which may be several words or none.
///
/// The set of all token positions that the words so far can have reached, so that the work is their product and no more.
fn could(tokens: &[Token], argv: &[Word]) -> bool {
    let mut reached = vec![false; tokens.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for (index, word) in argv.iter().enumerate() {
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate() {
            if !reached.get(at).copied().unwrap_or(false) {
                continue;
            }
            if *token == Token::Rest {
                return true;
            }
            let splits = word.splits();
            if may_be(token, word, index == 0) {
                if splits {
                    // What follows may be more words of this one.
                    return true;
                }
                if let Some(slot) = next.get_mut(at + 1) {
                    *slot = true;
                }
            }
            if splits
                && may_vanish(word)
                && let Some(slot) = next.get_mut(at)
            {
                *slot = true;
            }
        }
        if next.last().copied().unwrap_or(true) {
            return true;
        }
        if !next.contains(&true) {
            return false;
        }
        reached = next;
    }
    // All words are used up: only `**` can still be to come.
    tokens.iter().zip(&reached).any(|(token, reached)| *reached && *token == Token::Rest)
}

fn may_vanish(word: &Word) -> bool {
    let text =
        word.pieces.iter().any(|piece| matches!(piece, Piece::Text(text) if !text.is_empty()));
    let glob = word.pieces.iter().any(|piece| matches!(piece, Piece::Glob(_)));
    glob || !text
}

fn may_be(token: &Token, word: &Word, first: bool) -> bool {
    if let Some(text) = word.literal() {
        return token_is(token, text) || first && token_is_name(token, text);
    }
    // The path of a program: only its end is compared.
    if first {
        return true;
    }
    match token {
        Token::Text(text) => text_may_be(text, word),
        Token::OneOf(texts) => texts.iter().any(|text| text_may_be(text, word)),
        // What the run makes of the word may be of any form.
        Token::Like(_) | Token::Any | Token::Rest => true,
    }
}

/// By the known beginning and, for what stays one word, the known end.
fn text_may_be(token: &str, word: &Word) -> bool {
    let begins = match word.pieces.first() {
        Some(Piece::Text(text)) => token.starts_with(text.as_str()),
        _ => true,
    };
    let unknown_splits =
        word.pieces.iter().any(|piece| matches!(piece, Piece::Unknown { splits: true }));
    let ends = match word.pieces.last() {
        Some(Piece::Text(text)) if !unknown_splits => token.ends_with(text.as_str()),
        _ => true,
    };
    begins && ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::subject::literal;
    use crate::shell::Span;

    fn pattern(text: &str) -> CommandPattern {
        let tokens = text
            .split(' ')
            .map(|token| match token {
                "*" => Token::Any,
                "**" => Token::Rest,
                text if text.contains('|') => {
                    Token::OneOf(text.split('|').map(str::to_owned).collect())
                }
                text if text.contains('*') => Token::Like(text.to_owned()),
                text => Token::Text(text.to_owned()),
            })
            .collect();
        CommandPattern { tokens }
    }

    /// `$x` splits, `"$x"` does not, `*` is a glob, `pre$x` has a known beginning.
    fn argv(text: &str) -> Vec<Word> {
        text.split(' ')
            .map(|word| {
                let pieces = if word == "\"$x\"" {
                    vec![Piece::Unknown { splits: false }]
                } else if let Some((before, after)) = word.split_once("$x") {
                    [before, after].iter().enumerate().fold(Vec::new(), |mut pieces, (at, part)| {
                        if at == 1 {
                            pieces.push(Piece::Unknown { splits: true });
                        }
                        if !part.is_empty() {
                            pieces.push(Piece::Text((*part).to_owned()));
                        }
                        pieces
                    })
                } else if let Some((before, after)) = word.split_once('*') {
                    let mut pieces = vec![];
                    if !before.is_empty() {
                        pieces.push(Piece::Text(before.to_owned()));
                    }
                    pieces.push(Piece::Glob("*".to_owned()));
                    if !after.is_empty() {
                        pieces.push(Piece::Text(after.to_owned()));
                    }
                    pieces
                } else {
                    return literal(word);
                };
                Word { span: Span { start: 0, end: 0 }, pieces }
            })
            .collect()
    }

    #[test]
    fn allows_need_literal_words() {
        for (tokens, words, expected) in [
            ("git status", "git status -s", true),
            ("git status", "git status", true),
            ("git status", "git", false),
            ("git status", "git statusx", false),
            ("git status", "/usr/bin/git status", false),
            ("git status", "git $x", false),
            ("git status", "git status $x *", true),
            ("git * -s", "git status -s", true),
            ("git * -s", "git \"$x\" -s", false),
            ("git **", "git", true),
            ("git status|log", "git log x", true),
            ("**", "rm x", true),
            ("**", "$x", false),
            ("*", "\"$x\"", false),
            ("npm run test:*", "npm run test:unit x", true),
            ("npm run test:*", "npm run test", false),
            ("npm run test:*", "npm run test:$x", false),
            ("git*", "gitk", true),
            ("git*", "/usr/bin/git", false),
        ] {
            assert_eq!(covers(&pattern(tokens), &argv(words)), expected, "{tokens} / {words}");
        }
    }

    #[test]
    fn denies_also_meet_what_could_be() {
        use Meets::{Could, No, Yes};
        for (tokens, words, expected) in [
            ("git push", "git push origin", Yes),
            ("git push", "/usr/bin/git push", Yes),
            ("git push", "git pushx", No),
            ("git push", "git", No),
            ("git push", "git $x", Could),
            ("git push", "git \"$x\"", Could),
            ("git push", "git \"$x\" push", Could),
            ("git push", "git $x push", Could),
            ("git push", "git status $x", No),
            ("git push", "git pu$x", Could),
            ("git push", "git st$x", No),
            ("git push", "$x push", Could),
            ("git push --force", "git $x --force", Could),
            ("git push --force", "git push $x", Could),
            ("git push --force", "git push origin", No),
            ("git push --force", "git push origin $x", No),
            ("git push --force", "git push -v $x --force", No),
            ("rm *", "rm \"$x\"", Yes),
            ("rm *", "rm $x", Could),
            ("rm -rf /", "rm -rf *", Could),
            ("rm -rf /etc", "rm -rf a*", No),
            ("rm -rf x.c", "rm -rf *.o", No),
            ("rm -rf x.o", "rm -rf *.o", Could),
            ("rm **", "rm", Yes),
            ("rm a **", "rm $x", Could),
            ("rm*", "rmdir x", Yes),
            ("rm*", "/bin/rmdir x", Yes),
            ("rm*", "arm x", No),
            ("git push*", "git pushx", Yes),
            ("git push*", "git \"$x\"", Could),
        ] {
            assert_eq!(bites(&pattern(tokens), &argv(words)), expected, "{tokens} / {words}");
        }
    }

    #[test]
    fn a_rule_spells_out_words() {
        assert!(spells_out(&pattern("git -c user.name=x commit"), 1));
        assert!(!spells_out(&pattern("git"), 1));
        assert!(!spells_out(&pattern("git *"), 1));
        assert!(!spells_out(&pattern("* -c"), 1));
        assert!(!spells_out(&pattern("git -*"), 1));
    }
}
