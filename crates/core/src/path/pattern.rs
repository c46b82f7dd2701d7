//! Patterns of `/`-separated names: how they are read, and how they match.
//!
//! `{a,b}` is written out into a limited number of alternatives. An alternative is a list of names and `**`, matched with one way
//! back at each level, so that time grows at most with the product of the lengths, for any pattern.

/// The longest pattern, in bytes.
const LONGEST: usize = 4096;
/// How much text `{a,b}` may be written out to, in bytes.
const MOST_TEXT: usize = 64 * 1024;
/// How many alternatives `{a,b}` may be written out to.
const MOST_ALTERNATIVES: usize = 1024;

/// What is wrong with a pattern, and where.
pub(super) type PatternFault = (usize, String);

/// A character of a pattern: what it stands for, and where it was.
#[derive(Debug, Clone, Copy)]
struct PatternChar {
    at: usize,
    char: char,
    /// Stands for itself.
    escaped: bool,
}

/// A part of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NameToken {
    Char(char),
    /// `?`
    One,
    /// `*`
    Star,
    /// `[a-z]`
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A part of an alternative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternSegment {
    /// `**`: any number of names, at least one where it comes last.
    Deep,
    /// A name spelled out.
    Literal(String),
    /// A name with wildcards.
    Name(Vec<NameToken>),
}

/// One way to read a pattern, `{a,b}` written out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PatternAlternative {
    /// What begins with `~` or is `${name}`, as the first name.
    pub(super) base: Option<String>,
    /// The other names, in order.
    pub(super) segments: Vec<PatternSegment>,
    /// Begins with `/`.
    pub(super) rooted: bool,
    /// Only a deny or an ask reads it so: `a**b` over several names.
    pub(super) loose: bool,
}

/// Reads a pattern.
pub(super) fn parse(source: &str) -> Result<Vec<PatternAlternative>, PatternFault> {
    if source.len() > LONGEST {
        return Err((LONGEST, format!("the pattern is longer than {LONGEST} bytes")));
    }
    if let Some(at) = source.find('\0') {
        return Err((at, "the pattern holds a NUL".to_owned()));
    }
    let texts = written_out(marks(source)?)?;
    texts.iter().map(|(text, loose)| alternative(text, *loose)).collect()
}

fn marks(source: &str) -> Result<Vec<PatternChar>, PatternFault> {
    let mut marks = Vec::with_capacity(source.len());
    let mut chars = source.char_indices();
    while let Some((at, char)) = chars.next() {
        if char == '\\' {
            let Some((_, char)) = chars.next() else {
                return Err((
                    at,
                    r"the pattern ends with `\`: write `\\` for a backslash".to_owned(),
                ));
            };
            marks.push(PatternChar { at, char, escaped: true });
        } else {
            marks.push(PatternChar { at, char, escaped: false });
        }
    }
    Ok(marks)
}

/// A text on its way to an alternative: and whether only denies and asks read it so.
type AlternativeDraft = (Vec<PatternChar>, bool);

/// The texts that a pattern stands for: `{a,b}` is each of its parts, and `**` inside of a name is `*`, or for denies and
/// asks `*/**/*` too.
fn written_out(marks: Vec<PatternChar>) -> Result<Vec<AlternativeDraft>, PatternFault> {
    let mut done = Vec::new();
    let mut open = vec![(marks, false)];
    let mut size = 0;
    while let Some((marks, loose)) = open.pop() {
        let ((start, end), parts) = match first_braces(&marks)? {
            Some((start, commas, end)) => {
                let bounds: Vec<usize> = [start].into_iter().chain(commas).chain([end]).collect();
                let parts = bounds.windows(2).filter_map(|pair| match pair {
                    &[left, right] => Some((marks[left + 1..right].to_vec(), loose)),
                    _ => None,
                });
                ((start, end + 1), parts.collect::<Vec<AlternativeDraft>>())
            }
            None => match stars_inside(&marks) {
                Some((start, end)) => {
                    let unescaped = |char| PatternChar { at: start, char, escaped: false };
                    let stars = |text: &str| text.chars().map(unescaped).collect();
                    ((start, end), vec![(stars("*"), loose), (stars("*/**/*"), true)])
                }
                None => {
                    done.push((marks, loose));
                    continue;
                }
            },
        };
        // The last is pushed first, so that they come out in order.
        for (part, loose) in parts.into_iter().rev() {
            let text = [&marks[..start], &part, &marks[end..]].concat();
            size += text.len();
            open.push((text, loose));
        }
        if size > MOST_TEXT || open.len() + done.len() > MOST_ALTERNATIVES {
            let at = marks.get(start).map_or(0, |mark| mark.at);
            let message =
                "too many `{…}`, or too many `**` inside of names: write several patterns";
            return Err((at, message.to_owned()));
        }
    }
    Ok(done)
}

/// The first `**` that is not a whole name.
fn stars_inside(marks: &[PatternChar]) -> Option<(usize, usize)> {
    let mut class_until = 0;
    let mut index = 0;
    while let Some(mark) = marks.get(index) {
        if index >= class_until && mark.char == '[' && !mark.escaped {
            class_until = class_end(marks, index).unwrap_or(0);
        }
        let stars = if index < class_until {
            0
        } else {
            marks[index..].iter().take_while(|mark| is_star(mark)).count()
        };
        let end = index + stars;
        if stars >= 2 {
            let begins = index == 0 || marks.get(index - 1).is_some_and(|mark| mark.char == '/');
            let ends = marks.get(end).is_none_or(|mark| mark.char == '/');
            if !(begins && ends) {
                return Some((index, end));
            }
        }
        index = end.max(index + 1);
    }
    None
}

/// The places of the first `{`, of its commas, and of its `}`.
type BracePlaces = (usize, Vec<usize>, usize);

fn first_braces(marks: &[PatternChar]) -> Result<Option<BracePlaces>, PatternFault> {
    let mut depth = 0_usize;
    let mut start = 0;
    let mut commas = Vec::new();
    let mut skip_until = 0;
    for (index, mark) in marks.iter().enumerate() {
        if mark.escaped || index < skip_until {
            continue;
        }
        match mark.char {
            // `${name}`
            '{' if index
                .checked_sub(1)
                .and_then(|before| marks.get(before))
                .is_some_and(|mark| mark.char == '$' && !mark.escaped) =>
            {
                let ends = |mark: &PatternChar| mark.char == '}';
                let length = marks[index..].iter().position(ends);
                skip_until = length.map_or(0, |length| index + length + 1);
                if length.is_none() {
                    return Err((mark.at, "this `${` is not closed".to_owned()));
                }
            }
            '[' => skip_until = class_end(marks, index).unwrap_or(0),
            '{' => {
                if depth == 0 {
                    start = index;
                }
                depth += 1;
            }
            ',' if depth == 1 => commas.push(index),
            '}' if depth == 1 => return Ok(Some((start, commas, index))),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    if depth > 0 {
        let at = marks.get(start).map_or(0, |mark| mark.at);
        return Err((at, r"this `{` is not closed: write `\{` for a brace".to_owned()));
    }
    Ok(None)
}

/// Where the class that begins at `start` ends: the place after its `]`.
fn class_end(marks: &[PatternChar], start: usize) -> Option<usize> {
    let mut first = start + 1;
    if marks.get(first).is_some_and(|mark| !mark.escaped && matches!(mark.char, '!' | '^')) {
        first += 1;
    }
    // A `]` that comes first is a member.
    let found = marks.iter().enumerate().skip(first + 1);
    found.into_iter().find(|(_, mark)| !mark.escaped && mark.char == ']').map(|(end, _)| end + 1)
}

fn alternative(marks: &[PatternChar], loose: bool) -> Result<PatternAlternative, PatternFault> {
    let rooted = marks.first().is_some_and(|mark| mark.char == '/');
    let mut segments = Vec::new();
    let mut base = None;
    for (index, name) in names(marks)?.into_iter().enumerate() {
        let tilde = index == 0
            && !rooted
            && matches!(name, [PatternChar { char: '~', escaped: false, .. }, ..]);
        let dollar = variable(name);
        if tilde || dollar.is_some() {
            let at = dollar.unwrap_or(0);
            if index > 0 || rooted {
                return Err((at, r"this stands only at the beginning of a pattern: write `\$` or `\~` for the character".to_owned()));
            }
            base = Some(name.iter().map(|mark| mark.char).collect());
            continue;
        }
        let segment = if name.len() > 1 && name.iter().all(is_star) {
            PatternSegment::Deep
        } else {
            segment(tokens(name)?)
        };
        if segment != PatternSegment::Deep || segments.last() != Some(&PatternSegment::Deep) {
            segments.push(segment);
        }
    }
    Ok(PatternAlternative { base, segments, rooted, loose })
}

/// Where `${` stands in a name.
fn variable(name: &[PatternChar]) -> Option<usize> {
    let brace = |pair: &[PatternChar]| {
        matches!(
            pair,
            [
                PatternChar { char: '$', escaped: false, .. },
                PatternChar { char: '{', escaped: false, .. }
            ]
        )
    };
    let dollar = name.windows(2).find(|pair| brace(pair)).and_then(<[PatternChar]>::first);
    dollar.map(|mark| mark.at)
}

fn is_star(mark: &PatternChar) -> bool {
    mark.char == '*' && !mark.escaped
}

/// Between the `/`.
fn names(marks: &[PatternChar]) -> Result<Vec<&[PatternChar]>, PatternFault> {
    let mut names = Vec::new();
    let mut start = 0;
    let mut class_until = 0;
    for (index, mark) in marks.iter().enumerate() {
        if mark.char == '[' && !mark.escaped && index >= class_until {
            class_until = class_end(marks, index)
                .ok_or((mark.at, r"this `[` is not closed: write `\[` for a bracket".to_owned()))?;
        }
        if mark.char == '/' {
            if index < class_until {
                return Err((mark.at, "a class matches no `/`: take it out".to_owned()));
            }
            names.push(&marks[start..index]);
            start = index + 1;
        }
    }
    let last = &marks[start..];
    if last.is_empty() && marks.len() > 1 {
        let at = marks.last().map_or(0, |mark| mark.at);
        return Err((at, "a pattern does not end with `/`: write `dir/**` for what is below it, or `dir` for itself".to_owned()));
    }
    names.push(last);
    let kept = |name: &&[PatternChar]| !matches!(name, [] | [PatternChar { char: '.', .. }]);
    Ok(names.into_iter().filter(kept).collect())
}

fn tokens(marks: &[PatternChar]) -> Result<Vec<NameToken>, PatternFault> {
    let mut tokens = Vec::with_capacity(marks.len());
    let mut index = 0;
    while let Some(mark) = marks.get(index) {
        index += 1;
        let token = match mark.char {
            char if mark.escaped => NameToken::Char(char),
            '?' => NameToken::One,
            '*' if tokens.last() == Some(&NameToken::Star) => continue,
            '*' => NameToken::Star,
            '[' => {
                let end = class_end(marks, index - 1).unwrap_or(marks.len());
                let class = class(&marks[index..end.saturating_sub(1).max(index)])?;
                index = end;
                class
            }
            char => NameToken::Char(char),
        };
        tokens.push(token);
    }
    Ok(tokens)
}

/// What stands between `[` and `]`.
fn class(marks: &[PatternChar]) -> Result<NameToken, PatternFault> {
    let negated = marks.first().is_some_and(|mark| !mark.escaped && matches!(mark.char, '!' | '^'));
    let mut members = &marks[usize::from(negated)..];
    let mut ranges = Vec::new();
    while let [first, rest @ ..] = members {
        if first.char == '['
            && !first.escaped
            && matches!(rest, [PatternChar { char: ':' | '.' | '=', escaped: false, .. }, ..])
        {
            return Err((
                first.at,
                "named classes like `[:alpha:]` are not known: write `a-zA-Z`".to_owned(),
            ));
        }
        members = match rest {
            [PatternChar { char: '-', escaped: false, .. }, last, rest @ ..] => {
                if first.char > last.char {
                    return Err((first.at, "this range ends before it begins".to_owned()));
                }
                ranges.push((first.char, last.char));
                rest
            }
            _ => {
                ranges.push((first.char, first.char));
                rest
            }
        };
    }
    Ok(NameToken::Class { negated, ranges })
}

fn segment(tokens: Vec<NameToken>) -> PatternSegment {
    let literal = tokens.iter().map(|token| match token {
        NameToken::Char(char) => Some(*char),
        _ => None,
    });
    literal
        .collect::<Option<String>>()
        .map_or(PatternSegment::Name(tokens), PatternSegment::Literal)
}
