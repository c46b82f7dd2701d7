//! Programs that search files, and what they run when told to.

use super::PathUse;
use super::archives::longer_names;
use super::spec::{OperandSpec::*, OperandUse, OptionMeaning, OptionTakes, ProgramSpec};
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, Word, WordPiece};

const NAME: &str = "name";
const TYPE: &str = "type";
const NULLS: &str = "nulls";
const PRINTS: &str = "prints";

/// Without a file it searches its input, or with `-r` the working directory.
pub(super) fn grep(walk: &mut ArgumentWalk) {
    let here = if walk.recursive { OperandUse::Read } else { OperandUse::Nothing };
    walk.lay_out(First(OperandUse::Nothing, OperandUse::Read), here);
}

/// `zgrep` and its like are scripts of the shell that quote their options badly: `zgrep "--color='" '; command #' f` runs
/// the command, and `bzgrep` parts words at blanks. So no option may be anything but plain.
///
/// Which options take the next word differs between them, and from grep: such a word counts as a file, too, and so does what
/// else would be the pattern.
pub(super) fn script(walk: &mut ArgumentWalk) {
    let from = walk.effects.paths.len();
    let mut value = false;
    let mut settled = false;
    for at in 1..walk.argv.len() {
        let word = walk.place(at);
        if walk.files.contains(word) {
            continue;
        }
        let begins = words::beginning(word);
        let option = begins.starts_with('-') && begins.len() > 1;
        let plain = word.literal().is_some_and(|text| {
            text != "--"
                && text.chars().all(|it| it.is_ascii_alphanumeric() || "-=_.,".contains(it))
        });
        let lines = word.literal().is_some_and(|text| text.contains('\n'));
        if words::begins_unknown(word) || word.pieces.contains(&WordPiece::Unknown { splits: true })
        {
            walk.runs(at, DoubtReason::MayBeOption);
        } else if ((option || value) && !plain) || lines {
            walk.runs(at, DoubtReason::RunsCode);
        }
        if !option && value {
            // To the script that knows no such option, what follows it is an operand.
            walk.apply(OperandUse::Read, ArgumentPart { arg: at, skip: 0 }, 0);
        }
        value = option && takes_next(walk.program, begins);
        // A dash alone is an option to some of them: the word after it is the pattern then.
        settled |= value || word.literal() == Some("-");
    }
    if settled {
        walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
    } else {
        grep(walk);
    }
    longer_names(walk, from);
}

/// Whether an option may take the next word.
fn takes_next(program: &ProgramSpec, option: &str) -> bool {
    let takes = |meaning: &OptionMeaning| meaning.takes == OptionTakes::Value;
    match option.strip_prefix("--") {
        Some(name) => program.long(name).iter().any(|(_, meaning)| takes(meaning)),
        None => option
            .chars()
            .last()
            .is_some_and(|letter| program.short(letter).iter().any(|(_, meaning)| takes(meaning))),
    }
}

/// The project's `.ackrc` can add files and directories that are read, unless an option keeps it out.
pub(super) fn ack(walk: &mut ArgumentWalk) {
    if walk.kept("plain").is_none() {
        let anywhere = words::unknown(walk.place(0));
        walk.path(0, FileAccess::Read, anywhere, true);
    }
    walk.lay_out(First(OperandUse::Nothing, OperandUse::Read), OperandUse::ReadBelow);
}

/// What stands from here on runs as a command, and ends the words of the search.
pub(super) fn executes(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.lay_out(walk.program.operands, walk.program.here);
    if part.skip == 0 && words::beginning(walk.place(part.arg)).starts_with('-') {
        return walk.unnamable(DoubtReason::MissingCommand);
    }
    loses_found(walk, part);
    walk.launch(part);
}

/// What is found stands in the place of braces, or behind all words: the command may take something else's place there.
fn loses_found(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let found = words::unknown(walk.place(part.arg));
    let mut words = vec![walk.word(part)];
    words.extend(walk.argv.iter().skip(part.arg + 1).cloned());
    let mut is_named = false;
    for word in words.iter_mut().skip(1) {
        if word.literal().is_some_and(|text| text.contains('{')) {
            *word = found.clone();
            is_named = true;
        }
    }
    if !is_named {
        words.push(found.clone());
    }
    let effects = super::of(&words, std::slice::from_ref(&found));
    let is_lost = |used: &PathUse| used.loss.takes_away() && used.target.literal().is_none();
    let lost = effects.paths.into_iter().filter(is_lost);
    walk.effects.paths.extend(lost.map(|used| PathUse { arg: part.arg, ..used }));
}

/// A part of the name of a directory: with a slash in it, it leads elsewhere.
pub(super) fn plain(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if walk.word(part).literal().is_none_or(|text| text.contains('/')) {
        walk.runs(part.arg, DoubtReason::Alters);
    }
}

/// What a command of `find` says.
#[derive(Default)]
pub(crate) struct FindSearch {
    /// The commands that it runs.
    pub(crate) runs: Vec<FindRun>,
    /// Where it begins, with the arguments. Empty: in the working directory.
    roots: Vec<(usize, Word)>,
    /// Where it begins cannot be told.
    anywhere: bool,
    /// It follows symlinks.
    pub(crate) follows: bool,
    /// Patterns that what it finds may have to match, from a root or from the working directory.
    names: Vec<Vec<WordPiece>>,
    /// Arguments that are used otherwise.
    uses: Vec<(usize, OperandUse)>,
    /// Arguments that make it unknown.
    unknown: Vec<(usize, DoubtReason)>,
    deletes: bool,
    /// It prints something else than names.
    prints_more: bool,
    /// It ends the names that it prints with zeros.
    pub(crate) nulls: bool,
    /// It looks at no name but those in the directories that it begins in.
    is_shallow: bool,
}

/// A command that `find` runs.
pub(crate) struct FindRun {
    /// The action: `-exec`.
    pub(crate) at: usize,
    /// Where its words begin.
    pub(crate) from: usize,
    /// Where they end. None: nothing ends them.
    pub(crate) to: Option<usize>,
    /// What is found comes in the directory where it is found.
    pub(crate) there: bool,
}

impl FindSearch {
    /// The directories that it begins in. Empty: they cannot be told.
    pub(crate) fn roots(&self, argv: &[Word]) -> Vec<Word> {
        if self.anywhere {
            return Vec::new();
        }
        if self.roots.is_empty() {
            return argv.first().map(|find| words::text(find, ".")).into_iter().collect();
        }
        self.roots.iter().map(|(_, word)| word.clone()).collect()
    }

    /// Where it begins, each with the argument that says so, where all that it does is to print names that it finds there.
    pub(crate) fn printed(&self, argv: &[Word]) -> Option<Vec<(usize, Word)>> {
        let is_literal = |(_, root): &(usize, Word)| root.literal().is_some();
        // What stands behind a word that prints says nothing of what is printed, and of two each prints the name.
        let printing = |word: &Word| matches!(word.literal(), Some("-print" | "-print0"));
        let (_, before) = argv.split_last()?;
        let prints_last = !before.iter().any(printing);
        let only_prints =
            prints_last && self.runs.is_empty() && self.unknown.is_empty() && !self.prints_more;
        let roots = match self.roots.as_slice() {
            [] => self.roots(argv).into_iter().map(|root| (0, root)).collect(),
            roots => roots.to_vec(),
        };
        let is_told = only_prints && !self.anywhere && !self.follows;
        (is_told && !roots.is_empty() && roots.iter().all(is_literal)).then_some(roots)
    }

    /// The files whose names it spells out, at a root and one level below: deeper ones have these names too.
    pub(crate) fn spelled(&self, roots: &[Word]) -> Vec<Word> {
        let mut files = Vec::new();
        for pieces in &self.names {
            for root in roots.iter().take(MOST_ROOTS) {
                let name = Word { span: root.span, pieces: pieces.clone() };
                let mut below =
                    vec![WordPiece::Glob("*".to_owned()), WordPiece::Text("/".to_owned())];
                below.extend(pieces.iter().cloned());
                files.push(words::join(root, &name));
                files.push(words::join(root, &Word { span: root.span, pieces: below }));
            }
        }
        files
    }
}

/// Of more names, and of more roots, those that follow are not spelled out.
const MOST_NAMES: usize = 16;
const MOST_ROOTS: usize = 16;

/// What a command of `find` says; none where nothing is known of such a program.
pub(crate) fn searched(argv: &[Word]) -> FindSearch {
    match super::tables().program("find") {
        Some(program) => {
            FindReader { program, argv, at: 1, shifts: shifts(argv), known: vec![] }.read()
        }
        None => FindSearch::default(),
    }
}

/// Whether words may vanish or become several, so that the next is not what it seems.
fn shifts(argv: &[Word]) -> bool {
    argv.iter().skip(1).any(|word| {
        word.splits() || (word.literal().is_none() && words::beginning(word).starts_with('-'))
    })
}

struct FindReader<'a> {
    program: &'static ProgramSpec,
    argv: &'a [Word],
    at: usize,
    shifts: bool,
    /// Words that were taken for what they are.
    known: Vec<usize>,
}

impl FindReader<'_> {
    fn read(mut self) -> FindSearch {
        let mut search = FindSearch::default();
        self.options(&mut search);
        self.expression(&mut search);
        for (at, word) in self.argv.iter().enumerate().skip(1) {
            let Some(text) = word.literal() else {
                // Wherever it stands, it may become several words.
                if splits(word) || (word.has_pattern() && self.may_act(word)) {
                    search.unknown.push((at, DoubtReason::MayBeOption));
                }
                continue;
            };
            if self.shifts && self.acts(text) && !self.known.contains(&at) {
                search.unknown.push((at, DoubtReason::MayBeOption));
            }
        }
        search
    }

    fn literal(&self, at: usize) -> Option<&str> {
        self.argv.get(at).and_then(Word::literal)
    }

    /// Options, and where it begins.
    fn options(&mut self, search: &mut FindSearch) {
        while let Some(text) = self.literal(self.at) {
            match text {
                "--" => {
                    self.at += 1;
                    break;
                }
                "-D" => self.at += 1,
                "-f" => {
                    self.at += 1;
                    if let Some(root) = self.argv.get(self.at) {
                        search.roots.push((self.at, root.clone()));
                    }
                }
                _ if text.starts_with("-O") => {}
                _ => {
                    let letters = text.strip_prefix('-').unwrap_or("");
                    if letters.is_empty() || !letters.chars().all(|it| "HLPEXdsx".contains(it)) {
                        break;
                    }
                    search.follows |= letters.contains('L');
                }
            }
            self.at += 1;
        }
        while let Some(word) = self.argv.get(self.at) {
            let begins = words::beginning(word);
            if (begins.starts_with('-') && begins != "-")
                || matches!(word.literal(), Some("(" | "!"))
            {
                break;
            }
            self.root(search);
        }
    }

    fn root(&mut self, search: &mut FindSearch) {
        let Some(word) = self.argv.get(self.at) else { return };
        self.doubt(search, word, self.at);
        search.roots.push((self.at, word.clone()));
        self.at += 1;
    }

    fn expression(&mut self, search: &mut FindSearch) {
        let mut negated = false;
        while let Some(word) = self.argv.get(self.at) {
            let at = self.at;
            let Some(text) = word.literal() else {
                if words::beginning(word).starts_with('-') {
                    self.doubt(search, word, at);
                    self.at += 1;
                } else {
                    self.root(search);
                }
                continue;
            };
            self.known.push(at);
            self.at += 1;
            if matches!(text, "(" | ")" | ",") {
                continue;
            }
            if matches!(text, "!" | "-not") {
                negated = true;
                continue;
            }
            let Some(name) = text.strip_prefix('-') else {
                self.at = at;
                self.root(search);
                continue;
            };
            let name = if matches!(name, "-help" | "-version") { &name[1..] } else { name };
            let readings = self.program.long(name);
            if readings.is_empty() {
                search.unknown.push((at, DoubtReason::UnknownOption));
            }
            if name == "maxdepth" && !self.shifts {
                // Of several the last counts.
                search.is_shallow = matches!(self.literal(at + 1), Some("0" | "1"));
            }
            for (_, meaning) in readings {
                if meaning.takes == OptionTakes::Value {
                    self.at = at + 2;
                }
                self.predicate(search, name, meaning.uses, at, negated);
            }
            negated = false;
        }
    }

    fn predicate(
        &mut self, search: &mut FindSearch, name: &str, uses: OperandUse, at: usize, negated: bool,
    ) {
        match uses {
            OperandUse::Follows => search.follows = true,
            OperandUse::Keep(NAME) => {
                let pruned = self.literal(at + 2) == Some("-prune");
                if !negated && !pruned {
                    self.name(search, name, at + 1);
                }
            }
            OperandUse::Keep("delete") => {
                search.unknown.push((at, DoubtReason::Deletes));
                search.deletes = true;
            }
            OperandUse::Keep("write") => {
                search.unknown.push((at, DoubtReason::Deletes));
                search.uses.push((at + 1, OperandUse::Write));
                self.at += usize::from(name == "fprintf");
            }
            OperandUse::Keep("list") => {
                search.anywhere = true;
                search.unknown.push((at, DoubtReason::Alters));
                search.uses.push((at + 1, OperandUse::Read));
            }
            OperandUse::Keep("root") => {
                search.anywhere = true;
                search.uses.push((at + 1, OperandUse::Read));
            }
            OperandUse::Keep("exec" | "execdir") => self.command(search, name, at),
            OperandUse::Keep(NULLS) => search.nulls = true,
            OperandUse::Keep(PRINTS) => search.prints_more = true,
            uses => {
                let value = if self.at > at + 1 { at + 1 } else { at };
                search.uses.push((value, uses));
            }
        }
    }

    /// A name that a file must have, as a pattern of the shell.
    fn name(&self, search: &mut FindSearch, name: &str, at: usize) {
        let Some(word) = self.argv.get(at) else { return };
        let (Some(WordPiece::Text(first)), true) = (word.pieces.first(), !word.splits()) else {
            return;
        };
        if search.names.len() >= MOST_NAMES || name.contains("lname") {
            return;
        }
        let mut texts = vec![first.clone()];
        if name.contains("regex") {
            let text = first.replace(".*", "*").replace("\\.", ".").replace(['\\', '^', '$'], "");
            texts = vec![text.rsplit('/').next().unwrap_or("").to_owned()];
        }
        if name.starts_with('i') {
            texts = texts.iter().map(|text| text.to_lowercase()).collect();
        }
        for text in texts.clone() {
            // Unlike in the shell, a pattern finds names that begin with a dot.
            let rest = text.trim_start_matches(['*', '?']);
            if rest.len() < text.len() && !rest.is_empty() {
                texts.push(rest.to_owned());
                texts.push(format!(".{rest}"));
            } else if let Some((_, rest)) = text.strip_prefix('[').and_then(|it| it.split_once(']'))
            {
                texts.push(format!(".{rest}"));
            }
        }
        for text in texts {
            let mut pieces = Vec::new();
            patterns(&text, &mut pieces);
            pieces.extend(word.pieces.iter().skip(1).cloned());
            search.names.push(pieces);
        }
    }

    /// `-exec command ;` or `-exec command {} +`
    fn command(&mut self, search: &mut FindSearch, name: &str, at: usize) {
        let from = at + 1;
        let there = name.ends_with("dir");
        let mut doubtful = false;
        for index in from..self.argv.len() {
            let Some(word) = self.argv.get(index) else { break };
            let text = word.literal();
            let braces = index > from && self.literal(index - 1) == Some("{}");
            let ends = text == Some(";") || (text == Some("+") && braces);
            if text == Some("+") && (!braces || name.starts_with("ok")) {
                // To some the command ends here, to others it does not.
                search.unknown.push((index, DoubtReason::MayBeOption));
            }
            if ends {
                self.known.push(index);
                self.at = index + 1;
                search.runs.push(FindRun { at, from, to: Some(index), there });
                return;
            }
            let acts = text.map_or_else(|| self.may_act(word), |text| self.acts(text));
            // A word may turn out to be the `;`, and what follows it to be actions.
            if doubtful && acts {
                search.unknown.push((index, DoubtReason::MayBeOption));
            }
            doubtful |= text.is_none() && (could_be(word, ";") || could_be(word, "+"));
        }
        self.at = self.argv.len();
        search.runs.push(FindRun { at, from, to: None, there });
    }

    /// A word that could become an action.
    fn doubt(&self, search: &mut FindSearch, word: &Word, at: usize) {
        if word.literal().is_none() && self.may_act(word) {
            search.unknown.push((at, DoubtReason::MayBeOption));
        }
    }

    /// Whether this is the name of what does more than to test and to print.
    fn acts(&self, text: &str) -> bool {
        let readings = text.strip_prefix('-').map_or(&[][..], |name| self.program.long(name));
        readings.iter().any(|(_, meaning)| does_more(meaning.uses))
    }

    fn may_act(&self, word: &Word) -> bool {
        let may = |name: &str| could_be(word, &format!("-{name}"));
        self.program.longs.iter().any(|(name, meaning)| does_more(meaning.uses) && may(name))
    }
}

fn does_more(uses: OperandUse) -> bool {
    !uses.only_reads() && !matches!(uses, OperandUse::Keep(NAME | TYPE | NULLS | PRINTS))
}

/// Whether its value can become any number of words.
fn splits(word: &Word) -> bool {
    word.pieces.contains(&WordPiece::Unknown { splits: true })
}

/// Whether a word with parts that are not known could become this one.
fn could_be(word: &Word, text: &str) -> bool {
    if matches!(word.pieces.first(), Some(WordPiece::Home)) {
        return false;
    }
    let ends = match word.pieces.last() {
        Some(WordPiece::Text(end)) => end,
        _ => "",
    };
    text.starts_with(words::beginning(word)) && text.ends_with(ends)
}

/// A pattern for names, as pieces of a word.
fn patterns(text: &str, pieces: &mut Vec<WordPiece>) {
    let mut plain = String::new();
    let mut wild = false;
    for char in text.chars() {
        let special = matches!(char, '*' | '?' | '[' | ']' | '\\' | '|' | '(' | ')' | '+');
        if special && !wild {
            if !plain.is_empty() {
                pieces.push(WordPiece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(WordPiece::Glob("*".to_owned()));
        } else if !special {
            plain.push(char);
        }
        wild = special;
    }
    if !plain.is_empty() {
        pieces.push(WordPiece::Text(plain));
    }
}

/// `find`, but for what it runs.
pub(super) fn find(walk: &mut ArgumentWalk) {
    walk.operands.clear();
    let search = searched(walk.argv);
    let below = !search.is_shallow;
    let roots = search.roots(walk.argv);
    if search.roots.is_empty() && !search.anywhere {
        walk.here(if below { OperandUse::ReadBelow } else { OperandUse::Read });
    }
    for (arg, root) in search.roots {
        walk.path(arg, FileAccess::Read, root, below);
    }
    if search.follows {
        walk.apply(OperandUse::Follows, ArgumentPart { arg: 0, skip: 0 }, 0);
    }
    for (arg, uses) in search.uses {
        if arg < walk.argv.len() {
            walk.apply(uses, ArgumentPart { arg, skip: 0 }, 0);
        }
    }
    if search.deletes {
        let at = |(arg, _): &&(usize, DoubtReason)| *arg;
        let arg =
            search.unknown.iter().find(|it| it.1 == DoubtReason::Deletes).as_ref().map_or(0, at);
        for root in roots {
            walk.path(arg, FileAccess::Write, root, true);
        }
    }
    for (arg, why) in search.unknown {
        walk.runs(arg, why);
    }
}
