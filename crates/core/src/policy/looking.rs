//! Commands that look and change nothing, with any words behind them: those that all presets allow.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::sync::LazyLock;

use super::Effect;
use super::document::{
    CommandPattern, DocumentFormat, LayerKind, PatternToken, PolicySource, WordsBehind, read,
};
use super::tokens::{CommandWords, covers};
use crate::shell::Word;

/// By each first word that a pattern takes; those that take any under the empty one.
static LOOKING: LazyLock<HashMap<String, Vec<CommandPattern>>> = LazyLock::new(|| {
    let text = concat!("version = 1\n", include_str!("looking.toml"));
    let source = PolicySource { layer: LayerKind::Code, name: "looking".into(), trusted: true };
    // A file that cannot be read says nothing of what looks. A test reads it.
    let rules =
        read(text, DocumentFormat::Toml, source).map(|document| document.rules).unwrap_or_default();
    let commands = rules
        .into_iter()
        .filter(|rule| rule.effect == Effect::Allow)
        .flat_map(|rule| rule.commands)
        .map(|command| command.value)
        .filter(|command| command.behind == WordsBehind::Anything);
    let mut looking: HashMap<String, Vec<CommandPattern>> = HashMap::new();
    for command in commands {
        let firsts = match command.tokens.first() {
            Some(PatternToken::Text(text)) => vec![text.clone()],
            Some(PatternToken::OneOf(texts)) => texts.clone(),
            Some(PatternToken::Like(_) | PatternToken::Any | PatternToken::Rest) | None => {
                vec![String::new()]
            }
        };
        for first in firsts {
            looking.entry(first).or_default().push(command.clone());
        }
    }
    looking
});

/// Whether this command looks, with any other words.
pub(crate) fn looks(argv: &[Word]) -> bool {
    let first = argv.first().and_then(Word::literal).unwrap_or_default();
    let mut patterns = [first, ""].into_iter().filter_map(|first| LOOKING.get(first)).flatten();
    let words = LazyCell::new(|| CommandWords::of(argv));
    patterns.any(|pattern| covers(pattern, &words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{FactKind, Shell, analyze};

    #[test]
    fn what_looks_is_found_by_its_first_word() {
        for (line, expected) in [
            ("git status -s", true),
            ("zfgrep x y", true),
            ("command -v git", true),
            ("find . -name x", true),
            ("ls", true),
            ("command git", false),
            ("git push", false),
            ("$x status", false),
            ("./git status", false),
            ("\"\" status", false),
            ("touch x", false),
        ] {
            let facts = analyze(line, Shell::Bash).facts;
            let argv = facts.into_iter().find_map(|fact| match fact.what {
                FactKind::Command(command) => Some(command.argv),
                _ => None,
            });
            let argv = argv.unwrap();
            let words = CommandWords::of(&argv);
            let all = LOOKING.values().flatten().any(|pattern| covers(pattern, &words));
            assert_eq!((looks(&argv), all), (expected, expected), "{line}");
        }
    }
}
