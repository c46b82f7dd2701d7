//! Folders that git takes for a repository though nobody made one there: a `HEAD`, `objects` and `refs` beside each other,
//! as any clone can bring them. Their `config` says which programs git runs.

use std::sync::Arc;

use super::Reader;
use crate::path::{Located, PathError, Where, locate};
use crate::policy::judge::{NeedsFiles, through};
use crate::policy::subject::{Kind, Start};
use crate::shell::{Access, Dir};

/// Programs that ask git, or read its configuration, where they run.
const GIT: &[&str] = &["git", "gh", "hub", "glab", "tig", "lazygit", "gitk", "git-lfs"];

/// The most folders above each other that are looked at.
const MAX_DEPTH: usize = 64;

impl Reader<'_> {
    /// Says so where git would run in a folder other than the call's own that may be such a repository.
    pub(super) fn repositories(&mut self) -> Result<(), NeedsFiles> {
        let host = self.host_start().bases;
        let asks = |kind: &Kind| match kind {
            Kind::Command { argv, .. } => argv.first().is_some_and(|word| {
                let name = word.literal().unwrap_or_default();
                GIT.contains(&name.rsplit('/').next().unwrap_or(name))
            }),
            _ => false,
        };
        let subject = self.subjects.iter().find(|subject| {
            let moved = !subject.start.dirs.is_empty() || subject.start.bases != host;
            moved && asks(&subject.kind)
        });
        let Some(start) = subject.map(|subject| Arc::clone(&subject.start)) else { return Ok(()) };
        // One that the line itself makes is not there yet.
        let made = self.subjects.iter().any(|subject| match &subject.kind {
            Kind::Path { access: Access::Write, target, .. } => {
                target.literal().is_none_or(|path| {
                    path.to_ascii_lowercase().trim_end_matches('/').ends_with("head")
                })
            }
            _ => false,
        });
        if made || self.hides_repository(&start)? {
            self.unknown(
                None,
                "git runs in a folder that may hold a repository of its own, whose settings say what runs",
            );
        }
        Ok(())
    }

    fn hides_repository(&self, start: &Start) -> Result<bool, NeedsFiles> {
        let mut texts = vec![".".to_owned()];
        for dir in &start.dirs {
            let text = match dir {
                Dir::Anywhere => None,
                Dir::Through(words) => through(words, start),
            };
            let Some(text) = text else { return Ok(true) };
            texts.push(text);
        }
        for base in &start.bases {
            let from = Where { cwd: base.clone(), home: start.home.clone(), ..Where::default() };
            for text in &texts {
                match locate(text, &from, self.files) {
                    Ok(Located { real, real_of_lexical, .. }) => {
                        for path in [real, real_of_lexical] {
                            match self.is_below_repository(&path) {
                                Ok(false) => {}
                                Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                                Ok(true) | Err(_) => return Ok(true),
                            }
                        }
                    }
                    Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                    Err(_) => return Ok(true),
                }
            }
        }
        Ok(false)
    }

    /// Whether git, as it looks from here upwards, would find such a repository before one that is in a `.git`.
    fn is_below_repository(&self, path: &str) -> Result<bool, PathError> {
        let mut path = path.trim_end_matches('/');
        for _ in 0..MAX_DEPTH {
            if self.files.has(&format!("{path}/.git"))? {
                return Ok(false);
            }
            if self.files.has(&format!("{path}/HEAD"))? {
                return Ok(true);
            }
            match path.rsplit_once('/') {
                Some((above, _)) if !path.is_empty() => path = above,
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}
