//! The tree of a TOML or JSON text, with places as JavaScript counts.

use serde::{Deserialize, Serialize};

use countersign_core::gate::GateError;
use countersign_core::policy::document::{
    DocumentFormat, DocumentNode, DocumentValue, MAX_BYTES, TableEntry, tree,
};

use crate::operations::Operate;
use crate::units::Units;

/// What a text of another program says. A key may stand in an object of JSON twice.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct ReadTree {
    text: Box<str>,
    format: TreeFormat,
}

#[derive(Deserialize, Clone, Copy)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
enum TreeFormat {
    Toml,
    /// Comments and commas at the end are allowed.
    Json,
}

impl Operate<()> for ReadTree {
    type Answer = NativeTree;

    fn perform(self, (): ()) -> Result<Self::Answer, GateError> {
        if self.text.len() > MAX_BYTES {
            let message = format!("it has {} bytes, {MAX_BYTES} are allowed", self.text.len());
            return Ok(NativeTree::Problem { message, start: 0 });
        }
        let format = match self.format {
            TreeFormat::Toml => DocumentFormat::Toml,
            TreeFormat::Json => DocumentFormat::Json,
        };
        let units = Units::of(&self.text);
        Ok(match tree(&self.text, format) {
            Ok(root) => NativeTree::Root(TreeNode::new(root, &units)),
            Err(errors) => {
                let first = errors.into_iter().next();
                let (at, message) = first.unwrap_or_else(|| (0, "it cannot be read".to_owned()));
                NativeTree::Problem { message, start: units.before(at) }
            }
        })
    }
}

/// The tree, or the first place where the text is not of its format.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub(super) enum NativeTree {
    Root(TreeNode),
    Problem {
        message: String,
        /// In units of UTF-16.
        start: usize,
    },
}

/// A value, and where it stands: in units of UTF-16.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct TreeNode {
    start: usize,
    /// A table of TOML may go on elsewhere.
    end: usize,
    #[serde(flatten)]
    value: TreeValue,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "lowercase")]
enum TreeValue {
    Text {
        text: String,
    },
    Flag {
        flag: bool,
    },
    Number {
        /// `null`: none that is finite.
        number: Option<f64>,
    },
    List {
        items: Vec<TreeNode>,
    },
    Table {
        entries: Vec<TreeEntry>,
    },
    Null,
    Date,
}

/// A key, where it begins, and its value.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct TreeEntry {
    key: String,
    /// In units of UTF-16.
    start: usize,
    node: TreeNode,
}

impl TreeNode {
    /// As deep as the parser goes, which has a limit.
    fn new(DocumentNode { at, end, value }: DocumentNode, units: &Units<'_>) -> Self {
        let value = match value {
            DocumentValue::Text(text) => TreeValue::Text { text },
            DocumentValue::Flag(flag) => TreeValue::Flag { flag },
            DocumentValue::Number(number) => TreeValue::Number {
                number: number.parse().ok().filter(|number: &f64| number.is_finite()),
            },
            DocumentValue::List(items) => TreeValue::List {
                items: items.into_iter().map(|item| Self::new(item, units)).collect(),
            },
            DocumentValue::Table(entries) => {
                let entry = |TableEntry { key, at, node }| TreeEntry {
                    key,
                    start: units.before(at),
                    node: Self::new(node, units),
                };
                TreeValue::Table { entries: entries.into_iter().map(entry).collect() }
            }
            DocumentValue::Null => TreeValue::Null,
            DocumentValue::Date => TreeValue::Date,
        };
        Self { start: units.before(at), end: units.before(end), value }
    }
}
