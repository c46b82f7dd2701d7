//! Paths that only the run will tell, and what they could be.

use std::cell::Cell;

use super::locate::PathContext;
use super::matching::fold;
use super::pattern::{NameToken, PatternSegment};
use super::syntax::PathSyntax;
use super::way::AbsolutePattern;
use super::{FileLookup, PathError};
use crate::shell::WordPiece;

/// Beyond this product of lengths the answer is yes.
const MOST_STEPS: usize = 1 << 20;

/// A part of a path that is known in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathPart {
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
pub(super) struct UnsurePath {
    parts: Vec<PathPart>,
}

/// A path that is known in pieces: what it is called as it is written, and with the directory that it surely begins with
/// resolved. For one verdict.
#[derive(Debug, Clone)]
pub struct PartialPath {
    pub(super) paths: Vec<UnsurePath>,
    /// No name that its wildcards stand for leads elsewhere.
    stays: bool,
}

impl PartialPath {
    /// Of these pieces.
    ///
    /// # Errors
    /// When the directory that it surely begins with cannot be resolved.
    pub fn of(
        pieces: &[WordPiece], from: &PathContext, files: &dyn FileLookup,
    ) -> Result<Self, PathError> {
        Ok(Self { paths: unsure(pieces, from).resolved(files)?, stays: false })
    }

    /// It, or anything below it.
    #[must_use]
    pub fn with_below(mut self) -> Self {
        let below = |path: &UnsurePath| {
            let end = [PathPart::Char('/'), PathPart::Any];
            UnsurePath { parts: path.parts.iter().copied().chain(end).collect() }
        };
        let more: Vec<UnsurePath> = self.paths.iter().map(below).collect();
        self.paths.extend(more);
        self
    }

    /// The same, where it is known of each name that its wildcards find that it is no symlink, or where that leads is judged.
    #[must_use]
    pub fn staying(self) -> Self {
        Self { stays: true, ..self }
    }

    /// The directory that this one of its names surely lies below, for every match of its wildcards.
    pub(super) fn stays_below(&self, path: &UnsurePath) -> Option<String> {
        let known = self.stays && !path.parts.contains(&PathPart::Any);
        path.dir().filter(|_| known)
    }

    /// Whether it surely begins with some directory.
    pub fn is_rooted(&self) -> bool {
        self.dirs().is_some()
    }

    /// The directories that it surely begins with, the same in each of its names; `None` if one has none.
    pub(super) fn dirs(&self) -> Option<Vec<String>> {
        self.paths.iter().map(UnsurePath::dir).collect()
    }
}

/// The path that these pieces make.
pub(super) fn unsure(pieces: &[WordPiece], from: &PathContext) -> UnsurePath {
    let mut parts = Vec::new();
    let is_empty = |piece: &&WordPiece| matches!(piece, WordPiece::Text(text) if text.is_empty());
    let rooted = match pieces.iter().find(|piece| !is_empty(piece)) {
        Some(WordPiece::Home | WordPiece::Unknown { .. }) => true,
        Some(WordPiece::Text(text)) => text.starts_with('/'),
        _ => false,
    };
    if !rooted {
        parts.extend(from.cwd.chars().chain(['/']).map(PathPart::Char));
    }
    let mut splits = false;
    for piece in pieces {
        match (piece, &from.home) {
            (WordPiece::Text(text), _) | (WordPiece::Home, Some(text)) => {
                parts.extend(text.chars().map(PathPart::Char))
            }
            (WordPiece::Glob(glob), _) => wildcards(glob, &mut parts),
            // With `..` in it, nothing that precedes it is certain.
            (WordPiece::Unknown { .. } | WordPiece::Home, _) => parts = vec![PathPart::Any],
        }
        splits |= matches!(piece, WordPiece::Unknown { splits: true });
    }
    if splits {
        // One word of several may be anything.
        parts = vec![PathPart::Any];
    }
    UnsurePath { parts: normal(&parts) }
}

fn wildcards(glob: &str, into: &mut Vec<PathPart>) {
    let mut chars = glob.chars();
    while let Some(char) = chars.next() {
        match char {
            '*' => into.push(PathPart::Run),
            '?' => into.push(PathPart::One),
            // Where a class ends depends on the shell: the rest is some text.
            '[' | '\\' => {
                into.push(if chars.as_str().contains('/') { PathPart::Any } else { PathPart::Run });
                return;
            }
            char => into.push(PathPart::Char(char)),
        }
    }
}

/// `.`, `..` and `//` taken out.
fn normal(parts: &[PathPart]) -> Vec<PathPart> {
    let mut names: Vec<&[PathPart]> = Vec::new();
    for name in parts.split(|part| *part == PathPart::Char('/')) {
        match name {
            [] | [PathPart::Char('.')] => {}
            [PathPart::Char('.'), PathPart::Char('.')] => {
                // What a name that is not certain leads to has any parent.
                match names.pop() {
                    Some(name) if name.iter().any(|part| !matches!(part, PathPart::Char(_))) => {
                        names = vec![&[PathPart::Any]];
                    }
                    _ => {}
                }
            }
            name => names.push(name),
        }
    }
    let mut normal = Vec::with_capacity(parts.len());
    for (index, name) in names.iter().enumerate() {
        if index > 0 || name.first() != Some(&PathPart::Any) {
            normal.push(PathPart::Char('/'));
        }
        match name {
            [PathPart::Run, ..] => normal.extend([PathPart::Undotted].iter().chain(*name)),
            name => normal.extend(*name),
        }
    }
    if normal.is_empty() {
        normal.push(PathPart::Char('/'));
    }
    normal
}

impl UnsurePath {
    pub(super) fn into_parts(self) -> Vec<PathPart> {
        self.parts
    }

    /// This, and what it is called once the directory that it surely begins with is resolved.
    pub(super) fn resolved(self, files: &dyn FileLookup) -> Result<Vec<Self>, PathError> {
        let Some(dir) = self.dir() else { return Ok(vec![self]) };
        let real = files.real(&dir)?;
        if real == dir {
            return Ok(vec![self]);
        }
        let rest = self.parts.iter().skip(dir.chars().count()).copied();
        let parts = real.trim_end_matches('/').chars().map(PathPart::Char).chain(rest).collect();
        Ok(vec![Self { parts }, self])
    }

    /// The directory that it surely begins with, or it itself if all of it is sure. `None`: no directory, or `/`.
    fn dir(&self) -> Option<String> {
        let known: String = self
            .parts
            .iter()
            .map_while(|part| if let PathPart::Char(char) = part { Some(*char) } else { None })
            .collect();
        let sure = known.len() == self.parts.iter().map(|part| part.length()).sum::<usize>();
        let dir = if sure { known.as_str() } else { known.get(..known.rfind('/')?)? };
        let absolute = dir.starts_with('/') || PathSyntax::NATIVE != PathSyntax::Posix;
        (!dir.is_empty() && absolute).then(|| dir.to_owned())
    }

    /// Whether it ends with characters that the way does not end with: cheap, and most ways fail here.
    fn ends_otherwise(&self, way: &AbsolutePattern) -> bool {
        let mut own = self.parts.iter().rev();
        let mut differs = |char: char| match own.next() {
            Some(PathPart::Char(same)) if *same == char || same_folded(*same, char) => None,
            // What folding leaves out is no difference.
            Some(PathPart::Char(other)) => Some(other.is_ascii() && char.is_ascii()),
            _ => Some(false),
        };
        let found = match way.rest.last() {
            Some(PatternSegment::Literal(name)) => name.chars().rev().find_map(differs),
            Some(PatternSegment::Name(tokens)) => {
                tokens.iter().rev().find_map(|token| match token {
                    NameToken::Char(char) => differs(*char),
                    _ => Some(false),
                })
            }
            _ => None,
        };
        found.unwrap_or(false)
    }

    /// Whether this could be a path that the way takes, its beginning being `prefix`. Errs on the side of yes, also when
    /// there is no `work` left.
    ///
    /// Both are read as automata over characters; the pair of them is searched for an end that both reach.
    pub(super) fn could_match(
        &self, way: &AbsolutePattern, prefix: &str, work: &Cell<usize>,
    ) -> bool {
        if self.parts == [PathPart::Any] {
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
                Some(PathPart::Run | PathPart::Any) => open.push((part + 1, step, within)),
                // It takes nothing, so that the run behind it takes nothing either.
                Some(PathPart::Undotted) => open.push((part + 2, step, within)),
                _ => {}
            }
            if matches!(their, Some(PatternStep::Run))
                || matches!(their, Some(PatternStep::Deep)) && !within
                || matches!(their, Some(PatternStep::Below)) && within
            {
                open.push((part, step + 1, false));
            }
            let (Some(own), Some(their)) = (own, their) else { continue };
            for slash in [false, true] {
                if !meet(*own, their, slash) {
                    continue;
                }
                let part = part + usize::from(!matches!(own, PathPart::Run | PathPart::Any));
                match their {
                    PatternStep::Run => open.push((part, step, false)),
                    PatternStep::Deep => open.push((part, step, !slash)),
                    PatternStep::Below => open.push((part, step, true)),
                    PatternStep::One(_) => open.push((part, step + 1, false)),
                }
            }
        }
        false
    }
}

impl PathPart {
    fn length(self) -> usize {
        if let Self::Char(char) = self { char.len_utf8() } else { 1 }
    }
}

/// What a pattern takes, character by character.
enum PatternStep {
    /// One character.
    One(NameToken),
    /// Any text within a name.
    Run,
    /// Any number of names, each with its `/`.
    Deep,
    /// One character or more, of any kind.
    Below,
}

fn steps(way: &AbsolutePattern, prefix: &str) -> Vec<PatternStep> {
    if way.all {
        return vec![PatternStep::Below];
    }
    let mut steps = Vec::new();
    let text = |text: &str, steps: &mut Vec<PatternStep>| {
        steps.extend(text.chars().map(|char| PatternStep::One(NameToken::Char(char))));
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
            PatternSegment::Deep if index == last => steps.push(PatternStep::Below),
            PatternSegment::Deep => {
                steps.push(PatternStep::Deep);
                slash = false;
            }
            PatternSegment::Literal(name) => text(name, &mut steps),
            PatternSegment::Name(tokens) => steps.extend(tokens.iter().map(|token| match token {
                NameToken::Star => PatternStep::Run,
                token => PatternStep::One(token.clone()),
            })),
        }
    }
    steps
}

/// Whether there is a character, `/` or another, that both take.
fn meet(part: PathPart, step: &PatternStep, slash: bool) -> bool {
    let part_takes = |char: char| match part {
        PathPart::Char(own) => own == char || same_folded(own, char),
        PathPart::One | PathPart::Run => char != '/',
        PathPart::Undotted => char != '/' && char != '.',
        PathPart::Any => true,
    };
    match (step, part) {
        (PatternStep::One(NameToken::Char(char)), _) => {
            (*char == '/') == slash && part_takes(*char)
        }
        (PatternStep::One(token), PathPart::Char(char)) => {
            (char == '/') == slash && !slash && token.accepts(char, true)
        }
        (PatternStep::One(_), _) => !slash,
        (PatternStep::Run, PathPart::Char(char)) => !slash && char != '/',
        (PatternStep::Run, _) => !slash,
        (_, PathPart::Char(char)) => (char == '/') == slash,
        (_, PathPart::Any) => true,
        (_, _) => !slash,
    }
}

fn same_folded(one: char, other: char) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(&other);
    }
    fold(one.encode_utf8(&mut [0; 4])) == fold(other.encode_utf8(&mut [0; 4]))
}
