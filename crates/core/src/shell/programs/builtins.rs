//! Builtins that run text, set variables, change the directory, or change how the rest is read.

use super::super::findings::span_of;
use super::super::handed::HandedValue;
use super::super::prover::{LineProver, ShellDialect};
use super::super::values::{ExpandedValue, GivenValue};
use super::super::{CommandRole, DoubtReason, FileAccess, Shell, Word, WordPiece};
use super::effects::{beginning, doubt_of_value, without};
use super::{assigned_name, is_name};

/// Options of `set -o` that do not change how the rest is read.
const SET_OPTIONS: &[&str] =
    &["pipefail", "errexit", "nounset", "xtrace", "verbose", "noglob", "noclobber", "errtrace"];
/// Words of `shopt` that do not.
const SHOPT_WORDS: &[&str] =
    &["-q", "-p", "-s", "-u", "nullglob", "failglob", "lastpipe", "inherit_errexit"];

/// Whether the builtin of this name needs a closer look.
pub(super) fn is_builtin(name: &str) -> bool {
    matches!(
        name,
        "eval"
            | "source"
            | "."
            | "trap"
            | "alias"
            | "unalias"
            | "enable"
            | "hash"
            | "bind"
            | "complete"
            | "compgen"
            | "compopt"
            | "fc"
            | "history"
            | "jobs"
            | "cd"
            | "chdir"
            | "pushd"
            | "popd"
            | "export"
            | "declare"
            | "typeset"
            | "local"
            | "readonly"
            | "read"
            | "printf"
            | "mapfile"
            | "readarray"
            | "getopts"
            | "let"
            | "unset"
            | "wait"
            | "set"
            | "shift"
            | "shopt"
            | "test"
            | "["
    )
}

impl LineProver<'_, '_> {
    pub(super) fn builtin(&mut self, argv: Vec<Word>) {
        let span = span_of(&argv);
        let name = argv.first().and_then(Word::literal).unwrap_or_default().to_owned();
        match name.as_str() {
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                return self.declares(argv, &name);
            }
            "test" | "[" => return self.test(argv),
            _ => {}
        }
        let command = self.plain(argv.clone());
        match name.as_str() {
            "cd" | "chdir" | "pushd" => self.changes_directory(&argv, &name),
            "popd" => {
                // Back to where a `pushd` came from, which is among the directories already.
                if argv.len() > 1 || self.found.dirs.is_empty() {
                    self.found.anywhere();
                }
            }
            "eval" => {
                self.found.unknown(span, DoubtReason::Evaluates);
                self.found.values.forget();
                self.evaluated(&argv, 1);
            }
            "source" | "." => {
                self.found.unknown(span, DoubtReason::Evaluates);
                self.found.anywhere();
                self.found.values.forget();
                if let Some(file) = argv.get(1) {
                    self.printed_scripts(file.span);
                    self.found.path(command, 1, FileAccess::Read, file.clone(), false);
                }
            }
            "trap" => {
                self.found.unknown(span, DoubtReason::Evaluates);
                self.found.values.forget();
                let at = 1 + usize::from(argv.get(1).and_then(Word::literal) == Some("--"));
                let action = argv.get(at).filter(|word| !matches!(word.literal(), Some("-" | "")));
                if let Some(action) = action {
                    self.evaluated(std::slice::from_ref(action), 0);
                }
            }
            "alias" => {
                self.found.unknown(span, DoubtReason::Evaluates);
                self.found.values.forget();
                for word in argv.iter().skip(1) {
                    if let Some((_, value)) = word.literal().and_then(|text| text.split_once('=')) {
                        self.read_script(value, std::slice::from_ref(word), self.own_shell());
                    }
                }
            }
            "read" | "printf" | "mapfile" | "readarray" | "getopts" | "unset" | "wait" => {
                self.sets_variables(&argv, &name);
            }
            "let" => self.evaluates_arithmetic(&argv),
            "shift" => self.found.values.lose_parameters(),
            "set" | "shopt" => self.shell_options(&argv, &name, command),
            "history" | "jobs" if argv.len() == 1 => {}
            "jobs" => {
                if !argv
                    .iter()
                    .skip(1)
                    .all(|word| matches!(word.literal(), Some("-l" | "-p" | "-n" | "-r" | "-s")))
                {
                    self.found.unknown(span, DoubtReason::RunsCode);
                    self.guess(&argv, 1);
                }
            }
            _ => self.found.unknown(span, DoubtReason::Evaluates),
        }
    }

    /// The shell that reads this text.
    fn own_shell(&self) -> Shell {
        if self.dialect == ShellDialect::Bash { Shell::Bash } else { Shell::Posix }
    }

    /// These words, with blanks between them, are read as commands.
    fn evaluated(&mut self, argv: &[Word], from: usize) {
        let words = argv.get(from..).unwrap_or_default();
        let texts: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
        match texts {
            Some(texts) => self.read_script(&texts.join(" "), words, self.own_shell()),
            None => {
                // `eval "$(echo rm x)"`
                self.printed_scripts(span_of(words));
                match words {
                    [word] => self.known_parts(word),
                    _ => self.rest(argv, from),
                }
            }
        }
    }

    fn changes_directory(&mut self, argv: &[Word], name: &str) {
        let mut at = 1;
        let option =
            |word: &Word| matches!(word.literal(), Some("-L" | "-P" | "-e" | "-n" | "-LP" | "-PL"));
        while argv.get(at).is_some_and(option) {
            at += 1;
        }
        if argv.get(at).and_then(Word::literal) == Some("--") {
            at += 1;
        }
        match argv.get(at) {
            None if name == "pushd" => self.found.anywhere(),
            None => {
                let span = span_of(argv);
                self.found.change_dir(&Word { span, pieces: vec![WordPiece::Home] });
            }
            Some(word) if beginning(word).starts_with(['-', '+']) || argv.len() > at + 1 => {
                self.found.anywhere()
            }
            Some(word) => self.found.change_dir(word),
        }
    }

    /// `export`, `declare` and their like: the variables they set are the facts.
    fn declares(&mut self, argv: Vec<Word>, name: &str) {
        let command = self.found.command(argv.clone(), CommandRole::Wrapper);
        let gives_arrays = std::mem::take(&mut self.found.declares_arrays);
        if shows_variables(&argv, gives_arrays) {
            let last = argv.len().saturating_sub(1);
            self.found.unknown_at(span_of(&argv), DoubtReason::ShowsSecrets, command, last);
        }
        let mut arrays = false;
        // Nothing but exported: what it holds is what it is given, from here on too.
        let plain = name != "readonly"
            && argv.iter().skip(1).all(|word| {
                let text = beginning(word);
                !text.starts_with(['-', '+']) || matches!(text, "-x" | "-g" | "--")
            });
        let exports = name == "export"
            || argv.iter().skip(1).any(|word| {
                beginning(word).strip_prefix('-').is_some_and(|letters| letters.contains('x'))
            });
        for word in argv.iter().skip(1) {
            let text = beginning(word);
            let certain = word.literal().is_some();
            if certain && text.starts_with(['-', '+']) && !text.contains('=') {
                arrays |= text.contains(['a', 'A']);
                if text.contains(['i', 'n']) {
                    // Values become arithmetic, or other names.
                    self.found.unknown(word.span, DoubtReason::Arithmetic);
                }
                continue;
            }
            if let Some(variable) = assigned_name(word) {
                let value = text.split_once('=').map_or("", |(_, value)| value);
                let array = value.starts_with('(') || (arrays && !certain);
                if array || text.contains('[') && value.contains('$') {
                    self.found.unknown(word.span, DoubtReason::Evaluates);
                    self.known_parts(&without(word, text.len() - value.len()));
                }
                if word.splits() && (self.dialect == ShellDialect::Dash || name == "local") {
                    self.found.unknown(word.span, DoubtReason::DynamicScript);
                }
                let own = without(word, text.len() - value.len());
                let appends = text.split_once('=').is_some_and(|(name, _)| name.ends_with('+'));
                let given = if plain && !appends && !array {
                    GivenValue::Word(&own.pieces)
                } else {
                    GivenValue::Unknown
                };
                let handed = HandedValue::of(own.literal().filter(|_| !appends));
                if exports {
                    self.found.handed.export(variable);
                }
                self.found.give_as(word.span, variable, given, handed, true);
                if !plain {
                    self.found.values.lose(variable);
                }
            } else if certain && is_name(text) {
                if exports {
                    self.found.handed.export(text);
                }
                if matches!(name, "local" | "declare" | "typeset") {
                    self.found.assign(word.span, text);
                }
                if name != "export" {
                    self.found.values.lose(text);
                }
            } else {
                self.found.unknown(word.span, DoubtReason::Evaluates);
                if let Some((variable, value)) = text.split_once('=') {
                    let _ = variable;
                    self.read_script(
                        &format!(": \"{value}\""),
                        std::slice::from_ref(word),
                        Shell::Bash,
                    );
                }
            }
        }
        if !gives_arrays {
            self.found.stands_alone(command);
        }
    }

    /// Whether the word is the number of a process, or nothing: `$!`, or a variable that holds nothing else.
    fn is_job(&mut self, word: &Word) -> bool {
        if self.found.values.separators() {
            return false;
        }
        let text = self.slice(word.span.start, word.span.end).trim_matches('"');
        match text.strip_prefix('$') {
            Some("!") => true,
            Some(name) if is_name(name) => {
                matches!(self.found.values.expand(word.span, name), ExpandedValue::Number { .. })
            }
            _ => false,
        }
    }

    /// `read NAME`, `printf -v NAME` and their like.
    fn sets_variables(&mut self, argv: &[Word], name: &str) {
        let values = match name {
            "read" => "adinNptu",
            "mapfile" | "readarray" => "dnOsuCc",
            "printf" => "v",
            "wait" => "p",
            _ => "",
        };
        let mut at = 1;
        let mut set: Vec<Word> = Vec::new();
        while let Some(word) = argv.get(at) {
            let text = beginning(word);
            let uncertain = text.is_empty() && !word.pieces.is_empty();
            let may_set = match name {
                // With the name attached, which runs code in its brackets.
                "wait" => true,
                "printf" => argv.len() > at + 1,
                _ => false,
            };
            if uncertain && (may_set || word.splits()) && !(name == "wait" && self.is_job(word)) {
                // It may become `-v` or `-p`, and what is behind it the name.
                self.found.unknown(word.span, DoubtReason::MayBeOption);
            }
            if text == "-" && word.pieces.len() > 1 {
                self.found.unknown(word.span, DoubtReason::MayBeOption);
            }
            if !text.starts_with('-') || text == "-" {
                break;
            }
            at += 1;
            if text == "--" {
                break;
            }
            if doubt_of_value(word, 0).is_some() {
                self.found.unknown(word.span, DoubtReason::CountsWords);
            }
            if word.pieces.len() > 1 && !text.chars().skip(1).any(|letter| values.contains(letter))
            {
                // More letters, and the value of one.
                self.found.unknown(word.span, DoubtReason::MayBeOption);
            }
            for (index, letter) in text.char_indices().skip(1) {
                if !values.contains(letter) {
                    continue;
                }
                let rest = index + letter.len_utf8();
                let attached = rest < text.len() || word.pieces.len() > 1;
                let value =
                    if attached { Some(without(word, rest)) } else { argv.get(at).cloned() };
                at += usize::from(!attached);
                let certain = |value: &Word| match attached {
                    true => doubt_of_value(word, rest).is_none(),
                    // The first name that a pattern finds is the value, and the next may be that of a variable.
                    false => !value.splits(),
                };
                if let Some(value) = value.as_ref().filter(|value| !certain(value)) {
                    self.found.unknown(value.span, DoubtReason::CountsWords);
                }
                match (name, letter, value) {
                    ("read", 'a', Some(value))
                    | ("printf", 'v', Some(value))
                    | ("wait", 'p', Some(value)) => {
                        set.push(value);
                    }
                    ("mapfile" | "readarray", 'C', Some(value)) => {
                        self.found.unknown(value.span, DoubtReason::RunsCode);
                        self.evaluated(std::slice::from_ref(&value), 0);
                    }
                    _ => {}
                }
                break;
            }
        }
        let operands = argv.get(at..).unwrap_or_default();
        if name == "printf"
            && let [format, _, ..] = operands
            && format.literal().is_none_or(counts)
        {
            // `%n` sets the variable that the argument names, in bash.
            self.found.unknown(format.span, DoubtReason::Evaluates);
        }
        match name {
            "read" | "mapfile" | "readarray" | "unset" => {
                set.extend(operands.iter().cloned());
                if operands.is_empty() && name != "unset" && set.is_empty() {
                    let variable = if name == "read" { "REPLY" } else { "MAPFILE" };
                    self.found.assign(span_of(argv), variable);
                }
            }
            "getopts" => {
                if operands.iter().take(2).any(Word::splits) {
                    self.found.unknown(span_of(argv), DoubtReason::Arithmetic);
                }
                self.found.sets_on_its_way("OPTARG");
                self.found.sets_on_its_way("OPTIND");
                set.extend(operands.get(1).cloned());
            }
            _ => {}
        }
        for word in set {
            match word.literal() {
                Some(variable) if is_name(variable) && name == "unset" => {
                    self.found.take_away(word.span, variable);
                }
                Some(variable) if is_name(variable) => self.found.assign(word.span, variable),
                _ => self.found.unknown(word.span, DoubtReason::Arithmetic),
            }
        }
    }

    /// `let`: the same as `(( ))`.
    fn evaluates_arithmetic(&mut self, argv: &[Word]) {
        for word in argv.iter().skip(1) {
            match word.literal() {
                Some(text) if !text.contains(['[', '`', '$', '\\', '\'', '"', '#', ';', '(']) => {
                    let text = format!("(({text}))");
                    if self.nested(&text, word.span).is_err() {
                        return;
                    }
                }
                Some(text) => {
                    self.found.unknown(word.span, DoubtReason::Arithmetic);
                    self.read_script(
                        &format!(": \"{text}\""),
                        std::slice::from_ref(word),
                        Shell::Bash,
                    );
                }
                None => self.found.unknown(word.span, DoubtReason::Arithmetic),
            }
        }
    }

    /// `set` and `shopt`, which can change how the rest is read.
    fn shell_options(&mut self, argv: &[Word], name: &str, command: usize) {
        let mut named = false;
        for (arg, word) in argv.iter().enumerate().skip(1) {
            let text = beginning(word);
            // What follows is what the script is given from here on: `set errexit` sets no option.
            let given = match word.literal() {
                Some(text) => {
                    !named && (matches!(text, "--" | "-") || !text.starts_with(['-', '+']))
                }
                None => true,
            };
            if name == "set" && given {
                self.found.values.lose_parameters();
            }
            if name == "set" && (text == "--" || text == "-") {
                break;
            }
            let harmless = match (name, word.literal()) {
                ("set", Some(option)) if named => SET_OPTIONS.contains(&option),
                ("set", Some(text)) if text.starts_with(['-', '+']) => {
                    text.bytes().skip(1).all(|letter| b"euxvfCo".contains(&letter))
                }
                ("set", Some(_)) => break,
                ("shopt", Some(option)) => SHOPT_WORDS.contains(&option),
                _ => false,
            };
            named = name == "set" && !named && text.ends_with('o');
            if !harmless {
                return self.found.unknown_at(word.span, DoubtReason::Evaluates, command, arg);
            }
        }
    }

    /// `test -v 'a[…]'` evaluates the subscript.
    fn test(&mut self, argv: Vec<Word>) {
        let span = argv.iter().enumerate().skip(1).find_map(|(at, word)| {
            let names = match word.literal() {
                Some(text) => matches!(text, "-v" | "-R"),
                None => may_name(&argv, at),
            };
            if word.splits() && names {
                // It may become more words, and one of them the operator.
                return Some((word.span, DoubtReason::MayBeOption));
            }
            let value = argv.get(at + 1)?;
            let code = value.literal().is_none_or(|text| !is_name(text) && text != "]");
            let why = if word.literal().is_some() {
                DoubtReason::Arithmetic
            } else {
                DoubtReason::MayBeOption
            };
            (names && code).then_some((value.span, why))
        });
        self.plain(argv);
        if let Some((span, why)) = span {
            self.found.unknown(span, why);
        }
    }
}

/// Whether `export`, `declare` and their like print what variables hold: with `-p`, and without a name.
fn shows_variables(argv: &[Word], gives_arrays: bool) -> bool {
    let words = || argv.iter().skip(1).map(|word| word.literal());
    let is_option = |word: &str| word.starts_with(['-', '+']);
    let prints = |word: &str| is_option(word) && word.contains('p') && !word.contains('=');
    let names = words().any(|word| !word.is_some_and(is_option));
    words().flatten().any(prints) || !(names || gives_arrays)
}

/// Whether the word there, which only the run will tell, may be the operator `-v` to `test`.
fn may_name(argv: &[Word], at: usize) -> bool {
    let word_is = |at: usize, names: &[&str]| {
        argv.get(at).and_then(Word::literal).is_some_and(|text| names.contains(&text))
    };
    let Some(word) = argv.get(at) else { return false };
    let begins = match word.pieces.first() {
        Some(WordPiece::Text(text)) => {
            "-v".starts_with(text.as_str()) || "-R".starts_with(text.as_str())
        }
        Some(WordPiece::Home) => false,
        _ => true,
    };
    if word.splits() {
        // A pattern becomes names of files; one may be called `-v` when it begins so.
        return word.pieces.contains(&WordPiece::Unknown { splits: true }) || begins;
    }
    // Beside an operator it is an operand.
    let beside =
        word_is(at + 1, BINARY) || (at > 1 && (word_is(at - 1, BINARY) || word_is(at - 1, UNARY)));
    begins && !beside
}

/// Operators of `test` between two operands.
const BINARY: &[&str] =
    &["=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"];
/// Operators of `test` before one.
const UNARY: &[&str] = &[
    "-n", "-z", "-e", "-f", "-d", "-r", "-w", "-x", "-s", "-L", "-h", "-p", "-S", "-b", "-c", "-t",
    "-u", "-g", "-k", "-O", "-G", "-N",
];

/// Whether a format of `printf` has a `%n`, with anything in between.
fn counts(format: &str) -> bool {
    format.split('%').skip(1).any(|rest| {
        rest.trim_start_matches(|char: char| {
            char.is_ascii_digit() || "-+ #'.*hlLjztq".contains(char)
        })
        .starts_with('n')
    })
}
