//! Codex' rules: beginnings of commands, word by word; the strictest that matches decides.

use super::super::Effect;
use super::super::document::{Match, Place, Token};
use super::claude::is_host;
use super::draft::{Draft, Foreign};
use super::starlark::{self, Call, Value};
use super::{ImportError, Text};

/// Reads a file of rules.
pub(super) fn read(text: &Text) -> Result<Draft, ImportError> {
    let mut draft = Draft::new(Match::Strictest);
    for call in starlark::calls(text)? {
        match call.name {
            "prefix_rule" => prefix_rule(&mut draft, &call)?,
            "host_executable" => host_executable(&mut draft, &call)?,
            "network_rule" => network_rule(&mut draft, &call)?,
            name => {
                let message = format!(
                    "`{name}` is not known; write prefix_rule, host_executable or network_rule"
                );
                return Err(ImportError::new(message, call.at));
            }
        }
    }
    Ok(draft)
}

fn prefix_rule(draft: &mut Draft, call: &Call) -> Result<(), ImportError> {
    only(call, &["pattern", "decision", "justification", "match", "not_match"])?;
    let pattern = match value(call, "pattern") {
        Some((Value::List(words), at)) if !words.is_empty() => pattern(words, at)?,
        _ => {
            return Err(ImportError::new(
                "`pattern` must be a list of words: `[\"git\", \"status\"]`",
                call.at,
            ));
        }
    };
    let effect = match text(call, "decision")? {
        None => Effect::Allow,
        Some((decision, at)) => decision_of(decision, at)?,
    };
    let reason = match text(call, "justification")? {
        Some((reason, at)) if reason.trim().is_empty() => {
            return Err(ImportError::new("the justification is empty; write one, or none", at));
        }
        reason => reason.map(|(reason, _)| reason.to_owned()),
    };
    for (name, expected) in [("match", true), ("not_match", false)] {
        check_examples(call, name, &pattern, expected)?;
    }
    let foreign = Foreign { what: call.source.to_owned(), at: call.at, effect, reason };
    draft.tokens(&foreign, &pattern);
    Ok(())
}

fn pattern(words: &[Value], at: Place) -> Result<Vec<Token>, ImportError> {
    let error = || ImportError::new("a word of a pattern must be a text or a list of texts", at);
    words
        .iter()
        .map(|word| match word {
            Value::Text(text) => Ok(Token::Text(text.clone())),
            Value::List(words) if !words.is_empty() => {
                let words = words.iter().map(|word| match word {
                    Value::Text(text) => Ok(text.clone()),
                    Value::List(_) => Err(error()),
                });
                Ok(Token::OneOf(words.collect::<Result<_, _>>()?))
            }
            Value::List(_) => Err(error()),
        })
        .collect()
}

fn decision_of(decision: &str, at: Place) -> Result<Effect, ImportError> {
    match decision {
        "allow" => Ok(Effect::Allow),
        "prompt" => Ok(Effect::Ask),
        "forbidden" | "deny" => Ok(Effect::Deny),
        _ => Err(ImportError::new("the decision must be `allow`, `prompt` or `forbidden`", at)),
    }
}

/// Whether the file's own examples hold. There it does not load otherwise, and here it is not imported.
fn check_examples(
    call: &Call, name: &str, pattern: &[Token], expected: bool,
) -> Result<(), ImportError> {
    let Some((examples, at)) = value(call, name) else { return Ok(()) };
    let Value::List(examples) = examples else {
        return Err(ImportError::new(format!("`{name}` must be a list of commands"), at));
    };
    for example in examples {
        let words: Vec<&str> = match example {
            // Quotes in an example are for Codex to judge.
            Value::Text(text) if text.contains(['"', '\'', '\\']) => continue,
            Value::Text(text) => text.split_whitespace().collect(),
            Value::List(words) => words.iter().filter_map(as_text).collect(),
        };
        let matches = words.len() >= pattern.len()
            && words.iter().zip(pattern).all(|(word, token)| match token {
                Token::Text(text) => text == word,
                Token::OneOf(texts) => texts.iter().any(|text| text == word),
                _ => false,
            });
        if matches != expected {
            let does = if matches { "matches" } else { "does not match" };
            let message = format!("the rule {does} its example `{}` of `{name}`", words.join(" "));
            return Err(ImportError::new(message, at));
        }
    }
    Ok(())
}

fn host_executable(draft: &mut Draft, call: &Call) -> Result<(), ImportError> {
    only(call, &["name", "paths"])?;
    let name = text(call, "name")?.map(|(name, _)| name);
    let Some(name) = name.filter(|name| !name.is_empty() && !name.contains(['/', '\\'])) else {
        return Err(ImportError::new(
            "`name` must be the name of a program, without a directory",
            call.at,
        ));
    };
    let Some((Value::List(paths), at)) = value(call, "paths") else {
        return Err(ImportError::new("`paths` must be a list of absolute paths", call.at));
    };
    for path in paths {
        let fits = as_text(path)
            .is_some_and(|path| path.starts_with('/') && path.rsplit('/').next() == Some(name));
        if !fits {
            return Err(ImportError::new(
                format!("each of `paths` must be absolute and end in `/{name}`"),
                at,
            ));
        }
    }
    let why = "allows are for the name as it is written: write rules for the paths; asks and denies bite every path";
    draft.stricter(call.source, call.at, why);
    Ok(())
}

fn network_rule(draft: &mut Draft, call: &Call) -> Result<(), ImportError> {
    only(call, &["host", "protocol", "decision", "justification"])?;
    let host = text(call, "host")?
        .map(|(host, _)| host)
        .filter(|host| is_host(host) && !host.contains('*'));
    let Some(host) = host else {
        return Err(ImportError::new("`host` must be the name of one host, without `*`", call.at));
    };
    let effect = match text(call, "decision")? {
        Some((decision, at)) => decision_of(decision, at)?,
        None => return Err(ImportError::new("`decision` is missing", call.at)),
    };
    let reason = text(call, "justification")?.map(|(reason, _)| reason.to_owned());
    let foreign = Foreign { what: call.source.to_owned(), at: call.at, effect, reason };
    if effect == Effect::Allow {
        let why = "it opens the network to commands in a sandbox; for tools that fetch, write a rule with `urls`";
        draft.dropped(&foreign.what, call.at, why);
        return Ok(());
    }
    let mut rule = foreign.rule();
    rule.urls = vec![foreign.located(host.to_owned())];
    draft.rule(&foreign, rule);
    Ok(())
}

fn only(call: &Call, known: &[&str]) -> Result<(), ImportError> {
    match call.arguments.iter().find(|argument| !known.contains(&argument.name)) {
        Some(argument) => {
            let message = format!("`{}` is not known; write {}", argument.name, known.join(", "));
            Err(ImportError::new(message, argument.at))
        }
        None => Ok(()),
    }
}

fn value<'c>(call: &'c Call, name: &str) -> Option<(&'c Value, Place)> {
    let argument = call.arguments.iter().find(|argument| argument.name == name)?;
    Some((&argument.value, argument.at))
}

fn text<'c>(call: &'c Call, name: &str) -> Result<Option<(&'c str, Place)>, ImportError> {
    match value(call, name) {
        None => Ok(None),
        Some((Value::Text(text), at)) => Ok(Some((text, at))),
        Some((Value::List(_), at)) => Err(ImportError::new(format!("`{name}` must be a text"), at)),
    }
}

fn as_text(value: &Value) -> Option<&str> {
    match value {
        Value::Text(text) => Some(text),
        Value::List(_) => None,
    }
}
