//! Policies that come with countersign, as files to read and copy.

/// The names of the presets.
pub const PRESETS: &[&str] = &["read-only", "developer"];

/// The text of a preset, in TOML.
pub fn preset(name: &str) -> Option<&'static str> {
    match name {
        "read-only" => Some(include_str!("presets/read-only.toml")),
        "developer" => Some(include_str!("presets/developer.toml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::policy::Effect;
    use crate::policy::document::{Document, Format, Layer, Source, Token, load};
    use crate::shell::{Described, described};

    fn document(name: &str) -> Document {
        let source = Source { layer: Layer::Code, name: Arc::from(name), trusted: true };
        load(preset(name).unwrap(), Format::Toml, source).unwrap()
    }

    #[test]
    fn every_preset_is_a_policy() {
        for name in PRESETS {
            assert!(!document(name).rules.is_empty(), "{name}");
        }
        assert_eq!(preset("none"), None);
    }

    /// The first words of each command that a preset allows, in all alternatives.
    fn allowed(document: &Document) -> BTreeSet<Vec<&str>> {
        let mut all = BTreeSet::new();
        let rules = document.rules.iter().filter(|rule| rule.effect == Effect::Allow);
        for command in rules.flat_map(|rule| &rule.commands) {
            let mut lists: Vec<Vec<&str>> = vec![Vec::new()];
            for token in command.value.certain() {
                let texts: Vec<&str> = match token {
                    Token::Text(text) => vec![text],
                    Token::OneOf(texts) => texts.iter().map(String::as_str).collect(),
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

    /// What is not described is not allowed: a preset allows no program that has no table, or one that leaves options out.
    #[test]
    fn presets_allow_nothing_that_is_not_described() {
        for name in PRESETS {
            let document = document(name);
            let open: BTreeSet<String> = allowed(&document)
                .into_iter()
                .filter(|words| described(words) != Described::Wholly)
                .map(|words| words.join(" "))
                .collect();
            for words in open {
                println!("{name}: {words}");
            }
        }
    }
}
