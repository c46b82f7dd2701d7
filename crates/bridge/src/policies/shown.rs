//! What a human is shown beside a request.

use countersign_core::gate::policies::{self as core, AlwaysOffer, ProvenCall};
use countersign_core::policy::Effect;
use countersign_core::policy::document::{
    CommandPattern, PatternToken, PlacedValue, PolicyRule, WordsBehind,
};
use countersign_core::preview::{FileChange, Flags};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// What a human is shown: [`NativeShown`], owned.
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "NativeShown"))]
pub(super) struct CallDisplay(pub(super) core::ShownCall);

impl Serialize for CallDisplay {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        NativeShown::from(&self.0).serialize(serializer)
    }
}

/// What a human is shown beside a request.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct NativeShown<'a> {
    #[serde(flatten)]
    details: ShownDetails<'a>,
    page: NativePreview<'a>,
}

/// What is kept of it with the request.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct ShownDetails<'a> {
    always: NativeOffers<'a>,
    changes: Vec<FileChangeText<'a>>,
    /// `reads`: it is proven only to look. `changes`: it changes what `changes` shows whole, in the project, and nothing else.
    #[cfg_attr(test, ts(type = "'reads' | 'changes' | null"))]
    proven: Option<&'static str>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativeOffers<'a> {
    allow: Option<GrantOffer<'a>>,
    deny: Option<GrantOffer<'a>>,
}

/// What "always" would save.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct GrantOffer<'a> {
    label: &'a str,
    #[cfg_attr(test, ts(type = "PolicyRule[]"))]
    rules: Vec<RuleOut<'a>>,
    also: &'a [String],
}

impl<'a> From<&'a AlwaysOffer> for GrantOffer<'a> {
    fn from(offer: &'a AlwaysOffer) -> Self {
        Self {
            label: &offer.label,
            rules: offer.rules.iter().map(RuleOut).collect(),
            also: &offer.also,
        }
    }
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct NativePreview<'a> {
    text: &'a str,
    #[cfg_attr(test, ts(type = "string[]"))]
    flags: Flags,
    /// Whether all that changes in files is shown, and nothing in it is in doubt.
    whole: bool,
}

/// A file that a call would change.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "FileChange"))]
struct FileChangeText<'a> {
    path: &'a str,
    /// The file itself: absolute, every symlink followed; `null`: that cannot be told.
    target: Option<&'a str>,
    /// SHA-256 (hex) of its content; `null`: it does not exist.
    #[cfg_attr(test, ts(type = "string | null"))]
    before: countersign_core::preview::SeenState,
    added: usize,
    removed: usize,
    diff: &'a str,
}

impl<'a> From<&'a FileChange> for FileChangeText<'a> {
    fn from(change: &'a FileChange) -> Self {
        Self {
            path: &change.path,
            target: change.target.as_deref(),
            before: change.before,
            added: change.added,
            removed: change.removed,
            diff: &change.text,
        }
    }
}

impl<'a> From<&'a core::ShownCall> for NativeShown<'a> {
    fn from(shown: &'a core::ShownCall) -> Self {
        Self {
            details: shown.into(),
            page: NativePreview {
                text: &shown.page.text,
                flags: shown.page.flags,
                whole: shown.changes.iter().all(|change| change.is_whole),
            },
        }
    }
}

impl<'a> From<&'a core::ShownCall> for ShownDetails<'a> {
    fn from(shown: &'a core::ShownCall) -> Self {
        Self {
            always: NativeOffers {
                allow: shown.allow.as_ref().map(GrantOffer::from),
                deny: shown.deny.as_ref().map(GrantOffer::from),
            },
            changes: shown.changes.iter().map(FileChangeText::from).collect(),
            proven: shown.proven.map(|proven| match proven {
                ProvenCall::Reads => "reads",
                ProvenCall::Changes => "changes",
            }),
        }
    }
}

/// A rule as a document's object has it.
pub(super) struct RuleOut<'a>(pub(super) &'a PolicyRule);

impl Serialize for RuleOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let rule = self.0;
        let texts = |patterns: &[PlacedValue<String>]| -> Vec<String> {
            patterns.iter().map(|pattern| pattern.value.clone()).collect()
        };
        let mut map = serializer.serialize_map(None)?;
        if let Some(tools) = &rule.tools {
            map.serialize_entry("tools", tools)?;
        }
        let effect: Effect = rule.effect;
        map.serialize_entry("effect", &effect)?;
        if let Some(reason) = &rule.reason {
            map.serialize_entry("reason", reason)?;
        }
        if !rule.commands.is_empty() {
            let commands: Vec<CommandOut> =
                rule.commands.iter().map(|command| CommandOut(&command.value)).collect();
            map.serialize_entry("commands", &commands)?;
        }
        for (key, patterns) in [
            ("reads", &rule.reads),
            ("writes", &rule.writes),
            ("urls", &rule.urls),
            ("env", &rule.env),
        ] {
            if !patterns.is_empty() {
                map.serialize_entry(key, &texts(patterns))?;
            }
        }
        map.end()
    }
}

/// A list of tokens, or an object with what may stand behind them.
struct CommandOut<'a>(&'a CommandPattern);

impl Serialize for CommandOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words = TokensOut(&self.0.tokens);
        match &self.0.behind {
            WordsBehind::Anything => words.serialize(serializer),
            WordsBehind::Nothing => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("words", &words)?;
                map.serialize_entry("exact", &true)?;
                map.end()
            }
            WordsBehind::Only { operands, options } => {
                let mut map = serializer.serialize_map(None)?;
                map.serialize_entry("words", &words)?;
                map.serialize_entry("operands", &TokensOut(operands))?;
                if let Some(options) = options {
                    map.serialize_entry("options", options)?;
                }
                map.end()
            }
        }
    }
}

struct TokensOut<'a>(&'a [PatternToken]);

impl Serialize for TokensOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(untagged)]
        enum TokenOut<'a> {
            One(&'a str),
            Of(&'a [String]),
            Only([&'a str; 1]),
        }
        serializer.collect_seq(self.0.iter().map(|token| match token {
            // In a list of its own a star is a star.
            PatternToken::Text(text) if text.contains('*') => TokenOut::Only([text]),
            PatternToken::Text(text) | PatternToken::Like(text) => TokenOut::One(text),
            PatternToken::OneOf(words) => TokenOut::Of(words),
            PatternToken::Any => TokenOut::One("*"),
            PatternToken::Rest => TokenOut::One("**"),
        }))
    }
}

#[cfg(test)]
pub(super) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<NativeShown<'static>>()
}
