//! What a policy says, with the place of each part.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::approval::ApproverNeed;
use crate::policy::{Effect, RuleConfinement};

/// Who a policy comes from, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LayerKind {
    /// The machine's administrator: `/etc/countersign/policy.toml`.
    Managed,
    /// The user: `$XDG_CONFIG_HOME/countersign/policy.toml`.
    User,
    /// The project: `.countersign/policy.toml`. It may only tighten, unless the user trusts it by its hash.
    Project,
    /// The program: the `policy` option.
    Code,
    /// What was decided while the program ran.
    Session,
}

/// Where a policy comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PolicySource {
    /// Whose it is.
    pub layer: LayerKind,
    /// The file as it is shown, or a name like `policy option` or `preset:developer`.
    pub name: Arc<str>,
    /// Whether its allows count. `false` for a project that is not trusted.
    pub trusted: bool,
}

/// A place in a document: counted from 1, the column in characters. Objects have none: 0 and 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
pub struct DocumentPlace {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// Something, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedValue<T> {
    /// It.
    pub value: T,
    /// Where it stands.
    pub at: DocumentPlace,
}

/// How several rules make one verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MatchOrder {
    /// The strictest of all that match.
    #[default]
    Strictest,
    /// The first that matches.
    First,
}

/// How asks are answered without a human.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum PolicyMode {
    /// The policy decides.
    #[default]
    Safe,
    /// Asks become allows, denies stay.
    Auto,
    /// Only what is read-only runs.
    Plan,
    /// Asks become denies, for runs without a human.
    DenyAllAsks,
}

/// A policy, read and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyDocument {
    /// Where it comes from.
    pub source: PolicySource,
    /// What happens to what no rule speaks of; `None`: it says nothing of that.
    pub default: Option<Effect>,
    /// How its rules make one verdict.
    pub matching: MatchOrder,
    /// How the arguments of tools are read, by name.
    pub tools: BTreeMap<String, PlacedValue<ToolReading>>,
    /// In the order in which they stand.
    pub rules: Vec<PolicyRule>,
    /// Modes that may not be switched to, in a document of any layer.
    pub forbid: Vec<PolicyMode>,
    /// What a confined command reaches of the network; `None`: it says nothing of that.
    pub network: Option<NetworkRule>,
    /// Nothing that is asked about is remembered, in a document of any layer.
    pub forgets: bool,
}

impl PolicyDocument {
    /// Whether anything in it counts only where it is trusted to allow.
    pub(crate) fn loosens(&self) -> bool {
        self.default == Some(Effect::Allow)
            || self.network.as_ref().is_some_and(|network| *network != NetworkRule::None)
            || self.rules.iter().any(|rule| rule.effect == Effect::Allow || rule.reviewer)
    }
}

/// What a confined command reaches of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkRule {
    /// Nothing.
    None,
    /// What rules on addresses allow; of all else a human is asked.
    Ask,
    /// Hosts that these patterns mean, and no others.
    Hosts(Vec<PlacedValue<String>>),
}

/// How a tool's arguments are read: for each, the names of the arguments (`a.b` for one inside another).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToolReading {
    /// Command lines.
    pub command: ArgumentNames,
    /// Files that are read.
    pub read: ArgumentNames,
    /// Files that are written.
    pub write: ArgumentNames,
    /// Addresses that are fetched from.
    pub url: ArgumentNames,
    /// The directory that the rest is relative to.
    pub cwd: ArgumentNames,
    /// Arguments that say nothing of what the tool does; `*`: all that are not listed.
    pub ignore: ArgumentNames,
    /// The shell that runs the command lines: `bash`, `sh`, `posix`, `zsh`, `pwsh`, `cmd`.
    pub shell: Option<String>,
}

/// Names of arguments.
pub type ArgumentNames = Vec<String>;

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRule {
    /// Where it stands.
    pub at: DocumentPlace,
    /// Its index in the document, from 0.
    pub index: usize,
    /// Names of tools, with `*` for any text. `None`: all tools.
    pub tools: Option<Vec<String>>,
    /// What it does.
    pub effect: Effect,
    /// Why; the human and the model read it.
    pub reason: Option<String>,
    /// What it speaks of is marked as a risk. It tightens nothing: the human is told.
    pub risk: Option<RuleRisk>,
    /// Beginnings of commands.
    pub commands: Vec<PlacedValue<CommandPattern>>,
    /// Patterns of files that are read; one that begins with `!` takes out again.
    pub reads: Vec<PlacedValue<String>>,
    /// Patterns of files that are written; likewise.
    pub writes: Vec<PlacedValue<String>>,
    /// Patterns of addresses; likewise.
    pub urls: Vec<PlacedValue<String>>,
    /// Variables that a command line may set, with `*` for any text.
    pub env: Vec<PlacedValue<String>>,
    /// Hints that a tool gives of itself (`readOnlyHint`). Only for `ask` and `deny`.
    pub annotations: BTreeMap<String, bool>,
    /// It speaks only of these runs of a command. `None`: of all.
    pub confined: Option<RuleConfinement>,
    /// The function of the program that must say yes, by its number. Only from code.
    pub condition: Option<usize>,
    /// Who must agree to what it asks about. Only for `ask`.
    pub who: Option<Box<RuleApprovers>>,
    /// Whether a reviewer may answer what it asks about. Means something for `ask` alone.
    pub reviewer: bool,
    /// Of the files that are written it speaks of those that git can give back. Only for `allow`, with `writes`.
    pub tracked: bool,
    /// What it asks about is asked each time, and not remembered. Only for `ask`.
    pub forgets: bool,
    /// What it must and must not match, checked when it is read.
    pub examples: RuleExamples,
}

/// A mark of a rule: what it speaks of is a risk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRisk {
    /// How great it is.
    pub level: RiskLevel,
    /// Why, in a few words.
    pub because: Option<String>,
}

/// How great a risk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// High: the human looks twice.
    High,
}

impl RiskLevel {
    /// As documents call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::High => "high",
        }
    }
}

/// Who must agree to a call, and when they are told once more.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleApprovers {
    /// Each must be satisfied; empty: anybody, once.
    pub needs: Vec<ApproverNeed>,
    /// This many ms before the deadline.
    pub remind: Option<u64>,
}

impl RuleApprovers {
    /// What both say: each need of either, and the earlier reminder.
    pub fn add(&mut self, other: &Self) {
        for need in &other.needs {
            if !self.needs.contains(need) {
                self.needs.push(need.clone());
            }
        }
        self.remind = self.remind.max(other.remind);
    }
}

impl PolicyRule {
    /// Whether it speaks of whole calls: it names no command, file, address or variable.
    pub fn is_whole(&self) -> bool {
        self.commands.is_empty()
            && self.reads.is_empty()
            && self.writes.is_empty()
            && self.urls.is_empty()
            && self.env.is_empty()
    }

    /// Whether it speaks of all calls of its tools: with any annotations, confined or not, and without a condition of the
    /// program.
    pub fn is_unconditional(&self) -> bool {
        self.is_whole()
            && self.annotations.is_empty()
            && self.confined.is_none()
            && self.condition.is_none()
    }
}

/// What a rule must and must not match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RuleExamples {
    /// Command lines, paths or addresses that the rule covers.
    pub matching: Vec<PlacedValue<String>>,
    /// Those that it does not cover.
    pub not_matching: Vec<PlacedValue<String>>,
}

/// The beginning of a command, token by token, and what may stand behind it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommandPattern {
    /// Never empty.
    pub tokens: Vec<PatternToken>,
    /// What may stand behind them.
    pub behind: WordsBehind,
}

/// What may stand behind the beginning of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum WordsBehind {
    /// Anything.
    #[default]
    Anything,
    /// Not one word more.
    Nothing,
    /// These operands and no others, and options of the program's table.
    Only {
        /// One of them at least, each any number of times; empty: no operand. Texts, alternatives, and patterns of a word.
        operands: Vec<PatternToken>,
        /// These options and no others; `None`: whichever the table has, as far as they do nothing that must be allowed.
        options: Option<Vec<String>>,
    },
}

impl CommandPattern {
    /// What begins with these tokens.
    pub fn beginning(tokens: Vec<PatternToken>) -> Self {
        Self { tokens, behind: WordsBehind::Anything }
    }

    /// The tokens whose places are certain: those before the first `**`.
    pub fn certain(&self) -> &[PatternToken] {
        let end = self.tokens.iter().position(|token| *token == PatternToken::Rest);
        end.and_then(|end| self.tokens.get(..end)).unwrap_or(&self.tokens)
    }

    /// Whether it speaks of the first words alone, each in its place.
    pub fn is_simple(&self) -> bool {
        self.behind == WordsBehind::Anything && self.certain().len() + 1 >= self.tokens.len()
    }
}

/// One token of a [`CommandPattern`].
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PatternToken {
    /// This very word.
    Text(String),
    /// One of these words.
    OneOf(Vec<String>),
    /// A word of this form, `*` for any text in it: `build:*`.
    Like(String),
    /// `*`: any one word.
    Any,
    /// `**`: any number of words, also none. Not at the beginning of more.
    Rest,
}
