//! What it costs that approvals last, beside the bare disk and the bare SQLite of the same moment:
//!
//! ```sh
//! cargo run --release -p countersign-core --example ledger_speed -- durable [rounds]
//! cargo run --release -p countersign-core --example ledger_speed -- writers [rounds]
//! cargo run --release -p countersign-core --example ledger_speed -- pending memory|sqlite [requests]
//! ```
//!
//! Each prints one line of JSON; times are µs. `bench/` reads it. Files are made in `TMPDIR`, and removed.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::indexing_slicing,
    reason = "a measurement prints, and fails loudly"
)]

mod durable;
mod pending;
mod writers;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use countersign_core::approval::{
    ApprovalId, Decision, DecisionChannel, DecisionChoice, DecisionKinds, RecordedDecision, Request,
};
use countersign_core::call::{CanonicalJson, ToolCall};
use countersign_core::ledger::sqlite::SqliteLedger;
use countersign_core::ledger::{DecideOutcome, EventFeed, Ledger, OpenOptions, RequestOutcome};
use serde_json::{Value, json};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default| words.get(at).map_or(default, |word| word.parse().unwrap());
    let result = match words.first().map(String::as_str) {
        Some("durable") => durable::run(number(1, 15)),
        Some("writers") => writers::run(number(1, 9)),
        Some("pending") => pending::run(&words[1], number(2, 1_000_000)),
        _ => panic!("one of: durable, writers, pending"),
    };
    println!("{result}");
}

/// A directory that goes away.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("ledger-speed-{}", uuid::Uuid::now_v7()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn ledger(&self, name: &str) -> SqliteLedger {
        let feed = Arc::new(EventFeed::default());
        let options = OpenOptions { key: None, read_only: false, feed, now: now() };
        SqliteLedger::open(Some(&self.0.join(name)), options).unwrap()
    }

    /// The bytes of the files whose names begin so.
    fn bytes(&self, name: &str) -> u64 {
        let files = fs::read_dir(&self.0).unwrap().map(|file| file.unwrap());
        let ours = files.filter(|file| file.file_name().to_str().unwrap().starts_with(name));
        ours.map(|file| file.metadata().unwrap())
            .filter(|file| file.is_file())
            .map(|file| file.len())
            .sum()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis() as u64
}

/// A new request with this many bytes of arguments, one of ten of its run.
fn request(number: usize, bytes: usize) -> Request {
    let text: String =
        (0..).map(|at| TEXT[(number + at) % TEXT.len()] as char).take(bytes).collect();
    let call = ToolCall {
        run_id: format!("run-{:08}", number / 10).into(),
        // As models' providers make them: in no order.
        tool_call_id: format!("call_{}", uuid::Uuid::from_u64_pair(scatter(number), 0).simple())
            .into(),
        tool_name: "write_file".into(),
        args: CanonicalJson::parse(&json!({ "content": text }).to_string()).unwrap(),
        context: None,
    };
    Request {
        id: uuid::Uuid::now_v7(),
        digest: call.digest(),
        call,
        origin: ["main".into()].into(),
        description: None,
        preview: "write_file".into(),
        more: None,
        allowed: DecisionKinds::ALL,
        created_at: now(),
        expires_at: Some(now() + 86_400_000),
    }
}

const TEXT: &[u8] =
    b"The quick brown fox jumps over the lazy dog; packing my box with five dozen jugs. ";

fn scatter(number: usize) -> u64 {
    (number as u64)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(29)
        .wrapping_mul(0xBF58_476D_1CE4_E5B9)
}

/// Its bytes without what the ledger adds.
fn payload(request: &Request) -> usize {
    let call = &request.call;
    call.args.as_str().len()
        + call.run_id.len()
        + call.tool_call_id.len()
        + call.tool_name.len()
        + request.preview.len()
}

fn ask(ledger: &dyn Ledger, request: Request) -> ApprovalId {
    let RequestOutcome::Created(record) = ledger.request(request).unwrap() else {
        panic!("asked twice")
    };
    // A listener reads what happened.
    ledger.feed().drain(|_| true);
    record.request().id
}

fn approve(ledger: &dyn Ledger, id: ApprovalId) {
    let decision = Decision::new(DecisionChoice::Approve, None);
    let decided = RecordedDecision {
        decision,
        by: Some("somebody".into()),
        via: DecisionChannel::Gate,
        at: now(),
    };
    let DecideOutcome::Won(_) = ledger.decide(id, decided).unwrap() else { panic!("not decided") };
    ledger.feed().drain(|_| true);
}

/// How long it takes, in µs.
fn time<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let done = work();
    (start.elapsed().as_secs_f64() * 1e6, done)
}

fn quantile(times: &[f64], at: f64) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * at) as usize]
}

fn digits(number: f64) -> Value {
    json!((number * 100.0).round() / 100.0)
}

fn summary(times: &[f64]) -> Value {
    json!({ "p50": digits(quantile(times, 0.5)), "p99": digits(quantile(times, 0.99)) })
}
