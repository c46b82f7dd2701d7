//! One connection, with the statements that it keeps prepared: planning one takes the server longer than doing it.
//!
//! A prepared statement belongs to its session. Where a pooler gives each transaction another one, it is not there, or, worse, it
//! is another client's of the same name. So nothing is prepared unless the connection is seen to be direct (see [`is_direct`]),
//! or the URL says that it may be.

use std::collections::HashMap;
use std::future::{Ready, ready};
use std::io;
use std::ops::{Deref, DerefMut};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Error, Row, Statement};

use super::fault::StepError;
use super::settings::StatementCaching;
use crate::ledger::row::internal;

/// How many statements a connection knows. When there are more it begins anew.
pub(super) const MOST: usize = 64;
/// How often a plan is used before the statement is planned anew: what was best while a table was empty no longer is when it
/// is full, and the server itself may look at that late.
const USES: u32 = 1_000;

/// The value of a parameter, and its type.
type SqlParam<'a> = (&'a (dyn ToSql + Sync), Type);

/// Whether the connections of a pool prepare statements: until one of them finds that it had better not.
#[derive(Debug)]
pub(super) struct PrepareSwitch {
    /// Only on a direct connection.
    if_direct: bool,
    are_on: AtomicBool,
}

impl PrepareSwitch {
    pub(super) fn new(prepare: StatementCaching) -> Self {
        let are_on = AtomicBool::new(prepare != StatementCaching::Off);
        Self { if_direct: prepare == StatementCaching::Auto, are_on }
    }

    pub(super) fn are_on(&self) -> bool {
        self.are_on.load(Ordering::Relaxed)
    }

    /// For good; said by the first that finds out.
    fn turn_off(&self, why: &str) {
        if self.are_on.swap(false, Ordering::Relaxed) {
            tracing::info!(target: "countersign", why, "no statements are kept prepared for PostgreSQL");
        }
    }
}

/// A connection whose statements are each planned once. What takes a [`Client`] instead, as it may take this, has them planned
/// each time: what is rare, and what is in a transaction, in which nothing can be tried anew.
pub(super) struct PlannedConnection {
    client: Client,
    prepares: Arc<PrepareSwitch>,
    /// The connection is direct.
    is_direct: AtomicBool,
    known: Mutex<HashMap<Box<str>, KnownStatement>>,
}

/// A statement that was used before.
#[derive(Default)]
struct KnownStatement {
    /// Since it was used for the second time: what is asked once is not worth it.
    prepared: Option<Statement>,
    uses: u32,
}

impl PlannedConnection {
    pub(super) fn new(client: Client, prepares: Arc<PrepareSwitch>) -> Self {
        Self { client, prepares, is_direct: AtomicBool::new(false), known: Mutex::default() }
    }

    pub(super) async fn query_typed(
        &self, sql: &str, params: &[SqlParam<'_>],
    ) -> Result<Vec<Row>, Error> {
        let done = self.planned(sql, params, async |client, statement, values| {
            client.query(statement, values).await
        });
        match done.await {
            Some(done) => done,
            None => self.client.query_typed(sql, params).await,
        }
    }

    pub(super) async fn query_typed_opt(
        &self, sql: &str, params: &[SqlParam<'_>],
    ) -> Result<Option<Row>, Error> {
        Ok(self.query_typed(sql, params).await?.into_iter().next())
    }

    pub(super) async fn query_typed_one(
        &self, sql: &str, params: &[SqlParam<'_>],
    ) -> Result<Row, StepError> {
        let row = self.query_typed_opt(sql, params).await?;
        row.ok_or_else(|| internal("there is no row where there always is one").into())
    }

    /// How many rows it was.
    pub(super) async fn execute_typed(
        &self, sql: &str, params: &[SqlParam<'_>],
    ) -> Result<u64, Error> {
        let done = self.planned(sql, params, async |client, statement, values| {
            client.execute(statement, values).await
        });
        match done.await {
            Some(done) => done,
            None => self.client.execute_typed(sql, params).await,
        }
    }

    /// `None`: it cannot be done by a plan that is kept. Nothing was done then: the server says so before it begins, and one
    /// statement is a transaction of its own.
    async fn planned<R>(
        &self, sql: &str, params: &[SqlParam<'_>],
        run: impl AsyncFnOnce(&Client, &Statement, &[&(dyn ToSql + Sync)]) -> Result<R, Error>,
    ) -> Option<Result<R, Error>> {
        let done = match self.statement(sql, params).await {
            Ok(None) => return None,
            Ok(Some(statement)) => {
                let values: Vec<&(dyn ToSql + Sync)> =
                    params.iter().map(|(value, _)| *value).collect();
                run(&self.client, &statement, &values).await
            }
            Err(error) => Err(error),
        };
        match done {
            Err(error) if self.is_gone(&error) => None,
            done => Some(done),
        }
    }

    async fn statement(
        &self, sql: &str, params: &[SqlParam<'_>],
    ) -> Result<Option<Statement>, Error> {
        if !self.prepares.are_on() {
            return Ok(None);
        }
        {
            let mut known = self.known();
            let Some(known) = known.get_mut(sql) else {
                if known.len() >= MOST {
                    known.clear();
                }
                known.insert(sql.into(), KnownStatement::default());
                return Ok(None);
            };
            if let Some(prepared) = known.prepared.as_ref().filter(|_| known.uses < USES) {
                known.uses += 1;
                return Ok(Some(prepared.clone()));
            }
        }
        if !self.may_prepare().await? {
            return Ok(None);
        }
        let types: Vec<Type> = params.iter().map(|(_, kind)| kind.clone()).collect();
        let statement = self.client.prepare_typed(sql, &types).await?;
        self.known()
            .insert(sql.into(), KnownStatement { prepared: Some(statement.clone()), uses: 1 });
        Ok(Some(statement))
    }

    async fn may_prepare(&self) -> Result<bool, Error> {
        if self.prepares.if_direct && !self.is_direct.load(Ordering::Relaxed) {
            if !is_direct(&self.client).await? {
                self.prepares.turn_off("there is a pooler before the server");
                return Ok(false);
            }
            self.is_direct.store(true, Ordering::Relaxed);
        }
        Ok(true)
    }

    /// Whether it is the plan that is not there (any more); nothing is kept of it then.
    fn is_gone(&self, error: &Error) -> bool {
        let Some(code) = error.code() else { return false };
        let is_elsewhere =
            [SqlState::INVALID_SQL_STATEMENT_NAME, SqlState::DUPLICATE_PSTATEMENT].contains(code);
        if is_elsewhere {
            self.prepares.turn_off("those that were are gone, as they are through a pooler");
        }
        // "cached plan must not change result type": the tables were altered since.
        let is_gone = is_elsewhere || *code == SqlState::FEATURE_NOT_SUPPORTED;
        if is_gone {
            self.known().clear();
        }
        is_gone
    }

    fn known(&self) -> MutexGuard<'_, HashMap<Box<str>, KnownStatement>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for PlannedConnection {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for PlannedConnection {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

/// Whether the one we speak with is the server itself: its process is then the one it names when it greets. A pooler, whose
/// sessions are others each time, greets with a number of its own making.
async fn is_direct(client: &Client) -> Result<bool, Error> {
    let named = CancelRecorder::default();
    let said = client.cancel_token().cancel_query_raw(named.clone(), named.clone()).await;
    let answers = client.query_typed_one("SELECT pg_backend_pid()", &[]).await?;
    Ok(said.is_ok() && named.process() == Some(answers.try_get(0)?))
}

/// Takes down what a request to cancel says, and sends it nowhere: by nothing else does tokio-postgres tell which process the
/// server named. It lets itself be taken for encrypted, since such requests are as their connections are.
#[derive(Clone, Default)]
struct CancelRecorder(Arc<Mutex<Vec<u8>>>);

impl CancelRecorder {
    /// Such a request ends with the length, a number that says what it is, the process, and its key.
    fn process(&self) -> Option<i32> {
        let said = self.said();
        let [_, _, process, _] = said.last_chunk::<16>()?.as_chunks::<4>().0 else { return None };
        Some(i32::from_be_bytes(*process))
    }

    fn said(&self) -> MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AsyncRead for CancelRecorder {
    /// To the question for encryption: yes.
    fn poll_read(
        self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        buffer.put_slice(b"S");
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for CancelRecorder {
    fn poll_write(
        self: Pin<&mut Self>, _: &mut Context<'_>, said: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.said().extend_from_slice(said);
        Poll::Ready(Ok(said.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl TlsStream for CancelRecorder {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl TlsConnect<Self> for CancelRecorder {
    type Stream = Self;
    type Error = io::Error;
    type Future = Ready<io::Result<Self>>;

    fn connect(self, stream: Self) -> Self::Future {
        ready(Ok(stream))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_is_the_one_that_would_be_cancelled() {
        let said = |numbers: &[u32]| {
            let named = CancelRecorder::default();
            for number in numbers {
                named.said().extend_from_slice(&number.to_be_bytes());
            }
            named.process()
        };
        let request = [16, 80_877_102, 4_711, 7];
        assert_eq!(said(&request), Some(4_711));
        // First it is asked whether it can be encrypted.
        assert_eq!(said(&[&[8, 80_877_103], request.as_slice()].concat()), Some(4_711));
        assert_eq!(said(&[8, 80_877_103]), None);
    }
}
