//! What a human who is asked is shown: a diff of what is written, a command taken apart, and what "always" would save.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::call::Json;
use crate::policy::document::Rule;
use crate::policy::{Effect, Explanation, Suggestion, Verdict};
use crate::preview::{self, File, FileChange, Mark, MarkEffect, Preview, Seen, Segments};

/// Content of more bytes is not read for a diff.
const LARGEST: u64 = 16 << 20;

/// What is shown beside a request.
#[derive(Debug)]
pub struct Shown {
    /// What "always allow" would save.
    pub allow: Option<Offer>,
    /// What "always reject" would save.
    pub deny: Option<Offer>,
    /// The files that would change.
    pub changes: Vec<FileChange>,
    /// The call, as text that is safe to show.
    pub page: Preview,
}

/// What "always" would save.
#[derive(Debug, Clone)]
pub struct Offer {
    /// One sentence.
    pub label: String,
    /// As a document has them.
    pub rules: Vec<Rule>,
    /// What else it speaks of, in words.
    pub also: Vec<String>,
}

impl Offer {
    pub(super) fn of(verb: &str, Suggestion { rules, also }: Suggestion) -> Self {
        let also: Vec<String> = also.iter().map(|text| preview::text(text, 200)).collect();
        Self { label: format!("{verb} {}", also.join(" and ")), rules, also }
    }
}

/// The files that the call would change, as they are now. Blocks.
pub(super) fn changes(tool_name: &str, args: &Json, cwd: &str) -> Vec<FileChange> {
    let read = |path: &str| look(path, cwd);
    preview::change_of(tool_name, args, &read).into_iter().collect()
}

/// Which of these files are no longer what was seen. Blocks.
pub(super) fn changed<'a>(
    seen: impl Iterator<Item = (&'a str, Option<&'a str>)>, cwd: &str,
) -> Vec<String> {
    seen.filter(|(path, before)| named(&Seen::of(&look(path, cwd))) != before.map(str::to_owned))
        .map(|(path, _)| path.to_owned())
        .collect()
}

/// As the API names it: a digest, nothing, or `unreadable`.
fn named(seen: &Seen) -> Option<String> {
    match seen {
        Seen::Absent => None,
        Seen::Content(digest) => Some(digest.to_string()),
        Seen::Unreadable => Some("unreadable".to_owned()),
    }
}

fn look(path: &str, cwd: &str) -> File {
    let path = Path::new(cwd).join(path);
    // Looked at before it is opened: to open a pipe would wait for a writer.
    match fs::metadata(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return File::Absent,
        Err(error) => return File::Unreadable(error.to_string()),
        Ok(metadata) if !metadata.is_file() => return File::Unreadable("it is no file".to_owned()),
        Ok(metadata) if metadata.len() > LARGEST => {
            return File::Unreadable(format!("it has {} bytes", metadata.len()));
        }
        Ok(_) => {}
    }
    let mut content = Vec::new();
    let read =
        fs::File::open(&path).and_then(|file| file.take(LARGEST + 1).read_to_end(&mut content));
    match read {
        Ok(size) if size as u64 > LARGEST => File::Unreadable("it is too large".to_owned()),
        Ok(_) => File::Content(content),
        Err(error) => File::Unreadable(error.to_string()),
    }
}

/// The call as text, with what is known of it. `verdict`: what the rules say of its parts, where there are rules.
pub(super) fn page(
    tool_name: &str, args: &Json, verdict: Option<&Verdict>, change: Option<&FileChange>,
) -> Preview {
    let Some(verdict) = verdict else {
        return preview::page(tool_name, args, None, change, None);
    };
    let command = verdict.subjects.iter().find_map(|judged| {
        judged.subject.span?;
        judged.subject.argument.as_deref()
    });
    let marks: Vec<Mark> = verdict
        .subjects
        .iter()
        .filter(|judged| judged.subject.argument.as_deref() == command)
        .filter_map(|judged| {
            let span = judged.subject.span?;
            let effect = match judged.effect {
                Effect::Allow => MarkEffect::Allow,
                Effect::Ask => MarkEffect::Ask,
                Effect::Deny => MarkEffect::Deny,
            };
            let reason =
                if judged.effect == Effect::Allow { String::new() } else { judged.reason() };
            Some(Mark { start: span.start, end: span.end, effect, reason })
        })
        .collect();
    let segments = command.map(|argument| Segments { argument, marks: &marks });
    preview::page(tool_name, args, None, change, segments)
}

/// Why a verdict is what it is: a paragraph for each part of the call.
pub(super) fn explanation(explanation: &Explanation) -> String {
    const END: usize = 200;
    let verdict = &explanation.verdict;
    let mut lines =
        vec![format!("{}: {}", effect(verdict.effect), preview::text(&verdict.reason, END))];
    for (judged, considered) in verdict.subjects.iter().zip(&explanation.considered) {
        let kind = judged.subject.kind_name();
        let reason = preview::text(&judged.reason(), END);
        lines.push(format!("\n  {:<5} {kind}  {reason}", effect(judged.effect)));
        for rule in considered {
            let at = preview::text(&rule.rule.to_string(), END);
            let said = effect(rule.effect);
            lines.push(format!("        {at} says {said}: {}", rule.outcome.text()));
        }
    }
    lines.join("\n")
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Allow => "allow",
        Effect::Ask => "ask",
        Effect::Deny => "deny",
    }
}
