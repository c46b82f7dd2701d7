//! The folder that a program runs in is part of what is judged: what stands there says what `make`, `npm test` or a test
//! runner does, and where git finds a repository its settings say which programs git runs.

use std::sync::Arc;

use super::Reader;
use super::repository::{self, Found};
use crate::path::{Located, PathError, is_below, locate};
use crate::policy::judge::{NeedsFiles, through};
use crate::policy::subject::{Kind, Start, Subject};
use crate::shell::{Access, Piece, Word};

/// Folders that a call runs in beside its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Folders {
    /// All lie in the project.
    Inside,
    /// One lies elsewhere, or it cannot be told where it lies.
    Elsewhere,
    /// One may be a repository that nobody made: a `HEAD`, `objects` and `refs` beside each other, as any clone can bring
    /// them.
    Repository,
}

impl Reader<'_> {
    /// Says so where a program that does what the files of its folder say runs in a folder of which nobody spoke.
    ///
    /// Unknown, and no question about the folder: whoever allows `cd` and `make` means neither `make` in every folder, nor
    /// what any folder's files make of it.
    pub(super) fn folders(&mut self) -> Result<(), NeedsFiles> {
        let host = self.host();
        let mut moved = self
            .subjects
            .iter()
            .filter(|subject| subject.start.has_left(host) && subject.kind.depends_on_folder());
        // Where git only looks, the settings that it finds can be looked at before.
        let all_look = moved.clone().all(|subject| subject.kind.looks_with_git());
        let first = moved.find(|subject| all_look || !subject.kind.looks_with_git());
        let Some((kind, start)) = first.map(|it| (&it.kind, Arc::clone(&it.start))) else {
            return Ok(());
        };
        let program = match kind {
            Kind::Command { argv, .. } => argv.first().and_then(Word::literal),
            _ => None,
        };
        let program = program.unwrap_or_default().to_owned();
        let stays = all_stay(&self.subjects);
        let folders = match self.folders_of(&start, all_look, stays)? {
            // One that the line itself makes is not there yet.
            Folders::Inside if self.makes_repository() => Folders::Repository,
            folders => folders,
        };
        match folders {
            Folders::Inside => {}
            Folders::Elsewhere => self.unknown(
                None,
                format!("`{program}` does what the files of its folder say, and that may be a folder outside of the project"),
            ),
            Folders::Repository => self.unknown(
                None,
                format!("`{program}` runs in a folder that may hold a repository of its own, whose settings say what git runs"),
            ),
        }
        Ok(())
    }

    /// Whether a file called `HEAD` may be written.
    fn makes_repository(&self) -> bool {
        const HEAD: &str = "head";
        self.subjects.iter().any(|subject| match &subject.kind {
            Kind::Path { access: Access::Write, target, .. } => match target.pieces.last() {
                Some(Piece::Text(end)) => {
                    let end = end.to_ascii_lowercase();
                    let end = end.trim_end_matches('/');
                    end.ends_with(HEAD) || target.literal().is_none() && HEAD.ends_with(end)
                }
                Some(_) => true,
                None => false,
            },
            _ => false,
        })
    }

    fn folders_of(&self, start: &Start, looks: bool, stays: bool) -> Result<Folders, NeedsFiles> {
        let mut texts = vec![".".to_owned()];
        for dir in &start.dirs {
            let Some(text) = through(dir, start) else { return Ok(Folders::Elsewhere) };
            texts.push(text);
        }
        let roots = self.roots()?;
        let inside = |path: &str| roots.iter().any(|root| is_below(path, root));
        for base in &start.bases {
            let from = start.at(base);
            for text in &texts {
                let located = match locate(text, &from, self.files) {
                    Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                    Err(_) => return Ok(Folders::Elsewhere),
                    Ok(located) => located,
                };
                let Located { lexical, real, real_of_lexical, .. } = located;
                let inside =
                    [&lexical, &real, &real_of_lexical].into_iter().all(|path| inside(path));
                if !inside && !looks {
                    return Ok(Folders::Elsewhere);
                }
                for path in [real, real_of_lexical] {
                    match repository::found(&path, self.files) {
                        Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                        Ok(Found::Some) if !inside => return Ok(Folders::Elsewhere),
                        Ok(Found::Plain) if !inside && !stays => return Ok(Folders::Elsewhere),
                        Ok(Found::Nothing | Found::Plain | Found::Some) => {}
                        Ok(Found::Hidden) | Err(_) => return Ok(Folders::Repository),
                    }
                }
            }
        }
        Ok(Folders::Inside)
    }

    /// The folders that the call is about, by all their names.
    fn roots(&self) -> Result<Vec<String>, NeedsFiles> {
        let named = [Some(self.host()), self.context.project.as_deref()];
        let mut roots = Vec::new();
        for root in named.into_iter().flatten() {
            match self.files.real(root) {
                Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                real => roots.extend(real.ok()),
            }
            roots.push(root.to_owned());
        }
        Ok(roots)
    }
}

/// Whether all commands of git stay in the repository that they find.
fn all_stay(subjects: &[Subject]) -> bool {
    subjects.iter().filter(|subject| subject.kind.looks_with_git()).all(
        |subject| matches!(&subject.kind, Kind::Command { argv, .. } if repository::stays(argv)),
    )
}
