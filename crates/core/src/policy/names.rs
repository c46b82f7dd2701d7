//! Which tools a rule names, before anything is compiled.

use std::sync::Arc;

use super::Effect;
use super::compile::NamePattern;
use super::document::{Document, Match, Rule};

/// Whether a rule speaks of this tool.
pub fn rule_names(rule: &Rule, tool: &str) -> bool {
    rule.tools
        .as_ref()
        .is_none_or(|names| names.iter().any(|name| NamePattern::of(name).matches(tool)))
}

/// Whether these documents deny every call of this tool, whatever its arguments.
pub fn denies_all_of(documents: &[Arc<Document>], tool: &str) -> bool {
    documents.iter().any(|document| {
        let mut rules = document.rules.iter().filter(|rule| rule_names(rule, tool));
        match document.matching {
            Match::Strictest => rules.any(denies_whole),
            // The first decides; one that is about parts of calls may let some through.
            Match::First => rules.next().is_some_and(denies_whole),
        }
    })
}

fn denies_whole(rule: &Rule) -> bool {
    rule.effect == Effect::Deny && rule.is_unconditional()
}
