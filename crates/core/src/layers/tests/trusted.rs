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

#[cfg(unix)]
#[test]
fn a_project_is_not_trusted_by_a_symlink_to_one_that_is() {
    use std::os::unix::fs::symlink;
    let dir = Dir::new();
    let file = dir.write("trusted/.countersign/policy.toml", &policy("allow"));
    let trust = TrustFile::new(dir.files().trust.unwrap());
    trust.trust(&file, None).unwrap();
    let clone = dir.0.join("project");
    let by_folder = || symlink("../trusted/.countersign", clone.join(".countersign"));
    let by_file = || {
        fs::create_dir(clone.join(".countersign")).unwrap();
        symlink("../../trusted/.countersign/policy.toml", dir.0.join(PROJECT))
    };
    for (link, make) in [(".countersign", &by_folder as &dyn Fn() -> _), ("policy.toml", &by_file)]
    {
        fs::create_dir(&clone).unwrap();
        make().unwrap();
        let layers = dir.open();
        let snapshot = layers.snapshot();
        assert!(!snapshot.documents[0].source.trusted, "{link}");
        let problem = snapshot.problems[0].errors[0].to_string();
        let cure = format!("{link} is a symlink: replace it by what it leads to, then run");
        assert!(problem.contains(&cure) && snapshot.problems[0].kept, "{problem}");
        // Nor by saying so, and the other one stays trusted.
        let error = trust.trust(&dir.0.join(PROJECT), None).unwrap_err().to_string();
        assert!(error.contains("is a symlink: replace it by what it leads to"), "{error}");
        assert!(!trust.untrust(&dir.0.join(PROJECT)).unwrap());
        assert_eq!(trust.trusted().unwrap().len(), 1);
        // What only tightens needs no trust, and nothing is told.
        fs::write(&file, policy("deny")).unwrap();
        assert_eq!(layers.refresh().problems, []);
        fs::write(&file, policy("allow")).unwrap();
        fs::remove_dir_all(&clone).unwrap();
    }
    // The way to the project may lead through one, and what becomes one is not trusted any more, with the same text.
    symlink("trusted", &clone).unwrap();
    let layers = dir.open();
    assert!(layers.snapshot().documents[0].source.trusted);
    let moved = dir.write("moved.toml", &policy("allow"));
    fs::remove_file(&file).unwrap();
    symlink(moved, &file).unwrap();
    assert!(!layers.refresh().documents[0].source.trusted);
}

#[test]
fn a_policy_with_a_fault_is_not_trusted() {
    let dir = Dir::new();
    let trust = TrustFile::new(dir.files().trust.unwrap());
    let file = dir.write(PROJECT, "version = 1\n[[rule]]\neffect = \"deny\"\nraeds = [\"a\"]\n");
    let error = trust.trust(&file, None).unwrap_err().to_string();
    assert!(
        error.contains(":4:1: unknown key \"raeds\" in a rule: did you mean \"reads\"?"),
        "{error}"
    );
    assert!(error.starts_with("nothing was trusted, since the policy has faults: "), "{error}");
    fs::write(&file, b"\xff").unwrap();
    assert!(trust.trust(&file, None).unwrap_err().to_string().contains("is not UTF-8"));
    assert_eq!(trust.trusted().unwrap(), []);
    fs::remove_file(&file).unwrap();
    let error = trust.trust(&file, None).unwrap_err().to_string();
    assert!(
        error.ends_with("there is no such file: `countersign policy init` makes one"),
        "{error}"
    );
}
