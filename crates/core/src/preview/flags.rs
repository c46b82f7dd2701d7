//! What a preview found worth a warning.

use serde::{Serialize, Serializer};

/// One kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flag {
    /// An escape sequence that a terminal would obey, or the start of one.
    Ansi,
    /// A control character, tabs and line feeds apart.
    Control,
    /// A NUL.
    Nul,
    /// A character that turns the direction of the text around it.
    Bidi,
    /// A character that shows as nothing, or in no known way.
    Invisible,
    /// A space, but not to a program.
    UnicodeSpace,
    /// A character that looks like another one.
    Homoglyph,
    /// A mark that changes the look of the character before it.
    Combining,
    /// More text than one reads at a glance.
    Long,
    /// Blanks that push the rest out of sight.
    Padding,
    /// More than one line.
    Multiline,
    /// A name of an argument that is not what one expects of a name.
    OddKey,
    /// Words of a script that runs from right to left, side by side: what is shown second comes first.
    RightToLeft,
    /// Part of it is left out of what is shown, so that it cannot have been read there.
    Hidden,
}

impl Flag {
    /// Every flag.
    pub const ALL: [Self; 14] = [
        Self::Ansi,
        Self::Control,
        Self::Nul,
        Self::Bidi,
        Self::Invisible,
        Self::UnicodeSpace,
        Self::Homoglyph,
        Self::Combining,
        Self::Long,
        Self::Padding,
        Self::Multiline,
        Self::OddKey,
        Self::RightToLeft,
        Self::Hidden,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ansi => "ansi",
            Self::Control => "control",
            Self::Nul => "nul",
            Self::Bidi => "bidi",
            Self::Invisible => "invisible",
            Self::UnicodeSpace => "unicode-space",
            Self::Homoglyph => "homoglyph",
            Self::Combining => "combining",
            Self::Long => "long",
            Self::Padding => "padding",
            Self::Multiline => "multiline",
            Self::OddKey => "odd-key",
            Self::RightToLeft => "right-to-left",
            Self::Hidden => "hidden",
        }
    }
}

/// A set of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags(u16);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);

    /// These.
    pub const fn of<const N: usize>(flags: [Flag; N]) -> Self {
        let mut bits = 0;
        let mut index = 0;
        while index < N {
            bits |= 1 << flags[index] as u16;
            index += 1;
        }
        Self(bits)
    }

    /// Adds those of another set.
    pub fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    /// Whether it has no flag.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether this one is among them.
    pub const fn contains(self, flag: Flag) -> bool {
        self.0 & 1 << flag as u16 != 0
    }

    /// They, in the order of [`Flag::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.into_iter().filter(move |flag| self.contains(*flag))
    }
}

impl Serialize for Flags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Flag::name))
    }
}
