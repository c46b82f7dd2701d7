//! Where git keeps what was committed, and what names these places: who changes the way there takes the store out of sight.

use super::super::reading::repository::common_dir;
use super::{Finding, MOST_OTHERS, is_in_one_of, named};
use crate::path::{DirListing, NameBudget, PathContext, is_below, links_on};

/// What holds the names of what was committed; `objects` holds that itself.
const KEPT: [&str; 4] = ["HEAD", "refs", "packed-refs", "logs"];
/// How many names are looked at in a folder of objects.
const MOST_OBJECTS: usize = 20_000;

impl Finding<'_> {
    /// Of a repository, and of the one that it has this in common with.
    pub(super) fn add_stores(&mut self, git: &str) {
        self.add_store(git);
        let says = format!("{git}/commondir");
        self.add_way(&says);
        let common = common_dir(git, self.look.files);
        if common != git {
            return self.add_store(&common);
        }
        // It is there, with unknown content.
        self.found.unheld |=
            self.is_there(&says) && self.look.files.text(&says, named::LONGEST).is_none();
    }

    /// What a repository keeps is perhaps elsewhere: behind symlinks, and in those that it borrows objects from.
    fn add_store(&mut self, git: &str) {
        for path in [git.to_owned()].into_iter().chain(KEPT.map(|name| format!("{git}/{name}"))) {
            self.add_place(&path);
        }
        // Names of branches and tags, and what was stashed.
        for folder in ["refs", "logs"] {
            self.add_links_below(&format!("{git}/{folder}"));
        }
        let mut all = vec![format!("{git}/objects")];
        let mut at = 0;
        while let Some(objects) = all.get(at).cloned() {
            at += 1;
            self.add_objects(&objects);
            for other in self.borrowed(&objects) {
                if !all.contains(&other) {
                    all.push(other);
                }
            }
            if all.len() > MOST_OTHERS {
                return self.found.unheld = true;
            }
        }
    }

    /// A folder of objects, with those in it that are symlinks.
    fn add_objects(&mut self, objects: &str) {
        self.add_place(objects);
        self.add_links_below(objects);
    }

    /// What symlinks below a folder lead to.
    fn add_links_below(&mut self, top: &str) {
        let mut left = NameBudget::new(MOST_OBJECTS);
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            let DirListing::Names(names) = left.list(&folder, self.look.files) else {
                return self.found.unheld = true;
            };
            for entry in names {
                let path = format!("{folder}/{}", entry.name);
                if entry.is_link {
                    self.add_place(&path);
                } else if entry.is_dir {
                    folders.push(path);
                }
            }
        }
    }

    /// The folders of objects that this one borrows from. What names them must stay as well.
    fn borrowed(&mut self, objects: &str) -> Vec<String> {
        let names = format!("{objects}/info/alternates");
        self.add_place(&names);
        let text = self.look.files.text(&names, named::LONGEST);
        let others = text.as_deref().and_then(alternates);
        // It is there, with unknown content.
        self.found.unheld |= others.is_none() && self.is_there(&names);
        let (_, real) = self.located(objects);
        let absolute = |other: String| {
            if other.starts_with('/') { other } else { format!("{real}/{other}") }
        };
        // git takes `..` out of the text, and follows symlinks in what is left.
        let others = others.unwrap_or_default().into_iter().map(absolute);
        others.map(|other| self.located(&other).0).collect()
    }

    /// Where it is, and where symlinks say that it is.
    fn add_place(&mut self, path: &str) {
        self.add_way(path);
        let (path, real) = self.located(path);
        for place in [path, real] {
            let is_known = self.found.stores.iter().any(|store| is_below(&place, store));
            if !is_known && self.is_inside(&place) && self.is_there(&place) {
                self.found.stores.push(place);
            }
        }
    }

    /// The symlinks on the way to what keeps what was committed, or names its place.
    pub(super) fn add_way(&mut self, path: &str) {
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        match links_on(path, &from, self.look.files) {
            Ok(links) => self.links.extend(links),
            Err(_) => self.found.unheld = true,
        }
    }

    /// Whether a command may put something else in the place of a symlink on the way to what is kept. What lies in a repository, or
    /// in a store, is held with that.
    pub(super) fn may_be_led_elsewhere(&self) -> bool {
        self.links.iter().any(|link| {
            is_in_one_of(link, &self.places)
                && !is_in_one_of(link, &self.found.repositories)
                && !is_in_one_of(link, &self.found.stores)
        })
    }
}

/// What `info/alternates` names, as git reads it: one a line, but for comments; in quotes as C has them. What stands in broken
/// quotes is a name as it is. `None` where a name is no text.
fn alternates(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let line = rest.split('\n').next().unwrap_or(rest);
        let unquoted = rest.strip_prefix('"').and_then(unquoted);
        let (name, read) = match unquoted {
            Some((bytes, read)) => (String::from_utf8(bytes).ok()?, read + 1),
            None if line.starts_with('#') => (String::new(), line.len()),
            None => (line.to_owned(), line.len()),
        };
        if name.contains('\0') {
            return None;
        }
        if !name.is_empty() {
            names.push(name);
        }
        // Any character behind it is passed over, not a line end alone.
        let mut behind = rest.get(read..)?.chars();
        behind.next();
        rest = behind.as_str();
    }
    Some(names)
}

/// What stands before the quote that ends this, and how long that is with the quote. `None` where git does not read it so.
fn unquoted(text: &str) -> Option<(Vec<u8>, usize)> {
    let mut bytes = text.bytes().enumerate();
    let mut value = Vec::new();
    while let Some((at, byte)) = bytes.next() {
        value.push(match byte {
            b'"' => return Some((value, at + 1)),
            b'\\' => match bytes.next()?.1 {
                b'a' => 7,
                b'b' => 8,
                b'f' => 12,
                b'n' => b'\n',
                b'r' => b'\r',
                b't' => b'\t',
                b'v' => 11,
                byte @ (b'\\' | b'"') => byte,
                first @ b'0'..=b'3' => {
                    let mut digit = || {
                        bytes
                            .next()
                            .map(|(_, byte)| byte)
                            .filter(|byte| (b'0'..=b'7').contains(byte))
                    };
                    let (second, third) = (digit()?, digit()?);
                    (first - b'0') << 6 | (second - b'0') << 3 | (third - b'0')
                }
                _ => return None,
            },
            byte => byte,
        });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::alternates;

    #[test]
    fn alternates_are_what_git_reads() {
        for (text, expected) in [
            ("", &[][..]),
            ("# a\n\n/b c\n../d", &["/b c", "../d"]),
            ("/a\r\n", &["/a\r"]),
            (" /a \n", &[" /a "]),
            ("\"../../p q/o\\\"o\"\n/b\n", &["../../p q/o\"o", "/b"]),
            ("\"po\\303\\266l\"", &["po\u{f6}l"]),
            ("\"\\a\\b\\f\\n\\r\\t\\v\\\\\"", &["\u{7}\u{8}\u{c}\n\r\t\u{b}\\"]),
            ("\"a\nb\"\nc", &["a\nb", "c"]),
            ("\"a\" b\nc", &["a", "b", "c"]),
            ("\"a\n/b", &["\"a", "/b"]),
            ("\"\\x\"\n/b", &["\"\\x\"", "/b"]),
            ("\"\\400\"", &["\"\\400\""]),
            ("\"\\08\"", &["\"\\08\""]),
            ("\"\"\n#x", &[]),
        ] {
            let expected = expected.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(alternates(text), Some(expected), "{text}");
        }
        for text in ["\"\\377\"", "a\0b", "\"\\000\""] {
            assert_eq!(alternates(text), None, "{text:?}");
        }
    }
}
