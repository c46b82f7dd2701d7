//! What the tests of verdicts share.
#![allow(dead_code, reason = "each test uses its own part")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use countersign_core::call::Json;
use countersign_core::layers::preset;
use countersign_core::path::{FileLookup, PathContext};
use countersign_core::policy::document::{
    DocumentFormat, LayerKind, PolicyDocument, PolicySource, load,
};
use countersign_core::policy::{JudgedCall, NeedsFiles, Policy, Verdict, judge};

/// A policy in JSON, or the preset of this name.
pub(crate) fn document(text: &str) -> PolicyDocument {
    let (name, text, format) = if text.starts_with('{') {
        ("own", text, DocumentFormat::Json)
    } else {
        (text, preset(text).unwrap(), DocumentFormat::Toml)
    };
    let source = PolicySource { layer: LayerKind::Code, name: Arc::from(name), trusted: true };
    load(text, format, source).unwrap()
}

/// The same, for a session that starts in this folder, which is the project.
pub(crate) fn policy(text: &str, folder: &str, home: &str) -> Policy {
    let context = PathContext {
        cwd: folder.to_owned(),
        home: Some(home.to_owned()),
        project: Some(folder.to_owned()),
        ..PathContext::default()
    };
    Policy::compile(vec![document(text)], &context).unwrap()
}

/// What a policy says of a call of this tool.
pub(crate) fn judged(
    policy: &Policy, tool: &str, args: &Json, files: &dyn FileLookup,
) -> Result<Verdict, NeedsFiles> {
    let annotations = BTreeMap::new();
    let call = JudgedCall {
        other_names: &[],
        tool_name: tool,
        args,
        cwd: None,
        annotations: &annotations,
        conditions: &[],
        confined: None,
    };
    judge(policy, &call, files)
}

/// Arguments with one entry.
pub(crate) fn argument(name: &str, value: Json) -> Json {
    Json::Object(BTreeMap::from([(name.to_owned(), value)]))
}

/// Arguments with one entry, a text.
pub(crate) fn text(name: &str, value: &str) -> Json {
    argument(name, Json::String(value.to_owned()))
}

/// A file, and the folders on the way to it.
pub(crate) fn put(file: &Path, content: impl AsRef<[u8]>) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

/// An index of git with these names; one with a `/` behind it is a repository, one with two is a folder.
pub(crate) fn index(names: &[&str]) -> Vec<u8> {
    let names: Vec<&[u8]> = names.iter().map(|name| name.as_bytes()).collect();
    index_of(&names)
}

/// The same, of names that may be no text.
pub(crate) fn index_of(names: &[&[u8]]) -> Vec<u8> {
    let mut bytes = b"DIRC\0\0\0\x02".to_vec();
    bytes.extend(u32::try_from(names.len()).unwrap().to_be_bytes());
    for name in names {
        let start = bytes.len();
        bytes.extend([0; 24]);
        let (kind, name): (u32, &[u8]) = match name {
            name if name.ends_with(b"//") => (0o040_000, &name[..name.len() - 1]),
            [name @ .., b'/'] => (0o160_000, name),
            name => (0o100_644, name),
        };
        bytes.extend(kind.to_be_bytes());
        bytes.extend([0; 32]);
        bytes.extend(u16::try_from(name.len()).unwrap().to_be_bytes());
        bytes.extend(name);
        bytes.resize(bytes.len() + 8 - (bytes.len() - start) % 8, 0);
    }
    bytes.extend([0; 20]);
    bytes
}
