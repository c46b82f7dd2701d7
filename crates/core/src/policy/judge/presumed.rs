//! Paths that begin with what only the run will tell: mostly that is the folder that the command runs in, in some spelling (`$PWD`,
//! `~+`, `$(pwd)`).

use crate::policy::action::{Action, ActionKind};
use crate::shell::{Word, WordPiece};

/// The use of a file, with the folder that the command runs in for what its path begins with. `None`: it begins with what is known.
pub(super) fn from_here(action: &Action) -> Option<Action> {
    let ActionKind::Path { access, target, extent, by } = &action.kind else { return None };
    let [WordPiece::Unknown { .. }, rest @ ..] = target.pieces.as_slice() else { return None };
    let pieces = match rest {
        [] => vec![WordPiece::Text(".".to_owned())],
        [WordPiece::Text(text), more @ ..] if text.starts_with('/') => {
            let mut pieces = vec![WordPiece::Text(format!(".{text}"))];
            pieces.extend_from_slice(more);
            pieces
        }
        _ => return None,
    };
    let target = Word { span: target.span, pieces };
    let kind = ActionKind::Path { access: *access, target, extent: *extent, by: *by };
    Some(Action { kind, ..action.clone() })
}
