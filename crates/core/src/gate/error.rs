//! Why the core refuses.

use crate::approval::{ApprovalId, DecisionKinds, InvalidDecision, Record, Status};
use crate::call::InvalidJson;
use crate::files::FileError;
use crate::ledger::LedgerError;
use crate::policy::document::DocumentError;
use crate::policy::interrupt::UnknownTool;

/// Why a gate refuses. In each case the tool does not run.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// Arguments that cannot be bound to an approval.
    #[error("the arguments are {0}")]
    InvalidArguments(#[from] InvalidJson),
    /// A part of the request that is no part of the arguments.
    #[error("{0}")]
    InvalidRequest(String),
    /// Arguments, or what stands in their place, beyond the limit.
    #[error(
        "{what} are {size} bytes of JSON, and the gate takes at most {limit}: pass less, or raise `maxArgumentBytes`"
    )]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its bytes.
        size: usize,
        /// The most that is taken.
        limit: usize,
    },
    /// An option of the wrong shape.
    #[error("{0}")]
    InvalidConfig(String),
    /// Policies that cannot be read.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Policy(Vec<DocumentError>),
    /// `interruptOn` names a tool that does not exist.
    #[error(transparent)]
    UnknownTool(#[from] UnknownTool),
    /// The run already asked about this call id.
    #[error("this run already asked about the tool call id {:?}: a call is asked about once", self.call_id())]
    Duplicate(Record),
    /// The gate was closed.
    #[error("the gate was closed: create a new one")]
    Closed,
    /// An answer that is no decision.
    #[error("{0}")]
    InvalidDecision(#[from] InvalidDecision),
    /// There is no such request.
    #[error(
        "there is no approval request {0:?}: it never was, or it was decided long ago and is forgotten"
    )]
    UnknownApproval(String),
    /// Somebody else was first.
    #[error("the request was already decided: it is {}", .0.status().name())]
    AlreadyDecided(Record),
    /// The deadline has passed.
    #[error("the deadline of the request has passed: ask again")]
    Expired(ApprovalId),
    /// The request does not allow this decision.
    #[error("the request does not allow this decision, only: {}", allowed.names())]
    NotAllowed {
        /// The request.
        id: ApprovalId,
        /// What it allows.
        allowed: DecisionKinds,
    },
    /// Who decides may not.
    #[error("{}", not_approver(by.as_deref(), approvers))]
    NotApprover {
        /// The request.
        id: ApprovalId,
        /// Who it was; `None`: no name was given.
        by: Option<Box<str>>,
        /// Who may: names, and groups as `group:NAME`; empty: everybody who gives a name.
        approvers: Vec<Box<str>>,
    },
    /// There is no approval to start on.
    #[error("the call is not approved: {}", status.map_or("there is no request for it", Status::name))]
    NotApproved {
        /// Where the request stands, when there is one.
        status: Option<Status>,
    },
    /// Several runs asked about a call of this id, and not just the last of them holds an approval.
    #[error("the call id is ambiguous: several runs asked about a call of this id. Name the run")]
    Ambiguous {
        /// Where one of them stands.
        status: Status,
    },
    /// The approval was used up.
    #[error("the call was already started: it is {}. An approval is good for one execution", status.name())]
    AlreadyStarted {
        /// Where the request stands.
        status: Status,
    },
    /// What would run is not what was approved.
    #[error(
        "what would run is not what was approved: the tool or its arguments changed after the approval"
    )]
    DigestMismatch,
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// A file cannot be read or written as asked.
    #[error(transparent)]
    File(#[from] FileError),
    /// The caller broke the contract of the binding.
    #[error("a bug in countersign: {0}")]
    Internal(String),
}

impl GateError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::InvalidArguments(_) | Self::InvalidRequest(_) | Self::TooLarge { .. } => {
                "ERR_INVALID_ARGUMENTS"
            }
            Self::Policy(_) => "ERR_POLICY",
            Self::InvalidConfig(_) => "ERR_INVALID_CONFIG",
            Self::UnknownTool(_) => "ERR_UNKNOWN_TOOL",
            Self::Duplicate(_) => "ERR_DUPLICATE_CALL",
            Self::Closed => "ERR_GATE_CLOSED",
            Self::InvalidDecision(_) => "ERR_INVALID_DECISION",
            Self::UnknownApproval(_) => "ERR_UNKNOWN_APPROVAL",
            Self::AlreadyDecided(_) => "ERR_ALREADY_DECIDED",
            Self::Expired(_) => "ERR_EXPIRED",
            Self::NotAllowed { .. } => "ERR_DECISION_NOT_ALLOWED",
            Self::NotApprover { .. } => "ERR_NOT_APPROVER",
            Self::NotApproved { .. } | Self::Ambiguous { .. } => "ERR_NOT_APPROVED",
            Self::AlreadyStarted { .. } => "ERR_ALREADY_STARTED",
            Self::DigestMismatch => "ERR_DIGEST_MISMATCH",
            Self::Ledger(error) => error.kind.code(),
            Self::File(error) => error.fault.code(),
            Self::Internal(_) => "ERR_INTERNAL",
        }
    }

    fn call_id(&self) -> &str {
        match self {
            Self::Duplicate(record) => &record.request().call.tool_call_id,
            _ => "",
        }
    }
}

fn not_approver(by: Option<&str>, approvers: &[Box<str>]) -> String {
    // Names are arbitrary text.
    let safe = |name: &str| crate::preview::text(name, 256);
    let may = match approvers {
        [] => "anyone who gives a name and did not ask for it".to_owned(),
        _ => approvers.iter().map(|name| safe(name)).collect::<Vec<_>>().join(", "),
    };
    match by {
        Some(by) if by.starts_with("group:") => format!(
            "{} is the name of a group: say which person decides, and in which groups they are; this request is decided by: {may}",
            safe(by)
        ),
        Some(by) => format!("{} may not decide this request, only: {may}", safe(by)),
        None => format!(
            "this request is not decided without a name: say who decides, which may be: {may}"
        ),
    }
}
