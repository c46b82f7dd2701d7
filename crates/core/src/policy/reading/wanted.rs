//! What the files of managers of versions say: the versions that they want, and where such a version is installed.

use serde_json::Value as Json;
use toml::Value as Toml;

use super::programs::{COREPACK, ChosenPrograms, PACKAGE_MANAGERS, RUST};
use crate::path::{DirListing, FileLookup, PathError};

/// The longest file that is read, in bytes.
pub(super) const MOST_TEXT: usize = 1 << 20;

/// How many names of a folder are gone through.
pub(super) const FEW_NAMES: usize = 1024;

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

/// What a file wants to run, which is harmless where the user has installed it.
#[derive(Debug)]
pub(super) struct WantedVersion {
    pub(super) programs: ChosenPrograms,
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
    pub(super) fn of(programs: ChosenPrograms) -> Self {
        Self { programs, installed: Installed::Nowhere }
    }

    /// A plain version of a tool, below these folders.
    fn below(programs: ChosenPrograms, places: &[&'static str], tool: &str, version: &str) -> Self {
        let name = format!("{tool}/{version}");
        let places = places.iter().map(|place| (*place, name.clone())).collect();
        Self { programs, installed: Installed::Below(places) }
    }

    pub(super) fn is_installed(
        &self, home: Option<&str>, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
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

pub(super) fn of_lines(text: &str) -> Vec<WantedVersion> {
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

pub(super) fn of_toml(
    text: &str, read: impl Fn(&toml::Table) -> Vec<WantedVersion>,
) -> Vec<WantedVersion> {
    let table = text.parse::<toml::Table>();
    table.map_or_else(|_| vec![WantedVersion::of(ChosenPrograms::All)], |table| read(&table))
}

pub(super) fn of_mise(table: &toml::Table) -> Vec<WantedVersion> {
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

pub(super) fn of_proto(table: &toml::Table) -> Vec<WantedVersion> {
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
pub(super) fn of_plain(text: &str) -> Vec<WantedVersion> {
    // Only a word of its own begins a comment: some managers take `18#/../x` for a name.
    let words = text
        .lines()
        .flat_map(|line| line.split_whitespace().take_while(|word| !word.starts_with('#')))
        .flat_map(|word| word.split('='));
    let mut other = words.filter(|word| !is_plain_or_lts(word));
    other.next().map(|_| WantedVersion::of(ChosenPrograms::All)).into_iter().collect()
}

pub(super) fn of_rust(text: &str) -> Vec<WantedVersion> {
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

pub(super) fn of_package(text: &str) -> Vec<WantedVersion> {
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
pub(super) fn of_gemfile(text: &str) -> Vec<WantedVersion> {
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
}
