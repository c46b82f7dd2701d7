//! What a confined command reaches of the network.
//!
//! Each connection is judged like a call of the tool [`TOOL`] with its address: a deny, an ask and an allow on addresses count for it
//! as for any tool. What allows it must name it, so that no rule for everything opens the network along the way.

use std::collections::BTreeMap;

use super::Effect;
use super::document::{NetworkRule, PolicyDocument, PolicyRule, RuleExamples};

/// The tool whose calls stand for connections of commands.
pub(crate) const TOOL: &str = "network";
/// Its argument that says what kind of address it is, where it is not one of the internet.
pub(crate) const WHERE: &str = "where";

/// What all documents together say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NetworkReach {
    /// Nothing is reached.
    pub none: bool,
    /// A human is asked of what no rule names.
    pub ask: bool,
    /// A host must be meant by each of these lists.
    pub hosts: Vec<Vec<String>>,
}

impl NetworkReach {
    /// An untrusted document only tightens: `None` as well if no trusted one says anything.
    pub(crate) fn of(documents: &[PolicyDocument]) -> Option<Self> {
        let said =
            || documents.iter().filter_map(|document| Some((document, document.network.as_ref()?)));
        said().find(|(document, _)| document.source.trusted)?;
        let mut reach = Self::default();
        for (_, rule) in said() {
            match rule {
                NetworkRule::None => reach.none = true,
                NetworkRule::Ask => reach.ask = true,
                NetworkRule::Hosts(hosts) => {
                    reach.hosts.push(hosts.iter().map(|host| host.value.clone()).collect());
                }
            }
        }
        Some(reach)
    }
}

/// The rule by which a document allows the hosts that it lists.
pub(crate) fn rule_of(document: &PolicyDocument) -> Option<PolicyRule> {
    let Some(NetworkRule::Hosts(hosts)) = &document.network else { return None };
    Some(PolicyRule {
        at: hosts.first()?.at,
        index: document.rules.len(),
        tools: Some(vec![TOOL.to_owned()]),
        effect: Effect::Allow,
        reason: Some("it is listed in network".to_owned()),
        risk: None,
        commands: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        urls: hosts.clone(),
        env: Vec::new(),
        annotations: BTreeMap::new(),
        confined: None,
        condition: None,
        who: None,
        reviewer: false,
        tracked: false,
        forgets: false,
        examples: RuleExamples::default(),
    })
}
