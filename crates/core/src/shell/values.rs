//! What is known of the variables of a script at the place where it is read.
//!
//! A script is read twice where that helps: the first reading tells which names each loop sets and which names only ever
//! get numbers, and the second puts in the values that are certain. A value is certain when it is a literal, when the
//! assignment surely ran in this very shell, and when nothing can have changed it since: what is set in a branch, a
//! subshell, a pipe or the background is not known behind it, and what a loop sets is not known in it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use regex_automata::meta::Regex;

use super::{Span, Word, WordPiece};

/// The most names that are followed.
const MAX_NAMES: usize = 64;
/// The longest value that is kept, in bytes, and its most pieces.
const MAX_VALUE: usize = 512;
const MAX_PIECES: usize = 8;
/// The most words that a script is given.
const MAX_PARAMETERS: usize = 10;

/// The name of all words that a script is given: `$@`.
pub(super) const ALL_PARAMETERS: &str = "@";
/// What bash takes for `$0` from when it is set.
const SCRIPT_NAME: &str = "BASH_ARGV0";

/// What may keep an assignment from running, and let what stands behind it run all the same: an expansion that fails ends its
/// line, and a redirection that fails its command. In arithmetic, in `${…}` with an operator, in subscripts, with names that are
/// read-only, behind compound commands and beside assignments. A boundary is one of ASCII words, which are found more often: the
/// automaton of those of Unicode is left at the first letter that is not ASCII.
static MAY_FAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let patterns = [
        r"\(\(|\$\[",
        r"\$\{[^}]*[^A-Za-z0-9_}]",
        r"\[\[[^\]]*-(eq|ne|lt|le|gt|ge|v)(?-u:\b)",
        r"(?-u:\b)(readonly|declare|typeset|local|shopt|let|UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_\w+)(?-u:\b)",
        r"\w\[",
        // Behind `}`, `)`, `fi`, `done`, `esac`, `]]`, or a single assignment.
        r"(\}|\)|\]|(?-u:\b)fi|(?-u:\b)done|(?-u:\b)esac)(\s|\\\n)*&?[0-9]*[<>]",
        r"(^|[\s;&|({])\w+\+?=\S*\s*[0-9]*[<>]",
        r"[<>]&?\s*\S+\s+\w+\+?=",
    ];
    Regex::new_many(&patterns).ok()
});

/// Sums of decimal numbers and names, which fail only where a name holds what is no such number.
static SUM: LazyLock<Option<Regex>> = LazyLock::new(|| {
    const TERM: &str =
        r"\s*(0|[1-9][0-9]{0,8}|\$?[A-Za-z_][A-Za-z0-9_]*|\$\{[A-Za-z_][A-Za-z0-9_]*\})\s*";
    Regex::new(&format!(r"\$\(\({TERM}([-+*]{TERM})*\)\)")).ok()
});

/// What an assignment gives.
#[derive(Debug, Clone, Copy)]
pub(super) enum GivenValue<'w> {
    /// A number, whichever.
    Number,
    /// What a word becomes that is no longer split, nor taken for a pattern.
    Word(&'w [WordPiece]),
    /// The name of a file that this pattern finds.
    Found(&'w [WordPiece]),
    /// Text that only the run will tell.
    Unknown,
}

/// What a variable surely holds.
#[derive(Debug, Clone, PartialEq, Eq)]
enum VariableValue {
    /// This text.
    Known(Vec<WordPiece>),
    /// The name of a file that this pattern finds.
    Found(Vec<WordPiece>),
    /// One of the values that the script gives it anywhere.
    Set,
}

/// What an expansion becomes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ExpandedValue {
    /// This text, which may still be split and taken for a pattern outside of quotes.
    Text(Vec<WordPiece>),
    /// The name of a file that this pattern finds.
    Found(Vec<WordPiece>),
    /// A number, and no more than one; else none or several, as commands print them.
    Number {
        one: bool,
    },
    Unknown,
}

/// A loop, told by where it stands in its text, and that text's length.
pub(super) type LoopPlace = (usize, usize, Option<Span>, bool);

/// What the first reading tells the second.
#[derive(Debug, Default)]
pub(super) struct LoopPlan {
    /// The names that each loop sets.
    loops: HashMap<LoopPlace, HashSet<String>>,
    /// The names that only ever get numbers.
    numbers: HashSet<String>,
    /// Those that may hold none or several somewhere.
    loose: HashSet<String>,
    /// How words are split is changed somewhere.
    pub(super) separators: bool,
}

/// The variables.
#[derive(Debug, Default)]
pub(super) struct ShellVariables {
    now: HashMap<String, VariableValue>,
    /// Every change, and what was there before.
    log: Vec<(String, Option<VariableValue>)>,
    /// Whether all that is given to a name anywhere is a number.
    numbers: HashMap<String, bool>,
    /// Names that may hold no number or several somewhere, even if all that they are given are numbers.
    loose: HashSet<String>,
    /// Names that arithmetic looks at, and where.
    computed: Vec<(Span, String)>,
    /// Names that hold nothing certain any more.
    lost: HashSet<String>,
    /// Anything may be set anywhere: text was run, or a function can be called.
    adrift: bool,
    /// An assignment may not have run though what stands behind it does: no text is certain.
    timid: bool,
    /// What was read, as far as it may still make it timid. Looked at once that matters: most scripts set nothing.
    unread: Vec<String>,
    loops: HashMap<LoopPlace, HashSet<String>>,
    separators: bool,
    /// What the first reading told.
    plan: Option<LoopPlan>,
    /// A second reading would know more.
    helps: bool,
    /// Names that were expanded while they were surely set.
    expanded: HashSet<String>,
}

impl ShellVariables {
    /// With what the first reading told.
    pub(super) fn planned(plan: LoopPlan) -> Self {
        Self { plan: Some(plan), ..Self::default() }
    }

    /// What a second reading needs to know; `None` when it would find the same.
    pub(super) fn plan(self) -> Option<LoopPlan> {
        if !self.helps && self.expanded.is_empty() {
            return None;
        }
        let numbers: HashSet<String> =
            self.numbers.into_iter().filter_map(|(name, number)| number.then_some(name)).collect();
        let helps = self.helps || self.expanded.iter().any(|name| numbers.contains(name));
        (self.plan.is_none() && helps).then_some(LoopPlan {
            loops: self.loops,
            numbers,
            loose: self.loose,
            separators: self.separators,
        })
    }

    /// This text is read next.
    pub(super) fn read(&mut self, text: &str) {
        if !self.timid {
            self.unread.push(text.to_owned());
        }
    }

    /// Whether an assignment may not have run though what stands behind it does.
    fn is_timid(&mut self) -> bool {
        for text in std::mem::take(&mut self.unread) {
            self.timid = self.timid
                || MAY_FAIL.as_ref().is_none_or(|pattern| pattern.is_match(&*without_sums(&text)));
        }
        self.timid
    }

    /// What the arithmetic `$((…))` comes to, where all that it looks at is certain. Else it may fail, unless it is told apart
    /// before it is read.
    pub(super) fn sum(&mut self, text: &str) -> Option<i64> {
        let whole = |found: regex_automata::Match| found.range() == (0..text.len());
        if !SUM.as_ref().and_then(|sum| sum.find(text)).is_some_and(whole) {
            return None;
        }
        let inner = text.get("$((".len()..text.len() - "))".len())?;
        let Some(terms) = self.terms(inner) else {
            self.may_fail();
            return None;
        };
        if self.plan.is_none() {
            self.helps = true;
            return None;
        }
        evaluated(inner, &terms)
    }

    /// The numbers of a sum in their order; `None` where one is not certain.
    fn terms(&self, sum: &str) -> Option<Vec<i64>> {
        let terms = sum.split(['+', '-', '*']).map(str::trim);
        terms
            .map(|term| {
                if term.starts_with(|first: char| first.is_ascii_digit()) {
                    return term.parse().ok();
                }
                let pasted = term.starts_with('$');
                let name = term.trim_matches(['$', '{', '}']);
                let Some(VariableValue::Known(pieces)) = self.now.get(name) else { return None };
                let [WordPiece::Text(text)] = pieces.as_slice() else { return None };
                // A sign before what is pasted makes another operator of the one before it.
                let digits = if pasted { text } else { text.strip_prefix('-').unwrap_or(text) };
                let decimal = digits == "0" || !digits.starts_with('0');
                let digits = digits.bytes().all(|byte| byte.is_ascii_digit()) && is_number(digits);
                if decimal && digits { text.parse().ok() } else { None }
            })
            .collect()
    }

    /// What stands behind this on its line may not run.
    fn may_fail(&mut self) {
        self.timid = true;
        let names: Vec<String> = self.now.keys().cloned().collect();
        for name in names {
            self.put(&name, Some(VariableValue::Set));
        }
    }

    /// The text of a value, where it is certain that it is set.
    fn certain(&mut self, pieces: &[WordPiece]) -> VariableValue {
        match known(pieces) {
            Some(pieces) if !self.is_timid() => VariableValue::Known(pieces),
            _ => VariableValue::Set,
        }
    }

    /// A place to come back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    fn put(&mut self, name: &str, value: Option<VariableValue>) {
        let before = match value {
            Some(value) if self.now.len() < MAX_NAMES || self.now.contains_key(name) => {
                self.now.insert(name.to_owned(), value)
            }
            _ => self.now.remove(name),
        };
        self.log.push((name.to_owned(), before));
        if name == SCRIPT_NAME {
            self.put("0", None);
        }
    }

    /// What was set since then may not have been: none of it is certain.
    pub(super) fn uncertain(&mut self, mark: usize) {
        for index in (mark..self.log.len()).rev() {
            let Some((name, before)) = self.log.get(index).cloned() else { continue };
            match before {
                Some(_) => self.now.insert(name, VariableValue::Set),
                None => self.now.remove(&name),
            };
        }
    }

    /// What was set since then was not, here.
    pub(super) fn rewind(&mut self, mark: usize) {
        let end = self.log.len();
        for index in (mark..end).rev() {
            let Some((name, before)) = self.log.get(index).cloned() else { continue };
            self.put(&name, before);
        }
    }

    /// Nothing is certain any more, from here on.
    pub(super) fn forget(&mut self) {
        self.adrift = true;
        self.now.clear();
    }

    /// Another shell begins, with variables of its own. Answered by [`Self::leave`].
    pub(super) fn enter(&mut self) -> OuterVariables {
        OuterVariables(std::mem::take(&mut self.now))
    }

    pub(super) fn leave(&mut self, outer: OuterVariables) {
        if !self.adrift {
            self.now = outer.0;
        }
    }

    /// Nothing of this name is certain any more.
    pub(super) fn lose(&mut self, name: &str) {
        self.put(name, None);
        self.lost.insert(name.to_owned());
        self.numbers.insert(name.to_owned(), false);
    }

    /// The name is no longer set, or a value of it is.
    pub(super) fn unset(&mut self, name: &str) {
        self.loosen(name);
        self.put(name, None);
    }

    /// What the name holds somewhere may be no number, or several.
    pub(super) fn loosen(&mut self, name: &str) {
        self.loose.insert(name.to_owned());
    }

    /// The name gets this. `surely`: when the shell is past this place, it has it.
    pub(super) fn give(&mut self, name: &str, given: GivenValue, surely: bool) {
        // Where it is set also counts for what stands before it, in a loop.
        self.helps |= name == "IFS";
        self.separators |= name == "IFS";
        let number = match given {
            GivenValue::Number => true,
            GivenValue::Word([]) => true,
            GivenValue::Word([WordPiece::Text(text)]) => is_number(text),
            _ => false,
        };
        if matches!(given, GivenValue::Word([])) {
            self.loosen(name);
        }
        self.numbers.entry(name.to_owned()).and_modify(|known| *known &= number).or_insert(number);
        let follow = !self.adrift && !self.lost.contains(name) && !is_special(name);
        if !follow {
            return self.put(name, None);
        }
        let before = self.now.contains_key(name);
        let value = match given {
            _ if !surely => before.then_some(VariableValue::Set),
            GivenValue::Word(pieces) => Some(self.certain(pieces)),
            GivenValue::Found(pieces) if fits(pieces) && !self.is_timid() => {
                Some(VariableValue::Found(pieces.to_vec()))
            }
            GivenValue::Number | GivenValue::Found(_) | GivenValue::Unknown => {
                Some(VariableValue::Set)
            }
        };
        self.put(name, value);
    }

    /// The script is given these words, the first as `$0`. From one on that may become several, or none, no number is certain.
    pub(super) fn give_parameters(&mut self, words: &[Word]) {
        let known = words.iter().take_while(|word| !word.splits()).take(MAX_PARAMETERS);
        for (number, word) in known.clone().enumerate() {
            self.put_known(&number.to_string(), GivenValue::Word(&word.pieces));
        }
        // Every split at blanks comes to the same words.
        let plain = |text: &&str| !text.is_empty() && !text.contains([' ', '\t', '\n', '*', '?']);
        let texts: Option<Vec<&str>> =
            words.iter().skip(1).map(|word| word.literal().filter(plain)).collect();
        if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
            let all = [WordPiece::Text(texts.join(" "))];
            self.put_known(ALL_PARAMETERS, GivenValue::Word(&all));
        }
    }

    /// The script gives itself other words, or counts them anew.
    pub(super) fn lose_parameters(&mut self) {
        let is_one = |name: &String| {
            name == ALL_PARAMETERS || name.bytes().all(|byte| byte.is_ascii_digit())
        };
        let names: Vec<String> = self.now.keys().filter(|name| is_one(name)).cloned().collect();
        for name in names {
            self.put(&name, None);
        }
    }

    /// In this round of a loop the name has this value.
    pub(super) fn put_known(&mut self, name: &str, given: GivenValue) {
        let value = match given {
            _ if self.adrift || self.lost.contains(name) || is_special(name) => None,
            GivenValue::Word(pieces) => {
                Some(known(pieces).map_or(VariableValue::Set, VariableValue::Known))
            }
            GivenValue::Found(pieces) if fits(pieces) => {
                Some(VariableValue::Found(pieces.to_vec()))
            }
            _ => Some(VariableValue::Set),
        };
        self.put(name, value);
    }

    /// A loop begins: what it sets is not certain in it.
    pub(super) fn enter_loop(&mut self, key: &LoopPlace) {
        let names: Vec<String> = match &self.plan {
            Some(plan) => match plan.loops.get(key) {
                Some(names) => names.iter().cloned().collect(),
                None => self.now.keys().cloned().collect(),
            },
            None => return,
        };
        for name in names {
            if self.now.contains_key(&name) {
                self.put(&name, Some(VariableValue::Set));
            }
        }
    }

    /// A loop that began at the mark ends.
    pub(super) fn leave_loop(&mut self, key: LoopPlace, mark: usize) {
        if self.plan.is_none() {
            let names = self.log.get(mark..).unwrap_or_default();
            let names = names.iter().map(|(name, _)| name.clone());
            self.loops.entry(key).or_default().extend(names);
        }
        self.uncertain(mark);
    }

    /// Whether this is the second reading.
    pub(super) fn is_planned(&self) -> bool {
        self.plan.is_some()
    }

    /// Whether words are split at anything but blanks, somewhere.
    pub(super) fn separators(&self) -> bool {
        self.separators || self.plan.as_ref().is_some_and(|plan| plan.separators)
    }

    /// What the name expands to here.
    pub(super) fn expand(&mut self, span: Span, name: &str) -> ExpandedValue {
        let Some(value) = self.now.get(name) else { return ExpandedValue::Unknown };
        let Some(plan) = &self.plan else {
            self.helps |= *value != VariableValue::Set;
            if !self.expanded.contains(name) {
                self.expanded.insert(name.to_owned());
            }
            return ExpandedValue::Unknown;
        };
        match value {
            VariableValue::Known(pieces) => ExpandedValue::Text(pieces.clone()),
            VariableValue::Found(pieces) => ExpandedValue::Found(pieces.clone()),
            VariableValue::Set if plan.numbers.contains(name) => {
                self.computed.push((span, name.to_owned()));
                ExpandedValue::Number { one: !plan.loose.contains(name) }
            }
            VariableValue::Set => ExpandedValue::Unknown,
        }
    }

    /// Arithmetic looks at this name; `false` when what it holds could be text that it would run.
    pub(super) fn compute(&mut self, span: Span, name: &str) -> bool {
        let fine = is_counter(name) || (self.now.contains_key(name) && !is_special(name));
        if fine {
            self.computed.push((span, name.to_owned()));
        }
        fine
    }

    /// Where arithmetic looks at a name that gets text somewhere.
    pub(super) fn faults(&self) -> Vec<Span> {
        let text = |name: &String| self.numbers.get(name).is_some_and(|number| !number);
        self.computed.iter().filter(|(_, name)| text(name)).map(|(span, _)| *span).collect()
    }
}

/// The text without the arithmetic that is looked at where it is read.
fn without_sums(text: &str) -> Cow<'_, str> {
    let Some(sums) = SUM.as_ref().filter(|_| text.contains("$((")) else {
        return Cow::Borrowed(text);
    };
    let mut rest = String::with_capacity(text.len());
    let mut from = 0;
    for found in sums.find_iter(text) {
        rest.push_str(text.get(from..found.start()).unwrap_or_default());
        rest.push('0');
        from = found.end();
    }
    rest.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(rest)
}

/// What these terms, with the operators of the sum between them, come to.
fn evaluated(sum: &str, terms: &[i64]) -> Option<i64> {
    let mut terms = terms.iter().copied();
    // What is summed up before the product that goes on.
    let (mut total, mut product) = (0i64, terms.next()?);
    for (operator, term) in sum.chars().filter(|char| "+-*".contains(*char)).zip(terms) {
        if operator == '*' {
            product = product.checked_mul(term)?;
            continue;
        }
        total = total.checked_add(product)?;
        product = if operator == '-' { term.checked_neg()? } else { term };
    }
    total.checked_add(product)
}

/// The variables of the shell around another.
pub(super) struct OuterVariables(HashMap<String, VariableValue>);

/// The text of these pieces as a value, which is never taken for a pattern before it is expanded.
fn known(pieces: &[WordPiece]) -> Option<Vec<WordPiece>> {
    let mut value: Vec<WordPiece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (piece, value.last_mut()) {
            (WordPiece::Text(text) | WordPiece::Glob(text), Some(WordPiece::Text(last))) => {
                last.push_str(text)
            }
            (WordPiece::Text(text) | WordPiece::Glob(text), _) => {
                value.push(WordPiece::Text(text.clone()))
            }
            (WordPiece::Home, _) => value.push(WordPiece::Home),
            (WordPiece::Unknown { .. }, _) => return None,
        }
    }
    fits(&value).then_some(value)
}

fn fits(pieces: &[WordPiece]) -> bool {
    let length = pieces.iter().map(|piece| match piece {
        WordPiece::Text(text) | WordPiece::Glob(text) => text.len(),
        WordPiece::Home | WordPiece::Unknown { .. } => 1,
    });
    pieces.len() <= MAX_PIECES && length.sum::<usize>() <= MAX_VALUE
}

/// Whether arithmetic takes it for a number, and any part of it too.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text.is_empty()
        || (!digits.is_empty() && digits.len() <= 18 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Names that hold numbers until they are given anything else.
fn is_counter(name: &str) -> bool {
    matches!(name, "RANDOM" | "LINENO" | "SECONDS" | "PPID" | "UID" | "EUID")
}

/// Names that take text as arithmetic: the shell made them integers.
pub(super) fn is_integer(name: &str) -> bool {
    is_counter(name)
        || matches!(
            name,
            "OPTIND"
                | "HISTCMD"
                | "SRANDOM"
                | "BASHPID"
                | "BASH_SUBSHELL"
                | "BASH_MONOSECONDS"
                | "EPOCHSECONDS"
                | "EPOCHREALTIME"
                | "COMP_CWORD"
                | "COMP_POINT"
                | "COMP_KEY"
                | "COMP_TYPE"
        )
}

/// Names that the shell itself reads or writes.
fn is_special(name: &str) -> bool {
    is_integer(name)
        || ["BASH", "COMP_", "READLINE_", "LC_", "HIST", "EPOCH"]
            .iter()
            .any(|start| name.starts_with(start))
        || matches!(
            name,
            "_" | "HOME"
                | "IFS"
                | "PATH"
                | "PWD"
                | "OLDPWD"
                | "CDPATH"
                | "DIRSTACK"
                | "OPTARG"
                | "OPTERR"
                | "REPLY"
                | "FUNCNAME"
                | "GROUPS"
                | "PIPESTATUS"
                | "MAPFILE"
                | "COPROC"
                | "COLUMNS"
                | "LINES"
                | "SHELLOPTS"
                | "SHLVL"
                | "POSIXLY_CORRECT"
                | "LANG"
                | "GLOBIGNORE"
                | "TMOUT"
                | "ENV"
        )
}

/// Whether this value of this variable changes how bytes are read, or which texts programs print: a character set in which
/// a byte that the shell looks for is part of a character, or catalogues from elsewhere.
pub(super) fn is_foreign_locale(name: &str, value: Option<&str>) -> bool {
    match name {
        "LOCPATH" | "NLSPATH" | "CHARSET" | "OUTPUT_CHARSET" | "TEXTDOMAIN" | "TEXTDOMAINDIR" => {
            true
        }
        _ if name == "LANG" || name.starts_with("LC_") => {
            let Some(value) = value else { return true };
            let lower = value.to_ascii_lowercase();
            let utf = lower.split_once('.').is_some_and(|(language, set)| {
                !language.contains('/') && matches!(set, "utf-8" | "utf8")
            });
            !(utf || matches!(value, "" | "C" | "POSIX"))
        }
        _ => false,
    }
}
