//! Projects that may allow, and those that may not.

use super::*;

#[test]
fn a_project_allows_only_as_it_was_trusted() {
    let dir = Dir::new();
    let file = dir.write(PROJECT, &policy("allow"));
    let layers = dir.open();
    let trust = TrustFile::new(dir.files().trust.unwrap());
    let is_trusted = || layers.refresh().documents[0].source.trusted;
    assert!(!is_trusted());
    let untrusted = layers.snapshot().hash.clone();
    assert_eq!(trust.trusted().unwrap(), []);

    let canonical = file.to_str().unwrap();
    let hash = trust_hash(canonical, policy("allow").as_bytes());
    let error = trust.trust(&file, Some(&trust_hash(canonical, b"other"))).unwrap_err();
    assert!(matches!(error, TrustError::Changed { .. }), "{error}");
    assert!(!is_trusted());

    let trusted = trust.trust(&file, Some(&hash)).unwrap();
    assert_eq!(trusted, TrustEntry { path: canonical.to_owned(), hash });
    assert!(is_trusted());
    assert_ne!(layers.snapshot().hash, untrusted);
    // Once, however often.
    trust.trust(&file, None).unwrap();
    assert_eq!(trust.trusted().unwrap(), [trusted]);

    // A change ends it, the old text has it again.
    fs::write(&file, "version = 1\ndefault = \"allow\" \n").unwrap();
    assert!(!is_trusted());
    fs::write(&file, policy("allow")).unwrap();
    assert!(is_trusted());

    // The same text elsewhere is not trusted.
    let other = Dir::new();
    other.write(PROJECT, &policy("allow"));
    let files = LayerFiles { trust: dir.files().trust, ..other.files() };
    let elsewhere =
        PolicyLayers::open(LayersOptions { files, ..LayersOptions::default() }).unwrap();
    assert!(!elsewhere.snapshot().documents[0].source.trusted);

    assert!(trust.untrust(&file).unwrap());
    assert!(!trust.untrust(&file).unwrap());
    assert!(!is_trusted());
}

#[test]
fn trust_that_cannot_be_read_is_none() {
    let dir = Dir::new();
    let file = dir.write(PROJECT, &policy("allow"));
    let trust = TrustFile::new(dir.files().trust.unwrap());
    trust.trust(&file, None).unwrap();
    let layers = dir.open();
    assert!(layers.snapshot().documents[0].source.trusted);
    dir.write("config/trust.toml", "version = 2\n");
    let snapshot = layers.refresh();
    assert!(!snapshot.documents[0].source.trusted);
    let problem = snapshot.problems[0].errors[0].to_string();
    assert!(
        problem.ends_with("trust.toml: version 2 is not known here: update countersign"),
        "{problem}"
    );
    assert!(trust.trust(&file, None).is_err(), "what cannot be read is not overwritten");
    #[cfg(unix)]
    {
        let store = dir.write("config/trust.toml", "version = 1\n");
        chmod(&store, 0o666);
        assert!(trust.trusted().unwrap_err().to_string().contains("everybody can write to it"));
    }
}
