//! What policies take and give as JSON text: the shapes of `index.d.ts` and of `ts/native.ts`.

mod judged;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use self::judged::GrantText;
use self::judged::Judged;
use crate::envelope::{raw, read};
#[cfg(test)]
use crate::words;
use countersign_core::call::Json;
use countersign_core::gate::Error;
use countersign_core::gate::policies::{
    Call, Machine, Offer, Options, Policies, Shown, code_source,
};
use countersign_core::layers::{CodePolicy, PRESETS, Problem, preset};
use countersign_core::policy::document::{
    Behind, Code, CommandPattern, DocumentError, Format, Located, Mode, Place, Rule, Token, load,
    to_toml,
};
use countersign_core::policy::import;
use countersign_core::policy::lint::{Finding, FindingCode, Severity, lint};
use countersign_core::policy::{Effect, Verdict};
use countersign_core::preview::{FileChange, Flags};

/// What this room answers with.
pub type Answer<T> = Result<T, Error>;

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
            NativeFormat::Toml => (Format::Toml, self.text),
            NativeFormat::Json => (Format::Json, self.text),
            NativeFormat::Object => (Format::Object, self.text),
            NativeFormat::Preset => match preset(&self.text) {
                Some(text) => (Format::Toml, text.to_owned()),
                None => {
                    let known: Vec<String> =
                        PRESETS.iter().map(|name| format!("\"preset:{name}\"")).collect();
                    return Err(Error::InvalidConfig(format!(
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

/// Fails unless these documents can be read: `NativeDocument[]`.
pub fn check_documents(text: &str) -> Answer<()> {
    for CodePolicy { name, format, text } in policies_of(read(text)?)? {
        load(&text, format, code_source(&name)).map_err(Error::Policy)?;
    }
    Ok(())
}

/// What is to be looked at.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeLint {
    documents: Vec<NativeDocument>,
    #[cfg_attr(test, ts(type = "readonly string[] | null"))]
    tool_names: Option<Vec<String>>,
}

/// Something in a policy that is probably not meant.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct PolicyFinding {
    #[cfg_attr(test, ts(as = "words::PolicyFindingCode"))]
    code: FindingCode,
    #[cfg_attr(test, ts(as = "words::PolicySeverity"))]
    severity: Severity,
    message: String,
    source: String,
    line: Option<u32>,
    column: Option<u32>,
}

impl From<Finding> for PolicyFinding {
    fn from(finding: Finding) -> Self {
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

/// `{ documents, toolNames }` to `PolicyFinding[]`.
pub fn lint_documents(text: &str) -> Answer<impl Serialize + use<>> {
    let NativeLint { documents, tool_names } = read(text)?;
    let documents = policies_of(documents)?
        .into_iter()
        .map(|CodePolicy { name, format, text }| load(&text, format, code_source(&name)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::Policy)?;
    Ok(lint(&documents, tool_names.as_deref())
        .into_iter()
        .map(PolicyFinding::from)
        .collect::<Vec<_>>())
}

/// Another product's rules.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeImport {
    toml: String,
    losses: Vec<NativeLoss>,
}

/// What could not be said exactly.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeLoss {
    what: String,
    line: Option<u32>,
    why: String,
    effect: NativeLossEffect,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum NativeLossEffect {
    /// Kept, but it asks or denies more.
    Stricter,
    /// An allow that is not there.
    Dropped,
}

/// Another product's rules as TOML, and what could not be said exactly.
pub fn import_document(format: &str, text: &str, name: &str) -> Answer<impl Serialize + use<>> {
    let failed = |error: import::ImportError| {
        let at = error.at;
        let error = fault(Code::Syntax, name, error.message);
        Error::Policy(vec![DocumentError { place: at, ..error }])
    };
    let format: import::Format = format.parse().map_err(failed)?;
    let options = import::Options { name: Some(name.to_owned()), ..import::Options::default() };
    let import::Imported { document, losses } =
        import::import(format, text, &options).map_err(failed)?;
    let toml = to_toml(&document)
        .map_err(|error| Error::Policy(vec![fault(Code::Value, name, error.to_string())]))?;
    let losses = losses
        .into_iter()
        .map(|loss| NativeLoss {
            line: Some(loss.at.line).filter(|line| *line > 0),
            what: loss.what,
            why: loss.why,
            effect: match loss.effect {
                import::LossEffect::KeptStricter => NativeLossEffect::Stricter,
                import::LossEffect::Dropped => NativeLossEffect::Dropped,
            },
        })
        .collect();
    Ok(NativeImport { toml, losses })
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
        NativeMachine::None => Machine::None,
        NativeMachine::Managed => Machine::Managed,
        NativeMachine::All => Machine::All,
    };
    let code = policies_of(documents)?;
    Policies::new(Options { code, machine, cwd, project, home, own }).map_err(Error::Policy)
}

/// A call to judge.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeCall {
    tool_name: String,
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Json,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, boolean>"))]
    annotations: BTreeMap<String, bool>,
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    run_id: Option<String>,
    /// ms since the epoch, for grants.
    now: f64,
    /// What the functions of the rules said; `null`: they failed.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, boolean | null>"))]
    conditions: BTreeMap<usize, Option<bool>>,
    /// By the `read-only` preset instead.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    read_only: bool,
    /// Look for a grant that answers.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    grants: bool,
    /// It is asked about whatever the policies say.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    floor: bool,
}

/// More numbers of conditions than a document has rules would only be there to fill the memory.
const MOST_CONDITIONS: usize = countersign_core::policy::document::MAX_RULES * 16;

struct Asked {
    call: Call,
    read_only: bool,
    grants: bool,
    floor: bool,
}

impl Asked {
    fn read(text: &str) -> Answer<Self> {
        let raw: NativeCall = read(text)?;
        let last = raw.conditions.keys().next_back().map_or(0, |last| last.saturating_add(1));
        if last > MOST_CONDITIONS {
            return Err(Error::InvalidConfig("there are too many conditions".to_owned()));
        }
        let mut conditions = vec![None; last];
        for (index, answer) in raw.conditions {
            if let Some(place) = conditions.get_mut(index) {
                *place = answer;
            }
        }
        let call = Call {
            tool_name: raw.tool_name,
            args: raw.args,
            annotations: raw.annotations,
            conditions,
            run_id: raw.run_id,
            now: raw.now.max(0.0) as u64,
        };
        Ok(Self { call, read_only: raw.read_only, grants: raw.grants, floor: raw.floor })
    }
}

/// `NativeCall` to `NativeJudged`, or nothing when files must be looked at.
pub fn judge(policies: &Policies, call: &str) -> Answer<Option<Judged>> {
    let Asked { call, read_only, grants, floor } = Asked::read(call)?;
    let verdict =
        if read_only { policies.judge_read_only(&call, false) } else { policies.judge(&call) };
    let Ok(verdict) = verdict else { return Ok(None) };
    let grant = if grants { policies.granted(&call, floor) } else { Ok(None) };
    let Ok(grant) = grant else { return Ok(None) };
    Ok(Some(Judged::new(verdict, &call.args, grant, None)))
}

/// `NativeCall` to `NativeJudged`. Blocks.
pub fn judge_with_files(policies: &Policies, call: &str) -> Answer<Judged> {
    let Asked { call, read_only, grants, floor } = Asked::read(call)?;
    let problems = policies.refresh();
    let verdict = if read_only {
        policies
            .judge_read_only(&call, true)
            .unwrap_or_else(|error| Verdict::refuse(error.to_string()))
    } else {
        policies.judge_with_files(&call)
    };
    let grant = if grants { policies.granted_with_files(&call, floor) } else { None };
    Ok(Judged::new(verdict, &call.args, grant, problems))
}

/// The explanation as text. Blocks.
pub fn explain(policies: &Policies, call: &str) -> Answer<String> {
    Ok(policies.explain(&Asked::read(call)?.call))
}

/// What a human is shown, or nothing when files must be looked at.
pub fn show(policies: &Policies, call: &str) -> Answer<Option<Box<RawValue>>> {
    let Asked { call, floor, .. } = Asked::read(call)?;
    match policies.show(&call, floor) {
        Ok(shown) => raw(&NativeShown::from(&shown)).map(Some),
        Err(_) => Ok(None),
    }
}

/// What a human is shown. Blocks.
pub fn show_with_files(policies: &Policies, call: &str) -> Answer<Box<RawValue>> {
    let Asked { call, floor, .. } = Asked::read(call)?;
    let shown = policies.show_with_files(&call, floor).map_err(Error::InvalidConfig)?;
    raw(&NativeShown::from(&shown))
}

/// What a human is shown. Blocks where files must be looked at.
pub fn show_now(policies: &Policies, call: &str) -> Answer<Box<RawValue>> {
    match show(policies, call)? {
        Some(shown) => Ok(shown),
        None => show_with_files(policies, call),
    }
}

/// What a human is shown beside a request.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeShown<'a> {
    always: NativeOffers<'a>,
    changes: Vec<FileChangeText<'a>>,
    page: NativePreview<'a>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeOffers<'a> {
    allow: Option<GrantOffer<'a>>,
    deny: Option<GrantOffer<'a>>,
}

/// What "always" would save.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct GrantOffer<'a> {
    label: &'a str,
    #[cfg_attr(test, ts(type = "PolicyRule[]"))]
    rules: Vec<RuleOut<'a>>,
    also: &'a [String],
}

impl<'a> From<&'a Offer> for GrantOffer<'a> {
    fn from(offer: &'a Offer) -> Self {
        Self {
            label: &offer.label,
            rules: offer.rules.iter().map(RuleOut).collect(),
            also: &offer.also,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativePreview<'a> {
    text: &'a str,
    #[cfg_attr(test, ts(type = "string[]"))]
    flags: Flags,
}

/// A file that a call would change.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "FileChange"))]
struct FileChangeText<'a> {
    path: &'a str,
    /// SHA-256 (hex) of its content; `null`: it does not exist.
    #[cfg_attr(test, ts(type = "string | null"))]
    before: countersign_core::preview::Seen,
    added: usize,
    removed: usize,
    diff: &'a str,
}

impl<'a> From<&'a FileChange> for FileChangeText<'a> {
    fn from(change: &'a FileChange) -> Self {
        Self {
            path: &change.path,
            before: change.before,
            added: change.added,
            removed: change.removed,
            diff: &change.text,
        }
    }
}

impl<'a> From<&'a Shown> for NativeShown<'a> {
    fn from(shown: &'a Shown) -> Self {
        Self {
            always: NativeOffers {
                allow: shown.allow.as_ref().map(GrantOffer::from),
                deny: shown.deny.as_ref().map(GrantOffer::from),
            },
            changes: shown.changes.iter().map(FileChangeText::from).collect(),
            page: NativePreview { text: &shown.page.text, flags: shown.page.flags },
        }
    }
}

/// A file as it was seen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeSeen {
    path: String,
    before: Option<String>,
}

/// What changed.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeRefreshed<'a> {
    /// What is wrong with the policy files; `null`: none changed.
    problems: Option<Vec<PolicyProblem<'a>>>,
    /// Files with another content.
    changed: Vec<String>,
}

/// `{ path, before }[]` to `{ problems, changed }`. Blocks.
pub fn refresh(policies: &Policies, files: &str) -> Answer<Box<RawValue>> {
    let files: Vec<NativeSeen> = read(files)?;
    let problems = policies.refresh();
    let seen = files.iter().map(|file| (file.path.as_str(), file.before.as_deref()));
    let changed = policies.changed(seen);
    raw(&NativeRefreshed { problems: problems.as_deref().map(problems_out), changed })
}

/// The source that forbids a mode.
pub fn forbids(policies: &Policies, mode: &str) -> Answer<Option<String>> {
    let mode: Mode = serde_json::from_value(mode.into())
        .map_err(|_| Error::InvalidConfig(format!("there is no mode {mode:?}")))?;
    let forbids = policies.forbids(mode).map(|source| source.name.to_string());
    // What it would deny nobody knows, so that somebody has to be asked.
    let unknown = || {
        let broken = policies.broken().filter(|_| mode == Mode::Auto)?;
        Some(format!("a policy that cannot be read ({broken})"))
    };
    Ok(forbids.or_else(unknown))
}

/// Of these tools (`string[]`), those that are always denied.
pub fn hidden(policies: &Policies, tools: &str) -> Answer<Vec<String>> {
    let tools: Vec<String> = read(tools)?;
    Ok(policies.hidden(&tools).into_iter().map(str::to_owned).collect())
}

/// Keeps a grant, given without an id. Blocks.
pub fn grant(policies: &Policies, grant: &str) -> Answer<impl Serialize + use<>> {
    policies.grant(read(grant)?).map(GrantText).map_err(Error::InvalidConfig)
}

/// Those that hold, oldest first. Blocks.
pub fn grants(policies: &Policies, now: f64) -> Answer<impl Serialize + use<>> {
    let grants = policies.grants(now.max(0.0) as u64);
    Ok(grants.into_iter().map(GrantText).collect::<Vec<_>>())
}

/// Takes a grant back. Blocks.
pub fn revoke(policies: &Policies, id: &str) -> Answer<bool> {
    match uuid::Uuid::try_parse(id) {
        Ok(id) => policies.revoke(id).map_err(Error::InvalidConfig),
        Err(_) => Ok(false),
    }
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

pub(super) fn problems_out(problems: &[Problem]) -> Vec<PolicyProblem<'_>> {
    problems.iter().flat_map(|problem| &problem.errors).map(PolicyProblem::from).collect()
}

/// A rule as a document's object has it.
struct RuleOut<'a>(&'a Rule);

impl Serialize for RuleOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rule = self.0;
        let texts = |patterns: &[Located<String>]| -> Vec<String> {
            patterns.iter().map(|pattern| pattern.value.clone()).collect()
        };
        let mut map = serializer.serialize_map(None)?;
        if let Some(tools) = &rule.tools {
            map.serialize_entry("tools", tools)?;
        }
        let effect: Effect = rule.effect;
        map.serialize_entry("effect", &effect)?;
        if let Some(reason) = &rule.reason {
            map.serialize_entry("reason", reason)?;
        }
        if !rule.commands.is_empty() {
            let commands: Vec<CommandOut> =
                rule.commands.iter().map(|command| CommandOut(&command.value)).collect();
            map.serialize_entry("commands", &commands)?;
        }
        for (key, patterns) in [
            ("reads", &rule.reads),
            ("writes", &rule.writes),
            ("urls", &rule.urls),
            ("env", &rule.env),
        ] {
            if !patterns.is_empty() {
                map.serialize_entry(key, &texts(patterns))?;
            }
        }
        map.end()
    }
}

/// A list of tokens, or an object with what may stand behind them.
struct CommandOut<'a>(&'a CommandPattern);

impl Serialize for CommandOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words = TokensOut(&self.0.tokens);
        match &self.0.behind {
            Behind::Anything => words.serialize(serializer),
            Behind::Nothing => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("words", &words)?;
                map.serialize_entry("exact", &true)?;
                map.end()
            }
            Behind::Only { operands, options } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("words", &words)?;
                map.serialize_entry("operands", &TokensOut(operands))?;
                if let Some(options) = options {
                    map.serialize_entry("options", options)?;
                }
                map.end()
            }
        }
    }
}

struct TokensOut<'a>(&'a [Token]);

impl Serialize for TokensOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum TokenOut<'a> {
            One(&'a str),
            Of(&'a [String]),
            Only([&'a str; 1]),
        }
        serializer.collect_seq(self.0.iter().map(|token| match token {
            // In a list of its own a star is a star.
            Token::Text(text) if text.contains('*') => TokenOut::Only([text]),
            Token::Text(text) | Token::Like(text) => TokenOut::One(text),
            Token::OneOf(words) => TokenOut::Of(words),
            Token::Any => TokenOut::One("*"),
            Token::Rest => TokenOut::One("**"),
        }))
    }
}

/// A fault of a document that has no text.
fn fault(code: Code, name: &str, message: String) -> DocumentError {
    DocumentError {
        code,
        message,
        source_name: name.to_owned(),
        place: Place::default(),
        path: String::new(),
        hint: None,
    }
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeDocument>()
        .with::<NativeLint>()
        .with::<PolicyFinding>()
        .with::<NativeImport>()
        .with::<NativePolicyOptions>()
        .with::<NativeCall>()
        .with::<judged::NativeJudged<'static>>()
        .with::<judged::NativeGrant<'static>>()
        .with::<NativeShown<'static>>()
        .with::<NativeSeen>()
        .with::<NativeRefreshed<'static>>()
}
