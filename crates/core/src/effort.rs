//! How much a test does: little in `npm test`, all of it in `npm run test:all`. What a test proves is the same; how often it
//! tries differs. The tests in `tests/` and those of other crates include this very file.

/// How many: of cases, rounds or processes.
pub(crate) fn effort<T>(quick: T, thorough: T) -> T {
    let is_thorough = std::env::var_os("COUNTERSIGN_EFFORT").is_some_and(|set| set == "thorough");
    if is_thorough { thorough } else { quick }
}
