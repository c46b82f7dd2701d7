//! Shells: `sh -c SCRIPT` is read, everything else that a shell runs is not known.

use super::super::findings::span_of;
use super::super::prover::LineProver;
use super::super::{CommandRole, DoubtReason, FileAccess, Shell, Word};
use super::effects::{ScriptLanguage, beginning};

/// What the words of a shell say.
struct ShellInvocation {
    /// `-c`
    script: bool,
    /// The first operand.
    operand: usize,
    /// An option that makes it read, or do, something else.
    doubt: Option<DoubtReason>,
}

/// Options of `set` that may stand before a script.
const SET_OPTIONS: &[&str] = &[
    "pipefail",
    "errexit",
    "nounset",
    "xtrace",
    "verbose",
    "noglob",
    "noclobber",
    "noexec",
    "errtrace",
    "functrace",
    "monitor",
    "notify",
    "hashall",
    "nolog",
];

fn invocation(argv: &[Word]) -> ShellInvocation {
    let mut result = ShellInvocation { script: false, operand: argv.len(), doubt: None };
    let mut at = 1;
    while let Some(word) = argv.get(at) {
        let Some(text) = word.literal() else {
            let dynamic = beginning(word).is_empty() || beginning(word).starts_with(['-', '+']);
            if dynamic && !result.script {
                result.doubt = Some(DoubtReason::MayBeOption);
            }
            break;
        };
        if text == "--" || text == "-" {
            at += 1;
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            match long {
                "norc" | "noprofile" | "restricted" | "verbose" | "login" => {}
                "rcfile" | "init-file" => {
                    result.doubt = Some(DoubtReason::ShellInput);
                    at += 1;
                }
                _ => result.doubt = Some(DoubtReason::UnknownOption),
            }
            at += 1;
            continue;
        }
        if !text.starts_with(['-', '+']) || text.len() < 2 {
            break;
        }
        at += 1;
        for letter in text.chars().skip(1) {
            match letter {
                'c' if text.starts_with('-') => result.script = true,
                'b' | 'e' | 'f' | 'h' | 'l' | 'm' | 'n' | 'u' | 'v' | 'x' | 'B' | 'C' | 'E'
                | 'H' | 'P' | 'T' | 'p' => {}
                'i' | 's' => result.doubt = Some(DoubtReason::ShellInput),
                'o' => {
                    let known = argv
                        .get(at)
                        .and_then(Word::literal)
                        .is_some_and(|name| SET_OPTIONS.contains(&name));
                    if !known {
                        result.doubt = Some(DoubtReason::UnknownOption);
                    }
                    at += 1;
                }
                'O' => {
                    result.doubt = Some(DoubtReason::UnknownOption);
                    at += 1;
                }
                _ => result.doubt = Some(DoubtReason::UnknownOption),
            }
        }
    }
    result.operand = at;
    result
}

impl LineProver<'_, '_> {
    /// A shell with these words.
    pub(super) fn shell(&mut self, argv: Vec<Word>, language: ScriptLanguage, role: CommandRole) {
        let span = span_of(&argv);
        let invocation = invocation(&argv);
        let operand = argv.get(invocation.operand);
        if !invocation.script {
            // A script file, or its standard input.
            let command = self.found.command(argv.clone(), CommandRole::Plain);
            if let Some(file) = operand {
                // `bash <(echo rm x)`
                self.printed_scripts(file.span);
            }
            self.found.runs_input |= operand.is_none() || invocation.doubt.is_some();
            match operand {
                Some(file) if invocation.doubt.is_none() => {
                    self.found.path(
                        command,
                        invocation.operand,
                        FileAccess::Read,
                        file.clone(),
                        false,
                    );
                    self.found.unknown_at(
                        span,
                        DoubtReason::ScriptFile,
                        command,
                        invocation.operand,
                    );
                }
                _ => self.found.unknown(span, invocation.doubt.unwrap_or(DoubtReason::ShellInput)),
            }
            if invocation.doubt.is_some() {
                self.possible_scripts(&argv);
            }
            return;
        }
        self.found.command(argv.clone(), role);
        if let Some(why) = invocation.doubt {
            self.found.unknown(span, why);
        }
        let Some(operand) = operand else {
            return self.found.unknown(span, DoubtReason::MissingCommand);
        };
        let Some(script) = operand.literal() else {
            self.found.unknown(operand.span, DoubtReason::DynamicScript);
            // What is not known of it may come from the input: `xargs -I{} sh -c {}`.
            self.found.runs_input = true;
            self.printed_scripts(operand.span);
            return self.known_parts(operand);
        };
        let shell = match language {
            ScriptLanguage::Bash => Shell::Bash,
            ScriptLanguage::Sh => Shell::Sh,
            ScriptLanguage::Words => Shell::Zsh,
            ScriptLanguage::Other => {
                self.found.unknown(operand.span, DoubtReason::OtherShell);
                Shell::Bash
            }
        };
        let given = argv.get(invocation.operand + 1..).unwrap_or_default();
        self.read_script_with(script, std::slice::from_ref(operand), shell, given);
    }

    /// The options are not certain: what stands behind a `-c` may be a script.
    fn possible_scripts(&mut self, argv: &[Word]) {
        for pair in argv.windows(2) {
            if let [option, script] = pair
                && option.literal().is_some_and(|text| text.starts_with('-') && text.ends_with('c'))
                && let Some(text) = script.literal()
            {
                self.read_script(text, std::slice::from_ref(script), Shell::Sh);
            }
        }
    }

    /// What a script that is known in parts would run: what is not known is read as the value of a variable.
    pub(in super::super) fn known_parts(&mut self, word: &Word) {
        use super::WordPiece;
        if matches!(word.pieces.as_slice(), [WordPiece::Unknown { .. }]) {
            return;
        }
        let mut script = String::new();
        for piece in &word.pieces {
            match piece {
                WordPiece::Text(text) | WordPiece::Glob(text) => script.push_str(text),
                WordPiece::Home | WordPiece::Unknown { .. } => script.push_str("$_"),
            }
        }
        self.read_script(&script, std::slice::from_ref(word), Shell::Sh);
    }
}
