//! Rules that a human made narrower before they are remembered.
//!
//! The patterns alone are looked at, rule by rule: what is not seen to be narrower is refused, though it may be. Patterns do not
//! tell all. One that names a protected file, or spells out an argument, may answer what a wider one leaves to the human. So a
//! grant of such rules keeps the offered ones beside them, and answers nothing that those do not.

use super::action::shorten;
use super::document::{
    CommandPattern, DocumentPlace, PatternToken, PlacedValue, PolicyRule, WordsBehind,
};
use super::protected;

/// A rule that is not proven to be narrower.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "rule {} is not known to be narrower than what is offered: take a rule of the offer, with a longer command or a deeper path", .0 + 1
)]
pub struct NotNarrower(pub usize);

/// Fails at the first rule that may answer what no offered one does.
///
/// # Errors
/// See [`NotNarrower`].
pub fn check_narrower(offered: &[PolicyRule], given: &[PolicyRule]) -> Result<(), NotNarrower> {
    for (at, rule) in given.iter().enumerate() {
        if !offered.iter().any(|offer| covers(offer, rule)) {
            return Err(NotNarrower(at));
        }
    }
    Ok(())
}

/// The same rules, with these very words in the place of each beginning of a command. `None`: a beginning has no words, or a rule
/// speaks of more than words and files.
pub fn with_exact_words(
    offered: &[PolicyRule], commands: &[Vec<String>],
) -> Option<Vec<PolicyRule>> {
    let exact = |rule: &PolicyRule| -> Option<PolicyRule> {
        let patterns = || rule.reads.iter().chain(&rule.writes);
        let is_wide = patterns().any(|pattern| pattern.value.contains('*'));
        if rule.is_whole() || is_wide || !(rule.urls.is_empty() && rule.env.is_empty()) {
            return None;
        }
        let mut words = Vec::new();
        for pattern in &rule.commands {
            if pattern.value.behind == WordsBehind::Nothing {
                words.push(pattern.clone());
                continue;
            }
            let before = words.len();
            for command in commands {
                let tokens = command.iter().cloned().map(PatternToken::Text).collect();
                let value = CommandPattern { tokens, behind: WordsBehind::Nothing };
                if covers_command(&pattern.value, &value) {
                    words.push(PlacedValue { value, at: DocumentPlace::default() });
                }
            }
            if words.len() == before {
                return None;
            }
        }
        Some(PolicyRule { commands: words, ..rule.clone() })
    };
    offered.iter().map(exact).collect()
}

/// What a rule means, in words, each of its patterns. Not escaped.
pub fn rule_in_words(rule: &PolicyRule) -> Vec<String> {
    let tools = || rule.tools.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(", ");
    if rule.is_whole() {
        return vec![format!("every call of {}", tools())];
    }
    let of = |verb: &'static str, patterns: &[PlacedValue<String>]| -> Vec<String> {
        patterns.iter().map(|pattern| format!("{verb} {}", pattern.value)).collect()
    };
    let commands = rule.commands.iter().map(|command| in_words(&command.value));
    commands
        .chain(of("reading", &rule.reads))
        .chain(of("writing", &rule.writes))
        .chain(of("everything at", &rule.urls))
        .chain(of("setting", &rule.env))
        .collect()
}

fn in_words(CommandPattern { tokens, behind }: &CommandPattern) -> String {
    let word = |token: &PatternToken| match token {
        PatternToken::Text(text) | PatternToken::Like(text) => text.clone(),
        PatternToken::OneOf(words) => format!("({})", words.join("|")),
        PatternToken::Any => "*".to_owned(),
        PatternToken::Rest => "**".to_owned(),
    };
    let words = tokens.iter().map(word).collect::<Vec<_>>().join(" ");
    let words = shorten(&words);
    match behind {
        WordsBehind::Anything => format!("any `{words} …`"),
        WordsBehind::Nothing => format!("exactly `{words}`"),
        WordsBehind::Only { .. } => format!("`{words}` with the operands it names"),
    }
}

/// Whether all that `rule` speaks of, `offer` speaks of as well.
fn covers(offer: &PolicyRule, rule: &PolicyRule) -> bool {
    let plain = |rule: &PolicyRule| {
        rule.condition.is_none()
            && rule.who.is_none()
            && rule.annotations.is_empty()
            && rule.confined.is_none()
            && !rule.reviewer
            && !rule.tracked
            && !rule.forgets
    };
    if offer.effect != rule.effect || !plain(offer) || !plain(rule) {
        return false;
    }
    let tools = match (&offer.tools, &rule.tools) {
        (None, _) => true,
        (Some(offered), Some(given)) => given.iter().all(|name| offered.contains(name)),
        (Some(_), None) => false,
    };
    // A rule without matchers speaks of whole calls: of another kind than one with some.
    tools
        && offer.is_whole() == rule.is_whole()
        && rule.commands.iter().all(|given| {
            offer.commands.iter().any(|offered| covers_command(&offered.value, &given.value))
        })
        && covers_patterns(&offer.reads, &rule.reads, covers_path)
        && covers_patterns(&offer.writes, &rule.writes, covers_path)
        && covers_patterns(&offer.urls, &rule.urls, covers_url)
        && covers_patterns(&offer.env, &rule.env, |offered, given| offered == given)
}

fn covers_command(offered: &CommandPattern, given: &CommandPattern) -> bool {
    if offered == given {
        return true;
    }
    let rest = |pattern: &CommandPattern| pattern.tokens.contains(&PatternToken::Rest);
    if rest(offered) || rest(given) {
        return false;
    }
    let begins = given.tokens.len() >= offered.tokens.len()
        && offered
            .tokens
            .iter()
            .zip(&given.tokens)
            .all(|(offered, given)| covers_word(offered, given));
    match (&offered.behind, &given.behind) {
        (WordsBehind::Anything, _) => begins,
        (WordsBehind::Nothing, WordsBehind::Nothing) => {
            begins && offered.tokens.len() == given.tokens.len()
        }
        _ => false,
    }
}

fn covers_word(offered: &PatternToken, given: &PatternToken) -> bool {
    match (offered, given) {
        (PatternToken::Any, given) => *given != PatternToken::Rest,
        (PatternToken::OneOf(words), PatternToken::Text(word)) => words.contains(word),
        (PatternToken::OneOf(words), PatternToken::OneOf(given)) => {
            given.iter().all(|word| words.contains(word))
        }
        (offered, given) => offered == given,
    }
}

/// Lists in which `!` takes out again. What is offered takes nothing out.
fn covers_patterns(
    offered: &[PlacedValue<String>], given: &[PlacedValue<String>],
    covers: impl Fn(&str, &str) -> bool,
) -> bool {
    let takes_out = |each: &&PlacedValue<String>| each.value.starts_with('!');
    let is_covered = |given: &PlacedValue<String>| {
        offered
            .iter()
            .any(|offered| offered.value == given.value || covers(&offered.value, &given.value))
    };
    offered.iter().find(takes_out).is_none()
        && given.iter().filter(|each| !takes_out(each)).all(is_covered)
}

/// `folder/**`, and what is named below the folder.
fn covers_path(offered: &str, given: &str) -> bool {
    let Some(folder) = offered.strip_suffix("/**") else { return false };
    let named = folder.strip_prefix("${project}").unwrap_or(folder);
    let is_plain = !named.contains(['*', '?', '[', ']', '{', '}', '!', '$', '\\']);
    let below = given.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
    is_plain
        && below.is_some_and(|rest| {
            !rest.is_empty()
                && !rest.contains("..")
                && !rest.contains(['{', '}', '\\', '$'])
                && !rest.split('/').any(protected::is_name)
        })
}

/// `https://host`, and what is named behind it.
fn covers_url(offered: &str, given: &str) -> bool {
    let is_origin = offered.split_once("://").is_some_and(|(_, host)| {
        !host.is_empty() && !host.contains(['/', '*', '?', '#', '{', '}', '@', '!'])
    });
    let behind = given.strip_prefix(offered).and_then(|rest| rest.strip_prefix('/'));
    is_origin
        && behind.is_some_and(|rest| !rest.contains("..") && !rest.contains(['{', '}', '\\', '%']))
}
