//! Actions and rules, made one verdict.
//!
//! Each action is judged by itself: the rules that could speak of it are found through the index, those that match are
//! pooled by layer, and the call gets the strictest of its actions' effects.

mod again;
mod below;
mod known;
mod led;
mod linked;
mod lost;
mod matching;
mod names_below;
mod overwritten;
mod pool;
mod sieve;
mod spot;
mod tracked;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

pub(crate) use below::is_product;
pub(crate) use known::KnownFiles;
pub(crate) use led::LedPlaces;
pub(crate) use matching::{MatchStrength, RuleHit};
pub(crate) use pool::MatchTrace;
pub(crate) use sieve::{opened, takes_in_again};
use spot::LinkedPlaces;
pub(crate) use spot::{PathSpots, places, through};
pub(crate) use tracked::{KnownNames, NameSuspicion, NestedFolders};

use super::Effect;
use super::action::{Action, ActionKind, ByArgument, PathStart, UseExtent, literal};
use super::compile::Policy;
use super::confined::{ConfinedRun, ConfinedWrites};
use super::document::{RuleApprovers, RuleRisk};
use super::git::GitReach;
use super::network;
use super::protected::{self, PathProtection};
use super::reading::{self, ReadCall};
use super::verdict::{JudgedAction, Verdict, VerdictCause, VerdictRisk};
use crate::call::Json;
use crate::path::{
    CachedFiles, FileLookup, LinkedBeginnings, LocatedPath, PathContext, PathError, UrlAddress,
};
use crate::shell::{FileAccess, FileLoss, is_command_name, only_asks};

/// A call, as far as policies look at it.
#[derive(Debug, Clone, Copy)]
pub struct JudgedCall<'a> {
    /// The tool.
    pub tool_name: &'a str,
    /// Other names that its server gives it: a deny or an ask may mean it by one of them.
    pub other_names: &'a [String],
    /// Its arguments.
    pub args: &'a Json,
    /// The directory that it runs in, as its host says. `None`: the policy's own.
    pub cwd: Option<&'a str>,
    /// Hints that the tool gives of itself. They can only tighten.
    pub annotations: &'a BTreeMap<String, bool>,
    /// What the conditions of rules said, by their numbers. `None`, or none at all: it could not be tried, which asks.
    pub conditions: &'a [Option<bool>],
    /// How it runs where no human approves it, as its caller says. `None`: it is not confined.
    pub confined: Option<&'a ConfinedRun>,
}

impl JudgedCall<'_> {
    /// The directory that the host runs it in.
    pub(crate) fn directory<'a>(&'a self, context: &'a PathContext) -> &'a str {
        self.cwd.unwrap_or(&context.cwd)
    }
}

/// The file system is needed: judge again with one, off the JavaScript thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the file system is needed for this verdict")]
pub struct NeedsFiles;

/// What was found, or why not. What needs the file system ends the verdict.
pub(crate) fn looked_up<T>(
    found: Result<T, PathError>,
) -> Result<Result<T, PathError>, NeedsFiles> {
    match found {
        Err(PathError::NeedsFiles) => Err(NeedsFiles),
        found => Ok(found),
    }
}

/// Rules that are compared for one call at most. What is left is not allowed, and denies are still looked for, again as many.
const WORK: u32 = 200_000;

/// Pairs of characters that are compared for one call at most, to tell what could match what is known in part.
const GUESSWORK: usize = 1_000_000;

/// What the policies say about a call.
///
/// # Errors
/// With [`NoFiles`](crate::path::NoFiles), when it depends on where a path points.
pub fn judge(
    policy: &Policy, call: &JudgedCall, files: &dyn FileLookup,
) -> Result<Verdict, NeedsFiles> {
    judge_traced(policy, call, files, None)
}

/// The same, with a record of each rule that was compared.
///
/// What asks is judged once more as it runs confined. What is asked about all the same is shown as it runs when a human has
/// approved it: without walls.
pub(crate) fn judge_traced(
    policy: &Policy, call: &JudgedCall, files: &dyn FileLookup, trace: Option<&mut MatchTrace>,
) -> Result<Verdict, NeedsFiles> {
    let files = &CachedFiles::new(files);
    let mut plain = MatchTrace::default();
    let mut verdict = judge_held(policy, call, None, files, trace.is_some().then_some(&mut plain))?;
    let run =
        call.confined.filter(|_| verdict.effect == Effect::Ask && policy.rests_on_confinement());
    let mut asks = run.and_then(|_| verdict.actions.iter().find_map(JudgedAction::changes_history));
    let levels = match run {
        Some(run) if asks.is_none() => levels(policy, run, files)?,
        _ => Vec::new(),
    };
    for level in levels {
        let mut held = MatchTrace::default();
        let traced = trace.is_some().then_some(&mut held);
        let confined = judge_held(policy, call, Some(level), files, traced)?;
        if confined.effect == Effect::Allow {
            verdict = Verdict {
                reason: format!("{}; {}", confined.reason, level.text()),
                confined: Some(level),
                ..confined
            };
            plain = held;
            asks = None;
            break;
        }
        // What is held to less asks for less of a reason.
        asks = Some(confined.reason);
    }
    if let Some(reason) = asks.filter(|reason| *reason != verdict.reason) {
        verdict.reason = format!("{}; confined it asks as well: {reason}", verdict.reason);
    }
    if let Some(trace) = trace {
        *trace = plain;
    }
    Ok(verdict)
}

/// What such a command can be held to, from more to less.
fn levels(
    policy: &Policy, run: &ConfinedRun, files: &dyn FileLookup,
) -> Result<Vec<ConfinedWrites>, NeedsFiles> {
    let mut levels = Vec::new();
    if looked_up(run.stays_in_project(policy.context(), files))?.unwrap_or(false) {
        levels.push(ConfinedWrites::Project);
    }
    if policy.rests_on_confinement_to(ConfinedWrites::Nothing) {
        levels.push(ConfinedWrites::Nothing);
    }
    Ok(levels)
}

/// What the policies say of a call that is held to this. `None`: it is held to nothing.
pub(crate) fn judge_held(
    policy: &Policy, call: &JudgedCall, held: Option<ConfinedWrites>, files: &dyn FileLookup,
    mut trace: Option<&mut MatchTrace>,
) -> Result<Verdict, NeedsFiles> {
    let files = &CachedFiles::new(files);
    let ReadCall { actions, led } =
        reading::actions(call, policy.readings(), policy.context(), files)?;
    let judge = CallJudge::new(policy, call, held, files, &actions);
    let said = judge.all(trace.as_deref_mut())?;
    let losses = judge.losses()?;
    let mut places = judge.places.take();
    places.append(led);
    places.add_commands(&actions, files)?;
    let places = places.digest();
    // What is only mentioned counts where something is said against it. It stands behind all others.
    let counts =
        |says: &ActionVerdict, action: &Action| !action.mentioned || says.effect != Effect::Allow;
    if let Some(trace) = trace {
        let mut each = said.iter().zip(&actions);
        trace.actions.retain(|_| each.next().is_none_or(|(says, action)| counts(says, action)));
    }
    let judged: Vec<(ActionVerdict, (Action, FileLoss))> = said
        .into_iter()
        .zip(actions.into_iter().zip(losses))
        .filter(|(says, (action, _))| counts(says, action))
        .collect();
    let who = who(policy, judged.iter().map(|(says, _)| says));
    let risks = risks(policy, judged.iter().map(|(says, _)| says));
    let verdict = Verdict::of(
        judged
            .into_iter()
            .map(|(says, (action, loss))| JudgedAction {
                effect: says.effect,
                rule: says.rule.and_then(|rule| policy.reference(rule)),
                cause: says.cause,
                managed_ask: says.managed_ask,
                forgets: says.forgets,
                reviewable: says.reviewable,
                action,
                loss,
            })
            .collect(),
    );
    Ok(Verdict { who, risks, places, ..verdict })
}

/// What is said of a file that a running command opens: what is said of one that an argument of it names, once the command itself
/// is allowed. `opened`: the path, absolute, and how it is opened.
pub(crate) fn judge_opened(
    policy: &Policy, call: &JudgedCall, held: Option<ConfinedWrites>, opened: (&str, FileAccess),
    files: &dyn FileLookup,
) -> Result<ActionVerdict, NeedsFiles> {
    let (path, access) = opened;
    let action = Action {
        kind: ActionKind::Path {
            access,
            target: literal(path),
            extent: UseExtent::Itself,
            by: None,
        },
        span: None,
        argument: None,
        needs_allow: false,
        mentioned: false,
        loss: FileLoss::Nothing,
        start: Arc::new(PathStart::of("/", policy.context())),
    };
    CallJudge::new(policy, call, held, files, &[]).action(&action, &mut Vec::new(), None)
}

/// Who must agree, as all rules say together that ask about anything of the call.
fn who<'s>(policy: &Policy, judged: impl Iterator<Item = &'s ActionVerdict>) -> RuleApprovers {
    let mut who = RuleApprovers::default();
    let mut rules: Vec<usize> = judged.flat_map(|says| &says.who).copied().collect();
    rules.sort_unstable();
    rules.dedup();
    for rule in rules.into_iter().filter_map(|rule| policy.rule(rule)?.who.as_ref()) {
        who.add(rule);
    }
    who
}

/// What rules mark as a risk that speak of anything of the call.
fn risks<'s>(policy: &Policy, judged: impl Iterator<Item = &'s ActionVerdict>) -> Vec<VerdictRisk> {
    let mut rules: Vec<usize> = judged.flat_map(|says| &says.risks).copied().collect();
    rules.sort_unstable();
    rules.dedup();
    let marked = rules.into_iter().filter_map(|id| {
        let RuleRisk { level, because } = policy.rule(id)?.risk.clone()?;
        Some(VerdictRisk { rule: policy.reference(id)?, level, because })
    });
    marked.collect()
}

/// What is said about one action.
#[derive(Debug, Clone)]
pub(crate) struct ActionVerdict {
    pub(crate) effect: Effect,
    pub(crate) rule: Option<usize>,
    pub(crate) cause: VerdictCause,
    pub(crate) managed_ask: bool,
    /// Nothing that is said of it is remembered.
    pub(crate) forgets: bool,
    pub(crate) reviewable: bool,
    /// The rules that ask and say who must agree.
    pub(crate) who: Vec<usize>,
    /// The rules that mark it as a risk.
    pub(crate) risks: Vec<usize>,
}

/// One call being judged.
pub(crate) struct CallJudge<'a> {
    policy: &'a Policy,
    call: &'a JudgedCall<'a>,
    /// What the command is held to. `None`: nothing.
    confined: Option<ConfinedWrites>,
    files: &'a dyn FileLookup,
    actions: &'a [Action],
    /// The rules for whole calls that speak of this one.
    whole: Vec<RuleHit>,
    read_links: OnceCell<LinkedBeginnings>,
    write_links: OnceCell<LinkedBeginnings>,
    work: Cell<u32>,
    /// Nothing is allowed any more.
    late: Cell<bool>,
    /// Left for comparisons with what is known in part, in pairs of characters. Without any, all could match.
    guesswork: Cell<usize>,
    /// Where the paths lead.
    places: RefCell<LedPlaces>,
    /// How far the commands of git go, by their numbers.
    reaches: RefCell<HashMap<usize, GitReach>>,
    /// Where the line puts links.
    links: OnceCell<Vec<LinkedPlaces>>,
}

impl<'a> CallJudge<'a> {
    pub(crate) fn new(
        policy: &'a Policy, call: &'a JudgedCall<'a>, confined: Option<ConfinedWrites>,
        files: &'a dyn FileLookup, actions: &'a [Action],
    ) -> Self {
        let mut judge = Self {
            policy,
            call,
            confined,
            files,
            actions,
            whole: Vec::new(),
            read_links: OnceCell::new(),
            write_links: OnceCell::new(),
            work: Cell::new(WORK),
            late: Cell::new(false),
            guesswork: Cell::new(GUESSWORK),
            places: RefCell::default(),
            reaches: RefCell::default(),
            links: OnceCell::new(),
        };
        judge.whole = judge.whole_rules();
        judge
    }

    /// Says about each action, in order.
    fn all(&self, mut trace: Option<&mut MatchTrace>) -> Result<Vec<ActionVerdict>, NeedsFiles> {
        let mut all = Vec::with_capacity(self.actions.len());
        let mut hits = Vec::new();
        // A long line mostly says the same again and again.
        let mut known: HashMap<again::VerdictKey, ActionVerdict> = HashMap::new();
        let commands = again::SameCommands::of(self.actions);
        for action in self.actions {
            let key = if trace.is_none() { again::VerdictKey::of(action, &commands) } else { None };
            if let Some(says) = key.as_ref().and_then(|key| known.get(key)) {
                all.push(says.clone());
                continue;
            }
            hits.clear();
            let named = match &action.kind {
                ActionKind::Path { by: Some(by), .. } | ActionKind::Url { by: Some(by), .. } => {
                    action.needs_allow && self.is_named(*by)
                }
                _ => false,
            };
            let covered = named.then(|| Action { needs_allow: false, ..action.clone() });
            let action = covered.as_ref().unwrap_or(action);
            let mut says = self.action(action, &mut hits, trace.as_deref_mut())?;
            if says.effect == Effect::Allow && self.runs_confined() {
                says = self.presumed(action, says)?;
            }
            if self.work.get() == 0 && !self.late.get() {
                // What is still to come is not allowed any more, but a deny is not missed.
                self.late.set(true);
                self.work.set(WORK);
                hits.clear();
                if let Some(trace) = trace.as_deref_mut() {
                    trace.actions.pop();
                }
                says = self.action(action, &mut hits, trace.as_deref_mut())?;
            }
            if self.late.get() && says.effect == Effect::Allow {
                says = ActionVerdict {
                    effect: Effect::Ask,
                    rule: None,
                    cause: VerdictCause::TooMuch,
                    managed_ask: false,
                    forgets: says.forgets,
                    reviewable: false,
                    who: says.who,
                    risks: says.risks,
                };
            }
            if let Some(key) = key {
                known.insert(key, says.clone());
            }
            all.push(says);
        }
        Ok(all)
    }

    /// Whether it runs confined where no human approves it.
    fn runs_confined(&self) -> bool {
        self.confined.is_some() || self.call.confined.is_some()
    }

    /// What is said of a file that a confined command uses: the spelling of its path does not decide what git can give back, nor
    /// what is protected.
    fn presumed(&self, action: &Action, says: ActionVerdict) -> Result<ActionVerdict, NeedsFiles> {
        let Some(here) = spot::from_here(action) else { return Ok(says) };
        let near = self.action(&here, &mut Vec::new(), None)?;
        let counts = matches!(near.cause, VerdictCause::Lost | VerdictCause::Protected(_));
        Ok(if near.effect == Effect::Ask && counts {
            ActionVerdict { effect: near.effect, rule: None, cause: near.cause, ..says }
        } else {
            says
        })
    }

    /// Says about one action. `hits` is where the rules that match are gathered.
    pub(crate) fn action(
        &self, action: &Action, hits: &mut Vec<RuleHit>, trace: Option<&mut MatchTrace>,
    ) -> Result<ActionVerdict, NeedsFiles> {
        let spots = self.hits(action, hits)?;
        if let Some(spots) = &spots {
            self.places.borrow_mut().add_spots(spots);
        }
        // What goes nowhere needs no allow.
        let nowhere = spots.as_ref().is_some_and(PathSpots::is_null_device);
        let needs_allow = action.needs_allow && !nowhere;
        let confining =
            hits.iter().find(|hit| self.rests_on_confinement(hit)).map(|hit| hit.document);
        if let Some(document) = confining {
            self.drop_guesses(document, action, hits);
        }
        let mut says = pool::pool(self.policy, hits, action, needs_allow, trace);
        if matches!(action.kind, ActionKind::Unknown { .. }) && says.effect == Effect::Allow {
            // Only a rule that spells it out allows it.
            let named = hits.iter().any(|hit| hit.names_unknown);
            if !named {
                says.effect = Effect::Ask;
                says.rule = None;
                says.cause = VerdictCause::Unknown;
                says.reviewable = false;
            }
        }
        let silent = matches!(says.cause, VerdictCause::Uncovered | VerdictCause::Default(_));
        if says.cause == VerdictCause::CouldMatch
            && let Some(PathSpots { error: Some(error), .. }) = &spots
            && !action.mentioned
        {
            // Why it cannot be told says more than what it could be.
            says.cause = VerdictCause::Unlocated(error.to_string());
        }
        let confined = confining.is_some();
        let is_lost = says.effect == Effect::Allow
            && !nowhere
            && self.loses(action, hits, spots.as_ref(), confined)?;
        let shown = confining
            .and(spots.as_ref())
            .and_then(|spots| protected::shown(spots, action, self.files));
        if says.reviewable {
            // What no allow would open without naming it, no reviewer opens.
            says.reviewable = self.doubt(action, hits, spots).is_none();
            return Ok(says);
        }
        if (says.effect == Effect::Allow || (says.effect == Effect::Ask && silent))
            && let Some(doubt) = self.doubt(action, hits, spots)
            && !(confining.is_some()
                && shown.is_none()
                && (is_held(&doubt, action) || self.is_hardly_written(action)))
        {
            let cause = shown.map_or(doubt.cause, VerdictCause::Protected);
            let (managed_ask, forgets) = (says.managed_ask, says.forgets);
            says = ActionVerdict {
                effect: Effect::Ask,
                rule: None,
                cause,
                managed_ask,
                forgets,
                reviewable: false,
                who: says.who,
                risks: says.risks,
            };
        } else if is_lost {
            let (rule, cause) = (None, VerdictCause::Lost);
            says = ActionVerdict { effect: Effect::Ask, rule, cause, ..says };
        } else if confined
            && says.effect == Effect::Allow
            && let Some(what) = protected::spelled(action)
        {
            let (rule, cause) = (None, VerdictCause::Protected(what));
            says = ActionVerdict { effect: Effect::Ask, rule, cause, ..says };
        }
        Ok(says)
    }

    /// Takes out the asks of this document, which lets confined commands run, that only could mean a command or a file, or that
    /// mean a file which is hardly written: what comes of it, the confinement holds. What others ask or deny, and what it denies
    /// itself, stays.
    fn drop_guesses(&self, document: usize, action: &Action, hits: &mut Vec<RuleHit>) {
        let could_be_any = match &action.kind {
            ActionKind::Command { .. } | ActionKind::Path { .. } => true,
            // It may be a connection that the shell opens: a confined command has none.
            ActionKind::Url { target, .. } => target.literal().is_none(),
            ActionKind::Env { .. } | ActionKind::Tool { .. } | ActionKind::Unknown { .. } => false,
        };
        if !could_be_any {
            return;
        }
        let perhaps = self.is_hardly_written(action);
        hits.retain(|hit| {
            hit.how != MatchStrength::Could && !perhaps
                || hit.document != document
                || self.policy.rule(hit.rule).is_none_or(|rule| rule.effect == Effect::Deny)
        });
    }

    /// Whether it is a file that is opened for writing, and only asked.
    fn is_hardly_written(&self, action: &Action) -> bool {
        matches!(action.kind, ActionKind::Path { access: FileAccess::Write, by: Some(by), .. }
            if self.argv(&by).is_some_and(only_asks))
    }

    /// What stands against allowing an action that the rules allow.
    fn doubt(&self, action: &Action, hits: &[RuleHit], spots: Option<PathSpots>) -> Option<Doubt> {
        match &action.kind {
            ActionKind::Command { argv, .. } => {
                let first = argv.first().is_some_and(|word| word.literal().is_some());
                (!first).then_some(VerdictCause::Dynamic.into())
            }
            ActionKind::Path { access, extent, by, .. } => {
                let spots = spots?;
                if spots.is_null_device() {
                    return None;
                }
                if let Some(error) = spots.error.as_ref().filter(|_| !action.mentioned) {
                    return Some(VerdictCause::Unlocated(error.to_string()).into());
                }
                if action.needs_allow && !spots.certain && !spots.stays {
                    return Some(VerdictCause::Adrift.into());
                }
                let context = self.policy.context();
                let protection =
                    protected::protection(&spots, *access, *extent, context, self.files)?;
                let named = hits.iter().any(|hit| {
                    hit.effect == Effect::Allow
                        && hit.how == MatchStrength::Surely
                        && self.names(hit.rule, *access, &spots, &protection)
                });
                // A command that names no directory spells none out, and nothing that it reads there.
                let is_read = *access == FileAccess::Read;
                let names_none =
                    |by: &ByArgument| self.argv(by).is_some_and(|it| is_command_name(it, by.arg));
                let spelled = by
                    .filter(|by| !(protection.below || is_read) || !names_none(by))
                    .is_some_and(|by| self.is_spelled_out(by));
                let is_below = protection.below;
                let is_inside = protection.is_inside();
                let is_told = spots.certain && !is_below;
                let cause = VerdictCause::Protected(protection.what);
                (!named && !spelled).then_some(Doubt { cause, is_below, is_inside, is_told })
            }
            ActionKind::Url { target, .. } if action.needs_allow => {
                let cause = match target.literal().map(UrlAddress::parse) {
                    None => Some(VerdictCause::Dynamic),
                    Some(Err(error)) => Some(VerdictCause::Unlocated(error.message)),
                    Some(Ok(address)) => (self.call.tool_name == network::TOOL
                        && !self.is_address_named(&address, hits))
                    .then_some(VerdictCause::Unnamed),
                };
                cause.map(Doubt::from)
            }
            _ => None,
        }
    }

    /// Whether a rule on addresses allows it, and not one that speaks of all that a tool does. A pattern is about the internet:
    /// this machine, or what is beside it, has to be named.
    fn is_address_named(&self, address: &UrlAddress, hits: &[RuleHit]) -> bool {
        let is_special = matches!(self.call.args, Json::Object(args) if args.get(network::WHERE)
            .is_some_and(|place| *place != Json::Null));
        hits.iter().any(|hit| {
            let urls = self.policy.rule(hit.rule).and_then(|rule| rule.urls.as_ref());
            hit.effect == Effect::Allow
                && hit.how == MatchStrength::Surely
                && urls.is_some_and(|urls| !is_special || urls.covers_by_name(address))
        })
    }

    /// Whether a rule that allows the path spells out what is protected about it.
    fn names(
        &self, rule: usize, access: FileAccess, spots: &PathSpots, protection: &PathProtection,
    ) -> bool {
        let Some(rule) = self.policy.rule(rule) else { return false };
        rule.paths(access).is_some_and(|paths| {
            let name = |name: &str| protection.is_named_by(name);
            let covers = |path: &LocatedPath| {
                paths.set.covers_by_name(path, self.files, &name).unwrap_or(false)
            };
            // What a pattern finds no rule names.
            !protection.below && spots.certain && spots.located.iter().all(covers)
        })
    }

    /// Counts a comparison; `false` when there have been enough.
    pub(crate) fn spend(&self, units: u32) -> bool {
        let left = self.work.get();
        self.work.set(left.saturating_sub(units));
        left > 0
    }
}

/// What stands against allowing what the rules allow.
struct Doubt {
    cause: VerdictCause,
    /// Whether what is protected lies below the folder that is named.
    is_below: bool,
    /// The same, or it is all that a working directory holds.
    is_inside: bool,
    /// Whether the line says where it lies, in any spelling.
    is_told: bool,
}

impl From<VerdictCause> for Doubt {
    fn from(cause: VerdictCause) -> Self {
        Self { cause, is_below: false, is_inside: false, is_told: false }
    }
}

/// Whether a doubt is gone where the command is confined: which command it is, and where a path leads that only the run will
/// tell. What is protected is kept from it as well; what the line names all the same, a human is asked about at once.
fn is_held(doubt: &Doubt, action: &Action) -> bool {
    match (&doubt.cause, &action.kind) {
        (VerdictCause::Dynamic, kind) => {
            matches!(kind, ActionKind::Command { .. } | ActionKind::Url { .. })
        }
        (VerdictCause::Unlocated(_) | VerdictCause::Adrift, kind) => {
            matches!(kind, ActionKind::Path { .. })
        }
        // Where it is, is not known: what is protected is kept from it there.
        (VerdictCause::Protected(protected::RUN), ActionKind::Path { .. }) if !doubt.is_told => {
            true
        }
        (VerdictCause::Protected(_), ActionKind::Path { target, access, .. }) => {
            // A search finds it, and names a folder above it.
            let is_found = *access == FileAccess::Read && doubt.is_below;
            // What is protected there stays as it is, and what is lost is asked about by itself.
            let is_worked_in =
                *access == FileAccess::Write && doubt.is_inside && !action.loss.takes_away();
            (target.literal().is_none() && !doubt.is_told) || is_found || is_worked_in
        }
        _ => false,
    }
}
