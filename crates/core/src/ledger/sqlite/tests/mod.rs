//! What only the file does; what both ledgers do is in the suite.

mod alike;
mod damage;
mod feed;
mod history;
mod kept;
mod keys;
mod plans;
mod states;
mod upkeep;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::value::RawValue;

use super::SqliteLedger;
use crate::approval::{
    ApprovalId, Decision, DecisionChannel, DecisionChoice, DecisionKinds, RecordedDecision,
    Request, RequestExtras,
};
use crate::call::{CallContext, CanonicalJson, ToolCall};
use crate::ledger::seal::ContentKey;
use crate::ledger::{DurableLedger, EventFeed, Ledger, LedgerError, OpenOptions, RequestOutcome};

/// A directory that goes with the test.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("countersign-test-{}", uuid::Uuid::now_v7()));
        std::fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("ledger.db")
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn options(key: Option<&str>) -> OpenOptions {
    let key = key.map(|key| ContentKey::parse(&key.repeat(64)).unwrap());
    OpenOptions { key, read_only: false, feed: Arc::new(EventFeed::default()), now: 0 }
}

fn open(path: &Path) -> SqliteLedger {
    SqliteLedger::open(Some(path), options(None)).unwrap()
}

fn temporary() -> SqliteLedger {
    SqliteLedger::open(None, options(None)).unwrap()
}

fn try_open(path: &Path, key: Option<&str>) -> Result<SqliteLedger, LedgerError> {
    SqliteLedger::open(Some(path), options(key))
}

fn json(text: &str) -> CanonicalJson {
    CanonicalJson::parse(text).unwrap()
}

fn raw(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

/// A request with a text in each of its places.
fn request(run: &str, call: &str, now: u64, deadline: Option<u64>) -> Request {
    let call = ToolCall {
        run_id: run.into(),
        tool_call_id: call.into(),
        tool_name: "execute".into(),
        args: json(r#"{"command":"secret-args"}"#),
        context: Some(Box::new(CallContext(json(r#"{"cwd":"/secret-context"}"#)))),
    };
    Request {
        id: uuid::Uuid::now_v7(),
        digest: call.digest(),
        call,
        origin: ["main".into(), "sub".into()].into(),
        description: Some("secret-description".into()),
        preview: "secret-preview".into(),
        more: Some(Box::new(RequestExtras {
            flags: ["long", "bidi"].into(),
            details: Some(raw(r#"{"a": "secret-details"}"#)),
            ..RequestExtras::default()
        })),
        allowed: DecisionKinds::ALL,
        created_at: now,
        expires_at: deadline,
    }
}

fn put(ledger: &SqliteLedger, request: Request) -> ApprovalId {
    let RequestOutcome::Created(record) = ledger.request(request).unwrap() else {
        panic!("a duplicate")
    };
    record.request().id
}

fn choose(choice: DecisionChoice, at: u64) -> RecordedDecision {
    RecordedDecision {
        decision: Decision::new(choice, Some("secret-reason")),
        by: Some("ada".into()),
        via: DecisionChannel::Gate,
        at,
    }
}

/// Everything is as it was written.
fn verify(ledger: &SqliteLedger) {
    let verified = ledger.verify().unwrap();
    assert_eq!(verified.faults, []);
    assert_eq!(verified.entries, ledger.head().unwrap().seq);
}
