//! Subjects that are the same as one before.

use std::collections::HashMap;
use std::sync::Arc;

use crate::policy::subject::{PathStart, Subject, SubjectKind, UseExtent};
use crate::shell::{FileAccess, FileLoss, WordPiece};

/// Cache key of the verdict on a path or an address: all its inputs except the call. The use of a path depends on the whole
/// command that names it, and on its place there.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct VerdictKey<'a> {
    /// `None` for an address.
    path: Option<(FileAccess, UseExtent)>,
    pieces: &'a [WordPiece],
    /// The command that names it, as its words' number, and which of those it is.
    by: Option<(usize, usize)>,
    needs_allow: bool,
    mentioned: bool,
    loss: FileLoss,
    /// By identity: the subjects of one line have one.
    start: *const PathStart,
}

/// For each subject that is a command the first that has the same words.
pub(super) struct SameCommands(Vec<usize>);

impl SameCommands {
    /// Of these subjects.
    pub(super) fn of(subjects: &[Subject]) -> Self {
        let mut known: HashMap<Vec<&[WordPiece]>, usize> = HashMap::new();
        let first = subjects.iter().enumerate().map(|(at, subject)| match &subject.kind {
            SubjectKind::Command { argv, .. } => {
                let words = argv.iter().map(|word| word.pieces.as_slice()).collect();
                *known.entry(words).or_insert(at)
            }
            _ => at,
        });
        Self(first.collect())
    }
}

impl<'a> VerdictKey<'a> {
    /// Of this subject, if it is a path or an address.
    pub(super) fn of(subject: &'a Subject, commands: &SameCommands) -> Option<Self> {
        let (path, target, by) = match &subject.kind {
            SubjectKind::Path { access, target, extent, by } => {
                (Some((*access, *extent)), target, by)
            }
            SubjectKind::Url { target, by } => (None, target, by),
            _ => return None,
        };
        let by = by.map(|by| (commands.0.get(by.command).copied().unwrap_or(by.command), by.arg));
        Some(Self {
            path,
            pieces: &target.pieces,
            by,
            needs_allow: subject.needs_allow,
            mentioned: subject.mentioned,
            loss: subject.loss,
            start: Arc::as_ptr(&subject.start),
        })
    }
}
