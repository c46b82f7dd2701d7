//! The policy of the campaign, judged on the prover's facts alone: small enough to be seen through.

use countersign_core::shell::{Command, CommandRole, FactKind, FileAccess, LineAnalysis, Word};

use crate::sandbox::house;

/// Beginnings of commands that may run.
pub const COMMANDS: &[&[&str]] = &[
    &["git", "status"],
    &["git", "log"],
    &["npm", "test"],
    &["ls"],
    &["echo"],
    &["cat"],
    &["true"],
    &["false"],
    &["test"],
    &["["],
    &["printf"],
    &["sort"],
    &["wc"],
    &["head"],
    &["uniq"],
    &["grep"],
    &["find"],
    &["awk"],
    &["gawk"],
    &["mawk"],
    &["original-awk"],
    &["sed"],
    &["ln"],
    &["cp"],
    &["mv"],
    &["cd"],
    &[":"],
];

/// Variables that may be set.
pub const ENV: &[&str] = &["CI", "FOO"];

/// The directory below which files may be written.
pub const WRITES: &str = "/work/out/";

/// Programs that need no allow of their own, because the program that they run is judged.
pub const WRAPPERS: &[&str] = &[
    "env", "nice", "nohup", "timeout", "time", "xargs", "stdbuf", "setsid", "ionice", "bash",
    "dash", "sh", "ash", "genv", "gnice", "gnohup", "gtimeout", "gtime", "gxargs", "gstdbuf",
];

/// Whether everything that these facts name is allowed.
pub fn allows(analysis: &LineAnalysis) -> bool {
    analysis.facts.iter().all(|fact| match &fact.what {
        FactKind::Command(command) => command.role == CommandRole::Wrapper || allowed(command).is_some(),
        FactKind::Redirect { access: FileAccess::Read, .. }
        | FactKind::Path { access: FileAccess::Read, .. }
        | FactKind::Url { .. } => true,
        FactKind::Loads { target, .. } => target.literal().is_some_and(|target| {
            places(target).iter().all(|place| {
                place.strip_prefix(house::CWD).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        }),
        FactKind::Redirect { access: FileAccess::Write, target, .. }
        | FactKind::Path { access: FileAccess::Write, target, .. } => {
            target.literal().is_some_and(|target| {
                target == "/dev/null"
                    || (analysis.dirs.is_empty() || target.starts_with('/')) && places(target).iter().all(|place| may_write(place))
            })
        }
        FactKind::Assign { name } => ENV.contains(&name.as_str()),
        FactKind::Unknown { named, .. } => named.is_some_and(|(command, arg)| {
            let command = analysis.facts.get(command).map(|fact| &fact.what);
            matches!(command, Some(FactKind::Command(command)) if allowed(command).is_some_and(|tokens| tokens > arg))
        }),
    }) && !analysis.facts.is_empty()
}

/// With how many words a rule allows this command.
fn allowed(command: &Command) -> Option<usize> {
    let begins = |rule: &&&[&str]| {
        rule.len() <= command.argv.len()
            && rule
                .iter()
                .zip(&command.argv)
                .all(|(token, word): (&&str, &Word)| word.literal() == Some(token))
    };
    COMMANDS.iter().filter(begins).map(|rule| rule.len()).max()
}

/// Whether a command that ran may run.
pub fn may_run(file: &str, argv: &[String]) -> bool {
    let called = argv.first().map_or("", String::as_str);
    // The system's own wrappers are looked through by their paths too; everything else runs by its name only.
    let wrapper = ["/bin/", "/usr/bin/"].iter().find_map(|dir| called.strip_prefix(dir));
    let name = wrapper.filter(|name| WRAPPERS.contains(name)).unwrap_or(called);
    // The rule is about a program by its own name: one called by another name does not match.
    if file != house::MISSING && file != name {
        return false;
    }
    WRAPPERS.contains(&name)
        || COMMANDS.iter().any(|rule| {
            rule.len() <= argv.len() && rule.iter().zip(argv).all(|(token, word)| token == word)
        })
}

/// Whether a file that was written may be written.
pub fn may_write(path: &str) -> bool {
    path.len() > WRITES.len() && path.starts_with(WRITES)
}

/// Where a path leads in the sandbox, from where a script starts: the file itself, and its target if it is a symlink.
pub fn places(path: &str) -> [String; 2] {
    let itself = match path.trim_end_matches('/').rsplit_once('/') {
        Some((parent, name)) if !matches!(name, "" | "." | "..") && !path.ends_with('/') => {
            let parent = if parent.is_empty() { "/" } else { parent };
            format!("{}/{name}", absolute(parent).trim_end_matches('/'))
        }
        None if !path.is_empty() => format!("{}/{path}", house::CWD),
        _ => absolute(path),
    };
    [itself, absolute(path)]
}

/// A path without symlinks, as the sandbox begins, from where a script starts.
pub fn absolute(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let from = if path.starts_with('/') { "" } else { house::CWD };
    let mut rest: Vec<&str> = path.rsplit('/').chain(from.rsplit('/')).collect();
    while let Some(part) = rest.pop() {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => {
                let whole = format!("/{}/{part}", parts.join("/")).replace("//", "/");
                match house::LINKS.iter().find(|(link, _)| *link == whole) {
                    Some((_, target)) => {
                        if target.starts_with('/') {
                            parts.clear();
                        }
                        rest.extend(target.rsplit('/'));
                    }
                    None => parts.push(part),
                }
            }
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_made_absolute() {
        for (path, absolute_path) in [
            ("out/x", "/work/out/x"),
            ("../x", "/x"),
            ("/a//b/./../c", "/a/c"),
            ("out/..", "/work"),
            ("out/link/x", "/work/src/x"),
            ("link/../x", "/work/x"),
            ("l.txt", "/etc/hosts"),
        ] {
            assert_eq!(absolute(path), absolute_path, "{path}");
        }
        assert_eq!(places("l.txt"), ["/work/l.txt", "/etc/hosts"]);
        assert_eq!(places("out/link/x"), ["/work/src/x", "/work/src/x"]);
        assert!(may_write("/work/out/x"));
        assert!(!may_write("/work/out/"));
        assert!(!may_write("/work/outside"));
    }

    #[test]
    fn only_what_the_rules_name_may_run() {
        let argv = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert!(may_run("git", &argv(&["git", "status", "-s"])));
        assert!(!may_run("git", &argv(&["git", "push"])));
        assert!(!may_run("rm", &argv(&["ls"])), "under a false name");
        assert!(may_run("env", &argv(&["env", "rm"])), "rm is seen when it runs");
        assert!(may_run("time", &argv(&["/bin/time", "rm"])), "so it is here");
        assert!(!may_run("ls", &argv(&["/bin/ls"])), "an allow is for the name as it is written");
    }
}
