//! Which rules would have answered what was asked: chosen from what "always" would have saved, and replayed over all of it.
//!
//! Nothing is guessed. A set of rules is judged as any policy is, over each call that was asked about, and one that lets through
//! what somebody did not let through is left out.

use std::collections::BTreeSet;

use super::Effect;
use super::action::ActionKind;
use super::compile::{Policy, PolicyError};
use super::document::{PolicyDocument, PolicyRule};
use super::judge::{JudgedCall, NeedsFiles, judge};
use super::verdict::Verdict;
use crate::path::{FileLookup, PathContext};

/// What a human made of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PastAnswer {
    /// It ran as it was asked about.
    Approved,
    /// It did not run.
    Rejected,
    /// It did not run as it was asked about: it was edited, skipped, or answered.
    Changed,
}

/// A call that a human was asked about.
#[derive(Debug, Clone, Copy)]
pub struct PastCall<'a> {
    /// It.
    pub call: JudgedCall<'a>,
    /// What became of it.
    pub answer: PastAnswer,
    /// How often it was asked about, and answered so.
    pub times: usize,
    /// Whether a rule could have answered: rules asked, and no people were named.
    pub answerable: bool,
    /// What "always" would have saved for this answer, by its place in the offers.
    pub offer: Option<usize>,
}

/// What "always" would have saved.
#[derive(Debug, Clone)]
pub struct PastOffer {
    /// What it says, in a sentence.
    pub label: String,
    /// Of one effect, allow or deny.
    pub rules: Vec<PolicyRule>,
}

/// A rule of fewer calls is not proposed: what was asked twice may never be asked again.
pub const LEAST_CALLS: usize = 3;

/// More offers are not tried.
const MOST_OFFERS: usize = 200;

/// More are not chosen: a longer list would not be read.
const MOST_CHOSEN: usize = 40;

/// Why an offer is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOutWhy {
    /// It allows what was rejected, or changed before it ran.
    AllowsRejected,
    /// It denies what was approved.
    DeniesApproved,
    /// It allows a call with a part that is unknown.
    AllowsUnknown,
    /// It cannot stand in a policy.
    NoRule,
    /// There are too many.
    TooMany,
}

/// An offer that was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenOffer {
    /// Its place in the offers.
    pub offer: usize,
    /// How many questions it alone would have saved.
    pub saves: usize,
}

/// What a replay found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReplayProof {
    /// Questions that these rules would have saved.
    pub saved: usize,
    /// Calls that were rejected or changed, and that they allow.
    pub rejected_allowed: usize,
    /// Calls that were approved, and that they deny.
    pub approved_denied: usize,
    /// Calls with a part that is unknown, and that they allow.
    pub unknown_allowed: usize,
}

impl ReplayProof {
    /// Why rules with this proof are not proposed; `None`: they may be.
    pub fn objection(&self) -> Option<LeftOutWhy> {
        if self.rejected_allowed > 0 {
            Some(LeftOutWhy::AllowsRejected)
        } else if self.unknown_allowed > 0 {
            Some(LeftOutWhy::AllowsUnknown)
        } else {
            (self.approved_denied > 0).then_some(LeftOutWhy::DeniesApproved)
        }
    }
}

/// What was chosen, and what was not.
#[derive(Debug, Default)]
pub struct OfferChoice {
    /// The most useful first.
    pub chosen: Vec<ChosenOffer>,
    /// Those that would have saved enough, and why they are not among them.
    pub left_out: Vec<(usize, LeftOutWhy)>,
    /// How many questions a rule that stands there by now answers.
    pub answered: usize,
}

/// Policies, and the document that the rules are to be added to.
#[derive(Clone, Copy)]
pub struct ReplayGround<'a> {
    /// All others that count.
    pub others: &'a [PolicyDocument],
    /// The document, as if it were trusted.
    pub document: &'a PolicyDocument,
    /// Where paths start.
    pub context: &'a PathContext,
    /// The files as they are now.
    pub files: &'a dyn FileLookup,
}

/// Why nothing can be chosen.
#[derive(Debug, thiserror::Error)]
pub enum ProposeError {
    /// The policies cannot be compiled.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// Files must be looked at.
    #[error(transparent)]
    NeedsFiles(#[from] NeedsFiles),
}

/// The smallest set of offers that saves what can be saved, as far as it is found by taking the most useful one each time.
///
/// # Errors
/// When the policies that count cannot be judged with.
pub fn propose(
    ground: &ReplayGround, offers: &[PastOffer], history: &[PastCall],
) -> Result<OfferChoice, ProposeError> {
    let before = Replay::of(ground, history)?;
    let mut choice = OfferChoice { answered: before.answered(), ..OfferChoice::default() };
    let mut useful = Vec::new();
    for offer in before.often_made(offers) {
        let rules: &[PolicyRule] = offers.get(offer).map_or(&[], |offer| &offer.rules);
        let Ok(policy) = ground.with(rules) else {
            choice.left_out.push((offer, LeftOutWhy::NoRule));
            continue;
        };
        let (proof, saves) = before.against(&policy, |call| names_tool(rules, call))?;
        match proof.objection() {
            // What saves little is not missed.
            _ if proof.saved < LEAST_CALLS => {}
            Some(why) => choice.left_out.push((offer, why)),
            None if useful.len() == MOST_OFFERS => {
                choice.left_out.push((offer, LeftOutWhy::TooMany));
            }
            None => useful.push((offer, saves)),
        }
    }
    choice.chosen = covering(&useful, history);
    before.mend(offers, &mut choice)?;
    Ok(choice)
}

/// The rules of these offers, each once.
pub fn rules_of(offers: &[PastOffer], chosen: &[ChosenOffer]) -> Vec<PolicyRule> {
    let mut rules: Vec<PolicyRule> = Vec::new();
    for rule in chosen.iter().filter_map(|each| offers.get(each.offer)).flat_map(|it| &it.rules) {
        let rule = PolicyRule { index: 0, ..rule.clone() };
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }
    rules
}

/// What a document comes to in the place of the one that stands there, over all that was asked.
///
/// # Errors
/// When it cannot be judged with.
pub fn prove(
    ground: &ReplayGround, document: &PolicyDocument, history: &[PastCall],
) -> Result<ReplayProof, ProposeError> {
    let before = Replay::of(ground, history)?;
    let policy = ReplayGround { document, ..*ground }.with(&[])?;
    Ok(before.against(&policy, |_| true)?.0)
}

impl ReplayGround<'_> {
    /// The policies with these rules at the end of the document.
    fn with(&self, rules: &[PolicyRule]) -> Result<Policy, PolicyError> {
        let mut document = self.document.clone();
        for rule in rules {
            document.rules.push(PolicyRule { index: document.rules.len(), ..rule.clone() });
        }
        let mut documents = self.others.to_vec();
        documents.push(document);
        Policy::compile(documents, self.context)
    }
}

/// The history, and what the policies say of it as they are.
struct Replay<'a> {
    ground: &'a ReplayGround<'a>,
    history: &'a [PastCall<'a>],
    effects: Vec<Effect>,
}

impl<'a> Replay<'a> {
    fn of(ground: &'a ReplayGround, history: &'a [PastCall]) -> Result<Self, ProposeError> {
        let policy = ground.with(&[])?;
        let effect = |past: &PastCall| Ok(judge(&policy, &past.call, ground.files)?.effect);
        let effects = history.iter().map(effect).collect::<Result<_, NeedsFiles>>()?;
        Ok(Self { ground, history, effects })
    }

    fn answered(&self) -> usize {
        let answered = self.history.iter().zip(&self.effects);
        answered
            .filter(|(past, effect)| past.answerable && **effect != Effect::Ask)
            .map(|(past, _)| past.times)
            .sum()
    }

    /// The offers of calls that are still asked about, those that were made most often first.
    fn often_made(&self, offers: &[PastOffer]) -> Vec<usize> {
        let mut times = vec![0; offers.len()];
        for (past, effect) in self.history.iter().zip(&self.effects) {
            let open = past.answerable && *effect == Effect::Ask;
            if let Some(times) = past.offer.filter(|_| open).and_then(|at| times.get_mut(at)) {
                *times += past.times;
            }
        }
        let mut made: Vec<usize> =
            times.iter().enumerate().filter(|(_, times)| **times > 0).map(|(at, _)| at).collect();
        made.sort_by_key(|at| std::cmp::Reverse(times.get(*at).copied()));
        made
    }

    /// What these policies come to, and which questions they save. Calls that nothing of them is about are not judged again.
    fn against(
        &self, policy: &Policy, concerns: impl Fn(&JudgedCall) -> bool,
    ) -> Result<(ReplayProof, BTreeSet<usize>), NeedsFiles> {
        let mut proof = ReplayProof::default();
        let mut saves = BTreeSet::new();
        for (at, (past, before)) in self.history.iter().zip(&self.effects).enumerate() {
            if *before == Effect::Deny || !concerns(&past.call) {
                continue;
            }
            let verdict = judge(policy, &past.call, self.ground.files)?;
            let (allowed, denied) = match verdict.effect {
                Effect::Allow => (*before != Effect::Allow, false),
                Effect::Deny => (false, true),
                Effect::Ask => continue,
            };
            let approved = past.answer == PastAnswer::Approved;
            if allowed && is_unknown(&verdict) {
                proof.unknown_allowed += past.times;
            } else if allowed && !approved {
                proof.rejected_allowed += past.times;
            } else if denied && approved {
                proof.approved_denied += past.times;
            } else if (allowed || denied) && past.answerable && *before == Effect::Ask {
                proof.saved += past.times;
                saves.insert(at);
            }
        }
        Ok((proof, saves))
    }

    /// Takes out what is only wrong, or not needed, together with the others.
    fn mend(&self, offers: &[PastOffer], choice: &mut OfferChoice) -> Result<(), ProposeError> {
        let proof_of = |chosen: &[ChosenOffer]| -> Result<ReplayProof, ProposeError> {
            let policy = self.ground.with(&rules_of(offers, chosen))?;
            Ok(self.against(&policy, |_| true)?.0)
        };
        // Two rules may allow together what neither does: the one that saves least goes first.
        while let Some(why) = proof_of(&choice.chosen)?.objection() {
            let Some(ChosenOffer { offer, .. }) = choice.chosen.pop() else { break };
            choice.left_out.push((offer, why));
        }
        let saved = proof_of(&choice.chosen)?.saved;
        for at in (0..choice.chosen.len()).rev() {
            let mut fewer = choice.chosen.clone();
            fewer.remove(at);
            let proof = proof_of(&fewer)?;
            if proof.saved == saved && proof.objection().is_none() {
                choice.chosen = fewer;
            }
        }
        Ok(())
    }
}

/// Takes the one that saves most of what is left, until none saves enough.
fn covering(useful: &[(usize, BTreeSet<usize>)], history: &[PastCall]) -> Vec<ChosenOffer> {
    let times = |at: &usize| history.get(*at).map_or(0, |past| past.times);
    let mut covered = BTreeSet::new();
    let mut chosen = Vec::new();
    while chosen.len() < MOST_CHOSEN {
        let gain =
            |saves: &BTreeSet<usize>| -> usize { saves.difference(&covered).map(times).sum() };
        // Of equals the first: those are sorted by how often they were offered.
        let best = useful.iter().rev().max_by_key(|(_, saves)| gain(saves));
        let Some((offer, saves)) = best.filter(|(_, saves)| gain(saves) >= LEAST_CALLS) else {
            break;
        };
        chosen.push(ChosenOffer { offer: *offer, saves: saves.iter().map(times).sum() });
        covered.extend(saves);
    }
    chosen
}

/// Rules that were offered name the very tool.
fn names_tool(rules: &[PolicyRule], call: &JudgedCall) -> bool {
    rules.iter().any(|rule| super::names::rule_names(rule, call.tool_name, call.other_names))
}

fn is_unknown(verdict: &Verdict) -> bool {
    let kinds = verdict.actions.iter().map(|judged| &judged.action.kind);
    kinds.into_iter().any(|kind| matches!(kind, ActionKind::Unknown { .. }))
}
