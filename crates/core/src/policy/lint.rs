//! What is probably not meant: rules that never decide, that nothing can match, or that allow more than they seem to.
//!
//! Everything found is certain to be so by the text of the documents; what cannot be told from them is not reported.

mod broad;
mod cover;
mod reviewer;
mod shadow;
#[cfg(test)]
mod tests;
mod unmatchable;

use serde::Serialize;

use super::Effect;
use super::document::{DocumentPlace, PolicyDocument, PolicyRule};

/// Something in a policy that is probably not meant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LintFinding {
    /// What kind.
    pub code: FindingCode,
    /// What is wrong, and what to do. Safe to print.
    pub message: String,
    /// The document.
    pub source_name: String,
    /// The place in it.
    #[serde(flatten)]
    pub place: DocumentPlace,
    /// The index of the rule in its document; `None`: it is about something else than a rule.
    pub rule: Option<usize>,
    /// How much it matters.
    pub severity: LintSeverity,
}

/// What kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingCode {
    /// It never decides, because another rule always does.
    Shadowed,
    /// It says what another rule says.
    Duplicate,
    /// Nothing can match it.
    Unmatchable,
    /// It allows more than can be overseen.
    TooBroad,
    /// It allows what is allowed without it.
    SaysNothing,
    /// It leaves to a reviewer what no reviewer may answer.
    UnheardReviewer,
    /// It has no reason.
    NoReason,
    /// It has no examples.
    NoExamples,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LintSeverity {
    /// It could be better.
    Info,
    /// It is most likely a mistake, or dangerous.
    Warning,
}

/// What is probably not meant in these documents, which count together. In the order of the documents and their rules.
///
/// `tools`: the names of all tools; without them names of tools are not looked at. With more than a few thousand rules not every
/// pair of rules is compared.
pub fn lint(documents: &[PolicyDocument], tools: Option<&[String]>) -> Vec<LintFinding> {
    let mut findings = Vec::new();
    let shadows = shadow::find(documents);
    for (number, document) in documents.iter().enumerate() {
        findings.extend(tools.into_iter().flat_map(|tools| unmatchable::readings(document, tools)));
        findings.extend(broad::network(document));
        for (index, rule) in document.rules.iter().enumerate() {
            let mut report = LintReport { document, rule, findings: &mut findings };
            unmatchable::check(&mut report, tools);
            if let Some(why) = reviewer::unheard(rule, document) {
                let message = format!("reviewer = true means nothing here: {why}; leave it out");
                report.warn(rule.at, FindingCode::UnheardReviewer, message);
            }
            if rule.effect == Effect::Allow {
                broad::check(&mut report, documents);
            }
            match shadows.get(&(number, index)) {
                Some(shadow) => shadow.tell(&mut report, documents),
                None if shadow::says_nothing(document, rule) => report.info(
                    FindingCode::SaysNothing,
                    "the document's default allows this too: leave the rule out".to_owned(),
                ),
                None => {}
            }
            if rule.reason.is_none() {
                let message = "it has no reason: the human who is asked and the model that is refused would read it";
                report.info(FindingCode::NoReason, message.to_owned());
            }
            let examples = &rule.examples;
            let is_bare = examples.matching.is_empty() && examples.not_matching.is_empty();
            if is_bare && !is_whole(rule) {
                let message = "this rule has no examples: add examples = { match = […], not_match = […] }, which are checked each time it is read";
                report.info(FindingCode::NoExamples, message.to_owned());
            }
        }
    }
    findings
}

/// Takes findings on one rule.
struct LintReport<'a> {
    document: &'a PolicyDocument,
    rule: &'a PolicyRule,
    findings: &'a mut Vec<LintFinding>,
}

impl LintReport<'_> {
    fn at(
        &mut self, place: DocumentPlace, severity: LintSeverity, code: FindingCode, message: String,
    ) {
        self.findings.push(LintFinding {
            code,
            message,
            source_name: self.document.source.name.to_string(),
            place,
            rule: Some(self.rule.index),
            severity,
        });
    }

    fn warn(&mut self, place: DocumentPlace, code: FindingCode, message: String) {
        self.at(place, LintSeverity::Warning, code, message);
    }

    fn info(&mut self, code: FindingCode, message: String) {
        self.at(self.rule.at, LintSeverity::Info, code, message);
    }
}

/// Whether the rule speaks of whole calls.
fn is_whole(rule: &PolicyRule) -> bool {
    rule.commands.is_empty()
        && rule.reads.is_empty()
        && rule.writes.is_empty()
        && rule.urls.is_empty()
        && rule.env.is_empty()
}
