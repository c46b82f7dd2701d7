//! Names that stand for all that something new in a folder can have: patterns decide by their last name which they mean.

use std::collections::{BTreeSet, HashSet, VecDeque};

use super::pattern::{NameToken, PatternSegment};
use super::{PathGlob, PathSet};

/// How many last names of patterns are told apart.
const MOST_PATTERNS: usize = 100;
/// How much is compared: a place in a pattern with a character.
const MOST_WORK: usize = 20_000;
/// How many names there are at most.
const MOST_NAMES: usize = 200;

/// The last name of a pattern.
type LastName = Vec<NameToken>;

/// Places in patterns, by their numbers: how far each matches the beginning of a name.
type Standing = Vec<(usize, usize)>;

/// One name for each way in which these patterns take some of the names in a folder and leave others: what they say of all of
/// these, they say of every name. If that is too much to compare, the shortest names alone.
pub(crate) fn sample_names<'a>(sets: impl IntoIterator<Item = &'a PathSet>) -> Vec<String> {
    let patterns = last_names(sets);
    let alphabet = alphabet(&patterns);
    let start: Standing =
        patterns.iter().enumerate().flat_map(|(at, last)| entered(last, at, 0)).collect();
    let mut told = HashSet::new();
    let mut names = Vec::new();
    let mut seen = HashSet::from([start.clone()]);
    let mut open = VecDeque::from([(String::new(), start)]);
    let mut work = 0;
    while let Some((name, standing)) = open.pop_front() {
        for char in &alphabet {
            work += standing.len() + 1;
            if work > MOST_WORK || names.len() == MOST_NAMES {
                return names;
            }
            let longer = format!("{name}{char}");
            let mut next: Standing = standing
                .iter()
                .filter_map(|&(at, place)| Some((at, place, patterns.get(at)?)))
                .flat_map(|(at, place, last)| after(last, at, place, *char))
                .collect();
            next.sort_unstable();
            next.dedup();
            let ends = |&&(at, place): &&(usize, usize)| {
                patterns.get(at).is_some_and(|last| place == last.len())
            };
            let taken: Vec<usize> = next.iter().filter(ends).map(|(at, _)| *at).collect();
            // These two are no names.
            if !["/", ".", ".."].contains(&longer.as_str()) && told.insert(taken) {
                names.push(longer.clone());
            }
            if seen.insert(next.clone()) {
                open.push_back((longer, next));
            }
        }
    }
    names
}

/// Those that do not take all names: with wildcards first, since they speak of many.
fn last_names<'a>(sets: impl IntoIterator<Item = &'a PathSet>) -> Vec<LastName> {
    let mut found = Vec::new();
    let mut spelled = Vec::new();
    for glob in sets.into_iter().flat_map(PathSet::all_globs) {
        for last in last_segments(glob) {
            match last {
                PatternSegment::Deep => {}
                PatternSegment::Literal(name) => {
                    spelled.push(name.chars().map(NameToken::Char).collect());
                }
                PatternSegment::Name(tokens) if tokens == [NameToken::Star] => {}
                PatternSegment::Name(tokens) => found.push(tokens),
            }
        }
    }
    let mut all: Vec<LastName> = Vec::new();
    for last in found.into_iter().chain(spelled) {
        if all.len() < MOST_PATTERNS && !all.contains(&last) {
            all.push(last);
        }
    }
    all
}

/// What the last name of a path has to match, for each way to read a pattern.
fn last_segments(glob: &PathGlob) -> impl Iterator<Item = PatternSegment> {
    glob.by_any_name().filter_map(|way| match way.rest.last() {
        Some(last) => Some(last.clone()),
        None => way.prefix.rsplit('/').next().map(|name| PatternSegment::Literal(name.to_owned())),
    })
}

/// One character for all between which no pattern makes a difference.
fn alphabet(patterns: &[LastName]) -> Vec<char> {
    let after = |char: char| char::from_u32(u32::from(char) + 1).unwrap_or('\u{e000}');
    let mut starts = BTreeSet::from(['\u{1}', '.', after('/')]);
    let mut add = |first: char, last: char| {
        let cases =
            |char: char| [Some(char), char.to_lowercase().next(), char.to_uppercase().next()];
        starts.extend(cases(first).into_iter().flatten());
        starts.extend(cases(last).into_iter().flatten().map(after));
    };
    for token in patterns.iter().flatten() {
        match token {
            NameToken::Char(char) => add(*char, *char),
            NameToken::Class { ranges, .. } => {
                ranges.iter().for_each(|(first, last)| add(*first, *last));
            }
            NameToken::One | NameToken::Star => {}
        }
    }
    starts.into_iter().filter(|char| !matches!(char, '/' | '\0')).collect()
}

/// This place, and those behind each `*` there, which takes nothing as well.
fn entered(last: &LastName, at: usize, place: usize) -> impl Iterator<Item = (usize, usize)> {
    let stars = last.iter().skip(place).take_while(|token| **token == NameToken::Star);
    (place..=place + stars.count()).map(move |place| (at, place))
}

/// Where it stands after one more character.
fn after(
    last: &LastName, at: usize, place: usize, char: char,
) -> impl Iterator<Item = (usize, usize)> {
    let next = match last.get(place) {
        Some(NameToken::Star) => Some(place),
        Some(token) if token.accepts(char, false) => Some(place + 1),
        _ => None,
    };
    next.into_iter().flat_map(move |place| entered(last, at, place))
}
