use std::time::Duration;

use crate::cpu_time::Instant;

use proptest::prelude::*;

use super::super::pattern::{self, NameToken, PatternSegment};
use super::super::{PathGlob, PathSet, UrlAddress, UrlPattern, locate, sample_names};
use super::{Links, QUOTED, at, here, star, text};
use crate::cases::cases;

/// What the pattern means, by definition: each way to read it is tried.
fn reference(segments: &[PatternSegment], names: &[&str]) -> bool {
    match (segments, names) {
        ([], names) => names.is_empty(),
        ([PatternSegment::Deep], names) => !names.is_empty(),
        ([PatternSegment::Deep, rest @ ..], names) => {
            (0..=names.len()).any(|taken| reference(rest, &names[taken..]))
        }
        ([segment, segments @ ..], [name, names @ ..]) => {
            let chars: Vec<char> = name.chars().collect();
            let matches = match segment {
                PatternSegment::Literal(literal) => literal == name,
                PatternSegment::Name(tokens) => reference_name(tokens, &chars),
                PatternSegment::Deep => false,
            };
            matches && reference(segments, names)
        }
        _ => false,
    }
}

fn reference_name(tokens: &[NameToken], chars: &[char]) -> bool {
    match (tokens, chars) {
        ([], chars) => chars.is_empty(),
        ([NameToken::Star, rest @ ..], chars) => {
            (0..=chars.len()).any(|taken| reference_name(rest, &chars[taken..]))
        }
        ([token, tokens @ ..], [char, chars @ ..]) => {
            token.accepts(*char, false) && reference_name(tokens, chars)
        }
        _ => false,
    }
}

proptest! {
    #![proptest_config(cases(64, 256))]

    #[test]
    fn what_patterns_say_of_any_name_they_say_of_a_sample(
        patterns in prop::collection::vec("([ab?*]|\\[a\\]|\\[!b\\]|\\[![.]\\]|\\[A-Z\\]|[.]){1,4}", 1..5),
        name in "[abA.1]{1,5}",
    ) {
        prop_assume!(!matches!(name.as_str(), "." | ".."));
        let globs: Vec<String> = patterns.iter().map(|last| format!("/d/{last}")).collect();
        let sets: Vec<PathSet> =
            globs.iter().map(|glob| PathSet::parse([glob.as_str()], &here()).unwrap()).collect();
        let files = Links::default();
        let said = |name: &str| -> Vec<bool> {
            let path = at(&format!("/d/{name}"), &files);
            sets.iter().map(|set| set.touches(&path, &files).unwrap()).collect()
        };
        let samples = sample_names(&sets);
        prop_assert!(samples.iter().any(|it| said(it) == said(&name)), "{:?} {} {:?}", patterns, name, samples);
    }

    #[test]
    fn agrees_with_the_reference(pattern in "/([a-c*?]{1,4}/|\\*\\*/|[{]a,b/c[}]/){0,4}([ab*?]{1,3}|\\*\\*|\\[!a\\]b)", path in "(/[a-c]{1,3}){0,6}") {
        let path = if path.is_empty() { "/".to_owned() } else { path };
        let ways = pattern::parse(&pattern).unwrap();
        let names: Vec<&str> = path.split('/').filter(|name| !name.is_empty()).collect();
        let expected = |loose: bool| {
            ways.iter().any(|way| (loose || !way.loose) && reference(&way.segments, &names))
        };
        let files = Links::default();
        let glob = PathGlob::parse(&pattern, &here()).unwrap();
        let located = at(&path, &files);
        prop_assert_eq!(glob.covers(&located, &files).unwrap(), expected(false), "{} {}", pattern, path);
        prop_assert_eq!(glob.touches(&located, &files).unwrap(), expected(true), "{} {}", pattern, path);
        // What matches is found by each of the questions that err on the side of yes.
        if expected(true) {
            prop_assert!(glob.could_match(&[text(&path)], &here()), "{} {}", pattern, path);
            prop_assert!(glob.could_match(&[QUOTED], &here()));
            if let Some((dir, name)) = path.rsplit_once('/') {
                prop_assert!(glob.could_match(&[text(dir), text("/"), star("*")], &here()));
                prop_assert!(glob.could_match(&[QUOTED, text(name)], &here()));
                let dir = if dir.is_empty() { "/" } else { dir };
                prop_assert!(glob.touches_below(&at(dir, &files), &files).unwrap(), "{} {}", pattern, dir);
            }
        }
    }

    #[test]
    fn normalising_twice_is_normalising_once(path in "[ab./~]{1,20}") {
        let files = Links::new(&[("/srv/app/a", "../b"), ("/srv/b", "app/./x//"), ("/a", "/b/..")]);
        if let Ok(once) = locate(&path, &here(), &files) {
            let again = at(&once.lexical, &files);
            prop_assert_eq!(&again.lexical, &once.lexical);
            prop_assert_eq!(&again.real, &once.real_of_lexical);
            // What is real leads through no link.
            let real = at(&once.real, &files);
            prop_assert_eq!(&real.real, &once.real);
            prop_assert!(real.through.is_empty());
        }
    }

    #[test]
    fn what_covers_touches(pattern in "[ab/*{},?!]{1,12}", excluded in "!/?[ab/*]{1,6}", path in "/?[ab./]{1,12}") {
        let files = Links::new(&[("/srv/app/a", "/b"), ("/b/a", "../a/b"), ("/a", "/srv")]);
        if let Ok(located) = locate(&path, &here(), &files) {
            if let Ok(glob) = PathGlob::parse(&pattern, &here()) {
                prop_assert!(!glob.covers(&located, &files).unwrap() || glob.touches(&located, &files).unwrap());
                prop_assert!(!glob.touches(&located, &files).unwrap() || glob.touches_below(&located, &files).unwrap());
            }
            if let Ok(set) = PathSet::parse([pattern.as_str(), &excluded], &here()) {
                prop_assert!(!set.covers(&located, &files).unwrap() || set.touches(&located, &files).unwrap());
                let without = PathSet::parse([pattern.as_str()], &here()).unwrap();
                prop_assert!(!set.covers(&located, &files).unwrap() || without.covers(&located, &files).unwrap());
            }
        }
    }

    #[test]
    fn any_text_is_taken_without_a_panic(text in any::<String>(), other in any::<String>()) {
        let files = Links::folding();
        let located = locate(&text, &here(), &files);
        if let (Ok(glob), Ok(located)) = (PathGlob::parse(&other, &here()), &located) {
            glob.touches(located, &files).unwrap();
        }
        if let Ok(glob) = PathGlob::parse(&text, &here()) {
            glob.could_match(&[super::text(&other), super::star(&text), QUOTED], &here());
        }
        if let (Ok(pattern), Ok(address)) = (UrlPattern::parse(&text), UrlAddress::parse(&other)) {
            pattern.touches(&address);
        }
        UrlAddress::parse(&text).ok();
    }

    #[test]
    fn odd_patterns_and_addresses_are_taken_without_a_panic(
        pattern in "[a\\[\\]{},!*?/\\\\\\-$~.^é]{0,24}",
        address in "(https?:|ssh:)?[a@:/\\\\.%\\[\\]{}0-9é]{0,24}",
    ) {
        if let Ok(glob) = PathGlob::parse(&pattern, &here()) {
            let files = Links::default();
            glob.touches_below(&at("/a/é", &files), &files).unwrap();
        }
        if let (Ok(parsed), Ok(pattern)) = (UrlAddress::parse(&address), UrlPattern::parse(&address)) {
            prop_assert!(!pattern.covers(&parsed) || pattern.touches(&parsed));
        }
        UrlPattern::parse(&pattern).ok();
    }
}

#[test]
fn hostile_patterns_take_linear_time() {
    let files = Links::default();
    let name = "a".repeat(250);
    let deep = "/a".repeat(2000);
    let wide = format!("/{name}").repeat(15);
    for pattern in [
        "/".to_owned() + &"*a".repeat(100) + "b",
        "**/".to_owned() + &"*a".repeat(1000) + "b",
        "/**/a".repeat(700) + "/b",
        "**/*a*a*a*a*a*a*a*b/**/*a*a*a*a*a*a*b".to_owned(),
        "/**/*".repeat(800) + "/b",
        "/{a,aa,aaa}{a,aa,aaa}{a,aa,aaa}/**/{a,b}/c".to_owned(),
        "/?".repeat(2000) + "b",
    ] {
        let glob = PathGlob::parse(&pattern, &here()).unwrap();
        for path in [&format!("/{name}"), &deep, &wide] {
            let path = at(path, &files);
            let start = Instant::now();
            glob.touches(&path, &files).unwrap();
            glob.covers(&path, &files).unwrap();
            glob.touches_below(&path, &files).unwrap();
            let limit = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });
            assert!(start.elapsed() < limit, "{pattern:.30}: {:?}", start.elapsed());
        }
    }
}
