//! Any text as a tool's name and arguments: what is shown holds nothing that acts on a terminal.
#![no_main]

use countersign_core::call::Json;
use countersign_core::preview;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, u8)| {
    let (name, text, width) = input;
    let widths = [None, Some(usize::from(width))];
    let wrapped: Json =
        serde_json::json!({ text: [text, 1] }).to_string().parse().expect("it is JSON");
    for args in [Some(wrapped), text.parse().ok()].into_iter().flatten() {
        for width in widths {
            let shown = preview::render(name, &args, width).text;
            assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        }
        assert!(!preview::describe(name, &args, &[]).contains(char::is_control));
    }
    let _ = preview::text(text, usize::from(width));
});
