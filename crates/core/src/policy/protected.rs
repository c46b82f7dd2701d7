//! Files that ask by default: changing them can change what runs later, and reading them tells secrets.
//!
//! A rule that allows them must name them: `.git/hooks/**` does, `**` does not.

use std::cell::RefCell;

use crate::path::{FileLookup, LocatedPath, PathContext, PathError, PathSet, Vars, fold, is_below};
use crate::policy::action::{Action, ActionKind, UseExtent};
use crate::policy::judge::{NameSuspicion, PathSpots};
use crate::policy::ledgers;
use crate::policy::reading::repository;
use crate::policy::secrets::{self, FileFolders};
use crate::policy::spelled;
use crate::policy::suggest::escaped;
use crate::shell::{FileAccess, WordPiece};

/// What is protected about a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathProtection {
    /// What kind of file it is, for humans.
    pub(crate) what: &'static str,
    /// The name in the path that says so.
    name: String,
    /// Whether it lies below what is read.
    pub(crate) below: bool,
}

impl PathProtection {
    fn new(what: &'static str, name: &str) -> Self {
        Self { what, name: name.to_owned(), below: false }
    }
}

impl PathProtection {
    /// Whether it is what lies in a folder that is written, and not that folder by its name.
    pub(crate) fn is_inside(&self) -> bool {
        self.below || self.what == WHOLE
    }

    /// Whether a pattern that spells out this name, or begins a name so, means it.
    pub(crate) fn is_named_by(&self, spelled: &str) -> bool {
        spelled.eq_ignore_ascii_case(&self.name)
            || (spelled.len() >= ".env".len() && starts_with(&self.name, spelled))
    }
}

fn starts_with(name: &str, beginning: &str) -> bool {
    name.get(..beginning.len()).is_some_and(|start| start.eq_ignore_ascii_case(beginning))
}

const GIT: &str = "git's own files: they run as hooks and settings";
const VCS: &str = "files of a version control system: they run as hooks and settings";
const ENV: &str = "a file of variables and secrets";
const SHELL: &str = "a shell's start-up file: it runs later";
const SSH: &str = "keys and settings of ssh";
const CI: &str = "settings of continuous integration: they run later";
const EDITOR: &str = "settings of an editor or an agent: they run later";
const TOOL: &str = "settings of a tool: they run later, or hold secrets";
const SECRETS: &str = "credentials";
const SYSTEM: &str = "what the system runs by itself";
const OWN: &str = "the policy itself";
const MANY: &str = "files whose names are not all known: some may hold secrets";
/// What it is where no name is known.
pub(crate) const RUN: &str =
    "a file that only the run will tell: it may hold secrets, or settings that run later";
const WHOLE: &str = "a whole working directory, with all that is in it";
const OTHERS: &str = "the home of another user";
const MACHINE: &str = "a device, or what a process holds";
const LEDGER: &str = "a ledger that approvals are in";

/// A name anywhere in a path, and what it is. All in lower case.
type ProtectedNames = &'static [(&'static str, &'static str)];

const WRITES: ProtectedNames = &[
    (".git", GIT),
    (".gitmodules", GIT),
    (".hg", VCS),
    (".bzr", VCS),
    (".svn", VCS),
    (".jj", VCS),
    (".husky", GIT),
    (".githooks", GIT),
    (".pre-commit-config.yaml", GIT),
    (".bashrc", SHELL),
    (".bash_profile", SHELL),
    (".bash_login", SHELL),
    (".bash_logout", SHELL),
    (".bash_aliases", SHELL),
    (".profile", SHELL),
    (".zshrc", SHELL),
    (".zshenv", SHELL),
    (".zprofile", SHELL),
    (".zlogin", SHELL),
    (".zlogout", SHELL),
    (".kshrc", SHELL),
    (".cshrc", SHELL),
    (".tcshrc", SHELL),
    (".login", SHELL),
    (".inputrc", SHELL),
    (".xinitrc", SHELL),
    (".xprofile", SHELL),
    (".github", CI),
    (".gitlab-ci.yml", CI),
    (".circleci", CI),
    (".travis.yml", CI),
    (".buildkite", CI),
    (".drone.yml", CI),
    (".woodpecker.yml", CI),
    (".woodpecker", CI),
    ("azure-pipelines.yml", CI),
    ("bitbucket-pipelines.yml", CI),
    ("jenkinsfile", CI),
    (".vscode", EDITOR),
    (".idea", EDITOR),
    (".zed", EDITOR),
    (".vim", EDITOR),
    (".vimrc", EDITOR),
    (".nvimrc", EDITOR),
    (".exrc", EDITOR),
    (".emacs", EDITOR),
    (".emacs.d", EDITOR),
    (".dir-locals.el", EDITOR),
    (".claude", EDITOR),
    (".cursor", EDITOR),
    (".codex", EDITOR),
    (".gemini", EDITOR),
    (".opencode", EDITOR),
    (".mcp.json", EDITOR),
    (".devcontainer", EDITOR),
    (".direnvrc", TOOL),
    (".countersign", OWN),
    (".gdbinit", TOOL),
    (".lldbinit", TOOL),
    (".nvim.lua", EDITOR),
    (".fleet", EDITOR),
    (".windsurf", EDITOR),
    (".continue", EDITOR),
    (".roo", EDITOR),
    (".kiro", EDITOR),
    (".amazonq", EDITOR),
    (".junie", EDITOR),
    (".aider.conf.yml", EDITOR),
    ("lefthook.yml", GIT),
    ("lefthook.yaml", GIT),
    (".lefthook.yml", GIT),
    (".forgejo", CI),
    (".gitea", CI),
    (".teamcity", CI),
    (".azure-pipelines", CI),
    ("appveyor.yml", CI),
    (".appveyor.yml", CI),
    ("cloudbuild.yaml", CI),
    (".tool-versions", TOOL),
    ("mise.toml", TOOL),
    (".mise.toml", TOOL),
    ("mise.local.toml", TOOL),
    (".mise.local.toml", TOOL),
    ("mise.lock", TOOL),
    (".mise.lock", TOOL),
    ("mise.local.lock", TOOL),
    ("miserc.toml", TOOL),
    (".miserc.toml", TOOL),
    (".rtx.toml", TOOL),
    (".mise", TOOL),
    (".prototools", TOOL),
    (".volta", TOOL),
    (".corepack.env", TOOL),
    (".pnpmfile.cjs", TOOL),
    ("opencode.json", EDITOR),
    (".crush.json", EDITOR),
    (".goosehints", EDITOR),
    (".cursorrules", EDITOR),
    (".tmux.conf", TOOL),
];

/// Ends of names that count like the whole ones above.
const WRITE_ENDS: ProtectedNames = &[(".code-workspace", EDITOR)];

/// What everybody may know of a process; the rest is its memory and its settings.
const OF_PROCESSES: &[&str] = &[
    "",
    "autogroup",
    "cgroup",
    "cmdline",
    "comm",
    "coredump_filter",
    "cpuset",
    "gid_map",
    "io",
    "limits",
    "loginuid",
    "maps",
    "mountinfo",
    "mounts",
    "mountstats",
    "net",
    "numa_maps",
    "oom_adj",
    "oom_score",
    "oom_score_adj",
    "personality",
    "sched",
    "schedstat",
    "sessionid",
    "setgroups",
    "smaps",
    "smaps_rollup",
    "stat",
    "statm",
    "status",
    "timers",
    "timerslack_ns",
    "uid_map",
    "wchan",
];

/// Devices that hold nothing, and folders of files.
const DEVICES: &[&str] = &[
    "", "null", "zero", "full", "random", "urandom", "tty", "stdin", "stdout", "stderr", "fd",
    "shm",
];

/// The memory of the machine, its keys, and what it reports once.
const MEMORY: &[&str] =
    &["kcore", "kmsg", "vmcore", "kpagecgroup", "kpagecount", "kpageflags", "keys"];

/// Files of git's settings, in which an address may hold a password.
const GIT_SETTINGS: &[&str] = &["config", "config.worktree"];

/// Protected from reading and from writing.
const BOTH: ProtectedNames = &[
    // An address in it may hold a password.
    (".gitconfig", GIT),
    (".hgrc", VCS),
    (".ssh", SSH),
    (".netrc", SECRETS),
    ("_netrc", SECRETS),
    (".npmrc", SECRETS),
    (".pypirc", SECRETS),
    (".aws", SECRETS),
    (".azure", SECRETS),
    (".gnupg", SECRETS),
    (".kube", SECRETS),
    (".docker", SECRETS),
    (".git-credentials", SECRETS),
    (".pgpass", SECRETS),
    (".my.cnf", SECRETS),
    (".curlrc", SECRETS),
    (".wgetrc", SECRETS),
    (".claude.json", SECRETS),
    (".dockercfg", SECRETS),
    (".oci", SECRETS),
    (".fly", SECRETS),
    (".xauthority", SECRETS),
    (".htpasswd", SECRETS),
    (".dev.vars", SECRETS),
    (".flaskenv", ENV),
    (".password-store", SECRETS),
    (".vault-token", SECRETS),
    (".terraform.d", SECRETS),
    (".boto", SECRETS),
    (".s3cfg", SECRETS),
    (".mozilla", SECRETS),
    (".thunderbird", SECRETS),
    (".pki", SECRETS),
    (".kaggle", SECRETS),
    (".bitcoin", SECRETS),
    (".ethereum", SECRETS),
    (".mylogin.cnf", SECRETS),
    (".yarnrc", SECRETS),
    (".yarnrc.yml", SECRETS),
    (".bunfig.toml", SECRETS),
    (".dockerconfigjson", SECRETS),
    (".token", SECRETS),
    (".databrickscfg", SECRETS),
    (".ngrok2", SECRETS),
    (".authinfo", SECRETS),
    (".authinfo.gpg", SECRETS),
    (".msmtprc", SECRETS),
    (".fetchmailrc", SECRETS),
    (".muttrc", SECRETS),
    // What was searched and typed last.
    (".viminfo", SECRETS),
];

/// Names that follow each other in a path.
type NameChains = &'static [(&'static [&'static str], &'static str)];

const WRITE_CHAINS: NameChains = &[
    (&["etc", "countersign"], OWN),
    (&[".config", "countersign"], OWN),
    (&[".config", "fish"], SHELL),
    (&[".config", "nvim"], EDITOR),
    (&[".config", "mise"], TOOL),
    (&[".config", "mise.toml"], TOOL),
    (&[".config", "git"], GIT),
    (&[".config", "autostart"], SYSTEM),
    (&[".config", "systemd"], SYSTEM),
    (&["etc", "profile.d"], SHELL),
    (&["etc", "profile"], SHELL),
    (&["etc", "bash.bashrc"], SHELL),
    (&["etc", "crontab"], SYSTEM),
    (&["etc", "cron.d"], SYSTEM),
    (&["etc", "systemd"], SYSTEM),
    (&["etc", "sudoers"], SYSTEM),
    (&["etc", "sudoers.d"], SYSTEM),
    (&["etc", "ld.so.preload"], SYSTEM),
    (&["spool", "cron"], SYSTEM),
    (&["library", "launchagents"], SYSTEM),
    (&["library", "launchdaemons"], SYSTEM),
];

const BOTH_CHAINS: NameChains = &[
    // An address in it may hold a password.
    (&[".git", "config"], GIT),
    (&[".hg", "hgrc"], VCS),
    (&[".config", "git", "config"], GIT),
    (&["pip", "pip.conf"], SECRETS),
    (&[".pip", "pip.conf"], SECRETS),
    (&["etc", "pip.conf"], SECRETS),
    (&[".snowsql", "config"], SECRETS),
    (&[".wrangler", "config"], SECRETS),
    (&[".netlify", "config.json"], SECRETS),
    (&[".subversion", "auth"], SECRETS),
    (&[".config", "configstore"], SECRETS),
    (&[".config", "filezilla"], SECRETS),
    (&[".config", "remmina"], SECRETS),
    (&["share", "remmina"], SECRETS),
    (&["git", "credentials"], SECRETS),
    (&[".config", "rclone"], SECRETS),
    (&["run", "secrets"], SECRETS),
    (&["ssl", "private"], SECRETS),
    (&["etc", "kubernetes"], SECRETS),
    (&["etc", "rancher"], SECRETS),
    (&["etc", "wireguard"], SECRETS),
    (&["networkmanager", "system-connections"], SECRETS),
    (&["etc", "shadow-"], SECRETS),
    (&["etc", "gshadow-"], SECRETS),
    (&[".config", "gh"], SECRETS),
    (&[".config", "github-copilot"], SECRETS),
    (&[".config", "glab-cli"], SECRETS),
    (&[".config", "hub"], SECRETS),
    (&[".config", "doctl"], SECRETS),
    (&[".config", "stripe"], SECRETS),
    (&[".config", "ngrok"], SECRETS),
    (&[".config", "netlify"], SECRETS),
    (&[".config", "sops"], SECRETS),
    (&[".config", "solana"], SECRETS),
    (&[".config", "google-chrome"], SECRETS),
    (&[".config", "chromium"], SECRETS),
    (&[".config", "bravesoftware"], SECRETS),
    (&[".config", "microsoft-edge"], SECRETS),
    (&[".config", "vivaldi"], SECRETS),
    (&[".config", "opera"], SECRETS),
    (&[".config", "slack"], SECRETS),
    (&[".config", "signal"], SECRETS),
    (&[".config", "bitwarden"], SECRETS),
    (&["share", "kwalletd"], SECRETS),
    (&["share", "keyrings"], SECRETS),
    (&["huggingface", "token"], SECRETS),
    (&["nuget", "nuget.config"], SECRETS),
    (&[".codex", "history.jsonl"], SECRETS),
    (&["etc", "krb5.keytab"], SECRETS),
    (&[".config", "gcloud"], SECRETS),
    (&[".config", "op"], SECRETS),
    (&["etc", "shadow"], SECRETS),
    (&["etc", "gshadow"], SECRETS),
];

/// Secrets among what toolchains keep in the home of a user, where a confined command reads the rest: it must not read these. Also
/// protected by the last names of each, in any place.
pub const TOOLCHAIN_SECRETS: &[&str] = &[
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gradle/gradle.properties",
    ".gradle/develocity/keys.properties",
    ".gradle/enterprise/keys.properties",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".m2/.develocity/keys.properties",
    ".gem/credentials",
    ".composer/auth.json",
    ".nuget/NuGet/NuGet.Config",
    ".config/git/credentials",
    ".local/share/uv/credentials",
    ".pub-cache/credentials.json",
    ".dotnet/corefx/cryptography/x509stores",
];

/// Whether it is one of these, or may be.
fn is_of_toolchain(above: &str, parent: &str, name: &str) -> bool {
    TOOLCHAIN_SECRETS.iter().any(|path| {
        let mut known = path.rsplit('/');
        [name, parent, above].iter().all(|each| {
            // Two names are enough where there are no more.
            known.next().is_none_or(|known| known.eq_ignore_ascii_case(each))
        })
    })
}

/// What is protected about a path, in any place that it may be, if anything.
pub(crate) fn protection(
    spots: &PathSpots, access: FileAccess, extent: UseExtent, context: &PathContext,
    files: &dyn FileLookup,
) -> Option<PathProtection> {
    let own = |ledger: &&String| is_own(ledger, spots, access, extent, files);
    let others = || others_ledgers(spots, access, extent, files);
    if let Some(ledger) =
        context.own.iter().find(own).cloned().or_else(|| others().iter().find(own).cloned())
    {
        return Some(PathProtection::new(LEDGER, ledger.rsplit('/').next().unwrap_or_default()));
    }
    // That a file or a device is there is no secret.
    let system = |path: &str| if spots.names_only { None } else { of_system(path) };
    let project = context.project.as_deref().unwrap_or(&context.cwd);
    let mut projects = vec![project.to_owned()];
    projects.extend(files.real(project).ok().filter(|real| real != project));
    let names = PathNames::new(access, &projects);
    let of_path = |path: &str| {
        // Of a directory the names in it are told, and some of those are as telling.
        let shown = match path.rsplit_once('/') {
            Some((folder, name)) if spots.unopened && is_file_of_secrets(name) => folder,
            _ => path,
        };
        names.protection(shown).or_else(|| system(path))
    };
    // That they are there is no secret.
    let of_settings = |path: &str| of_repository(path, access, files).filter(|_| !spots.names_only);
    let of_ledger = |path: &str| {
        let is_used = !spots.names_only && ledgers::is_ledger(path, files);
        is_used.then(|| PathProtection::new(LEDGER, path.rsplit('/').next().unwrap_or_default()))
    };
    let of_place = |path: &str| {
        of_path(path)
            .or_else(|| of_settings(path))
            .or_else(|| of_ledger(path))
            .or_else(|| of_others(path, access, context, files))
    };
    let located = |path: &LocatedPath| {
        path.places().find_map(of_place).or_else(|| {
            (extent.is_recursive() && access == FileAccess::Write)
                .then(|| of_roots(path, context))
                .flatten()
        })
    };
    let loose = |pieces: &[WordPiece]| {
        of_pieces(pieces, access).or_else(|| system(&guessed(pieces))).or_else(|| match pieces {
            [WordPiece::Text(text), ..] => of_others(text, access, context, files),
            _ => None,
        })
    };
    // Whose name alone is told, or only mentioned, need not be known.
    let open = |pieces: &[WordPiece]| {
        let made =
            spots.spelled && matches!(pieces.first(), Some(WordPiece::Text(_) | WordPiece::Home));
        let used = !spots.names_only && !spots.mentioned && !made;
        (used && may_be_any(pieces, access)).then(|| PathProtection::new(RUN, ""))
    };
    // It is no symlink itself.
    let found = |path: &String| {
        of_place(path).or_else(|| {
            let (folder, name) = path.rsplit_once('/').filter(|(folder, _)| !folder.is_empty())?;
            let real = files.real(folder).ok().filter(|real| real != folder)?;
            of_place(&format!("{}/{name}", real.trim_end_matches('/')))
        })
    };
    let below = || {
        let below = spots.below.as_ref()?;
        let may_be = |pieces: &[WordPiece]| may_be_any(pieces, access);
        let more = || below.may_tell_more(may_be, files).then(|| PathProtection::new(MANY, ""));
        let said = |path: &str| {
            let read = access == FileAccess::Read;
            of_path(path).or_else(|| of_settings(path).filter(|_| read))
        };
        // By its name alone: what is said of it can be asked of these only.
        let may_mean = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or_default();
            names.protection(path).is_some()
                || of_system(path).is_some()
                || is_settings(name)
                || is_file_of_secrets(name)
        };
        let suspicion =
            NameSuspicion { depends_on: (access, projects.clone()), may_mean: &may_mean };
        let found = below.told(&suspicion, said, files).or_else(more)?;
        Some(PathProtection { below: true, ..found })
    };
    let named = || {
        let told = |path: &&LocatedPath| !spots.by_kind.contains(path);
        let spotted = spots.located.iter().filter(told).find_map(located);
        spotted
            .or_else(|| {
                spots.loose.iter().find_map(|(pieces, _)| loose(pieces).or_else(|| open(pieces)))
            })
            .or_else(|| spots.found.iter().filter(|_| !spots.names_only).find_map(found))
    };
    // What is written through a symlink below no word says.
    let linked = || {
        spots.linked.iter().find_map(|link| {
            let found = link.places().find_map(of_place)?;
            // `CLAUDE.md` that leads to `AGENTS.md` is as it would be without it.
            let is_same = found.what == EDITOR
                && link.places().all(|path| of_place(path).is_some_and(|it| it.what == EDITOR));
            (!is_same).then_some(PathProtection { below: true, ..found })
        })
    };
    match access {
        // What is gone with a directory is more than the directory.
        FileAccess::Write => below().or_else(linked).or_else(named),
        FileAccess::Read => named().or_else(below),
    }
}

/// What a confined command reads of what is protected, though it is confined: git needs its settings, so they are not hidden. Where a
/// folder is read with all below it, those count that hold a secret.
pub(crate) fn shown(
    spots: &PathSpots, action: &Action, files: &dyn FileLookup,
) -> Option<&'static str> {
    let ActionKind::Path { access: FileAccess::Read, .. } = &action.kind else { return None };
    if spots.names_only {
        return None;
    }
    let is_shown = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        let in_git = || path.split('/').any(|name| trimmed(name).eq_ignore_ascii_case(".git"));
        is_settings(name) && (in_git() || of_repository(path, FileAccess::Read, files).is_some())
    };
    let located = spots.located.iter().flat_map(LocatedPath::places);
    let is_named = located.chain(spots.found.iter().map(String::as_str)).any(is_shown);
    let is_loose = || {
        let of = |(pieces, _): &(Vec<WordPiece>, PathContext)| {
            of_pieces(pieces, FileAccess::Read).is_some_and(|it| it.what == GIT)
        };
        spots.loose.iter().any(of)
    };
    let is_below = || spots.below.as_ref().is_some_and(|below| below.tells_settings(files));
    (is_named || is_loose() || is_below()).then_some(GIT)
}

/// The same of a command whose line spells them out anywhere.
pub(crate) fn spelled(action: &Action) -> Option<&'static str> {
    let ActionKind::Command { .. } = &action.kind else { return None };
    let line = action.start.line.as_deref()?;
    spelled::names_git_settings(line).then_some(GIT)
}

/// Whether this may be a file of our own, or one that lies beside it; for a write, also a directory above it that is changed
/// with all below it, and a pattern that finds it. Not to know counts as yes.
fn is_own(
    own: &str, spots: &PathSpots, access: FileAccess, extent: UseExtent, files: &dyn FileLookup,
) -> bool {
    let own = escaped(own);
    let patterns = [own.clone(), format!("{own}-*"), format!("{own}-*/**")];
    let Ok(set) = PathSet::parse(patterns.iter().map(String::as_str), &Vars::default()) else {
        return true;
    };
    let any = |found: Result<bool, PathError>| found.unwrap_or(true);
    let write = access == FileAccess::Write;
    spots.located.iter().any(|path| {
        any(set.touches(path, files))
            || (write && extent.is_recursive() && any(set.touches_below(path, files)))
    }) || (write
        && spots.loose.iter().any(|(pieces, from)| {
            // A name that is not known at all is free here as well.
            !pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. }))
                && any(set.could_match_through(pieces, from, files))
        }))
}

/// The ledgers of other processes where such a write may be: one that is named is told by its name.
fn others_ledgers(
    spots: &PathSpots, access: FileAccess, extent: UseExtent, files: &dyn FileLookup,
) -> Vec<String> {
    if access == FileAccess::Read || !extent.is_recursive() && spots.loose.is_empty() {
        return Vec::new();
    }
    let whole = spots.located.iter().filter(|_| extent.is_recursive());
    let folders = whole.chain(&spots.begins).map(|path| path.real.trim_end_matches('/'));
    ledgers::ledgers_below(folders, files)
}

/// Whether this is the name of a file of git's settings, or of a copy.
pub(super) fn is_settings(name: &str) -> bool {
    let name = secrets::original(trimmed(name));
    GIT_SETTINGS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Settings of a repository, in a folder of any name; for a read, those that hold a secret.
fn of_repository(path: &str, access: FileAccess, files: &dyn FileLookup) -> Option<PathProtection> {
    let (folder, name) = path.rsplit_once('/').filter(|(_, name)| is_settings(name))?;
    let has = |name: &str| files.has(&format!("{folder}/{name}")) == Ok(true);
    let tells = || access == FileAccess::Write || repository::tells_secret(path, files);
    let is_kept = has("HEAD") && (has("objects") || has("commondir"));
    (is_kept && tells()).then(|| PathProtection::new(GIT, name))
}

/// What is read in the home of another user, as far as it is known whose this one is. What the call works on is its own.
fn of_others(
    path: &str, access: FileAccess, context: &PathContext, files: &dyn FileLookup,
) -> Option<PathProtection> {
    const SHARED: &[&str] = &["", "shared", "linuxbrew"];
    if access == FileAccess::Write {
        return None;
    }
    let mut names = path.strip_prefix('/')?.split('/');
    let first = names.next()?;
    let name = match first.to_ascii_lowercase().as_str() {
        "root" => first,
        "home" | "users" => names.next()?,
        _ => return None,
    };
    if names.next().is_none() || SHARED.contains(&name.to_ascii_lowercase().as_str()) {
        return None;
    }
    let home = context.home.as_deref()?;
    let mut roots =
        [Some(home), Some(context.cwd.as_str()), context.project.as_deref()].into_iter();
    let own = roots.by_ref().flatten().any(|root| {
        is_below(path, root) || files.real(root).is_ok_and(|root| is_below(path, &root))
    });
    (!own).then(|| PathProtection::new(OTHERS, name))
}

/// A directory whose loss is the loss of all that is protected below it.
fn of_roots(path: &LocatedPath, context: &PathContext) -> Option<PathProtection> {
    let roots = [Some(&context.cwd), context.project.as_ref(), context.home.as_ref()];
    let above =
        roots.into_iter().flatten().any(|root| path.places().any(|path| is_below(root, path)));
    let name = path.lexical.rsplit('/').next().unwrap_or_default();
    above.then(|| PathProtection::new(WHOLE, name))
}

/// What a process, or a device, holds: all that is not known to be there for everybody.
fn of_system(path: &str) -> Option<PathProtection> {
    let is_process = |name: &str| {
        let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        is_number || matches!(name, "self" | "thread-self")
    };
    let mut names = path.strip_prefix('/')?.split('/');
    let (first, second) = (names.next()?, names.next()?);
    let (name, open) = match (first, names.next()) {
        ("proc", Some(third)) if is_process(second) => (third, OF_PROCESSES.contains(&third)),
        ("proc", _) => (second, !MEMORY.contains(&second)),
        (first, _) if first.eq_ignore_ascii_case("dev") => (second, DEVICES.contains(&second)),
        _ => return None,
    };
    (!open && !name.is_empty()).then(|| PathProtection::new(MACHINE, name))
}

/// The path that pieces may be, a number for what is not known of a name.
fn guessed(pieces: &[WordPiece]) -> String {
    let names = names_of(pieces).into_iter();
    let guessed: Vec<String> =
        names.map(|(name, open)| if open { format!("{name}0") } else { name }).collect();
    guessed.join("/")
}

/// What is protected by the names of a path. Of paths in one folder, one after the other, the folder is read once.
pub(super) struct PathNames<'a> {
    access: FileAccess,
    /// A path may lie in one of these.
    projects: &'a [String],
    folder: RefCell<FolderNames>,
}

/// The names of a folder, as far as they say what the next one means.
#[derive(Debug, Default)]
struct FolderNames {
    path: Option<String>,
    found: Option<PathProtection>,
    /// The last two.
    before: String,
    in_git: bool,
    folders: FileFolders,
}

impl<'a> PathNames<'a> {
    pub(super) fn new(access: FileAccess, projects: &'a [String]) -> Self {
        Self { access, projects, folder: RefCell::default() }
    }

    pub(super) fn protection(&self, path: &str) -> Option<PathProtection> {
        let path = path.trim_end_matches('/');
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut above = self.folder.borrow_mut();
        if above.path.as_deref() != Some(folder) {
            *above = FolderNames::read(folder, self.access, self.projects);
        }
        let protection = |what| PathProtection::new(what, name);
        above.found.clone().or_else(|| {
            of_name(&above.before, name, self.access)
                .or_else(|| above.folders.secret(trimmed(name)))
                .or_else(|| above.settings(name))
                .map(protection)
        })
    }
}

impl FolderNames {
    fn read(folder: &str, access: FileAccess, projects: &[String]) -> Self {
        let within = projects.iter().filter(|project| is_below(folder, project));
        let within = within.map(|project| project.trim_end_matches('/').len()).min();
        let mut names = Self { path: Some(folder.to_owned()), ..Self::default() };
        let mut read = 0;
        let mut before = "";
        // Where the name before the last begins.
        let (mut last, mut start) = (0, 0);
        for name in folder.split('/') {
            let what = of_name(before, name, access).or_else(|| names.settings(name));
            names.found = what.map(|what| PathProtection::new(what, name));
            if names.found.is_some() {
                break;
            }
            names.in_git |= trimmed(name).eq_ignore_ascii_case(".git");
            names.folders.enter(name);
            read += name.len() + 1;
            if within.is_none_or(|within| read <= within + 1) {
                names.folders.forget_tests();
            }
            before = folder.get(last..start + name.len()).unwrap_or(name);
            last = start;
            start += name.len() + 1;
        }
        before.clone_into(&mut names.before);
        names
    }

    /// Settings of git. Those of worktrees and submodules lie further down.
    fn settings(&self, name: &str) -> Option<&'static str> {
        (self.in_git && is_settings(name)).then_some(GIT)
    }
}

fn of_name(before: &str, name: &str, access: FileAccess) -> Option<&'static str> {
    if !name.is_ascii() {
        // What a volume that ignores case takes for another letter, or for none: `.ſsh`, the sign of Kelvin, what is not seen.
        let folded = fold(name);
        return folded.is_ascii().then(|| of_name(before, &folded, access)).flatten();
    }
    let name = trimmed(name);
    let write = access == FileAccess::Write;
    // Who reads a copy knows what is in it.
    let of = if write { name } else { secrets::original(name) };
    // Most names are not among these.
    let first = *of.as_bytes().first()?;
    let edited = secrets::edited(name);
    if starts_with(edited, ".env") && is_env(edited, access) {
        return Some(ENV);
    }
    let among = |names: ProtectedNames| {
        names.iter().find(|(known, _)| known.eq_ignore_ascii_case(of)).map(|(_, what)| *what)
    };
    let alone = if b"._abcjlmo".contains(&first.to_ascii_lowercase()) {
        among(BOTH).or_else(|| write.then(|| among(WRITES)).flatten())
    } else {
        None
    };
    let ended = || {
        let ends = WRITE_ENDS.iter().find(|(end, _)| of.len() > end.len() && ends_with(of, end));
        ends.map(|(_, what)| *what)
    };
    let (above, parent) = before.rsplit_once('/').unwrap_or(("", before));
    let chained = |chains: NameChains| {
        chains
            .iter()
            .find(|(names, _)| match names {
                [known, child] => {
                    child.eq_ignore_ascii_case(of) && known.eq_ignore_ascii_case(parent)
                }
                [first, known, child] => {
                    child.eq_ignore_ascii_case(of)
                        && known.eq_ignore_ascii_case(parent)
                        && first.eq_ignore_ascii_case(above)
                }
                _ => false,
            })
            .map(|(_, what)| *what)
    };
    alone
        .or_else(|| chained(BOTH_CHAINS))
        .or_else(|| is_of_toolchain(above, parent, of).then_some(SECRETS))
        .or_else(|| write.then(|| chained(WRITE_CHAINS).or_else(ended)).flatten())
}

/// Whether a rule that spells out this name may mean what is protected: what is hidden, and what is known.
pub(crate) fn is_name(name: &str) -> bool {
    let known = |access: FileAccess| of_name("", name, access).is_some();
    name.starts_with('.')
        || is_file_of_secrets(name)
        || known(FileAccess::Read)
        || known(FileAccess::Write)
}

/// Some systems drop blanks and dots at the end of a name.
fn trimmed(name: &str) -> &str {
    let trimmed = name.trim_end_matches(['.', ' ']);
    if trimmed.is_empty() { name } else { trimmed }
}

/// Whether it is the name of a file that holds secrets, and no secret itself.
fn is_file_of_secrets(name: &str) -> bool {
    starts_with(name, ".env") || FileFolders::default().secret(name).is_some()
}

/// `.env`, `.env.local`, `.envrc`, but not a template that is there to be read.
fn is_env(name: &str, access: FileAccess) -> bool {
    let template = [".example", ".sample", ".template", ".dist"].iter().any(|end| {
        name.len() > end.len()
            && name.get(name.len() - end.len()..).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    });
    access == FileAccess::Write || !template
}

/// Whether a path that only the run will tell in full may be a protected one, no matter what its known names are: any may, unless
/// its end, or its last name, is that of no protected file.
fn may_be_any(pieces: &[WordPiece], access: FileAccess) -> bool {
    if !pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. })) {
        return false;
    }
    let ends = match pieces.last() {
        Some(WordPiece::Text(text)) => text.as_str(),
        _ => "",
    };
    let (whole, name) = match ends.rsplit_once('/') {
        Some((_, name)) => (true, name),
        None => (false, ends),
    };
    let is_known = |(known, _): &(&str, _)| ends_with(known, name);
    let protected = BOTH.iter().chain(WRITES.iter().filter(|_| access == FileAccess::Write));
    let free = secrets::is_code(name) || whole && secrets::is_of_projects(name);
    !free || protected.into_iter().any(is_known)
}

fn ends_with(name: &str, end: &str) -> bool {
    let from = name.len().checked_sub(end.len());
    from.and_then(|from| name.get(from..)).is_some_and(|tail| tail.eq_ignore_ascii_case(end))
}

/// By what is known of a path; a name that is not known at all is free.
fn of_pieces(pieces: &[WordPiece], access: FileAccess) -> Option<PathProtection> {
    let relative = !matches!(pieces.first(), Some(WordPiece::Text(text)) if text.starts_with('/'))
        && !matches!(pieces.first(), Some(WordPiece::Home));
    let mut before = String::new();
    let names = names_of(pieces);
    let last = names.len().saturating_sub(1);
    let mut folders = FileFolders::default();
    for (at, (name, open)) in names.into_iter().enumerate() {
        let found = if open {
            // `.e*` could be `.env`, `.env.$x` is one of them.
            (name.starts_with('.') && name != "..")
                .then(|| {
                    of_name(&before, &name, access).or_else(|| {
                        let known = |names: ProtectedNames| {
                            names
                                .iter()
                                .find(|(known, _)| starts_with(known, &name))
                                .map(|(_, what)| *what)
                        };
                        let env = starts_with(".env", &name) || starts_with(&name, ".env");
                        env.then_some(ENV).or_else(|| known(BOTH)).or_else(|| {
                            (access == FileAccess::Write).then(|| known(WRITES)).flatten()
                        })
                    })
                })
                .flatten()
                .or_else(|| {
                    let ends = match pieces.last() {
                        Some(WordPiece::Text(text)) => text.as_str(),
                        _ => "",
                    };
                    (at == last).then(|| secrets::of_pattern(&name, ends)).flatten()
                })
        } else {
            let secret = || (at == last).then(|| folders.secret(trimmed(&name))).flatten();
            of_name(&before, &name, access).or_else(secret)
        };
        folders.enter(&name);
        if !relative || name == ".." {
            folders.forget_tests();
        }
        if let Some(what) = found {
            return Some(PathProtection::new(what, &name));
        }
        let parent = before.rsplit('/').next().unwrap_or_default();
        before = format!("{parent}/{name}");
    }
    None
}

/// The names in a path as far as they are known; `true` for one whose end is not.
fn names_of(pieces: &[WordPiece]) -> Vec<(String, bool)> {
    let mut names = vec![(String::new(), false)];
    // Once something in a name is not known, only the text before it counts.
    let mut lost = false;
    for piece in pieces {
        match piece {
            WordPiece::Text(text) => {
                for (at, part) in text.split('/').enumerate() {
                    if at > 0 {
                        names.push((String::new(), false));
                        lost = false;
                    }
                    if let Some((name, _)) = names.last_mut().filter(|_| !lost) {
                        name.push_str(part);
                    }
                }
            }
            WordPiece::Home => {}
            WordPiece::Glob(_) | WordPiece::Unknown { .. } => {
                lost = true;
                if let Some((_, open)) = names.last_mut() {
                    *open = true;
                }
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{NoFiles, NoLinks, lexically};

    #[test]
    fn where_the_disk_answers_with_an_error_a_path_may_be_a_file_of_our_own() {
        let from = PathContext { cwd: "/work".to_owned(), ..PathContext::default() };
        let located = vec![lexically("/work/x", &from).unwrap()];
        let spots = PathSpots { located, ..PathSpots::default() };
        for access in [FileAccess::Read, FileAccess::Write] {
            let is_own = |files: &dyn FileLookup| {
                is_own("/work/link/ledger.db", &spots, access, UseExtent::Itself, files)
            };
            assert!(!is_own(&NoLinks), "{access:?}");
            assert!(is_own(&NoFiles), "{access:?}");
        }
    }

    #[test]
    fn each_name_alone_is_looked_for() {
        for (name, what) in BOTH.iter().chain(WRITES) {
            assert_eq!(of_name("", name, FileAccess::Write), Some(*what), "{name}");
        }
    }

    #[test]
    fn each_secret_of_a_toolchain_is_protected() {
        let projects = ["/p".to_owned()];
        for path in TOOLCHAIN_SECRETS {
            for access in [FileAccess::Read, FileAccess::Write] {
                let names = PathNames::new(access, &projects);
                assert!(names.protection(&format!("/h/{path}")).is_some(), "{path}");
            }
        }
    }

    #[test]
    fn protected_by_name() {
        use FileAccess::{Read, Write};
        for (path, access, expected) in [
            ("/p/.git/config", Write, true),
            ("/p/.git/config", Read, true),
            ("/p/.gitignore", Write, false),
            ("/p/.GIT/hooks/x", Write, true),
            ("/p/.hg/hgrc", Write, true),
            ("/p/.hg/hgrc", Read, true),
            ("/p/.jj/repo/config.toml", Write, true),
            ("/p/.hg/dirstate", Read, false),
            ("/p/.env", Read, true),
            ("/p/.env.local", Read, true),
            ("/p/.envrc", Write, true),
            ("/p/.env.example", Read, false),
            ("/p/.env.example", Write, true),
            ("/p/environment", Read, false),
            ("/h/.ssh/id_rsa", Read, true),
            ("/h/.ssh./id_rsa", Read, true),
            ("/h/.bashrc", Write, true),
            ("/h/.bashrc", Read, false),
            ("/h/.config/countersign/policy.toml", Write, true),
            ("/etc/countersign/policy.toml", Write, true),
            ("/p/.countersign/policy.toml", Write, true),
            ("/p/.github/workflows/ci.yml", Write, true),
            ("/p/.github/workflows/ci.yml", Read, false),
            ("/h/.aws/credentials", Read, true),
            ("/etc/shadow", Read, true),
            ("/h/.ſsh/id_rsa", Read, true),
            ("/h/.\u{212a}ube/config", Read, true),
            ("/p/.g\u{200c}it/config", Write, true),
            ("/p/.gët/config", Write, false),
            ("/p/src/main.rs", Write, false),
            ("/p/.git/config.worktree", Read, true),
            ("/p/.git/modules/m/config", Read, true),
            ("/p/.git/worktrees/w/config.worktree", Read, true),
            ("/p/.git/logs/refs/heads/config", Write, true),
            ("/p/config", Read, false),
            ("/p/test/server.key", Read, false),
            ("/p/a/fixtures/b/server.key", Read, false),
            ("/test/p/server.key", Read, true),
            ("/h/test/id_rsa", Read, true),
            ("/test/id_rsa", Read, true),
            ("/etc/kubernetes/admin.conf", Read, true),
            ("/etc/shadow-", Read, true),
            ("/p/server.key", Read, true),
            ("/p/src/auth.ts", Read, false),
            ("/h/.codex/auth.json", Read, true),
            ("/var/run/secrets/kubernetes.io/serviceaccount/token", Read, true),
            ("/h/.gitconfig", Read, true),
            ("/p/azure-pipelines.yml", Write, true),
            ("/h/.gradle/enterprise/keys.properties", Read, true),
            ("/p/enterprise/keys.properties", Read, false),
            ("/h/.m2/.develocity/keys.properties", Read, true),
            ("/h/.dotnet/corefx/cryptography/x509stores/my/a.pfx", Read, true),
            ("/h/.m2/settings.xml", Read, true),
            ("/m2/settings.xml", Read, false),
        ] {
            let projects = ["/p".to_owned()];
            let names = PathNames::new(access, &projects);
            let found = names.protection(path);
            assert_eq!(found.is_some(), expected, "{path} {access:?}");
            // What was read of one folder is not said of another.
            for other in ["/p/.ssh/x", "/p/x", "/p/.git/x", "/p/test/x", "/h/.aws/x"] {
                names.protection(other);
                assert_eq!(names.protection(path), found, "{path} {access:?} after {other}");
            }
        }
    }

    #[test]
    fn protected_by_what_is_known_of_a_name() {
        let text = |text: &str| WordPiece::Text(text.to_owned());
        let glob = || WordPiece::Glob("*".to_owned());
        let unknown = || WordPiece::Unknown { splits: true };
        for (pieces, expected) in [
            (vec![text(".e"), glob()], true),
            (vec![text(".env."), unknown()], true),
            (vec![text("a"), glob()], false),
            (vec![glob()], false),
            (vec![unknown()], false),
            (vec![unknown(), text("/.ssh/x")], true),
            (vec![WordPiece::Home, text("/.ssh/"), glob()], true),
            (vec![text("src/"), glob(), text(".rs")], false),
            (vec![text("."), glob()], true),
            (vec![glob(), text(".key")], true),
            (vec![text("keys/id_"), glob()], true),
            (vec![glob(), text(".env")], true),
            (vec![glob(), text(".pem")], false),
        ] {
            assert_eq!(of_pieces(&pieces, FileAccess::Read).is_some(), expected, "{pieces:?}");
        }
    }

    #[test]
    fn a_pattern_names_what_it_spells_out() {
        let env = PathNames::new(FileAccess::Read, &[]).protection("/p/.env.local").unwrap();
        for (name, expected) in [
            (".env.local", true),
            (".env", true),
            (".env.", true),
            ("", false),
            (".", false),
            (".e", false),
        ] {
            assert_eq!(env.is_named_by(name), expected, "{name}");
        }
    }
}
