//! What `interruptOn` means for each tool.

use countersign_core::approval::DecisionKinds;
use countersign_core::policy::interrupt::{EntryAction, GatedTool, GatingPlan};
use countersign_core::preview::may_change_file;
use serde::Serialize;

use crate::record::ApprovalNeed;
#[cfg(test)]
use crate::words;

/// What `interruptOn` says about each tool.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct InterruptPlan<'a> {
    /// One per own property of `tools`, in their order. A list of pairs, since a name may be `__proto__`.
    #[cfg_attr(test, ts(type = "[name: string, gating: Gating][]"))]
    tools: Vec<(&'a str, ToolGating<'a>)>,
    /// Names that no tool has and that are no error.
    unknown: &'a [String],
}

/// What `interruptOn` says about one tool.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Gating"))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ToolGating<'a> {
    /// `ask`, `allow`: decided by configuration. `judge`: by the entry's `shouldApprove`. `own`: by the tool's `needsApproval`.
    #[cfg_attr(test, ts(as = "words::GatingAction"))]
    action: EntryAction,
    /// The entry that decided or that the options come from: the tool's name, `*`, or none.
    entry: Option<&'a str>,
    #[cfg_attr(test, ts(as = "Option<crate::types::List<words::DecisionType>>"))]
    allowed_decisions: Option<DecisionKinds>,
    /// ms.
    timeout: Option<f64>,
    /// Who must agree, beside that somebody must.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(optional, as = "Option<crate::types::List<ApprovalNeed<'static>>>"))]
    needs: Vec<ApprovalNeed<'a>>,
    /// ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(optional = nullable))]
    remind: Option<f64>,
    /// What is shown of its calls may be the change of a file.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    changes_file: bool,
}

impl<'a> ToolGating<'a> {
    fn new(tool_name: &str, gating: &'a GatedTool) -> Self {
        let GatedTool { action, entry, allowed_decisions, timeout, needs, remind } = gating;
        Self {
            action: *action,
            entry: entry.as_deref(),
            allowed_decisions: *allowed_decisions,
            timeout: *timeout,
            needs: needs.iter().map(ApprovalNeed::from).collect(),
            remind: *remind,
            changes_file: may_change_file(tool_name),
        }
    }
}

/// A plan, to be written.
pub fn plan(GatingPlan { tools, unknown }: &GatingPlan) -> impl Serialize + '_ {
    let tools =
        tools.iter().map(|(name, gating)| (&**name, ToolGating::new(name, gating))).collect();
    InterruptPlan { tools, unknown }
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<InterruptPlan<'static>>().with::<ToolGating<'static>>()
}
