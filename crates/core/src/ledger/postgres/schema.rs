//! The tables. A change of them is a new migration, never an edit of an old one, and one that older programs can live with
//! for a while: first what is new is added, later what is old is dropped.

/// One step of the schema.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaMigration {
    /// The schema after it; from 1, each one more than the one before.
    pub(super) version: i64,
    /// The oldest schema whose programs can still read.
    pub(super) min_reader: i64,
    /// The oldest schema whose programs can still write.
    pub(super) min_writer: i64,
    /// What it does, inside a transaction; `@name` is a table.
    pub(super) sql: &'static str,
}

/// Every schema there was, the last one being ours.
pub(super) const MIGRATIONS: &[SchemaMigration] = &[
    SchemaMigration { version: 1, min_reader: 1, min_writer: 1, sql: SCHEMA_1 },
    SchemaMigration { version: 2, min_reader: 1, min_writer: 1, sql: super::held::SCHEMA_2 },
];

/// All tables of a ledger.
pub(super) fn tables() -> impl Iterator<Item = &'static str> {
    let made =
        MIGRATIONS.iter().flat_map(|migration| migration.sql.split("CREATE TABLE @").skip(1));
    made.filter_map(|table| table.split_whitespace().next())
}

/// Numbers are those of the file of SQLite; times are ms since the epoch of the server's clock.
///
/// What changes (`approval`) is apart from what does not (`content`) and from what comes at the end (`outcome`): a change of
/// status writes none of it once more. No index has a column that changes, so that such a change stays on its page (HOT);
/// what waits and what runs is found in two small tables of its own. `call` holds the last request of each call: its primary
/// key is what makes a run ask about a call once. `gone_…` is what a request will have once its contents are dropped, which is
/// done to whole partitions: its votes without their reasons, and its seals. `leaf` holds what happened until it is chained in `audit`.
const SCHEMA_1: &str = "
CREATE TABLE @meta (k text PRIMARY KEY, v text NOT NULL);
CREATE SEQUENCE @leaf_seq AS bigint;
CREATE SEQUENCE @run_seq AS bigint;

CREATE TABLE @approval (
    id uuid PRIMARY KEY,
    seq bigint NOT NULL,
    run_id text NOT NULL,
    tool_call_id text NOT NULL,
    tool_name text NOT NULL,
    digest bytea NOT NULL,
    origin text NOT NULL,
    flags text NOT NULL,
    allowed bigint NOT NULL,
    supersedes uuid,
    created_at bigint NOT NULL,
    duration bigint,
    expires_at bigint,
    needs text,
    requester text,
    remind bigint,
    contents bigint NOT NULL,
    asked bytea NOT NULL,
    status bigint NOT NULL,
    choice bigint,
    stop bigint,
    decider text,
    via text,
    decided_at bigint,
    bound bytea,
    executor uuid,
    decided_seq bigint,
    changed_seq bigint NOT NULL,
    ended_at bigint,
    told bigint,
    due_at bigint,
    seal bytea NOT NULL,
    gone_votes bytea,
    gone_asked bytea NOT NULL,
    gone_seal bytea NOT NULL
) PARTITION BY RANGE (id);
CREATE TABLE @approval_rest PARTITION OF @approval DEFAULT WITH (fillfactor = 70);

CREATE TABLE @content (
    id uuid PRIMARY KEY,
    args bytea,
    context bytea,
    description bytea,
    preview bytea,
    details bytea
) PARTITION BY RANGE (id);
CREATE TABLE @content_rest PARTITION OF @content DEFAULT;

CREATE TABLE @outcome (
    id uuid PRIMARY KEY,
    answer bytea,
    reason bytea,
    result bytea,
    votes bytea
) PARTITION BY RANGE (id);
CREATE TABLE @outcome_rest PARTITION OF @outcome DEFAULT WITH (fillfactor = 70);

CREATE TABLE @call (
    tool_call_id text NOT NULL,
    run_id text NOT NULL,
    last uuid NOT NULL,
    PRIMARY KEY (tool_call_id, run_id)
) WITH (fillfactor = 90);
CREATE INDEX ON @call (run_id text_pattern_ops);
CREATE INDEX ON @call (last);

CREATE TABLE @waiting (
    id uuid PRIMARY KEY,
    run_id text NOT NULL,
    due_at bigint
) WITH (fillfactor = 90);
CREATE INDEX ON @waiting (run_id text_pattern_ops);
CREATE INDEX ON @waiting (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE @running (
    id uuid PRIMARY KEY,
    run_id text NOT NULL,
    executor uuid NOT NULL
);

CREATE TABLE @value (
    k bytea PRIMARY KEY,
    version bigint NOT NULL,
    text bytea NOT NULL,
    seal bytea NOT NULL
);

CREATE TABLE @owner (
    id uuid PRIMARY KEY,
    until bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE @run (
    seq bigint PRIMARY KEY,
    run_id text NOT NULL UNIQUE,
    owner uuid,
    status bigint NOT NULL,
    steps bigint NOT NULL,
    head bytea,
    forked bigint NOT NULL,
    contents bigint NOT NULL,
    state bytea NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    seal bytea NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX ON @run (updated_at);

CREATE TABLE @entry (
    run bigint NOT NULL,
    hash bytea NOT NULL,
    parent bytea,
    enc smallint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (run, hash)
) PARTITION BY RANGE (run);
CREATE TABLE @entry_rest PARTITION OF @entry DEFAULT;

CREATE TABLE @leaf (
    id bigint PRIMARY KEY,
    at bigint NOT NULL,
    kind text NOT NULL,
    approval_id uuid,
    body text NOT NULL
);

CREATE TABLE @audit (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    kind text NOT NULL,
    approval_id uuid,
    leaf bigint NOT NULL,
    body text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (seq, at)
) PARTITION BY RANGE (at);
CREATE INDEX ON @audit (leaf);
CREATE TABLE @audit_rest PARTITION OF @audit DEFAULT;

CREATE TABLE @chain (
    one boolean PRIMARY KEY CHECK (one),
    seq bigint NOT NULL,
    at bigint NOT NULL,
    head bytea NOT NULL
) WITH (fillfactor = 50);
INSERT INTO @chain VALUES (true, 0, 0, decode(repeat('00', 32), 'hex'));
";
