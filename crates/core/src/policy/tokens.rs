//! Whether the beginning of a command is the one that a rule speaks of.

use std::cell::OnceCell;

use super::compile::wild;
use super::document::{CommandPattern, PatternToken, WordsBehind};
use crate::shell::{self, CommandParts, Word, WordPiece, base_name, without_g};

/// Whether programs whose names differ in case alone are one program: where the usual volumes fold case.
pub(crate) const FOLDS_CASE: bool = cfg!(any(target_os = "macos", windows));

/// How far a rule and an action meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleMeeting {
    /// They cannot.
    No,
    /// They may: something only the run will tell.
    Could,
    /// They do.
    Yes,
}

/// The words of a command, taken apart once for all rules.
#[derive(Debug)]
pub(crate) struct CommandWords<'a> {
    argv: &'a [Word],
    parts: OnceCell<Option<CommandParts>>,
    beside: OnceCell<Option<Vec<bool>>>,
}

impl<'a> CommandWords<'a> {
    /// These.
    pub(crate) fn of(argv: &'a [Word]) -> Self {
        Self { argv, parts: OnceCell::new(), beside: OnceCell::new() }
    }

    /// How many they are.
    pub(crate) fn len(&self) -> usize {
        self.argv.len()
    }

    /// Its options and operands, where they can be told.
    fn parts(&self) -> Option<&CommandParts> {
        self.parts.get_or_init(|| shell::parts(self.argv)).as_ref()
    }

    /// Whether the word at this index is known to be an operand; `false`: to some versions of the program.
    fn operand(&self, at: usize) -> Option<bool> {
        let operands = &self.parts()?.operands;
        let found = operands.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        operands.get(found).map(|(_, surely)| *surely)
    }

    /// Which words may be options, or values of those before them, so that to a deny they may stand between the words that it
    /// names. `None`: none.
    pub(crate) fn beside(&self) -> Option<&[bool]> {
        let beside = self.beside.get_or_init(|| {
            let option = |at: usize| at > 0 && self.argv.get(at).is_some_and(is_dashed);
            // `--` ends the options: it takes no value.
            let takes =
                |at: usize| option(at) && self.argv.get(at).and_then(Word::literal) != Some("--");
            let value = |at: usize| at > 0 && takes(at - 1) && self.operand(at) != Some(true);
            let words = 0..self.argv.len();
            words.clone().any(option).then(|| words.map(|at| option(at) || value(at)).collect())
        });
        beside.as_deref()
    }
}

/// Whether it begins with a dash for certain.
pub(crate) fn is_dashed(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(WordPiece::Text(text)) if text.starts_with('-'))
}

/// Whether an allow speaks of this command: literal words as they are written.
///
/// Sound for all that the words become that only the run will tell. Each token but `**` is compared with a word that is literal,
/// so that such a word can only stand where a `**` stands or behind the last token; and there the pattern says nothing of how
/// many words there are, nor of what they are. Where it does say so ([`WordsBehind`]), every word is literal, or the value of an
/// option that always becomes one word.
pub(crate) fn covers(pattern: &CommandPattern, words: &CommandWords) -> bool {
    let argv = words.argv;
    // A command whose name is not known is nothing that could be allowed, not even by `*`.
    if argv.first().and_then(Word::literal).is_none() {
        return false;
    }
    let is = |token: &PatternToken, at: usize| {
        argv.get(at).and_then(Word::literal).is_some_and(|word| token_is(token, word))
    };
    let Some(ends) = TokenEnds::of(&pattern.tokens, argv.len(), is, None) else { return false };
    match &pattern.behind {
        WordsBehind::Anything => true,
        WordsBehind::Nothing => {
            ends.holds(argv.len()) && argv.iter().all(|word| word.literal().is_some())
        }
        // Without a `**` there is one end.
        WordsBehind::Only { operands, options } => {
            only(operands, options.as_deref(), pattern.tokens.len(), words)
        }
    }
}

/// Where the tokens can end: numbers of words.
struct TokenEnds {
    /// The least.
    from: usize,
    /// The most, if there are more.
    at: Vec<bool>,
}

impl TokenEnds {
    /// The ends, if there are any. `is` compares a token with the word at an index; `beside`, if any may, says which words may
    /// stand between two tokens.
    ///
    /// One pass for each token over the places that are reached, so that the work is their product and no more.
    fn of(
        tokens: &[PatternToken], words: usize, is: impl Fn(&PatternToken, usize) -> bool,
        beside: Option<&[bool]>,
    ) -> Option<Self> {
        // This many tokens stand where the words begin, one beside the other.
        let first = tokens
            .iter()
            .enumerate()
            .position(|(at, token)| *token == PatternToken::Rest || !is(token, at))
            .unwrap_or(tokens.len());
        let rest = tokens.get(first..)?;
        if tokens.is_empty() || matches!(rest, [] | [PatternToken::Rest]) {
            // Nothing behind a `**`: the least is as good as any.
            let at = if rest.is_empty() { Vec::new() } else { vec![true; words + 1] };
            return (!tokens.is_empty()).then_some(Self { from: first, at });
        }
        if beside.is_none() && rest.first() != Some(&PatternToken::Rest) {
            return None;
        }
        // What is beside may stand before each of them but the first.
        let laid = if beside.is_some() { first.min(1) } else { first };
        if laid == 0 && rest.first() != Some(&PatternToken::Rest) {
            return None;
        }
        let mut at = vec![false; words + 1];
        *at.get_mut(laid)? = true;
        for token in tokens.get(laid..)? {
            if *token == PatternToken::Rest {
                let from = at.iter().position(|reached| *reached)?;
                at.iter_mut().skip(from).for_each(|reached| *reached = true);
                continue;
            }
            let mut passed = false;
            let before = std::mem::replace(&mut at, vec![false; words + 1]);
            for end in 0..words {
                let skips = || beside.and_then(|beside| beside.get(end - 1)).copied();
                passed = before.get(end).copied().unwrap_or(false)
                    || (passed && skips().unwrap_or(false));
                if passed
                    && is(token, end)
                    && let Some(slot) = at.get_mut(end + 1)
                {
                    *slot = true;
                }
            }
        }
        let from = at.iter().position(|reached| *reached)?;
        Some(Self { from, at })
    }

    /// Whether the tokens can end behind this many words.
    fn holds(&self, words: usize) -> bool {
        self.from == words || self.at.get(words).copied().unwrap_or(false)
    }
}

/// Whether behind the first words there are these operands and options and no others: each word is then a known option, its value
/// in every reading of the program, or an operand that is listed. An option that does more than to read is a listed one.
fn only(
    operands: &[PatternToken], options: Option<&[String]>, from: usize, words: &CommandWords,
) -> bool {
    let Some(parts) = words.parts() else { return false };
    // An option that is cut short is in the list by each name that it could stand for.
    let known =
        parts.options.iter().filter(|option| option.at >= from).all(|option| {
            options.map_or(option.only_reads, |options| options.contains(&option.name))
        });
    let mut some = operands.is_empty();
    known
        && parts.operands.iter().filter(|(at, _)| *at >= from).all(|(at, surely)| {
            some |= surely;
            let word = words.argv.get(*at).and_then(Word::literal);
            word.is_some_and(|word| operands.iter().any(|token| token_is(token, word)))
        })
        && some
}

/// Whether behind the first words there is something that a deny or an ask lists, in any reading: one of the operands, or,
/// where it lists none, one of the options, or no operand for certain.
fn named(
    operands: &[PatternToken], options: Option<&[String]>, from: usize, words: &CommandWords,
) -> RuleMeeting {
    let behind = words.argv.iter().enumerate().skip(from);
    if operands.is_empty() {
        let Some(parts) = words.parts() else { return RuleMeeting::Could };
        let given = parts.options.iter().filter(|option| option.at >= from);
        let given = options
            .is_some_and(|options| given.into_iter().any(|option| options.contains(&option.name)));
        let operand = parts.operands.iter().any(|(at, surely)| *at >= from && *surely);
        return if given || !operand { RuleMeeting::Yes } else { RuleMeeting::No };
    }
    let mut meets = RuleMeeting::No;
    // What stands before a word may turn out to be an option that takes it.
    let open = words.argv.iter().position(|word| word.literal().is_none());
    // Where operands cannot be told, a word from the first dash on may be an option or the value of one.
    let dash = words.argv.iter().skip(1).position(is_dashed).map(|at| at + 1);
    let known = words.parts().is_some();
    let untold = |at: usize| !known && dash.is_some_and(|dash| dash <= at);
    for (at, word) in behind {
        let surely_none = known && words.operand(at).is_none();
        let told = open.is_none_or(|open| at <= open && !untold(at));
        meets = meets.max(match word.literal() {
            _ if surely_none => RuleMeeting::No,
            Some(word) if operands.iter().any(|token| token_is(token, word)) => {
                if told {
                    RuleMeeting::Yes
                } else {
                    RuleMeeting::Could
                }
            }
            Some(_) => RuleMeeting::No,
            None if operands.iter().any(|token| may_be(token, word, false)) => RuleMeeting::Could,
            None => RuleMeeting::No,
        });
    }
    meets
}

/// Whether the pattern spells out the argument at this index, all before it as well.
pub(crate) fn spells_out(pattern: &CommandPattern, arg: usize) -> bool {
    pattern.tokens.get(..=arg).is_some_and(|tokens| {
        tokens.iter().all(|token| matches!(token, PatternToken::Text(_) | PatternToken::OneOf(_)))
    })
}

/// Whether the pattern names what this argument does: it spells it out, or lists it, or the option that it belongs to, among
/// what may stand behind the words.
pub(crate) fn names(pattern: &CommandPattern, words: &CommandWords, arg: usize) -> bool {
    if spells_out(pattern, arg) {
        return true;
    }
    let WordsBehind::Only { operands, options } = &pattern.behind else { return false };
    let listed = words.argv.get(arg).and_then(Word::literal).is_some_and(|word| {
        let is = |token: &PatternToken| {
            matches!(token, PatternToken::Text(_) | PatternToken::OneOf(_)) && token_is(token, word)
        };
        operands.iter().any(is)
    });
    let option = options.as_ref().zip(words.parts()).is_some_and(|(options, parts)| {
        let here = |at: usize| at == arg || at + 1 == arg;
        parts.options.iter().any(|option| here(option.at) && options.contains(&option.name))
    });
    listed || option
}

/// Whether a deny or an ask speaks of this command, or could: whether in any reading of it there stands what the rule names.
/// Options may stand between the words, and more words behind them, even if the rule takes none there ([`WordsBehind`]).
///
/// *No* is certain for every value of the words that only the run will tell: it is said where all words are literal and no way
/// to lay the tokens over them was found, or where none is found when each other word may be any number of words of the
/// form that is known of it.
pub(crate) fn bites(pattern: &CommandPattern, words: &CommandWords) -> RuleMeeting {
    let argv = words.argv;
    let is = |token: &PatternToken, at: usize| {
        argv.get(at).is_some_and(|word| surely(token, word, at == 0))
    };
    let ends = TokenEnds::of(&pattern.tokens, argv.len(), is, words.beside());
    let meets = match (ends, &pattern.behind) {
        (None, _) => RuleMeeting::No,
        (Some(_), WordsBehind::Anything | WordsBehind::Nothing) => RuleMeeting::Yes,
        (Some(ends), WordsBehind::Only { operands, options }) => {
            named(operands, options.as_deref(), ends.from, words)
        }
    };
    let literal = argv.iter().all(|word| word.literal().is_some());
    if meets == RuleMeeting::No && !literal && could(pattern, words) {
        RuleMeeting::Could
    } else {
        meets
    }
}

fn surely(token: &PatternToken, word: &Word, first: bool) -> bool {
    match word.literal() {
        Some(text) => token_is(token, text) || first && token_is_name(token, text),
        None => *token == PatternToken::Any && !word.splits(),
    }
}

fn token_is(token: &PatternToken, word: &str) -> bool {
    match token {
        PatternToken::Text(text) => text == word,
        PatternToken::OneOf(texts) => texts.iter().any(|text| text == word),
        PatternToken::Like(pattern) => wild(pattern, word),
        PatternToken::Any | PatternToken::Rest => true,
    }
}

fn token_is_name(token: &PatternToken, word: &str) -> bool {
    let name = base_name(word);
    let name = if FOLDS_CASE { name.strip_suffix(".exe").unwrap_or(name) } else { name };
    let same = |text: &String, name: &str| {
        if FOLDS_CASE { text.eq_ignore_ascii_case(name) } else { text == name }
    };
    let is =
        |text: &String| same(text, name) || without_g(name).is_some_and(|plain| same(text, plain));
    match token {
        PatternToken::Text(text) => is(text),
        PatternToken::OneOf(texts) => texts.iter().any(is),
        PatternToken::Like(pattern) if FOLDS_CASE => {
            wild(&pattern.to_ascii_lowercase(), &name.to_ascii_lowercase())
        }
        PatternToken::Like(pattern) => wild(pattern, name),
        PatternToken::Any | PatternToken::Rest => true,
    }
}

/// Whether the tokens could be a beginning of what the words become; each may become several words or none.
///
/// The set of all token positions that the words so far can have reached, so that the work is their product and no more.
/// Operands behind them could be anything as long as some word is not known.
fn could(pattern: &CommandPattern, words: &CommandWords) -> bool {
    let tokens = &pattern.tokens;
    let listed = match &pattern.behind {
        WordsBehind::Only { operands, .. } => operands.as_slice(),
        WordsBehind::Anything | WordsBehind::Nothing => &[],
    };
    let mut reached = vec![false; tokens.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    skip_gaps(tokens, &mut reached);
    for (index, word) in words.argv.iter().enumerate() {
        if reached.last().copied().unwrap_or(true) {
            break;
        }
        let splits = word.splits();
        let beside = words.beside().and_then(|beside| beside.get(index)).copied();
        // It may turn out to be an option, or the value of one.
        let before = index.checked_sub(1).filter(|before| *before > 0);
        let options = [before, Some(index).filter(|index| *index > 0)];
        let option =
            options.into_iter().flatten().filter_map(|at| words.argv.get(at)).any(may_be_option);
        let vanishes = splits && may_vanish(word) || beside.unwrap_or(false) || option;
        let mut next = vec![false; tokens.len() + 1];
        for at in (0..=tokens.len()).filter(|at| reached.get(*at).copied().unwrap_or(false)) {
            let token = tokens.get(at);
            let stays = vanishes || token == Some(&PatternToken::Rest);
            if stays && let Some(slot) = next.get_mut(at) {
                *slot = true;
            }
            if token.is_some_and(|token| may_be(token, word, index == 0)) {
                if splits {
                    // What follows may be more words of this one.
                    return true;
                }
                if let Some(slot) = next.get_mut(at + 1) {
                    *slot = true;
                }
            }
        }
        skip_gaps(tokens, &mut next);
        if !next.contains(&true) {
            return false;
        }
        reached = next;
    }
    let splits = words.argv.iter().any(Word::splits);
    let is_listed = |word: &Word| listed.iter().any(|token| may_be(token, word, false));
    reached.last().copied().unwrap_or(true)
        && (listed.is_empty() || splits || words.argv.iter().skip(1).any(is_listed))
}

/// A `**` may stand for no word at all.
fn skip_gaps(tokens: &[PatternToken], reached: &mut [bool]) {
    for (at, token) in tokens.iter().enumerate() {
        if *token == PatternToken::Rest
            && reached.get(at).copied().unwrap_or(false)
            && let Some(slot) = reached.get_mut(at + 1)
        {
            *slot = true;
        }
    }
}

/// Whether only the run will tell if it begins with a dash.
fn may_be_option(word: &Word) -> bool {
    word.literal().is_none()
        && !matches!(word.pieces.first(), Some(WordPiece::Text(text)) if !text.is_empty())
}

fn may_vanish(word: &Word) -> bool {
    let text =
        word.pieces.iter().any(|piece| matches!(piece, WordPiece::Text(text) if !text.is_empty()));
    let glob = word.pieces.iter().any(|piece| matches!(piece, WordPiece::Glob(_)));
    glob || !text
}

fn may_be(token: &PatternToken, word: &Word, first: bool) -> bool {
    if let Some(text) = word.literal() {
        return token_is(token, text) || first && token_is_name(token, text);
    }
    // The path of a program: only its end is compared.
    if first {
        return true;
    }
    match token {
        PatternToken::Text(text) => text_may_be(text, word),
        PatternToken::OneOf(texts) => texts.iter().any(|text| text_may_be(text, word)),
        // What the run makes of the word may be of any form.
        PatternToken::Like(_) | PatternToken::Any | PatternToken::Rest => true,
    }
}

/// By the known beginning and, for what stays one word, the known end.
fn text_may_be(token: &str, word: &Word) -> bool {
    let begins = match word.pieces.first() {
        Some(WordPiece::Text(text)) => token.starts_with(text.as_str()),
        _ => true,
    };
    let unknown_splits =
        word.pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { splits: true }));
    let ends = match word.pieces.last() {
        Some(WordPiece::Text(text)) if !unknown_splits => token.ends_with(text.as_str()),
        _ => true,
    };
    begins && ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::action::literal;
    use crate::shell::Span;

    fn pattern(text: &str) -> CommandPattern {
        let tokens = text
            .split(' ')
            .map(|token| match token {
                "*" => PatternToken::Any,
                "**" => PatternToken::Rest,
                text if text.contains('|') => {
                    PatternToken::OneOf(text.split('|').map(str::to_owned).collect())
                }
                text if text.contains('*') => PatternToken::Like(text.to_owned()),
                text => PatternToken::Text(text.to_owned()),
            })
            .collect();
        CommandPattern::beginning(tokens)
    }

    /// `words $` for nothing behind, `words = a b` for these operands, `words = a b / -x` for these options as well.
    fn closed(text: &str) -> CommandPattern {
        if let Some(words) = text.strip_suffix(" $") {
            return CommandPattern { behind: WordsBehind::Nothing, ..pattern(words) };
        }
        let Some((words, only)) = text.split_once(" =") else { return pattern(text) };
        let (operands, options) = match only.split_once('/') {
            Some((operands, options)) => (operands, Some(options)),
            None => (only, None),
        };
        let operands = operands.trim();
        let operands = if operands.is_empty() { Vec::new() } else { pattern(operands).tokens };
        let options =
            options.map(|options| options.split_whitespace().map(str::to_owned).collect());
        CommandPattern { behind: WordsBehind::Only { operands, options }, ..pattern(words) }
    }

    /// `$x` splits, `"$x"` does not, `*` is a glob, `pre$x` has a known beginning.
    fn argv(text: &str) -> Vec<Word> {
        text.split(' ')
            .map(|word| {
                let pieces = if word == "\"$x\"" {
                    vec![WordPiece::Unknown { splits: false }]
                } else if let Some((before, after)) = word.split_once("$x") {
                    [before, after].iter().enumerate().fold(Vec::new(), |mut pieces, (at, part)| {
                        if at == 1 {
                            pieces.push(WordPiece::Unknown { splits: true });
                        }
                        if !part.is_empty() {
                            pieces.push(WordPiece::Text((*part).to_owned()));
                        }
                        pieces
                    })
                } else if let Some((before, after)) = word.split_once('*') {
                    let mut pieces = vec![];
                    if !before.is_empty() {
                        pieces.push(WordPiece::Text(before.to_owned()));
                    }
                    pieces.push(WordPiece::Glob("*".to_owned()));
                    if !after.is_empty() {
                        pieces.push(WordPiece::Text(after.to_owned()));
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
            ("make ** install", "make install", true),
            ("make ** install", "make a b install c", true),
            ("make ** install", "make a b", false),
            ("make ** install", "make", false),
            ("make ** install", "make $x install", true),
            ("make ** install", "make $x", false),
            ("make ** install", "make \"$x\"", false),
            ("make ** a b", "make a a b", true),
            ("make ** a ** b", "make a x b", true),
            ("make ** a ** b", "make b a", false),
            ("make ** install **", "make x install", true),
            ("git push $", "git push", true),
            ("git push $", "git push origin", false),
            ("git push $", "git push $x", false),
            ("git push * $", "git push \"$x\"", false),
            ("git ** x $", "git a x", true),
            ("git ** x $", "git x a", false),
            ("git ** x $", "git x $x x", false),
            ("sort =", "sort", true),
            ("sort =", "sort -u", true),
            ("sort =", "sort a", false),
            ("sort =", "sort -- -u", false),
            ("sort =", "sort --no-such-option", false),
            ("sort =", "no-such-program", false),
            ("no-such-program =", "no-such-program", false),
            ("sort = a b", "sort -u a", true),
            ("sort = a b", "sort a -u b a", true),
            ("sort = a b", "sort", false),
            ("sort = a b", "sort a c", false),
            ("sort = a b", "sort a $x", false),
            ("sort = a b", "sort a \"$x\"", false),
            ("sort = *", "sort \"$x\"", false),
            ("sort = x*", "sort x1 x2", true),
            ("sort = a", "sort -k 2 a", true),
            ("sort = a / -k", "sort -k 2 a", true),
            ("sort = a / -k", "sort -k 2 -u a", false),
            ("sort = a / -k", "sort -uk 2 a", false),
            ("sort = a", "sort -o x a", false),
            ("sort = a", "sort a -ox", false),
            ("sort = a / -o", "sort -o x a", true),
            ("sort = a", "sort --outp x a", false),
            ("sort = a", "sort --compress-program=x a", false),
            ("npm test =", "npm test --prefix=x", false),
            ("npm test =", "npm test -s", true),
        ] {
            assert_eq!(
                covers(&closed(tokens), &CommandWords::of(&argv(words))),
                expected,
                "{tokens} / {words}"
            );
        }
    }

    #[test]
    fn denies_also_meet_what_could_be() {
        use RuleMeeting::{Could, No, Yes};
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
            ("git push --force", "git push -v $x --force", Yes),
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
            ("make ** install", "make a install", Yes),
            ("make ** install", "make install", Yes),
            ("make ** install", "make $x install", Yes),
            ("make ** install", "make a b", No),
            ("make ** install", "make a $x b", Could),
            ("make ** install", "make a \"$x\" b", Could),
            ("make ** install", "make a in$x b", Could),
            ("make ** install", "/usr/bin/make a install", Yes),
            ("make ** install x", "make a install $x", Could),
            ("make ** install x", "make a install y$x", Could),
            ("make ** install **", "make", No),
            ("make ** -j*", "make a -j4", Yes),
            ("git push $", "git push", Yes),
            ("git push $", "git push a", Yes),
            ("git push $", "git push $x", Yes),
            ("git push $", "git push \"$x\"", Yes),
            ("git push $", "git push a $x", Yes),
            ("git ** x $", "git $x x", Yes),
            ("sort = a", "sort a", Yes),
            ("sort = a", "sort b", No),
            ("sort = a", "sort -k a", No),
            ("sort = a", "sort \"$x\"", Could),
            ("sort = a", "sort $x", Could),
            ("sort = a", "sort --no-such-option b", No),
            ("sort = a", "sort b a", Yes),
            ("sort = a", "sort --no-such-option a", Yes),
            ("sort =", "sort", Yes),
            ("sort =", "sort -u", Yes),
            ("sort =", "sort a", No),
            ("sort =", "sort $x", Could),
            ("sort = / -u", "sort -u a", Yes),
            ("sort = / -u", "sort -r a", No),
            ("sort = a / -u", "sort -r a", Yes),
            ("make = install", "make build install", Yes),
            ("make = install", "make -j 4 build install", Yes),
            ("make = install", "make build -- install", Yes),
            ("make = install", "make build", No),
            ("make = install", "make $x install", Could),
            ("make = install", "make $x", Could),
            ("make = install", "make \"$x\"", Could),
            ("npm run = deploy", "npm run -s deploy", Yes),
            ("npm run = deploy", "npm -s run deploy", Yes),
            ("npm run = deploy", "npm --loglevel silent run build deploy", Yes),
            ("npm run deploy", "npm run -s deploy", Yes),
            ("git push", "git --no-pager push", Yes),
            ("git push", "git -C x push", Yes),
            ("git push", "git --no-pager log push", No),
            ("git push", "git commit -m push", No),
            ("git push", "git -C\"$x\" push", Yes),
            ("git push", "git \"$x\" push", Could),
            ("git push", "git \"$x\" y push", Could),
            ("git push", "git a\"$x\" push", No),
            ("no-such-program x", "no-such-program --a b x", Yes),
            ("no-such-program x", "no-such-program a x", No),
            ("no-such-program x", "no-such-program -- a x", No),
            ("no-such-program x", "no-such-program -- x", Yes),
            ("no-such-program a x", "no-such-program -- a -b x", Yes),
            ("sort ** -* -*", "sort $x -- a -u", Could),
        ] {
            assert_eq!(
                bites(&closed(tokens), &CommandWords::of(&argv(words))),
                expected,
                "{tokens} / {words}"
            );
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

    /// All that a word may become: `$x` nothing, or some of these words, `"$x"` one of them.
    fn becomes(word: &str, values: &[&[&str]]) -> Vec<Vec<String>> {
        let own = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match word {
            "$x" => values.iter().map(|value| own(value)).collect(),
            "\"$x\"" => values.iter().map(|value| vec![value.join(" ")]).collect(),
            word => vec![vec![word.to_owned()]],
        }
    }

    proptest::proptest! {
        #![proptest_config(crate::cases::cases(128, 20_000))]

        /// A deny is not evaded by what stands around the words that it names, and it meets all that an allow covers.
        #[test]
        fn a_deny_meets_what_contains_its_words(
            line in proptest::collection::vec(
                proptest::sample::select(vec!["a", "b", "-u", "-k", "--", "-ku", "x"]), 0..4),
            more in proptest::collection::vec(
                (0usize..5, proptest::sample::select(vec!["-u", "-r", "--reverse", "-ru"])), 0..3),
            tokens in proptest::collection::vec(
                proptest::sample::select(vec!["*", "a", "b", "-u", "a|b", "-*"]), 0..3),
            behind in proptest::sample::select(vec!["", " $", " = a", " = a b", " = *", " = a / -u"]),
        ) {
            let pattern = closed(&format!("{}{behind}", [vec!["sort"], tokens].concat().join(" ")));
            let words = |line: &[&str]| -> Vec<Word> {
                std::iter::once("sort").chain(line.iter().copied()).map(literal).collect()
            };
            let plain = words(&line);
            let bitten = bites(&pattern, &CommandWords::of(&plain));
            proptest::prop_assert!(!covers(&pattern, &CommandWords::of(&plain)) || bitten == RuleMeeting::Yes, "{:?} {:?}", pattern, plain);
            let mut longer = line.clone();
            for (at, option) in more {
                let at = at.min(longer.len());
                // Not where it would be the value of an option, nor behind the end of all options.
                let after_value = longer.get(..at).is_some_and(|before| before.contains(&"--") || before.last() == Some(&"-k"));
                if !after_value {
                    longer.insert(at, option);
                }
            }
            longer.push("x");
            let longer = words(&longer);
            proptest::prop_assert!(bitten != RuleMeeting::Yes || bites(&pattern, &CommandWords::of(&longer)) == RuleMeeting::Yes, "{:?} {:?} {:?}", pattern, plain, longer);
        }

        /// What a line becomes when it runs is what was judged: an allow covers it too, a deny that cannot meet the line does
        /// not meet it, and one that surely does, does.
        #[test]
        fn what_holds_before_the_run_holds_in_it(
            words in proptest::collection::vec(
                proptest::sample::select(vec!["$x", "\"$x\"", "a", "b", "-u", "-k", "--", "-ku"]), 0..5),
            tokens in proptest::collection::vec(
                proptest::sample::select(vec!["**", "*", "a", "b", "-u", "a|b", "-*"]), 0..4),
            behind in proptest::sample::select(vec!["", " $", " =", " = a", " = a b", " = *", " = a / -u", " = -u a"]),
        ) {
            let mut text = vec!["sort"];
            for token in tokens {
                let gap = token == "**" && (text.last() == Some(&"**") || behind.starts_with(" ="));
                if !gap {
                    text.push(token);
                }
            }
            if behind == " $" && text.last() == Some(&"**") {
                text.pop();
            }
            let pattern = closed(&format!("{}{behind}", text.join(" ")));
            let line = format!("sort {}", words.join(" "));
            let line = argv(line.trim());
            let (covered, bitten) = (covers(&pattern, &CommandWords::of(&line)), bites(&pattern, &CommandWords::of(&line)));
            let values: &[&[&str]] =
                &[&[], &["a"], &["b"], &["-u"], &["-k"], &["--"], &["a", "b"], &["-u", "a"], &["-k", "-u", "a"]];
            let mut lines: Vec<Vec<String>> = vec![vec!["sort".to_owned()]];
            for word in &words {
                lines = lines
                    .iter()
                    .flat_map(|line| {
                        becomes(word, values).into_iter().map(move |more| [line.clone(), more].concat())
                    })
                    .collect();
            }
            // Behind a dash, a word that only the run will tell is taken for the value of an option: a deny is not evaded so, though
            // it may turn out to be an operand, behind which the rule says nothing.
            let dashed = |word: &&str| word.starts_with('-');
            let value = words.windows(2).any(|pair| dashed(&pair[0]) && pair[1].contains('$'));
            // What begins with a dash where an option takes a value is doubted as it stands, though it is a value.
            let doubted = |run: &Vec<String>| run.windows(2).any(|pair| pair[0].starts_with("-k") && pair[1].starts_with('-'));
            // Where options cannot be told, the word behind each is taken for its value, as for an unknown program.
            let open = words.iter().any(|word| word.contains('$'));
            let untold = open && words.windows(2).any(|pair| dashed(&pair[0]) && pair[0] != "--" && !dashed(&pair[1]));
            let unknown = closed(&format!("x{}", text.join(" ").replacen("sort", "", 1) + behind));
            for run in lines.into_iter().filter(|run| !doubted(run)) {
                let mut run: Vec<Word> = run.iter().map(|word| literal(word.as_str())).collect();
                proptest::prop_assert!(!covered || covers(&pattern, &CommandWords::of(&run)), "{:?} {:?} {:?}", pattern, line, run);
                match bitten {
                    RuleMeeting::Yes if value => {}
                    RuleMeeting::Yes => {
                        let bites_known = bites(&pattern, &CommandWords::of(&run));
                        proptest::prop_assert!(untold || bites_known != RuleMeeting::No, "{:?} {:?}", pattern, run);
                        run[0] = literal("x");
                        proptest::prop_assert_ne!(bites(&unknown, &CommandWords::of(&run)), RuleMeeting::No, "{:?} {:?}", unknown, run);
                    }
                    RuleMeeting::No => proptest::prop_assert_ne!(bites(&pattern, &CommandWords::of(&run)), RuleMeeting::Yes, "{:?} {:?}", pattern, run),
                    RuleMeeting::Could => {}
                }
            }
        }
    }
}
