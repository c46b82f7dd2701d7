use std::fs;
use std::thread;

use rusqlite::Connection;

use super::super::{OpenOptions, SqliteEngine};
use super::{Directory, HANGS, ONE, beside, count, counted, text};
use crate::ledger::LedgerErrorKind as Kind;
use crate::ledger::sqlite::{OwnerId, SchemaMigration, executions};

const META: &str = "CREATE TABLE meta (k TEXT PRIMARY KEY, v);";

const fn migration(
    version: u32, min_reader: u32, min_writer: u32, sql: &'static str,
) -> SchemaMigration {
    SchemaMigration { version, min_reader, min_writer, sql }
}

static V1: &[SchemaMigration] = &[migration(1, 1, 1, META)];
/// Older programs may still do all.
static V2: &[SchemaMigration] = &[V1[0], migration(2, 1, 1, "CREATE TABLE two (x)")];
/// Older programs may only read.
static V3: &[SchemaMigration] = &[V1[0], V2[1], migration(3, 1, 3, "CREATE TABLE three (x)")];
/// Older programs may do nothing.
static V4: &[SchemaMigration] = &[V1[0], V2[1], V3[2], migration(4, 4, 4, "CREATE TABLE four (x)")];
static BROKEN: &[SchemaMigration] = &[V1[0], migration(2, 2, 2, "CREATE TABLE two (x); nonsense")];

fn open(
    directory: &Directory, migrations: &'static [SchemaMigration],
) -> Result<SqliteEngine, Kind> {
    SqliteEngine::open(directory.options(), migrations).map_err(|error| error.kind)
}

fn read_only(directory: &Directory) -> OpenOptions {
    OpenOptions { read_only: true, ..directory.options() }
}

#[test]
fn a_file_has_what_makes_it_safe() {
    let directory = Directory::new();
    let engine = directory.engine();
    for (pragma, expected) in [
        ("application_id", "1129531185"),
        ("user_version", "1"),
        ("journal_mode", "wal"),
        ("page_size", "4096"),
        ("auto_vacuum", "2"),
        ("synchronous", "2"),
        ("wal_autocheckpoint", "0"),
        ("temp_store", "2"),
        ("mmap_size", "0"),
        ("trusted_schema", "0"),
        ("cell_size_check", "1"),
        ("foreign_keys", "1"),
    ] {
        assert_eq!(text(&engine, &format!("PRAGMA {pragma}")), expected, "{pragma}, reading");
        let sql = format!("PRAGMA {pragma}");
        let written = engine
            .write(move |connection| {
                Ok(connection.query_row(&sql, [], |row| row.get::<_, rusqlite::types::Value>(0))?)
            })
            .unwrap();
        let written = match written {
            rusqlite::types::Value::Integer(number) => number.to_string(),
            rusqlite::types::Value::Text(text) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(written, expected, "{pragma}, writing");
    }
    let defended = engine.write(|connection| {
        Ok(connection.execute_batch("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema;")?)
    });
    assert!(defended.is_err());
    for (key, expected) in [("schema", "1"), ("min_reader", "1"), ("min_writer", "1")] {
        assert_eq!(text(&engine, &format!("SELECT v FROM meta WHERE k = '{key}'")), expected);
    }
    assert!(text(&engine, "SELECT v FROM meta WHERE k = 'created_at'").len() >= 13);
}

#[test]
fn closing_leaves_nothing_behind_but_the_files() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    let owners = beside(&directory.file(), "-owners");
    assert_eq!(fs::read_dir(&owners).unwrap().count(), 1);
    drop(engine);
    assert_eq!(fs::read_dir(&owners).unwrap().count(), 0);
    let alone = Connection::open_with_flags(
        format!("file:{}?immutable=1", directory.file().display()),
        rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY | rusqlite::OpenFlags::SQLITE_OPEN_URI,
    )
    .unwrap();
    let value: i64 = alone.query_row("SELECT value FROM counter", [], |row| row.get(0)).unwrap();
    assert_eq!(value, 1, "the log was moved to the file");
    assert!(!directory.names().iter().any(|name| name.ends_with("-new")));
}

#[test]
fn what_is_not_ours_is_left_as_it_is() {
    for (what, bytes) in [
        ("text", b"my diary".to_vec()),
        ("long text", vec![b'x'; 100_000]),
        ("another application's", {
            let directory = Directory::new();
            let theirs = Connection::open(directory.file()).unwrap();
            theirs.execute_batch("PRAGMA application_id = 7; CREATE TABLE t (x)").unwrap();
            drop(theirs);
            fs::read(directory.file()).unwrap()
        }),
        ("a SQLite file without an application", {
            let directory = Directory::new();
            Connection::open(directory.file())
                .unwrap()
                .execute_batch("CREATE TABLE t (x)")
                .unwrap();
            fs::read(directory.file()).unwrap()
        }),
    ] {
        let directory = Directory::new();
        fs::write(directory.file(), &bytes).unwrap();
        for options in [directory.options(), read_only(&directory)] {
            let error = SqliteEngine::open(options, ONE).unwrap_err();
            assert_eq!(error.kind, Kind::Foreign, "{what}");
            assert!(error.message.contains("ledger.db"), "{what}: {error}");
        }
        assert_eq!(fs::read(directory.file()).unwrap(), bytes, "{what}");
        assert_eq!(directory.names(), ["ledger.db"], "{what}");
    }
    let directory = Directory::new();
    fs::create_dir(directory.file()).unwrap();
    assert_eq!(open(&directory, ONE).unwrap_err(), Kind::Foreign);
}

#[test]
fn a_checkpoint_that_was_cut_off_does_no_harm() {
    let directory = Directory::new();
    let engine = directory.engine();
    for name in ["a", "b"] {
        count(&engine, name).unwrap();
    }
    // As it is when only the first page has come to the file: a killed process has no time to make a checkpoint.
    let log = fs::read(beside(&directory.file(), "-wal")).unwrap();
    drop(engine);
    fs::write(beside(&directory.file(), "-wal"), log).unwrap();
    fs::OpenOptions::new().write(true).open(directory.file()).unwrap().set_len(4096).unwrap();
    let engine = directory.engine();
    assert_eq!(["a", "b"].map(|name| counted(&engine, name)), [1, 1]);
}

#[test]
fn an_absent_or_empty_file_becomes_a_ledger() {
    let directory = Directory::new();
    assert_eq!(SqliteEngine::open(read_only(&directory), ONE).unwrap_err().kind, Kind::Io);
    assert!(directory.names().is_empty());
    fs::write(directory.file(), "").unwrap();
    // What a process left that died when it made one.
    fs::write(beside(&directory.file(), "-new"), "half").unwrap();
    count(&directory.engine(), "a").unwrap();
    assert_eq!(counted(&directory.engine(), "a"), 1);
}

#[test]
fn a_path_that_leads_nowhere_says_so() {
    let directory = Directory::new();
    let missing = OpenOptions::new(directory.0.join("no/such/ledger.db"));
    let error = SqliteEngine::open(missing, ONE).unwrap_err();
    assert_eq!(error.kind, Kind::Io);
    assert!(error.message.contains("make it first"), "{error}");
    assert_eq!(SqliteEngine::open(OpenOptions::new("/"), ONE).unwrap_err().kind, Kind::Io);
}

#[cfg(unix)]
#[test]
fn only_this_user_may_read_any_of_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = Directory::new();
    fs::write(directory.file(), "").unwrap();
    fs::set_permissions(directory.file(), fs::Permissions::from_mode(0o666)).unwrap();
    let engine = directory.engine();
    count(&engine, "a").unwrap();
    let modes: Vec<_> = directory
        .names()
        .into_iter()
        .map(|name| {
            let mode = fs::metadata(directory.0.join(&name)).unwrap().permissions().mode();
            (name, mode & 0o777)
        })
        .collect();
    let expected = [
        ("", 0o600),
        ("-bell", 0o600),
        ("-journal", 0o600),
        ("-lock", 0o600),
        ("-owners", 0o700),
        ("-shm", 0o600),
        ("-wal", 0o600),
    ];
    assert_eq!(modes, expected.map(|(suffix, mode)| (format!("ledger.db{suffix}"), mode)));
}

#[cfg(unix)]
#[test]
fn links_are_followed_once_and_never_planted() {
    use std::os::unix::fs::symlink;
    let directory = Directory::new();
    let link = directory.0.join("link.db");
    symlink(directory.file(), &link).unwrap();
    assert_eq!(SqliteEngine::open(OpenOptions::new(&link), ONE).unwrap_err().kind, Kind::Io);
    let engine = directory.engine();
    let same = SqliteEngine::open(OpenOptions::new(&link), ONE).unwrap();
    assert_eq!(same.path(), engine.path());
    count(&same, "a").unwrap();
    assert_eq!(counted(&engine, "a"), 1);
    assert!(!directory.names().iter().any(|name| name.starts_with("link.db-")));
    drop((engine, same));

    let victim = directory.0.join("victim");
    fs::write(&victim, "precious").unwrap();
    for suffix in ["-lock", "-bell"] {
        let file = beside(&directory.file(), suffix);
        fs::remove_file(&file).unwrap();
        symlink(&victim, &file).unwrap();
        assert!(open(&directory, ONE).is_err(), "{suffix}");
        fs::remove_file(&file).unwrap();
    }
    assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
}

#[test]
#[cfg(unix)]
fn what_somebody_put_beside_it_is_neither_waited_for_nor_written_to() {
    let pipe = |path: &std::path::Path| {
        assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    for suffix in ["-bell", "-lock"] {
        let directory = Directory::new();
        pipe(&beside(&directory.file(), suffix));
        assert_eq!(open(&directory, V1).unwrap_err(), Kind::Io, "{suffix}");
    }

    let directory = Directory::new();
    let owners = beside(&directory.file(), "-owners");
    fs::create_dir(&owners).unwrap();
    pipe(&owners.join(uuid::Uuid::now_v7().to_string()));
    open(&directory, V1).unwrap();

    let directory = Directory::new();
    let elsewhere = directory.file().with_file_name("elsewhere");
    let theirs = elsewhere.join(uuid::Uuid::now_v7().to_string());
    fs::create_dir(&elsewhere).unwrap();
    fs::write(&theirs, "").unwrap();
    std::os::unix::fs::symlink(&elsewhere, beside(&directory.file(), "-owners")).unwrap();
    assert_eq!(open(&directory, V1).unwrap_err(), Kind::Io);
    assert!(theirs.exists());

    let directory = Directory::new();
    let theirs = directory.file().with_file_name("theirs");
    fs::write(&theirs, "hello").unwrap();
    fs::hard_link(&theirs, beside(&directory.file(), "-bell")).unwrap();
    count(&open(&directory, ONE).unwrap(), "a").unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), b"hello");
}

/// The bytes of a journal that is hot: played, it gives the first page other bytes.
fn hot_journal(page: &[u8]) -> Vec<u8> {
    let mut journal = vec![0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    // One record, no nonce, one page before, sectors of 512 bytes, pages of 4096.
    for number in [1_u32, 0, 1, 512, 4096] {
        journal.extend(number.to_be_bytes());
    }
    journal.resize(512, 0);
    journal.extend(1_u32.to_be_bytes());
    journal.extend(page);
    let sum = (1..=20).map(|at| u32::from(page[4096 - at * 200])).sum::<u32>();
    journal.extend(sum.to_be_bytes());
    journal
}

#[test]
fn a_journal_that_somebody_put_beside_a_ledger_is_not_played_into_it() {
    let directory = Directory::new();
    count(&directory.engine(), "a").unwrap();
    let journal = beside(&directory.file(), "-journal");
    assert_eq!(fs::metadata(&journal).unwrap().len(), 0, "its name is taken");
    let before = fs::read(directory.file()).unwrap();
    fs::write(&journal, hot_journal(&vec![b'x'; 4096])).unwrap();
    for options in [directory.options(), read_only(&directory)] {
        let error = SqliteEngine::open(options, ONE).unwrap_err();
        assert_eq!(error.kind, Kind::Corrupt);
        assert!(error.message.contains("ledger.db-journal"), "{}", error.message);
    }
    assert_eq!(fs::read(directory.file()).unwrap(), before);
    fs::remove_file(&journal).unwrap();
    count(&directory.engine(), "a").unwrap();
    assert_eq!(counted(&directory.engine(), "a"), 2);

    // What connects later does not play it either.
    let engine = directory.engine();
    fs::write(&journal, hot_journal(&vec![b'x'; 4096])).unwrap();
    let other = SqliteEngine::open(directory.options(), ONE).unwrap_err();
    assert_eq!(other.kind, Kind::Corrupt);
    drop(engine);
    assert_eq!(fs::read(&journal).unwrap().len(), 512 + 4 + 4096 + 4);
}

#[test]
fn what_lies_where_a_ledger_is_made_is_not_played_into_it() {
    let directory = Directory::new();
    let engine = directory.engine();
    count(&engine, "theirs").unwrap();
    let log = fs::read(beside(&directory.file(), "-wal")).unwrap();
    drop(engine);
    let directory = Directory::new();
    fs::write(beside(&directory.file(), "-new-wal"), &log).unwrap();
    fs::write(beside(&directory.file(), "-new-journal"), hot_journal(&vec![b'x'; 4096])).unwrap();
    let engine = directory.engine();
    assert_eq!(counted(&engine, "theirs"), 0);
    let left = directory.names();
    assert!(!left.iter().any(|name| name.contains("-new")), "{left:?}");
}

#[test]
fn a_later_schema_is_used_as_far_as_it_lets_us() {
    // What made it, who opens it: reading, writing.
    for (theirs, ours, reads, writes) in [
        (V1, V1, true, true),
        (V1, V4, true, true),
        (V2, V1, true, true),
        (V3, V2, true, false),
        (V3, V1, true, false),
        (V4, V3, false, false),
        (V4, V1, false, false),
    ] {
        let directory = Directory::new();
        drop(open(&directory, theirs).unwrap());
        let case = format!("schema {} by {}", theirs.len(), ours.len());
        match open(&directory, ours) {
            Err(kind) => assert_eq!((kind, reads), (Kind::TooNew, false), "{case}"),
            Ok(engine) => {
                assert!(reads, "{case}");
                let written = engine.write(|connection| {
                    Ok(connection.execute("INSERT INTO meta VALUES ('x', 1)", [])?)
                });
                assert_eq!(
                    written.err().map(|error| error.kind),
                    (!writes).then_some(Kind::TooNew),
                    "{case}"
                );
                let version = theirs.len().max(ours.len()).to_string();
                assert_eq!(text(&engine, "PRAGMA user_version"), version, "{case}");
            }
        }
    }
}

#[test]
fn a_later_program_stops_an_earlier_one_that_has_it_open() {
    let directory = Directory::new();
    let old = open(&directory, V1).unwrap();
    let write = || {
        old.write(|connection| {
            Ok(connection.execute("INSERT OR REPLACE INTO meta VALUES ('x', 1)", [])?)
        })
        .map_err(|error| error.kind)
    };
    let read = || old.read(|_| Ok(())).map_err(|error| error.kind);
    write().unwrap();
    drop(open(&directory, V3).unwrap());
    assert_eq!(write(), Err(Kind::TooNew));
    assert_eq!(read(), Ok(()));
    drop(open(&directory, V4).unwrap());
    assert_eq!((write(), read()), (Err(Kind::TooNew), Err(Kind::TooNew)));
}

#[test]
fn a_migration_is_done_once_and_as_a_whole() {
    let directory = Directory::new();
    drop(open(&directory, V1).unwrap());
    assert_eq!(open(&directory, BROKEN).unwrap_err(), Kind::Internal);
    let engine = open(&directory, V1).unwrap();
    assert_eq!(text(&engine, "SELECT count(*) FROM sqlite_schema WHERE name = 'two'"), "0");
    drop(engine);
    assert_eq!(SqliteEngine::open(read_only(&directory), V2).unwrap_err().kind, Kind::ReadOnly);
    // `CREATE TABLE` fails the second time.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| open(&directory, V4).unwrap());
        }
    });
}

/// Of an executor whose file cannot be looked at, another process must not say that it is gone: what it runs may end.
#[cfg(unix)]
#[test]
fn who_cannot_be_told_to_be_gone_may_live() {
    let directory = Directory::new();
    let (engine, other) = (directory.engine(), directory.engine());
    let [gone, untold] = [(); 2].map(|()| uuid::Uuid::now_v7());
    let owners = beside(&directory.file(), "-owners");
    std::os::unix::fs::symlink("elsewhere", owners.join(untold.to_string())).unwrap();
    let started = [gone, untold, uuid::Uuid::from_bytes(*other.owner().as_bytes())]
        .map(|owner| (uuid::Uuid::now_v7(), owner.into_bytes()));
    assert!(engine.is_alive(OwnerId::from_bytes(started[1].1)).is_err());
    assert_eq!(executions::lost(&engine, started.to_vec()), [started[0]]);
}

#[test]
fn who_only_reads_changes_nothing() {
    let directory = Directory::new();
    let writer = directory.engine();
    let reader = SqliteEngine::open(read_only(&directory), ONE).unwrap();
    let token = reader.now();
    count(&writer, "a").unwrap();
    assert_ne!(reader.wait_for_change(token, HANGS), token);
    assert_eq!(counted(&reader, "a"), 1);
    assert_eq!(count(&reader, "a").unwrap_err().kind, Kind::ReadOnly);
    assert_eq!(reader.checkpoint().unwrap_err().kind, Kind::ReadOnly);
    assert_eq!(reader.is_alive(writer.owner()), Ok(true));
    let gone = writer.owner();
    drop(writer);
    assert_eq!(reader.is_alive(gone), Ok(false));
}
