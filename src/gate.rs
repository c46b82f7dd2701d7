//! `NativeGate`.

use std::sync::Arc;

use countersign_core::gate::wire::{
    self, ClaimText, RecordText, RecordsText, RequestsText, envelope,
};
use countersign_core::gate::{Gate, NewRequest, Options, SystemClock, Wake};
use napi::Status;
use napi::bindgen_prelude::{Function, spawn};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;

/// Not error-first, and weak: it never keeps the process alive.
type WakeFunction = ThreadsafeFunction<(), (), (), Status, false, true>;

/// The gate of the core: a synchronous state machine. Every change it makes is queued as an event until `drain`.
#[napi]
pub struct NativeGate {
    gate: Arc<Gate>,
}

#[napi]
impl NativeGate {
    /// Takes `{ maxArgumentBytes, keepDecided }`.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> napi::Result<Self> {
        // A constructor has no envelope to answer with.
        let options = Options::from_text(&options)
            .map_err(|error| napi::Error::new(Status::InvalidArg, error.to_string()))?;
        let spawn = Box::new(|task| drop(spawn(task)));
        Ok(Self { gate: Gate::new(options, Box::new(SystemClock::new()), spawn) })
    }

    /// `wake` is called when events were queued by something other than a call of this class. Never keeps the process alive.
    #[napi(catch_unwind, ts_args_type = "wake: () => void")]
    pub fn on_wake(&self, wake: Function<(), ()>) -> napi::Result<()> {
        let wake: WakeFunction = wake.build_threadsafe_function::<()>().weak::<true>().build()?;
        let wake: Wake = Arc::new(move || {
            // Refused when the environment goes away: then nobody waits any more.
            wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        });
        self.gate.on_wake(Some(wake));
        Ok(())
    }

    /// `NativeRequest` to `ApprovalRecord`.
    #[napi(catch_unwind)]
    pub fn request(&self, request: String) -> String {
        envelope(
            NewRequest::from_text(&request)
                .and_then(|request| self.gate.request(request))
                .map(RecordText),
        )
    }

    /// `ApprovalRecord | null`
    #[napi(catch_unwind)]
    pub fn get(&self, approval_id: String) -> String {
        envelope(match wire::approval_id(&approval_id) {
            // What is no id of ours is the id of no request.
            Err(_) => Ok(None),
            Ok(id) => self.gate.get(id).map(|record| record.map(RecordText)),
        })
    }

    /// `ApprovalRecord[]`
    #[napi(catch_unwind)]
    pub fn find(&self, run_id: Option<String>, tool_call_id: String) -> String {
        envelope(self.gate.find(run_id.as_deref(), &tool_call_id).map(RecordsText))
    }

    /// `ApprovalRequest[]`, oldest first.
    #[napi(catch_unwind)]
    pub fn pending(&self, run_id: Option<String>) -> String {
        envelope(self.gate.pending(run_id.as_deref()).map(RequestsText))
    }

    /// Any answer to `DecisionOutcome`.
    #[napi(catch_unwind)]
    pub fn parse_answer(&self, answer: String, tool_name: String) -> String {
        envelope(wire::parse_answer(&answer, &tool_name))
    }

    /// `DecisionOutcome` and `{ by, via, editedArgs? }` to `ApprovalRecord`.
    #[napi(catch_unwind)]
    pub fn decide(&self, approval_id: String, decision: String, meta: String) -> String {
        envelope(wire::decide(&self.gate, &approval_id, &decision, &meta).map(RecordText))
    }

    /// Cancels what this run still waits for and takes back what was approved but not started.
    #[napi(catch_unwind)]
    pub fn cancel_run(&self, run_id: String, reason: String, via: String) -> String {
        envelope(wire::via(&via).and_then(|via| self.gate.cancel_run(&run_id, &reason, via)))
    }

    /// Takes back an approval that was not started: `boolean`.
    #[napi(catch_unwind)]
    pub fn revoke(&self, approval_id: String, reason: String) -> String {
        envelope(match wire::approval_id(&approval_id) {
            Err(_) => Ok(false),
            Ok(id) => self.gate.revoke(id, &reason),
        })
    }

    /// `{ toolName, args, context }` to `Claim`.
    #[napi(catch_unwind)]
    pub fn claim(&self, run_id: Option<String>, tool_call_id: String, call: String) -> String {
        let claim = wire::claim(&self.gate, run_id.as_deref(), &tool_call_id, &call);
        envelope(claim.map(ClaimText::from))
    }

    /// Writes down how a started call ended.
    #[napi(catch_unwind)]
    pub fn settle(&self, approval_id: String, succeeded: bool) -> String {
        envelope(wire::approval_id(&approval_id).and_then(|id| self.gate.settle(id, succeeded)))
    }

    /// `GateEvent[]`: what happened since the last call, oldest first, at most 128 at a time.
    #[napi(catch_unwind)]
    pub fn drain(&self) -> String {
        envelope(wire::drain(&self.gate))
    }

    /// Cancels what waits and refuses what comes.
    #[napi(catch_unwind)]
    pub fn close(&self, reason: String) -> String {
        let closed = self.gate.close(&reason);
        // The caller drains what this queued; nobody is woken any more.
        self.gate.on_wake(None);
        envelope(closed)
    }
}

impl Drop for NativeGate {
    fn drop(&mut self) {
        // Released with the object that JavaScript held, not later with the deadline task that may just be looking.
        self.gate.on_wake(None);
    }
}
