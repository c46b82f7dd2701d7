//! What a search passes over of all that is below a directory, as far as its options prove it.

use std::iter::successors;

use crate::path::{FileLookup, is_garbled, plain_text};
use crate::policy::action::literal;
use crate::policy::compile::wild;
use crate::policy::git::values_of;
use crate::shell::{OpenedFiles, Word, WordPiece, base_name, opens, settings_of, written_out};

/// What a search passes over. By default nothing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct SearchSieve {
    /// Of files it reads those alone whose name is of one of these forms; empty: all.
    only: Vec<String>,
    /// Of those it reads the ones of these forms where no settings say so; empty: all.
    first: Vec<String>,
    /// It reads any file, too, whose first line names an interpreter in which one of these stands.
    scripts: &'static [&'static str],
    /// It does not read files whose name is of one of these forms.
    not: Vec<String>,
    /// It does not go into directories whose name is of one of these forms.
    not_into: Vec<String>,
    /// It passes over names that begin with a dot, unless a file of patterns there takes them in again.
    visible: bool,
    /// It passes over what git ignores, which folders of products are.
    pub(super) products: bool,
    /// The home of the user, whose files of patterns count everywhere.
    home: Option<String>,
}

/// The file of patterns that git and ripgrep read for each project, below the home, and git's settings, which may name others.
const IGNORE_OF_USER: &str = ".config/git/ignore";
const SETTINGS_OF_USER: &[&str] = &[".gitconfig", ".config/git/config"];

/// The most of such a file that is read, in bytes.
const MOST_TEXT: usize = 1 << 16;

/// How far the line reaches that names the interpreter of a script, in bytes.
const MOST_LINE: usize = 512;

/// Options of grep that take no value.
const GREP_LETTERS: &str = "rRnilLwHhcovsEFGPaIzqx";

/// Options of ripgrep that do not change which files it reads.
const RIPGREP_LETTERS: &str = "FHINPSUVaclhinopqsvwxb0.u";
const RIPGREP_FLAGS: &[&str] = &[
    "--line-number",
    "--no-line-number",
    "--ignore-case",
    "--smart-case",
    "--case-sensitive",
    "--fixed-strings",
    "--word-regexp",
    "--line-regexp",
    "--invert-match",
    "--only-matching",
    "--count",
    "--count-matches",
    "--files-with-matches",
    "--files-without-match",
    "--files",
    "--heading",
    "--no-heading",
    "--with-filename",
    "--no-filename",
    "--column",
    "--json",
    "--vimgrep",
    "--stats",
    "--multiline",
    "--multiline-dotall",
    "--pcre2",
    "--quiet",
    "--trim",
    "--no-messages",
    "--no-config",
    "--pretty",
    "--null",
    "--text",
    "--passthru",
];
/// Those that take a value.
const RIPGREP_VALUES: &[&str] = &[
    "-e",
    "-A",
    "-B",
    "-C",
    "-m",
    "-M",
    "-r",
    "-j",
    "-d",
    "--regexp",
    "--after-context",
    "--before-context",
    "--context",
    "--max-count",
    "--max-columns",
    "--max-depth",
    "--maxdepth",
    "--replace",
    "--threads",
    "--color",
    "--colors",
    "--sort",
    "--sortr",
];

/// Kinds of files, as all its versions have them.
const RIPGREP_TYPES: &[(&[&str], &[&str])] = &[
    (&["py", "python"], &["*.py", "*.pyi"]),
    (&["rust"], &["*.rs"]),
    (&["go"], &["*.go"]),
    (&["ts", "typescript"], &["*.ts", "*.tsx", "*.cts", "*.mts"]),
    (&["js", "javascript"], &["*.js", "*.jsx", "*.vue", "*.cjs", "*.mjs"]),
    (&["css"], &["*.css", "*.scss"]),
    (&["kotlin"], &["*.kt", "*.kts"]),
    (&["swift"], &["*.swift"]),
    (&["lua"], &["*.lua"]),
];

impl SearchSieve {
    /// The same for a user whose home this is.
    pub(super) fn with_home(self, home: Option<&str>) -> Self {
        Self { home: home.map(str::to_owned), ..self }
    }

    /// Who passes over products, and over nothing else.
    pub(super) fn of_products() -> Self {
        Self { products: true, ..Self::default() }
    }

    /// Of this command.
    pub(super) fn of(argv: &[Word]) -> Self {
        let name = argv.first().and_then(Word::literal).unwrap_or_default();
        let read = match base_name(name) {
            "grep" | "egrep" | "fgrep" | "ggrep" => Self::of_grep,
            "rg" => Self::of_ripgrep,
            _ => {
                let OpenedFiles { names, first, scripts, .. } = opens(argv);
                let all = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
                // What knows its kinds of files is a checker: what tools make it leaves out, as git does.
                return Self {
                    products: !names.is_empty(),
                    only: all(names),
                    first: all(first),
                    scripts,
                    ..Self::default()
                };
            }
        };
        let words: Option<Vec<String>> = argv.iter().skip(1).map(written).collect();
        words.and_then(|words| read(&words)).unwrap_or_default()
    }

    /// Of a command that a search runs on what it finds, which all ends so: this word stands for it.
    pub(super) fn of_found(word: &Word) -> Option<Self> {
        let [WordPiece::Text(_), WordPiece::Unknown { .. }, WordPiece::Text(ending)] =
            word.pieces.as_slice()
        else {
            return None;
        };
        let is_ending = ending.starts_with('.') && is_glob(ending) && is_plain(ending);
        is_ending.then(|| Self { only: vec![format!("*{ending}")], ..Self::default() })
    }

    /// Of a tool that searches, and of the files alone whose name is of this form: it passes over hidden names. Those that the
    /// form names are actions of their own.
    pub(super) fn of_tool(glob: Option<&str>) -> Self {
        let name = glob.filter(|glob| !glob.starts_with('!'));
        let name = name.map(|glob| match glob.rsplit_once('/') {
            // `{a/b,c}`
            Some((dirs, _)) if dirs.matches('{').count() > dirs.matches('}').count() => "**",
            Some((_, name)) => name,
            None => glob,
        });
        let only = name.filter(|name| !matches!(*name, "" | "**")).map(str::to_owned);
        // A folder that it names is gone into, hidden or not: `.git/*`, `{.git,a}/*`, `[.]git/*`.
        let named = glob.and_then(|glob| glob.rsplit_once('/')).map(|(folders, _)| folders);
        let hidden = named.is_some_and(|folders| {
            folders
                .split(['/', ',', '{', '}'])
                .any(|name| name.starts_with(['.', '[', '\\', '?', '@', '+', '!', '(']))
        });
        Self {
            only: only.into_iter().collect(),
            visible: !hidden,
            products: true,
            ..Self::default()
        }
    }

    /// `--include`, `--exclude` and `--exclude-dir`. `None` where a word may be such an option in a way that is not read here:
    /// one more of them can take in what the others pass over.
    fn of_grep(words: &[String]) -> Option<Self> {
        let mut sieve = Self::default();
        // The word may be the value of the one before it: then it is no option.
        let mut is_value = false;
        for word in words {
            if word == "--" {
                if is_value {
                    return None;
                }
                break;
            }
            match word.split_once('=').filter(|_| !is_value) {
                Some(("--include", glob)) if is_glob(glob) => sieve.only.push(glob.to_owned()),
                Some(("--exclude", glob)) if is_glob(glob) => sieve.not.push(glob.to_owned()),
                Some(("--exclude-dir", glob)) if is_glob(glob) => {
                    sieve.not_into.push(glob.to_owned());
                }
                // Cut short, with its value in the next word, from a file, or a value itself.
                _ if word.starts_with("--inc") || word.starts_with("--exc") => return None,
                _ => {}
            }
            is_value = match word.strip_prefix('-') {
                Some(rest) if rest.starts_with('-') => !rest.contains('='),
                Some(letters) => !letters.chars().all(|letter| GREP_LETTERS.contains(letter)),
                None => false,
            };
        }
        // Of both the last that fits decides, and where none fits the first of all.
        if !sieve.only.is_empty() && !sieve.not.is_empty() {
            sieve.only.clear();
            sieve.not.clear();
        }
        Some(sieve)
    }

    /// `None` where an option may change what is read in another way than is known here.
    fn of_ripgrep(words: &[String]) -> Option<Self> {
        let mut sieve = Self { visible: true, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                break;
            }
            if !word.starts_with('-') || word == "-" {
                continue;
            }
            let (name, value) = match word.split_once('=') {
                Some((name, value)) if word.starts_with("--") => (name, Some(value.to_owned())),
                _ => (word.as_str(), None),
            };
            if matches!(name, "-g" | "--glob") {
                let glob = value.or_else(|| words.next().cloned())?;
                match glob.strip_prefix('!') {
                    // What is taken out is one thing less.
                    Some(_) => {}
                    None if is_glob(&glob) => sieve.only.push(glob),
                    None => return None,
                }
            } else if let Some(kinds) = type_of(name) {
                let kinds =
                    kinds.or(value.as_deref()).or_else(|| words.next().map(String::as_str))?;
                let (_, globs) = RIPGREP_TYPES.iter().find(|(names, _)| names.contains(&kinds))?;
                sieve.only.extend(globs.iter().map(|glob| (*glob).to_owned()));
            } else if RIPGREP_VALUES.contains(&name) {
                if value.is_none() {
                    words.next()?;
                }
            } else if matches!(name, "--hidden" | "--unrestricted")
                || name.starts_with("--no-ignore")
            {
                sieve.visible = false;
            } else if !RIPGREP_FLAGS.contains(&word.as_str()) {
                let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
                let digits = letters.trim_end_matches(|char: char| char.is_ascii_digit());
                let context =
                    digits.strip_suffix(['A', 'B', 'C', 'm']).filter(|_| digits != letters);
                if !context
                    .unwrap_or(letters)
                    .chars()
                    .all(|letter| RIPGREP_LETTERS.contains(letter))
                {
                    return None;
                }
                sieve.visible &= !letters.contains(['.', 'u']);
            }
        }
        if !sieve.only.is_empty() {
            // What a pattern names is read, hidden or not.
            sieve.visible = false;
        }
        Some(sieve)
    }

    /// The paths of all that it may read below this directory, as far as names tell; `None`: any.
    pub(super) fn forms(&self, root: &str) -> Option<Vec<Vec<WordPiece>>> {
        let of = |form: &String| {
            let end = form.trim_start_matches('*');
            let known = is_plain(form) && !end.contains('*');
            let below = WordPiece::Text(format!("{root}/"));
            known.then(|| {
                let any = WordPiece::Unknown { splits: false };
                vec![below, any, WordPiece::Text(end.to_owned())]
            })
        };
        // Of scripts no name tells.
        let is_any = self.only.is_empty() || !self.scripts.is_empty();
        if is_any { None } else { self.only.iter().map(of).collect() }
    }

    /// Whether it does not read a file of this name unless its settings say so.
    pub(super) fn needs_settings(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        !self.first.is_empty() && !self.first.iter().any(|glob| may_be(glob, name))
    }

    /// Whether it is a script that it reads by its first line.
    fn is_script(&self, path: &str, files: &dyn FileLookup) -> bool {
        let begins = || files.beginning(path, MOST_LINE);
        !self.scripts.is_empty()
            && begins().is_some_and(|bytes| {
                let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
                let line = String::from_utf8_lossy(line);
                line.starts_with("#!") && self.scripts.iter().any(|name| line.contains(name))
            })
    }

    /// Whether it surely does not read this file, whose name below the directory begins at `from`.
    pub(super) fn passes_over(&self, path: &str, from: usize, files: &dyn FileLookup) -> bool {
        let below = path.get(from..).unwrap_or_default();
        let (dirs, name) = below.rsplit_once('/').unwrap_or(("", below));
        let hidden = || {
            self.visible
                && below.split('/').any(|name| name.starts_with('.'))
                && !is_taken_in(path, self.home.as_deref(), files)
        };
        if is_garbled(name) {
            // Whether a form of names matches it is never sure.
            return hidden();
        }
        let is_one = self.only.is_empty() || self.only.iter().any(|glob| may_be(glob, name));
        if !is_one && !self.is_script(path, files) {
            return true;
        }
        self.not.iter().any(|glob| is(glob, name))
            // The directory that it begins in is no part of that.
            || (dirs.split('/').filter(|dir| !dir.is_empty()))
                .any(|dir| self.not_into.iter().any(|glob| is(glob, dir)))
            || hidden()
    }
}

/// Whether this command may open a file below a folder.
pub(crate) fn opened(argv: &[Word], path: &str, files: &dyn FileLookup) -> bool {
    !SearchSieve::of(argv).passes_over(path, 0, files)
}

/// Whether a file of patterns beside it, or above, or one of the user takes one of its names in again.
fn is_taken_in(path: &str, home: Option<&str>, files: &dyn FileLookup) -> bool {
    let names: Vec<&str> = path.split('/').collect();
    let takes_in = |file: &str| {
        files.has(file).unwrap_or(true)
            && plain_text(files, file, MOST_TEXT).is_none_or(|text| {
                text.lines().any(|line| names.iter().any(|name| takes_in_again(line, name)))
            })
    };
    let above = successors(path.rsplit_once('/'), |(dir, _)| dir.rsplit_once('/'));
    let ignores = settings_of(&[literal("rg")]).map_or(&[][..], |read| &read.below);
    above.map(|(dir, _)| dir).any(|dir| ignores.iter().any(|it| takes_in(&format!("{dir}/{it}"))))
        || home.is_some_and(|home| match ignores_of_user(home, files) {
            Some(ignores) => ignores.iter().any(|file| takes_in(file)),
            None => true,
        })
}

/// The files of patterns that count in each project of the user; `None`: it is not known which these are.
fn ignores_of_user(home: &str, files: &dyn FileLookup) -> Option<Vec<String>> {
    let mut ignores = vec![format!("{home}/{IGNORE_OF_USER}")];
    for name in SETTINGS_OF_USER {
        let file = format!("{home}/{name}");
        if !files.has(&file).ok()? {
            continue;
        }
        for value in values_of(&plain_text(files, &file, MOST_TEXT)?, "excludesfile") {
            let value = value?;
            ignores.push(match value.strip_prefix("~/") {
                Some(below) => format!("{home}/{below}"),
                None if value.is_empty() => continue,
                None => Some(value).filter(|value| value.starts_with('/'))?,
            });
        }
    }
    Some(ignores)
}

/// Whether a line of a file of patterns may take in again what is called so.
pub(crate) fn takes_in_again(line: &str, name: &str) -> bool {
    line.trim_end().strip_prefix('!').is_some_and(|glob| {
        let glob = glob.trim_end_matches('/').rsplit('/').next().unwrap_or(glob);
        may_be(glob, name)
    })
}

/// The word as it is written, where nothing but a glob is open in it: that can only become names of its form. A glob at its
/// beginning can become an option, by the name of a file.
fn written(word: &Word) -> Option<String> {
    let mut text = String::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Glob(_) if text.is_empty() => return None,
            WordPiece::Text(part) | WordPiece::Glob(part) => text.push_str(part),
            WordPiece::Home if text.is_empty() => text.push('~'),
            WordPiece::Home | WordPiece::Unknown { .. } => return None,
        }
    }
    Some(text)
}

/// Whether a name may be of this form; where the form is not plain, or has more braces than anybody writes, it may.
fn may_be(glob: &str, name: &str) -> bool {
    let texts = written_out(glob);
    texts.is_none_or(|texts| texts.iter().any(|glob| !is_plain(glob) || wild(glob, name)))
}

/// Whether a glob is one to grep and to ripgrep, and the same to both: ripgrep takes one that begins with `#` for none, and blanks
/// at its end, and so do others with what is empty.
fn is_glob(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.*?/{},[]+@".contains(&byte);
    !text.is_empty() && text.bytes().all(plain)
}

/// Whether this option of ripgrep chooses kinds of files: where, the kind that is attached to it.
fn type_of(name: &str) -> Option<Option<&str>> {
    match name.strip_prefix("-t") {
        Some(kind) => Some(Some(kind).filter(|kind| !kind.is_empty())),
        None => (name == "--type").then_some(None),
    }
}

/// Whether it surely is.
fn is(glob: &str, name: &str) -> bool {
    is_plain(glob) && wild(glob, name)
}

fn is_plain(glob: &str) -> bool {
    !glob.contains(['?', '[', ']', '{', '}', '\\', '/', '!'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{FactKind, Shell, analyze};

    struct SieveTexts(&'static [(&'static str, &'static str)]);

    impl FileLookup for SieveTexts {
        fn read_link(
            &self, _path: &str,
        ) -> Result<Option<std::path::PathBuf>, crate::path::PathError> {
            Ok(None)
        }

        fn is_case_sensitive(&self, _path: &str) -> bool {
            true
        }

        fn has(&self, path: &str) -> Result<bool, crate::path::PathError> {
            Ok(self.0.iter().any(|(known, _)| *known == path))
        }

        fn text(&self, path: &str, _most: usize) -> Option<String> {
            self.0.iter().find(|(known, _)| *known == path).map(|(_, text)| (*text).to_owned())
        }
    }

    fn passes_over(line: &str, path: &str, files: &dyn FileLookup) -> bool {
        let facts = analyze(line, Shell::Bash).facts;
        let argv = facts.into_iter().find_map(|fact| match fact.what {
            FactKind::Command(command) => Some(command.argv),
            _ => None,
        });
        SearchSieve::of(&argv.unwrap()).passes_over(path, "/p/".len(), files)
    }

    #[test]
    fn nothing_is_passed_over_but_what_options_prove() {
        for (line, path, expected) in [
            ("grep -r x .", "/p/.env", false),
            ("grep -rn --include='*.ts' x .", "/p/.env", true),
            ("grep -rn --include=*.ts x .", "/p/.env", true),
            ("grep -rn --include=*.ts x .", "/p/a.ts", false),
            ("grep -rn --include='*' x .", "/p/.env", false),
            ("grep -rn --include='?env' x .", "/p/.env", false),
            ("grep -rn --include='*.ts' --include='.e*' x .", "/p/.env", false),
            ("grep -rn --include='*.{ts,tsx}' x .", "/p/.env", true),
            ("grep -rn --exclude=.env x .", "/p/.env", true),
            ("grep -rn --exclude=.env x .", "/p/.envrc", false),
            ("grep -rn --exclude=x --include='*.ts' x .", "/p/.env", false),
            ("grep -rn --exclude-dir=keys x .", "/p/a/keys/.env", true),
            ("grep -rn --exclude-dir=keys x .", "/p/a/.env", false),
            ("grep -r -e --include=*.ts .", "/p/.env", false),
            ("grep -r $x --include=*.ts .", "/p/.env", false),
            ("grep -r x -- --include=*.ts .", "/p/.env", false),
            ("grep -r --exclude=.env -e -- --include=.env .", "/p/.env", false),
            ("grep -r --exclude=.env --include .env x .", "/p/.env", false),
            ("grep -r --exclude=.env --inc=.env x .", "/p/.env", false),
            ("grep -r --exclude=.env -T --include=.env x .", "/p/.env", false),
            ("grep -r --include=*.ts --include .env x .", "/p/.env", false),
            ("grep -r --include=*.ts --inclu=.env x .", "/p/.env", false),
            ("grep -r --exclude-from=f --include=*.ts x .", "/p/.env", false),
            ("grep -r --exclude=.env $x .", "/p/.env", false),
            ("grep -r --include=*.ts \"$x\" .", "/p/.env", false),
            ("grep -r --include=*.ts x *", "/p/.env", false),
            ("grep -r --include=*.ts x src/*", "/p/.env", true),
            ("grep -r --include=*.ts x ~/p", "/p/.env", true),
            ("rg x", "/p/.env", true),
            ("rg x", "/p/env", false),
            ("rg -n -C3 -e x src", "/p/.aws/key", true),
            ("rg --hidden x", "/p/.env", false),
            ("rg -. x", "/p/.env", false),
            ("rg -u x", "/p/.env", false),
            ("rg -nuu x", "/p/.env", false),
            ("rg -t ts x", "/p/.env", true),
            ("rg -t ts x", "/p/a.ts", false),
            ("rg -t sh x", "/p/.env", false),
            ("rg $x", "/p/.env", false),
            ("rg \"$x\"", "/p/.env", false),
            ("rg x *", "/p/.env", false),
            ("rg x src/*", "/p/.env", true),
            ("rg -g '*.ts' x", "/p/.env", true),
            ("rg -g '*.ts' x", "/p/a.ts", false),
            ("rg -g '*env' x", "/p/.env", false),
            ("rg -g '!*.ts' x", "/p/.env", true),
            ("rg --glob='*.ts' x", "/p/.env", true),
            ("rg -g'*' x", "/p/.env", false),
            ("rg --ignore-file=f x", "/p/.env", false),
            ("rg --no-such-option x", "/p/.env", false),
            ("rg -r --hidden x", "/p/.env", true),
            ("ag x", "/p/.env", false),
            ("cat -r x", "/p/.env", false),
        ] {
            assert_eq!(passes_over(line, path, &SieveTexts(&[])), expected, "{line} {path}");
        }
    }

    #[test]
    fn where_the_disk_answers_with_an_error_a_file_of_patterns_may_take_hidden_files_in_again() {
        struct Troubled;
        impl FileLookup for Troubled {
            fn read_link(
                &self, _path: &str,
            ) -> Result<Option<std::path::PathBuf>, crate::path::PathError> {
                Ok(None)
            }

            fn is_case_sensitive(&self, _path: &str) -> bool {
                true
            }

            fn has(&self, path: &str) -> Result<bool, crate::path::PathError> {
                Err(crate::path::PathError::Unreadable(path.to_owned()))
            }
        }
        assert!(passes_over("rg x", "/p/.env", &SieveTexts(&[])));
        assert!(!passes_over("rg x", "/p/.env", &Troubled));
    }

    #[test]
    fn a_file_of_patterns_takes_hidden_files_in_again() {
        for (files, expected) in [
            (&[("/p/.gitignore", "node_modules\n!.env.example\n")][..], true),
            (&[("/p/.ignore", "!.env\n")], false),
            (&[("/p/.gitignore", "a\n!.e*  \n")], false),
            (&[("/p/.rgignore", "!/.env")], false),
            (&[("/.ignore", "!.*")], false),
            (&[("/p/.git/info/exclude", "!.env")], false),
            (&[("/p/.ignore", "![.]env")], false),
            (&[("/p/a/.ignore", "!.env")], true),
        ] {
            assert_eq!(passes_over("rg x", "/p/.env", &SieveTexts(files)), expected, "{files:?}");
        }
    }
}
