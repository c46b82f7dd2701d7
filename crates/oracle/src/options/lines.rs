//! Command lines of one program: each option in each shape, and random pairs.

use std::collections::HashSet;

use super::targets::ProgramTarget;
use super::world::{HOME, OUTSIDE, TEMP};

/// The words that are tried as values.
fn values() -> Vec<String> {
    let mut values: Vec<String> = [
        "a.txt",
        "secret",
        "d",
        "x",
        "3",
        "word",
        "w",
        "new",
        "d/new",
        "../outside/secret",
        "../outside/dir",
        "../outside/new",
        "link",
        "linkdir",
        "within",
        "-x",
        "-o",
        "--output=../outside/new",
        "0",
        "1",
        ".",
        "..",
        "-",
        "list",
        "@secret",
        "a=b",
        "always",
        "never",
        "all",
        "none",
        "auto",
        "full",
        "a.json",
        "a.tar",
        "HEAD",
        "/etc/hostname",
        "+x",
        "1,3",
        "alpha",
        "%s",
        "key=../outside/secret",
        "file:../outside/secret",
        "|id",
        "!id",
        "$(id)",
        ":",
        "",
    ]
    .into_iter()
    .map(str::to_owned)
    .collect();
    values.push(format!("{OUTSIDE}/secret"));
    values.push(format!("{OUTSIDE}/new"));
    values.push(format!("{HOME}/.ssh/id_rsa"));
    values.push(format!("{TEMP}/new"));
    values.push("http://127.0.0.1:1/x".to_owned());
    values
}

/// Operands of programs for which files alone would not test much.
const OPERANDS: &[(&[&str], &[&[&str]])] = &[
    (
        &[
            "grep", "egrep", "fgrep", "rg", "ag", "ack", "zgrep", "zegrep", "zfgrep", "bzgrep",
            "xzgrep", "look", "ugrep",
        ],
        &[&["alpha", "a.txt"], &["alpha", "d"], &["alpha"], &["alpha", "."], &["-r", "alpha", "."]],
    ),
    (
        &["sed"],
        &[
            &["p", "a.txt"],
            &["s/a/b/", "a.txt"],
            &["-n", "1p", "a.txt"],
            &["w new", "a.txt"],
            &["r secret", "a.txt"],
            &["e", "a.txt"],
        ],
    ),
    (
        &["awk", "gawk", "mawk", "nawk", "original-awk"],
        &[
            &["{print}", "a.txt"],
            &["BEGIN{print 1}"],
            &["{print > \"new\"}", "a.txt"],
            &["{getline < \"secret\"; print}", "a.txt"],
            &["{print $1}"],
        ],
    ),
    (
        &["jq", "yq"],
        &[&[".", "a.json"], &[".a"], &["input", "a.json"], &["-n", "env"], &["$a", "a.json"]],
    ),
    (&["tr"], &[&["a", "b"], &["-d", "a"]]),
    (
        &["tar"],
        &[
            &["tf", "a.tar"],
            &["-tf", "a.tar"],
            &["xf", "a.tar"],
            &["cf", "new", "a.txt"],
            &["-xf", "a.tgz"],
            &["-cf", "new", "d"],
            &["-tvf", "a.tgz"],
        ],
    ),
    (
        &["unzip", "zipinfo"],
        &[&["a.zip"], &["-l", "a.zip"], &["-p", "a.zip"], &["a.zip", "a.txt"], &["-o", "a.zip"]],
    ),
    (&["zip"], &[&["new.zip", "a.txt"], &["a.zip", "b.txt"], &["-r", "new.zip", "d"]]),
    (
        &["gzip", "gunzip", "zcat", "pigz", "unpigz"],
        &[
            &["a.csv.gz"],
            &["-c", "a.txt"],
            &["a.txt"],
            &["-l", "a.csv.gz"],
            &["-dc", "a.csv.gz"],
            &["-r", "d"],
        ],
    ),
    (
        &["bzip2", "bunzip2", "bzcat"],
        &[&["a.csv.bz2"], &["-c", "a.txt"], &["a.txt"], &["-t", "a.csv.bz2"]],
    ),
    (
        &["xz", "unxz", "xzcat", "lzma", "unlzma"],
        &[&["a.csv.xz"], &["-c", "a.txt"], &["a.txt"], &["-l", "a.csv.xz"]],
    ),
    (
        &["zstd", "unzstd", "zstdcat"],
        &[&["a.csv.zst"], &["-c", "a.txt"], &["a.txt"], &["-l", "a.csv.zst"]],
    ),
    (
        &["cp", "mv", "ln", "install", "rsync", "link"],
        &[
            &["a.txt", "new"],
            &["a.txt", "d"],
            &["-r", "d", "new"],
            &["a.txt", "b.txt", "d"],
            &["link", "new"],
        ],
    ),
    (&["chmod"], &[&["600", "a.txt"], &["-R", "u+w", "d"]]),
    (&["chown", "chgrp"], &[&["0", "a.txt"], &["-R", "0", "d"]]),
    (&["dd"], &[&["if=a.txt"], &["if=a.txt", "of=new"], &["of=new"]]),
    (
        &["find"],
        &[&["."], &["d", "-name", "*.txt"], &[".", "-type", "f"], &[".", " -maxdepth", "1"]],
    ),
    (
        &["diff", "cmp", "comm", "sdiff", "colordiff", "wdiff", "join", "paste"],
        &[&["a.txt", "b.txt"], &["d", "d2"], &["a.txt", "-"]],
    ),
    (&["diff3"], &[&["a.txt", "b.txt", "x"]]),
    (&["patch"], &[&["a.txt", "a.diff"], &["-i", "a.diff"], &["-p1", "-i", "a.diff"]]),
    (
        &["sqlite3"],
        &[
            &["a.db", "select 1"],
            &["a.db", ".tables"],
            &["-readonly", "a.db", "select * from t"],
            &["a.db"],
        ],
    ),
    (&["xxd"], &[&["a.txt"], &["-r", "a.hex"], &["-p", "a.txt"]]),
    (&["date"], &[&["+%s"], &["-u"]]),
    (
        &["printf", "echo", "expr", "seq", "factor", "test", "["],
        &[&["1", "2"], &["%s", "a"], &["1"]],
    ),
    (&["split", "csplit"], &[&["a.txt", "new"], &["a.txt", "2"]]),
    (&["openssl"], &[&["version"], &["dgst", "a.txt"]]),
    (&["kill", "pkill", "killall", "pgrep"], &[&["999999"], &["-0", "999999"], &["nobody-here"]]),
    (&["bc", "dc"], &[&["a.txt"], &[]]),
    (&["iconv"], &[&["-f", "utf8", "-t", "latin1", "a.txt"]]),
    (&["gcc", "cc", "clang", "g++", "c++", "cpp"], &[&["-c", "a.c"], &["-E", "a.c"], &["a.c"]]),
    (&["xmllint"], &[&["a.xml"], &["--noout", "a.xml"]]),
    (
        &["ar", "nm", "size", "objdump", "readelf", "strings", "ldd"],
        &[&["a.o"], &["a.a"], &["t", "a.a"]],
    ),
    (&["make", "gmake"], &[&["all"], &["-n"]]),
    (&["man", "apropos", "whatis", "which", "whereis", "type"], &[&["ls"], &["./a.1"]]),
    (
        &[
            "git log",
            "git show",
            "git shortlog",
            "git whatchanged",
            "git rev-list",
            "git diff-tree",
        ],
        &[&["HEAD"], &["-1"], &["main", "--", "a.txt"], &["HEAD~1..HEAD"], &["-p", "-1"], &[]],
    ),
    (
        &["git diff", "git diff-index", "git diff-files"],
        &[
            &[],
            &["HEAD"],
            &["HEAD", "--", "a.txt"],
            &["--no-index", "a.txt", "b.txt"],
            &["--no-index", "d", "d2"],
            &["--cached"],
            &["main", "side"],
        ],
    ),
    (&["git blame", "git annotate"], &[&["a.txt"], &["HEAD", "--", "b.txt"]]),
    (
        &["git grep"],
        &[
            &["alpha"],
            &["alpha", "--", "d"],
            &["--no-index", "alpha"],
            &["alpha", "HEAD"],
            &["--untracked", "alpha"],
        ],
    ),
    (&["git cat-file"], &[&["-p", "HEAD"], &["-t", "HEAD:a.txt"], &["blob", "HEAD:a.txt"]]),
    (
        &[
            "git add",
            "git stage",
            "git rm",
            "git restore",
            "git checkout-index",
            "git update-index",
            "git hash-object",
            "git check-ignore",
            "git ls-files",
        ],
        &[&["a.txt"], &["secret"], &["d"], &[], &["."]],
    ),
    (
        &["git commit"],
        &[&["-m", "word"], &["--amend", "--no-edit"], &["-am", "word"], &["--dry-run"]],
    ),
    (
        &[
            "git checkout",
            "git switch",
            "git merge",
            "git rebase",
            "git cherry-pick",
            "git branch",
            "git reset",
            "git revert",
        ],
        &[&["side"], &["HEAD"], &[], &["new"], &["-"], &["a.txt"]],
    ),
    (&["git tag"], &[&[], &["new"], &["-l"], &["new", "HEAD~1"]]),
    (
        &["git remote"],
        &[&[], &["-v"], &["show", "-n", "origin"], &["get-url", "origin"], &["show", "origin"]],
    ),
    (
        &["git config"],
        &[&["--get", "user.name"], &["-l"], &["user.name"], &["get", "user.name"], &["list"]],
    ),
    (&["git stash"], &[&["list"], &["show"], &["push"], &["pop"], &[]]),
    (&["git apply", "git am"], &[&["a.diff"], &["--stat", "a.diff"], &["--check", "a.diff"]]),
    (
        &["git fetch", "git pull", "git push", "git ls-remote"],
        &[&["origin"], &["origin", "main"], &[], &["."]],
    ),
    (&["git archive"], &[&["HEAD"], &["HEAD", "d"]]),
    (
        &["git worktree", "git submodule", "git notes", "git reflog", "git bisect", "git bundle"],
        &[&["list"], &["status"], &["show"], &["log"], &[]],
    ),
];

/// Operands for any program.
const ANY: &[&[&str]] = &[&["a.txt"], &["d"], &["a.txt", "b.txt"], &[], &["new"], &["link"]];

/// The letters that every program is tried with.
pub fn letters() -> impl Iterator<Item = String> {
    ('a'..='z').chain('A'..='Z').chain('0'..='9').map(|letter| format!("-{letter}"))
}

/// The lines of a target, each once, in an order that depends on the seed alone.
pub fn lines(target: &ProgramTarget, options: &[String], seed: u64) -> Vec<Vec<String>> {
    let mut maker = LineGenerator {
        rng: fastrand::Rng::with_seed(seed ^ hash(&target.name())),
        target,
        values: values(),
        operands: operands(target),
        taking: taking(target, options),
        lines: Vec::new(),
        seen: HashSet::new(),
    };
    for operands in maker.operands.clone() {
        maker.add(operands);
    }
    for option in options {
        maker.shapes(option);
    }
    let pairs = maker.lines.len() / 3;
    for _ in 0..pairs {
        maker.pair(options);
    }
    let LineGenerator { mut rng, mut lines, .. } = maker;
    rng.shuffle(&mut lines);
    lines
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn operands(target: &ProgramTarget) -> Vec<Vec<String>> {
    let (name, program) = (target.name(), target.words.first().map_or("", String::as_str));
    let own = OPERANDS
        .iter()
        .find(|(names, _)| names.contains(&name.as_str()))
        .or_else(|| {
            let single = target.words.len() == 1;
            OPERANDS.iter().find(|(names, _)| single && names.contains(&program))
        })
        .map_or(&[][..], |(_, operands)| operands);
    // The operands of the program itself occur more often.
    let all = own.iter().chain(own).chain(own).chain(ANY);
    all.map(|words| words.iter().map(|word| (*word).to_owned()).collect()).collect()
}

/// Options that take a value, by the table.
fn taking(target: &ProgramTarget, options: &[String]) -> Vec<String> {
    let taking: Vec<String> = target
        .options
        .iter()
        .filter(|(_, takes)| **takes)
        .map(|(spelling, _)| spelling.clone())
        .collect();
    if taking.is_empty() { options.to_vec() } else { taking }
}

/// The generator of the lines of one program. It keeps each line once.
struct LineGenerator<'a> {
    rng: fastrand::Rng,
    target: &'a ProgramTarget,
    values: Vec<String>,
    operands: Vec<Vec<String>>,
    taking: Vec<String>,
    lines: Vec<Vec<String>>,
    seen: HashSet<Vec<String>>,
}

impl LineGenerator<'_> {
    fn add(&mut self, words: Vec<String>) {
        let mut line = self.target.words.clone();
        line.extend(words);
        if self.seen.insert(line.clone()) {
            self.lines.push(line);
        }
    }

    /// A line, with operands behind it.
    fn with(&mut self, words: &[&str]) {
        let mut line: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        line.extend(self.some_operands());
        self.add(line);
    }

    /// A line as it is.
    fn plain(&mut self, words: &[&str]) {
        self.add(words.iter().map(|word| (*word).to_owned()).collect());
    }

    /// A line with operands before it.
    fn behind(&mut self, words: &[&str]) {
        let mut line = self.some_operands();
        line.extend(words.iter().map(|word| (*word).to_owned()));
        self.add(line);
    }

    fn some_operands(&mut self) -> Vec<String> {
        let index = self.rng.usize(..self.operands.len());
        self.operands.get(index).cloned().unwrap_or_default()
    }

    fn value(&mut self) -> String {
        let index = self.rng.usize(..self.values.len());
        self.values.get(index).cloned().unwrap_or_default()
    }

    fn one(&mut self, of: &[String]) -> String {
        if of.is_empty() {
            return "-a".to_owned();
        }
        of.get(self.rng.usize(..of.len())).cloned().unwrap_or_default()
    }

    fn shapes(&mut self, option: &str) {
        let option = option.trim_end_matches('=');
        let long = option.strip_prefix("--");
        self.plain(&[option]);
        for _ in 0..4 {
            self.with(&[option]);
            self.behind(&[option]);
        }
        for value in self.values.clone() {
            self.with(&[option, &value]);
            self.behind(&[option, &value]);
            self.with(&[&format!("{option}={value}")]);
            if long.is_none() {
                self.with(&[&format!("{option}{value}")]);
            }
        }
        for _ in 0..3 {
            let (value, other) = (self.value(), self.value());
            self.plain(&[option, &value]);
            self.plain(&[&format!("{option}={value}")]);
            self.behind(&[&format!("{option}={value}")]);
            self.with(&[option, &value, option, &other]);
            self.with(&["--", option, &value]);
            self.with(&[option, "--", &value]);
            self.behind(&["--", option]);
            let before = self.one(&self.taking.clone());
            self.with(&[&before, option, &value]);
            self.with(&[&before, &other, option, &value]);
            self.with(&[&before, &format!("{option}={value}")]);
        }
        self.with(&[option, option]);
        self.with(&["--", option]);
        self.with(&[option, "--"]);
        if let Some(name) = long {
            self.long(name);
        } else {
            self.bundled(option);
        }
    }

    fn long(&mut self, name: &str) {
        let length = name.chars().count();
        for cut in [length.saturating_sub(1), length.saturating_sub(2), length / 2, 4, 2] {
            let short: String = name.chars().take(cut).collect();
            if cut == 0 || cut >= length {
                continue;
            }
            let value = self.value();
            self.with(&[&format!("--{short}")]);
            self.with(&[&format!("--{short}"), &value]);
            self.with(&[&format!("--{short}={value}")]);
        }
        let value = self.value();
        let negated = name.strip_prefix("no-").map_or_else(|| format!("no-{name}"), str::to_owned);
        self.with(&[&format!("--{negated}")]);
        self.with(&[&format!("--{negated}={value}")]);
        self.with(&[&format!("--{negated}"), &value]);
        self.with(&[&format!("--no-{negated}")]);
        self.with(&[&format!("-{name}")]);
        self.with(&[&format!("-{name}"), &value]);
        self.with(&[&format!("--{}", name.to_uppercase())]);
    }

    fn bundled(&mut self, option: &str) {
        let letters: Vec<String> = letters().collect();
        let own: Vec<String> = self
            .target
            .options
            .keys()
            .filter(|option| option.chars().count() == 2)
            .cloned()
            .collect();
        let name = option.trim_start_matches('-').to_owned();
        for round in 0..8 {
            let other = self.one(if round % 2 == 0 { &own } else { &letters });
            let other = other.trim_start_matches('-').to_owned();
            let value = self.value();
            self.with(&[&format!("-{other}{name}")]);
            self.with(&[&format!("-{name}{other}")]);
            self.with(&[&format!("-{other}{name}"), &value]);
            self.with(&[&format!("-{other}{name}{value}")]);
        }
        self.with(&[&format!("+{name}")]);
        self.with(&[&format!("--{name}")]);
        // As tar takes them.
        self.with(&[&name]);
    }

    fn pair(&mut self, options: &[String]) {
        let mut words = Vec::new();
        for _ in 0..self.rng.usize(2..4) {
            let mut option = self.one(options);
            let value = self.value();
            match self.rng.u8(..6) {
                0 => words.push(option),
                1 => words.extend([option, value]),
                2 => words.push(format!("{option}={value}")),
                3 => {
                    let keep = self.rng.usize(3..8).max(2);
                    option = option.chars().take(keep).collect();
                    words.push(option);
                }
                4 => words.push(format!("{option}{value}")),
                _ => {
                    words.push(option);
                    words.extend(self.some_operands());
                }
            }
        }
        words.extend(self.some_operands());
        self.add(words);
    }
}

/// The line as a shell reads it into exactly these words.
pub fn quoted(words: &[String]) -> String {
    let quoted = words.iter().map(|word| {
        let plain = !word.is_empty()
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"_-./:@%+,=".contains(&byte));
        if plain { word.clone() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    });
    quoted.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_option_stands_in_each_shape() {
        let target = ProgramTarget {
            words: vec!["x".to_owned()],
            options: [("--output".to_owned(), true), ("-o".to_owned(), true)].into(),
            closed: true,
        };
        let options = ["--output".to_owned(), "-o".to_owned()];
        let lines: Vec<String> =
            lines(&target, &options, 1).iter().map(|words| quoted(words)).collect();
        for begins in
            ["x --output new", "x --output=new", "x --outpu", "x --no-output", "x -onew", "x -- -o"]
        {
            assert!(lines.iter().any(|line| line.starts_with(begins)), "{begins}");
        }
        let again: Vec<String> =
            super::lines(&target, &options, 1).iter().map(|words| quoted(words)).collect();
        assert_eq!(lines, again);
    }
}
