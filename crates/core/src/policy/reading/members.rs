//! Settings of the members of a workspace: files in other folders of the project that its settings name. A symlink in the place of such
//! a file, or on the way to it, counts.

use std::collections::{BTreeSet, HashSet};

use super::ActionReader;
use super::looked_at::{MOST_NAMES, MOST_TEXT};
use super::repository::upwards;
use super::settings::{FoundSettings, MOST_WAYS};
use crate::path::{DirEntry, DirListing, NameBudget, PathError, is_below, plain_text};
use crate::policy::document::{DocumentFormat, DocumentNode, DocumentValue, tree};
use crate::policy::judge::is_product;
use crate::shell::SettingsFiles;

/// What may begin a path that leads up, is absolute, or is spelled by an entity of XML.
const LEADS_ELSEWHERE: &[&str] = &["..", "&", "\"/", "'/", " /", ">/"];

/// Which folders below that of some settings they name.
#[derive(Debug, PartialEq, Eq)]
enum MemberFolders {
    /// Any below: it is not read which.
    Any,
    /// Any of the project: a path that leads up may be one.
    Anywhere,
    /// Those that these patterns mean.
    Named(Vec<String>),
}

/// What is gone through for members.
struct MemberSearch<'s> {
    files: &'s SettingsFiles,
    found: &'s mut FoundSettings,
    /// How many names may still be looked at.
    left: NameBudget,
}

impl ActionReader<'_> {
    /// Adds those of the members.
    pub(super) fn settings_of_members(
        &self, files: &SettingsFiles, here: &BTreeSet<String>, found: &mut FoundSettings,
    ) -> Result<(), PathError> {
        if files.members.is_empty() {
            return Ok(());
        }
        let roots = self.roots()?;
        let mut open = Vec::new();
        for way in here.iter().take(MOST_WAYS) {
            // Above what is no project nothing is gone through.
            let top = roots.iter().filter(|root| is_below(way, root)).map(String::len).min();
            let inside = |folder: &&str| folder.len() >= top.unwrap_or(way.len());
            let above = upwards(way).map_while(|folder| folder).take_while(inside);
            open.extend(above.map(str::to_owned));
        }
        let mut search = MemberSearch { files, found, left: NameBudget::new(MOST_NAMES) };
        let (mut seen, mut tops) = (HashSet::new(), BTreeSet::new());
        // A member may name others.
        while let Some(folder) = open.pop() {
            if !seen.insert(folder.clone()) {
                continue;
            }
            for (name, words) in &files.members_by {
                match self.members_named(&folder, name, words)? {
                    MemberFolders::Any => {
                        tops.insert(folder.clone());
                    }
                    MemberFolders::Anywhere => {
                        let around = roots.iter().filter(|root| is_below(&folder, root));
                        tops.insert(around.min_by_key(|it| it.len()).unwrap_or(&folder).clone());
                    }
                    MemberFolders::Named(patterns) => {
                        for pattern in patterns {
                            let members = self.meant_by(&folder, &pattern, &mut search)?;
                            let inside = |it: &String| roots.iter().any(|root| is_below(it, root));
                            open.extend(members.into_iter().filter(inside));
                        }
                    }
                }
            }
        }
        // The first of several has the others below it.
        let mut first: BTreeSet<String> = BTreeSet::new();
        for top in tops {
            if !first.iter().any(|above| is_below(&top, above)) {
                first.insert(top);
            }
        }
        self.members_below(first.into_iter().collect(), &mut search)
    }

    /// The members that a file of settings names.
    fn members_named(
        &self, folder: &str, name: &str, words: &[&str],
    ) -> Result<MemberFolders, PathError> {
        let path = format!("{folder}/{name}");
        if !self.files.has(&path)? {
            return Ok(MemberFolders::Named(Vec::new()));
        }
        let text = plain_text(self.files, &path, MOST_TEXT);
        let Some(text) = text else { return Ok(MemberFolders::Anywhere) };
        let has_word = words.iter().any(|word| text.contains(word));
        let patterns = match name {
            "package.json" => of_package(&text),
            "pnpm-workspace.yaml" => of_pnpm(&text),
            // An escape may spell the word otherwise, or a path that leads up.
            _ if text.contains('\\') => return Ok(MemberFolders::Anywhere),
            _ if has_word && LEADS_ELSEWHERE.iter().any(|it| text.contains(it)) => {
                return Ok(MemberFolders::Anywhere);
            }
            _ if has_word => None,
            _ => Some(Vec::new()),
        };
        Ok(patterns.map_or(MemberFolders::Any, MemberFolders::Named))
    }

    /// The folders that a pattern may mean, once the links to settings in them are found. Where it has a wildcard, each name counts.
    fn meant_by(
        &self, top: &str, pattern: &str, search: &mut MemberSearch<'_>,
    ) -> Result<Vec<String>, PathError> {
        let mut folders = vec![top.to_owned()];
        for part in pattern.split('/').filter(|part| !["", "."].contains(part)) {
            if part.contains("**") {
                self.members_below(folders, search)?;
                return Ok(Vec::new());
            }
            let is_plain = !part.contains(['*', '?', '[', '{', '(', '\\']);
            let mut next = Vec::new();
            for folder in folders {
                if is_plain {
                    next.push(format!("{folder}/{part}"));
                    continue;
                }
                let names = match search.left.list(&folder, self.files) {
                    DirListing::Names(names) => names,
                    DirListing::Unknown => continue,
                    DirListing::TooMany => {
                        search.found.too_many = true;
                        continue;
                    }
                };
                let folders = names.into_iter().filter(|entry| entry.is_dir || entry.is_link);
                next.extend(folders.map(|entry| format!("{folder}/{}", entry.name)));
            }
            folders = next;
        }
        let real = self.files.real(top)?;
        for folder in &folders {
            for member in &search.files.members {
                let path = format!("{folder}/{member}");
                let own = path.replacen(top, &real, 1);
                if self.files.has(&path)? && self.files.real(&path)? != own {
                    search.found.links.insert(path);
                }
            }
        }
        Ok(folders)
    }

    /// Adds those of members that may be any folder below these. Where tools put what they make again is looked at last.
    fn members_below(
        &self, mut dirs: Vec<String>, search: &mut MemberSearch<'_>,
    ) -> Result<(), PathError> {
        let mut products = Vec::new();
        while let Some((dir, is_last)) =
            dirs.pop().map(|dir| (dir, false)).or_else(|| products.pop().map(|dir| (dir, true)))
        {
            let names = match search.left.list(&dir, self.files) {
                DirListing::Names(names) => names,
                DirListing::Unknown => continue,
                DirListing::TooMany => {
                    // What tools make again is hardly a member.
                    search.found.too_many |= !is_last;
                    continue;
                }
            };
            for DirEntry { name, is_link, is_dir } in names {
                let path = format!("{dir}/{name}");
                if is_link {
                    if search.files.members.contains(&name.as_str()) {
                        search.found.links.insert(path);
                        continue;
                    }
                    self.members_behind(&path, search)?;
                } else if is_dir {
                    match name.as_str() {
                        ".git" => {}
                        // Those of npm are no members. Other tools take them for any folder.
                        "node_modules" if search.files.members.contains(&"package.json") => {}
                        _ if is_last || is_product(&name) => products.push(path),
                        _ => dirs.push(path),
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds those behind a symlink to a folder: in it, and in its folders.
    fn members_behind(&self, link: &str, search: &mut MemberSearch<'_>) -> Result<(), PathError> {
        let mut folders = vec![link.to_owned()];
        if let Ok(real) = self.files.real(link)
            && let DirListing::Names(names) = search.left.list(&real, self.files)
        {
            let inner = names.into_iter().filter(|it| it.is_dir || it.is_link);
            folders.extend(inner.map(|it| format!("{link}/{}", it.name)));
        }
        for folder in folders {
            for member in &search.files.members {
                let path = format!("{folder}/{member}");
                if self.files.has(&path)? {
                    search.found.links.insert(path);
                }
            }
        }
        Ok(())
    }
}

/// The patterns of `workspaces` in a `package.json`; `None`: they are not understood. What one leaves out counts nevertheless.
fn of_package(text: &str) -> Option<Vec<String>> {
    let entry = |node: DocumentNode, key: &str| match node.value {
        DocumentValue::Table(entries) => {
            Some(entries.into_iter().find(|entry| entry.key == key).map(|entry| entry.node))
        }
        _ => None,
    };
    let Some(mut named) = entry(tree(text, DocumentFormat::Json).ok()?, "workspaces")? else {
        return Some(Vec::new());
    };
    if matches!(named.value, DocumentValue::Table(_)) {
        let Some(packages) = entry(named, "packages")? else { return Some(Vec::new()) };
        named = packages;
    }
    let DocumentValue::List(patterns) = named.value else { return None };
    let text = |node: DocumentNode| match node.value {
        DocumentValue::Text(text) => Some(text),
        _ => None,
    };
    patterns.into_iter().map(text).collect()
}

/// The patterns of `packages` in a `pnpm-workspace.yaml`, where they are a plain list; `None`: it is not one.
fn of_pnpm(text: &str) -> Option<Vec<String>> {
    const KEY: &str = "packages";
    if text.contains('\\') {
        return None;
    }
    let (mut patterns, mut in_list) = (Vec::new(), false);
    for line in text.lines() {
        let line = line.split_once(" #").map_or(line, |(line, _)| line).trim_end();
        if line.is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        let item = line.trim_start_matches(' ').strip_prefix("- ").map(str::trim);
        if let Some(item) = item.filter(|_| in_list) {
            patterns.push(scalar(item)?.to_owned());
            continue;
        }
        // It goes on in a way that is not read.
        let goes_on = in_list && line.starts_with([' ', '\t', '-']);
        in_list = line.strip_prefix(KEY) == Some(":");
        if goes_on || !in_list && line.contains(KEY) {
            return None;
        }
    }
    Some(patterns)
}

/// The text of a plain or quoted value of YAML.
fn scalar(item: &str) -> Option<&str> {
    for quote in ['\'', '"'] {
        if let Some(rest) = item.strip_prefix(quote) {
            return rest.strip_suffix(quote).filter(|text| !text.contains(quote));
        }
    }
    let is_plain = |c: char| c.is_alphanumeric() || "./_-".contains(c);
    item.starts_with(is_plain).then_some(item).filter(|item| !item.contains(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_members_of_a_package_are_read_or_may_be_any() {
        for (text, expected) in [
            ("{}", Some(vec![])),
            (r#"{"workspaces": ["a", "b/*", "!c"]}"#, Some(vec!["a", "b/*", "!c"])),
            (r#"{"work\u0073paces": ["a"]}"#, Some(vec!["a"])),
            (r#"{"workspaces": {"packages": ["a"], "nohoist": ["b"]}}"#, Some(vec!["a"])),
            (r#"{"workspaces": {"nohoist": ["b"]}}"#, Some(vec![])),
            (r#"{"workspaces": "a"}"#, None),
            (r#"{"workspaces": [1]}"#, None),
            ("[]", None),
            ("x", None),
        ] {
            let expected = expected.map(|all| all.into_iter().map(str::to_owned).collect());
            assert_eq!(of_package(text), expected, "{text}");
        }
    }

    #[test]
    fn the_members_that_pnpm_has_are_read_or_may_be_any() {
        for (text, expected) in [
            ("", Some(vec![])),
            (
                "packages:\n  - a\n  # b\n\n  - 'b/*' # c\n  - \"*\"\n- d\n",
                Some(vec!["a", "b/*", "*", "d"]),
            ),
            ("catalog:\n  react: 1\npackages:\n- a\n", Some(vec!["a"])),
            ("packages:\n  - a\ncatalog:\n  - b\n", Some(vec!["a"])),
            ("packages: [a]\n", None),
            ("packages: &x\n  - a\n", None),
            ("packages:\n  - *x\n", None),
            ("packages:\n  - a: b\n", None),
            ("packages:\n  - >\n    a\n", None),
            ("packages:\n  - a\n    b\n  - c\n", None),
            ("packages:\n  -\n    a\n", None),
            ("packages:\n- a\n---\nx: 1\n", None),
            ("\"packages\":\n  - a\n", None),
            ("{packages: [a]}\n", None),
            ("x: &x\n  packages:\n    - a\n<<: *x\n", None),
            ("\"pack\\x61ges\":\n  - a\n", None),
        ] {
            let expected = expected.map(|all| all.into_iter().map(str::to_owned).collect());
            assert_eq!(of_pnpm(text), expected, "{text}");
        }
    }
}
