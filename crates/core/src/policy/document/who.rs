//! From the keys of a rule that say who must agree to a [`RuleApprovers`].

use crate::approval::{ApproverNeed, EscalationRule};
use crate::policy::Effect;

use super::RuleApprovers;
use super::error::DocumentPath;
use super::read::{DocumentReader, any};
use super::schema::{ESCALATE, WHO};
use super::tree::{DocumentNode, DocumentValue, TableEntry};

/// What a time is followed by, and how many ms that is.
const UNITS: &[(&str, u64)] =
    &[("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

impl DocumentReader<'_> {
    /// `None`: the rule says nothing of that, or something wrong.
    pub(super) fn who(
        &mut self, entries: &[TableEntry], effect: Effect, path: DocumentPath<'_>,
    ) -> Option<Box<RuleApprovers>> {
        let first = entries.iter().find(|entry| WHO.contains(&entry.key.as_str()))?;
        if effect != Effect::Ask {
            let message = format!(
                "only a rule that asks says who must agree: leave \"{}\" out, or write effect = \"ask\"",
                first.key
            );
            self.wrong(&first.node, path.key(&first.key), message);
            return None;
        }
        let before = self.errors.len();
        let mut need =
            ApproverNeed { approvers: None, quorum: 1, exclude_requester: false, escalate: None };
        let mut who = RuleApprovers::default();
        for TableEntry { key, node, .. } in entries {
            let path = path.key(key);
            match key.as_str() {
                "approvers" => need.approvers = Some(self.people(node, path)),
                "quorum" => need.quorum = self.quorum(node, path),
                "exclude_requester" => need.exclude_requester = self.flag(node, path),
                "escalate" => need.escalate = self.escalate(node, path),
                "remind" => who.remind = self.duration(node, path),
                _ => {}
            }
        }
        if self.errors.len() > before {
            return None;
        }
        match ApproverNeed::checked(vec![need]) {
            Ok(needs) => who.needs = needs.into(),
            Err(message) => self.wrong(&first.node, path.key(&first.key), message),
        }
        Some(Box::new(who))
    }

    fn people(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Vec<Box<str>> {
        self.texts(node, path, any).into_iter().map(|name| name.value.into()).collect()
    }

    fn quorum(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> u32 {
        let quorum = match &node.value {
            DocumentValue::Number(number) => number.parse().ok().filter(|quorum| *quorum > 0),
            _ => None,
        };
        if quorum.is_none() {
            self.expected(node, path, "a whole number from 1");
        }
        quorum.unwrap_or(1)
    }

    pub(super) fn flag(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> bool {
        match node.value {
            DocumentValue::Flag(flag) => flag,
            _ => {
                self.expected(node, path, "true or false");
                false
            }
        }
    }

    fn escalate(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<EscalationRule> {
        let entries = self.table(node, path, "an escalation", ESCALATE)?;
        let (mut after, mut to) = (None, None);
        for TableEntry { key, node, .. } in entries {
            let path = path.key(key);
            match key.as_str() {
                "after" => after = Some(self.duration(node, path)?),
                "to" => to = Some(self.people(node, path)),
                _ => {}
            }
        }
        let (Some(after), Some(to)) = (after, to) else {
            let message = "an escalation says both after how long and to whom: { after = \"10m\", to = [\"group:leads\"] }";
            self.wrong(node, path, message.to_owned());
            return None;
        };
        Some(EscalationRule { after, to })
    }

    /// In ms: a number of them, or a text such as `90s`.
    fn duration(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<u64> {
        let ms = match &node.value {
            DocumentValue::Number(number) => number.parse().ok(),
            DocumentValue::Text(text) => duration(text),
            _ => None,
        };
        let ms = ms.filter(|ms: &u64| *ms > 0);
        if ms.is_none() {
            self.expected(
                node,
                path,
                "a time like \"90s\", \"10m\", \"2h\" or \"1d\", or a number of ms",
            );
        }
        ms
    }
}

fn duration(text: &str) -> Option<u64> {
    let end = text.find(|char: char| !char.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(end)?;
    let (_, ms) = UNITS.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*ms)
}
