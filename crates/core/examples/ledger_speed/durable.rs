//! One writer: a request made durable, and the bare append of the same bytes.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::{Value, json};

use crate::{Directory, approve, ask, payload, request, summary, time};

/// How many of each are made before it is another's turn.
const TURN: usize = 5;

/// Rounds of turns; each is told by its median too.
pub(crate) fn run(rounds: usize) -> Value {
    let sizes = [1024, 16 * 1024, 256 * 1024]
        .map(|bytes| size(bytes, if bytes > 100_000 { rounds.div_ceil(3) } else { rounds }));
    json!({ "sizes": sizes })
}

fn size(bytes: usize, rounds: usize) -> Value {
    let directory = Directory::new();
    let ledger = directory.ledger("ledger.db");
    let mut file = File::create(directory.0.join("appended")).unwrap();
    let again = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .open(directory.0.join("overwritten"))
        .unwrap();
    let bare = bare(&directory.0.join("bare.db"));
    let mut number = 0;
    let mut rows: [Vec<Vec<f64>>; 5] = Default::default();
    for round in 0..rounds + 2 {
        let mut asked = Vec::new();
        let mut times: [Vec<f64>; 5] = Default::default();
        // What is asked is decided after it.
        let order = if round % 2 == 0 { [0, 1, 2, 3, 4] } else { [4, 3, 2, 0, 1] };
        for who in order {
            for turn in 0..TURN {
                number += 1;
                let new = request(number, bytes);
                let same = vec![b'x'; payload(&new)];
                let took = match who {
                    0 => {
                        let (took, id) = time(|| ask(&ledger, new));
                        asked.push(id);
                        took
                    }
                    1 => time(|| approve(&ledger, asked[turn])).0,
                    2 => time(|| append(&mut file, &same)).0,
                    3 => time(|| overwrite(&again, &same, number)).0,
                    _ => time(|| insert(&bare, &new.id.into_bytes(), &same)).0,
                };
                times[who].push(took);
            }
        }
        // The first ones make the files.
        if round >= 2 {
            for (row, times) in rows.iter_mut().zip(times) {
                row.push(times);
            }
        }
    }
    let names = ["request", "decide", "append", "overwrite", "bareSqlite"];
    let told = names.iter().zip(&rows).map(|(name, rounds)| {
        let medians: Vec<f64> = rounds.iter().map(|times| crate::quantile(times, 0.5)).collect();
        let mut told = summary(&rounds.concat());
        told["rounds"] =
            json!(medians.iter().map(|median| crate::digits(*median)).collect::<Vec<_>>());
        ((*name).to_owned(), told)
    });
    let mut result = Value::Object(told.collect());
    result["bytes"] = json!(bytes);
    result["pages"] = pages(bytes);
    result
}

/// How many pages a request and a decision add to the log of a ledger with some in it.
fn pages(bytes: usize) -> Value {
    let directory = Directory::new();
    let ledger = directory.ledger("ledger.db");
    let log = || directory.bytes("ledger.db-wal") as f64 / 4120.0;
    let mut before = 0.0;
    let (mut asked, mut decided) = (Vec::new(), Vec::new());
    for number in 0..10 {
        let id = ask(&ledger, request(number, bytes));
        let between = log();
        approve(&ledger, id);
        if number > 0 {
            asked.push(between - before);
            decided.push(log() - between);
        }
        before = log();
    }
    json!({ "request": crate::digits(crate::quantile(&asked, 0.5)), "decide": crate::digits(crate::quantile(&decided, 0.5)) })
}

fn append(file: &mut File, bytes: &[u8]) {
    file.write_all(bytes).unwrap();
    file.sync_data().unwrap();
}

/// Into the same 4 MB again and again, as a log that is begun anew does it.
fn overwrite(file: &File, bytes: &[u8], number: usize) {
    use std::os::unix::fs::FileExt as _;
    let most = (4 * 1024 * 1024 / bytes.len()).max(1);
    file.write_all_at(bytes, ((number % most) * bytes.len()) as u64).unwrap();
    file.sync_data().unwrap();
}

/// The least that SQLite can do and still keep it: one table, one row, one index.
fn bare(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE request (id BLOB PRIMARY KEY, body BLOB)")
        .unwrap();
    connection
}

fn insert(connection: &Connection, id: &[u8], body: &[u8]) {
    connection
        .prepare_cached("INSERT INTO request VALUES (?1, ?2)")
        .unwrap()
        .execute(params![id, body])
        .unwrap();
}
