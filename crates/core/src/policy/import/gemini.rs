//! Gemini CLI's policies: `[[rule]]` with a priority; the highest that matches decides.

use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::super::Effect;
use super::super::document::{CommandPattern, Match, Place, Rule, Token};
use super::draft::{Draft, FETCHERS, Foreign, READERS, SHELLS, WRITERS, may_name_ours};
use super::words::{End, Words};
use super::{ImportError, Text, regex};

/// Keys of a rule that are read.
const KNOWN: [&str; 15] = [
    "toolName",
    "mcpName",
    "argsPattern",
    "commandPrefix",
    "commandRegex",
    "modes",
    "interactive",
    "decision",
    "priority",
    "deny_message",
    "denyMessage",
    "allowRedirection",
    "allow_redirection",
    "toolAnnotations",
    "subagent",
];
/// Keys of a rule that make it speak of less than ours can say.
const CONDITIONS: [&str; 3] = ["argsPattern", "toolAnnotations", "subagent"];

#[derive(Deserialize)]
struct Policy {
    #[serde(default)]
    rule: Vec<Spanned<Table>>,
    #[serde(flatten)]
    others: Table,
}

/// Reads a policy.
pub(super) fn read(text: &Text) -> Result<Draft, ImportError> {
    let policy: Policy = toml::from_str(text.text).map_err(|error| {
        let at = error.span().map_or(Place::default(), |span| text.place(span.start));
        ImportError::new(error.message(), at)
    })?;
    let mut draft = Draft::new(Match::First);
    draft.default = Some(Effect::Ask);
    for name in policy.others.keys() {
        draft.dropped(
            name,
            Place::default(),
            "it is no `[[rule]]`: what it checks must be set up anew",
        );
    }
    let mut rules = Vec::new();
    for rule in policy.rule {
        let start = rule.span().start;
        let at = text.place(start);
        let what = text.text.get(start..).map_or("", written).to_owned();
        let rule = rule.into_inner();
        let effect = effect(&rule, at)?;
        let priority = match rule.get("priority") {
            None => 0.0,
            Some(Value::Integer(priority)) => *priority as f64,
            Some(Value::Float(priority)) => *priority,
            Some(_) => return Err(ImportError::new("`priority` must be a number", at)),
        };
        if let Some(name) = rule.keys().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(ImportError::new(
                format!("`{name}` is not known; write {}", KNOWN.join(", ")),
                at,
            ));
        }
        rules.push((priority, effect, at, rule, what));
    }
    // Where two are equally strong, the stricter first.
    rules.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.1.cmp(&one.1)));
    for (_, effect, at, table, what) in rules {
        let reason =
            ["deny_message", "denyMessage"].iter().find_map(|name| table.get(*name)?.as_str());
        let foreign = Foreign { what, at, effect, reason: reason.map(str::to_owned) };
        rule(&mut draft, &foreign, &table)?;
    }
    Ok(draft)
}

/// A rule as it is written, from its beginning on.
fn written(rest: &str) -> &str {
    let body = rest.get(2..).unwrap_or("");
    let end = body.find("\n[").map_or(rest.len(), |end| end + 2);
    rest.get(..end).unwrap_or(rest).trim()
}

fn effect(rule: &Table, at: Place) -> Result<Effect, ImportError> {
    match rule.get("decision").and_then(Value::as_str) {
        Some("allow") => Ok(Effect::Allow),
        Some("ask_user") => Ok(Effect::Ask),
        Some("deny") => Ok(Effect::Deny),
        _ => Err(ImportError::new("`decision` must be \"allow\", \"deny\" or \"ask_user\"", at)),
    }
}

fn rule(draft: &mut Draft, foreign: &Foreign, table: &Table) -> Result<(), ImportError> {
    let allow = foreign.effect == Effect::Allow;
    let modes = texts(table, "modes", foreign.at)?;
    let in_some_modes =
        modes.as_ref().is_some_and(|modes| !modes.iter().any(|mode| mode == "default"));
    let condition = CONDITIONS.into_iter().find(|name| table.contains_key(*name));
    if allow {
        let why = if in_some_modes {
            "it allows in other modes than the usual one only"
        } else if table.contains_key("interactive") {
            "it allows only where somebody sits at the terminal, or only where nobody does"
        } else if condition.is_some() {
            "an expression over arguments, hints of tools and names of agents cannot be said"
        } else {
            ""
        };
        if !why.is_empty() {
            draft.dropped(&foreign.what, foreign.at, why);
            return Ok(());
        }
    }
    let narrowed = modes.is_some() || table.contains_key("interactive") || condition.is_some();
    let prefixes = texts(table, "commandPrefix", foreign.at)?;
    let regexes = texts(table, "commandRegex", foreign.at)?;
    if prefixes.is_some() || regexes.is_some() {
        for prefix in prefixes.iter().flatten() {
            put(draft, foreign, &Words::beginning(prefix, End::Word), narrowed);
        }
        for source in regexes.iter().flatten() {
            by_expression(draft, foreign, source, narrowed);
        }
        return Ok(());
    }
    let names = texts(table, "toolName", foreign.at)?;
    let servers = texts(table, "mcpName", foreign.at)?;
    if allow && servers.is_none() {
        for name in names
            .iter()
            .flatten()
            .filter(|name| *name != "*" && !is_theirs(name) && may_name_ours(name))
        {
            let why = format!("`{name}` could mean tools that read, write or run here: name them");
            draft.dropped(&foreign.what, foreign.at, why);
        }
    }
    for ours in tools(foreign, names, servers) {
        if narrowed && !allow {
            let why = "it has conditions that cannot be said: it speaks of the whole tool now, in every mode";
            draft.wider(foreign, ours, why);
        } else {
            draft.rule(foreign, ours);
        }
    }
    Ok(())
}

fn put(draft: &mut Draft, foreign: &Foreign, words: &Words, narrowed: bool) {
    if words.is_all() && foreign.effect == Effect::Allow {
        return draft.dropped(&foreign.what, foreign.at, "it names no command");
    }
    if narrowed && foreign.effect != Effect::Allow {
        draft.stricter(
            &foreign.what,
            foreign.at,
            "its conditions cannot be said: it holds always now",
        );
    }
    draft.commands(foreign, words);
}

fn by_expression(draft: &mut Draft, foreign: &Foreign, source: &str, narrowed: bool) {
    // It stands right after the quote before the command, and is anchored by that.
    let allow = foreign.effect == Effect::Allow;
    let patterns = match source.trim_start_matches('^') {
        source if allow => regex::narrow(source),
        source if source.contains('|') => regex::wide(&format!("^({source})"), ""),
        source => regex::wide(&format!("^{source}"), ""),
    };
    match patterns {
        Some(patterns) => patterns.iter().for_each(|words| put(draft, foreign, words, narrowed)),
        None if allow => {
            draft.dropped(&foreign.what, foreign.at, "this expression cannot be said with words");
        }
        None => draft.every_command(foreign),
    }
}

fn any_command(foreign: &Foreign) -> Rule {
    let mut rule = foreign.rule();
    rule.commands = vec![foreign.located(CommandPattern::beginning(vec![Token::Any]))];
    rule
}

/// Rules over whole tools.
fn tools(foreign: &Foreign, names: Option<Vec<String>>, servers: Option<Vec<String>>) -> Vec<Rule> {
    let allow = foreign.effect == Effect::Allow;
    let names = names.unwrap_or_else(|| vec!["*".to_owned()]);
    let mut rules = Vec::new();
    let mut whole = |tools: Vec<String>| {
        let mut rule = foreign.rule();
        rule.tools = Some(tools);
        rules.push(rule);
    };
    if let Some(servers) = servers {
        let tools = servers.iter().flat_map(|server| {
            names.iter().flat_map(move |name| {
                // A name may say the server once more.
                let bare = bare(server, name);
                let ours = Some(format!("mcp__{server}__{bare}"));
                // Theirs joins the names with one `_`.
                let theirs = (!allow).then(|| format!("mcp_{server}_{bare}"));
                // The tool may be called so itself.
                let whole = (!allow && bare != name).then(|| format!("mcp__{server}__{name}"));
                [ours, theirs, whole]
            })
        });
        whole(tools.flatten().collect());
        return rules;
    }
    for name in &names {
        if name == "run_shell_command" && !allow {
            rules.push(any_command(foreign));
        }
        let (ours, kind): (&[&str], _) = match name.as_str() {
            "run_shell_command" => (&SHELLS, Kind::Shell),
            "read_file" | "read_many_files" => (&["read_file"], Kind::Read),
            "list_directory" => (&["ls"], Kind::Read),
            "glob" => (&["glob"], Kind::Read),
            "search_file_content" | "grep_search" => (&["grep"], Kind::Read),
            "write_file" => (&["write_file"], Kind::Write),
            "replace" => (&["edit_file"], Kind::Write),
            "web_fetch" => (&FETCHERS, Kind::Other),
            _ => (&[], Kind::Other),
        };
        let owned = || ours.iter().map(|&tool| tool.to_owned()).collect::<Vec<_>>();
        let mut rule = foreign.rule();
        rule.tools = Some(owned());
        match kind {
            // Redirections are apart there, too.
            Kind::Shell if allow => rule.commands = any_command(foreign).commands,
            // Their tools stay in the project.
            Kind::Read if allow => rule.reads = vec![foreign.located("${project}/**".to_owned())],
            Kind::Write if allow => rule.writes = vec![foreign.located("${project}/**".to_owned())],
            _ if name == "*" && allow => {
                let mut files = foreign.rule();
                files.tools = Some(READERS.iter().map(|&tool| tool.to_owned()).collect());
                files.reads = vec![foreign.located("${project}/**".to_owned())];
                rules.push(files);
                let mut files = foreign.rule();
                files.tools = Some(WRITERS.iter().map(|&tool| tool.to_owned()).collect());
                files.writes = vec![foreign.located("${project}/**".to_owned())];
                rules.push(files);
                rule.tools = Some(SHELLS.iter().map(|&tool| tool.to_owned()).collect());
                rule.commands = any_command(foreign).commands;
            }
            Kind::Other if allow && !ours.is_empty() => {}
            Kind::Other if allow && may_name_ours(name) => continue,
            _ => {
                let mut tools = owned();
                tools.push(name.clone());
                if !allow {
                    tools.extend(of_servers(name));
                }
                tools.dedup();
                rule.tools = Some(tools);
            }
        }
        rules.push(rule);
    }
    rules
}

/// The name of a tool without its server, where it says that too: `mcp_S_x`, `mcp__S__x`, `S__x`.
fn bare<'n>(server: &str, name: &'n str) -> &'n str {
    let prefixes = [format!("mcp__{server}__"), format!("mcp_{server}_"), format!("{server}__")];
    prefixes.iter().find_map(|prefix| name.strip_prefix(prefix.as_str())).unwrap_or(name)
}

/// What a name of theirs that says a server is called here: `mcp_S_x` and `S__x` are `mcp__S__x`. Where the name of the server
/// ends cannot be told when it has a `_` itself, so that each place counts: a deny must not be lost.
fn of_servers(name: &str) -> Vec<String> {
    if name.starts_with("mcp__") {
        return Vec::new();
    }
    let Some(rest) = name.strip_prefix("mcp_") else {
        return if name.contains("__") { vec![format!("mcp__{name}")] } else { Vec::new() };
    };
    let ends = rest.match_indices('_').filter(|(at, _)| *at > 0);
    let mut names: Vec<String> = ends
        .filter_map(|(at, _)| {
            let (server, tool) = rest.split_at_checked(at)?;
            Some(format!("mcp__{server}__{}", tool.strip_prefix('_')?))
        })
        .collect();
    if rest.starts_with('*') || names.is_empty() {
        names.push(format!("mcp__{rest}"));
    }
    names
}

/// Whether a tool of theirs has this name.
fn is_theirs(name: &str) -> bool {
    let names = [
        "run_shell_command",
        "read_file",
        "read_many_files",
        "list_directory",
        "glob",
        "search_file_content",
        "grep_search",
        "write_file",
        "replace",
        "web_fetch",
    ];
    names.contains(&name)
}

#[derive(Clone, Copy)]
enum Kind {
    Shell,
    Read,
    Write,
    Other,
}

/// A text, or a list of texts.
fn texts(table: &Table, name: &str, at: Place) -> Result<Option<Vec<String>>, ImportError> {
    let error = || ImportError::new(format!("`{name}` must be a text or a list of texts"), at);
    match table.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(vec![text.clone()])),
        Some(Value::Array(texts)) => {
            let texts = texts.iter().map(|text| text.as_str().map(str::to_owned).ok_or_else(error));
            texts.collect::<Result<_, _>>().map(Some)
        }
        Some(_) => Err(error()),
    }
}
