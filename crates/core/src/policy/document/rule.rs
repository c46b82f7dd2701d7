//! From the tree of a rule to a [`PolicyRule`].

use std::collections::BTreeMap;

use crate::path::{PathGlob, UrlPattern};
use crate::policy::{Effect, RuleConfinement, mcp_name};

use super::error::{DocumentPath, nearest, quoted};
use super::read::{DocumentReader, MAX_RULES, any, nowhere};
use super::schema::{COMMAND, CONFINED, EFFECTS, EXAMPLES, HINTS, REMEMBERS, RISKS, RULE};
use super::tree::{DocumentNode, DocumentValue, TableEntry};
use super::{
    CommandPattern, DocumentFormat, ErrorCode, PatternToken, PlacedValue, PolicyRule, RuleExamples,
    RuleRisk, WordsBehind, tokens,
};

impl DocumentReader<'_> {
    pub(super) fn rules(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Vec<PolicyRule> {
        let DocumentValue::List(rules) = &node.value else {
            let what = match self.format {
                DocumentFormat::Toml => "a list of tables: write [[rule]], with two brackets",
                _ => "a list of objects",
            };
            self.expected(node, path, what);
            return Vec::new();
        };
        if rules.len() > MAX_RULES {
            let message = format!("there are {} rules, {MAX_RULES} are allowed", rules.len());
            self.wrong(node, path, message);
            return Vec::new();
        }
        let rules = rules.iter().enumerate();
        rules.filter_map(|(index, node)| self.rule(node, index, path.index(index))).collect()
    }

    fn rule(
        &mut self, node: &DocumentNode, index: usize, path: DocumentPath<'_>,
    ) -> Option<PolicyRule> {
        let before = self.errors.len();
        let entries = self.table(node, path, "a rule", RULE)?;
        // What a misspelt key would say is not known.
        let is_known = self.errors.len() == before;
        let effect = match entries.iter().find(|entry| entry.key == "effect") {
            Some(effect) => self.choice(&effect.node, path.key("effect"), EFFECTS),
            None => {
                let message = "\"effect\" is missing in a rule".to_owned();
                let hint = "say what it does: \"allow\", \"ask\" or \"deny\"".to_owned();
                self.fail(ErrorCode::Value, Some(node.at), path, message, Some(hint));
                None
            }
        };
        let before = self.errors.len();
        let mut rule = PolicyRule {
            at: self.place(node.at),
            index,
            tools: None,
            // Without one there is an error, so that this value is never seen.
            effect: effect.unwrap_or(Effect::Deny),
            reason: None,
            risk: None,
            commands: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            urls: Vec::new(),
            env: Vec::new(),
            annotations: BTreeMap::new(),
            confined: None,
            condition: None,
            who: self.who(entries, effect.unwrap_or(Effect::Ask), path),
            reviewer: false,
            tracked: false,
            forgets: false,
            examples: RuleExamples::default(),
        };
        rule.risk = self.risk(entries, path);
        let mut servers = Vec::new();
        for TableEntry { key, node, .. } in entries {
            let path = path.key(key);
            match key.as_str() {
                "mcp" => servers = self.texts(node, path, server),
                "tools" => {
                    let tools = self.texts(node, path, any);
                    rule.tools = Some(tools.into_iter().map(|tool| tool.value).collect());
                }
                "reason" => rule.reason = self.text(node, path),
                "commands" => rule.commands = self.commands(node, path),
                "reads" => rule.reads = self.patterns(node, path, glob),
                "writes" => rule.writes = self.patterns(node, path, glob),
                "urls" => rule.urls = self.patterns(node, path, url),
                "env" => rule.env = self.texts(node, path, variable),
                "annotations" => rule.annotations = self.annotations(node, path, &rule),
                "reviewer" => rule.reviewer = self.flag(node, path),
                "confined" => rule.confined = self.confined(node, path),
                "condition" => rule.condition = self.condition(node, path),
                "remember" => rule.forgets = self.forgets(node, path, rule.effect),
                "tracked" => rule.tracked = self.flag(node, path),
                "examples" => rule.examples = self.examples(node, path),
                _ => {}
            }
        }
        if !servers.is_empty() {
            // One way to say it is enough for all that reads rules.
            let own = rule.tools.take().unwrap_or_else(|| vec!["*".to_owned()]);
            let names = |server: &PlacedValue<String>| {
                own.iter().map(|tool| mcp_name(&server.value, tool)).collect::<Vec<_>>()
            };
            rule.tools = Some(servers.iter().flat_map(names).collect());
        }
        if let Some(entry) = entries.iter().find(|entry| entry.key == "tracked" && rule.tracked) {
            self.tracked(entry, path.key("tracked"), &rule);
        }
        if is_known && self.errors.len() == before && says_nothing(&rule) {
            let message = "this rule names nothing, so it would match every call".to_owned();
            let hint =
                "add tools, commands, reads, writes, urls or env, or write tools = [\"*\"] if every call is meant"
                    .to_owned();
            self.fail(ErrorCode::Value, Some(node.at), path, message, Some(hint));
        }
        Some(rule)
    }

    /// `risk = "high"`, and with `because` why.
    fn risk(&mut self, entries: &[TableEntry], path: DocumentPath<'_>) -> Option<RuleRisk> {
        let entry = |key: &str| entries.iter().find(|entry| entry.key == key);
        let level = entry("risk").map(|entry| self.choice(&entry.node, path.key("risk"), RISKS));
        let because =
            entry("because").map(|entry| (entry, self.text(&entry.node, path.key("because"))));
        if let (None, Some((entry, _))) = (level, &because) {
            let message =
                "\"because\" says why something is a risk: write risk = \"high\" beside it";
            self.wrong(&entry.node, path.key("because"), message.to_owned());
        }
        let level = level.flatten()?;
        Some(RuleRisk { level, because: because.and_then(|(_, text)| text) })
    }

    /// A rule that speaks of files that git can give back allows something, and names the files.
    fn tracked(&mut self, entry: &TableEntry, path: DocumentPath<'_>, rule: &PolicyRule) {
        let message = if rule.effect != Effect::Allow {
            "only a rule that allows rests on what git can give back: leave \"tracked\" out, or write effect = \"allow\""
        } else if rule.writes.is_empty() {
            "\"tracked\" is about files that are written: say which beside it, such as writes = [\"${project}/**\"]"
        } else {
            return;
        };
        self.wrong(&entry.node, path, message.to_owned());
    }

    fn forgets(&mut self, node: &DocumentNode, path: DocumentPath<'_>, effect: Effect) -> bool {
        let never = self.choice(node, path, REMEMBERS) == Some(true);
        if never && effect != Effect::Ask {
            let message = "only a rule that asks says what is remembered: leave \"remember\" out, or write effect = \"ask\"";
            self.wrong(node, path, message.to_owned());
        }
        never
    }

    fn commands(
        &mut self, node: &DocumentNode, path: DocumentPath<'_>,
    ) -> Vec<PlacedValue<CommandPattern>> {
        let mut commands = Vec::new();
        for (index, item) in self.items(node, path).iter().enumerate() {
            let path = path.index(index);
            let value = match &item.value {
                DocumentValue::Table(entries) => self.closed(item, entries, path),
                _ => self.beginning(item, path),
            };
            if let Some(value) = value {
                commands.push(PlacedValue { value, at: self.place(item.at) });
            }
        }
        commands
    }

    /// The words that a command begins with.
    fn beginning(&mut self, item: &DocumentNode, path: DocumentPath<'_>) -> Option<CommandPattern> {
        let pattern = match &item.value {
            DocumentValue::Text(text) => tokens::from_text(text),
            DocumentValue::List(list) => tokens::whole(self.tokens(list, path)?),
            _ => {
                let what = "a string, a list of tokens, or { words = …, operands = […] }";
                self.expected(item, path, what);
                return None;
            }
        };
        pattern.map_err(|message| self.wrong(item, path, message)).ok()
    }

    fn tokens(
        &mut self, list: &[DocumentNode], path: DocumentPath<'_>,
    ) -> Option<Vec<PatternToken>> {
        let tokens = list.iter().enumerate();
        tokens.map(|(index, token)| self.token(token, path.index(index))).collect()
    }

    /// `{ words = …, operands = […] }` or `{ words = …, exact = true }`.
    fn closed(
        &mut self, item: &DocumentNode, entries: &[TableEntry], path: DocumentPath<'_>,
    ) -> Option<CommandPattern> {
        self.table(item, path, "a command", COMMAND)?;
        let entry = |key: &str| entries.iter().find(|entry| entry.key == key);
        let Some(words) = entry("words") else {
            let message = "\"words\" is missing: the words that the command begins with";
            self.wrong(item, path, message.to_owned());
            return None;
        };
        let pattern = self.beginning(&words.node, path.key("words"))?;
        let behind = match (entry("exact"), entry("operands"), entry("options")) {
            (Some(exact), None, None) => match exact.node.value {
                DocumentValue::Flag(true) => WordsBehind::Nothing,
                _ => {
                    self.expected(&exact.node, path.key("exact"), "true, or left out");
                    return None;
                }
            },
            (None, Some(operands), options) => WordsBehind::Only {
                operands: self.operands(&operands.node, path.key("operands"))?,
                options: match options {
                    Some(options) => Some(self.options(&options.node, path.key("options"))?),
                    None => None,
                },
            },
            _ => {
                let message = "say what may stand behind the words. operands = [\"build\"] means these operands and no \
                               others, options = [\"-v\"] beside it these options and no others, and exact = true \
                               nothing at all. Leave the braces out if anything may stand there";
                self.wrong(item, path, message.to_owned());
                return None;
            }
        };
        tokens::with(pattern, behind).map_err(|message| self.wrong(item, path, message)).ok()
    }

    /// Operands: an empty list allows no operand.
    fn operands(
        &mut self, node: &DocumentNode, path: DocumentPath<'_>,
    ) -> Option<Vec<PatternToken>> {
        let DocumentValue::List(list) = &node.value else {
            self.expected(node, path, "a list of words");
            return None;
        };
        let tokens = self.tokens(list, path)?;
        if tokens.contains(&PatternToken::Rest) {
            let message = "\"*\" stands for operands of any name and number";
            self.wrong(node, path, message.to_owned());
            return None;
        }
        Some(tokens)
    }

    fn options(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<Vec<String>> {
        let DocumentValue::List(list) = &node.value else {
            self.expected(node, path, "a list of options");
            return None;
        };
        let mut options = Vec::with_capacity(list.len());
        for (index, item) in list.iter().enumerate() {
            let path = path.index(index);
            match &item.value {
                DocumentValue::Text(text) if is_option(text) => options.push(text.clone()),
                DocumentValue::Text(text) => {
                    let message = format!(
                        "{} is not an option: write \"-x\" or \"--name\", one each",
                        quoted(text)
                    );
                    self.wrong(item, path, message);
                    return None;
                }
                _ => {
                    self.expected(item, path, "a string");
                    return None;
                }
            }
        }
        Some(options)
    }

    fn token(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<PatternToken> {
        match &node.value {
            DocumentValue::Text(text) => match tokens::word(text.clone()) {
                Ok(token) => Some(token),
                Err(message) => {
                    self.wrong(node, path, message);
                    None
                }
            },
            DocumentValue::List(list) => {
                let mut words = Vec::with_capacity(list.len());
                for (index, word) in list.iter().enumerate() {
                    let DocumentValue::Text(word) = &word.value else {
                        self.expected(word, path.index(index), "a string");
                        return None;
                    };
                    words.push(word.clone());
                }
                match words.len() {
                    0 => {
                        self.wrong(
                            node,
                            path,
                            "a list of alternatives must not be empty".to_owned(),
                        );
                        None
                    }
                    // The way to write a word that is `*` itself.
                    1 => words.pop().map(PatternToken::Text),
                    _ => Some(PatternToken::OneOf(words)),
                }
            }
            _ => {
                self.expected(node, path, "a string or a list of alternatives");
                None
            }
        }
    }

    /// Patterns; those that begin with `!` take out again.
    fn patterns(
        &mut self, node: &DocumentNode, path: DocumentPath<'_>,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Vec<PlacedValue<String>> {
        let patterns = self.texts(node, path, |pattern| {
            check(pattern.strip_prefix('!').unwrap_or(pattern))
                .map_err(|message| format!("{} is not a pattern: {message}", quoted(pattern)))
        });
        if !patterns.is_empty() && patterns.iter().all(|pattern| pattern.value.starts_with('!')) {
            let message = "these patterns only take out, so that nothing matches: name first what they are taken out of"
                .to_owned();
            self.wrong(node, path, message);
        }
        patterns
    }

    fn annotations(
        &mut self, node: &DocumentNode, path: DocumentPath<'_>, rule: &PolicyRule,
    ) -> BTreeMap<String, bool> {
        let DocumentValue::Table(entries) = &node.value else {
            self.expected(node, path, "a table of hints, like { destructiveHint = true }");
            return BTreeMap::new();
        };
        if entries.is_empty() {
            self.wrong(node, path, "no hint is named: leave \"annotations\" out".to_owned());
        }
        if rule.effect == Effect::Allow {
            let message = "a rule that allows cannot rest on annotations: they are what a tool says of itself, so they may \
                           only tighten"
                .to_owned();
            self.wrong(node, path, message);
        }
        let mut annotations = BTreeMap::new();
        for entry in entries {
            let path = path.key(&entry.key);
            if !HINTS.contains(&entry.key.as_str())
                && let Some(meant) = nearest(&entry.key, HINTS)
            {
                let message = format!("unknown hint {}", quoted(&entry.key));
                let hint = Some(format!("did you mean {meant:?}?"));
                self.fail(ErrorCode::UnknownKey, Some(entry.at), path, message, hint);
            }
            match entry.node.value {
                DocumentValue::Flag(flag) => drop(annotations.insert(entry.key.clone(), flag)),
                _ => self.expected(&entry.node, path, "true or false"),
            }
        }
        annotations
    }

    fn confined(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<RuleConfinement> {
        match node.value {
            DocumentValue::Flag(false) => return Some(RuleConfinement::Unconfined),
            DocumentValue::Text(_) => {
                return self.choice(node, path, CONFINED).map(RuleConfinement::To);
            }
            _ => self.expected(node, path, "\"project\", \"nothing\" or false"),
        }
        None
    }

    fn condition(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<usize> {
        if self.format != DocumentFormat::Object {
            let message =
                "\"condition\" is a function of the program: a file cannot hold one".to_owned();
            self.wrong(node, path, message);
            return None;
        }
        let number = match &node.value {
            DocumentValue::Number(number) => number.parse::<u32>().ok(),
            _ => None,
        };
        if number.is_none() {
            self.expected(node, path, "the number of a function");
        }
        number.and_then(|number| usize::try_from(number).ok())
    }

    fn examples(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> RuleExamples {
        let mut examples = RuleExamples::default();
        let entries = self.table(node, path, "examples", EXAMPLES).unwrap_or_default();
        for TableEntry { key, node, .. } in entries {
            let list = self.texts(node, path.key(key), any);
            match key.as_str() {
                "match" => examples.matching = list,
                "not_match" => examples.not_matching = list,
                _ => {}
            }
        }
        examples
    }
}

/// Whether the rule names nothing of what it speaks of.
fn says_nothing(rule: &PolicyRule) -> bool {
    rule.tools.is_none()
        && rule.is_whole()
        && rule.annotations.is_empty()
        && rule.condition.is_none()
        && !matches!(rule.confined, Some(RuleConfinement::To(_)))
}

/// Why this is no pattern for files (`!` before it: what it takes out); for addresses with `is_url`.
pub fn pattern_fault(pattern: &str, is_url: bool) -> Option<String> {
    let checked =
        if is_url { url(pattern) } else { glob(pattern.strip_prefix('!').unwrap_or(pattern)) };
    checked.err()
}

/// Where its variables lead does not matter here.
fn glob(pattern: &str) -> Result<(), String> {
    PathGlob::parse(pattern, &nowhere()).map(drop).map_err(|error| error.to_string())
}

fn url(pattern: &str) -> Result<(), String> {
    UrlPattern::parse(pattern).map(drop).map_err(|error| error.to_string())
}

fn variable(name: &str) -> Result<(), String> {
    let is_name = !name.starts_with(|char: char| char.is_ascii_digit())
        && name.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '_' | '*'));
    if is_name {
        return Ok(());
    }
    Err(format!(
        "{} is not the name of a variable: write the name alone, with * for any text; its value is not compared",
        quoted(name)
    ))
}

/// `__` ends the name of a server. Where a pattern could reach past that, a server that is not named could choose the name of a
/// tool so that the rule covers it: `a__b` and `*b` with `c` cover the tool `b__c` of the server `a`.
fn server(pattern: &str) -> Result<(), String> {
    let name = pattern.strip_suffix('*').unwrap_or(pattern);
    let is_part = |part: &str| {
        !part.is_empty()
            && part.chars().all(|char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-'))
    };
    if pattern == "*" || name.split('_').all(is_part) {
        return Ok(());
    }
    Err(format!(
        "{} is not the name of an MCP server: write letters, digits, \".\", \"-\" and single \"_\" between them, with * only \
         after such a name, or alone",
        quoted(pattern)
    ))
}

/// Whether this is one option by its whole name.
fn is_option(text: &str) -> bool {
    let name = text.trim_start_matches('-');
    (1..=2).contains(&(text.len() - name.len()))
        && !name.is_empty()
        && !name.contains(['=', ' ', '*'])
}
