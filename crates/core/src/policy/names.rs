//! Which tools a rule names, before anything is compiled.

use std::sync::Arc;

use super::Effect;
use super::compile::NamePattern;
use super::document::{MatchOrder, PolicyDocument, PolicyRule};

/// What the tool of an MCP server is called in rules: `mcp__server__tool`. Where the server is not known, its name is empty.
///
/// A server calls its tools what it likes, `read_file` as well, and its clients hand that name on. So it is no name of a
/// tool of one's own, and no rule that allows one means it.
pub fn mcp_name(server: &str, tool: &str) -> String {
    let begins = format!("mcp__{server}__");
    // Some clients put that before it.
    if tool.starts_with(&begins) { tool.to_owned() } else { format!("{begins}{tool}") }
}

/// What a server may call its own tool: `tool` of `mcp__server__tool`. A `__` can be part of either name, so it is what stands
/// behind any, the shortest last.
pub(super) fn own_names(tool: &str) -> impl Iterator<Item = &str> {
    let tool = if tool.starts_with("mcp__") { tool } else { "" };
    (0..tool.len()).filter_map(|at| tool.get(at..)?.strip_prefix("__"))
}

/// The names that a rule of this effect may mean a tool by: a deny or an ask also by those that its server gives it.
pub(super) fn names_of<'a>(
    tool: &'a str, other_names: &'a [String], effect: Effect,
) -> impl Iterator<Item = &'a str> {
    let is_allow = effect == Effect::Allow;
    let others = if is_allow { &[] } else { other_names }.iter().map(String::as_str);
    let own = own_names(if is_allow { "" } else { tool });
    std::iter::once(tool)
        .chain(own)
        .chain(others.flat_map(|name| std::iter::once(name).chain(own_names(name))))
}

/// Whether a rule speaks of this tool.
pub fn rule_names(rule: &PolicyRule, tool: &str, other_names: &[String]) -> bool {
    rule.tools.as_ref().is_none_or(|names| {
        names_of(tool, other_names, rule.effect)
            .any(|tool| names.iter().any(|name| NamePattern::of(name).names(tool, rule.effect)))
    })
}

/// Whether these documents deny every call of this tool, with any arguments.
pub fn denies_all_of(documents: &[Arc<PolicyDocument>], tool: &str) -> bool {
    documents.iter().any(|document| {
        let mut rules = document.rules.iter().filter(|rule| rule_names(rule, tool, &[]));
        match document.matching {
            MatchOrder::Strictest => rules.any(denies_whole),
            // The first decides; a rule about parts of calls may let some through.
            MatchOrder::First => rules.next().is_some_and(denies_whole),
        }
    })
}

fn denies_whole(rule: &PolicyRule) -> bool {
    rule.effect == Effect::Deny && rule.is_unconditional()
}
