//! Rules that allow more than can be overseen.

use crate::policy::Effect;
use crate::policy::document::{
    CommandPattern, NetworkRule, PatternToken, PolicyDocument, WordsBehind, quoted, wild,
};
use crate::policy::reading::builtin;
use crate::shell::{
    EffectKnowledge, FactKind, ProgramKind, Shell, analyze, base_name, is_understood, kind,
    knowledge_of, none_takes_orders, special_like, takes_no_orders,
};

use super::{FindingCode, LintFinding, LintReport, LintSeverity, is_whole};

/// Words behind the name of a program that say: run, fetch or install what comes next.
const VERBS: &[&str] = &[
    "run",
    "run-script",
    "exec",
    "x",
    "dlx",
    "eval",
    "repl",
    "shell",
    "install",
    "i",
    "develop",
    "debug",
    "task",
    "tool",
];

pub(super) fn check(report: &mut LintReport, documents: &[PolicyDocument]) {
    let rule = report.rule;
    // What git can give back is not lost.
    let guarded = rule.tracked
        || documents.iter().flat_map(|document| &document.rules).any(|rule| {
            rule.effect != Effect::Allow && rule.writes.iter().any(|write| write.value == "/**")
        });
    // Secrets are asked about, or denied, by a rule of their own.
    let secrets = documents.iter().flat_map(|document| &document.rules).any(|rule| {
        let names_keys = |text: &str| text.contains("/.ssh") || text.contains("{ssh");
        rule.effect != Effect::Allow && rule.reads.iter().any(|read| names_keys(&read.value))
    });
    for command in &rule.commands {
        if let Some(why) = command_is_broad(&command.value, guarded) {
            report.warn(command.at, FindingCode::TooBroad, why);
        }
    }
    for (what, patterns) in [("reads", &rule.reads), ("writes", &rule.writes)] {
        for pattern in patterns {
            if is_everywhere(&pattern.value) && !(what == "reads" && secrets) {
                let message = format!(
                    "{what} of {} reach the whole disk or the whole home directory: name the directories that are meant",
                    quoted(&pattern.value)
                );
                report.warn(pattern.at, FindingCode::TooBroad, message);
            }
        }
    }
    for pattern in &rule.urls {
        if is_every_host(&pattern.value) {
            let message = format!(
                "{} is every address, so that anything can be sent anywhere: name the hosts that are meant",
                quoted(&pattern.value)
            );
            report.warn(pattern.at, FindingCode::TooBroad, message);
        }
    }
    for pattern in &rule.env {
        let text = &pattern.value;
        let message = match text.split_once('*') {
            None if !takes_no_orders(text) => format!(
                "{} is not known to be data to all that read it: it may name a program, a file or options. A line that \
                 hands it to a program is asked about, whatever is allowed here",
                quoted(text)
            ),
            Some((begins, _)) if !none_takes_orders(begins) => format!(
                "{} means variables too that name programs, files or options: name the variables that are meant. A \
                 line that hands one of these to a program is asked about, whatever is allowed here",
                quoted(text)
            ),
            _ => continue,
        };
        report.warn(pattern.at, FindingCode::TooBroad, message);
    }
    if is_whole(rule) && rule.condition.is_none() {
        tools(report, documents);
    }
}

/// A rule for whole calls of tools.
fn tools(report: &mut LintReport, documents: &[PolicyDocument]) {
    let stated = documents
        .iter()
        .flat_map(|document| &document.tools)
        .filter(|(_, reading)| !reading.value.command.is_empty())
        .map(|(tool, _)| tool.as_str());
    let mut runs: Vec<&str> = builtin::runners().collect();
    runs.extend(stated);
    let at = report.rule.at;
    for name in report.rule.tools.iter().flatten() {
        let message = if wild(name, "") {
            "it allows everything that any tool does".to_owned()
        } else if let Some(tool) = runs.iter().find(|tool| wild(name, tool)) {
            format!(
                "it allows every command line of the tool {}: name the commands that are meant",
                quoted(tool)
            )
        } else {
            continue;
        };
        report.warn(at, FindingCode::TooBroad, message);
    }
}

fn command_is_broad(command: &CommandPattern, guarded: bool) -> Option<String> {
    // Behind a `**` nothing is held to its place.
    let (first, rest) = command.certain().split_first().or(command.tokens.split_first())?;
    let names: Vec<&str> = match first {
        PatternToken::Any | PatternToken::Rest => {
            return Some("it allows every command".to_owned());
        }
        PatternToken::Like(pattern) => {
            let meant = special_like(|name| wild(pattern, name) && !is_understood(name))?;
            return Some(format!(
                "{} means {meant:?} too: name the programs that are meant",
                quoted(pattern)
            ));
        }
        PatternToken::Text(name) => vec![name],
        PatternToken::OneOf(names) => names.iter().map(String::as_str).collect(),
    };
    // What may stand behind is said, and no star is in it.
    let is_told = match &command.behind {
        WordsBehind::Anything => false,
        WordsBehind::Nothing => command.tokens.iter().all(is_told),
        WordsBehind::Only { operands, .. } => command.tokens.iter().chain(operands).all(is_told),
    };
    if is_told {
        return None;
    }
    // `python -c` is still anything, `python manage.py` is not.
    let is_open = |name: &str, token: &PatternToken| match token {
        PatternToken::Any | PatternToken::Rest => true,
        PatternToken::Like(text) => text.starts_with(['-', '*']),
        PatternToken::Text(text) => is_open_word(name, text),
        PatternToken::OneOf(texts) => texts.iter().any(|text| is_open_word(name, text)),
    };
    let is_guarded = |name: &str| guarded && kind(name) == ProgramKind::Blunt;
    let is_broad = |name: &str| {
        let verb = VERBS.contains(&name) && rest.is_empty();
        verb || is_open_ended(name)
            && !is_guarded(name)
            && (rest.iter().all(|token| is_open(name, token)) || is_verb(rest))
    };
    let name = names.iter().find(|name| is_broad(name))?;
    Some(format!(
        "{} does whatever its arguments say: name the arguments that are meant",
        quoted(name)
    ))
}

/// Whether nothing stands behind a word that says: run what comes next. Options of our own say nothing of what that is.
fn is_verb(rest: &[PatternToken]) -> bool {
    let is = |text: &String| VERBS.contains(&text.as_str());
    match rest {
        [PatternToken::Text(text), more @ ..] if is(text) => more.iter().all(|token| match token {
            PatternToken::Text(text) => text.starts_with('-'),
            PatternToken::OneOf(_) => false,
            PatternToken::Like(text) => text.starts_with(['-', '*']),
            PatternToken::Any | PatternToken::Rest => true,
        }),
        [PatternToken::OneOf(texts)] => texts.iter().any(is),
        _ => false,
    }
}

/// Whether an option leaves open what the program does.
fn is_open_word(name: &str, text: &str) -> bool {
    if kind(name) == ProgramKind::Shell && text.starts_with('/') && text.len() < 4 {
        // `cmd /c`.
        return true;
    }
    if !text.starts_with('-') || matches!(text, "--version" | "--help") {
        return false;
    }
    // An option that is in the table, and runs nothing.
    let line = format!("'{}' '{}'", name.replace('\'', ""), text.replace('\'', ""));
    let unknown = |what: &FactKind| matches!(what, FactKind::Unknown { .. });
    knowledge_of(&[name, text]) != EffectKnowledge::Wholly
        || analyze(&line, Shell::Bash).facts.iter().any(|fact| unknown(&fact.what))
}

/// Whether a token stands for certain words, or for words with a certain beginning.
fn is_told(token: &PatternToken) -> bool {
    match token {
        PatternToken::Text(_) | PatternToken::OneOf(_) => true,
        PatternToken::Like(text) => !text.starts_with(['*', '-']),
        PatternToken::Any | PatternToken::Rest => false,
    }
}

/// Whether the name of the program alone says nothing of what is done. Some volumes ignore case.
fn is_open_ended(program: &str) -> bool {
    let name = base_name(program);
    let is_special = kind(name) != ProgramKind::Plain
        || special_like(|known| known.eq_ignore_ascii_case(name)).is_some();
    is_special && !is_understood(name)
}

/// `/**`, `~/**` and what means as much.
fn is_everywhere(pattern: &str) -> bool {
    let inner = pattern.strip_prefix('~').unwrap_or(pattern);
    inner.starts_with('/')
        && inner.contains("**")
        && inner.chars().all(|char| matches!(char, '/' | '*'))
}

fn is_every_host(pattern: &str) -> bool {
    let rest = pattern.split_once("://").map_or(pattern, |(_, rest)| rest);
    let host = rest.split(['/', ':']).next().unwrap_or_default();
    !host.is_empty() && host.chars().all(|char| matches!(char, '*' | '.'))
}

/// Hosts that a command may connect to, when these are any.
pub(super) fn network(document: &PolicyDocument) -> Option<LintFinding> {
    let Some(NetworkRule::Hosts(hosts)) = &document.network else { return None };
    let every = hosts.iter().find(|host| is_every_host(&host.value))?;
    Some(LintFinding {
        code: FindingCode::TooBroad,
        message: format!(
            "{} is every host, so that a command can send anything anywhere: name the hosts that are meant, or write network = \"ask\"",
            quoted(&every.value)
        ),
        source_name: document.source.name.to_string(),
        place: every.at,
        rule: None,
        severity: LintSeverity::Warning,
    })
}
