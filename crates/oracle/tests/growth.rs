//! Nothing takes more than linear time, however it is nested or repeated, nor more than a small stack.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test that fails should panic, and say what it saw"
)]

use std::path::PathBuf;
use std::time::Duration;

use countersign_core::call::Json;
use countersign_core::path::{FileLookup, LocatedPath, PathError, PathGlob, Vars, locate};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, read, to_toml};
use countersign_core::preview;
use countersign_core::shell::{Shell, analyze};

/// What one input may take. With `SHOW` set, what takes a twentieth of it is printed.
const LIMIT: Duration = Duration::from_secs(4);
/// Smaller than any thread's that will run this.
const STACK: usize = 2 << 20;
/// Debug builds are so slow that they get less.
const SIZES: &[usize] =
    if cfg!(debug_assertions) { &[1 << 10, 1 << 16] } else { &[1 << 10, 1 << 16, 1 << 20] };

/// How an input grows: what it begins with, what is repeated, what it ends with.
type Family = (&'static str, &'static str, &'static str);

const SHELL: &[Family] = &[
    ("", "(", ""),
    ("", "((", ""),
    ("", "( ", ")"),
    ("", "$(", ""),
    ("echo ", "$($(", ""),
    ("echo ", "$((", ""),
    ("echo ", "$((1+(", ""),
    ("echo ", "$[", ""),
    ("echo ", "${a:-", ""),
    ("echo ", "\"${a:-", ""),
    ("echo ", "${a:-\"", ""),
    ("echo ", "\"$(", ""),
    ("echo ", "\"`", ""),
    ("echo ", "{a,", ""),
    ("echo ", "{a,b}", ""),
    ("echo ", "{", ""),
    ("echo ", "{a..", ""),
    ("", "{ ", ""),
    ("", "{", ""),
    ("", "<<E ", ""),
    ("cat ", "<<E", "\n"),
    ("", "cat <<E\n", ""),
    ("cat <<E\n", "E \n", "E"),
    ("cat <<E\n", "x\\\n", "E"),
    ("cat <<E\n", "$(", "\nE\n"),
    ("cat <<E\n", "$(cat <<E\n", ""),
    ("echo $(", "cat <<E\n)", ""),
    ("echo `", "cat <<E\n", "`"),
    ("echo ", "'\"", ""),
    ("echo ", "\"'", ""),
    ("echo ", "\"\"", ""),
    ("echo ", "$'\\''", ""),
    ("echo ", "$'", ""),
    ("echo ", "$\"", ""),
    ("[[ ", "[[ ", ""),
    ("[[ ", "( ", ""),
    ("[[ ", "! ", "a ]]"),
    ("[[ a ", "&& a ", "]]"),
    ("[[ a =~ ", "(", ""),
    ("", "`", ""),
    ("", "\\`", ""),
    ("echo `", "\\`", ""),
    ("echo `", "\\\\\\`", "`"),
    ("", "\\", ""),
    ("", "\\\n", "ls"),
    ("ls ", "a", ""),
    ("", "a", ""),
    ("ls", " a", ""),
    ("ls", "|ls", ""),
    ("ls", "\nls", ""),
    ("ls", ";ls", ""),
    ("ls", ">a", ""),
    ("ls ", "<(", ""),
    ("", "a=", ""),
    ("", "a=1 ", "ls"),
    ("a=(", "a ", ")"),
    ("a[", "a[", ""),
    ("", "if ", ""),
    ("", "while ", ""),
    ("", "case a in ", ""),
    ("case a in ", "a) ls;; ", "esac"),
    ("case a in ", "a|", ""),
    ("", "for a in b; do ", ""),
    ("", "f() { ", ""),
    ("", "f()", ""),
    ("", "function f ", ""),
    ("", "! ", "ls"),
    ("", "time ", "ls"),
    ("", "coproc ", "ls"),
    ("", "env ", "ls"),
    ("", "command ", "ls"),
    ("", "exec ", "ls"),
    ("", "xargs ", "ls"),
    ("", "sh -c ", "ls"),
    ("", "eval ", "ls"),
    ("", "sudo ", "ls"),
    ("cd a", ";cd a", ""),
    ("find . ", "-exec ls {} + ", ""),
    ("ls ", "*", ""),
    ("ls ", "*a", ""),
    ("ls ", "[", ""),
    ("ls ", "[a", ""),
    ("ls ", "@(", ""),
    ("", "#", ""),
    ("", "ls #\n", ""),
    ("", "\n", ""),
    ("", "\r", ""),
    ("", " ", ""),
    ("", "\u{a0}", ""),
    ("", "é", ""),
    ("", ")", ""),
    ("", "}", ""),
    ("", ";", ""),
    ("", "&", ""),
    ("", "$", ""),
    ("", "=", ""),
    ("", "~", ""),
    ("", "fi ", ""),
    ("", "a\0", ""),
    ("", "env a=b ", ""),
    ("env ", "-u a ", ""),
    ("env -S '", "env -S ", "'"),
    ("", "eval eval ", ""),
    ("let ", "let a=", ""),
    ("let ", "a=1 ", ""),
    ("watch ", "a ", ""),
    ("ssh ", "a ", ""),
    ("curl ", "-o a ", ""),
    ("wget ", "http://a/b ", ""),
    ("cp ", "-t a ", ""),
    ("git ", "-C a ", ""),
    ("alias ", "a=b ", ""),
    ("read ", "a ", ""),
    ("", "find . -exec a {} + ;", ""),
    ("find . ", "-exec find {} ';' ", ""),
    ("ls ", "$(a) ", ""),
    ("ls ", ">&'$(a)' ", ""),
    ("ls ", "a=~:~", ""),
    ("echo ", "{a..z}", ""),
    ("echo {", "{", ",}"),
    ("((", "a [", "))"),
    ("((", "a[b]", "))"),
    ("", "((a) b);", ""),
    ("", "<<E ", "\n"),
    ("sh -c '", "a;", "'"),
];

const GLOBS: &[Family] = &[
    ("", "a*", "b"),
    ("", "*", "b"),
    ("", "**/", "b"),
    ("", "**/a/", "b"),
    ("", "?", ""),
    ("", "[", ""),
    ("", "[a-", ""),
    ("", "{", ""),
    ("", "{a,", ""),
    ("", "{a,b}", ""),
    ("{", "a,", "b}"),
    ("", "\\", ""),
    ("", "/", ""),
    ("", "../", ""),
    ("", "./", ""),
    ("", "a/", ""),
    ("", "!", ""),
    ("", "${project}", ""),
    ("", "~", ""),
];

const JSON: &[(&str, &str, &str, &str)] = &[
    ("", "[", "", "]"),
    ("", "{\"a\":", "1", "}"),
    ("[", "1,", "1]", ""),
    ("\"", "a", "\"", ""),
    ("\"", "\\u202e", "\"", ""),
    ("\"", "\\n", "\"", ""),
    ("\"", " ", "\"", ""),
    ("[", "\"\\u001b[2K\",", "1]", ""),
];

/// A file system without symlinks.
struct Plain;

impl FileLookup for Plain {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(None)
    }

    fn is_case_sensitive(&self, _dir: &str) -> bool {
        false
    }
}

fn input(family: Family, size: usize) -> String {
    let (begin, repeat, end) = family;
    format!("{begin}{}{end}", repeat.repeat(size / repeat.len()))
}

/// The time that this thread has worked, so that a busy machine makes nothing slow.
#[cfg(target_os = "linux")]
fn now() -> Duration {
    nix::time::clock_gettime(nix::time::ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

/// The time since this process first asked.
#[cfg(not(target_os = "linux"))]
fn now() -> Duration {
    static FIRST: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    FIRST.elapsed()
}

/// Runs it on a small stack, and says how long it took.
fn timed(name: &str, size: usize, target: impl FnOnce() + Send) -> Option<String> {
    let took = std::thread::scope(|scope| {
        let work = || {
            let started = now();
            target();
            now().saturating_sub(started)
        };
        std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).unwrap().join()
    });
    match took {
        Ok(took) if took < LIMIT => {
            if std::env::var_os("SHOW").is_some() && took > LIMIT / 20 {
                eprintln!("{name} of {size} bytes: {took:?}");
            }
            None
        }
        Ok(took) => Some(format!("{name} of {size} bytes took {took:?}")),
        Err(_) => Some(format!("{name} of {size} bytes panicked")),
    }
}

fn slow(check: impl Fn(usize, &mut Vec<String>)) {
    let mut slow = Vec::new();
    for size in SIZES {
        check(*size, &mut slow);
        // The larger sizes of what is slow already would take for ever.
        if !slow.is_empty() {
            break;
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}

#[test]
fn shell() {
    slow(|size, slow| {
        for family in SHELL {
            let text = input(*family, size);
            for shell in [Shell::Bash, Shell::Posix] {
                slow.extend(timed(&format!("{family:?} for {shell:?}"), size, || {
                    assert!(!analyze(&text, shell).facts.is_empty());
                }));
            }
        }
    });
}

#[test]
fn globs() {
    let vars = Vars {
        cwd: "/work".to_owned(),
        home: Some("/home/u".to_owned()),
        project: Some("/work".to_owned()),
        project_as: None,
        own: Vec::new(),
    };
    let paths: Vec<LocatedPath> =
        ["a/".repeat(1_500), format!("{}b", "a".repeat(200)), "b/c.txt".to_owned()]
            .iter()
            .map(|path| locate(path, &vars, &Plain).unwrap())
            .collect();
    slow(|size, slow| {
        for family in GLOBS {
            let pattern = input(*family, size);
            slow.extend(timed(&format!("{family:?}"), size, || {
                let _ = locate(&pattern, &vars, &Plain);
                if let Ok(glob) = PathGlob::parse(&pattern, &vars) {
                    for path in &paths {
                        let _ = glob.covers(path, &Plain);
                        let _ = glob.touches(path, &Plain);
                        let _ = glob.touches_below(path, &Plain);
                    }
                    let _ = glob.could_match(&[], &vars);
                }
            }));
        }
    });
}

#[test]
fn display() {
    slow(|size, slow| {
        for (begin, repeat, middle, close) in JSON {
            let times = size / repeat.len();
            let text = format!("{begin}{}{middle}{}", repeat.repeat(times), close.repeat(times));
            slow.extend(timed(&format!("{repeat:?}"), size, || {
                if let Ok(args) = text.parse::<Json>() {
                    let _ = preview::render("tool", &args, Some(80));
                    let _ = preview::describe("tool", &args, &[]);
                }
                let _ = preview::render(&text, &"{}".parse().unwrap(), Some(80));
            }));
        }
    });
}

const DOCUMENTS: &[(Family, DocumentFormat)] = &[
    (("a = ", "[", ""), DocumentFormat::Toml),
    (("a = ", "{a=", ""), DocumentFormat::Toml),
    (("", "a.", "b = 1"), DocumentFormat::Toml),
    (("[", "a.", "b]"), DocumentFormat::Toml),
    (("", "[[rule]]\n", ""), DocumentFormat::Toml),
    (
        ("version = 1\n", "[[rule]]\neffect = \"deny\"\ncommands = \"a b\"\n", ""),
        DocumentFormat::Toml,
    ),
    (
        ("version = 1\n[[rule]]\neffect = \"deny\"\ncommands = [", "\"a\",", "]"),
        DocumentFormat::Toml,
    ),
    (("version = 1\n[[rule]]\neffect = \"deny\"\ncommands = \"", "a ", "\""), DocumentFormat::Toml),
    (("version = 1\n[[rule]]\neffect = \"deny\"\nwrites = \"", "*", "\""), DocumentFormat::Toml),
    (("version = 1\n", "[tools.a]\n", ""), DocumentFormat::Toml),
    (("version = 1\n", "b = 1\n", ""), DocumentFormat::Toml),
    (("a = \"\"\"", "\\\n", "\"\"\""), DocumentFormat::Toml),
    (("a = ", "1_", ""), DocumentFormat::Toml),
    (("a = '", "x", "'"), DocumentFormat::Toml),
    (("", "#\n", ""), DocumentFormat::Toml),
    (("", "\n", ""), DocumentFormat::Toml),
    (("", "[", ""), DocumentFormat::Json),
    (("", "{\"a\":", ""), DocumentFormat::Json),
    (("[", "1,", ""), DocumentFormat::Json),
    (("", "/*", ""), DocumentFormat::Json),
    (("", "//\n", ""), DocumentFormat::Json),
    (("\"", "\\u0061", "\""), DocumentFormat::Json),
    (("{\"version\":1,\"rule\":[", "{\"effect\":\"deny\"},", "]}"), DocumentFormat::Json),
    (("{", "\"version\":1,", "}"), DocumentFormat::Json),
];

#[test]
fn documents() {
    slow(|size, slow| {
        for (family, format) in DOCUMENTS {
            let text = input(*family, size);
            slow.extend(timed(&format!("{family:?}"), size, || {
                let source =
                    PolicySource { layer: LayerKind::Code, name: "test".into(), trusted: true };
                if let Ok(document) = read(&text, *format, source) {
                    let _ = to_toml(&document);
                }
            }));
        }
    });
}
