//! The targets of `fuzz/`, compiled with the tests and tried with a few inputs. libFuzzer needs a nightly compiler; without this
//! file a change could leave a target that compiles no more.
#![allow(
    unused_attributes,
    clippy::expect_used,
    reason = "`no_main` of a target means nothing in a module, and a target fails by a panic"
)]

extern crate self as libfuzzer_sys;

use proptest::prelude::*;

#[path = "../../../fuzz/fuzz_targets/document.rs"]
mod document;
#[path = "../../../fuzz/fuzz_targets/path.rs"]
mod path;
#[path = "../../../fuzz/fuzz_targets/preview.rs"]
mod preview;
#[path = "../../../fuzz/fuzz_targets/shell.rs"]
mod shell;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_is_a_command_line(script in ".{0,80}") {
        shell::run(&script);
    }

    #[test]
    fn any_text_is_a_policy_or_is_refused(text in ".{0,80}") {
        document::run(&text);
    }

    #[test]
    fn any_path_meets_any_pattern(path in "[a-z./*~-]{0,40}", pattern in "[a-z./*!?{},\\[\\]-]{0,40}") {
        path::run((&path, &pattern));
    }

    #[test]
    fn any_call_is_shown(name in ".{0,20}", text in ".{0,80}", width: u8) {
        preview::run((&name, &text, width));
    }
}

/// A target that no module above holds is tried by no test.
#[test]
fn each_target_is_tried() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/fuzz_targets");
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["document.rs", "path.rs", "preview.rs", "shell.rs"]);
}

/// In place of libFuzzer's: the target is a function.
#[macro_export]
macro_rules! fuzz_target {
    (|$input:ident: $kind:ty| $body:block) => {
        pub(crate) fn run($input: $kind) $body
    };
}
