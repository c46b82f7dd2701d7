//! From a text to a [`PolicyDocument`]: the tree, held against the schema.

use std::collections::BTreeMap;

use crate::path::{UrlPattern, Vars};

use super::error::{DocumentPath, did_you_mean, list, quoted};
use super::place::LineIndex;
use super::schema::{DOCUMENT, EFFECTS, MATCHES, MODES, READING, REMEMBERS, SHELLS, VERSION};
use super::tree::{DocumentNode, DocumentValue, TableEntry, parse};
use super::{
    DocumentError, DocumentFormat, DocumentPlace, ErrorCode, MAX_ERRORS, MatchOrder, NetworkRule,
    PlacedValue, PolicyDocument, PolicySource, ToolReading,
};

/// Bytes of a document at most.
pub const MAX_BYTES: usize = 1 << 20;
/// Rules of a document at most.
pub const MAX_RULES: usize = 20_000;

/// Reads a document. Its examples are not looked at: [`load`](super::load) does both.
///
/// # Errors
/// All that is wrong with it, in the order in which it stands, the first [`MAX_ERRORS`].
pub fn read(
    text: &str, format: DocumentFormat, source: PolicySource,
) -> Result<PolicyDocument, Vec<DocumentError>> {
    let mut reader = DocumentReader::new(text, format, &source);
    if text.len() > MAX_BYTES {
        let message = format!("the document has {} bytes, {MAX_BYTES} are allowed", text.len());
        reader.fail(ErrorCode::Syntax, None, DocumentPath::Root, message, None);
        return Err(reader.finish());
    }
    let root = match parse(text, format) {
        Ok(root) => root,
        Err(errors) => {
            for (at, message) in errors.into_iter().take(MAX_ERRORS) {
                let message = message.escape_debug().to_string().replace("\\\"", "\"");
                reader.fail(
                    ErrorCode::Syntax,
                    Some(at),
                    DocumentPath::Root,
                    message.replace("\\'", "'"),
                    None,
                );
            }
            return Err(reader.finish());
        }
    };
    let document = reader.document(&root);
    match document {
        Some(document) if reader.errors.is_empty() => Ok(document),
        _ => Err(reader.finish()),
    }
}

/// Reads one document.
pub(super) struct DocumentReader<'a> {
    pub(super) format: DocumentFormat,
    lines: LineIndex<'a>,
    source: &'a PolicySource,
    pub(super) errors: Vec<(usize, DocumentError)>,
}

impl<'a> DocumentReader<'a> {
    fn new(text: &'a str, format: DocumentFormat, source: &'a PolicySource) -> Self {
        let lines = if text.len() > MAX_BYTES { "" } else { text };
        Self { format, lines: LineIndex::new(lines), source, errors: Vec::new() }
    }

    /// In the order in which they stand.
    fn finish(mut self) -> Vec<DocumentError> {
        self.errors.sort_by_key(|(at, _)| *at);
        self.errors.into_iter().map(|(_, error)| error).collect()
    }

    pub(super) fn place(&self, at: usize) -> DocumentPlace {
        if self.format == DocumentFormat::Object {
            DocumentPlace::default()
        } else {
            self.lines.place(at)
        }
    }

    pub(super) fn fail(
        &mut self, code: ErrorCode, at: Option<usize>, path: DocumentPath<'_>, message: String,
        hint: Option<String>,
    ) {
        if self.errors.len() >= MAX_ERRORS {
            return;
        }
        let error = DocumentError {
            code,
            message,
            source_name: self.source.name.to_string(),
            place: at.map_or_else(DocumentPlace::default, |at| self.place(at)),
            path: path.to_string(),
            hint,
        };
        self.errors.push((at.unwrap_or(0), error));
    }

    pub(super) fn wrong(&mut self, node: &DocumentNode, path: DocumentPath<'_>, message: String) {
        self.fail(ErrorCode::Value, Some(node.at), path, message, None);
    }

    /// `"effect" must be a string, not a number`.
    pub(super) fn expected(&mut self, node: &DocumentNode, path: DocumentPath<'_>, what: &str) {
        let name = match path {
            DocumentPath::Root => "a policy".to_owned(),
            DocumentPath::Key(_, key) => quoted(key),
            DocumentPath::Index(DocumentPath::Key(_, key), _) => {
                format!("an entry of {}", quoted(key))
            }
            DocumentPath::Index(..) => "an entry".to_owned(),
        };
        let given = match &node.value {
            DocumentValue::Text(text) => quoted(text),
            value => value.kind(self.format).to_owned(),
        };
        self.wrong(node, path, format!("{name} must be {what}, not {given}"));
    }

    fn document(&mut self, root: &DocumentNode) -> Option<PolicyDocument> {
        let path = DocumentPath::Root;
        let entries = self.table(root, path, "a policy", DOCUMENT)?;
        let mut document = PolicyDocument {
            source: self.source.clone(),
            default: None,
            matching: MatchOrder::default(),
            tools: BTreeMap::new(),
            rules: Vec::new(),
            forbid: Vec::new(),
            network: None,
            forgets: false,
        };
        if !entries.iter().any(|entry| entry.key == "version") {
            let message = "\"version\" is missing".to_owned();
            let hint = match self.format {
                DocumentFormat::Toml => format!("begin the file with `version = {VERSION}`"),
                _ => format!("add \"version\": {VERSION}"),
            };
            self.fail(ErrorCode::Version, Some(root.at), path, message, Some(hint));
        }
        for TableEntry { key, node, .. } in entries {
            let path = path.key(key);
            match key.as_str() {
                "$schema" => drop(self.text(node, path)),
                "version" => self.version(node, path),
                "default" => document.default = self.choice(node, path, EFFECTS),
                "match" => document.matching = self.choice(node, path, MATCHES).unwrap_or_default(),
                "network" => document.network = self.network(node, path),
                "remember" => document.forgets = self.choice(node, path, REMEMBERS) == Some(true),
                "forbid" => {
                    let items = self.items(node, path);
                    for (index, item) in items.iter().enumerate() {
                        document.forbid.extend(self.choice(item, path.index(index), MODES));
                    }
                }
                "tools" => document.tools = self.readings(node, path),
                "rule" => document.rules = self.rules(node, path),
                _ => {}
            }
        }
        Some(document)
    }

    fn network(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<NetworkRule> {
        match &node.value {
            DocumentValue::Text(word) if word == "none" => Some(NetworkRule::None),
            DocumentValue::Text(word) if word == "ask" => Some(NetworkRule::Ask),
            DocumentValue::List(_) => Some(NetworkRule::Hosts(self.texts(node, path, host))),
            _ => {
                let what = "\"none\", \"ask\" or a list of hosts like [\"registry.npmjs.org\"]";
                self.expected(node, path, what);
                None
            }
        }
    }

    fn version(&mut self, node: &DocumentNode, path: DocumentPath<'_>) {
        let message = match &node.value {
            DocumentValue::Number(number) if *number == VERSION.to_string() => return,
            DocumentValue::Number(number)
                if number.parse::<u64>().is_ok_and(|n| n > u64::from(VERSION)) =>
            {
                format!(
                    "version {number} is newer than this countersign, which reads {VERSION}: update countersign"
                )
            }
            DocumentValue::Number(number) => {
                format!("there is no version {}: write {VERSION}", quoted(number))
            }
            value => {
                format!("\"version\" must be the number {VERSION}, not {}", value.kind(self.format))
            }
        };
        self.fail(ErrorCode::Version, Some(node.at), path, message, None);
    }

    fn readings(
        &mut self, node: &DocumentNode, path: DocumentPath<'_>,
    ) -> BTreeMap<String, PlacedValue<ToolReading>> {
        let DocumentValue::Table(tools) = &node.value else {
            self.expected(node, path, "a table of tools, like [tools.execute]");
            return BTreeMap::new();
        };
        let mut readings = BTreeMap::new();
        for tool in tools {
            let path = path.key(&tool.key);
            let Some(entries) = self.table(&tool.node, path, "the reading of a tool", READING)
            else {
                continue;
            };
            let mut reading = ToolReading::default();
            for TableEntry { key, node, .. } in entries {
                let path = path.key(key);
                let arguments = match key.as_str() {
                    "command" => &mut reading.command,
                    "read" => &mut reading.read,
                    "write" => &mut reading.write,
                    "url" => &mut reading.url,
                    "cwd" => &mut reading.cwd,
                    "ignore" => &mut reading.ignore,
                    "shell" => {
                        let shells: Vec<_> = SHELLS.iter().map(|shell| (*shell, *shell)).collect();
                        reading.shell = self.choice(node, path, &shells).map(str::to_owned);
                        continue;
                    }
                    _ => continue,
                };
                let names =
                    self.texts(node, path, |name| match name.split('.').any(str::is_empty) {
                        false => Ok(()),
                        true => Err(format!(
                            "{} is not the name of an argument: write `a`, or `a.b` for b inside a",
                            quoted(name)
                        )),
                    });
                arguments.extend(names.into_iter().map(|name| name.value));
            }
            readings
                .insert(tool.key.clone(), PlacedValue { value: reading, at: self.place(tool.at) });
        }
        readings
    }

    /// The entries of a table, unknown ones reported and left out of nothing: who reads them passes them over.
    pub(super) fn table<'n>(
        &mut self, node: &'n DocumentNode, path: DocumentPath<'_>, what: &str, known: &[&str],
    ) -> Option<&'n [TableEntry]> {
        let DocumentValue::Table(entries) = &node.value else {
            self.expected(
                node,
                path,
                if self.format == DocumentFormat::Toml { "a table" } else { "an object" },
            );
            return None;
        };
        for entry in entries {
            // The nearest key is not looked for when the error would be left out.
            if self.errors.len() < MAX_ERRORS && !known.contains(&entry.key.as_str()) {
                let message = format!("unknown key {} in {what}", quoted(&entry.key));
                let hint = Some(did_you_mean(&entry.key, known));
                self.fail(
                    ErrorCode::UnknownKey,
                    Some(entry.at),
                    path.key(&entry.key),
                    message,
                    hint,
                );
            }
        }
        Some(entries)
    }

    pub(super) fn text(&mut self, node: &DocumentNode, path: DocumentPath<'_>) -> Option<String> {
        let DocumentValue::Text(text) = &node.value else {
            self.expected(node, path, "a string");
            return None;
        };
        Some(text.clone())
    }

    pub(super) fn choice<T: Copy>(
        &mut self, node: &DocumentNode, path: DocumentPath<'_>, choices: &[(&str, T)],
    ) -> Option<T> {
        let given = match &node.value {
            DocumentValue::Text(text) => text.as_str(),
            _ => "",
        };
        let found = choices.iter().find(|(word, _)| *word == given).map(|(_, value)| *value);
        if found.is_none() {
            let words: Vec<_> = choices.iter().map(|(word, _)| *word).collect();
            self.expected(node, path, &list(&words, "or"));
        }
        found
    }

    /// A list as it is, and anything else as the only entry of one.
    pub(super) fn items<'n>(
        &mut self, node: &'n DocumentNode, path: DocumentPath<'_>,
    ) -> &'n [DocumentNode] {
        let DocumentValue::List(items) = &node.value else {
            return std::slice::from_ref(node);
        };
        if items.is_empty() {
            let message = "an empty list matches nothing: leave the key out, or name what is meant"
                .to_owned();
            self.wrong(node, path, message);
        }
        items
    }

    /// A string, or a list of strings, none of them empty, each as `check` wants it.
    pub(super) fn texts(
        &mut self, node: &DocumentNode, path: DocumentPath<'_>,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Vec<PlacedValue<String>> {
        let is_list = matches!(node.value, DocumentValue::List(_));
        let mut texts = Vec::new();
        for (index, item) in self.items(node, path).iter().enumerate() {
            let inner = path.index(index);
            let path = if is_list { inner } else { path };
            match &item.value {
                DocumentValue::Text(text) if text.is_empty() => {
                    self.wrong(item, path, "an empty string matches nothing".to_owned());
                }
                DocumentValue::Text(text) => match check(text) {
                    Ok(()) => {
                        texts.push(PlacedValue { value: text.clone(), at: self.place(item.at) });
                    }
                    Err(message) => self.wrong(item, path, message),
                },
                _ if is_list => self.expected(item, path, "a string"),
                _ => self.expected(item, path, "a string or a list of strings"),
            }
        }
        texts
    }
}

/// A connection goes to a host: what is asked for there is not seen.
fn host(pattern: &str) -> Result<(), String> {
    UrlPattern::parse(pattern).map_err(|error| error.to_string())?;
    let behind = pattern.split_once("://").map_or(pattern, |(_, behind)| behind);
    if behind.contains(['/', '@']) {
        return Err(format!("{} is more than a host: write the host alone", quoted(pattern)));
    }
    Ok(())
}

/// For texts that may be anything.
pub(super) fn any(_: &str) -> Result<(), String> {
    Ok(())
}

/// A place that is nowhere, the same on every machine.
pub(super) fn nowhere() -> Vars {
    let text = |text: &str| Some(text.to_owned());
    Vars {
        cwd: "/project".to_owned(),
        home: text("/home/user"),
        project: text("/project"),
        project_as: None,
        own: Vec::new(),
    }
}
