//! Group commit: who finds no commit under way leads, and takes along all who came meanwhile.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::upkeep::{self, CheckpointThread};
use super::{EngineCore, FileMode, connect};
use crate::ledger::sqlite::fault::SqliteFault;
use crate::ledger::sqlite::lock::FileLock;
use crate::ledger::sqlite::place::{self, LedgerFiles};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// How many steps share a transaction at most; bounds how long one can take.
const MOST: usize = 128;

/// What writes: one thread at a time.
pub(super) struct GroupWriter {
    /// `None`: this ledger is only read.
    pub(super) gate: Option<FileLock>,
    /// `None`: a commit has failed, and what its connection knows is not trusted any more.
    pub(super) connection: Option<Connection>,
}

/// The steps that wait.
#[derive(Default)]
pub(super) struct WriteGroups(Mutex<StepQueue>);

#[derive(Default)]
struct StepQueue {
    waiting: Vec<Box<dyn QueuedTask>>,
    /// Whether somebody leads.
    led: bool,
}

/// How a group went.
struct GroupResult {
    /// Whether a row was written.
    changed: bool,
    /// Whether the log has grown long.
    long: bool,
}

/// A step of somebody's, with any type of result.
trait QueuedTask: Send {
    /// Runs it; the result is kept.
    fn run(&mut self, connection: &Connection);
    /// Why it failed, if it did.
    fn error(&self) -> Option<LedgerError>;
    /// Lets its owner lead the next group.
    fn lead(&self);
    /// Answers: its own result, or what went wrong with its group.
    fn answer(&mut self, group: Result<(), LedgerError>);
}

/// A step and where its owner waits.
struct QueuedStep<R, F> {
    step: Option<F>,
    result: Option<Result<R, LedgerError>>,
    seat: Arc<ResultSlot<R>>,
    answered: bool,
    place: LedgerFiles,
}

struct ResultSlot<R> {
    state: Mutex<SlotState<R>>,
    changed: Condvar,
}

enum SlotState<R> {
    Waiting,
    Lead,
    Answered(Result<R, LedgerError>),
}

thread_local! {
    /// Whether this thread is in a step, which would wait for itself if it wrote.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

impl EngineCore {
    pub(super) fn write<R, F>(
        &self, step: F, keeper: Option<&CheckpointThread>,
    ) -> Result<R, LedgerError>
    where
        R: Send + 'static,
        F: FnOnce(&Connection) -> Result<R, SqliteFault> + Send + 'static,
    {
        if self.mode != FileMode::Write {
            return Err(self.only_read());
        }
        if INSIDE.get() {
            return Err(LedgerErrorKind::Internal.because("a step of the ledger began another one"));
        }
        let seat =
            Arc::new(ResultSlot { state: Mutex::new(SlotState::Waiting), changed: Condvar::new() });
        let job = QueuedStep {
            step: Some(step),
            result: None,
            seat: Arc::clone(&seat),
            answered: false,
            place: self.place.clone(),
        };
        let leads = {
            let mut line = place::lock(&self.groups.0);
            line.waiting.push(Box::new(job));
            !std::mem::replace(&mut line.led, true)
        };
        if leads || seat.wait_to_lead() {
            self.lead(keeper);
        }
        seat.take()
    }

    /// Leads one group, which the caller is in, and passes the lead on.
    fn lead(&self, keeper: Option<&CheckpointThread>) {
        let baton = LeadGuard(&self.groups);
        let mut group = Vec::new();
        let done = self.commit(&mut group);
        // The next group is on its way while this one wakes up.
        drop(baton);
        let done = done.map_err(|fault| fault.of(self.place.file()));
        for task in &mut group {
            task.answer(done.as_ref().map(|_| ()).map_err(Clone::clone));
        }
        // The caller has the answer: the others' turn.
        if done.as_ref().is_ok_and(|done| done.changed) {
            self.bell.ring();
        }
        if let (Ok(GroupResult { long: true, .. }), Some(keeper)) = (done, keeper) {
            keeper.due();
        }
    }

    /// One transaction for all who wait when the gate opens.
    fn commit(&self, group: &mut Vec<Box<dyn QueuedTask>>) -> Result<GroupResult, SqliteFault> {
        let mut writer = place::lock(&self.writer);
        let GroupWriter { gate: Some(gate), connection: kept } = &mut *writer else {
            *group = self.groups.take(MOST);
            return Err(self.only_read().into());
        };
        let present = self.groups.count();
        let held = gate.acquire(self.busy);
        // Who came while the gate stayed shut has not waited as long, and will lead the next try.
        *group = self.groups.take(if held.is_ok() { MOST } else { present });
        let held = held?;
        self.check_place()?;
        // Taken out: one that fails is closed and not used again.
        let mut connection = match kept.take() {
            Some(connection) => connection,
            None => connect::connect(&self.place, connect::ConnectionUse::Write, self.busy)?,
        };
        let before = connection.total_changes();
        self.transact(&mut connection, group)?;
        // Meanwhile as well: what went to a log that is not there any more is not acknowledged.
        self.check_place()?;
        drop(held);
        let changed = connection.total_changes() != before;
        let long = changed && upkeep::is_long(&connection);
        *kept = Some(connection);
        Ok(GroupResult { changed, long })
    }

    fn transact(
        &self, connection: &mut Connection, group: &mut [Box<dyn QueuedTask>],
    ) -> Result<(), SqliteFault> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.check_writable(&transaction)?;
        let [alone] = group else { return Self::transact_all(transaction, group) };
        Self::run(&transaction, alone)?;
        // It is not shared: what is undone is undone as a whole.
        if alone.error().is_some() {
            return Ok(transaction.rollback()?);
        }
        Ok(transaction.commit()?)
    }

    fn transact_all(
        transaction: Transaction<'_>, group: &mut [Box<dyn QueuedTask>],
    ) -> Result<(), SqliteFault> {
        let run = |statement| transaction.prepare_cached(statement)?.execute([]).map(drop);
        for task in group {
            run("SAVEPOINT step")?;
            Self::run(&transaction, task)?;
            if task.error().is_some() {
                run("ROLLBACK TO step")?;
            }
            run("RELEASE step")?;
        }
        Ok(transaction.commit()?)
    }

    /// Runs a step. Fails when the transaction is over with it.
    fn run(
        transaction: &Transaction<'_>, task: &mut Box<dyn QueuedTask>,
    ) -> Result<(), SqliteFault> {
        INSIDE.set(true);
        task.run(transaction);
        INSIDE.set(false);
        if !transaction.is_autocommit() {
            return Ok(());
        }
        // A disk that is full or broken makes SQLite give up all of the transaction, and with it the other steps.
        Err(task
            .error()
            .unwrap_or_else(|| {
                LedgerErrorKind::Io.because(
                "a step ended the transaction that it shared with others; nothing of it was kept",
            )
            })
            .into())
    }
}

impl WriteGroups {
    pub(super) fn count(&self) -> usize {
        place::lock(&self.0).waiting.len()
    }

    /// The first of those who wait. Who leads is among them, since they came before all others.
    fn take(&self, most: usize) -> Vec<Box<dyn QueuedTask>> {
        let mut line = place::lock(&self.0);
        let count = line.waiting.len().min(most);
        line.waiting.drain(..count).collect()
    }
}

impl<R: Send, F: FnOnce(&Connection) -> Result<R, SqliteFault> + Send> QueuedTask
    for QueuedStep<R, F>
{
    fn run(&mut self, connection: &Connection) {
        let Some(step) = self.step.take() else { return };
        // What the step had in its hands is dropped, and the savepoint undoes what it did.
        let ran = catch_unwind(AssertUnwindSafe(|| step(connection)));
        let result = ran.unwrap_or_else(|_| {
            let panicked = "a step of the ledger panicked; it was undone";
            Err(LedgerErrorKind::Internal.because(panicked).into())
        });
        self.result = Some(result.map_err(|fault| fault.of(self.place.file())));
    }

    fn error(&self) -> Option<LedgerError> {
        match &self.result {
            Some(result) => result.as_ref().err().cloned(),
            None => Some(never()),
        }
    }

    fn lead(&self) {
        self.seat.set(SlotState::Lead);
    }

    fn answer(&mut self, group: Result<(), LedgerError>) {
        let answer = match (self.result.take(), group) {
            (Some(Err(error)), _) => Err(error),
            (_, Err(error)) => Err(error),
            (Some(Ok(result)), Ok(())) => Ok(result),
            (None, Ok(())) => Err(never()),
        };
        self.answered = true;
        self.seat.set(SlotState::Answered(answer));
    }
}

impl<R, F> Drop for QueuedStep<R, F> {
    fn drop(&mut self) {
        // Its owner must not wait for ever, even if its leader failed.
        if !self.answered {
            self.seat.set(SlotState::Answered(Err(never())));
        }
    }
}

impl<R> ResultSlot<R> {
    fn set(&self, state: SlotState<R>) {
        *place::lock(&self.state) = state;
        self.changed.notify_all();
    }

    /// Waits for an answer, or to lead.
    fn wait_to_lead(&self) -> bool {
        let mut state = place::lock(&self.state);
        while matches!(*state, SlotState::Waiting) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        matches!(*state, SlotState::Lead)
    }

    fn take(&self) -> Result<R, LedgerError> {
        match std::mem::replace(&mut *place::lock(&self.state), SlotState::Waiting) {
            SlotState::Answered(answer) => answer,
            SlotState::Waiting | SlotState::Lead => Err(never()),
        }
    }
}

/// Passes the lead on when dropped, also by a panic.
struct LeadGuard<'a>(&'a WriteGroups);

impl Drop for LeadGuard<'_> {
    fn drop(&mut self) {
        let mut line = place::lock(&self.0.0);
        match line.waiting.first() {
            Some(next) => next.lead(),
            None => line.led = false,
        }
    }
}

fn never() -> LedgerError {
    LedgerErrorKind::Internal.because("a step of the ledger was never answered")
}
