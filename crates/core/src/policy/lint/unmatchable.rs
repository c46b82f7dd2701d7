//! Rules, or parts of them, that nothing can match.

use crate::policy::Effect;
use crate::policy::compile::NamePattern;
use crate::policy::document::{
    CommandPattern, PatternToken, PlacedValue, PolicyDocument, WordsBehind, quoted,
};
use crate::shell::{EffectKnowledge, knowledge_of};

use super::{FindingCode, LintFinding, LintReport, LintSeverity, cover};

/// Words that begin something else than a command.
const KEYWORDS: &[&str] = &[
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "{", "}", "!", "[[", "]]", "((",
];

pub(super) fn check(report: &mut LintReport, tools: Option<&[String]>) {
    let rule = report.rule;
    let commands = rule.commands.iter();
    for (at, why) in
        commands.filter_map(|command| Some((command.at, never(&command.value, rule.effect)?)))
    {
        report.warn(at, FindingCode::Unmatchable, why);
    }
    for (key, patterns) in [("reads", &rule.reads), ("writes", &rule.writes), ("urls", &rule.urls)]
    {
        if let Some((at, pattern)) = taken_out(patterns) {
            let message = format!("{key}: {} takes out all that the others name", quoted(pattern));
            report.warn(at, FindingCode::Unmatchable, message);
        }
    }
    let (Some(tools), Some(names)) = (tools, &rule.tools) else { return };
    for name in names {
        let meant = NamePattern::of(name);
        if !tools.iter().any(|tool| meant.names(tool, rule.effect)) {
            report.warn(rule.at, FindingCode::Unmatchable, no_tool(name));
        }
    }
}

/// Tables for the arguments of a tool that does not exist: rules about commands and files pass by the tool that is meant.
pub(super) fn readings(
    document: &PolicyDocument, tools: &[String],
) -> impl Iterator<Item = LintFinding> {
    document.tools.iter().filter(|(name, _)| !tools.contains(name)).map(|(name, reading)| {
        LintFinding {
            code: FindingCode::Unmatchable,
            message: no_tool(name),
            source_name: document.source.name.to_string(),
            place: reading.at,
            rule: None,
            severity: LintSeverity::Warning,
        }
    })
}

fn no_tool(name: &str) -> String {
    format!("there is no tool {}", quoted(name))
}

/// Why no command begins like this.
fn never(command: &CommandPattern, effect: Effect) -> Option<String> {
    if let Some(PatternToken::Text(first)) = command.tokens.first() {
        let name: String =
            first.chars().take_while(|char| char.is_ascii_alphanumeric() || *char == '_').collect();
        if first.is_empty() {
            return Some("no program has an empty name".to_owned());
        }
        if KEYWORDS.contains(&first.as_str()) {
            return Some(format!(
                "{} is a word of the shell and no command: name the commands inside",
                quoted(first)
            ));
        }
        if !name.is_empty() && first.get(name.len()..).is_some_and(|rest| rest.starts_with('=')) {
            return Some(format!(
                "{} sets a variable, which is not part of a command: write env = [{name:?}]",
                quoted(first)
            ));
        }
        if first.contains([' ', '\t']) {
            return Some(format!(
                "{} is the name of one program with a blank in it: write each token by itself",
                quoted(first)
            ));
        }
    }
    if effect == Effect::Allow
        && matches!(command.behind, WordsBehind::Only { .. })
        && let Some(words) = first_words(command)
        && knowledge_of(&words) == EffectKnowledge::No
    {
        return Some(format!(
            "which words of {} are operands is not known: write the words with exact = true",
            quoted(words.first().unwrap_or(&""))
        ));
    }
    // Only words that the shell leaves as they are match the tokens of an allow.
    let tilde =
        |text: &&String| effect == Effect::Allow && (*text == "~" || text.starts_with("~/"));
    command.tokens.iter().find_map(|token| match token {
        PatternToken::Text(text) if tilde(&text) => Some(format!(
            "the shell puts the home directory in for {}, so that it is never this word: write the command without it, \
             the files of its arguments are covered",
            quoted(text)
        )),
        _ => None,
    })
}

/// The words that a command begins with, in its first alternatives.
fn first_words(command: &CommandPattern) -> Option<Vec<&str>> {
    let words = command.tokens.iter().map_while(|token| match token {
        PatternToken::Text(text) => Some(text.as_str()),
        PatternToken::OneOf(texts) => texts.first().map(String::as_str),
        _ => None,
    });
    let words: Vec<&str> = words.collect();
    (!words.is_empty()).then_some(words)
}

/// A pattern that takes out everything.
fn taken_out(
    patterns: &[PlacedValue<String>],
) -> Option<(crate::policy::document::DocumentPlace, &str)> {
    patterns.iter().find_map(|out| {
        let wide = out.value.strip_prefix('!')?;
        let mut others = patterns.iter().filter(|pattern| !pattern.value.starts_with('!'));
        others.all(|pattern| cover::tree(wide, &pattern.value)).then_some((out.at, &*out.value))
    })
}
