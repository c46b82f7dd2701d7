//! git: its own options, and those of its commands that run code, use files or addresses.

use super::spec::{OperandSpec::*, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk, WalkOperand, walk as run};
use super::{git_refs, git_shown, words};
use crate::shell::{DoubtReason, FileAccess, Word};

const GET: &str = "get";
const SET: &str = "set";

/// Goes on with the command.
pub(super) fn git(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    tells_of_itself(walk, operands.first().map_or(walk.argv.len(), |first| first.arg));
    let Some(first) = operands.first() else { return };
    let Some(name) = walk.place(first.arg).literal() else {
        return walk.runs(first.arg, DoubtReason::MayBeOption);
    };
    let Some(command) = super::tables().command("git", name) else {
        // An alias of the settings, or a program called `git-…`.
        return walk.runs(first.arg, DoubtReason::UnknownCommand);
    };
    let rest = walk.argv.get(first.arg + 1..).unwrap_or_default();
    if let [only] = rest
        && only.literal() == Some("-h")
        && !command.open
    {
        // Shows how it is called. `--help` is `git help`, which starts a reader of manuals.
        return;
    }
    if let Some(at) = rest.iter().position(|word| word.literal() == Some("--help")) {
        walk.runs(first.arg + 1 + at, DoubtReason::RunsCode);
    }
    let below = run(command, walk.argv, walk.files, first.arg + 1);
    if name == "ls-remote" {
        settings(walk, ArgumentPart { arg: first.arg, skip: 0 });
    }
    if name == "ls-remote" && below.urls.is_empty() {
        walk.runs(first.arg, DoubtReason::Connects);
    }
    walk.add(below);
}

/// `--help` and `--version` are commands, wherever they stand before one: `git --help log` and `git --version --help` are
/// `git help …`, which starts a reader of manuals. `to`: where the options end.
fn tells_of_itself(walk: &mut ArgumentWalk, to: usize) {
    let is = |word: &Word, names: &[&str]| word.literal().is_some_and(|it| names.contains(&it));
    let first = (walk.from..to)
        .find(|at| is(walk.place(*at), &["--help", "-h", "--version", "-v"]))
        .filter(|at| at + 1 < walk.argv.len());
    let Some(first) = first else { return };
    let rest = walk.argv.get(first + 1..).unwrap_or_default();
    let helps = is(walk.place(first), &["--help", "-h"])
        || rest.iter().any(|word| word.literal().is_none_or(|text| text == "--help"));
    if helps {
        walk.runs(first + 1, DoubtReason::RunsCode);
    }
}

/// Goes on with what the first operand says to do: `git stash list`.
pub(super) fn command(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let parent = walk.program.names.first().copied().unwrap_or_default();
    let Some(arg) = operands.first().map(|operand| operand.arg) else {
        if parent == "stash" {
            git_refs::writes_tree(walk);
        }
        return git_shown::before(walk);
    };
    if walk.place(arg.saturating_sub(1)).literal() == Some("--") {
        // `git stash -- file`
        if parent == "stash" {
            git_refs::writes_tree(walk);
        } else {
            walk.runs(arg, DoubtReason::UnknownCommand);
        }
        return operands.iter().for_each(|operand| walk.operand_is(*operand, OperandUse::Read));
    }
    let Some(name) = walk.place(arg).literal() else {
        return walk.runs(arg, DoubtReason::MayBeOption);
    };
    git_refs::acts(walk, parent, name, arg);
    git_shown::before(walk);
    let path = format!("git.{parent}");
    let (command, from) = match super::tables().command(&path, name) {
        Some(command) => (Some(command), arg + 1),
        // `git reflog main` shows.
        None if parent == "reflog" => (super::tables().command(&path, "show"), arg),
        None => (None, arg),
    };
    match command {
        Some(command) => {
            let below = run(command, walk.argv, walk.files, from);
            walk.add(below);
        }
        None => walk.runs(arg, DoubtReason::UnknownCommand),
    }
}

/// Another directory: its settings count, and it may be a repository that came with this one.
pub(super) fn enter(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.enter(part);
    if !matches!(walk.word(part).literal(), Some("." | "./")) {
        walk.runs(part.arg, DoubtReason::Settings);
    }
}

/// Whether a word names a repository by its place, and not by the name of a remote.
fn is_place(word: &Word) -> bool {
    word.literal().is_none_or(|text| text.contains([':', '/', '.']))
}

/// A repository.
pub(super) fn place(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if !is_place(&word) {
        return;
    }
    // `ext::command` is run.
    if word.literal().is_some_and(|text| text.contains("::")) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
    if word.literal().is_some_and(|text| !text.contains(':')) {
        walk.apply(OperandUse::ReadBelow, part, 0);
    } else {
        walk.apply(OperandUse::Url, part, 0);
    }
}

/// A repository, for a command that otherwise does not connect.
pub(super) fn elsewhere(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if is_place(&walk.word(part)) {
        place(walk, part);
    } else {
        walk.runs(part.arg, DoubtReason::Connects);
    }
}

fn places_of(walk: &mut ArgumentWalk, operands: &[WalkOperand]) {
    for operand in operands {
        place(walk, ArgumentPart { arg: operand.arg, skip: 0 });
    }
}

/// A repository that git talks with: in one of this machine the other end runs too, with the settings and hooks of that
/// place.
fn talks_with(walk: &mut ArgumentWalk, arg: usize) {
    let word = walk.place(arg);
    if !is_place(word) {
        // A remote of that name, or else a folder or a bundle.
        return walk.apply(OperandUse::ReadBelow, ArgumentPart { arg, skip: 0 }, 0);
    }
    place(walk, ArgumentPart { arg, skip: 0 });
    if word.literal().is_some_and(|text| text != "." && !text.contains(':')) {
        walk.runs(arg, DoubtReason::Settings);
    }
}

/// The first operand is a repository.
pub(super) fn remote(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    if let Some(first) = operands.first() {
        talks_with(walk, first.arg);
    }
}

/// All operands are repositories.
pub(super) fn remotes(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        talks_with(walk, operand.arg);
    }
}

/// All operands name repositories.
pub(super) fn places(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    places_of(walk, &operands);
}

/// All operands but the first, a name, are repositories.
pub(super) fn second(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    places_of(walk, operands.get(1..).unwrap_or_default());
}

pub(super) fn clone(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return };
    let source = ArgumentPart { arg: first.arg, skip: 0 };
    if is_place(walk.place(first.arg)) {
        place(walk, source);
    } else {
        walk.apply(OperandUse::ReadBelow, source, 0);
    }
    match operands.get(1..) {
        Some([]) | None => {
            let source = walk.place(first.arg);
            let Some(text) = source.literal() else {
                let anywhere = words::unknown(source);
                return walk.path(first.arg, FileAccess::Write, anywhere, true);
            };
            let text = text.trim_end_matches('/').trim_end_matches("/.git");
            let name = text.rsplit(['/', ':']).next().unwrap_or("");
            let name = [".git", ".bundle"]
                .into_iter()
                .fold(name, |name, end| name.strip_suffix(end).unwrap_or(name));
            let bare = walk.kept("bare").is_some().then(|| format!("{name}.git"));
            for name in std::iter::once(name.to_owned()).chain(bare) {
                let target = words::text(source, &name);
                walk.path(first.arg, FileAccess::Write, target, true);
            }
        }
        Some(rest) => {
            rest.iter().for_each(|operand| walk.operand_is(*operand, OperandUse::WriteBelow))
        }
    }
}

pub(super) fn submodule(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    places_of(walk, operands.get(..1).unwrap_or_default());
    for operand in operands.get(1..).unwrap_or_default() {
        walk.operand_is(*operand, OperandUse::WriteBelow);
    }
}

/// A name of a file, or `revision:file`, or a revision, which does not matter then.
pub(super) fn named(walk: &mut ArgumentWalk, part: ArgumentPart, uses: OperandUse) {
    walk.apply(uses, part, 0);
    let word = walk.word(part);
    let text = words::beginning(&word);
    // `:1:file` has two.
    for at in [text.find(':'), text.rfind(':')].into_iter().flatten() {
        walk.apply(uses, ArgumentPart { arg: part.arg, skip: part.skip + at + 1 }, 0);
    }
}

/// Revisions and files.
pub(super) fn revisions(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        named(walk, ArgumentPart { arg: operand.arg, skip: 0 }, OperandUse::Read);
    }
}

/// What an option that gives a message is kept under.
pub(super) const MESSAGE: &str = "message";

/// Files that are taken in, with a message: the editor opens without one.
pub(super) fn commit(walk: &mut ArgumentWalk) {
    if walk.kept(MESSAGE).is_none() {
        walk.unnamable(DoubtReason::Editor);
    }
    takes(walk);
}

/// `--fixup=COMMIT` makes its message. `--fixup=amend:COMMIT` and `reword:COMMIT` open the editor.
pub(super) fn fixup(walk: &mut ArgumentWalk, part: ArgumentPart) {
    match walk.word(part).literal() {
        Some(commit) if !commit.contains(':') => walk.keep(MESSAGE, part),
        _ => walk.runs(part.arg, DoubtReason::Editor),
    }
}

/// Files that are taken in.
pub(super) fn takes(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        git_shown::taken(walk, operand, OperandUse::Read);
    }
}

/// `1,5:file`, `:function:file`
pub(super) fn range(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    match words::beginning(&word).rfind(':') {
        Some(at) => walk.apply(
            OperandUse::Read,
            ArgumentPart { arg: part.arg, skip: part.skip + at + 1 },
            0,
        ),
        None if word.literal().is_none() => walk.apply(OperandUse::Read, part, 0),
        None => {}
    }
}

/// A format, or a key to sort by. What tells about signatures runs gpg: `%G?`, `%+GK`, `%(signature:grade)`. The name of a
/// remote may be its address: `%(push:remotename)`.
pub(super) fn signs(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let signs = |text: &str| {
        let of_commits = text
            .split('%')
            .skip(1)
            .any(|rest| rest.trim_start_matches(['+', '-', ' ']).starts_with('G'));
        of_commits || text.contains("signature")
    };
    let word = walk.word(part);
    if word.literal().is_none_or(signs) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
    if word.literal().is_none_or(|text| text.contains("remotename")) {
        settings(walk, part);
    }
    // All that a tag holds, which may be a file of any commit.
    if word.literal().is_some_and(|text| text.contains("%(") && text.contains("raw")) {
        walk.runs(part.arg, DoubtReason::ShowsSecrets);
    }
}

/// How merges are shown. What makes them anew runs merge drivers.
pub(super) fn merges(walk: &mut ArgumentWalk, part: ArgumentPart) {
    const PLAIN: &[&str] = &[
        "off",
        "none",
        "on",
        "m",
        "first-parent",
        "1",
        "separate",
        "combined",
        "c",
        "dense-combined",
        "cc",
    ];
    if walk.word(part).literal().is_none_or(|text| !PLAIN.contains(&text)) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// Another strategy than git's own is a program.
pub(super) fn strategy(walk: &mut ArgumentWalk, part: ArgumentPart) {
    const OWN: &[&str] = &["ort", "recursive", "resolve", "octopus", "ours", "subtree"];
    if walk.word(part).literal().is_none_or(|text| !OWN.contains(&text)) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// The patches say what is written, and ask what is in it: one that fits tells that.
pub(super) fn apply(walk: &mut ArgumentWalk) {
    git_shown::everything(walk, ArgumentPart { arg: 0, skip: 0 });
    walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
    walk.here(OperandUse::WriteBelow);
}

/// Patches are written here, unless an option says where.
pub(super) fn patches(walk: &mut ArgumentWalk) {
    walk.operands.clear();
    git_shown::everything(walk, ArgumentPart { arg: 0, skip: 0 });
    walk.here(OperandUse::WriteBelow);
}

/// What follows `--` is overwritten, or taken back; before it there can be a branch, or a file.
pub(super) fn paths(walk: &mut ArgumentWalk) {
    from_tree(walk);
    writes(walk);
}

/// The first operand may be a tree from which the others are taken: before `--` it is one, else where it is no name of a file.
fn from_tree(walk: &mut ArgumentWalk) {
    let Some(first) = walk.operands.first().map(|operand| operand.arg) else { return };
    let dashes = walk.argv.iter().position(|word| word.literal() == Some("--"));
    let is_id = |text: &str| text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let may_be = |text: &str| text.contains(':') || is_id(text);
    let is_tree = match dashes {
        Some(at) => first < at && at + 1 < walk.argv.len(),
        None => walk.operands.len() > 1 && walk.place(first).literal().is_none_or(may_be),
    };
    if is_tree {
        git_shown::source(walk, ArgumentPart { arg: first, skip: 0 });
    }
}

/// Files that are written, or deleted: git itself looks for what a pattern in quotes finds, and `:` is all there is.
pub(super) fn writes(walk: &mut ArgumentWalk) {
    for operand in walk.operands.clone() {
        let begins = words::beginning(walk.place(operand.arg));
        if begins.starts_with(':') {
            walk.runs(operand.arg, DoubtReason::NotUnderstood);
        }
        if begins.starts_with(':') || begins.contains(git_shown::is_special) {
            let here = words::text(walk.place(operand.arg), ".");
            walk.path(operand.arg, FileAccess::Write, here, true);
        }
    }
    walk.lay_out(All(OperandUse::Write), walk.program.here);
}

/// Files that git has, which are written under their names or under others.
pub(super) fn copied(walk: &mut ArgumentWalk) {
    for operand in walk.operands.clone() {
        git_shown::taken(walk, operand, OperandUse::Read);
    }
    writes(walk);
}

pub(super) fn bisect(walk: &mut ArgumentWalk) {
    let Some(first) = walk.operands.first().map(|operand| walk.place(operand.arg)) else { return };
    match first.literal() {
        None | Some("run" | "visualize" | "view") => super::editors::whole(walk),
        Some("log" | "terms" | "help") => walk.operands.clear(),
        // Another commit is checked out.
        Some("replay") => {
            git_refs::writes_tree(walk);
            walk.lay_out(First(OperandUse::Nothing, OperandUse::Read), OperandUse::Nothing);
        }
        Some(_) => {
            git_refs::writes_tree(walk);
            walk.operands.clear();
        }
    }
}

/// Files of the work tree come and go.
pub(super) fn sparse(walk: &mut ArgumentWalk) {
    walk.operands.clear();
    git_refs::writes_tree(walk);
}

/// Settings of the repository are shown.
pub(super) fn settings(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.runs(part.arg, DoubtReason::ShowsSettings);
}

/// Whether the setting of this name holds no address, and no secret.
fn is_open(name: &str) -> bool {
    const SECTIONS: &[&str] = &[
        "user",
        "author",
        "committer",
        "core",
        "init",
        "color",
        "commit",
        "pull",
        "diff",
        "merge",
        "rebase",
        "log",
        "format",
        "tag",
        "status",
        "fetch",
        "rerere",
        "grep",
        "blame",
        "column",
    ];
    let section = name.split('.').next().unwrap_or_default();
    SECTIONS.iter().any(|known| known.eq_ignore_ascii_case(section))
}

/// Setting anything can decide what git runs from then on. What is read is shown, unless its name says that it holds no secret.
pub(super) fn config(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let first = operands.first().map(|operand| operand.arg);
    let several = operands.iter().any(|operand| walk.place(operand.arg).splits());
    let reads = match first.and_then(|arg| walk.place(arg).literal().map(|name| (arg, name))) {
        _ if walk.kept(SET).is_some() || several => false,
        Some((arg, name @ ("get" | "list"))) => {
            // To older versions it is the name of a setting, and no valid one.
            match super::tables().command("git.config", name) {
                Some(command) => {
                    let below = run(command, walk.argv, walk.files, arg + 1);
                    walk.add(below);
                    true
                }
                None => false,
            }
        }
        Some((_, "edit" | "set" | "unset" | "rename-section" | "remove-section")) => false,
        _ if walk.kept(GET).is_some() => true,
        _ => operands.len() < 2,
    };
    if !reads {
        walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::Settings);
    }
    let names: Vec<_> = operands.iter().map(|operand| walk.place(operand.arg).literal()).collect();
    let names = names.strip_prefix(&[Some("get")]).unwrap_or(&names);
    let open =
        |name: &Option<&str>| name.is_some_and(|name| name.starts_with('-') || is_open(name));
    let all_open = !names.is_empty() && names.iter().all(open);
    if reads && (!all_open || walk.kept("shows").is_some()) {
        settings(walk, ArgumentPart { arg: first.unwrap_or(walk.from), skip: 0 });
    }
}

/// Its extensions and aliases run code; `gh api` sends to an address.
pub(super) fn hub(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = |at: usize| {
        operands.get(at).and_then(|operand: &WalkOperand| walk.place(operand.arg).literal())
    };
    match (name(0), name(1)) {
        (Some("alias"), Some("set" | "import"))
        | (Some("extension" | "ext"), Some("install" | "exec" | "upgrade")) => {
            super::editors::whole(walk);
        }
        (Some("config"), Some("set")) => {
            walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::Settings)
        }
        _ => {}
    }
}

/// What is added, with all below it; without a name the whole work tree, where an option says so.
pub(super) fn adds(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    for operand in &operands {
        git_shown::taken(walk, *operand, OperandUse::ReadBelow);
    }
    if operands.is_empty() && walk.kept("all").is_some() {
        walk.here(OperandUse::ReadBelow);
    }
}

/// What stands before the names of files: they are written into its folder, and their names go on from its last one.
pub(super) fn prefix(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let target = match word.literal().map(|text| text.rsplit_once('/')) {
        Some(Some((folder, _))) => words::text(&word, if folder.is_empty() { "/" } else { folder }),
        Some(None) => words::text(&word, "."),
        None => words::unknown(&word),
    };
    walk.path(part.arg, FileAccess::Write, target, true);
}

/// Revisions that are brought into the work tree.
pub(super) fn brought(walk: &mut ArgumentWalk) {
    picks(walk);
    git_refs::rewrites(walk);
}

/// Revisions. What stands behind `--` is read as an option of the revisions all the same.
pub(super) fn picks(walk: &mut ArgumentWalk) {
    walk.operands.clear();
    if let Some(at) = walk.argv.iter().position(|word| word.literal() == Some("--")) {
        walk.runs(at, DoubtReason::MayBeOption);
    }
}
