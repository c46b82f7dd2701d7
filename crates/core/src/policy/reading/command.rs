//! Arguments that are command lines, and the directory, the shell and the variables that they are given.

use std::sync::Arc;

use super::loaded::LoadedFile;
use super::{ActionReader, ReadingPlan, builtin, no_text};
use crate::call::Json;
use crate::path::{PathContext, is_below, locate};
use crate::policy::action::{Action, ActionKind, ByArgument, PathStart, UseExtent, literal};
use crate::policy::judge::{NeedsFiles, looked_up};
use crate::policy::looking::looks;
use crate::shell::{
    self, CommandRole, DoubtReason, FactKind, FileAccess, HandedVariable, LineAnalysis, LineFact,
    Shell, Word, WordPiece, WorkingDir, base_name, reads_names_only,
};

/// The name of no shell, for a tool whose command is a list of words that no shell reads.
const NO_SHELL: &str = "none";

/// What a command line was read off.
#[derive(Clone, Copy)]
enum Text<'t> {
    /// The argument itself.
    Line(&'t str),
    /// A list of words.
    Words,
    /// A list of words, as a tool may hand them on: one line, with blanks between them.
    Joined(&'t str),
}

impl ActionReader<'_> {
    /// The directory that the host runs the call in.
    pub(super) fn host(&self) -> &str {
        self.call.directory(self.context)
    }

    /// Where a tool's own paths start.
    pub(super) fn host_start(&self) -> PathStart {
        PathStart::of(self.host(), self.context)
    }

    /// Where this call's paths start: the model may name a directory. One outside of where the call would run anyway must
    /// be allowed to be read.
    pub(super) fn start(&mut self, plan: &ReadingPlan) -> Result<PathStart, NeedsFiles> {
        let mut start = self.host_start();
        let (name, text) = match self.only(&plan.cwd) {
            Ok(None) => return Ok(start),
            Ok(Some((name, Json::String(text)))) => (name, text),
            Ok(Some((name, other))) => {
                let why = no_text(name, other);
                self.unknown(Some(name), why);
                return Ok(start);
            }
            Err(why) => {
                self.unknown(plan.cwd.first().copied(), why);
                return Ok(start);
            }
        };
        let host = start.bases.first().cloned().unwrap_or_default();
        if *text == host || text == "." {
            return Ok(start);
        }
        let from = PathContext { cwd: host.clone(), ..self.context.clone() };
        let inside = match looked_up(locate(text, &from, self.files))? {
            Ok(located) => {
                let roots = [Some(&host), self.context.project.as_ref()];
                let inside = roots
                    .into_iter()
                    .flatten()
                    .any(|root| located.places().all(|path| is_below(path, root)));
                start.bases = vec![located.real, located.lexical];
                start.bases.dedup();
                inside
            }
            Err(error) => {
                self.unknown(Some(name), format!("the directory `{name}`: {error}"));
                return Ok(start);
            }
        };
        let kind = ActionKind::Path {
            access: FileAccess::Read,
            target: literal(text.as_str()),
            extent: UseExtent::Itself,
            by: None,
        };
        let needs_allow = !inside && !plan.foreign;
        self.action(kind, name, needs_allow, &Arc::new(self.host_start()));
        Ok(start)
    }

    /// A command line, or an argv, and the variables that it is given.
    pub(super) fn command(
        &mut self, plan: &ReadingPlan, name: &str, value: &Json, start: Arc<PathStart>,
    ) {
        let handed = self.environment(plan);
        let base = self.actions.len();
        self.line(plan, name, value, start);
        let commands = self.actions.get(base..).unwrap_or_default();
        let obeys = |action: &Action| match &action.kind {
            ActionKind::Command { argv, role } => {
                handed.iter().any(|handed| shell::may_obey(argv, *role, *handed))
            }
            _ => false,
        };
        // The shell of the line is started with them, too.
        if handed.iter().any(|handed| handed.may_give_orders()) || commands.iter().any(obeys) {
            self.unknown(Some("env"), DoubtReason::HandsOver.to_string());
        }
    }

    fn line(&mut self, plan: &ReadingPlan, name: &str, value: &Json, start: Arc<PathStart>) {
        let more = match self.only(builtin::ARGS) {
            Ok(more) => more.map(|(_, value)| value),
            Err(why) => return self.unknown(Some(name), why),
        };
        let shell = self.shell(plan);
        match (value, more) {
            (Json::String(line), None) => {
                let analysis = shell::analyze(line, shell);
                self.facts(plan, name, analysis, start, Text::Line(line));
            }
            (Json::Array(words), None) => match argv_line(words) {
                Some(line) => {
                    let analysis = shell::analyze(&line, Shell::Bash);
                    self.facts(plan, name, analysis, Arc::clone(&start), Text::Words);
                    if let Some(line) = joined(words).filter(|_| plan.shell != Some(NO_SHELL)) {
                        let analysis = shell::analyze(&line, shell);
                        self.facts(plan, name, analysis, start, Text::Joined(&line));
                    }
                }
                None => self.unknown(Some(name), format!("`{name}` is not a list of words")),
            },
            // `{ command: "git", args: ["status"] }`: a command and its words, or a line and more of it. Where every word is
            // plain, both are the same.
            (Json::String(line), Some(Json::Array(words))) => {
                let mut all = vec![Json::String(line.clone())];
                all.extend_from_slice(words);
                let plain =
                    all.iter().all(|word| matches!(word, Json::String(word) if is_plain(word)));
                match argv_line(&all).filter(|_| plain) {
                    Some(line) => {
                        let analysis = shell::analyze(&line, Shell::Bash);
                        self.facts(plan, name, analysis, start, Text::Words);
                    }
                    None => self.unknown(
                        Some(name),
                        format!("`{name}` comes with further words, which a shell could read in several ways"),
                    ),
                }
            }
            (other, None) => self.wrong(name, other),
            (_, Some(_)) => {
                self.unknown(Some(name), format!("`{name}` comes with further arguments"))
            }
        }
    }

    /// The variables that the call gives to all that the line runs.
    fn environment(&mut self, plan: &ReadingPlan) -> Vec<HandedVariable> {
        let given = match self.only(builtin::ENV) {
            Ok(None) => return Vec::new(),
            Ok(Some((_, Json::Object(entries)))) => entries,
            Ok(Some((_, Json::Array(items)))) if items.is_empty() => return Vec::new(),
            Ok(Some((name, other))) => {
                let why = format!(
                    "the argument `{name}` is {}, where an object is expected",
                    other.kind()
                );
                self.unknown(Some(name), why);
                return Vec::new();
            }
            Err(why) => {
                self.unknown(Some("env"), why);
                return Vec::new();
            }
        };
        let mut handed = Vec::new();
        for (name, value) in given {
            let value = match value {
                Json::String(text) => Some(text.as_str()),
                // As text they are plain words.
                Json::Bool(_) | Json::Null => Some(""),
                Json::Number(number) if *number >= 0.0 => Some(""),
                _ => None,
            };
            handed.push(HandedVariable::of(name, value));
            let kind = ActionKind::Env { name: name.clone() };
            self.action(kind, "env", !plan.foreign, &Arc::default());
        }
        handed
    }

    /// The shell that runs the line: as the call says, else as the policy says, else `sh`.
    fn shell(&self, plan: &ReadingPlan) -> Shell {
        let stated = match plan.shell {
            Some(name) => shell_named(name),
            None if self.call.tool_name.eq_ignore_ascii_case("bash") => Shell::Bash,
            None => Shell::Sh,
        };
        match self.only(builtin::SHELL) {
            Ok(None | Some((_, Json::Bool(_)))) => stated,
            Ok(Some((_, Json::String(name)))) if !is_of_system(name) => Shell::Other,
            Ok(Some((_, Json::String(name)))) => match shell_named(name) {
                asked if asked == stated => stated,
                // Another shell than the policy says: whether the tool obeys is not known.
                Shell::Bash | Shell::Sh | Shell::Posix
                    if matches!(stated, Shell::Bash | Shell::Sh | Shell::Posix) =>
                {
                    Shell::Sh
                }
                _ => Shell::Other,
            },
            _ => Shell::Other,
        }
    }

    /// The word of a command.
    fn argument_of(&self, by: ByArgument) -> Option<Word> {
        match &self.actions.get(by.command)?.kind {
            ActionKind::Command { argv, .. } => argv.get(by.arg).cloned(),
            _ => None,
        }
    }

    /// What a command line can do, as actions.
    fn facts(
        &mut self, plan: &ReadingPlan, name: &str, analysis: LineAnalysis,
        mut start: Arc<PathStart>, text: Text,
    ) {
        let spans = matches!(text, Text::Line(_));
        let sets_home = analysis
            .facts
            .iter()
            .any(|fact| matches!(&fact.what, FactKind::Assign { name } if name == "HOME"));
        let from = Arc::make_mut(&mut start);
        from.shell = true;
        from.line = match text {
            Text::Line(line) | Text::Joined(line) => Some(Arc::from(line)),
            Text::Words => None,
        };
        if sets_home {
            from.home = None;
        }
        let goes_home = |dir: &WorkingDir| match dir {
            WorkingDir::Through(words) => {
                words.iter().any(|word| word.pieces.contains(&WordPiece::Home))
            }
            WorkingDir::Anywhere => false,
        };
        from.dirs = analysis
            .dirs
            .into_iter()
            .map(|dir| if sets_home && goes_home(&dir) { WorkingDir::Anywhere } else { dir })
            .collect();
        let argument: Arc<str> = Arc::from(name);
        let base = self.actions.len();
        let reads =
            |fact: &LineFact| matches!(fact.what, FactKind::Path { access: FileAccess::Read, .. });
        // Said of the commands that read files alone, or write some or connect: most do neither.
        let lists: Vec<bool> = match analysis.facts.iter().any(reads) {
            true => analysis.facts.iter().map(lists_names).collect(),
            false => Vec::new(),
        };
        let writes_or_connects = |fact: &LineFact| {
            matches!(
                fact.what,
                FactKind::Path { access: FileAccess::Write, .. } | FactKind::Url { .. }
            )
        };
        let exceeds: Vec<bool> = match analysis.facts.iter().any(writes_or_connects) {
            true => analysis.facts.iter().map(is_to_look).collect(),
            false => Vec::new(),
        };
        let exceeds = |command: usize| exceeds.get(command) == Some(&true);
        // What is looked up below is no action yet, so that the actions are fewer than the facts.
        let mut next = base;
        let places: Vec<usize> = analysis
            .facts
            .iter()
            .map(|fact| {
                let place = next;
                next += usize::from(!is_looked_up(fact));
                place
            })
            .collect();
        let by = |command: usize, arg: usize| ByArgument {
            command: places.get(command).copied().unwrap_or(usize::MAX),
            arg,
        };
        // Behind the others, whose places among the facts are told.
        let mut connections = Vec::new();
        for fact in analysis.facts {
            let needs = fact.what.needs_allow();
            let loss = fact.what.loss();
            let (kind, needs_allow) = match fact.what {
                FactKind::Command(command) => {
                    (ActionKind::Command { argv: command.argv, role: command.role }, needs)
                }
                FactKind::Redirect { access, target, .. } => {
                    if target.may_connect(sets_home) {
                        let kind = ActionKind::Url { target: anything(&target), by: None };
                        let needs_allow = !plan.foreign;
                        let (span, argument) = (spans.then_some(fact.span), Arc::clone(&argument));
                        let start = Arc::clone(&start);
                        connections.push(Action {
                            kind,
                            span,
                            argument: Some(argument),
                            needs_allow,
                            mentioned: false,
                            loss,
                            start,
                        });
                    }
                    let kind =
                        ActionKind::Path { access, target, extent: UseExtent::Itself, by: None };
                    (kind, needs)
                }
                FactKind::Assign { name } => (ActionKind::Env { name }, needs),
                FactKind::Path { command, arg, access, target, recursive, .. } => {
                    let names = access == FileAccess::Read && lists.get(command) == Some(&true);
                    let extent = match (recursive, names) {
                        (true, true) => UseExtent::AllNames,
                        (true, false) => UseExtent::Tree,
                        (false, _) => UseExtent::Itself,
                    };
                    let kind =
                        ActionKind::Path { access, target, extent, by: Some(by(command, arg)) };
                    (kind, access == FileAccess::Write && arg > 0 && exceeds(command))
                }
                FactKind::Loads { command, arg, target } => {
                    let (span, start) = (spans.then_some(fact.span), Arc::clone(&start));
                    let argument = Arc::clone(&argument);
                    let by = by(command, arg);
                    self.loads.push(LoadedFile {
                        by,
                        target,
                        why: DoubtReason::RunsCode,
                        span,
                        argument,
                        start,
                    });
                    continue;
                }
                FactKind::Unknown { why, named: Some((command, arg)) } if why.is_about_files() => {
                    let by = by(command, arg);
                    let (span, start) = (spans.then_some(fact.span), Arc::clone(&start));
                    let argument = Arc::clone(&argument);
                    let target = self.argument_of(by).unwrap_or_else(|| literal(""));
                    self.loads.push(LoadedFile { by, target, why, span, argument, start });
                    continue;
                }
                FactKind::Url { command, arg, target } => {
                    (ActionKind::Url { target, by: Some(by(command, arg)) }, exceeds(command))
                }
                FactKind::Unknown { why, named } => {
                    let named = named.map(|(command, arg)| by(command, arg));
                    let held = why.is_held();
                    (ActionKind::Unknown { why: why.to_string().into(), named, held }, needs)
                }
            };
            self.actions.push(Action {
                kind,
                span: spans.then_some(fact.span),
                argument: Some(Arc::clone(&argument)),
                needs_allow: needs_allow && !plan.foreign,
                mentioned: false,
                loss,
                start: Arc::clone(&start),
            });
        }
        self.actions.append(&mut connections);
    }
}

/// Whether it depends on the files what it comes to.
fn is_looked_up(fact: &LineFact) -> bool {
    match fact.what {
        FactKind::Loads { .. } => true,
        FactKind::Unknown { why, named } => named.is_some() && why.is_about_files(),
        _ => false,
    }
}

/// An unknown word, in the same place.
fn anything(word: &Word) -> Word {
    Word { span: word.span, pieces: vec![WordPiece::Unknown { splits: false }] }
}

/// Whether it is a command whose allow, if it needs one, is meant for looking: what it writes and fetches needs an allow of its
/// own. A wrapper needs none, and `git log` is allowed for what it shows.
fn is_to_look(fact: &LineFact) -> bool {
    let FactKind::Command(command) = &fact.what else { return false };
    command.role == CommandRole::Wrapper || looks(&command.argv)
}

/// Whether a command reads of directories the names alone of what is in them.
fn lists_names(fact: &LineFact) -> bool {
    match &fact.what {
        FactKind::Command(command) => {
            command.argv.first().and_then(Word::literal).is_some_and(reads_names_only)
        }
        _ => false,
    }
}

fn is_plain(word: impl AsRef<str>) -> bool {
    let word = word.as_ref();
    !word.is_empty()
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-./:@%+,".contains(&byte))
}

/// The line that a tool makes of these words which joins them: a shell reads it, and not always as these words. `None` where
/// it does. Of `bash -c SCRIPT` it is the script, whose first word the line would run in that shell.
fn joined(words: &[Json]) -> Option<String> {
    let words: Vec<&str> = words
        .iter()
        .filter_map(|word| if let Json::String(word) = word { Some(word.as_str()) } else { None })
        .collect();
    let is_plain = |(at, word): (usize, &&str)| {
        is_plain(if at > 0 { word.replace('=', "") } else { (*word).to_owned() })
    };
    if words.iter().enumerate().all(is_plain) {
        return None;
    }
    Some(match words.as_slice() {
        [shell, "-c" | "-lc", script] if !matches!(shell_named(shell), Shell::Other) => {
            (*script).to_owned()
        }
        words => words.join(" "),
    })
}

/// A line that a shell reads as exactly these words.
fn argv_line(words: &[Json]) -> Option<String> {
    let mut line = String::new();
    for word in words {
        let Json::String(word) = word else { return None };
        if !line.is_empty() {
            line.push(' ');
        }
        line.push('\'');
        line.push_str(&word.replace('\'', r"'\''"));
        line.push('\'');
    }
    (!line.is_empty()).then_some(line)
}

/// Where a shell that a call names by its path is the one of the system. Not `/usr/local/bin`: where programs are installed by
/// users, it belongs to one.
const SHELL_DIRS: &[&str] = &["/bin", "/usr/bin"];

/// Whether a shell that a call names is what its name says. By any other path it may be a file of the project.
fn is_of_system(name: &str) -> bool {
    name.rsplit_once('/').is_none_or(|(dir, _)| SHELL_DIRS.contains(&dir))
}

/// The shell of this name, or of this path.
fn shell_named(name: &str) -> Shell {
    match base_name(name) {
        "bash" => Shell::Bash,
        "sh" => Shell::Sh,
        "posix" | "dash" => Shell::Posix,
        "zsh" => Shell::Zsh,
        _ => Shell::Other,
    }
}
