//! Programs that run the command behind their own words: which words are theirs, exactly. What is not known to be an option
//! of theirs is not guessed, since the command would begin somewhere else.

use super::spec::{
    OperandSpec, OperandUse, OptionMeaning, OptionTakes, ProgramSpec, ScriptLanguage,
};
use super::walk::ArgumentPart;
use super::{tables, words};
use crate::shell::{DoubtReason, Word, WordPiece};

/// An option that was given, or an assignment.
pub(in crate::shell) struct GivenOption {
    /// The word that it, or its value, stands in.
    pub(in crate::shell) arg: usize,
    /// Where its value begins in that word.
    skip: usize,
    /// Its value.
    pub(in crate::shell) value: Option<Word>,
    /// What it is used for; nothing of an assignment.
    pub(super) uses: Option<OperandUse>,
}

impl GivenOption {
    pub(super) fn part(&self) -> ArgumentPart {
        ArgumentPart { arg: self.arg, skip: self.skip }
    }

    /// Whether it is `NAME=value`.
    pub(in crate::shell) fn assigns(&self) -> bool {
        self.uses.is_none()
    }

    /// Whether its value is a directory that the command starts in.
    pub(in crate::shell) fn enters(&self) -> bool {
        matches!(self.uses, Some(OperandUse::Base))
    }

    /// Whether its value is a file that is read.
    pub(in crate::shell) fn reads(&self) -> bool {
        matches!(self.uses, Some(OperandUse::Read))
    }

    /// Whether its value is a file that is written.
    pub(in crate::shell) fn writes(&self) -> bool {
        matches!(self.uses, Some(OperandUse::Write | OperandUse::Replaces))
    }

    /// Whether what was in that file is gone then.
    pub(in crate::shell) fn replaces(&self) -> bool {
        matches!(self.uses, Some(OperandUse::Replaces))
    }

    /// Whether it decides what runs.
    pub(in crate::shell) fn runs(&self) -> bool {
        matches!(self.uses, Some(OperandUse::Runs))
    }

    /// Whether the table keeps it under this name.
    pub(in crate::shell) fn is(&self, name: &str) -> bool {
        matches!(self.uses, Some(OperandUse::Keep(kept)) if kept == name)
    }
}

/// What stands before the command.
pub(in crate::shell) struct LaunchWords {
    /// The options and assignments.
    pub(in crate::shell) given: Vec<GivenOption>,
    /// Where the operands start.
    pub(in crate::shell) operands: usize,
    /// Where the command starts; it may be missing.
    pub(in crate::shell) command: usize,
    /// Why it is unknown with any command.
    pub(in crate::shell) doubt: Option<DoubtReason>,
}

impl LaunchWords {
    /// The first option that is kept under this name.
    pub(in crate::shell) fn find(&self, name: &str) -> Option<&GivenOption> {
        self.given.iter().find(|given| given.is(name))
    }
}

/// Whether the program of this name is looked through, which needs no allow of its own, since what it runs needs one; else
/// the language that it reads. `None`: neither.
pub(in crate::shell) fn through(name: &str) -> Option<LookedThrough> {
    let program = tables().program(name)?;
    if program.through {
        return Some(LookedThrough::Command);
    }
    program.language.map(LookedThrough::Script)
}

/// What a program runs that it is looked through to.
pub(in crate::shell) enum LookedThrough {
    /// A command.
    Command,
    /// A script in this language.
    Script(ScriptLanguage),
}

/// Why the program of this name is unknown with any command.
pub(in crate::shell) fn doubt(name: &str) -> Option<DoubtReason> {
    tables().program(name)?.doubt
}

/// Reads the words of the program of this name. An error says which word is not understood.
pub(in crate::shell) fn read(
    name: &str, argv: &[Word],
) -> Result<LaunchWords, (usize, DoubtReason)> {
    let Some(program) = tables().program(name) else {
        return Err((0, DoubtReason::UnknownCommand));
    };
    let count = match program.operands {
        OperandSpec::Launches(count) => count,
        // The command stands behind one operand, the host.
        _ => 1,
    };
    parse(program, argv, 1, count)
}

/// Reads the words from `from` on, up to the command behind `count` operands.
pub(super) fn parse(
    program: &ProgramSpec, argv: &[Word], from: usize, count: usize,
) -> Result<LaunchWords, (usize, DoubtReason)> {
    let mut given: Vec<GivenOption> = Vec::new();
    let mut at = from;
    let mut ended = false;
    let mut dashed = false;
    while let Some(word) = argv.get(at) {
        let text = words::beginning(word);
        let certain = word.pieces.len() <= 1;
        if text.is_empty() && !matches!(word.pieces.first(), None | Some(WordPiece::Home)) {
            return Err((at, DoubtReason::MayBeOption));
        }
        let assigns = program.assigns && (ended || !text.starts_with('-'));
        if assigns && text.contains('=') {
            if word.splits() {
                return Err((at, DoubtReason::MayBeOption));
            }
            given.push(GivenOption { arg: at, skip: 0, value: None, uses: None });
            at += 1;
        } else if text == "-"
            && certain
            && !program.short('-').is_empty()
            && !dashed
            && given.iter().all(|given| !given.assigns())
        {
            // Also behind `--`; the options end here.
            dashed = true;
            ended = true;
            at += 1;
        } else if ended {
            break;
        } else if text == "--" && certain {
            ended = true;
            at += 1;
            if !program.assigns {
                break;
            }
        } else if text.starts_with("--")
            || (program.style.one_dash() && text.len() > 1 && text.starts_with('-'))
        {
            at = long(program, argv, at, &mut given)?;
        } else if text == "-" && certain {
            break;
        } else if text.starts_with('-') {
            at = short(program, argv, at, &mut given)?;
        } else {
            break;
        }
    }
    for index in at..at + count {
        if argv.get(index).is_some_and(Word::splits) {
            return Err((index, DoubtReason::MayBeOption));
        }
    }
    Ok(LaunchWords { given, operands: at, command: at + count, doubt: program.doubt })
}

/// Whether it takes a value. Where versions differ, the command behind could begin in two places.
fn takes<'m>(readings: impl Iterator<Item = &'m OptionMeaning>) -> Option<OptionTakes> {
    let mut found = None;
    for reading in readings {
        if found.is_some_and(|found| found != reading.takes) {
            return None;
        }
        found = Some(reading.takes);
    }
    found
}

/// Notes what an option is used for, and says where the words behind it begin.
fn note<'m>(
    readings: impl Iterator<Item = &'m OptionMeaning>, part: ArgumentPart, argv: &[Word],
    valued: bool, given: &mut Vec<GivenOption>,
) -> usize {
    for reading in readings {
        let value = valued
            .then(|| argv.get(part.arg).map(|word| words::without(word, part.skip)))
            .flatten();
        given.push(GivenOption { arg: part.arg, skip: part.skip, value, uses: Some(reading.uses) });
    }
    part.arg + 1
}

fn long(
    program: &ProgramSpec, argv: &[Word], at: usize, given: &mut Vec<GivenOption>,
) -> Result<usize, (usize, DoubtReason)> {
    let unknown = (at, DoubtReason::UnknownOption);
    let word = argv.get(at).ok_or(unknown)?;
    let text = words::beginning(word);
    let dashes = if text.starts_with("--") { 2 } else { 1 };
    let text = text.get(dashes..).unwrap_or_default();
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    let readings = program.whole(name);
    let meanings = || readings.iter().map(|(_, meaning)| meaning);
    let takes = takes(meanings()).ok_or(unknown)?;
    if text.contains('=') {
        if takes == OptionTakes::Nothing || word.splits() {
            return Err(unknown);
        }
        let part = ArgumentPart { arg: at, skip: dashes + name.len() + 1 };
        return Ok(note(meanings(), part, argv, true, given));
    }
    if word.pieces.len() > 1 {
        return Err(unknown);
    }
    if takes == OptionTakes::Next {
        // Where the command begins depends on what stands behind it.
        return Err(unknown);
    }
    if takes != OptionTakes::Value {
        return Ok(note(meanings(), ArgumentPart { arg: at, skip: 0 }, argv, false, given));
    }
    argv.get(at + 1).filter(|value| !value.splits()).ok_or(unknown)?;
    Ok(note(meanings(), ArgumentPart { arg: at + 1, skip: 0 }, argv, true, given))
}

fn short(
    program: &ProgramSpec, argv: &[Word], at: usize, given: &mut Vec<GivenOption>,
) -> Result<usize, (usize, DoubtReason)> {
    let unknown = (at, DoubtReason::UnknownOption);
    let word = argv.get(at).ok_or(unknown)?;
    let text = words::beginning(word);
    let certain = word.pieces.len() <= 1;
    let is_number = text.len() > 1 && text.bytes().skip(1).all(|byte| byte.is_ascii_digit());
    if program.digits && is_number && certain {
        return Ok(at + 1);
    }
    for (index, letter) in text.char_indices().skip(1) {
        let rest = index + letter.len_utf8();
        let attached = rest < text.len() || !certain;
        let readings = program.short(letter);
        let meanings = || readings.iter().map(|(_, meaning)| meaning);
        let here = ArgumentPart { arg: at, skip: 0 };
        match takes(meanings()).ok_or(unknown)? {
            OptionTakes::Nothing => {
                note(meanings(), here, argv, false, given);
            }
            takes if attached => {
                if word.splits() || (takes.next() && words::doubt_of_value(word, rest).is_some()) {
                    return Err((at, DoubtReason::CountsWords));
                }
                return Ok(note(
                    meanings(),
                    ArgumentPart { arg: at, skip: rest },
                    argv,
                    true,
                    given,
                ));
            }
            OptionTakes::Maybe => return Ok(note(meanings(), here, argv, false, given)),
            // Where the command begins depends on what stands behind it.
            OptionTakes::Next => return Err(unknown),
            OptionTakes::Value => {
                argv.get(at + 1).filter(|value| !value.splits()).ok_or(unknown)?;
                return Ok(note(
                    meanings(),
                    ArgumentPart { arg: at + 1, skip: 0 },
                    argv,
                    true,
                    given,
                ));
            }
        }
    }
    if certain { Ok(at + 1) } else { Err(unknown) }
}
