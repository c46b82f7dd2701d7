//! A policy as it is written: TOML, JSON or an object, with one schema.

mod depth;
mod error;
mod examples;
mod loaded;
mod model;
mod place;
mod read;
mod rule;
mod schema;
mod settings;
mod tokens;
mod tree;
mod who;
mod write;

pub use error::{DocumentError, ErrorCode, MAX_ERRORS};
pub use examples::check_examples;
pub use loaded::load;
pub use model::{
    ArgumentNames, CommandPattern, DocumentPlace, LayerKind, MatchOrder, NetworkRule, PatternToken,
    PlacedValue, PolicyDocument, PolicyMode, PolicyRule, PolicySource, RiskLevel, RuleApprovers,
    RuleExamples, RuleRisk, ToolReading, WordsBehind,
};
pub use read::{MAX_BYTES, MAX_RULES, read};
pub use rule::pattern_fault;
pub use schema::VERSION;
pub use settings::{SettingsError, TomlSetting, settings};
pub use tree::{DocumentFormat, DocumentNode, DocumentValue, TableEntry, tree};
pub(crate) use write::string as toml_string;
pub use write::{NotWritable, rule_to_toml, to_toml};

pub(super) use super::compile::wild;
pub(super) use error::quoted;

#[cfg(test)]
mod tests;
