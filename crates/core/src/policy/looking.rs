//! Commands that look and change nothing, whatever follows: those that all presets allow.

use std::sync::LazyLock;

use super::Effect;
use super::document::{CommandPattern, DocumentFormat, LayerKind, PolicySource, WordsBehind, read};
use super::tokens::{CommandWords, covers};
use crate::shell::Word;

static LOOKING: LazyLock<Vec<CommandPattern>> = LazyLock::new(|| {
    let text = concat!("version = 1\n", include_str!("looking.toml"));
    let source = PolicySource { layer: LayerKind::Code, name: "looking".into(), trusted: true };
    // A file that cannot be read says nothing of what looks. A test reads it.
    let rules =
        read(text, DocumentFormat::Toml, source).map(|document| document.rules).unwrap_or_default();
    let commands = rules
        .into_iter()
        .filter(|rule| rule.effect == Effect::Allow)
        .flat_map(|rule| rule.commands)
        .map(|command| command.value);
    commands.filter(|command| command.behind == WordsBehind::Anything).collect()
});

/// Whether this command looks, whatever else its words are.
pub(crate) fn looks(argv: &[Word]) -> bool {
    let words = CommandWords::of(argv);
    LOOKING.iter().any(|pattern| covers(pattern, &words))
}
