//! Requests and records.

use super::*;
use crate::decision::decide;
use crate::envelope::envelope;
use crate::policies::bound::{PolicyLook, refused};
use crate::record::RecordText;
use crate::request::{LookedRequest, approval_id, redeem};

/// Without policies.
fn new_request(text: &str) -> Result<NewRequest, GateError> {
    let look = PolicyLook { policies: &[], may_wait: true };
    LookedRequest::new(text, look).map_err(refused)?.into_new()
}

#[test]
fn records_are_what_the_binding_promises() {
    let gate = gate();
    let text = r#"{"runId":"r","toolCallId":"1","toolName":"execute","args":{"command":"ls"},"origin":["main"],"description":null,"allowedDecisions":null,"timeoutMs":500}"#;
    let id = gate.request(new_request(text).unwrap()).unwrap().request().id;
    let meta = serde_json::from_str(r#"{"by":null,"via":"callback"}"#).unwrap();
    let record = decide(&gate, &id.to_string(), r#"{"type":"reject","stop":true}"#, meta).unwrap();
    let digest = record.request().digest;
    assert_eq!(
        envelope(Ok(RecordText(record))),
        format!(
            r#"{{"ok":{{"approvalId":"{id}","runId":"r","toolCallId":"1","toolName":"execute","args":{{"command":"ls"}},"origin":["main"],"description":"Run tool \"execute\"? command: ls","rows":[{{"name":"command","value":"ls"}}],"preview":"execute\n│ command: ls","flags":[],"allowedDecisions":["approve","edit","reject","respond","skip"],"createdAt":1000,"expiresAt":1500,"digest":"{digest}","status":"rejected","decision":{{"type":"reject","stop":true}},"decidedBy":"callback","via":"callback","decidedAt":1000}}}}"#
        )
    );
    let call = r#"{"toolName":"execute","args":{"command":"ls"}}"#;
    let error =
        envelope::<()>(Err(
            redeem(&gate, Some("r"), "1", &serde_json::from_str(call).unwrap()).unwrap_err()
        ));
    assert_eq!(
        error,
        r#"{"error":{"code":"ERR_NOT_APPROVED","message":"the call is not approved: rejected","status":"rejected"}}"#
    );
}

#[test]
fn faults_of_a_request_have_their_codes() {
    let request = |change: &str| {
        let mut fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(
            r#"{"runId":"r","toolCallId":"1","toolName":"t","args":{},"origin":["main"],"description":null,"allowedDecisions":null,"timeoutMs":null}"#,
        )
        .unwrap();
        let changes: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(change).unwrap();
        fields.extend(changes);
        code(new_request(&serde_json::to_string(&fields).unwrap()))
    };
    assert_eq!(request("{}"), "ok");
    assert_eq!(request(r#"{"args":null}"#), "ok");
    assert_eq!(
        request(r#"{"timeoutMs":1e300,"allowedDecisions":["skip"],"description":"x"}"#),
        "ok"
    );
    let long = "x".repeat(1025);
    for change in [
        format!(r#"{{"toolName":"{long}"}}"#),
        format!(r#"{{"runId":"{long}"}}"#),
        format!(r#"{{"origin":["{long}"]}}"#),
        format!(r#"{{"origin":{:?}}}"#, ["a"; 65]),
        r#"{"toolName":5}"#.into(),
        r#"{"origin":"main"}"#.into(),
        r#"{"description":5}"#.into(),
    ] {
        assert_eq!(request(&change), "ERR_INVALID_ARGUMENTS", "{change}");
    }
    for change in [
        r#"{"timeoutMs":0}"#,
        r#"{"timeoutMs":-1}"#,
        r#"{"allowedDecisions":[]}"#,
        r#"{"allowedDecisions":["x"]}"#,
        r#"{"allowedDecisions":"approve"}"#,
    ] {
        assert_eq!(request(change), "ERR_INVALID_CONFIG", "{change}");
    }
    for text in ["", "null", "{}", r#"{"runId":"r"}"#] {
        assert_eq!(code(new_request(text)), "ERR_INTERNAL");
    }
    let surrogate = r#"{"runId":"r","toolCallId":"1","toolName":"t\ud800","args":{},"origin":["main"],"description":null,"allowedDecisions":null,"timeoutMs":null}"#;
    assert_eq!(code(new_request(surrogate)), "ERR_INVALID_ARGUMENTS");
    let missing = r#"{"runId":"r","toolCallId":"1","toolName":"t","origin":["main"],"description":null,"allowedDecisions":null,"timeoutMs":null}"#;
    assert_eq!(code(new_request(missing)), "ERR_INVALID_ARGUMENTS");
    for id in [
        "",
        "x",
        "01A20066-13EA-7964-9552-1576A740527F",
        "{01a20066-13ea-7964-9552-1576a740527f}",
        "01a2006613ea796495521576a740527f",
    ] {
        assert_eq!(code(approval_id(id)), "ERR_UNKNOWN_APPROVAL");
    }
}
