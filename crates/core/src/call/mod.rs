//! A tool call, the one text its arguments have, and the digest that binds an approval to it.

mod canonical;
mod digest;
mod hex;
mod json;
mod pattern;

use std::sync::Arc;

pub use canonical::{CanonicalJson, InvalidJson};
pub use digest::Digest;
pub use hex::hex;
pub use json::Json;
pub use pattern::fits_pattern;

/// What a model wants to run.
#[derive(Debug, Clone)]
pub struct ToolCall {
    /// The run it belongs to. Shared, since a run makes many calls.
    pub run_id: Arc<str>,
    /// The id that the model gave the call.
    pub tool_call_id: Arc<str>,
    /// The tool.
    pub tool_name: Box<str>,
    /// Its arguments.
    pub args: CanonicalJson,
    /// What the policies judged it under; `None`: there were none.
    pub context: Option<Box<CallContext>>,
}

/// `{ cwd, project, policy, shell }` as canonical JSON. Boxed where it is kept: most requests that wait have none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallContext(pub CanonicalJson);

impl ToolCall {
    /// What an approval of this very call is bound to.
    pub fn digest(&self) -> Digest {
        self.digest_with(&self.args)
    }

    /// The digest of this call with other arguments, as an edit makes it.
    pub fn digest_with(&self, args: &CanonicalJson) -> Digest {
        let context = self.context.as_ref().map_or("null", |context| context.0.as_str());
        Digest::of_call(&self.run_id, &self.tool_call_id, &self.tool_name, args, context)
    }
}
