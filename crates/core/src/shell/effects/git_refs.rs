//! `git branch`, `tag`, `remote` and `reflog` list, or change the repository: which of both.

use crate::shell::Word;

/// A change of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Change {
    /// The file that stands for what is changed.
    pub(super) file: &'static str,
    /// The word that loses or replaces something, or could; `None`: something is made.
    pub(super) loses: Option<usize>,
}

/// What these words behind the subcommand change. `None`: they only list, or it is no such subcommand.
pub(super) fn change(subcommand: &str, words: &[Word]) -> Option<Change> {
    let (file, loses) = match subcommand {
        "branch" => (".git/refs", BRANCH.loses(words)),
        "tag" => (".git/refs", TAG.loses(words)),
        "switch" => (".git/index", SWITCH.loses(words)),
        "remote" => (".git/config", remote(words)),
        "reflog" => (".git/logs", reflog(words)),
        _ => return None,
    };
    loses.map(|loses| Change { file, loses })
}

/// How a subcommand is told to list.
struct Forms {
    /// Short options that list or make, whatever else stands there.
    short: &'static str,
    /// The same, long.
    long: &'static [&'static str],
    /// Short options beside which names are patterns.
    patterns: &'static str,
    /// Options that take the next word as their value.
    values: &'static [&'static str],
}

/// With one of these, names are patterns for what is listed.
const LISTING: &[&str] =
    &["list", "contains", "no-contains", "merged", "no-merged", "points-at", "show-current"];

const BRANCH: Forms = Forms {
    short: "avrlqit",
    long: &[
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
        "track",
        "no-track",
    ],
    patterns: "l",
    values: &["sort", "format"],
};
const TAG: Forms = Forms {
    short: "linam",
    long: &["column", "no-column", "color", "ignore-case", "omit-empty", "annotate", "message"],
    patterns: "ln",
    values: &["sort", "format"],
};
const SWITCH: Forms = Forms {
    short: "cqtd",
    long: &[
        "create",
        "quiet",
        "track",
        "no-track",
        "detach",
        "guess",
        "no-guess",
        "progress",
        "no-progress",
    ],
    patterns: "",
    values: &[],
};

impl Forms {
    /// `None`: lists. Otherwise it makes something, and the word that could lose something as well.
    fn loses(&self, words: &[Word]) -> Option<Option<usize>> {
        let mut patterns = false;
        let mut names = false;
        let mut at = 0;
        while let Some(word) = words.get(at) {
            // A word that only the run will tell may be any option.
            let Some(text) = word.literal() else { return Some(Some(at)) };
            if let Some(option) = text.strip_prefix("--") {
                let name = option.split('=').next().unwrap_or(option);
                if self.values.contains(&name) {
                    at += usize::from(!option.contains('='));
                } else if LISTING.contains(&name) {
                    patterns = true;
                } else if !self.long.contains(&name) {
                    return Some(Some(at));
                }
            } else if let Some(cluster) =
                text.strip_prefix('-').filter(|cluster| !cluster.is_empty())
            {
                // `-n5`: so many lines of each.
                let letters = cluster.trim_end_matches(|char: char| char.is_ascii_digit());
                if !letters.chars().all(|letter| self.short.contains(letter)) {
                    return Some(Some(at));
                }
                patterns |= letters.chars().any(|letter| self.patterns.contains(letter));
            } else {
                names = true;
            }
            at += 1;
        }
        if patterns || !names { None } else { Some(None) }
    }
}

/// Every action but two changes where the repository sends to and takes from.
fn remote(words: &[Word]) -> Option<Option<usize>> {
    let is = |word: &Word, names: &[&str]| word.literal().is_some_and(|text| names.contains(&text));
    let action = words.iter().position(|word| !is(word, &["-v", "--verbose"]))?;
    let only_shows = words.get(action).is_some_and(|word| is(word, &["get-url", "show"]));
    if only_shows { None } else { Some(Some(action)) }
}

fn reflog(words: &[Word]) -> Option<Option<usize>> {
    let changes = |text: &str| matches!(text, "expire" | "delete" | "drop" | "write" | "migrate");
    let first = words.first()?;
    if first.literal().is_some_and(|text| !changes(text)) { None } else { Some(Some(0)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{Piece, Span};

    #[test]
    fn forms_that_list_and_forms_that_change() {
        const LISTS: Option<Option<usize>> = None;
        const MAKES: Option<Option<usize>> = Some(None);
        let loses = |word: usize| Some(Some(word));
        for (line, expected) in [
            ("switch x", MAKES),
            ("switch -c x", MAKES),
            ("switch -f x", loses(0)),
            ("switch x --discard-changes", loses(1)),
            ("switch -C x", loses(0)),
            ("switch -", MAKES),
            ("branch", LISTS),
            ("branch -a", LISTS),
            ("branch -avv", LISTS),
            ("branch --show-current", LISTS),
            ("branch --list x*", LISTS),
            ("branch --contains HEAD", LISTS),
            ("branch --sort=-committerdate", LISTS),
            ("branch --sort -committerdate", LISTS),
            ("branch x", MAKES),
            ("branch -a x", MAKES),
            ("branch -d x", loses(0)),
            ("branch -vD x", loses(0)),
            ("branch --list -D x", loses(1)),
            ("branch --del x", loses(0)),
            ("branch -u origin/x", loses(0)),
            ("branch --sort x y", MAKES),
            ("branch --", loses(0)),
            ("branch $x", loses(0)),
            ("tag", LISTS),
            ("tag -l v1*", LISTS),
            ("tag -n5", LISTS),
            ("tag v1", MAKES),
            ("tag -d v1", loses(0)),
            ("tag -a v1", MAKES),
            ("remote", LISTS),
            ("remote -v", LISTS),
            ("remote get-url origin", LISTS),
            ("remote -v add x y", loses(1)),
            ("remote add x y", loses(0)),
            ("reflog", LISTS),
            ("reflog -5", LISTS),
            ("reflog show HEAD", LISTS),
            ("reflog expire --all", loses(0)),
            ("log", LISTS),
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
            let found = change(subcommand, &words).map(|change| change.loses);
            assert_eq!(found, expected, "git {line}");
        }
    }
}
