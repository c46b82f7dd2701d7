//! The tables of the file. A change of them is a new migration, never an edit of an old one.

use super::SchemaMigration;

/// Every schema there was, the last one being ours.
pub(super) const MIGRATIONS: &[SchemaMigration] = &[
    SchemaMigration { version: 1, min_reader: 1, min_writer: 1, sql: SCHEMA_1 },
    // Who knows nothing of needs would let one person approve what needs two.
    SchemaMigration { version: 2, min_reader: 2, min_writer: 2, sql: SCHEMA_2 },
];

/// Statuses are the places of `Status::ALL`: 0 pending, 1 approved, 2 edited, 3 rejected, 4 responded, 5 skipped, 6 expired,
/// 7 cancelled, 8 started, 9 succeeded, 10 failed, 11 interrupted. Times are ms since the epoch.
///
/// What is asked (`content`) is apart from what becomes of it (`approval`): a change of status does not write the arguments
/// once more. Contents are bytes, since with a key they are sealed.
const SCHEMA_1: &str = "
CREATE TABLE meta (k TEXT PRIMARY KEY, v ANY NOT NULL) STRICT;

CREATE TABLE approval (
    seq INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE,
    run_id TEXT NOT NULL,
    tool_call_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    digest BLOB NOT NULL,
    origin TEXT NOT NULL,
    flags TEXT NOT NULL,
    allowed INTEGER NOT NULL,
    supersedes BLOB,
    created_at INTEGER NOT NULL,
    duration INTEGER,
    expires_at INTEGER,
    contents INTEGER NOT NULL,
    asked BLOB NOT NULL,
    status INTEGER NOT NULL,
    choice INTEGER,
    stop INTEGER,
    answer BLOB,
    reason BLOB,
    decider TEXT,
    via TEXT,
    decided_at INTEGER,
    bound BLOB,
    executor BLOB,
    result BLOB,
    decided_seq INTEGER,
    changed_seq INTEGER NOT NULL,
    ended_at INTEGER,
    seal BLOB NOT NULL
) STRICT;
CREATE INDEX approval_call ON approval (tool_call_id, run_id, seq);
CREATE UNIQUE INDEX approval_open ON approval (run_id, tool_call_id) WHERE status IN (0, 1, 2, 8);
CREATE INDEX approval_pending ON approval (expires_at) WHERE status = 0;
CREATE INDEX approval_started ON approval (seq) WHERE status = 8;
CREATE INDEX approval_ended ON approval (contents, ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX approval_run ON approval (run_id, seq);

CREATE TABLE content (
    seq INTEGER PRIMARY KEY,
    args BLOB,
    context BLOB,
    description BLOB,
    preview BLOB,
    details BLOB
) STRICT;

CREATE TABLE run (
    seq INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    owner BLOB,
    status INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    head BLOB,
    forked INTEGER NOT NULL,
    contents INTEGER NOT NULL,
    state BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    seal BLOB NOT NULL
) STRICT;
CREATE INDEX run_recent ON run (updated_at);
CREATE INDEX run_over ON run (contents, updated_at) WHERE status <> 0;
CREATE INDEX run_forked ON run (seq) WHERE forked = 1;

CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL,
    hash BLOB NOT NULL,
    parent BLOB,
    enc INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (run, hash)
) STRICT;

CREATE TABLE audit (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    approval_id BLOB,
    body TEXT NOT NULL,
    hash BLOB NOT NULL
) STRICT;
CREATE TRIGGER audit_has_no_gaps BEFORE INSERT ON audit
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM audit)
    BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
CREATE TRIGGER audit_is_never_dropped BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit log is only appended to'); END;
";

/// Who must agree, and values beside the requests. `needs` is JSON, `remind` a time before the deadline, `told` how many
/// of its reminders and escalations were told, and `due_at` what time does next: the index finds what is due by it.
const SCHEMA_2: &str = "
ALTER TABLE approval ADD COLUMN needs TEXT;
ALTER TABLE approval ADD COLUMN requester TEXT;
ALTER TABLE approval ADD COLUMN remind INTEGER;
ALTER TABLE approval ADD COLUMN votes BLOB;
ALTER TABLE approval ADD COLUMN told INTEGER;
ALTER TABLE approval ADD COLUMN due_at INTEGER;
UPDATE approval SET due_at = expires_at WHERE status = 0;
DROP INDEX approval_pending;
CREATE INDEX approval_pending ON approval (due_at) WHERE status = 0;

CREATE TABLE value (
    k TEXT PRIMARY KEY,
    version INTEGER NOT NULL,
    text BLOB NOT NULL,
    seal BLOB NOT NULL
) STRICT;
";
