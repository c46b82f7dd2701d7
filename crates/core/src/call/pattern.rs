//! Whether a text fits the `pattern` of a tool's schema, in time that grows with the text alone.
//!
//! Patterns are regular expressions of JavaScript (ECMA-262, flag `u`), chosen by the provider of a tool. A backtracking engine
//! can be held for minutes by a short text. The engine here cannot, and knows neither looking ahead nor references: what it does
//! not understand in the same way is not answered.

use regex_automata::{meta, util::syntax};

/// The longest text that is looked at, in bytes.
const MOST_TEXT: usize = 1 << 16;
/// The largest machine that is built for a pattern, in bytes.
const MOST_MACHINE: usize = 1 << 18;

/// Whether the text has a part that fits; `None`: that is not known here.
pub fn fits_pattern(pattern: &str, text: &str) -> Option<bool> {
    if text.len() > MOST_TEXT || pattern.len() > MOST_TEXT {
        return None;
    }
    let limits = meta::Config::new().nfa_size_limit(Some(MOST_MACHINE));
    let expression = meta::Regex::builder()
        .configure(limits)
        .syntax(syntax::Config::new().nest_limit(64))
        .build(&translated(pattern)?)
        .ok()?;
    Some(expression.is_match(text))
}

/// The same expression for our engine, whose classes hold the digits and letters of all scripts, and may hold other classes.
fn translated(pattern: &str) -> Option<String> {
    let mut text = String::with_capacity(pattern.len() + 16);
    let mut within = false;
    let mut chars = pattern.chars().peekable();
    while let Some(char) = chars.next() {
        match (char, within) {
            ('\\', _) => match chars.next()? {
                'd' => text.push_str("[0-9]"),
                'D' => text.push_str("[^0-9]"),
                'w' => text.push_str("[0-9A-Za-z_]"),
                'W' => text.push_str("[^0-9A-Za-z_]"),
                'b' if !within => text.push_str("(?-u:\\b)"),
                '/' => text.push('/'),
                escaped @ ('s' | 'S' | 't' | 'n' | 'r' | 'f' | 'v' | 'u' | 'x' | 'p' | 'P') => {
                    text.push('\\');
                    text.push(escaped);
                }
                escaped if escaped.is_ascii_punctuation() => {
                    text.push('\\');
                    text.push(escaped);
                }
                _ => return None,
            },
            ('[', false) => {
                within = true;
                text.push('[');
                // `[]` and `[^]` are nothing and everything in JavaScript.
                if chars.next_if_eq(&'^').is_some() {
                    text.push('^');
                }
                if chars.peek() == Some(&']') {
                    return None;
                }
            }
            (']', true) => {
                within = false;
                text.push(']');
            }
            ('[', true) => text.push_str("\\["),
            ('&' | '~' | '-', true) if chars.peek() == Some(&char) => return None,
            ('(', false) => {
                text.push('(');
                // `(?:` alone means the same in both.
                if chars.next_if_eq(&'?').is_some() {
                    chars.next_if_eq(&':')?;
                    text.push_str("?:");
                }
            }
            (other, _) => text.push(other),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::fits_pattern;

    #[test]
    fn patterns_mean_what_they_mean_in_javascript() {
        for (pattern, text, expected) in [
            ("^[a-z]+$", "abc", Some(true)),
            ("^[a-z]+$", "abC", Some(false)),
            ("b", "abc", Some(true)),
            (r"^\d{3}$", "123", Some(true)),
            (r"^\d{3}$", "\u{661}\u{662}\u{663}", Some(false)),
            (r"^[\w.-]+@[\w.-]+\.\w{2,}$", "a.b@c.de", Some(true)),
            (r"^\w+$", "é", Some(false)),
            (r"^a\/b$", "a/b", Some(true)),
            (r"^(?:a|b)$", "b", Some(true)),
            (r"^.$", "é", Some(true)),
            (r"[[]", "[", Some(true)),
            // Not known here.
            (r"^(?=a)b", "b", None),
            (r"(a)\1", "aa", None),
            (r"[]", "", None),
            (r"[^]", "x", None),
            (r"(", "x", None),
            ("(?<name>a)", "a", None),
        ] {
            assert_eq!(fits_pattern(pattern, text), expected, "{pattern} {text}");
        }
        assert_eq!(fits_pattern("a", &"a".repeat(100_000)), None);
        assert_eq!(fits_pattern(r"(\w{1000}){1000}", "a"), None);
    }

    #[test]
    fn no_pattern_holds_anybody() {
        // It takes a backtracking engine longer than the age of the world.
        let text = format!("{}!", "a".repeat(60_000));
        assert_eq!(fits_pattern(r"^(\w+\s?)*$", &text), Some(false));
        assert_eq!(fits_pattern(r"^(a|aa)+$", &text), Some(false));
    }
}
