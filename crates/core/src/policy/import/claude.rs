//! Claude Code's `settings.json`: `permissions`, in which deny is stronger than ask, and ask than allow.

use jsonc_parser::ast::Value;

use super::super::Effect;
use super::super::document::{Match, Mode, Place};
use super::draft::{Draft, FETCHERS, Foreign, READERS, WRITERS, may_name_ours};
use super::words::{End, Words};
use super::{ImportError, Text, json, paths};

/// Settings that could stop a call and are no rules.
const OTHER_GUARDS: [&str; 5] =
    ["hooks", "sandbox", "deniedMcpServers", "allowedMcpServers", "disabledMcpjsonServers"];

/// Their names for tools that read, write and fetch.
const READ: [&str; 5] = ["Read", "Grep", "Glob", "LS", "NotebookRead"];
const EDIT: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
const FETCH: [&str; 1] = ["WebFetch"];

/// What the mode at the start makes of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    allows: bool,
    asks: Effect,
}

/// Reads the settings.
pub(super) fn read(text: &Text) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Match::Strictest);
    let mut permissions = Vec::new();
    for (name, value, at) in json::object(text)? {
        if name == "permissions" {
            let Value::Object(object) = value else {
                return Err(ImportError::new("`permissions` must be an object: `{ … }`", at));
            };
            permissions = json::members(text, object)?;
        } else if OTHER_GUARDS.contains(&name.as_str()) {
            let why = "it is no rule: what it stops or asks for must be set up anew";
            draft.dropped(&name, at, why);
        }
    }
    let mode = permissions.iter().find(|(name, ..)| name == "defaultMode");
    let start = match mode {
        Some((_, value, at)) => start(&mut draft, value, *at)?,
        None => Start { allows: true, asks: Effect::Ask },
    };
    for (name, value, at) in permissions {
        let effect = match name.as_str() {
            "allow" => Effect::Allow,
            "ask" => start.asks,
            "deny" => Effect::Deny,
            "defaultMode" => continue,
            "disableBypassPermissionsMode" => {
                draft.forbid = vec![Mode::Auto];
                continue;
            }
            "additionalDirectories" => {
                let why =
                    "work in other directories needs rules that allow it: `reads` and `writes`";
                draft.dropped(json::source(text, &value), at, why);
                continue;
            }
            _ => {
                draft.dropped(&name, at, "this setting is not known");
                continue;
            }
        };
        let Value::Array(array) = value else {
            return Err(ImportError::new(
                format!("`{name}` must be a list of rules: `[\"…\"]`"),
                at,
            ));
        };
        for element in &array.elements {
            let at = json::at(text, element);
            let Value::StringLit(rule) = element else {
                return Err(ImportError::new("a rule must be a text: `\"Tool(…)\"`", at));
            };
            let what = rule.value.trim().to_owned();
            if effect == Effect::Allow && !start.allows {
                draft.dropped(&what, at, "in the mode `plan` nothing runs by a rule");
                continue;
            }
            rule_of(&mut draft, &Foreign { what, at, effect, reason: None });
        }
    }
    Ok(draft)
}

fn start(draft: &mut Draft, value: &Value, at: Place) -> Result<Start, ImportError> {
    let Value::StringLit(mode) = value else {
        return Err(ImportError::new("`defaultMode` must be a text", at));
    };
    let what = format!("defaultMode: {}", mode.value);
    let mut start = Start { allows: true, asks: Effect::Ask };
    match mode.value.as_ref() {
        "default" => {}
        "acceptEdits" => {
            draft.stricter(
                &what,
                at,
                "files in the project may be written by the writing tools, not by commands",
            );
            let foreign = Foreign { what, at, effect: Effect::Allow, reason: None };
            let mut rule = foreign.rule();
            rule.tools = Some(names(&WRITERS, &[]));
            rule.writes = vec![foreign.located("${project}/**".to_owned())];
            draft.rule(&foreign, rule);
        }
        "dontAsk" => {
            draft.default = Some(Effect::Deny);
            start.asks = Effect::Deny;
        }
        "plan" => {
            draft.default = Some(Effect::Deny);
            start.allows = false;
            draft.stricter(
                &what,
                at,
                "everything is denied; set the mode `plan` to have reading allowed",
            );
        }
        _ => {
            let why = "what no rule speaks of asks; set the mode `auto` if nobody is to be asked";
            draft.stricter(&what, at, why);
        }
    }
    Ok(start)
}

fn rule_of(draft: &mut Draft, foreign: &Foreign) {
    let (tool, specifier) = match foreign.what.split_once('(') {
        None => (foreign.what.as_str(), None),
        Some((tool, rest)) => match rest.strip_suffix(')') {
            Some(specifier) => (tool, Some(specifier.trim())),
            None => (tool, None),
        },
    };
    let malformed = foreign.what.contains('(') && specifier.is_none();
    let specifier = specifier.filter(|text| !text.is_empty());
    if tool.is_empty() || tool.contains(|c: char| !c.is_alphanumeric() && !"_.-*".contains(c)) {
        draft.dropped(&foreign.what, foreign.at, "it names no tool");
    } else if malformed && foreign.effect == Effect::Allow {
        draft.dropped(&foreign.what, foreign.at, "its parentheses do not match");
    } else if malformed {
        draft.stricter(
            &foreign.what,
            foreign.at,
            "its parentheses do not match: it speaks of the whole tool now",
        );
        whole_tool(draft, foreign, tool);
    } else {
        match (tool, specifier) {
            (_, None) => whole_tool(draft, foreign, tool),
            ("Bash", Some(specifier)) => command(draft, foreign, specifier),
            ("WebFetch", Some(specifier)) => fetch(draft, foreign, specifier),
            (_, Some(specifier)) if READ.contains(&tool) || EDIT.contains(&tool) => {
                path(draft, foreign, tool, specifier);
            }
            _ if foreign.effect == Effect::Allow => {
                let why = "ours has no rule over these arguments";
                draft.dropped(&foreign.what, foreign.at, why);
            }
            _ => {
                let why = "ours has no rule over these arguments: it speaks of the whole tool now";
                draft.stricter(&foreign.what, foreign.at, why);
                whole_tool(draft, foreign, tool);
            }
        }
    }
}

/// `Tool`, `mcp__server`, `mcp__server__tool`.
fn whole_tool(draft: &mut Draft, foreign: &Foreign, tool: &str) {
    if tool == "Bash" {
        return draft.shell(foreign, &["Bash"]);
    }
    let (ours, theirs): (&[&str], &[&str]) = match tool {
        "Read" => (&READERS, &READ),
        "Grep" => (&["grep"], &["Grep"]),
        "Glob" => (&["glob"], &["Glob"]),
        "LS" => (&["ls"], &["LS"]),
        "Edit" | "MultiEdit" => (&WRITERS, &EDIT),
        "Write" => (&["write_file"], &["Write"]),
        "WebFetch" => (&FETCHERS, &FETCH),
        _ => (&[], &[]),
    };
    if foreign.effect != Effect::Allow {
        every_file(draft, foreign, tool);
    }
    let mut tools = ours.to_vec();
    // Without a reading a tool is allowed whole, whatever the rules over its arguments say.
    if foreign.effect != Effect::Allow {
        tools.extend(theirs);
    }
    if tool == "WebFetch" && foreign.effect != Effect::Allow {
        tools.push("http_request");
    }
    let server = format!("{tool}__*");
    if ours.is_empty() {
        if foreign.effect == Effect::Allow && may_name_ours(tool) {
            return draft.dropped(
                &foreign.what,
                foreign.at,
                "it could mean tools that read, write or run here: name them",
            );
        }
        tools.push(tool);
        let is_server = tool.strip_prefix("mcp__").is_some_and(|name| !name.contains("__"));
        if is_server && !tool.ends_with('*') {
            tools.push(&server);
        }
    }
    draft.tools(foreign, &tools);
}

/// No reading and no writing of files at all means that of commands and of other tools, too.
fn every_file(draft: &mut Draft, foreign: &Foreign, tool: &str) {
    let mut rule = foreign.rule();
    let every = vec![foreign.located("/**".to_owned())];
    match tool {
        "Read" => rule.reads = every,
        "Edit" | "Write" | "MultiEdit" => rule.writes = every,
        _ => return,
    }
    draft.rule(foreign, rule);
}

/// `Bash(npm run *)`, `Bash(npm run:*)`, `Bash(npm test)`.
fn command(draft: &mut Draft, foreign: &Foreign, specifier: &str) {
    if matches!(specifier, "*" | ":*") {
        whole_tool(draft, foreign, "Bash");
        return;
    }
    let mut words = Words::glob(specifier.strip_suffix(":*").unwrap_or(specifier));
    if specifier.ends_with(":*") && words.end == End::Closed {
        words.end = End::Word;
    }
    draft.commands(foreign, &words);
}

/// `Read(…)`, `Edit(…)` with a pattern as in `.gitignore`.
fn path(draft: &mut Draft, foreign: &Foreign, tool: &str, specifier: &str) {
    let writes = EDIT.contains(&tool);
    let allow = foreign.effect == Effect::Allow;
    if allow && matches!(tool, "Write" | "MultiEdit" | "NotebookEdit") {
        let why = "files are allowed to be written by `Edit(…)` alone";
        draft.dropped(&foreign.what, foreign.at, why);
        return;
    }
    let (globs, note) = match paths::gitignore(specifier, foreign.effect) {
        Ok(globs) => globs,
        Err(why) => return draft.dropped(&foreign.what, foreign.at, why),
    };
    let mut rule = foreign.rule();
    let globs = globs.into_iter().map(|glob| foreign.located(glob)).collect();
    if writes {
        rule.writes = globs;
    } else {
        rule.reads = globs;
    }
    if allow {
        rule.tools = Some(match tool {
            "Edit" => names(&WRITERS, &[]),
            "Grep" => names(&["grep"], &[]),
            "Glob" => names(&["glob"], &[]),
            "LS" => names(&["ls"], &[]),
            _ => names(&READERS, &[]),
        });
    }
    if let Some(note) = note {
        draft.stricter(&foreign.what, foreign.at, note);
    }
    draft.rule(foreign, rule);
}

/// `WebFetch(domain:example.com)`.
fn fetch(draft: &mut Draft, foreign: &Foreign, specifier: &str) {
    let allow = foreign.effect == Effect::Allow;
    let host = specifier.strip_prefix("domain:").map(str::trim).filter(|host| is_host(host));
    let Some(host) = host else {
        if allow {
            draft.dropped(&foreign.what, foreign.at, "it names no host");
        } else {
            draft.stricter(
                &foreign.what,
                foreign.at,
                "it names no host: it speaks of the whole tool now",
            );
            whole_tool(draft, foreign, "WebFetch");
        }
        return;
    };
    let mut rule = foreign.rule();
    rule.urls = vec![foreign.located(host.to_owned())];
    if allow {
        rule.tools = Some(names(&FETCHERS, &[]));
    } else if !host.starts_with("*.") {
        rule.urls.push(foreign.located(format!("*.{host}")));
    }
    draft.rule(foreign, rule);
}

/// Whether this is the name of a host, perhaps with `*.` before it.
pub(super) fn is_host(host: &str) -> bool {
    let name = host.strip_prefix("*.").unwrap_or(host);
    name.split('.').all(|label| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

fn names(ours: &[&str], theirs: &[&str]) -> Vec<String> {
    ours.iter().chain(theirs).map(|&name| name.to_owned()).collect()
}
