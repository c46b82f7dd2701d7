//! A call as policies are asked about it, and the names and errors of policies that the program gives.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::call::Json;
use crate::policy::document::{DocumentError, LayerKind, PolicySource};
use crate::policy::{ConfinedRun, Effect, JudgedCall};

/// A call to judge.
#[derive(Debug)]
pub struct PolicyCall {
    /// The tool; of an MCP server as [`mcp_name`](crate::policy::mcp_name) calls it.
    pub tool_name: String,
    /// Other names that its server gives it, which only tighten.
    pub other_names: Vec<String>,
    /// Its arguments.
    pub args: Json,
    /// Hints that the tool gives of itself.
    pub annotations: BTreeMap<String, bool>,
    /// What the conditions of rules said, by their numbers.
    pub conditions: Vec<Option<bool>>,
    /// How it runs where no human approves it, as the one says who runs it.
    pub confined: Option<ConfinedRun>,
    /// Its run.
    pub run_id: Option<String>,
    /// ms since the epoch.
    pub now: u64,
    /// Which grants with `times` are used once by their answer.
    pub uses_grants: GrantUse,
}

/// Which grants with `times` are used up by what they say of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrantUse {
    /// None: the call is only looked at.
    #[default]
    None,
    /// Those that deny: the call ends by it. Those that allow are used when it runs.
    Denials,
    /// Those that deny, and nothing that allows answers: it is not known whether a human has ended the turn of the call.
    #[serde(rename = "only-denials")]
    OnlyDenials,
    /// All: the call runs, or ends, by it.
    All,
}

impl GrantUse {
    pub(super) fn uses(self, effect: Effect) -> bool {
        match self {
            Self::None => false,
            Self::Denials | Self::OnlyDenials => effect == Effect::Deny,
            Self::All => true,
        }
    }

    /// Whether grants of this effect answer at all.
    pub(super) fn hears(self, effect: Effect) -> bool {
        self != Self::OnlyDenials || effect == Effect::Deny
    }
}

impl PolicyCall {
    pub(super) fn judged(&self) -> JudgedCall<'_> {
        JudgedCall {
            tool_name: &self.tool_name,
            other_names: &self.other_names,
            args: &self.args,
            cwd: None,
            annotations: &self.annotations,
            conditions: &self.conditions,
            confined: self.confined.as_ref(),
        }
    }
}

/// A policy that the program gives, by this name.
pub fn code_source(name: &str) -> PolicySource {
    PolicySource { layer: LayerKind::Code, name: name.into(), trusted: true }
}

/// Errors of a document, one a line.
pub(super) fn told(errors: &[DocumentError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_doubt_about_a_turn_only_what_denies_answers() {
        let only: GrantUse = serde_json::from_str("\"only-denials\"").unwrap();
        assert!(only.hears(Effect::Deny) && only.uses(Effect::Deny));
        assert!(!only.hears(Effect::Allow) && !only.uses(Effect::Allow));
        for other in [GrantUse::None, GrantUse::Denials, GrantUse::All] {
            assert!(other.hears(Effect::Allow) && other.hears(Effect::Deny), "{other:?}");
        }
    }
}
