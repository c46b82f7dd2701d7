//! Which characters deceive.

use unicode_properties::{GeneralCategory, UnicodeEmoji, UnicodeGeneralCategory};

use super::confusable::looks_ascii;
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

/// Letters and signs that stand for an ASCII one in another dress, in any context.
fn is_disguised(c: char) -> bool {
    matches!(
        c,
        // Mathematical letters and digits, script and Kelvin letters, Roman numerals, those of old computers.
        '\u{1d400}'..='\u{1d7ff}' | '\u{2102}' | '\u{210a}'..='\u{2115}' | '\u{2119}'..='\u{211d}' | '\u{2124}' | '\u{2128}'
        | '\u{212a}'..='\u{2131}' | '\u{2133}' | '\u{2134}' | '\u{2139}' | '\u{213d}' | '\u{2145}'..='\u{2149}'
        | '\u{2160}'..='\u{217f}' | '\u{1ccd6}'..='\u{1ccf9}' | '\u{1fbf0}'..='\u{1fbf9}'
        // Circled, squared and parenthesized letters, ligatures.
        | '\u{249c}'..='\u{24e9}' | '\u{1f110}'..='\u{1f149}' | '\u{fb00}'..='\u{fb06}'
        // Latin letters that are not in use any more.
        | '\u{184}' | '\u{185}' | '\u{1a7}' | '\u{1bc}' | '\u{1bd}' | '\u{1c0}' | '\u{1c1}' | '\u{1c3}' | '\u{237}'
        // ; : . ! by their looks
        | '\u{37e}' | '\u{589}' | '\u{2024}' | '\u{2236}' | '\u{205a}' | '\u{2f8}' | '\u{a789}' | '\u{fe10}'..='\u{fe19}' | '\u{a60e}'
        // and / \ | by their looks,
        | '\u{2041}' | '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{2571}' | '\u{27cb}' | '\u{2f03}' | '\u{1735}' | '\u{2216}' | '\u{29f5}'
        | '\u{29f9}' | '\u{2572}' | '\u{27cd}' | '\u{2f02}' | '\u{244a}' | '\u{2223}' | '\u{ffe8}' | '\u{23fd}' | '\u{2758}'
        // * ~ = < > ^ ` & by their looks, and the small ones of many.
        | '\u{2217}' | '\u{204e}' | '\u{223c}' | '\u{2053}' | '\u{a78a}' | '\u{2e40}' | '\u{1400}' | '\u{2c2}'..='\u{2c4}' | '\u{1433}'
        | '\u{1438}' | '\u{2cb}' | '\u{2035}' | '\u{1fef}' | '\u{a778}' | '\u{1f674}' | '\u{1f675}' | '\u{fe4d}'..='\u{fe6b}'
    ) || (is_phonetic(c) && looks_ascii(c))
}

/// Whether it is of the alphabets for writing sounds down.
fn is_phonetic(c: char) -> bool {
    matches!(
        c,
        '\u{250}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}' | '\u{1df00}'..='\u{1dfff}'
    )
}

/// Whether it is of a script that runs from right to left (the blocks of the classes R and AL of Unicode's UAX #9).
pub(super) fn runs_left(c: char) -> bool {
    matches!(
        c,
        '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefe}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}'
    )
}

/// Whether it is an ASCII character as wide as a Chinese one: ordinary among those, and nowhere else.
pub(super) fn is_full_width(c: char) -> bool {
    matches!(c, '\u{ff01}'..='\u{ff5e}')
}

/// Whether it is the punctuation of a Chinese or Japanese text, which stands beside foreign words too.
pub(super) fn is_full_width_prose(c: char) -> bool {
    matches!(c, '，' | '：' | '；' | '！' | '？' | '（' | '）')
}

/// Whether it is of a script whose characters are as wide as high.
pub(super) fn is_east_asian(c: char) -> bool {
    matches!(
        c,
        '\u{3001}'..='\u{312f}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff66}'..='\u{ff9f}'
        | '\u{20000}'..='\u{3ffff}'
    )
}

/// Whether it would begin an option if it were what it looks like.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '\u{2d7}' | '\u{2010}'..='\u{2015}' | '\u{2043}' | '\u{2212}' | '\u{2796}')
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

/// Whether it is an emoji that is no sign of a text: digits and the like have an emoji form, too.
pub(super) fn is_picture(c: char) -> bool {
    u32::from(c) >= 0x2190 && c.is_emoji_char()
}

/// The scripts whose letters are taken for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LookalikeScript {
    Latin,
    Cyrillic,
    Greek,
    /// Others with many letters that look Latin, which no text mixes with it: Armenian, Georgian, Cherokee, Canadian syllabics,
    /// runes, Coptic, Tifinagh, Lisu, Vai and those of long ago.
    Other,
    /// Those that readers do not take for Latin.
    Distinct,
}

pub(super) fn script(c: char) -> LookalikeScript {
    match c {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
            LookalikeScript::Latin
        }
        '\u{400}'..='\u{52f}'
        | '\u{1c80}'..='\u{1c8f}'
        | '\u{2de0}'..='\u{2dff}'
        | '\u{a640}'..='\u{a69f}' => LookalikeScript::Cyrillic,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => LookalikeScript::Greek,
        '\u{531}'..='\u{588}'
        | '\u{10a0}'..='\u{10ff}'
        | '\u{13a0}'..='\u{16ff}'
        | '\u{18b0}'..='\u{18ff}'
        | '\u{1c90}'..='\u{1cbf}'
        | '\u{2c80}'..='\u{2d7f}'
        | '\u{a4d0}'..='\u{a63f}'
        | '\u{ab70}'..='\u{abbf}'
        | '\u{10000}'..='\u{16fff}' => LookalikeScript::Other,
        _ => LookalikeScript::Distinct,
    }
}

/// Whether a letter of one of the scripts that are taken for Latin is drawn like a Latin one.
pub(super) fn looks_latin(c: char) -> bool {
    matches!(
        c,
        // Cyrillic
        'а' | 'с' | 'е' | 'о' | 'р' | 'х' | 'у' | 'і' | 'ѕ' | 'ј' | 'һ' | 'ԁ' | 'ԛ' | 'ԝ' | 'ӏ' | 'к' | 'ѵ' | 'ү' | 'ҽ' | 'А' | 'В' | 'С' | 'Е' | 'Н' | 'І' | 'Ј' | 'К' | 'М' | 'О' | 'Р' | 'Ѕ' | 'Т' | 'Х' | 'У' | 'Ԛ' | 'Ԝ' | 'Ѵ' | 'Ү' | 'Һ' | 'Ӏ' | 'Ԍ'
        | '\u{1c82}' | '\u{1c83}' | 'ꙇ'
        // Greek
        | 'ο' | 'ι' | 'ν' | 'ρ' | 'τ' | 'υ' | 'χ' | 'κ' | 'ϲ' | 'ϳ' | 'Α' | 'Β' | 'Ε' | 'Ζ' | 'Η' | 'Ι' | 'Κ' | 'Μ' | 'Ν' | 'Ο' | 'Ρ' | 'Τ' | 'Υ' | 'Χ' | 'Ϲ' | 'Ϻ' | 'Ϳ' | 'Ϝ'
    ) || (script(c) == LookalikeScript::Other && looks_ascii(c))
}

/// Greek letters that pass for a Latin one among Latin letters. `Δt` and `λx` are ordinary.
pub(super) fn passes_among_latin(c: char) -> bool {
    looks_latin(c) || matches!(c, 'α' | 'γ' | 'ε' | 'η' | 'σ' | 'ω' | 'ϒ' | 'ϱ')
}

/// Whether what is around it may make a look-alike of it.
pub(super) fn may_look_alike(c: char) -> bool {
    passes_among_latin(c)
        || !matches!(script(c), LookalikeScript::Latin | LookalikeScript::Distinct)
        || looks_ascii(c)
        || is_full_width(c)
        || is_dash(c)
        || matches!(c, 'ı' | 'ſ')
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
            ('\u{fb01}', &[Flag::Homoglyph]),
            ('\u{1d0f}', &[Flag::Homoglyph]),
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
