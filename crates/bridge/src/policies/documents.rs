//! What is asked about policies as they are written, and about the files that they stand in.

use std::path::{Path, absolute};

use countersign_core::approval::InvalidDecision;
use countersign_core::gate::GateError;
use countersign_core::gate::policies::code_source;
use countersign_core::layers::{
    CodePolicy, LayerFiles, TrustEntry, TrustError, TrustFile, preset, project_root, replace_text,
    trust_hash,
};
use countersign_core::path::{RealFiles, UrlAddress, UrlSet};
use countersign_core::policy::document::{
    DocumentFormat, ErrorCode, PolicyDocument, SettingsError, TomlSetting, load, pattern_fault,
    settings, to_toml,
};
use countersign_core::policy::{
    GitFiles, GitLook, TOOLCHAIN_SECRETS, builtin_tools, check_narrower, lint, rule_in_words,
    run_by_git, with_exact_words,
};
use countersign_core::preview;
use serde::{Deserialize, Serialize};

use super::shown::RuleOut;
use super::tree::ReadTree;
use super::{Answer, NativeDocument, PolicyFinding, fault, policies_of};
use crate::envelope::{Raw, envelope, raw, read};
use crate::operations::{Done, Operate, operations};

operations! {
    DocumentOperations, "What can be asked about policies as they are written.", ():
    Check(CheckDocuments),
    Lint(LintDocuments),
    Tree(ReadTree),
    Toml(WriteToml),
    PatternFault(FindFault),
    BuiltinTools(ListBuiltinTools),
    ToolchainSecrets(ListToolchainSecrets),
    Preset(ReadPreset),
    Settings(ReadSettings),
    Project(FindProject),
    RunByGit(FindRunByGit),
    IsMeant(FindMeant),
    Trust(TrustProject),
    Untrust(UntrustProject),
    Trusted(ListTrusted),
    Accept(AcceptRules),
    Narrow(NarrowOffer),
}

/// Does what is asked: the text of an operation to an envelope with its answer. Those about trust block.
pub fn perform(operation: &str) -> String {
    match read::<Operation>(operation) {
        Ok(operation) => operation.perform(()),
        Err(error) => envelope::<()>(Err(error)),
    }
}

/// Fails unless these documents can be read.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct CheckDocuments {
    documents: Vec<NativeDocument>,
}

impl Operate<()> for CheckDocuments {
    type Answer = Done;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        loaded(self.documents).map(|_| Done)
    }
}

/// All of these documents; fails at the first that cannot be read.
fn loaded(documents: Vec<NativeDocument>) -> Answer<Vec<PolicyDocument>> {
    policies_of(documents)?
        .into_iter()
        .map(|CodePolicy { name, format, text }| load(&text, format, code_source(&name)))
        .collect::<Result<_, _>>()
        .map_err(GateError::Policy)
}

/// What is probably not meant.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct LintDocuments {
    documents: Vec<NativeDocument>,
    #[cfg_attr(test, ts(type = "readonly string[] | null"))]
    tool_names: Option<Vec<String>>,
}

impl Operate<()> for LintDocuments {
    type Answer = Vec<PolicyFinding>;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let findings = lint::lint(&loaded(self.documents)?, self.tool_names.as_deref());
        Ok(findings.into_iter().map(PolicyFinding::from).collect())
    }
}

/// A policy object as TOML. Fails if it is no policy.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct WriteToml {
    name: Box<str>,
    #[cfg_attr(test, ts(type = "object"))]
    document: Raw,
}

impl Operate<()> for WriteToml {
    type Answer = String;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let document = load(self.document.get(), DocumentFormat::Object, code_source(&self.name));
        let fault = |error: &dyn ToString| fault(ErrorCode::Value, &self.name, error.to_string());
        to_toml(&document.map_err(GateError::Policy)?)
            .map_err(|error| GateError::Policy(vec![fault(&error)]))
    }
}

/// Why a rule does not take a pattern; `null`: it does.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FindFault {
    pattern: Box<str>,
    of: PatternKind,
}

#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum PatternKind {
    /// Of `reads` and `writes`. `!` before it does not matter.
    Files,
    /// Of `urls`.
    Addresses,
}

impl Operate<()> for FindFault {
    type Answer = Option<String>;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        Ok(pattern_fault(&self.pattern, matches!(self.of, PatternKind::Addresses)))
    }
}

/// Secrets among what toolchains keep in a home: paths below it.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ListToolchainSecrets {}

impl Operate<()> for ListToolchainSecrets {
    type Answer = Vec<&'static str>;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        Ok(TOOLCHAIN_SECRETS.to_vec())
    }
}

/// The names of the tools that have a built-in reading, in snake case.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ListBuiltinTools {}

impl Operate<()> for ListBuiltinTools {
    type Answer = Vec<&'static str>;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        Ok(builtin_tools().collect())
    }
}

/// The text of a preset; `null`: no such preset.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ReadPreset {
    name: Box<str>,
}

impl Operate<()> for ReadPreset {
    type Answer = Option<&'static str>;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        Ok(preset(&self.name))
    }
}

/// The values of a TOML text, each with its place.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ReadSettings {
    toml: Box<str>,
}

/// The values, in their order, or the place where the text is no TOML.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum NativeSettings {
    Settings(Vec<NativeSetting>),
    Problem { message: String, line: u32, column: u32 },
}

/// One value of a TOML text, and where its last key stands, from 1.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeSetting {
    path: Vec<String>,
    #[cfg_attr(test, ts(type = "unknown"))]
    value: serde_json::Value,
    line: u32,
    column: u32,
}

impl Operate<()> for ReadSettings {
    type Answer = NativeSettings;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let setting =
            |TomlSetting { path, value, line, column }| NativeSetting { path, value, line, column };
        Ok(match settings(&self.toml) {
            Ok(found) => NativeSettings::Settings(found.into_iter().map(setting).collect()),
            Err(SettingsError { message, line, column }) => {
                NativeSettings::Problem { message, line, column }
            }
        })
    }
}

/// The project that this directory is in: the nearest one upward with `.countersign` or `.git`, else itself.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FindProject {
    directory: Box<str>,
}

impl Operate<()> for FindProject {
    type Answer = String;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        Ok(project_of(&self.directory))
    }
}

/// The project that this directory is in.
pub fn project_of(directory: &str) -> String {
    project_root(Path::new(directory)).to_str().unwrap_or(directory).to_owned()
}

/// Whether one of these patterns of addresses surely means this address.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FindMeant {
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    patterns: Vec<String>,
    url: String,
}

impl Operate<()> for FindMeant {
    type Answer = bool;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let patterns = UrlSet::parse(self.patterns.iter().map(String::as_str));
        let address = UrlAddress::parse(&self.url);
        Ok(patterns.is_ok_and(|set| address.is_ok_and(|address| set.covers(&address))))
    }
}

/// What git runs or obeys of the files in these folders, but for those further down. Blocks.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FindRunByGit {
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    folders: Vec<String>,
    /// Of the user, whose settings count as well.
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    homes: Vec<String>,
}

/// Absolute paths.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeGitFiles {
    /// Those that are there, or behind a symlink that a command could replace.
    kept: Vec<String>,
    /// Those that are not there.
    absent: Vec<String>,
    /// Each repository that is there.
    repositories: Vec<String>,
    /// Whether that is not all.
    incomplete: bool,
}

impl Operate<()> for FindRunByGit {
    type Answer = NativeGitFiles;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let mut all = NativeGitFiles {
            kept: Vec::new(),
            absent: Vec::new(),
            repositories: Vec::new(),
            incomplete: false,
        };
        let look = GitLook { places: &self.folders, homes: &self.homes, files: &RealFiles };
        for folder in &self.folders {
            let GitFiles { kept, absent, repositories, stores: _, unheld: _, incomplete } =
                run_by_git(folder, &look);
            all.kept.extend(kept);
            all.absent.extend(absent);
            all.repositories.extend(repositories);
            all.incomplete |= incomplete;
        }
        Ok(all)
    }
}

/// A project's policy that the user trusts.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct TrustedPolicy {
    path: String,
    /// SHA-256 (hex) of its content.
    hash: String,
}

impl From<TrustEntry> for TrustedPolicy {
    fn from(TrustEntry { path, hash }: TrustEntry) -> Self {
        Self { path, hash }
    }
}

/// Trusts the policy of the project that this directory is in, as it is now.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct TrustProject {
    directory: Box<str>,
}

impl Operate<()> for TrustProject {
    type Answer = TrustedPolicy;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let trusted = in_project(&self.directory, |trust, policy| trust.trust(policy, None))?;
        Ok(trusted.into())
    }
}

/// Puts rules that were shown into the policy of the project that this directory is in, whole or not at all.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct AcceptRules {
    directory: Box<str>,
    /// What was shown to stand there; `null`: there was no file.
    before: Option<Box<str>>,
    /// What was shown to come in its place.
    after: Box<str>,
    /// Trusts the file as it then is.
    trust: bool,
}

/// What stands there now.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct AcceptedRules {
    path: String,
    trusted: bool,
}

impl Operate<()> for AcceptRules {
    type Answer = AcceptedRules;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let Self { directory, before, after, trust: trusts } = self;
        in_project(&directory, |trust, policy| {
            let failed = |error: &dyn ToString| TrustError::Policy {
                path: policy.to_owned(),
                reason: error.to_string(),
            };
            replace_text(policy, before.as_deref(), &after).map_err(|error| failed(&error))?;
            if trusts {
                let path = std::fs::canonicalize(policy).map_err(|error| failed(&error))?;
                let hash = trust_hash(&path.to_string_lossy(), after.as_bytes());
                trust.trust(policy, Some(&hash))?;
            }
            Ok(AcceptedRules { path: policy.to_string_lossy().into_owned(), trusted: trusts })
        })
    }
}

/// What is remembered in the place of an offer. Fails with `ERR_INVALID_DECISION` where it is not proven to be narrower.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NarrowOffer {
    #[cfg_attr(test, ts(type = "readonly PolicyRule[]"))]
    offered: Raw,
    /// Rules instead; `null`: those that are offered.
    #[cfg_attr(test, ts(type = "readonly PolicyRule[] | null"))]
    rules: Option<Raw>,
    /// The words of each command of the call, where nothing but them is to be remembered; `null`: what is offered.
    words: Option<Vec<Vec<String>>>,
}

/// Rules, and what they mean.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NarrowedOffer {
    #[cfg_attr(test, ts(type = "PolicyRule[]"))]
    rules: Raw,
    /// Each in words, safe to show.
    also: Vec<String>,
}

impl Operate<()> for NarrowOffer {
    type Answer = NarrowedOffer;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let refused = |why: String| GateError::InvalidDecision(InvalidDecision::new(why));
        let read = |name: &str, rules: &Raw| {
            let text = format!(r#"{{"version":1,"rule":{}}}"#, rules.get());
            load(&text, DocumentFormat::Object, code_source(name)).map_err(|errors| {
                let faults = errors.iter().map(ToString::to_string).collect::<Vec<_>>();
                refused(format!("`remember`: {}", faults.join("; ")))
            })
        };
        let offered = read("offer", &self.offered)?.rules;
        let given = match &self.rules {
            Some(rules) => read("rules", rules)?.rules,
            None => offered.clone(),
        };
        let exact = match &self.words {
            Some(words) => with_exact_words(&given, words).ok_or_else(|| {
                let why = "`remember`: the offer has more than commands whose words are known: leave `exact` out, or name \
                           `rules`";
                refused(why.to_owned())
            })?,
            None => given,
        };
        if exact.is_empty() {
            return Err(refused(
                "`remember`: rules has none: leave it out, or name some".to_owned(),
            ));
        }
        check_narrower(&offered, &exact)
            .map_err(|error| refused(format!("`remember`: {error}")))?;
        let also = exact.iter().flat_map(rule_in_words).map(|text| preview::text(&text, 200));
        let rules: Vec<RuleOut<'_>> = exact.iter().map(RuleOut).collect();
        Ok(NarrowedOffer { also: also.collect(), rules: raw(&rules)? })
    }
}

/// `false`: it was not trusted.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct UntrustProject {
    directory: Box<str>,
}

impl Operate<()> for UntrustProject {
    type Answer = bool;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        in_project(&self.directory, |trust, policy| trust.untrust(policy))
    }
}

/// All that are trusted.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ListTrusted {}

impl Operate<()> for ListTrusted {
    type Answer = Vec<TrustedPolicy>;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        let all = in_project(".", |trust, _| trust.trusted())?;
        Ok(all.into_iter().map(TrustedPolicy::from).collect())
    }
}

fn in_project<T>(
    directory: &str, work: impl FnOnce(&TrustFile, &Path) -> Result<T, TrustError>,
) -> Result<T, GateError> {
    let directory = absolute(directory)
        .map_err(|error| GateError::InvalidConfig(format!("{directory}: {error}")))?;
    let files = LayerFiles::usual(&project_root(&directory));
    match (files.trust, files.project) {
        (Some(trust), Some(policy)) => work(&TrustFile::new(trust), &policy)
            .map_err(|error| GateError::InvalidConfig(error.to_string())),
        _ => Err(GateError::InvalidConfig(
            "there is no place for the user's files: set HOME".to_owned(),
        )),
    }
}

#[cfg(test)]
pub(super) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    Operation::types(all)
}
