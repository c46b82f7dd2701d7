//! How patterns match texts.

use super::pattern::{NameToken, PatternSegment};

/// Whether these names, separated by `/`, match. No `/` at either end; empty for no names.
pub(super) fn matches(segments: &[PatternSegment], names: &str, folded: bool) -> bool {
    if let Some(last) = segments.last().filter(|last| **last != PatternSegment::Deep) {
        // Cheap, and most patterns fail here.
        if !name_matches(last, names.rsplit('/').next().unwrap_or_default(), folded) {
            return false;
        }
    }
    let past_end = names.len() + 1;
    let end_of = |at: usize| names[at..].find('/').map_or(names.len(), |length| at + length);
    let (mut segment, mut at) = (0, if names.is_empty() { past_end } else { 0 });
    // Where the latest `**` stands, and the name that it would take next.
    let mut back: Option<(usize, usize)> = None;
    loop {
        match segments.get(segment) {
            None if at == past_end => return true,
            Some(PatternSegment::Deep) if segment + 1 == segments.len() => return at != past_end,
            Some(PatternSegment::Deep) => {
                segment += 1;
                back = Some((segment, at));
                continue;
            }
            Some(pattern) if at != past_end => {
                let end = end_of(at);
                if name_matches(pattern, &names[at..end], folded) {
                    segment += 1;
                    at = end + 1;
                    continue;
                }
            }
            _ => {}
        }
        match back {
            Some((after, taken)) if taken != past_end => {
                at = end_of(taken) + 1;
                segment = after;
                back = Some((after, at));
            }
            _ => return false,
        }
    }
}

/// Whether anything below these names could match.
pub(super) fn matches_below(segments: &[PatternSegment], names: &str, folded: bool) -> bool {
    let mut segments = segments.iter();
    for name in names.split('/').filter(|name| !name.is_empty()) {
        match segments.next() {
            None => return false,
            Some(PatternSegment::Deep) => return true,
            Some(segment) if name_matches(segment, name, folded) => {}
            Some(_) => return false,
        }
    }
    segments.next().is_some()
}

/// Whether this segment takes this name.
pub(super) fn name_matches(segment: &PatternSegment, name: &str, folded: bool) -> bool {
    match segment {
        PatternSegment::Deep => true,
        PatternSegment::Literal(literal) => literal == name,
        PatternSegment::Name(tokens) => tokens_match(tokens, name, folded),
    }
}

fn tokens_match(tokens: &[NameToken], name: &str, folded: bool) -> bool {
    if let [NameToken::Star] = tokens {
        return true;
    }
    let (mut token, mut rest) = (0, name);
    // After the latest `*`, and the text from which that was tried.
    let mut back: Option<(usize, &str)> = None;
    loop {
        let mut chars = rest.chars();
        match (tokens.get(token), chars.next()) {
            (None, None) => return true,
            (Some(NameToken::Star), _) => {
                token += 1;
                if token == tokens.len() {
                    return true;
                }
                back = Some((token, rest));
                continue;
            }
            (Some(pattern), Some(char)) if pattern.accepts(char, folded) => {
                token += 1;
                rest = chars.as_str();
                continue;
            }
            _ => {}
        }
        let Some((after, tried)) = back else { return false };
        let mut chars = tried.chars();
        if chars.next().is_none() {
            return false;
        }
        token = after;
        rest = chars.as_str();
        back = Some((after, rest));
    }
}

impl NameToken {
    /// Whether it takes this character, which is no `/`. `*` takes any.
    pub(super) fn accepts(&self, char: char, folded: bool) -> bool {
        match self {
            Self::Char(own) => *own == char,
            Self::One | Self::Star => true,
            Self::Class { negated, ranges } => {
                let holds = |char: char| {
                    ranges.iter().any(|(first, last)| (*first..=*last).contains(&char))
                };
                // Folded, a class means either case of what it says: `[!A]` takes what one of both cases takes.
                let taken = |char: char| holds(char) != *negated;
                taken(char)
                    || folded && (char.to_uppercase().any(taken) || char.to_lowercase().any(taken))
            }
        }
    }
}

/// The text as a volume that folds case compares it: case, and characters that are not seen, taken out.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .filter(|char| !is_ignored(*char))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .collect()
}

/// The characters that such volumes leave out of comparisons.
pub(super) fn is_ignored(char: char) -> bool {
    matches!(char, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}
