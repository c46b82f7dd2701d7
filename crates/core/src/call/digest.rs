//! What an approval is bound to.

use std::fmt;

use serde::{Serialize, Serializer};
use sha2::{Digest as _, Sha256};

use super::CanonicalJson;

/// A SHA-256, written in hex.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a text.
    pub fn of_text(text: &str) -> Self {
        Self::of_bytes(text.as_bytes())
    }

    /// The digest of the content of a file.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Its bytes, as they are kept.
    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest of these bytes, which [`Digest::bytes`] gave.
    pub(crate) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The digest of a call: over the canonical JSON of `{ v: 1, runId, toolCallId, toolName, args, context }`.
    ///
    /// `context` is canonical JSON, of `{ cwd, project, policy, shell }` or `null` where no policy judges: an approval given
    /// without them never holds for a call that has them.
    pub(super) fn of_call(
        run_id: &str, tool_call_id: &str, tool_name: &str, args: &CanonicalJson, context: &str,
    ) -> Self {
        // Written in parts, in the order of the sorted keys, so that large arguments are not copied once more.
        let mut hash = Sha256::new();
        hash.update(b"{\"args\":");
        hash.update(args.as_str());
        hash.update(b",\"context\":");
        hash.update(context);
        hash.update(b",\"runId\":");
        hash.update(quoted(run_id));
        hash.update(b",\"toolCallId\":");
        hash.update(quoted(tool_call_id));
        hash.update(b",\"toolName\":");
        hash.update(quoted(tool_name));
        hash.update(b",\"v\":1}");
        Self(hash.finalize().into())
    }
}

/// A string as JSON text. `serde_json` escapes exactly what RFC 8785 does.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

impl fmt::Display for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "Digest({self})")
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call::ToolCall;

    fn call(args: &str) -> ToolCall {
        ToolCall {
            run_id: "run \"1\"\n\u{1}é".into(),
            tool_call_id: "call/1".into(),
            tool_name: "execute".into(),
            args: CanonicalJson::parse(args).unwrap(),
            context: None,
        }
    }

    #[test]
    fn it_is_the_hash_of_the_canonical_document() {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct DigestedDocument {
            v: u8,
            run_id: &'static str,
            tool_call_id: &'static str,
            tool_name: &'static str,
            args: serde_json::Value,
            context: (),
        }
        let document = DigestedDocument {
            v: 1,
            run_id: "run \"1\"\n\u{1}é",
            tool_call_id: "call/1",
            tool_name: "execute",
            args: serde_json::json!({ "command": "ls", "n": 1.5 }),
            context: (),
        };
        let text = serde_json_canonicalizer::to_string(&document).unwrap();
        assert_eq!(call(r#"{"n":1.50,"command":"ls"}"#).digest(), Digest::of_text(&text));
    }

    #[test]
    fn it_is_stable_over_releases() {
        let call = ToolCall {
            run_id: "r".into(),
            tool_call_id: "c".into(),
            tool_name: "t".into(),
            args: CanonicalJson::parse("{}").unwrap(),
            context: None,
        };
        // printf '{"args":{},"context":null,"runId":"r","toolCallId":"c","toolName":"t","v":1}' | sha256sum
        assert_eq!(
            call.digest().to_string(),
            "dc05fa7feb35087abe9a10642f5e79cd725822bb9fd4968ce8a2ceb386e16701"
        );
    }

    #[test]
    fn every_part_counts() {
        let base = call("{}");
        assert_ne!(base.digest(), call("[]").digest());
        assert_ne!(base.digest(), ToolCall { run_id: "r".into(), ..base.clone() }.digest());
        assert_ne!(base.digest(), ToolCall { tool_call_id: "r".into(), ..base.clone() }.digest());
        assert_ne!(base.digest(), ToolCall { tool_name: "r".into(), ..base.clone() }.digest());
        let context = CanonicalJson::parse(r#"{"cwd":"/"}"#).unwrap();
        let context = Some(Box::new(crate::call::CallContext(context)));
        assert_ne!(base.digest(), ToolCall { context, ..base.clone() }.digest());
    }
}
