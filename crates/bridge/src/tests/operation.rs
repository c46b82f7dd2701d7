//! Operations, as texts.

use std::sync::Arc;

use countersign_core::gate::{Gate, GateError};
use countersign_core::ledger::EventFeed;

use super::gate;
use crate::operation::{Host, ReadyOperation};

/// A gate in memory.
pub(super) struct Memory(pub(super) Arc<Gate>);

impl Host for Memory {
    fn gate(&self) -> Result<Arc<Gate>, GateError> {
        Ok(Arc::clone(&self.0))
    }

    fn feed(&self) -> &EventFeed {
        self.0.feed()
    }

    fn is_durable(&self) -> bool {
        self.0.is_durable()
    }

    fn watch_all(&self, _on: bool) {}

    fn close(&self, reason: &str) -> Result<(), GateError> {
        self.0.close(reason)
    }
}

fn code(host: &dyn Host, operation: &str) -> String {
    let answer: serde_json::Value = serde_json::from_str(
        &ReadyOperation::new(operation, &[]).perform(host).with_events(&EventFeed::default()),
    )
    .unwrap();
    answer["error"]["code"].as_str().unwrap_or("ok").to_owned()
}

#[test]
fn what_is_no_operation_is_an_error_of_ours() {
    let host = Memory(gate());
    for operation in [
        "",
        "null",
        "{}",
        r#""isDurable""#,
        r#"{"unheard":{}}"#,
        r#"{"get":{}}"#,
        r#"{"get":{"approvalId":5}}"#,
        r#"{"get":["x"],"find":{}}"#,
        r#"{"cancelRun":{"runId":"r","reason":"","via":"nothing"}}"#,
    ] {
        assert_eq!(code(&host, operation), "ERR_INTERNAL", "{operation}");
    }
    // Where nothing lasts, its operations say so.
    for operation in [r#"{"runs":{"open":true,"limit":1}}"#, r#"{"head":{}}"#] {
        assert_eq!(code(&host, operation), "ERR_LEDGER_TEMPORARY", "{operation}");
    }
}

#[test]
fn each_of_several_requests_is_answered_by_itself() {
    let host = Memory(gate());
    let request = |run: &str| {
        format!(
            r#"{{"runId":{run},"toolCallId":"1","toolName":"t","args":{{}},"origin":["main"],"description":null,"allowedDecisions":null,"timeoutMs":null}}"#
        )
    };
    let requests = [request(r#""r""#), request("5"), request(r#""r""#), "{}".to_owned()].join(",");
    let answers = answer(&host, &format!(r#"{{"request":{{"requests":[{requests}]}}}}"#));
    let codes: Vec<_> = (0..4).map(|at| answers["ok"][at]["error"]["code"].as_str()).collect();
    let wrong = ["ERR_INVALID_ARGUMENTS", "ERR_DUPLICATE_CALL", "ERR_INTERNAL"].map(Some);
    assert_eq!(codes, [&[None], &wrong[..]].concat());
    assert_eq!(answers["ok"][2]["error"]["existing"]["runId"], "r");
}

#[test]
fn what_was_left_out_is_no_decision() {
    let host = Memory(gate());
    assert_eq!(code(&host, r#"{"parseAnswer":{"toolName":"t"}}"#), "ERR_INVALID_DECISION");
}

const REQUEST: &str = r#"{"request":{"requests":[{"runId":"r","toolCallId":"1","toolName":"t","args":{},"origin":["main"],"description":null,"allowedDecisions":null,"timeoutMs":null}]}}"#;

fn answer(host: &dyn Host, operation: &str) -> serde_json::Value {
    serde_json::from_str(&ReadyOperation::new(operation, &[]).perform_now(host)).unwrap()
}

fn types(events: &serde_json::Value) -> Vec<&str> {
    events.as_array().into_iter().flatten().filter_map(|event| event["type"].as_str()).collect()
}

#[test]
fn an_answer_in_memory_brings_what_it_made_happen_once() {
    let host = Memory(gate());
    assert_eq!(types(&answer(&host, REQUEST)["events"]), ["requested"]);
    let drained = answer(&host, r#"{"drain":{}}"#);
    assert_eq!((types(&drained["ok"]), &drained["events"]), (vec![], &serde_json::Value::Null));
}

#[test]
fn in_a_hushed_feed_only_what_somebody_waits_for_is_told() {
    let host = Memory(gate());
    host.feed().hush(true);
    let requested = answer(&host, REQUEST);
    assert_eq!(requested["events"], serde_json::Value::Null);
    let cancel = r#"{"cancelRun":{"runId":"r","reason":"","via":"abort"}}"#;
    assert_eq!(types(&answer(&host, cancel)["events"]), ["decided"]);
}

#[test]
fn an_answer_decides_only_where_it_says_no_more_than_yes_or_no() {
    let host = Memory(gate());
    let requested = answer(&host, REQUEST);
    let id = requested["ok"][0]["ok"]["record"]["approvalId"].as_str().unwrap();
    let decide = |given: &str| {
        answer(
            &host,
            &format!(
                r#"{{"decide":{{"approvalId":"{id}","answer":{given},"toolName":"t","meta":{{"by":null,"via":"callback"}}}}}}"#
            ),
        )
    };
    assert_eq!(decide("5")["error"]["code"], "ERR_INVALID_DECISION");
    for said in [r#"{"type":"edit","args":{}}"#, r#"{"type":"respond","output":1}"#] {
        assert!(decide(said)["ok"]["read"]["type"].is_string(), "{said}");
        let record = answer(&host, &format!(r#"{{"get":{{"approvalId":"{id}"}}}}"#));
        assert_eq!(record["ok"]["status"], "pending", "{said}");
    }
    assert_eq!(decide("true")["ok"]["answered"], "approved");
    assert_eq!(decide("false")["error"]["code"], "ERR_ALREADY_DECIDED");
}
