//! What a person may decide, for who shows requests to them.

use countersign_core::approval::{
    ApproverNeed, DecidingPerson, DecisionKind, MissingRight, WaitingRequest,
};
use countersign_core::gate::GateError;
use serde::{Deserialize, Serialize};

use crate::envelope::read;
#[cfg(test)]
use crate::words;

/// A request that waits, and who looks at it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NativeWaiting {
    #[cfg_attr(test, ts(as = "crate::types::List<words::DecisionType>"))]
    allowed_decisions: Vec<DecisionKind>,
    #[cfg_attr(test, ts(as = "crate::types::List<crate::record::ApprovalNeed<'static>>"))]
    needs: Vec<ApproverNeed>,
    /// Who has approved it.
    voters: Vec<NativePerson>,
    requester: Option<String>,
    /// ms since it was made.
    age: f64,
    person: NativePerson,
}

/// A person, with the groups that they are known to be in.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
struct NativePerson {
    name: String,
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    groups: Vec<Box<str>>,
}

impl NativePerson {
    fn person(&self) -> DecidingPerson<'_> {
        DecidingPerson { name: &self.name, groups: &self.groups }
    }
}

/// What a person may decide.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeRights {
    #[cfg_attr(test, ts(as = "Vec<words::DecisionType>"))]
    may_decide: Vec<DecisionKind>,
    /// `null`: it is all that the request allows.
    lack: Option<NativeLack>,
    /// How many have approved each need; `null`: that is not known.
    approvals: Vec<Option<usize>>,
}

/// Why it is less than the request allows.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
enum NativeLack {
    OthersNamed,
    HasVoted,
    IsRequester,
}

impl From<MissingRight> for NativeLack {
    fn from(lack: MissingRight) -> Self {
        match lack {
            MissingRight::OthersNamed => Self::OthersNamed,
            MissingRight::HasVoted => Self::HasVoted,
            MissingRight::IsRequester => Self::IsRequester,
        }
    }
}

/// What a person may decide of a request that waits: `NativeWaiting` to `NativeRights`.
pub fn rights(text: &str) -> Result<impl Serialize + use<>, GateError> {
    let waiting: NativeWaiting = read(text)?;
    let voters: Vec<_> = waiting.voters.iter().map(NativePerson::person).collect();
    let request = WaitingRequest {
        allowed: &waiting.allowed_decisions,
        needs: &waiting.needs,
        voters: &voters,
        requester: waiting.requester.as_deref(),
        age: waiting.age.max(0.0) as u64,
    };
    let rights = request.rights_of(waiting.person.person());
    Ok(NativeRights {
        may_decide: rights.kinds,
        lack: rights.lack.map(NativeLack::from),
        approvals: request.approvals(),
    })
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeWaiting>().with::<NativeRights>()
}
