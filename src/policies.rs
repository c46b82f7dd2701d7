//! `NativePolicies`, and the functions of policies that judge nothing.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use countersign_bridge::check::Batch;
use countersign_bridge::envelope::envelope;
use countersign_bridge::policies as wire;
use countersign_core::gate::Error;
use countersign_core::gate::policies::Policies;
use countersign_core::layers::{LayerFiles, Trust, Trusted, project_root};
use countersign_core::path::{RealFiles, Where};
use countersign_core::policy::document::settings;
use countersign_core::preview;
use napi::bindgen_prelude::{AsyncTask, Either};
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
        // A panic here would end the process: there is nobody above that catches it.
        let work =
            self.0.take().map(|work| std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)));
        Ok(match work {
            Some(Ok(text)) => text,
            _ => envelope::<()>(Err(Error::Internal("work on policies failed".to_owned()))),
        })
    }

    fn resolve(&mut self, _env: Env, output: String) -> Result<String> {
        Ok(output)
    }
}

/// Policies that judge. Synchronous methods answer from what is known; those that look at files return promises.
#[napi]
pub struct NativePolicies {
    policies: std::result::Result<Arc<Policies>, Mutex<Option<Error>>>,
}

#[napi]
impl NativePolicies {
    /// Takes `{ documents, files, cwd, project, home }`. Whether they can be read is what `status` says.
    #[napi(constructor, catch_unwind)]
    pub fn new(options: String) -> Self {
        Self {
            policies: wire::open(&options).map(Arc::new).map_err(|error| Mutex::new(Some(error))),
        }
    }

    /// `null`, or what is wrong with the policies.
    #[napi(catch_unwind)]
    pub fn status(&self) -> String {
        envelope(self.get().map(|_| ()))
    }

    /// `NativeCall` to `NativeJudged`: at once, or later where files must be looked at.
    #[napi(catch_unwind, ts_return_type = "string | Promise<string>")]
    pub fn judge(&self, call: String) -> Either<String, AsyncTask<Blocking>> {
        match self.get().and_then(|policies| wire::judge(policies, &call)) {
            Ok(None) => Either::B(
                self.blocking(move |policies| envelope(wire::judge_with_files(policies, &call))),
            ),
            judged => Either::A(envelope(judged)),
        }
    }

    /// What a human is shown: at once, or later where files must be looked at.
    #[napi(catch_unwind, ts_return_type = "string | Promise<string>")]
    pub fn show(&self, call: String) -> Either<String, AsyncTask<Blocking>> {
        match self.get().and_then(|policies| wire::show(policies, &call)) {
            Ok(None) => Either::B(
                self.blocking(move |policies| envelope(wire::show_with_files(policies, &call))),
            ),
            shown => Either::A(envelope(shown)),
        }
    }

    /// What a human is shown, at once: blocks where files must be looked at.
    #[napi(catch_unwind)]
    pub fn show_now(&self, call: String) -> String {
        envelope(self.get().and_then(|policies| wire::show_now(policies, &call)))
    }

    /// The explanation as text.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn explain(&self, call: String) -> AsyncTask<Blocking> {
        self.blocking(move |policies| envelope(wire::explain(policies, &call)))
    }

    /// The numbers of the conditions of rules for this tool: `number[]`.
    #[napi(catch_unwind)]
    pub fn conditions(&self, tool_name: String) -> String {
        envelope(self.get().map(|policies| policies.conditions(&tool_name)))
    }

    /// `{ cwd, policy, shell }`
    #[napi(catch_unwind)]
    pub fn context(&self, tool_name: String) -> String {
        envelope(self.get().map(|policies| policies.context(&tool_name)))
    }

    /// `{ path, before }[]` to `{ problems, changed }`.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn refresh(&self, files: String) -> AsyncTask<Blocking> {
        self.blocking(move |policies| envelope(wire::refresh(policies, &files)))
    }

    /// `string[]` to `string[]`
    #[napi(catch_unwind)]
    pub fn hidden(&self, tool_names: String) -> String {
        envelope(self.get().and_then(|policies| wire::hidden(policies, &tool_names)))
    }

    /// `string | null`
    #[napi(catch_unwind)]
    pub fn forbids(&self, mode: String) -> String {
        envelope(self.get().and_then(|policies| wire::forbids(policies, &mode)))
    }

    /// `number`
    #[napi(catch_unwind)]
    pub fn grant_count(&self) -> String {
        envelope(self.get().map(|policies| policies.grant_count()))
    }

    /// `Grant` without an id to `Grant`.
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn grant(&self, grant: String) -> AsyncTask<Blocking> {
        self.blocking(move |policies| envelope(wire::grant(policies, &grant)))
    }

    /// `Grant[]`
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn grants(&self, now: f64) -> AsyncTask<Blocking> {
        self.blocking(move |policies| envelope(wire::grants(policies, now)))
    }

    /// `boolean`
    #[napi(catch_unwind, ts_return_type = "Promise<string>")]
    pub fn revoke(&self, id: String) -> AsyncTask<Blocking> {
        self.blocking(move |policies| envelope(wire::revoke(policies, &id)))
    }

    /// Forgets what was granted for a run.
    #[napi(catch_unwind)]
    pub fn end_run(&self, run_id: String) -> String {
        envelope(self.get().map(|policies| policies.end_run(&run_id)))
    }
}

impl NativePolicies {
    fn get(&self) -> std::result::Result<&Arc<Policies>, Error> {
        self.policies.as_ref().map_err(|error| {
            let told = error.lock().unwrap_or_else(PoisonError::into_inner).take();
            told.unwrap_or_else(|| Error::InvalidConfig("the policies cannot be read".to_owned()))
        })
    }

    fn blocking(
        &self, work: impl FnOnce(&Policies) -> String + Send + 'static,
    ) -> AsyncTask<Blocking> {
        let policies = self.get().map(Arc::clone);
        Blocking::new(move || match policies {
            Ok(policies) => work(&policies),
            Err(error) => envelope::<()>(Err(error)),
        })
    }
}

/// Fails unless these documents can be read: `NativeDocument[]`.
#[napi(catch_unwind)]
pub fn check_documents(documents: String) -> String {
    envelope(wire::check_documents(&documents))
}

/// `{ documents, toolNames }` to `PolicyFinding[]`.
#[napi(catch_unwind)]
pub fn lint_documents(request: String) -> String {
    envelope(wire::lint_documents(&request))
}

/// Another product's rules: `{ toml, losses }`.
#[napi(catch_unwind)]
pub fn import_document(format: String, text: String, name: String) -> String {
    envelope(wire::import_document(&format, &text, &name))
}

/// One line of `countersign policy check --batch` to one line. Looks at files.
#[napi(catch_unwind)]
pub fn check_line(line: String) -> String {
    static BATCH: OnceLock<Mutex<Batch>> = OnceLock::new();
    let batch = BATCH.get_or_init(|| Mutex::new(Batch::new(here(), project_of)));
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

/// The text of a preset: `string | null`.
#[napi(catch_unwind)]
pub fn preset_text(name: String) -> String {
    envelope(Ok(countersign_core::layers::preset(&name)))
}

/// The values of a TOML text, each with its place: `{ settings } | { problem }`.
#[napi(catch_unwind)]
pub fn read_settings(toml: String) -> String {
    envelope(Ok(match settings(&toml) {
        Ok(settings) => serde_json::json!({ "settings": settings }),
        Err(problem) => serde_json::json!({ "problem": problem }),
    }))
}

/// The project that this directory is in: `string`.
#[napi(catch_unwind)]
pub fn project_directory(directory: String) -> String {
    envelope(Ok(project_of(&directory)))
}

/// Trusts the policy of the project that this directory is in: `{ path, hash }`.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn trust(directory: String) -> AsyncTask<Blocking> {
    Blocking::new(move || {
        envelope(in_project(&directory, |trust, policy| trust.trust(policy, None)))
    })
}

/// `boolean`: whether it was trusted.
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn untrust(directory: String) -> AsyncTask<Blocking> {
    Blocking::new(move || envelope(in_project(&directory, |trust, policy| trust.untrust(policy))))
}

/// `{ path, hash }[]`
#[napi(catch_unwind, ts_return_type = "Promise<string>")]
pub fn trusted() -> AsyncTask<Blocking> {
    Blocking::new(|| {
        let all = in_project(".", |trust, _| trust.trusted());
        envelope::<Vec<Trusted>>(all)
    })
}

fn in_project<T>(
    directory: &str,
    work: impl FnOnce(
        &Trust,
        &std::path::Path,
    ) -> std::result::Result<T, countersign_core::layers::TrustError>,
) -> std::result::Result<T, Error> {
    let directory = std::path::absolute(directory)
        .map_err(|error| Error::InvalidConfig(format!("{directory}: {error}")))?;
    let files = LayerFiles::usual(&project_root(&directory));
    match (files.trust, files.project) {
        (Some(trust), Some(policy)) => work(&Trust::new(trust), &policy)
            .map_err(|error| Error::InvalidConfig(error.to_string())),
        _ => {
            Err(Error::InvalidConfig("there is no place for the user's files: set HOME".to_owned()))
        }
    }
}

fn project_of(cwd: &str) -> String {
    project_root(std::path::Path::new(cwd)).to_str().unwrap_or(cwd).to_owned()
}

/// Where this process is.
fn here() -> Where {
    let cwd = std::env::current_dir().ok();
    let project = cwd.as_deref().map(project_root);
    let text = |path: Option<std::path::PathBuf>| {
        path.and_then(|path| path.into_os_string().into_string().ok())
    };
    Where {
        cwd: text(cwd).unwrap_or_else(|| "/".to_owned()),
        home: std::env::var("HOME").ok().or_else(|| std::env::var("USERPROFILE").ok()),
        project: text(project),
        own: Vec::new(),
    }
}
