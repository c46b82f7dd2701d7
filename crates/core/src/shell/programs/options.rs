//! Options, with exact arity: what is not known to be an option of the wrapper is not guessed.

use super::super::{Piece, Why, Word};
use super::{environment_name, leading, without};

/// The options of a program that stands before a command. Options behind the first operand are the command's.
pub(super) struct Spec {
    /// Letters that take no value.
    pub(super) flags: &'static str,
    /// Letters that take one, attached or as the next word.
    pub(super) values: &'static str,
    /// Letters that take one only when it is attached.
    pub(super) optional: &'static str,
    /// Long options without a value, apart by blanks.
    pub(super) long_flags: &'static str,
    /// Long options with one.
    pub(super) long_values: &'static str,
    /// Long options with one only behind `=`.
    pub(super) long_optional: &'static str,
    /// `-5` is an option.
    pub(super) digits: bool,
    /// `NAME=value` may stand before the command.
    pub(super) assigns: bool,
    /// How many operands stand before the command.
    pub(super) operands: usize,
}

impl Spec {
    /// No options.
    pub(super) const NONE: Self = Self {
        flags: "",
        values: "",
        optional: "",
        long_flags: "",
        long_values: "",
        long_optional: "",
        digits: false,
        assigns: false,
        operands: 0,
    };
}

/// An option that was given.
pub(super) struct Given {
    /// Its letter, or its long name; `=` for an assignment, `-` for a lone dash.
    pub(super) name: String,
    /// The word that it, or its value, stands in.
    pub(super) arg: usize,
    /// Its value.
    pub(super) value: Option<Word>,
}

/// What stands before the command.
pub(super) struct Parsed {
    pub(super) given: Vec<Given>,
    /// Where the operands start.
    pub(super) operands: usize,
    /// Where the command starts; it may be missing.
    pub(super) command: usize,
}

impl Parsed {
    pub(super) fn find(&self, names: &[&str]) -> Option<&Given> {
        self.given.iter().find(|given| names.contains(&given.name.as_str()))
    }
}

/// Reads the options behind `argv[0]`. An error says which word is not understood.
pub(super) fn parse(spec: &Spec, argv: &[Word]) -> Result<Parsed, (usize, Why)> {
    let mut given = Vec::new();
    let mut at = 1;
    let mut ended = false;
    while let Some(word) = argv.get(at) {
        let text = leading(word);
        let certain = word.pieces.len() <= 1;
        if text.is_empty() && !matches!(word.pieces.first(), None | Some(Piece::Home)) {
            return Err((at, Why::MayBeOption));
        }
        let assigns = spec.assigns && (ended || !text.starts_with('-'));
        if assigns && environment_name(word).is_some() {
            if word.splits() {
                return Err((at, Why::MayBeOption));
            }
            given.push(Given { name: "=".to_owned(), arg: at, value: None });
            at += 1;
        } else if text == "-"
            && certain
            && spec.flags.contains('-')
            && given.iter().all(|given| !matches!(given.name.as_str(), "=" | "-"))
        {
            // Also behind `--`; the options end here.
            given.push(Given { name: "-".to_owned(), arg: at, value: None });
            ended = true;
            at += 1;
        } else if ended {
            break;
        } else if text == "--" && certain {
            ended = true;
            at += 1;
            if !spec.assigns {
                break;
            }
        } else if let Some(long) = text.strip_prefix("--") {
            at = parse_long(spec, argv, at, long, certain, &mut given)?;
        } else if text == "-" && certain {
            break;
        } else if text.starts_with('-') {
            at = parse_short(spec, argv, at, &mut given)?;
        } else {
            break;
        }
    }
    for index in at..at + spec.operands {
        if argv.get(index).is_some_and(Word::splits) {
            return Err((index, Why::MayBeOption));
        }
    }
    Ok(Parsed { given, operands: at, command: at + spec.operands })
}

fn parse_long(
    spec: &Spec, argv: &[Word], at: usize, long: &str, certain: bool, given: &mut Vec<Given>,
) -> Result<usize, (usize, Why)> {
    let is_in = |list: &str, name: &str| list.split(' ').any(|known| known == name);
    let word = argv.get(at).ok_or((at, Why::UnknownOption))?;
    if let Some((name, _)) = long.split_once('=') {
        let known = is_in(spec.long_values, name) || is_in(spec.long_optional, name);
        if !known || word.splits() {
            return Err((at, Why::UnknownOption));
        }
        let value = Some(without(word, name.len() + 3));
        given.push(Given { name: name.to_owned(), arg: at, value });
        return Ok(at + 1);
    }
    if !certain {
        return Err((at, Why::UnknownOption));
    }
    if is_in(spec.long_flags, long) || is_in(spec.long_optional, long) {
        given.push(Given { name: long.to_owned(), arg: at, value: None });
        return Ok(at + 1);
    }
    let value = argv.get(at + 1).filter(|value| !value.splits());
    match value {
        Some(value) if is_in(spec.long_values, long) => {
            given.push(Given { name: long.to_owned(), arg: at + 1, value: Some(value.clone()) });
            Ok(at + 2)
        }
        _ => Err((at, Why::UnknownOption)),
    }
}

fn parse_short(
    spec: &Spec, argv: &[Word], at: usize, given: &mut Vec<Given>,
) -> Result<usize, (usize, Why)> {
    let unknown = (at, Why::UnknownOption);
    let word = argv.get(at).ok_or(unknown)?;
    let text = leading(word);
    let certain = word.pieces.len() <= 1;
    let is_number = text.len() > 1 && text.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    if spec.digits && is_number && certain {
        given.push(Given { name: "#".to_owned(), arg: at, value: None });
        return Ok(at + 1);
    }
    for (index, letter) in text.char_indices().skip(1) {
        let name = letter.to_string();
        let rest = index + letter.len_utf8();
        let attached = rest < text.len() || !certain;
        if spec.flags.contains(letter) {
            given.push(Given { name, arg: at, value: None });
            continue;
        }
        let takes = spec.values.contains(letter);
        if !takes && !spec.optional.contains(letter) {
            return Err(unknown);
        }
        if attached {
            if word.splits() {
                return Err(unknown);
            }
            given.push(Given { name, arg: at, value: Some(without(word, rest)) });
            return Ok(at + 1);
        }
        if !takes {
            given.push(Given { name, arg: at, value: None });
            return Ok(at + 1);
        }
        let value = argv.get(at + 1).filter(|value| !value.splits()).ok_or(unknown)?;
        given.push(Given { name, arg: at + 1, value: Some(value.clone()) });
        return Ok(at + 2);
    }
    if certain { Ok(at + 1) } else { Err(unknown) }
}
