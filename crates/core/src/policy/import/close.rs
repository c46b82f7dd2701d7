//! What must be minded when all rules are put together: allows of whole commands, and rules that say more than theirs.

use super::super::Effect;
use super::super::document::{CommandPattern, Located, Rule, Token};
use super::draft::{Draft, Item, SHELLS};

impl Draft {
    /// An allow of `npm test` alone is an allow of what begins so, and an ask for what has one more word.
    pub(super) fn close_strictest(&mut self, items: Vec<Item>) -> Vec<Rule> {
        let allows: Vec<(bool, Vec<Token>)> = items.iter().filter_map(allowed_command).collect();
        let mut rules = Vec::with_capacity(items.len());
        for item in items {
            let tokens = tokens(&item.rule).filter(|_| item.closed);
            let Some(tokens) = tokens.map(<[Token]>::to_vec) else {
                rules.push(item.rule);
                continue;
            };
            if allows.iter().any(|(closed, other)| !closed && covers(other, &tokens)) {
                // Another allow says it already, and more.
                continue;
            }
            if allows.iter().any(|(_, other)| other.len() > tokens.len() && overlap(other, &tokens))
            {
                let why =
                    "a rule over words cannot end where another goes on: the shorter command asks";
                self.stricter(&item.what, item.rule.at, why);
                continue;
            }
            let rest = longer(&item.rule, tokens, Effect::Ask);
            rules.extend([item.rule, rest]);
        }
        rules
    }
}

/// The same where the first rule that matches decides. A rule that matches more than theirs must not ask where a later one of
/// theirs denies.
pub(super) fn close_first(items: Vec<Item>) -> Vec<Rule> {
    let mut denied: Vec<Rule> = Vec::new();
    let mut rules: Vec<Rule> = Vec::with_capacity(items.len());
    // From the last to the first, so that those that come after are known.
    for mut item in items.into_iter().rev() {
        if item.rule.effect == Effect::Deny {
            denied.push(item.rule.clone());
        }
        if item.wider
            && item.rule.effect == Effect::Ask
            && denied.iter().any(|deny| could_meet(deny, &item.rule))
        {
            item.rule.effect = Effect::Deny;
        }
        let closed = tokens(&item.rule).filter(|_| item.closed).map(<[Token]>::to_vec);
        let rest = closed.map(|tokens| {
            let mut rest = longer(&item.rule, tokens, Effect::Ask);
            if denied.iter().any(|deny| could_meet(deny, &rest)) {
                rest.effect = Effect::Deny;
            }
            rest
        });
        rules.push(item.rule);
        rules.extend(rest);
    }
    rules.reverse();
    rules
}

/// What begins as the rule says and has one more word.
fn longer(rule: &Rule, mut tokens: Vec<Token>, effect: Effect) -> Rule {
    tokens.push(Token::Any);
    let reason = Some("only the command without further arguments is allowed".to_owned());
    let commands = vec![Located { value: CommandPattern::beginning(tokens), at: rule.at }];
    Rule { effect, reason, tools: None, commands, ..rule.clone() }
}

fn tokens(rule: &Rule) -> Option<&[Token]> {
    rule.commands.first().map(|command| command.value.tokens.as_slice())
}

fn allowed_command(item: &Item) -> Option<(bool, Vec<Token>)> {
    let rule = &item.rule;
    if rule.effect != Effect::Allow {
        return None;
    }
    let whole_shell = rule
        .tools
        .as_ref()
        .is_some_and(|tools| tools.iter().any(|tool| SHELLS.contains(&tool.as_str())));
    match tokens(rule) {
        Some(tokens) => Some((item.closed, tokens.to_vec())),
        None if whole_shell && !has_matcher(rule) => Some((false, Vec::new())),
        None => None,
    }
}

fn has_matcher(rule: &Rule) -> bool {
    let others = [&rule.reads, &rule.writes, &rule.urls, &rule.env];
    !rule.commands.is_empty() || others.iter().any(|matcher| !matcher.is_empty())
}

/// Whether a call could be meant by both. Errs on the side of yes.
fn could_meet(one: &Rule, other: &Rule) -> bool {
    if let (Some(one), Some(other)) = (&one.tools, &other.tools)
        && !one.iter().any(|one| {
            one.contains('*') || other.iter().any(|other| other.contains('*') || other == one)
        })
    {
        return false;
    }
    match (tokens(one), tokens(other)) {
        (Some(one), Some(other)) => overlap(one, other),
        _ => {
            !has_matcher(one)
                || !has_matcher(other)
                || !one.reads.is_empty() && !other.reads.is_empty()
                || !one.writes.is_empty() && !other.writes.is_empty()
                || !one.urls.is_empty() && !other.urls.is_empty()
        }
    }
}

/// Whether what begins with the one could begin with the other. Errs on the side of yes.
fn overlap(one: &[Token], other: &[Token]) -> bool {
    one.iter().zip(other).enumerate().all(|(index, (one, other))| {
        match (texts(one), texts(other)) {
            (Some(one), Some(other)) => one.iter().any(|one| {
                other.iter().any(|other| one == other || index == 0 && base(one) == base(other))
            }),
            _ => true,
        }
    })
}

/// Whether all that begins with `tokens` begins with `wide`. Errs on the side of no.
fn covers(wide: &[Token], tokens: &[Token]) -> bool {
    wide.len() <= tokens.len()
        && wide.iter().zip(tokens).all(|(wide, token)| wide == token || *wide == Token::Any)
}

pub(super) fn texts(token: &Token) -> Option<Vec<&str>> {
    match token {
        Token::Text(text) => Some(vec![text]),
        Token::OneOf(texts) => Some(texts.iter().map(String::as_str).collect()),
        Token::Like(_) | Token::Any | Token::Rest => None,
    }
}

fn base(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}
