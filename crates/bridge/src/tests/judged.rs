//! Operations about calls that policies have a say about.

use std::sync::Arc;

use countersign_core::gate::policies::Policies;
use serde_json::{Value, json};

use super::gate;
use super::operation::Memory;
use crate::operation::ReadyOperation;
use crate::policies::open;
use crate::verdict::weigh;

/// Of a program, where no file counts.
fn policies(policy: Value) -> Arc<Policies> {
    let document = json!({ "name": "test", "text": policy.to_string(), "format": "object" });
    let options = json!({
        "documents": [document], "files": "none", "cwd": "/work", "project": "/work", "home": "/home/a",
    });
    Arc::new(open(&options.to_string()).unwrap())
}

fn that(effect: &str) -> Arc<Policies> {
    policies(json!({ "version": 1, "rule": [{ "tools": ["t"], "effect": effect }] }))
}

fn answer(host: &Memory, operation: &Value, policies: &[Arc<Policies>]) -> Value {
    let text = ReadyOperation::new(&operation.to_string(), policies).perform_now(host);
    serde_json::from_str(&text).unwrap()
}

fn binding() -> Value {
    json!({ "tool": "t 1", "asked": { "ruleName": "t", "now": 0 } })
}

/// A request of a call that is shown as policies of a gate say.
fn request(tool_call_id: &str) -> Value {
    let show = json!({ "hasRules": true, "ofGate": true, "floor": false, "offers": true });
    json!({
        "runId": "r", "toolCallId": tool_call_id, "toolName": "t", "args": {}, "origin": ["main"], "description": null,
        "allowedDecisions": null, "timeoutMs": null, "details": { "step": 2 },
        "look": { "binding": binding(), "show": show },
    })
}

fn requested(host: &Memory, policies: &Arc<Policies>) -> Value {
    let operation = json!({ "request": { "requests": [request("1")], "policies": [1] } });
    let made = answer(host, &operation, &[Arc::clone(policies)])["ok"][0]["ok"].clone();
    assert_eq!(made["record"]["status"], "pending");
    made
}

fn approve(host: &Memory, made: &Value, shown: Option<Value>, policies: &[Arc<Policies>]) -> Value {
    let id = &made["record"]["approvalId"];
    let meta = json!({ "by": null, "via": "callback" });
    let decide = json!({
        "approvalId": id, "answer": true, "toolName": "t", "meta": meta, "shown": shown,
    });
    answer(host, &json!({ "decide": decide }), policies)
}

#[test]
fn a_request_has_what_its_policies_say() {
    let host = Memory(gate());
    let made = requested(&host, &that("ask"));
    assert_eq!(made["context"]["tool"], "t 1");
    assert_eq!(made["context"]["policy"]["cwd"], "/work");
    let details = &made["record"]["details"];
    assert_eq!((&details["step"], &details["changes"]), (&json!(2), &json!([])));
    assert!(details["always"]["allow"]["label"].is_string());
}

#[test]
fn each_request_of_several_is_judged_by_policies_of_its_own() {
    let host = Memory(gate());
    let requests = [request("1"), request("2"), request("3")];
    let operation = json!({ "request": { "requests": requests, "policies": [1, 0, 2] } });
    let all = [that("ask"), that("allow"), that("ask")];
    let made = answer(&host, &operation, &all);
    let policy = |at: usize| &made["ok"][at]["ok"]["context"]["policy"];
    assert!(policy(0).is_object());
    // A request that policies are to show is not made without policies.
    assert_eq!(made["ok"][1]["error"]["code"], "ERR_INTERNAL");
    assert_eq!(policy(2).as_array().map(Vec::len), Some(2));
}

#[test]
fn what_is_redeemed_is_judged_once_more() {
    let host = Memory(gate());
    let asks = that("ask");
    let made = requested(&host, &asks);
    assert_eq!(approve(&host, &made, None, &[])["ok"]["answered"], "approved");
    let call = json!({ "toolName": "t", "args": {}, "binding": binding() });
    let redeem = json!({ "redeem": { "runId": "r", "toolCallId": "1", "call": call } });
    let denied = &answer(&host, &redeem, &[that("deny")])["ok"];
    assert!(denied["denied"].is_string() && denied["redeemed"].is_null(), "{denied}");
    for other in [vec![], vec![that("allow")], vec![Arc::clone(&asks), that("ask")]] {
        let code = &answer(&host, &redeem, &other)["error"]["code"];
        assert_eq!(code, "ERR_DIGEST_MISMATCH");
    }
    let redeemed = &answer(&host, &redeem, &[asks])["ok"];
    assert_eq!(redeemed["redeemed"]["approvalId"], made["record"]["approvalId"]);
}

#[test]
fn an_approval_brings_whether_the_call_still_is_what_was_shown() {
    let asked = json!({ "ruleName": "t", "now": 0 });
    let asks = that("ask");
    for (now, objection) in [
        (&asks, None),
        (&that("allow"), Some("The policy changed since it was approved.")),
        (&that("deny"), Some("It is denied by now: ")),
    ] {
        let host = Memory(gate());
        let made = requested(&host, &asks);
        let shown = json!({
            "asked": asked, "args": {}, "hasRules": true, "policy": made["context"]["policy"], "changes": [],
        });
        let now = [Arc::clone(now)];
        let decided = approve(&host, &made, Some(shown.clone()), &now);
        assert_eq!(decided["ok"]["answered"], "approved");
        let alone = answer(&host, &json!({ "staleness": { "shown": shown } }), &now);
        for staleness in [&decided["ok"]["staleness"], &alone["ok"]] {
            match objection {
                None => assert!(staleness["objection"].is_null(), "{staleness}"),
                Some(why) => {
                    assert!(
                        staleness["objection"].as_str().unwrap().starts_with(why),
                        "{staleness}"
                    );
                }
            }
        }
    }
}

#[test]
fn what_has_to_wait_for_files_is_not_done_at_once() {
    let asks = that("ask");
    let operation = json!({ "request": { "requests": [request("1")], "policies": [1] } });
    let near = |policies: &Arc<Policies>| {
        ReadyOperation::near(&operation.to_string(), &[Arc::clone(policies)]).is_some()
    };
    // Policies that were not read yet are read on another thread.
    assert!(!near(&asks));
    requested(&Memory(gate()), &asks);
    assert!(near(&asks));
}

#[test]
fn one_answer_weighs_policies_a_mode_and_what_forbids_it() {
    let forbidding = policies(json!({ "version": 1, "default": "ask", "forbid": ["auto"] }));
    let weighed = |mode: &str, own: Value, policies: &Arc<Policies>| -> Value {
        let parts = json!({
            "toolName": "t", "args": {}, "asked": { "ruleName": "t", "now": 0 }, "first": "gate", "own": own,
            "hasJudge": false, "mode": mode, "isQuestion": false, "startsAgents": false,
        });
        let answer = weigh(&parts.to_string(), &[Arc::clone(policies)]).unwrap();
        serde_json::to_value(&answer).unwrap()
    };
    let asks = that("ask");
    for (mode, policies, effect) in [
        ("safe", &asks, "ask"),
        ("auto", &asks, "allow"),
        ("auto", &forbidding, "ask"),
        ("plan", &asks, "deny"),
        ("deny-all-asks", &asks, "deny"),
        ("auto", &that("deny"), "deny"),
    ] {
        let answer = weighed(mode, json!([]), policies);
        assert_eq!(answer["next"]["verdict"]["effect"], effect, "{mode}");
        assert_eq!(answer["judged"].as_array().map(Vec::len), Some(1));
    }
    // Functions are called where no policy denies.
    assert_eq!(weighed("safe", Value::Null, &asks)["next"]["kind"], "askOwn");
    assert_eq!(weighed("safe", Value::Null, &that("deny"))["next"]["kind"], "verdict");
}
