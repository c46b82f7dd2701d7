//! Programs with their options: what is allowed does what the verdict says, and nothing else.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

#[path = "../../core/src/effort.rs"]
mod effort;
#[path = "../../core/src/skip.rs"]
mod skip;

use countersign_oracle::options::campaign::{OptionCampaign, OptionCampaignReport};
use countersign_oracle::options::inside::WorkerProcess;
use effort::effort;
use skip::skipped;

/// Programs that every machine has, and some commands of git.
const PROGRAMS: [&str; 14] = [
    "cat", "cut", "diff", "grep", "head", "ls", "rm", "sed", "sort", "tail", "tar", "wc",
    "git log", "git diff",
];

#[test]
fn options_do_what_the_verdict_says() {
    if let Err(error) = WorkerProcess::start(&["cat".to_owned()]) {
        let why = error.to_string();
        let absent = [
            "namespaces are not allowed here",
            "strace is not installed",
            "the world cannot be made",
        ];
        assert!(absent.iter().any(|it| why.contains(it)), "{why}");
        skipped(why);
        return;
    }
    let campaign = OptionCampaign {
        seed: 1,
        lines: effort(8, 200),
        programs: PROGRAMS.iter().step_by(effort(5, 1)).map(|name| (*name).to_owned()).collect(),
        open: false,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        seconds: 600,
    };
    let report: OptionCampaignReport = campaign.run(|_| ()).unwrap();
    report.missing.iter().for_each(|name| skipped(format!("{name} is not on this machine")));
    assert!(report.ran() > 0, "nothing ran: {report:?}");
    assert!(report.differences.is_empty(), "{:#?}", report.differences);
    for (name, row) in &report.rows {
        assert!(row.judged > 0 && row.lost == 0, "{name}: {row:?}");
    }
}
