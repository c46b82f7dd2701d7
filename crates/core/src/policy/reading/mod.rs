//! A call's arguments, read as what the tool would do with them.

pub(super) mod builtin;
mod cargo;
mod checkers;
mod chosen;
mod command;
mod compiled;
mod extended;
mod folder;
mod golangci;
mod ignored;
mod installed;
mod linted;
mod loaded;
mod looked_at;
mod members;
mod mentioned;
mod modules;
pub(super) mod nested;
mod programs;
pub(super) mod repository;
mod rights;
mod settings;
mod tested;
mod versions;
mod wanted;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use builtin::names as builtin_tools;
use builtin::{ArgumentMeaning, BuiltinReading, RecursiveUse};
use loaded::LoadedFile;
use nested::KnownGit;
use versions::KnownVersions;

use super::action::{Action, ActionKind, PathStart, UseExtent, literal};
use super::document::{PolicyDocument, ToolReading};
use super::judge::{JudgedCall, LedPlaces, NeedsFiles};
use super::names::own_names;
use super::quoted::quoted;
use crate::call::Json;
use crate::path::{FileLookup, PathContext};
use crate::shell::{FileAccess, FileLoss, Word, WordPiece};

/// How tools are read: what documents say of them, besides the usual names.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolReadings {
    /// By documents that are trusted; what the strongest says of a tool's argument counts.
    trusted: BTreeMap<String, ToolReading>,
    /// By documents that are not: their actions are judged besides, so that they can only tighten.
    untrusted: BTreeMap<String, Vec<ToolReading>>,
    /// Of git, from earlier calls.
    pub(super) git: Arc<KnownGit>,
    /// Of files that choose programs, from earlier calls.
    versions: Arc<KnownVersions>,
}

/// One way to read a tool, ready to use: what is usual, and what a document states.
struct ReadingPlan<'r> {
    arguments: Vec<WantedArguments<'r>>,
    pattern: Option<builtin::ArgumentAliases>,
    only: Option<builtin::ArgumentAliases>,
    recursive: RecursiveUse,
    names: bool,
    globs: bool,
    cwd: ArgumentNames<'r>,
    shell: Option<&'r str>,
    /// The tool's name is no proof of what it does: its own use must be allowed, and what it says of files only tightens.
    foreign: bool,
    common: bool,
    marks: builtin::ArgumentAliases,
    /// Arguments that say nothing of what the tool does, by the table and by the document.
    other: builtin::ArgumentAliases,
    ignored: Vec<&'r str>,
}

struct WantedArguments<'r> {
    names: ArgumentNames<'r>,
    says: ArgumentMeaning,
    default: Option<&'static str>,
}

impl ReadingPlan<'_> {
    /// Whether it says of an argument what that does, or that it does nothing.
    fn lists(&self, name: &str) -> bool {
        let has = |names: builtin::ArgumentAliases| names.contains(&name);
        let first = |names: &[&str]| {
            names.iter().any(|known| *known == name || known.split('.').next() == Some(name))
        };
        let runs = self.arguments.iter().any(|wanted| wanted.says == ArgumentMeaning::Command);
        let flags = match self.recursive {
            RecursiveUse::When(names) | RecursiveUse::Perhaps(names) => names,
            RecursiveUse::No | RecursiveUse::Yes | RecursiveUse::Maybe => &[],
        };
        self.arguments.iter().any(|wanted| first(&wanted.names))
            || first(&self.cwd)
            || first(&self.ignored)
            || self.ignored.contains(&"*")
            || [self.pattern, self.only].into_iter().flatten().any(has)
            || [self.marks, self.other, flags, builtin::SAYS_NOTHING].into_iter().any(has)
            || runs && [builtin::ENV, builtin::SHELL, builtin::ARGS].into_iter().any(has)
    }
}

/// Up to this many arguments are compared with all names; of more, each name is looked up.
const FEW: usize = 8;

/// Names of one argument: the usual ones, or those that a document states.
type ArgumentNames<'r> = Cow<'r, [&'r str]>;

impl ToolReadings {
    /// What these documents, the strongest first, say.
    pub(crate) fn of(documents: &[PolicyDocument]) -> Self {
        let mut readings = Self::default();
        for document in documents {
            for (name, reading) in &document.tools {
                let reading = &reading.value;
                if document.source.trusted {
                    let known = readings.trusted.entry(name.clone()).or_default();
                    for (mine, its) in [
                        (&mut known.command, &reading.command),
                        (&mut known.read, &reading.read),
                        (&mut known.write, &reading.write),
                        (&mut known.url, &reading.url),
                        (&mut known.cwd, &reading.cwd),
                        (&mut known.ignore, &reading.ignore),
                    ] {
                        if mine.is_empty() {
                            mine.clone_from(its);
                        }
                    }
                    if known.shell.is_none() {
                        known.shell.clone_from(&reading.shell);
                    }
                } else {
                    readings.untrusted.entry(name.clone()).or_default().push(reading.clone());
                }
            }
        }
        readings
    }
}

/// A call, read.
pub(crate) struct ReadCall {
    /// Everything that it would do. Never empty.
    pub(crate) actions: Vec<Action>,
    /// Where that leads which its commands load.
    pub(crate) led: LedPlaces,
}

/// Everything that the call would do.
///
/// # Errors
/// When the file system is needed to tell in which directory it runs.
pub(crate) fn actions(
    call: &JudgedCall, readings: &ToolReadings, context: &PathContext, files: &dyn FileLookup,
) -> Result<ReadCall, NeedsFiles> {
    let mut reader = ActionReader {
        call,
        context,
        files,
        git: &readings.git,
        versions: &readings.versions,
        actions: Vec::new(),
        loads: Vec::new(),
        led: LedPlaces::default(),
        guesses: false,
    };
    if let Some(plan) = reader.read(readings.trusted.get(call.tool_name))? {
        reader.unlisted(&plan);
    }
    for reading in readings.untrusted.get(call.tool_name).into_iter().flatten() {
        reader.read(Some(reading))?;
    }
    reader.guesses = false;
    reader.mentioned();
    // What needs no allow is covered by the rest of the call, and that has to be there.
    if !reader.actions.iter().any(|action| action.needs_allow) {
        reader.unknown(None, "the call does nothing that could be judged");
    }
    Ok(ReadCall { actions: reader.actions, led: reader.led })
}

/// Where the actions of one call are gathered.
struct ActionReader<'a> {
    call: &'a JudgedCall<'a>,
    context: &'a PathContext,
    files: &'a dyn FileLookup,
    git: &'a KnownGit,
    versions: &'a KnownVersions,
    actions: Vec<Action>,
    /// What its commands run, or what decides what they run.
    loads: Vec<LoadedFile>,
    /// Where that leads.
    led: LedPlaces,
    /// What is read is a guess, which can only tighten.
    guesses: bool,
}

impl<'a> ActionReader<'a> {
    /// Adds what this reading says; the answer is how the tool was read, where it was.
    fn read<'r>(
        &mut self, stated: Option<&'r ToolReading>,
    ) -> Result<Option<ReadingPlan<'r>>, NeedsFiles> {
        let Some(plan) = plan(self.call.tool_name, stated) else {
            self.tool();
            return Ok(None);
        };
        self.guesses = plan.foreign;
        if plan.foreign {
            self.tool();
        }
        if plan.common && self.is_some_other_tool(&plan) {
            self.tool();
            return Ok(None);
        }
        let start = Arc::new(self.start(&plan)?);
        if let Some((last, others)) = plan.arguments.split_last() {
            others.iter().for_each(|wanted| self.argument(&plan, wanted, Arc::clone(&start)));
            self.argument(&plan, last, start);
        }
        self.linked_tests()?;
        self.loaded()?;
        self.settings()?;
        self.folders()?;
        self.nested()?;
        self.partial_clones()?;
        self.chosen_programs()?;
        self.linked_programs()?;
        self.work_trees()?;
        Ok(Some(plan))
    }

    /// An argument that the reading does not list may be another directory, another file, or one more of what it lists.
    fn unlisted(&mut self, plan: &ReadingPlan) {
        let Json::Object(entries) = self.call.args else { return };
        let unlisted =
            entries.iter().find(|(name, value)| **value != Json::Null && !plan.lists(name));
        if let Some((name, _)) = unlisted {
            let why = format!(
                "the argument {} is not listed in the reading of the tool: where it says nothing of what the tool does, write its name into `ignore` of [tools.{}]",
                quoted(name),
                self.call.tool_name
            );
            self.unknown(Some(name), why);
        }
    }

    fn tool(&mut self) {
        let kind = ActionKind::Tool { name: Arc::from(self.call.tool_name) };
        let start = Arc::new(self.host_start());
        self.actions.push(Action {
            kind,
            span: None,
            argument: None,
            needs_allow: true,
            mentioned: false,
            loss: FileLoss::Nothing,
            start,
        });
    }

    fn unknown(&mut self, argument: Option<&str>, why: impl Into<Cow<'static, str>>) {
        self.doubted(argument, why.into(), false);
    }

    /// Which code runs is not known: a confined command is held to what it may do, whichever it is.
    fn unknown_code(&mut self, why: impl Into<Cow<'static, str>>) {
        self.doubted(None, why.into(), true);
    }

    fn doubted(&mut self, argument: Option<&str>, why: Cow<'static, str>, held: bool) {
        if self.guesses {
            return;
        }
        let kind = ActionKind::Unknown { why, named: None, held };
        let argument = argument.map(Arc::from);
        let start = Arc::new(PathStart::default());
        self.actions.push(Action {
            kind,
            span: None,
            argument,
            needs_allow: true,
            mentioned: false,
            loss: FileLoss::Nothing,
            start,
        });
    }

    fn is_some_other_tool(&self, plan: &ReadingPlan) -> bool {
        let has = |names: &[&str]| {
            names.iter().any(|name| self.value(name).is_some_and(|value| *value != Json::Null))
        };
        let none =
            plan.arguments.iter().all(|wanted| wanted.default.is_some() || !has(&wanted.names));
        let marks = plan.marks.iter().any(|name| self.value(name).is_some());
        if plan.marks.is_empty() { none } else { !marks && none }
    }

    /// The value of an argument, `a.b` being one inside another.
    fn value(&self, name: &str) -> Option<&'a Json> {
        let Json::Object(entries) = self.call.args else { return None };
        let whole = entries.get(name);
        if whole.is_some() || !name.contains('.') {
            return whole;
        }
        let mut value = self.call.args;
        for part in name.split('.') {
            let Json::Object(entries) = value else { return None };
            value = entries.get(part)?;
        }
        Some(value)
    }

    /// The one of these arguments that the call has, or why not.
    fn only<'n>(&self, names: &[&'n str]) -> Result<Option<(&'n str, &'a Json)>, String> {
        let Json::Object(entries) = self.call.args else { return Ok(None) };
        let is_other = |name: &String| !names.contains(&name.as_str());
        let whole = !names.iter().any(|name| name.contains('.'));
        if whole && entries.len() <= FEW && entries.keys().all(is_other) {
            return Ok(None);
        }
        let mut found = None;
        for &name in names {
            let Some(value) = self.value(name) else { continue };
            if *value == Json::Null {
                continue;
            }
            if let Some((first, _)) = found {
                return Err(format!(
                    "the call has both `{first}` and `{name}`, which could mean either"
                ));
            }
            found = Some((name, value));
        }
        Ok(found)
    }

    fn argument(&mut self, plan: &ReadingPlan, wanted: &WantedArguments, start: Arc<PathStart>) {
        let first = wanted.names.first().copied();
        let found = match self.only(&wanted.names) {
            Ok(found) => found,
            Err(why) => return self.unknown(first, why),
        };
        let absent;
        let (name, value) = match (found, wanted.default) {
            (Some(found), _) => found,
            (None, Some(default)) => {
                absent = Json::String(default.to_owned());
                (first.unwrap_or_default(), &absent)
            }
            (None, None) if plan.foreign => return,
            (None, None) => {
                let name = first.unwrap_or_default();
                return self.unknown(Some(name), format!("the argument `{name}` is missing"));
            }
        };
        match (wanted.says, value) {
            (ArgumentMeaning::Command, _) => self.command(plan, name, value, start),
            (_, Json::String(text)) => self.one(plan, wanted.says, name, text, &start),
            (_, Json::Array(items)) if !items.is_empty() => {
                for item in items {
                    match item {
                        Json::String(text) => self.one(plan, wanted.says, name, text, &start),
                        other => self.wrong(name, other),
                    }
                }
            }
            (_, other) => self.wrong(name, other),
        }
    }

    /// The text of the one of these arguments that the call has.
    fn only_text<'n>(&self, names: &[&'n str]) -> Result<Option<(&'n str, &'a str)>, String> {
        match self.only(names)? {
            None => Ok(None),
            Some((name, Json::String(text))) => Ok(Some((name, text))),
            Some((name, other)) => Err(no_text(name, other)),
        }
    }

    fn wrong(&mut self, name: &str, value: &Json) {
        self.unknown(Some(name), no_text(name, value));
    }

    /// What an argument of the tool says.
    fn action(
        &mut self, kind: ActionKind, argument: &str, needs_allow: bool, start: &Arc<PathStart>,
    ) {
        let (argument, start) = (Some(Arc::from(argument)), Arc::clone(start));
        self.actions.push(Action {
            kind,
            span: None,
            argument,
            needs_allow,
            mentioned: false,
            loss: FileLoss::Nothing,
            start,
        });
    }

    /// A path or an address.
    fn one(
        &mut self, plan: &ReadingPlan, says: ArgumentMeaning, name: &str, text: &str,
        start: &Arc<PathStart>,
    ) {
        let kind = match says {
            ArgumentMeaning::Url => {
                if let Some(path) = crate::path::file_of(text) {
                    // A file is read, under any name.
                    let kind = ActionKind::Path {
                        access: FileAccess::Read,
                        target: literal(path),
                        extent: UseExtent::Itself,
                        by: None,
                    };
                    self.action(kind, name, !plan.foreign, start);
                }
                ActionKind::Url { target: literal(text), by: None }
            }
            ArgumentMeaning::Command
            | ArgumentMeaning::Read
            | ArgumentMeaning::Write
            | ArgumentMeaning::Change => {
                if text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
                    // A tool may take it for an address, or for the name of a folder.
                    let why = format!("`{name}` is an address, where a path is expected");
                    return self.unknown(Some(name), why);
                }
                let recursive = match plan.recursive {
                    RecursiveUse::No | RecursiveUse::Maybe => false,
                    RecursiveUse::Yes => true,
                    RecursiveUse::When(names) | RecursiveUse::Perhaps(names) => {
                        names.iter().any(|name| {
                            self.value(name).is_some_and(|value| {
                                !matches!(value, Json::Null | Json::Bool(false))
                                    && *value != Json::Number(0.0)
                            })
                        })
                    }
                };
                let target = match self.below(plan, text) {
                    Ok(target) => target,
                    Err(why) => return self.unknown(Some(name), why),
                };
                if let Err(why) = self.named_below(plan, name, text, start) {
                    return self.unknown(Some(name), why);
                }
                if plan.globs && text.contains(is_special) {
                    if text.contains("..") || text.contains(['{', '(', '\\', '!']) {
                        return self.unknown(Some(name), "the pattern could lead anywhere");
                    }
                    let target = pattern_word(text);
                    let (access, extent) = (FileAccess::Read, UseExtent::Tree);
                    let kind = ActionKind::Path { access, target, extent, by: None };
                    self.action(kind, name, !plan.foreign, start);
                }
                let access = match says {
                    ArgumentMeaning::Write | ArgumentMeaning::Change => FileAccess::Write,
                    ArgumentMeaning::Command | ArgumentMeaning::Read | ArgumentMeaning::Url => {
                        FileAccess::Read
                    }
                };
                let extent = match (plan.recursive, recursive) {
                    (RecursiveUse::Maybe, _) => UseExtent::Tree,
                    (RecursiveUse::Perhaps(_), false) => UseExtent::Perhaps,
                    (_, true) if plan.names => UseExtent::AllNames,
                    (_, true) => UseExtent::Below,
                    (_, false) if plan.names => UseExtent::Names,
                    (_, false) => UseExtent::Itself,
                };
                if says == ArgumentMeaning::Change {
                    // An allow to write it is one to change it, as that of a command is.
                    let access = FileAccess::Read;
                    let kind =
                        ActionKind::Path { access, target: target.clone(), extent, by: None };
                    self.action(kind, name, false, start);
                }
                ActionKind::Path { access, target, extent, by: None }
            }
        };
        self.action(kind, name, !plan.foreign, start);
    }

    /// The files that a glob picks by name below a directory. A search passes over hidden ones unless it does, so that what
    /// is read is more than the directory says.
    fn named_below(
        &mut self, plan: &ReadingPlan, argument: &str, dir: &str, start: &Arc<PathStart>,
    ) -> Result<(), String> {
        let Some(names) = plan.only else { return Ok(()) };
        let Some((_, glob)) = self.only_text(names)? else { return Ok(()) };
        let hidden = glob
            .split_inclusive(['/', ',', '{', '}'])
            .map(|name| name.trim_end_matches(['/', ',', '}']))
            .filter(|name| name.starts_with('.'));
        let whole = Some(glob).filter(|glob| !glob.contains(is_special));
        for name in hidden.chain(whole).collect::<BTreeSet<_>>() {
            let kind = ActionKind::Path {
                access: FileAccess::Read,
                // What follows a brace belongs to the name, too.
                target: below_word(dir, &name.replace('{', "*")),
                extent: UseExtent::Itself,
                by: None,
            };
            // The directory is what must be allowed.
            self.action(kind, argument, false, start);
        }
        Ok(())
    }

    /// The directory that a pattern for names really begins in.
    fn below(&self, plan: &ReadingPlan, dir: &str) -> Result<Word, String> {
        let Some(names) = plan.pattern else { return Ok(literal(dir)) };
        let Some((_, pattern)) = self.only_text(names)? else { return Ok(literal(dir)) };
        let mut parts = pattern.split('/');
        let fixed: Vec<&str> =
            parts.by_ref().take_while(|part| !part.contains(is_special)).collect();
        // What stands behind the first special part: `{a,../../b}` and `*/../..` lead out again.
        let rest = pattern.get(fixed.join("/").len()..).unwrap_or(pattern);
        if rest.contains("..") || rest.contains(['{', '(', '\\']) && rest.contains('/') {
            return Err("the pattern could lead anywhere".to_owned());
        }
        let fixed = fixed.join("/");
        Ok(literal(if pattern.starts_with('/') {
            format!("/{}", fixed.trim_start_matches('/'))
        } else if fixed.starts_with('~') {
            fixed
        } else if fixed.is_empty() {
            dir.to_owned()
        } else {
            format!("{dir}/{fixed}")
        }))
    }
}

/// The form of the names of files that a search is for, as the call says.
pub(super) fn glob_of<'a>(call: &JudgedCall<'a>) -> Option<&'a str> {
    let Json::Object(entries) = call.args else { return None };
    let names = plan(call.tool_name, None)?.only?;
    names.iter().find_map(|name| match entries.get(*name) {
        Some(Json::String(glob)) => Some(glob.as_str()),
        _ => None,
    })
}

fn no_text(name: &str, value: &Json) -> String {
    format!("the argument `{name}` is {}, where a text is expected", value.kind())
}

/// Whether a character means something else than itself in a glob.
fn is_special(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | '{' | '!' | '(' | '\\')
}

/// A pattern: what stands before its first special character is known.
fn pattern_word(pattern: &str) -> Word {
    let (known, open) = pattern.split_at(pattern.find(is_special).unwrap_or(pattern.len()));
    let mut word = literal(known);
    if !open.is_empty() {
        word.pieces.push(WordPiece::Glob(open.to_owned()));
    }
    word
}

/// A name or a glob in a directory.
fn below_word(dir: &str, name: &str) -> Word {
    let (known, open) = name.split_at(name.find(is_special).unwrap_or(name.len()));
    let mut word =
        literal(if name.starts_with('/') { known.to_owned() } else { format!("{dir}/{known}") });
    if !open.is_empty() {
        word.pieces.push(WordPiece::Glob(open.to_owned()));
    }
    word
}

/// How this tool is read; `None`: nothing is known of it but its name.
fn plan<'r>(name: &str, stated: Option<&'r ToolReading>) -> Option<ReadingPlan<'r>> {
    let stated = stated.filter(|reading| **reading != ToolReading::default());
    let mut foreign = false;
    let usual = builtin::of(name).or_else(|| {
        let own = own_names(name).last();
        // A server can call its tool anything.
        foreign = own.is_some();
        builtin::of(&builtin::snake_case(own.unwrap_or(name)))
    });
    let Some(stated) = stated else { return usual.map(|usual| plan_of(&usual, foreign)) };
    let named = [
        (&stated.command, ArgumentMeaning::Command),
        (&stated.read, ArgumentMeaning::Read),
        (&stated.write, ArgumentMeaning::Write),
        (&stated.url, ArgumentMeaning::Url),
    ];
    let mut plan = plan_of(&usual.unwrap_or(builtin::NOTHING), false);
    for (names, says) in named {
        if names.is_empty() {
            continue;
        }
        plan.common = false;
        plan.arguments.retain(|wanted| wanted.says != says);
        plan.arguments.extend(names.iter().map(|name| WantedArguments {
            names: vec![name.as_str()].into(),
            says,
            default: None,
        }));
    }
    if !stated.cwd.is_empty() {
        plan.cwd = stated.cwd.iter().map(String::as_str).collect();
    }
    plan.shell = stated.shell.as_deref();
    plan.ignored = stated.ignore.iter().map(String::as_str).collect();
    plan.foreign = foreign && named.iter().all(|(names, _)| names.is_empty());
    (!plan.arguments.is_empty()).then_some(plan)
}

fn plan_of<'r>(usual: &BuiltinReading, foreign: bool) -> ReadingPlan<'r> {
    let arguments = usual
        .arguments
        .iter()
        .map(|argument| WantedArguments {
            names: argument.names.into(),
            says: argument.says,
            default: argument.default,
        })
        .collect::<Vec<_>>();
    ReadingPlan {
        arguments,
        pattern: usual.pattern,
        only: usual.only,
        recursive: usual.recursive,
        names: usual.names,
        globs: usual.globs,
        cwd: if usual.runs() { builtin::CWD.into() } else { directories(usual) },
        shell: None,
        foreign,
        common: usual.common,
        marks: usual.marks,
        other: usual.other,
        ignored: Vec::new(),
    }
}

/// The names of the directory that it works in: none that is what it reads.
fn directories<'r>(usual: &BuiltinReading) -> ArgumentNames<'r> {
    let known =
        |name: &&&str| usual.arguments.iter().all(|argument| !argument.names.contains(name));
    let names = if usual.arguments.is_empty() { &[] } else { builtin::CWD };
    names.iter().filter(known).copied().collect()
}
