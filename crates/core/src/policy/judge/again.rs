//! Subjects that are the same as one before.

use std::sync::Arc;

use crate::policy::subject::{PathStart, Subject, SubjectKind, UseExtent};
use crate::shell::{FileAccess, WordPiece};

/// All that what is said about a path or an address depends on, unless that is the argument which says so.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct VerdictKey<'a> {
    /// `None` for an address.
    path: Option<(FileAccess, UseExtent)>,
    pieces: &'a [WordPiece],
    needs_allow: bool,
    /// By identity: the subjects of one line have one.
    start: *const PathStart,
}

impl<'a> VerdictKey<'a> {
    /// Of this subject, if it is a path or an address.
    pub(super) fn of(subject: &'a Subject) -> Option<Self> {
        let (path, target) = match &subject.kind {
            SubjectKind::Path { access, target, extent, .. } => (Some((*access, *extent)), target),
            SubjectKind::Url { target, .. } => (None, target),
            _ => return None,
        };
        Some(Self {
            path,
            pieces: &target.pieces,
            needs_allow: subject.needs_allow,
            start: Arc::as_ptr(&subject.start),
        })
    }
}
