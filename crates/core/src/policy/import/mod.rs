//! Policies of other products, read as ours.
//!
//! What comes out is never looser than what went in. Where ours cannot say exactly what theirs says, an allow is narrowed or
//! left out, and an ask or a deny is widened; each such place is a [`Loss`]. Three differences hold for every rule and are
//! no losses:
//!
//! - theirs are mostly patterns over the *text* of a command, ours are over its *words*, so that quotes and spaces do not
//!   matter;
//! - what a product allows or forbids out of the box stands in no file and is not imported: what no rule speaks of asks;
//! - asks and denies of commands also bite `/usr/bin/rm` where `rm` is written, and every tool that runs command lines;
//!   allows are for the tools with a built-in reading alone.

mod claude;
mod close;
mod codex;
mod draft;
mod gemini;
mod json;
mod opencode;
mod paths;
#[cfg(test)]
mod property;
mod regex;
mod starlark;
#[cfg(test)]
mod tests;
mod vscode;
mod words;

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::Serialize;

use super::document::{Document, Layer, Place, Source};

/// Longer texts are refused, in bytes.
pub const LONGEST: usize = 1 << 20;

/// Whose policy it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// The `settings.json` of Claude Code (`permissions`). JSON with comments.
    ClaudeCode,
    /// The rules of Codex: calls of `prefix_rule`, `host_executable` and `network_rule`.
    Codex,
    /// A policy of Gemini CLI. TOML.
    GeminiCli,
    /// The `permission` of `opencode.json`, or that object alone. JSON with comments.
    Opencode,
    /// The settings of VS Code (`chat.tools.terminal.autoApprove`), or that map alone. JSON with comments.
    Vscode,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Codex, Self::GeminiCli, Self::Opencode, Self::Vscode];

    /// Its name on the command line: `claude-code`, `codex`, `gemini-cli`, `opencode`, `vscode`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Opencode => "opencode",
            Self::Vscode => "vscode",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = ImportError;

    fn from_str(name: &str) -> Result<Self, ImportError> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|format| format.name()).collect();
            let message = format!("`{name}` cannot be imported from; write {}", names.join(", "));
            ImportError { message, at: Place::default() }
        })
    }
}

/// How the imported policy is to be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whose it is from now on.
    pub layer: Layer,
    /// What it is called where it is shown; `None`: `imported from <format>`.
    pub name: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { layer: Layer::Code, name: None }
    }
}

/// A policy, and what it could not take over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The policy.
    pub document: Document,
    /// What differs from the original, in the order of the text.
    pub losses: Vec<Loss>,
}

/// Something that could not be taken over exactly.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The rule as it is written there.
    pub what: String,
    /// Where it stands there.
    pub at: Place,
    /// What differs, and why.
    pub why: String,
    /// What became of it.
    pub effect: LossEffect,
}

/// What became of a rule that could not be taken over exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum LossEffect {
    /// It was taken over in a stricter form.
    KeptStricter,
    /// It is left out: what it allowed asks now, or it never had an effect.
    Dropped,
}

/// Why a text cannot be imported at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{}: {message}", at.line, at.column)]
pub struct ImportError {
    /// What is wrong, and what to do about it.
    pub message: String,
    /// Where.
    pub at: Place,
}

/// Reads a policy of another product as one of ours.
///
/// # Errors
/// When the text is not of that format, is longer than [`LONGEST`], or holds something that might be a deny and is not
/// understood.
pub fn import(from: Format, text: &str, options: &Options) -> Result<Imported, ImportError> {
    if text.len() > LONGEST {
        return Err(ImportError {
            message: format!("the text is longer than {LONGEST} bytes; import it in parts"),
            at: Place::default(),
        });
    }
    let text = Text::new(text.strip_prefix('\u{feff}').unwrap_or(text));
    let draft = match from {
        Format::ClaudeCode => claude::read(&text)?,
        Format::Codex => codex::read(&text)?,
        Format::GeminiCli => gemini::read(&text)?,
        Format::Opencode => opencode::read(&text)?,
        Format::Vscode => vscode::read(&text)?,
    };
    let name = options.name.clone().unwrap_or_else(|| format!("imported from {from}"));
    let source = Source { layer: options.layer, name: Arc::from(name), trusted: true };
    Ok(draft.finish(source))
}

impl ImportError {
    fn new(message: impl Into<String>, at: Place) -> Self {
        Self { message: message.into(), at }
    }
}

/// A text whose places are asked for mostly in order.
struct Text<'a> {
    text: &'a str,
    /// Where the last place was.
    last: Cell<(usize, Place)>,
}

impl<'a> Text<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, last: Cell::new((0, Place { line: 1, column: 1 })) }
    }

    /// The place of a byte. Linear in the way from the last one, or from the beginning when it lies before.
    fn place(&self, offset: usize) -> Place {
        let (mut from, mut place) = self.last.get();
        if offset < from {
            (from, place) = (0, Place { line: 1, column: 1 });
        }
        let Some(between) = self.text.get(from..offset) else { return place };
        for c in between.chars() {
            if c == '\n' {
                place = Place { line: place.line + 1, column: 1 };
            } else {
                place.column += 1;
            }
        }
        self.last.set((offset, place));
        place
    }
}
