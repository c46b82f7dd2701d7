//! The policies of one gate or run, at work: which files count, what was granted, and the verdicts.
//!
//! A verdict is tried first without the file system, but for a few looks at what is near ([`NearFiles`]). What needs more
//! ([`NeedsFiles`]) is done again by a caller that may block.

mod book;
mod call;
mod proposal;
mod show;
mod staleness;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

pub use book::{Grant, GrantDuration};
use book::{GrantBook, GrantFile, GrantSnapshot};
use call::told;
pub use call::{GrantUse, PolicyCall, code_source};
pub use proposal::{AskedCall, LeftOutOffer, PolicyProposal, ProposedOffer, SavedOffer};
pub use show::{AlwaysOffer, ProvenCall, ShownCall, ShownFile};
pub use staleness::context_change;

use crate::call::Json;
use crate::layers::{
    self, CodePolicy, LayerFiles, LayerProblem, LayerSnapshot, LayersOptions, PolicyLayers,
};
use crate::path::{CachedFiles, FileLookup, NearFiles, NoFiles, PathContext, RealFiles};
use crate::policy::document::{
    DocumentError, DocumentFormat, PolicyDocument, PolicyMode, PolicySource, load,
};
use crate::policy::{
    Effect, FileOpener, NeedsFiles, NetworkReach, Policy, SealedFiles, SealedLook, Verdict,
    VerdictCause, denies_all_of, explain, judge, rule_names, sealed, suggest, suggest_reject,
};
use crate::preview::{self, FileChange};

/// Which policy files of the machine count beside those that the program gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MachinePolicies {
    /// None.
    None,
    /// The administrator's.
    Managed,
    /// The administrator's, the user's and the project's.
    All,
}

/// What policies are made with.
#[derive(Debug, Clone)]
pub struct PolicyOptions {
    /// What the program gives.
    pub code: Vec<CodePolicy>,
    /// What is read beside it.
    pub machine: MachinePolicies,
    /// Where relative paths start. Absolute.
    pub cwd: String,
    /// What `${project}` means; `None`: looked for from `cwd` upward.
    pub project: Option<String>,
    /// What `~` means.
    pub home: String,
    /// Files that ask unless a rule names them, such as the gate's ledger. Absolute.
    pub own: Vec<String>,
}

/// What "always" is to answer for.
#[derive(Debug, Clone, Copy, Default)]
pub struct OfferOptions {
    /// Something beside the policies asks: the whole call.
    pub floor: bool,
    /// As where there are no rules: these are those of a run, and its gate, which has none, remembers.
    pub unruled: bool,
}

/// Policies, kept up to date.
#[derive(Debug)]
pub struct Policies {
    options: PolicyOptions,
    code: Vec<PolicyDocument>,
    layers: OnceLock<PolicyLayers>,
    ready: RwLock<Option<Arc<ReadyPolicies>>>,
    /// For policies that say nothing: what can be told of a call without any file.
    bare: OnceLock<Option<Arc<ReadyPolicies>>>,
    book: Mutex<GrantBook>,
    /// Why the user's file of grants cannot be read, as it was last told.
    grants_fault: Mutex<GrantsFault>,
}

/// What is wrong with the user's file of grants, and whether that was told.
#[derive(Debug)]
struct GrantsFault {
    problem: Option<LayerProblem>,
    told: bool,
}

/// What is known beside the rules when a call is shown.
struct ShownBeside {
    has_rules: bool,
    grants: GrantSnapshot,
}

/// One state of the layers, ready to judge with.
#[derive(Debug)]
struct ReadyPolicies {
    snapshot: Arc<LayerSnapshot>,
    policy: Policy,
    context: PathContext,
    /// Where the path of the project led when they were read.
    project_is: Option<String>,
    read_only: OnceLock<Option<Policy>>,
    /// Allows the files of the project, but for those that run later or hold secrets.
    own_files: OnceLock<Option<Policy>>,
    /// No rules, for what a gate without any would offer to remember; made when it is first needed.
    unruled: OnceLock<Option<Policy>>,
}

impl Policies {
    /// Policies that are not read yet, but for those that the program gives.
    ///
    /// # Errors
    /// What is wrong with these.
    pub fn new(options: PolicyOptions) -> Result<Self, Vec<DocumentError>> {
        let read =
            |CodePolicy { name, format, text }: &CodePolicy| load(text, *format, code_source(name));
        let code = options.code.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self {
            options,
            code,
            layers: OnceLock::new(),
            ready: RwLock::new(None),
            bare: OnceLock::new(),
            book: Mutex::new(GrantBook::default()),
            grants_fault: Mutex::new(GrantsFault { problem: None, told: true }),
        })
    }

    /// What they say, as far as that can be told by what is near.
    ///
    /// # Errors
    /// [`NeedsFiles`]: ask [`Policies::judge_with_files`].
    pub fn judge(&self, call: &PolicyCall) -> Result<Verdict, NeedsFiles> {
        self.near(|ready, files| ready.judge(call, files))
    }

    /// What a human who is asked is shown, as far as that can be told by what is near.
    ///
    /// # Errors
    /// [`NeedsFiles`]: ask [`Policies::show_with_files`].
    pub fn show(&self, call: &PolicyCall, offers: OfferOptions) -> Result<ShownCall, NeedsFiles> {
        if preview::file_of(&call.tool_name, &call.args).is_some() {
            return Err(NeedsFiles);
        }
        let beside = self.beside(call);
        self.near(|ready, files| ready.show(call, offers, Vec::new(), &beside, files))
    }

    /// What a human who is asked is shown. Blocks.
    pub fn show_with_files(
        &self, call: &PolicyCall, offers: OfferOptions,
    ) -> Result<ShownCall, String> {
        let files = CachedFiles::new(&RealFiles);
        let changes = show::changes(&call.tool_name, &call.args, &self.options.cwd);
        self.current()?
            .show(call, offers, changes, &self.beside(call), &files)
            .map_err(|error| error.to_string())
    }

    fn beside(&self, call: &PolicyCall) -> ShownBeside {
        ShownBeside { has_rules: self.has_rules(), grants: self.book().answers(call) }
    }

    /// Which of these files are no longer what was seen. Blocks.
    pub fn changed<'a>(&self, seen: impl Iterator<Item = ShownFile<'a>>) -> Vec<String> {
        show::changed(seen, &self.options.cwd)
    }

    /// What they say. Blocks.
    pub fn judge_with_files(&self, call: &PolicyCall) -> Verdict {
        let files = CachedFiles::new(&RealFiles);
        let judged = self
            .current()
            .and_then(|ready| ready.judge(call, &files).map_err(|error| error.to_string()));
        judged.unwrap_or_else(Verdict::refuse)
    }

    /// The policies that count now, and what is wrong with their files. Blocks.
    ///
    /// # Errors
    /// When what the program gives cannot be read.
    pub fn layers(&self) -> Result<Arc<LayerSnapshot>, String> {
        Ok(Arc::clone(&self.current()?.snapshot))
    }

    /// Which files below the current folder, and below these, a command that runs unasked must not reach. Blocks.
    ///
    /// # Errors
    /// When the policies cannot be read.
    pub fn sealed(&self, more: &[String], opener: FileOpener<'_>) -> Result<SealedFiles, String> {
        let files = CachedFiles::new(&RealFiles);
        let policy = &self.current()?.policy;
        let homes = std::slice::from_ref(&self.options.home);
        let look = SealedLook { root: &self.options.cwd, more, homes, opener };
        Ok(sealed(policy, &look, &files))
    }

    /// What a confined command reaches of the network; `None`: no policy says anything of that. Blocks.
    ///
    /// # Errors
    /// When the policies cannot be read.
    pub fn network(&self) -> Result<Option<NetworkReach>, String> {
        Ok(self.current()?.policy.network().cloned())
    }

    /// What the `read-only` preset says. Blocks where `blocking`.
    pub fn judge_read_only(
        &self, call: &PolicyCall, blocking: bool,
    ) -> Result<Verdict, NeedsFiles> {
        if blocking {
            let files = CachedFiles::new(&RealFiles);
            let ready = match self.current() {
                Ok(ready) => ready,
                Err(reason) => return Ok(Verdict::refuse(reason)),
            };
            return ready.judge_read_only(call, &files);
        }
        self.near(|ready, files| ready.judge_read_only(call, files))
    }

    /// Looks at the policy files again. What is wrong with them, when one of them changed. Blocks.
    pub fn refresh(&self) -> Option<Vec<LayerProblem>> {
        let before = self.state();
        let after = self.current().ok()?;
        let changed = match before {
            None => !after.snapshot.problems.is_empty(),
            Some(before) => before.snapshot != after.snapshot,
        };
        changed.then(|| self.all_problems(&after.snapshot))
    }

    /// What is wrong with the files, where that of the user's grants was not told yet. Blocks.
    pub fn untold_problems(&self) -> Option<Vec<LayerProblem>> {
        let is_told = std::mem::replace(&mut self.grants_fault().told, true);
        let ready = (!is_told).then(|| self.current().ok()).flatten()?;
        Some(self.all_problems(&ready.snapshot))
    }

    /// What is wrong with the files of the policies and of the user's grants. Blocks.
    ///
    /// # Errors
    /// When what the program gives cannot be read.
    pub fn problems(&self) -> Result<Vec<LayerProblem>, String> {
        let ready = self.current()?;
        self.read_grants(&ready.context);
        Ok(self.all_problems(&ready.snapshot))
    }

    fn all_problems(&self, snapshot: &LayerSnapshot) -> Vec<LayerProblem> {
        snapshot.problems.iter().chain(&self.grants_fault().problem).cloned().collect()
    }

    fn grants_fault(&self) -> std::sync::MutexGuard<'_, GrantsFault> {
        self.grants_fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `{ cwd, project, policy, shell }`: what an approval of a call of this tool is bound to. `policy` is `null` until they are
    /// read. Where `${project}` is told by a symlink, `projectIs` says where that led.
    pub fn context(&self, tool_name: &str) -> Json {
        let ready = self.state();
        let policy =
            ready.as_ref().map_or(Json::Null, |ready| Json::String(ready.snapshot.hash.clone()));
        let shell = ready.as_ref().and_then(|ready| {
            let stated =
                |document: &Arc<PolicyDocument>| document.tools.get(tool_name)?.value.shell.clone();
            ready.snapshot.documents.iter().find_map(stated)
        });
        let known = ready.as_ref().and_then(|ready| ready.context.project.clone());
        let project = known.unwrap_or_else(|| self.project());
        let is = ready.as_ref().and_then(|ready| ready.project_is.clone());
        let mut context = BTreeMap::from([
            ("cwd".to_owned(), Json::String(self.options.cwd.clone())),
            ("policy".to_owned(), policy),
            ("shell".to_owned(), shell.map_or(Json::Null, Json::String)),
        ]);
        if let Some(is) = is.filter(|is| *is != project) {
            context.insert("projectIs".to_owned(), Json::String(is));
        }
        context.insert("project".to_owned(), Json::String(project));
        Json::Object(context)
    }

    /// The grant that answers this call, as far as that can be told by what is near.
    ///
    /// # Errors
    /// [`NeedsFiles`]: ask [`Policies::granted_with_files`].
    pub fn granted(&self, call: &PolicyCall, floor: bool) -> Result<Option<Grant>, NeedsFiles> {
        if self.book().count() == 0 && self.grant_file().is_none() {
            return Ok(None);
        }
        let find = || self.near(|ready, files| self.granted_by(ready, call, floor, files));
        // Those of the user's file are only looked at by those who may block.
        used(call, find, |grant| Ok(self.book().use_up(grant.id)))
    }

    /// The grant that answers this call. Blocks.
    pub fn granted_with_files(&self, call: &PolicyCall, floor: bool) -> Option<Grant> {
        let files = CachedFiles::new(&RealFiles);
        let ready = self.current().ok()?;
        self.read_grants(&ready.context);
        let find =
            || self.granted_by(&ready, call, floor, &files).map_err(|error| error.to_string());
        // What cannot be counted answers nothing: the human is asked.
        used(call, find, |grant| self.use_up(grant, &ready.context)).ok().flatten()
    }

    /// Uses a grant with `times` once, over all processes. `false`: others were faster, and it is gone here as well.
    fn use_up(&self, grant: &Grant, context: &PathContext) -> Result<bool, String> {
        if grant.scope != GrantDuration::Always {
            return Ok(self.book().use_up(grant.id));
        }
        let file = self.grant_file().ok_or("there is no place for the user's files: set HOME")?;
        let mut used = false;
        let kept = file.change(|grants| used = book::used_once(grants, grant.id))?;
        self.book().take_over(kept, context);
        Ok(used)
    }

    fn granted_by(
        &self, ready: &ReadyPolicies, call: &PolicyCall, floor: bool, files: &dyn FileLookup,
    ) -> Result<Option<Grant>, NeedsFiles> {
        let answers = self.book().answers(call);
        let verdict = asked(ready.judge(call, files)?, floor);
        // Nothing answers a deny, what is broken asks, and so does what is asked about each time.
        if verdict.effect == Effect::Deny || verdict.forgets() || ready.snapshot.broken.is_some() {
            return Ok(None);
        }
        answers.to(call, &verdict, &ready.context, files)
    }

    /// Keeps a grant. Blocks.
    ///
    /// # Errors
    /// Why it cannot be kept.
    pub fn grant(&self, grant: Grant) -> Result<Grant, String> {
        let ready = self.current()?;
        if let Some(source) = ready.policy.forgets() {
            return Err(forgotten(source));
        }
        let for_ever = grant.scope == GrantDuration::Always;
        if for_ever && self.options.machine != MachinePolicies::All {
            return Err("the user's file is not read here: set `policyFiles: true`".to_owned());
        }
        let project = ready.context.project.as_deref();
        if for_ever && project.and_then(layers::real_path) != ready.project_is {
            let name = project.unwrap_or_default();
            return Err(format!(
                "the project {name} is no longer where it was: create the gate again"
            ));
        }
        let grant = self.book().add(grant, &ready.context)?;
        if for_ever {
            let written = match self.user_file() {
                Some(file) => file.change(|grants| grants.push(grant.clone())),
                None => Err("there is no place for the user's files: set HOME".to_owned()),
            };
            if let Err(reason) = written {
                self.book().remove(grant.id);
                return Err(reason);
            }
        }
        Ok(grant)
    }

    /// Why nothing is remembered here; `None`: it is. Blocks.
    ///
    /// # Errors
    /// When the policies cannot be read.
    pub fn forgets(&self) -> Result<Option<String>, String> {
        Ok(self.current()?.policy.forgets().map(forgotten))
    }

    /// Those that hold, oldest first. Blocks.
    pub fn grants(&self, now: u64) -> Vec<Grant> {
        if let Ok(ready) = self.current() {
            self.read_grants(&ready.context);
        }
        let mut grants = self.book().list(now);
        grants.sort_by_key(|grant| grant.created_at);
        grants
    }

    /// Takes a grant back; `false`: no such grant. Blocks.
    ///
    /// # Errors
    /// When the user's file cannot be written.
    pub fn revoke(&self, id: uuid::Uuid) -> Result<bool, String> {
        let known = self.book().remove(id);
        let Some(file) = self.user_file() else { return Ok(known.is_some()) };
        let mut found = known.is_some();
        if known.is_none_or(|grant| grant.scope == GrantDuration::Always)
            && file.read()?.iter().any(|grant| grant.id == id)
        {
            file.change(|grants| grants.retain(|grant| grant.id != id))?;
            found = true;
        }
        Ok(found)
    }

    /// How many grants there are, those of a file that was not read yet not counted.
    pub fn grant_count(&self) -> usize {
        self.book().count() + usize::from(self.grant_file().is_some())
    }

    /// Forgets what was granted for a run.
    pub fn end_run(&self, run_id: &str) {
        self.book().end_run(run_id);
    }

    fn book(&self) -> std::sync::MutexGuard<'_, GrantBook> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The user's grants, where the user's files count.
    fn grant_file(&self) -> Option<GrantFile> {
        (self.options.machine == MachinePolicies::All).then(|| self.user_file()).flatten()
    }

    fn user_file(&self) -> Option<GrantFile> {
        let files = LayerFiles::usual(Path::new(&self.options.cwd));
        files.user.as_deref().map(GrantFile::beside)
    }

    fn read_grants(&self, context: &PathContext) {
        let Some(file) = self.grant_file() else { return };
        // What cannot be read answers nothing: the human is asked.
        let (grants, problem) = match file.grants() {
            Ok(grants) => (grants, None),
            Err(reason) => (Vec::new(), Some(LayerProblem::of_user_file(file.name(), &reason))),
        };
        self.book().take_over(grants, context);
        let mut fault = self.grants_fault();
        if fault.problem != problem {
            *fault = GrantsFault { problem, told: false };
        }
    }

    /// Why the verdict is what it is, as text. Blocks.
    pub fn explain(&self, call: &PolicyCall) -> String {
        let files = CachedFiles::new(&RealFiles);
        let explained = self.current().and_then(|ready| {
            explain(&ready.policy, &call.judged(), &files).map_err(|error| error.to_string())
        });
        match explained {
            Ok(explanation) => show::explanation(&explanation),
            Err(reason) => reason,
        }
    }

    /// Who forbids a mode.
    pub fn forbids(&self, mode: PolicyMode) -> Option<PolicySource> {
        match self.state() {
            Some(ready) => ready.policy.forbids(mode).cloned(),
            // What the program gives is known before any file is read.
            None => {
                let forbids = |document: &&PolicyDocument| document.forbid.contains(&mode);
                self.code.iter().find(forbids).map(|document| document.source.clone())
            }
        }
    }

    /// What is wrong with a policy file that could never be read.
    pub fn broken(&self) -> Option<String> {
        self.state()?.snapshot.broken.clone()
    }

    /// Of these tools, those that are denied with any arguments.
    pub fn hidden<'a>(&self, tools: &'a [String]) -> Vec<&'a str> {
        let Some(ready) = self.state() else { return Vec::new() };
        tools
            .iter()
            .map(String::as_str)
            .filter(|tool| denies_all_of(&ready.snapshot.documents, tool))
            .collect()
    }

    /// The numbers of the conditions of rules for this tool. Only what the program gives has any.
    pub fn conditions(&self, tool_name: &str, other_names: &[String]) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .code
            .iter()
            .flat_map(|document| &document.rules)
            .filter(|rule| rule_names(rule, tool_name, other_names))
            .filter_map(|rule| rule.condition)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn state(&self) -> Option<Arc<ReadyPolicies>> {
        self.ready.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What can be said of what is known, and of what is near. Policy files may have changed and must be looked at.
    fn near<T>(
        &self, say: impl FnOnce(&ReadyPolicies, &dyn FileLookup) -> Result<T, NeedsFiles>,
    ) -> Result<T, NeedsFiles> {
        if self.options.machine != MachinePolicies::None {
            return Err(NeedsFiles);
        }
        let Some(ready) = self.state() else {
            return say(&*self.bare().ok_or(NeedsFiles)?, &NoFiles);
        };
        let files = NearFiles::new(&self.options.cwd);
        let said = say(&ready, &files)?;
        if files.is_beyond() { Err(NeedsFiles) } else { Ok(said) }
    }

    /// Where the program gives no policy, only what is shown beside a request is wanted of us. What does not need the file
    /// system does not need to know where the project is.
    fn bare(&self) -> Option<Arc<ReadyPolicies>> {
        if !self.code.is_empty() {
            return None;
        }
        let make = || {
            let layers = PolicyLayers::open(LayersOptions::default()).ok()?;
            ReadyPolicies::new(layers.snapshot(), self.place()).ok().map(Arc::new)
        };
        self.bare.get_or_init(make).clone()
    }

    /// The policies as they are now. Blocks.
    fn current(&self) -> Result<Arc<ReadyPolicies>, String> {
        let snapshot = match self.layers.get() {
            Some(layers) => layers.refresh(),
            None => {
                let project = self.project();
                let layers = PolicyLayers::open(self.layer_options(&project))
                    .map_err(|errors| told(&errors))?;
                let snapshot = layers.snapshot();
                // Another thread may have been faster: what it opened is as good.
                let _ = self.layers.set(layers);
                snapshot
            }
        };
        // Compared as a whole: a new version that cannot be read leaves the rules as they are, and is a change all the same.
        let same = |ready: &Arc<ReadyPolicies>| {
            Arc::ptr_eq(&ready.snapshot, &snapshot) || ready.snapshot == snapshot
        };
        if let Some(ready) = self.state().filter(same) {
            return Ok(ready);
        }
        let project = self.project();
        let project_as = self.other_name_of(&project);
        let context = PathContext { project: Some(project), project_as, ..self.place() };
        let ready = Arc::new(ReadyPolicies::new(snapshot, context)?);
        *self.ready.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&ready));
        Ok(ready)
    }

    /// Whether a rule can speak of a call, now or once a file has changed.
    fn has_rules(&self) -> bool {
        !self.code.is_empty() || !matches!(self.options.machine, MachinePolicies::None)
    }

    fn project(&self) -> String {
        self.options.project.clone().unwrap_or_else(|| {
            let cwd = Path::new(&self.options.cwd);
            layers::project_root(cwd).to_str().unwrap_or(&self.options.cwd).to_owned()
        })
    }

    /// How the project is called besides: really, or as the current folder says it.
    fn other_name_of(&self, project: &str) -> Option<String> {
        let real = layers::real_path(project)?;
        let here = layers::real_path(&self.options.cwd)?;
        let below =
            here.strip_prefix(&real).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        let as_said = || self.options.cwd.strip_suffix(below?);
        let other = if real == project { as_said()?.to_owned() } else { real.clone() };
        (other != project && !other.is_empty()).then_some(other)
    }

    fn place(&self) -> PathContext {
        PathContext {
            cwd: self.options.cwd.clone(),
            home: Some(self.options.home.clone()),
            project: self.options.project.clone(),
            project_as: None,
            own: self.options.own.clone(),
        }
    }

    fn layer_options(&self, project: &str) -> LayersOptions {
        let usual = LayerFiles::usual(Path::new(project));
        let files = match self.options.machine {
            MachinePolicies::None => LayerFiles::default(),
            MachinePolicies::Managed => {
                LayerFiles { managed: usual.managed, ..LayerFiles::default() }
            }
            MachinePolicies::All => usual,
        };
        LayersOptions { files, code: self.options.code.clone(), managed_owner: 0 }
    }
}

impl ReadyPolicies {
    fn new(snapshot: Arc<LayerSnapshot>, context: PathContext) -> Result<Self, String> {
        let documents: Vec<PolicyDocument> =
            snapshot.documents.iter().map(|document| PolicyDocument::clone(document)).collect();
        let policy = Policy::compile(documents, &context).map_err(|error| error.to_string())?;
        Ok(Self {
            snapshot,
            policy,
            project_is: context.project.as_deref().and_then(layers::real_path),
            context,
            read_only: OnceLock::new(),
            own_files: OnceLock::new(),
            unruled: OnceLock::new(),
        })
    }

    fn judge(&self, call: &PolicyCall, files: &dyn FileLookup) -> Result<Verdict, NeedsFiles> {
        let mut verdict = judge(&self.policy, &call.judged(), files)?;
        let Some(broken) = &self.snapshot.broken else { return Ok(verdict) };
        match verdict.effect {
            Effect::Allow => {
                verdict.effect = Effect::Ask;
                verdict.rule = None;
                verdict.confined = None;
                verdict.reason.clone_from(broken);
            }
            // The file may hold a deny for it.
            Effect::Ask => verdict.reason = format!("{broken}. {}", verdict.reason),
            Effect::Deny => {}
        }
        Ok(verdict)
    }

    fn show(
        &self, call: &PolicyCall, offers: OfferOptions, changes: Vec<FileChange>,
        beside: &ShownBeside, files: &dyn FileLookup,
    ) -> Result<ShownCall, NeedsFiles> {
        let verdict = self.judge(call, files)?;
        // Where there are no rules, nothing is said of them.
        let said = beside.has_rules.then_some(&verdict);
        let page = show::page(&call.tool_name, &call.args, said, changes.first());
        let proven = self.proven(call, &verdict, &changes, files)?;
        let (allow, deny) = self.offers(call, verdict, offers, &beside.grants, files)?;
        Ok(ShownCall { allow, deny, page, changes, proven })
    }

    /// What is proven of a call, independent of the rules. They may allow what harms, and ask about what does not.
    fn proven(
        &self, call: &PolicyCall, verdict: &Verdict, changes: &[FileChange], files: &dyn FileLookup,
    ) -> Result<Option<ProvenCall>, NeedsFiles> {
        if verdict.actions.iter().any(|judged| show::is_beyond_proof(&judged.action.kind)) {
            return Ok(None);
        }
        if let [change] = changes {
            let own = self.own_files.get_or_init(|| self.compiled("own files", show::OWN_FILES));
            let Some(own) = own else { return Ok(None) };
            let is_own = judge(own, &call.judged(), files)?.effect == Effect::Allow;
            return Ok((change.is_whole && is_own).then_some(ProvenCall::Changes));
        }
        let looked = self.judge_read_only(call, files)?;
        Ok((looked.effect == Effect::Allow).then_some(ProvenCall::Reads))
    }

    /// What "always allow" and "always reject" would save.
    fn offers(
        &self, call: &PolicyCall, verdict: Verdict, OfferOptions { floor, unruled }: OfferOptions,
        grants: &GrantSnapshot, files: &dyn FileLookup,
    ) -> Result<(Option<AlwaysOffer>, Option<AlwaysOffer>), NeedsFiles> {
        let judged = call.judged();
        if verdict.forgets() {
            return Ok((None, None));
        }
        let (policy, verdict) = if unruled {
            let made = || Policy::compile(Vec::new(), &self.context).ok();
            let Some(policy) = self.unruled.get_or_init(made) else { return Ok((None, None)) };
            (policy, judge(policy, &judged, files)?)
        } else {
            (&self.policy, verdict)
        };
        let verdict = asked(verdict, floor);
        let allow = suggest(policy, &judged, &verdict, files)?;
        // A rejection is of what asks, and takes nothing back that was granted.
        let left = grants.left_of(&judged, verdict, files)?;
        let deny = suggest_reject(policy, &judged, &left, files)?;
        Ok((
            allow.map(|suggestion| AlwaysOffer::of("Always allow", suggestion)),
            deny.map(|suggestion| AlwaysOffer::of("Always reject", suggestion)),
        ))
    }

    fn judge_read_only(
        &self, call: &PolicyCall, files: &dyn FileLookup,
    ) -> Result<Verdict, NeedsFiles> {
        let preset = self
            .read_only
            .get_or_init(|| self.compiled("preset:read-only", layers::preset("read-only")?));
        match preset {
            Some(policy) => judge(policy, &call.judged(), files),
            None => Ok(Verdict::refuse("the read-only preset cannot be read")),
        }
    }

    fn compiled(&self, name: &str, text: &str) -> Option<Policy> {
        let document = load(text, DocumentFormat::Toml, code_source(name)).ok()?;
        Policy::compile(vec![document], &self.context).ok()
    }
}

/// The grant that answers. One with `times` is used once; where others have used it up meanwhile, another is looked for.
fn used<E>(
    call: &PolicyCall, find: impl Fn() -> Result<Option<Grant>, E>,
    use_up: impl Fn(&Grant) -> Result<bool, E>,
) -> Result<Option<Grant>, E> {
    loop {
        match find()? {
            Some(grant) if call.uses_grants.uses(grant.effect) && grant.times.is_some() => {
                if use_up(&grant)? {
                    return Ok(Some(grant));
                }
            }
            found => return Ok(found),
        }
    }
}

fn forgotten(source: &PolicySource) -> String {
    format!("{} says remember = \"never\": nothing is remembered here", source.name)
}

/// The verdict as something beside the policies that asks makes it.
fn asked(mut verdict: Verdict, floor: bool) -> Verdict {
    if floor && verdict.effect != Effect::Deny {
        // What asks beside the policies may mean any part that they allow: all of them need an answer.
        let allowed = verdict.effect == Effect::Allow;
        verdict.effect = Effect::Ask;
        for judged in &mut verdict.actions {
            if allowed || judged.cause != VerdictCause::Covered {
                judged.effect = judged.effect.max(Effect::Ask);
            }
        }
    }
    verdict
}
