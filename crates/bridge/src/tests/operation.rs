//! Operations, as texts.

use std::sync::Arc;

use countersign_core::gate::{Gate, GateError};
use countersign_core::ledger::EventFeed;

use super::gate;
use crate::operation::{Host, perform};

/// A gate in memory.
struct Memory(Arc<Gate>);

impl Host for Memory {
    fn gate(&self) -> Result<Arc<Gate>, GateError> {
        Ok(Arc::clone(&self.0))
    }

    fn feed(&self) -> &EventFeed {
        self.0.feed()
    }

    fn lasts(&self) -> bool {
        self.0.lasts()
    }

    fn watch_all(&self, _on: bool) {}

    fn close(&self, reason: &str) -> Result<(), GateError> {
        self.0.close(reason)
    }
}

fn code(host: &dyn Host, operation: &str) -> String {
    let answer: serde_json::Value = serde_json::from_str(&perform(host, operation)).unwrap();
    answer["error"]["code"].as_str().unwrap_or("ok").to_owned()
}

#[test]
fn what_is_no_operation_is_an_error_of_ours() {
    let host = Memory(gate());
    for operation in [
        "",
        "null",
        "{}",
        r#""lasts""#,
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
    let answers = perform(&host, &format!(r#"{{"request":{{"requests":[{requests}]}}}}"#));
    let answers: serde_json::Value = serde_json::from_str(&answers).unwrap();
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
