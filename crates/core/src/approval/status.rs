//! The state machine of a request.

use serde::Serialize;

/// Where a request stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It has no decision yet.
    Pending,
    /// It may run as it was shown.
    Approved,
    /// It may run with other arguments.
    Edited,
    /// It may not run.
    Rejected,
    /// It may not run; the human gave its result.
    Responded,
    /// It may not run; the model goes on without.
    Skipped,
    /// The deadline passed first.
    Expired,
    /// Its run or its gate ended, or the approval was taken back before the start.
    Cancelled,
    /// It runs, on the one use there is.
    Started,
    /// It ran.
    Succeeded,
    /// It ran and failed.
    Failed,
    /// It was started, and the process that ran it is gone: how far it came is unknown.
    Interrupted,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 12] = [
        Self::Pending,
        Self::Approved,
        Self::Edited,
        Self::Rejected,
        Self::Responded,
        Self::Skipped,
        Self::Expired,
        Self::Cancelled,
        Self::Started,
        Self::Succeeded,
        Self::Failed,
        Self::Interrupted,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Edited => "edited",
            Self::Rejected => "rejected",
            Self::Responded => "responded",
            Self::Skipped => "skipped",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Started => "started",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// Whether the call may start now.
    pub const fn may_start(self) -> bool {
        matches!(self, Self::Approved | Self::Edited)
    }

    /// Whether the call was started, however it went on. It never starts again.
    pub const fn was_started(self) -> bool {
        matches!(self, Self::Started | Self::Succeeded | Self::Failed | Self::Interrupted)
    }

    /// Whether another request for the same call may take its place: nothing runs on it any more, and no human said no. One
    /// that was answered is among them: an answer that does not fit its question is asked for again.
    pub const fn may_be_superseded(self) -> bool {
        matches!(self, Self::Cancelled | Self::Interrupted | Self::Responded)
    }

    /// Whether it was decided that the call does not run.
    pub const fn is_decided_against(self) -> bool {
        matches!(self, Self::Rejected | Self::Skipped | Self::Expired)
    }

    /// Whether nothing can happen to it any more.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Pending | Self::Approved | Self::Edited | Self::Started)
    }
}

/// What can happen to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusEvent {
    /// Run it as shown.
    Approve,
    /// Run it with other arguments.
    Edit,
    /// Do not run it.
    Reject,
    /// Do not run it, here is its result.
    Respond,
    /// Do not run it, go on without.
    Skip,
    /// The deadline passed.
    Expire,
    /// The run or the gate ended, or the approval is taken back.
    Cancel,
    /// The one use of the approval.
    Start,
    /// The tool returned.
    Succeed,
    /// The tool threw.
    Fail,
    /// The process that ran the tool is gone.
    Interrupt,
}

impl StatusEvent {
    /// Every event.
    pub const ALL: [Self; 11] = [
        Self::Approve,
        Self::Edit,
        Self::Reject,
        Self::Respond,
        Self::Skip,
        Self::Expire,
        Self::Cancel,
        Self::Start,
        Self::Succeed,
        Self::Fail,
        Self::Interrupt,
    ];
}

/// An event that the state does not allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a request that is {} does not take {event:?}", status.name())]
pub struct StatusRefusal {
    /// Where the request stands, before and after.
    pub status: Status,
    /// What was refused.
    pub event: StatusEvent,
}

/// Where a request stands after an event. All that is not listed here is refused.
pub const fn next(status: Status, event: StatusEvent) -> Result<Status, StatusRefusal> {
    Ok(match (status, event) {
        (Status::Pending, StatusEvent::Approve) => Status::Approved,
        (Status::Pending, StatusEvent::Edit) => Status::Edited,
        (Status::Pending, StatusEvent::Reject) => Status::Rejected,
        (Status::Pending, StatusEvent::Respond) => Status::Responded,
        (Status::Pending, StatusEvent::Skip) => Status::Skipped,
        (Status::Pending, StatusEvent::Expire) => Status::Expired,
        (Status::Pending | Status::Approved | Status::Edited, StatusEvent::Cancel) => {
            Status::Cancelled
        }
        (Status::Approved | Status::Edited, StatusEvent::Start) => Status::Started,
        (Status::Started, StatusEvent::Succeed) => Status::Succeeded,
        (Status::Started, StatusEvent::Fail) => Status::Failed,
        (Status::Started, StatusEvent::Interrupt) => Status::Interrupted,
        _ => return Err(StatusRefusal { status, event }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Written down on its own, one row per status, one column per event in the order of `StatusEvent::ALL`; `.` is refused.
    const TABLE: &str = "
        status      approve  edit   reject   respond   skip    expire  cancel    start   succeed   fail   interrupt
        pending     approved edited rejected responded skipped expired cancelled .       .         .      .
        approved    .        .      .        .         .       .       cancelled started .         .      .
        edited      .        .      .        .         .       .       cancelled started .         .      .
        rejected    .        .      .        .         .       .       .         .       .         .      .
        responded   .        .      .        .         .       .       .         .       .         .      .
        skipped     .        .      .        .         .       .       .         .       .         .      .
        expired     .        .      .        .         .       .       .         .       .         .      .
        cancelled   .        .      .        .         .       .       .         .       .         .      .
        started     .        .      .        .         .       .       .         .       succeeded failed interrupted
        succeeded   .        .      .        .         .       .       .         .       .         .      .
        failed      .        .      .        .         .       .       .         .       .         .      .
        interrupted .        .      .        .         .       .       .         .       .         .      .
    ";

    #[test]
    fn every_event_in_every_state() {
        let rows: Vec<Vec<&str>> = TABLE
            .lines()
            .map(|line| line.split_whitespace().collect())
            .filter(|row: &Vec<&str>| !row.is_empty())
            .collect();
        assert_eq!(rows.len(), 1 + Status::ALL.len());
        for (status, row) in Status::ALL.into_iter().zip(&rows[1..]) {
            assert_eq!(status.name(), row[0]);
            for ((event, head), expected) in
                StatusEvent::ALL.into_iter().zip(&rows[0][1..]).zip(&row[1..])
            {
                assert_eq!(format!("{event:?}").to_lowercase(), *head);
                let actual = next(status, event).map_or(".", Status::name);
                assert_eq!(actual, *expected, "{status:?} + {event:?}");
            }
        }
    }

    #[test]
    fn what_the_states_are_called_and_allow() {
        for status in Status::ALL {
            assert_eq!(serde_json::to_string(&status).unwrap(), format!("\"{}\"", status.name()));
            assert_eq!(
                status.is_final(),
                StatusEvent::ALL.iter().all(|event| next(status, *event).is_err())
            );
            assert_eq!(status.may_start(), next(status, StatusEvent::Start).is_ok());
        }
    }

    #[test]
    fn no_path_starts_twice_or_without_an_approval() {
        // Every sequence of six events from `pending`.
        fn walk(status: Status, started: bool, approved: bool, depth: u8) {
            if depth == 0 {
                return;
            }
            for event in StatusEvent::ALL {
                let Ok(next) = next(status, event) else { continue };
                if event == StatusEvent::Start {
                    assert!(approved && !started);
                }
                walk(
                    next,
                    started || event == StatusEvent::Start,
                    approved || matches!(event, StatusEvent::Approve | StatusEvent::Edit),
                    depth - 1,
                );
            }
        }
        walk(Status::Pending, false, false, 6);
    }
}
