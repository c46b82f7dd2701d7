//! What the policies say about a call.

use std::fmt::Write as _;
use std::sync::Arc;

use super::Effect;
use super::action::{Action, ActionKind, shorten};
use super::confined::ConfinedWrites;
use super::document::{DocumentPlace, LayerKind, PolicySource, RiskLevel, RuleApprovers};
use super::quoted::quoted;
use crate::shell::{FileAccess, FileLoss, SHELL_INPUT};

/// What the policies say about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is done: the strictest of the actions' effects.
    pub effect: Effect,
    /// The rule that decided, where one did.
    pub rule: Option<RuleRef>,
    /// Why, for humans and for the model. Not escaped: texts of arguments stand in it.
    pub reason: String,
    /// All that the call would do, each with what is said about it. Never empty.
    pub actions: Vec<JudgedAction>,
    /// Who must agree, as all rules say together that ask about any of these.
    pub who: RuleApprovers,
    /// What rules mark as a risk that speak of any of these. It tightens nothing.
    pub risks: Vec<VerdictRisk>,
    /// Where the paths of the call led that lead elsewhere than they say, as a digest; `None`: none did.
    pub places: Option<String>,
    /// It holds only where the command runs confined, to no more than this.
    pub confined: Option<ConfinedWrites>,
}

/// An action, and what is said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JudgedAction {
    /// It.
    pub action: Action,
    /// What is done about it.
    pub effect: Effect,
    /// The rule that decided, where one did.
    pub rule: Option<RuleRef>,
    /// What decided.
    pub cause: VerdictCause,
    /// Whether a managed document asks. Such an ask is answered by a human only, never by a grant.
    pub managed_ask: bool,
    /// Whether a document, or a rule that asks, says that it is asked each time: nothing of it is remembered.
    pub forgets: bool,
    /// Whether every rule that asks leaves it to a reviewer. Of what does not ask it says nothing.
    pub reviewable: bool,
    /// What becomes of what is in a file that is written and is there. It tightens nothing.
    pub loss: FileLoss,
}

/// A rule that speaks of a call, and marks that as a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictRisk {
    /// It.
    pub rule: RuleRef,
    /// How great it is.
    pub level: RiskLevel,
    /// Why, as the rule says it. Not escaped.
    pub because: Option<String>,
}

/// Where a rule stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRef {
    /// The document.
    pub source: PolicySource,
    /// The place in it.
    pub at: DocumentPlace,
    /// Its index in the document, from 0.
    pub index: usize,
    /// Its reason.
    pub reason: Option<Arc<str>>,
}

/// What decided about an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerdictCause {
    /// A rule that matches.
    Rule,
    /// A rule that could match: part of the action is only known when it runs.
    CouldMatch,
    /// A rule whose condition could not be tried.
    Condition,
    /// The default of a document that speaks for all that its rules do not.
    Default(PolicySource),
    /// No rule speaks of it.
    Uncovered,
    /// It is covered by something else that is judged.
    Covered,
    /// It is unknown, which nothing allows.
    Unknown,
    /// It is protected, and no rule names it.
    Protected(&'static str),
    /// It is where a command connects to, and no rule names it.
    Unnamed,
    /// It cannot be told where it points.
    Unlocated(String),
    /// It takes away what git cannot give back.
    Lost,
    /// It starts from a directory that is only known when it runs.
    Adrift,
    /// What it is is only known when it runs.
    Dynamic,
    /// The call holds more than can be judged.
    TooMuch,
}

impl std::fmt::Display for RuleRef {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        if self.at.line == 0 {
            write!(formatter, "{} (rule {})", self.source.name, self.index + 1)
        } else {
            write!(formatter, "{}:{}", self.source.name, self.at.line)
        }
    }
}

impl JudgedAction {
    /// Why no rule allows it because it runs confined, if it may change what git keeps.
    pub(super) fn changes_history(&self) -> Option<String> {
        self.action.kind.changes_history().then(|| {
            let mut text = String::with_capacity(128);
            push_name(&mut text, &self.action);
            text.push_str(" may change a repository, which no rule about confined commands covers");
            text
        })
    }

    /// Why, for humans.
    pub fn reason(&self) -> String {
        let mut text = String::with_capacity(128);
        push_name(&mut text, &self.action);
        let verb = match self.effect {
            Effect::Allow => "allows",
            Effect::Ask => "asks",
            Effect::Deny => "denies",
        };
        // Writing to a string cannot fail.
        let _ = match (&self.cause, &self.rule) {
            (VerdictCause::Rule, Some(rule)) => write!(text, ": {rule} {verb}{}", said(rule)),
            (VerdictCause::CouldMatch, Some(rule)) => {
                write!(text, ": {rule} may match it{}", said(rule))
            }
            (VerdictCause::Condition, Some(rule)) => {
                write!(text, ": the condition of {rule} could not be tried{}", said(rule))
            }
            // The reason of what is unknown is a sentence of its own.
            (VerdictCause::Default(_) | VerdictCause::Uncovered, _)
                if matches!(self.action.kind, ActionKind::Unknown { .. }) =>
            {
                Ok(())
            }
            (VerdictCause::Default(source), _) => {
                write!(text, " is not covered by any rule, and {} {verb} by default", source.name)
            }
            (VerdictCause::Covered, _) => {
                write!(text, " needs no rule of its own: the rest of the call decides")
            }
            (VerdictCause::Unknown, _) => Ok(()),
            // The command itself is not: another part of its line may name it.
            (VerdictCause::Protected(what), _)
                if matches!(self.action.kind, ActionKind::Command { .. }) =>
            {
                write!(
                    text,
                    " is on a line that names what is protected ({what}); a rule must name it to allow it"
                )
            }
            (VerdictCause::Protected(what), _) => {
                write!(text, " is protected ({what}); a rule must name it to allow it")
            }
            (VerdictCause::Unnamed, _) => write!(text, " is a connection that no rule names"),
            (VerdictCause::Lost, _) => {
                write!(text, " may take away what git cannot give back")
            }
            (VerdictCause::Unlocated(why), _) => write!(text, ": {why}"),
            (VerdictCause::Adrift, _) if !is_literal(&self.action) => {
                write!(text, " is only known when it runs")
            }
            (VerdictCause::Adrift, _) => {
                write!(text, " starts from a directory that is only known when it runs")
            }
            (VerdictCause::Dynamic, _) => write!(text, " is only known when it runs"),
            (VerdictCause::TooMuch, _) => write!(text, ": the call holds more than can be judged"),
            (
                VerdictCause::Uncovered
                | VerdictCause::Rule
                | VerdictCause::CouldMatch
                | VerdictCause::Condition,
                _,
            ) => {
                write!(text, " is not covered by any rule")
            }
        };
        text
    }

    /// Whether a grant may answer it.
    pub fn is_grantable(&self) -> bool {
        self.effect == Effect::Ask
            && !self.managed_ask
            && !self.forgets
            && !matches!(self.action.kind, ActionKind::Unknown { .. })
    }

    /// Whether a reviewer may answer it: the unknown, and what the administrator asks about, is for humans.
    fn is_reviewable(&self) -> bool {
        self.reviewable
            && !self.managed_ask
            && !matches!(self.action.kind, ActionKind::Unknown { .. })
    }
}

fn is_literal(action: &Action) -> bool {
    match &action.kind {
        ActionKind::Path { target, .. } | ActionKind::Url { target, .. } => {
            target.literal().is_some()
        }
        _ => true,
    }
}

fn said(rule: &RuleRef) -> String {
    rule.reason.as_ref().map_or_else(String::new, |reason| format!(": \"{}\"", shorten(reason)))
}

fn push_name(out: &mut String, action: &Action) {
    let text = action.text();
    let what = match &action.kind {
        ActionKind::Command { .. } => "",
        ActionKind::Path { access: FileAccess::Read, .. } => "reading ",
        ActionKind::Path { access: FileAccess::Write, .. } => "writing ",
        ActionKind::Url { .. } => "fetching ",
        ActionKind::Env { .. } => "setting the variable ",
        ActionKind::Tool { .. } => "the tool ",
        // It is a sentence already.
        ActionKind::Unknown { .. } => return out.push_str(&shorten(&text)),
    };
    out.push_str(what);
    out.push_str(&quoted(&shorten(&text)));
}

impl Verdict {
    /// The verdict that these actions make together.
    pub(crate) fn of(actions: Vec<JudgedAction>) -> Self {
        // The first of the strictest, but what a rule says before what no rule says. That no rule covers a shell is less than
        // that its commands are unknown.
        let is_unseen = |judged: &JudgedAction| matches!(&judged.action.kind, ActionKind::Unknown { why, .. } if *why == SHELL_INPUT);
        let deciding = actions.iter().enumerate().max_by_key(|(at, judged)| {
            (judged.effect, judged.rule.is_some(), is_unseen(judged), std::cmp::Reverse(*at))
        });
        let Some((_, deciding)) = deciding else {
            return Self {
                effect: Effect::Ask,
                rule: None,
                reason: "the call does nothing that could be judged".to_owned(),
                actions,
                who: RuleApprovers::default(),
                risks: Vec::new(),
                places: None,
                confined: None,
            };
        };
        Self {
            effect: deciding.effect,
            rule: deciding.rule.clone(),
            reason: deciding.reason(),
            actions,
            who: RuleApprovers::default(),
            risks: Vec::new(),
            places: None,
            confined: None,
        }
    }

    /// Whether a reviewer may answer it in a human's place, as far as the policies say: each part that asks is left to one.
    pub fn is_reviewable(&self) -> bool {
        let mut asks = self.actions.iter().filter(|judged| judged.effect == Effect::Ask).peekable();
        self.effect == Effect::Ask
            && asks.peek().is_some()
            && asks.all(JudgedAction::is_reviewable)
            && self.who.needs.is_empty()
    }

    /// Whether a part of it is asked about each time: no grant answers it, and nothing of it is remembered.
    pub fn forgets(&self) -> bool {
        self.actions.iter().any(|judged| judged.forgets)
    }

    /// A denial without a policy: something is wrong with the policy or with the call.
    pub fn refuse(reason: impl Into<String>) -> Self {
        Self {
            effect: Effect::Deny,
            rule: None,
            reason: reason.into(),
            actions: Vec::new(),
            who: RuleApprovers::default(),
            risks: Vec::new(),
            places: None,
            confined: None,
        }
    }
}

/// What a parent and its child say together: never less strict than either.
pub fn narrow(parent: Verdict, child: Verdict) -> Verdict {
    let same = parent.actions.len() == child.actions.len()
        && parent.actions.iter().zip(&child.actions).all(|(a, b)| a.action == b.action);
    let (mut stricter, other) =
        if child.effect > parent.effect { (child, parent) } else { (parent, child) };
    stricter.who.add(&other.who);
    for risk in other.risks {
        if !stricter.risks.contains(&risk) {
            stricter.risks.push(risk);
        }
    }
    stricter.confined = stricter.confined.max(other.confined);
    if same {
        for (mine, its) in stricter.actions.iter_mut().zip(other.actions) {
            let managed_ask = mine.managed_ask || its.managed_ask;
            let forgets = mine.forgets || its.forgets;
            let reviewable = match mine.effect.cmp(&its.effect) {
                std::cmp::Ordering::Less => its.reviewable,
                std::cmp::Ordering::Equal => mine.reviewable && its.reviewable,
                std::cmp::Ordering::Greater => mine.reviewable,
            };
            if its.effect > mine.effect {
                *mine = its;
            }
            (mine.managed_ask, mine.reviewable) = (managed_ask, reviewable);
            mine.forgets = forgets;
        }
    } else {
        let base = stricter.actions.len();
        stricter.actions.extend(other.actions.into_iter().map(|mut judged| {
            judged.action.kind.move_commands(base);
            judged
        }));
    }
    stricter
}

/// Whether a layer is the administrator's.
pub(crate) fn is_managed(source: &PolicySource) -> bool {
    source.layer == LayerKind::Managed
}
