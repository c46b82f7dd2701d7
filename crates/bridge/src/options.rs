//! What a gate is made with.

use countersign_core::gate::{GateError, GateOptions};
use countersign_core::ledger::Retention;
use serde::Deserialize;

/// What a gate is made with.
#[derive(Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase")]
pub struct NativeGateOptions {
    /// `memory:`, `sqlite:` with a path, or `postgres://…`.
    #[serde(default = "in_memory")]
    pub ledger: Box<str>,
    /// What a relative path starts at.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<String>"))]
    pub cwd: Box<str>,
    /// The text of the key for its contents.
    pub key: Option<Box<str>>,
    /// Only to look at a durable ledger: nothing is written, not even what is due.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub read_only: bool,
    /// In memory: events of requests, starts and ends are left out until `watchAll` wants them.
    #[serde(default)]
    #[cfg_attr(test, ts(optional, as = "Option<bool>"))]
    pub quiet: bool,
    /// The largest arguments of one call, in bytes of canonical JSON.
    max_argument_bytes: f64,
    /// How many requests are kept after nothing can happen to them any more.
    keep_decided: f64,
    /// ms; `null`: the default.
    retain_contents_ms: Option<f64>,
    /// ms; `null`: the default.
    retain_records_ms: Option<f64>,
}

fn in_memory() -> Box<str> {
    "memory:".into()
}

impl NativeGateOptions {
    /// Reads it.
    pub fn from_text(text: &str) -> Result<Self, GateError> {
        serde_json::from_str(text).map_err(|error| {
            // Never with the text: there is a key in it.
            GateError::InvalidConfig(format!(
                "the options of the gate are of the wrong shape, at column {}",
                error.column()
            ))
        })
    }

    /// The options of the gate itself.
    pub fn options(&self) -> Result<GateOptions, GateError> {
        Ok(GateOptions {
            max_argument_bytes: whole("maxArgumentBytes", self.max_argument_bytes)?,
            keep_decided: whole("keepDecided", self.keep_decided)?,
            read_only: self.read_only,
            retention: Retention {
                contents: self.retain_contents_ms.map(|ms| ms as u64),
                records: self.retain_records_ms.map(|ms| ms as u64),
            },
        })
    }
}

fn whole(name: &str, value: f64) -> Result<usize, GateError> {
    if value < 0.0 || value.fract() != 0.0 {
        return Err(GateError::InvalidConfig(format!(
            "`{name}` must be a whole number, not {value}"
        )));
    }
    // A float cast saturates: what is larger than the machine can count is no limit.
    Ok(value as usize)
}
