//! Rules that leave to a reviewer what no reviewer may answer.

use super::{FindingCode, LintReport};
use crate::policy::Effect;
use crate::policy::document::LayerKind;

pub(super) fn check(report: &mut LintReport) {
    if !report.rule.reviewer {
        return;
    }
    let names_people = report.rule.who.as_ref().is_some_and(|who| !who.needs.is_empty());
    let is_managed = report.document.source.layer == LayerKind::Managed;
    let why = match report.rule.effect {
        Effect::Allow => "nobody is asked about what a rule allows",
        Effect::Deny => "nobody answers a deny",
        Effect::Ask if is_managed => "what the administrator asks about only a human answers",
        Effect::Ask if names_people => "people are named who must agree, and a reviewer is none",
        Effect::Ask => return,
    };
    let message = format!("reviewer = true means nothing here: {why}; leave it out");
    report.warn(report.rule.at, FindingCode::UnheardReviewer, message);
}
