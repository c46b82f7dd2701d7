//! Options that people write into an entry of `interruptOn`, which has none of that name.

use countersign_core::policy::interrupt::folded;

/// What to write instead; `None`: not a known slip.
pub(super) fn instead_of(option: &str) -> Option<&'static str> {
    Some(match folded(option).as_str() {
        "approvaltimeout" | "deadline" | "expires" | "expiresin" | "expiry" | "timeoutms"
        | "ttl" => "did you mean \"timeout\"? It is in ms: { timeout: 60_000 }",
        "condition" | "if" | "needsapproval" | "predicate" | "requiresapproval" | "shouldask"
        | "when" => {
            "did you mean \"shouldApprove\"? It says which calls are asked about: { shouldApprove: (args) => true }"
        }
        "label" | "message" | "prompt" | "question" | "reason" | "title" => {
            "did you mean \"description\"? It is a text, or a function of the call: { description: ({ args }) => '…' }"
        }
        "allowaccept" | "allowapprove" | "allowedit" | "allowignore" | "allowreject"
        | "allowrespond" | "decisions" => {
            "did you mean \"allowedDecisions\"? It is a list: { allowedDecisions: ['approve', 'edit', 'reject', 'respond', 'skip'] }"
        }
        "approvedby" | "approver" | "owners" | "reviewers" | "roles" | "users" | "who" => {
            "did you mean \"approvers\"? It is a list of names of people or groups: { approvers: ['mia'] }"
        }
        "approvals" | "minapprovals" | "minimum" | "required" | "requiredapprovals" | "votes" => {
            "did you mean \"quorum\"? It is how many must agree: { approvers: ['mia', 'bo'], quorum: 2 }"
        }
        "by" | "remember" => {
            "it is said with a decision: onApprovalRequest: () => ({ type: 'approve', by: 'mia', remember: 'session' })"
        }
        "addresses" | "commands" | "effect" | "files" | "paths" | "reads" | "rules" | "tools"
        | "urls" | "writes" => {
            "what a call would do is what a policy speaks of: policy: { version: 1, rule: [{ effect: 'ask', … }] }, beside interruptOn"
        }
        "askorder" | "gate" | "interrupton" | "maxsteps" | "onapprovalrequest" | "onquestion"
        | "policy" | "repeatedrejections" | "requester" | "runid" | "unknowntools" => {
            "it is said of the whole run, beside interruptOn and not in it"
        }
        "authorize" | "encryption" | "groups" | "judge" | "ledger" | "logger" | "mode"
        | "redact" | "retention" | "telemetry" => {
            "it is said of the gate: gate: createGate({ … }), beside interruptOn"
        }
        _ => return None,
    })
}
