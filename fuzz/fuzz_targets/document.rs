//! Any text as a policy, in each format: a document that can be written and reads back as the same, or errors.
#![no_main]

use std::sync::Arc;

use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, read, to_toml};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for format in [DocumentFormat::Toml, DocumentFormat::Json, DocumentFormat::Object] {
        let source =
            PolicySource { layer: LayerKind::Code, name: Arc::from("fuzz"), trusted: true };
        match read(text, format, source.clone()) {
            Err(errors) => assert!(!errors.is_empty()),
            Ok(document) => {
                if let Ok(toml) = to_toml(&document) {
                    let again = read(&toml, DocumentFormat::Toml, source)
                        .expect("what was written can be read");
                    assert_eq!(again.rules.len(), document.rules.len(), "{toml}");
                    assert_eq!(again.default, document.default, "{toml}");
                }
            }
        }
    }
});
