//! The ledger itself.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use countersign_core::approval::{
    ApprovalId, Decision, DecisionChannel, DecisionChoice, DecisionKinds, ExecutionStep, Record,
    RecordedDecision, Request,
};
use countersign_core::call::{CanonicalJson, ToolCall};
use countersign_core::ledger::{
    self, DecideOutcome, DurableLedger, EventFeed, LedgerLocation, RedeemOutcome, RequestOutcome,
};
use serde::Deserialize;

use super::{
    AuditEntry, DecideAnswer, ProofError, ProofStore, RequestAnswer, RequestRow, RequestState,
    StoreSnapshot,
};

/// The one run that all requests are of.
const RUN: &str = "proof";
/// How many entries of the audit log are read at once.
const PAGE: usize = 1000;

/// The ledger of countersign as a store.
pub(super) struct LedgerStore(Box<dyn ledger::Ledger>);

impl LedgerStore {
    pub(super) fn open(dir: &Path) -> Result<Self, ProofError> {
        let feed = Arc::new(EventFeed::default());
        let options = ledger::OpenOptions { key: None, read_only: false, feed, now: now() };
        Ok(Self(ledger::open(&LedgerLocation::Sqlite(Some(dir.join("store.db"))), options)?))
    }

    fn archive(&self) -> Result<&dyn DurableLedger, ProofError> {
        self.0.archive().ok_or_else(|| ProofError("the ledger does not last".into()))
    }

    fn record(&self, id: &str) -> Result<Option<Record>, ProofError> {
        Ok(self.0.get(read(id)?)?)
    }
}

/// ms since the epoch.
fn now() -> u64 {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

fn read(id: &str) -> Result<ApprovalId, ProofError> {
    id.parse().map_err(|error| ProofError(format!("{id:?} is no id: {error}")))
}

fn id_of(record: &Record) -> Arc<str> {
    record.request().id.to_string().into()
}

fn state(record: &Record) -> RequestState {
    RequestState::new(record.status(), record.decided().and_then(|decided| decided.by.as_deref()))
}

fn already(record: &Record) -> DecideAnswer {
    state(record).by.map_or(DecideAnswer::Unknown, DecideAnswer::Already)
}

/// About 1 KiB of arguments.
fn request(key: &str) -> Result<Request, ProofError> {
    let text = format!(r#"{{"command":"echo {}"}}"#, "x".repeat(1000));
    let call = ToolCall {
        run_id: RUN.into(),
        tool_call_id: key.into(),
        tool_name: "execute".into(),
        args: CanonicalJson::parse(&text).map_err(|error| error.to_string())?,
        context: None,
    };
    Ok(Request {
        id: ApprovalId::now_v7(),
        digest: call.digest(),
        call,
        origin: ["main".into()].into(),
        description: None,
        preview: "execute".into(),
        more: None,
        allowed: DecisionKinds::ALL,
        created_at: now(),
        expires_at: None,
    })
}

impl ProofStore for LedgerStore {
    fn request(&self, key: &str) -> Result<RequestAnswer, ProofError> {
        Ok(match self.0.request(request(key)?)? {
            RequestOutcome::Created(record) => RequestAnswer { id: id_of(&record), created: true },
            RequestOutcome::Duplicate(record) => {
                RequestAnswer { id: id_of(&record), created: false }
            }
        })
    }

    fn decide(&self, id: &str, by: &str, approve: bool) -> Result<DecideAnswer, ProofError> {
        let choice =
            if approve { DecisionChoice::Approve } else { DecisionChoice::Reject { stop: false } };
        let decided = RecordedDecision {
            decision: Decision::new(choice, None),
            by: Some(by.into()),
            via: DecisionChannel::Gate,
            at: now(),
        };
        Ok(match self.0.decide(read(id)?, decided)? {
            DecideOutcome::Won(_) => DecideAnswer::Won,
            DecideOutcome::Already(record) => already(&record),
            DecideOutcome::Expired(_)
            | DecideOutcome::NotAllowed(_)
            | DecideOutcome::Counted(_)
            | DecideOutcome::Refused { .. } => {
                return Err(ProofError(format!("{id} has no deadline and anybody may decide it")));
            }
            DecideOutcome::Unknown => DecideAnswer::Unknown,
        })
    }

    fn begin(&self, id: &str) -> Result<Result<(), Option<Arc<str>>>, ProofError> {
        let Some(record) = self.record(id)? else { return Ok(Err(None)) };
        let request = record.request();
        Ok(match self.0.begin(request.id, request.digest, now())? {
            RedeemOutcome::Won(_) => Ok(()),
            RedeemOutcome::Refused(status) => Err(Some(status.name().into())),
            RedeemOutcome::Mismatch => return Err(ProofError(format!("{id} has another digest"))),
            RedeemOutcome::Unknown => Err(None),
        })
    }

    fn finish(&self, id: &str) -> Result<bool, ProofError> {
        Ok(self.0.finish(read(id)?, ExecutionStep::Succeed, None, now())?.is_some())
    }

    fn get(&self, id: &str) -> Result<Option<RequestState>, ProofError> {
        Ok(self.record(id)?.as_ref().map(state))
    }

    fn examine(&self) -> Result<StoreSnapshot, ProofError> {
        let archive = self.archive()?;
        let mut found = StoreSnapshot::default();
        for fault in archive.verify()?.faults {
            found.damage.push(format!("{fault:?}"));
        }
        for record in archive.records(RUN)? {
            let key = Arc::clone(&record.request().call.tool_call_id);
            found.rows.push(RequestRow { id: id_of(&record), key, state: state(&record) });
        }
        let mut after = 0;
        loop {
            let entries = archive.audit(after, PAGE)?;
            let Some(last) = entries.last() else { return Ok(found) };
            after = last.seq;
            for entry in &entries {
                found.audit.extend(about_a_request(&entry.body)?);
            }
        }
    }
}

/// The entry of a request; `None`: it is about something else.
fn about_a_request(body: &str) -> Result<Option<AuditEntry>, ProofError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct EntryBody {
        kind: Arc<str>,
        approval_id: Option<Arc<str>>,
        by: Option<Arc<str>>,
    }
    let EntryBody { kind, approval_id, by } = serde_json::from_str(body)?;
    Ok(approval_id.map(|id| AuditEntry { kind, id, by }))
}
