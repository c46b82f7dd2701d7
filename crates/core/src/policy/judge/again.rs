//! Actions that are the same as one before.

use std::collections::HashMap;
use std::sync::Arc;

use crate::policy::action::{Action, ActionKind, PathStart, UseExtent};
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
    /// By identity: the actions of one line have one.
    start: *const PathStart,
}

/// For each action that is a command the first that has the same words.
pub(super) struct SameCommands(Vec<usize>);

impl SameCommands {
    /// Of these actions.
    pub(super) fn of(actions: &[Action]) -> Self {
        let mut known: HashMap<Vec<&[WordPiece]>, usize> = HashMap::new();
        let first = actions.iter().enumerate().map(|(at, action)| match &action.kind {
            ActionKind::Command { argv, .. } => {
                let words = argv.iter().map(|word| word.pieces.as_slice()).collect();
                *known.entry(words).or_insert(at)
            }
            _ => at,
        });
        Self(first.collect())
    }
}

impl<'a> VerdictKey<'a> {
    /// Of this action, if it is a path or an address.
    pub(super) fn of(action: &'a Action, commands: &SameCommands) -> Option<Self> {
        let (path, target, by) = match &action.kind {
            ActionKind::Path { access, target, extent, by } => {
                (Some((*access, *extent)), target, by)
            }
            ActionKind::Url { target, by } => (None, target, by),
            _ => return None,
        };
        let by = by.map(|by| (commands.0.get(by.command).copied().unwrap_or(by.command), by.arg));
        Some(Self {
            path,
            pieces: &target.pieces,
            by,
            needs_allow: action.needs_allow,
            mentioned: action.mentioned,
            loss: action.loss,
            start: Arc::as_ptr(&action.start),
        })
    }
}
