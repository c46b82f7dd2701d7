//! What the words of a command could name beyond its table: files that it may read or write, and commands that it may run. That
//! allows nothing, and no deny or ask is passed by.

use std::sync::Arc;

use super::ActionReader;
use crate::policy::action::{Action, ActionKind, ByArgument, UseExtent, literal};
use crate::shell::{
    self, CommandRole, EffectKnowledge, FileAccess, FileLoss, Word, WordPiece, is_builtin, kind,
    knowledge_of, takes_addresses, takes_data_only, tells_reads,
};

/// The longest word that is looked at, in bytes.
const LONGEST: usize = 1024;
/// How many files one command may name.
const MOST_FILES: usize = 64;
/// How many words may be where a command begins.
const MOST_COMMANDS: usize = 8;

/// What stands between the parts of a word.
const SEPARATORS: [char; 4] = ['=', ',', ':', ';'];

/// Words behind which a command stands.
const RUNS: &[&str] = &["exec", "run", "--", "--exec", "-x"];
/// Options that take a command line.
const SCRIPTS: &[&str] = &["-c", "--run", "--exec", "--command", "--cmd"];

impl ActionReader<'_> {
    /// Gathers them. They stand behind all other actions, since those that nothing is said of are left out of the verdict.
    pub(super) fn mentioned(&mut self) {
        let mut found = Vec::new();
        for (command, action) in self.actions.iter().enumerate() {
            let ActionKind::Command { argv, role: CommandRole::Plain } = &action.kind else {
                continue;
            };
            let words: Vec<&str> = argv.iter().map_while(Word::literal).collect();
            let name = words.first().copied().unwrap_or_default();
            let script = kind(name) == shell::ProgramKind::Interpreter && !takes_data_only(name);
            // Of a program that takes addresses its table does not say which of them are files.
            let told = knowledge_of(&words) == EffectKnowledge::Wholly && !takes_addresses(name);
            if is_builtin(name) || (!script && told && tells_reads(name)) {
                continue;
            }
            // Of what a script does with its operands no table tells.
            let told_writes = told && !script;
            let is_whole = |word: &&Word| told && word.literal().is_some_and(is_all);
            let named = argv.iter().enumerate().skip(1).filter(|(_, word)| !is_whole(word));
            let files = named.flat_map(|(arg, word)| {
                let by = Some(ByArgument { command, arg });
                // Below a folder that it writes it may write anything: that would be most words. What a table tells is written
                // stands there.
                let uses: &[_] = match told_writes {
                    true => &[(FileAccess::Read, UseExtent::Tree)],
                    false => &[
                        (FileAccess::Read, UseExtent::Tree),
                        (FileAccess::Write, UseExtent::Itself),
                    ],
                };
                files(word).into_iter().flat_map(move |target| {
                    uses.iter().map(move |(access, extent)| ActionKind::Path {
                        access: *access,
                        target: target.clone(),
                        extent: *extent,
                        by,
                    })
                })
            });
            let commands = commands(argv)
                .into_iter()
                .map(|argv| ActionKind::Command { argv, role: CommandRole::Wrapper });
            for kind in files.take(2 * MOST_FILES).chain(commands) {
                found.push(Action {
                    kind,
                    span: action.span,
                    argument: action.argument.clone(),
                    needs_allow: false,
                    mentioned: true,
                    loss: FileLoss::Nothing,
                    start: Arc::clone(&action.start),
                });
            }
        }
        self.actions.extend(found);
    }
}

/// Whether a word names everything: of each single file it says nothing then.
fn is_all(word: &str) -> bool {
    word.bytes().all(|byte| matches!(byte, b'.' | b'/' | b'*'))
}

/// What of the word could be a path: all of it, and the parts behind `=`, `@`, `:`, `,` and the letter of an option.
fn files(word: &Word) -> Vec<Word> {
    let mut text = String::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(part) => text.push_str(part),
            WordPiece::Home => text.push('~'),
            // A pattern of the shell finds what it finds, as one word.
            WordPiece::Glob(_) => return vec![word.clone()],
            WordPiece::Unknown { .. } => return parts(word),
        }
    }
    if text.len() > LONGEST || text.contains('\n') {
        return Vec::new();
    }
    let mut found: Vec<&str> = Vec::new();
    let mut parts: Vec<&str> = text.split(SEPARATORS).collect();
    parts.push(&text);
    if let Some(rest) = text.strip_prefix('-').filter(|rest| !rest.starts_with('-'))
        && let Some(value) = rest.get(rest.chars().next().map_or(0, char::len_utf8)..)
    {
        parts.push(value);
    }
    for part in parts {
        let part = part.trim_start_matches('@');
        // `file://HOST/PATH`: the split leaves two slashes of it.
        for part in [part, part.strip_prefix("//").unwrap_or(part)] {
            if !part.is_empty() && !part.starts_with('-') && !found.contains(&part) {
                found.push(part);
            }
        }
    }
    found.into_iter().map(|part| file(word, part)).collect()
}

/// The same of a word that only the run will tell: its parts that are not fully known, and where nothing is known of a part, what
/// it could be.
fn parts(word: &Word) -> Vec<Word> {
    let mut parts: Vec<Vec<WordPiece>> = vec![Vec::new()];
    for piece in &word.pieces {
        let WordPiece::Text(text) = piece else {
            parts.iter_mut().last().into_iter().for_each(|part| part.push(piece.clone()));
            continue;
        };
        for (at, text) in text.split(SEPARATORS).enumerate() {
            if at > 0 {
                parts.push(Vec::new());
            }
            let first = parts.last().is_none_or(Vec::is_empty);
            let text = if first { text.trim_start_matches('@') } else { text };
            // The letter of an option, or its name.
            let text =
                if first && text.starts_with('-') { text.get(2..).unwrap_or("") } else { text };
            if !text.is_empty() {
                parts.iter_mut().last().into_iter().for_each(|part| {
                    part.push(WordPiece::Text(text.to_owned()));
                });
            }
        }
    }
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(|pieces| Word { span: word.span, pieces }).collect()
}

/// A path as the program reads it, which may know what `~` is.
fn file(place: &Word, text: &str) -> Word {
    let mut pieces = Vec::new();
    match text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some("") => pieces.push(WordPiece::Home),
        Some(rest) => pieces.extend([WordPiece::Home, WordPiece::Text(rest.to_owned())]),
        None => pieces.push(WordPiece::Text(text.to_owned())),
    }
    Word { span: place.span, pieces }
}

/// The commands that may begin behind a word that runs some.
fn commands(argv: &[Word]) -> Vec<Vec<Word>> {
    let begins =
        |text: &str| text.starts_with(|c: char| c.is_ascii_alphanumeric() || "/.".contains(c));
    let mut found = Vec::new();
    let mut runs = false;
    for (at, word) in argv.iter().enumerate().skip(1) {
        let Some(text) = word.literal() else { continue };
        if runs && begins(text) && found.len() < MOST_COMMANDS {
            found.push(argv.get(at..).unwrap_or_default().to_vec());
        }
        let before = argv.get(at - 1).and_then(Word::literal).unwrap_or_default();
        if SCRIPTS.contains(&before) {
            found.push(text.split_ascii_whitespace().map(literal).collect());
        }
        runs |= RUNS.contains(&text);
    }
    found.retain(|argv: &Vec<Word>| !argv.is_empty());
    found
}
