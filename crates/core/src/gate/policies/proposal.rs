//! Rules for the project's policy, from what was asked about in it: the text that would stand there, and what it would have saved.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use serde_json::value::RawValue;

use super::call::{code_source, told};
use super::{MachinePolicies, Policies};
use crate::call::Json;
use crate::layers::{LayerFiles, own_text_at};
use crate::path::{CachedFiles, RealFiles};
use crate::policy::document::{
    DocumentFormat, LayerKind, MatchOrder, PolicyDocument, PolicyRule, PolicySource, load, read,
    rule_to_toml,
};
use crate::policy::{
    Effect, JudgedCall, LeftOutWhy, PastAnswer, PastCall, PastOffer, ReplayGround, ReplayProof,
    propose, prove, rules_of,
};

/// A call that a human was asked about.
#[derive(Debug)]
pub struct AskedCall {
    /// What rules know the tool by.
    pub tool_name: String,
    /// Its arguments.
    pub args: Json,
    /// Where it ran.
    pub cwd: String,
    /// What became of it.
    pub answer: PastAnswer,
    /// Whether a rule could have answered.
    pub answerable: bool,
    /// What "always" would have saved for this answer.
    pub offer: Option<SavedOffer>,
}

/// What "always" would save, as it is kept.
#[derive(Debug)]
pub struct SavedOffer {
    /// One sentence.
    pub label: String,
    /// Rules, as a document has them.
    pub rules: Box<RawValue>,
}

/// Rules for the project's policy.
#[derive(Debug)]
pub struct PolicyProposal {
    /// The file.
    pub path: String,
    /// What stands in it; `None`: there is no file.
    pub before: Option<String>,
    /// What would stand in it. As `before`, where nothing is proposed.
    pub after: String,
    /// Whether the user trusts what stands there.
    pub trusted: bool,
    /// What was chosen, the most useful first.
    pub offers: Vec<ProposedOffer>,
    /// What was not, though it would have saved enough.
    pub left_out: Vec<LeftOutOffer>,
    /// How many questions the rules that stand there answer by now.
    pub answered: usize,
    /// What all of it comes to.
    pub proof: ReplayProof,
}

/// An offer that was chosen.
#[derive(Debug)]
pub struct ProposedOffer {
    /// Whether it allows or denies.
    pub effect: Effect,
    /// One sentence.
    pub label: String,
    /// How many questions it alone would have saved.
    pub saves: usize,
}

/// An offer that was left out.
#[derive(Debug)]
pub struct LeftOutOffer {
    /// One sentence.
    pub label: String,
    /// Why.
    pub why: LeftOutWhy,
}

/// Offers, each once, and calls, those that are the same counted.
#[derive(Default)]
struct PastBook<'a> {
    offers: Vec<PastOffer>,
    by_rules: HashMap<&'a str, Option<usize>>,
    calls: Vec<(&'a AskedCall, Option<usize>, usize)>,
    by_call: HashMap<(&'a str, String, &'a str, PastAnswer, bool), usize>,
}

impl<'a> PastBook<'a> {
    fn of(asked: &'a [AskedCall]) -> Self {
        let mut book = Self::default();
        for call in asked {
            let offer = call.offer.as_ref().and_then(|offer| book.offer(offer));
            let key = (
                &*call.tool_name,
                serde_json::to_string(&call.args).unwrap_or_default(),
                &*call.cwd,
                call.answer,
                call.answerable,
            );
            let at = *book.by_call.entry(key).or_insert(book.calls.len());
            match book.calls.get_mut(at) {
                Some((_, _, times)) => *times += 1,
                None => book.calls.push((call, offer, 1)),
            }
        }
        book
    }

    fn offer(&mut self, saved: &'a SavedOffer) -> Option<usize> {
        let next = self.offers.len();
        *self.by_rules.entry(saved.rules.get()).or_insert_with(|| {
            let rules = rules_in(&saved.rules)?;
            self.offers.push(PastOffer { label: saved.label.clone(), rules });
            Some(next)
        })
    }
}

/// The rules of an offer; `None`: no rules, or not all of one effect.
fn rules_in(rules: &RawValue) -> Option<Vec<PolicyRule>> {
    let text = format!(r#"{{"version":1,"rule":{}}}"#, rules.get());
    let rules = read(&text, DocumentFormat::Object, code_source("offer")).ok()?.rules;
    let effect = rules.first()?.effect;
    let fits = effect != Effect::Ask && rules.iter().all(|rule| rule.effect == effect);
    fits.then_some(rules)
}

impl Policies {
    /// The smallest set of rules for the project's policy that would have saved questions, each proven over all of them. Blocks.
    ///
    /// # Errors
    /// Why nothing can be said: the file is not as it should be, or rules cannot be added at its end.
    pub fn propose(&self, asked: &[AskedCall]) -> Result<PolicyProposal, String> {
        if self.options.machine != MachinePolicies::All {
            return Err(
                "the policy of the project is not read here: set `policyFiles: true`".to_owned()
            );
        }
        let ready = self.current()?;
        if let Some(broken) = &ready.snapshot.broken {
            return Err(broken.clone());
        }
        if let Some(source) = ready.policy.forgets() {
            return Err(super::forgotten(source));
        }
        let (path, source) = self.own_source()?;
        let failed = |reason: String| format!("{path}: {reason}");
        let before = own_text_at(Path::new(&path)).map_err(|error| failed(error.to_string()))?;
        let document = match &before {
            Some(text) => {
                load(text, DocumentFormat::Toml, source.clone()).map_err(|errors| told(&errors))?
            }
            None => nothing(source.clone()),
        };
        let is_own = |document: &PolicyDocument| document.source.layer == LayerKind::Project;
        let documents = || ready.snapshot.documents.iter().map(AsRef::as_ref);
        let others: Vec<PolicyDocument> =
            documents().filter(|document| !is_own(document)).cloned().collect();
        let files = CachedFiles::new(&RealFiles);
        let ground = ReplayGround {
            others: &others,
            document: &document,
            context: &ready.context,
            files: &files,
        };
        let book = PastBook::of(asked);
        let hints = BTreeMap::new();
        let history: Vec<PastCall> = book
            .calls
            .iter()
            .map(|(asked, offer, times)| PastCall {
                call: JudgedCall {
                    other_names: &[],
                    confined: None,
                    tool_name: &asked.tool_name,
                    args: &asked.args,
                    cwd: Some(&asked.cwd),
                    annotations: &hints,
                    conditions: &[],
                },
                answer: asked.answer,
                times: *times,
                answerable: asked.answerable,
                offer: *offer,
            })
            .collect();
        let choice = propose(&ground, &book.offers, &history).map_err(|error| error.to_string())?;
        let rules = rules_of(&book.offers, &choice.chosen);
        let after = added(before.as_deref(), &rules).map_err(failed)?;
        // What would stand there is what is proven, and not what was meant by it.
        let written = load(&after, DocumentFormat::Toml, source).map_err(|errors| {
            format!("rules cannot be added at the end of the file: {}", told(&errors))
        })?;
        let proof = prove(&ground, &written, &history).map_err(|error| error.to_string())?;
        if let Some(why) = proof.objection() {
            return Err(failed(format!(
                "with these rules in it the file says something else: {why:?}"
            )));
        }
        let label = |at: usize| book.offers.get(at).map(|offer| offer.label.clone());
        Ok(PolicyProposal {
            trusted: documents().any(|document| is_own(document) && document.source.trusted),
            offers: choice
                .chosen
                .iter()
                .filter_map(|chosen| {
                    let effect = book.offers.get(chosen.offer)?.rules.first()?.effect;
                    Some(ProposedOffer { effect, label: label(chosen.offer)?, saves: chosen.saves })
                })
                .collect(),
            left_out: choice
                .left_out
                .iter()
                .filter_map(|(at, why)| Some(LeftOutOffer { label: label(*at)?, why: *why }))
                .collect(),
            answered: choice.answered,
            proof,
            path,
            before,
            after,
        })
    }

    /// The project's policy, as if the user trusted it.
    fn own_source(&self) -> Result<(String, PolicySource), String> {
        let file = LayerFiles::usual(Path::new(&self.project())).project;
        let path = file
            .as_deref()
            .and_then(Path::to_str)
            .ok_or("the project has no place for a policy")?;
        let name = path.into();
        Ok((path.to_owned(), PolicySource { layer: LayerKind::Project, name, trusted: true }))
    }
}

fn nothing(source: PolicySource) -> PolicyDocument {
    PolicyDocument {
        source,
        default: None,
        matching: MatchOrder::Strictest,
        tools: BTreeMap::new(),
        rules: Vec::new(),
        forbid: Vec::new(),
        network: None,
        forgets: false,
    }
}

/// The text with these rules at its end: nothing that stands there moves.
fn added(before: Option<&str>, rules: &[PolicyRule]) -> Result<String, String> {
    let mut text = before.map_or_else(|| "version = 1\n".to_owned(), str::to_owned);
    if rules.is_empty() {
        return Ok(text);
    }
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str(line_end);
    }
    for rule in rules {
        let rule = rule_to_toml(rule).map_err(|error| error.to_string())?;
        text.push_str(line_end);
        text.push_str(&rule.replace('\n', line_end));
    }
    Ok(text)
}
