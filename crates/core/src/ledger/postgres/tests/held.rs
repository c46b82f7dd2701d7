//! Roles that may decide and not ask, in the hands of somebody who writes SQL of their own.

use super::*;
use crate::approval::{ApproverNeed, RequestExtras};
use crate::ledger::LedgerErrorKind as Kind;

/// A role that may only read and decide.
struct Held {
    name: String,
    ledger: PostgresLedger,
    sql: Admin,
}

impl Held {
    fn new(url: &str, admin: &Admin) -> Self {
        Self::with(url, admin, None)
    }

    fn with(url: &str, admin: &Admin, key: Option<ContentKey>) -> Self {
        let name = format!("r_{}", Uuid::now_v7().simple());
        let schema = &admin.names.schema;
        admin.run(&format!(
            "CREATE ROLE {name} LOGIN PASSWORD 'x';
             GRANT USAGE ON SCHEMA \"{schema}\" TO {name}; GRANT SELECT ON ALL TABLES IN SCHEMA \"{schema}\" TO {name};
             GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA \"{schema}\" TO {name};
             GRANT UPDATE ON @approval TO {name}; GRANT INSERT, UPDATE ON @outcome TO {name};
             GRANT UPDATE, DELETE ON @waiting TO {name};
             GRANT INSERT ON @leaf TO {name}; GRANT INSERT, UPDATE, DELETE ON @owner TO {name}"
        ));
        let (_, rest) = url.split_once("://").unwrap();
        let (_, rest) = rest.split_once('@').unwrap_or(("", rest));
        let theirs = format!("postgres://{name}:x@{rest}");
        Self { ledger: open_with(&theirs, key), sql: Admin::new(&theirs), name }
    }

    /// What the server says to this.
    fn refused(&self, sql: &str) -> String {
        let sql = self.sql.names.sql(sql);
        let done = runtime().unwrap().block_on(self.sql.client.batch_execute(&sql));
        let error = done.expect_err(&sql);
        let error = error.as_db_error().unwrap();
        assert_eq!(error.code().code(), "42501", "{sql}: {error}");
        error.message().to_owned()
    }

    fn decides(
        &self, id: ApprovalId, choice: DecisionChoice, by: &str,
    ) -> Result<DecideOutcome, LedgerError> {
        let decision = Decision::new(choice, Some("because"));
        self.ledger.decide(
            id,
            RecordedDecision {
                decision,
                by: Some(by.into()),
                via: DecisionChannel::Inbox,
                at: now(),
            },
        )
    }
}

fn needing(
    ledger: &PostgresLedger, call: &str, needs: Vec<ApproverNeed>, requester: &str,
) -> ApprovalId {
    let more = RequestExtras {
        needs: needs.into(),
        requester: Some(requester.into()),
        ..RequestExtras::default()
    };
    let request = Request { more: Some(Box::new(more)), ..asked("r", call, now(), None) };
    created(ledger.request(request).unwrap()).request().id
}

fn need(approvers: &[&str], quorum: u32) -> ApproverNeed {
    let approvers = Some(approvers.iter().map(|name| (*name).into()).collect());
    ApproverNeed { approvers, quorum, exclude_requester: false, escalate: None }
}

#[test]
fn a_role_decides_in_its_own_name_alone() {
    let Some(url) = url() else { return };
    let (ledger, admin) = (open(&url), Admin::new(&url));
    let mia = Held::new(&url, &admin);
    let id = ask(&ledger, "r", "1");
    assert_eq!(mia.decides(id, DecisionChoice::Approve, "ada").unwrap_err().kind, Kind::Permission);
    assert!(matches!(
        mia.decides(id, DecisionChoice::Approve, &mia.name).unwrap(),
        DecideOutcome::Won(_)
    ));
    // A program that knows its people speaks for them.
    let second = ask(&ledger, "r", "2");
    admin.run(&format!("INSERT INTO @desk VALUES ('{}')", mia.name));
    assert!(matches!(
        mia.decides(second, DecisionChoice::Approve, "ada").unwrap(),
        DecideOutcome::Won(_)
    ));
    // And no role makes itself one.
    assert!(mia.refused("INSERT INTO @desk VALUES ('x')").contains("desk"));
}

#[test]
fn with_raw_sql_a_role_can_do_no_more_than_a_person() {
    let Some(url) = url() else { return };
    let (ledger, admin) = (open(&url), Admin::new(&url));
    let mia = Held::new(&url, &admin);
    let (done, waits) = (ask(&ledger, "r", "1"), ask(&ledger, "r", "2"));
    assert!(matches!(
        mia.decides(done, DecisionChoice::Reject { stop: false }, &mia.name).unwrap(),
        DecideOutcome::Won(_)
    ));
    let late =
        created(ledger.request(asked("r", "3", now() - 10_000, Some(1))).unwrap()).request().id;
    let only_reject = Request {
        allowed: crate::approval::DecisionKinds::new([crate::approval::DecisionKind::Reject])
            .unwrap(),
        ..asked("r", "4", now(), None)
    };
    let never = created(ledger.request(only_reject).unwrap()).request().id;
    let me = &mia.name;
    let approves = format!("SET status = 1, choice = 0, decider = '{me}', via = 'inbox'");
    for sql in [
        // What was decided stays so, and what was asked too.
        format!("UPDATE @approval {approves} WHERE id = '{done}'"),
        format!("UPDATE @approval SET tool_name = 'x' WHERE id = '{waits}'"),
        format!("UPDATE @approval SET digest = ''::bytea WHERE id = '{waits}'"),
        format!("UPDATE @approval SET needs = NULL, expires_at = NULL WHERE id = '{late}'"),
        format!("UPDATE @approval SET expires_at = 9000000000000 WHERE id = '{late}'"),
        // In time, by a decision that is allowed, by themselves.
        format!("UPDATE @approval {approves} WHERE id = '{late}'"),
        format!("UPDATE @approval {approves} WHERE id = '{never}'"),
        // By the one decision that the status says.
        format!("UPDATE @approval {approves}, choice = 1 WHERE id = '{waits}'")
            .replace("choice = 0, ", ""),
        format!("UPDATE @approval SET choice = 0, decider = '{me}' WHERE id = '{waits}'"),
        format!(
            "UPDATE @approval SET status = 3, choice = 0, decider = '{me}' WHERE id = '{never}'"
        ),
        format!(
            "UPDATE @approval SET status = 1, choice = 0, decider = 'ada' WHERE id = '{waits}'"
        ),
        format!("UPDATE @approval SET status = 6 WHERE id = '{waits}'"),
        format!("UPDATE @approval SET status = 7 WHERE id = '{waits}'"),
        format!("UPDATE @approval SET status = 8, decider = '{me}' WHERE id = '{waits}'"),
        format!(
            "UPDATE @approval SET status = 1, decider = '{me}', executor = id WHERE id = '{waits}'"
        ),
        // What is beside it.
        format!("UPDATE @outcome SET reason = 'x'::bytea WHERE id = '{done}'"),
        format!("INSERT INTO @outcome (id, result) VALUES ('{waits}', 'x')"),
        format!("INSERT INTO @outcome (id, answer) VALUES ('{waits}', 'x')"),
        format!("DELETE FROM @waiting WHERE id = '{waits}'"),
        format!("UPDATE @waiting SET due_at = 1 WHERE id = '{waits}'"),
        format!("INSERT INTO @leaf VALUES (900000, 1, 'decided', '{waits}', '{{}}')"),
        format!("INSERT INTO @leaf VALUES (900000, 1, 'started', '{waits}', '{{}}')"),
        "INSERT INTO @leaf VALUES (900000, 1, 'granted', NULL, '{}')".to_owned(),
        "DELETE FROM @owner".to_owned(),
        "UPDATE @owner SET until = 0".to_owned(),
        // What they may not touch at all.
        format!("INSERT INTO @ballot VALUES ('{waits}', 'ada')"),
        format!("DELETE FROM @approval WHERE id = '{waits}'"),
        "ALTER TABLE @approval DISABLE TRIGGER held"
            .replace("ALTER", "LOCK TABLE @approval; ALTER"),
    ] {
        mia.refused(&sql);
    }
    assert_eq!(
        ledger.pending(None).unwrap().iter().filter(|it| it.request().id == waits).count(),
        1
    );
    assert!(matches!(
        mia.decides(waits, DecisionChoice::Approve, me).unwrap(),
        DecideOutcome::Won(_)
    ));
    assert!(matches!(begin(&ledger, waits).unwrap(), RedeemOutcome::Won(_)));
}

#[test]
fn the_server_counts_who_must_agree() {
    let Some(url) = url() else { return };
    let (ledger, admin) = (open(&url), Admin::new(&url));
    let [mia, ben, eve] = [(); 3].map(|()| Held::new(&url, &admin));
    let group = format!("g_{}", Uuid::now_v7().simple());
    admin.run(&format!("CREATE ROLE {group}; GRANT {group} TO {}", ben.name));
    let both = need(&[&mia.name, &format!("group:{group}")], 2);
    let raw = |who: &Held, id: ApprovalId| {
        let sql = format!(
            "UPDATE @approval SET status = 1, choice = 0, decider = '{}' WHERE id = '{id}'",
            who.name
        );
        who.refused(&sql)
    };
    let id = needing(&ledger, "1", vec![both.clone()], "zoe");
    assert!(raw(&eve, id).contains("agree"));
    assert!(raw(&mia, id).contains("agree"));
    // One vote is that of one role, however often and in whose name it is written.
    assert!(matches!(
        mia.decides(id, DecisionChoice::Approve, &mia.name).unwrap(),
        DecideOutcome::Counted(_)
    ));
    assert!(raw(&mia, id).contains("agree"));
    assert!(raw(&eve, id).contains("agree"));
    let groups = [group.as_str().into()];
    let decision = Decision::new(DecisionChoice::Approve, None);
    let by_ben = RecordedDecision {
        decision,
        by: Some(ben.name.as_str().into()),
        via: DecisionChannel::Inbox,
        at: now(),
    };
    assert!(matches!(ben.ledger.decide_as(id, by_ben, &groups).unwrap(), DecideOutcome::Won(_)));
    // Who asked does not count where that is said.
    let four_eyes = ApproverNeed { exclude_requester: true, approvers: None, ..need(&[], 1) };
    let own = needing(&ledger, "2", vec![four_eyes], &mia.name);
    assert!(raw(&mia, own).contains("agree"));
    // Only those who are named end it.
    let named = needing(&ledger, "3", vec![both], "zoe");
    let ends = format!(
        "UPDATE @approval SET status = 3, choice = 2, decider = '{}' WHERE id = '{named}'",
        eve.name
    );
    assert!(eve.refused(&ends).contains("none of those"));
    assert!(matches!(
        mia.decides(named, DecisionChoice::Reject { stop: false }, &mia.name).unwrap(),
        DecideOutcome::Won(_)
    ));
}

#[test]
fn a_role_writes_its_own_vote_and_nobody_elses() {
    let Some(url) = url() else { return };
    let (ledger, admin) = (open(&url), Admin::new(&url));
    let [mia, ben, desk] = [(); 3].map(|()| Held::new(&url, &admin));
    admin.run(&format!("INSERT INTO @desk VALUES ('{}')", desk.name));
    let needs = vec![need(&[&mia.name, &ben.name, "ada"], 2), need(&["ada"], 1)];
    let id = needing(&ledger, "1", needs, "zoe");
    let vote = |by: &str, bits: u32| {
        format!(r#"{{"by":"{by}","via":"inbox","at":1,"for":{bits},"entry":0}}"#)
    };
    let forge = |votes: &[String]| {
        let votes = format!("'[{}]'", votes.join(","));
        for column in ["UPDATE @approval SET told = told", "UPDATE @approval SET gone_votes = $"] {
            let beside = format!(
                "; INSERT INTO @outcome (id, votes) VALUES ('{id}', {votes}) ON CONFLICT (id) DO UPDATE SET votes = excluded.votes"
            );
            let changed = column.replace('$', votes.as_str());
            let beside = if column.contains('$') { String::new() } else { beside };
            let said = mia.refused(&format!("BEGIN; {changed} WHERE id = '{id}'{beside}; COMMIT"));
            assert!(said.contains("own vote"), "{said}");
            let rollback = mia.sql.client.batch_execute("ROLLBACK");
            runtime().unwrap().block_on(rollback).unwrap();
        }
    };
    let me = mia.name.as_str();
    forge(&[vote("ada", 3)]);
    forge(&[vote(&ben.name, 1)]);
    forge(&[vote(me, 1), vote(&ben.name, 1)]);
    // For what does not name them, and for nothing.
    forge(&[vote(me, 3)]);
    forge(&[vote(me, 0)]);
    forge(&["7".to_owned()]);
    forge(&["{".to_owned()]);
    assert!(matches!(
        mia.decides(id, DecisionChoice::Approve, me).unwrap(),
        DecideOutcome::Counted(_)
    ));
    // What others said stays as it was said.
    assert!(matches!(
        ben.decides(id, DecisionChoice::Approve, &ben.name).unwrap(),
        DecideOutcome::Counted(_)
    ));
    forge(&[vote(me, 1)]);
    forge(&[]);
    assert!(matches!(
        desk.decides(id, DecisionChoice::Approve, "ada").unwrap(),
        DecideOutcome::Won(_)
    ));
}

#[test]
fn votes_that_the_server_cannot_read_are_those_of_whoever_has_the_key() {
    let Some(url) = url() else { return };
    let key = || Some(ContentKey::parse(&"a".repeat(64)).unwrap());
    let (ledger, admin) = (open_with(&url, key()), Admin::new(&url));
    let [mia, eve] = [(); 2].map(|()| Held::with(&url, &admin, key()));
    let id = needing(&ledger, "1", vec![need(&[&mia.name, "ada"], 2)], "zoe");
    let plain = format!(
        r#"UPDATE @approval SET gone_votes = '[{{"by":"{}","via":"inbox","at":1,"for":1,"entry":0}}]' WHERE id = '{id}'"#,
        mia.name
    );
    assert!(mia.refused(&plain).contains("own vote"));
    let noise = format!(r"UPDATE @approval SET gone_votes = '\xff' WHERE id = '{id}'");
    assert!(eve.refused(&noise).contains("own vote"));
    assert!(matches!(
        mia.decides(id, DecisionChoice::Approve, &mia.name).unwrap(),
        DecideOutcome::Counted(_)
    ));
}

#[test]
fn a_role_tells_the_audit_of_itself() {
    let Some(url) = url() else { return };
    let (ledger, admin) = (open(&url), Admin::new(&url));
    let mia = Held::new(&url, &admin);
    let id = ask(&ledger, "r", "1");
    for kind in ["voted", "refused"] {
        let sql = format!(
            "BEGIN; UPDATE @approval SET changed_seq = 900000 WHERE id = '{id}';
             INSERT INTO @leaf VALUES (900000, 1, '{kind}', '{id}', '{{\"by\":\"ada\"}}')"
        );
        assert!(mia.refused(&sql).contains("itself"), "{kind}");
        runtime().unwrap().block_on(mia.sql.client.batch_execute("ROLLBACK")).unwrap();
    }
    assert!(matches!(
        mia.decides(id, DecisionChoice::Approve, &mia.name).unwrap(),
        DecideOutcome::Won(_)
    ));
}
