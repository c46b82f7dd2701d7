//! Any text as a path and as a pattern, of paths and of addresses. What a pattern covers, it touches too.
#![no_main]

use std::path::PathBuf;

use countersign_core::path::{
    FileLookup, NoFiles, PathContext, PathError, PathGlob, UrlAddress, UrlPattern, locate,
};
use libfuzzer_sys::fuzz_target;

/// A file system without symlinks.
struct Plain;

impl FileLookup for Plain {
    fn read_link(&self, _path: &str) -> Result<Option<PathBuf>, PathError> {
        Ok(None)
    }

    fn is_case_sensitive(&self, path: &str) -> bool {
        path.len().is_multiple_of(2)
    }
}

fuzz_target!(|input: (&str, &str)| {
    let (path, pattern) = input;
    let vars = PathContext {
        cwd: "/work".to_owned(),
        home: Some("/home/u".to_owned()),
        project: Some("/work".to_owned()),
        ..PathContext::default()
    };
    let _ = locate(path, &vars, &NoFiles);
    let located = locate(path, &vars, &Plain);
    if let (Ok(located), Ok(glob)) = (&located, PathGlob::parse(pattern, &vars)) {
        let covers = glob.covers(located, &Plain);
        let touches = glob.touches(located, &Plain);
        assert!(
            covers != Ok(true) || touches == Ok(true),
            "{glob:?} covers {located:?}, but does not touch it"
        );
        let _ = glob.touches_below(located, &Plain);
    }
    if let (Ok(address), Ok(pattern)) = (UrlAddress::parse(path), UrlPattern::parse(pattern)) {
        assert!(!pattern.covers(&address) || pattern.touches(&address));
    }
});
