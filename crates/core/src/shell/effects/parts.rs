//! Which words of a command are its options and which its operands, for rules that say "these and no others".

use super::spec::{OperandSpec, OptionTakes, ProgramSpec};
use super::{called, tables, words};
use crate::shell::Word;

/// The words of a command behind the name of its program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CommandParts {
    /// Words that are operands, by their index; `false` for the value of an option to some versions of the program. Names of
    /// commands (`log` of `git log`) are among them.
    pub(crate) operands: Vec<(usize, bool)>,
    /// The options that stand in them.
    pub(crate) options: Vec<GivenOption>,
}

/// An option of a command. If cut short, it is all that it could be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GivenOption {
    /// The index of the word that it stands in.
    pub(crate) at: usize,
    /// As the table writes it.
    pub(crate) name: String,
    /// Whether all that it does in any version of the program is to read.
    pub(crate) only_reads: bool,
}

/// Takes a command apart; `None` where that cannot be told: the program has no table, an option is not in it (whether the
/// table is open or not), or a word may become several or an option.
///
/// Each word that is no value of an option in every reading is among the parts. So finding all of them in order leaves out
/// nothing that the program could take for an operand or an option.
pub(crate) fn parts(argv: &[Word]) -> Option<CommandParts> {
    let name = argv.first()?.literal()?;
    let program = called(name)?;
    if argv.iter().any(Word::splits) {
        return None;
    }
    let mut parts = CommandParts::default();
    parts.add(program, argv, 1)?;
    parts.operands.sort_unstable();
    // What one reading doubts is doubted.
    parts.operands.dedup_by_key(|(at, _)| *at);
    Some(parts)
}

impl CommandParts {
    fn add(&mut self, program: &ProgramSpec, argv: &[Word], from: usize) -> Option<()> {
        let mut next = from;
        // The word that may be the value of the option before it.
        let mut value = None;
        while let Some(word) = argv.get(next) {
            let at = next;
            next += 1;
            let begins = words::beginning(word);
            let whole = word.literal().is_some();
            if !whole && (begins.is_empty() || begins == "-") {
                return None;
            }
            let is_value = value == Some(at);
            if begins == "--" && whole {
                // The value of an option to one version, the end of all options to another.
                if is_value {
                    return None;
                }
                self.operands.extend((next..argv.len()).map(|at| (at, true)));
                return Some(());
            }
            let taken = match begins.strip_prefix('-') {
                Some(rest) if !rest.is_empty() => match rest.strip_prefix('-') {
                    Some(name) => self.long(program, at, name, whole)?,
                    None if program.style.one_dash() => self.long(program, at, rest, whole)?,
                    None => self.bundle(program, argv, at, rest)?,
                },
                _ if program.plus && begins.starts_with('+') => return None,
                _ => {
                    self.operands.push((at, !is_value));
                    let command = Self::command(program, word);
                    if let Some(command) = command {
                        self.add(command, argv, at + 1)?;
                    } else if matches!(program.operands, OperandSpec::Command) {
                        return None;
                    }
                    if program.style.leading() {
                        if command.is_none() {
                            self.rest(program, argv, next)?;
                        }
                        return Some(());
                    }
                    TakenWord::Nothing
                }
            };
            value = None;
            if taken != TakenWord::Nothing && argv.get(next).is_some() {
                let like_option =
                    argv.get(next).is_some_and(|word| words::beginning(word).starts_with('-'));
                if taken == TakenWord::Surely && !is_value && !like_option {
                    next += 1;
                } else {
                    value = Some(next);
                }
            }
        }
        Some(())
    }

    /// The command that an operand names: what follows is that command's.
    fn command(program: &ProgramSpec, word: &Word) -> Option<&'static ProgramSpec> {
        tables().command(program.names.first()?, word.literal()?)
    }

    /// What follows the first operand of a program whose options end there.
    fn rest(&mut self, program: &ProgramSpec, argv: &[Word], from: usize) -> Option<()> {
        let words = argv.get(from..).unwrap_or_default();
        // The program's own code may see options in it.
        let options = words.iter().any(|word| words::beginning(word).starts_with(['-', '+']));
        if options && matches!(program.operands, OperandSpec::Code(_)) {
            return None;
        }
        self.operands.extend((from..argv.len()).map(|at| (at, true)));
        Some(())
    }

    fn long(
        &mut self, program: &ProgramSpec, at: usize, name: &str, whole: bool,
    ) -> Option<TakenWord> {
        let (name, assigned) = match name.split_once('=') {
            Some((name, _)) => (name, true),
            None if !whole => return None,
            None => (name, false),
        };
        let number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        if number && program.digits && program.style.one_dash() && !assigned {
            return Some(TakenWord::Nothing);
        }
        let readings = program.long(name);
        if readings.is_empty() {
            return None;
        }
        let dashes = if program.style.one_dash() { "-" } else { "--" };
        for (name, meaning) in readings {
            self.options.push(GivenOption {
                at,
                name: format!("{dashes}{name}"),
                only_reads: meaning.uses.only_reads(),
            });
        }
        if assigned {
            // A flag takes nothing behind `=`.
            let takes = readings.iter().all(|(_, meaning)| meaning.takes != OptionTakes::Nothing);
            return takes.then_some(TakenWord::Nothing);
        }
        Some(TakenWord::by(readings.iter().map(|(_, meaning)| meaning.takes)))
    }

    fn bundle(
        &mut self, program: &ProgramSpec, argv: &[Word], at: usize, letters: &str,
    ) -> Option<TakenWord> {
        let word = argv.get(at)?;
        let whole = word.literal().is_some();
        let mut letters = letters.char_indices();
        while let Some((_, letter)) = letters.next() {
            if letter.is_ascii_digit() && program.digits {
                continue;
            }
            let readings = program.short(letter);
            if readings.is_empty() {
                return None;
            }
            self.options.push(GivenOption {
                at,
                name: format!("-{letter}"),
                only_reads: readings.iter().all(|(_, meaning)| meaning.uses.only_reads()),
            });
            let takes = || readings.iter().map(|(_, meaning)| meaning.takes);
            let attached = !whole || !letters.as_str().is_empty();
            let skip = words::beginning(word).len() - letters.as_str().len();
            if attached
                && argv.get(at + 1).is_some()
                && takes().any(OptionTakes::next)
                && words::doubt_of_value(word, skip).is_some()
            {
                return None;
            }
            if attached && takes().all(|takes| takes != OptionTakes::Nothing) {
                return Some(TakenWord::Nothing);
            }
            if !attached {
                return Some(TakenWord::by(takes()));
            }
        }
        // What the last letters are is not known.
        whole.then_some(TakenWord::Nothing)
    }
}

/// Whether an option takes the next word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TakenWord {
    Nothing,
    /// To some versions of the program.
    Perhaps,
    Surely,
}

impl TakenWord {
    fn by(mut takes: impl Iterator<Item = OptionTakes> + Clone) -> Self {
        if takes.clone().all(|takes| takes == OptionTakes::Value) {
            Self::Surely
        } else if takes.any(|takes| matches!(takes, OptionTakes::Value | OptionTakes::Next)) {
            Self::Perhaps
        } else {
            Self::Nothing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{FactKind, Shell, analyze};

    fn shown(line: &str) -> Option<String> {
        let facts = analyze(line, Shell::Bash).facts;
        let argv = facts.iter().find_map(|fact| match &fact.what {
            FactKind::Command(command) => Some(command.argv.clone()),
            _ => None,
        })?;
        let parts = parts(&argv)?;
        let operands = parts.operands.iter().map(|(at, surely)| {
            let word = argv.get(*at).and_then(Word::literal).unwrap_or("…");
            format!("{word}{}", if *surely { "" } else { "?" })
        });
        let options = parts.options.iter().map(|option| option.name.clone());
        Some(options.chain(operands).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_command_is_taken_apart() {
        for (line, expected) in [
            ("sort a -u b", Some("-u a b")),
            ("sort -k 2 a", Some("-k a")),
            ("sort -k2 -- -u a", Some("-k -u a")),
            ("sort -ru a", Some("-r -u a")),
            ("sort -k -u a", Some("-k -u a")),
            ("sort --no-such-option a", None),
            ("sort --rev a", Some("--reverse a")),
            ("sort $x", None),
            ("sort *.c", None),
            ("sort \"$x\"", None),
            ("sort -k \"$x\" a", Some("-k a")),
            ("sort -k\"$x\" a", None),
            ("sort a -k\"$x\"", Some("-k a")),
            ("sort -k\"$x,2\" a", Some("-k a")),
            ("sort -u\"$x\" a", None),
            ("no-such-program a", None),
            ("git -C x no-such-command -f", None),
            ("git no-such-command a", Some("no-such-command a")),
            ("sort", Some("")),
        ] {
            assert_eq!(shown(line).as_deref(), expected, "{line}");
        }
    }
}
