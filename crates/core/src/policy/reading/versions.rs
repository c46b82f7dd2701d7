//! Files by which managers of versions choose the program that runs under a name: which there are, and what they say.
//!
//! A shim of such a manager runs what the nearest file says, may fetch what is not installed, and may take a folder of the
//! project for a version. So what is known to be harmless is described here, and all else is asked about.

use std::sync::Arc;

use serde_json::Value as Json;
use toml::Value as Toml;

use crate::path::{DirListing, FileLookup, PathError, fold, plain_text};
use crate::policy::judge::KnownFiles;

/// The longest file that is read, in bytes.
const MOST_TEXT: usize = 1 << 20;

/// How many names of a folder are gone through: as many as are near, and else.
const FEW_NAMES: usize = 1024;
const MOST_NAMES: usize = 20_000;

/// What is looked for in a folder with more names than that.
const USUAL: &[&str] = &[
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    "mise.lock",
    ".mise.lock",
    "mise.local.lock",
    ".miserc.toml",
    ".rtx.toml",
    "mise",
    ".mise",
    ".config",
    ".prototools",
    ".volta",
    "package.json",
    ".corepack.env",
    "rust-toolchain",
    "rust-toolchain.toml",
    "Gemfile",
    ".nvmrc",
    ".node-version",
    ".python-version",
    ".python-versions",
    ".ruby-version",
    ".java-version",
    ".perl-version",
    ".go-version",
    ".php-version",
    ".lua-version",
    ".swift-version",
    ".bun-version",
    ".deno-version",
    ".terraform-version",
];

/// Programs of the base system, for which no manager of versions stands but one that was told to by hand.
const BASE: &[&str] = &[
    "arch",
    "awk",
    "b2sum",
    "base32",
    "base64",
    "basename",
    "bash",
    "bc",
    "bzcat",
    "bzgrep",
    "bzip2",
    "cal",
    "cat",
    "chmod",
    "cksum",
    "clear",
    "cmp",
    "column",
    "comm",
    "cp",
    "cut",
    "dash",
    "date",
    "df",
    "diff",
    "diff3",
    "dir",
    "dirname",
    "du",
    "echo",
    "egrep",
    "env",
    "expand",
    "expr",
    "factor",
    "false",
    "fgrep",
    "file",
    "find",
    "fmt",
    "fold",
    "free",
    "getconf",
    "getent",
    "git",
    "grep",
    "groups",
    "gunzip",
    "gzip",
    "hd",
    "head",
    "hexdump",
    "hostname",
    "iconv",
    "id",
    "join",
    "last",
    "less",
    "ln",
    "locale",
    "locate",
    "logname",
    "look",
    "ls",
    "lsblk",
    "lscpu",
    "lsmod",
    "lspci",
    "lsusb",
    "md5",
    "md5sum",
    "mkdir",
    "mktemp",
    "more",
    "mv",
    "ncal",
    "nice",
    "nl",
    "nohup",
    "nproc",
    "numfmt",
    "od",
    "paste",
    "pgrep",
    "pr",
    "printenv",
    "printf",
    "ps",
    "pstree",
    "pwd",
    "readlink",
    "realpath",
    "rev",
    "rm",
    "rmdir",
    "sed",
    "seq",
    "sh",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "shuf",
    "sleep",
    "sort",
    "stat",
    "stdbuf",
    "strings",
    "sum",
    "tac",
    "tail",
    "tar",
    "tee",
    "test",
    "time",
    "timeout",
    "touch",
    "tput",
    "tr",
    "true",
    "tsort",
    "tty",
    "uname",
    "unexpand",
    "uniq",
    "unxz",
    "unzip",
    "uptime",
    "users",
    "vdir",
    "vmstat",
    "w",
    "wc",
    "whereis",
    "which",
    "who",
    "whoami",
    "xargs",
    "xxd",
    "xz",
    "xzcat",
    "xzgrep",
    "yes",
    "zcat",
    "zegrep",
    "zfgrep",
    "zgrep",
    "zip",
    "zipinfo",
];

/// What rustup stands for, besides all that begins with `cargo-`.
const RUST: &[&str] = &[
    "cargo",
    "clippy-driver",
    "rls",
    "rust-analyzer",
    "rust-gdb",
    "rust-gdbgui",
    "rust-lldb",
    "rustc",
    "rustdoc",
    "rustfmt",
    // It asks the compiler for its version.
    "rustup",
    "cargo-",
];

/// What corepack stands for.
const COREPACK: &[&str] = &["npm", "npx", "pnpm", "pnpx", "yarn", "yarnpkg"];
const PACKAGE_MANAGERS: &[(&str, &[&str])] =
    &[("npm", &["npm", "npx"]), ("pnpm", &["pnpm", "pnpx"]), ("yarn", &["yarn", "yarnpkg"])];

/// What mise's file may say besides the tools without that any of them becomes another.
const NOT_OF_TOOLS: &[&str] = &["min_version", "tasks", "task_config", "vars", "redactions"];

/// What names, in mise's file, a folder or a commit for a tool instead of a version.
const OF_ITS_OWN: &[&str] = &["path", "ref", "rev", "branch", "tag", "prefix", "sub"];

/// Where versions lie that the user installed: below these folders, which a `/` begins or which lie in the home.
const OF_MISE: &str = ".local/share/mise/installs";
const OF_ASDF: &str = ".asdf/installs";
const OF_PROTO: &str = ".proto/tools";
const OF_VOLTA: &str = ".volta/tools/image";
const OF_COREPACK: &[&str] = &[".cache/node/corepack/v1", "Library/Caches/node/corepack/v1"];
const OF_RUSTUP: &[&str] = &[".rustup/toolchains", "/usr/local/rustup/toolchains"];

/// The programs that a file may choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChosenPrograms {
    /// Any.
    All,
    /// Any but those of the base system.
    Managed,
    /// These, and where one ends in `-` those that begin so.
    Only(&'static [&'static str]),
}

impl ChosenPrograms {
    /// Whether it may choose what runs under this name.
    pub(super) fn may_be(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Managed => !is_of_base(name),
            Self::Only(names) => names
                .iter()
                .any(|known| *known == name || known.ends_with('-') && name.starts_with(known)),
        }
    }
}

/// Whether a program of this name comes with the system.
pub(super) fn is_of_base(name: &str) -> bool {
    BASE.contains(&name)
}

/// What a file wants to run, which is harmless where the user has installed it.
#[derive(Debug)]
struct WantedVersion {
    programs: ChosenPrograms,
    installed: Installed,
}

/// Where a version lies that was installed.
#[derive(Debug)]
enum Installed {
    /// No place, or an unknown one.
    Nowhere,
    /// Below the first of these folders that is there.
    Below(Vec<(&'static str, String)>),
    /// Among the toolchains of rustup, with these parts.
    Toolchain { channel: String, parts: Vec<String> },
}

impl WantedVersion {
    fn of(programs: ChosenPrograms) -> Self {
        Self { programs, installed: Installed::Nowhere }
    }

    /// A plain version of a tool, below these folders.
    fn below(programs: ChosenPrograms, places: &[&'static str], tool: &str, version: &str) -> Self {
        let name = format!("{tool}/{version}");
        let places = places.iter().map(|place| (*place, name.clone())).collect();
        Self { programs, installed: Installed::Below(places) }
    }

    fn is_installed(&self, home: Option<&str>, files: &dyn FileLookup) -> Result<bool, PathError> {
        let place = |folder: &str| match home {
            _ if folder.starts_with('/') => Some(folder.to_owned()),
            Some(home) => Some(format!("{home}/{folder}")),
            None => None,
        };
        match &self.installed {
            Installed::Nowhere => Ok(false),
            Installed::Below(places) => {
                for (folder, name) in places {
                    let Some(folder) = place(folder) else { continue };
                    if files.has(&folder)? {
                        return files.has(&format!("{folder}/{name}"));
                    }
                }
                Ok(false)
            }
            Installed::Toolchain { channel, parts } => {
                let of_host = format!("{channel}-{}-", std::env::consts::ARCH);
                for folder in OF_RUSTUP.iter().filter_map(|folder| place(folder)) {
                    let DirListing::Names(names) = files.list(&folder, FEW_NAMES) else { continue };
                    let is_meant = |name: &str| name == channel || name.starts_with(&of_host);
                    if let Some(found) = names.iter().find(|found| is_meant(&found.name)) {
                        let list = format!("{folder}/{}/lib/rustlib/components", found.name);
                        return Ok(parts.is_empty() || {
                            let known = files.text(&list, MOST_TEXT).unwrap_or_default();
                            parts.iter().all(|part| has_part(&known, part))
                        });
                    }
                }
                Ok(false)
            }
        }
    }
}

/// Whether rustup's list of what it has installed names this part, for any host.
fn has_part(list: &str, part: &str) -> bool {
    list.lines().any(|line| {
        let behind = line.strip_prefix(part);
        behind.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    })
}

/// What is known of such files from earlier verdicts: their names, by the folders that they lie in.
#[derive(Debug, Default)]
pub(crate) struct KnownVersions {
    names: KnownFiles<[String]>,
}

impl KnownVersions {
    /// The files of this folder that may choose a program, and which.
    ///
    /// `of_base`: whether it is about programs of the base system alone, which few files choose.
    pub(super) fn of_folder(
        &self, folder: &str, home: Option<&str>, of_base: bool, files: &dyn FileLookup,
    ) -> Result<Vec<(String, ChosenPrograms)>, PathError> {
        let top = if folder.is_empty() { "/" } else { folder };
        let names = match self.names.of(top, files, || listed(top, files)) {
            Some(names) => names,
            None => probed(folder, files)?,
        };
        let mut chosen = Vec::new();
        for name in names.iter() {
            let kind = FileKind::of(name);
            if of_base && kind.is_some_and(FileKind::is_for_few) {
                continue;
            }
            for (file, kind) in files_of(folder, name, files) {
                for wanted in kind.wants(&format!("{folder}/{file}"), files)? {
                    let found = (file.clone(), wanted.programs);
                    if !chosen.contains(&found) && !wanted.is_installed(home, files)? {
                        chosen.push(found);
                    }
                }
            }
        }
        Ok(chosen)
    }
}

/// The names in this folder that a manager of versions may read; `None`: there are too many to go through.
fn listed(folder: &str, files: &dyn FileLookup) -> Option<Arc<[String]>> {
    let mut names = files.list(folder, FEW_NAMES);
    if names == DirListing::TooMany {
        names = files.list(folder, MOST_NAMES);
    }
    let DirListing::Names(names) = names else { return None };
    Some(names.into_iter().map(|found| found.name).filter(|name| may_choose(name)).collect())
}

/// The same, each of the usual names looked at.
fn probed(folder: &str, files: &dyn FileLookup) -> Result<Arc<[String]>, PathError> {
    let mut found = Vec::new();
    for name in USUAL {
        if files.has(&format!("{folder}/{name}"))? {
            found.push((*name).to_owned());
        }
    }
    Ok(found.into())
}

/// Folders in which mise looks for its files.
const FOLDERS: &[&str] = &["mise", ".mise", ".config"];

/// Whether a manager of versions reads what has this name.
pub(super) fn may_choose(name: &str) -> bool {
    FileKind::of(name).is_some() || FOLDERS.contains(&fold(name).as_str())
}

/// Whether a line that writes a file of this name may choose what runs in it. What else a `package.json` says is changed often.
pub(super) fn chooses(name: &str) -> bool {
    FileKind::of(name)
        .map_or_else(|| FOLDERS.contains(&fold(name).as_str()), |kind| !kind.is_for_few())
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FileKind {
    /// `.tool-versions`: a tool and its versions in each line.
    Lines,
    Mise,
    /// `mise.lock`: where a version is fetched from.
    MiseLock,
    Proto,
    /// A version in each line.
    Plain,
    Rust,
    Package,
    /// The variables of corepack.
    Corepack,
    /// The folder of volta, whose hooks are programs.
    Volta,
    Gemfile,
}

impl FileKind {
    fn of(name: &str) -> Option<Self> {
        // Of a volume that tells no cases apart a file has many names.
        let name = fold(name);
        let hidden = name.strip_prefix('.');
        let bare = hidden.unwrap_or(&name);
        let is_toml = bare.ends_with(".toml");
        Some(match name.as_str() {
            ".tool-versions" => Self::Lines,
            "package.json" => Self::Package,
            ".corepack.env" => Self::Corepack,
            ".volta" => Self::Volta,
            "rust-toolchain" | "rust-toolchain.toml" => Self::Rust,
            "gemfile" => Self::Gemfile,
            ".nvmrc" | ".yvmrc" | ".sdkmanrc" => Self::Plain,
            _ if is_toml && (bare.starts_with("mise") || bare.starts_with("rtx")) => Self::Mise,
            _ if bare.starts_with("mise") && bare.ends_with(".lock") => Self::MiseLock,
            _ if hidden.is_some() && bare.starts_with("prototools") => Self::Proto,
            _ if hidden.is_some()
                && (bare.ends_with("-version") || bare.ends_with("-versions")) =>
            {
                Self::Plain
            }
            _ => return None,
        })
    }

    /// Whether it never chooses a program of the base system.
    fn is_for_few(self) -> bool {
        matches!(self, Self::Package | Self::Corepack | Self::Volta | Self::Gemfile)
    }

    fn wants(self, file: &str, files: &dyn FileLookup) -> Result<Vec<WantedVersion>, PathError> {
        if self == Self::Volta {
            let hooks = files.has(&format!("{file}/hooks.json"))?;
            return Ok(hooks
                .then(|| WantedVersion::of(ChosenPrograms::Managed))
                .into_iter()
                .collect());
        }
        let Some(text) = plain_text(files, file, MOST_TEXT) else {
            // A folder of that name is no file of anybody's. It has no text, and names in it.
            let has_names = match files.list(file, FEW_NAMES) {
                DirListing::Names(names) => !names.is_empty(),
                DirListing::Unknown | DirListing::TooMany => false,
            };
            let of_it = match self {
                Self::Package | Self::Corepack => ChosenPrograms::Only(COREPACK),
                Self::Rust => ChosenPrograms::Only(RUST),
                _ => ChosenPrograms::All,
            };
            return Ok((!has_names).then(|| WantedVersion::of(of_it)).into_iter().collect());
        };
        Ok(match self {
            Self::Lines => of_lines(&text),
            Self::Mise => of_toml(&text, of_mise),
            // What it says of a version is fetched, though another one of that name is installed.
            Self::MiseLock => vec![WantedVersion::of(ChosenPrograms::Managed)],
            Self::Proto => of_toml(&text, of_proto),
            Self::Plain => of_plain(&text),
            Self::Rust => of_rust(&text),
            Self::Package => of_package(&text),
            Self::Corepack => vec![WantedVersion::of(ChosenPrograms::Only(COREPACK))],
            Self::Volta => Vec::new(),
            Self::Gemfile => of_gemfile(&text),
        })
    }
}

/// The files that this name stands for: itself, or the files of mise in its folders.
fn files_of(folder: &str, name: &str, files: &dyn FileLookup) -> Vec<(String, FileKind)> {
    if let Some(kind) = FileKind::of(name) {
        return vec![(name.to_owned(), kind)];
    }
    let mut found = Vec::new();
    // Each folder, and whether mise reads all settings in it or only those that have its name.
    let mut left = vec![(name.to_owned(), fold(name) != ".config")];
    while let Some((within, all)) = left.pop() {
        let entries = match files.list(&format!("{folder}/{within}"), FEW_NAMES) {
            DirListing::Names(entries) => entries,
            DirListing::Unknown => continue,
            DirListing::TooMany => {
                // Too many to say which.
                found.push((within, FileKind::Mise));
                continue;
            }
        };
        for entry in entries {
            let file = format!("{within}/{}", entry.name);
            let lower = fold(&entry.name);
            let is_meant = all || lower.starts_with("mise");
            if lower.ends_with(".toml") && is_meant {
                found.push((file, FileKind::Mise));
            } else if lower.ends_with(".lock") && is_meant {
                found.push((file, FileKind::MiseLock));
            } else if lower == "mise" && !all || lower == "conf.d" && all {
                left.push((file, true));
            }
        }
    }
    found
}

/// Whether this names one version that somebody released, and neither a folder nor a commit.
fn is_plain(version: &str) -> bool {
    version.starts_with(|first: char| first.is_ascii_alphanumeric())
        && !version.contains("..")
        && version.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._+@-".contains(&byte))
}

/// The same, or one of the long-term versions of Node.
fn is_plain_or_lts(version: &str) -> bool {
    let lts = version.strip_prefix("lts/");
    is_plain(version)
        || lts.is_some_and(|name| name == "*" || is_plain(name.strip_prefix('-').unwrap_or(name)))
}

/// A version of a tool that mise or asdf runs: where it is not installed, mise would fetch it.
fn of_tool(tool: &str, version: &str) -> Option<WantedVersion> {
    // The program that is found behind the shim.
    if version == "system" {
        return None;
    }
    if !is_plain(version) {
        return Some(WantedVersion::of(ChosenPrograms::All));
    }
    if !is_plain(tool) {
        return Some(WantedVersion::of(ChosenPrograms::Managed));
    }
    let of_mise = match tool {
        "nodejs" => "node",
        "golang" => "go",
        tool => tool,
    };
    let name = |tool: &str| format!("{tool}/{version}");
    let places = vec![(OF_MISE, name(of_mise)), (OF_ASDF, name(tool))];
    Some(WantedVersion { programs: ChosenPrograms::Managed, installed: Installed::Below(places) })
}

fn of_lines(text: &str) -> Vec<WantedVersion> {
    // mise takes it for a template, comments and all, and a template may run commands.
    if ["{{", "{%", "{#"].iter().any(|sign| text.contains(sign)) {
        return vec![WantedVersion::of(ChosenPrograms::All)];
    }
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        let tool = words.next().unwrap_or_default().to_owned();
        words.map(str::to_owned).filter_map(move |version| of_tool(&tool, &version)).collect()
    };
    lines.flat_map(|line| -> Vec<_> { of_line(line) }).collect()
}

fn of_toml(text: &str, read: impl Fn(&toml::Table) -> Vec<WantedVersion>) -> Vec<WantedVersion> {
    let table = text.parse::<toml::Table>();
    table.map_or_else(|_| vec![WantedVersion::of(ChosenPrograms::All)], |table| read(&table))
}

fn of_mise(table: &toml::Table) -> Vec<WantedVersion> {
    let mut wanted = Vec::new();
    for (key, value) in table {
        match (key.as_str(), value) {
            ("tools", Toml::Table(tools)) => {
                tools.iter().for_each(|(tool, value)| of_mise_tool(tool, value, &mut wanted));
            }
            (key, _) if NOT_OF_TOOLS.contains(&key) => {}
            _ => wanted.push(WantedVersion::of(ChosenPrograms::Managed)),
        }
    }
    wanted
}

fn of_mise_tool(tool: &str, value: &Toml, wanted: &mut Vec<WantedVersion>) {
    match value {
        Toml::String(version) => wanted.extend(of_tool(tool, version)),
        Toml::Array(versions) => {
            versions.iter().for_each(|version| of_mise_tool(tool, version, wanted));
        }
        Toml::Table(settings) => {
            for (key, value) in settings {
                match key.as_str() {
                    "version" => of_mise_tool(tool, value, wanted),
                    "os" => {}
                    key if OF_ITS_OWN.contains(&key) => {
                        wanted.push(WantedVersion::of(ChosenPrograms::All));
                    }
                    _ => wanted.push(WantedVersion::of(ChosenPrograms::Managed)),
                }
            }
        }
        Toml::Integer(version) => wanted.extend(of_tool(tool, &version.to_string())),
        Toml::Float(version) => wanted.extend(of_tool(tool, &version.to_string())),
        Toml::Boolean(_) | Toml::Datetime(_) => {
            wanted.push(WantedVersion::of(ChosenPrograms::All));
        }
    }
}

fn of_proto(table: &toml::Table) -> Vec<WantedVersion> {
    let wants = |(tool, value): (&String, &Toml)| match value {
        Toml::String(version) if is_plain(version) && is_plain(tool) => {
            WantedVersion::below(ChosenPrograms::Managed, &[OF_PROTO], tool, version)
        }
        Toml::Table(_) => WantedVersion::of(ChosenPrograms::Managed),
        _ => WantedVersion::of(ChosenPrograms::All),
    };
    table.iter().map(wants).collect()
}

/// A plain version is run where the user has it: these managers fetch nothing.
fn of_plain(text: &str) -> Vec<WantedVersion> {
    // Only a word of its own begins a comment: some managers take `18#/../x` for a name.
    let words = text
        .lines()
        .flat_map(|line| line.split_whitespace().take_while(|word| !word.starts_with('#')))
        .flat_map(|word| word.split('='));
    let mut other = words.filter(|word| !is_plain_or_lts(word));
    other.next().map(|_| WantedVersion::of(ChosenPrograms::All)).into_iter().collect()
}

fn of_rust(text: &str) -> Vec<WantedVersion> {
    let programs = ChosenPrograms::Only(RUST);
    let of_channel = |channel: &str, parts: Vec<String>| {
        if is_plain(channel) {
            let installed = Installed::Toolchain { channel: channel.to_owned(), parts };
            WantedVersion { programs, installed }
        } else {
            WantedVersion::of(ChosenPrograms::All)
        }
    };
    let whole = text.trim();
    if !whole.contains(['=', '[', '\n']) {
        return vec![of_channel(whole, Vec::new())];
    }
    of_toml(text, |table| {
        let Some(Toml::Table(toolchain)) = table.get("toolchain").filter(|_| table.len() == 1)
        else {
            return vec![WantedVersion::of(programs)];
        };
        let (mut channel, mut parts) = (None, Vec::new());
        for (key, value) in toolchain {
            let listed = value.as_array().map(|list| list.iter().map(Toml::as_str));
            let listed: Option<Vec<&str>> = listed.and_then(Iterator::collect);
            match (key.as_str(), listed, value.as_str()) {
                ("channel", _, Some(text)) => channel = Some(text),
                ("profile", _, Some(_)) => {}
                ("components", Some(names), _) => {
                    parts.extend(names.iter().map(|it| (*it).to_owned()))
                }
                ("targets", Some(names), _) => {
                    parts.extend(names.iter().map(|target| format!("rust-std-{target}")));
                }
                _ => return vec![WantedVersion::of(programs)],
            }
        }
        channel.map(|channel| of_channel(channel, parts)).into_iter().collect()
    })
}

fn of_package(text: &str) -> Vec<WantedVersion> {
    let text = text.trim_start_matches('\u{feff}');
    let Ok(Json::Object(package)) = serde_json::from_str::<Json>(text) else {
        return vec![WantedVersion::of(ChosenPrograms::Managed)];
    };
    let mut wanted = Vec::new();
    match package.get("packageManager") {
        None | Some(Json::Null) => {}
        Some(Json::String(wants)) => {
            let (name, version) = wants.split_once('@').unwrap_or((wants, ""));
            let version = version.split('+').next().unwrap_or_default();
            wanted.extend(of_package_manager(name, version));
        }
        Some(_) => wanted.push(WantedVersion::of(ChosenPrograms::Only(COREPACK))),
    }
    let engines = package.get("devEngines").and_then(|engines| engines.get("packageManager"));
    let engines = match engines {
        Some(Json::Array(engines)) => engines.as_slice(),
        Some(engine) => std::slice::from_ref(engine),
        None => &[],
    };
    for engine in engines {
        let text = |key: &str| engine.get(key).and_then(Json::as_str);
        match text("name") {
            Some(name) => wanted.extend(of_package_manager(name, text("version").unwrap_or(""))),
            None => wanted.push(WantedVersion::of(ChosenPrograms::Only(COREPACK))),
        }
    }
    match package.get("volta") {
        None | Some(Json::Null) => {}
        Some(Json::Object(tools)) => wanted.extend(tools.iter().map(|(tool, version)| {
            let version = version.as_str().filter(|version| is_plain(version) && is_plain(tool));
            match version.filter(|_| tool != "extends") {
                Some(version) => {
                    WantedVersion::below(ChosenPrograms::Managed, &[OF_VOLTA], tool, version)
                }
                None => WantedVersion::of(ChosenPrograms::Managed),
            }
        })),
        Some(_) => wanted.push(WantedVersion::of(ChosenPrograms::Managed)),
    }
    wanted
}

/// A version of a package manager, which corepack fetches where it is not in its cache.
fn of_package_manager(name: &str, version: &str) -> Option<WantedVersion> {
    // Another one is refused by corepack.
    let (_, programs) = PACKAGE_MANAGERS.iter().find(|(known, _)| *known == name)?;
    let programs = ChosenPrograms::Only(programs);
    Some(if is_plain(version) {
        WantedVersion::below(programs, OF_COREPACK, name, version)
    } else {
        WantedVersion::of(programs)
    })
}

/// mise takes the version of Ruby from the line that says it to Bundler.
fn of_gemfile(text: &str) -> Vec<WantedVersion> {
    let lines = text.lines().map(str::trim).filter(|line| line.starts_with("ruby"));
    let mut own = lines.filter(|line| line.contains("path:") || line.contains("ref:"));
    own.next().map(|_| WantedVersion::of(ChosenPrograms::All)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_version_names_neither_a_folder_nor_a_commit() {
        for version in
            ["18", "v20.1.0", "3.12.1", "temurin-17.0.2+8", "lts/*", "lts/iron", "lts/-1"]
        {
            assert!(is_plain_or_lts(version), "{version}");
        }
        for version in [
            "", ".", "..", "1..2", "../x", "a/b", "/x", "path:./x", "ref:main", "-x", "lts/..",
            "lts/", "lts/../x", "18#/../x", "~/x", "$X", "{{exec}}", "x y",
        ] {
            assert!(!is_plain_or_lts(version), "{version}");
        }
    }

    #[test]
    fn names_of_managers_are_known_in_any_case() {
        for name in [
            ".tool-versions",
            "Mise.toml",
            ".mise.ci.toml",
            ".FOO-version",
            ".config",
            "mise",
            ".prototools.x",
        ] {
            assert!(may_choose(name) && chooses(name), "{name}");
        }
        for name in ["package.json", "Gemfile", ".volta", ".corepack.env"] {
            assert!(may_choose(name) && !chooses(name), "{name}");
        }
        for name in ["check-version", "x.toml", "tool-versions", "README.md"] {
            assert!(!may_choose(name), "{name}");
        }
    }
}
