//! The programs and builtins that are looked through.

use super::super::findings::span_of;
use super::super::prover::LineProver;
use super::super::{CommandRole, DoubtReason, FileAccess, FileLoss, Word, WordPiece};
use super::effects::launch::{self, GivenOption, LaunchWords, LookedThrough};
use super::effects::{self, PathUse, ScriptLanguage, without};
use super::{environment_name, search};

/// How a wrapper is looked through.
pub(super) enum WrapperKind {
    /// Options, and then the command.
    Simple,
    /// Launchers whose options are not known here.
    Opaque,
    Env,
    Command,
    Exec,
    Watch,
    Su,
    Ssh,
    Xargs,
    Find,
    Shell(ScriptLanguage),
    /// `git-push`: a command of git as a program of its own.
    GitProgram,
}

/// The wrapper of this name.
pub(super) fn find(name: &str) -> Option<WrapperKind> {
    Some(match name {
        "env" => WrapperKind::Env,
        "xargs" | "gxargs" => WrapperKind::Xargs,
        "find" | "gfind" => WrapperKind::Find,
        "command" => WrapperKind::Command,
        "exec" => WrapperKind::Exec,
        "watch" => WrapperKind::Watch,
        "su" | "runuser" => WrapperKind::Su,
        "ssh" => WrapperKind::Ssh,
        "crontab" | "arch" => WrapperKind::Opaque,
        name if effects::launches_unseen(name) => WrapperKind::Opaque,
        name if name.starts_with("git-") => WrapperKind::GitProgram,
        name => match launch::through(name) {
            Some(LookedThrough::Command) => WrapperKind::Simple,
            Some(LookedThrough::Script(language)) => WrapperKind::Shell(language),
            // `genv`, `gtimeout`: those of GNU.
            None => return find(effects::without_g(name)?),
        },
    })
}

impl WrapperKind {
    /// Emits what this command, and what it runs, does.
    pub(super) fn look(self, prover: &mut LineProver<'_, '_>, argv: Vec<Word>, role: CommandRole) {
        match self {
            Self::Simple => prover.simple_wrapper(argv, role),
            Self::Opaque => {
                let span = span_of(&argv);
                let command = prover.plain(argv.clone());
                // Only a rule that spells out all of it knows what it allows.
                let arg = argv.len().saturating_sub(1);
                prover.found.unknown_at(span, DoubtReason::RunsCode, command, arg);
                prover.guess(&argv, 1);
                // A word with blanks in it may be a script.
                for word in argv.iter().skip(1) {
                    if let Some(text) = word.literal().filter(|text| text.contains(' ')) {
                        prover.printed_script(text, word.span);
                    }
                }
            }
            Self::Env => prover.env(argv, role),
            Self::Command => prover.command_builtin(argv, role),
            Self::Exec => prover.exec(argv, role),
            Self::Watch => prover.watch(argv, role),
            Self::Su => prover.su(argv),
            Self::Ssh => prover.ssh(argv),
            Self::Xargs => search::xargs(prover, argv, role),
            Self::Find => search::find(prover, argv),
            Self::Shell(language) => prover.shell(argv, language, role),
            Self::GitProgram => prover.git_program(argv),
        }
    }
}

impl LineProver<'_, '_> {
    /// A command of git under a name of its own: an allow has to say that name, and a deny of the command of git holds.
    fn git_program(&mut self, argv: Vec<Word>) {
        let span = span_of(&argv);
        let place = argv.first().map_or(span, |word| word.span);
        let word =
            |text: &str| Word { span: place, pieces: vec![WordPiece::Text(text.to_owned())] };
        let name = name_of(&argv).strip_prefix("git-").unwrap_or_default();
        let mut words = vec![word("git"), word(name)];
        words.extend(argv.iter().skip(1).cloned());
        self.plain(argv);
        if self.found.pay_words(words.len(), span) {
            self.found.command(words, CommandRole::Wrapper);
        }
    }

    /// The facts of a wrapper and its options; what it runs starts at the answer. `None`: that is not known, and said.
    pub(super) fn wrapper(&mut self, argv: &[Word], role: CommandRole) -> Option<LaunchWords> {
        let command = self.found.command(argv.to_vec(), role);
        match launch::read(name_of(argv), argv) {
            Ok(launch) => {
                for given in &launch.given {
                    self.wrapper_option(given, argv, command);
                }
                Some(launch)
            }
            Err((arg, why)) => {
                let span = argv.get(arg).map_or(span_of(argv), |word| word.span);
                self.found.unknown(span, why);
                self.guess(argv, arg);
                None
            }
        }
    }

    fn wrapper_option(&mut self, given: &GivenOption, argv: &[Word], command: usize) {
        if given.assigns()
            && let Some(word) = argv.get(given.arg)
        {
            let name = environment_name(word).unwrap_or_default();
            if name.is_empty() {
                // Which variable that sets depends on who reads the environment.
                self.found.unknown(word.span, DoubtReason::NotUnderstood);
            }
            let value = without(word, name.len() + 1);
            self.found.hand_over(word.span, name, &value.pieces);
        }
        if given.runs() {
            self.found.unknown(span_of(argv), DoubtReason::RunsCode);
        }
        let Some(value) = &given.value else { return };
        if given.is("unsets") {
            // As `unset NAME` does.
            match value.literal() {
                Some(name) => self.found.keep_back(value.span, name),
                None => self.found.unknown(value.span, DoubtReason::NotUnderstood),
            }
        }
        if given.writes() {
            self.found.used(
                command,
                PathUse {
                    arg: given.arg,
                    access: FileAccess::Write,
                    target: value.clone(),
                    recursive: false,
                    loss: if given.replaces() { FileLoss::Replaced } else { FileLoss::Nothing },
                },
            );
        } else if given.reads() {
            self.found.path(command, given.arg, FileAccess::Read, value.clone(), false);
        }
    }

    /// The directories that its options change into, and where else it may run.
    fn wrapper_place(&mut self, launch: &LaunchWords) {
        for given in &launch.given {
            if given.enters()
                && let Some(dir) = &given.value
            {
                self.found.change_dir(dir);
            }
        }
        if launch.doubt == Some(DoubtReason::Elsewhere) || launch.find("root").is_some() {
            self.found.anywhere();
        }
    }

    fn simple_wrapper(&mut self, argv: Vec<Word>, role: CommandRole) {
        let span = span_of(&argv);
        let launch = self.wrapper(&argv, role);
        if let Some(why) = launch::doubt(name_of(&argv)) {
            self.found.unknown(span, why);
        }
        self.left_behind(&argv);
        let Some(launch) = launch else { return };
        self.wrapper_place(&launch);
        if launch.command >= argv.len() {
            return self.found.unknown(span, DoubtReason::MissingCommand);
        }
        let dash_c = argv.get(launch.command).and_then(Word::literal) == Some("-c");
        if dash_c && launch.doubt.is_some() {
            // `flock FILE -c SCRIPT`
            return self.joined_script(&argv, launch.command + 1);
        }
        self.rest(&argv, launch.command);
    }

    /// `nohup` writes what runs prints into a file here, or in the home where it cannot, unless its output goes elsewhere than
    /// to a terminal.
    fn left_behind(&mut self, argv: &[Word]) {
        const FILE: &str = "nohup.out";
        if !effects::keeps_output(name_of(argv)) || self.found.output_is_told {
            return;
        }
        let Some(command) = self.found.len().checked_sub(1) else { return };
        let span = span_of(argv);
        let home = vec![WordPiece::Home, WordPiece::Text(format!("/{FILE}"))];
        for pieces in [vec![WordPiece::Text(FILE.to_owned())], home] {
            self.found.path(command, 0, FileAccess::Write, Word { span, pieces }, false);
        }
    }

    fn env(&mut self, argv: Vec<Word>, role: CommandRole) {
        let span = span_of(&argv);
        let Some(launch) = self.wrapper(&argv, role) else { return };
        self.wrapper_place(&launch);
        self.clears(&launch, &argv);
        if let Some(split) = launch.find("split") {
            let text = split.value.as_ref().and_then(Word::literal);
            let plain = |text: &&str| !text.contains(['\'', '"', '\\', '$', '#']);
            let Some(text) = text.filter(plain) else {
                self.found.unknown(span, DoubtReason::DynamicScript);
                if let Some(text) = text {
                    self.read_script(text, &argv, super::super::Shell::Sh);
                }
                return;
            };
            let mut words: Vec<Word> = argv.first().cloned().into_iter().collect();
            words.extend(
                text.split([' ', '\t', '\n', '\x0b', '\x0c', '\r'])
                    .filter(|text| !text.is_empty())
                    .map(|text| Word {
                        span,
                        pieces: vec![super::WordPiece::Text(text.to_owned())],
                    }),
            );
            words.extend(argv.iter().skip(split.arg + 1).cloned());
            if self.found.pay_words(words.len(), span) {
                self.runs(words);
            }
            return;
        }
        if launch.command >= argv.len() {
            return self.found.unknown(span, DoubtReason::ShowsSecrets);
        }
        self.rest(&argv, launch.command);
    }

    fn command_builtin(&mut self, argv: Vec<Word>, role: CommandRole) {
        let Some(launch) = self.wrapper(&argv, role) else { return };
        if launch.find("tells").is_some() {
            return;
        }
        if launch.command >= argv.len() {
            return self.found.unknown(span_of(&argv), DoubtReason::MissingCommand);
        }
        self.rest(&argv, launch.command);
    }

    /// All variables are taken away. Some may keep a program from what it would do: one that takes orders from them is asked
    /// about.
    fn clears(&mut self, launch: &LaunchWords, argv: &[Word]) {
        let before = argv.get(1..launch.command).unwrap_or_default();
        let clears = launch.find("clears").is_some()
            || before.iter().any(|word| word.literal() == Some("-"));
        let program = argv.get(launch.command).and_then(Word::literal);
        let plain = program.is_some_and(|name| effects::takes_data_only(effects::base_name(name)));
        if clears && !plain {
            self.found.unknown(span_of(argv), DoubtReason::Alters);
        }
    }

    fn exec(&mut self, argv: Vec<Word>, role: CommandRole) {
        let Some(launch) = self.wrapper(&argv, role) else { return };
        self.clears(&launch, &argv);
        if launch.command >= argv.len() {
            return self.found.unknown(span_of(&argv), DoubtReason::MissingCommand);
        }
        self.rest(&argv, launch.command);
    }

    fn watch(&mut self, argv: Vec<Word>, role: CommandRole) {
        self.found.unknown(span_of(&argv), DoubtReason::RunsCode);
        let Some(launch) = self.wrapper(&argv, role) else { return };
        if launch.find("exec").is_some() {
            self.rest(&argv, launch.command);
        } else {
            self.joined_script(&argv, launch.command);
        }
    }

    fn su(&mut self, argv: Vec<Word>) {
        self.found.command(argv.clone(), CommandRole::Wrapper);
        self.found.unknown(span_of(&argv), DoubtReason::Privileged);
        let after = |option: &str| argv.iter().position(|word| word.literal() == Some(option));
        for option in ["-c", "--command", "-lc"] {
            if let Some(at) = after(option) {
                self.joined_script(argv.get(..at + 2).unwrap_or(&argv), at + 1);
            }
        }
        for word in &argv {
            if let Some(script) = word.literal().and_then(|text| text.strip_prefix("--command=")) {
                self.read_script(script, std::slice::from_ref(word), super::super::Shell::Sh);
            }
        }
    }

    fn ssh(&mut self, argv: Vec<Word>) {
        let span = span_of(&argv);
        let command = self.plain(argv.clone());
        match launch::read("ssh", &argv) {
            Ok(launch) => {
                self.found.unknown_at(span, DoubtReason::Elsewhere, command, launch.operands);
                if launch.command < argv.len() {
                    self.joined_script(&argv, launch.command);
                }
            }
            Err(_) => self.found.unknown(span, DoubtReason::Elsewhere),
        }
    }
}

/// The name of the program, without its directory.
fn name_of(argv: &[Word]) -> &str {
    effects::base_name(argv.first().and_then(Word::literal).unwrap_or_default())
}
