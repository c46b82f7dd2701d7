//! Many writers at once share a commit.

use std::fs::File;
use std::io::Write as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::{Directory, ask, digits, quantile, request};

const TIME: Duration = Duration::from_millis(700);
const BYTES: usize = 1024;

/// Rounds in which 1, 4, 16 and 64 threads take turns.
pub(crate) fn run(rounds: usize) -> Value {
    let directory = Directory::new();
    let ledger = directory.ledger("ledger.db");
    let file = Mutex::new(File::create(directory.0.join("appended")).unwrap());
    let number = AtomicUsize::new(0);
    let ask = || {
        ask(&ledger, request(number.fetch_add(1, Ordering::Relaxed), BYTES));
    };
    // Somebody who knows no group commit: one append after the other.
    let append = || {
        let mut file = file.lock().unwrap();
        file.write_all(&[b'x'; BYTES]).unwrap();
        file.sync_data().unwrap();
    };
    let mut told = Vec::new();
    for round in 0..=rounds {
        let mut speeds = vec![("append", 1, persecond(1, &append))];
        for threads in [1, 4, 16, 64] {
            speeds.push(("request", threads, persecond(threads, &ask)));
        }
        if round > 0 {
            told.push(speeds);
        }
    }
    let of = |what: &str, threads: usize| -> Vec<f64> {
        let all =
            told.iter().flatten().filter(|(name, count, _)| *name == what && *count == threads);
        all.map(|(_, _, speed)| *speed).collect()
    };
    let one = of("request", 1);
    let line = |what: &str, threads: usize| {
        let speeds = of(what, threads);
        let times: Vec<f64> = speeds.iter().zip(&one).map(|(speed, one)| speed / one).collect();
        json!({
            "perSecond": digits(quantile(&speeds, 0.5)),
            "rounds": speeds.iter().map(|speed| digits(*speed)).collect::<Vec<_>>(),
            "times": digits(quantile(&times, 0.5)),
            "spread": [digits(quantile(&times, 0.1)), digits(quantile(&times, 0.9))],
        })
    };
    json!({
        "append": line("append", 1),
        "1": line("request", 1), "4": line("request", 4), "16": line("request", 16), "64": line("request", 64),
    })
}

fn persecond(threads: usize, work: &(dyn Fn() + Sync)) -> f64 {
    let done = AtomicUsize::new(0);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while start.elapsed() < TIME {
                    work();
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    done.into_inner() as f64 / start.elapsed().as_secs_f64()
}
