//! No file knows another that knows it, directly or through others: who reads one of them would have to read all.
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Files that still know each other, by the room that they are in, and how many they are. A number here goes down, or a line goes.
const KNOTS: [(&str, usize); 4] =
    [("shell", 43), ("policy", 29), ("path", 5), ("ledger/sqlite/engine", 4)];

type ModulePath = Vec<String>;

struct SourceFile {
    name: String,
    /// Paths that it uses.
    used: Vec<ModulePath>,
    /// What it hands on, by the name under which it does.
    handed_on: BTreeMap<String, ModulePath>,
}

#[test]
fn no_file_knows_one_that_knows_it() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = files_below(&src, &src);
    let mut knows: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, file) in &files {
        for used in &file.used {
            if let Some(other) = owner(&files, used.clone(), 0)
                && other != module
                && let Some(other) = files.get(other)
            {
                knows.entry(&file.name).or_default().insert(&other.name);
            }
        }
    }
    assert!(knows.values().map(BTreeSet::len).sum::<usize>() > 1_000, "the reader sees too little");
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for file in knows.keys() {
        let circle: Vec<_> = reached(&knows, file)
            .into_iter()
            .filter(|other| reached(&knows, other).contains(file))
            .collect();
        if circle.is_empty() {
            continue;
        }
        let knot = KNOTS.iter().map(|(room, _)| *room).find(|room| file.starts_with(room));
        let room = knot.unwrap_or_else(|| panic!("{file} is in a circle: {circle:?}"));
        *found.entry(room).or_default() += 1;
    }
    assert_eq!(found, KNOTS.into_iter().collect(), "files that know each other, by room");
}

/// All that this file knows, also through others.
fn reached<'a>(knows: &BTreeMap<&'a str, BTreeSet<&'a str>>, file: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = knows.get(file).into_iter().flatten().copied().collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(knows.get(next).into_iter().flatten());
        }
    }
    reached
}

/// The module that a path leads into, through what others hand on.
fn owner(
    files: &BTreeMap<ModulePath, SourceFile>, path: ModulePath, depth: usize,
) -> Option<&ModulePath> {
    let known = (0..=path.len()).rev().find_map(|end| files.get_key_value(path.get(..end)?));
    let (module, file) = known?;
    let (name, rest) = path.get(module.len()..)?.split_first().unzip();
    match name.and_then(|name| file.handed_on.get(name)) {
        Some(target) if depth < 8 => {
            let further = rest.into_iter().flatten().cloned();
            owner(files, target.iter().cloned().chain(further).collect(), depth + 1)
        }
        _ => Some(module),
    }
}

fn files_below(src: &Path, dir: &Path) -> BTreeMap<ModulePath, SourceFile> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(src).unwrap().to_string_lossy().replace('\\', "/");
        if name.contains("tests") || name.contains("conformance") {
            continue;
        }
        if path.is_dir() {
            files.extend(files_below(src, &path));
        } else if let Some(stem) = name.strip_suffix(".rs") {
            let mut module: ModulePath = stem.split('/').map(str::to_owned).collect();
            if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
                module.pop();
            }
            let text = fs::read_to_string(&path).unwrap();
            files.insert(module.clone(), read(name, &module, &text));
        }
    }
    files
}

fn read(name: String, module: &ModulePath, text: &str) -> SourceFile {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join(" ");
    let mut file = SourceFile { name, used: Vec::new(), handed_on: BTreeMap::new() };
    for statement in code.split(';') {
        let mut words = statement.rsplit("use ");
        let imported = words.next().filter(|_| statement.contains("use "));
        let is_import =
            imported.is_some_and(|it| it.chars().all(|c| is_in_path(c) || " {},*".contains(c)));
        if let Some(imported) = imported.filter(|_| is_import) {
            let before = words.next().unwrap_or_default().trim_end();
            let is_handed_on =
                before.ends_with("pub") || before.ends_with(')') && before.contains("pub(");
            for path in expanded(imported).iter().filter_map(|path| absolute(module, path)) {
                if is_handed_on {
                    file.handed_on.insert(path.last().cloned().unwrap_or_default(), path);
                } else {
                    file.used.push(path);
                }
            }
        } else {
            let paths =
                statement.split(|c: char| !is_in_path(c)).filter(|path| path.contains("::"));
            file.used.extend(paths.filter_map(|path| absolute(module, path)));
        }
    }
    file
}

fn is_in_path(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == ':'
}

/// `a::{b, c::{d, e}}` as `a::b`, `a::c::d`, `a::c::e`.
fn expanded(path: &str) -> Vec<String> {
    let path = path.trim();
    let Some((before, inside)) = path.split_once('{') else {
        return vec![path.split(" as ").next().unwrap_or_default().trim().to_owned()];
    };
    let (mut depth, mut parts) = (0, vec![String::new()]);
    for c in inside.rsplit_once('}').map_or(inside, |(inside, _)| inside).chars() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        match parts.last_mut() {
            Some(part) if c != ',' || depth > 0 => part.push(c),
            _ => parts.push(String::new()),
        }
    }
    let parts = parts.iter().filter(|part| !part.trim().is_empty());
    parts.flat_map(|part| expanded(part)).map(|part| format!("{before}{part}")).collect()
}

/// The path from the root of the crate. One that begins with another crate leads nowhere beyond its own module.
fn absolute(module: &ModulePath, path: &str) -> Option<ModulePath> {
    let mut parts = path.split("::").map(str::trim).filter(|part| !part.is_empty()).peekable();
    let mut from = module.clone();
    match *parts.peek()? {
        "crate" => {
            from.clear();
            parts.next();
        }
        "self" => {
            parts.next();
        }
        _ => {
            while parts.next_if_eq(&"super").is_some() {
                from.pop();
            }
        }
    }
    Some(from.into_iter().chain(parts.map(str::to_owned)).collect())
}
