//! A call's arguments, read as what the tool would do with them.

pub(super) mod builtin;
mod command;
mod folder;
mod loaded;
pub(super) mod repository;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use builtin::{Builtin, Recursive, Says};
use loaded::Loads;

use super::document::{Document, Reading};
use super::judge::{JudgedCall, NeedsFiles};
use super::names::own_names;
use super::subject::{Extent, Kind, Start, Subject, literal};
use crate::call::Json;
use crate::path::{Files, Where};
use crate::shell::{Access, Piece, Word};

/// How tools are read: what documents say of them, besides the usual names.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readings {
    /// By documents that are trusted; what the strongest says of a tool's argument counts.
    trusted: BTreeMap<String, Reading>,
    /// By documents that are not: their subjects are judged besides, so that they can only tighten.
    untrusted: BTreeMap<String, Vec<Reading>>,
}

/// One way to read a tool, ready to use.
struct Plan {
    arguments: Vec<Wanted>,
    pattern: Option<builtin::Names>,
    only: Option<builtin::Names>,
    recursive: Recursive,
    names: bool,
    cwd: Vec<String>,
    shell: Option<String>,
    /// The tool's name is no proof of what it does: its own use must be allowed, and what it says of files only tightens.
    foreign: bool,
    common: bool,
    marks: builtin::Names,
}

struct Wanted {
    names: Vec<String>,
    says: Says,
    default: Option<&'static str>,
}

impl Readings {
    /// What these documents, the strongest first, say.
    pub(crate) fn of(documents: &[Document]) -> Self {
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

/// Everything the call would do. Never empty.
///
/// # Errors
/// When the file system is needed to tell in which directory it runs.
pub(crate) fn subjects(
    call: &JudgedCall, readings: &Readings, context: &Where, files: &dyn Files,
) -> Result<Vec<Subject>, NeedsFiles> {
    let mut reader =
        Reader { call, context, files, subjects: Vec::new(), loads: Vec::new(), guesses: false };
    reader.read(readings.trusted.get(call.tool_name))?;
    for reading in readings.untrusted.get(call.tool_name).into_iter().flatten() {
        reader.read(Some(reading))?;
    }
    reader.guesses = false;
    if reader.subjects.is_empty() {
        reader.unknown(None, "the call does nothing that could be judged");
    }
    Ok(reader.subjects)
}

/// Where the subjects of one call are gathered.
struct Reader<'a> {
    call: &'a JudgedCall<'a>,
    context: &'a Where,
    files: &'a dyn Files,
    subjects: Vec<Subject>,
    /// What its commands run, or what decides what they run.
    loads: Vec<Loads>,
    /// What is read is a guess, which can only tighten.
    guesses: bool,
}

impl Reader<'_> {
    fn read(&mut self, stated: Option<&Reading>) -> Result<(), NeedsFiles> {
        let Some(plan) = plan(self.call.tool_name, stated) else {
            self.tool();
            return Ok(());
        };
        self.guesses = plan.foreign;
        if plan.foreign {
            self.tool();
        }
        if plan.common && self.is_some_other_tool(&plan) {
            self.tool();
            return Ok(());
        }
        let start = Arc::new(self.start(&plan)?);
        for wanted in &plan.arguments {
            self.argument(&plan, wanted, &start);
        }
        self.loaded()?;
        self.folders()?;
        self.work_trees()
    }

    fn tool(&mut self) {
        let kind = Kind::Tool { name: Arc::from(self.call.tool_name) };
        let start = Arc::new(self.host_start());
        self.subjects.push(Subject { kind, span: None, argument: None, needs_allow: true, start });
    }

    fn unknown(&mut self, argument: Option<&str>, why: impl Into<Cow<'static, str>>) {
        if self.guesses {
            return;
        }
        let kind = Kind::Unknown { why: why.into(), named: None };
        let argument = argument.map(Arc::from);
        let start = Arc::new(Start::default());
        self.subjects.push(Subject { kind, span: None, argument, needs_allow: true, start });
    }

    fn is_some_other_tool(&self, plan: &Plan) -> bool {
        let has = |names: &[String]| {
            names.iter().any(|name| self.value(name).is_some_and(|value| *value != Json::Null))
        };
        let none =
            plan.arguments.iter().all(|wanted| wanted.default.is_some() || !has(&wanted.names));
        let marks = plan.marks.iter().any(|name| self.value(name).is_some());
        if plan.marks.is_empty() { none } else { !marks && none }
    }

    /// The value of an argument, `a.b` being one inside another.
    fn value(&self, name: &str) -> Option<&Json> {
        let Json::Object(entries) = self.call.args else { return None };
        if let Some(value) = entries.get(name) {
            return Some(value);
        }
        let mut value = self.call.args;
        for part in name.split('.') {
            let Json::Object(entries) = value else { return None };
            value = entries.get(part)?;
        }
        Some(value)
    }

    /// The one of these arguments that the call has, or why there is none.
    fn only<'n, S: AsRef<str>>(&self, names: &'n [S]) -> Result<Option<(&'n str, &Json)>, String> {
        let mut found = None;
        for name in names {
            let name = name.as_ref();
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

    fn argument(&mut self, plan: &Plan, wanted: &Wanted, start: &Arc<Start>) {
        let found = match self.only(&wanted.names) {
            Ok(found) => found.map(|(name, value)| (name, value.clone())),
            Err(why) => return self.unknown(wanted.names.first().map(String::as_str), why),
        };
        let (name, value) = match (found, wanted.default) {
            (Some(found), _) => found,
            (None, Some(default)) => {
                let name = wanted.names.first().map_or("", String::as_str);
                (name, Json::String(default.to_owned()))
            }
            (None, None) if plan.foreign => return,
            (None, None) => {
                let name = wanted.names.first().map_or("", String::as_str);
                return self.unknown(Some(name), format!("the argument `{name}` is missing"));
            }
        };
        match (wanted.says, &value) {
            (Says::Command, _) => self.command(plan, name, &value, start),
            (_, Json::String(text)) => self.one(plan, wanted.says, name, text, start),
            (_, Json::Array(items)) if !items.is_empty() => {
                for item in items {
                    match item {
                        Json::String(text) => self.one(plan, wanted.says, name, text, start),
                        other => self.wrong(name, other),
                    }
                }
            }
            (_, other) => self.wrong(name, other),
        }
    }

    /// The text of the one of these arguments that the call has.
    fn only_text<'n, S: AsRef<str>>(
        &self, names: &'n [S],
    ) -> Result<Option<(&'n str, &str)>, String> {
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
    fn subject(&mut self, kind: Kind, argument: &str, needs_allow: bool, start: &Arc<Start>) {
        let (argument, start) = (Some(Arc::from(argument)), Arc::clone(start));
        self.subjects.push(Subject { kind, span: None, argument, needs_allow, start });
    }

    /// A path or an address.
    fn one(&mut self, plan: &Plan, says: Says, name: &str, text: &str, start: &Arc<Start>) {
        let kind = match says {
            Says::Url => {
                if let Some(path) = crate::path::file_of(text) {
                    // A file is read, whatever it is called.
                    let kind = Kind::Path {
                        access: Access::Read,
                        target: literal(path),
                        extent: Extent::Itself,
                        by: None,
                    };
                    self.subject(kind, name, !plan.foreign, start);
                }
                Kind::Url { target: literal(text), by: None }
            }
            Says::Command | Says::Read | Says::Write | Says::Change => {
                let recursive = match plan.recursive {
                    Recursive::No | Recursive::Maybe => false,
                    Recursive::Yes => true,
                    Recursive::When(names) | Recursive::Perhaps(names) => {
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
                let access = match says {
                    Says::Write | Says::Change => Access::Write,
                    Says::Command | Says::Read | Says::Url => Access::Read,
                };
                let extent = match (plan.recursive, recursive) {
                    (Recursive::Maybe, _) => Extent::Tree,
                    (Recursive::Perhaps(_), false) => Extent::Perhaps,
                    (_, true) if plan.names => Extent::AllNames,
                    (_, true) => Extent::Below,
                    (_, false) if plan.names => Extent::Names,
                    (_, false) => Extent::Itself,
                };
                if says == Says::Change {
                    // An allow to write it is one to change it, as that of a command is.
                    let access = Access::Read;
                    let kind = Kind::Path { access, target: target.clone(), extent, by: None };
                    self.subject(kind, name, false, start);
                }
                Kind::Path { access, target, extent, by: None }
            }
        };
        self.subject(kind, name, !plan.foreign, start);
    }

    /// The files that a glob picks by name below a directory. A search passes over hidden ones unless it does, so that what
    /// is read is more than the directory says.
    fn named_below(
        &mut self, plan: &Plan, argument: &str, dir: &str, start: &Arc<Start>,
    ) -> Result<(), String> {
        let Some(names) = plan.only else { return Ok(()) };
        let Some((_, glob)) = self.only_text(names)? else { return Ok(()) };
        let glob = glob.to_owned();
        let hidden = glob
            .split_inclusive(['/', ',', '{', '}'])
            .map(|name| name.trim_end_matches(['/', ',', '}']))
            .filter(|name| name.starts_with('.'));
        let whole = Some(glob.as_str()).filter(|glob| !glob.contains(is_special));
        for name in hidden.chain(whole).collect::<BTreeSet<_>>() {
            let kind = Kind::Path {
                access: Access::Read,
                // What follows a brace belongs to the name, too.
                target: below_word(dir, &name.replace('{', "*")),
                extent: Extent::Itself,
                by: None,
            };
            // The directory is what must be allowed.
            self.subject(kind, argument, false, start);
        }
        Ok(())
    }

    /// The directory that a pattern for names really begins in.
    fn below(&self, plan: &Plan, dir: &str) -> Result<Word, String> {
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

fn no_text(name: &str, value: &Json) -> String {
    format!("the argument `{name}` is {}, where a text is expected", value.kind())
}

/// Whether a character means something else than itself in a glob.
fn is_special(character: char) -> bool {
    matches!(character, '*' | '?' | '[' | '{' | '!' | '(' | '\\')
}

/// A name or a glob in a directory.
fn below_word(dir: &str, name: &str) -> Word {
    let (known, open) = name.split_at(name.find(is_special).unwrap_or(name.len()));
    let mut word =
        literal(if name.starts_with('/') { known.to_owned() } else { format!("{dir}/{known}") });
    if !open.is_empty() {
        word.pieces.push(Piece::Glob(open.to_owned()));
    }
    word
}

/// How this tool is read; `None`: nothing is known of it but its name.
fn plan(name: &str, stated: Option<&Reading>) -> Option<Plan> {
    let stated = stated.filter(|reading| **reading != Reading::default());
    let mut foreign = false;
    let usual = builtin::of(name).or_else(|| {
        let own = own_names(name).last();
        // A server can call its tool anything.
        foreign = own.is_some();
        builtin::of(&builtin::snake_case(own.unwrap_or(name)))
    });
    let Some(stated) = stated else { return usual.map(|usual| plan_of(&usual, foreign)) };
    let named = [
        (&stated.command, Says::Command),
        (&stated.read, Says::Read),
        (&stated.write, Says::Write),
        (&stated.url, Says::Url),
    ];
    let mut plan = plan_of(&usual.unwrap_or(builtin::NOTHING), false);
    for (names, says) in named {
        if names.is_empty() {
            continue;
        }
        plan.common = false;
        plan.arguments.retain(|wanted| wanted.says != says);
        plan.arguments.extend(names.iter().map(|name| Wanted {
            names: vec![name.clone()],
            says,
            default: None,
        }));
    }
    if !stated.cwd.is_empty() {
        plan.cwd.clone_from(&stated.cwd);
    }
    plan.shell.clone_from(&stated.shell);
    plan.foreign = foreign && named.iter().all(|(names, _)| names.is_empty());
    (!plan.arguments.is_empty()).then_some(plan)
}

fn plan_of(usual: &Builtin, foreign: bool) -> Plan {
    let arguments = usual
        .arguments
        .iter()
        .map(|argument| Wanted {
            names: argument.names.iter().map(|name| (*name).to_owned()).collect(),
            says: argument.says,
            default: argument.default,
        })
        .collect::<Vec<_>>();
    Plan {
        arguments,
        pattern: usual.pattern,
        only: usual.only,
        recursive: usual.recursive,
        names: usual.names,
        cwd: if usual.runs() {
            builtin::CWD.iter().map(|name| (*name).to_owned()).collect()
        } else {
            Vec::new()
        },
        shell: None,
        foreign,
        common: usual.common,
        marks: usual.marks,
    }
}
