//! Heads of audits as signed notes, and exports of audits.

use std::sync::{Mutex, PoisonError};

use countersign_bridge::envelope::envelope;
use countersign_core::gate::GateError;
use countersign_core::ledger::audit::{
    AuditChain, Checkpoint, ExportLine, HeadStanding, LogHead, LogVerifier, SigningKey,
    VerifyingKey,
};
use countersign_core::ledger::{hash_from_hex, hex};
use napi::bindgen_prelude::Uint8Array;
use napi_derive::napi;
use serde::{Deserialize, Serialize};

/// What a function answers that its caller's own texts can make fail: `{ made }` or `{ invalid }`.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum MadeOrInvalid<T> {
    Made(T),
    Invalid(String),
}

impl<T> From<Result<T, String>> for MadeOrInvalid<T> {
    fn from(result: Result<T, String>) -> Self {
        match result {
            Ok(made) => Self::Made(made),
            Err(message) => Self::Invalid(message),
        }
    }
}

fn outcome<T: Serialize>(result: Result<T, String>) -> String {
    envelope(Ok(MadeOrInvalid::from(result)))
}

#[derive(Serialize, Deserialize)]
struct HeadText {
    size: u64,
    hash: String,
    at: Option<u64>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct KeysText {
    private_key: String,
    public_key: String,
}

/// A new key to sign heads with, for this name: `{ privateKey, publicKey }`.
#[napi(catch_unwind)]
pub fn new_audit_key(name: String) -> String {
    let key = SigningKey::generate(&name).map_err(|error| error.to_string());
    outcome(key.map(|key| KeysText {
        private_key: key.to_text().to_string(),
        public_key: key.verifying_key().to_string(),
    }))
}

/// A head `{ size, hash, at }` of the log with this name, as a note signed with this private key: its text.
#[napi(catch_unwind)]
pub fn sign_audit_head(head: String, origin: String, private_key: String) -> String {
    let sign = || {
        let key = SigningKey::parse(&private_key).map_err(|error| error.to_string())?;
        let chain = chain_of(&head)?;
        let checkpoint = Checkpoint::of(chain, &origin).map_err(|error| error.to_string())?;
        checkpoint.sign(&[&key]).map_err(|error| error.to_string())
    };
    outcome(sign())
}

fn chain_of(head: &str) -> Result<AuditChain, String> {
    let HeadText { size, hash, at } = read_head(head)?;
    let head = hash_from_hex(&hash).ok_or("the hash of a head is 64 hex digits")?;
    Ok(AuditChain { seq: size, at: at.unwrap_or(0), head })
}

fn read_head(head: &str) -> Result<HeadText, String> {
    serde_json::from_str(head).map_err(|_| "a head is { size, hash, at }".to_owned())
}

#[derive(Serialize)]
struct SignedText {
    origin: Box<str>,
    by: Vec<Box<str>>,
    #[serde(flatten)]
    head: HeadText,
}

/// The head in a note that at least one of these public keys signed: `{ origin, by, size, hash, at }`.
#[napi(catch_unwind)]
pub fn open_audit_head(note: String, public_keys: Vec<String>) -> String {
    let open = || {
        let keys = public_keys
            .iter()
            .map(|key| VerifyingKey::parse(key).map_err(|error| error.to_string()))
            .collect::<Result<Vec<_>, _>>()?;
        let keys: Vec<_> = keys.iter().collect();
        let (Checkpoint { origin, head, at }, by) =
            Checkpoint::open(&note, &keys).map_err(|error| error.to_string())?;
        Ok(SignedText { origin, by, head: HeadText { size: head.size, hash: hex(&head.hash), at } })
    };
    outcome(open())
}

/// Verifies an export, line by line, in constant memory.
#[napi]
pub struct AuditVerifier {
    state: Mutex<VerifierState>,
}

struct VerifierState {
    /// The number that the export should begin with.
    from: u64,
    expected: Option<LogHead>,
    verifier: Option<LogVerifier>,
    entries: u64,
}

#[derive(Serialize)]
struct VerdictText {
    entries: u64,
    head: Option<HeadText>,
    broken: Option<BrokenText>,
    standing: Option<StandingText>,
}

#[derive(Serialize)]
struct BrokenText {
    seq: u64,
    what: String,
}

#[derive(Serialize)]
struct StandingText {
    word: &'static str,
    by: u64,
}

#[napi]
impl AuditVerifier {
    /// `from`: the number of the entry that the export begins with. `expected`: a head `{ size, hash }` that was kept
    /// elsewhere, or `null`; what is no head makes every log another one.
    #[napi(constructor, catch_unwind)]
    pub fn new(from: f64, expected: Option<String>) -> napi::Result<Self> {
        let expected = expected
            .map(|head| chain_of(&head).map(LogHead::from))
            .transpose()
            .map_err(|message| napi::Error::new(napi::Status::InvalidArg, message))?;
        let from = (from as u64).max(1);
        Ok(Self { state: Mutex::new(VerifierState { from, expected, verifier: None, entries: 0 }) })
    }

    /// The next line, without its line end.
    #[napi(catch_unwind)]
    pub fn see(&self, line: Uint8Array) -> napi::Result<()> {
        let line = ExportLine::parse(&line);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let VerifierState { from, expected, .. } = *state;
        let verifier = state.verifier.get_or_insert_with(|| {
            // Where an export was cut, what comes before it is taken from its first line: only a head can confirm it.
            let start = match &line {
                Ok(line) if from > 1 && line.entry.seq == from => line.before(),
                _ => AuditChain { seq: from - 1, ..AuditChain::default() },
            };
            LogVerifier::new(start, expected)
        });
        verifier.see_line(&line);
        let intact = verifier.broken().is_none();
        state.entries += u64::from(intact);
        Ok(())
    }

    /// `{ entries, head, broken, standing }`: how many are as they were written, what the last of them leads to, the first
    /// that is not, and how the log stands to the expected head.
    #[napi(catch_unwind)]
    pub fn finish(&self) -> String {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let VerifierState { from, expected, entries, .. } = *state;
        let verifier = state.verifier.take().unwrap_or_else(|| {
            LogVerifier::new(AuditChain { seq: from - 1, ..AuditChain::default() }, expected)
        });
        envelope(Ok::<_, GateError>(match verifier.finish() {
            Ok(verified) => VerdictText {
                entries,
                head: Some(HeadText {
                    size: verified.chain.seq,
                    hash: hex(&verified.chain.head),
                    at: Some(verified.chain.at),
                }),
                broken: None,
                standing: verified.standing.map(StandingText::from),
            },
            Err(broken) => VerdictText {
                entries,
                head: None,
                broken: Some(BrokenText { seq: broken.seq, what: broken.to_string() }),
                standing: None,
            },
        }))
    }
}

impl From<HeadStanding> for StandingText {
    fn from(standing: HeadStanding) -> Self {
        let (word, by) = match standing {
            HeadStanding::Same => ("same", 0),
            HeadStanding::Extended { by } => ("extended", by),
            HeadStanding::Truncated { by } => ("truncated", by),
            HeadStanding::Forked => ("forked", 0),
            HeadStanding::Unknown => ("unknown", 0),
        };
        Self { word, by }
    }
}
