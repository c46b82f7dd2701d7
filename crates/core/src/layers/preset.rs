//! Policies that come with countersign, as files to read and copy.

/// The names of the presets.
pub const PRESETS: &[&str] = &["read-only", "developer"];

/// A preset of a file of its own, and what all presets have.
macro_rules! text {
    ($file:literal) => {
        concat!(include_str!($file), "\n", include_str!("../policy/looking.toml"))
    };
}

/// The text of a preset, in TOML.
pub fn preset(name: &str) -> Option<&'static str> {
    match name {
        "read-only" => Some(text!("presets/read-only.toml")),
        "developer" => Some(text!("presets/developer.toml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::policy::Effect;
    use crate::policy::document::{
        DocumentFormat, LayerKind, PatternToken, PolicyDocument, PolicySource, WordsBehind, load,
    };
    use crate::shell::{EffectKnowledge, knowledge_of};

    fn document(name: &str) -> PolicyDocument {
        let source = PolicySource { layer: LayerKind::Code, name: Arc::from(name), trusted: true };
        load(preset(name).unwrap(), DocumentFormat::Toml, source).unwrap_or_else(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            panic!("{name}:\n{}", errors.join("\n"))
        })
    }

    #[test]
    fn every_preset_is_a_policy() {
        for name in PRESETS {
            assert!(!document(name).rules.is_empty(), "{name}");
        }
        assert_eq!(preset("none"), None);
    }

    /// The first words of each command that a preset allows, in all alternatives. Not of a rule that itself names all options
    /// and operands that there may be: that leaves nothing to a table.
    fn allowed(document: &PolicyDocument) -> BTreeSet<Vec<&str>> {
        let mut all = BTreeSet::new();
        let rules = document.rules.iter().filter(|rule| rule.effect == Effect::Allow);
        let is_told = |behind: &WordsBehind| {
            matches!(behind, WordsBehind::Nothing | WordsBehind::Only { options: Some(_), .. })
        };
        let commands = rules.flat_map(|rule| &rule.commands);
        for command in commands.filter(|command| !is_told(&command.value.behind)) {
            let mut lists: Vec<Vec<&str>> = vec![Vec::new()];
            for token in command.value.certain() {
                let texts: Vec<&str> = match token {
                    PatternToken::Text(text) => vec![text],
                    PatternToken::OneOf(texts) => texts.iter().map(String::as_str).collect(),
                    _ => break,
                };
                lists = lists
                    .iter()
                    .flat_map(|list| texts.iter().map(|text| [list.as_slice(), &[*text]].concat()))
                    .collect();
            }
            all.extend(lists);
        }
        all
    }

    /// Words of the shell, at which the reading of the shell itself looks.
    const BUILTINS: &str = ": [ break cd continue dirs echo exit false getopts jobs mapfile popd printf pushd pwd read \
        readarray return set shift test times true type unset wait";

    /// What is not described is not allowed: a preset allows no program that has no table, or one that leaves options out.
    #[test]
    fn presets_allow_nothing_that_is_not_described() {
        let mut open: BTreeSet<String> = BTreeSet::new();
        for name in PRESETS {
            let document = document(name);
            let words = allowed(&document);
            let open_words =
                words.iter().filter(|words| knowledge_of(words) != EffectKnowledge::Wholly);
            open.extend(open_words.filter_map(|words| match words.as_slice() {
                ["git", "--no-pager", command, ..] | ["git", command, ..] => {
                    Some(format!("git.{command}"))
                }
                [program, ..] => Some((*program).to_owned()),
                [] => None,
            }));
        }
        open.retain(|name| !BUILTINS.split_whitespace().any(|builtin| builtin == name));
        assert_eq!(open, BTreeSet::new(), "allowed and not described");
    }
}
