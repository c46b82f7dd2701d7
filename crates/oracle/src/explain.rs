//! Whether what ran is among the facts.

use countersign_core::shell::{Access, Analysis, Piece, What, Word};

use crate::policy::places;
use crate::sandbox::{Ran, house};

/// The home directory of the sandbox.
const HOME: &str = "/home/u";

/// Whether the facts hold something of which they say nothing more.
pub fn is_unknown(analysis: &Analysis) -> bool {
    analysis.facts.iter().any(|fact| matches!(fact.what, What::Unknown { .. }))
}

/// Whether one of the facts is this command.
pub fn command(analysis: &Analysis, ran: &Ran) -> bool {
    let name = ran.argv.first().map_or("", String::as_str);
    let own_name = ran.file == house::MISSING || name.rsplit('/').next() == Some(&ran.file);
    own_name
        && analysis.facts.iter().any(|fact| match &fact.what {
            What::Command(command) => matches_words(&command.argv, &ran.argv),
            _ => false,
        })
}

/// Whether one of the facts is the writing of this file.
pub fn write(analysis: &Analysis, path: &str) -> bool {
    analysis.facts.iter().any(|fact| match &fact.what {
        What::Redirect { access: Access::Write, target } => match target.literal() {
            Some(literal) => {
                places(literal).iter().any(|place| place == path)
                    || !analysis.dirs.is_empty() && !literal.starts_with('/')
            }
            None => true,
        },
        What::Path { access: Access::Write, target, .. } => {
            target.literal().is_none_or(|literal| places(literal).iter().any(|place| place == path))
        }
        _ => false,
    })
}

/// Whether one of the facts is this variable.
pub fn variable(analysis: &Analysis, name: &str) -> bool {
    analysis
        .facts
        .iter()
        .any(|fact| matches!(&fact.what, What::Assign { name: known } if known == name))
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
fn matches_pieces(pieces: &[Piece], arg: &str) -> bool {
    let (Some(piece), rest) = (pieces.first(), pieces.get(1..).unwrap_or_default()) else {
        return arg.is_empty();
    };
    match piece {
        Piece::Text(text) => {
            arg.strip_prefix(text.as_str()).is_some_and(|arg| matches_pieces(rest, arg))
        }
        Piece::Home => arg.strip_prefix(HOME).is_some_and(|arg| matches_pieces(rest, arg)),
        Piece::Glob(_) | Piece::Unknown { .. } => arg
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

    fn word(pieces: &[Piece]) -> Word {
        Word { span: Span { start: 0, end: 0 }, pieces: pieces.to_vec() }
    }

    #[test]
    fn words_become_arguments() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let any = Piece::Unknown { splits: true };
        let one = Piece::Unknown { splits: false };
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
