//! Policies, ready to judge with: read once, then only looked up in.

mod index;
mod paths;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use index::RuleIndex;
pub(crate) use paths::{PathRules, RulePatterns};

use super::Effect;
use super::confined::{ConfinedWrites, RuleConfinement};
use super::document::{
    CommandPattern, DocumentPlace, MatchOrder, PolicyDocument, PolicyMode, PolicySource,
    RuleApprovers, RuleRisk,
};
use super::judge::JudgedCall;
use super::names::names_of;
use super::network::{self, NetworkReach};
use super::reading::ToolReadings;
use super::verdict::RuleRef;
use crate::path::{PathContext, UrlSet};
use crate::shell::FileAccess;

/// Policies of any number of layers, ready to judge with. Cheap to clone, never changes.
#[derive(Debug, Clone)]
pub struct Policy {
    inner: Arc<CompiledPolicy>,
}

#[derive(Debug)]
struct CompiledPolicy {
    context: PathContext,
    documents: Vec<CompiledDocument>,
    rules: Vec<CompiledRule>,
    index: RuleIndex,
    readings: ToolReadings,
    forbidden: Vec<(PolicyMode, PolicySource)>,
    network: Option<NetworkReach>,
    /// The document that says that nothing is remembered.
    forgets: Option<PolicySource>,
}

/// What is left of a document beside its rules.
#[derive(Debug)]
pub(crate) struct CompiledDocument {
    pub(crate) source: PolicySource,
    pub(crate) default: Option<Effect>,
    pub(crate) matching: MatchOrder,
}

/// A rule, ready to be compared.
#[derive(Debug)]
pub(crate) struct CompiledRule {
    /// Its document, as an index.
    pub(crate) document: usize,
    pub(crate) at: DocumentPlace,
    pub(crate) index: usize,
    pub(crate) effect: Effect,
    pub(crate) reason: Option<Arc<str>>,
    /// What it speaks of is marked as a risk.
    pub(crate) risk: Option<RuleRisk>,
    tools: Option<Vec<NamePattern>>,
    annotations: BTreeMap<String, bool>,
    /// It speaks only of these runs of a command. `None`: of all.
    pub(crate) confined: Option<RuleConfinement>,
    pub(crate) condition: Option<usize>,
    /// Who must agree to what it asks about.
    pub(crate) who: Option<Box<RuleApprovers>>,
    /// Whether a reviewer may answer what it asks about.
    pub(crate) reviewer: bool,
    /// Of the files that are written it speaks of those that git can give back.
    pub(crate) tracked: bool,
    /// What it asks about is asked each time.
    pub(crate) forgets: bool,
    pub(crate) commands: Vec<CommandPattern>,
    pub(crate) reads: Option<RulePatterns>,
    pub(crate) writes: Option<RulePatterns>,
    pub(crate) urls: Option<UrlSet>,
    pub(crate) env: Vec<NamePattern>,
}

/// A name, with `*` for any text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NamePattern {
    Exact(String),
    Wild(String),
}

/// Why policies cannot be judged with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}:{}: {message}", .at.0.name, .at.1.line, .at.1.column)]
pub struct PolicyError {
    /// What is wrong, and what to write instead.
    pub message: String,
    /// The document, and the place in it.
    pub at: (PolicySource, DocumentPlace),
}

impl Policy {
    /// Makes these documents ready for calls from the context: its directory is where relative patterns start, even if a call
    /// names another.
    ///
    /// A pattern that needs the project or the home directory where none is known matches nothing in an allow.
    ///
    /// # Errors
    /// When a pattern cannot be taken.
    pub fn compile(
        documents: Vec<PolicyDocument>, context: &PathContext,
    ) -> Result<Self, PolicyError> {
        Self::build(documents, context, |_| {})
    }

    /// The same of rules that were made for one call: their paths are those that were shown, and follow no symlink that takes
    /// the place of one.
    ///
    /// # Errors
    /// When a pattern cannot be taken.
    pub(super) fn compile_pinned(
        document: PolicyDocument, context: &PathContext,
    ) -> Result<Self, PolicyError> {
        Self::build(vec![document], context, |rule| {
            rule.reads.iter_mut().chain(&mut rule.writes).for_each(RulePatterns::pin);
        })
    }

    fn build(
        mut documents: Vec<PolicyDocument>, context: &PathContext,
        prepare: impl Fn(&mut CompiledRule),
    ) -> Result<Self, PolicyError> {
        // So that which rule is named does not depend on the order in which documents came.
        documents.sort_by(|a, b| {
            (a.source.layer, &a.source.name).cmp(&(b.source.layer, &b.source.name))
        });
        let readings = ToolReadings::of(&documents);
        let mut compiled = Vec::with_capacity(documents.len());
        let mut rules = Vec::new();
        let mut forbidden = Vec::new();
        let network = NetworkReach::of(&documents);
        let forgets = documents.iter().find(|document| document.forgets);
        let forgets = forgets.map(|document| document.source.clone());
        for mut document in documents {
            // Who lists a host allows it.
            let listed = network::rule_of(&document);
            document.rules.extend(listed);
            let trusted = document.source.trusted;
            for mode in document.forbid {
                forbidden.push((mode, document.source.clone()));
            }
            for rule in document.rules {
                let mut rule =
                    CompiledRule::compile(rule, compiled.len(), &document.source, context)?;
                prepare(&mut rule);
                rules.push(rule);
            }
            let default = match (document.default, document.matching) {
                (None, MatchOrder::First) => Some(Effect::Deny),
                (Some(Effect::Allow), _) if !trusted => None,
                (default, _) => default,
            };
            compiled.push(CompiledDocument {
                source: document.source,
                default,
                matching: document.matching,
            });
        }
        let index = RuleIndex::of(&rules);
        let inner = CompiledPolicy {
            context: context.clone(),
            documents: compiled,
            rules,
            index,
            readings,
            forbidden,
            network,
            forgets,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Where it was made ready for.
    pub fn context(&self) -> &PathContext {
        &self.inner.context
    }

    /// Who forbids this mode, if anybody: a document of any layer may.
    pub fn forbids(&self, mode: PolicyMode) -> Option<&PolicySource> {
        self.inner.forbidden.iter().find(|(forbidden, _)| *forbidden == mode).map(|(_, by)| by)
    }

    /// Who says that nothing is remembered, if anybody: a document of any layer may.
    pub fn forgets(&self) -> Option<&PolicySource> {
        self.inner.forgets.as_ref()
    }

    /// What a confined command reaches of the network; `None`: no document says anything of that.
    pub fn network(&self) -> Option<&NetworkReach> {
        self.inner.network.as_ref()
    }

    pub(crate) fn readings(&self) -> &ToolReadings {
        &self.inner.readings
    }

    pub(crate) fn index(&self) -> &RuleIndex {
        &self.inner.index
    }

    pub(crate) fn documents(&self) -> &[CompiledDocument] {
        &self.inner.documents
    }

    /// Whether in some document the first rule decides.
    pub(crate) fn has_first(&self) -> bool {
        self.documents().iter().any(|document| document.matching == MatchOrder::First)
    }

    /// Whether some rule allows what runs confined.
    pub(crate) fn rests_on_confinement(&self) -> bool {
        self.inner.rules.iter().any(CompiledRule::rests_on_confinement)
    }

    /// Whether some rule of this document allows what runs confined.
    pub(crate) fn lets_confined_run(&self, document: usize) -> bool {
        let is_its = |rule: &&CompiledRule| rule.document == document;
        self.inner.rules.iter().filter(is_its).any(CompiledRule::rests_on_confinement)
    }

    /// Whether some rule allows what runs confined to just this.
    pub(crate) fn rests_on_confinement_to(&self, most: ConfinedWrites) -> bool {
        let confined = Some(RuleConfinement::To(most));
        self.inner.rules.iter().any(|rule| rule.rests_on_confinement() && rule.confined == confined)
    }

    pub(crate) fn rule(&self, rule: usize) -> Option<&CompiledRule> {
        self.inner.rules.get(rule)
    }

    pub(crate) fn source(&self, rule: &CompiledRule) -> Option<&PolicySource> {
        self.inner.documents.get(rule.document).map(|document| &document.source)
    }

    pub(crate) fn reference(&self, rule: usize) -> Option<RuleRef> {
        let rule = self.rule(rule)?;
        let source = self.source(rule)?.clone();
        Some(RuleRef { source, at: rule.at, index: rule.index, reason: rule.reason.clone() })
    }
}

impl CompiledRule {
    fn compile(
        rule: super::document::PolicyRule, document: usize, source: &PolicySource,
        context: &PathContext,
    ) -> Result<Self, PolicyError> {
        let at = |place: DocumentPlace, message: String| PolicyError {
            message,
            at: (source.clone(), place),
        };
        let allows = rule.effect == Effect::Allow;
        let paths = |patterns: &[super::document::PlacedValue<String>]| {
            RulePatterns::compile(patterns, allows, context).map_err(|(place, why)| at(place, why))
        };
        let urls = if rule.urls.is_empty() {
            None
        } else {
            let sources = rule.urls.iter().map(|pattern| pattern.value.as_str());
            Some(UrlSet::parse(sources).map_err(|(index, error)| {
                let place = rule.urls.get(index).map(|pattern| pattern.at).unwrap_or_default();
                at(place, error.message)
            })?)
        };
        Ok(Self {
            document,
            at: rule.at,
            index: rule.index,
            effect: rule.effect,
            reason: rule.reason.map(Arc::from),
            risk: rule.risk,
            reads: paths(&rule.reads)?,
            writes: paths(&rule.writes)?,
            urls,
            tools: rule.tools.map(|names| names.into_iter().map(NamePattern::new).collect()),
            annotations: rule.annotations,
            confined: rule.confined,
            condition: rule.condition,
            who: rule.who,
            reviewer: rule.reviewer,
            tracked: rule.tracked,
            forgets: rule.forgets,
            commands: rule.commands.into_iter().map(|pattern| pattern.value).collect(),
            env: rule.env.into_iter().map(|name| NamePattern::new(name.value)).collect(),
        })
    }

    /// Whether it allows what runs confined, and nothing else.
    pub(crate) fn rests_on_confinement(&self) -> bool {
        self.effect == Effect::Allow && matches!(self.confined, Some(RuleConfinement::To(_)))
    }

    /// Its patterns for files that are used so.
    pub(crate) fn paths(&self, access: FileAccess) -> Option<&RulePatterns> {
        match access {
            FileAccess::Read => self.reads.as_ref(),
            FileAccess::Write => self.writes.as_ref(),
        }
    }

    /// Whether it speaks of whole calls.
    pub(crate) fn is_whole(&self) -> bool {
        self.commands.is_empty()
            && self.reads.is_none()
            && self.writes.is_none()
            && self.urls.is_none()
            && self.env.is_empty()
    }

    /// Whether it speaks of this tool, which gives these hints of itself. A hint that is not given is what MCP takes it for.
    pub(crate) fn speaks_of(&self, call: &JudgedCall) -> bool {
        let hints = call.annotations;
        let named = |names: &Vec<NamePattern>| {
            names_of(call.tool_name, call.other_names, self.effect)
                .any(|tool| names.iter().any(|name| name.names(tool, self.effect)))
        };
        self.tools.as_ref().is_none_or(named)
            && self.annotations.iter().all(|(hint, expected)| {
                let given = hints
                    .get(hint)
                    .copied()
                    .unwrap_or(matches!(hint.as_str(), "destructiveHint" | "openWorldHint"));
                given == *expected
            })
    }

    /// Whether it depends on nothing that a tool says of itself.
    pub(crate) fn hints_are_empty(&self) -> bool {
        self.annotations.is_empty()
    }

    /// The tools that it speaks of; `None`: all of them, or those of a pattern.
    pub(crate) fn exact_tools(&self) -> Option<Vec<&str>> {
        self.tools
            .as_ref()?
            .iter()
            .map(|name| match name {
                NamePattern::Exact(name) => Some(name.as_str()),
                NamePattern::Wild(_) => None,
            })
            .collect()
    }
}

impl NamePattern {
    /// The pattern that this text is.
    pub(crate) fn of(name: &str) -> Self {
        Self::new(name.to_owned())
    }

    fn new(name: String) -> Self {
        if name.contains('*') { Self::Wild(name) } else { Self::Exact(name) }
    }

    /// Whether a rule of this effect means the tool of this name. `mcp__` and the name of a server, which has no `__`, may stand
    /// before its own name: a `*` for servers allows nothing behind that.
    pub(crate) fn names(&self, tool: &str, effect: Effect) -> bool {
        match self {
            Self::Wild(pattern) if effect == Effect::Allow => {
                match (of_server(pattern), of_server(tool)) {
                    (Some((servers, tools)), Some((server, own))) => {
                        wild(servers, server) && wild(tools, own)
                    }
                    _ => wild(pattern, tool),
                }
            }
            _ => self.matches(tool),
        }
    }

    /// Whether this name is meant.
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == name,
            Self::Wild(pattern) => wild(pattern, name),
        }
    }
}

/// The server of `mcp__server__tool`, and its tool.
fn of_server(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

/// `*` is any text. Linear in both: the first place where each part fits is as good as any.
pub(crate) fn wild(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut name) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or("");
    for part in parts {
        match name.split_once(part) {
            Some((_, after)) => name = after,
            None => return false,
        }
    }
    name.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, name, expected) in [
            ("mcp__git__*", "mcp__git__status", true),
            ("mcp__git__*", "mcp__github__x", false),
            ("*_file", "read_file", true),
            ("*_file", "read_files", false),
            ("a*b*c", "a1b2c", true),
            ("a*b*b", "ab", false),
            ("*", "", true),
            ("a*a", "a", false),
            ("**", "x", true),
        ] {
            assert_eq!(
                NamePattern::new(pattern.to_owned()).matches(name),
                expected,
                "{pattern} {name}"
            );
        }
    }
}
