//! `NativeGate`.

mod door;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use countersign_bridge::decision;
use countersign_bridge::envelope::envelope;
use countersign_bridge::record::{self, RecordText, RecordsText, RequestsText};
use countersign_bridge::request;
use countersign_core::gate::{Error, Gate, Wake};
use napi::bindgen_prelude::{Function, Object, spawn_blocking};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status};
use napi_derive::napi;

/// Not error-first, and weak: it never keeps the process alive.
type WakeFunction = ThreadsafeFunction<(), (), (), Status, false, true>;

use self::door::Door;

/// The gate of the core. Every change it makes is queued as an event until `drain`.
///
/// Over a ledger in memory it is a synchronous state machine. Over one that lasts, everything that may wait for a disk goes
/// through `call`, and the synchronous methods for it fail.
#[napi]
pub struct NativeGate {
    door: Arc<Door>,
}

#[napi]
impl NativeGate {
    /// Takes `{ ledger, cwd, key, readOnly, maxArgumentBytes, keepDecided, retainContentsMs, retainRecordsMs }`. A ledger that
    /// lasts is opened by the first call.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> napi::Result<Self> {
        // A constructor has no envelope to answer with.
        let door = Door::new(&options)
            .map_err(|error| napi::Error::new(Status::InvalidArg, error.to_string()))?;
        Ok(Self { door: Arc::new(door) })
    }

    /// Whether what is asked here outlives this process.
    #[napi(catch_unwind)]
    pub fn lasts(&self) -> bool {
        self.door.lasts()
    }

    /// The operation of this name, on a thread that is not JavaScript's: a JSON array of arguments to an envelope. Never
    /// rejects.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn call<'env>(
        &self, env: &'env Env, operation: String, payload: String,
    ) -> napi::Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred()?;
        let door = Arc::clone(&self.door);
        // Answered from where it was done: each thread in between would cost as much as a step of the ledger.
        spawn_blocking(move || {
            let answer = catch_unwind(AssertUnwindSafe(|| door.perform(&operation, &payload)));
            let answer = answer.unwrap_or_else(|_| internal("an operation on the ledger failed"));
            deferred.resolve(move |_| Ok(answer));
        });
        Ok(promise)
    }

    /// Whether the events of every process' requests are told of, or only of those made or watched here.
    #[napi(catch_unwind)]
    pub fn watch_all(&self, on: bool) {
        self.door.watch_all(on);
    }

    /// `wake` is called when events were queued by something other than a call of this class. Never keeps the process alive.
    #[napi(catch_unwind, ts_args_type = "wake: () => void")]
    pub fn on_wake(&self, wake: Function<(), ()>) -> napi::Result<()> {
        let wake: WakeFunction = wake.build_threadsafe_function::<()>().weak::<true>().build()?;
        let wake: Wake = Arc::new(move || {
            // Refused when the environment goes away: then nobody waits any more.
            wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        });
        self.door.feed().on_wake(Some(wake));
        Ok(())
    }

    /// `NativeRequest` to `ApprovalRecord`.
    #[napi(catch_unwind)]
    pub fn request(&self, request: String) -> String {
        envelope(
            request::new_request(&request)
                .and_then(|request| self.here()?.request(request))
                .map(RecordText),
        )
    }

    /// `ApprovalRecord | null`
    #[napi(catch_unwind)]
    pub fn get(&self, approval_id: String) -> String {
        envelope(match request::approval_id(&approval_id) {
            // What is no id of ours is the id of no request.
            Err(_) => Ok(None),
            Ok(id) => {
                self.here().and_then(|gate| gate.get(id)).map(|record| record.map(RecordText))
            }
        })
    }

    /// `ApprovalRecord[]`
    #[napi(catch_unwind)]
    pub fn find(&self, run_id: Option<String>, tool_call_id: String) -> String {
        envelope(
            self.here()
                .and_then(|gate| gate.find(run_id.as_deref(), &tool_call_id))
                .map(RecordsText),
        )
    }

    /// `ApprovalRequest[]`, oldest first.
    #[napi(catch_unwind)]
    pub fn pending(&self, run_id: Option<String>) -> String {
        envelope(self.here().and_then(|gate| gate.pending(run_id.as_deref())).map(RequestsText))
    }

    /// Any answer to `DecisionOutcome`.
    #[napi(catch_unwind)]
    pub fn parse_answer(&self, answer: String, tool_name: String) -> String {
        envelope(decision::parse_answer(&answer, &tool_name))
    }

    /// `DecisionOutcome` and `{ by, via, editedArgs? }` to `ApprovalRecord`.
    #[napi(catch_unwind)]
    pub fn decide(&self, approval_id: String, decision: String, meta: String) -> String {
        envelope(
            self.here()
                .and_then(|gate| decision::decide(gate, &approval_id, &decision, &meta))
                .map(RecordText),
        )
    }

    /// Cancels what this run still waits for and takes back what was approved but not started.
    #[napi(catch_unwind)]
    pub fn cancel_run(&self, run_id: String, reason: String, via: String) -> String {
        envelope(decision::via(&via).and_then(|via| self.here()?.cancel_run(&run_id, &reason, via)))
    }

    /// Takes back an approval that was not started: `boolean`.
    #[napi(catch_unwind)]
    pub fn revoke(&self, approval_id: String, reason: String) -> String {
        envelope(match request::approval_id(&approval_id) {
            Err(_) => Ok(false),
            Ok(id) => self.here().and_then(|gate| gate.revoke(id, &reason)),
        })
    }

    /// `{ toolName, args, context }` to `Claim`.
    #[napi(catch_unwind)]
    pub fn claim(&self, run_id: Option<String>, tool_call_id: String, call: String) -> String {
        let claim = self
            .here()
            .and_then(|gate| request::claim(gate, run_id.as_deref(), &tool_call_id, &call));
        envelope(claim)
    }

    /// Writes down how a started call ended.
    #[napi(catch_unwind)]
    pub fn settle(&self, approval_id: String, succeeded: bool) -> String {
        envelope(
            request::approval_id(&approval_id)
                .and_then(|id| self.here()?.settle(id, succeeded, None)),
        )
    }

    /// `GateEvent[]`: what happened since the last call, oldest first, at most 128 at a time.
    #[napi(catch_unwind)]
    pub fn drain(&self) -> String {
        envelope(record::drain(self.door.feed()))
    }

    /// Cancels what waits and refuses what comes; of a ledger that lasts use `call`.
    #[napi(catch_unwind)]
    pub fn close(&self, reason: String) -> String {
        let closed = self.here().and_then(|gate| gate.close(&reason));
        // The caller drains what this queued; nobody is woken any more.
        self.door.feed().on_wake(None);
        envelope(closed)
    }

    /// The gate, where it is a synchronous one.
    fn here(&self) -> Result<&Arc<Gate>, Error> {
        self.door.here()
    }
}

impl Drop for NativeGate {
    fn drop(&mut self) {
        // Released with the object that JavaScript held, not later with the deadline task that may just be looking.
        self.door.feed().on_wake(None);
    }
}

fn internal(message: &str) -> String {
    envelope::<()>(Err(Error::Internal(message.to_owned())))
}
