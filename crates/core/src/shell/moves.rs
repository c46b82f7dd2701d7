//! Commands that make or move links or folders: behind them a path may lead elsewhere than the files now say.

use super::Word;

/// Whether this command may make another file, or another folder, out of what a path leads to.
pub(super) fn moves(argv: &[Word]) -> bool {
    let Some(name) = argv.first().and_then(Word::literal) else { return false };
    let name = name.rsplit('/').next().unwrap_or(name);
    let rest = argv.get(1..).unwrap_or_default();
    let certain = rest.iter().all(|word| !word.splits());
    let words: Vec<&str> = rest.iter().filter_map(Word::literal).collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    match name.strip_prefix('g').filter(|name| GNU.contains(name)).unwrap_or(name) {
        "mv"
        | "ln"
        | "link"
        | "rename"
        | "prename"
        | "perl-rename"
        | "mmv"
        | "rsync"
        | "patch"
        | "mount"
        | "umount"
        | "bindfs"
        | "stow"
        | "update-alternatives"
        | "debugfs" => true,
        "cp" => !certain || copies_more(rest),
        "install" => !certain || has(&["-D", "-d", "-Dm"]) || has_letter(&words, "Dd"),
        "git" => git(&words, certain),
        "gh" | "hub" | "glab" => has(&["checkout", "clone", "fork", "sync", "co"]),
        "svn" | "hg" | "bzr" | "fossil" | "jj" => {
            !has(&["status", "log", "diff", "info", "st", "blame", "annotate", "cat", "show"])
        }
        "tar" | "bsdtar" | "gtar" => {
            let first = words.first().copied().unwrap_or_default();
            has(&["--extract", "--get"])
                || has_letter(&words, "x")
                || (!first.starts_with('-') && first.contains('x'))
                || !certain
        }
        "unzip" => {
            !certain || !has(&["-l", "-v", "-Z", "-t", "-p"]) && !has_letter(&words, "lvtpZ")
        }
        "cpio" | "pax" | "7z" | "7za" | "7zz" | "unrar" | "unar" | "ditto" | "afio" => true,
        "gunzip" | "gzip" => !certain || has(&["--name"]) || has_letter(&words, "N"),
        "npm" | "pnpm" | "yarn" | "bun" | "pip" | "pip3" | "poetry" | "uv" | "bundle" | "gem"
        | "composer" | "pipenv" | "pdm" | "conda" | "mamba" | "apt" | "apt-get" | "brew"
        | "dnf" | "yum" | "apk" | "pacman" => has(&[
            "install",
            "i",
            "ci",
            "add",
            "link",
            "update",
            "upgrade",
            "sync",
            "require",
            "up",
            "remove",
            "uninstall",
            "dedupe",
            "rebuild",
            "unlink",
        ]),
        _ => false,
    }
}

/// Programs whose GNU version is called with a `g` in front elsewhere.
const GNU: &[&str] = &["cp", "mv", "ln", "link", "install", "tar"];

/// Whether one of these letters stands among those of the options.
fn has_letter(words: &[&str], letters: &str) -> bool {
    words.iter().any(|word| {
        word.strip_prefix('-')
            .is_some_and(|rest| !rest.starts_with('-') && rest.contains(|c| letters.contains(c)))
    })
}

/// Whether `cp` does more than to copy the content of files.
fn copies_more(rest: &[Word]) -> bool {
    rest.iter().any(|word| {
        let Some(text) = word.literal() else { return !begins_plainly(word) };
        match text.strip_prefix("--") {
            Some(long) => ![
                "force",
                "interactive",
                "no-clobber",
                "verbose",
                "update",
                "no-target-directory",
                "",
            ]
            .contains(&long),
            None => text.strip_prefix('-').is_some_and(|letters| {
                !letters.bytes().all(|letter| b"finpuvTtb".contains(&letter))
            }),
        }
    })
}

/// Whether it is no option for certain.
fn begins_plainly(word: &Word) -> bool {
    match word.pieces.first() {
        Some(super::Piece::Text(text)) => !text.starts_with('-'),
        Some(super::Piece::Home) => true,
        _ => false,
    }
}

/// Whether this command of git changes files that are there, or makes new ones.
fn git(words: &[&str], certain: bool) -> bool {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match *word {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" => at += 2,
            _ if word.starts_with('-') => at += 1,
            _ => break,
        }
    }
    let rest = words.get(at + 1..).unwrap_or_default();
    let Some(command) = words.get(at) else { return !certain };
    match *command {
        // A new branch where one stands changes no file.
        "checkout" => !(certain && matches!(rest, ["-b", name] if !name.starts_with('-'))),
        "switch" => !(certain && matches!(rest, ["-c", name] if !name.starts_with('-'))),
        "stash" => !matches!(rest.first(), Some(&("list" | "show"))),
        "reset" => {
            rest.iter().any(|word| {
                ["--h", "--m", "--k", "--r"].iter().any(|start| word.starts_with(start))
                    && *word != "--mixed"
            }) || !certain
        }
        "worktree" => rest.first() != Some(&"list"),
        "submodule" => !matches!(rest.first(), Some(&("status" | "summary"))),
        "pull" | "merge" | "rebase" | "clone" | "restore" | "cherry-pick" | "revert" | "am"
        | "apply" | "mv" | "read-tree" | "checkout-index" | "bisect" | "sparse-checkout"
        | "subtree" | "lfs" | "annex" | "svn" | "p4" | "filter-branch" | "quiltimport"
        | "merge-index" | "difftool" | "mergetool" => true,
        _ => false,
    }
}
