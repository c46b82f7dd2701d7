//! What one request that waits costs, beside its own texts. Counts the bytes that the allocator is asked for.
#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "an allocator is unsafe by its trait; a test may panic and print"
)]

#[path = "../src/effort.rs"]
mod effort;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use countersign_core::approval::{Decision, DecisionChannel, DecisionChoice, DecisionKinds};
use countersign_core::call::{CanonicalJson, ToolCall};
use countersign_core::gate::{DecidingCaller, Gate, GateOptions, NewRequest, SystemClock};
use countersign_core::ledger::Retention;
use effort::effort;

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed to the system's allocator as it came; only sizes are counted.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's pointer and layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_request_that_waits_is_cheap() {
    // Tables that double are as full with the one as with the other.
    let count = effort(12_500, 100_000);
    let options = GateOptions {
        max_argument_bytes: 4096,
        keep_decided: 10,
        read_only: false,
        retention: Retention { contents: None, records: None },
    };
    let gate = Gate::new(options, Box::new(SystemClock::new()), Box::new(drop));
    let before = LIVE.load(Ordering::Relaxed);
    let (mut payload, mut ids) = (0, Vec::with_capacity(count));
    for number in 0..count {
        let (run, call) = (format!("run-{}", number / 4), format!("call_{number:08}"));
        let args = CanonicalJson::parse(r#"{"command":"git push --force"}"#).unwrap();
        payload += run.len() + call.len() + "execute".len() + args.as_str().len() + "main".len();
        let call = ToolCall {
            run_id: run.into(),
            tool_call_id: call.into(),
            tool_name: "execute".into(),
            args,
            context: None,
        };
        let new = NewRequest {
            call,
            origin: ["main".into()].into(),
            description: None,
            allowed: DecisionKinds::ALL,
            timeout: Some(300_000),
            page: None,
            more: None,
            stored: None,
        };
        ids.push(gate.request(new).unwrap().request().id);
        gate.feed().drain(|_| true);
    }
    let each =
        (LIVE.load(Ordering::Relaxed) - before - payload - count * size_of::<uuid::Uuid>()) / count;
    let start = Instant::now();
    for id in &ids {
        gate.decide(
            *id,
            Decision::new(DecisionChoice::Approve, None),
            DecidingCaller { by: None, groups: Box::default(), via: DecisionChannel::Gate },
        )
        .unwrap();
    }
    eprintln!(
        "{each} bytes over the payload for each of {count} pending; a decision takes {:?}",
        start.elapsed() / u32::try_from(count).unwrap()
    );
    assert!(each <= 600, "{each} bytes each");
}
