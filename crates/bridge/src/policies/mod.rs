//! What policies take and give as JSON text: the shapes of `index.d.ts` and of `ts/native.ts`.

mod judged;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use self::judged::Judged;
use countersign_core::call::Json;
use countersign_core::gate::Error;
use countersign_core::gate::policies::{
    Call, Grant, Machine, Offer, Options, Policies, Shown, code_source,
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

fn read<T: DeserializeOwned>(text: &str) -> Answer<T> {
    serde_json::from_str(text).map_err(|error| {
        Error::Internal(format!("the binding was given what it does not take: {error}"))
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentIn {
    name: String,
    text: String,
    format: String,
}

impl DocumentIn {
    fn policy(self) -> Answer<CodePolicy> {
        let name: Arc<str> = self.name.into();
        let (format, text) = match self.format.as_str() {
            "toml" => (Format::Toml, self.text),
            "json" => (Format::Json, self.text),
            "object" => (Format::Object, self.text),
            "preset" => match preset(&self.text) {
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
            other => return Err(Error::Internal(format!("there is no format {other:?}"))),
        };
        Ok(CodePolicy { name, format, text })
    }
}

fn policies_of(documents: Vec<DocumentIn>) -> Answer<Vec<CodePolicy>> {
    documents.into_iter().map(DocumentIn::policy).collect()
}

/// Fails unless these documents can be read: `NativeDocument[]`.
pub fn check_documents(text: &str) -> Answer<()> {
    for CodePolicy { name, format, text } in policies_of(read(text)?)? {
        load(&text, format, code_source(&name)).map_err(Error::Policy)?;
    }
    Ok(())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LintIn {
    documents: Vec<DocumentIn>,
    tool_names: Option<Vec<String>>,
}

/// `PolicyFinding`
#[derive(Serialize)]
struct FindingOut {
    code: FindingCode,
    severity: Severity,
    message: String,
    source: String,
    line: Option<u32>,
    column: Option<u32>,
}

impl From<Finding> for FindingOut {
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
    let LintIn { documents, tool_names } = read(text)?;
    let documents = policies_of(documents)?
        .into_iter()
        .map(|CodePolicy { name, format, text }| load(&text, format, code_source(&name)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(Error::Policy)?;
    Ok(lint(&documents, tool_names.as_deref())
        .into_iter()
        .map(FindingOut::from)
        .collect::<Vec<_>>())
}

#[derive(Serialize)]
struct ImportedOut {
    toml: String,
    losses: Vec<LossOut>,
}

#[derive(Serialize)]
struct LossOut {
    what: String,
    line: Option<u32>,
    why: String,
    effect: &'static str,
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
        .map(|loss| LossOut {
            line: Some(loss.at.line).filter(|line| *line > 0),
            what: loss.what,
            why: loss.why,
            effect: match loss.effect {
                import::LossEffect::KeptStricter => "stricter",
                import::LossEffect::Dropped => "dropped",
            },
        })
        .collect();
    Ok(ImportedOut { toml, losses })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OptionsIn {
    documents: Vec<DocumentIn>,
    files: String,
    cwd: String,
    project: Option<String>,
    home: String,
    #[serde(default)]
    own: Vec<String>,
}

/// Policies from the options of `NativePolicies`.
pub fn open(text: &str) -> Answer<Policies> {
    let OptionsIn { documents, files, cwd, project, home, own } = read(text)?;
    let machine = match files.as_str() {
        "none" => Machine::None,
        "managed" => Machine::Managed,
        "all" => Machine::All,
        other => return Err(Error::Internal(format!("there are no files {other:?}"))),
    };
    let code = policies_of(documents)?;
    Policies::new(Options { code, machine, cwd, project, home, own }).map_err(Error::Policy)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallIn {
    tool_name: String,
    args: Json,
    #[serde(default)]
    annotations: BTreeMap<String, bool>,
    #[serde(default)]
    run_id: Option<String>,
    now: f64,
    #[serde(default)]
    conditions: BTreeMap<usize, Option<bool>>,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    grants: bool,
    #[serde(default)]
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
        let raw: CallIn = read(text)?;
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

fn raw(value: &impl Serialize) -> Answer<Box<RawValue>> {
    serde_json::value::to_raw_value(value).map_err(|error| Error::Internal(error.to_string()))
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
        Ok(shown) => raw(&ShownOut::from(&shown)).map(Some),
        Err(_) => Ok(None),
    }
}

/// What a human is shown. Blocks.
pub fn show_with_files(policies: &Policies, call: &str) -> Answer<Box<RawValue>> {
    let Asked { call, floor, .. } = Asked::read(call)?;
    let shown = policies.show_with_files(&call, floor).map_err(Error::InvalidConfig)?;
    raw(&ShownOut::from(&shown))
}

#[derive(Serialize)]
struct ShownOut<'a> {
    always: AlwaysOut<'a>,
    changes: Vec<ChangeOut<'a>>,
    page: PageOut<'a>,
}

#[derive(Serialize)]
struct AlwaysOut<'a> {
    allow: Option<OfferOut<'a>>,
    deny: Option<OfferOut<'a>>,
}

/// `GrantOffer`
#[derive(Serialize)]
struct OfferOut<'a> {
    label: &'a str,
    rules: Vec<RuleOut<'a>>,
    also: &'a [String],
}

impl<'a> From<&'a Offer> for OfferOut<'a> {
    fn from(offer: &'a Offer) -> Self {
        Self {
            label: &offer.label,
            rules: offer.rules.iter().map(RuleOut).collect(),
            also: &offer.also,
        }
    }
}

#[derive(Serialize)]
struct PageOut<'a> {
    text: &'a str,
    flags: Flags,
}

#[derive(Serialize)]
struct ChangeOut<'a> {
    path: &'a str,
    before: countersign_core::preview::Seen,
    added: usize,
    removed: usize,
    diff: &'a str,
}

impl<'a> From<&'a FileChange> for ChangeOut<'a> {
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

impl<'a> From<&'a Shown> for ShownOut<'a> {
    fn from(shown: &'a Shown) -> Self {
        Self {
            always: AlwaysOut {
                allow: shown.allow.as_ref().map(OfferOut::from),
                deny: shown.deny.as_ref().map(OfferOut::from),
            },
            changes: shown.changes.iter().map(ChangeOut::from).collect(),
            page: PageOut { text: &shown.page.text, flags: shown.page.flags },
        }
    }
}

#[derive(Deserialize)]
struct SeenIn {
    path: String,
    before: Option<String>,
}

#[derive(Serialize)]
struct RefreshedOut<'a> {
    problems: Option<Vec<ProblemOut<'a>>>,
    changed: Vec<String>,
}

/// `{ path, before }[]` to `{ problems, changed }`. Blocks.
pub fn refresh(policies: &Policies, files: &str) -> Answer<Box<RawValue>> {
    let files: Vec<SeenIn> = read(files)?;
    let problems = policies.refresh();
    let seen = files.iter().map(|file| (file.path.as_str(), file.before.as_deref()));
    let changed = policies.changed(seen);
    raw(&RefreshedOut { problems: problems.as_deref().map(problems_out), changed })
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

/// `Grant` without an id to `Grant`. Blocks.
pub fn grant(policies: &Policies, grant: &str) -> Answer<Grant> {
    policies.grant(read(grant)?).map_err(Error::InvalidConfig)
}

/// Takes a grant back. Blocks.
pub fn revoke(policies: &Policies, id: &str) -> Answer<bool> {
    match uuid::Uuid::try_parse(id) {
        Ok(id) => policies.revoke(id).map_err(Error::InvalidConfig),
        Err(_) => Ok(false),
    }
}

/// `PolicyProblem`
#[derive(Serialize)]
pub(crate) struct ProblemOut<'a> {
    code: &'static str,
    message: String,
    source: &'a str,
    line: Option<u32>,
    column: Option<u32>,
}

impl<'a> From<&'a DocumentError> for ProblemOut<'a> {
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

pub(crate) fn faults(errors: &[DocumentError]) -> Vec<ProblemOut<'_>> {
    errors.iter().map(ProblemOut::from).collect()
}

pub(super) fn problems_out(problems: &[Problem]) -> Vec<ProblemOut<'_>> {
    problems.iter().flat_map(|problem| &problem.errors).map(ProblemOut::from).collect()
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
