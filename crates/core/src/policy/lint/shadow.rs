//! Rules that never decide.

use std::collections::HashMap;

use crate::policy::Effect;
use crate::policy::document::{MatchOrder, PatternToken, PlacedValue, PolicyDocument, PolicyRule};
use crate::shell::{self, FactKind, Shell};

use super::{FindingCode, LintReport, cover, is_whole};

/// Pairs of patterns that are compared at most.
const PAIRS: usize = 1_000_000;

/// What stands before a rule: which document, which rule of it, and how.
#[derive(Debug, Clone, Copy)]
pub(super) struct RuleShadow {
    by: (usize, usize),
    how: ShadowKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShadowKind {
    /// It says the same in the same words.
    Same,
    /// It has the same effect on more.
    Wider,
    /// It has a stricter effect.
    Stricter,
    /// It comes first, where the first decides.
    Earlier,
}

/// The rules that never decide, by document and index.
pub(super) fn find(documents: &[PolicyDocument]) -> HashMap<(usize, usize), RuleShadow> {
    let all: Vec<(usize, usize, &PolicyRule)> = documents
        .iter()
        .enumerate()
        .flat_map(|(number, document)| {
            document.rules.iter().enumerate().map(move |(index, rule)| (number, index, rule))
        })
        .collect();
    let mut wide: HashMap<ShadowKey, Vec<usize>> = HashMap::new();
    for (at, (_, _, rule)) in all.iter().enumerate() {
        for key in ShadowKey::of_wide(rule) {
            wide.entry(key).or_default().push(at);
        }
    }
    let mut found = HashMap::new();
    let mut pairs = 0_usize;
    'rules: for &(number, index, rule) in &all {
        let candidates =
            ShadowKey::of_narrow(rule).into_iter().filter_map(|key| wide.get(&key)).flatten();
        for &(other_number, other_index, other) in candidates.filter_map(|at| all.get(*at)) {
            if (number, index) == (other_number, other_index) {
                continue;
            }
            pairs += patterns(rule) * patterns(other);
            if pairs > PAIRS {
                break 'rules;
            }
            let by = (other_number, other_index);
            let Some(how) =
                relation(documents, (number, index, rule), (other_number, other_index, other))
            else {
                continue;
            };
            // Who must agree is heard beside all other asks.
            if matches!(how, ShadowKind::Same | ShadowKind::Wider)
                && rule.who.is_some()
                && rule.who != other.who
            {
                continue;
            }
            // So is a mark of what is a risk.
            if rule.risk.is_some() && rule.risk != other.risk {
                continue;
            }
            // So is that a human must answer, where another rule that asks would leave it to a reviewer.
            if rule.effect == Effect::Ask && !rule.reviewer && other.reviewer {
                continue;
            }
            // Of two that shadow each other, only one is left out.
            let mutual = |shadow: &RuleShadow| shadow.by == (number, index);
            if found.get(&by).is_some_and(mutual) {
                continue;
            }
            found.insert((number, index), RuleShadow { by, how });
            continue 'rules;
        }
    }
    found
}

/// At least one.
fn patterns(rule: &PolicyRule) -> usize {
    let trees = rule.reads.len() + rule.writes.len() + rule.urls.len();
    let tools = rule.tools.as_ref().map_or(0, Vec::len);
    1 + rule.commands.len() + trees + rule.env.len() + tools + rule.annotations.len()
}

/// Where rules are looked for that could cover another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ShadowKey<'a> {
    /// For whole calls.
    Whole,
    /// With a command that begins with this word.
    First(&'a str),
    /// With a command that begins with any word.
    AnyFirst,
    Reads,
    Writes,
    Urls,
    Env,
}

impl<'a> ShadowKey<'a> {
    /// All under which a rule can be found.
    fn of_wide(rule: &'a PolicyRule) -> Vec<Self> {
        let mut keys = Self::of_kinds(rule);
        for command in &rule.commands {
            match command.value.tokens.first() {
                Some(PatternToken::Text(text)) => keys.push(Self::First(text)),
                Some(PatternToken::OneOf(texts)) => {
                    keys.extend(texts.iter().map(|text| Self::First(text)));
                }
                _ => keys.push(Self::AnyFirst),
            }
        }
        // In order, so that each is found once.
        let mut seen = std::collections::HashSet::new();
        keys.retain(|key| seen.insert(*key));
        keys
    }

    /// Those under which every rule can be found that covers this one.
    fn of_narrow(rule: &'a PolicyRule) -> Vec<Self> {
        let mut keys = vec![Self::Whole];
        if let Some(command) = rule.commands.first() {
            keys.push(Self::AnyFirst);
            match command.value.tokens.first() {
                Some(PatternToken::Text(text)) => keys.push(Self::First(text)),
                Some(PatternToken::OneOf(texts)) => {
                    keys.extend(texts.first().map(|text| Self::First(text)));
                }
                _ => {}
            }
        } else {
            keys.extend(Self::of_kinds(rule).first().filter(|key| **key != Self::Whole));
        }
        keys
    }

    fn of_kinds(rule: &'a PolicyRule) -> Vec<Self> {
        if is_whole(rule) {
            return vec![Self::Whole];
        }
        [
            (Self::Reads, &rule.reads),
            (Self::Writes, &rule.writes),
            (Self::Urls, &rule.urls),
            (Self::Env, &rule.env),
        ]
        .into_iter()
        .filter(|(_, patterns)| !patterns.is_empty())
        .map(|(key, _)| key)
        .collect()
    }
}

/// How `other` stands before `rule`, if it always does.
fn relation(
    documents: &[PolicyDocument], (number, index, rule): (usize, usize, &PolicyRule),
    (other_number, other_index, other): (usize, usize, &PolicyRule),
) -> Option<ShadowKind> {
    let other_document = documents.get(other_number)?;
    let counts = other.effect != Effect::Allow || other_document.source.trusted;
    if other.condition.is_some() && other.condition != rule.condition || !counts {
        return None;
    }
    let how = if number == other_number && other_document.matching == MatchOrder::First {
        if other_index > index {
            return None;
        }
        if says_the_same(rule, other) { ShadowKind::Same } else { ShadowKind::Earlier }
    } else if other_document.matching == MatchOrder::First {
        // Whether it decides depends on what stands before it.
        return None;
    } else if other.effect > rule.effect {
        ShadowKind::Stricter
    } else if other.effect < rule.effect || number != other_number {
        // Layers are judged each for itself: the same rule in two of them is not redundant.
        return None;
    } else if says_the_same(rule, other) {
        if other_index > index {
            return None;
        }
        ShadowKind::Same
    } else {
        ShadowKind::Wider
    };
    covers(other, rule).then_some(how)
}

/// Whether `wide` speaks of all that `narrow` speaks of, and as surely.
fn covers(wide: &PolicyRule, narrow: &PolicyRule) -> bool {
    let tools = match (&wide.tools, &narrow.tools) {
        (None, _) => true,
        (Some(wide), None) => wide.iter().any(|name| name == "*"),
        (Some(wide), Some(narrow)) => {
            narrow.iter().all(|narrow| wide.iter().any(|wide| cover::name(wide, narrow)))
        }
    };
    let hints = wide
        .annotations
        .iter()
        .all(|(hint, flag)| narrow.annotations.get(hint).is_some_and(|other| other == flag));
    // One about confined commands says nothing of the others.
    let runs = wide.confined.is_none_or(|wide| wide.covers(narrow.confined));
    // One about what git can give back says nothing of the rest.
    let files = !wide.tracked || narrow.tracked;
    if !tools || !hints || !runs || !files {
        return false;
    }
    let both_allow = wide.effect == Effect::Allow && narrow.effect == Effect::Allow;
    if is_whole(wide) {
        // An allow of whole calls names nothing that asks unless it is named.
        return !both_allow || !names_something(narrow, 0);
    }
    if is_whole(narrow) {
        return false;
    }
    // A deny or an ask meets more readings of the same words than an allow does.
    if wide.effect == Effect::Allow && !both_allow {
        return narrow.commands.is_empty()
            && narrow.reads.is_empty()
            && narrow.writes.is_empty()
            && narrow.urls.is_empty()
            && names_are_covered(&wide.env, &narrow.env);
    }
    let commands = narrow
        .commands
        .iter()
        .all(|narrow| wide.commands.iter().any(|wide| cover::command(&wide.value, &narrow.value)));
    let tree = |wide: &[PlacedValue<String>], narrow: &[PlacedValue<String>]| {
        narrow.is_empty() || cover::trees(wide, narrow)
    };
    commands
        && tree(&wide.reads, &narrow.reads)
        && tree(&wide.writes, &narrow.writes)
        && tree(&wide.urls, &narrow.urls)
        && names_are_covered(&wide.env, &narrow.env)
        && (!both_allow || says_the_same(narrow, wide) || !names_something(narrow, shortest(wide)))
}

fn names_are_covered(wide: &[PlacedValue<String>], narrow: &[PlacedValue<String>]) -> bool {
    narrow.iter().all(|narrow| wide.iter().any(|wide| cover::name(&wide.value, &narrow.value)))
}

fn shortest(rule: &PolicyRule) -> usize {
    rule.commands.iter().map(|command| command.value.certain().len()).min().unwrap_or(0)
}

/// Whether the allow may spell out something that asks unless a rule spells it out: a protected file, or an argument that
/// runs code, behind the first `tokens` of a command.
fn names_something(rule: &PolicyRule, tokens: usize) -> bool {
    let is_harmless = |part: &str| {
        let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '-';
        part.chars().all(|char| char == '*')
            || matches!(part, "~" | "${project}")
            || part.chars().all(plain) && !matches!(part, "etc" | "jenkinsfile" | "library")
    };
    let paths = rule
        .reads
        .iter()
        .chain(&rule.writes)
        .any(|pattern| !pattern.value.trim_start_matches('!').split('/').all(is_harmless));
    paths
        || rule
            .commands
            .iter()
            .any(|command| command_names_something(command.value.certain(), tokens))
}

fn command_names_something(tokens: &[PatternToken], from: usize) -> bool {
    let words: Option<Vec<String>> = tokens
        .iter()
        .map(|token| match token {
            PatternToken::Text(text) => Some(format!("'{}'", text.replace('\'', "'\\''"))),
            _ => None,
        })
        .collect();
    let Some(words) = words else { return true };
    let analysis = shell::analyze(&words.join(" "), Shell::Bash);
    analysis.facts.iter().any(|fact| match &fact.what {
        FactKind::Unknown { named: Some((_, arg)), .. }
        | FactKind::Path { arg, .. }
        | FactKind::Loads { arg, .. } => *arg >= from,
        FactKind::Unknown { named: None, .. } => true,
        _ => false,
    })
}

/// Whether the rule allows what the default of its document allows, and nothing that asks unless it is named.
pub(super) fn says_nothing(document: &PolicyDocument, rule: &PolicyRule) -> bool {
    document.default == Some(Effect::Allow)
        && document.matching == MatchOrder::Strictest
        && rule.effect == Effect::Allow
        && !names_something(rule, 0)
}

/// Whether two rules differ in nothing but their reasons and examples.
fn says_the_same(a: &PolicyRule, b: &PolicyRule) -> bool {
    fn values<T: PartialEq>(a: &[PlacedValue<T>], b: &[PlacedValue<T>]) -> bool {
        a.len() == b.len() && a.iter().all(|one| b.iter().any(|other| other.value == one.value))
    }
    // The order of patterns that take out again may matter.
    let in_order = |a: &[PlacedValue<String>], b: &[PlacedValue<String>]| {
        a.iter().map(|one| &one.value).eq(b.iter().map(|other| &other.value))
    };
    a.effect == b.effect
        && a.tools == b.tools
        && a.annotations == b.annotations
        && a.condition == b.condition
        && a.tracked == b.tracked
        && values(&a.commands, &b.commands)
        && values(&b.commands, &a.commands)
        && values(&a.env, &b.env)
        && values(&b.env, &a.env)
        && in_order(&a.reads, &b.reads)
        && in_order(&a.writes, &b.writes)
        && in_order(&a.urls, &b.urls)
}

impl RuleShadow {
    pub(super) fn tell(&self, report: &mut LintReport, documents: &[PolicyDocument]) {
        let Some(document) = documents.get(self.by.0) else { return };
        let Some(other) = document.rules.get(self.by.1) else { return };
        let name = &document.source.name;
        let place = if other.at.line == 0 {
            format!("rule {} of {name}", other.index)
        } else {
            format!("the rule at {name}:{}", other.at.line)
        };
        let effect = match other.effect {
            Effect::Allow => "allows",
            Effect::Ask => "asks about",
            Effect::Deny => "denies",
        };
        let at = report.rule.at;
        match self.how {
            ShadowKind::Same => {
                let message = format!("it says what {place} says: leave one of them out");
                report.warn(at, FindingCode::Duplicate, message);
            }
            ShadowKind::Wider => {
                let message = format!("{place} {effect} all this already: leave it out");
                report.info(FindingCode::Shadowed, message);
            }
            ShadowKind::Stricter => {
                let message = format!("{place} {effect} all this, and the stricter counts");
                report.warn(at, FindingCode::Shadowed, message);
            }
            ShadowKind::Earlier => {
                let message = format!("{place} {effect} all this, and the first counts");
                report.warn(at, FindingCode::Shadowed, message);
            }
        }
    }
}
