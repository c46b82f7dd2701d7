//! Effects that do not count as differences, although no verdict covers them. Each list is short enough to be read through.

use super::compare::is_below;
use super::effects::{EffectKind, ObservedEffect};
use super::world::{HOME, OUTPUT, OUTSIDE, PROJECT, ROOT, TEMP, WorldTree};

/// Files that every program may read: itself, its libraries, its data and the settings of the machine.
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/opt",
    "/etc",
    "/var/lib",
    "/var/cache",
    "/var/log",
    "/run",
    "/sys",
    "/proc",
];

/// Exceptions of these, which no program may read: files that words of lines name, and files with secrets.
const NOT_SYSTEM: &[&str] = &["/etc/hostname", "/etc/shadow", "/etc/gshadow", "/proc/kcore"];

/// Devices that hold nothing.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
];

/// The directories of temporary files, and the file of the output.
const MOMENTARY: &[&str] = &[TEMP, "/var/tmp", "/dev/shm", OUTPUT];

/// Sockets of the machine's own services: names of users and hosts, and the log.
const SOCKETS: &[&str] = &["/nscd/socket", "/dev/log", "/run/systemd/userdb", "/dev/dbus"];

/// Programs that are scripts or leave a part of their work to others: whom they start.
const RUNS: &[(&[&str], &[&str])] = &[
    (&["gunzip", "zcat", "uncompress", "gzcat"], &["gzip"]),
    (
        &["zgrep", "zegrep", "zfgrep"],
        &["grep", "egrep", "fgrep", "gzip", "sed", "zgrep", "expr", "mktemp", "cat", "rm"],
    ),
    (
        &["bzgrep", "bzegrep", "bzfgrep"],
        &["grep", "egrep", "fgrep", "bzip2", "sed", "basename", "bzgrep"],
    ),
    (
        &["xzgrep", "xzegrep", "xzfgrep"],
        &["grep", "egrep", "fgrep", "xz", "sed", "tr", "xzgrep", "expr"],
    ),
    (&["egrep", "fgrep"], &["grep"]),
    (&["tar"], &["gzip", "bzip2", "xz", "zstd", "lzip", "lzop", "lzma", "compress"]),
    (
        &["man", "apropos", "whatis"],
        &[
            "man", "whatis", "groff", "troff", "grotty", "nroff", "tbl", "preconv", "eqn",
            "zsoelim", "locale", "col", "gzip", "cat", "iconv", "apropos",
        ],
    ),
    (&["npm", "npx", "corepack"], &["node"]),
    (&["unzip", "zipinfo"], &["unzip", "zipinfo"]),
    (&["7z", "7za", "7zr"], &["7z", "7za", "7zr"]),
    (&["diff3", "sdiff", "wdiff", "colordiff"], &["diff"]),
    (&["ldd"], &["ld-linux-x86-64.so.2", "ld.so", "ldd"]),
    (&["zstdgrep"], &["grep", "zstdcat", "zstd", "sed", "sh"]),
    // Compilers start linkers, and cargo the tool for documents.
    (
        &["cargo", "rustc", "rustfmt", "rustup"],
        &[
            "cargo", "rustc", "rustfmt", "rustdoc", "cc", "ld", "collect2", "lld", "ld.lld",
            "rust-lld",
        ],
    ),
    // The lines of a rule, and the rules of a folder below.
    (&["make", "gmake"], &["sh", "dash", "make", "gmake"]),
    // A script.
    (&["lsb_release"], &["getopt", "tr", "cut"]),
    (&["locale"], &["gzip"]),
    (&["yq"], &["jq"]),
    // Between local files.
    (&["scp"], &["cp"]),
    // `less --version`.
    (&["bat", "batcat"], &["less"]),
    // `cargo -vV` prints the version of the system.
    (&["cargo"], &["lsb_release", "getopt", "tr", "cut"]),
];

/// Files of the user's own with settings, and of the project, by the programs that look for them.
const SETTINGS: &[(&[&str], &[&str])] = &[
    // They leave out the files that git ignores.
    (
        &["rg", "fd", "fdfind", "ag", "bat", "batcat", "cargo"],
        &[
            "home/.gitconfig",
            "p/.git/config",
            "p/.git/HEAD",
            "p/.git/index",
            "p/.git/info/exclude",
            "p/.gitignore",
        ],
    ),
    // `cargo fix` looks whether git has all that it changes.
    (&["cargo"], &["p/.git/refs/heads/main"]),
    (&["node", "nodejs", "npm"], &["p/package.json"]),
    // How git is to be called.
    (&["npm", "npx"], &["home/.gitconfig"]),
];

/// Programs that build the project of their directory. Their words do not name the files that they read and write, so the rule
/// that allows the program decides alone. Beside each are its files in the home directory.
const BUILDERS: &[(&[&str], &[&str])] = &[
    // Crates, and the locks on them.
    (&["cargo"], &[".cargo"]),
    (&["make", "gmake"], &[]),
    // Its list of packages.
    (&["cmake"], &[".cmake"]),
    // Its cache, its logs, and its settings.
    (&["npm", "npx"], &[".npm", ".npmrc"]),
    // Its results for each file, and its settings.
    (&["rubocop"], &[".cache/rubocop_cache", ".rubocop.yml", ".config/rubocop"]),
    // Tasks of the user.
    (&["rake"], &[".rake"]),
    // Tests, which load the code under test.
    (&["phpunit", "rspec"], &[]),
    // Its builds, modules, and settings.
    (&["go"], &[".cache/go-build", "go/pkg", ".config/go"]),
];

/// Commands of cargo that ask the registry. No preset allows them; a rule that does means just that.
const FETCHES: &[&str] =
    &["add", "fetch", "generate-lockfile", "info", "install", "publish", "search", "update"];

/// Programs that read files that the verdict calls written.
const LOOK_AGAIN: &[&str] = &[
    // Whether a file is there already.
    "bzip2",
    "bunzip2",
    // The attributes that they change.
    "chattr",
    // Files that they change in part.
    "patch",
    "strip",
    "wipefs",
    "mkfs.ext4",
    "mkswap",
    "sponge",
    // Its own output, to compare it.
    "rsync",
];

/// Programs that number the backups of files that they write (`a.txt.~2~`): they look for existing ones.
const NUMBERS_BACKUPS: &[&str] = &["cp", "mv", "ln", "install", "indent", "patch"];

/// Where these programs write anyway: the kept pages of the manual, and the trash of the user and of the disk.
const OWN: &[(&[&str], &str)] = &[
    (&["man", "apropos", "whatis", "git"], "/var/cache/man"),
    (&["trash", "trash-put"], "/srv/w/home/.local/share/Trash"),
    (&["trash", "trash-put"], "/srv/.Trash-1000"),
];

/// Commands of git that only read, and change nothing but the index, their cache of the files.
const GIT_LOOKS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "annotate",
    "shortlog",
    "whatchanged",
    "describe",
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "cat-file",
    "name-rev",
    "merge-base",
    "cherry",
    "count-objects",
    "diff-tree",
    "diff-index",
    "diff-files",
    "range-diff",
    "for-each-ref",
    "show-ref",
    "show-branch",
    "grep",
    "check-ignore",
    "check-attr",
    "version",
    "var",
    "verify-commit",
    "verify-tag",
    "check-ref-format",
    "check-mailmap",
];

/// Files that git may never change without a mention, even in commands that change the repository.
const GIT_NEVER: &[&str] =
    &["hooks", "info/attributes", "info/exclude", "objects/info/alternates", "config.worktree"];

/// Files of the project that git reads for its own settings.
const GIT_READS: &[&str] = &[".gitignore", ".gitattributes", ".gitmodules", ".mailmap"];

/// Whether a word holds this path, and not one below it.
fn names(word: &str, path: &str) -> bool {
    word.match_indices(path)
        .any(|(at, _)| word.get(at + path.len()..).is_some_and(|rest| !rest.starts_with('/')))
}

/// Whether an effect of a line with these words does not count as a difference.
pub fn is_known(words: &[String], effect: &ObservedEffect, world: &WorldTree) -> bool {
    let program = words.first().map_or("", String::as_str);
    let path = effect.path.as_str();
    let named = words.iter().skip(1).any(|word| names(word, path));
    match effect.kind {
        EffectKind::Reads | EffectKind::Lists => {
            (is_system(path) && !named)
                || momentary(path, words)
                || DEVICES.contains(&path)
                // The contents of a directory are only seen by listing it.
                || effect.kind == EffectKind::Reads && (world.has_dir(path) || path == "/")
                || effect.kind == EffectKind::Lists && is_below(path, "/dev")
                // They mark differences from the repository at the side.
                || matches!(program, "bat" | "batcat")
                    && (effect.kind == EffectKind::Lists && path == PROJECT
                        || is_below(path, &format!("{PROJECT}/.git/objects")))
                // It compares the files with those that are committed.
                || program == "cargo" && is_below(path, &format!("{PROJECT}/.git/objects"))
                // `cargo doc` goes through the names below the package, symlinks too, and opens none of these files.
                || program == "cargo"
                    && effect.kind == EffectKind::Lists
                    && words.iter().any(|word| word == "doc" || word == "d")
                // To look a user up as root reads more files.
                || path == "/etc/shadow" && !named
                // It looks whether it may; a secret that it prints is seen.
                || program == "ps" && path.starts_with("/proc/") && path.ends_with("/environ")
                || settings(program, path)
                || builds(program, effect)
                || program == "git" && git_reads(effect, words, world)
        }
        EffectKind::Writes => {
            DEVICES.contains(&path)
                // A pipe that was handed on: tokens of a build.
                || path.starts_with("/proc/") && effect.call.contains("<pipe:[")
                // `--atime-preserve`: puts back when a file was last read, and nothing else.
                || program == "tar" && effect.call.contains("UTIME_OMIT], 0)")
                || path.starts_with("/dev/pts/")
                || path.starts_with("/proc/self/")
                || momentary(path, words)
                || own(program, effect)
                || builds(program, effect)
                || program == "git" && git_writes(path, words, world)
        }
        EffectKind::Runs => runs(program, words, effect),
        EffectKind::Connects => {
            SOCKETS.iter().any(|socket| path.contains(socket))
                // dig looks whether there is such a network at all: to port 0 nothing is sent.
                || program == "dig" && path.contains("port=htons(0)")
                || program == "cargo" && words.get(1).is_some_and(|word| FETCHES.contains(&word.as_str()))
        }
        EffectKind::Signals | EffectKind::Machine => false,
    }
}

fn settings(program: &str, path: &str) -> bool {
    let inside = path.strip_prefix(ROOT).map(|path| path.trim_start_matches('/'));
    SETTINGS.iter().any(|(programs, files)| {
        programs.contains(&program) && inside.is_some_and(|path| files.contains(&path))
    })
}

/// Whether a program writes there anyway.
fn own(program: &str, effect: &ObservedEffect) -> bool {
    OWN.iter().any(|(programs, dir)| programs.contains(&program) && is_kept_in(dir, effect))
}

/// Whether an effect is below a directory, or makes one on the way there.
fn is_kept_in(dir: &str, effect: &ObservedEffect) -> bool {
    is_below(&effect.path, dir) || effect.call.starts_with("mkdir") && is_below(dir, &effect.path)
}

/// Whether a program that is said to read a directory reads the names and attributes of all that is below it, and no more.
pub fn names_below(program: &str) -> bool {
    // `lsattr` opens files to ask for their attributes.
    matches!(program, "find" | "lsattr")
}

/// Whether a program reads the names beside a file that it writes.
pub fn names_beside(program: &str) -> bool {
    NUMBERS_BACKUPS.contains(&program)
}

/// Whether a file belongs to a builder: the project without the repository, from which git runs programs, and its own files in
/// the home directory. The path is the real one, so no link leads there from elsewhere.
fn builds(program: &str, effect: &ObservedEffect) -> bool {
    let in_project =
        is_below(&effect.path, PROJECT) && !is_below(&effect.path, &format!("{PROJECT}/.git"));
    BUILDERS.iter().any(|(programs, kept)| {
        programs.contains(&program)
            && (in_project || kept.iter().any(|name| is_kept_in(&format!("{HOME}/{name}"), effect)))
    })
}

/// Whether a program reads a file that it writes.
pub fn looks_again(program: &str) -> bool {
    LOOK_AGAIN.contains(&program)
}

fn is_system(path: &str) -> bool {
    // The environment and the memory of processes are theirs.
    let process =
        path.starts_with("/proc/") && (path.ends_with("/environ") || path.ends_with("/mem"));
    !process
        && SYSTEM.iter().any(|dir| is_below(path, dir))
        && !NOT_SYSTEM.iter().any(|dir| is_below(path, dir))
        || toolchains().iter().any(|dir| is_below(path, dir))
}

/// Compilers that are installed in a home directory.
fn toolchains() -> Vec<String> {
    let home = std::env::var("HOME").unwrap_or_default();
    [".cargo", ".rustup", ".local/lib", ".pyenv", ".nvm"]
        .iter()
        .map(|dir| format!("{home}/{dir}"))
        .collect()
}

fn momentary(path: &str, words: &[String]) -> bool {
    MOMENTARY
        .iter()
        .any(|dir| is_below(path, dir) && !words.iter().skip(1).any(|word| word.contains(dir)))
}

fn runs(program: &str, words: &[String], effect: &ObservedEffect) -> bool {
    let name = effect.path.rsplit('/').next().unwrap_or_default();
    // A program that the line could have put there is not among them, even by the same name.
    if is_below(&effect.path, ROOT) {
        return false;
    }
    let listed =
        RUNS.iter().any(|(programs, runs)| programs.contains(&program) && runs.contains(&name));
    // Its own parts, the other end of a local connection, and the editor of the environment, which is `true`.
    // `ag` asks git for the ignored files.
    let ignored = matches!(program, "ag")
        && (effect.call.contains("git config -z --path --get core.excludesfile")
            || name == "git" && effect.call.contains("\"core.excludesfile\""));
    let git = program == "git"
        && (name == "git"
            || effect.path.contains("/git-core/")
            || name == "true"
            || name == "man" && words.iter().any(|word| word == "help")
            || matches!(name, "sh" | "dash" | "bash")
                && ["\"true", "-c\", \"git-upload-pack '", "-c\", \"git-receive-pack '"]
                    .iter()
                    .any(|script| effect.call.contains(script)));
    // `tar` lets a shell start those above.
    let packs = ["gzip", "bzip2", "xz", "zstd", "lzip", "lzop", "lzma", "compress"];
    let packs = program == "tar"
        && packs.iter().any(|name| effect.call.contains(&format!("\"-c\", \"{name}\"]")));
    // A command of cargo that it does not know itself is a program of its own.
    let part = program == "cargo"
        && name.strip_prefix("cargo-").is_some_and(|name| words.iter().any(|word| word == name));
    listed || git || ignored || packs || part
}

fn git_reads(effect: &ObservedEffect, words: &[String], world: &WorldTree) -> bool {
    let path = effect.path.as_str();
    if path == format!("{HOME}/.gitconfig") || is_below(path, &format!("{OUTSIDE}/bare")) {
        return true;
    }
    let Some(inside) = path.strip_prefix(PROJECT) else { return false };
    let inside = inside.trim_start_matches('/');
    let mut options = words.iter().take_while(|word| *word != "--");
    effect.kind == EffectKind::Lists
        || inside == ".git"
        || inside.starts_with(".git/")
        || GIT_READS.iter().any(|name| inside.rsplit('/').next() == Some(name))
        // Files of the repository. Behind `--` there is no option.
        || !options.any(|word| word.contains("no-index")) && world.tracks(inside)
}

fn git_writes(path: &str, words: &[String], world: &WorldTree) -> bool {
    let Some(inside) = path.strip_prefix(PROJECT).and_then(|path| path.strip_prefix("/.git"))
    else {
        return false;
    };
    let inside = inside.trim_start_matches('/');
    let inside = inside.strip_suffix(".lock").unwrap_or(inside);
    let command = words.iter().skip(1).find(|word| !word.starts_with('-'));
    let looks = command.is_none_or(|command| GIT_LOOKS.contains(&command.as_str()));
    if looks {
        return inside == "index";
    }
    if inside == "config" {
        return same_settings(world);
    }
    !GIT_NEVER.iter().any(|never| is_below(&format!("/{inside}"), &format!("/{never}")))
}

/// Whether nothing but where branches come from differs in the repository's settings.
fn same_settings(world: &WorldTree) -> bool {
    let path = format!("{PROJECT}/.git/config");
    let now = std::fs::read_to_string(&path).unwrap_or_default();
    let then = world.text(&path).map(String::from_utf8_lossy).unwrap_or_default();
    without_branches(&now) == without_branches(&then)
}

fn without_branches(text: &str) -> Vec<&str> {
    let mut inside = false;
    text.lines()
        .filter(|line| {
            if line.starts_with('[') {
                inside = line.starts_with("[branch ");
            }
            !inside
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(kind: EffectKind, path: &str, call: &str) -> ObservedEffect {
        ObservedEffect { kind, path: path.to_owned(), call: call.to_owned(), by: String::new() }
    }

    #[test]
    fn a_builder_has_its_project_and_its_own_settings_and_no_more() {
        let builds = |program, path: &str, call| {
            builds(program, &effect(EffectKind::Writes, &format!("{ROOT}/{path}"), call))
        };
        assert!(builds("make", "p/d/z.txt", "openat(…)"));
        assert!(builds("cargo", "home/.cargo/x", "openat(…)"));
        assert!(builds("go", "home/.cache", "mkdirat(…)"));
        for path in ["p/.git/hooks/x", "home", "home/.ssh/id_rsa", "home/.npmrc", "outside/3"] {
            assert!(!builds("cargo", path, "openat(…)"), "{path}");
        }
        assert!(!builds("go", "home/go/bin/x", "openat(…)") && !builds("cat", "p/x", "openat(…)"));
    }

    #[test]
    fn a_program_of_the_line_is_no_part_of_another() {
        let words = ["cargo".to_owned(), "fmt".to_owned()];
        let runs = |program, path| runs(program, &words, &effect(EffectKind::Runs, path, ""));
        assert!(runs("cargo", "/root/.cargo/bin/cargo-fmt") && runs("make", "/usr/bin/dash"));
        assert!(!runs("cargo", "/root/.cargo/bin/cargo-evil"));
        assert!(!runs("cargo", "/srv/w/p/cargo-fmt") && !runs("make", "/srv/w/p/sh"));
    }

    #[test]
    fn the_trash_is_where_it_is_and_its_way_is_made_and_not_written() {
        let own = |path, call| own("trash-put", &effect(EffectKind::Writes, path, call));
        assert!(own("/srv/w/home/.local/share/Trash/info/x", "openat(…)"));
        assert!(own("/srv/w/home/.local", "mkdir(…)"));
        assert!(!own("/srv/w/home/.local", "chmod(…)"));
        assert!(!own("/srv/w/home/.local/bin/sh", "openat(…)"));
    }
}
