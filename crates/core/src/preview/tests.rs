//! What the human sees.

use proptest::prelude::*;

use super::*;
use crate::cases::cases;

fn show(args: &str) -> Preview {
    render("execute", &args.parse().unwrap(), None)
}

fn flags(preview: &Preview) -> Vec<&'static str> {
    preview.flags.iter().map(Flag::name).collect()
}

/// How much a test of speed takes, in bytes: all of it where the code is made for speed.
pub(super) const BULK: usize = if cfg!(debug_assertions) { 1 << 16 } else { 1 << 20 };

/// Said apart from the code: no code point of these may reach the screen.
pub(super) fn is_forbidden(c: char) -> bool {
    let code = u32::from(c);
    (code < 0x20 && c != '\n')
        || (0x7f..=0x9f).contains(&code)
        || matches!(
            code,
            0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x3164 | 0xfeff | 0xffa0
        )
        || (0x180b..=0x180f).contains(&code)
        || (0x200b..=0x200f).contains(&code)
        || (0x2028..=0x202e).contains(&code)
        || (0x2060..=0x206f).contains(&code)
        || (0xfe00..=0xfe0f).contains(&code)
        || (0xfff0..=0xfff8).contains(&code)
        || (0xe000..=0xf8ff).contains(&code)
        || (0xfdd0..=0xfdef).contains(&code)
        || (0x1_bca0..=0x1_bca3).contains(&code)
        || (0x1_d173..=0x1_d17a).contains(&code)
        || code >= 0xe_0000
        || code & 0xfffe == 0xfffe
}

/// But for what joins two emoji: it is seen by what it makes of them.
pub(super) fn shows_forbidden(text: &str) -> bool {
    let all: Vec<char> = text.chars().collect();
    let is_emoji =
        |at: Option<usize>| at.and_then(|at| all.get(at)).is_some_and(|c| u32::from(*c) >= 0x2190);
    all.iter().enumerate().any(|(at, c)| {
        let joins = *c == '\u{200d}' && is_emoji(at.checked_sub(1)) && is_emoji(Some(at + 1));
        let before = at.checked_sub(1).and_then(|at| all.get(at));
        let is_key = all.get(at + 1) == Some(&'\u{20e3}');
        let forms = *c == '\u{fe0f}' && before.is_some_and(|c| !c.is_ascii() || is_key);
        is_forbidden(*c) && !joins && !forms
    })
}

#[test]
fn a_page_is_laid_out_with_a_gutter() {
    let preview = show(
        r#"{"command":"date\nls","n":1.5,"empty":"","odd key":[{"a":null},"true"],"deep":{"a":{"b":[]}}}"#,
    );
    assert_eq!(
        preview.text,
        "execute\n│ deep.a.b: []\n│ empty: \"\"\n│ n: 1.5\n│ [\"odd key\"][0].a: null\n│ [\"odd key\"][1]: \"true\"\n│ command:\n│ ┆ date\n│ ┆ ls"
    );
    assert_eq!(show("{}").text, "execute\n│ {}");
    assert_eq!(show("\"x\"").text, "execute\n│ x");
    assert_eq!(show("\"x\\ny\"").text, "execute\n│ \n│ ┆ x\n│ ┆ y");
}

#[test]
fn a_long_text_stands_behind_the_short_values() {
    let preview = show(r#"{"content":"first\nsecond","path":"a.txt"}"#);
    assert_eq!(preview.text, "execute\n│ path: a.txt\n│ content:\n│ ┆ first\n│ ┆ second");
}

#[test]
fn a_family_of_emoji_is_shown_as_it_is_and_a_joiner_elsewhere_is_not() {
    let preview = show(r#"{"a":"👨\u200d👩\u200d👧 x\u200dy"}"#);
    assert_eq!(preview.text, "execute\n│ a: 👨\u{200d}👩\u{200d}👧 x\\u{200D}y");
}

#[test]
fn the_sign_of_a_line_that_informs_is_shown_as_it_is_and_in_a_word_it_is_not() {
    for text in
        ["ℹ tests 4", "  ℹ tests 4", "ℹ\u{fe0f} note", "ok\nℹ pass 4", "echo \"ℹ building\""]
    {
        assert_eq!(safe::safe(text, 1_000), text);
        assert!(super::scan::text(text).iter().all(|flag| flag == Flag::Multiline), "{text}");
    }
    for text in ["rm ℹ x", "g\u{2139}t push", "ℹ", "ℹd"] {
        assert!(safe::safe(text, 1_000).contains("\\u{2139}"), "{text}");
        assert!(super::scan::text(text).iter().any(|flag| flag == Flag::Homoglyph), "{text}");
    }
}

#[test]
fn an_ordinary_emoji_is_shown_as_it_is_and_its_form_elsewhere_is_not() {
    for emoji in [
        "❤\u{fe0f}",
        "☀\u{fe0f}",
        "1\u{fe0f}\u{20e3}",
        "🏳\u{fe0f}\u{200d}🌈",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        "🤷\u{200d}♂\u{fe0f}",
    ] {
        let preview = show(&format!(r#"{{"a":"{emoji} x"}}"#));
        assert_eq!(preview.text, format!("execute\n│ a: {emoji} x"));
        assert!(flags(&preview).is_empty());
    }
    for (text, shown) in [
        ("a\u{fe0f}", "a\\u{FE0F}"),
        ("1\u{fe0f}", "1\\u{FE0F}"),
        ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}\\u{FE0F}"),
        ("🏴\u{e0072}\u{e006d}\u{e007f}", "🏴\\u{E0072}\\u{E006D}\\u{E007F}"),
        (
            "🏁\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "🏁\\u{E0067}\\u{E0062}\\u{E0065}\\u{E006E}\\u{E0067}\\u{E007F}",
        ),
        ("❤\u{fe0f}\u{200d}x", "❤\u{fe0f}\\u{200D}x"),
        ("☎\u{fe0e}", "☎\\u{FE0E}"),
    ] {
        let preview = show(&format!(r#"{{"a":"{text}"}}"#));
        assert_eq!(preview.text, format!("execute\n│ a: {shown}"));
    }
}

#[test]
fn each_deceit_has_its_flag() {
    for (text, expected) in [
        ("git status", &[][..]),
        ("naïve résumé 你好 これは привет мир שלום नमस्ते สวัสดี 👍 ❤\u{fe0f} 1\u{fe0f}\u{20e3}", &[]),
        ("Файл/ухо.txt и a, b", &[]),
        ("Δt λx µs α = 5 “quoted” – dash 全角，１２", &[]),
        ("a\tb", &[]),
        ("a\r", &["control"]),
        ("a\u{1b}[2J", &["ansi", "control"]),
        ("a\u{0}", &["control", "nul"]),
        ("a\u{202e}b", &["bidi"]),
        ("a\u{200d}b", &["invisible"]),
        // Families, professions and flags are several emoji that are joined.
        ("👨\u{200d}👩\u{200d}👧 👩🏽\u{200d}🚀 🏳\u{fe0f}\u{200d}🌈 🤷\u{200d}♂", &[]),
        ("👨\u{200d}", &["invisible"]),
        ("\u{200d}👧", &["invisible"]),
        ("👨\u{200d}\u{200d}👩", &["invisible"]),
        ("👨\u{200d}a 1\u{200d}2 #\u{200d}👩", &["invisible"]),
        ("rm\u{fe0f}\u{200d}👩", &["invisible"]),
        ("a\u{fe0f}", &["invisible"]),
        ("a\u{3000}b", &["unicode-space"]),
        ("d\u{430}te", &["homoglyph"]),
        ("1d\u{430}te", &["homoglyph"]),
        ("\u{440}\u{430}\u{440}a", &["homoglyph"]),
        ("\u{441}\u{440} a b", &["homoglyph"]),
        ("g\u{3bf}ogle", &["homoglyph"]),
        ("\u{ff44}ate", &["homoglyph"]),
        ("rm \u{2215}etc", &["homoglyph"]),
        // One script in a word, look-alikes of any.
        ("git \u{441}\u{440} a b # \u{436}", &["homoglyph"]),
        ("g\u{456}t push", &["homoglyph"]),
        ("https://\u{430}\u{440}\u{440}\u{4cf}\u{435}.com/", &["homoglyph"]),
        ("https://g\u{585}\u{585}gle.com", &["homoglyph"]),
        ("\u{13da}\u{13ac}\u{13a1} x", &["homoglyph"]),
        ("p\u{131}ng", &["homoglyph"]),
        ("r\u{7c0}m 1\u{966}0", &["homoglyph"]),
        ("g\u{1d0f} con\u{fb01}g", &["homoglyph"]),
        ("\u{ff52}\u{ff4d} \u{ff0d}rf \u{ff0f}etc", &["homoglyph"]),
        ("rm \u{2013}rf x", &["homoglyph"]),
        ("rm \u{2212}rf x", &["homoglyph"]),
        ("rm \u{2010}\u{2010}force x", &["homoglyph"]),
        ("他说 —— 好", &[]),
        ("a\u{2024}\u{2024}b \u{2571} \u{2223} \u{2217}", &["homoglyph"]),
        // Words that run from right to left: `mv a b` looks like `mv b a`, and a number moves to their other side.
        ("mv \u{5d0}\u{5d1}\u{5d0} \u{5dc}\u{5dc}\u{5dc}", &["right-to-left"]),
        ("chmod 600 \u{5d0} 777 \u{5d1}", &["right-to-left"]),
        ("cat \u{627}\u{628}/\u{62c}", &["right-to-left"]),
        ("cat \u{5d0}.txt b", &[]),
        // Languages as people write them.
        (
            "Переходим на TypeScript с React, а к нему Vue. Рука руку моет; сор и ухо, оса — роса.",
            &[],
        ),
        ("Список:\nоса\nрука\nсорока\nи всё", &["multiline"]),
        ("Ο Νίκος και η Άννα είναι στο σπίτι. Το React είναι εδώ. Α, Β, Γ. το τυρί", &[]),
        (
            "これは日本語のテキストです。ＮＨＫニュース（２０２４年）、Tシャツ、iPhoneは100円！ ＡＢＣ放送",
            &[],
        ),
        ("使用（Linux）时，请输入：git status；谢谢！价格：１００元，Windows，Linux。", &[]),
        ("안녕하세요 App은 3개, Android용", &[]),
        // Whole sentences too: which of their words stands first is not what a reader sees beside others.
        ("שלום עולם, זה סוס ב-Google. ו1 הוא", &["right-to-left"]),
        ("مرحبا بالعالم الـAPI ١٢٣ من Google", &["right-to-left"]),
        ("नमस्ते १०० API का उपयोग; ภาษาไทยใช้Reactใน ๑๐๐", &[]),
        ("Kapı açık, ışık yanıyor; Straße, smørrebrød, œuvre, þorn, Łódź, Việt Nam, naïve", &[]),
        ("Բարեւ աշխարհ ყველას გამარჯობა ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ አማርኛ", &[]),
        ("– ein Wort – und −5 °C, 3 × 4, “so” ‹ça› « va », ½ № 5 • … → ✓ ©", &[]),
        ("👩🏽 🇩🇪 🎉 ❤\u{fe0f} ☎\u{fe0e}", &[]),
        ("e\u{301}", &["combining"]),
        ("r\u{336}m", &["combining"]),
        ("\u{301}", &["combining"]),
        ("\u{434}\u{301}\u{301}\u{301}\u{301}\u{301}", &["combining"]),
        ("a\nb", &["multiline"]),
    ] {
        let preview = render("execute", &Json::String(text.to_owned()), None);
        assert_eq!(flags(&preview), expected, "{text:?}: {}", preview.text);
        assert!(!shows_forbidden(&preview.text));
    }
    assert_eq!(flags(&show(r#"{"a\u001b[2K":1}"#)), ["ansi", "control", "odd-key"]);
    assert_eq!(flags(&show(r#"{"":1}"#)), ["odd-key"]);
    assert_eq!(flags(&show(r#"{"__proto__":1}"#)), ["odd-key"]);
    assert_eq!(flags(&render("ex\necute", &Json::Null, None)), ["control", "multiline"]);
}

#[test]
fn padding_is_said_and_not_shown() {
    let preview = show(&format!(r#"{{"command":"date{}; mv a b"}}"#, " ".repeat(2_000)));
    assert_eq!(flags(&preview), ["long", "padding"]);
    assert_eq!(preview.text, "execute\n│ command: date …[1998 spaces hidden]… ; mv a b");
    let preview = show(&format!(r#"{{"command":"date{}mv a b"}}"#, "\\n".repeat(50)));
    assert_eq!(flags(&preview), ["padding", "multiline"]);
    assert_eq!(
        preview.text,
        "execute\n│ command:\n│ ┆ date\n│ ┆ …[48 line ends hidden]…\n│ ┆ mv a b"
    );
    let preview = show(&format!(r#"{{"command":"date{}mv a b"}}"#, " \\n".repeat(50)));
    assert_eq!(flags(&preview), ["padding", "multiline"]);
    assert_eq!(
        preview.text,
        "execute\n│ command:\n│ ┆ date\n│ ┆ …[48 line ends and 50 spaces hidden]…\n│ ┆ mv a b"
    );
    // A call cannot say so itself.
    assert_eq!(
        show(r#"{"command":"date …[9 spaces hidden]… …"}"#).text,
        "execute\n│ command: date \\u{2026}[9 spaces hidden]… …"
    );
}

#[test]
fn both_ends_of_what_is_long_are_shown() {
    let preview = show(&format!(r#"{{"command":"head {} tail"}}"#, "x".repeat(50_000)));
    assert!(
        preview.text.starts_with("execute\n│ command: head x") && preview.text.ends_with("x tail"),
        "{}",
        preview.text
    );
    assert!(preview.text.contains("…[46010 characters hidden; SHA-256 of the text: "));
    assert!(preview.text.chars().count() < 4_300);
    assert_eq!(flags(&preview), ["long", "hidden"]);

    let items: Vec<String> = (0..5_000).map(|item| format!("\"item {item}\"")).collect();
    let preview = show(&format!("[{}]", items.join(",")));
    assert!(
        preview.text.contains("│ [0]: item 0\n") && preview.text.ends_with("│ [4999]: item 4999")
    );
    assert!(preview.text.contains(" characters hidden here; SHA-256 of all arguments: "));
    assert!(preview.text.chars().count() < 17_000);

    let deep = format!("{}\"bottom\"{}", r#"{"level":"#.repeat(100), "}".repeat(100));
    assert!(show(&deep).text.ends_with(": bottom"));
}

#[test]
fn what_is_left_out_of_what_is_shown_is_told_by_a_flag() {
    let script = |lines: usize| {
        let lines: Vec<_> = (0..lines).map(|line| format!("echo line {line}")).collect();
        lines.join("\n")
    };
    let hides = |preview: &Preview| preview.flags.contains(Flag::Hidden);
    let call = |args: Json, width| render("execute", &args, width);
    for width in [None, Some(20), Some(80)] {
        // Long, and shown to the last character.
        let whole = call(Json::String(script(200)), width);
        assert!(!hides(&whole) && whole.flags.contains(Flag::Long), "{}", whole.text);
        assert!(hides(&call(Json::String(script(400)), width)));
        assert!(hides(&call(Json::Array(vec![Json::String("value".to_owned()); 5_000]), width)));
        // All that is left out is blank, and it is said how much of it: `padding` warns of it.
        let blank =
            call(Json::String(format!("a{}b{}c", " ".repeat(1_500), "\n".repeat(1_500))), width);
        assert!(!hides(&blank), "{}", blank.text);
        // What a text says of itself is escaped.
        let posing = call(Json::String("…[9 characters hidden]…".to_owned()), width);
        assert!(!hides(&posing), "{}", posing.text);
    }
    // A name whose middle is not shown; levels of a value.
    assert!(hides(&call(Json::Object([("n".repeat(500), Json::Null)].into()), None)));
    let deep = format!("{}\"bottom\"{}", r#"{"level":"#.repeat(100), "}".repeat(100));
    assert!(hides(&call(deep.parse().unwrap(), None)));
    // A command that is taken apart, and a change of a file.
    let command = Json::Object([("command".to_owned(), Json::String(script(400)))].into());
    let segments = Some(CommandSegments { argument: "command", marks: &[] });
    assert!(hides(&page("execute", &command, None, None, segments)));
    // Each part of it is shown whole; a screen that lays the command out anew, for its width, shows its ends alone.
    let half = "x".repeat(3_000);
    let text = format!("{half};{half}");
    let marks = [(0, 3_000), (3_001, 6_001)].map(|(start, end)| SegmentMark {
        start,
        end,
        effect: MarkEffect::Ask,
        reason: String::new(),
    });
    let command = Json::Object([("command".to_owned(), Json::String(text))].into());
    let segments = Some(CommandSegments { argument: "command", marks: &marks });
    let taken_apart = page("execute", &command, None, None, segments);
    assert!(!safe::leaves_out(&taken_apart.text) && hides(&taken_apart), "{}", taken_apart.text);
    for (lines, expected) in [(300, false), (1_000, true)] {
        let args = Json::Object(
            [("path", "a".to_owned()), ("content", script(lines))]
                .map(|(name, text)| (name.to_owned(), Json::String(text)))
                .into(),
        );
        let change = change_of("write_file", &args, &|_| FileState::Absent);
        assert_eq!(hides(&page("write_file", &args, None, change.as_ref(), None)), expected);
    }
}

#[test]
fn wrapped_lines_keep_the_gutter() {
    let preview = render("execute", &Json::String("abcdefghij".repeat(5)), Some(20));
    assert_eq!(
        preview.text,
        "execute\n│ abcdefghijabcdefgh\n│ ↪ ijabcdefghijabcd\n│ ↪ efghijabcdefghij"
    );
    let preview = render("execute", &Json::String("漢".repeat(10)), Some(1));
    assert_eq!(preview.text, format!("execute\n│ {}\n│ ↪ 漢", "漢".repeat(9)));
}

/// A call as the gate would describe it.
fn said(tool_name: &str, args: &str) -> String {
    describe(tool_name, &args.parse().unwrap(), &order_of(args).unwrap_or_default())
}

#[test]
fn a_sentence_is_short_and_on_one_line() {
    let args = Json::String(format!("a\n{}", "b\u{202e}".repeat(10_000)));
    let sentence = describe(&"t".repeat(1_000), &args, &[]);
    assert!(sentence.chars().count() < 700, "{sentence}");
    assert!(!sentence.contains('\n') && !sentence.chars().any(is_forbidden));
    assert_eq!(said("t", r#"{"b":1,"a":2}"#), "Run tool \"t\"? b: 1, a: 2");
    assert_eq!(said("t", r#"{"a":"x y"}"#), "Run tool \"t\"? a: x y");
    assert_eq!(said("t", "{}"), "Run tool \"t\"?");
    assert_eq!(said("t", "[1]"), "Run tool \"t\"? [1]");
    let many: Vec<_> = (0..500).map(|n| format!(r#""k{n}":"{}""#, "v".repeat(500))).collect();
    let sentence = said("t", &format!("{{{}}}", many.join(",")));
    assert!(sentence.chars().count() < 300 && sentence.ends_with(" …"), "{sentence}");
}

#[test]
fn a_sentence_names_the_path_the_command_the_address_and_the_recipient_first() {
    for (tool, args, expected) in [
        (
            "write_file",
            r#"{"content":"root::0:0","mode":"w","file_path":"/etc/passwd"}"#,
            "file_path: /etc/passwd, content: root::0:0, mode: w",
        ),
        (
            "move",
            r#"{"force":true,"toPath":"b","from-path":"a"}"#,
            "toPath: b, from-path: a, force: true",
        ),
        ("run", r#"{"timeout":5,"cmd":"rm -rf x"}"#, "cmd: rm -rf x, timeout: 5"),
        (
            "http",
            r#"{"body":"{}","method":"DELETE","url":"https://a.b/c"}"#,
            "url: https://a.b/c, method: DELETE, body: \"{}\"",
        ),
        (
            "send_payment",
            r#"{"amount":9000,"note":"hi","to":"mallory"}"#,
            "to: mallory, amount: 9000, note: hi",
        ),
        ("delete_user", r#"{"force":true,"user_id":"u7"}"#, "user_id: u7, force: true"),
        // Words, not letters.
        (
            "t",
            r#"{"profile":1,"avoid":2,"photo":3,"path":4}"#,
            "path: 4, profile: 1, avoid: 2, photo: 3",
        ),
    ] {
        assert_eq!(said(tool, args), format!("Run tool \"{tool}\"? {expected}"));
    }
}

#[test]
fn one_long_argument_does_not_hide_the_others_that_matter() {
    let long = "x".repeat(2000);
    let args = format!(r#"{{"command":"ls","path":"{long}","to":"evil@x"}}"#);
    let text = said("t", &args);
    assert!(text.contains("command: ls, to: evil@x") && text.len() < 500, "{text}");
    let args = format!(r#"{{"path":"{long}","command":"{long}; rm -rf /","note":"hi"}}"#);
    let text = said("t", &args);
    assert!(text.contains("; rm -rf /") && text.ends_with('…') && text.len() < 800, "{text}");
}

#[test]
fn no_number_of_arguments_pushes_out_those_that_matter() {
    for (name, value) in [
        ("path", r#""XVALUEX""#),
        ("command", r#""XVALUEX""#),
        ("targets", r#""XVALUEX""#),
        ("src", r#""XVALUEX""#),
        ("wallet", r#""XVALUEX""#),
        ("statement", r#""XVALUEX""#),
        ("options", r#"{"path":"XVALUEX"}"#),
    ] {
        for others in ["c", "a_path", "zId"] {
            // What ends with such a word may be pushed out by more of them.
            if name == "options" && others != "c" {
                continue;
            }
            let many: Vec<_> = (0..60).map(|n| format!(r#""{n}{others}":"lorem ipsum""#)).collect();
            let args = format!(r#"{{{},"{name}":{value}}}"#, many.join(","));
            let text = said("t", &args);
            assert!(text.contains("XVALUEX") && text.ends_with('…'), "{name} {others}: {text}");
            let shown = rows(&args.parse().unwrap(), &order_of(&args).unwrap());
            assert!(shown[0].value.contains("XVALUEX"), "{name} {others}: {shown:?}");
            assert_eq!(shown.last().map(|row| row.value.as_str()), Some("22 more"));
        }
    }
}

#[test]
fn no_value_of_a_sentence_poses_as_another_argument() {
    let args = r#"{"note":"x, to: alice","to":"mallory"}"#;
    assert_eq!(said("pay", args), "Run tool \"pay\"? to: mallory, note: \"x, to: alice\"");
    let args = r#"{"note":"x\", to: \"alice","to":"mallory"}"#;
    assert_eq!(said("pay", args), r#"Run tool "pay"? to: mallory, note: "x\", to: \"alice""#);
    // A backslash of the text is not the one that keeps the quote from ending it.
    let args = r#"{"note":"x\\\", to: alice\\","to":"mallory"}"#;
    assert_eq!(said("pay", args), r#"Run tool "pay"? to: mallory, note: "x\\\", to: alice\\""#);
}

#[test]
fn no_name_of_a_sentence_poses_as_another_argument() {
    let args = r#"{"total: 1, note":"x","total":9000}"#;
    assert_eq!(said("pay", args), r#"Run tool "pay"? "total: 1, note": x, total: 9000"#);
}

#[test]
fn arguments_without_end_are_described_at_once() {
    let many: Vec<_> = (0..100_000).map(|n| format!(r#""k{n}":{n}"#)).collect();
    let args = format!("{{{}}}", many.join(","));
    let start = crate::cpu_time::Instant::now();
    assert!(said("t", &args).starts_with("Run tool \"t\"? k0: 0, k1: 1, k2: 2"));
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn rows_are_in_the_order_of_reading_and_few() {
    let args = r#"{"b":[1,{"x":"y"}],"a":"true","path":"p\nq"}"#;
    let shown = rows(&args.parse().unwrap(), &order_of(args).unwrap());
    let row = |name: &str, value: &str| ShownRow { name: name.into(), value: value.into() };
    assert_eq!(
        shown,
        [row("path", "p\\u{000A}q"), row("b", r#"[1,{"x":"y"}]"#), row("a", "\"true\"")]
    );
    let many: Vec<_> = (0..500).map(|n| format!(r#""k{n}":{n}"#)).collect();
    let shown = rows(&format!("{{{}}}", many.join(",")).parse().unwrap(), &[]);
    assert_eq!((shown.len(), shown.last()), (40, Some(&row("…", "461 more"))));
    assert_eq!(rows(&Json::String("x".into()), &[]), [row("", "x")]);
}

#[test]
fn segments_and_diffs_stand_in_the_place_of_arguments() {
    let args: Json = r#"{"command":"ls; rm x","cwd":"/tmp","timeout":5}"#.parse().unwrap();
    let marks = [
        SegmentMark { start: 0, end: 2, effect: MarkEffect::Allow, reason: String::new() },
        SegmentMark {
            start: 4,
            end: 8,
            effect: MarkEffect::Ask,
            reason: "no rule allows it".into(),
        },
    ];
    let shown = |argument, width| {
        page("execute", &args, width, None, Some(CommandSegments { argument, marks: &marks })).text
    };
    assert_eq!(
        shown("command", None),
        "execute\n│ cwd: /tmp\n│ timeout: 5\n│ command:\n+ ok     │ ls\n         │ ;\n? asks   │ rm x\n         ^ no rule allows it"
    );
    assert!(shown("command", Some(20)).ends_with("\n         ^ no rule a\n│ ↪ llows it"));
    // No such command: the arguments as they are.
    assert_eq!(shown("timeout", None), render("execute", &args, None).text);
    assert_eq!(shown("none", None), render("execute", &args, None).text);
}

#[test]
fn much_of_anything_takes_no_long_time() {
    for part in [
        "a",
        " ",
        "\n",
        "\t",
        " \n",
        "\u{1b}[",
        "а",
        "а ",
        "а a ",
        "ж",
        "ｒ",
        "ｒ，",
        "–",
        "\u{301}",
        "e\u{301}",
        "❤\u{fe0f}",
        "\u{202e}",
        "\u{e0041}",
        "…[",
        "ᏣᎳ",
        "1०",
        "ı",
    ] {
        let text = part.repeat(BULK / part.len());
        let args = Json::Object([("command".to_owned(), Json::String(text))].into());
        let start = crate::cpu_time::Instant::now();
        let preview = render("execute", &args, Some(80));
        eprintln!("{part:?}: {:?}", start.elapsed());
        assert!(start.elapsed().as_secs() < 5 && preview.text.len() < 50_000, "{part:?}");
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let text = prop_oneof![
        any::<String>(),
        proptest::collection::vec(any::<char>(), 0..40).prop_map(String::from_iter),
        "[ \n\u{0}-\u{1f}\u{80}-\u{a0}\u{2000}-\u{206f}\u{fe00}-\u{feff}аоα\u{300}-\u{340}a-c]{0,60}",
        ".{0,20}".prop_map(|text| text.repeat(400)),
    ];
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i32>().prop_map(|n| Json::Number(n.into())),
        text.clone().prop_map(Json::String)
    ];
    leaf.prop_recursive(4, 64, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..8).prop_map(Json::Array),
            proptest::collection::btree_map(text.clone(), inner, 0..8).prop_map(Json::Object),
        ]
    })
}

proptest! {
    #![proptest_config(cases(64, 512))]

    #[test]
    fn nothing_forbidden_is_shown(name in any::<String>(), args in any_json(), width in proptest::option::of(0_usize..200)) {
        let preview = render(&name, &args, width);
        prop_assert!(!shows_forbidden(&preview.text), "{:?}", preview.text);
        prop_assert!(preview.text.chars().count() < 20_000 || width.is_some());
        prop_assert!(rows(&args, &[]).iter().all(|row| ![&row.name, &row.value].iter().any(|text| shows_forbidden(text) || text.contains('\n'))));
        let sentence = describe(&name, &args, &[]);
        prop_assert!(!shows_forbidden(&sentence) && !sentence.contains('\n'), "{sentence:?}");
        // No line of the arguments can pose as one of the prompt's own.
        for line in preview.text.lines().skip(1) {
            prop_assert!(line.starts_with("│ ") || line.starts_with("…["), "{line:?}");
        }
    }

    #[test]
    fn the_tail_is_always_shown(text in any::<String>(), times in 1_usize..600) {
        let args = Json::Object([("command".to_owned(), Json::String(text.repeat(times) + "; the tail"))].into());
        // Quoted where it starts with a blank.
        prop_assert!(render("execute", &args, None).text.trim_end_matches('"').ends_with("; the tail"));
    }
}
