//! What "always allow" and "always reject" would save.
//!
//! As narrow as it is useful, never too wide to oversee, and proven: with these rules this very call would not be asked about
//! again.

use super::Effect;
use super::action::{Action, ActionKind, UseExtent, command_text};
use super::compile::Policy;
use super::document::{
    CommandPattern, DocumentPlace, PatternToken, PlacedValue, PolicyRule, RuleExamples, WordsBehind,
};
use super::grants::{GrantRules, effects, settings};
use super::judge::{JudgedCall, NeedsFiles, PathSpots, looked_up};
use super::looking::looks;
use super::protected;
use super::quoted::{quoted, told_name};
use super::verdict::{JudgedAction, Verdict, VerdictCause};
use crate::path::{CachedFiles, FileLookup, PathContext, PathError, UrlAddress, is_below};
use crate::shell::{self, CommandRole, FileAccess, Word, base_name, subcommand_depth};

/// Rules that could be saved, and what they mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSuggestion {
    /// One for each part of the call that asks.
    pub rules: Vec<PolicyRule>,
    /// What else each of them means, in words, in the same order: "any `npm run test …`". Not escaped.
    pub also: Vec<String>,
}

impl RuleSuggestion {
    fn add(&mut self, rule: PolicyRule, also: String) {
        if !self.also.contains(&also) {
            self.rules.push(PolicyRule { index: self.rules.len(), ..rule });
            self.also.push(also);
        }
    }
}

/// How much a rule for a file may mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RuleWidth {
    /// This file, or this directory where all of it is used.
    Exact,
    /// The files beside it too.
    Beside,
}

/// What "always allow" would save for a call that is asked about; `None` when nothing is narrow enough, or when no rule can
/// answer this ask.
///
/// # Errors
/// When the file system is needed to tell where a path points.
pub fn suggest(
    policy: &Policy, call: &JudgedCall, verdict: &Verdict, files: &dyn FileLookup,
) -> Result<Option<RuleSuggestion>, NeedsFiles> {
    // In a rule, a `*` in the tool's name would mean others as well.
    if verdict.effect != Effect::Ask || verdict.forgets() || call.tool_name.contains('*') {
        return Ok(None);
    }
    let files = &CachedFiles::new(files);
    let mut suggestion = RuleSuggestion { rules: Vec::new(), also: Vec::new() };
    if call.tool_name.contains('*') {
        // In a rule it would be a pattern.
        return Ok(None);
    }
    for judged in verdict.actions.iter().filter(|judged| judged.effect == Effect::Ask) {
        if !judged.is_grantable() || matches!(judged.cause, VerdictCause::Protected(_)) {
            return Ok(None);
        }
        let Some((rule, also)) = scope(policy, call, &judged.action, files)? else {
            return Ok(None);
        };
        suggestion.add(rule, also);
    }
    // So are the variables that a command is given which may do more than look.
    let does = |judged: &JudgedAction| match &judged.action.kind {
        ActionKind::Command { argv, .. } => judged.effect == Effect::Ask && !looks(argv),
        _ => false,
    };
    if verdict.actions.iter().any(does) {
        for action in settings(verdict) {
            let Some((rule, also)) = scope(policy, call, action, files)? else { return Ok(None) };
            suggestion.add(rule, also);
        }
    }
    // What these commands do to files and addresses is named as well, and nothing beside it.
    for (action, by) in effects(verdict) {
        let asked = verdict.actions.get(by.command).is_some_and(|it| it.effect == Effect::Ask);
        if !asked || PathSpots::are_nowhere(action, files)? {
            continue;
        }
        let scope = match &action.kind {
            ActionKind::Path { .. } => {
                path(policy.context(), rule_for(call), action, RuleWidth::Exact, files)?
            }
            _ => scope(policy, call, action, files)?,
        };
        let Some((rule, also)) = scope else { return Ok(None) };
        suggestion.add(rule, also);
    }
    // A rule that does not answer this very call is worth nothing.
    let Ok(grants) = GrantRules::compile(suggestion.rules.clone(), policy.context()) else {
        return Ok(None);
    };
    Ok(grants.answers(call, verdict, files)?.then_some(suggestion))
}

/// What "always reject" would save: the first part of the call that asks, or of any that is not known to be harmless.
///
/// # Errors
/// When the file system is needed to tell where a path points.
pub fn suggest_reject(
    policy: &Policy, call: &JudgedCall, verdict: &Verdict, files: &dyn FileLookup,
) -> Result<Option<RuleSuggestion>, NeedsFiles> {
    let files = &CachedFiles::new(files);
    let asks = |judged: &&JudgedAction| judged.effect == Effect::Ask;
    if call.tool_name.contains('*') || verdict.forgets() {
        return Ok(None);
    }
    for judged in verdict.actions.iter().filter(asks) {
        if let Some((rule, also)) = scope_of_denial(policy, call, &judged.action, files)? {
            let rule = PolicyRule { effect: Effect::Deny, ..rule };
            return Ok(Some(RuleSuggestion { rules: vec![rule], also: vec![also] }));
        }
    }
    Ok(None)
}

/// A narrow rule for an action, and what it means.
type NarrowRule = (PolicyRule, String);

fn scope(
    policy: &Policy, call: &JudgedCall, action: &Action, files: &dyn FileLookup,
) -> Result<Option<NarrowRule>, NeedsFiles> {
    let rule = rule_for(call);
    Ok(match &action.kind {
        ActionKind::Command { argv, role: CommandRole::Plain } => command_scope(argv)
            .map(|(command, also)| (PolicyRule { commands: vec![command], ..rule }, also)),
        ActionKind::Path { .. } => {
            return path(policy.context(), rule, action, width(call), files);
        }
        ActionKind::Url { target, .. } => origin(target).map(|origin| {
            let also = format!("everything at {origin}");
            (PolicyRule { urls: vec![located(origin)], ..rule }, also)
        }),
        // Programs take options, files and code from variables: what is not known to be harmless is not for ever.
        ActionKind::Env { name } => SETTINGS.contains(&name.as_str()).then(|| setting(name, rule)),
        ActionKind::Tool { name } => Some((rule, format!("every call of {}", told_name(name)))),
        ActionKind::Command { role: CommandRole::Wrapper, .. } | ActionKind::Unknown { .. } => None,
    })
}

/// Variables from which programs take neither options nor code nor files, with any value.
const SETTINGS: &[&str] = &[
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "FORCE_COLOR",
    "LINES",
    "LOG_LEVEL",
    "NODE_ENV",
    "NO_COLOR",
    "PORT",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TZ",
    "VERBOSE",
];

fn setting(name: &str, rule: PolicyRule) -> NarrowRule {
    let also = format!("setting {} to anything", told_name(name));
    (PolicyRule { env: vec![located(name.to_owned())], ..rule }, also)
}

/// Tools that take files away are remembered for the file alone.
fn width(call: &JudgedCall) -> RuleWidth {
    let name = call.tool_name.to_ascii_lowercase();
    let takes_away = ["delete", "remove", "unlink", "move", "rename", "trash"];
    if takes_away.iter().any(|verb| name.contains(verb)) {
        RuleWidth::Exact
    } else {
        RuleWidth::Beside
    }
}

fn scope_of_denial(
    policy: &Policy, call: &JudgedCall, action: &Action, files: &dyn FileLookup,
) -> Result<Option<NarrowRule>, NeedsFiles> {
    let argv = match &action.kind {
        ActionKind::Command { argv, .. } => argv,
        ActionKind::Env { name } => return Ok(Some(setting(name, rule_for(call)))),
        _ => return scope(policy, call, action, files),
    };
    // A denial may be as broad as it likes, but what is known must be known.
    let depth = depth(argv);
    let words: Option<Vec<&str>> = argv.iter().take(depth).map(Word::literal).collect();
    let plain =
        |words: &Vec<&str>| !words.is_empty() && !words.iter().any(|word| word.contains('*'));
    Ok(words.filter(plain).map(|words| {
        let text = words.join(" ");
        let rule = PolicyRule { commands: vec![command(words)], ..rule_for(call) };
        (rule, format!("any {}", quoted(&format!("{text} …"))))
    }))
}

fn rule_for(call: &JudgedCall) -> PolicyRule {
    PolicyRule {
        at: DocumentPlace::default(),
        index: 0,
        tools: Some(vec![call.tool_name.to_owned()]),
        effect: Effect::Allow,
        reason: None,
        risk: None,
        commands: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        urls: Vec::new(),
        env: Vec::new(),
        annotations: std::collections::BTreeMap::default(),
        confined: None,
        condition: None,
        who: None,
        reviewer: false,
        tracked: false,
        forgets: false,
        examples: RuleExamples::default(),
    }
}

fn located<T>(value: T) -> PlacedValue<T> {
    PlacedValue { value, at: DocumentPlace::default() }
}

fn command(words: Vec<&str>) -> PlacedValue<CommandPattern> {
    let tokens = words.into_iter().map(|word| PatternToken::Text(word.to_owned())).collect();
    located(CommandPattern::beginning(tokens))
}

/// A command, and what else it means.
///
/// A beginning, with any words behind it, only of what looks and changes nothing: its table says what it does with any words. Of
/// all others these very words, since one word more (`--force`, another module, another package) may be another deed.
fn command_scope(argv: &[Word]) -> Option<(PlacedValue<CommandPattern>, String)> {
    let program = argv.first()?.literal()?;
    let name = base_name(program);
    // They change as whom, where, or with what the rest runs; one is our own, with which an agent would approve its calls.
    if program.is_empty()
        || matches!(shell::kind(name), shell::ProgramKind::Shell | shell::ProgramKind::Launcher)
    {
        return None;
    }
    // The file that a runtime is given may hold anything by then.
    let script = argv.get(1).and_then(Word::literal).is_none_or(|word| word.contains(['.', '/']));
    if shell::kind(name) == shell::ProgramKind::Interpreter && (script || depth(argv) == 1) {
        return None;
    }
    // In a rule a star would be a pattern.
    let words = |to: usize| -> Option<Vec<&str>> {
        let words = argv.get(..to)?.iter().map(Word::literal);
        words.map(|word| word.filter(|word| !word.contains('*'))).collect()
    };
    let depth = match depth(argv) {
        // The name alone says little: then the very words, as they are.
        1 => argv.len(),
        depth => depth,
    };
    if depth <= MOST_WORDS && looks(argv) {
        let words = words(depth)?;
        let text = words.join(" ");
        return Some((command(words), format!("any {}", quoted(&format!("{text} …")))));
    }
    if argv.len() > MOST_WORDS {
        return None;
    }
    let pattern = command(words(argv.len())?);
    let value = CommandPattern { behind: WordsBehind::Nothing, ..pattern.value };
    Some((located(value), format!("exactly {}", quoted(&command_text(argv, None)))))
}

/// The longest command that anybody would read.
const MOST_WORDS: usize = 24;

/// How many words say what the command does. What is not literal ends them.
fn depth(argv: &[Word]) -> usize {
    let words: Vec<&str> = argv.iter().map(|word| word.literal().unwrap_or_default()).collect();
    subcommand_depth(&words)
}

/// The scheme, the host and the port.
fn origin(target: &Word) -> Option<String> {
    let address = UrlAddress::parse(target.literal()?).ok()?;
    let (scheme, rest) = address.text().split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty() && !host.contains(['@', '*', '{', '}'])).then(|| format!("{scheme}://{host}"))
}

fn path(
    context: &PathContext, rule: PolicyRule, action: &Action, width: RuleWidth,
    files: &dyn FileLookup,
) -> Result<Option<NarrowRule>, NeedsFiles> {
    let ActionKind::Path { access, target, extent, .. } = &action.kind else { return Ok(None) };
    let spots = PathSpots::of(target, *extent, &action.start, files);
    let Ok(spots) = looked_up(spots)? else { return Ok(None) };
    // One file, whichever way it is read.
    let [place] = spots.located.as_slice() else { return Ok(None) };
    let protected = protected::protection(&spots, *access, *extent, context, files).is_some();
    if protected || !spots.certain || place.real != place.real_of_lexical {
        return Ok(None);
    }
    let real = place.real.as_str();
    let project = context.project.as_deref().unwrap_or(&context.cwd).trim_end_matches('/');
    if *extent != UseExtent::Itself && is_too_wide(real, context, files)? {
        return Ok(None);
    }
    let inside = real.strip_prefix(project).and_then(|rest| rest.strip_prefix('/'));
    let (dir, named) = match inside {
        Some(rest) if context.project.is_some() => {
            (rest.rsplit_once('/').map(|(dir, _)| dir), format!("${{project}}/{}", escaped(rest)))
        }
        Some(rest) => (rest.rsplit_once('/').map(|(dir, _)| dir), escaped(real)),
        None => (None, escaped(real)),
    };
    let (patterns, also) = match (access, dir) {
        (FileAccess::Write, Some(dir)) if width == RuleWidth::Beside && !extent.is_recursive() => {
            let dir_pattern = named.rsplit_once('/').map_or("", |(dir, _)| dir);
            (
                vec![format!("{dir_pattern}/**")],
                format!("writing all files below {}", told_name(&format!("{dir}/"))),
            )
        }
        _ if *extent != UseExtent::Itself => (
            vec![named.clone(), format!("{named}/**")],
            // A use of all of it may be any: which one, the tool alone says.
            format!(
                "{} {}{}, by {}",
                if *access == FileAccess::Write { "writing" } else { "reading" },
                // Not as the call calls it: that may be a symlink.
                told_name(inside.unwrap_or(real)),
                // A tool that deletes does not say whether it is given a file.
                if *extent == UseExtent::Perhaps {
                    " and, if it is a folder, all below it"
                } else {
                    " and all below it"
                },
                rule.tools
                    .iter()
                    .flatten()
                    .next()
                    .map_or("any tool".into(), |name| told_name(name))
            ),
        ),
        (FileAccess::Write, _) => {
            (vec![named], format!("writing {} at any time, with any content", told_name(real)))
        }
        (FileAccess::Read, _) => (vec![named], format!("reading {} at any time", told_name(real))),
    };
    let patterns = patterns.into_iter().map(located).collect();
    Ok(Some(match access {
        FileAccess::Read => (PolicyRule { reads: patterns, ..rule }, also),
        FileAccess::Write => (PolicyRule { writes: patterns, ..rule }, also),
    }))
}

/// Whether all below this folder is more than anybody oversees: everything, the home, or what the project lies in.
fn is_too_wide(
    folder: &str, context: &PathContext, files: &dyn FileLookup,
) -> Result<bool, NeedsFiles> {
    let homes = [context.home.as_deref(), Some(&context.cwd), context.project.as_deref()];
    for (at, kept) in homes.into_iter().enumerate() {
        let Some(kept) = kept else { continue };
        let real = match files.real(kept) {
            Err(PathError::NeedsFiles) => return Err(NeedsFiles),
            real => real.unwrap_or_else(|_| kept.to_owned()),
        };
        // The project itself is what the agent works on.
        let is_home = at == 0;
        let holds = |kept: &str| is_below(kept, folder) && (is_home || kept != folder);
        if holds(kept) || holds(&real) {
            return Ok(true);
        }
    }
    Ok(folder.trim_end_matches('/').is_empty())
}

/// The pattern that means this very text.
pub(crate) fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if "*?[]{}\\!~$".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}
