//! Steps of runs.

use std::time::Instant;

use tokio_postgres::types::Type;
use uuid::Uuid;

use super::column::ColumnReader;
use super::connection::PlannedConnection;
use super::fault::StepError;
use super::ledger_core::LedgerCore;
use super::owners;
use super::params::SqlParams;
use super::pen::now;
use super::runs;
use crate::ledger::history::HistoryNode;
use crate::ledger::row::{FoundRun, RunChange, RunRow, RunSave, time, whole};
use crate::ledger::{Hash, LedgerError};

/// A run as it was looked at, to change it.
struct LoadedRun {
    found: FoundRun,
    /// Numbers for the leaves of a change.
    leaves: Vec<i64>,
}

/// How many leaves a change of a run writes of its own, at most.
const LEAVES: usize = 2;

impl LedgerCore {
    /// A step on a run: `judge` says what becomes of it, or `None`: nothing; `notes` is how many it brings. An answer that is lost is looked after: the seal
    /// of the run is then the one that was to be written.
    async fn turn(
        &self, run: &str, local: u64, parent: Option<Hash>, entries: &[HistoryNode], notes: usize,
        mut judge: impl FnMut(FoundRun) -> Result<Option<RunChange>, LedgerError>,
    ) -> Result<(), StepError> {
        let mut tried: Vec<([u8; 32], Vec<i64>)> = Vec::new();
        let written = self.pool.settle(async |client| {
            let LoadedRun { found, leaves } =
                self.look_at_run(client, run, parent, local, LEAVES.saturating_add(notes)).await?;
            if let Some(run) = &found.run
                && let Some((_, leaves)) = tried.iter().find(|(seal, _)| *seal == run.seal)
            {
                return Ok(Some(leaves.clone()));
            }
            let (old, now) = (found.run.clone(), found.now);
            let Some(mut turn) = judge(found)? else { return Ok(Some(Vec::new())) };
            turn.run.reseal(&self.pen.sealer);
            let used = leaves.into_iter().take(turn.notes.len()).collect::<Vec<_>>();
            tried.push((turn.run.seal, used.clone()));
            if self.write_run(client, old.as_ref(), &turn, entries, &used, now).await? {
                return Ok(Some(used));
            }
            tried.pop();
            Ok(None)
        });
        let leaves = written.await?;
        if !leaves.is_empty() {
            self.changed(&leaves);
        }
        Ok(())
    }

    async fn look_at_run(
        &self, client: &PlannedConnection, run: &str, parent: Option<Hash>, local: u64,
        leaves: usize,
    ) -> Result<LoadedRun, StepError> {
        let pen = &self.pen;
        owners::sweep(client, pen).await?;
        // A number of a run begins with its time, for its partition.
        let sql = pen.sql(&format!(
            "SELECT {now}, ARRAY(SELECT nextval('@leaf_seq') FROM generate_series(1, $4)), nextval('@run_seq'),
             EXISTS (SELECT FROM @owner o WHERE o.id = r.owner),
             EXISTS (SELECT FROM @entry e WHERE e.run = r.seq AND e.hash = $2), r.seq IS NOT NULL, {}
             FROM (SELECT 1) one LEFT JOIN @run r ON r.run_id = $1",
            runs::COLUMNS,
            now = now(3),
        ));
        let parent = parent.as_ref().map(Hash::as_slice);
        let leaves = i64::try_from(leaves).unwrap_or(i64::MAX);
        let asked = Instant::now();
        let found = client
            .query_typed_one(
                &sql,
                &[
                    (&run, Type::TEXT),
                    (&parent, Type::BYTEA),
                    (&pen.clock.given(local), Type::INT8),
                    (&leaves, Type::INT8),
                ],
            )
            .await?;
        let mut next = ColumnReader::new(&found);
        let now = time(next.get()?);
        pen.clock.told(now, asked);
        let leaves = next.get()?;
        let fresh = super::partitions::run_number(now, next.get()?);
        let (active, has_parent) = (next.get()?, next.get()?);
        let is_there: bool = next.get()?;
        let run = if is_there { Some(RunRow::read(&mut next)?) } else { None };
        if let Some(run) = &run {
            run.check(&pen.sealer)?;
        }
        let me = *pen.owner().as_bytes();
        Ok(LoadedRun { found: FoundRun { run, active, has_parent, fresh, me, now }, leaves })
    }

    /// `false`: somebody else was faster, or lives.
    async fn write_run(
        &self, client: &PlannedConnection, old: Option<&RunRow>, turn: &RunChange,
        entries: &[HistoryNode], leaves: &[i64], at: u64,
    ) -> Result<bool, StepError> {
        let RunChange { run, notes } = turn;
        let owner = run.owner.map(Uuid::from_bytes);
        let me = self.pen.owner();
        let (head, state, seal) =
            (run.head.as_ref().map(Hash::as_slice), run.state.as_slice(), run.seal.as_slice());
        let old_seal = old.map(|old| old.seal.as_slice());
        let mut p = SqlParams::default();
        let columns = [
            ("seq", p.add(&run.seq, Type::INT8)),
            ("run_id", p.add(&run.run_id, Type::TEXT)),
            ("owner", p.add(&owner, Type::UUID)),
            ("status", p.add(&run.status, Type::INT8)),
            ("steps", p.add(&run.steps, Type::INT8)),
            ("head", p.add(&head, Type::BYTEA)),
            ("forked", p.add(&run.forked, Type::INT8)),
            ("contents", p.add(&run.contents, Type::INT8)),
            ("state", p.add(&state, Type::BYTEA)),
            ("created_at", p.add(&run.created_at, Type::INT8)),
            ("updated_at", p.add(&run.updated_at, Type::INT8)),
            ("seal", p.add(&seal, Type::BYTEA)),
        ];
        let done = match old {
            None => {
                let names = columns.map(|(name, _)| name).join(", ");
                let values = columns.map(|(_, at)| format!("${at}")).join(", ");
                format!(
                    "INSERT INTO @run ({names}) VALUES ({values}) ON CONFLICT DO NOTHING RETURNING seq"
                )
            }
            Some(_) => {
                let set: Vec<String> =
                    columns.iter().map(|(name, at)| format!("{name} = ${at}")).collect();
                let (me, seal) = (p.add(&me, Type::UUID), p.add(&old_seal, Type::BYTEA));
                format!(
                    "UPDATE @run SET {} WHERE seq = $1 AND seal = ${seal}
                     AND (owner = ${me} OR NOT EXISTS (SELECT FROM @owner o WHERE o.id = owner)) RETURNING seq",
                    set.join(", ")
                )
            }
        };
        let mut also = String::new();
        let hashes: Vec<&[u8]> = entries.iter().map(|node| node.hash.as_slice()).collect();
        let parents: Vec<Option<&[u8]>> =
            entries.iter().map(|node| node.parent.as_ref().map(Hash::as_slice)).collect();
        let encodings: Vec<i16> =
            entries.iter().map(|node| i16::from(node.encoding.number())).collect();
        let bodies: Vec<&[u8]> = entries.iter().map(|node| node.body.as_slice()).collect();
        if !entries.is_empty() {
            let [hash, parent] =
                [p.add(&hashes, Type::BYTEA_ARRAY), p.add(&parents, Type::BYTEA_ARRAY)];
            let [enc, body] =
                [p.add(&encodings, Type::INT2_ARRAY), p.add(&bodies, Type::BYTEA_ARRAY)];
            // An entry that is there already is kept once.
            also.push_str(&format!(
                ", entries AS (INSERT INTO @entry (run, hash, parent, enc, body)
                 SELECT done.seq, e.* FROM done, unnest(${hash}::bytea[], ${parent}::bytea[], ${enc}::smallint[], ${body}::bytea[]) e
                 ON CONFLICT (run, hash) DO NOTHING)"
            ));
        }
        let at_number = whole(at);
        let kinds: Vec<&str> = notes.iter().map(|note| note.kind.name()).collect();
        let texts: Vec<String> = notes.iter().map(|note| self.pen.leaf(note, at)).collect();
        if !notes.is_empty() {
            let [leaf, at] = [p.add(&leaves, Type::INT8_ARRAY), p.add(&at_number, Type::INT8)];
            let [kind, text] = [p.add(&kinds, Type::TEXT_ARRAY), p.add(&texts, Type::TEXT_ARRAY)];
            also.push_str(&format!(
                ", notes AS (INSERT INTO @leaf (id, at, kind, body)
                 SELECT n.id, ${at}, n.kind, n.body FROM done, unnest(${leaf}::bigint[], ${kind}::text[], ${text}::text[]) n (id, kind, body))"
            ));
        }
        let sql = self.pen.sql(&format!("WITH done AS ({done}){also} SELECT seq FROM done"));
        Ok(!client.query_typed(&sql, p.as_slice()).await?.is_empty())
    }

    pub(super) async fn save_run(&self, save: RunSave, local: u64) -> Result<Vec<Hash>, StepError> {
        self.turn(&save.run_id, local, save.parent, &save.entries, save.notes.len(), |found| {
            RunChange::save(found, &save).map(Some)
        })
        .await?;
        Ok(save.hashes())
    }

    pub(super) async fn take_run(&self, run_id: &str, local: u64) -> Result<(), StepError> {
        self.turn(run_id, local, None, &[], 0, |found| RunChange::take(found, run_id).map(Some))
            .await
    }

    pub(super) async fn release_run(&self, run_id: &str, local: u64) -> Result<(), StepError> {
        self.turn(run_id, local, None, &[], 0, |found| Ok(RunChange::release(found))).await
    }

    /// Drops the entries of a run that its head does not reach: how many there were.
    pub(super) async fn collect(&self, run: &RunRow) -> Result<u64, StepError> {
        let id = run.run_id.as_str();
        let (seq, head) = (run.seq, run.head.as_ref().map(Hash::as_slice));
        // No fork can begin at an entry that is just dropped: the run is not another's, and if it has changed since, nothing
        // is dropped.
        let mut clean = RunRow { forked: 0, ..run.clone() };
        clean.reseal(&self.pen.sealer);
        let (old_seal, seal) = (run.seal.as_slice(), clean.seal.as_slice());
        let sql = self.pen.sql(
            "WITH RECURSIVE mine AS (UPDATE @run SET forked = 0, seal = $4 WHERE seq = $1 AND seal = $3 RETURNING seq),
             chain (hash, parent) AS (
                 SELECT hash, parent FROM @entry WHERE run = $1 AND hash = $2
                 UNION SELECT e.hash, e.parent FROM chain JOIN @entry e ON e.run = $1 AND e.hash = chain.parent)
             DELETE FROM @entry WHERE run = $1 AND EXISTS (SELECT FROM mine) AND hash NOT IN (SELECT hash FROM chain)",
        );
        tracing::trace!(target: "countersign", run = id, "collected");
        self.pool
            .once(async |client| {
                let done = client
                    .execute_typed(
                        &sql,
                        &[
                            (&seq, Type::INT8),
                            (&head, Type::BYTEA),
                            (&old_seal, Type::BYTEA),
                            (&seal, Type::BYTEA),
                        ],
                    )
                    .await?;
                Ok(done)
            })
            .await
    }
}
