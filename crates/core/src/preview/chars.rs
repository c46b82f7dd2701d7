//! Which characters deceive.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};

use super::flags::{Flag, Flags};

/// Why a character is shown escaped wherever it stands; `None`: it may be shown as it is. Line feeds and tabs are the
/// caller's to lay out, marks and look-alikes are a matter of what is around them.
pub(super) fn deceit(c: char) -> Option<Flags> {
    let flags = match c {
        ' '..='~' | '\n' | '\t' => return None,
        '\0' => Flags::of([Flag::Control, Flag::Nul]),
        // ESC, and the C1 forms of the sequences that it starts: DCS, SOS, CSI, ST, OSC, PM, APC.
        '\u{1b}' | '\u{90}' | '\u{98}' | '\u{9b}'..='\u{9f}' => {
            Flags::of([Flag::Control, Flag::Ansi])
        }
        '\u{1}'..='\u{1f}'
        | '\u{7f}'..='\u{8f}'
        | '\u{91}'..='\u{97}'
        | '\u{99}'
        | '\u{9a}'
        | '\u{2028}'
        | '\u{2029}' => Flags::of([Flag::Control]),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            Flags::of([Flag::Bidi])
        }
        _ if is_blank(c) => Flags::of([Flag::Invisible]),
        _ if is_disguised(c) => Flags::of([Flag::Homoglyph]),
        // Most of what gets here, and cheaper to ask than the rest.
        _ if c.is_alphanumeric() => return None,
        _ => match c.general_category() {
            GeneralCategory::Format | GeneralCategory::PrivateUse => Flags::of([Flag::Invisible]),
            GeneralCategory::SpaceSeparator => Flags::of([Flag::UnicodeSpace]),
            _ => return None,
        },
    };
    Some(flags)
}

/// What shows as nothing though it is no format character (default ignorable), and noncharacters.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}' | '\u{2065}' | '\u{2800}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..
        | '\u{fdd0}'..='\u{fdef}'
    ) || u32::from(c) & 0xfffe == 0xfffe
}

/// Letters and signs that stand for an ASCII one in another dress, whatever is around them.
fn is_disguised(c: char) -> bool {
    matches!(
        c,
        // Full-width letters; full-width digits and punctuation are ordinary in Chinese and Japanese.
        '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}'
        // Mathematical letters and digits, script and Kelvin letters, Roman numerals.
        | '\u{1d400}'..='\u{1d7ff}' | '\u{210a}'..='\u{2115}' | '\u{2119}'..='\u{211d}' | '\u{2124}' | '\u{2128}' | '\u{212a}'..='\u{2131}'
        | '\u{2133}' | '\u{2134}' | '\u{2139}' | '\u{2145}'..='\u{2149}' | '\u{2160}'..='\u{217f}'
        // Circled and squared letters.
        | '\u{24b6}'..='\u{24e9}' | '\u{1f130}'..='\u{1f149}'
        // Latin letters that are drawn like a, g, l and !.
        | '\u{251}' | '\u{261}' | '\u{1c0}' | '\u{1c3}'
        // ; : . / \ that are none.
        | '\u{37e}' | '\u{589}' | '\u{2024}' | '\u{2044}' | '\u{2215}' | '\u{2216}' | '\u{2236}' | '\u{29f5}' | '\u{29f8}' | '\u{a789}' | '\u{fe68}'
    )
}

/// Whether it is a mark on the character before it.
pub(super) fn is_mark(c: char) -> bool {
    match c {
        // Letters of the large alphabets, without a look into the tables.
        ..'\u{300}'
        | '\u{370}'..='\u{482}'
        | '\u{48a}'..='\u{52f}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' => false,
        _ => matches!(
            c.general_category(),
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark
        ),
    }
}

/// Whether a variation selector after it only picks the emoji or the text form.
pub(super) fn takes_variation(base: char) -> bool {
    base.is_emoji_char()
}

/// The scripts whose letters are taken for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Cyrillic,
    Greek,
    /// Others with letters that look Latin: Armenian, Cherokee, Coptic, Lisu.
    Other,
    /// Those that nobody takes for Latin.
    Distinct,
}

pub(super) fn script(c: char) -> Script {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{400}'..='\u{52f}'
        | '\u{1c80}'..='\u{1c8f}'
        | '\u{2de0}'..='\u{2dff}'
        | '\u{a640}'..='\u{a69f}' => Script::Cyrillic,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{531}'..='\u{588}'
        | '\u{13a0}'..='\u{13ff}'
        | '\u{ab70}'..='\u{abbf}'
        | '\u{2c80}'..='\u{2cff}'
        | '\u{a4d0}'..='\u{a4ff}' => Script::Other,
        _ => Script::Distinct,
    }
}

/// Whether a Cyrillic or Greek letter is drawn like a Latin one.
pub(super) fn looks_latin(c: char) -> bool {
    matches!(
        c,
        // Cyrillic
        'а' | 'с' | 'е' | 'о' | 'р' | 'х' | 'у' | 'і' | 'ѕ' | 'ј' | 'һ' | 'ԁ' | 'ԛ' | 'ԝ' | 'ӏ' | 'к' | 'ѵ' | 'А' | 'В' | 'С' | 'Е' | 'Н' | 'І' | 'Ј' | 'К' | 'М' | 'О' | 'Р' | 'Ѕ' | 'Т' | 'Х' | 'У' | 'Ԛ' | 'Ԝ' | 'Ѵ'
        // Greek
        | 'ο' | 'ι' | 'ν' | 'ρ' | 'τ' | 'υ' | 'χ' | 'κ' | 'Α' | 'Β' | 'Ε' | 'Ζ' | 'Η' | 'Ι' | 'Κ' | 'Μ' | 'Ν' | 'Ο' | 'Ρ' | 'Τ' | 'Υ' | 'Χ'
    )
}

/// Greek letters that pass for a Latin one among Latin letters. `Δt` and `λx` are ordinary.
pub(super) fn passes_among_latin(c: char) -> bool {
    looks_latin(c) || matches!(c, 'α' | 'γ' | 'ε' | 'η' | 'ω' | 'ϲ' | 'ϳ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_its_flag() {
        for (c, flags) in [
            ('\0', &[Flag::Control, Flag::Nul][..]),
            ('\r', &[Flag::Control]),
            ('\u{8}', &[Flag::Control]),
            ('\u{7f}', &[Flag::Control]),
            ('\u{85}', &[Flag::Control]),
            ('\u{2028}', &[Flag::Control]),
            ('\u{1b}', &[Flag::Ansi, Flag::Control]),
            ('\u{9b}', &[Flag::Ansi, Flag::Control]),
            ('\u{202e}', &[Flag::Bidi]),
            ('\u{2066}', &[Flag::Bidi]),
            ('\u{200b}', &[Flag::Invisible]),
            ('\u{feff}', &[Flag::Invisible]),
            ('\u{ad}', &[Flag::Invisible]),
            ('\u{3164}', &[Flag::Invisible]),
            ('\u{e0041}', &[Flag::Invisible]),
            ('\u{e000}', &[Flag::Invisible]),
            ('\u{10ffff}', &[Flag::Invisible]),
            ('\u{fdd0}', &[Flag::Invisible]),
            ('\u{a0}', &[Flag::UnicodeSpace]),
            ('\u{3000}', &[Flag::UnicodeSpace]),
            ('\u{ff41}', &[Flag::Homoglyph]),
            ('\u{2215}', &[Flag::Homoglyph]),
        ] {
            assert_eq!(
                deceit(c).map(|found| found.iter().collect::<Vec<_>>()).as_deref(),
                Some(flags),
                "{c:?}"
            );
        }
        for c in "\n\t azZ~äéß漢字かなсαا😀“–€".chars() {
            assert_eq!(deceit(c), None, "{c:?}");
        }
    }
}
