//! The tools on small runs: they find nothing where there is nothing, and find what was broken on purpose. On Linux, where
//! programs can be killed and preloaded as the tools do it.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

#[path = "../../core/src/effort.rs"]
mod effort;

use std::process::Command;

use effort::effort;
use serde_json::Value;

/// Runs a tool: its exit code and what it printed.
fn proof(words: &str) -> (i32, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_countersign-proof"))
        .args(words.split_whitespace())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let printed = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{words}: {error}: {text}{}", String::from_utf8_lossy(&output.stderr))
    });
    (output.status.code().unwrap(), printed)
}

fn finds_nothing(words: &str) -> Value {
    let (code, printed) = proof(words);
    assert_eq!((code, &printed["ok"]), (0, &Value::Bool(true)), "{words}: {printed}");
    printed
}

/// How often is tried what shows by chance: where a process is when it is killed, and whether two of them meet.
const TRIES: u64 = 20;

/// Something is found, and enough of it.
fn finds(words: &str, is_enough: impl Fn(&Value) -> bool) {
    let mut last = Value::Null;
    let is_found = (1..=TRIES).any(|seed| {
        let (code, printed) = proof(&format!("{words} --seed {seed}"));
        assert_eq!(printed["ok"], code == 0, "{words}: {code} {printed}");
        let is_found = code == 1 && is_enough(&printed);
        last = printed;
        is_found
    });
    assert!(is_found, "{words}: {last}");
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap()
}

/// How often something was found in each mode of power cut.
fn modes(printed: &Value, count: impl Fn(&Value) -> &Value) -> Vec<u64> {
    ["dropped", "reordered", "torn"].map(|mode| number(count(&printed[mode]))).to_vec()
}

#[test]
fn no_power_cut_takes_what_was_synced() {
    let (calls, points) = effort((30, 6), (100, 16));
    for store in ["ledger", "lines", "sqlite-full"] {
        let printed = finds_nothing(&format!(
            "power --store {store} --calls {calls} --lives 2 --points {points}"
        ));
        assert_eq!(printed["images"], 3 * points);
        assert!(number(&printed["acks"]) > calls && number(&printed["syncs"]) > calls);
    }
    let (calls, points) = effort((10, 4), (60, 8));
    finds_nothing(&format!(
        "power --calls {calls} --lives 2 --points {points} --processes 2 --threads 2"
    ));
}

#[test]
fn power_cuts_take_what_was_not() {
    let (calls, points, enough) = effort((50, 12, 2), (100, 24, 5));
    for store in ["lines-late", "sqlite-normal", "sqlite-off"] {
        let words = format!("power --store {store} --calls {calls} --lives 1 --points {points}");
        finds(&words, |printed| {
            let lossy = modes(printed, |mode| &mode["lossy"]);
            let unopenable = modes(printed, |mode| &mode["unopenable"]);
            lossy.iter().zip(unopenable).all(|(lossy, unopenable)| lossy + unopenable > enough)
        });
    }
}

#[test]
fn any_program_can_be_the_victim() {
    // `sync FILE` of coreutils is an fsync of that file, or of that folder.
    let victim = |sync: &str| {
        format!(
            "for i in 1 2 3 4 5 6 7 8; do echo $i >> {{dir}}/n; {sync} echo $i >> {{acks}}; done"
        )
    };
    let look = "touch {dir}/n; n=$(comm -13 {dir}/n {acks} | wc -l); echo {\\\"acks\\\":0,\\\"rows\\\":0,\\\"lost\\\":$n,\\\"doubled\\\":0,\\\"broken\\\":0,\\\"examples\\\":[]}";
    let points = effort("8", "20");
    let run = |sync: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_countersign-proof"))
            .args([
                "power",
                "--points",
                points,
                "--lives",
                "1",
                "--victim",
                &victim(sync),
                "--check",
                look,
            ])
            .output()
            .unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    let careful = run("sync {dir}/n; sync {dir};");
    assert_eq!(careful["ok"], true, "{careful}");
    for careless in ["", "sync {dir}/n;", "sync {dir};"] {
        assert_eq!(run(careless)["ok"], false, "{careless:?}");
    }
}

#[test]
fn no_kill_takes_what_was_written() {
    let kills = effort(12, 60);
    let round = kills / 2;
    let mut tries = (1..=TRIES).map(|seed| {
        let printed = finds_nothing(&format!(
            "kill --kills {kills} --round {round} --processes 4 --threads 2 --seed {seed}"
        ));
        assert_eq!((&printed["kills"], &printed["rounds"]), (&kills.into(), &2.into()));
        [&printed["found"]["acks"], &printed["found"]["interrupted"]].map(number)
    });
    assert!(tries.any(|[acks, interrupted]| acks > kills && interrupted > 0));
}

#[test]
fn kills_take_what_was_not() {
    let kills = effort(4, 12);
    finds(&format!("kill --store lines-buffered --processes 1 --kills {kills}"), |printed| {
        number(&printed["found"]["lost"]) > 0
    });
}

#[test]
fn a_race_has_one_winner_each() {
    let approvals = effort(20_u64, 50);
    let race = format!("race --processes 4 --threads 4 --approvals {approvals}");
    let printed = finds_nothing(&race);
    let expected = (&approvals.into(), &(16 * approvals).into());
    assert_eq!((&printed["winners"], &printed["attempts"]), expected);
    finds(&format!("{race} --store sqlite-racy"), |printed| {
        number(&printed["winners"]) > 2 * approvals
    });
}

#[test]
fn histories_of_a_ledger_have_an_order_and_those_of_a_broken_one_have_none() {
    let (operations, kills, enough) = effort((500, 5, 1), (3_000, 20, 5));
    let small =
        format!("history --operations {operations} --kills {kills} --keys 20 --turns 8 --store");
    for store in ["ledger", "sqlite-full"] {
        let printed = finds_nothing(&format!("{small} {store}"));
        assert!(number(&printed["operations"]) >= operations);
    }
    finds(&format!("{small} sqlite-racy"), |printed| {
        number(&printed["violations"]) > enough && number(&printed["double_winners"]) > enough
    });
}
