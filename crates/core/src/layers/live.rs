//! The layers while the program runs: read once, looked at between calls.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use sha2::{Digest, Sha256};

use crate::policy::document::{
    DocumentError, DocumentFormat, LayerKind, PolicyDocument, PolicySource, load,
};

use super::file::{self, FileCare, FileContent, FileStamp};
use super::snapshot::{broken_text, load_bytes, unreadable};
use super::trust::{self, own_path, trust_hash};
use super::{LayerFiles, LayerProblem, LayerSnapshot};
use crate::call::hex;

/// Which policies count.
#[derive(Debug, Clone, Default)]
pub struct LayersOptions {
    /// The files.
    pub files: LayerFiles,
    /// What the program says itself; presets too.
    pub code: Vec<CodePolicy>,
    /// Who must own the managed file, as a user id. 0, the administrator; tests have no other.
    pub managed_owner: u32,
}

/// A policy of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodePolicy {
    /// `policy option` or `preset:developer`.
    pub name: Arc<str>,
    /// How it is written.
    pub format: DocumentFormat,
    /// Its text.
    pub text: String,
}

/// The policies that count, kept up to date. [`PolicyLayers::open`] and [`PolicyLayers::refresh`] read files and block;
/// [`PolicyLayers::snapshot`] does not.
#[derive(Debug)]
pub struct PolicyLayers {
    state: Mutex<LayerState>,
    snapshot: RwLock<Arc<LayerSnapshot>>,
}

#[derive(Debug)]
struct LayerState {
    slots: Vec<LayerSlot>,
    /// The documents of the program, and the hash of the text of each.
    code: Vec<(Arc<PolicyDocument>, [u8; 32])>,
    trust: Option<TrustFile>,
}

/// One file.
#[derive(Debug)]
struct LayerSlot {
    layer: LayerKind,
    path: PathBuf,
    care: FileCare,
    seen: Option<SeenFile>,
    /// Whether a name ever stood there. What goes away then may have held a deny, and is missed.
    was_there: bool,
    /// What counts: the last that could be read.
    held: Option<HeldContent>,
    errors: Vec<DocumentError>,
}

/// How a file was when it was last looked at.
#[derive(Debug)]
struct SeenFile {
    stamp: FileStamp,
    settled: bool,
}

#[derive(Debug)]
struct HeldContent {
    document: Arc<PolicyDocument>,
    bytes: Vec<u8>,
    /// Why what would allow in a project's file cannot be trusted.
    distrust: Option<String>,
}

#[derive(Debug)]
struct TrustFile {
    path: PathBuf,
    seen: Option<SeenFile>,
    hashes: Vec<String>,
    problem: Option<String>,
}

impl PolicyLayers {
    /// Reads all layers. What is wrong with files is in the snapshot, as is that nothing may be allowed because of it.
    ///
    /// # Errors
    /// What is wrong with the policies of the program itself.
    pub fn open(options: LayersOptions) -> Result<Self, Vec<DocumentError>> {
        let LayersOptions { files, code, managed_owner } = options;
        let mut documents = Vec::with_capacity(code.len());
        for CodePolicy { name, format, text } in code {
            let source = PolicySource { layer: LayerKind::Code, name, trusted: true };
            documents.push((Arc::new(load(&text, format, source)?), sha256(text.as_bytes())));
        }
        let slot = |layer, path: Option<PathBuf>, care| {
            path.map(|path| LayerSlot {
                layer,
                path,
                care,
                seen: None,
                was_there: false,
                held: None,
                errors: Vec::new(),
            })
        };
        let slots = [
            slot(LayerKind::Managed, files.managed, FileCare::OwnedBy(managed_owner)),
            slot(LayerKind::User, files.user, FileCare::NotEverybodys),
            slot(LayerKind::Project, files.project, FileCare::None),
        ];
        let trust = files.trust.map(|path| TrustFile {
            path,
            seen: None,
            hashes: Vec::new(),
            problem: None,
        });
        let mut state =
            LayerState { slots: slots.into_iter().flatten().collect(), code: documents, trust };
        state.look();
        let snapshot = RwLock::new(Arc::new(state.snapshot()));
        Ok(Self { state: Mutex::new(state), snapshot })
    }

    /// The policies that count now.
    pub fn snapshot(&self) -> Arc<LayerSnapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks whether a file changed, appeared or went, and takes over what changed; the snapshot after that. Without a
    /// change it costs one `stat` per file that is there. Blocks.
    pub fn refresh(&self) -> Arc<LayerSnapshot> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !state.look() {
            return self.snapshot();
        }
        let snapshot = Arc::new(state.snapshot());
        let mut current = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        // The hash stands for the documents.
        let same = (&current.hash, &current.broken, &current.problems)
            == (&snapshot.hash, &snapshot.broken, &snapshot.problems);
        if !same {
            *current = Arc::clone(&snapshot);
        }
        Arc::clone(&current)
    }
}

impl LayerState {
    /// Whether anything was read again.
    fn look(&mut self) -> bool {
        let trust = self.trust.as_mut().is_some_and(TrustFile::look);
        let read = self.slots.iter_mut().map(LayerSlot::look).fold(false, |any, read| any | read);
        if trust || read {
            let hashes = self.trust.as_ref().map_or(&[][..], |trust| &trust.hashes);
            self.slots.iter_mut().for_each(|slot| slot.weigh(hashes));
        }
        trust || read
    }

    fn snapshot(&self) -> LayerSnapshot {
        let mut hash = Sha256::new();
        let mut documents = Vec::new();
        let mut problems = Vec::new();
        let mut broken = Vec::new();
        for slot in &self.slots {
            // Of a file that came to be there, and cannot be read, it is not known what it says.
            let kept = slot.held.is_some() && !slot.is_gone();
            if !kept && !slot.errors.is_empty() {
                broken.extend(slot.errors.first().map(|first| match slot.held {
                    Some(_) => first.to_string(),
                    None => broken_text(first),
                }));
            }
            if let Some(HeldContent { document, bytes, .. }) = &slot.held {
                put(&mut hash, document, &sha256(bytes));
                documents.push(Arc::clone(document));
            }
            if !slot.errors.is_empty() {
                problems.push(LayerProblem {
                    layer: slot.layer,
                    file: slot.name(),
                    kept,
                    errors: slot.errors.clone(),
                });
            }
        }
        let mut tell = |layer, file: String, reason: &str| {
            let errors = vec![unreadable(&file, reason)];
            problems.push(LayerProblem { layer, file, kept: true, errors });
        };
        for slot in &self.slots {
            if let Some(HeldContent { distrust: Some(reason), .. }) = &slot.held {
                tell(slot.layer, slot.name(), reason);
            }
        }
        if let Some(TrustFile { path, problem: Some(reason), .. }) = &self.trust {
            tell(LayerKind::User, path.display().to_string(), reason);
        }
        for (document, text) in &self.code {
            put(&mut hash, document, text);
            documents.push(Arc::clone(document));
        }
        hash.update([u8::from(!broken.is_empty())]);
        let broken = (!broken.is_empty()).then(|| broken.join("; "));
        LayerSnapshot { documents, broken, problems, hash: hex(&hash.finalize()) }
    }
}

impl LayerSlot {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether the file was read.
    fn look(&mut self) -> bool {
        if is_as_seen(&self.path, self.seen.as_ref()) {
            return false;
        }
        match file::read(&self.path, self.care) {
            Ok(content) => self.take(content),
            Err(reason) => {
                self.seen = None;
                self.was_there = true;
                self.errors = vec![unreadable(&self.name(), &reason)];
            }
        }
        true
    }

    /// It was there, and is not. What it said goes on to deny and to ask.
    fn is_gone(&self) -> bool {
        self.was_there && self.seen.as_ref().is_some_and(|seen| seen.stamp == FileStamp::Missing)
    }

    fn take(&mut self, content: FileContent) {
        self.seen = Some(SeenFile { stamp: content.stamp, settled: content.settled });
        self.errors.clear();
        let Some(bytes) = content.bytes else {
            if self.was_there {
                self.errors = vec![unreadable(&self.name(), GONE)];
            }
            return;
        };
        self.was_there = true;
        if self.held.as_ref().is_some_and(|held| held.bytes == bytes) {
            return;
        }
        let name = self.name();
        // On systems where it cannot be told whose a file is, the managed one may only tighten.
        let trusted = match self.layer {
            LayerKind::Managed => cfg!(unix),
            LayerKind::Project => false,
            _ => true,
        };
        let source = PolicySource { layer: self.layer, name: Arc::from(name.as_str()), trusted };
        match load_bytes(&bytes, source) {
            Ok(document) => {
                let document = Arc::new(document);
                self.held = Some(HeldContent { document, bytes, distrust: None });
            }
            Err(errors) => self.errors = errors,
        }
    }

    /// Whether a project's file may allow.
    fn weigh(&mut self, trusted: &[String]) {
        let Some(HeldContent { document, bytes, distrust }) = &mut self.held else { return };
        if self.layer != LayerKind::Project {
            return;
        }
        let own = own_path(&self.path);
        let is_trusted = own.as_ref().is_ok_and(|path| trusted.contains(&trust_hash(path, bytes)));
        let loosens = document.loosens();
        *distrust = own.err().filter(|_| loosens).map(|error| {
            format!(
                "only tightens, and cannot be trusted: {error}, then run `npx countersign policy trust`"
            )
        });
        if document.source.trusted != is_trusted {
            Arc::make_mut(document).source.trusted = is_trusted;
        }
    }
}

impl TrustFile {
    /// Whether the file was read.
    fn look(&mut self) -> bool {
        if is_as_seen(&self.path, self.seen.as_ref()) {
            return false;
        }
        let trusted = match file::read(&self.path, FileCare::NotEverybodys) {
            Ok(FileContent { stamp, settled, bytes }) => {
                self.seen = Some(SeenFile { stamp, settled });
                trust::parse(bytes.as_deref())
            }
            Err(reason) => {
                self.seen = None;
                Err(reason)
            }
        };
        // If trust cannot be read, nothing is trusted.
        self.problem = trusted.as_ref().err().cloned();
        self.hashes = trusted.unwrap_or_default().into_iter().map(|one| one.hash).collect();
        true
    }
}

/// Said of a file that was there. Until a gate is made anew it is not known whether somebody took it away on purpose.
const GONE: &str =
    "was there and is gone: put it back, or start again without it. Nothing is allowed until then";

fn is_as_seen(path: &Path, seen: Option<&SeenFile>) -> bool {
    seen.is_some_and(|seen| {
        seen.settled && file::stamp(path).is_ok_and(|stamp| stamp == seen.stamp)
    })
}

fn put(hash: &mut Sha256, document: &PolicyDocument, text: &[u8; 32]) {
    let PolicySource { layer, name, trusted } = &document.source;
    // Lengths first, so that no two lists make the same bytes.
    hash.update([*layer as u8, u8::from(*trusted)]);
    hash.update(u64::try_from(name.len()).unwrap_or(u64::MAX).to_be_bytes());
    hash.update(name.as_bytes());
    hash.update(text);
}

fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
