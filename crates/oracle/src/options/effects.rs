//! The effects of a line, read from the output of strace.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::world::PROJECT;

/// An effect of a line that strace saw: a file used, a program started, a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObservedEffect {
    /// Its kind.
    pub kind: EffectKind,
    /// The file or address.
    pub path: String,
    /// The system call, in strace's words.
    pub call: String,
    /// The program of the process: the file that it executed last.
    pub by: String,
}

/// The kind of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EffectKind {
    /// A file was opened for reading.
    Reads,
    /// The names in a directory were read.
    Lists,
    /// A file was made, changed, moved or removed, or opened for that.
    Writes,
    /// A program started.
    Runs,
    /// A connection was tried or accepted.
    Connects,
    /// A signal was sent to a process that is not the line's own.
    Signals,
    /// A call that changes the machine itself.
    Machine,
}

/// A system call as strace shows it.
struct SystemCall<'a> {
    pid: i32,
    name: &'a str,
    args: Vec<&'a str>,
    result: &'a str,
    text: &'a str,
}

/// The effects in these lines of strace, those of the driver left out.
pub fn effects(lines: &[String], driver: i32) -> Vec<ObservedEffect> {
    let whole = joined(lines);
    let mut reader = TraceReader { driver, ..TraceReader::default() };
    for line in &whole {
        if let Some(call) = call(line) {
            reader.see(&call);
        }
    }
    let TraceReader { effects, kills, pids, .. } = reader;
    let strangers = kills.into_iter().filter(|(target, _)| !pids.contains(target));
    let mut all = effects;
    all.extend(strangers.map(|(_, effect)| effect));
    all
}

/// The lines, with the halves of interrupted ones put together.
fn joined(lines: &[String]) -> Vec<String> {
    let mut begun: HashMap<&str, &str> = HashMap::new();
    let mut whole = Vec::new();
    for line in lines {
        let Some((pid, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(head) = rest.strip_suffix("<unfinished ...>") {
            begun.insert(pid, head.trim_end());
        } else if let Some(tail) = rest.strip_prefix("<... ") {
            let tail = tail.split_once("resumed>").map_or("", |(_, tail)| tail);
            if let Some(head) = begun.remove(pid) {
                whole.push(format!("{pid} {head}{tail}"));
            }
        } else {
            whole.push(format!("{pid} {rest}"));
        }
    }
    // Calls that never returned: the process was killed in them.
    whole.extend(begun.into_iter().map(|(pid, head)| format!("{pid} {head}) = ?")));
    whole
}

fn call(line: &str) -> Option<SystemCall<'_>> {
    let (pid, rest) = line.split_once(' ')?;
    let (name, after) = rest.split_once('(')?;
    if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let (args, end) = arguments(after);
    let result = after.get(end..)?.trim_start_matches(')').trim_start();
    let result = result.strip_prefix('=').unwrap_or(result).trim();
    Some(SystemCall { pid: pid.parse().ok()?, name, args, result, text: rest })
}

/// The arguments, and where they end.
fn arguments(text: &str) -> (Vec<&str>, usize) {
    let mut args = Vec::new();
    let (mut depth, mut quoted, mut angle, mut escaped) = (0_u32, false, false, false);
    let mut from = 0;
    let mut previous = ' ';
    for (at, char) in text.char_indices() {
        let before = std::mem::replace(&mut previous, char);
        if escaped {
            escaped = false;
            continue;
        }
        match char {
            '\\' if quoted => escaped = true,
            '"' if !angle => quoted = !quoted,
            _ if quoted => {}
            '>' if angle => angle = false,
            _ if angle => {}
            '<' if before.is_ascii_alphanumeric() => angle = true,
            '(' | '[' | '{' => depth += 1,
            ']' | '}' => depth = depth.saturating_sub(1),
            ')' if depth > 0 => depth -= 1,
            ')' => {
                args.push(text.get(from..at).unwrap_or_default().trim());
                return (args, at + 1);
            }
            ',' if depth == 0 => {
                args.push(text.get(from..at).unwrap_or_default().trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    args.push(text.get(from..).unwrap_or_default().trim());
    (args, text.len())
}

/// Reads a trace call by call. It follows each process: its directory, its program, its children.
#[derive(Default)]
struct TraceReader {
    driver: i32,
    cwds: HashMap<i32, String>,
    programs: HashMap<i32, String>,
    pids: HashSet<i32>,
    effects: Vec<ObservedEffect>,
    kills: Vec<(i32, ObservedEffect)>,
}

impl TraceReader {
    fn see(&mut self, call: &SystemCall) {
        let arg = |index: usize| call.args.get(index).copied().unwrap_or_default();
        if matches!(call.name, "clone" | "clone3" | "fork" | "vfork") {
            if let Ok(child) = call.result.parse::<i32>() {
                self.pids.insert(child);
                if let Some(cwd) = self.cwds.get(&call.pid).cloned() {
                    self.cwds.entry(child).or_insert(cwd);
                }
                if let Some(program) = self.programs.get(&call.pid).cloned() {
                    self.programs.entry(child).or_insert(program);
                }
            }
            return;
        }
        if call.pid == self.driver {
            return;
        }
        self.pids.insert(call.pid);
        let failed = call.result.starts_with("-1");
        // A call that was refused is an attempt, and counts.
        let refused = ["EROFS", "EACCES", "EPERM", "ETXTBSY", "EXDEV"]
            .iter()
            .any(|error| call.result.contains(error));
        let counts = !failed || refused;
        let here = |path: usize| self.resolve(call.pid, None, arg(path));
        let at = |dir: usize, path: usize| self.resolve(call.pid, Some(arg(dir)), arg(path));
        let mut found: Vec<(EffectKind, String)> = Vec::new();
        match call.name {
            "chdir" if !failed => {
                let path = here(0);
                self.cwds.insert(call.pid, path);
                return;
            }
            "fchdir" if !failed => {
                if let Some(path) = decoration(arg(0)) {
                    self.cwds.insert(call.pid, path);
                }
                return;
            }
            "execve" | "execveat" if !failed && !call.result.starts_with('?') => {
                let path = if call.name == "execve" { here(0) } else { at(0, 1) };
                self.programs.insert(call.pid, path.clone());
                found.push((EffectKind::Runs, path));
            }
            "open" | "openat" | "openat2" | "creat" if counts => {
                let (path, flags) = match call.name {
                    "open" => (here(0), arg(1)),
                    "creat" => (here(0), "O_CREAT"),
                    _ => (at(0, 1), arg(2)),
                };
                let path = decoration(call.result).unwrap_or(path);
                let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"];
                if flags.contains("O_TMPFILE") {
                    found.push((EffectKind::Writes, path));
                } else if flags.contains("O_PATH") {
                } else if writes.iter().any(|flag| flags.contains(flag)) {
                    found.push((EffectKind::Writes, path));
                } else if !flags.contains("O_DIRECTORY") {
                    found.push((EffectKind::Reads, path));
                }
            }
            "getdents" | "getdents64" if !failed => {
                found.extend(decoration(arg(0)).map(|path| (EffectKind::Lists, path)));
            }
            "unlink" | "rmdir" | "mkdir" | "mknod" | "chmod" | "chown" | "lchown" | "truncate"
            | "utime" | "utimes" | "setxattr" | "lsetxattr" | "removexattr" | "lremovexattr"
                if counts =>
            {
                found.push((EffectKind::Writes, here(0)));
            }
            "unlinkat" | "mkdirat" | "mknodat" | "fchmodat" | "fchownat" | "utimensat"
            | "futimesat"
                if counts =>
            {
                found.push((EffectKind::Writes, at(0, 1)));
            }
            "fchmod" | "fchown" | "fsetxattr" | "fremovexattr" if counts => {
                found.extend(decoration(arg(0)).map(|path| (EffectKind::Writes, path)));
            }
            "rename" if counts => {
                found.extend([(EffectKind::Writes, here(0)), (EffectKind::Writes, here(1))])
            }
            "renameat" | "renameat2" if counts => {
                found.extend([(EffectKind::Writes, at(0, 1)), (EffectKind::Writes, at(2, 3))]);
            }
            // Another name for a file is a way to change it.
            "link" if counts => {
                found.extend([(EffectKind::Writes, here(0)), (EffectKind::Writes, here(1))])
            }
            "linkat" if counts => {
                found.extend([(EffectKind::Writes, at(0, 1)), (EffectKind::Writes, at(2, 3))]);
            }
            "symlink" if counts => found.push((EffectKind::Writes, here(1))),
            "symlinkat" if counts => found.push((EffectKind::Writes, at(1, 2))),
            "connect" | "bind" | "sendto" => {
                let address = call.args.iter().find(|arg| arg.starts_with("{sa_family="));
                if let Some(address) = address
                    && !["AF_NETLINK", "AF_UNSPEC"].iter().any(|it| address.contains(it))
                {
                    found.push((EffectKind::Connects, (*address).to_owned()));
                }
            }
            "kill" => {
                if let Ok(target) = arg(0).parse::<i32>()
                    && arg(1) != "0"
                    && target != 0
                {
                    let effect = self.effect(EffectKind::Signals, arg(0).to_owned(), call);
                    self.kills.push((target.abs(), effect));
                }
            }
            "mount" | "umount2" | "pivot_root" | "chroot" | "reboot" | "sethostname"
            | "setdomainname" | "settimeofday" | "clock_settime" | "swapon" | "swapoff"
            | "init_module" | "finit_module" | "delete_module" | "bpf" | "ptrace" => {
                found.push((EffectKind::Machine, call.name.to_owned()));
            }
            _ => {}
        }
        for (kind, path) in found {
            let effect = self.effect(kind, path, call);
            self.effects.push(effect);
        }
    }

    fn effect(&self, kind: EffectKind, path: String, call: &SystemCall) -> ObservedEffect {
        let by = self.programs.get(&call.pid).cloned().unwrap_or_default();
        ObservedEffect { kind, path, call: call.text.to_owned(), by }
    }

    /// A path argument, absolute.
    fn resolve(&self, pid: i32, dir: Option<&str>, path: &str) -> String {
        let dir = dir
            .and_then(decoration)
            .or_else(|| self.cwds.get(&pid).cloned())
            .unwrap_or_else(|| PROJECT.to_owned());
        match text(path) {
            Some(path) if path.starts_with('/') => path,
            Some(path) if path.is_empty() => dir,
            Some(path) => format!("{dir}/{path}"),
            // `NULL`: the descriptor itself.
            None => dir,
        }
    }
}

/// The path that strace shows beside a descriptor: `3</a/b>`.
fn decoration(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('<')?;
    let path = rest.rsplit_once('>').map_or(rest, |(path, _)| path);
    let path = path.strip_suffix(" (deleted)").unwrap_or(path);
    path.starts_with('/').then(|| unescaped(path))
}

/// A string in quotes.
fn text(text: &str) -> Option<String> {
    let text = text.strip_suffix("...").unwrap_or(text);
    text.strip_prefix('"')?.strip_suffix('"').map(unescaped)
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            bytes.push(*first);
            continue;
        }
        let digits = rest.iter().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        if digits > 0 {
            let value = rest
                .iter()
                .take(digits)
                .fold(0_u32, |value, digit| value * 8 + u32::from(digit.saturating_sub(b'0')));
            bytes.push(u8::try_from(value).unwrap_or(b'?'));
            rest = rest.get(digits..).unwrap_or_default();
            continue;
        }
        let Some((escaped, after)) = rest.split_first() else { break };
        rest = after;
        bytes.push(match escaped {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'v' => 0x0b,
            b'f' => 0x0c,
            other => *other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A path without `.`, `..` and `//`, as it is written.
pub fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// A path with the symlinks of its directories followed, as far as they are still there.
pub fn real(path: &str) -> String {
    let path = Path::new(path);
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return normal(&path.to_string_lossy());
    };
    match parent.canonicalize() {
        Ok(parent) => parent.join(name).to_string_lossy().into_owned(),
        Err(_) => normal(&path.to_string_lossy()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[&str]) -> Vec<(EffectKind, String)> {
        let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        effects(&lines, 1).into_iter().map(|effect| (effect.kind, effect.path)).collect()
    }

    #[test]
    fn opened_files_are_read_off_the_trace() {
        assert_eq!(
            of(&[
                "7 execve(\"/bin/cat\", [\"cat\", \"a,b)\"], 0x7f /* 3 vars */) = 0",
                "7 openat(AT_FDCWD</p>, \"a,b)\", O_RDONLY) = 3</p/a,b)>",
                "7 openat(AT_FDCWD</p>, \"no\", O_RDONLY) = -1 ENOENT (No such file or directory)",
                "7 openat(AT_FDCWD</p>, \"out\", O_WRONLY|O_CREAT, 0666) = -1 EROFS (Read-only file system)",
                "1 openat(AT_FDCWD</p>, \"own\", O_RDONLY) = 3</p/own>",
            ]),
            [
                (EffectKind::Runs, "/bin/cat".to_owned()),
                (EffectKind::Reads, "/p/a,b)".to_owned()),
                (EffectKind::Writes, "/p/out".to_owned()),
            ]
        );
    }

    #[test]
    fn halves_of_calls_are_put_together_and_directories_are_followed() {
        assert_eq!(
            of(&[
                "7 chdir(\"/d\" <unfinished ...>",
                "8 unlinkat(4</e>, \"x\\\"y\", 0) = 0",
                "7 <... chdir resumed>) = 0",
                "7 rename(\"a\", \"b\") = 0",
                "7 kill(8, SIGTERM) = 0",
                "7 kill(4000, SIGTERM) = 0",
            ]),
            [
                (EffectKind::Writes, "/e/x\"y".to_owned()),
                (EffectKind::Writes, "/d/a".to_owned()),
                (EffectKind::Writes, "/d/b".to_owned()),
                (EffectKind::Signals, "4000".to_owned()),
            ]
        );
    }
}
