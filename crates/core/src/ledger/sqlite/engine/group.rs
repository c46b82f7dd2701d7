//! Group commit: who finds nobody committing leads, and takes along all who came meanwhile.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rusqlite::{Connection, TransactionBehavior};

use super::upkeep::Keeper;
use super::{Core, Mode, connect};
use crate::ledger::sqlite::fault::Fault;
use crate::ledger::sqlite::lock::Gate;
use crate::ledger::sqlite::place::{self, Place};
use crate::ledger::{LedgerError, LedgerErrorKind};

/// How many steps share a transaction at most; bounds how long one can take.
const MOST: usize = 128;

/// What writes: one thread at a time.
pub(super) struct Writer {
    /// `None`: this ledger is only read.
    pub(super) gate: Option<Gate>,
    /// `None`: a commit has failed, and what its connection knows is not trusted any more.
    pub(super) connection: Option<Connection>,
}

/// The steps that wait.
#[derive(Default)]
pub(super) struct Groups(Mutex<Line>);

#[derive(Default)]
struct Line {
    waiting: Vec<Box<dyn Task>>,
    /// Whether somebody leads.
    led: bool,
}

/// A step of somebody's, whatever its result is.
trait Task: Send {
    /// Runs it; the result is kept.
    fn run(&mut self, connection: &Connection);
    /// Whether it ran and failed.
    fn failed(&self) -> bool;
    /// Lets its owner lead the next group.
    fn lead(&self);
    /// Answers: its own result, or what went wrong with its group.
    fn answer(&mut self, group: Result<(), LedgerError>);
}

/// A step and where its owner waits.
struct Job<R, F> {
    step: Option<F>,
    result: Option<Result<R, Fault>>,
    seat: Arc<Seat<R>>,
    place: Place,
}

struct Seat<R> {
    state: Mutex<State<R>>,
    changed: Condvar,
}

enum State<R> {
    Waiting,
    Lead,
    Answered(Result<R, LedgerError>),
}

thread_local! {
    /// Whether this thread is in a step, which would wait for itself if it wrote.
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

impl Core {
    pub(super) fn write<R, F>(&self, step: F, keeper: Option<&Keeper>) -> Result<R, LedgerError>
    where
        R: Send + 'static,
        F: FnOnce(&Connection) -> Result<R, Fault> + Send + 'static,
    {
        if self.mode != Mode::Write {
            return Err(LedgerErrorKind::ReadOnly.because(format!(
                "the ledger {} was opened for reading only",
                self.place.file().display()
            )));
        }
        if INSIDE.get() {
            return Err(LedgerErrorKind::Internal.because("a step of the ledger began another one"));
        }
        let seat = Arc::new(Seat { state: Mutex::new(State::Waiting), changed: Condvar::new() });
        let job = Job {
            step: Some(step),
            result: None,
            seat: Arc::clone(&seat),
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
    fn lead(&self, keeper: Option<&Keeper>) {
        let baton = Baton(&self.groups);
        let mut group: Vec<Box<dyn Task>> = {
            let mut line = place::lock(&self.groups.0);
            let count = line.waiting.len().min(MOST);
            line.waiting.drain(..count).collect()
        };
        let done = self.commit(&mut group);
        // The next group is on its way while this one wakes up.
        drop(baton);
        let done = done.map_err(|fault| fault.of(self.place.file()));
        if done.is_ok() {
            self.bell.ring();
        }
        for task in &mut group {
            task.answer(done.clone().map(|_| ()));
        }
        if let (Ok(true), Some(keeper)) = (done, keeper) {
            keeper.due();
        }
    }

    /// One transaction for all of them; whether the log has grown long.
    fn commit(&self, group: &mut [Box<dyn Task>]) -> Result<bool, Fault> {
        let mut writer = place::lock(&self.writer);
        let Writer { gate: Some(gate), connection } = &mut *writer else {
            return Err(LedgerErrorKind::Internal.because("nothing to write with").into());
        };
        let held = gate.acquire(self.busy)?;
        self.check_place()?;
        let mut open = match connection.take() {
            Some(open) => open,
            None => connect::connect(&self.place, connect::How::Write, self.busy)?,
        };
        let done = self.transact(&mut open, group);
        if done.is_ok() {
            let long = super::upkeep::is_long(&open);
            *connection = Some(open);
            drop(held);
            return Ok(long);
        }
        drop(open);
        drop(held);
        done.map(|()| false)
    }

    fn transact(
        &self, connection: &mut Connection, group: &mut [Box<dyn Task>],
    ) -> Result<(), Fault> {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        self.check_writable(&transaction)?;
        for task in group {
            transaction.execute_batch("SAVEPOINT step")?;
            INSIDE.set(true);
            task.run(&transaction);
            INSIDE.set(false);
            if transaction.is_autocommit() {
                // A disk that is full or broken makes SQLite give up all of the transaction, and with it the other steps.
                return Err(LedgerErrorKind::Io.because(format!(
                    "the ledger {}: a step ended the transaction that it shared with others; nothing of it was kept",
                    self.place.file().display()
                )).into());
            }
            if task.failed() {
                transaction.execute_batch("ROLLBACK TO step")?;
            }
            transaction.execute_batch("RELEASE step")?;
        }
        Ok(transaction.commit()?)
    }
}

impl<R: Send, F: FnOnce(&Connection) -> Result<R, Fault> + Send> Task for Job<R, F> {
    fn run(&mut self, connection: &Connection) {
        let Some(step) = self.step.take() else { return };
        // What the step had in its hands is dropped, and the savepoint undoes what it did.
        let ran = catch_unwind(AssertUnwindSafe(|| step(connection)));
        self.result = Some(ran.unwrap_or_else(|_| {
            Err(LedgerErrorKind::Internal
                .because("a step of the ledger panicked; it was undone")
                .into())
        }));
    }

    fn failed(&self) -> bool {
        !matches!(self.result, Some(Ok(_)))
    }

    fn lead(&self) {
        self.seat.set(State::Lead);
    }

    fn answer(&mut self, group: Result<(), LedgerError>) {
        let answer = match (self.result.take(), group) {
            (Some(Err(fault)), _) => Err(fault.of(self.place.file())),
            (_, Err(error)) => Err(error),
            (Some(Ok(result)), Ok(())) => Ok(result),
            (None, Ok(())) => Err(never()),
        };
        self.seat.set(State::Answered(answer));
    }
}

impl<R> Seat<R> {
    fn set(&self, state: State<R>) {
        *place::lock(&self.state) = state;
        self.changed.notify_all();
    }

    /// Waits for an answer, or to lead.
    fn wait_to_lead(&self) -> bool {
        let mut state = place::lock(&self.state);
        while matches!(*state, State::Waiting) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        matches!(*state, State::Lead)
    }

    fn take(&self) -> Result<R, LedgerError> {
        match std::mem::replace(&mut *place::lock(&self.state), State::Waiting) {
            State::Answered(answer) => answer,
            State::Waiting | State::Lead => Err(never()),
        }
    }
}

/// Passes the lead on when dropped, also by a panic.
struct Baton<'a>(&'a Groups);

impl Drop for Baton<'_> {
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
