//! What can be decided, and by what.

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::StatusEvent;
use crate::call::{CanonicalJson, Digest};

/// What a human may answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecisionKind {
    /// Run it.
    Approve,
    /// Run it with other arguments.
    Edit,
    /// Do not run it.
    Reject,
    /// Do not run it; this is its result.
    Respond,
    /// Do not run it; go on without.
    Skip,
}

impl DecisionKind {
    /// Every kind, in the order they are listed to humans.
    pub const ALL: [Self; 5] = [Self::Approve, Self::Edit, Self::Reject, Self::Respond, Self::Skip];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Edit => "edit",
            Self::Reject => "reject",
            Self::Respond => "respond",
            Self::Skip => "skip",
        }
    }

    /// The kind with this very name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// The kinds of decision that a request allows: at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionKinds(u8);

impl DecisionKinds {
    /// All five.
    pub const ALL: Self = Self(0b1_1111);

    /// These kinds; `None` without kinds, since such a request could never be answered.
    pub fn new(kinds: impl IntoIterator<Item = DecisionKind>) -> Option<Self> {
        let bits = kinds.into_iter().fold(0, |bits, kind| bits | 1 << kind as u8);
        (bits != 0).then_some(Self(bits))
    }

    /// A bit for each, by which they are kept.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The kinds with these bits; `None`: none, or a bit that stands for none.
    pub const fn from_bits(bits: u8) -> Option<Self> {
        if bits == 0 || bits & !Self::ALL.0 != 0 { None } else { Some(Self(bits)) }
    }

    /// Whether this kind is among them.
    pub const fn contains(self, kind: DecisionKind) -> bool {
        self.0 & 1 << kind as u8 != 0
    }

    /// They, in the order of [`DecisionKind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = DecisionKind> {
        DecisionKind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }

    /// Their names, for messages.
    pub fn names(self) -> String {
        self.iter().map(DecisionKind::name).collect::<Vec<_>>().join(", ")
    }
}

impl Serialize for DecisionKinds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

/// What was chosen. `expired` and `cancelled` are chosen by time and by machines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionChoice {
    /// Run it.
    Approve,
    /// Run it with these arguments.
    Edit {
        /// The arguments that will run, as far as they may be kept.
        args: CanonicalJson,
        /// What the approval is bound to where the arguments that run are not those kept, since they were redacted.
        bound: Option<Digest>,
    },
    /// Do not run it.
    Reject {
        /// Also end the turn.
        stop: bool,
    },
    /// Do not run it.
    Respond {
        /// What the model gets as the tool's result.
        output: CanonicalJson,
    },
    /// Do not run it; go on without.
    Skip,
    /// The deadline passed first.
    Expired,
    /// The run or the gate ended, or the approval was taken back.
    Cancelled,
}

impl DecisionChoice {
    /// The kind of it, which a request may allow or not; `None` for what no human chooses.
    pub const fn kind(&self) -> Option<DecisionKind> {
        match self {
            Self::Approve => Some(DecisionKind::Approve),
            Self::Edit { .. } => Some(DecisionKind::Edit),
            Self::Reject { .. } => Some(DecisionKind::Reject),
            Self::Respond { .. } => Some(DecisionKind::Respond),
            Self::Skip => Some(DecisionKind::Skip),
            Self::Expired | Self::Cancelled => None,
        }
    }

    /// The word for it.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Approve => "approve",
            Self::Edit { .. } => "edit",
            Self::Reject { .. } => "reject",
            Self::Respond { .. } => "respond",
            Self::Skip => "skip",
        }
    }

    /// Whether the tool may run.
    pub const fn runs(&self) -> bool {
        matches!(self, Self::Approve | Self::Edit { .. })
    }

    /// What it is to the state machine.
    pub const fn event(&self) -> StatusEvent {
        match self {
            Self::Approve => StatusEvent::Approve,
            Self::Edit { .. } => StatusEvent::Edit,
            Self::Reject { .. } => StatusEvent::Reject,
            Self::Respond { .. } => StatusEvent::Respond,
            Self::Skip => StatusEvent::Skip,
            Self::Expired => StatusEvent::Expire,
            Self::Cancelled => StatusEvent::Cancel,
        }
    }
}

/// A choice and the reason given for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What was chosen.
    pub choice: DecisionChoice,
    /// Why, in the decider's words.
    pub reason: Option<Box<str>>,
}

impl Decision {
    /// A choice with a reason, cut to what a record may hold.
    pub fn new(choice: DecisionChoice, reason: Option<&str>) -> Self {
        Self { choice, reason: reason.map(|text| bounded(text, MAX_REASON)) }
    }
}

/// The longest reason that is kept, in bytes. A longer one is cut, not refused: it may be the message of the very error
/// that stops the call.
const MAX_REASON: usize = 16 * 1024;

/// A text, cut to at most `most` bytes.
pub(crate) fn bounded(text: &str, most: usize) -> Box<str> {
    if text.len() <= most {
        return text.into();
    }
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    format!("{}…", &text[..end]).into()
}

impl Serialize for Decision {
    /// `DecisionOutcome` of the public API.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.choice.name())?;
        match &self.choice {
            DecisionChoice::Edit { args, .. } => map.serialize_entry("args", args)?,
            DecisionChoice::Respond { output } => map.serialize_entry("output", output)?,
            DecisionChoice::Reject { stop: true } => map.serialize_entry("stop", &true)?,
            _ => {}
        }
        if let Some(reason) = &self.reason {
            map.serialize_entry("reason", reason)?;
        }
        map.end()
    }
}

/// Through what a decision came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DecisionChannel {
    /// The function that was asked.
    Callback,
    /// A method of the gate.
    Gate,
    /// The terminal program.
    Terminal,
    /// An answer in a conversation's messages.
    Messages,
    /// The web inbox.
    Inbox,
    /// A signed link.
    Link,
    /// A client that speaks a protocol for agents.
    Protocol,
    /// Time.
    Deadline,
    /// The end of the run.
    Abort,
    /// The product itself.
    System,
}

impl DecisionChannel {
    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Callback => "callback",
            Self::Gate => "gate",
            Self::Terminal => "terminal",
            Self::Messages => "messages",
            Self::Inbox => "inbox",
            Self::Link => "link",
            Self::Protocol => "protocol",
            Self::Deadline => "deadline",
            Self::Abort => "abort",
            Self::System => "system",
        }
    }

    /// Whether it is a machine, which may always stop a call.
    pub const fn is_machine(self) -> bool {
        matches!(self, Self::Deadline | Self::Abort | Self::System)
    }
}

/// A decision that was taken: by whom, through what and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedDecision {
    /// What.
    pub decision: Decision,
    /// Who; `None`: no name was given.
    pub by: Option<Box<str>>,
    /// Through what.
    pub via: DecisionChannel,
    /// When, in ms since the epoch.
    pub at: u64,
}

impl RecordedDecision {
    /// What time decides at the deadline.
    pub fn expiry(at: u64) -> Self {
        Self {
            decision: Decision::new(DecisionChoice::Expired, Some("the deadline passed")),
            by: None,
            via: DecisionChannel::Deadline,
            at,
        }
    }

    /// Who decided, or through what if no name was given.
    pub fn by(&self) -> &str {
        self.by.as_deref().unwrap_or(self.via.name())
    }

    /// Whether a request that allows these kinds takes this decision. A machine, time and the end of a run may always stop
    /// a call; time and the end of a run never let one run.
    pub fn is_allowed(&self, allowed: DecisionKinds) -> bool {
        match (&self.decision.choice, self.via) {
            (DecisionChoice::Expired | DecisionChoice::Cancelled, _) => true,
            (DecisionChoice::Reject { .. }, via) if via.is_machine() => true,
            (choice, DecisionChannel::Deadline | DecisionChannel::Abort) if choice.runs() => false,
            (choice, _) => choice.kind().is_some_and(|kind| allowed.contains(kind)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_a_set_that_is_never_empty() {
        assert_eq!(DecisionKinds::new([]), None);
        assert_eq!(DecisionKinds::new(DecisionKind::ALL), Some(DecisionKinds::ALL));
        let two = DecisionKinds::new([DecisionKind::Skip, DecisionKind::Edit, DecisionKind::Skip])
            .unwrap();
        assert_eq!(serde_json::to_string(&two).unwrap(), r#"["edit","skip"]"#);
        assert_eq!(two.names(), "edit, skip");
        assert!(!two.contains(DecisionKind::Approve));
    }

    #[test]
    fn machines_stop_and_time_never_approves() {
        let only_respond = DecisionKinds::new([DecisionKind::Respond]).unwrap();
        let decided = |choice: &DecisionChoice, via| RecordedDecision {
            decision: Decision::new(choice.clone(), None),
            by: None,
            via,
            at: 0,
        };
        for via in [
            DecisionChannel::Callback,
            DecisionChannel::Gate,
            DecisionChannel::Terminal,
            DecisionChannel::Messages,
            DecisionChannel::Inbox,
            DecisionChannel::Link,
            DecisionChannel::Protocol,
            DecisionChannel::Deadline,
            DecisionChannel::Abort,
            DecisionChannel::System,
        ] {
            assert!(decided(&DecisionChoice::Expired, via).is_allowed(only_respond));
            assert!(decided(&DecisionChoice::Cancelled, via).is_allowed(only_respond));
            assert_eq!(
                decided(&DecisionChoice::Reject { stop: false }, via).is_allowed(only_respond),
                via.is_machine()
            );
            assert!(!decided(&DecisionChoice::Approve, via).is_allowed(only_respond));
            let timely = !matches!(via, DecisionChannel::Deadline | DecisionChannel::Abort);
            assert_eq!(
                decided(&DecisionChoice::Approve, via).is_allowed(DecisionKinds::ALL),
                timely
            );
        }
    }

    #[test]
    fn a_long_reason_is_cut() {
        let decision = Decision::new(DecisionChoice::Skip, Some(&"é".repeat(20_000)));
        assert!(decision.reason.unwrap().len() <= MAX_REASON + 3);
    }
}
