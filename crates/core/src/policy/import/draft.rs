//! A document in the making.

use std::collections::BTreeMap;

use super::super::Effect;
use super::super::document::{
    CommandPattern, Document, Examples, Located, Match, Mode, Place, Rule, Source, Token,
};
use super::super::reading::builtin;
use super::close::{close_first, texts};
use super::words::Words;
use super::{Imported, Loss, LossEffect};
use crate::path::{Glob, UrlPattern, Vars};

/// The tools with a built-in reading that run command lines.
pub(super) const SHELLS: [&str; 3] = ["execute", "bash", "shell"];
/// Those that read files.
pub(super) const READERS: [&str; 4] = ["read_file", "ls", "glob", "grep"];
/// Those that write files.
pub(super) const WRITERS: [&str; 2] = ["write_file", "edit_file"];
/// Those that only fetch.
pub(super) const FETCHERS: [&str; 2] = ["fetch_url", "web_fetch"];

/// A rule of theirs.
#[derive(Debug, Clone)]
pub(super) struct Foreign {
    /// As it is written.
    pub(super) what: String,
    /// Where.
    pub(super) at: Place,
    /// What it does.
    pub(super) effect: Effect,
    /// Why.
    pub(super) reason: Option<String>,
}

/// One rule of ours, and what is to be minded when all are put together.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) rule: Rule,
    /// As theirs is written.
    pub(super) what: String,
    /// An allow that may only match whole commands.
    pub(super) closed: bool,
    /// It matches more than theirs does.
    pub(super) wider: bool,
}

/// What has been read so far, the rule that decides first first.
#[derive(Debug)]
pub(super) struct Draft {
    matching: Match,
    items: Vec<Item>,
    losses: Vec<Loss>,
    /// What is done with what no rule speaks of.
    pub(super) default: Option<Effect>,
    /// Modes that nobody may switch to.
    pub(super) forbid: Vec<Mode>,
}

impl Foreign {
    /// A rule of ours that does the same, for nothing yet.
    pub(super) fn rule(&self) -> Rule {
        Rule {
            at: self.at,
            index: 0,
            tools: None,
            effect: self.effect,
            reason: self.reason.clone(),
            commands: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            urls: Vec::new(),
            env: Vec::new(),
            annotations: BTreeMap::new(),
            condition: None,
            who: None,
            examples: Examples::default(),
        }
    }

    /// Something at the place of this rule.
    pub(super) const fn located<T>(&self, value: T) -> Located<T> {
        Located { value, at: self.at }
    }
}

impl Draft {
    pub(super) const fn new(matching: Match) -> Self {
        Self { matching, items: Vec::new(), losses: Vec::new(), default: None, forbid: Vec::new() }
    }

    /// Whether something is allowed so far.
    pub(super) fn allows(&self) -> bool {
        self.items.iter().any(|item| item.rule.effect == Effect::Allow)
    }

    /// Something is left out.
    pub(super) fn dropped(&mut self, what: &str, at: Place, why: impl Into<String>) {
        self.lost(what, at, why.into(), LossEffect::Dropped);
    }

    /// Something is stricter now.
    pub(super) fn stricter(&mut self, what: &str, at: Place, why: impl Into<String>) {
        self.lost(what, at, why.into(), LossEffect::KeptStricter);
    }

    fn lost(&mut self, what: &str, at: Place, why: String, effect: LossEffect) {
        self.losses.push(Loss { what: what.to_owned(), at, why, effect });
    }

    /// A rule that says exactly what theirs says, or less if it allows.
    pub(super) fn rule(&mut self, foreign: &Foreign, rule: Rule) {
        self.item(foreign, rule, false, false);
    }

    /// An ask or a deny that says more than theirs.
    pub(super) fn wider(&mut self, foreign: &Foreign, rule: Rule, why: &str) {
        self.stricter(&foreign.what, foreign.at, why);
        self.item(foreign, rule, false, true);
    }

    /// The same, where what it says more is no difference that anybody would see.
    pub(super) fn quietly_wider(&mut self, foreign: &Foreign, rule: Rule) {
        self.item(foreign, rule, false, true);
    }

    fn item(&mut self, foreign: &Foreign, rule: Rule, closed: bool, wider: bool) {
        let Some(rule) = self.mended(foreign, rule) else { return };
        self.items.push(Item { rule, what: foreign.what.clone(), closed, wider });
    }

    /// The rule without the patterns that ours does not take: an allow says less then, an ask or a deny more.
    fn mended(&mut self, foreign: &Foreign, mut rule: Rule) -> Option<Rule> {
        let allow = rule.effect == Effect::Allow;
        for globs in [&mut rule.reads, &mut rule.writes] {
            let Some(error) = globs.iter().find_map(|glob| glob_error(&glob.value)) else {
                continue;
            };
            globs.retain(|glob| glob_error(&glob.value).is_none());
            if allow && globs.is_empty() {
                self.dropped(&foreign.what, foreign.at, error);
                return None;
            }
            if !allow {
                let why = format!("it speaks of every file now: {error}");
                self.stricter(&foreign.what, foreign.at, why);
                *globs = vec![foreign.located("/**".to_owned())];
            }
        }
        let error = rule.urls.iter().find_map(|url| UrlPattern::parse(&url.value).err());
        if let Some(error) = error {
            if allow {
                self.dropped(&foreign.what, foreign.at, error.message);
                return None;
            }
            let why = format!("it speaks of the whole tool now: {}", error.message);
            self.stricter(&foreign.what, foreign.at, why);
            rule.urls.clear();
            rule.tools = Some(
                [&FETCHERS[..], &["http_request"]]
                    .concat()
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            );
        }
        Some(rule)
    }

    /// A rule about whole tools. An allow is for tools of these names; an ask or a deny too.
    pub(super) fn tools(&mut self, foreign: &Foreign, tools: &[&str]) {
        let mut rule = foreign.rule();
        rule.tools = Some(tools.iter().map(|&tool| tool.to_owned()).collect());
        self.rule(foreign, rule);
    }

    /// A rule about all commands, whatever the tool that runs them is called. An allow is for the usual tools and covers
    /// what the commands do as well.
    pub(super) fn shell(&mut self, foreign: &Foreign, theirs: &[&str]) {
        if foreign.effect == Effect::Allow {
            self.stricter(
                &foreign.what,
                foreign.at,
                "a command line that cannot be proven still asks",
            );
            return self.tools(foreign, &SHELLS);
        }
        self.tools(foreign, &[&SHELLS, theirs].concat());
        self.rule(foreign, command_rule(foreign, vec![Token::Any]));
    }

    /// A rule about beginnings of commands.
    pub(super) fn commands(&mut self, foreign: &Foreign, words: &Words) {
        if foreign.effect == Effect::Allow {
            self.allow_commands(foreign, words);
        } else {
            self.stop_commands(foreign, words, true);
        }
    }

    /// A rule about beginnings of commands that is given by words.
    pub(super) fn tokens(&mut self, foreign: &Foreign, tokens: &[Token]) {
        // `*` is a sign of ours that theirs does not know.
        let plain = |token: &&Token| {
            texts(token).is_some_and(|texts| texts.iter().all(|text| !text.contains('*')))
        };
        let said: Vec<Token> = tokens.iter().take_while(plain).cloned().collect();
        if said.len() == tokens.len() {
            self.rule(foreign, command_rule(foreign, said));
        } else if foreign.effect == Effect::Allow {
            self.dropped(
                &foreign.what,
                foreign.at,
                "ours cannot speak of a word with `*` in it as it is",
            );
        } else if said.is_empty() {
            self.wider(
                foreign,
                command_rule(foreign, vec![Token::Any]),
                "now it speaks of every command",
            );
        } else {
            let why = format!("now it speaks of every command that begins with `{}`", show(&said));
            self.wider(foreign, command_rule(foreign, said), &why);
        }
    }

    fn allow_commands(&mut self, foreign: &Foreign, words: &Words) {
        let Some(narrow) = words.narrow() else {
            let why = "it speaks of quotes, operators or patterns in the text of a command, which no rule over words can say";
            self.dropped(&foreign.what, foreign.at, why);
            return;
        };
        if !narrow.exact {
            let why =
                "a rule over words says less: `*` stands for one word, and words count as a whole";
            self.stricter(&foreign.what, foreign.at, why);
        }
        self.item(foreign, command_rule(foreign, narrow.pattern.tokens), narrow.closed, false);
    }

    /// An ask or a deny about beginnings of commands that already says more than theirs.
    pub(super) fn commands_at_least(&mut self, foreign: &Foreign, words: &Words) {
        self.stop_commands(foreign, words, false);
    }

    fn stop_commands(&mut self, foreign: &Foreign, words: &Words, exact: bool) {
        let mut wide = words.wide();
        wide.exact &= exact;
        if wide.exact && !words.is_all() {
            self.rule(foreign, command_rule(foreign, wide.tokens));
        } else if wide.exact {
            self.rule(foreign, command_rule(foreign, vec![Token::Any]));
        } else if wide.tokens.is_empty() {
            // What it surely means stays denied.
            if let Some(narrow) = words.narrow() {
                self.rule(foreign, command_rule(foreign, narrow.pattern.tokens));
            }
            self.every_command(foreign);
        } else {
            let shown = show(&wide.tokens);
            let why = format!("now it speaks of every command that begins with `{shown}`");
            self.wider(foreign, command_rule(foreign, wide.tokens), &why);
        }
    }

    /// An ask or a deny that could mean any command. Denying them all would say the same of far too much.
    pub(super) fn every_command(&mut self, foreign: &Foreign) {
        let why = "it does not say which command it begins with: every command asks now; write the commands out";
        let ask = Foreign { effect: Effect::Ask, ..foreign.clone() };
        self.wider(&ask, command_rule(&ask, vec![Token::Any]), why);
    }

    /// The document.
    pub(super) fn finish(mut self, source: Source) -> Imported {
        let items = std::mem::take(&mut self.items);
        let items = match self.matching {
            Match::Strictest => self.close_strictest(items),
            Match::First => close_first(items),
        };
        let rules = items.into_iter().enumerate().map(|(index, rule)| Rule { index, ..rule });
        let document = Document {
            source,
            default: self.default,
            matching: self.matching,
            tools: BTreeMap::new(),
            rules: rules.collect(),
            forbid: self.forbid,
        };
        self.losses.sort_by_key(|loss| (loss.at.line, loss.at.column));
        Imported { document, losses: self.losses }
    }
}

/// Why ours does not take a pattern. Where its variables lead does not matter.
fn glob_error(glob: &str) -> Option<String> {
    let root = || Some("/".to_owned());
    let vars = Vars { cwd: "/".to_owned(), home: root(), project: root(), own: Vec::new() };
    Glob::parse(glob.strip_prefix('!').unwrap_or(glob), &vars).err().map(|error| error.message)
}

fn command_rule(foreign: &Foreign, tokens: Vec<Token>) -> Rule {
    let mut rule = foreign.rule();
    if foreign.effect == Effect::Allow {
        rule.tools = Some(SHELLS.iter().map(|&tool| tool.to_owned()).collect());
    }
    rule.commands = vec![foreign.located(CommandPattern::beginning(tokens))];
    rule
}

/// Whether a pattern over names could mean a tool with a built-in reading, however it is spelled. Errs on the side of yes.
pub(super) fn may_name_ours(pattern: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['_', '-', '.'], "");
    let (beginning, rest) = pattern
        .split_once(['*', '?'])
        .map_or((pattern, None), |(beginning, rest)| (beginning, Some(rest)));
    let beginning = plain(beginning);
    let likely = ["view", "list", "patch", "request"];
    builtin::names().chain(likely).map(plain).any(|name| match rest {
        Some(_) => name.starts_with(&beginning),
        None => name == beginning,
    })
}

fn show(tokens: &[Token]) -> String {
    let shown = tokens.iter().map(|token| match token {
        Token::Text(text) | Token::Like(text) => text.clone(),
        Token::OneOf(texts) => texts.join("|"),
        Token::Any => "*".to_owned(),
        Token::Rest => "**".to_owned(),
    });
    shown.collect::<Vec<_>>().join(" ")
}
