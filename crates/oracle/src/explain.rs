//! Whether the effects of a script are among the facts.

use countersign_core::shell::{FactKind, FileAccess, LineAnalysis, Word, WordPiece};

use crate::policy::places;
use crate::sandbox::{ProgramStart, house};

/// The home directory of the sandbox.
const HOME: &str = "/home/u";

/// Whether one of the facts is unknown.
pub fn is_unknown(analysis: &LineAnalysis) -> bool {
    analysis.facts.iter().any(|fact| matches!(fact.what, FactKind::Unknown { .. }))
}

/// Whether one of the facts is this command.
pub fn command(analysis: &LineAnalysis, program: &ProgramStart) -> bool {
    let name = program.argv.first().map_or("", String::as_str);
    let own_name = program.file == house::MISSING || name.rsplit('/').next() == Some(&program.file);
    own_name
        && analysis.facts.iter().any(|fact| match &fact.what {
            FactKind::Command(command) => matches_words(&command.argv, &program.argv),
            _ => false,
        })
}

/// Whether one of the facts is the writing of this file.
pub fn write(analysis: &LineAnalysis, path: &str) -> bool {
    analysis.facts.iter().any(|fact| match &fact.what {
        FactKind::Redirect { access: FileAccess::Write, target, .. } => match target.literal() {
            Some(literal) => {
                places(literal).iter().any(|place| place == path)
                    || !analysis.dirs.is_empty() && !literal.starts_with('/')
            }
            None => true,
        },
        FactKind::Path { access: FileAccess::Write, target, .. } => {
            target.literal().is_none_or(|literal| places(literal).iter().any(|place| place == path))
        }
        _ => false,
    })
}

/// Whether one of the facts is this variable.
pub fn variable(analysis: &LineAnalysis, name: &str) -> bool {
    analysis
        .facts
        .iter()
        .any(|fact| matches!(&fact.what, FactKind::Assign { name: known } if known == name))
}

/// Whether these words can become these arguments.
fn matches_words(words: &[Word], args: &[String]) -> bool {
    // reachable[n]: the words so far can have become the first n arguments.
    let mut reachable = vec![false; args.len() + 1];
    if let Some(first) = reachable.first_mut() {
        *first = true;
    }
    for word in words {
        let mut next = vec![false; args.len() + 1];
        for (from, _) in reachable.iter().enumerate().filter(|(_, reachable)| **reachable) {
            if word.splits() {
                // Any number of arguments, none included.
                next.iter_mut().skip(from).for_each(|place| *place = true);
            } else if args.get(from).is_some_and(|arg| matches_pieces(&word.pieces, arg))
                && let Some(place) = next.get_mut(from + 1)
            {
                *place = true;
            }
        }
        reachable = next;
    }
    reachable.last().copied().unwrap_or(false)
}

/// Whether these pieces can become this argument.
fn matches_pieces(pieces: &[WordPiece], arg: &str) -> bool {
    let (Some(piece), rest) = (pieces.first(), pieces.get(1..).unwrap_or_default()) else {
        return arg.is_empty();
    };
    match piece {
        WordPiece::Text(text) => {
            arg.strip_prefix(text.as_str()).is_some_and(|arg| matches_pieces(rest, arg))
        }
        WordPiece::Home => arg.strip_prefix(HOME).is_some_and(|arg| matches_pieces(rest, arg)),
        WordPiece::Glob(_) | WordPiece::Unknown { .. } => arg
            .char_indices()
            .map(|(at, _)| at)
            .chain([arg.len()])
            .any(|at| matches_pieces(rest, &arg[at..])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use countersign_core::shell::Span;

    fn word(pieces: &[WordPiece]) -> Word {
        Word { span: Span { start: 0, end: 0 }, pieces: pieces.to_vec() }
    }

    #[test]
    fn words_become_arguments() {
        let text = |text: &str| WordPiece::Text(text.to_owned());
        let any = WordPiece::Unknown { splits: true };
        let one = WordPiece::Unknown { splits: false };
        let words =
            [word(&[text("rm")]), word(std::slice::from_ref(&any)), word(&[text("x"), one])];
        for (args, expected) in [
            (&["rm", "x"][..], true),
            (&["rm", "a", "b", "xyz"], true),
            (&["rm", "a"], false),
            (&["git", "x"], false),
            (&["rm"], false),
        ] {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            assert_eq!(matches_words(&words, &args), expected, "{args:?}");
        }
    }
}
