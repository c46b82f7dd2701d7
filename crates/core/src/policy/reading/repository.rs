//! What git would find in a folder, and whether its settings name a program.

use crate::path::{DirListing, FileLookup, PathContext, PathError, fold, is_below, locate};

/// The most folders above each other that are looked at.
const MAX_DEPTH: usize = 64;

/// The longest file of settings that is read, in bytes.
const MOST_TEXT: usize = 1 << 16;

/// The longest file that git takes for the place of a repository, in bytes.
const MOST_GIT_FILE: usize = 1 << 20;

/// What git finds as it looks from a folder upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::policy) enum FoundRepository {
    /// No repository.
    Nothing,
    /// One that names no program: of commands that look, git runs nothing there.
    Plain,
    /// One that may name a program.
    Some,
    /// Perhaps one that came as plain files: a `HEAD`, `objects` and `refs` beside each other, as any clone can bring them.
    Hidden,
}

/// What git sees in one folder.
pub(in crate::policy) enum SeenFolder {
    Nothing,
    /// A repository that is kept there, as a file says that a worktree or a submodule has.
    Linked(String),
    /// A repository, in `.git`.
    Own,
    /// An invalid `.git`: git looks further.
    Husk,
    /// One whose place is no text, or can be read in two ways.
    Untold,
}

/// What git sees in this folder. Most are seen by two looks.
pub(in crate::policy) fn seen(
    folder: &str, files: &dyn FileLookup,
) -> Result<SeenFolder, PathError> {
    let git = format!("{folder}/.git");
    let place = |place: Option<&str>| match place {
        Some(place) => SeenFolder::Linked(place.to_owned()),
        None => SeenFolder::Untold,
    };
    if files.has(&format!("{git}/HEAD"))? {
        return Ok(match files.read_link(&git)? {
            Some(target) => place(target.to_str()),
            None => SeenFolder::Own,
        });
    }
    if !files.has(&git)? {
        return Ok(SeenFolder::Nothing);
    }
    if let Some(text) = files.text(&git, MOST_TEXT) {
        let Some(there) = text.strip_prefix("gitdir:") else { return Ok(SeenFolder::Husk) };
        // git takes all behind one blank for the name: blanks around it make another one.
        let exact = there.strip_prefix(' ').map(without_line_end);
        return Ok(place(exact.filter(|exact| *exact == there.trim())));
    }
    // A folder is no file.
    let is_file = files.bytes(&git, MOST_GIT_FILE).is_some();
    Ok(if is_file { SeenFolder::Untold } else { SeenFolder::Husk })
}

/// The text of a file that holds a name, as git reads it.
fn without_line_end(text: &str) -> &str {
    text.trim_end_matches(['\n', '\r'])
}

/// The repository that a link from this folder leads to.
pub(in crate::policy) fn linked(folder: &str, there: String) -> String {
    if there.starts_with('/') { there } else { format!("{folder}/{there}") }
}

/// Whether a link from this folder leads to a folder that somebody may have brought: one that lies in the same folder, or in
/// one of those that the call is about, and not in a `.git`. git itself puts a worktree's and a submodule's into the
/// repository that they belong to.
fn is_brought(
    folder: &str, there: String, roots: &[String], files: &dyn FileLookup,
) -> Result<bool, PathError> {
    let from = PathContext { cwd: folder.to_owned(), ..PathContext::default() };
    let real = locate(&there, &from, files)?.real;
    let near = || std::iter::once(folder).chain(roots.iter().map(String::as_str));
    for root in near() {
        let kept = format!("{}/.git", root.trim_end_matches('/'));
        if is_below(&real, &kept) && files.read_link(&kept)?.is_none() {
            return Ok(false);
        }
    }
    // Of a volume that tells no cases apart a folder has many names.
    let real = fold(&real);
    Ok(near().any(|root| is_below(&real, &fold(root))))
}

/// Whether a repository holds nothing yet: no branch, and no object that something else than a branch may lead to.
pub(in crate::policy) fn is_unborn(git: &str, files: &dyn FileLookup) -> bool {
    let holds_only = |folder: &str, known: &[&str]| {
        match files.list(&format!("{git}/{folder}"), known.len() + 1) {
            DirListing::Names(names) => names.iter().all(|it| known.contains(&it.name.as_str())),
            // Without files at hand, what is said of paths holds.
            DirListing::Unknown => true,
            DirListing::TooMany => false,
        }
    };
    holds_only("refs/heads", &[])
        && holds_only("objects", &["info", "pack"])
        && holds_only("objects/info", &[])
        && holds_only("objects/pack", &[])
        // A worktree has the objects of the repository that it belongs to.
        && !["packed-refs", "commondir"]
            .iter()
            .any(|name| files.has(&format!("{git}/{name}")).unwrap_or(true))
}

/// The folder of this absolute path, and those above it; `None` behind the most that are looked at.
pub(in crate::policy) fn upwards(path: &str) -> impl Iterator<Item = Option<&str>> {
    let folders = std::iter::successors(Some(path.trim_end_matches('/')), |path| {
        path.rsplit_once('/').map(|(above, _)| above)
    });
    folders.enumerate().map(|(depth, folder)| (depth < MAX_DEPTH).then_some(folder))
}

/// The folder below one of these in which git finds its repository from this absolute path upwards: not the one that the
/// call is about, but one that lies in it.
pub(super) fn is_nested(
    path: &str, roots: &[String], files: &dyn FileLookup,
) -> Result<bool, PathError> {
    let Some((top, _)) = work_tree(path, files)? else { return Ok(false) };
    Ok(!roots.contains(&top) && roots.iter().any(|root| is_below(&top, root)))
}

/// What git finds from this absolute path upwards.
pub(super) fn found(path: &str, files: &dyn FileLookup) -> Result<FoundRepository, PathError> {
    let mut found = FoundRepository::Nothing;
    for folder in upwards(path) {
        let Some(folder) = folder else { return Ok(FoundRepository::Hidden) };
        let seen = seen(folder, files)?;
        if let SeenFolder::Linked(_) | SeenFolder::Untold = seen {
            return Ok(FoundRepository::Some);
        }
        if !matches!(seen, SeenFolder::Nothing) {
            let plain = is_plain(&format!("{folder}/.git"), files);
            found = found.max(if plain { FoundRepository::Plain } else { FoundRepository::Some });
        }
        if let SeenFolder::Own = seen {
            return Ok(found);
        }
        if files.has(&format!("{folder}/HEAD"))? {
            return Ok(FoundRepository::Hidden);
        }
    }
    Ok(found)
}

/// Whether what git finds from this absolute path upwards may be one that came as plain files ([`FoundRepository::Hidden`]):
/// with the fewest looks. `roots`, the folders that the call is about, are asked for where a link leads to a repository.
pub(super) fn is_hidden(
    path: &str, roots: impl Fn() -> Result<Vec<String>, PathError>, files: &dyn FileLookup,
) -> Result<bool, PathError> {
    for folder in upwards(path) {
        let Some(folder) = folder else { return Ok(true) };
        match seen(folder, files)? {
            SeenFolder::Own => return Ok(false),
            SeenFolder::Linked(there) => return is_brought(folder, there, &roots()?, files),
            SeenFolder::Untold => return Ok(true),
            SeenFolder::Nothing | SeenFolder::Husk => {}
        }
        if files.has(&format!("{folder}/HEAD"))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The folder of the work tree that git finds from this absolute path upwards, and the one that it keeps its own files in.
pub(in crate::policy) fn work_tree(
    path: &str, files: &dyn FileLookup,
) -> Result<Option<(String, String)>, PathError> {
    for folder in upwards(path).map_while(|folder| folder) {
        let git = match seen(folder, files)? {
            SeenFolder::Nothing | SeenFolder::Husk => continue,
            SeenFolder::Own => format!("{folder}/.git"),
            SeenFolder::Linked(there) => linked(folder, there),
            SeenFolder::Untold => {
                return Err(PathError::Unreadable(format!(
                    "{folder}/.git: it cannot be told where it leads"
                )));
            }
        };
        return Ok(Some((folder.to_owned(), git)));
    }
    Ok(None)
}

/// Whether a repository is here, in one of the ways in which git takes a name for one: a folder, or a file that leads to one.
pub(super) fn is_repository(path: &str, files: &dyn FileLookup) -> Result<bool, PathError> {
    for end in ["/.git", "/HEAD", ".git/HEAD", ".git/.git"] {
        if files.has(&format!("{path}{end}"))? {
            return Ok(true);
        }
    }
    let mut files_there = ["", ".git"].into_iter().map(|end| format!("{path}{end}"));
    Ok(files_there.any(|file| {
        files.bytes(&file, MOST_GIT_FILE).is_some_and(|text| text.starts_with(b"gitdir:"))
    }))
}

/// Whether this word surely names a commit, or one file of a commit by its path: then the path.
///
/// A branch is one, by all ways in which git makes it. A tag may be a file, and so may an id.
pub(super) fn names_commit<'w>(
    word: &'w str, git: &str, files: &dyn FileLookup,
) -> Option<Option<&'w str>> {
    let (revision, path) = match word.split_once(':') {
        None => (word, None),
        // `:file` and `:1:file` are of the index.
        Some(("", rest)) => {
            let path =
                rest.strip_prefix(['0', '1', '2', '3']).and_then(|rest| rest.strip_prefix(':'));
            return Some(Some(path.unwrap_or(rest)));
        }
        Some((revision, path)) => (revision, Some(path)),
    };
    // `..` stands in no name.
    let mut ends = revision.split("...").flat_map(|part| part.split(".."));
    let common = common_dir(git, files);
    ends.all(|end| {
        let name = end.strip_prefix('^').unwrap_or(end);
        let name = without_steps(name);
        name.is_some_and(|name| is_branch(name, git, &common, files))
    })
    .then_some(path)
}

/// A revision without what leads from it to other commits: `~2`, `^`, `^!`, `@{1}`, `^{commit}`.
fn without_steps(revision: &str) -> Option<&str> {
    let end = revision.find(['~', '^']).unwrap_or(revision.len());
    let end = revision.find("@{").map_or(end, |at| at.min(end));
    let (name, mut steps) = revision.split_at_checked(end)?;
    while !steps.is_empty() {
        let next = ["^{commit}", "^{}"].iter().find_map(|step| steps.strip_prefix(step));
        steps = if let Some(next) = next {
            next
        } else if let Some(rest) = steps.strip_prefix("@{") {
            rest.split_once('}').filter(|(inner, _)| !inner.contains('{'))?.1
        } else {
            let rest = steps.strip_prefix(['~', '^'])?;
            let rest = rest.strip_prefix(['!', '@', '-']).unwrap_or(rest);
            rest.trim_start_matches(|char: char| char.is_ascii_digit())
        };
    }
    Some(name)
}

/// Whether git takes this for a branch, and for nothing else before it.
fn is_branch(name: &str, git: &str, common: &str, files: &dyn FileLookup) -> bool {
    /// What git alone keeps there.
    const STATES: &[&str] = &["ORIG_HEAD", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
    const MOST_REFS: usize = 1 << 22;
    let is_id = |text: &str| {
        matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let text = |file: String| files.text(&file, MOST_TEXT).map(|text| text.trim_end().to_owned());
    if matches!(name, "" | "@" | "HEAD") {
        let head = text(format!("{git}/HEAD"));
        return head.is_some_and(|head| is_id(&head) || head.starts_with("ref: refs/heads/"));
    }
    if STATES.contains(&name) {
        return text(format!("{git}/{name}")).is_some_and(|id| is_id(&id));
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/_-.+#".contains(&byte);
    if !name.bytes().all(plain) || name.starts_with(['/', '-', '.']) || is_id(name) {
        return false;
    }
    let packed_file = format!("{common}/packed-refs");
    let packed = match files.text(&packed_file, MOST_REFS) {
        None if files.has(&packed_file) != Ok(false) => return false,
        packed => packed.unwrap_or_default(),
    };
    let is_packed = |name: &str| {
        packed.lines().any(|line| line.split_once(' ').is_some_and(|(_, known)| known == name))
    };
    let kept = |name: &str| text(format!("{common}/{name}"));
    let is_taken =
        |name: &str| files.has(&format!("{common}/{name}")) != Ok(false) || is_packed(name);
    // In the order in which git looks.
    let before = ["refs/", "refs/tags/"].iter().any(|folder| is_taken(&format!("{folder}{name}")));
    if before && name != "stash" || files.has(&format!("{git}/{name}")) != Ok(false) {
        return false;
    }
    let leads = |text: &str| {
        is_id(text)
            || text.starts_with("ref: refs/heads/")
            || text.starts_with("ref: refs/remotes/")
    };
    let names = [
        format!("refs/heads/{name}"),
        format!("refs/remotes/{name}"),
        format!("refs/remotes/{name}/HEAD"),
    ];
    let is_one = |name: &String| kept(name).is_some_and(|text| leads(&text)) || is_packed(name);
    name == "stash" && kept("refs/stash").is_some_and(|id| is_id(&id)) || names.iter().any(is_one)
}

/// The folder of what all work trees of a repository have in common.
pub(in crate::policy) fn common_dir(git: &str, files: &dyn FileLookup) -> String {
    match files.text(&format!("{git}/commondir"), MOST_TEXT) {
        Some(common) => linked(git, without_line_end(&common).to_owned()),
        None => git.to_owned(),
    }
}

/// The settings of this repository, where they may hold a secret, or not all of them are known.
pub(super) fn secret_settings(git: &str, files: &dyn FileLookup) -> Option<String> {
    // A worktree has the settings of the repository that it belongs to.
    let settings = format!("{}/config", common_dir(git, files));
    let text = files.text(&settings, MOST_TEXT);
    text.is_none_or(|text| goes_on_elsewhere(&text) || holds_secrets(&text)).then_some(settings)
}

/// Whether this file of settings may hold a secret.
pub(in crate::policy) fn tells_secret(file: &str, files: &dyn FileLookup) -> bool {
    files.text(file, MOST_TEXT).is_none_or(|text| holds_secrets(&text))
}

/// Whether these settings hold a secret: an address with a name that may be a password, or a header, a token, a password.
fn holds_secrets(settings: &str) -> bool {
    const WORDS: &[&str] = &["extraheader", "authorization", "password", "passwd", "cookie"];
    const ENDS: &[&str] = &["token", "secret", "apikey"];
    settings.lines().any(|line| {
        let lower = line.to_ascii_lowercase();
        let (key, _) = lower.split_once('=').unwrap_or((&lower, ""));
        // In the query of an address, too: `?access_token=`.
        let asks =
            |end: &&str| key.trim_end().ends_with(*end) || lower.contains(&format!("{end}="));
        line.match_indices("://").any(|(at, _)| line.get(at..).is_some_and(names_somebody))
            || WORDS.iter().any(|word| lower.contains(word))
            || ENDS.iter().any(asks)
    })
}

/// Whether these settings continue in another file.
fn goes_on_elsewhere(settings: &str) -> bool {
    let settings = settings.to_ascii_lowercase();
    settings.contains("[include") || settings.contains("worktreeconfig")
}

/// `https://NAME:PASSWORD@HOST`, `https://TOKEN@HOST`; `git` is the name that everybody has.
fn names_somebody(address: &str) -> bool {
    let Some((_, rest)) = address.split_once("://") else { return false };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.rsplit_once('@').is_some_and(|(name, _)| name != "git")
}

/// Whether there are no hooks, and no settings but those that name no program: here, and not in a folder that git is sent to.
pub(super) fn is_plain(git: &str, files: &dyn FileLookup) -> bool {
    if files.has(&format!("{git}/commondir")).unwrap_or(true) {
        return false;
    }
    let samples = match files.list(&format!("{git}/hooks"), 64) {
        DirListing::Names(names) => names.iter().all(|hook| hook.name.ends_with(".sample")),
        DirListing::Unknown | DirListing::TooMany => false,
    };
    samples
        && files
            .text(&format!("{git}/config"), MOST_TEXT)
            .is_some_and(|text| names_no_program(&text))
}

fn names_no_program(config: &str) -> bool {
    let mut section = String::new();
    config.lines().map(str::trim).all(|line| {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return true;
        }
        if let Some(header) = line.strip_prefix('[') {
            // What follows on the line would be a setting.
            let Some(name) = header.strip_suffix(']').filter(|name| !name.contains(']')) else {
                return false;
            };
            section = name.split([' ', '\t', '"', '.']).next().unwrap_or("").to_ascii_lowercase();
            return true;
        }
        let (key, value) = line.split_once('=').unwrap_or((line, ""));
        let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
        // A value that goes on in the next line is not read here.
        !value.ends_with('\\') && is_harmless(&section, &key, value)
    })
}

/// Whether a setting decides nothing that runs where git only looks.
fn is_harmless(section: &str, key: &str, value: &str) -> bool {
    match section {
        "core" if key == "bare" => value.eq_ignore_ascii_case("false"),
        "core" => matches!(
            key,
            "repositoryformatversion"
                | "filemode"
                | "logallrefupdates"
                | "ignorecase"
                | "precomposeunicode"
                | "symlinks"
                | "autocrlf"
                | "eol"
                | "safecrlf"
                | "quotepath"
        ),
        "remote" => {
            matches!(key, "url" | "pushurl" | "fetch" | "push" | "tagopt" | "prune" | "gh-resolved")
        }
        "submodule" => matches!(key, "url" | "active"),
        "user" => matches!(key, "name" | "email"),
        "branch" | "color" | "pull" | "push" | "init" | "fetch" => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Whether a name is there cannot be told; all else is as in a repository that was just made.
    struct Troubled;

    impl FileLookup for Troubled {
        fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
            Ok(None)
        }

        fn is_case_sensitive(&self, _path: &str) -> bool {
            true
        }

        fn list(&self, _dir: &str, _most: usize) -> DirListing {
            DirListing::Names(Vec::new())
        }

        fn has(&self, path: &str) -> Result<bool, PathError> {
            Err(PathError::Unreadable(format!("{path}: an input or output error")))
        }

        fn text(&self, _path: &str, _most: usize) -> Option<String> {
            Some("[core]\n\tbare = false\n".to_owned())
        }
    }

    #[test]
    fn where_the_disk_answers_with_an_error_a_repository_is_neither_plain_nor_without_commits() {
        assert!(!is_plain("/p/.git", &Troubled));
        assert!(!is_unborn("/p/.git", &Troubled));
    }

    #[test]
    fn an_address_may_hold_a_password() {
        for (address, expected) in [
            ("https://u:hunter2@example.com/x", true),
            ("https://ghp_token@github.com/x", true),
            ("https://github.com/a@b/x", false),
            ("ssh://git@github.com/x", false),
            ("git@github.com:a/b", false),
            ("https://github.com/a/b", false),
        ] {
            assert_eq!(names_somebody(address), expected, "{address}");
        }
    }

    #[test]
    fn settings_that_are_not_known_to_name_no_program_may() {
        let plain = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n# x\n[remote \"origin\"]\n\t\
            url = git@example.com:a/b\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n";
        assert!(names_no_program(plain));
        for more in [
            "[core]\n\tfsmonitor = touch x\n",
            "[core] fsmonitor = touch x\n",
            "[CORE]\nFSMonitor=x\n",
            "[core]\n\tbare = true\n",
            "[core]\n\tworktree = ..\n",
            "[core]\n\thooksPath = x\n",
            "[core]\n\teol = lf\\\n",
            "[diff]\n\texternal = x\n",
            "[diff \"x\"]\n\ttextconv = x\n",
            "[diff.x]\n\ttextconv = x\n",
            "[filter \"x\"]\n\tclean = x\n",
            "[alias]\n\tstatus = !x\n",
            "[include]\n\tpath = x\n",
            "[includeIf \"gitdir:/\"]\n\tpath = x\n",
            "[extensions]\n\tworktreeConfig = true\n",
            "[remote \"origin\"]\n\tpromisor = true\n",
            "[remote \"origin\"]\n\tuploadpack = x\n",
            "[log]\n\tshowSignature = true\n",
            "[submodule \"x\"]\n\tupdate = !x\n",
            "[core]]\n\tfsmonitor = x\n",
            "[user]\n\tsigningkey = x\n",
        ] {
            assert!(!names_no_program(&format!("{plain}{more}")), "{more}");
        }
    }
}
