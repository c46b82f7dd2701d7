//! Who must agree before a call runs, and when time does something about it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::name::{GROUP, is_name, plain};

/// Who must agree. A request may carry several: each must be satisfied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApproverNeed {
    /// Names of people, and groups as `group:NAME`; `None`: anybody who gives a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approvers: Option<Vec<Box<str>>>,
    /// How many different people must approve.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub quorum: u32,
    /// The approval of who asked for the run does not count.
    #[serde(default, skip_serializing_if = "is_false")]
    pub exclude_requester: bool,
    /// Whom else it is put to after a while.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub escalate: Option<EscalationRule>,
}

/// Whom else a request is put to when no decision came in time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EscalationRule {
    /// ms after the request was made.
    pub after: u64,
    /// Names and groups, as in [`ApproverNeed::approvers`].
    pub to: Vec<Box<str>>,
}

const fn one() -> u32 {
    1
}

const fn is_one(quorum: &u32) -> bool {
    *quorum == 1
}

const fn is_false(flag: &bool) -> bool {
    !*flag
}

/// The most needs of a request: the bits of [`Vote::counts_for`](super::Vote::counts_for).
const MAX_NEEDS: usize = 32;
/// The most names in one list.
const MAX_NAMES: usize = 256;
/// The longest name, in bytes.
const MAX_NAME: usize = 1024;
/// The greatest quorum.
const MAX_QUORUM: u32 = 100;

/// A person who decides, as the caller knows them.
#[derive(Debug, Clone, Copy)]
pub struct DecidingPerson<'a> {
    /// The name.
    pub name: &'a str,
    /// The groups that they are in.
    pub groups: &'a [Box<str>],
}

impl<'a> DecidingPerson<'a> {
    /// `None`: not a person's name.
    pub fn new(name: &'a str, groups: &'a [Box<str>]) -> Option<Self> {
        is_name(name).then_some(Self { name, groups })
    }

    fn is(&self, approver: &str) -> bool {
        match approver.strip_prefix(GROUP) {
            Some(group) => self.groups.iter().any(|of| **of == *group),
            None => approver == self.name,
        }
    }

    fn is_any_of(&self, approvers: &[Box<str>]) -> bool {
        approvers.iter().any(|approver| self.is(approver))
    }
}

impl ApproverNeed {
    /// These, checked: equal ones once, and without those that everybody satisfies, without a name too.
    ///
    /// # Errors
    /// What is wrong, as an end of a sentence that begins with the place.
    pub fn checked(needs: Vec<Self>) -> Result<Box<[Self]>, String> {
        let mut checked: Vec<Self> = Vec::new();
        for mut need in needs {
            need.check()?;
            if !need.is_trivial() && !checked.iter().any(|other| other.equals(&need)) {
                for names in need.lists_mut() {
                    let mut seen = BTreeSet::new();
                    names.retain(|name| seen.insert(name.clone()));
                }
                checked.push(need);
            }
        }
        if checked.len() > MAX_NEEDS {
            return Err(format!("a request has at most {MAX_NEEDS} needs, not {}", checked.len()));
        }
        Ok(checked.into())
    }

    /// Whether who met the needs `met` met all of `asked`, too: each of these says the same as one of those, or what everybody
    /// satisfies.
    pub fn all_covered(asked: &[Self], met: &[Self]) -> bool {
        asked.iter().all(|need| need.is_trivial() || met.iter().any(|other| other.equals(need)))
    }

    fn check(&self) -> Result<(), String> {
        if !(1..=MAX_QUORUM).contains(&self.quorum) {
            return Err(format!("quorum must be a whole number from 1 to {MAX_QUORUM}"));
        }
        check_names("approvers", self.approvers.as_deref())?;
        if let Some(escalate) = &self.escalate {
            check_names("escalate.to", Some(&escalate.to))?;
            if escalate.after == 0 {
                return Err("escalate.after must be more than 0 ms".to_owned());
            }
        }
        match self.people() {
            Some(people) if people < self.quorum as usize => {
                let named =
                    if people == 1 { "person is named" } else { "different people are named" };
                Err(format!(
                    "quorum is {}, and only {people} {named}: name more, or a group",
                    self.quorum
                ))
            }
            _ => Ok(()),
        }
    }

    /// Whether it names a group: who is in it the caller knows alone.
    pub fn names_group(&self) -> bool {
        self.approvers.iter().flatten().any(|name| name.starts_with(GROUP))
    }

    /// How many people can satisfy it at most; `None`: that is unknown, as for a group.
    pub fn people(&self) -> Option<usize> {
        let escalated = self.escalate.iter().flat_map(|escalate| &escalate.to);
        let named: Vec<&str> =
            self.approvers.as_ref()?.iter().chain(escalated).map(AsRef::as_ref).collect();
        if named.iter().any(|name| name.starts_with(GROUP)) {
            return None;
        }
        let people: BTreeSet<String> = named.into_iter().map(plain).collect();
        Some(people.len())
    }

    /// Whether anybody satisfies it, once, and without giving a name.
    fn is_trivial(&self) -> bool {
        self.approvers.is_none()
            && self.quorum == 1
            && !self.exclude_requester
            && self.escalate.is_none()
    }

    /// Whether they say the same, in any order of names.
    fn equals(&self, other: &Self) -> bool {
        fn set(names: &[Box<str>]) -> BTreeSet<&str> {
            names.iter().map(AsRef::as_ref).collect()
        }
        let escalation = |need: &'_ Self| need.escalate.as_ref().map(|escalate| escalate.after);
        self.approvers.as_deref().map(set) == other.approvers.as_deref().map(set)
            && (self.quorum, self.exclude_requester) == (other.quorum, other.exclude_requester)
            && escalation(self) == escalation(other)
            && self.escalate.as_ref().map(|escalate| set(&escalate.to))
                == other.escalate.as_ref().map(|escalate| set(&escalate.to))
    }

    fn lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<Box<str>>> {
        let escalated = self.escalate.iter_mut().map(|escalate| &mut escalate.to);
        self.approvers.iter_mut().chain(escalated)
    }

    /// Whom it is put to besides, so long after the request was made.
    pub fn escalated(&self, age: u64) -> &[Box<str>] {
        match &self.escalate {
            Some(escalate) if escalate.after <= age => &escalate.to,
            _ => &[],
        }
    }

    /// Whether it names this person, so long after the request was made.
    pub fn names(&self, person: DecidingPerson<'_>, age: u64) -> bool {
        self.approvers.as_deref().is_none_or(|approvers| person.is_any_of(approvers))
            || person.is_any_of(self.escalated(age))
    }
}

fn check_names(place: &str, names: Option<&[Box<str>]>) -> Result<(), String> {
    let Some(names) = names else { return Ok(()) };
    if names.is_empty() || names.len() > MAX_NAMES {
        return Err(format!("{place} must be a list of 1 to {MAX_NAMES} names"));
    }
    let is_known = |name: &str| {
        let is_of_some =
            name.strip_prefix(GROUP).map_or_else(|| is_name(name), |of| !of.is_empty());
        is_of_some && name.len() <= MAX_NAME && name.trim() == name
    };
    match names.iter().find(|name| !is_known(name)) {
        None => Ok(()),
        Some(_) => Err(format!(
            "{place} must have names of people, or of groups as \"{GROUP}NAME\": of at most {MAX_NAME} bytes, and without space around"
        )),
    }
}

/// What time does to a request before its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimerAction {
    /// Others may decide from now on.
    Escalate,
    /// Its deadline is near.
    Remind,
}

/// What time does to a request before its deadline, and when, in order. It is done once, by whichever process comes first.
///
/// # Arguments
/// All in ms since the epoch, `remind` in ms before the deadline.
pub fn schedule(
    needs: &[ApproverNeed], created_at: u64, expires_at: Option<u64>, remind: Option<u64>,
) -> Vec<(u64, TimerAction)> {
    let escalations = needs.iter().filter_map(|need| need.escalate.as_ref());
    let mut deeds: Vec<(u64, TimerAction)> = escalations
        .map(|escalate| (created_at.saturating_add(escalate.after), TimerAction::Escalate))
        .collect();
    let reminder = expires_at.zip(remind).and_then(|(at, remind)| at.checked_sub(remind));
    // Who was told a moment ago needs no reminder.
    deeds.extend(reminder.filter(|at| *at > created_at).map(|at| (at, TimerAction::Remind)));
    deeds.retain(|(at, _)| expires_at.is_none_or(|deadline| *at < deadline));
    deeds.sort_unstable();
    deeds.dedup();
    deeds
}
