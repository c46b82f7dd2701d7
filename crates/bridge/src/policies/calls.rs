//! What policies are asked about calls, modes and grants.

use std::collections::BTreeMap;

use countersign_core::call::Json;
use countersign_core::gate::GateError;
use countersign_core::gate::policies::{
    Grant, GrantUse, OfferOptions, Policies, PolicyCall, ShownFile,
};
use countersign_core::policy::document::{LayerKind, MAX_RULES, PolicyMode};
use countersign_core::policy::{
    ConfinedRun, ConfinedWrites, FileOpener, NeedsFiles, NetworkReach, SealedFiles, Verdict,
};
use serde::{Deserialize, Serialize};

use super::judged::{GrantText, JudgedBeside, PolicyJudgement};
use super::proposal::ProposeRules;
use super::shown::CallDisplay;
use super::{PolicyProblem, problems_out};
use crate::envelope::{Raw, envelope, raw, read};
use crate::operations::{Done, Operate, operations};

operations! {
    PolicyOperations, "What policies can be asked.", &Policies:
    Ready(AskReady),
    Judge(NativeCall),
    Show(ShowCall),
    Explain(ExplainCall),
    Conditions(ListConditions),
    Refresh(RefreshFiles),
    Hidden(FindHidden),
    Sealed(FindSealed),
    Network(FindNetwork),
    Layers(ListLayers),
    Forbids(FindForbidding),
    Forgets(AskForgets),
    Grant(SaveGrant),
    Grants(ListGrants),
    Revoke(RevokeGrant),
    EndRun(EndRun),
    Propose(ProposeRules),
}

/// Does what is asked of these policies: the text of an operation to an envelope with its answer. Looks at files where that is
/// needed, which blocks.
pub fn perform(policies: &Policies, operation: &str) -> String {
    match read::<Operation>(operation) {
        Ok(operation) => operation.perform(policies),
        Err(error) => envelope::<()>(Err(error)),
    }
}

/// The longest call that is looked at while JavaScript waits, in bytes of JSON: to look through more takes milliseconds, and
/// through what is all marks seconds.
pub(crate) const LONGEST_AT_ONCE: usize = 64 << 10;

/// The same, from what is known; `None`: it may have to wait for files, or take long.
pub fn perform_at_once(policies: &Policies, operation: &str) -> Option<String> {
    if operation.len() > LONGEST_AT_ONCE {
        return None;
    }
    match read::<Operation>(operation) {
        Ok(Operation::Judge(call)) => call.judge_at_once(policies).transpose().map(envelope),
        Ok(Operation::Show(call)) => call.0.show_at_once(policies).transpose().map(envelope),
        Ok(_) => None,
        Err(error) => Some(envelope::<()>(Err(error))),
    }
}

/// Fails when the policies cannot be read.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct AskReady {}

impl Operate<&Policies> for AskReady {
    type Answer = Done;

    fn perform(self, _: &Policies) -> Result<Self::Answer, GateError> {
        Ok(Done)
    }
}

/// A call to judge.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct NativeCall {
    tool_name: String,
    /// Other names that its server gives it, which only tighten.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
    other_names: Vec<String>,
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Json,
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, boolean>"))]
    annotations: BTreeMap<String, bool>,
    /// How it runs where no human approves it.
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    confined: Option<NativeConfinedRun>,
    #[serde(default)]
    #[cfg_attr(test, ts(optional))]
    run_id: Option<String>,
    /// ms since the epoch, for grants.
    now: f64,
    /// What the functions of the rules said; `null`: they failed.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "Record<string, boolean | null>"))]
    conditions: ConditionAnswers,
    /// By the `read-only` preset instead.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    read_only: bool,
    /// It is asked about under every policy.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    floor: bool,
    /// Say what an approval of it is bound to.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    bound: bool,
}

/// How a command runs that no human approves: held to this, or not at all.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NativeConfinedRun {
    /// Where it may write, beside a temporary folder of its own. Absolute paths.
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    writes: Vec<String>,
}

impl NativeConfinedRun {
    pub(super) fn run(&self) -> ConfinedRun {
        ConfinedRun { writes: self.writes.clone() }
    }
}

/// More numbers of conditions than a document has rules would only be there to fill the memory.
const MOST_CONDITIONS: usize = MAX_RULES * 16;

/// What the functions of rules said, by their numbers; `null`: they failed.
pub(super) type ConditionAnswers = BTreeMap<usize, Option<bool>>;

/// The answers in their order.
pub(super) fn conditions_of(answers: ConditionAnswers) -> Result<Vec<Option<bool>>, GateError> {
    let last = answers.keys().next_back().map_or(0, |last| last.saturating_add(1));
    if last > MOST_CONDITIONS {
        return Err(GateError::InvalidConfig("there are too many conditions".to_owned()));
    }
    let mut conditions = vec![None; last];
    for (index, answer) in answers {
        if let Some(place) = conditions.get_mut(index) {
            *place = answer;
        }
    }
    Ok(conditions)
}

/// Where files may be waited for, nothing is left that would have to wait for them.
fn waits(error: NeedsFiles) -> GateError {
    GateError::Internal(error.to_string())
}

/// What is to be looked at beside the call.
#[derive(Default)]
pub(crate) struct Also {
    pub(crate) read_only: bool,
    pub(crate) grants: bool,
    pub(crate) offers: OfferOptions,
    pub(crate) bound: bool,
}

impl Also {
    /// As things are right after a verdict.
    fn context(&self, policies: &Policies, call: &PolicyCall) -> Option<Json> {
        self.bound.then(|| policies.context(&call.tool_name))
    }
}

impl NativeCall {
    fn read(self) -> Result<(PolicyCall, Also), GateError> {
        let Self {
            tool_name,
            other_names,
            args,
            annotations,
            confined,
            run_id,
            now,
            conditions: answers,
            read_only,
            floor,
            bound,
        } = self;
        let conditions = conditions_of(answers)?;
        let now = now.max(0.0) as u64;
        let confined = confined.as_ref().map(NativeConfinedRun::run);
        let call = PolicyCall {
            tool_name,
            other_names,
            args,
            annotations,
            conditions,
            confined,
            run_id,
            now,
            uses_grants: GrantUse::None,
        };
        let offers = OfferOptions { floor, unruled: false };
        Ok((call, Also { read_only, grants: false, offers, bound }))
    }

    /// `None`: files must be looked at.
    fn judge_at_once(self, policies: &Policies) -> Result<Option<PolicyJudgement>, GateError> {
        let (call, also) = self.read()?;
        Ok(judged(policies, &call, &also, false).ok())
    }

    /// `None`: files must be looked at.
    fn show_at_once(self, policies: &Policies) -> Result<Option<CallDisplay>, GateError> {
        let (call, also) = self.read()?;
        Ok(policies.show(&call, also.offers).ok().map(CallDisplay))
    }
}

/// What the policies say of a call. Fails where files must be looked at and may not be waited for.
pub(super) fn judged(
    policies: &Policies, call: &PolicyCall, also: &Also, may_wait: bool,
) -> Result<PolicyJudgement, NeedsFiles> {
    let floor = also.offers.floor;
    let problems = if may_wait { policies.refresh() } else { None };
    let verdict = match (also.read_only, may_wait) {
        (true, true) => policies
            .judge_read_only(call, true)
            .unwrap_or_else(|error| Verdict::refuse(error.to_string())),
        (true, false) => policies.judge_read_only(call, false)?,
        (false, true) => policies.judge_with_files(call),
        (false, false) => policies.judge(call)?,
    };
    let grant = match (also.grants, may_wait) {
        (false, _) => None,
        (true, true) => policies.granted_with_files(call, floor),
        (true, false) => policies.granted(call, floor)?,
    };
    // Who asks for a grant hears of no files: the next judgement tells what was wrong with that of the grants.
    let tells = may_wait && !also.grants;
    let problems = if tells { policies.untold_problems().or(problems) } else { problems };
    let context = also.context(policies, call);
    Ok(PolicyJudgement::new(verdict, &call.args, JudgedBeside { grant, context, problems }))
}

macro_rules! of_a_call {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Deserialize)]
        #[cfg_attr(test, derive(ts_rs::TS), ts(type = "NativeCall"))]
        struct $name(NativeCall);
    )*};
}

of_a_call! {
    /// What a human is shown beside a request.
    ShowCall;
    /// The explanation as text.
    ExplainCall;
}

impl Operate<&Policies> for NativeCall {
    type Answer = PolicyJudgement;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let (call, also) = self.read()?;
        judged(policies, &call, &also, true).map_err(waits)
    }
}

impl Operate<&Policies> for ShowCall {
    type Answer = CallDisplay;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let (call, also) = self.0.read()?;
        policies
            .show_with_files(&call, also.offers)
            .map(CallDisplay)
            .map_err(GateError::InvalidConfig)
    }
}

impl Operate<&Policies> for ExplainCall {
    type Answer = String;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let (call, _) = self.0.read()?;
        Ok(policies.explain(&call))
    }
}

/// The numbers of the conditions of rules for this tool.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct ListConditions {
    tool_name: Box<str>,
    /// Other names that its server gives it, which only tighten.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, type = "readonly string[]"))]
    other_names: Vec<String>,
}

impl Operate<&Policies> for ListConditions {
    type Answer = Vec<usize>;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        Ok(policies.conditions(&self.tool_name, &self.other_names))
    }
}

/// Reads policy files that changed, and looks whether these files are as they were.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct RefreshFiles {
    files: Vec<NativeSeen>,
}

/// A file as it was seen.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct NativeSeen {
    path: Box<str>,
    target: Option<Box<str>>,
    before: Option<Box<str>>,
}

impl NativeSeen {
    /// As it was shown.
    pub(super) fn shown(&self) -> ShownFile<'_> {
        let Self { path, target, before } = self;
        ShownFile { path, target: target.as_deref(), before: before.as_deref() }
    }
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

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "NativeRefreshed"))]
struct RefreshedText(Raw);

impl Operate<&Policies> for RefreshFiles {
    type Answer = RefreshedText;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let problems = policies.refresh();
        let changed = policies.changed(self.files.iter().map(NativeSeen::shown));
        let problems = problems.as_deref().map(problems_out);
        raw(&NativeRefreshed { problems, changed }).map(RefreshedText)
    }
}

/// Of these tools, those that are always denied.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct FindHidden {
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    tool_names: Vec<String>,
}

impl Operate<&Policies> for FindHidden {
    type Answer = Vec<String>;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        Ok(policies.hidden(&self.tool_names).into_iter().map(str::to_owned).collect())
    }
}

/// The files that a command that runs unasked must not reach.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FindSealed {
    /// Folders to look below, beside the current one.
    #[cfg_attr(test, ts(type = "readonly string[]"))]
    more: Vec<String>,
    /// The tool that starts the command.
    tool_name: String,
    /// What the command is held to, where its verdict rests on that.
    #[cfg_attr(test, ts(type = "'project' | 'nothing' | null"))]
    held: Option<HeldTo>,
    /// How it runs confined; `null`: it is not sure that it is held to that.
    run: Option<NativeConfinedRun>,
}

/// What a confined command is held to.
#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
enum HeldTo {
    Project,
    Nothing,
}

impl From<HeldTo> for ConfinedWrites {
    fn from(held: HeldTo) -> Self {
        match held {
            HeldTo::Project => Self::Project,
            HeldTo::Nothing => Self::Nothing,
        }
    }
}

/// Absolute paths.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeSealed {
    /// Neither read nor changed.
    hidden: Vec<String>,
    /// Not changed.
    kept: Vec<String>,
    /// Folders in what is kept that can be changed all the same.
    opened: Vec<String>,
    /// Not made.
    absent: Vec<String>,
    /// Each `.git` that is there, with its submodules and worktrees.
    repositories: Vec<String>,
    /// Where they keep what was committed, if that is not below one of them.
    stores: Vec<String>,
    /// Whether what was committed may be elsewhere all the same.
    unheld: bool,
    /// Whether all names were looked at.
    complete: bool,
    /// Where they are not all for these folders alone: they could not be listed.
    unlisted: Vec<String>,
    /// Those that nothing keeps from the command: a part of the name is no text (U+FFFD here).
    unnamed: Vec<String>,
}

impl Operate<&Policies> for FindSealed {
    type Answer = NativeSealed;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let run = self.run.as_ref().map(NativeConfinedRun::run);
        let opener = FileOpener {
            tool_name: &self.tool_name,
            held: self.held.map(ConfinedWrites::from),
            run: run.as_ref(),
        };
        let found = policies.sealed(&self.more, opener).map_err(GateError::InvalidConfig)?;
        let SealedFiles { hidden, kept, opened, absent, repositories, stores, .. } = found;
        let SealedFiles { unheld, complete, unlisted, unnamed, .. } = found;
        Ok(NativeSealed {
            hidden,
            kept,
            opened,
            absent,
            repositories,
            stores,
            unheld,
            complete,
            unlisted,
            unnamed,
        })
    }
}

/// What a confined command reaches of the network.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FindNetwork {}

/// What all policies together say of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeNetwork {
    /// Nothing is reached.
    none: bool,
    /// A human is asked of what no rule names.
    ask: bool,
    /// A host must be meant by each of these lists.
    hosts: Vec<Vec<String>>,
}

impl Operate<&Policies> for FindNetwork {
    type Answer = Option<NativeNetwork>;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let reach = policies.network().map_err(GateError::InvalidConfig)?;
        Ok(reach.map(|NetworkReach { none, ask, hosts }| NativeNetwork { none, ask, hosts }))
    }
}

/// The policies that count, the administrator's first.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ListLayers {}

/// A policy that counts.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeLayer<'a> {
    #[cfg_attr(test, ts(as = "crate::words::PolicyLayer"))]
    layer: LayerKind,
    /// The file, or what the program calls it.
    name: &'a str,
    /// Whether its allows count.
    trusted: bool,
}

/// Those that count.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeLayers<'a> {
    layers: Vec<NativeLayer<'a>>,
    /// Why nothing may be allowed; `null`: everything could be read.
    broken: Option<&'a str>,
    problems: Vec<PolicyProblem<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "NativeLayers"))]
struct LayersText(Raw);

impl Operate<&Policies> for ListLayers {
    type Answer = LayersText;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let snapshot = policies.layers().map_err(GateError::InvalidConfig)?;
        let sources = snapshot.documents.iter().map(|document| &document.source);
        let layers = sources
            .map(|source| NativeLayer {
                layer: source.layer,
                name: &source.name,
                trusted: source.trusted,
            })
            .collect();
        let problems = policies.problems().map_err(GateError::InvalidConfig)?;
        let problems = problems_out(&problems);
        raw(&NativeLayers { layers, broken: snapshot.broken.as_deref(), problems }).map(LayersText)
    }
}

/// The source that forbids a mode; `null`: none does.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct FindForbidding {
    mode: Box<str>,
}

impl Operate<&Policies> for FindForbidding {
    type Answer = Option<String>;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let name = &*self.mode;
        let mode: PolicyMode = serde_json::from_value(name.into())
            .map_err(|_| GateError::InvalidConfig(format!("there is no mode {name:?}")))?;
        Ok(forbidding(policies, mode))
    }
}

/// The source that forbids a mode.
pub(crate) fn forbidding(policies: &Policies, mode: PolicyMode) -> Option<String> {
    let forbids = policies.forbids(mode).map(|source| source.name.to_string());
    // Its denials are unknown, so a person has to be asked.
    let unknown = || {
        let broken = policies.broken().filter(|_| mode == PolicyMode::Auto)?;
        Some(format!("a policy that cannot be read ({broken})"))
    };
    forbids.or_else(unknown)
}

/// Why nothing is remembered here; `null`: it is.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct AskForgets {}

impl Operate<&Policies> for AskForgets {
    type Answer = Option<String>;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        policies.forgets().map_err(GateError::InvalidConfig)
    }
}

/// Keeps a grant, given without an id.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "Omit<Grant, 'id'>"))]
struct SaveGrant(Grant);

impl Operate<&Policies> for SaveGrant {
    type Answer = GrantText;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        policies.grant(self.0).map(GrantText).map_err(GateError::InvalidConfig)
    }
}

/// The grants that hold, oldest first.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ListGrants {
    /// ms since the epoch.
    now: f64,
}

impl Operate<&Policies> for ListGrants {
    type Answer = Vec<GrantText>;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        let grants = policies.grants(self.now.max(0.0) as u64);
        Ok(grants.into_iter().map(GrantText).collect())
    }
}

/// Takes a grant back. `false`: no such grant.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct RevokeGrant {
    id: Box<str>,
}

impl Operate<&Policies> for RevokeGrant {
    type Answer = bool;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        match uuid::Uuid::try_parse(&self.id) {
            Ok(id) => policies.revoke(id).map_err(GateError::InvalidConfig),
            Err(_) => Ok(false),
        }
    }
}

/// Forgets what was granted for a run.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct EndRun {
    run_id: Box<str>,
}

impl Operate<&Policies> for EndRun {
    type Answer = Done;

    fn perform(self, policies: &Policies) -> Result<Self::Answer, GateError> {
        policies.end_run(&self.run_id);
        Ok(Done)
    }
}

#[cfg(test)]
pub(super) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    Operation::types(all)
        .with::<super::judged::NativeJudged<'static>>()
        .with::<super::judged::NativeBound<'static>>()
        .with::<super::judged::NativeGrant<'static>>()
        .with::<NativeRefreshed<'static>>()
        .with::<NativeLayers<'static>>()
}
