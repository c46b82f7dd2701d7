//! What was granted: decisions that are remembered for a run, for as long as the gate lives, or in the user's file.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::call::{PolicyCall, code_source, told};
use crate::layers::{hold, real_path, user_text_at, write_atomically};
use crate::path::{FileLookup, PathContext};
use crate::policy::document::{DocumentFormat, PolicyDocument, PolicyRule, read};
use crate::policy::{
    Effect, GrantRules, JudgedCall, NeedsFiles, Policy, PolicyError, Verdict, judge,
};

/// For how long a decision is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GrantDuration {
    /// While its run lasts.
    Run,
    /// While the gate lives.
    Session,
    /// In the user's file.
    Always,
}

/// A remembered decision: `Grant` of the API.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// Its id. Made when it is added.
    #[serde(default)]
    pub id: Uuid,
    /// Whether it allows or denies.
    pub effect: Effect,
    /// For how long.
    pub scope: GrantDuration,
    /// Its run, for [`GrantDuration::Run`].
    pub run_id: Option<String>,
    /// The project it was granted in, for [`GrantDuration::Always`], where its path led: it means nothing in another.
    #[serde(default)]
    pub project: Option<String>,
    /// One sentence: what it says.
    pub label: String,
    /// Rules, as a document has them.
    pub rules: Box<RawValue>,
    /// Who decided.
    pub by: String,
    /// ms since the epoch.
    pub created_at: u64,
    /// ms since the epoch; `None`: until it is revoked.
    pub expires_at: Option<u64>,
    /// How many calls it still answers; `None`: any number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// What was offered, where a human made it narrower: it answers nothing that these rules do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<RawValue>>,
}

impl Grant {
    fn is_left(&self) -> bool {
        self.times != Some(0)
    }

    /// One call less. `false`: nothing is left.
    fn use_once(&mut self) -> bool {
        let is_left = self.is_left();
        self.times = self.times.map(|times| times.saturating_sub(1));
        is_left
    }

    fn holds(&self, run_id: Option<&str>, now: u64) -> bool {
        self.is_left()
            && self.expires_at.is_none_or(|end| now < end)
            && (self.scope != GrantDuration::Run || self.run_id.as_deref() == run_id)
    }

    /// Whether it speaks of calls from this project. A grant of everywhere does not.
    fn is_of(&self, project: Option<&str>) -> bool {
        self.scope != GrantDuration::Always
            || (self.project.is_some() && self.project.as_deref() == project)
    }
}

/// The project of calls from here: where its path leads now. A symlink may lead to another one by the next call.
fn project_of(context: &PathContext) -> Option<String> {
    let path = context.project.as_deref()?;
    Some(real_path(path).unwrap_or_else(|| path.to_owned()))
}

/// Grants, ready to be compared.
#[derive(Debug, Default)]
pub(super) struct GrantBook {
    kept: Vec<StoredGrant>,
}

#[derive(Debug, Clone)]
struct StoredGrant {
    grant: Grant,
    says: GrantEffect,
}

#[derive(Debug, Clone)]
enum GrantEffect {
    Allow(AllowedRules),
    /// Each of them denies what it answers.
    Deny(Vec<Policy>),
}

/// What is allowed. A narrower pattern may name what a wider one leaves out, such as a protected file: that a grant which was made
/// narrower answers nothing else is held here, and not read from its patterns.
#[derive(Debug, Clone)]
struct AllowedRules {
    rules: Vec<PolicyRule>,
    /// What was offered in their place.
    within: Option<Vec<PolicyRule>>,
    /// Each of them allows what it answers.
    says: Vec<GrantRules>,
}

impl AllowedRules {
    fn new(
        rules: Vec<PolicyRule>, within: Option<Vec<PolicyRule>>, context: &PathContext,
    ) -> Result<Self, PolicyError> {
        let all = std::iter::once(&rules).chain(&within);
        let says = all.map(|rules| GrantRules::compile(rules.clone(), context));
        let says = says.collect::<Result<_, _>>()?;
        Ok(Self { rules, within, says })
    }

    /// All of these as one.
    fn together<'a>(
        all: impl Iterator<Item = &'a Self> + Clone, context: &PathContext,
    ) -> Result<Self, PolicyError> {
        let rules = all.clone().flat_map(|each| &each.rules).cloned().collect();
        let is_narrower = all.clone().any(|each| each.within.is_some());
        let within = all.flat_map(|each| each.within.as_ref().unwrap_or(&each.rules));
        Self::new(rules, is_narrower.then(|| within.cloned().collect()), context)
    }

    fn answers(
        &self, call: &JudgedCall, verdict: &Verdict, files: &dyn FileLookup,
    ) -> Result<bool, NeedsFiles> {
        for says in &self.says {
            if !says.answers(call, verdict, files)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// What the user's file holds.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantDocument {
    version: u32,
    grants: Vec<Grant>,
}

impl GrantBook {
    pub(super) fn count(&self) -> usize {
        self.kept.len()
    }

    /// Keeps one. `Err`: why it cannot be.
    pub(super) fn add(&mut self, mut grant: Grant, context: &PathContext) -> Result<Grant, String> {
        grant.id = Uuid::now_v7();
        grant.project = project_of(context).filter(|_| grant.scope == GrantDuration::Always);
        let says = GrantEffect::of(&grant, context)?;
        self.kept.push(StoredGrant { grant: grant.clone(), says });
        Ok(grant)
    }

    /// Takes over what the user's file holds, but what of it cannot be read: that answers nothing.
    pub(super) fn take_over(&mut self, file: Vec<Grant>, context: &PathContext) {
        self.kept.retain(|kept| kept.grant.scope != GrantDuration::Always);
        let project = project_of(context);
        let read = file.into_iter().filter_map(|grant| {
            let says = GrantEffect::of(&grant, context).ok()?;
            let ours = grant.scope == GrantDuration::Always && grant.is_of(project.as_deref());
            ours.then_some(StoredGrant { grant, says })
        });
        self.kept.extend(read);
    }

    pub(super) fn list(&self, now: u64) -> Vec<Grant> {
        let holds = |grant: &Grant| grant.is_left() && grant.expires_at.is_none_or(|end| now < end);
        self.kept.iter().map(|kept| &kept.grant).filter(|grant| holds(grant)).cloned().collect()
    }

    pub(super) fn remove(&mut self, id: Uuid) -> Option<Grant> {
        let at = self.kept.iter().position(|kept| kept.grant.id == id)?;
        Some(self.kept.remove(at).grant)
    }

    /// Uses a grant with `times` once. `false`: nothing is left of it.
    pub(super) fn use_up(&mut self, id: Uuid) -> bool {
        let mut kept = self.kept.iter_mut();
        let used = kept.find(|kept| kept.grant.id == id).is_some_and(|kept| kept.grant.use_once());
        self.kept.retain(|kept| kept.grant.is_left());
        used
    }

    /// Forgets what was granted for a run.
    pub(super) fn end_run(&mut self, run_id: &str) {
        self.kept.retain(|kept| {
            kept.grant.scope != GrantDuration::Run || kept.grant.run_id.as_deref() != Some(run_id)
        });
    }

    /// The grants that could answer this call now.
    pub(super) fn answers(&self, call: &PolicyCall) -> GrantSnapshot {
        let holding = |kept: &&StoredGrant| {
            call.uses_grants.hears(kept.grant.effect)
                && kept.grant.holds(call.run_id.as_deref(), call.now)
        };
        GrantSnapshot { kept: self.kept.iter().filter(holding).cloned().collect() }
    }
}

/// As [`GrantBook::use_up`], of what a file holds.
pub(super) fn used_once(grants: &mut Vec<Grant>, id: Uuid) -> bool {
    let used = grants.iter_mut().find(|grant| grant.id == id).is_some_and(Grant::use_once);
    grants.retain(Grant::is_left);
    used
}

/// A copy of some grants, to be compared without holding anything.
pub(super) struct GrantSnapshot {
    kept: Vec<StoredGrant>,
}

impl GrantSnapshot {
    /// The grant that answers: a denial of any part, or an allow that all asked parts together have.
    pub(super) fn to(
        &self, call: &PolicyCall, verdict: &Verdict, context: &PathContext, files: &dyn FileLookup,
    ) -> Result<Option<Grant>, NeedsFiles> {
        let judged = call.judged();
        // One with `times` answers where no other does.
        let counted = |grant: &Grant| grant.times.is_some();
        let in_order = || {
            let (others, last): (Vec<_>, Vec<_>) =
                self.kept.iter().partition(|kept| !counted(&kept.grant));
            others.into_iter().chain(last)
        };
        for StoredGrant { grant, says } in in_order() {
            if says.denies(&judged, files)? {
                return Ok(Some(grant.clone()));
            }
        }
        for StoredGrant { grant, says } in in_order() {
            if let GrantEffect::Allow(rules) = says
                && rules.answers(&judged, verdict, files)?
            {
                return Ok(Some(grant.clone()));
            }
        }
        // Each part of a call may have a grant of its own. Named is the latest. One with `times` answers whole calls alone.
        let shared = || {
            self.kept.iter().filter_map(|StoredGrant { grant, says }| match says {
                GrantEffect::Allow(rules) if !counted(grant) => Some((grant, rules)),
                GrantEffect::Allow(_) | GrantEffect::Deny(_) => None,
            })
        };
        match (
            AllowedRules::together(shared().map(|(_, rules)| rules), context),
            shared().next_back(),
        ) {
            (Ok(all), Some((grant, _))) if all.answers(&judged, verdict, files)? => {
                Ok(Some(grant.clone()))
            }
            _ => Ok(None),
        }
    }

    /// The verdict, without the asks of those parts that a grant answers by itself. Where nothing is left, all of it.
    pub(super) fn left_of(
        &self, call: &JudgedCall, verdict: Verdict, files: &dyn FileLookup,
    ) -> Result<Verdict, NeedsFiles> {
        let allows = || {
            self.kept.iter().filter_map(|StoredGrant { says, .. }| match says {
                GrantEffect::Allow(rules) => Some(rules),
                GrantEffect::Deny(_) => None,
            })
        };
        if allows().next().is_none() {
            return Ok(verdict);
        }
        let mut left = verdict.clone();
        for (index, judged) in verdict.actions.iter().enumerate() {
            if judged.effect != Effect::Ask {
                continue;
            }
            let mut alone = verdict.clone();
            for (other, action) in alone.actions.iter_mut().enumerate() {
                if other != index && action.effect == Effect::Ask {
                    action.effect = Effect::Allow;
                }
            }
            for grants in allows() {
                if grants.answers(call, &alone, files)?
                    && let Some(answered) = left.actions.get_mut(index)
                {
                    answered.effect = Effect::Allow;
                }
            }
        }
        let asks = left.actions.iter().any(|judged| judged.effect == Effect::Ask);
        Ok(if asks { left } else { verdict })
    }
}

impl GrantEffect {
    fn of(grant: &Grant, context: &PathContext) -> Result<Self, String> {
        let given = document_in(&grant.rules, grant.effect)?;
        let within = grant.within.as_deref().map(|rules| document_in(rules, grant.effect));
        let within = within.transpose()?;
        match grant.effect {
            Effect::Allow => {
                let within = within.map(|document| document.rules);
                AllowedRules::new(given.rules, within, context).map(Self::Allow)
            }
            Effect::Deny => {
                let all = std::iter::once(given).chain(within);
                let denies = all.map(|document| Policy::compile(vec![document], context));
                denies.collect::<Result<_, _>>().map(Self::Deny)
            }
            Effect::Ask => return Err("a grant allows or denies".to_owned()),
        }
        .map_err(|error| error.to_string())
    }

    fn denies(&self, call: &JudgedCall, files: &dyn FileLookup) -> Result<bool, NeedsFiles> {
        let Self::Deny(all) = self else { return Ok(false) };
        for policy in all {
            if judge(policy, call, files)?.effect != Effect::Deny {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Rules of this effect, some of them.
fn document_in(rules: &RawValue, effect: Effect) -> Result<PolicyDocument, String> {
    let text = format!(r#"{{"version":1,"rule":{}}}"#, rules.get());
    let document = read(&text, DocumentFormat::Object, code_source("grants"))
        .map_err(|errors| told(&errors))?;
    if document.rules.is_empty() || document.rules.iter().any(|rule| rule.effect != effect) {
        return Err("a grant holds rules of its own effect".to_owned());
    }
    Ok(document)
}

/// The user's file of grants.
#[derive(Debug, Clone)]
pub(super) struct GrantFile {
    path: PathBuf,
}

impl GrantFile {
    pub(super) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Beside the user's policy.
    pub(super) fn beside(user_policy: &Path) -> Self {
        Self { path: user_policy.with_file_name("grants.json") }
    }

    /// What it holds.
    pub(super) fn read(&self) -> Result<Vec<Grant>, String> {
        self.grants().map_err(|why| self.failed(&why))
    }

    /// What it holds; `Err`: why nothing in it answers, without the name of the file.
    pub(super) fn grants(&self) -> Result<Vec<Grant>, String> {
        let Some(text) = user_text_at(&self.path)? else { return Ok(Vec::new()) };
        let file: GrantDocument = serde_json::from_str(&text).map_err(|error| error.to_string())?;
        match file.version {
            1 | 2 => Ok(file.grants),
            version => Err(format!("version {version} is not known: update countersign")),
        }
    }

    /// Changes it in one step.
    pub(super) fn change(
        &self, change: impl FnOnce(&mut Vec<Grant>),
    ) -> Result<Vec<Grant>, String> {
        let _held = hold(&self.path).map_err(|error| self.failed(&error.to_string()))?;
        let mut grants = self.read()?;
        change(&mut grants);
        // To one that knows neither, a grant with `times`, or a narrowed one, would be wider.
        let counts = grants.iter().any(|grant| grant.times.is_some() || grant.within.is_some());
        let file = GrantDocument { version: if counts { 2 } else { 1 }, grants };
        let text =
            serde_json::to_string_pretty(&file).map_err(|error| self.failed(&error.to_string()))?;
        write_atomically(&self.path, &text).map_err(|error| self.failed(&error.to_string()))?;
        Ok(file.grants)
    }

    fn failed(&self, why: &str) -> String {
        format!("{}: {why}", self.path.display())
    }
}
