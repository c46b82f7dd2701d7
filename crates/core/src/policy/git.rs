//! What the words of git say of how far it goes: into the repositories that lie in the one that it finds, which have
//! settings and an index of their own.

use crate::shell::{Word, base_name};

/// How far a command of git goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum GitReach {
    /// Not out of the repository that it finds.
    Here,
    /// Nor that, but for settings by which it shows what changed in others, or searches them ([`names_others`]).
    Settings,
    /// Into those that are in the index.
    Index,
    /// Into any that lies there: those in the index that it makes.
    Further,
    /// Into any that lies there, as an option says: also those in its commits alone.
    Others,
}

impl GitReach {
    /// The same where settings may say that it goes on, too.
    pub(crate) fn with_settings(self, name_others: impl FnOnce() -> bool) -> Self {
        match self {
            Self::Settings | Self::Index => {
                let without = if self == Self::Settings { Self::Here } else { self };
                if name_others() { Self::Further } else { without }
            }
            reach => reach,
        }
    }
}

/// It shows no difference, and searches nothing.
const HERE: &[&str] = &[
    "blame",
    "annotate",
    "tag",
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "cat-file",
    "name-rev",
    "merge-base",
    "cherry",
    "count-objects",
    "for-each-ref",
    "show-ref",
    "show-branch",
    "check-ignore",
    "check-attr",
    "version",
    "config",
    "shortlog",
];

/// It shows differences between commits, searches, or makes branches.
const SHOWS: &[&str] = &["log", "show", "whatchanged", "reflog", "diff-tree", "grep", "branch"];

/// What `git remote` does without fetching.
const OF_REMOTES: &[&str] =
    &["show", "get-url", "set-url", "rename", "remove", "rm", "prune", "set-head", "set-branches"];

/// It looks at the work tree by the index that is there, if at all, and leaves the commit that this is of.
const BY_INDEX: &[&str] = &[
    "status",
    "diff",
    "diff-files",
    "diff-index",
    "describe",
    "add",
    "stage",
    "commit",
    "mv",
    "rm",
    "clean",
    "push",
    "clone",
    "init",
    "gc",
    "notes",
    "range-diff",
    "ls-remote",
    "bundle",
    "archive",
    "help",
];

/// How far this goes, by its words.
pub(crate) fn reach(argv: &[Word]) -> GitReach {
    let Some((command, rest)) = split(argv) else { return GitReach::Here };
    if rest.iter().any(goes_into_others) {
        return GitReach::Others;
    }
    // What is not known may be a command, too.
    let is_option = |word: &&Word| word.literal().is_some_and(|text| text.starts_with('-'));
    let first = rest.first().and_then(Word::literal);
    let behind_options = rest.iter().find(|word| !is_option(word));
    let behind_options = behind_options.map(|word| word.literal().unwrap_or_default());
    match command {
        "branch" if behind_options.is_none() => GitReach::Here,
        name if HERE.contains(&name) => GitReach::Here,
        name if SHOWS.contains(&name) => GitReach::Settings,
        "worktree" if first == Some("list") => GitReach::Here,
        "remote" if behind_options.is_none_or(|name| OF_REMOTES.contains(&name)) => GitReach::Here,
        "submodule" if behind_options == Some("status") => GitReach::Index,
        // What else it does brings the index of a commit.
        "stash" if matches!(first, Some("list" | "show" | "create")) => GitReach::Index,
        // A commit that is fetched may have others, which git fetches, too.
        "fetch" | "remote" => GitReach::Further,
        // It makes an index of the commit that is there, and those files.
        "commit" if names_files(rest) => GitReach::Further,
        "switch" | "checkout" if makes_branch(argv) => GitReach::Index,
        name if BY_INDEX.contains(&name) && passes_others(command, rest) => GitReach::Settings,
        name if BY_INDEX.contains(&name) => GitReach::Index,
        _ => GitReach::Further,
    }
}

/// Whether an option makes git go into other repositories, as far as is known: all but those that say that it does not.
/// git takes the beginning of a name for the name.
fn goes_into_others(word: &Word) -> bool {
    const GO: &[&str] = &["--submodule", "--recurse-submodules"];
    const STAY: &[&str] =
        &["--submodule=short", "--no-recurse-submodules", "--recurse-submodules=no"];
    let Some(text) = word.literal().filter(|text| text.len() > 2 && text.starts_with("--")) else {
        return false;
    };
    let name = text.split('=').next().unwrap_or(text);
    let begins = GO.iter().any(|option| option.starts_with(name));
    (begins || name.contains("submodule"))
        && !STAY.contains(&text)
        && name != "--ignore-submodules"
        && name != "--no-ignore-submodules"
}

/// Whether it looks at none of those in the index, as an option says. What stands behind an option may be its value.
fn passes_others(command: &str, rest: &[Word]) -> bool {
    const FLAGS: &[&str] = &["--stat", "--name-only", "--name-status", "-p", "-s", "--short"];
    let words: Option<Vec<&str>> = rest.iter().map(Word::literal).collect();
    let Some(words) = words else { return false };
    let options = words.split(|word| *word == "--").next().unwrap_or_default();
    let ignores = options.iter().filter(|word| word.starts_with("--ig")).count();
    options.iter().enumerate().any(|(at, option)| {
        let before = at.checked_sub(1).and_then(|before| options.get(before));
        let is_option = before.is_none_or(|word| !word.starts_with('-') || FLAGS.contains(word));
        is_option
            && match *option {
                "--ignore-submodules" | "--ignore-submodules=all" => ignores == 1,
                // What is in the index, and not in the work tree.
                "--cached" | "--staged" => command == "diff",
                _ => false,
            }
    })
}

/// Whether `git commit` may be given names of files: a word is not surely an option, or the value of one.
fn names_files(rest: &[Word]) -> bool {
    const VALUED: &[&str] = &[
        "--message",
        "--file",
        "--author",
        "--date",
        "--reuse-message",
        "--reedit-message",
        "--fixup",
        "--squash",
        "--trailer",
    ];
    let takes_next = |text: &str| {
        let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let valued = letters.and_then(|letters| letters.find(['m', 'F', 'C', 'c', 't', 'S', 'u']));
        let is_last = valued.is_some_and(|at| at + 2 == text.len());
        VALUED.contains(&text) || is_last && !text.ends_with(['S', 'u'])
    };
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.literal() {
            Some(text) if takes_next(text) => drop(words.next()),
            Some("-" | "--") | None => return true,
            Some(text) if text.starts_with('-') && !text.starts_with("--pa") => {}
            Some(_) => return true,
        }
    }
    false
}

/// Whether settings of git may make it go into other repositories without an option: `diff.submodule`, `submodule.recurse`,
/// `status.submoduleSummary`. Any setting of such a name counts, with any value.
pub(crate) fn names_others(settings: &str) -> bool {
    has_key(settings, &["submodule", "submodulesummary", "recurse", "recursesubmodules"])
}

/// Whether settings of git may make a partial clone of a repository: what is missing there git fetches when it is first read,
/// from wherever they say. Any setting of such a name counts, with any value.
pub(crate) fn names_promisor(settings: &str) -> bool {
    has_key(settings, &["promisor", "partialclonefilter", "partialclone"])
}

/// The longest value that is read, in bytes.
const LONGEST_VALUE: usize = 1 << 12;

/// What settings of git say of this key, in any section; `None` for what git would not read. A line inside of a value that goes
/// on counts as well: rather one too many than one too few.
pub(crate) fn values_of(settings: &str, key: &str) -> Vec<Option<String>> {
    let mut values = Vec::new();
    let mut line_at = 0;
    for line in settings.split_inclusive('\n') {
        let mut at = line_at;
        // What follows a section on its line is a setting.
        for part in line.split(']') {
            if let Some((name, _)) = part.split_once('=')
                && name.trim().eq_ignore_ascii_case(key)
            {
                values.push(settings.get(at + name.len() + 1..).and_then(value));
            }
            at += part.len() + 1;
        }
        line_at += line.len();
    }
    values
}

/// The value that a text begins with: without quotes, comments and the blanks around it.
fn value(text: &str) -> Option<String> {
    let (mut value, mut blanks) = (String::new(), String::new());
    let (mut is_quoted, mut is_comment) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let char = if char == '\r' { chars.next_if_eq(&'\n').unwrap_or(char) } else { char };
        match char {
            '\n' if is_quoted => return None,
            '\n' => break,
            _ if is_comment => continue,
            '#' | ';' if !is_quoted => is_comment = true,
            char if char.is_ascii_whitespace() && !is_quoted => {
                if !value.is_empty() {
                    blanks.push(char);
                }
            }
            char => {
                value.push_str(&std::mem::take(&mut blanks));
                match char {
                    '"' => is_quoted = !is_quoted,
                    '\\' => value.extend(escaped(&mut chars)?),
                    char => value.push(char),
                }
            }
        }
        if value.len() + blanks.len() > LONGEST_VALUE {
            return None;
        }
    }
    (!is_quoted).then_some(value)
}

/// What stands for this behind a backslash: nothing for the end of a line, where the value goes on in the next one.
fn escaped(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Option<Option<char>> {
    match chars.next()? {
        '\r' => chars.next_if_eq(&'\n').map(|_| None),
        '\n' => Some(None),
        't' => Some(Some('\t')),
        'n' => Some(Some('\n')),
        'b' => Some(Some('\u{8}')),
        char @ ('\\' | '"') => Some(Some(char)),
        _ => None,
    }
}

/// Whether one of these settings is there, in any section.
fn has_key(settings: &str, keys: &[&str]) -> bool {
    settings.lines().any(|line| {
        line.split(']').any(|part| {
            let key = part.split(['=', '#', ';']).next().unwrap_or_default().trim();
            keys.iter().any(|known| known.eq_ignore_ascii_case(key))
        })
    })
}

/// Whether it surely fetches no object that is missing: it reads none, or is told not to fetch.
pub(crate) fn reads_no_objects(argv: &[Word]) -> bool {
    /// They tell what is in settings, in the index, or of git itself.
    const NONE: &[&str] = &["version", "config", "check-ignore", "var", "help"];
    let Some(words) = argv.iter().map(Word::literal).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let Some(command) = git_command(argv) else {
        // `git --version`
        return true;
    };
    let at = words.iter().position(|word| *word == command).unwrap_or(words.len());
    let (before, rest) = words.split_at(at);
    let rest = rest.get(1..).unwrap_or_default();
    let tells = |word: &&str| {
        word.starts_with("--show-") && !word.starts_with("--show-ref")
            || word.starts_with("--is-")
            || matches!(*word, "--git-dir" | "--absolute-git-dir" | "--git-common-dir")
    };
    before.contains(&"--no-lazy-fetch")
        || match command {
            "rev-parse" => rest.iter().all(tells),
            "branch" => rest == ["--show-current"],
            "ls-files" => !rest.iter().any(|word| {
                // Names of trees, and what is in files.
                ["--w", "--e", "--f", "--re"].iter().any(|begin| word.starts_with(begin))
            }),
            // Another repository is asked, and its objects come.
            "remote" => rest.first().is_none_or(|word| {
                word.starts_with("-v") || matches!(*word, "--verbose" | "get-url")
            }),
            command => NONE.contains(&command),
        }
}

/// The command of git that it is: the first word that is one. `None` where it is not git.
pub(crate) fn git_command(argv: &[Word]) -> Option<&str> {
    split(argv).map(|(command, _)| command)
}

/// The command, and the words behind it.
fn split(argv: &[Word]) -> Option<(&str, &[Word])> {
    const VALUED: &[&str] = &[
        "-C",
        "-c",
        "--namespace",
        "--attr-source",
        "--git-dir",
        "--work-tree",
        "--config-env",
        "--super-prefix",
        "--shallow-file",
    ];
    let text = |word: &'_ Word| word.literal().unwrap_or_default().to_owned();
    if argv.first().map(text).as_deref().map(base_name) != Some("git") {
        return None;
    }
    let mut at = 1;
    loop {
        let word = argv.get(at)?.literal().unwrap_or_default();
        at += 1;
        if VALUED.contains(&word) {
            at += 1;
        } else if !word.starts_with('-') {
            return Some((word, argv.get(at..).unwrap_or_default()));
        }
    }
}

/// Whether it makes a branch of the commit that it is at, and goes to no other.
pub(crate) fn makes_branch(argv: &[Word]) -> bool {
    matches!(git_command(argv), Some("switch" | "checkout"))
        && argv.len() == 4
        && matches!(argv.get(2).and_then(Word::literal), Some("-c" | "-b"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::action::literal;

    fn reach_of(command: &str) -> GitReach {
        let argv: Vec<Word> = command.split(' ').map(literal).collect();
        reach(&argv)
    }

    #[test]
    fn what_is_not_known_to_stay_in_its_repository_goes_into_others() {
        for (command, expected) in [
            ("git --version", GitReach::Here),
            ("git remote", GitReach::Here),
            ("git remote -v", GitReach::Here),
            ("git remote get-url origin", GitReach::Here),
            ("git remote update", GitReach::Further),
            ("git remote -v update", GitReach::Further),
            ("git remote add -f x ../x", GitReach::Further),
            ("git remote x", GitReach::Further),
            ("git fetch", GitReach::Further),
            ("git fetch --no-recurse-submodules", GitReach::Further),
            ("git branch -v", GitReach::Here),
            ("git branch -D x", GitReach::Settings),
            ("git branch x", GitReach::Settings),
            ("git worktree list", GitReach::Here),
            ("git log -3", GitReach::Settings),
            ("git --no-pager log", GitReach::Settings),
            ("git log -p --submodule=short", GitReach::Settings),
            ("git show -- src/submodule.c --summary", GitReach::Settings),
            ("git grep --no-recurse-submodules x", GitReach::Settings),
            ("git diff --cached", GitReach::Settings),
            ("git diff --stat --staged", GitReach::Settings),
            ("git status --ignore-submodules", GitReach::Settings),
            ("git status", GitReach::Index),
            ("git status --ignore-submodules=dirty", GitReach::Index),
            ("git status --ignore-submodules --ignore-submodules=none", GitReach::Index),
            ("git status -- --ignore-submodules", GitReach::Index),
            ("git diff", GitReach::Index),
            ("git diff -S --cached", GitReach::Index),
            ("git diff -S --ignore-submodules", GitReach::Index),
            ("git diff-index --cached HEAD", GitReach::Index),
            ("git describe --dirty", GitReach::Index),
            ("git --namespace log status", GitReach::Index),
            ("git --namespace log diff", GitReach::Index),
            ("git submodule status --recursive", GitReach::Index),
            ("git commit", GitReach::Index),
            ("git commit -am x", GitReach::Index),
            ("git commit --amend --no-edit", GitReach::Index),
            ("git commit -q --message x -C HEAD", GitReach::Index),
            ("git commit -mx -u", GitReach::Index),
            ("git commit -m x a.txt", GitReach::Further),
            ("git commit -mfoom a.txt", GitReach::Further),
            ("git commit -Sm a.txt", GitReach::Further),
            ("git commit -u a.txt", GitReach::Further),
            ("git commit -m x -- a.txt", GitReach::Further),
            ("git commit -m x --pathspec-from-file=x", GitReach::Further),
            ("git commit --unknown x", GitReach::Further),
            ("git stash", GitReach::Further),
            ("git stash list", GitReach::Index),
            ("git stash -m list", GitReach::Further),
            ("git stash -q", GitReach::Further),
            ("git submodule --quiet status", GitReach::Index),
            ("git worktree -x list", GitReach::Further),
            ("git stash show -p", GitReach::Index),
            ("git switch -c x", GitReach::Index),
            ("git checkout -b x", GitReach::Index),
            ("git stash pop", GitReach::Further),
            ("git switch main", GitReach::Further),
            ("git switch -c x main", GitReach::Further),
            ("git checkout -b x main", GitReach::Further),
            ("git merge main", GitReach::Further),
            ("git reset main", GitReach::Further),
            ("git nothing", GitReach::Further),
            ("git log -p --submodule=diff", GitReach::Others),
            ("git log --submodule", GitReach::Others),
            ("git show --subm=diff", GitReach::Others),
            ("git log -S -- --submodule=diff", GitReach::Others),
            ("git log --submodule=short --submodule=log", GitReach::Others),
            ("git diff --cached --submodule=log", GitReach::Others),
            ("git grep --recurse-submodules x", GitReach::Others),
            ("git grep --recurse x", GitReach::Others),
            ("git ls-files --rec", GitReach::Others),
            ("git checkout --recurse-submodules=on-demand x", GitReach::Others),
            ("git submodule update --remote-submodules", GitReach::Others),
        ] {
            assert_eq!(reach_of(command), expected, "{command}");
        }
    }

    #[test]
    fn a_partial_clone_is_known_by_its_settings() {
        for settings in [
            "[remote \"origin\"]\n\tpromisor = true\n",
            "[remote \"a]b\"] PartialCloneFilter = blob:none",
            "[extensions]\n\tpartialClone = origin\n",
            "[REMOTE.x]\r\n Promisor\r\n",
        ] {
            assert!(names_promisor(settings), "{settings}");
        }
        assert!(!names_promisor("[remote \"promisor\"]\n\turl = promisor\n# promisor\n"));
    }

    #[test]
    fn a_value_is_what_git_reads() {
        for (settings, expected) in [
            ("[core]\n\thooksPath = own hooks \n", Some("own hooks")),
            ("[core] hooksPath=x", Some("x")),
            ("[a \"b]c\"] HOOKSPATH = x]y\r\n", Some("x]y")),
            ("hookspath = x # ours", Some("x")),
            ("hookspath = \"x # ours\" ; y", Some("x # ours")),
            ("hookspath = a\\\n b\\\r\nc\n", Some("a bc")),
            ("hookspath = a\\\\\\\"\\t", Some("a\\\"\t")),
            ("hookspath = \" a \"b\" c\"", Some(" a b c")),
            ("hookspath = a # b \\\nc", Some("a")),
            ("hookspath =", Some("")),
            ("hookspath = \"a\n\"", None),
            ("hookspath = \\x", None),
        ] {
            let expected = vec![expected.map(str::to_owned)];
            assert_eq!(values_of(settings, "hooksPath"), expected, "{settings}");
        }
        assert_eq!(values_of("hookspath\n# hookspath = x\nxhookspath = x\n", "hookspath"), []);
        assert_eq!(values_of("path = a\n[b] path = c", "path").len(), 2);
    }

    #[test]
    fn what_reads_objects_may_fetch_them() {
        for (command, expected) in [
            ("git --version", true),
            ("git version", true),
            ("git remote -v", true),
            ("git config user.name", true),
            ("git rev-parse --show-toplevel", true),
            ("git rev-parse --is-inside-work-tree --git-dir", true),
            ("git branch --show-current", true),
            ("git ls-files -o --exclude=x src", false),
            ("git ls-files src", true),
            ("git --no-lazy-fetch log -p", true),
            ("git --no-pager --no-lazy-fetch status", true),
            ("git log --no-lazy-fetch", false),
            ("git rev-parse HEAD:a", false),
            ("git ls-files --with-tree=HEAD", false),
            ("git ls-files --eol", false),
            ("git remote show origin", false),
            ("git branch -v", false),
            ("git show-ref", false),
            ("git status", false),
            ("git log", false),
            ("git commit -m x", false),
            ("git x", false),
        ] {
            let argv: Vec<Word> = command.split(' ').map(literal).collect();
            assert_eq!(reads_no_objects(&argv), expected, "{command}");
        }
    }

    #[test]
    fn a_setting_that_goes_into_others_is_seen_however_it_is_written() {
        for settings in [
            "[diff]\n\tsubmodule = diff\n",
            "[diff] submodule = log",
            "[DIFF]\nSubModule=diff\r\n",
            "[diff \"a]b\"] x = 1\n[submodule]\nrecurse",
            "[submodule]\n\trecurse # always\n",
            "[status]\n\tsubmoduleSummary = 3\n",
            "[core]\n\tx = 1\n[diff] ; x\n submodule = \"diff]\"",
        ] {
            assert!(names_others(settings), "{settings}");
        }
        for settings in [
            "[core]\n\tbare = false\n[submodule \"sub\"]\n\turl = ../up\n\tactive = true\n",
            "[submodule]\n\tactive = .\n[diff]\n\t# submodule = diff\n\talgorithm = submodule\n",
        ] {
            assert!(!names_others(settings), "{settings}");
        }
    }
}
