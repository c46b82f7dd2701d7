//! Folders for a run, and this program as its own child.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::store::ProofError;

/// A temporary folder, removed on drop.
#[derive(Debug)]
pub struct TemporaryFolder(PathBuf);

impl TemporaryFolder {
    /// A new one below `parent`, or below the system's folder for temporary files.
    pub fn new(parent: Option<&str>) -> Result<Self, ProofError> {
        let parent = parent.map_or_else(std::env::temp_dir, PathBuf::from);
        let path =
            fs::canonicalize(parent)?.join(format!("countersign-proof-{}", uuid::Uuid::now_v7()));
        fs::create_dir_all(&path)?;
        Ok(Self(path))
    }

    /// A folder in it, made when it is not there.
    pub fn folder(&self, name: &str) -> Result<PathBuf, ProofError> {
        let path = self.0.join(name);
        fs::create_dir_all(&path)?;
        Ok(path)
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed is left to the system, which cleans up its temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A command that runs this program with other arguments.
pub fn this_program(words: &[&str]) -> Result<Command, ProofError> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null());
    Ok(command)
}

/// A child process that is killed on drop.
#[derive(Debug)]
pub struct ChildGuard(pub Child);

impl Drop for ChildGuard {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// How long a child may take for a step that takes ms: only a hang takes this long.
pub const PATIENCE: Duration = Duration::from_secs(240);

/// Waits until a file has more bytes than it had; `false`: the child ended first, or too much time passed.
pub fn wait_for_growth(file: &Path, from: u64, child: &mut ChildGuard) -> Result<bool, ProofError> {
    let since = Instant::now();
    while since.elapsed() < PATIENCE {
        if fs::metadata(file).is_ok_and(|metadata| metadata.len() > from) {
            return Ok(true);
        }
        if child.0.try_wait()?.is_some() {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    Ok(false)
}

/// The results of several workers; a worker that panicked is an error.
pub fn joined<T>(
    results: Vec<std::thread::Result<Result<T, ProofError>>>,
) -> Result<Vec<T>, ProofError> {
    results
        .into_iter()
        .map(|result| result.unwrap_or_else(|_| Err(ProofError("a thread panicked".into()))))
        .collect()
}
