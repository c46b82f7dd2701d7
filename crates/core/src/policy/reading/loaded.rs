//! Code that a command names and runs, and settings that decide what it runs: the project's own, wherever symlinks lead.

use std::sync::Arc;

use super::Reader;
use crate::path::{PathError, Where, expanded, is_below, locate, spelled};
use crate::policy::judge::{NeedsFiles, places};
use crate::policy::subject::{By, Kind, Start, Subject};
use crate::shell::{Piece, Span, Why, Word, stays_below};

/// A file or a directory that a command loads.
pub(super) struct Loads {
    pub(super) by: By,
    pub(super) target: Word,
    pub(super) span: Option<Span>,
    pub(super) argument: Arc<str>,
    pub(super) start: Arc<Start>,
}

impl Reader<'_> {
    /// Says so where a command loads what is not the project's own, or may not be.
    pub(super) fn loaded(&mut self) -> Result<(), NeedsFiles> {
        for Loads { by, target, span, argument, start } in std::mem::take(&mut self.loads) {
            let own = match self.is_own(&target, &start) {
                Err(PathError::NeedsFiles) => return Err(NeedsFiles),
                own => own.unwrap_or(false),
            };
            if own {
                continue;
            }
            let kind = Kind::Unknown { why: Why::RunsCode.to_string().into(), named: Some(by) };
            let argument = Some(argument);
            self.subjects.push(Subject { kind, span, argument, needs_allow: !self.guesses, start });
        }
        Ok(())
    }

    /// Whether it lies in the project, or in the directory that the command runs in.
    fn is_own(&self, target: &Word, start: &Start) -> Result<bool, PathError> {
        let (dirs, adrift) = places(start, self.files)?;
        if adrift && !stays_below(target) {
            return Ok(false);
        }
        let mut roots = start.bases.clone();
        roots.extend(self.context.project.clone());
        for root in roots.clone() {
            roots.push(self.files.real(&root)?);
        }
        for dir in dirs {
            let from = start.at(&dir);
            for path in self.named(target, &from)? {
                // What is there belongs to the directory that a `cd` led to. Of an absolute path that says nothing.
                let here = (!path.starts_with(['/', '~'])).then_some(&from.cwd);
                let located = locate(&path, &from, self.files)?;
                let own = |path: &String| roots.iter().chain(here).any(|root| is_below(path, root));
                if ![&located.real, &located.real_of_lexical].into_iter().all(own) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The paths that it may be, seen from there. Of a pattern the directory that it begins with, and the symlinks that it
    /// finds.
    fn named(&self, target: &Word, from: &Where) -> Result<Vec<String>, PathError> {
        if let Some(path) = spelled(&target.pieces, from) {
            return Ok(vec![path]);
        }
        if !stays_below(target) {
            return Err(PathError::Ambiguous("it is only known when it runs"));
        }
        let mut paths = expanded(&target.pieces, from, self.files)?.links;
        if let Some(Piece::Text(text)) = target.pieces.first()
            && let Some((dir, _)) = text.rsplit_once('/')
        {
            paths.push(dir.to_owned());
        }
        Ok(paths)
    }
}
