//! What policies take and give as JSON text.
//!
//! - [`documents`]: what is asked about policies as they are written
//! - [`calls`]: what policies are asked about calls, modes and grants
//! - [`bound`]: what an approval is bound to by them

pub mod bound;
pub mod calls;
pub mod documents;
pub(crate) mod judged;
mod proposal;
mod shown;
mod tree;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::envelope::read;
#[cfg(test)]
use crate::words;
use countersign_core::gate::GateError;
use countersign_core::gate::policies::{MachinePolicies, Policies, PolicyOptions};
use countersign_core::layers::{CodePolicy, LayerProblem, PRESETS, preset};
use countersign_core::policy::document::{DocumentError, DocumentFormat, DocumentPlace, ErrorCode};
use countersign_core::policy::lint::{FindingCode, LintFinding, LintSeverity};

/// What this room answers with.
pub type Answer<T> = Result<T, GateError>;

/// A policy as it was written.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeDocument {
    name: String,
    text: String,
    format: NativeFormat,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum NativeFormat {
    Toml,
    Json,
    Object,
    /// The text is the name of one.
    Preset,
}

impl NativeDocument {
    fn policy(self) -> Answer<CodePolicy> {
        let name: Arc<str> = self.name.into();
        let (format, text) = match self.format {
            NativeFormat::Toml => (DocumentFormat::Toml, self.text),
            NativeFormat::Json => (DocumentFormat::Json, self.text),
            NativeFormat::Object => (DocumentFormat::Object, self.text),
            NativeFormat::Preset => match preset(&self.text) {
                Some(text) => (DocumentFormat::Toml, text.to_owned()),
                None => {
                    let known: Vec<String> =
                        PRESETS.iter().map(|name| format!("\"preset:{name}\"")).collect();
                    return Err(GateError::InvalidConfig(format!(
                        "policy: there is no preset {:?}, only {}",
                        self.text,
                        known.join(" and ")
                    )));
                }
            },
        };
        Ok(CodePolicy { name, format, text })
    }
}

fn policies_of(documents: Vec<NativeDocument>) -> Answer<Vec<CodePolicy>> {
    documents.into_iter().map(NativeDocument::policy).collect()
}

/// Something in a policy that is probably not meant.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct PolicyFinding {
    #[cfg_attr(test, ts(as = "words::PolicyFindingCode"))]
    code: FindingCode,
    #[cfg_attr(test, ts(as = "words::PolicySeverity"))]
    severity: LintSeverity,
    message: String,
    source: String,
    line: Option<u32>,
    column: Option<u32>,
}

impl From<LintFinding> for PolicyFinding {
    fn from(finding: LintFinding) -> Self {
        let known = |number: u32| Some(number).filter(|number| *number > 0);
        Self {
            code: finding.code,
            severity: finding.severity,
            message: finding.message,
            source: finding.source_name,
            line: known(finding.place.line),
            column: known(finding.place.column),
        }
    }
}

/// What policies are made with.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativePolicyOptions {
    documents: Vec<NativeDocument>,
    /// Which policy files of the machine count beside the documents.
    files: NativeMachine,
    cwd: String,
    /// `null`: looked for from `cwd` upward.
    project: Option<String>,
    home: String,
    /// Files that ask unless a rule names them.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
    own: Vec<String>,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum NativeMachine {
    None,
    /// The administrator's.
    Managed,
    All,
}

/// Policies from the options of `NativePolicies`.
pub fn open(text: &str) -> Answer<Policies> {
    let NativePolicyOptions { documents, files, cwd, project, home, own } = read(text)?;
    let machine = match files {
        NativeMachine::None => MachinePolicies::None,
        NativeMachine::Managed => MachinePolicies::Managed,
        NativeMachine::All => MachinePolicies::All,
    };
    let code = policies_of(documents)?;
    Policies::new(PolicyOptions { code, machine, cwd, project, home, own })
        .map_err(GateError::Policy)
}

/// A place where a policy cannot be read.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct PolicyProblem<'a> {
    #[cfg_attr(test, ts(as = "words::PolicyErrorCode"))]
    code: &'static str,
    message: String,
    source: &'a str,
    line: Option<u32>,
    column: Option<u32>,
}

impl<'a> From<&'a DocumentError> for PolicyProblem<'a> {
    fn from(error: &'a DocumentError) -> Self {
        let known = |number: u32| Some(number).filter(|number| *number > 0);
        Self {
            code: error.code.name(),
            message: error.to_string(),
            source: &error.source_name,
            line: known(error.place.line),
            column: known(error.place.column),
        }
    }
}

pub(crate) fn faults(errors: &[DocumentError]) -> Vec<PolicyProblem<'_>> {
    errors.iter().map(PolicyProblem::from).collect()
}

pub(super) fn problems_out(problems: &[LayerProblem]) -> Vec<PolicyProblem<'_>> {
    problems.iter().flat_map(|problem| &problem.errors).map(PolicyProblem::from).collect()
}

/// A fault of a document that has no text.
fn fault(code: ErrorCode, name: &str, message: String) -> DocumentError {
    DocumentError {
        code,
        message,
        source_name: name.to_owned(),
        place: DocumentPlace::default(),
        path: String::new(),
        hint: None,
    }
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    let all = calls::types(documents::types(all));
    shown::types(bound::types(all)).with::<NativePolicyOptions>()
}
