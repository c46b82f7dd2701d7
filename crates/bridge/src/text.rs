//! Functions of text.

use countersign_core::call::{CanonicalJson, Digest, Json};
use countersign_core::gate::{GateError, shown};
use countersign_core::preview::{self, Flags};
use serde::{Deserialize, Serialize};

use crate::envelope::{Raw, present, read};
use crate::record::ArgumentRow;
use crate::request::invalid;

/// RFC 8785 text and its SHA-256 (hex).
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CanonicalText {
    text: String,
    #[cfg_attr(test, ts(type = "string"))]
    digest: Digest,
}

/// The canonical form of any JSON text.
pub fn canonicalize(text: &str) -> Result<CanonicalText, GateError> {
    let canonical = CanonicalJson::parse(text)?;
    Ok(CanonicalText {
        text: canonical.as_str().to_owned(),
        digest: Digest::of_text(canonical.as_str()),
    })
}

/// A preview and what it found.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PreviewText {
    text: String,
    #[cfg_attr(test, ts(type = "string[]"))]
    flags: Flags,
}

/// The arguments of a call, as JSON text, as rows in the order in which they are read.
pub fn rows(args: &str) -> Result<impl Serialize + use<>, GateError> {
    let order = preview::order_of(args).unwrap_or_default();
    let rows = preview::rows(&shown(&CanonicalJson::parse(args)?), &order);
    Ok(rows.into_iter().map(ArgumentRow::from).collect::<Vec<_>>())
}

/// A call to be shown.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct PreviewCall {
    #[cfg_attr(test, ts(type = "string"))]
    tool_name: Raw,
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, ts(type = "unknown"))]
    args: Option<Raw>,
    /// Columns; `null`: lines are not wrapped.
    width: Option<f64>,
}

/// A call as text that is safe to show.
pub fn preview(text: &str) -> Result<PreviewText, GateError> {
    let raw: PreviewCall = read(text)?;
    let tool_name: String = serde_json::from_str(raw.tool_name.get())
        .map_err(|_| invalid("toolName", &raw.tool_name))?;
    let args = match &raw.args {
        None => Json::Null,
        Some(args) => args.get().parse()?,
    };
    let preview = preview::render(
        &tool_name,
        &args,
        raw.width.filter(|width| *width > 0.0).map(|width| width as usize),
    );
    Ok(PreviewText { text: preview.text, flags: preview.flags })
}

#[cfg(test)]
pub(crate) fn types(all: crate::types::Declarations) -> crate::types::Declarations {
    all.with::<CanonicalText>().with::<PreviewCall>().with::<PreviewText>()
}
