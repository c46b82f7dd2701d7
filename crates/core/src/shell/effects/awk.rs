//! Programs of awk: whether they run commands, and which files they write.

use super::spec::OperandUse;
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, WordPiece};

/// The name under which `--source` is kept.
const PROGRAM: &str = "program";

/// The program, unless an option gave it, and the files.
pub(super) fn operands(walk: &mut ArgumentWalk) {
    let mut operands = std::mem::take(&mut walk.operands);
    let given = walk.all_kept(PROGRAM);
    for part in &given {
        program(walk, *part);
    }
    let elsewhere = !given.is_empty()
        || walk.effects.unknown.iter().any(|(_, why)| *why == DoubtReason::RunsCode);
    if !elsewhere && !operands.is_empty() {
        program(walk, ArgumentPart { arg: operands.remove(0).arg, skip: 0 });
    }
    for operand in operands {
        // `name=value` is also the name of a file to a program that wants it to be, and this one a connection.
        if words::beginning(walk.place(operand.arg)).starts_with("/inet") {
            walk.runs(operand.arg, DoubtReason::Connects);
        }
        walk.operand_is(operand, OperandUse::Read);
    }
}

/// Names that are no variables, at least to one of the programs: `case`, `switch`, `default` and `func` are words of the language
/// to gawk, and plain variables to mawk and busybox.
const WORDS: &[&str] = &[
    "BEGIN",
    "BEGINFILE",
    "END",
    "ENDFILE",
    "and",
    "asort",
    "asorti",
    "atan2",
    "bindtextdomain",
    "break",
    "case",
    "close",
    "compl",
    "continue",
    "cos",
    "dcgettext",
    "dcngettext",
    "default",
    "exp",
    "fflush",
    "func",
    "function",
    "gensub",
    "gsub",
    "index",
    "int",
    "intdiv",
    "isarray",
    "length",
    "log",
    "lshift",
    "match",
    "mkbool",
    "mktime",
    "next",
    "nextfile",
    "or",
    "patsplit",
    "rand",
    "rshift",
    "sin",
    "split",
    "sprintf",
    "sqrt",
    "srand",
    "strftime",
    "strtonum",
    "sub",
    "substr",
    "switch",
    "systime",
    "tolower",
    "toupper",
    "typeof",
    "xor",
];

fn program(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let text = match word.pieces.as_slice() {
        [] => return,
        [WordPiece::Text(text)] => text,
        _ => return walk.runs(part.arg, DoubtReason::Script),
    };
    let mut reader = AwkReader {
        rest: text,
        operand: false,
        last: "",
        ends_pattern: false,
        printing: None,
        open: Vec::new(),
        files: Vec::new(),
    };
    let read = reader.program();
    // It writes there where its errors go, as all programs do.
    for file in reader.files.into_iter().filter(|file| file.as_deref() != Some("/dev/stderr")) {
        let target = file.map_or_else(|| words::unknown(&word), |name| words::text(&word, &name));
        walk.path(part.arg, FileAccess::Write, target, false);
    }
    if let Err(why) = read {
        walk.runs(part.arg, why);
    }
}

/// Goes over the tokens. It knows just enough to tell a division from a pattern and a comparison from a redirection.
struct AwkReader<'a> {
    rest: &'a str,
    /// Whether the last token ends an operand: then `/` divides.
    operand: bool,
    /// The last word or sign.
    last: &'a str,
    /// Whether it ends a pattern, and no operand, to the awk of the book's authors: there a slash begins the next one.
    ends_pattern: bool,
    /// The depth of parentheses of the `print` whose arguments these are.
    printing: Option<usize>,
    /// Open parentheses, and whether each is the condition of a statement.
    open: Vec<bool>,
    /// Files written; none for those that only the run will tell.
    files: Vec<Option<String>>,
}

impl<'a> AwkReader<'a> {
    fn program(&mut self) -> Result<(), DoubtReason> {
        while let Some(char) = self.rest.chars().next() {
            match char {
                ' ' | '\t' | '\r' => {
                    self.pass(1);
                }
                '#' => {
                    self.pass(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                '\\' if self.rest.starts_with("\\\n") => {
                    self.pass(2);
                }
                '\n' if self.goes_on() => {
                    self.pass(1);
                }
                '"' => self.string()?,
                '/' => self.slash()?,
                'a'..='z' | 'A'..='Z' | '_' => self.name()?,
                '0'..='9' | '.' => self.number()?,
                '|' if self.rest.starts_with("||") => {
                    self.pass(1);
                    self.sign(1, false);
                }
                '|' | '@' => return Err(DoubtReason::RunsCode),
                '>' => self.greater(),
                '(' | '[' => {
                    self.open.push(matches!(self.last, "if" | "while" | "for"));
                    self.sign(1, false);
                }
                ')' | ']' => {
                    let condition = self.open.pop().ok_or(DoubtReason::Script)?;
                    self.sign(1, !condition);
                }
                '\n' | ';' | '{' | '}' => {
                    self.printing = None;
                    self.sign(1, false);
                }
                // `x++ / 2`
                '+' | '-' if self.rest.starts_with("++") || self.rest.starts_with("--") => {
                    self.sign(2, self.operand);
                }
                '!' | '%' | '&' | '*' | '+' | ',' | '-' | ':' | '<' | '=' | '?' | '^' | '~'
                | '$' => {
                    self.sign(1, false);
                }
                _ => return Err(DoubtReason::Script),
            }
        }
        Ok(())
    }

    /// Whether a newline here may not end the arguments of a `print`. Programs differ on where a line may be broken.
    fn goes_on(&self) -> bool {
        let within = self.printing.is_some_and(|depth| self.open.len() > depth);
        let begins = matches!(self.last, "" | "\n" | ";" | "{" | "}" | "print" | "printf");
        within || (self.printing.is_some() && !self.operand && !begins)
    }

    /// Goes on by this many bytes.
    fn pass(&mut self, bytes: usize) -> &'a str {
        let (passed, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        passed
    }

    /// Goes over a token that ends an operand, or does not.
    fn sign(&mut self, bytes: usize, operand: bool) {
        self.last = self.pass(bytes);
        self.operand = operand;
        self.ends_pattern = false;
    }

    fn string(&mut self) -> Result<(), DoubtReason> {
        let mut escaped = false;
        for (index, char) in self.rest.char_indices().skip(1) {
            match char {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' => return Err(DoubtReason::Script),
                '"' => {
                    self.sign(index + 1, true);
                    return Ok(());
                }
                _ => {}
            }
        }
        Err(DoubtReason::Script)
    }

    /// A number, and nothing that could be a name right behind it: `1system("x")` is both.
    fn number(&mut self) -> Result<(), DoubtReason> {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let mut end = digits(self.rest);
        let behind = |end: usize| self.rest.get(end..).unwrap_or_default();
        if behind(end).starts_with('.') {
            end += 1 + digits(behind(end + 1));
        }
        let exponent = behind(end).strip_prefix(['e', 'E']).unwrap_or_default();
        let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        if digits(signed) > 0 {
            end += 1 + (exponent.len() - signed.len()) + digits(signed);
        }
        let name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '.');
        if behind(end).starts_with(name) {
            return Err(DoubtReason::Script);
        }
        self.sign(end, true);
        Ok(())
    }

    fn slash(&mut self) -> Result<(), DoubtReason> {
        // Behind these, one program divides and another reads a pattern.
        let odd = WORDS.contains(&self.last)
            || matches!(self.last, "++" | "--")
            || self.ends_pattern
            || self.rest.starts_with("/=");
        if self.operand && odd {
            return Err(DoubtReason::Script);
        }
        if self.operand {
            self.sign(1, false);
            return Ok(());
        }
        let mut escaped = false;
        let mut bracket = false;
        let mut before = '/';
        let mut class = 0;
        for (index, char) in self.rest.char_indices().skip(1) {
            match char {
                _ if index < class => {}
                '\n' => return Err(DoubtReason::Script),
                // Of brackets within brackets only a class is understood: `[[:alpha:]_]`.
                '[' if bracket => {
                    class = index + self.class(index).ok_or(DoubtReason::Script)?;
                }
                // Programs differ on where brackets end, and on a slash within.
                '/' | ']' if bracket && (char == '/' || escaped || matches!(before, '[' | '^')) => {
                    return Err(DoubtReason::Script);
                }
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '[' => bracket = true,
                ']' => bracket = false,
                '/' => {
                    self.sign(index + 1, true);
                    self.ends_pattern = true;
                    return Ok(());
                }
                _ => {}
            }
            before = char;
        }
        Err(DoubtReason::Script)
    }

    /// The length of the class that stands at this place.
    fn class(&self, at: usize) -> Option<usize> {
        let inner = self.rest.get(at..)?.strip_prefix("[:")?;
        let (name, _) = inner.split_once(":]")?;
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
        plain.then_some(name.len() + "[::]".len())
    }

    fn name(&mut self) -> Result<(), DoubtReason> {
        let end = self.rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
        let is_array = self.last == "in";
        self.sign(end.unwrap_or(self.rest.len()), true);
        self.ends_pattern = is_array;
        match self.last {
            "system" | "getline" => return Err(DoubtReason::RunsCode),
            // They decide which files are read, or how.
            "ENVIRON" => return Err(DoubtReason::ShowsSecrets),
            "ARGV" | "ARGC" | "PROCINFO" | "SYMTAB" | "FUNCTAB" => return Err(DoubtReason::Script),
            "print" | "printf" => {
                self.printing = Some(self.open.len());
                self.operand = false;
            }
            // Words of the language to every awk. `case` is not: see `WORDS`.
            "in" | "return" | "else" | "do" | "delete" | "exit" | "if" | "while" | "for" => {
                self.operand = false;
            }
            _ => {}
        }
        Ok(())
    }

    fn greater(&mut self) {
        self.sign(1, false);
        if self.printing != Some(self.open.len()) {
            return;
        }
        let rest = self.rest.strip_prefix('>').unwrap_or(self.rest).trim_start_matches([' ', '\t']);
        let name = rest.strip_prefix('"').and_then(|text| text.split_once('"'));
        let plain = name.filter(|(name, rest)| {
            let ends = rest.trim_start_matches([' ', '\t']);
            let ends = ends.is_empty() || ends.starts_with([';', '}', '\n']);
            ends && !name.starts_with("/inet") && !name.contains(['\\', '\n'])
        });
        self.files.push(plain.map(|(name, _)| name.to_owned()));
    }
}
