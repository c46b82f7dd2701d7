//! Lines that spell out the settings of git somewhere: in the list of a loop, in a default of `${X:-…}`, among words that another
//! program gets.
//!
//! Git needs them, so they are not hidden from a confined command, and a credential may stand in them. This is a reminder, not
//! a barrier: what a word becomes only the run tells.

/// What stands between the words that are looked at.
const BETWEEN: &[char] = &[';', '|', '&', '(', ')', '<', '>', '`', '=', ':', ','];

/// Options that take a pattern, and find nothing by it.
const TAKEN: &[&str] = &[
    "!",
    "-path",
    "-ipath",
    "-wholename",
    "-name",
    "-iname",
    "-not",
    "-g",
    "--glob",
    "--iglob",
    "-e",
    "-x",
];

/// Whether a line names the settings of git: of a repository, or of the user.
pub(super) fn names_git_settings(line: &str) -> bool {
    if !line.contains("git") {
        return false;
    }
    let asks = ["--git-path", "--git-dir", "--absolute-git-dir", "--git-common-dir"];
    if line.contains("config") && asks.iter().any(|option| line.contains(option)) {
        return true;
    }
    let mut before = "";
    for part in line.split(|char: char| char.is_whitespace() || BETWEEN.contains(&char)) {
        if part.is_empty() {
            continue;
        }
        // What is left out, or taken as a text: no pattern of the shell.
        let is_taken = part.contains(['\'', '"', '!', '^', '\\'])
            || TAKEN.contains(&before)
            || ["--exclude", "--ignore"].iter().any(|option| before.starts_with(option));
        before = part;
        let word = part.trim_matches(|char: char| "'\"}-+?".contains(char));
        if is_settings(word, !is_taken) {
            return true;
        }
    }
    false
}

/// Whether this word names some. `finds`: a pattern in it finds files.
fn is_settings(word: &str, finds: bool) -> bool {
    let could_be = |pattern: &str, name: &str| {
        let known = pattern.split(['*', '?', '[', '$']).next().unwrap_or_default();
        pattern == name || finds && known.len() < pattern.len() && name.starts_with(known)
    };
    let behind = |name: &str| {
        let at = word.find(name)?;
        let is_whole = !word.get(..at)?.ends_with(|char: char| char.is_alphanumeric());
        word.get(at + name.len()..).filter(|_| is_whole)
    };
    if let Some(name) = behind(".config/git/") {
        return could_be(name, "config");
    }
    if let Some(path) = behind(".git/") {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_near =
            ["", "modules", "worktrees"].contains(&folder.split('/').next().unwrap_or(""));
        return is_near && (could_be(name, "config") || could_be(name, "config.worktree"));
    }
    // `.git*` in a project finds what git ignores by.
    behind(".git").is_some_and(|rest| {
        rest == "config"
            || !rest.is_empty() && word.starts_with(['~', '$']) && could_be(rest, "config")
    })
}

#[cfg(test)]
mod tests {
    use super::names_git_settings;

    #[test]
    fn settings_of_git_are_seen_wherever_a_line_spells_them() {
        for line in [
            "echo .git/config | xargs cat",
            "printf '%s' .git/config | xargs cat",
            "cat ${X:-.git/config}",
            "cat $(echo .git/config)",
            "set -- .git/config; cat $1",
            "for f in .git/*; do cat $f; done",
            "for f in $(ls .git); do cat .git/$f; done",
            "ls .git/* | xargs cat",
            "cat $(git rev-parse --git-path config)",
            "D=$(git rev-parse --git-dir); cat $D/config",
            "cat .git/modules/*/config",
            "echo ~/.gitconfig | xargs cat",
            "for f in ~/.gitc*; do cat $f; done",
            "cat $HOME/.config/git/*",
            "cat $(ls -d ~/.gitc*)",
            "ls -1 .git/* | xargs cat",
            "./x.sh \"$HOME/.config/git/config\"",
        ] {
            assert!(names_git_settings(line), "{line}");
        }
        for line in [
            "find . -not -path './.git/*' | xargs ./x.sh",
            "find . -path ./.git/* -prune -o -print",
            "rg -g '!.git/*' x",
            "tar --exclude=.git/* -cf a.tar .",
            "cat .git/HEAD; ls .git; ls .git/hooks/*",
            "ls -d .git*; cat .gitignore .gitattributes",
            "git config user.name",
            "echo .github/config",
            "./x.sh a.git/config",
        ] {
            assert!(!names_git_settings(line), "{line}");
        }
    }
}
