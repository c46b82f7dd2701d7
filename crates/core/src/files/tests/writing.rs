//! What is written, and what is not.

use proptest::prelude::*;

use super::*;
use crate::call::{Digest, Json};
use crate::cases::cases;
use crate::preview::{FileState, change_of};

fn digest(text: &str) -> ExpectedFile {
    ExpectedFile::Sha256(Digest::of_text(text).to_string())
}

#[test]
fn a_file_is_made_with_its_folders_or_replaced() {
    let house = House::new();
    assert_eq!(house.write("a/b/c.txt", "one", ExpectedFile::Anything), Ok(true));
    assert_eq!(house.write("a/b/c.txt", "two", ExpectedFile::Anything), Ok(false));
    assert_eq!(house.text("a/b/c.txt").as_deref(), Ok("two"));
    assert_eq!(house.write("a/b/c.txt", "", digest("two")), Ok(false));
    assert_eq!(house.text("a/b/c.txt").as_deref(), Ok(""));
    assert_eq!(house.write("a/b", "x", ExpectedFile::Anything), Err(FileFault::NotAFile));
    assert_eq!(house.all("root").len(), 3);
}

#[test]
fn what_is_not_as_expected_stays_as_it_is() {
    let house = House::new();
    house.put("a.txt", "now");
    let before = house.all("root");
    for (path, expected) in [
        ("a.txt", digest("then")),
        ("a.txt", ExpectedFile::Absent),
        ("a.txt", ExpectedFile::Sha256("unreadable".to_owned())),
        ("b.txt", digest("")),
        ("new/folder/b.txt", digest("then")),
    ] {
        let edit = crate::preview::TextEdit { old: "now", new: "x", everywhere: false };
        let edited = house.root.edit(path, edit, &expected, &CancelFlag::default());
        assert_eq!(
            house.write(path, "x", expected.clone()),
            Err(FileFault::Changed),
            "{path} {expected:?}"
        );
        if expected != ExpectedFile::Absent {
            assert_eq!(
                edited.map_err(|error| error.fault),
                Err(FileFault::Changed),
                "{path} {expected:?}"
            );
        }
        assert_eq!(house.all("root"), before);
    }
    assert_eq!(house.write("a.txt", "x", digest("now")), Ok(false));
    assert_eq!(house.write("new/b.txt", "x", ExpectedFile::Absent), Ok(true));
}

#[test]
fn what_is_cancelled_leaves_nothing_behind() {
    let house = House::new();
    house.put("a.txt", "now");
    let before = house.all("root");
    let cancel = CancelFlag::default();
    cancel.cancel();
    for path in ["a.txt", "new/b.txt"] {
        let written = house.root.write(path, "x", &ExpectedFile::Anything, &cancel);
        assert_eq!(written.map_err(|error| error.fault), Err(FileFault::Cancelled));
        assert_eq!(house.all("root"), before);
    }
}

#[cfg(unix)]
#[test]
fn the_mode_stays_and_read_only_is_respected() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let house = House::new();
    for mode in [0o755, 0o600, 0o664] {
        house.put("a.sh", "old");
        fs::set_permissions(house.at("a.sh"), fs::Permissions::from_mode(mode)).unwrap();
        assert_eq!(house.write("a.sh", "new", ExpectedFile::Anything), Ok(false));
        assert_eq!(house.edit("a.sh", "new", "newer", false), Ok(1));
        assert_eq!(fs::metadata(house.at("a.sh")).unwrap().mode() & 0o7777, mode);
    }
    fs::set_permissions(house.at("a.sh"), fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(house.write("a.sh", "x", ExpectedFile::Anything), Err(FileFault::Permission));
    assert_eq!(house.edit("a.sh", "newer", "x", false), Err(FileFault::Permission));
    assert_eq!(house.text("a.sh").as_deref(), Ok("newer"));
    assert_eq!(house.all("root").len(), 1);
}

#[test]
fn edits_that_cannot_be_made_change_nothing() {
    let house = House::new();
    house.put("a.txt", "one two two");
    house.put("empty.txt", "");
    house.put("binary", [0xff, 0xfe, 0]);
    for (path, old, fault) in [
        ("a.txt", "three", FileFault::NoMatch),
        ("a.txt", "two", FileFault::NoMatch),
        ("a.txt", "", FileFault::NoMatch),
        ("binary", "a", FileFault::NotText),
        ("missing/b.txt", "a", FileFault::NoSuchFile),
    ] {
        assert_eq!(house.edit(path, old, "x", false), Err(fault), "{path} {old}");
    }
    assert_eq!(house.all("root").len(), 3);
    assert_eq!(house.edit("a.txt", "two", "2", true), Ok(2));
    assert_eq!(house.edit("empty.txt", "", "text", false), Ok(1));
    assert_eq!(house.text("a.txt").as_deref(), Ok("one 2 2"));
    assert_eq!(house.text("empty.txt").as_deref(), Ok("text"));
    house.put("a.txt", "x".repeat(1 << 19));
    assert_eq!(house.edit("a.txt", "x", "xxx", true), Err(FileFault::TooLarge));
    house.put("a.txt", vec![b'x'; (1 << 20) + 1]);
    assert_eq!(house.text("a.txt"), Err(FileFault::TooLarge));
}

#[test]
fn lines_are_counted_from_one() {
    let house = House::new();
    house.put("a.txt", "one\ntwo\r\nthree");
    house.put("empty.txt", "");
    let read = |path: &str, offset: usize, limit: usize| {
        let text = house.root.read(path, offset, limit, &CancelFlag::default()).unwrap();
        (text.text, text.first_line, text.lines, text.total_lines)
    };
    assert_eq!(read("a.txt", 1, 9), ("one\ntwo\r\nthree".to_owned(), 1, 3, 3));
    assert_eq!(read("a.txt", 0, 1), ("one\n".to_owned(), 1, 1, 3));
    assert_eq!(read("a.txt", 2, 1), ("two\r\n".to_owned(), 2, 1, 3));
    assert_eq!(read("a.txt", 3, 0), (String::new(), 3, 0, 3));
    assert_eq!(read("a.txt", 4, 9), (String::new(), 4, 0, 3));
    assert_eq!(read("empty.txt", 1, 9), (String::new(), 1, 0, 0));
}

/// Texts in which what is looked for stands never, once or often.
fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab\n]{0,12}", "(aa|b\u{e9}|\r\n|\u{feff}){0,6}", any::<String>()]
}

proptest! {
    #![proptest_config(cases(64, 256))]

    /// What a human is shown of a call is what the call does: the same bytes, or nothing at all.
    #[test]
    fn what_is_written_is_what_was_shown(before in text(), old in text(), new in text(), everywhere: bool) {
        let house = House::new();
        house.put("a.txt", &before);
        let args = |rest: serde_json::Value| rest.to_string().parse::<Json>().unwrap();
        let read = |_: &str| FileState::Content(before.clone().into_bytes());

        let call = args(serde_json::json!({ "file_path": "a.txt", "old_string": old, "new_string": new, "replace_all": everywhere }));
        let shown = change_of("edit_file", &call, &read).unwrap();
        let edit = crate::preview::TextEdit { old: &old, new: &new, everywhere };
        let expected = shown.before.digest().map_or(ExpectedFile::Absent, |digest| ExpectedFile::Sha256(digest.to_string()));
        match house.root.edit("a.txt", edit, &expected, &CancelFlag::default()) {
            Ok(edited) => {
                prop_assert_eq!(Some(edited.sha256), shown.after);
                prop_assert_eq!(Some(Digest::of_bytes(&fs::read(house.at("a.txt")).unwrap())), shown.after);
            }
            Err(error) => {
                prop_assert!(matches!(error.fault, FileFault::NoMatch | FileFault::NotText), "{}", error);
                prop_assert_eq!(&fs::read(house.at("a.txt")).unwrap(), before.as_bytes());
                // Only what was shown with a doubt is refused.
                prop_assert!(shown.after.is_none() || shown.text.starts_with("the edit may"));
            }
        }

        house.put("a.txt", &before);
        let call = args(serde_json::json!({ "file_path": "a.txt", "content": new }));
        let shown = change_of("write_file", &call, &read).unwrap();
        let written = house.root.write("a.txt", &new, &expected, &CancelFlag::default()).unwrap();
        prop_assert_eq!(Some(written.sha256), shown.after);
    }
}
