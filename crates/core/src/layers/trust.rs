//! Which projects the user trusts to allow.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::file::{self, FileCare, ReplaceError, own_link, write_atomically};
use super::snapshot::load_bytes;
use crate::call::hex;
use crate::policy::document::{DocumentError, LayerKind, PolicySource};

/// A project's policy that the user trusts: this file, with this content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrustEntry {
    /// The file, absolute, the symlinks on the way to its project resolved.
    pub path: String,
    /// [`trust_hash`] of it.
    pub hash: String,
}

/// Why trust cannot be told or changed.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// The file with the trusted policies.
    #[error("{}: {reason}", path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The policy that is to be trusted.
    #[error("{}: {reason}", path.display())]
    Policy {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The policy that is to be trusted has faults: what it would allow is not known.
    #[error("nothing was trusted, since the policy has faults: {}", .errors.iter().map(DocumentError::to_string).collect::<Vec<_>>().join("; "))]
    Broken {
        /// What is wrong with it.
        errors: Vec<DocumentError>,
    },
    /// It is no longer what the user saw.
    #[error("{}: the file changed since it was shown: look at it again, then trust it", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
}

/// The file in which the user's trust is kept. Holds nothing in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustFile {
    file: PathBuf,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustStore {
    version: u32,
    #[serde(default)]
    trusted: Vec<TrustEntry>,
}

impl TrustFile {
    /// The trust that is kept in this file, which need not exist. See [`LayerFiles::trust`](super::LayerFiles::trust).
    pub fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// Trusts a policy as it is now. `seen` is the [`trust_hash`] of what the user looked at.
    ///
    /// # Errors
    /// When the policy cannot be read, has faults or is not what was seen, when a symlink stands for it or for its folder, or when the
    /// trust cannot be kept.
    pub fn trust(&self, policy: &Path, seen: Option<&str>) -> Result<TrustEntry, TrustError> {
        let failed = |reason: String| TrustError::Policy { path: policy.to_owned(), reason };
        let path = own_path(policy).map_err(|error| failed(why_no_path(&error)))?;
        let content = file::read(Path::new(&path), FileCare::None).map_err(failed)?;
        let bytes = content.bytes.ok_or_else(|| failed("there is no such file".to_owned()))?;
        let hash = trust_hash(&path, &bytes);
        if seen.is_some_and(|seen| seen != hash) {
            return Err(TrustError::Changed { path: policy.to_owned() });
        }
        let name = Arc::from(policy.display().to_string());
        let source = PolicySource { layer: LayerKind::Project, name, trusted: false };
        load_bytes(&bytes, source).map_err(|errors| TrustError::Broken { errors })?;
        let trusted = TrustEntry { path, hash };
        let _held = self.hold()?;
        let mut all = self.trusted()?;
        all.retain(|other| other.path != trusted.path);
        all.push(trusted.clone());
        self.write(&all)?;
        Ok(trusted)
    }

    /// Trusts a policy no longer; whether it was trusted before. It need not exist any more.
    ///
    /// # Errors
    /// When the trust cannot be read or written.
    pub fn untrust(&self, policy: &Path) -> Result<bool, TrustError> {
        let canonical = own_path(policy).ok();
        let _held = self.hold()?;
        let mut all = self.trusted()?;
        let before = all.len();
        all.retain(|other| {
            Some(&other.path) != canonical.as_ref() && Path::new(&other.path) != policy
        });
        if all.len() == before {
            return Ok(false);
        }
        self.write(&all)?;
        Ok(true)
    }

    /// All that is trusted.
    ///
    /// # Errors
    /// When the file cannot be read, or everybody can write to it.
    pub fn trusted(&self) -> Result<Vec<TrustEntry>, TrustError> {
        let failed = |reason: String| TrustError::Store { path: self.file.clone(), reason };
        let content = file::read(&self.file, FileCare::NotEverybodys).map_err(failed)?;
        parse(content.bytes.as_deref()).map_err(failed)
    }

    fn hold(&self) -> Result<file::HeldFile, TrustError> {
        file::hold(&self.file).map_err(|error| TrustError::Store {
            path: self.file.clone(),
            reason: error.to_string(),
        })
    }

    fn write(&self, all: &[TrustEntry]) -> Result<(), TrustError> {
        use crate::policy::document::toml_string;
        let mut text =
            "# Policies of projects that may allow. Kept by `countersign policy trust`.\nversion = 1\n"
                .to_owned();
        for TrustEntry { path, hash } in all {
            let (path, hash) = (toml_string(path), toml_string(hash));
            text.push_str(&format!("\n[[trusted]]\npath = {path}\nhash = {hash}\n"));
        }
        write_atomically(&self.file, &text).map_err(|error| TrustError::Store {
            path: self.file.clone(),
            reason: error.to_string(),
        })
    }
}

/// What the file says. No file: nothing is trusted.
pub(super) fn parse(bytes: Option<&[u8]>) -> Result<Vec<TrustEntry>, String> {
    let Some(bytes) = bytes else { return Ok(Vec::new()) };
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    let store: TrustStore = toml::from_str(text).map_err(|error| error.message().to_owned())?;
    match store.version {
        1 => Ok(store.trusted),
        version => Err(format!("version {version} is not known here: update countersign")),
    }
}

/// What the user trusts: SHA-256, in hex, of the file's path (absolute, its symlinks resolved) and its bytes. The same
/// file in another place is another policy, since `${project}` means something else there.
pub fn trust_hash(canonical_path: &str, bytes: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(b"countersign trust 1\0");
    hash.update(canonical_path.as_bytes());
    hash.update(b"\0");
    hash.update(bytes);
    hex(&hash.finalize())
}

fn why_no_path(error: &ReplaceError) -> String {
    match error {
        ReplaceError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
            "there is no such file: `countersign policy init` makes one".to_owned()
        }
        error => error.to_string(),
    }
}

/// The path of a project's own policy: absolute, the symlinks on the way to the project resolved. Below the project there may be
/// none: it would lend one project the trust of another.
pub(super) fn own_path(policy: &Path) -> Result<String, ReplaceError> {
    if let Some(link) = own_link(policy) {
        return Err(ReplaceError::Symlink(link.to_owned()));
    }
    let path = fs::canonicalize(policy)?.into_os_string();
    // Two names must not become one.
    Ok(path.into_string().map_err(|_| io::Error::other("its path is not UTF-8"))?)
}
