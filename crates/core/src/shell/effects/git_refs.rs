//! `git branch`, `tag`, `remote` and `reflog` list, or change the repository: which of both.

use crate::shell::Word;

/// The file of the repository that stands for what is changed. `None`: these words only list.
pub(super) fn changed(subcommand: &str, words: &[Word]) -> Option<&'static str> {
    let Some(texts) = words.iter().map(Word::literal).collect::<Option<Vec<_>>>() else {
        // A word that only the run will tell may be any option, or a name.
        return file(subcommand);
    };
    let lists = match subcommand {
        "branch" => lists(&texts, "avrlqi", BRANCH),
        "tag" => lists(&texts, "lin", TAG),
        "remote" => match texts.as_slice() {
            ["get-url" | "show", ..] => true,
            options => options.iter().all(|option| matches!(*option, "-v" | "--verbose")),
        },
        "reflog" => match texts.as_slice() {
            ["show" | "list" | "exists", ..] | [] => true,
            [first, ..] => !matches!(*first, "expire" | "delete" | "drop" | "write" | "migrate"),
        },
        _ => true,
    };
    if lists { None } else { file(subcommand) }
}

fn file(subcommand: &str) -> Option<&'static str> {
    match subcommand {
        "branch" | "tag" => Some(".git/refs"),
        "remote" => Some(".git/config"),
        "reflog" => Some(".git/logs"),
        _ => None,
    }
}

/// With one of these, names are patterns for what is listed.
const LISTING: &[&str] =
    &["list", "contains", "no-contains", "merged", "no-merged", "points-at", "show-current"];
/// Those that take a value of their own.
const VALUES: &[&str] = &["sort", "format"];
const BRANCH: &[&str] = &[
    "all",
    "remotes",
    "verbose",
    "quiet",
    "column",
    "no-column",
    "color",
    "no-color",
    "abbrev",
    "no-abbrev",
    "ignore-case",
    "omit-empty",
];
const TAG: &[&str] = &["column", "no-column", "color", "ignore-case", "omit-empty"];

/// Whether all options are spelled out ones that list, and names stand beside one that makes them patterns. In clusters of
/// short options `l` and `n` do so.
fn lists(texts: &[&str], short: &str, long: &[&str]) -> bool {
    let mut patterns = false;
    let mut names = false;
    let mut at = texts.iter();
    while let Some(text) = at.next() {
        if let Some(option) = text.strip_prefix("--") {
            let name = option.split('=').next().unwrap_or(option);
            if VALUES.contains(&name) {
                if !option.contains('=') {
                    at.next();
                }
            } else if LISTING.contains(&name) {
                patterns = true;
            } else if !long.contains(&name) {
                return false;
            }
        } else if let Some(cluster) = text.strip_prefix('-').filter(|cluster| !cluster.is_empty()) {
            // `-n5`: so many lines of each.
            let letters = cluster.trim_end_matches(|char: char| char.is_ascii_digit());
            if !letters.chars().all(|letter| short.contains(letter)) {
                return false;
            }
            patterns |= letters.contains(['l', 'n']);
        } else {
            names = true;
        }
    }
    patterns || !names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Piece, Span};

    #[test]
    fn forms_that_list() {
        for (line, expected) in [
            ("branch", true),
            ("branch -a", true),
            ("branch -avv", true),
            ("branch --show-current", true),
            ("branch --list x*", true),
            ("branch --contains HEAD", true),
            ("branch --sort=-committerdate", true),
            ("branch --sort -committerdate", true),
            ("branch x", false),
            ("branch -a x", false),
            ("branch -d x", false),
            ("branch -vD x", false),
            ("branch --list -D x", false),
            ("branch --del x", false),
            ("branch -u origin/x", false),
            ("branch --sort x y", false),
            ("branch --", false),
            ("branch $x", false),
            ("tag", true),
            ("tag -l v1*", true),
            ("tag -n5", true),
            ("tag v1", false),
            ("tag -d v1", false),
            ("tag -a v1", false),
            ("remote", true),
            ("remote -v", true),
            ("remote get-url origin", true),
            ("remote -v add x y", false),
            ("remote add x y", false),
            ("reflog", true),
            ("reflog -5", true),
            ("reflog show HEAD", true),
            ("reflog expire --all", false),
            ("log", true),
        ] {
            let mut words = line.split(' ');
            let subcommand = words.next().unwrap();
            let words: Vec<Word> = words
                .map(|text| Word {
                    span: Span { start: 0, end: 0 },
                    pieces: match text {
                        "$x" => vec![Piece::Unknown { splits: true }],
                        text => vec![Piece::Text(text.to_owned())],
                    },
                })
                .collect();
            assert_eq!(changed(subcommand, &words).is_none(), expected, "git {line}");
        }
    }
}
