//! Log lines on stderr, when the environment asks for them.

use std::io::Write;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

/// With `COUNTERSIGN_LOG` set to a level, or to levels of targets such as `warn,countersign=debug`, writes what happens to stderr,
/// as JSON when `COUNTERSIGN_LOG_FORMAT` is `json`. Without it nothing is installed. Arguments appear at `trace` only.
pub(crate) fn install() {
    let Some(asked) = std::env::var_os("COUNTERSIGN_LOG").filter(|asked| !asked.is_empty()) else {
        return;
    };
    let parsed = asked
        .to_str()
        .ok_or_else(|| "it is not UTF-8".to_owned())
        .and_then(|asked| asked.parse::<Targets>().map_err(|error| error.to_string()));
    let filter = parsed.unwrap_or_else(|error| {
        // Straight to stderr, since nothing else is installed yet. If stderr is closed, the message is dropped.
        let _unwritable = writeln!(
            std::io::stderr(),
            "countersign: COUNTERSIGN_LOG is not a filter ({error}); logging at 'info'"
        );
        Targets::new().with_default(LevelFilter::INFO)
    });
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        // It would tell of a line that could not be written by `eprintln!`, which panics when stderr is closed: in the deadline
        // task, nothing would expire from then on.
        .log_internal_errors(false)
        .with_ansi(false);
    let json = std::env::var("COUNTERSIGN_LOG_FORMAT").is_ok_and(|format| format == "json");
    let subscriber = tracing_subscriber::registry().with(filter);
    // Somebody else in this process may have installed one: theirs stays.
    let _already_installed = if json {
        subscriber.with(lines.json()).try_init()
    } else {
        subscriber.with(lines).try_init()
    };
}
