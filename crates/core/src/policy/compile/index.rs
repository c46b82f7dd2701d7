//! The rules that could speak of an action, found without looking at the others.

use std::collections::HashMap;

use super::paths::PathRules;
use super::{CompiledRule, NamePattern};
use crate::path::{UrlAddress, UrlIndex, UrlSet};
use crate::policy::Effect;
use crate::policy::document::PatternToken;
use crate::policy::names::names_of;
use crate::policy::tokens::{FOLDS_CASE, is_dashed};
use crate::shell::{Word, base_name, without_g};

/// Rules that are tried on a command without a known name.
const MOST_GUESSES: usize = 100;

/// Rules by what they speak of.
#[derive(Debug, Default)]
pub(crate) struct RuleIndex {
    whole: ByName,
    commands: CommandIndex,
    env: ByName,
    pub(crate) reads: PathRules,
    pub(crate) writes: PathRules,
    urls: UrlIndex,
    /// The rules, by their place in `urls`.
    url_rules: Vec<usize>,
}

/// Rules by an exact name; those with patterns apart.
#[derive(Debug, Default)]
struct ByName {
    exact: HashMap<String, Vec<usize>>,
    others: Vec<usize>,
}

/// Rules by the first and the second word of commands.
#[derive(Debug, Default)]
struct CommandIndex {
    /// Allows, by the first word as it is written.
    allows: HashMap<String, BySecond>,
    /// Denies and asks, by the name of the program.
    bites: HashMap<String, BySecond>,
    /// Those that do not begin with a text.
    others: Vec<usize>,
    /// Denies and asks in order, for commands without a known name.
    all_bites: Vec<usize>,
}

#[derive(Debug, Default)]
struct BySecond {
    exact: HashMap<String, Vec<usize>>,
    others: Vec<usize>,
}

impl BySecond {
    fn push(&mut self, second: Option<&PatternToken>, rule: usize) {
        match second {
            Some(PatternToken::Text(text)) => {
                push(self.exact.entry(text.clone()).or_default(), rule)
            }
            Some(PatternToken::OneOf(texts)) => {
                for text in texts {
                    push(self.exact.entry(text.clone()).or_default(), rule);
                }
            }
            Some(PatternToken::Like(_) | PatternToken::Any | PatternToken::Rest) | None => {
                push(&mut self.others, rule)
            }
        }
    }

    fn find<'w>(&self, seconds: impl Iterator<Item = &'w Word>, found: &mut Vec<usize>) {
        found.extend(&self.others);
        for second in seconds {
            match second.literal() {
                Some(text) => found.extend(self.exact.get(text).into_iter().flatten()),
                None => return found.extend(self.exact.values().flatten()),
            }
        }
    }
}

/// A rule may come with several patterns that begin alike.
fn push(rules: &mut Vec<usize>, rule: usize) {
    if rules.last() != Some(&rule) {
        rules.push(rule);
    }
}

impl ByName {
    fn push(&mut self, names: Option<Vec<&str>>, rule: usize) {
        match names {
            Some(names) => {
                for name in names {
                    push(self.exact.entry(name.to_owned()).or_default(), rule);
                }
            }
            None => push(&mut self.others, rule),
        }
    }

    fn find(&self, name: &str, found: &mut Vec<usize>) {
        found.extend(&self.others);
        found.extend(self.exact.get(name).into_iter().flatten());
    }
}

fn key(name: &str) -> String {
    if FOLDS_CASE { name.to_ascii_lowercase() } else { name.to_owned() }
}

impl RuleIndex {
    pub(super) fn of(rules: &[CompiledRule]) -> Self {
        let mut index = Self::default();
        for (id, rule) in rules.iter().enumerate() {
            if rule.is_whole() {
                index.whole.push(rule.exact_tools(), id);
            }
            for pattern in &rule.commands {
                index.commands.push(rule.effect, &pattern.tokens, id);
            }
            for name in &rule.env {
                let exact = match name {
                    NamePattern::Exact(name) => Some(vec![name.as_str()]),
                    NamePattern::Wild(_) => None,
                };
                index.env.push(exact, id);
            }
        }
        let all = || rules.iter().enumerate();
        index.reads =
            PathRules::of(all().filter_map(|(id, rule)| Some((id, &rule.reads.as_ref()?.set))));
        index.writes =
            PathRules::of(all().filter_map(|(id, rule)| Some((id, &rule.writes.as_ref()?.set))));
        let urls = all().filter_map(|(id, rule)| Some((id, rule.urls.as_ref()?)));
        let (rules, sets): (Vec<usize>, Vec<&UrlSet>) = urls.unzip();
        index.urls = UrlIndex::new(sets);
        index.url_rules = rules;
        index
    }

    /// Rules for whole calls that could speak of this tool.
    pub(crate) fn whole(&self, tool: &str, other_names: &[String], found: &mut Vec<usize>) {
        for name in names_of(tool, other_names, Effect::Deny) {
            self.whole.find(name, found);
        }
    }

    /// Rules that could speak of this variable.
    pub(crate) fn env(&self, name: &str, found: &mut Vec<usize>) {
        self.env.find(name, found);
    }

    /// Rules that could speak of this address, as far as it is known.
    pub(crate) fn urls(&self, target: &Word, address: Option<&UrlAddress>, found: &mut Vec<usize>) {
        if self.url_rules.is_empty() {
            return;
        }
        let sets = match address {
            Some(address) => self.urls.candidates(address),
            None => self.urls.candidates_for(&target.pieces),
        };
        found.extend(sets.into_iter().filter_map(|set| self.url_rules.get(set)));
    }

    /// Rules that could speak of this command.
    pub(crate) fn commands(&self, argv: &[Word], found: &mut Vec<usize>) {
        found.extend(&self.commands.others);
        let Some(first) = argv.first().and_then(Word::literal) else {
            // Each could match, and then asks; but nothing allows such a command anyway, so that a few will do.
            found.extend(self.commands.all_bites.iter().take(MOST_GUESSES));
            return;
        };
        if let Some(rules) = self.commands.allows.get(first) {
            rules.find(argv.get(1).into_iter(), found);
        }
        let name = base_name(first);
        let name = if FOLDS_CASE { name.strip_suffix(".exe").unwrap_or(name) } else { name };
        let folded = FOLDS_CASE.then(|| key(name));
        let name = folded.as_deref().unwrap_or(name);
        if let Some(rules) = self.commands.bites.get(name) {
            rules.find(behind_options(argv), found);
        }
        if let Some(rules) = without_g(name).and_then(|plain| self.commands.bites.get(plain)) {
            rules.find(behind_options(argv), found);
        }
        // A rule may spell out a path: `/usr/bin/git`.
        if first.contains('/')
            && let Some(rules) = self.commands.bites.get(first)
        {
            rules.find(behind_options(argv), found);
        }
    }
}

/// The words that may be the second to a deny or an ask: options and their values may stand before it.
fn behind_options(argv: &[Word]) -> impl Iterator<Item = &Word> {
    let option = |at: usize| at > 0 && argv.get(at).is_some_and(is_dashed);
    let end = (1..argv.len()).find(|at| !option(*at) && !option(at - 1));
    argv.iter().take(end.map_or(argv.len(), |end| end + 1)).skip(1)
}

impl CommandIndex {
    fn push(&mut self, effect: Effect, tokens: &[PatternToken], rule: usize) {
        if effect != Effect::Allow {
            push(&mut self.all_bites, rule);
        }
        let firsts: &[String] = match tokens.first() {
            Some(PatternToken::Text(text)) => std::slice::from_ref(text),
            Some(PatternToken::OneOf(texts)) => texts,
            Some(PatternToken::Like(_) | PatternToken::Any | PatternToken::Rest) | None => {
                push(&mut self.others, rule);
                return;
            }
        };
        for first in firsts {
            let (map, key) = if effect == Effect::Allow {
                (&mut self.allows, first.clone())
            } else {
                (&mut self.bites, if first.contains('/') { first.clone() } else { key(first) })
            };
            map.entry(key).or_default().push(tokens.get(1), rule);
        }
    }
}
