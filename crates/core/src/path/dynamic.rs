//! Paths that only the run will tell, and what they could be.

use std::cell::Cell;

use super::locate::Where;
use super::matching::fold;
use super::pattern::{Segment, Token};
use super::syntax::Syntax;
use super::way::Way;
use super::{Files, PathError};
use crate::shell::Piece;

/// Beyond this product of lengths the answer is yes.
const MOST_STEPS: usize = 1 << 20;

/// A part of a path that is known in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Char(char),
    /// `?` and `[a-z]` of the shell: a character of a name.
    One,
    /// `*` of the shell: any text within a name.
    Run,
    /// A `*` that begins a name: no dot may come first.
    Undotted,
    /// Any text, with `/` and `..` as well.
    Any,
}

/// A path that is known in part, absolute and normal as far as it is known.
#[derive(Debug, Clone)]
pub(super) struct Unsure {
    parts: Vec<Part>,
}

/// A path of which only pieces are known: what it is called as it is written, and with the directory that it surely
/// begins with resolved. For one verdict.
#[derive(Debug, Clone)]
pub struct Partial {
    pub(super) paths: Vec<Unsure>,
}

impl Partial {
    /// Of these pieces.
    ///
    /// # Errors
    /// When the directory that it surely begins with cannot be resolved.
    pub fn of(pieces: &[Piece], from: &Where, files: &dyn Files) -> Result<Self, PathError> {
        Ok(Self { paths: unsure(pieces, from).resolved(files)? })
    }

    /// It, or anything below it.
    #[must_use]
    pub fn with_below(mut self) -> Self {
        let below = |path: &Unsure| {
            let end = [Part::Char('/'), Part::Any];
            Unsure { parts: path.parts.iter().copied().chain(end).collect() }
        };
        let more: Vec<Unsure> = self.paths.iter().map(below).collect();
        self.paths.extend(more);
        self
    }

    /// Whether it surely begins with some directory.
    pub fn is_rooted(&self) -> bool {
        self.dirs().is_some()
    }

    /// The directories that it surely begins with, the same in each of its names; `None` if that is none.
    pub(super) fn dirs(&self) -> Option<Vec<String>> {
        self.paths.iter().map(Unsure::dir).collect()
    }
}

/// The path that these pieces make.
pub(super) fn unsure(pieces: &[Piece], from: &Where) -> Unsure {
    let mut parts = Vec::new();
    let is_empty = |piece: &&Piece| matches!(piece, Piece::Text(text) if text.is_empty());
    let rooted = match pieces.iter().find(|piece| !is_empty(piece)) {
        Some(Piece::Home | Piece::Unknown { .. }) => true,
        Some(Piece::Text(text)) => text.starts_with('/'),
        _ => false,
    };
    if !rooted {
        parts.extend(from.cwd.chars().chain(['/']).map(Part::Char));
    }
    let mut splits = false;
    for piece in pieces {
        match (piece, &from.home) {
            (Piece::Text(text), _) | (Piece::Home, Some(text)) => {
                parts.extend(text.chars().map(Part::Char))
            }
            (Piece::Glob(glob), _) => wildcards(glob, &mut parts),
            // With `..` in it, nothing that precedes it is certain.
            (Piece::Unknown { .. } | Piece::Home, _) => parts = vec![Part::Any],
        }
        splits |= matches!(piece, Piece::Unknown { splits: true });
    }
    if splits {
        // One word of several may be anything.
        parts = vec![Part::Any];
    }
    Unsure { parts: normal(&parts) }
}

fn wildcards(glob: &str, into: &mut Vec<Part>) {
    let mut chars = glob.chars();
    while let Some(char) = chars.next() {
        match char {
            '*' => into.push(Part::Run),
            '?' => into.push(Part::One),
            // Where a class ends depends on the shell: the rest is some text.
            '[' | '\\' => {
                into.push(if chars.as_str().contains('/') { Part::Any } else { Part::Run });
                return;
            }
            char => into.push(Part::Char(char)),
        }
    }
}

/// `.`, `..` and `//` taken out.
fn normal(parts: &[Part]) -> Vec<Part> {
    let mut names: Vec<&[Part]> = Vec::new();
    for name in parts.split(|part| *part == Part::Char('/')) {
        match name {
            [] | [Part::Char('.')] => {}
            [Part::Char('.'), Part::Char('.')] => {
                // What a name that is not certain leads to has any parent.
                match names.pop() {
                    Some(name) if name.iter().any(|part| !matches!(part, Part::Char(_))) => {
                        names = vec![&[Part::Any]];
                    }
                    _ => {}
                }
            }
            name => names.push(name),
        }
    }
    let mut normal = Vec::with_capacity(parts.len());
    for (index, name) in names.iter().enumerate() {
        if index > 0 || name.first() != Some(&Part::Any) {
            normal.push(Part::Char('/'));
        }
        match name {
            [Part::Run, ..] => normal.extend([Part::Undotted].iter().chain(*name)),
            name => normal.extend(*name),
        }
    }
    if normal.is_empty() {
        normal.push(Part::Char('/'));
    }
    normal
}

impl Unsure {
    pub(super) fn into_parts(self) -> Vec<Part> {
        self.parts
    }

    /// This, and what it is called once the directory that it surely begins with is resolved.
    pub(super) fn resolved(self, files: &dyn Files) -> Result<Vec<Self>, PathError> {
        let Some(dir) = self.dir() else { return Ok(vec![self]) };
        let real = files.real(&dir)?;
        if real == dir {
            return Ok(vec![self]);
        }
        let rest = self.parts.iter().skip(dir.chars().count()).copied();
        let parts = real.trim_end_matches('/').chars().map(Part::Char).chain(rest).collect();
        Ok(vec![Self { parts }, self])
    }

    /// The directory that it surely begins with, or it itself if all of it is sure. `None`: that is none, or `/`.
    fn dir(&self) -> Option<String> {
        let known: String = self
            .parts
            .iter()
            .map_while(|part| if let Part::Char(char) = part { Some(*char) } else { None })
            .collect();
        let sure = known.len() == self.parts.iter().map(|part| part.length()).sum::<usize>();
        let dir = if sure { known.as_str() } else { known.get(..known.rfind('/')?)? };
        let absolute = dir.starts_with('/') || Syntax::NATIVE != Syntax::Posix;
        (!dir.is_empty() && absolute).then(|| dir.to_owned())
    }

    /// Whether it ends with characters that the way does not end with: cheap, and most ways fail here.
    fn ends_otherwise(&self, way: &Way) -> bool {
        let mut own = self.parts.iter().rev();
        let mut differs = |char: char| match own.next() {
            Some(Part::Char(same)) if *same == char || same_folded(*same, char) => None,
            // What folding leaves out is no difference.
            Some(Part::Char(other)) => Some(other.is_ascii() && char.is_ascii()),
            _ => Some(false),
        };
        let found = match way.rest.last() {
            Some(Segment::Literal(name)) => name.chars().rev().find_map(differs),
            Some(Segment::Name(tokens)) => tokens.iter().rev().find_map(|token| match token {
                Token::Char(char) => differs(*char),
                _ => Some(false),
            }),
            _ => None,
        };
        found.unwrap_or(false)
    }

    /// Whether this could be a path that the way takes, its beginning being `prefix`. Errs on the side of yes, also when
    /// there is no `work` left.
    ///
    /// Both are read as automata over characters; the pair of them is searched for an end that both reach.
    pub(super) fn could_match(&self, way: &Way, prefix: &str, work: &Cell<usize>) -> bool {
        if self.parts == [Part::Any] {
            return true;
        }
        if self.ends_otherwise(way) {
            return false;
        }
        let steps = steps(way, prefix);
        let width = steps.len() + 1;
        let states = self.parts.len().saturating_mul(width);
        let left = work.get().checked_sub(states);
        work.set(left.unwrap_or_default());
        if states > MOST_STEPS || left.is_none() {
            return true;
        }
        // Two bits each: the step as it begins, and within a name that `**` takes.
        let mut seen = vec![false; (self.parts.len() + 1) * width * 2];
        let mut open = vec![(0, 0, false)];
        while let Some((part, step, within)) = open.pop() {
            let Some(seen) = seen.get_mut((part * width + step) * 2 + usize::from(within)) else {
                return true;
            };
            if std::mem::replace(seen, true) {
                continue;
            }
            let (own, their) = (self.parts.get(part), steps.get(step));
            if own.is_none() && their.is_none() {
                return true;
            }
            match own {
                Some(Part::Run | Part::Any) => open.push((part + 1, step, within)),
                // It takes nothing, so that the run behind it takes nothing either.
                Some(Part::Undotted) => open.push((part + 2, step, within)),
                _ => {}
            }
            if matches!(their, Some(Step::Run))
                || matches!(their, Some(Step::Deep)) && !within
                || matches!(their, Some(Step::Below)) && within
            {
                open.push((part, step + 1, false));
            }
            let (Some(own), Some(their)) = (own, their) else { continue };
            for slash in [false, true] {
                if !meet(*own, their, slash) {
                    continue;
                }
                let part = part + usize::from(!matches!(own, Part::Run | Part::Any));
                match their {
                    Step::Run => open.push((part, step, false)),
                    Step::Deep => open.push((part, step, !slash)),
                    Step::Below => open.push((part, step, true)),
                    Step::One(_) => open.push((part, step + 1, false)),
                }
            }
        }
        false
    }
}

impl Part {
    fn length(self) -> usize {
        if let Self::Char(char) = self { char.len_utf8() } else { 1 }
    }
}

/// What a pattern takes, character by character.
enum Step {
    /// One character.
    One(Token),
    /// Any text within a name.
    Run,
    /// Any number of names, each with its `/`.
    Deep,
    /// One character or more, of any kind.
    Below,
}

fn steps(way: &Way, prefix: &str) -> Vec<Step> {
    if way.all {
        return vec![Step::Below];
    }
    let mut steps = Vec::new();
    let text = |text: &str, steps: &mut Vec<Step>| {
        steps.extend(text.chars().map(|char| Step::One(Token::Char(char))));
    };
    text(prefix, &mut steps);
    if way.rest.is_empty() && prefix.is_empty() {
        text("/", &mut steps);
    }
    let last = way.rest.len().saturating_sub(1);
    let mut slash = true;
    for (index, segment) in way.rest.iter().enumerate() {
        if slash {
            text("/", &mut steps);
        }
        slash = true;
        match segment {
            Segment::Deep if index == last => steps.push(Step::Below),
            Segment::Deep => {
                steps.push(Step::Deep);
                slash = false;
            }
            Segment::Literal(name) => text(name, &mut steps),
            Segment::Name(tokens) => steps.extend(tokens.iter().map(|token| match token {
                Token::Star => Step::Run,
                token => Step::One(token.clone()),
            })),
        }
    }
    steps
}

/// Whether there is a character, `/` or another, that both take.
fn meet(part: Part, step: &Step, slash: bool) -> bool {
    let part_takes = |char: char| match part {
        Part::Char(own) => own == char || same_folded(own, char),
        Part::One | Part::Run => char != '/',
        Part::Undotted => char != '/' && char != '.',
        Part::Any => true,
    };
    match (step, part) {
        (Step::One(Token::Char(char)), _) => (*char == '/') == slash && part_takes(*char),
        (Step::One(token), Part::Char(char)) => {
            (char == '/') == slash && !slash && token.accepts(char, true)
        }
        (Step::One(_), _) => !slash,
        (Step::Run, Part::Char(char)) => !slash && char != '/',
        (Step::Run, _) => !slash,
        (_, Part::Char(char)) => (char == '/') == slash,
        (_, Part::Any) => true,
        (_, _) => !slash,
    }
}

fn same_folded(one: char, other: char) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(&other);
    }
    fold(one.encode_utf8(&mut [0; 4])) == fold(other.encode_utf8(&mut [0; 4]))
}
