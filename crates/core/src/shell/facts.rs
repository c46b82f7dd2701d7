//! What a command line can do, as a list.

use std::fmt;

/// A place in the command line, in bytes; the end is not part of it. What stands in a script inside the script
/// (`sh -c '…'`) has the place of the word that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte after the last.
    pub end: usize,
}

/// The shell that will run a command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Shell {
    /// bash, 3.2 to 5.3, without aliases, history and `extglob`.
    Bash,
    /// `sh`, which may be dash or bash: the stricter of both.
    Sh,
    /// dash, as the POSIX shell.
    Posix,
    /// zsh: lists of plain words only, everything else is unknown.
    Zsh,
    /// Any other, like PowerShell or cmd: the whole line is unknown.
    Other,
}

/// A piece of a word, its quotes removed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WordPiece {
    /// Text that stands for itself.
    Text(String),
    /// The home directory: `~`, `$HOME`.
    Home,
    /// A pattern for names of files: `*`, `?`, `[a-z]`, as written. It can become any number of words, none included only
    /// where the shell is told so; it never matches a `/`, nor a leading dot.
    Glob(String),
    /// Text that only the run will tell: any other expansion or substitution.
    Unknown {
        /// Outside of quotes, it can become any number of words, or none.
        splits: bool,
    },
}

/// Where the names of files begin that bash takes for connections.
const NETWORKS: [&str; 2] = ["/dev/tcp/", "/dev/udp/"];

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Word {
    /// Where it stands.
    pub span: Span,
    /// In order; adjacent texts are joined. Empty for `''`.
    pub pieces: Vec<WordPiece>,
}

impl Word {
    /// What it is, when that is certain.
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [WordPiece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether a redirection from or to this word may be a connection: bash takes `/dev/tcp/HOST/PORT` for one, and what only
    /// the run will tell may be that. `home_is_set`: the line sets what `~` stands for.
    pub fn may_connect(&self, home_is_set: bool) -> bool {
        let is_open = |piece: &WordPiece| match piece {
            WordPiece::Unknown { .. } => true,
            WordPiece::Home => home_is_set,
            WordPiece::Text(_) | WordPiece::Glob(_) => false,
        };
        let before = self.pieces.iter().take_while(|piece| !is_open(piece));
        let known: String = before
            .map(|piece| match piece {
                WordPiece::Text(text) | WordPiece::Glob(text) => text.as_str(),
                // No home is below `/dev`.
                WordPiece::Home | WordPiece::Unknown { .. } => "~",
            })
            .collect();
        let open = self.pieces.iter().any(is_open);
        let begins = NETWORKS.iter().any(|network| {
            known.starts_with(network) || (open && network.starts_with(known.as_str()))
        });
        // Behind the last `/` stands the port: a number, or the name of a service, in which there is no dot.
        let port = match self.pieces.last() {
            Some(WordPiece::Text(text)) => text.rsplit('/').next().unwrap_or_default(),
            _ => "",
        };
        begins && port.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+*".contains(&byte))
    }

    /// Whether it can become several words, or none.
    pub fn splits(&self) -> bool {
        self.pieces
            .iter()
            .any(|piece| matches!(piece, WordPiece::Glob(_) | WordPiece::Unknown { splits: true }))
    }

    /// Whether some of it is a pattern for names of files.
    pub(crate) fn has_pattern(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, WordPiece::Glob(_)))
    }
}

/// What a command is to the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CommandRole {
    /// It needs an allow.
    Plain,
    /// It was looked through (`env`, `timeout`, `sh -c`, `export A=1`): it runs or sets something, and that needs the allow; only
    /// denies and asks of its own name matter.
    Wrapper,
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Command {
    /// Its words, redirections and leading assignments left out. Never empty.
    pub argv: Vec<Word>,
    /// What it is to the verdict.
    pub role: CommandRole,
}

/// How a file is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FileAccess {
    /// Its content or its name is read.
    Read,
    /// It is made, changed, moved, or deleted.
    Write,
}

/// What becomes of what is in a file that is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum FileLoss {
    /// It stays, or goes on in another place: something is added, changed or moved. So does what is only read.
    #[default]
    Nothing,
    /// It goes on under another name: it is moved, or a link to it is made. What writes there changes it.
    Moved,
    /// Something else takes the place of a file. A folder stays: what it gets has names of its own, and is said by itself.
    ReplacedFile,
    /// Something else takes its place; where it is a folder that is used with all below it, the place of what is there.
    Replaced,
    /// It is deleted.
    Deleted,
}

impl FileLoss {
    /// Whether what is in it is gone then.
    pub fn takes_away(self) -> bool {
        !matches!(self, Self::Nothing | Self::Moved)
    }
}

/// One thing that a command line can do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LineFact {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub what: FactKind,
}

/// What a fact is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FactKind {
    /// A command runs.
    Command(Command),
    /// A redirection. One that reads and writes (`<>`) is two.
    Redirect {
        /// How the target is used.
        access: FileAccess,
        /// The file. Duplicated and closed descriptors are no facts.
        target: Word,
        /// What becomes of what is in it.
        loss: FileLoss,
    },
    /// A variable is set.
    Assign {
        /// Its name.
        name: String,
    },
    /// A command uses a file through its arguments.
    Path {
        /// The index of the command among the facts.
        command: usize,
        /// The index of the argument that says so; the file may be a part of it (`--output=FILE`).
        arg: usize,
        /// How the file is used.
        access: FileAccess,
        /// The file.
        target: Word,
        /// Whether all that is below it is used too (`rm -r`, `cp -r`, `grep -r`, `find`).
        recursive: bool,
        /// What becomes of what is in it.
        loss: FileLoss,
    },
    /// A command runs this file, or what it runs is decided by it: nothing new where it is the project's own, unknown
    /// elsewhere. Reading it is another fact.
    Loads {
        /// The index of the command among the facts.
        command: usize,
        /// The index of the argument that says so.
        arg: usize,
        /// The file or the directory.
        target: Word,
    },
    /// A command fetches from, or sends to, an address that stands in its arguments.
    Url {
        /// The index of the command among the facts.
        command: usize,
        /// The index of the argument that says so.
        arg: usize,
        /// The address.
        target: Word,
    },
    /// Something that cannot be proven. Nothing allows it, unless `named` says where a rule may speak of it.
    Unknown {
        /// Why.
        why: DoubtReason,
        /// The command (its index among the facts) and the argument that make it unknown: `-c` of `git -c`. A rule that
        /// spells out the command's words up to and including this one, as they are, knows what it allows.
        named: Option<(usize, usize)>,
    },
}

impl FactKind {
    /// What becomes of what is in the file that it is about.
    pub(crate) fn loss(&self) -> FileLoss {
        match self {
            Self::Redirect { loss, .. } | Self::Path { loss, .. } => *loss,
            _ => FileLoss::Nothing,
        }
    }

    /// Whether it needs an allow by itself, and not only one for the command that it belongs to. What the files may turn into
    /// nothing does not.
    pub(crate) fn needs_allow(&self) -> bool {
        match self {
            Self::Command(command) => command.role == CommandRole::Plain,
            Self::Redirect { access, .. } => *access == FileAccess::Write,
            Self::Assign { .. } => true,
            Self::Unknown { why, named } => named.is_none() || !why.is_about_files(),
            Self::Path { .. } | Self::Loads { .. } | Self::Url { .. } => false,
        }
    }
}

/// A directory that `cd`, `pushd` or `popd` may have led to, from where the command line began.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WorkingDir {
    /// These operands, one after the other.
    Through(Vec<Word>),
    /// Anywhere.
    Anywhere,
}

/// All that a command line can do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineAnalysis {
    /// In the order in which they stand. Never empty: a line that does nothing is unknown.
    pub facts: Vec<LineFact>,
    /// Where relative paths may start from besides the call's own directory. Not empty: no relative path is certain, so
    /// that none is allowed, and denies are looked for from each.
    pub dirs: Vec<WorkingDir>,
}

impl LineAnalysis {
    /// Whether a limit of the work ended the reading.
    pub(super) fn is_too_much(&self) -> bool {
        self.facts
            .iter()
            .any(|fact| matches!(fact.what, FactKind::Unknown { why: DoubtReason::TooMuch, .. }))
    }

    /// A line without any known fact.
    pub fn unknown(span: Span, why: DoubtReason) -> Self {
        let what = FactKind::Unknown { why, named: None };
        Self { facts: vec![LineFact { span, what }], dirs: Vec::new() }
    }
}

/// Why something cannot be proven. Shown to the human who is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DoubtReason {
    /// Syntax that the prover does not fully accept, or that shells read differently.
    NotUnderstood,
    /// A shell whose language is not known.
    OtherShell,
    /// More text than is read.
    TooLong,
    /// Nested too deeply.
    TooDeep,
    /// More facts, or more work, than a verdict may take.
    TooMuch,
    /// A zero byte, which no command line can hold.
    Nul,
    /// Nothing that runs.
    Nothing,
    /// The name of the command is only known when it runs.
    DynamicCommand,
    /// The script given to a shell, or what a wrapper runs, is only known when it runs.
    DynamicScript,
    /// A shell that reads its commands from somewhere else.
    ShellInput,
    /// A script file, whose content is not looked at.
    ScriptFile,
    /// A builtin that runs text, or changes how the following text is read.
    Evaluates,
    /// A function is defined, which can stand for any command.
    Function,
    /// A wrapper without a command to run.
    MissingCommand,
    /// An option that the command is not known to have.
    UnknownOption,
    /// A word that could turn out to be an option.
    MayBeOption,
    /// A word that may become none or several, beside an option: what stands behind it may be another value than it seems, or
    /// no value.
    CountsWords,
    /// A pattern for names of files that may find names which are options.
    FindsOptions,
    /// A search that may find names which count for several words.
    FindsWords,
    /// A search that may find symlinks.
    FindsLinks,
    /// A pattern for names of files that may find names which are places on other machines: `host:file`.
    FindsHosts,
    /// An option, or an argument, that makes the command run other code.
    RunsCode,
    /// It opens the editor, which runs what it is told, and may be told by the input of the line.
    Editor,
    /// The name of a module of Python, which the project may not have: then it is one of those that Python brings along.
    ForeignModule,
    /// Settings of npm in the project, which may name a server that it asks, or a folder that it writes into.
    SettingsOfNpm,
    /// Settings of shellcheck in the project, which may let it go on to the files that a script names.
    SettingsOfShellcheck,
    /// Settings of TypeScript say where it writes.
    SettingsOfTypeScript,
    /// Settings of ruff in the project, which may have it change the files that it checks.
    SettingsOfRuff,
    /// Settings of a checker in the project, which may name files that its words do not.
    SettingsOfChecker,
    /// Settings of cargo in the project, which may name programs that run, and folders that it writes into.
    SettingsOfCargo,
    /// Settings of golangci-lint in the project, which may name files that it writes.
    SettingsOfGolangci,
    /// A module of Python that is looked for here may be a symlink to something else.
    LinkedModule,
    /// A path that its program may expand itself, where the shell has left it alone.
    Expands,
    /// A copy that keeps the rights of a file; they may give those of its owner to all who run it.
    KeepsRights,
    /// It may give a file the rights of its owner, for all who run it.
    GivesRights,
    /// A program that no package of the project may have: then a server is asked for it.
    NotInstalled,
    /// It runs with other rights.
    Privileged,
    /// It runs elsewhere: on another machine, in another file system, or later.
    Elsewhere,
    /// A variable's value is evaluated as code: `${x@P}`, `${!x}`.
    Indirect,
    /// Text is evaluated as arithmetic, which can run commands.
    Arithmetic,
    /// Where a here-document ends depends on the version of the shell.
    HereDocument,
    /// The shell opens a network connection itself (`/dev/tcp`).
    Network,
    /// Files are deleted or written by a search.
    Deletes,
    /// A script for the program that is not understood, or that only the run will tell.
    Script,
    /// The program runs what it reads on its standard input.
    Stdin,
    /// It changes settings that decide what other commands run.
    Settings,
    /// A command of the program that is not known: it may be another name for anything.
    UnknownCommand,
    /// It opens the network, and no word says where to.
    Connects,
    /// It shows the environment, or secrets that are kept elsewhere.
    ShowsSecrets,
    /// A word that may name a file or a folder of git by its id, where a commit is expected: of that one all is shown,
    /// with any words beside it.
    ShowsObjects,
    /// The same of a word that is a file, where there is one.
    ShowsFile,
    /// It shows the settings of a repository, in which an address may hold a password.
    ShowsSettings,
    /// An option that changes what the other words mean.
    Alters,
    /// A command before it makes or moves links or folders, so that a path may lead elsewhere than the files say now.
    Moved,
    /// Files that git ignores, and so keeps nowhere, may be overwritten.
    Overwrites,
    /// A variable reaches a program that may take what is in it for code, or for a path.
    HandsOver,
    /// Another character set, in which the shell and the programs read other characters.
    Locale,
}

impl DoubtReason {
    /// Whether a command that runs confined is held to what it may do, even in the worst case: it is about which code runs, or
    /// about which files are used. Not so where more is asked than a confined command has (rights, the network, another
    /// place), where what is shown cannot be hidden, and where it is known that something may be lost.
    pub(crate) fn is_held(self) -> bool {
        match self {
            Self::NotUnderstood
            | Self::DynamicCommand
            | Self::DynamicScript
            | Self::ShellInput
            | Self::ScriptFile
            | Self::Evaluates
            | Self::Function
            | Self::UnknownOption
            | Self::MayBeOption
            | Self::CountsWords
            | Self::FindsOptions
            | Self::FindsHosts
            | Self::FindsWords
            | Self::FindsLinks
            | Self::RunsCode
            | Self::ForeignModule
            | Self::SettingsOfNpm
            | Self::SettingsOfShellcheck
            | Self::SettingsOfTypeScript
            | Self::SettingsOfRuff
            | Self::SettingsOfChecker
            | Self::SettingsOfCargo
            | Self::SettingsOfGolangci
            | Self::LinkedModule
            | Self::Expands
            | Self::KeepsRights
            | Self::GivesRights
            | Self::Indirect
            | Self::Arithmetic
            | Self::HereDocument
            | Self::Script
            | Self::Settings
            | Self::Stdin
            | Self::UnknownCommand
            | Self::Alters
            | Self::Moved
            | Self::HandsOver
            | Self::Locale => true,
            Self::OtherShell
            | Self::TooLong
            | Self::TooDeep
            | Self::TooMuch
            | Self::Nul
            | Self::Nothing
            | Self::MissingCommand
            | Self::Editor
            | Self::NotInstalled
            | Self::Privileged
            | Self::Elsewhere
            | Self::Network
            | Self::Deletes
            | Self::Connects
            | Self::ShowsSecrets
            | Self::ShowsObjects
            | Self::ShowsFile
            | Self::ShowsSettings
            | Self::Overwrites => false,
        }
    }

    /// Whether it is a doubt about settings and packages of the project, which a command before may bring.
    pub(crate) fn is_about_settings(self) -> bool {
        matches!(
            self,
            Self::SettingsOfNpm
                | Self::SettingsOfShellcheck
                | Self::SettingsOfTypeScript
                | Self::SettingsOfRuff
                | Self::SettingsOfChecker
                | Self::SettingsOfCargo
                | Self::SettingsOfGolangci
                | Self::LinkedModule
                | Self::NotInstalled
                | Self::ForeignModule
        )
    }

    /// Whether it is a doubt about files: who knows those knows whether it is one.
    pub(crate) fn is_about_files(self) -> bool {
        matches!(
            self,
            Self::FindsOptions
                | Self::FindsHosts
                | Self::FindsWords
                | Self::FindsLinks
                | Self::ShowsObjects
                | Self::ShowsFile
                | Self::ShowsSettings
                | Self::ForeignModule
                | Self::SettingsOfNpm
                | Self::SettingsOfShellcheck
                | Self::SettingsOfTypeScript
                | Self::SettingsOfRuff
                | Self::SettingsOfChecker
                | Self::SettingsOfCargo
                | Self::SettingsOfGolangci
                | Self::LinkedModule
                | Self::KeepsRights
                | Self::NotInstalled
        )
    }
}

/// What is said of a shell whose commands come from its input, a terminal or another file.
pub(crate) const SHELL_INPUT: &str = "a shell runs commands that do not stand in this command line";

impl fmt::Display for DoubtReason {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotUnderstood => "this part of the command line is not understood",
            Self::OtherShell => "the language of this shell is not known",
            Self::TooLong => "the command line is too long to be read",
            Self::TooDeep => "the command line is nested too deeply",
            Self::TooMuch => "the command line does too much to be looked through",
            Self::Nul => "the command line holds a NUL",
            Self::Nothing => "there is no command to run",
            Self::DynamicCommand => "which command runs is only known when it runs",
            Self::DynamicScript => "the script that runs is only known when it runs",
            Self::ShellInput => SHELL_INPUT,
            Self::ScriptFile => "a script file runs, and its content is not looked at",
            Self::Evaluates => "this runs text as commands, or changes how what follows is read",
            Self::Function => "a function is defined, which can stand for any command",
            Self::MissingCommand => "the command to run is missing",
            Self::UnknownOption => "an option that this command is not known to have",
            Self::MayBeOption => "a word that could turn out to be an option",
            Self::CountsWords => {
                "how many words this becomes is only known when it runs: words behind it may have another meaning"
            }
            Self::FindsOptions => "a pattern that may find files whose names are options",
            Self::FindsHosts => {
                "a pattern that may find files whose names are places on other machines"
            }
            Self::FindsWords => "a search that may find names which `xargs` takes for several",
            Self::FindsLinks => "a search that may find symlinks, which lead elsewhere",
            Self::RunsCode => "an argument that makes the command run other code",
            Self::Editor => "it opens the editor, which may be told to run anything",
            Self::ForeignModule => "this module is not a file of the project",
            Self::SettingsOfNpm => {
                "`.npmrc` of the project may name a server that is asked, or a folder that is written into"
            }
            Self::SettingsOfShellcheck => {
                "`.shellcheckrc` of the project may let it read any file that a script names"
            }
            Self::SettingsOfTypeScript => {
                "a `tsconfig.json` may let it write outside of the project, or what it says is not known"
            }
            Self::SettingsOfRuff => {
                "settings of ruff may have it change files or keep its cache anywhere, or what they say is not known"
            }
            Self::SettingsOfChecker => {
                "settings may have it read or write files that its words do not name, or what they say is not known"
            }
            Self::SettingsOfCargo => {
                "`.cargo/config.toml` may name programs that run or folders that are written into, or what it says is not known"
            }
            Self::LinkedModule => "a module here is a symlink that leads out of the project",
            Self::SettingsOfGolangci => {
                "`.golangci.yml` may name files that are written or shown, or what it says is not known"
            }
            Self::Expands => "a path that the program may expand itself: `~`, `$x`, `%x`, `<x>`, `{x}`",
            Self::KeepsRights => {
                "a file that is copied with its rights may run with those of its owner (setuid), or it is not known which files are copied"
            }
            Self::GivesRights => "it may let a file run with the rights of its owner (setuid, setgid)",
            Self::NotInstalled => {
                "the project has no program of this name, so that a server may be asked for it, or it is a symlink that leads out of the project"
            }
            Self::Privileged => "it runs with other rights",
            Self::Elsewhere => "it runs elsewhere or later, out of sight",
            Self::Indirect => "the value of a variable is evaluated as code",
            Self::Arithmetic => "text is evaluated as arithmetic, which can run commands",
            Self::HereDocument => {
                "where this here-document ends depends on the version of the shell"
            }
            Self::Network => "the shell opens a network connection",
            Self::Deletes => "a search deletes or writes files",
            Self::Script => "this script is not understood",
            Self::Stdin => "this runs whatever it reads on standard input",
            Self::Settings => "this changes settings that decide what runs",
            Self::UnknownCommand => "the program is not known to have this command",
            Self::Connects => "this opens the network",
            Self::ShowsSecrets => "this shows the environment, or what is kept secret",
            Self::ShowsFile => "a word that may name a revision",
            Self::ShowsObjects => "a word that is not known to name a commit",
            Self::ShowsSettings => "this shows the settings of a repository",
            Self::Alters => "an option that changes what other words mean",
            Self::Moved => {
                "an earlier command of this line makes or moves links or folders, so that this path may lead elsewhere"
            }
            Self::Overwrites => "this may overwrite files that git ignores, and so keeps nowhere",
            Self::HandsOver => {
                "a variable reaches a program that may take its value for code, or for a path of its own"
            }
            Self::Locale => "a character set or a language in which the rest may mean something else",
        })
    }
}
