//! Log lines on stderr, when the environment asks for them.

use std::io::Write;

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// With `COUNTERSIGN_LOG` set to a filter such as `countersign=debug`, writes what happens to stderr, as JSON when
/// `COUNTERSIGN_LOG_FORMAT` is `json`. Without it nothing is installed. Arguments appear at `trace` only.
pub(crate) fn install() {
    let Some(asked) = std::env::var_os("COUNTERSIGN_LOG").filter(|asked| !asked.is_empty()) else {
        return;
    };
    let parsed = asked
        .to_str()
        .ok_or_else(|| "it is not UTF-8".to_owned())
        .and_then(|asked| EnvFilter::builder().parse(asked).map_err(|error| error.to_string()));
    let filter = parsed.unwrap_or_else(|error| {
        // Straight to stderr, since nothing else is installed yet. If stderr is closed, the message is dropped.
        let _unwritable = writeln!(
            std::io::stderr(),
            "countersign: COUNTERSIGN_LOG is not a filter ({error}); logging at 'info'"
        );
        EnvFilter::default().add_directive(LevelFilter::INFO.into())
    });
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // It would tell of a line that could not be written by `eprintln!`, which panics when stderr is closed: in the deadline
        // task, nothing would expire from then on.
        .log_internal_errors(false)
        .with_ansi(false);
    let json = std::env::var("COUNTERSIGN_LOG_FORMAT").is_ok_and(|format| format == "json");
    // Somebody else in this process may have installed one: theirs stays.
    let _already_installed =
        if json { subscriber.json().try_init() } else { subscriber.try_init() };
}
