//! `NativeGate`.

mod lazy_gate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use countersign_bridge::envelope::envelope;
use countersign_bridge::operation::{Host, PerformedOperation, ReadyOperation};
use countersign_core::gate::{GateError, WakeCallback};
use napi::bindgen_prelude::{ClassInstance, Either, Function, Object, spawn_blocking};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status};
use napi_derive::napi;

use self::lazy_gate::{GateAtOnce, LazyGate};
use crate::policies::NativePolicies;

/// Not error-first, and weak: it never keeps the process alive.
type WakeFunction = ThreadsafeFunction<(), (), (), Status, false, true>;

/// The gate of the core. The answer of what changes requests brings the events of it: `{ ok, events }`. What happens otherwise is
/// queued until the next such answer, or `drain`.
///
/// What it is asked is an operation, `{ name: arguments }`, and the answer an envelope: `Operations` of `ts/wire.ts` has them
/// all. Over a ledger in memory it is a synchronous state machine. Over a durable one, everything that may wait for a disk goes
/// through `call`.
#[napi]
pub struct NativeGate {
    gate: Arc<LazyGate>,
}

#[napi]
impl NativeGate {
    /// Takes `NativeGateOptions`. A durable ledger is opened by the first call.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> napi::Result<Self> {
        // A constructor has no envelope to answer with.
        let gate = LazyGate::new(&options)
            .map_err(|error| napi::Error::new(Status::InvalidArg, error.to_string()))?;
        Ok(Self { gate: Arc::new(gate) })
    }

    /// Does what is asked, with the policies that have a say about its call: those of the gate first, then those of the runs that the
    /// call is a part of. In memory at once, or later where files must be looked at; over a durable ledger later, on a thread that is
    /// not JavaScript's. Never rejects. What happened is taken when JavaScript is told the answer, so that its order is that of the
    /// answers.
    #[napi(catch_unwind, ts_return_type = "string | Promise<string>")]
    pub fn call<'env>(
        &self, env: &'env Env, operation: String,
        policies: Option<Vec<ClassInstance<'env, NativePolicies>>>,
    ) -> napi::Result<Either<String, Object<'env>>> {
        let policies = match NativePolicies::all(&policies.unwrap_or_default()) {
            Ok(policies) => policies,
            Err(error) => return Ok(Either::A(envelope::<()>(Err(error)))),
        };
        let gate = Arc::clone(&self.gate);
        if !gate.is_durable()
            && let Some(operation) = ReadyOperation::near(&operation, &policies)
        {
            return Ok(Either::A(operation.perform_now(&GateAtOnce(&gate))));
        }
        let (deferred, promise) = env.create_deferred()?;
        // Answered from where it was done: each thread in between would cost as much as a step of the ledger.
        spawn_blocking(move || {
            let done = catch_unwind(AssertUnwindSafe(|| {
                let operation = ReadyOperation::new(&operation, &policies);
                if gate.is_durable() {
                    OffThread::Performed(operation.perform(&*gate))
                } else {
                    OffThread::Ready(Box::new(operation))
                }
            }));
            let done = done.unwrap_or_else(|_| OffThread::Performed(failed()));
            deferred.resolve(move |_| {
                let answer = catch_unwind(AssertUnwindSafe(|| match done {
                    OffThread::Performed(done) => done.with_events(gate.feed()),
                    OffThread::Ready(operation) => operation.perform_now(&GateAtOnce(&gate)),
                }));
                Ok(answer.unwrap_or_else(|_| failed().with_events(gate.feed())))
            });
        });
        Ok(Either::B(promise))
    }

    /// Does what is asked at once. Fails for what may have to wait for a disk. In memory the answer brings the events of what
    /// was done, as `drain` would give them next.
    #[napi(catch_unwind)]
    pub fn call_now(&self, operation: String) -> String {
        ReadyOperation::new(&operation, &[]).perform_now(&GateAtOnce(&self.gate))
    }

    /// `wake` is called when events were queued by something other than a call of this class. Never keeps the process alive.
    #[napi(catch_unwind, ts_args_type = "wake: () => void")]
    pub fn on_wake(&self, wake: Function<(), ()>) -> napi::Result<()> {
        let wake: WakeFunction = wake.build_threadsafe_function::<()>().weak::<true>().build()?;
        let wake: WakeCallback = Arc::new(move || {
            // Refused when the environment goes away: then no JavaScript waits any more.
            wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        });
        self.gate.feed().on_wake(Some(wake));
        Ok(())
    }
}

/// What was done on a thread that is not JavaScript's.
enum OffThread {
    /// All of it.
    Performed(PerformedOperation),
    /// What had to wait for files. In memory all that happens happens on JavaScript's thread.
    Ready(Box<ReadyOperation>),
}

/// A panic must not end the process.
fn failed() -> PerformedOperation {
    PerformedOperation::failed(GateError::Internal("an operation on the ledger failed".to_owned()))
}

impl Drop for NativeGate {
    fn drop(&mut self) {
        // Released with the object that JavaScript held, not later with the deadline task that may just be looking.
        self.gate.feed().on_wake(None);
    }
}
