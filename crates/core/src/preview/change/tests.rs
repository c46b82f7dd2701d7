//! What a call would change in a file.

use proptest::prelude::*;

use super::super::tests::{BULK, shows_forbidden};
use super::*;
use crate::cases::cases;

fn change(tool: &str, args: &str, file: FileState) -> FileChange {
    change_of(tool, &args.parse().unwrap(), &|_| file.clone()).unwrap()
}

fn content(text: &str) -> FileState {
    FileState::Content(text.as_bytes().to_vec())
}

fn write(text: &str) -> String {
    format!(r#"{{"file_path":"a.txt","content":{}}}"#, serde_json::to_string(text).unwrap())
}

#[test]
fn each_kind_of_change_is_said() {
    let edit = |rest: &str| format!(r#"{{"file_path":"a.txt",{rest}}}"#);
    for (tool, args, file, text, added, removed) in [
        (
            "write_file",
            write("a\nb\n"),
            FileState::Absent,
            "a new file: +2 −0\n@@ -0,0 +1,2 @@\n│ + a\n│ + b",
            2,
            0,
        ),
        ("write_file", write(""), FileState::Absent, "a new file, empty: +0 −0", 0, 0),
        (
            "write_file",
            write("a"),
            FileState::Absent,
            "a new file: +1 −0\n@@ -0,0 +1 @@\n│ + a\n\\ no newline at the end of the file",
            1,
            0,
        ),
        ("write_file", write("a\n"), content("a\n"), "the file stays as it is: +0 −0", 0, 0),
        (
            "write_file",
            write("a\nB\nc\n"),
            content("a\nb\nc"),
            "replaces the file: +2 −2\n@@ -1,3 +1,3 @@\n│   a\n│ - b\n│ - c\n\\ no newline at the end of the file\n│ + B\n│ + c",
            2,
            2,
        ),
        (
            "write_file",
            write("x\n"),
            FileState::Content(vec![0xff, 0xfe, 0]),
            "replaces a binary file of 3 bytes (SHA-256 ba778c0261008c8f…); the new content: +1 −0\n@@ -0,0 +1 @@\n│ + x",
            1,
            0,
        ),
        (
            "edit_file",
            edit(r#""old_string":"b","new_string":"\u0009B\r""#),
            content("a\r\nb\n"),
            "edits the file: +1 −1\n@@ -1,2 +1,2 @@\n│   a␍\n│ - b\n│ + ⇥B␍",
            1,
            1,
        ),
        (
            "edit_file",
            edit(r#""old_string":"b","new_string":"c""#),
            content("b b\n"),
            "the edit may fail or change several places: the text to replace stands 2 times in the file. If all of them change: +1 −1\n@@ -1 +1 @@\n│ - b b\n│ + c c",
            1,
            1,
        ),
        (
            "edit_file",
            edit(r#""old_string":"b","new_string":"c","replace_all":true"#),
            content("b b\n"),
            "edits the file: +1 −1\n@@ -1 +1 @@\n│ - b b\n│ + c c",
            1,
            1,
        ),
        (
            "edit_file",
            edit(r#""old_string":"x","new_string":"c""#),
            content("b\n"),
            "the edit would fail: the text to replace is not in the file",
            0,
            0,
        ),
        (
            "edit_file",
            edit(r#""old_string":"","new_string":"c""#),
            content("b\n"),
            "the edit would fail: the text to replace is empty",
            0,
            0,
        ),
        (
            "edit_file",
            edit(r#""old_string":"x","new_string":"c""#),
            FileState::Absent,
            "the edit would fail: there is no such file",
            0,
            0,
        ),
        (
            "edit_file",
            edit(r#""old_string":"x","new_string":"c""#),
            FileState::Unreadable("a\nfolder\u{1b}".into()),
            "the file could not be read, so its change is not shown: a\\u{000A}folder\\u{001B}",
            0,
            0,
        ),
        (
            "edit_file",
            edit(r#""old_string":"x","new_string":"c""#),
            FileState::Content(b"x\0".to_vec()),
            "edits a binary file of 2 bytes (SHA-256 14f825b2bbc32dd8…): the change is not shown",
            0,
            0,
        ),
        (
            "multi_edit",
            edit(
                r#""edits":[{"old_string":"a","new_string":"b"},{"oldString":"b","newString":"c"}]"#,
            ),
            content("a\n"),
            "edits the file: +1 −1\n@@ -1 +1 @@\n│ - a\n│ + c",
            1,
            1,
        ),
        (
            "multi_edit",
            edit(
                r#""edits":[{"old_string":"a","new_string":"b"},{"old_string":"a","new_string":"c"}]"#,
            ),
            content("a\n"),
            "the edit would fail: the text to replace of edit 2 of 2 is not in the file",
            0,
            0,
        ),
    ] {
        let change = change(tool, &args, file.clone());
        assert_eq!(change.text, text, "{args}");
        assert_eq!((change.added, change.removed), (added, removed), "{args}");
        assert_eq!(change.before, SeenState::of(&file));
    }
}

#[test]
fn what_the_diff_does_not_tell_is_shown_as_an_argument() {
    let page = |tool: &str, args: &str, file: &str| {
        let args = args.parse().unwrap();
        let change = change_of(tool, &args, &|_| content(file));
        super::super::page(tool, &args, None, change.as_ref(), None).text
    };
    assert_eq!(
        page(
            "edit_file",
            r#"{"file_path":"a","old_string":"x","new_string":"y","extra":1}"#,
            "x\n"
        ),
        "edit_file\n│ extra: 1\n│ file_path: a\nedits the file: +1 −1\n@@ -1 +1 @@\n│ - x\n│ + y"
    );
    assert_eq!(
        page("edit_file", r#"{"file_path":"a","old_string":"x","new_string":"y"}"#, "z\n"),
        "edit_file\n│ file_path: a\n│ new_string: y\n│ old_string: x\nthe edit would fail: the text to replace is not in the file"
    );
    // No plain reading: no diff.
    for args in [
        r#"{"file_path":"a","path":"b","old_string":"x","new_string":"y"}"#,
        r#"{"file_path":"a","old_string":"x","oldString":"x","new_string":"y"}"#,
        r#"{"file_path":"a","old_string":"x"}"#,
        r#"{"file_path":"a","old_string":"x","new_string":1}"#,
        r#"{"file_path":"a","old_string":"x","new_string":"y","replace_all":"yes"}"#,
        r#"{"file_path":"a","old_string":"x","new_string":"y","edits":[]}"#,
        r#"{"file_path":"a","edits":[{"old_string":"x","new_string":"y","line":1}]}"#,
        "[]",
    ] {
        assert_eq!(file_of("edit_file", &args.parse().unwrap()), None, "{args}");
    }
    assert_eq!(file_of("execute", &write("x").parse().unwrap()), None);
    let args = r#"{"path":"a","content":"","file_path":null}"#.parse().unwrap();
    assert_eq!(file_of("write_file", &args), Some("a"));
}

#[test]
fn the_flags_are_those_of_what_is_written() {
    let change = change("write_file", &write("a\u{202e}\n"), content("b\u{1b}\n"));
    assert!(change.flags.contains(Flag::Bidi) && !change.flags.contains(Flag::Ansi));
    assert!(change.text.ends_with("│ - b\\u{001B}\n│ + a\\u{202E}"), "{}", change.text);
}

#[test]
fn both_ends_of_a_long_diff_are_shown_and_the_rest_is_counted() {
    let text: String = (0..50_000).map(|line| format!("line {line}\n")).collect();
    let change = change("write_file", &write(&text), FileState::Absent);
    assert!(change.text.starts_with("a new file: +50000 −0\n@@ -0,0 +1,50000 @@\n│ + line 0\n"));
    assert!(change.text.ends_with("\n│ + line 49999"));
    assert!(change.text.contains("\n…[49601 lines of the diff hidden here: +49601 −0, 0 unchanged; SHA-256 of the new content: "));
    assert!(change.flags.contains(Flag::Long));
    assert!(change.text.len() < 40_000);
}

#[test]
#[ignore = "long: npm run test:all"]
fn much_on_each_side_takes_no_long_time() {
    // Where there is little time a part of it, in that part of the time.
    let part = crate::effort::effort(64, 1);
    type Form = fn(usize) -> String;
    let forms: [(&str, Form); 4] = [
        ("empty lines", |_| "\n".into()),
        ("short lines", |i| format!("{:x}\n", i * 7919 % 65536)),
        ("one line", |_| "а ".into()),
        ("marks", |_| "a\u{301}\u{200d}".into()),
    ];
    for (name, form) in forms {
        let text = |from: usize| {
            let mut text = String::new();
            (from..)
                .take_while(|i| {
                    text.push_str(&form(*i));
                    text.len() < BULK / part
                })
                .for_each(drop);
            text
        };
        let (old, new) = (text(0), text(5) + "x");
        let args = write(&new);
        let start = crate::cpu_time::Instant::now();
        let change = change("write_file", &args, content(&old));
        eprintln!("{name}: +{} −{} in {:?}", change.added, change.removed, start.elapsed());
        assert!(
            start.elapsed() * u32::try_from(part).unwrap() < std::time::Duration::from_secs(5),
            "{name}"
        );
    }
    // Edits that would read or write without end.
    let edits = vec![r#"{"old_string":"a","new_string":"a"}"#; 100_000].join(",");
    let args = format!(r#"{{"file_path":"a","edits":[{edits}]}}"#);
    assert!(change("multi_edit", &args, content("a")).text.starts_with("the file stays"));
    assert!(change("multi_edit", &args, content(&"ab".repeat(1 << 19))).text.contains("too many"));
    let args = format!(
        r#"{{"file_path":"a","old_string":"a","replace_all":true,"new_string":"{}"}}"#,
        "b".repeat(1 << 16)
    );
    assert!(
        change("edit_file", &args, content(&"a".repeat(1 << 16)))
            .text
            .contains("makes a file of more")
    );
}

/// The line of a file that is shown like that; `None`: it is not shown whole.
fn read_back(shown: &str) -> Option<String> {
    let (mut text, mut rest) = (String::new(), shown);
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\\u{") {
            let (code, after) = after.split_once('}')?;
            text.push(char::from_u32(u32::from_str_radix(code, 16).ok()?)?);
            rest = after;
            continue;
        }
        if let Some(after) = rest.strip_prefix("…[") {
            let (count, after) = after.split_once(" spaces hidden]…")?;
            text.push_str(&" ".repeat(count.parse().ok()?));
            rest = after;
            continue;
        }
        text.push(match c {
            '⇥' => '\t',
            '␍' => '\r',
            c => c,
        });
        rest = &rest[c.len_utf8()..];
    }
    Some(text)
}

/// The old and the new text that a diff which shows all lines shows.
fn both(text: &str) -> (String, String) {
    let (mut old, mut new) = (String::new(), String::new());
    let mut last = ' ';
    for line in text.lines().skip(1) {
        if line.starts_with("\\ no newline") {
            [(&mut old, '+'), (&mut new, '-')]
                .into_iter()
                .filter(|(_, other)| last != *other)
                .for_each(|(text, _)| {
                    text.pop();
                });
            continue;
        }
        let Some(line) = line.strip_prefix("│ ") else {
            assert!(line.starts_with("@@ "), "{line}");
            continue;
        };
        let shown = read_back(&line[2..]).unwrap() + "\n";
        last = line.chars().next().unwrap();
        if last != '+' {
            old.push_str(&shown);
        }
        if last != '-' {
            new.push_str(&shown);
        }
    }
    (old, new)
}

fn any_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "[ab]{0,3}",
        any::<String>().prop_map(|text| text.replace('\n', "")),
        Just("\\u{41} …[7 spaces hidden]… ⇥\t␍\r \\t\\n │ + @@ -1 +1 @@".to_owned()),
        "[ \r\t\u{0}-\u{9}\u{b}-\u{1f}\u{80}-\u{a0}\u{2000}-\u{206f}\u{fe00}-\u{feff}аоα\u{300}-\u{340}a-c…\\[{]{0,60}",
    ];
    (proptest::collection::vec(line, 0..12), any::<bool>())
        .prop_map(|(lines, end)| lines.join("\n") + if end { "\n" } else { "" })
}

#[test]
fn an_emoji_that_is_a_sign_of_text_too_is_shown_as_the_emoji() {
    let change = change("write_file", &write("⁉\u{fe0f}\n"), FileState::Absent);
    assert_eq!(change.text, "a new file: +1 −0\n@@ -0,0 +1 @@\n│ + ⁉\u{fe0f}");
}

proptest! {
    #![proptest_config(cases(24, 512))]

    #[test]
    fn each_line_shown_can_be_read_back(old in any_text(), new in any_text()) {
        let change = change("write_file", &write(&new), content(&old));
        prop_assert!(!shows_forbidden(&change.text), "{:?}", change.text);
        prop_assume!(!old.contains('\0') && old != new);
        let (shown_old, shown_new) = both(&change.text);
        prop_assert!(old.contains(&shown_old), "{old:?} {shown_old:?}");
        prop_assert!(new.contains(&shown_new), "{new:?} {shown_new:?}");
        // Small enough that only lines that stay are left out.
        let lost = |text: &str, shown: &str| text.split_inclusive('\n').count() - shown.split_inclusive('\n').count();
        prop_assert_eq!(lost(&old, &shown_old), lost(&new, &shown_new));
    }

    #[test]
    fn the_counts_add_up(old in proptest::collection::vec(0_u8..4, 0..900), new in proptest::collection::vec(0_u8..200, 0..900)) {
        let text = |lines: &[u8]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let change = change("write_file", &write(&text(&new)), content(&text(&old)));
        let count = |mark: &str| change.text.lines().filter(|line| line.starts_with(mark)).count();
        let hidden = change.text.lines().find_map(|line| line.strip_prefix("…[")).map_or([0; 3], |line| {
            let mut numbers = line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok());
            let all: usize = numbers.next().unwrap();
            let [added, removed, kept] = [(); 3].map(|()| numbers.next().unwrap());
            assert_eq!(all, added + removed + kept);
            [added, removed, kept]
        });
        prop_assert_eq!(count("│ + ") + hidden[0], change.added);
        prop_assert_eq!(count("│ - ") + hidden[1], change.removed);
        prop_assert_eq!(old.len() + change.added, new.len() + change.removed);
    }
}

#[test]
fn a_diff_that_leaves_out_the_middle_of_a_line_is_not_whole() {
    let long = format!("a{}b\n", ".".repeat(5_000));
    for (before, after) in [(long.as_str(), "x\n"), ("x\n", long.as_str())] {
        let change = change("write_file", &write(after), content(before));
        assert!(!change.is_whole && change.flags.contains(Flag::Long), "{}", change.text);
        assert!(change.text.contains("characters hidden"), "{}", change.text);
    }
}
