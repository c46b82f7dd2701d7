//! `NativePolicies`, and what is asked about policies that judge nothing.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use countersign_bridge::check::Batch;
use countersign_bridge::envelope::envelope;
use countersign_bridge::policies::{self as wire, calls, documents};
use countersign_bridge::verdict;
use countersign_bridge::{review, rights};
use countersign_core::gate::GateError;
use countersign_core::gate::policies::Policies;
use countersign_core::layers::project_root;
use countersign_core::path::{PathContext, RealFiles};
use countersign_core::preview;
use napi::bindgen_prelude::{AsyncTask, ClassInstance, Either};
use napi::{Env, Result, Task};
use napi_derive::napi;

/// Work that may look at files, for a thread that is not JavaScript's.
pub struct Blocking(Option<Box<dyn FnOnce() -> String + Send>>);

impl Blocking {
    fn new(work: impl FnOnce() -> String + Send + 'static) -> AsyncTask<Self> {
        AsyncTask::new(Self(Some(Box::new(work))))
    }
}

impl Task for Blocking {
    type Output = String;
    type JsValue = String;

    fn compute(&mut self) -> Result<String> {
        // A panic here would end the process: nothing above catches it.
        let work =
            self.0.take().map(|work| std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)));
        Ok(match work {
            Some(Ok(text)) => text,
            _ => envelope::<()>(Err(GateError::Internal("work on policies failed".to_owned()))),
        })
    }

    fn resolve(&mut self, _env: Env, output: String) -> Result<String> {
        Ok(output)
    }
}

/// Policies that judge.
///
/// What they are asked is an operation, `{ name: arguments }`, and the answer an envelope: `PolicyOperations` of `ts/wire.ts` has
/// them all.
#[napi]
pub struct NativePolicies {
    policies: std::result::Result<Arc<Policies>, Mutex<Option<GateError>>>,
}

#[napi]
impl NativePolicies {
    /// Takes `NativePolicyOptions`. Whether they can be read is what the first operation says.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> Self {
        Self {
            policies: wire::open(&options).map(Arc::new).map_err(|error| Mutex::new(Some(error))),
        }
    }

    /// Does what is asked: at once, or later where files may have to be looked at. Never rejects.
    #[napi(catch_unwind, ts_return_type = "string | Promise<string>")]
    pub fn call(&self, operation: String) -> Either<String, AsyncTask<Blocking>> {
        let policies = match self.get() {
            Ok(policies) => policies,
            Err(error) => return Either::A(envelope::<()>(Err(error))),
        };
        if let Some(answer) = calls::perform_at_once(policies, &operation) {
            return Either::A(answer);
        }
        let policies = Arc::clone(policies);
        Either::B(Blocking::new(move || calls::perform(&policies, &operation)))
    }

    /// Does what is asked at once: it waits for files where they must be looked at.
    #[napi(catch_unwind)]
    pub fn call_now(&self, operation: String) -> String {
        match self.get() {
            Ok(policies) => calls::perform(policies, &operation),
            Err(error) => envelope::<()>(Err(error)),
        }
    }
}

impl NativePolicies {
    /// Those of a list, in its order.
    pub(crate) fn all(
        list: &[ClassInstance<'_, Self>],
    ) -> std::result::Result<Vec<Arc<Policies>>, GateError> {
        list.iter().map(|policies| policies.get().cloned()).collect()
    }

    fn get(&self) -> std::result::Result<&Arc<Policies>, GateError> {
        self.policies.as_ref().map_err(|error| {
            let told = error.lock().unwrap_or_else(PoisonError::into_inner).take();
            told.unwrap_or_else(|| {
                GateError::InvalidConfig("the policies cannot be read".to_owned())
            })
        })
    }
}

/// Does what is asked about policies as they are written, at once: `DocumentOperations` of `ts/wire.ts`.
#[napi(catch_unwind)]
pub fn call_documents_now(operation: String) -> String {
    documents::perform(&operation)
}

/// The same on a thread that is not JavaScript's, for what looks at files. Never rejects.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn call_documents(operation: String) -> AsyncTask<Blocking> {
    Blocking::new(move || documents::perform(&operation))
}

/// What is to be asked next of a call, or its verdict: the text of `NativeCallParts`, with the policies that are to judge the call,
/// to an envelope of `NativeWeighed`. At once, or later where files have to be looked at. Never rejects.
#[napi(catch_unwind, ts_return_type = "string | Promise<string>")]
pub fn weigh_call(
    parts: String, policies: Vec<ClassInstance<'_, NativePolicies>>,
) -> Either<String, AsyncTask<Blocking>> {
    let policies = match NativePolicies::all(&policies) {
        Ok(policies) => policies,
        Err(error) => return Either::A(envelope::<()>(Err(error))),
    };
    match verdict::weigh_near(&parts, &policies) {
        Some(weighed) => Either::A(envelope(weighed)),
        None => Either::B(Blocking::new(move || envelope(verdict::weigh(&parts, &policies)))),
    }
}

/// Whether who met the needs of one request met those of another: the text of `ComparedNeeds` to an envelope of `boolean`.
#[napi(catch_unwind)]
pub fn covers_needs(needs: String) -> String {
    envelope(verdict::covers(&needs))
}

/// What a reviewer's answer does: the text of `NativeReviewParts` to an envelope of `NativeReview`.
#[napi(catch_unwind)]
pub fn weigh_review(parts: String) -> String {
    envelope(review::weigh(&parts))
}

/// What a person may decide of a request that waits: the text of `NativeWaiting` to an envelope of `NativeRights`.
#[napi(catch_unwind)]
pub fn person_rights(waiting: String) -> String {
    envelope(rights::rights(&waiting))
}

/// One line of `countersign policy check --batch` to one line. Looks at files.
#[napi(catch_unwind)]
pub fn check_line(line: String) -> String {
    static BATCH: OnceLock<Mutex<Batch>> = OnceLock::new();
    let batch = BATCH.get_or_init(|| Mutex::new(Batch::new(here(), documents::project_of)));
    batch.lock().unwrap_or_else(PoisonError::into_inner).check_line(&line, &RealFiles)
}

/// One line of `countersign preview --batch` to one line.
#[napi(catch_unwind)]
pub fn preview_line(line: String) -> String {
    preview::preview_line(&line)
}

/// Any text made safe to show, both ends of a long one kept.
#[napi(catch_unwind)]
pub fn safe_text(text: String) -> String {
    const END: usize = 2_000;
    preview::text(&text, END)
}

/// Where this process is.
fn here() -> PathContext {
    let cwd = std::env::current_dir().ok();
    let project = cwd.as_deref().map(project_root);
    let text = |path: Option<std::path::PathBuf>| {
        path.and_then(|path| path.into_os_string().into_string().ok())
    };
    PathContext {
        cwd: text(cwd).unwrap_or_else(|| "/".to_owned()),
        home: std::env::var("HOME").ok().or_else(|| std::env::var("USERPROFILE").ok()),
        project: text(project),
        project_as: None,
        own: Vec::new(),
    }
}
