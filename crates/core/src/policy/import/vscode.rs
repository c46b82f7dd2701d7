//! VS Code's `chat.tools.terminal.autoApprove`: keys are beginnings of commands or `/expressions/`, `true` approves, `false`
//! asks, and what asks is stronger.

use jsonc_parser::ast::Value;

use super::super::Effect;
use super::super::document::{Match, Place};
use super::draft::{Draft, Foreign};
use super::json::Members;
use super::words::{End, Words};
use super::{ImportError, Text, json, regex};

const APPROVE: &str = "chat.tools.terminal.autoApprove";
/// What the names of settings hold that ask or refuse by themselves.
const GUARDS: [&str; 4] = ["denyList", "block", "deny", "restrict"];
const ENABLE: &str = "chat.tools.terminal.enableAutoApprove";

/// Reads the settings, or the map alone.
pub(super) fn read(text: &Text) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Match::Strictest);
    members(&mut draft, text)?;
    if draft.allows() {
        let why = "the editor's own rules ask for some uses of what is allowed here (`find -delete`, `sed -i`): \
            they stand in no file; write asks for what must not run";
        draft.dropped("rules out of the box", Place::default(), why);
    }
    Ok(draft)
}

fn members(draft: &mut Draft, text: &Text) -> Result<(), ImportError> {
    let members = json::object(text)?;
    let is_settings = members.is_empty() || members.iter().any(|(name, ..)| is_ours(name));
    if !is_settings {
        rules(draft, text, members, true)?;
        return Ok(());
    }
    let off = members.iter().any(|(name, value, _)| {
        name == ENABLE && matches!(value, Value::BooleanLit(on) if !on.value)
    });
    for (name, value, at) in members {
        if name == APPROVE {
            let Value::Object(object) = value else {
                return Err(ImportError::new(
                    format!("`{APPROVE}` must be an object: `{{ … }}`"),
                    at,
                ));
            };
            rules(draft, text, json::members(text, object)?, !off)?;
        } else if name != ENABLE && is_ours(&name) {
            // Names change and old ones go on counting: what is not read is told, whatever it is called.
            let why = if GUARDS.iter().any(|guard| name.contains(guard)) {
                "it is not read: what it asks for must be set up anew"
            } else {
                "it is not read: what it approves, asks for or refuses must be written as rules"
            };
            draft.dropped(&name, at, why);
        }
    }
    Ok(())
}

/// Whether it is a setting of the editor's agents.
fn is_ours(name: &str) -> bool {
    ["chat.", "github.copilot."].iter().any(|prefix| name.starts_with(prefix))
}

fn rules(draft: &mut Draft, text: &Text, members: Members, on: bool) -> Result<(), ImportError> {
    for (key, value, at) in members {
        let what = format!("{key}: {}", json::source(text, &value));
        let (approve, whole_line) = match value {
            Value::BooleanLit(approve) => (approve.value, false),
            // It only takes back a rule that is there out of the box.
            Value::NullKeyword(_) => {
                draft.dropped(&what, at, "it takes back a rule that is not imported");
                continue;
            }
            Value::Object(object) => {
                let members = json::members(text, object)?;
                let flag = |name: &str| {
                    let value = members.iter().find(|(other, ..)| other == name);
                    value.map(|(_, value, _)| matches!(value, Value::BooleanLit(on) if on.value))
                };
                // Without `approve` it is as good as not there; what is not understood asks.
                (flag("approve").unwrap_or(false), flag("matchCommandLine").unwrap_or(false))
            }
            _ => return Err(ImportError::new("write true, false, null or { \"approve\": … }", at)),
        };
        let effect = if approve { Effect::Allow } else { Effect::Ask };
        let foreign = Foreign { what, at, effect, reason: None };
        if approve && !on {
            draft.dropped(&foreign.what, at, format!("`{ENABLE}` is off"));
        } else if approve && whole_line {
            draft.dropped(
                &foreign.what,
                at,
                "it approves whole lines, whatever commands are in them",
            );
        } else {
            rule(draft, &foreign, &key, at);
        }
    }
    Ok(())
}

fn rule(draft: &mut Draft, foreign: &Foreign, key: &str, at: Place) {
    if let Some((source, flags)) = expression(key) {
        let allow = foreign.effect == Effect::Allow;
        let patterns = if allow { regex::narrow(source) } else { regex::wide(source, flags) };
        let Some(patterns) = patterns else {
            if !allow {
                return draft.every_command(foreign);
            }
            let why =
                "this expression cannot be said with words: write out the commands that it means";
            return draft.dropped(&foreign.what, at, why);
        };
        for words in patterns {
            draft.commands(foreign, &words);
        }
        return;
    }
    let key = key.trim();
    if key.is_empty() {
        return draft.dropped(&foreign.what, at, "it is empty and never matches");
    }
    // A path also matches with `./` before it and with the other slash.
    let first = key.split_whitespace().next().unwrap_or("");
    let is_path = first.contains(['/', '\\']);
    let key = if is_path { key.replace('\\', "/") } else { key.to_owned() };
    let ends_in_letter = key.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    if !ends_in_letter && foreign.effect == Effect::Allow {
        let why = "after its last sign a letter must follow there: write the commands out";
        return draft.dropped(&foreign.what, at, why);
    }
    let words = Words::beginning(&key, if ends_in_letter { End::Boundary } else { End::Glued });
    draft.commands(foreign, &words);
    if is_path && !key.starts_with(['/', '.']) {
        draft.commands(foreign, &Words::beginning(&format!("./{key}"), words.end));
    }
}

/// The source and the flags of `/source/flags`.
fn expression(key: &str) -> Option<(&str, &str)> {
    let (source, flags) = key.strip_prefix('/')?.rsplit_once('/')?;
    flags.chars().all(|flag| "dgimsuvy".contains(flag)).then_some((source, flags))
}
