//! Against a real server: `COUNTERSIGN_TEST_PG=postgres://…`; without it nothing is tested, and that is said.

mod audit;
mod faults;
mod held;
mod kept;
mod opening;
mod prepared;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio_postgres::{Client, NoTls};
use uuid::Uuid;

use super::pool::runtime;
use super::*;
use crate::approval::{
    ApprovalId, Decision, DecisionChannel, DecisionChoice, Record, RecordedDecision, Request,
};
use crate::effort::effort;
use crate::ledger::conformance::request;
use crate::ledger::seal::ContentKey;
use crate::ledger::{
    DecideOutcome, Ledger, LedgerError, LedgerEvent, OpenOptions, RedeemOutcome, RequestOutcome,
};
use crate::skip::skipped;

/// A schema of its own on the server for tests.
pub(crate) fn url() -> Option<String> {
    let url = std::env::var("COUNTERSIGN_TEST_PG").ok().filter(|url| !url.is_empty());
    let Some(url) = url else {
        skipped("COUNTERSIGN_TEST_PG names no server");
        return None;
    };
    let mark = if url.contains('?') { '&' } else { '?' };
    let schema = format!("t_{}", Uuid::now_v7().simple());
    // A machine that is slow is no server that does not answer.
    let patience = "connect_timeout=240";
    Some(format!("{url}{mark}schema={schema}&poll=200&{patience}&application_name={schema}"))
}

fn options() -> OpenOptions {
    OpenOptions { key: None, read_only: false, feed: Arc::default(), now: now() }
}

fn try_open(url: &str) -> Result<PostgresLedger, LedgerError> {
    PostgresLedger::open(PostgresSettings::parse(url).unwrap(), options())
}

fn open(url: &str) -> PostgresLedger {
    try_open(url).unwrap()
}

fn open_with(url: &str, key: Option<ContentKey>) -> PostgresLedger {
    let options = OpenOptions { key, ..options() };
    PostgresLedger::open(PostgresSettings::parse(url).unwrap(), options).unwrap()
}

/// A ledger whose time is what the caller says.
pub(crate) fn by_callers_clock() -> Option<PostgresLedger> {
    Some(open_by_callers(&url()?))
}

fn open_by_callers(url: &str) -> PostgresLedger {
    let options = OpenOptions { now: 0, ..options() };
    PostgresLedger::open_by(PostgresSettings::parse(url).unwrap(), options, true).unwrap()
}

/// A connection of our own, and statements with `@name` for the tables.
struct Admin {
    client: Client,
    names: names::TableNames,
}

impl Admin {
    fn new(url: &str) -> Self {
        let settings = PostgresSettings::parse(url).unwrap();
        let mut config = settings.config.clone();
        config.application_name("admin");
        let client = runtime().unwrap().block_on(async {
            let (client, connection) = config.connect(NoTls).await.unwrap();
            tokio::spawn(connection);
            client
        });
        Self {
            client,
            names: names::TableNames { schema: settings.schema, prefix: settings.prefix },
        }
    }

    fn run(&self, sql: &str) {
        runtime().unwrap().block_on(self.client.batch_execute(&self.names.sql(sql))).unwrap();
    }

    fn number(&self, sql: &str) -> i64 {
        let found = runtime().unwrap().block_on(self.client.query_one(&self.names.sql(sql), &[]));
        found.unwrap().get(0)
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap()
}

fn asked(run: &str, call: &str, at: u64, timeout: Option<u64>) -> Request {
    let seconds = uuid::Timestamp::from_unix(uuid::NoContext, at / 1_000, 0);
    Request {
        id: Uuid::new_v7(seconds),
        created_at: at,
        ..request(run, call, timeout.map(|timeout| at + timeout))
    }
}

fn ask(ledger: &PostgresLedger, run: &str, call: &str) -> ApprovalId {
    created(ledger.request(asked(run, call, now(), None)).unwrap()).request().id
}

fn created(requested: RequestOutcome) -> Record {
    match requested {
        RequestOutcome::Created(record) => record,
        RequestOutcome::Duplicate(_) => panic!("a duplicate"),
    }
}

fn decided(choice: DecisionChoice, at: u64) -> RecordedDecision {
    let decision = Decision::new(choice, Some("because"));
    RecordedDecision { decision, by: Some("ada".into()), via: DecisionChannel::Gate, at }
}

fn approve(ledger: &PostgresLedger, id: ApprovalId, at: u64) -> DecideOutcome {
    ledger.decide(id, decided(DecisionChoice::Approve, at)).unwrap()
}

fn begin(ledger: &PostgresLedger, id: ApprovalId) -> Result<RedeemOutcome, LedgerError> {
    let digest = ledger.get(id)?.unwrap().request().digest;
    ledger.begin(id, digest, now())
}

/// What takes so long never ends.
const HANGS: Duration = Duration::from_secs(240);

/// Waits until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < HANGS, "{what} in {HANGS:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What is told of it, from here on.
fn told(ledger: &PostgresLedger) -> Vec<LedgerEvent> {
    let mut events = Vec::new();
    ledger.feed().drain(|event| {
        events.push(event);
        true
    });
    events
}
