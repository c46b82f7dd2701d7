//! The walk over a command's words with a program's table in hand.

use super::CommandEffects;
use super::spec::{
    MovingCommands, OperandSpec, OperandUse, OptionMeaning, OptionName, OptionStyle, OptionTakes,
    ProgramSpec,
};
use super::{launch, words};
use crate::shell::{DoubtReason, FileAccess, FileLoss, Word};

/// The name of options that make what stands behind the command options of the launcher.
const SHARED: &str = "shared";

/// An argument, or what is left of it after its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ArgumentPart {
    /// The argument.
    pub(super) arg: usize,
    /// The bytes left out.
    pub(super) skip: usize,
}

/// An operand, and how many [`OperandUse::Base`] stood before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkOperand {
    pub(super) arg: usize,
    base: usize,
}

/// A walk.
pub(super) struct ArgumentWalk<'a> {
    pub(super) argv: &'a [Word],
    /// Words that are files in every expansion.
    pub(super) files: &'a [Word],
    pub(super) program: &'static ProgramSpec,
    /// Where its words begin.
    pub(super) from: usize,
    /// The word that was the value of an option, and counts as what it looks like as well: not every version of the program
    /// may take a value there.
    twice: Option<usize>,
    /// Whether an option was met that no table has.
    doubted: bool,
    /// Whether a word that counts as an operand may be the value of an option.
    pub(super) doubtful: bool,
    pub(super) effects: CommandEffects,
    pub(super) operands: Vec<WalkOperand>,
    /// How many of them vanish where a pattern finds one name.
    perhaps: usize,
    /// Whether an option stood for the first operand.
    pub(super) settled: bool,
    /// Directories, and the arguments that name them.
    pub(super) bases: Vec<(usize, Word)>,
    pub(super) recursive: bool,
    /// Whether symlinks are followed where all that is below is used.
    follows_below: bool,
    pub(super) into: Option<ArgumentPart>,
    /// Whether what follows is no longer the program's.
    pub(super) ended: bool,
    kept: Vec<(&'static str, ArgumentPart)>,
    /// The options that were met, here and before the command that this is; `None` for what may be any.
    met: Vec<Option<OptionName>>,
    /// The last of each name.
    last_kept: Vec<(&'static str, ArgumentPart)>,
}

/// What the program does with `argv[from..]`, where `from` is its first argument.
pub(super) fn walk(
    program: &'static ProgramSpec, argv: &[Word], files: &[Word], from: usize,
) -> CommandEffects {
    walk_on(program, argv, files, from, Vec::new())
}

/// The same behind options of the program that this is a command of.
fn walk_on(
    program: &'static ProgramSpec, argv: &[Word], files: &[Word], from: usize,
    met: Vec<Option<OptionName>>,
) -> CommandEffects {
    let mut walk = ArgumentWalk {
        argv,
        files,
        program,
        from,
        twice: None,
        doubted: false,
        doubtful: false,
        effects: CommandEffects::default(),
        operands: Vec::new(),
        perhaps: 0,
        settled: false,
        bases: Vec::new(),
        recursive: program.recursive,
        follows_below: false,
        into: None,
        ended: false,
        kept: Vec::new(),
        met,
        last_kept: Vec::new(),
    };
    if let OperandSpec::Launches(count) = program.operands {
        walk.launches(from, count);
        return walk.effects;
    }
    walk.arguments(from);
    walk.moves();
    walk.effects.makes_links |= walk.kept("makes-links").is_some();
    walk.finish();
    walk.effects
}

impl<'a> ArgumentWalk<'a> {
    fn arguments(&mut self, from: usize) {
        for uses in &self.program.always {
            self.option(*uses, ArgumentPart { arg: 0, skip: 0 });
        }
        if self.program.at_files {
            for (at, word) in self.argv.iter().enumerate().skip(from) {
                if words::beginning(word).starts_with('@') {
                    self.runs(at, DoubtReason::RunsCode);
                    self.apply(OperandUse::Read, ArgumentPart { arg: at, skip: 1 }, 0);
                } else if self.files.contains(word) || !words::begins_unknown(word) {
                } else if !words::is_pattern(word) {
                    self.runs(at, DoubtReason::MayBeOption);
                } else if words::may_find_options(word) {
                    self.runs(at, DoubtReason::FindsOptions);
                }
            }
        }
        if self.program.style == OptionStyle::Own {
            return self.operands_from(from);
        }
        let mut next = from;
        while let Some(word) = self.argv.get(next)
            && !self.ended
        {
            let at = next;
            next += 1;
            let begins = words::beginning(word);
            let long = begins.strip_prefix("--");
            if long == Some("") && word.pieces.len() == 1 {
                if self.twice == Some(at) {
                    // The value of an option to one version, the end of all options to another.
                    self.runs(at, DoubtReason::MayBeOption);
                    continue;
                }
                self.behind_dashes(next);
                return;
            }
            self.uncertain(at);
            if begins.starts_with('-') {
                self.counts(at, 0);
            }
            if let Some(name) = long {
                next += self.long(at, name, 2);
            } else if begins.len() > 1 && begins.starts_with('-') {
                next += if self.program.style.one_dash() {
                    self.long(at, begins.get(1..).unwrap_or(""), 1)
                } else {
                    self.bundle(at, begins)
                };
            } else if begins == "-" && word.pieces.len() > 1 {
                self.option_in_doubt(at);
            } else if self.program.plus && begins.starts_with('+') {
                self.runs(at, DoubtReason::RunsCode);
            } else if self.twice != Some(at) {
                self.operand(at);
                if self.program.style.leading() {
                    self.operands_from(next);
                    return;
                }
            }
        }
    }

    /// Whether the command that the first operands name makes or moves links or folders.
    fn moves(&mut self) {
        let named = self.program.words.saturating_sub(1).max(1);
        let names = self.operands.iter().take(named);
        let mut names = names.map(|operand| self.place(operand.arg).literal());
        let is = |list: &[&str], name: Option<&str>| name.is_none_or(|name| list.contains(&name));
        self.effects.moves |= match &self.program.moving {
            MovingCommands::With(list) if list.is_empty() => false,
            MovingCommands::With(list) => names.any(|name| is(list, name)),
            MovingCommands::But(list) => {
                !names.next().flatten().is_some_and(|name| list.contains(&name))
            }
        };
    }

    /// An option that is not certain, or not known, may make links where any option does.
    fn may_move(&mut self) {
        self.effects.moves |=
            self.program.meanings().any(|meaning| matches!(meaning.uses, OperandUse::Moves));
    }

    /// What stands behind `--`: operands, or the words of another program.
    fn behind_dashes(&mut self, from: usize) {
        match super::tables().command(self.program.path, "--") {
            Some(program) => {
                let behind = walk_on(program, self.argv, self.files, from, self.met.clone());
                self.add(behind);
            }
            None => self.operands_from(from),
        }
    }

    fn operands_from(&mut self, from: usize) {
        for at in from..self.argv.len() {
            self.operand(at);
        }
    }

    fn operand(&mut self, arg: usize) {
        self.operands.push(WalkOperand { arg, base: self.bases.len() });
    }

    /// A word before `--` that could become an option.
    fn uncertain(&mut self, at: usize) {
        let Some(word) = self.argv.get(at) else { return };
        let doubt = words::splits_into_options(word) || words::begins_unknown(word);
        if !doubt || self.files.contains(word) {
            return;
        }
        if !words::is_pattern(word) {
            self.met.push(None);
            self.any_option(at, word.clone());
        } else if words::may_find_options(word) {
            // Who knows the files knows whether there is one of such a name. What no table has counts as what does harm.
            self.met.push(None);
            self.runs(at, DoubtReason::FindsOptions);
        }
    }

    /// An option, or the value of one that begins behind `skip` bytes of its word: it may become none or several.
    fn counts(&mut self, at: usize, skip: usize) {
        let doubt = self.argv.get(at).and_then(|word| words::doubt_of_value(word, skip));
        // Behind the last word no other is the value.
        let shifts = |why: &DoubtReason| {
            skip == 0 || at + 1 < self.argv.len() || *why == DoubtReason::FindsOptions
        };
        if let Some(why) = doubt.filter(shifts)
            && self.program.minds_words()
        {
            self.runs(at, why);
        }
    }

    /// It may be any of the program's options, with this value.
    fn any_option(&mut self, at: usize, value: Word) {
        self.may_move();
        // One that reads more, or that makes of other words what they do not look like, is no better than one that runs.
        let harmless = |uses: OperandUse| {
            matches!(uses, OperandUse::Nothing | OperandUse::Read | OperandUse::ReadBelow)
        };
        if self.program.plus || self.program.meanings().any(|meaning| !harmless(meaning.uses)) {
            return self.runs(at, DoubtReason::MayBeOption);
        }
        if self.program.meanings().any(|meaning| meaning.uses.reads()) {
            self.path(at, FileAccess::Read, value, self.recursive);
        }
    }

    /// An option that no table has. To the program it may be none: then what follows are other operands than they seem.
    fn unknown_option(&mut self, at: usize) {
        self.met.push(None);
        self.may_move();
        self.runs(at, DoubtReason::UnknownOption);
        if std::mem::replace(&mut self.doubted, true) {
            return;
        }
        for arg in at + 1..self.argv.len() {
            if self.argv.get(arg).is_some_and(words::looks_like_a_path) {
                self.apply(OperandUse::Read, ArgumentPart { arg, skip: 0 }, 0);
            }
        }
    }

    /// An option whose name is not certain.
    fn option_in_doubt(&mut self, at: usize) {
        self.met.push(None);
        if self.program.open {
            self.any_option(at, words::unknown(self.place(at)));
        } else {
            self.runs(at, DoubtReason::MayBeOption);
        }
    }

    /// A long option; how many words after it belong to it.
    fn long(&mut self, at: usize, name: &str, dashes: usize) -> usize {
        let (name, attached) = match name.split_once('=') {
            Some((name, _)) => {
                (name, Some(ArgumentPart { arg: at, skip: dashes + name.len() + 1 }))
            }
            None => (name, None),
        };
        if attached.is_some() && self.program.separate {
            self.unknown_option(at);
            return 0;
        }
        let glued = dashes == 1 && self.program.glued;
        if attached.is_none() && self.place(at).pieces.len() > 1 {
            // What only the run will tell goes on the name, or is its value.
            let known = glued && self.glued(at);
            if !known || self.program.goes_on(name) {
                self.option_in_doubt(at);
            }
            return 0;
        }
        let number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        if number && dashes == 1 && attached.is_none() && self.program.digits {
            return 0;
        }
        let readings = self.program.long(name);
        if readings.is_empty() {
            let known = glued && self.glued(at);
            self.met.push(None);
            if self.program.open {
                if let Some(part) = attached {
                    self.unknown_value(part);
                }
            } else if glued && !known {
                self.runs(at, DoubtReason::UnknownOption);
            } else if !glued {
                self.unknown_option(at);
            }
            return 0;
        }
        self.met.extend(readings.iter().map(|(name, _)| Some(OptionName::Long(name))));
        self.readings(readings.iter().map(|(_, meaning)| meaning), at, attached, attached.is_some())
    }

    /// A name with its value attached, where long names have one dash: each name that the word begins with counts. Whether
    /// there is one.
    fn glued(&mut self, at: usize) -> bool {
        let word = self.place(at);
        let whole = word.pieces.len() == 1;
        let text = words::beginning(word).get(1..).unwrap_or_default();
        let mut known = false;
        for (name, meaning) in &self.program.longs {
            // Where nothing is behind the text, there is no value behind it either.
            let value = text.strip_prefix(name).is_some_and(|rest| !(whole && rest.is_empty()));
            if value && meaning.takes != OptionTakes::Nothing {
                known = true;
                if meaning.takes.next() {
                    self.counts(at, 1 + name.len());
                }
                self.option(meaning.uses, ArgumentPart { arg: at, skip: 1 + name.len() });
            }
        }
        known
    }

    /// One-letter options in one word; how many words after it belong to it.
    fn bundle(&mut self, at: usize, begins: &str) -> usize {
        let whole = self.place(at).pieces.len() == 1;
        if self.program.apart && !self.is_apart(begins) {
            self.met.push(None);
            self.runs(at, DoubtReason::UnknownOption);
            return 0;
        }
        for (index, letter) in begins.char_indices().skip(1) {
            if letter.is_ascii_digit() && self.program.digits {
                continue;
            }
            self.meets(letter);
            let readings = self.program.short(letter);
            if readings.is_empty() {
                if !self.program.open {
                    self.unknown_option(at);
                    return 0;
                }
                continue;
            }
            let rest = ArgumentPart { arg: at, skip: index + letter.len_utf8() };
            let attached = (!whole || rest.skip < begins.len()).then_some(rest);
            let meanings = || readings.iter().map(|(_, meaning)| meaning);
            let taken = self.readings(meanings(), at, attached, false);
            if begins.as_bytes().get(rest.skip) == Some(&b'=') {
                self.behind_equals(meanings(), ArgumentPart { skip: rest.skip + 1, ..rest });
            }
            let ends = attached.is_some() && meanings().all(|it| it.takes != OptionTakes::Nothing);
            if ends || taken > 0 {
                return taken;
            }
        }
        if !whole {
            self.option_in_doubt(at);
        }
        0
    }

    /// Whether no letter in this word could take what is behind it for its value.
    fn is_apart(&self, begins: &str) -> bool {
        let letters = begins.get(1..).unwrap_or_default();
        letters.char_indices().all(|(index, letter)| {
            let rest = letters.get(index + letter.len_utf8()..).unwrap_or_default();
            let takes =
                self.program.short(letter).iter().any(|(_, it)| it.takes != OptionTakes::Nothing);
            !takes
                || (index == 0 && rest.starts_with('='))
                || rest.bytes().all(|byte| byte.is_ascii_digit())
        })
    }

    /// `-x=FILE`: to some programs the value begins behind the `=`.
    fn behind_equals<'m>(
        &mut self, readings: impl Iterator<Item = &'m OptionMeaning>, part: ArgumentPart,
    ) {
        let file = |uses: OperandUse| {
            uses.reads()
                || matches!(
                    uses,
                    OperandUse::Loads
                        | OperandUse::RunsFile
                        | OperandUse::Write
                        | OperandUse::WriteBelow
                        | OperandUse::Replaces
                        | OperandUse::Deletes
                )
        };
        for meaning in readings.filter(|it| it.takes != OptionTakes::Nothing && file(it.uses)) {
            self.option(meaning.uses, part);
        }
    }

    /// Every reading of an option, with what is attached to it; how many words after it belong to it for certain.
    fn readings<'m>(
        &mut self, readings: impl Iterator<Item = &'m OptionMeaning> + Clone, at: usize,
        attached: Option<ArgumentPart>, assigned: bool,
    ) -> usize {
        let here = ArgumentPart { arg: at, skip: 0 };
        let certain = readings.clone().all(|meaning| meaning.takes == OptionTakes::Value);
        let mut taken = 0;
        for meaning in readings {
            if self.twice == Some(at)
                && matches!(
                    meaning.uses,
                    OperandUse::Keep(_)
                        | OperandUse::Looks(_)
                        | OperandUse::Settles
                        | OperandUse::SettlesRead
                )
            {
                // To one version it says what the rest means, to another it says nothing.
                self.runs(at, DoubtReason::MayBeOption);
            }
            match (meaning.takes, attached) {
                (OptionTakes::Value | OptionTakes::Maybe | OptionTakes::Next, Some(part)) => {
                    if meaning.takes.next() && !assigned {
                        self.counts(at, part.skip);
                    }
                    self.option(meaning.uses, part)
                }
                (OptionTakes::Next, None) => {
                    self.option(meaning.uses, here);
                    let next = self.argv.get(at + 1);
                    if next.is_some_and(|next| !words::beginning(next).starts_with('-')) {
                        // It is an operand besides.
                        self.doubtful = true;
                        self.with_next(meaning.uses, at);
                    }
                }
                (OptionTakes::Value, None) => {
                    self.with_next(meaning.uses, at);
                    taken = 1;
                }
                // A flag takes nothing behind `=`.
                (OptionTakes::Nothing, Some(_)) if assigned => self.unknown_option(at),
                (OptionTakes::Maybe, None) | (OptionTakes::Nothing, _) => {
                    self.option(meaning.uses, here)
                }
            }
        }
        if taken == 0 {
            return 0;
        }
        let next = self.argv.get(at + 1);
        let like_option = next.is_some_and(words::looks_like_an_option);
        if certain && self.twice != Some(at) && !like_option {
            return 1;
        }
        self.doubtful |= !certain;
        if certain {
            // Not an operand, unless this word is the value of another option.
            self.twice = (self.twice != Some(at)).then_some(at + 1);
        } else if like_option {
            // What is behind it is its value to some, and theirs that of no option.
            self.twice = Some(at + 1);
        }
        0
    }

    fn with_next(&mut self, uses: OperandUse, at: usize) {
        if self.argv.get(at + 1).is_none() {
            // The program will complain, but a wrapper may add words.
            return self.option(uses, ArgumentPart { arg: at, skip: 0 });
        }
        if let Some(word) = self.argv.get(at + 1)
            && words::splits_into_options(word)
        {
            self.uncertain(at + 1);
        }
        self.counts(at + 1, 0);
        if self.argv.get(at + 1).is_some_and(words::is_pattern) {
            // The first name that it finds is the value, and the others are operands.
            self.operand(at + 1);
            self.perhaps += 1;
        }
        let harmless = matches!(uses, OperandUse::Nothing);
        let text = harmless || matches!(uses, OperandUse::Settles | OperandUse::Keep(_));
        if !text && self.argv.get(at + 1).is_some_and(words::looks_like_an_option) {
            // A program that reads its options in two passes has taken that option away: the value is a later word.
            self.runs(at, DoubtReason::MayBeOption);
        }
        self.option(uses, ArgumentPart { arg: at + 1, skip: 0 });
        let path = self.argv.get(at + 1).is_some_and(words::looks_like_a_path);
        if path && harmless && self.program.operands.read() {
            // To another version of the program it may be an operand.
            self.apply(OperandUse::Read, ArgumentPart { arg: at + 1, skip: 0 }, self.bases.len());
        }
    }

    /// The value of an option that is not known may be what an operand is.
    fn unknown_value(&mut self, part: ArgumentPart) {
        let (OperandSpec::All(uses) | OperandSpec::First(_, uses)) = self.program.operands else {
            return;
        };
        self.apply(uses, part, 0);
    }

    /// Its own options, and then the command that it runs.
    fn launches(&mut self, from: usize, count: usize) {
        for uses in &self.program.always {
            self.option(*uses, ArgumentPart { arg: 0, skip: 0 });
        }
        let launch = match launch::parse(self.program, self.argv, from, count) {
            Ok(launch) => launch,
            Err((arg, why)) => return self.runs(arg, why),
        };
        for given in &launch.given {
            match given.uses {
                Some(uses) => self.option(uses, given.part()),
                // A variable decides what runs as an option does.
                None => self.runs(given.arg, DoubtReason::RunsCode),
            }
        }
        let shared = self.program.shared || self.kept(SHARED).is_some();
        let dashes = launch.command.checked_sub(1).map(|at| self.place(at).literal() == Some("--"));
        if shared && dashes != Some(true) {
            let option = |word: &Word| {
                words::beginning(word).starts_with('-')
                    || words::splits_into_options(word)
                    || words::begins_unknown(word)
            };
            for (at, _) in
                self.argv.iter().enumerate().skip(launch.command).filter(|(_, word)| option(word))
            {
                self.effects.unknown.push((at, DoubtReason::MayBeOption));
            }
        }
        self.launch(ArgumentPart { arg: launch.command, skip: 0 });
    }

    /// What stands from here on is a command, which a rule must spell out.
    pub(super) fn launch(&mut self, part: ArgumentPart) {
        if part.arg >= self.argv.len() {
            return self.unnamable(DoubtReason::MissingCommand);
        }
        self.runs(part.arg, DoubtReason::RunsCode);
        self.effects.launches = Some((part.arg, part.skip));
        self.ended = true;
    }

    pub(super) fn option(&mut self, uses: OperandUse, part: ArgumentPart) {
        match uses {
            OperandUse::Recursive => self.recursive = true,
            OperandUse::FollowsBelow => self.follows_below = true,
            OperandUse::Settles => self.settled = true,
            OperandUse::SettlesRead => {
                self.settled = true;
                self.apply(OperandUse::Read, part, 0);
            }
            OperandUse::Keep(name) | OperandUse::Looks(name) => self.keep(name, part),
            OperandUse::Into => {
                self.into = Some(part);
                self.apply(OperandUse::Write, part, 0);
            }
            OperandUse::Base => self.enter(part),
            uses => self.apply(uses, part, 0),
        }
    }

    /// Notes that an argument makes the command unknown.
    pub(super) fn runs(&mut self, arg: usize, why: DoubtReason) {
        self.effects.unknown.push((arg, why));
    }

    /// Notes that the command is unknown, under any rule.
    pub(super) fn unnamable(&mut self, why: DoubtReason) {
        self.effects.unknown.push((self.argv.len(), why));
    }

    /// The argument, as a place; the command without one.
    pub(super) fn place(&self, arg: usize) -> &'a Word {
        static NONE: Word =
            Word { span: crate::shell::Span { start: 0, end: 0 }, pieces: Vec::new() };
        self.argv.get(arg).or_else(|| self.argv.first()).unwrap_or(&NONE)
    }

    /// The word that a part is.
    pub(super) fn word(&self, part: ArgumentPart) -> Word {
        words::without(self.place(part.arg), part.skip)
    }

    pub(super) fn keep(&mut self, name: &'static str, part: ArgumentPart) {
        self.kept.push((name, part));
        match self.last_kept.iter_mut().find(|(kept, _)| *kept == name) {
            Some((_, last)) => *last = part,
            None => self.last_kept.push((name, part)),
        }
    }

    /// Notes that an option of one letter was met.
    pub(super) fn meets(&mut self, letter: char) {
        self.met.push(Some(OptionName::Short(letter)));
    }

    /// Whether an option says that it only looks, and beside it stands none that is not known to leave it so.
    pub(super) fn only_looks(&self, name: &'static str) -> bool {
        let looks =
            |meaning: &OptionMeaning| matches!(meaning.uses, OperandUse::Looks(it) if it == name);
        let keeps = |met: &Option<OptionName>| {
            let Some(met) = met else { return false };
            let looks_itself = match met {
                OptionName::Short(letter) => {
                    self.program.short(*letter).iter().any(|(_, it)| looks(it))
                }
                OptionName::Long(long) => self.program.whole(long).iter().any(|(_, it)| looks(it)),
            };
            looks_itself || self.program.beside.contains(&(name, *met))
        };
        self.kept(name).is_some() && self.met.iter().all(keeps)
    }

    /// What was last kept under this name.
    pub(super) fn kept(&self, name: &'static str) -> Option<ArgumentPart> {
        self.last_kept.iter().find(|(kept, _)| *kept == name).map(|(_, part)| *part)
    }

    /// All that was kept under this name.
    pub(super) fn all_kept(&self, name: &'static str) -> Vec<ArgumentPart> {
        self.kept.iter().filter(|(kept, _)| *kept == name).map(|(_, part)| *part).collect()
    }

    /// Notes that an operand is written, and what becomes of what is in it.
    pub(super) fn operand_loses(&mut self, operand: WalkOperand, loss: FileLoss) {
        self.loses(ArgumentPart { arg: operand.arg, skip: 0 }, operand.base, loss);
    }

    /// Notes what an operand is used for.
    pub(super) fn operand_is(&mut self, operand: WalkOperand, uses: OperandUse) {
        self.apply(uses, ArgumentPart { arg: operand.arg, skip: 0 }, operand.base);
    }

    /// An operand is code, or has settings beside it that decide what runs.
    pub(super) fn operand_loads(&mut self, operand: WalkOperand) {
        self.loads(ArgumentPart { arg: operand.arg, skip: 0 }, operand.base, false);
    }

    fn finish(&mut self) {
        if self.effects.launches.is_some() {
            return;
        }
        if matches!(self.program.operands, OperandSpec::Command) {
            return self.command();
        }
        self.leaves();
        if self.follows_below && self.recursive {
            self.apply(OperandUse::Follows, ArgumentPart { arg: 0, skip: 0 }, 0);
        }
        if self.perhaps > 0 && self.operands.len() == self.perhaps {
            // Perhaps there is no operand.
            self.lay_out_none();
        }
        self.lay_out(self.program.operands, self.program.here);
    }

    /// Whether an option says that it leaves nothing where it runs. A `false` or a `null` behind it takes that back.
    pub(super) fn leaves_nothing(&self) -> bool {
        self.kept("leaves-none").is_some_and(|part| {
            self.place(part.arg + 1).literal().is_some_and(|text| !matches!(text, "false" | "null"))
        })
    }

    /// What it makes where it runs.
    fn leaves(&mut self) {
        if self.leaves_nothing() {
            return;
        }
        for name in &self.program.leaves {
            self.path(0, FileAccess::Write, words::text(self.place(0), name), true);
        }
    }

    /// What is done without any operand is done besides.
    fn lay_out_none(&mut self) {
        let operands = std::mem::take(&mut self.operands);
        self.lay_out(self.program.operands, self.program.here);
        self.operands = operands;
    }

    /// Goes on with the command that the first operand names. An unknown one may be another name for anything.
    fn command(&mut self) {
        let operands = std::mem::take(&mut self.operands);
        let Some(first) = operands.first() else { return };
        let Some(name) = self.place(first.arg).literal() else {
            return self.runs(first.arg, DoubtReason::MayBeOption);
        };
        match super::tables().command(self.program.path, name) {
            Some(command) => {
                let met = std::mem::take(&mut self.met);
                let below = walk_on(command, self.argv, self.files, first.arg + 1, met);
                self.add(below);
            }
            None if self.program.otherwise => {
                super::packages::npmrc(self, ArgumentPart { arg: 0, skip: 0 });
                self.launch(ArgumentPart { arg: first.arg, skip: 0 });
            }
            None if self.program.open => {}
            None => self.runs(first.arg, DoubtReason::UnknownCommand),
        }
    }

    /// Adds what a command does, from where this walk stands.
    pub(super) fn add(&mut self, effects: CommandEffects) {
        for mut used in effects.paths {
            used.target = self.based(used.target);
            self.effects.paths.push(used);
        }
        if let Some(launches) = effects.launches {
            if let Some((arg, _)) = self.bases.last() {
                // What it does with its files is told from here only.
                self.runs(*arg, DoubtReason::Elsewhere);
            }
            self.effects.launches = Some(launches);
        }
        for (arg, file) in effects.loads {
            let file = self.based(file);
            self.effects.loads.push((arg, file));
        }
        self.effects.moves |= effects.moves;
        self.effects.makes_links |= effects.makes_links;
        self.effects.urls.extend(effects.urls);
        self.effects.scripts.extend(effects.scripts);
        self.effects.unknown.extend(effects.unknown);
    }
}
