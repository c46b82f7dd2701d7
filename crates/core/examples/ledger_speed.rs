//! How long a request takes until it is durable, beside a raw append with fdatasync of the same bytes in the same run; how
//! large it is on disk; and how a decision fares among many that wait.
//!
//! `cargo run --release -p countersign-core --example ledger_speed [requests that wait, default 100000] [directory]`

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, reason = "a measurement")]

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use countersign_core::approval::{Choice, Decided, Decision, DecisionKinds, Request, Via};
use countersign_core::call::{CanonicalJson, ToolCall};
use countersign_core::ledger::sqlite::SqliteLedger;
use countersign_core::ledger::{Archive as _, Feed, Ledger as _, OpenOptions};

static CALLS: AtomicUsize = AtomicUsize::new(0);

fn request(args: &str, now: u64) -> Request {
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    let call = ToolCall {
        run_id: format!("run-{}", call % 1000).into(),
        tool_call_id: format!("call-{call}").into(),
        tool_name: "execute".into(),
        args: CanonicalJson::parse(args).unwrap(),
        context: None,
    };
    Request {
        id: uuid::Uuid::now_v7(),
        digest: call.digest(),
        call,
        origin: ["main".into()].into(),
        description: None,
        preview: "execute".into(),
        more: None,
        allowed: DecisionKinds::ALL,
        created_at: now,
        expires_at: Some(now + 3_600_000),
    }
}

fn open(path: &Path) -> SqliteLedger {
    let options =
        OpenOptions { key: None, read_only: false, feed: Arc::new(Feed::default()), now: 1 };
    SqliteLedger::open(Some(path), options).unwrap()
}

fn told(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_micros();
    format!("p50 {:>6} µs  p99 {:>6} µs", at(0.5), at(0.99))
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn puts(directory: &Path) {
    for size in [1024, 16 * 1024, 256 * 1024] {
        let args = format!("\"{}\"", "x".repeat(size - 2));
        for threads in [1, 16] {
            let name = format!("{size}-{threads}");
            let ledger = open(&directory.join(format!("{name}.db")));
            let raw = File::create(directory.join(format!("{name}.raw"))).unwrap();
            let rounds = if size > 100_000 { 20 } else { 60 };
            // Turn by turn, so that whatever else the machine does meets both.
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            for _ in 0..5 {
                let of = |work: &(dyn Fn() -> Duration + Sync)| -> Vec<Duration> {
                    std::thread::scope(|scope| {
                        let workers: Vec<_> = (0..threads)
                            .map(|_| {
                                scope.spawn(|| (0..rounds).map(|_| work()).collect::<Vec<_>>())
                            })
                            .collect();
                        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
                    })
                };
                theirs.extend(of(&|| {
                    timed(|| {
                        (&raw).write_all(args.as_bytes()).unwrap();
                        raw.sync_data().unwrap();
                    })
                }));
                ours.extend(of(&|| {
                    let request = request(&args, 1);
                    timed(|| drop(ledger.request(request).unwrap()))
                }));
            }
            let count = ours.len() as u64;
            ledger.compact().unwrap();
            let bytes = ledger.about().unwrap().bytes / count;
            println!(
                "{:>4} KiB {threads:>2} threads  ledger {}  raw {}  {bytes} bytes each",
                size / 1024,
                told(ours),
                told(theirs)
            );
        }
    }
}

fn decides(ledger: &SqliteLedger, ids: &[uuid::Uuid]) -> String {
    let times = ids
        .iter()
        .map(|id| {
            let decision = Decision::new(Choice::Approve, None);
            let decided = Decided { decision, by: None, via: Via::Gate, at: 2 };
            timed(|| drop(ledger.decide(*id, decided).unwrap()))
        })
        .collect();
    told(times)
}

fn many(directory: &Path, most: usize) {
    let ledger = open(&directory.join("many.db"));
    let args = format!("\"{}\"", "x".repeat(200));
    for waiting in [1_000, most] {
        let have = usize::try_from(ledger.about().unwrap().pending).unwrap();
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..64 {
                scope.spawn(|| {
                    for _ in 0..(waiting - have).div_ceil(64) {
                        ledger.request(request(&args, 1)).unwrap();
                    }
                });
            }
        });
        let asked = start.elapsed();
        // Some of each age.
        let ids: Vec<uuid::Uuid> = (0..600)
            .map(|at| format!("call-{}", CALLS.load(Ordering::Relaxed) - 1 - at * (waiting / 700)))
            .map(|call| ledger.find(None, &call).unwrap()[0].request().id)
            .collect();
        let about = ledger.about().unwrap();
        println!(
            "{waiting} wait ({asked:.1?} to ask)  decide {}  {} bytes each  next deadline {:?}",
            decides(&ledger, &ids),
            about.bytes / about.records,
            timed(|| assert!(ledger.next_deadline().unwrap().is_some())),
        );
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let most = arguments.next().map_or(100_000, |most| most.parse().unwrap());
    let root = arguments.next().map_or_else(std::env::temp_dir, PathBuf::from);
    let directory = root.join(format!("countersign-speed-{}", std::process::id()));
    std::fs::create_dir(&directory).unwrap();
    puts(&directory);
    many(&directory, most);
    std::fs::remove_dir_all(&directory).unwrap();
}
