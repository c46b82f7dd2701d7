//! Where the facts are gathered, and the limits of the work.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use super::effects::PathUse;
use super::handed::{HandedValue, HandedVariable, HandedVariables, obeys_one};
use super::values::{
    GivenValue, LoopPlan, ShellVariables, is_foreign_locale, is_integer, is_number,
};
use super::{
    Command, CommandRole, DoubtReason, FactKind, FileAccess, FileLoss, LineAnalysis, LineFact,
    Span, Word, WordPiece, WorkingDir,
};

/// The most facts of one reading.
const MAX_FACTS: usize = 2_000;
/// The most words of one reading.
const MAX_WORDS: usize = 8_000;
/// The most levels of nesting, of text in text and of constructs in it.
const MAX_DEPTH: usize = 100;
/// The most bytes that are looked at again: scripts in scripts, commands in commands.
const MAX_AGAIN: usize = 32 << 10;
/// What a word that is looked at again, or a script, counts for at least, in bytes.
const WORD: usize = 8;
/// The longest chain of commands that run commands.
const MAX_CHAIN: usize = 32;
/// The most directories that are followed.
const MAX_DIRS: usize = 8;

/// Names of files that a search prints, one a line.
#[derive(Clone)]
pub(super) struct PrintedNames {
    /// The command among the facts.
    pub(super) command: usize,
    /// Where it begins, each with the argument that says so.
    pub(super) roots: Vec<(usize, Word)>,
    /// Files that it names by their whole name.
    pub(super) spelled: Vec<Word>,
    /// How all of them end.
    pub(super) ending: Option<String>,
    /// What it finds may be a symlink, through which a program goes.
    pub(super) may_be_links: bool,
    /// Zeros stand between them, and not the ends of lines.
    pub(super) nulls: bool,
}

/// What has been found so far.
#[derive(Default)]
pub(super) struct LineFindings {
    facts: Vec<LineFact>,
    /// Where relative paths may start.
    pub(super) dirs: Vec<WorkingDir>,
    /// Words that are files in every expansion.
    pub(super) files: Vec<Word>,
    /// Where words stand that are nothing but what a command prints: `<( )`.
    pub(super) pipes: Vec<Span>,
    depth: usize,
    chain: usize,
    again: usize,
    words: usize,
    /// Where the facts of this reading start.
    start: usize,
    /// How many loops and function bodies we are in: what is in them can happen any number of times.
    pub(super) repeats: usize,
    /// A limit was reached: nothing more is read.
    pub(super) exhausted: bool,
    /// Whether the command that runs next is given arrays, which are no words: `declare a=(b)`.
    pub(super) declares_arrays: bool,
    /// Whether the output of the command that runs next goes to a file.
    pub(super) output_is_told: bool,
    /// The variables.
    pub(super) values: ShellVariables,
    /// The variables that programs are handed.
    pub(super) handed: HandedVariables,
    /// A command has made or moved links or folders: where a path leads is not certain any more.
    moved: bool,
    /// A path that a command in the background uses.
    beside: Option<Span>,
    home_set: bool,
    cdpath_set: bool,
    /// Texts that are printed or handed to a command, and where they stand.
    printed: Vec<(Span, String)>,
    /// A shell in this pipeline reads its commands from its input.
    pub(super) runs_input: bool,
    /// The names that the command prints which ran last, and nothing else.
    pub(super) prints_names: Option<PrintedNames>,
    /// The names that the command gets which runs next, and nothing else.
    pub(super) input_names: Option<PrintedNames>,
}

impl LineFindings {
    /// For a second reading.
    pub(super) fn planned(plan: LoopPlan) -> Self {
        Self { values: ShellVariables::planned(plan), ..Self::default() }
    }

    /// A text is printed, or handed to a command as its input.
    pub(super) fn print(&mut self, span: Span, text: String) {
        self.printed.push((span, text));
    }

    /// The texts that are printed or handed on within this place.
    pub(super) fn printed_in(&self, place: Span) -> Vec<String> {
        let is_in = |span: &Span| place.start <= span.start && span.end <= place.end;
        self.printed.iter().filter(|(span, _)| is_in(span)).map(|(_, text)| text.clone()).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    pub(super) fn facts(&self) -> &[LineFact] {
        &self.facts
    }

    /// Adds a fact and says its index.
    fn push(&mut self, span: Span, what: FactKind) -> usize {
        if self.facts.len() < self.start + MAX_FACTS {
            self.facts.push(LineFact { span, what });
        } else {
            self.exhaust(span);
        }
        self.facts.len() - 1
    }

    /// A limit is reached.
    fn exhaust(&mut self, span: Span) {
        if !self.exhausted {
            self.exhausted = true;
            let what = FactKind::Unknown { why: DoubtReason::TooMuch, named: None };
            self.facts.push(LineFact { span, what });
        }
    }

    /// The whole text is read from its beginning.
    pub(super) fn begin(&mut self) {
        self.start = self.facts.len();
        self.words = 0;
        self.again = 0;
    }

    /// Counts a word; `false`, and a fact, when that is too much in all.
    pub(super) fn count_word(&mut self, place: Span) -> bool {
        self.words += 1;
        let fits = self.words <= MAX_WORDS;
        if !fits {
            self.exhaust(place);
        }
        fits
    }

    /// Adds a command that was found beyond the limits.
    pub(super) fn beyond(&mut self, argv: Vec<Word>) {
        let span = span_of(&argv);
        self.facts.push(LineFact {
            span,
            what: FactKind::Command(Command { argv, role: CommandRole::Plain }),
        });
    }

    /// One more command that a command runs; `false` when there are too many. Each `true` is answered by one
    /// [`Self::leave_chain`].
    pub(super) fn enter_chain(&mut self) -> bool {
        let fits = self.chain < MAX_CHAIN;
        self.chain += usize::from(fits);
        fits
    }

    pub(super) fn leave_chain(&mut self) {
        self.chain -= 1;
    }

    pub(super) fn unknown(&mut self, span: Span, why: DoubtReason) {
        let what = FactKind::Unknown { why, named: None };
        let again = self.facts.get(self.start..).unwrap_or_default().last();
        if !again.is_some_and(|fact| fact.span == span && fact.what == what) {
            self.push(span, what);
        }
    }

    /// An unknown that a rule which spells out the command up to this argument may allow.
    pub(super) fn unknown_at(&mut self, span: Span, why: DoubtReason, command: usize, arg: usize) {
        if self.moved && why.is_about_settings() {
            // They are looked for in files that the command before may have brought.
            return self.unknown(span, DoubtReason::Moved);
        }
        let named = Some((command, arg));
        // A doubt about files may be gone once they are known: it stands for no other. What is shown no other stands for.
        let shows = matches!(
            why,
            DoubtReason::ShowsObjects | DoubtReason::ShowsFile | DoubtReason::ShowsSettings
        );
        let says = |fact: &LineFact| match &fact.what {
            FactKind::Unknown { why: known, named: other } => {
                *other == named && (*known == why || !shows && !known.is_about_files())
            }
            _ => false,
        };
        if !self.facts.iter().skip(command).rev().take(8).any(says) {
            self.push(span, FactKind::Unknown { why, named });
        }
    }

    pub(super) fn redirect(
        &mut self, span: Span, access: FileAccess, target: Word, loss: FileLoss,
    ) {
        self.leads(span, &target, false);
        self.push(span, FactKind::Redirect { access, target, loss });
    }

    /// The variable gets something that only the run will tell.
    pub(super) fn assign(&mut self, span: Span, name: &str) {
        self.give(span, name, GivenValue::Unknown, true);
    }

    /// The variable gets this. `surely`: when the shell is past this place, it has it.
    pub(super) fn give(&mut self, span: Span, name: &str, given: GivenValue, surely: bool) {
        self.give_as(span, name, given, HandedValue::given(given), surely);
    }

    /// The same, where more is known of what programs are handed than of what the shell has.
    pub(super) fn give_as(
        &mut self, span: Span, name: &str, given: GivenValue, handed: HandedValue, surely: bool,
    ) {
        self.handed.set(name, handed);
        self.holds(span, name, given, surely);
    }

    /// The variable gets this before a command, which may be all that is handed it.
    pub(super) fn give_before(
        &mut self, span: Span, name: &str, given: GivenValue, handed: HandedValue,
    ) {
        self.handed.stands_before(name, handed);
        self.holds(span, name, given, true);
    }

    /// A builtin sets this variable of the shell on its way, which is no assignment of the line.
    pub(super) fn sets_on_its_way(&mut self, name: &str) {
        self.handed.set(name, HandedValue::Anything);
        self.values.lose(name);
    }

    /// What is known of the variable; no program is handed anything by that.
    pub(super) fn holds(&mut self, span: Span, name: &str, given: GivenValue, surely: bool) {
        let number = match given {
            GivenValue::Number | GivenValue::Word([]) => true,
            GivenValue::Word([WordPiece::Text(text)]) => is_number(text),
            _ => false,
        };
        self.values.give(name, given, surely);
        self.set(span, name, given);
        if is_integer(name) && !number {
            self.unknown(span, DoubtReason::Arithmetic);
        }
    }

    /// What was read since that fact is no arithmetic, but commands, which are read again.
    pub(super) fn is_no_arithmetic(&mut self, from: usize) {
        let mut index = from;
        while let Some(fact) = self.facts.get(index) {
            // None of these is what another fact speaks of by its number, as long as nothing else was found.
            let arithmetic = matches!(
                fact.what,
                FactKind::Unknown { why: DoubtReason::Arithmetic, named: None }
            );
            if !arithmetic {
                return;
            }
            self.facts.remove(index);
            index = from;
        }
    }

    /// The variable is taken away.
    pub(super) fn take_away(&mut self, span: Span, name: &str) {
        self.handed.set(name, HandedVariable::without(name).value());
        self.values.unset(name);
        self.push(span, FactKind::Assign { name: name.to_owned() });
        if name == "IFS" {
            self.values.give(name, GivenValue::Unknown, true);
        }
        self.home_set |= name == "HOME";
        self.cdpath_set |= name == "CDPATH" || name == "DIRSTACK";
    }

    /// The variable is taken away from another program.
    pub(super) fn keep_back(&mut self, span: Span, name: &str) {
        self.handed.wrapped.push(HandedVariable::without(name));
        self.holds(span, name, GivenValue::Unknown, true);
    }

    /// The variable is given to another program.
    pub(super) fn hand_over(&mut self, span: Span, name: &str, value: &[WordPiece]) {
        let text = match value {
            [] => Some(""),
            [WordPiece::Text(text)] => Some(text.as_str()),
            _ => None,
        };
        self.handed.wrapped.push(HandedVariable::of(name, text));
        self.set(span, name, GivenValue::Word(value));
        if is_integer(name) {
            self.unknown(span, DoubtReason::Arithmetic);
        }
    }

    fn set(&mut self, span: Span, name: &str, given: GivenValue) {
        self.home_set |= name == "HOME";
        self.cdpath_set |= name == "CDPATH" || name == "DIRSTACK";
        self.push(span, FactKind::Assign { name: name.to_owned() });
        let value = match given {
            GivenValue::Word([]) => Some(""),
            GivenValue::Word([WordPiece::Text(text)]) => Some(text.as_str()),
            _ => None,
        };
        if is_foreign_locale(name, value) {
            self.unknown(span, DoubtReason::Locale);
        }
    }

    /// The commands that were found from this fact on are handed these variables.
    pub(super) fn hand_on(&mut self, from: usize, handed: &[HandedVariable]) {
        if handed.is_empty() {
            return;
        }
        let obeys = |fact: &LineFact| match &fact.what {
            FactKind::Command(command) => obeys_one(command, handed).then_some(fact.span),
            _ => None,
        };
        let spans: Vec<Span> = self.facts.iter().skip(from).filter_map(obeys).collect();
        spans.into_iter().for_each(|span| self.unknown(span, DoubtReason::HandsOver));
    }

    pub(super) fn command(&mut self, argv: Vec<Word>, role: CommandRole) -> usize {
        let span = span_of(&argv);
        self.push(span, FactKind::Command(Command { argv, role }))
    }

    /// A command whose words come once all that it does is found: see [`Self::words_of`].
    pub(super) fn command_at(&mut self, span: Span, role: CommandRole) -> usize {
        self.push(span, FactKind::Command(Command { argv: Vec::new(), role }))
    }

    /// A wrapper needs no allow since what it runs, or what it sets, needs one. Where nothing that was found from `start` on
    /// does, the wrappers there need one of their own name.
    pub(super) fn stands_alone(&mut self, start: usize) {
        let found = self.facts.get_mut(start..).unwrap_or_default();
        if found.iter().any(|fact| fact.what.needs_allow()) {
            return;
        }
        for fact in found {
            if let FactKind::Command(command) = &mut fact.what {
                command.role = CommandRole::Plain;
            }
        }
    }

    /// The words of the command that was found at this index, unless there were too many facts for it.
    pub(super) fn words_of(&mut self, command: usize, words: Vec<Word>) {
        if let Some(LineFact { what: FactKind::Command(Command { argv, .. }), .. }) =
            self.facts.get_mut(command)
            && argv.is_empty()
        {
            *argv = words;
        }
    }

    /// A command has made or moved links or folders: where the paths behind it lead is not certain.
    pub(super) fn has_moved_links(&mut self) {
        if self.moved {
            return;
        }
        self.moved = true;
        if let Some(span) = self.beside {
            self.unknown(span, DoubtReason::Moved);
        }
    }

    /// Whether something has been moved so far.
    pub(super) fn has_moved(&self) -> bool {
        self.moved
    }

    /// What stands from this fact on runs at the same time as itself, or again: what it moves, its own paths lead through.
    /// `before`: whether something had been moved already.
    pub(super) fn runs_beside(&mut self, start: usize, before: bool) {
        if self.moved
            && !before
            && let Some(span) = self.path_since(start)
        {
            self.unknown(span, DoubtReason::Moved);
        }
    }

    /// What stands from this fact on goes on in the background.
    pub(super) fn goes_on(&mut self, start: usize) {
        if self.beside.is_none() {
            self.beside = self.path_since(start);
        }
    }

    /// The text that began at this mark is read in another language: as if it had not been read. Says whether it moved
    /// something.
    pub(super) fn again_from(&mut self, mark: usize, moved: bool) -> bool {
        self.values.rewind(mark);
        std::mem::replace(&mut self.moved, moved)
    }

    /// It has been read in both: what either set is not certain.
    pub(super) fn both_from(&mut self, mark: usize, moved: bool) {
        self.values.uncertain(mark);
        self.moved |= moved;
    }

    fn path_since(&self, start: usize) -> Option<Span> {
        self.facts.iter().skip(start).find_map(|fact| match &fact.what {
            FactKind::Redirect { target, .. } if !is_device(target) => Some(fact.span),
            FactKind::Path { target, recursive, .. }
                if !is_device(target) && !is_here(target, *recursive) =>
            {
                Some(fact.span)
            }
            FactKind::Loads { target, .. } if !is_here(target, false) => Some(fact.span),
            FactKind::Unknown { why, .. } if why.is_about_settings() => Some(fact.span),
            _ => None,
        })
    }

    /// A path is used: behind a command that moved something, nothing proves where it leads.
    fn leads(&mut self, span: Span, target: &Word, recursive: bool) {
        if self.moved && !is_device(target) && !is_here(target, recursive) {
            let known = self.facts.iter().rev().take(8).any(|fact| {
                fact.span == span
                    && matches!(fact.what, FactKind::Unknown { why: DoubtReason::Moved, .. })
            });
            if !known {
                self.unknown(span, DoubtReason::Moved);
            }
        }
    }

    pub(super) fn path(
        &mut self, command: usize, arg: usize, access: FileAccess, target: Word, recursive: bool,
    ) {
        self.used(command, PathUse { arg, access, target, recursive, loss: FileLoss::Nothing });
    }

    /// A command uses a file through its arguments.
    pub(super) fn used(&mut self, command: usize, used: PathUse) {
        let PathUse { arg, access, target, recursive, loss } = used;
        self.leads(target.span, &target, recursive);
        self.push(target.span, FactKind::Path { command, arg, access, target, recursive, loss });
    }

    /// Where facts from `from` on say that this very word is a file, it is all that is below `roots`. None: nothing better is
    /// known.
    pub(super) fn below(&mut self, from: usize, word: &Word, roots: &[Word]) {
        let Some((first, more)) = roots.split_first() else { return };
        let mut added = Vec::new();
        let span = word.span;
        for fact in self.facts.iter_mut().skip(from) {
            if let FactKind::Path { command, arg, access, target, recursive, loss } = &mut fact.what
                && target == word
            {
                target.pieces.clone_from(&first.pieces);
                *recursive = true;
                let (command, arg, access, loss) = (*command, *arg, *access, *loss);
                added.extend(more.iter().map(|root| {
                    let target = Word { span, pieces: root.pieces.clone() };
                    (command, PathUse { arg, access, target, recursive: true, loss })
                }));
            }
        }
        for (command, used) in added {
            self.used(command, used);
        }
    }

    pub(super) fn loads(&mut self, command: usize, arg: usize, target: Word) {
        self.leads(target.span, &target, false);
        self.push(target.span, FactKind::Loads { command, arg, target });
    }

    pub(super) fn url(&mut self, command: usize, arg: usize, target: Word) {
        self.push(target.span, FactKind::Url { command, arg, target });
    }

    /// One level down; `false` when that is too deep. Each `true` is answered by one [`Self::leave`].
    pub(super) fn enter(&mut self) -> bool {
        let fits = self.depth < MAX_DEPTH;
        self.depth += usize::from(fits);
        fits
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Pays for looking at `amount` bytes again; `false`, and a fact, when that is too much in all.
    pub(super) fn pay(&mut self, amount: usize, span: Span) -> bool {
        self.again = self.again.saturating_add(amount);
        let fits = self.again <= MAX_AGAIN;
        if !fits {
            self.exhaust(span);
        }
        fits
    }

    /// Whether there is enough left to look at this much again.
    pub(super) fn affords(&self, amount: usize) -> bool {
        self.again.saturating_add(amount) <= MAX_AGAIN / 2
    }

    /// Pays for a script of this many bytes.
    pub(super) fn pay_text(&mut self, bytes: usize, span: Span) -> bool {
        self.pay(bytes.saturating_add(WORD), span)
    }

    /// Pays for this many words of a command in a command.
    pub(super) fn pay_words(&mut self, words: usize, span: Span) -> bool {
        self.pay((words + 1).saturating_mul(WORD), span)
    }

    /// Relative paths may start anywhere from here on.
    pub(super) fn anywhere(&mut self) {
        self.dirs.clear();
        self.dirs.push(WorkingDir::Anywhere);
    }

    /// The directory may become `operand`, seen from each directory so far.
    pub(super) fn change_dir(&mut self, operand: &Word) {
        if self.dirs.contains(&WorkingDir::Anywhere) {
            return;
        }
        let certain = operand
            .pieces
            .iter()
            .all(|piece| matches!(piece, WordPiece::Text(_) | WordPiece::Home));
        let absolute = match operand.pieces.first() {
            Some(WordPiece::Home) => true,
            Some(WordPiece::Text(text)) => text.starts_with('/'),
            _ => false,
        };
        let anchored = match operand.pieces.first() {
            Some(WordPiece::Text(text)) => text.starts_with("./") || text.starts_with(".."),
            _ => false,
        };
        if !certain
            || self.moved
            || (!absolute && (self.repeats > 0 || (self.cdpath_set && !anchored)))
        {
            return self.anywhere();
        }
        let mut reached = vec![WorkingDir::Through(vec![operand.clone()])];
        if !absolute {
            for dir in &self.dirs {
                if let WorkingDir::Through(operands) = dir {
                    let mut operands = operands.clone();
                    operands.push(operand.clone());
                    reached.push(WorkingDir::Through(operands));
                }
            }
        }
        self.reach(reached);
    }

    /// Relative paths may start from these directories, too.
    pub(super) fn reach(&mut self, reached: Vec<WorkingDir>) {
        for dir in reached {
            if !self.dirs.contains(&dir) {
                self.dirs.push(dir);
            }
        }
        if self.dirs.len() > MAX_DIRS
            || (self.dirs.len() > 1 && self.dirs.contains(&WorkingDir::Anywhere))
        {
            self.anywhere();
        }
    }

    /// Drops what was found from `middle` on when the same was found from `start` to `middle`.
    pub(super) fn merge(&mut self, start: usize, middle: usize) {
        let added = self.facts.split_off(middle.min(self.facts.len()));
        let first = self.facts.get(start..).unwrap_or_default();
        let same = |(one, other): (&LineFact, &LineFact)| is_same(one, other, middle - start);
        if first.len() == added.len() && first.iter().zip(&added).all(same) {
            return;
        }
        let hasher = RandomState::new();
        let mut known: HashMap<u64, usize> = HashMap::with_capacity(2 * first.len());
        for (index, fact) in self.facts.iter().enumerate().skip(start) {
            known.entry(hasher.hash_one(fact)).or_insert(index);
        }
        let mut moved = Vec::with_capacity(added.len());
        for mut fact in added {
            remap(&mut fact, |command| {
                let offset = command.checked_sub(middle)?;
                moved.get(offset).copied()
            });
            let next = self.facts.len();
            let index = *known.entry(hasher.hash_one(&fact)).or_insert(next);
            let here = self.facts.get(index) == Some(&fact);
            moved.push(if here { index } else { next });
            if !here {
                self.facts.push(fact);
            }
        }
    }

    /// The analysis of the whole text, and what a second reading needs, where that would tell more.
    pub(super) fn finish(mut self, whole: Span) -> (LineAnalysis, Option<LoopPlan>) {
        if self.facts.is_empty() {
            self.unknown(whole, DoubtReason::Nothing);
        }
        for span in self.values.faults() {
            if self.facts.len() < self.start + MAX_FACTS + 8 {
                self.facts.push(LineFact {
                    span,
                    what: FactKind::Unknown { why: DoubtReason::Arithmetic, named: None },
                });
            }
        }
        if !self.exhausted {
            let handed = self.handed.reaching();
            self.hand_on(0, &handed);
        }
        if self.home_set {
            self.forget_home();
        }
        self.sort();
        let plan = if self.exhausted { None } else { std::mem::take(&mut self.values).plan() };
        (LineAnalysis { facts: self.facts, dirs: self.dirs }, plan)
    }

    /// The script sets `HOME`, so that `~` is no longer the home directory.
    fn forget_home(&mut self) {
        if !self.dirs.is_empty() {
            self.anywhere();
        }
        let forget = |word: &mut Word| {
            for piece in &mut word.pieces {
                if *piece == WordPiece::Home {
                    *piece = WordPiece::Unknown { splits: true };
                }
            }
        };
        for fact in &mut self.facts {
            match &mut fact.what {
                FactKind::Command(command) => command.argv.iter_mut().for_each(forget),
                FactKind::Redirect { target, .. }
                | FactKind::Path { target, .. }
                | FactKind::Loads { target, .. }
                | FactKind::Url { target, .. } => forget(target),
                FactKind::Assign { .. } | FactKind::Unknown { .. } => {}
            }
        }
    }

    /// In the order in which they stand.
    fn sort(&mut self) {
        if self.facts.is_sorted_by_key(|fact| fact.span.start) {
            return;
        }
        let mut order: Vec<usize> = (0..self.facts.len()).collect();
        order.sort_by_key(|&index| self.facts.get(index).map(|fact| fact.span.start));
        let mut moved = vec![0; order.len()];
        for (to, &from) in order.iter().enumerate() {
            if let Some(slot) = moved.get_mut(from) {
                *slot = to;
            }
        }
        let mut facts: Vec<(usize, LineFact)> =
            moved.iter().copied().zip(std::mem::take(&mut self.facts)).collect();
        facts.sort_unstable_by_key(|(to, _)| *to);
        self.facts = facts.into_iter().map(|(_, fact)| fact).collect();
        for fact in &mut self.facts {
            remap(fact, |command| moved.get(command).copied());
        }
    }
}

/// Whether the facts are the same, where those of the other reading count from `offset`.
fn is_same(one: &LineFact, other: &LineFact, offset: usize) -> bool {
    let at = |command: &usize| *command + offset;
    one.span == other.span
        && match (&one.what, &other.what) {
            (
                FactKind::Path { command, arg, access, target, recursive, loss },
                FactKind::Path { command: c, arg: a, access: x, target: t, recursive: r, loss: l },
            ) => {
                let is_same = (arg, access, recursive, loss) == (a, x, r, l);
                at(command) == *c && is_same && target == t
            }
            (
                FactKind::Url { command, arg, target },
                FactKind::Url { command: c, arg: a, target: t },
            )
            | (
                FactKind::Loads { command, arg, target },
                FactKind::Loads { command: c, arg: a, target: t },
            ) => at(command) == *c && arg == a && target == t,
            (
                FactKind::Unknown { why, named: Some((command, arg)) },
                FactKind::Unknown { why: w, named: Some((c, a)) },
            ) => why == w && at(command) == *c && arg == a,
            (one, other) => one == other,
        }
}

/// Gives the command that a fact speaks of its new index, where it has one.
fn remap(fact: &mut LineFact, to: impl Fn(usize) -> Option<usize>) {
    match &mut fact.what {
        FactKind::Path { command, .. }
        | FactKind::Loads { command, .. }
        | FactKind::Url { command, .. }
        | FactKind::Unknown { named: Some((command, _)), .. } => {
            if let Some(index) = to(*command) {
                *command = index;
            }
        }
        _ => {}
    }
}

/// Whether no command can make it lead elsewhere: what the system itself keeps there.
fn is_device(target: &Word) -> bool {
    matches!(
        target.literal(),
        Some("/dev/null" | "/dev/zero" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty")
    )
}

/// Whether it is the working directory itself, which stays the same when names are moved.
fn is_here(target: &Word, recursive: bool) -> bool {
    !recursive && target.literal() == Some(".")
}

/// From the first word to the last.
pub(super) fn span_of(words: &[Word]) -> Span {
    let start = words.iter().map(|word| word.span.start).min().unwrap_or(0);
    let end = words.iter().map(|word| word.span.end).max().unwrap_or(start);
    Span { start, end }
}
