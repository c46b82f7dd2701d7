//! Very many requests that wait: what one of them takes, and what a decision costs among them.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use countersign_core::approval::ApprovalId;
use countersign_core::ledger::{Ledger, MemoryLedger};
use serde_json::{Value, json};

use crate::{Directory, approve, ask, digits, payload, quantile, request, summary, time};

const FEW: usize = 1_000;
const BYTES: usize = 200;
const TURN: usize = 25;
const TURNS: usize = 80;

/// Two ledgers take turns, one with 1,000 that wait and one with `many`.
pub(crate) fn run(kind: &str, many: usize) -> Value {
    let directory = Directory::new();
    let open = |name: &str| -> Box<dyn Ledger> {
        match kind {
            "memory" => Box::new(MemoryLedger::new(10_000)),
            "sqlite" => Box::new(directory.ledger(name)),
            _ => panic!("memory or sqlite"),
        }
    };
    let threads = if kind == "memory" { 1 } else { 128 };
    let (few, large) = (open("few.db"), open("many.db"));
    let few_ids = fill(&*few, 0, FEW, threads);
    let before = resident();
    let (took, many_ids) = time(|| fill(&*large, FEW, many, threads));
    // The list of their ids is ours.
    let ids = (many_ids.capacity() * size_of::<ApprovalId>()) as u64;
    let memory = resident().saturating_sub(before).saturating_sub(ids);
    let file = directory.bytes("many.db");
    let bytes = payload(&request(0, BYTES));

    let mut number = FEW + many;
    let mut sides = [(&*few, few_ids, Vec::new()), (&*large, many_ids, Vec::new())];
    for turn in 0..TURNS {
        for (ledger, ids, times) in &mut sides {
            for at in 0..TURN {
                // From all over the table.
                let which = (turn * TURN + at) * 7919 % ids.len();
                times.push(time(|| approve(*ledger, ids[which])).0);
                number += 1;
                ids[which] = ask(*ledger, request(number, BYTES));
            }
        }
    }
    let [(.., few), (.., large)] = &sides;
    json!({
        "ledger": kind,
        "requests": many,
        "payload": bytes,
        "perSecond": digits(many as f64 / took * 1e6),
        "memoryEach": digits(memory as f64 / many as f64),
        "fileEach": digits(file as f64 / many as f64),
        "few": summary(few),
        "many": summary(large),
        "p50Ratio": digits(quantile(large, 0.5) / quantile(few, 0.5)),
        "p99Ratio": digits(quantile(large, 0.99) / quantile(few, 0.99)),
    })
}

fn fill(ledger: &dyn Ledger, from: usize, count: usize, threads: usize) -> Vec<ApprovalId> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    let mut ids = Vec::new();
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count {
                            return ids;
                        }
                        ids.push(ask(ledger, request(from + number, BYTES)));
                    }
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// The memory of this process, in bytes.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
    line.split_ascii_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}
