//! Policies that come with countersign, as files to read and copy.

/// The names of the presets.
pub const PRESETS: &[&str] = &["read-only", "developer"];

/// The text of a preset, in TOML.
pub fn preset(name: &str) -> Option<&'static str> {
    match name {
        "read-only" => Some(include_str!("presets/read-only.toml")),
        "developer" => Some(include_str!("presets/developer.toml")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::policy::document::{Format, Layer, Source, load};

    #[test]
    fn every_preset_is_a_policy() {
        for name in PRESETS {
            let source = Source { layer: Layer::Code, name: Arc::from(*name), trusted: true };
            let document = load(preset(name).unwrap(), Format::Toml, source);
            assert_eq!(document.map(|document| document.rules.is_empty()), Ok(false), "{name}");
        }
        assert_eq!(preset("none"), None);
    }
}
