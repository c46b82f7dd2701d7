use super::*;
use crate::ledger::LedgerErrorKind as Kind;
use crate::ledger::postgres::pool::ConnectionPool;
use crate::ledger::seal::ContentKey;

#[test]
fn many_who_open_it_at_once_make_it_once() {
    let Some(url) = url() else { return };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|_| scope.spawn(|| open(&url))).collect();
        for opened in all {
            ask(&opened.join().unwrap(), "r", &Uuid::now_v7().to_string());
        }
    });
    let admin = Admin::new(&url);
    assert_eq!(admin.number("SELECT count(*) FROM @approval"), 6);
    // A partition for each of the next days, and all that is asked now is in one.
    assert_eq!(admin.number("SELECT count(*) FROM @approval_rest"), 0);
    assert_eq!(admin.number("SELECT count(*) FROM @owner"), 0);
}

#[test]
fn what_is_not_ours_or_too_new_is_left_alone() {
    let Some(url) = url() else { return };
    let admin = Admin::new(&url);
    admin.run(&format!("CREATE SCHEMA \"{}\"; CREATE TABLE @meta (a int)", admin.names.schema));
    assert_eq!(try_open(&url).unwrap_err().kind, Kind::Foreign);
    admin.run("DROP TABLE @meta");
    ask(&open(&url), "r", "1");
    admin.run("UPDATE @meta SET v = '9' WHERE k IN ('schema', 'min_writer')");
    assert_eq!(try_open(&url).unwrap_err().kind, Kind::TooNew);
    let reads = || {
        let options = OpenOptions { read_only: true, ..options() };
        PostgresLedger::open(PostgresSettings::parse(&url).unwrap(), options)
    };
    assert_eq!(reads().unwrap().pending(None).unwrap().len(), 1);
    admin.run("UPDATE @meta SET v = '9' WHERE k = 'min_reader'");
    assert_eq!(reads().unwrap_err().kind, Kind::TooNew);
}

#[test]
fn the_key_is_the_one_it_was_made_with() {
    let Some(url) = url() else { return };
    let with = |key: Option<&str>| {
        let key = key.map(|letter| ContentKey::parse(&letter.repeat(64)).unwrap());
        PostgresLedger::open(
            PostgresSettings::parse(&url).unwrap(),
            OpenOptions { key, ..options() },
        )
    };
    let ledger = with(Some("1")).unwrap();
    let id = ask(&ledger, "r", "1");
    approve(&ledger, id, now());
    assert_eq!(with(None).unwrap_err().kind, Kind::Key);
    assert_eq!(with(Some("2")).unwrap_err().kind, Kind::Key);
    let again = with(Some("1")).unwrap();
    let record = again.get(id).unwrap().unwrap();
    assert_eq!(record.decided().unwrap().decision.reason.as_deref(), Some("because"));
    let admin = Admin::new(&url);
    assert_eq!(
        admin.number("SELECT count(*) FROM @content WHERE position('ls'::bytea IN args) > 0"),
        0
    );
    assert_eq!(admin.number("SELECT count(*) FROM @leaf WHERE body LIKE '%because%'"), 0);
}

#[test]
fn a_role_that_may_only_read_and_decide_does_just_that() {
    let Some(url) = url() else { return };
    let admin = Admin::new(&url);
    let role = format!("r_{}", Uuid::now_v7().simple());
    admin.run(&format!("CREATE ROLE {role} LOGIN PASSWORD 'hunter2'"));
    let (_, rest) = url.split_once("://").unwrap();
    let (_, rest) = rest.split_once('@').unwrap_or(("", rest));
    let theirs = format!("postgres://{role}:hunter2@{rest}");
    let error = try_open(&theirs).unwrap_err();
    assert_eq!(error.kind, Kind::Permission);
    assert!(
        error.message.contains("GRANT CREATE") && !error.message.contains("hunter2"),
        "{error}"
    );
    let ledger = open(&url);
    let id = ask(&ledger, "r", "1");
    assert_eq!(try_open(&theirs).unwrap_err().kind, Kind::Permission);
    let schema = &admin.names.schema;
    admin.run(&format!(
        "GRANT USAGE ON SCHEMA \"{schema}\" TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA \"{schema}\" TO {role};
         GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA \"{schema}\" TO {role};
         GRANT UPDATE ON @approval TO {role}; GRANT INSERT, UPDATE ON @outcome TO {role}; GRANT UPDATE, DELETE ON @waiting TO {role};
         GRANT INSERT ON @leaf TO {role}; GRANT INSERT, UPDATE, DELETE ON @owner TO {role};
         INSERT INTO @desk VALUES ('{role}')"
    ));
    let decider = open(&theirs);
    assert!(matches!(approve(&decider, id, now()), DecideOutcome::Won(_)));
    let other = decider.request(asked("r", "2", now(), None)).unwrap_err();
    assert_eq!(other.kind, Kind::Permission);
    assert_eq!(begin(&decider, id).unwrap_err().kind, Kind::Permission);
    assert!(matches!(begin(&ledger, id).unwrap(), RedeemOutcome::Won(_)));
}

/// An address without a server.
const NOBODY: &str = "postgres://me:hunter2@127.0.0.1:1/db?connect_timeout=240";

fn is_of_nobody(error: &LedgerError) {
    assert_eq!(error.kind, Kind::Io);
    assert!(
        error.message.contains("me@127.0.0.1:1/db") && !error.message.contains("hunter2"),
        "{error}"
    );
}

#[test]
fn nobody_there_is_tried_anew_and_told_without_the_password() {
    let pool = ConnectionPool::new(PostgresSettings::parse(NOBODY).unwrap()).unwrap();
    let tried = runtime().unwrap().block_on(pool.connect(&pool.settings.config));
    let fault = tried.err().unwrap();
    assert!(fault.is_passing());
    is_of_nobody(&fault.of(&pool.settings.place()));
}

#[test]
#[ignore = "long: npm run test:all"]
fn nobody_there_is_told_in_the_end() {
    is_of_nobody(&try_open(NOBODY).unwrap_err());
}
