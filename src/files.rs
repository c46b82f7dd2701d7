//! `NativeFiles`, and `Cancellation`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use countersign_bridge::envelope::envelope;
use countersign_bridge::files;
use countersign_core::files::{CancelFlag, FileRoot};
use countersign_core::gate::GateError;
use napi::bindgen_prelude::{Object, spawn_blocking};
use napi::{Env, Result, Status};
use napi_derive::napi;

/// Says that work is no longer wanted.
#[napi]
#[derive(Default)]
pub struct Cancellation(CancelFlag);

#[napi]
impl Cancellation {
    /// For any number of calls.
    #[napi(constructor, catch_unwind)]
    pub fn new() -> Self {
        Self::default()
    }

    /// They end as soon as they can, unless they are done.
    #[napi(catch_unwind)]
    pub fn cancel(&self) {
        self.0.cancel();
    }
}

/// The files below one folder, which is held open.
#[napi]
pub struct NativeFiles {
    root: Arc<FileRoot>,
}

#[napi]
impl NativeFiles {
    /// Takes `{ root, maxFileBytes }`.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> Result<Self> {
        // A constructor has no envelope to answer with.
        let root = files::open(&options)
            .map_err(|error| napi::Error::new(Status::InvalidArg, error.to_string()))?;
        Ok(Self { root: Arc::new(root) })
    }

    /// Does what is asked on a thread that is not JavaScript's: one of `FileOperations` of `ts/wire.ts`, to an envelope. Never
    /// rejects.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn call<'env>(
        &self, env: &'env Env, operation: String, cancellation: &Cancellation,
    ) -> Result<Object<'env>> {
        let (deferred, promise) = env.create_deferred()?;
        let (root, cancel) = (Arc::clone(&self.root), cancellation.0.clone());
        spawn_blocking(move || {
            let answer =
                catch_unwind(AssertUnwindSafe(|| files::perform(&root, &operation, &cancel)));
            let answer = answer.unwrap_or_else(|_| {
                envelope::<()>(Err(GateError::Internal("work on files failed".to_owned())))
            });
            deferred.resolve(move |_| Ok(answer));
        });
        Ok(promise)
    }
}
