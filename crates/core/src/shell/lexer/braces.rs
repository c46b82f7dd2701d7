//! Braces that make several words of one, as bash expands them: on the text, before anything else.

/// The most words that one becomes.
const MAX_WORDS: usize = 256;
/// The longest word that is expanded: each brace is looked for from its beginning.
const MAX_LENGTH: usize = 1 << 12;
/// The deepest nesting.
const MAX_NESTING: usize = 16;

/// Whether there may be braces to expand in this word.
pub(in super::super) fn may_expand(text: &str) -> bool {
    let Some(open) = text.find('{') else { return false };
    let rest = text.get(open..).unwrap_or_default();
    rest.contains('}') && (rest.contains(',') || rest.contains("..")) && has_braces(text)
}

/// Whether an unquoted `{` stands in it that does not belong to `${`.
fn has_braces(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' => return true,
            b'$' => match bytes.get(at + 1) {
                // What is inside may hold anything: only words without a brace before or behind are sure.
                Some(b'{') => {
                    let rest = text.get(at + 2..).unwrap_or_default();
                    let Some(end) = rest.find('}') else { return true };
                    let inside = rest.get(..end).unwrap_or_default();
                    if !inside
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b"_#:-.+%/@*[]".contains(&byte))
                    {
                        return true;
                    }
                    at += 2 + end;
                }
                Some(b'(' | b'[' | b'\'' | b'"') => return true,
                _ => {}
            },
            b'`' | b'<' | b'>' => return true,
            b'\\' => at += 1,
            b'\'' => match text.get(at + 1..).and_then(|rest| rest.find('\'')) {
                Some(length) => at += length + 1,
                None => return true,
            },
            b'"' => match quoted_end(bytes, at) {
                Some(end) => at = end,
                None => return true,
            },
            _ => {}
        }
        at += 1;
    }
    false
}

/// Where the `"` stands that closes the one at `at`; `None` when something inside expands commands or `${…}`.
fn quoted_end(bytes: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 1,
            b'`' => return None,
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{' | b'[')) => return None,
            _ => {}
        }
        at += 1;
    }
}

/// The words it becomes; `None` when that is not certain.
pub(super) fn expand(text: &str) -> Option<Vec<String>> {
    let certain = text.len() <= MAX_LENGTH
        && !text.contains(['$', '`', '<', '>', '~'])
        && !text.contains("\\\n");
    if !certain {
        return None;
    }
    let mut words = Vec::new();
    expand_into(text, 0, &mut words)?;
    Some(words)
}

fn expand_into(text: &str, nesting: usize, words: &mut Vec<String>) -> Option<()> {
    if nesting > MAX_NESTING {
        return None;
    }
    let mut from = 0;
    let mut opened = 0;
    while let Some(open) = next_open(text, from)? {
        opened += 1;
        if opened > MAX_WORDS {
            return None;
        }
        let Some(OpenBrace { close, commas }) = matching(text, open)? else {
            from = open + 1;
            continue;
        };
        let before = text.get(..open)?;
        let after = text.get(close + 1..)?;
        let mut inner = Vec::new();
        if commas.is_empty() {
            inner = sequence(text.get(open + 1..close)?)?;
        } else {
            let mut start = open + 1;
            for end in commas.into_iter().chain([close]) {
                expand_into(text.get(start..end)?, nesting + 1, &mut inner)?;
                start = end + 1;
            }
        }
        let mut ends = Vec::new();
        expand_into(after, nesting + 1, &mut ends)?;
        if words.len() + inner.len() * ends.len() > MAX_WORDS {
            return None;
        }
        for middle in &inner {
            for end in &ends {
                words.push(format!("{before}{middle}{end}"));
            }
        }
        return Some(());
    }
    words.push(text.to_owned());
    (words.len() <= MAX_WORDS).then_some(())
}

/// Behind what is quoted at `at`, or `at`. `None` when the quote is not closed.
fn skip_quoted(bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at) {
        Some(b'\\') => Some(at + 2),
        Some(b'\'') => {
            bytes.iter().skip(at + 1).position(|byte| *byte == b'\'').map(|length| at + length + 2)
        }
        Some(b'"') => quoted_end(bytes, at).map(|end| end + 1),
        _ => Some(at),
    }
}

/// The next unquoted `{` from `from` on.
fn next_open(text: &str, from: usize) -> Option<Option<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let behind = skip_quoted(bytes, at)?;
        if behind != at {
            at = behind;
            continue;
        }
        if at >= from && bytes.get(at) == Some(&b'{') {
            // `{}` in the beginning opens nothing.
            let empty = bytes.get(at + 1) == Some(&b'}');
            match at.checked_sub(1).and_then(|before| bytes.get(before)) {
                None if empty => {}
                Some(b' ' | b'\t' | b'\n') => return None,
                _ => return Some(Some(at)),
            }
        }
        at += 1;
    }
    Some(None)
}

/// A brace that has a comma, or two dots, of its own level.
struct OpenBrace {
    close: usize,
    /// None: it is a sequence.
    commas: Vec<usize>,
}

/// The brace at `open`. `Some(None)`: it stands for itself. As bash looks for its end: a `}` before the first comma, or dots, of
/// its own level does not close it.
#[allow(clippy::option_option, reason = "not certain, no brace, a brace")]
fn matching(text: &str, open: usize) -> Option<Option<OpenBrace>> {
    let bytes = text.as_bytes();
    let mut commas = Vec::new();
    let mut dots = false;
    let mut level = 0;
    let mut at = open + 1;
    while at < bytes.len() {
        let behind = skip_quoted(bytes, at)?;
        if behind != at {
            at = behind;
            continue;
        }
        match bytes.get(at)? {
            b'{' => level += 1,
            b'}' if level > 0 => level -= 1,
            b'}' if dots || !commas.is_empty() => {
                let inside = text.get(open..at)?;
                // Whether the dots or a comma further inside count is left to bash.
                let certain = !commas.is_empty() || !inside.contains(',');
                return certain.then_some(Some(OpenBrace { close: at, commas }));
            }
            b',' if level == 0 => commas.push(at),
            b'.' if level == 0 && bytes.get(at + 1) == Some(&b'.') => {
                dots |= bytes.get(at + 2) != Some(&b'}');
            }
            _ => {}
        }
        at += 1;
    }
    Some(None)
}

/// `a..e`, `1..5`, `1..10..2`. `None` is not certain.
fn sequence(text: &str) -> Option<Vec<String>> {
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let step = parts.next();
    if parts.next().is_some() {
        return None;
    }
    let step: i64 = step.map_or(Some(1), |step| step.parse().ok())?;
    let step = step.unsigned_abs().max(1);
    if let (&[first], &[last]) = (first.as_bytes(), last.as_bytes()) {
        let alike = (first.is_ascii_lowercase() && last.is_ascii_lowercase())
            || (first.is_ascii_uppercase() && last.is_ascii_uppercase());
        if alike {
            let letters = span(i64::from(first), i64::from(last), step)?;
            return letters
                .into_iter()
                .map(|letter| {
                    u8::try_from(letter).ok().map(|letter| char::from(letter).to_string())
                })
                .collect();
        }
    }
    let padded = |number: &str| {
        number.trim_start_matches('-').len() > 1 && number.trim_start_matches('-').starts_with('0')
    };
    let width = if padded(first) || padded(last) { first.len().max(last.len()) } else { 0 };
    let (first, last): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
    let numbers = span(first, last, step)?;
    Some(numbers.into_iter().map(|number| format!("{number:0width$}")).collect())
}

/// From `first` to `last`, up or down.
fn span(first: i64, last: i64, step: u64) -> Option<Vec<i64>> {
    let count = first.abs_diff(last) / step + 1;
    if count > MAX_WORDS as u64 {
        return None;
    }
    let step = i64::try_from(step).ok()?;
    let step = if first <= last { step } else { -step };
    (0..i64::try_from(count).ok()?)
        .map(|index| first.checked_add(step.checked_mul(index)?))
        .collect()
}
