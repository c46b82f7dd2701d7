//! What makes or moves links or folders, where no line of a table says it.

use super::walk::{ArgumentPart, ArgumentWalk};

/// `git checkout`, `git switch`: a new branch where one stands changes no file.
pub(super) fn branch(walk: &mut ArgumentWalk, _: ArgumentPart) {
    let words = walk.argv.get(walk.from..).unwrap_or_default();
    let stays = match words {
        [option, name] => {
            let new = matches!(option.literal(), Some("-b" | "-c"));
            new && name.literal().is_some_and(|name| !name.starts_with('-'))
        }
        _ => false,
    };
    walk.effects.moves |= !stays;
}
