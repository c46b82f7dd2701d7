//! The engine of the SQLite ledger, used by several processes at once; some are killed or stopped.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test ends here")]
#![allow(clippy::print_stdout, reason = "how a child tells its parent")]

#[path = "../src/effort.rs"]
mod effort;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

use countersign_core::ledger::sqlite::{OpenOptions, OwnerId, SchemaMigration, SqliteEngine};
use countersign_core::ledger::{LedgerError, LedgerErrorKind};
use effort::effort;

const SCHEMA: &[SchemaMigration] = &[SchemaMigration {
    version: 1,
    min_reader: 1,
    min_writer: 1,
    sql: "CREATE TABLE meta (k TEXT PRIMARY KEY, v);
          CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;",
}];

/// What the child is to do, and with which file. Children are this very program, with this variable.
const ROLE: &str = "COUNTERSIGN_TEST_ENGINE";

struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let path =
            std::env::temp_dir().join(format!("countersign-engine-{}", uuid::Uuid::now_v7()));
        fs::create_dir(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.join("ledger.db")
    }

    fn engine(&self) -> SqliteEngine {
        open(&self.file()).unwrap()
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A writer that comes late on a slow machine is not taken for one that hangs.
fn open(file: &Path) -> Result<SqliteEngine, LedgerError> {
    let options = OpenOptions { busy_timeout: Duration::from_secs(240), ..OpenOptions::new(file) };
    SqliteEngine::open(options, SCHEMA)
}

fn count(engine: &SqliteEngine, name: &str) -> Result<i64, LedgerError> {
    let name = name.to_owned();
    engine.write(move |connection| {
        Ok(connection.query_row(
            "INSERT INTO counter VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value",
            [name],
            |row| row.get(0),
        )?)
    })
}

fn counted(engine: &SqliteEngine) -> BTreeMap<String, i64> {
    engine
        .read(|connection| {
            let mut all = connection.prepare("SELECT name, value FROM counter")?;
            Ok(all
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?)
        })
        .unwrap()
}

/// A child, which answers each line we write with one of its own. Killed when dropped.
struct Helper {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Helper {
    fn start(role: &str, file: &Path) -> Self {
        Self::of(Command::new(std::env::current_exe().unwrap()), role, file)
    }

    fn of(mut command: Command, role: &str, file: &Path) -> Self {
        let mut child = command
            .args(["--exact", "helper", "--nocapture", "--test-threads=1"])
            .env(ROLE, format!("{role} {}", file.display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let mut helper = Self { child, to, from };
        assert_eq!(helper.line(), "ready");
        helper
    }

    /// The next line it wrote for us; the test harness writes others.
    fn line(&mut self) -> String {
        let mut line = String::new();
        while self.from.read_line(&mut line).unwrap() > 0 {
            if let Some((_, said)) = line.trim_end().split_once("» ") {
                return said.to_owned();
            }
            line.clear();
        }
        panic!("the helper is gone");
    }

    fn ask(&mut self, what: &str) -> String {
        writeln!(self.to, "{what}").unwrap();
        self.line()
    }

    fn signal(&self, name: &str) {
        let done = Command::new("kill").args([name, &self.child.id().to_string()]).status();
        assert!(done.unwrap().success());
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Not a test of its own: what children do.
#[test]
fn helper() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let (role, file) = role.split_once(' ').unwrap();
    let say = |what: String| {
        println!("» {what}");
        std::io::stdout().flush().unwrap();
    };
    if role == "opener" {
        say("ready".to_owned());
        for _ in std::io::stdin().lines() {
            let read = OpenOptions { read_only: true, ..OpenOptions::new(file) };
            let [write, read] = [open(Path::new(file)), SqliteEngine::open(read, SCHEMA)].map(
                |opened| match opened {
                    Ok(engine) => format!("{:?}", counted(&engine)),
                    Err(error) => error.kind.code().to_owned(),
                },
            );
            say(format!("{write} {read}"));
        }
        return;
    }
    let engine = open(Path::new(file)).unwrap();
    say("ready".to_owned());
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (what, name) = line.split_once(' ').unwrap_or((&line, ""));
        match what {
            "owner" => say(engine.owner().to_string()),
            "count" => say(count(&engine, name).unwrap().to_string()),
            // It says that it begins, so that the other side knows when it has had time to.
            "begin" => {
                say("begins".to_owned());
                say(count(&engine, name).unwrap().to_string());
            }
            "storm" => {
                thread::scope(|scope| {
                    for thread in 0..8 {
                        let engine = &engine;
                        scope.spawn(move || {
                            let own = format!("{name}-{thread}");
                            for _ in 0..50 {
                                count(engine, "all").unwrap();
                                count(engine, &own).unwrap();
                            }
                        });
                    }
                });
                say("done".to_owned());
            }
            // Acknowledges each of its steps, until it is killed.
            "forever" => loop {
                say(count(&engine, name).unwrap().to_string());
            },
            // Acknowledges big steps until one fails; then small ones.
            "fill" => {
                let mut done = 0;
                let error = loop {
                    let filled = engine.write(move |connection| {
                        let body = "x".repeat(100_000);
                        Ok(connection.execute(
                            "INSERT INTO counter VALUES (?1, ?2)",
                            (format!("{body}{done}"), done),
                        )?)
                    });
                    match filled {
                        Ok(_) => done += 1,
                        Err(error) => break error,
                    }
                };
                say(format!("{done} {}", error.kind.code()));
            }
            // Holds the gate until it is killed.
            "hold" => {
                engine
                    .write(move |_| {
                        println!("» holding");
                        std::io::stdout().flush().unwrap();
                        loop {
                            thread::sleep(Duration::from_secs(1));
                        }
                        #[allow(unreachable_code, reason = "gives the step its type")]
                        Ok(())
                    })
                    .unwrap();
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn what_two_processes_count_adds_up() {
    let directory = Directory::new();
    // Both of them make the ledger.
    let mut helpers: Vec<_> = thread::scope(|scope| {
        let starts: Vec<_> =
            (0..2).map(|_| scope.spawn(|| Helper::start("work", &directory.file()))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    for (index, helper) in helpers.iter_mut().enumerate() {
        writeln!(helper.to, "storm process{index}").unwrap();
    }
    for helper in &mut helpers {
        assert_eq!(helper.line(), "done");
    }
    let mut expected: BTreeMap<_, _> = (0..2)
        .flat_map(|process| (0..8).map(move |thread| (format!("process{process}-{thread}"), 50)))
        .collect();
    expected.insert("all".to_owned(), 800);
    assert_eq!(counted(&directory.engine()), expected);
}

#[test]
fn whoever_is_killed_lets_go_of_the_gate_and_is_dead_to_others() {
    let directory = Directory::new();
    let engine = directory.engine();
    let mut helper = Helper::start("work", &directory.file());
    let owner: OwnerId = helper.ask("owner").parse().unwrap();
    assert_eq!(engine.is_alive(owner), Ok(true));
    assert_eq!(helper.ask("hold"), "holding");
    let kill = thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        drop(helper);
    });
    assert_eq!(count(&engine, "a"), Ok(1));
    kill.join().unwrap();
    assert_eq!(engine.is_alive(owner), Ok(false));
}

#[test]
fn what_was_acknowledged_before_a_kill_is_there() {
    let directory = Directory::new();
    for round in 0..effort(5, 20) {
        let mut helpers = [(); 2].map(|()| Helper::start("work", &directory.file()));
        let name = format!("round{round}");
        let mut acknowledged = 0;
        for helper in &mut helpers {
            writeln!(helper.to, "forever {name}").unwrap();
        }
        for turn in 0..=round {
            let answer: i64 = helpers[turn % 2].line().parse().unwrap();
            acknowledged = acknowledged.max(answer);
        }
        drop(helpers);
        let engine = directory.engine();
        let found = counted(&engine).get(&name).copied().unwrap_or(0);
        assert!(found >= acknowledged, "{found} of {acknowledged}");
        assert_eq!(count(&engine, &name), Ok(found + 1));
        let sound = engine
            .read(|connection| {
                Ok(connection
                    .query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))?)
            })
            .unwrap();
        assert_eq!(sound, "ok");
    }
}

#[test]
fn who_is_stopped_while_writing_makes_others_busy_and_no_more() {
    let directory = Directory::new();
    let mut options = OpenOptions::new(directory.file());
    options.busy_timeout = Duration::from_millis(100);
    let engine = SqliteEngine::open(options.clone(), SCHEMA).unwrap();
    let mut helper = Helper::start("work", &directory.file());
    assert_eq!(helper.ask("hold"), "holding");
    helper.signal("-STOP");
    for _ in 0..3 {
        assert_eq!(count(&engine, "a").unwrap_err().kind, LedgerErrorKind::Busy);
        assert_eq!(
            SqliteEngine::open(options.clone(), SCHEMA).unwrap_err().kind,
            LedgerErrorKind::Busy
        );
    }
    // Reading goes on, and so does closing it.
    assert!(counted(&engine).is_empty());
    drop(engine.clone());
    drop(helper);
    // Who waits so little may meet the engine's own upkeep.
    let mut answers = (0..1_000).map(|_| count(&engine, "a"));
    let busy = |answer: &Result<i64, LedgerError>| matches!(answer, Err(error) if error.kind == LedgerErrorKind::Busy);
    assert_eq!(answers.find(|answer| !busy(answer)), Some(Ok(1)));
    assert_eq!(count(&directory.engine(), "a"), Ok(2));
}

/// Another copy of SQLite in this process that closes the file takes away the locks that ours has on it. A plain file does the
/// same, which is the very trap that any such copy falls into.
#[test]
fn writers_are_kept_apart_when_the_locks_of_sqlite_are_gone() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    let mut helper = Helper::start("work", &directory.file());
    let (file, shared) = (directory.file(), directory.0.join("ledger.db-shm"));
    engine
        .write(move |connection| {
            connection.execute("UPDATE counter SET value = 100", [])?;
            drop(fs::File::open(&file).unwrap());
            drop(fs::File::open(&shared).unwrap());
            assert_eq!(helper.ask("begin a"), "begins");
            // Long enough for it to have written, if anything let it.
            thread::sleep(Duration::from_millis(300));
            Ok(helper)
        })
        .map(|mut helper| assert_eq!(helper.line(), "101"))
        .unwrap();
    assert_eq!(counted(&engine).get("a"), Some(&101));
}

/// A limit of the size of files is a disk that fails in the middle of a commit.
#[test]
fn a_write_that_the_disk_refuses_fails_alone() {
    let directory = Directory::new();
    let mut command = Command::new("sh");
    command.args(["-c", "trap '' XFSZ; ulimit -f 4000; exec \"$0\" \"$@\""]);
    command.arg(std::env::current_exe().unwrap());
    let mut helper = Helper::of(command, "work", &directory.file());
    assert_eq!(helper.ask("count before"), "1");
    let filled = helper.ask("fill");
    let (acknowledged, code) = filled.split_once(' ').unwrap();
    assert_eq!(code, "ERR_LEDGER_IO");
    let acknowledged: usize = acknowledged.parse().unwrap();
    assert!(acknowledged > 0);
    // What fits is written, by the same engine.
    assert_eq!(helper.ask("count before"), "2");
    drop(helper);

    let engine = directory.engine();
    assert_eq!(count(&engine, "before"), Ok(3));
    assert_eq!(counted(&engine).len(), acknowledged + 1);
}

/// Runs as a user who is not allowed everything.
fn opener(file: &Path) -> Helper {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new(std::env::current_exe().unwrap());
    if Command::new("id").arg("-u").output().unwrap().stdout == b"0\n" {
        command.uid(65534).gid(65534);
        for path in [file.parent().unwrap(), file] {
            let _ = std::os::unix::fs::chown(path, Some(65534), Some(65534));
        }
    }
    Helper::of(command, "opener", file)
}

#[test]
fn what_this_user_may_not_do_is_told() {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    let directory = Directory::new();
    let file = directory.file();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    drop(engine);
    let mode =
        |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let mut helper = opener(&file);
    for beside in ["-wal", "-shm", "-journal", "-lock", "-bell", "-owners"] {
        let _ = chown(format!("{}{beside}", file.display()), Some(65534), Some(65534));
    }
    let (all, read_only) = ("{\"a\": 1}", "ERR_LEDGER_READ_ONLY");
    assert_eq!(helper.ask("open"), format!("{all} {all}"));
    mode(&file, 0o400);
    assert_eq!(helper.ask("open"), format!("{read_only} {all}"));
    mode(&directory.0, 0o500);
    assert_eq!(helper.ask("open"), format!("{read_only} {all}"));
    mode(&file, 0o600);
    assert_eq!(helper.ask("open"), format!("{read_only} {all}"));
    // Without a log, as a copy on a disk that cannot be written to.
    mode(&directory.0, 0o700);
    for beside in ["-wal", "-shm"] {
        fs::remove_file(format!("{}{beside}", file.display())).unwrap();
    }
    mode(&directory.0, 0o500);
    assert_eq!(helper.ask("open"), format!("{read_only} {all}"));
    mode(&file, 0o000);
    assert_eq!(helper.ask("open"), "ERR_LEDGER_PERMISSION ERR_LEDGER_PERMISSION");
    mode(&directory.0, 0o000);
    assert_eq!(helper.ask("open"), "ERR_LEDGER_PERMISSION ERR_LEDGER_PERMISSION");
    mode(&directory.0, 0o700);
}
