//! git: its own options, and those of its subcommands that run code, use files or addresses.

use std::sync::LazyLock;

use super::index;
use super::spec::{Dynamic, Operands::*, Program, Row, Style, Use, flags, maybe, value};
use super::walk::{Part, Walk, walk as run};
use super::words;
use crate::shell::{Access, Why};

/// Read-only use of files, with what can come before a name (`HEAD:file`).
const REVISIONS: super::spec::Operands = Look(revisions);

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["git"], Look(git)).style(Style::Leading).dynamic(Dynamic::Leading).closed().rows(&[
        value("c", "config-env", Use::Runs),
        // Settings and hooks of another place.
        value("", "git-dir super-prefix", Use::Runs),
        maybe("", "exec-path", Use::Runs),
        value("C", "work-tree", Use::Base),
        value("", "namespace attr-source list-cmds shallow-file", Use::Nothing),
        flags(
            "pPhv",
            "paginate no-pager help version html-path man-path info-path bare no-replace-objects no-lazy-fetch \
             no-optional-locks no-advice literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs",
            Use::Nothing,
        ),
    ]),
    Program::new(&["hg", "svn", "bzr", "fossil", "jj"], All(Use::Nothing)).dynamic(Dynamic::Splitting).rows(&[
        value("", "config config-option config-file config-toml config-dir editor-cmd diff-cmd diff3-cmd", Use::Runs),
        value("R", "repository cwd", Use::Runs),
        value("F", "file", Use::Read),
    ]),
    Program::new(&["gh", "glab", "hub"], Look(hub)).dynamic(Dynamic::Splitting).rows(&[
        value("F", "body-file notes-file input", Use::Read),
        value("D", "dir", Use::WriteBelow),
        value("O", "output", Use::Write),
        value("Rtb", "repo title body", Use::Nothing),
    ]),
];

const REMOTE_PROGRAMS: Row = value("", "upload-pack receive-pack exec", Use::Runs);

/// Subcommands.
static SUBCOMMANDS: &[Program] = &[
    Program::new(&["clone"], Look(clone)).dynamic(Dynamic::Splitting).rows(&[
        value("uc", "upload-pack config", Use::Runs),
        // Hooks are copied from it.
        value("", "template", Use::Runs),
        value("", "reference reference-if-able", Use::Read),
        value("", "separate-git-dir", Use::Write),
        value("", "bundle-uri", Use::Url),
        value("boj", "branch revision origin jobs depth shallow-since shallow-exclude server-option filter ref-format", Use::Nothing),
        maybe("", "recurse-submodules recursive", Use::Nothing),
    ]),
    Program::new(&["fetch", "pull", "push", "ls-remote", "fetch-pack", "send-pack"], Look(remote))
        .dynamic(Dynamic::Splitting)
        .rows(&[
            REMOTE_PROGRAMS,
            value("", "repo", Use::Look(place)),
            value("ojsX", "push-option server-option jobs depth deepen shallow-since shallow-exclude refmap negotiation-tip \
                           sort strategy strategy-option filter", Use::Nothing),
            maybe("rS", "rebase recurse-submodules force-with-lease signed gpg-sign", Use::Nothing),
        ]),
    Program::new(&["archive"], All(Use::Nothing)).dynamic(Dynamic::Splitting).rows(&[
        value("", "exec", Use::Runs),
        value("", "remote", Use::Look(place)),
        value("o", "output", Use::Write),
        value("", "add-file", Use::Read),
    ]),
    Program::new(&["grep"], First(Use::Nothing, Use::Read)).here(Use::ReadBelow).recursive().dynamic(Dynamic::Splitting).rows(&[
        maybe("O", "open-files-in-pager", Use::Runs),
        value("e", "", Use::Settles),
        value("f", "", Use::SettlesRead),
        value("ABCm", "after-context before-context context max-depth max-count threads", Use::Nothing),
    ]),
    Program::new(&["rebase"], All(Use::Nothing)).dynamic(Dynamic::Splitting).rows(&[
        value("x", "exec", Use::Runs),
        value("sXC", "onto strategy strategy-option", Use::Nothing),
    ]),
    Program::new(&["difftool", "mergetool"], All(Use::Read)).dynamic(Dynamic::Splitting).rows(&[
        value("xt", "extcmd tool", Use::Runs),
    ]),
    Program::new(&["diff", "diff-files", "diff-index", "diff-tree", "range-diff"], REVISIONS).dynamic(Dynamic::Splitting).rows(DIFF),
    Program::new(&["log", "show", "whatchanged", "shortlog", "reflog", "rev-list", "stash"], REVISIONS)
        .dynamic(Dynamic::Splitting)
        .rows(DIFF),
    Program::new(&["format-patch"], All(Use::Nothing)).dynamic(Dynamic::Splitting).here(Use::Write).rows(&[
        value("o", "output-directory output", Use::Write),
        value("", "signature-file", Use::Read),
        flags("", "ext-diff", Use::Runs),
        value("vU", "subject-prefix reroll-count start-number suffix", Use::Nothing),
    ]),
    Program::new(&["cat-file", "blame", "annotate", "ls-tree", "ls-files", "check-ignore", "check-attr"], REVISIONS)
        .dynamic(Dynamic::Splitting)
        .rows(&[value("", "contents ignore-revs-file exclude-from", Use::Read), flags("", "filters textconv", Use::Nothing)]),
    Program::new(&["hash-object", "add", "stage", "update-index"], All(Use::Read))
        .rows(&[value("", "pathspec-from-file", Use::Read), value("", "chmod cacheinfo", Use::Nothing)]),
    Program::new(&["commit", "tag", "notes", "merge", "cherry-pick", "revert", "am"], All(Use::Nothing)).rows(&[
        value("Ft", "file template pathspec-from-file", Use::Read),
        value("mCcsXu", "message reuse-message reedit-message author date trailer cleanup strategy fixup squash", Use::Nothing),
        maybe("S", "gpg-sign", Use::Nothing),
    ]),
    Program::new(&["clean"], All(Use::Write)).recursive().here(Use::WriteBelow).rows(&[value("e", "exclude", Use::Nothing)]),
    Program::new(&["rm", "restore"], All(Use::Write)).recursive().rows(&[
        value("", "pathspec-from-file", Use::Read),
        value("se", "source exclude", Use::Nothing),
    ]),
    Program::new(&["mv"], Copy(Use::Change)).recursive(),
    Program::new(&["checkout", "switch", "reset"], Look(checkout)).recursive().rows(&[
        value("", "pathspec-from-file", Use::Read),
        value("bBcC", "orphan conflict create force-create", Use::Nothing),
    ]),
    Program::new(&["apply"], Look(apply)).rows(&[
        value("", "build-fake-ancestor", Use::Write),
        value("pC", "exclude include whitespace directory", Use::Nothing),
    ]),
    Program::new(&["init"], All(Use::WriteBelow)).dynamic(Dynamic::Splitting).rows(&[
        value("", "template", Use::Runs),
        value("", "separate-git-dir", Use::Write),
        value("b", "initial-branch object-format ref-format", Use::Nothing),
        maybe("", "shared", Use::Nothing),
    ]),
    Program::new(&["worktree"], Look(worktree)).rows(&[value("bB", "reason", Use::Nothing)]),
    Program::new(&["submodule"], Look(submodule)).dynamic(Dynamic::Splitting).rows(&[
        value("b", "branch name depth jobs", Use::Nothing),
        value("", "reference", Use::Read),
    ]),
    Program::new(&["remote"], Look(remotes)).rows(&[value("tm", "", Use::Nothing)]),
    Program::new(&["bisect"], Look(bisect)),
    Program::new(&["config"], Look(config)).dynamic(Dynamic::Splitting).rows(&[
        value("f", "file blob", Use::Read),
        flags("", "get get-all get-regexp get-urlmatch get-color get-colorbool", Use::Keep(GET)),
        flags("l", "list", Use::Keep(GET)),
        value("", "type default comment value", Use::Nothing),
        flags("z", "bool int bool-or-int path expiry-date null name-only show-origin show-scope local global system worktree \
                    includes no-includes all regexp", Use::Nothing),
        flags("", "add unset unset-all replace-all rename-section remove-section", Use::Keep(SET)),
        flags("e", "edit", Use::Keep(SET)),
    ]),
    Program::new(&["bundle"], All(Use::Change)),
    Program::new(&["send-email"], All(Use::Read)).rows(&[
        value("", "smtp-server sendmail-cmd to-cmd cc-cmd header-cmd validate", Use::Runs),
    ]),
    Program::new(
        &[
            "filter-branch", "instaweb", "daemon", "svn", "p4", "cvsserver", "shell", "remote-ext", "remote-fd", "credential",
            "web--browse", "citool", "gui", "for-each-repo", "hook", "upload-pack", "receive-pack", "upload-archive",
            "credential-store", "credential-cache", "sequence-editor", "mergetool--lib", "fast-import", "filter-repo",
        ],
        Look(super::editors::whole),
    ),
];

const DIFF: &[Row] = &[
    value("", "output", Use::Write),
    // Both run what the settings say for a kind of file.
    flags("", "ext-diff", Use::Runs),
    value("O", "", Use::Read),
    flags("", "no-index", Use::Nothing),
    value(
        "UGlS",
        "since until after before author committer grep max-count skip format date inter-hunk-context",
        Use::Nothing,
    ),
    value("nm", "message", Use::Nothing),
    value("L", "", Use::Nothing),
];

static SUBCOMMAND: LazyLock<index::Names> = LazyLock::new(|| index::by_name(&[SUBCOMMANDS]));

const GET: u8 = 0;
const SET: u8 = 1;

/// Goes on with the subcommand.
fn git(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return };
    let Some(name) = walk.place(first.arg).literal() else {
        return walk.runs(first.arg, Why::MayBeOption);
    };
    let words = walk.argv.get(first.arg + 1..).unwrap_or_default();
    if let Some(change) = super::git_refs::change(name, words) {
        // Whoever allows the command means that it makes something; what it loses has to be spelled out.
        let arg = change.loses.map_or(0, |word| first.arg + 1 + word);
        let target = walk.based(words::text(walk.place(0), change.file));
        walk.path(arg, Access::Write, target, false);
    }
    if let Some(program) = SUBCOMMAND.get(name) {
        let below = run(program, walk.argv, walk.files, first.arg + 1);
        for mut used in below.paths {
            used.target = walk.based(used.target);
            walk.effects.paths.push(used);
        }
        walk.effects.urls.extend(below.urls);
        walk.effects.unknown.extend(below.unknown);
    }
}

/// Whether a word names a repository by its place, and not by the name of a remote.
fn is_place(word: &crate::shell::Word) -> bool {
    word.literal().is_none_or(|text| text.contains([':', '/', '.']))
}

/// A repository.
fn place(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    if !is_place(&word) {
        return;
    }
    // `ext::command` is run.
    if word.literal().is_some_and(|text| text.contains("::")) {
        walk.runs(part.arg, Why::RunsCode);
    }
    if word.literal().is_some_and(|text| !text.contains(':')) {
        walk.apply(Use::ReadBelow, part, 0);
    } else {
        walk.apply(Use::Url, part, 0);
    }
}

fn clone(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return };
    let source = Part { arg: first.arg, skip: 0 };
    if is_place(walk.place(first.arg)) {
        place(walk, source);
    } else {
        walk.apply(Use::ReadBelow, source, 0);
    }
    match operands.get(1..) {
        Some([]) | None => {
            let source = walk.place(first.arg);
            let target = match source.literal() {
                Some(text) => {
                    let text = text
                        .trim_end_matches('/')
                        .trim_end_matches("/.git")
                        .trim_end_matches(".git");
                    words::text(source, text.rsplit(['/', ':']).next().unwrap_or(""))
                }
                None => words::unknown(source),
            };
            walk.path(first.arg, Access::Write, target, true);
        }
        Some(rest) => rest.iter().for_each(|operand| walk.operand_is(*operand, Use::WriteBelow)),
    }
}

fn remote(walk: &mut Walk) {
    if let Some(first) = std::mem::take(&mut walk.operands).first() {
        place(walk, Part { arg: first.arg, skip: 0 });
    }
}

fn remotes(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let action = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(action, Some("add" | "set-url")) {
        for operand in operands.get(2..).unwrap_or(&[]) {
            place(walk, Part { arg: operand.arg, skip: 0 });
        }
    }
}

/// A name of a file, or `revision:file`, or a revision, which does not matter then.
fn revisions(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, Use::Read);
        if let Some(at) = words::beginning(walk.place(operand.arg)).find(':') {
            walk.apply(Use::Read, Part { arg: operand.arg, skip: at + 1 }, 0);
        }
    }
}

/// The patches say what is written.
fn apply(walk: &mut Walk) {
    walk.lay_out(All(Use::Read), Use::Nothing);
    walk.here(Use::WriteBelow);
}

/// What follows `--` is overwritten; before it there can be a branch, or a file.
fn checkout(walk: &mut Walk) {
    walk.lay_out(All(Use::Write), Use::Nothing);
}

fn worktree(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let action = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(action, Some("add" | "move" | "remove")) {
        for operand in operands.get(1..).unwrap_or(&[]) {
            walk.operand_is(*operand, Use::WriteBelow);
        }
    }
}

fn submodule(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return };
    match walk.place(first.arg).literal() {
        // All that follows is a script.
        Some("foreach") => super::editors::whole(walk),
        Some("add" | "set-url") => {
            for operand in operands.get(1..).unwrap_or(&[]) {
                place(walk, Part { arg: operand.arg, skip: 0 });
            }
            for operand in operands.get(2..).unwrap_or(&[]) {
                walk.operand_is(*operand, Use::WriteBelow);
            }
        }
        _ => {}
    }
}

fn bisect(walk: &mut Walk) {
    let first = walk.operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if first.is_none_or(|action| action == "run") && !walk.operands.is_empty() {
        super::editors::whole(walk);
    }
}

/// Setting anything can decide what git runs from then on; reading is harmless.
fn config(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let first = operands.first().and_then(|operand| walk.place(operand.arg).literal());
    let several = operands.iter().any(|operand| walk.place(operand.arg).splits());
    let reads = match first {
        _ if walk.kept(SET).is_some() || several => false,
        _ if walk.kept(GET).is_some() => true,
        Some("get" | "list") => true,
        Some("edit" | "set" | "unset" | "rename-section" | "remove-section") => false,
        _ => operands.len() < 2,
    };
    if !reads {
        walk.runs(walk.argv.len().saturating_sub(1), Why::Settings);
    }
}

/// Its extensions and aliases run code; `gh api` sends to an address.
fn hub(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let name = |at: usize| {
        operands
            .get(at)
            .and_then(|operand: &super::walk::Operand| walk.place(operand.arg).literal())
    };
    match (name(0), name(1)) {
        (Some("alias"), Some("set" | "import"))
        | (Some("extension" | "ext"), Some("install" | "exec" | "upgrade")) => {
            super::editors::whole(walk);
        }
        (Some("config"), Some("set")) => {
            walk.runs(walk.argv.len().saturating_sub(1), Why::Settings)
        }
        _ => {}
    }
}
