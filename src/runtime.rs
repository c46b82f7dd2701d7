//! The threads that deadlines wait on, and those that wait for ledgers.

use napi::bindgen_prelude::create_custom_tokio_runtime;

/// Two: a deadline costs next to nothing, and fewer sleepers wake up sooner.
const THREADS: usize = 2;

/// The most that wait for a disk at once. Those that come together share one commit.
const BLOCKING_THREADS: usize = 32;

/// The most that `COUNTERSIGN_THREADS` may ask for.
const MAX_THREADS: usize = 64;

/// Gives napi a runtime of our own; when the system refuses, napi makes its own later.
pub(crate) fn install() {
    let asked =
        std::env::var("COUNTERSIGN_THREADS").ok().and_then(|threads| threads.trim().parse().ok());
    let threads = asked.map_or(THREADS, |threads: usize| threads.clamp(1, MAX_THREADS));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(threads)
        .max_blocking_threads(BLOCKING_THREADS)
        .thread_name("countersign")
        .enable_time()
        .build();
    match runtime {
        Ok(runtime) => create_custom_tokio_runtime(runtime),
        Err(error) => tracing::warn!(target: "countersign", %error, "no runtime of our own"),
    }
}
