//! The tools on small runs: they find nothing where there is nothing, and find what was broken on purpose. On Linux, where
//! programs can be killed and preloaded as the tools do it.
#![cfg(all(target_os = "linux", target_pointer_width = "64"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails should panic")]

use std::process::Command;

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

fn finds(words: &str) -> Value {
    let (code, printed) = proof(words);
    assert_eq!((code, &printed["ok"]), (1, &Value::Bool(false)), "{words}: {printed}");
    printed
}

/// How often something was found in each mode of power cut.
fn modes(printed: &Value, count: impl Fn(&Value) -> &Value) -> Vec<u64> {
    ["dropped", "reordered", "torn"].map(|mode| count(&printed[mode]).as_u64().unwrap()).to_vec()
}

#[test]
fn no_power_cut_takes_what_was_synced() {
    for store in ["ledger", "lines", "sqlite-full"] {
        let printed =
            finds_nothing(&format!("power --store {store} --calls 100 --lives 2 --points 16"));
        assert_eq!(printed["images"], 48);
        assert!(
            printed["acks"].as_u64().unwrap() > 100 && printed["syncs"].as_u64().unwrap() > 100
        );
    }
    finds_nothing("power --calls 60 --lives 2 --points 8 --processes 2 --threads 2");
}

#[test]
fn power_cuts_take_what_was_not() {
    for store in ["lines-late", "sqlite-normal", "sqlite-off"] {
        let printed = finds(&format!("power --store {store} --calls 100 --lives 1 --points 24"));
        let lossy = modes(&printed, |mode| &mode["lossy"]);
        let unopenable = modes(&printed, |mode| &mode["unopenable"]);
        for (lossy, unopenable) in lossy.iter().zip(unopenable) {
            assert!(lossy + unopenable > 5, "{store}: {printed}");
        }
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
    let run = |sync: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_countersign-proof"))
            .args([
                "power",
                "--points",
                "20",
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
    let printed = finds_nothing("kill --kills 60 --round 30 --processes 4 --threads 2");
    assert_eq!((&printed["kills"], &printed["rounds"]), (&60.into(), &2.into()));
    assert!(printed["found"]["acks"].as_u64().unwrap() > 60);
    assert!(printed["found"]["interrupted"].as_u64().unwrap() > 0, "{printed}");
}

#[test]
fn kills_take_what_was_not() {
    let printed = finds("kill --store lines-buffered --processes 1 --kills 12");
    assert!(printed["found"]["lost"].as_u64().unwrap() > 0, "{printed}");
}

#[test]
fn a_race_has_one_winner_each() {
    let printed = finds_nothing("race --processes 4 --threads 4 --approvals 50");
    assert_eq!((&printed["winners"], &printed["attempts"]), (&50.into(), &800.into()));
    let printed = finds("race --store sqlite-racy --processes 4 --threads 4 --approvals 50");
    assert!(printed["winners"].as_u64().unwrap() > 100, "{printed}");
}

#[test]
fn histories_of_a_ledger_have_an_order_and_those_of_a_broken_one_have_none() {
    let small = "history --operations 3000 --kills 20 --keys 20 --turns 8 --store";
    for store in ["ledger", "sqlite-full"] {
        let printed = finds_nothing(&format!("{small} {store}"));
        assert!(printed["operations"].as_u64().unwrap() >= 3000);
    }
    let printed = finds(&format!("{small} sqlite-racy"));
    assert!(printed["violations"].as_u64().unwrap() > 5, "{printed}");
    assert!(printed["double_winners"].as_u64().unwrap() > 5, "{printed}");
}
