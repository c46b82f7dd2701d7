//! Whether all that one pattern means is meant by another. *No* is always a safe answer.

use crate::policy::document::{CommandPattern, PatternToken, PlacedValue, WordsBehind};

/// Names with `*` for any text.
pub(super) fn name(wide: &str, narrow: &str) -> bool {
    if wide == narrow || wide.chars().all(|char| char == '*') && !wide.is_empty() {
        return true;
    }
    match wide.strip_suffix('*') {
        // `a*` means all that begins with `a`, also another pattern.
        Some(start) if !start.contains('*') => narrow.starts_with(start),
        _ => !narrow.contains('*') && crate::policy::compile::wild(wide, narrow),
    }
}

/// Commands.
pub(super) fn command(wide: &CommandPattern, narrow: &CommandPattern) -> bool {
    if wide == narrow {
        return true;
    }
    // Whether two lists of operands or two tables of options say the same is not looked into.
    if wide.behind != WordsBehind::Anything {
        return false;
    }
    // The tokens of the wide one are laid over those of the narrow one as over words; only a `**` takes a `**`.
    let mut reached = vec![false; narrow.tokens.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for token in &wide.tokens {
        let mut next = vec![false; reached.len()];
        let mut before = false;
        for (at, slot) in next.iter_mut().enumerate() {
            let here = reached.get(at).copied().unwrap_or(false);
            if *token == PatternToken::Rest {
                before |= here;
                *slot = before;
            } else if let Some(last) = at.checked_sub(1) {
                *slot = reached.get(last).copied().unwrap_or(false)
                    && narrow.tokens.get(last).is_some_and(|narrow| word(token, narrow));
            }
        }
        reached = next;
    }
    reached.contains(&true)
}

/// Tokens for one word.
fn word(wide: &PatternToken, narrow: &PatternToken) -> bool {
    match (wide, narrow) {
        (_, PatternToken::Rest) => false,
        (PatternToken::Any, _) => true,
        (PatternToken::Text(text), PatternToken::Text(other)) => text == other,
        (PatternToken::Text(text), PatternToken::OneOf(others)) => {
            others.iter().all(|other| other == text)
        }
        (PatternToken::OneOf(texts), PatternToken::Text(other)) => texts.contains(other),
        (PatternToken::OneOf(texts), PatternToken::OneOf(others)) => {
            others.iter().all(|other| texts.contains(other))
        }
        (PatternToken::Like(wide), PatternToken::Text(text)) => {
            name(wide, text) && !text.contains('*')
        }
        (PatternToken::Like(wide), PatternToken::OneOf(texts)) => {
            texts.iter().all(|text| name(wide, text) && !text.contains('*'))
        }
        (PatternToken::Like(wide), PatternToken::Like(narrow)) => name(wide, narrow),
        _ => false,
    }
}

/// Patterns of paths, or of addresses: the same, or all below a directory.
pub(super) fn tree(wide: &str, narrow: &str) -> bool {
    if wide == narrow {
        return true;
    }
    let Some(base) = wide.strip_suffix("/**") else { return false };
    let is_plain =
        !base.strip_prefix("${project}").unwrap_or(base).contains(['*', '?', '[', '{', '\\', '!']);
    let Some(tail) = narrow.strip_prefix(base).and_then(|tail| tail.strip_prefix('/')) else {
        return false;
    };
    // `/a/{..,b}` and `/a/../b` lead out again.
    is_plain && !tail.is_empty() && !tail.contains("..") && !tail.contains(['\\', '?', '#', '%'])
}

/// Lists of patterns; some take out again.
pub(super) fn trees(wide: &[PlacedValue<String>], narrow: &[PlacedValue<String>]) -> bool {
    let wide: Vec<&str> = wide.iter().map(|pattern| pattern.value.as_str()).collect();
    let narrow: Vec<&str> = narrow.iter().map(|pattern| pattern.value.as_str()).collect();
    if wide == narrow {
        return true;
    }
    let takes_out = |pattern: &&&str| pattern.starts_with('!');
    // What the wide list takes out, the narrow one has to take out too.
    wide.iter().filter(takes_out).all(|pattern| narrow.contains(pattern))
        && narrow.iter().filter(|pattern| !takes_out(pattern)).all(|narrow| {
            wide.iter().filter(|pattern| !takes_out(pattern)).any(|wide| tree(wide, narrow))
        })
}
