//! opencode's `permission`: patterns per tool, `*` for any text; the last one that matches decides, so that here, where the
//! first one does, they stand the other way round.

use jsonc_parser::ast::{Object, Value};

use super::super::Effect;
use super::super::document::{Match, Place};
use super::claude::is_host;
use super::draft::{Draft, FETCHERS, Foreign, READERS, SHELLS, WRITERS, may_name_ours};
use super::words::Words;
use super::{ImportError, Text, json, paths};

/// What a pattern is matched against, by the name of the permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    Command,
    Read(&'static str),
    Write,
    Url,
    /// Whatever a tool of this name does.
    Tool,
    /// Any of these.
    All,
}

/// One rule of theirs.
struct Entry {
    permission: String,
    pattern: String,
    foreign: Foreign,
}

/// Reads the configuration, or the object `permission` alone.
pub(super) fn read(text: &Text) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Match::First);
    draft.default = Some(Effect::Ask);
    let root = json::object(text)?;
    let is_config = root.iter().any(|(name, ..)| {
        matches!(name.as_str(), "permission" | "$schema" | "agent" | "tools" | "mode")
    });
    let mut entries = Vec::new();
    if !is_config {
        for (name, value, at) in root {
            permission(text, &name, value, at, &mut entries)?;
        }
        return Ok(assemble(draft, entries));
    }
    for (name, value, at) in root {
        match (name.as_str(), value) {
            ("permission", Value::Object(object)) => {
                for (name, value, at) in json::members(text, object)? {
                    permission(text, &name, value, at, &mut entries)?;
                }
            }
            ("permission", value) => permission(text, "*", value, at, &mut entries)?,
            ("tools", Value::Object(object)) => tools(text, object, &mut entries)?,
            ("agent" | "mode", _) => {
                draft.dropped(
                    &name,
                    at,
                    "permissions of single agents must be written as policies of these agents",
                );
            }
            _ => {}
        }
    }
    Ok(assemble(draft, entries))
}

/// The older way to switch tools off.
fn tools(text: &Text, object: Object, entries: &mut Vec<Entry>) -> Result<(), ImportError> {
    for (name, value, at) in json::members(text, object)? {
        if !matches!(value, Value::BooleanLit(ref on) if on.value) {
            let what = format!("tools.{name}: {}", json::source(text, &value));
            let foreign = Foreign { what, at, effect: Effect::Deny, reason: None };
            entries.push(Entry { permission: name, pattern: "*".to_owned(), foreign });
        }
    }
    Ok(())
}

fn permission(
    text: &Text, name: &str, value: Value, at: Place, entries: &mut Vec<Entry>,
) -> Result<(), ImportError> {
    let mut entry = |pattern: String, value: &Value, at: Place| {
        let effect = match value {
            Value::StringLit(action) => match action.value.as_ref() {
                "allow" => Effect::Allow,
                "ask" => Effect::Ask,
                "deny" => Effect::Deny,
                _ => return Err(wrong(at)),
            },
            _ => return Err(wrong(at)),
        };
        let source = json::source(text, value);
        let what = if pattern == "*" {
            format!("{name}: {source}")
        } else {
            format!("{name}: {{{pattern:?}: {source}}}")
        };
        let foreign = Foreign { what, at, effect, reason: None };
        entries.push(Entry { permission: name.to_owned(), pattern, foreign });
        Ok(())
    };
    match value {
        Value::Object(object) => {
            for (pattern, value, at) in json::members(text, object)? {
                entry(pattern, &value, at)?;
            }
            Ok(())
        }
        value => entry("*".to_owned(), &value, at),
    }
}

fn wrong(at: Place) -> ImportError {
    ImportError::new("write \"allow\", \"ask\" or \"deny\"", at)
}

fn assemble(mut draft: Draft, entries: Vec<Entry>) -> Draft {
    let outside = Outside::of(&entries);
    let mut stands = false;
    for entry in entries.iter().rev() {
        if entry.permission == "external_directory" {
            continue;
        }
        // What is outside of the project is asked for apart from the rest: before whatever allows a whole tool.
        if entry.foreign.effect == Effect::Allow && !stands {
            stands = true;
            outside.rule(&mut draft);
        }
        match target(&entry.permission) {
            Target::Command => command(&mut draft, entry),
            Target::Read(tool) => path(&mut draft, entry, &[tool], false, &outside),
            Target::Write => path(&mut draft, entry, &WRITERS, true, &outside),
            Target::Url => url(&mut draft, entry),
            Target::Tool => tool(&mut draft, entry),
            Target::All => all(&mut draft, entry),
        }
    }
    draft
}

fn target(permission: &str) -> Target {
    match permission {
        "bash" => Target::Command,
        "read" => Target::Read("read_file"),
        "glob" => Target::Read("glob"),
        "grep" => Target::Read("grep"),
        "list" => Target::Read("ls"),
        "edit" | "write" | "patch" => Target::Write,
        "webfetch" => Target::Url,
        "*" => Target::All,
        _ => Target::Tool,
    }
}

fn command(draft: &mut Draft, entry: &Entry) {
    if entry.pattern == "*" {
        return draft.shell(&entry.foreign, &[]);
    }
    if entry.pattern.contains('?') {
        // It is one character there: any text is no less, and for an allow there is nothing.
        if entry.foreign.effect == Effect::Allow {
            let why = "`?` in a pattern cannot be said with words";
            return draft.dropped(&entry.foreign.what, entry.foreign.at, why);
        }
        return draft
            .commands_at_least(&entry.foreign, &Words::glob(&entry.pattern.replace('?', "*")));
    }
    draft.commands(&entry.foreign, &Words::glob(&entry.pattern));
}

fn path(draft: &mut Draft, entry: &Entry, tools: &[&str], writes: bool, outside: &Outside) {
    let foreign = &entry.foreign;
    let allow = foreign.effect == Effect::Allow;
    if entry.pattern == "*" && (!allow || outside.is_free()) {
        let mut tools = tools.to_vec();
        if !allow {
            tools.extend(if writes {
                ["edit", "write", "patch", "multiedit"].as_slice()
            } else {
                &[]
            });
            tools.push(&entry.permission);
        }
        return draft.tools(foreign, &tools);
    }
    let (globs, note) = match paths::wildcard(&entry.pattern, foreign.effect) {
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
        rule.tools = Some(tools.iter().map(|&tool| tool.to_owned()).collect());
    }
    match note {
        Some(note) if !allow => draft.wider(foreign, rule, note),
        Some(note) => {
            draft.stricter(&foreign.what, foreign.at, note);
            draft.rule(foreign, rule);
        }
        None => draft.rule(foreign, rule),
    }
}

fn url(draft: &mut Draft, entry: &Entry) {
    let foreign = &entry.foreign;
    let allow = foreign.effect == Effect::Allow;
    let mut tools = FETCHERS.to_vec();
    if !allow {
        tools.extend(["http_request", "webfetch"]);
    }
    if entry.pattern == "*" {
        return draft.tools(foreign, &tools);
    }
    let parts = entry.pattern.split_once("://").and_then(|(scheme, rest)| {
        let (host, path) = rest.split_once('/')?;
        (matches!(scheme, "http" | "https") && is_host(host)).then_some((scheme, host, path))
    });
    let mut rule = foreign.rule();
    match parts {
        Some((scheme, host, path)) if allow && !host.contains('*') => {
            let beginning =
                path.strip_suffix('*').filter(|path| path.is_empty() || path.ends_with('/'));
            let Some(path) = beginning.filter(|path| !path.contains(|c| "*?[]{}\\#".contains(c)))
            else {
                let why = "only addresses up to a `/*` at the end are taken over";
                return draft.dropped(&foreign.what, foreign.at, why);
            };
            rule.tools = Some(tools.iter().map(|&tool| tool.to_owned()).collect());
            rule.urls = vec![foreign.located(format!("{scheme}://{host}/{path}**"))];
            draft.rule(foreign, rule);
        }
        Some((_, host, _)) if !allow => {
            rule.urls = vec![foreign.located(host.to_owned())];
            draft.wider(foreign, rule, "now it speaks of everything at this host");
        }
        _ if allow => draft.dropped(&foreign.what, foreign.at, "it does not spell out a host"),
        _ => {
            rule.tools = Some(tools.iter().map(|&tool| tool.to_owned()).collect());
            draft.wider(
                foreign,
                rule,
                "it does not spell out a host: it speaks of the whole tool now",
            );
        }
    }
}

fn tool(draft: &mut Draft, entry: &Entry) {
    let foreign = &entry.foreign;
    if foreign.effect == Effect::Allow && entry.pattern != "*" {
        return draft.dropped(
            &foreign.what,
            foreign.at,
            "ours has no rule over what this tool does",
        );
    }
    if foreign.effect == Effect::Allow && may_name_ours(&entry.permission) {
        let why = "it could mean tools that read, write or run: name them";
        return draft.dropped(&foreign.what, foreign.at, why);
    }
    let name = entry.permission.replace('?', "*");
    let mut rule = foreign.rule();
    rule.tools = Some(vec![name]);
    if entry.pattern == "*" {
        draft.rule(foreign, rule);
    } else {
        draft.wider(
            foreign,
            rule,
            "ours has no rule over what this tool does: it speaks of the whole tool now",
        );
    }
}

/// `"*"` as permission.
fn all(draft: &mut Draft, entry: &Entry) {
    let foreign = &entry.foreign;
    if entry.pattern == "*" {
        if foreign.effect == Effect::Allow {
            draft.stricter(
                &foreign.what,
                foreign.at,
                "a command line that cannot be proven still asks",
            );
        }
        return draft.tools(foreign, &["*"]);
    }
    if foreign.effect == Effect::Allow {
        return draft.dropped(
            &foreign.what,
            foreign.at,
            "a pattern for all tools at once cannot be said",
        );
    }
    draft.commands_at_least(foreign, &Words::glob(&entry.pattern.replace('?', "*")));
    if let Ok((globs, _)) = paths::wildcard(&entry.pattern, foreign.effect) {
        let mut rule = foreign.rule();
        rule.reads = globs.iter().map(|glob| foreign.located(glob.clone())).collect();
        draft.rule(foreign, rule);
        let mut rule = foreign.rule();
        rule.writes = globs.into_iter().map(|glob| foreign.located(glob)).collect();
        draft.rule(foreign, rule);
    }
}

/// What `external_directory` says of files outside of the project. Out of the box it asks.
struct Outside {
    foreign: Option<Foreign>,
    free: Vec<String>,
}

impl Outside {
    fn of(entries: &[Entry]) -> Self {
        let mut outside = Self { foreign: Some(Self::ask()), free: Vec::new() };
        for entry in entries.iter().filter(|entry| entry.permission == "external_directory") {
            match (entry.foreign.effect, entry.pattern.as_str()) {
                (Effect::Allow, "*") => outside.foreign = None,
                (Effect::Allow, _) => {
                    if let Ok((globs, None)) = paths::wildcard(&entry.pattern, Effect::Allow) {
                        outside.free.extend(globs);
                    }
                }
                (effect, _) => {
                    let before =
                        outside.foreign.as_ref().map_or(Effect::Ask, |foreign| foreign.effect);
                    outside.free.clear();
                    outside.foreign =
                        Some(Foreign { effect: effect.max(before), ..entry.foreign.clone() });
                }
            }
        }
        outside
    }

    fn ask() -> Foreign {
        let what = "external_directory: ask (out of the box)".to_owned();
        let reason = Some("it is outside of the project".to_owned());
        Foreign { what, at: Place::default(), effect: Effect::Ask, reason }
    }

    /// Whether files outside of the project are as free as those in it.
    const fn is_free(&self) -> bool {
        self.foreign.is_none()
    }

    fn rule(&self, draft: &mut Draft) {
        let Some(foreign) = &self.foreign else { return };
        let free = self.free.iter().map(|glob| format!("!{glob}"));
        let globs = ["/**".to_owned(), "!${project}".to_owned(), "!${project}/**".to_owned()]
            .into_iter()
            .chain(free);
        let globs: Vec<_> = globs.map(|glob| foreign.located(glob)).collect();
        for tools in [&SHELLS[..], &READERS, &WRITERS] {
            let mut rule = foreign.rule();
            rule.tools = Some(tools.iter().map(|&tool| tool.to_owned()).collect());
            let (mut reads, mut writes) = (rule.clone(), rule);
            reads.reads = globs.clone();
            writes.writes = globs.clone();
            draft.quietly_wider(foreign, reads);
            draft.quietly_wider(foreign, writes);
        }
    }
}
