//! Rules that leave to a reviewer what no reviewer may answer.

use crate::policy::Effect;
use crate::policy::document::{LayerKind, PolicyDocument, PolicyRule};

/// Why the mark of a rule means nothing; `None`: it has none, or it means something.
pub(super) fn unheard(rule: &PolicyRule, document: &PolicyDocument) -> Option<&'static str> {
    if !rule.reviewer {
        return None;
    }
    let names_people = rule.who.as_ref().is_some_and(|who| !who.needs.is_empty());
    let is_managed = document.source.layer == LayerKind::Managed;
    match rule.effect {
        Effect::Allow => Some("nobody is asked about what a rule allows"),
        Effect::Deny => Some("nobody answers a deny"),
        Effect::Ask if is_managed => Some("what the administrator asks about only a human answers"),
        Effect::Ask if names_people => {
            Some("people are named who must agree, and a reviewer is not one of them")
        }
        Effect::Ask => None,
    }
}
