//! Where a path subject may be.

use crate::path::{Files, Located, PathError, Where, locate};
use crate::policy::subject::{Start, word_text};
use crate::shell::{Dir, Piece, Word};

/// All places that a path may mean.
#[derive(Debug, Default)]
pub(crate) struct Spots {
    /// The path in each reading.
    pub(crate) located: Vec<Located>,
    /// What is known of it where it is not certain, and from where.
    pub(crate) loose: Vec<(Vec<Piece>, Where)>,
    /// Whether the places located are all there are.
    pub(crate) certain: bool,
    /// Why it cannot be told where it points.
    pub(crate) error: Option<PathError>,
}

impl Spots {
    /// The places of this path.
    ///
    /// # Errors
    /// Only [`PathError::NeedsFiles`].
    pub(crate) fn of(target: &Word, start: &Start, files: &dyn Files) -> Result<Self, PathError> {
        let mut spots = Self { certain: true, ..Self::default() };
        let Some(text) = resolved(target, start) else {
            spots.certain = false;
            spots.loosely(&target.pieces, is_relative(&target.pieces), start);
            return Ok(spots);
        };
        if text == "/dev/null" {
            let path = || text.clone();
            let located = Located {
                lexical: path(),
                real: path(),
                real_of_lexical: path(),
                folds_case: false,
            };
            spots.located.push(located);
            return Ok(spots);
        }
        let relative = !text.starts_with('/');
        let mut texts = vec![text];
        let tilde = texts.first().is_some_and(|text| text.starts_with('~'));
        if tilde {
            // A tool may put the home directory in, or take the tilde as a name. A shell has done so already.
            let name = format!("./{}", texts.first().map_or("", String::as_str));
            if start.shell {
                texts = vec![name];
            } else {
                texts.push(name);
            }
        }
        for base in &start.bases {
            for text in &texts {
                spots.add(text, base, start, files)?;
            }
        }
        if relative && !tilde && !start.dirs.is_empty() {
            spots.certain = false;
            for dir in &start.dirs {
                spots.from_dir(dir, &texts, start, files)?;
            }
        }
        Ok(spots)
    }

    /// Whether it surely is `/dev/null`.
    pub(crate) fn is_null_device(&self) -> bool {
        self.certain
            && self.error.is_none()
            && !self.located.is_empty()
            && self
                .located
                .iter()
                .all(|path| path.lexical == "/dev/null" && path.real == "/dev/null")
    }

    fn add(
        &mut self, text: &str, base: &str, start: &Start, files: &dyn Files,
    ) -> Result<(), PathError> {
        let from = Where { cwd: base.to_owned(), home: start.home.clone(), project: None };
        match locate(text, &from, files) {
            Ok(located) => {
                if !self.located.contains(&located) {
                    self.located.push(located);
                }
            }
            Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
            Err(error) => {
                // A deny still bites the text.
                let path = lexical(text, base);
                self.located.push(Located {
                    lexical: path.clone(),
                    real: path.clone(),
                    real_of_lexical: path,
                    folds_case: true,
                });
                self.loose.push((vec![Piece::Text(text.to_owned())], from));
                self.certain = false;
                self.error = Some(error);
            }
        }
        Ok(())
    }

    /// From a directory that `cd` may have led to.
    fn from_dir(
        &mut self, dir: &Dir, texts: &[String], start: &Start, files: &dyn Files,
    ) -> Result<(), PathError> {
        let through = match dir {
            Dir::Anywhere => None,
            Dir::Through(words) => through(words, start),
        };
        let Some(through) = through else {
            for text in texts {
                self.loosely(&[Piece::Text(text.clone())], true, start);
            }
            return Ok(());
        };
        for base in &start.bases {
            for text in texts {
                self.add(&format!("{through}/{text}"), base, start, files)?;
            }
        }
        Ok(())
    }

    fn loosely(&mut self, pieces: &[Piece], relative: bool, start: &Start) {
        for base in &start.bases {
            let from = Where { cwd: base.clone(), home: start.home.clone(), project: None };
            self.loose.push((pieces.to_vec(), from));
        }
        if relative && !start.dirs.is_empty() {
            // Some directory, and below it what is known.
            let mut anywhere = vec![Piece::Unknown { splits: false }, Piece::Text("/".to_owned())];
            anywhere.extend_from_slice(pieces);
            let from = Where { cwd: "/".to_owned(), home: start.home.clone(), project: None };
            self.loose.push((anywhere, from));
        }
    }
}

/// The text of a word, the home directory put in.
fn resolved(word: &Word, start: &Start) -> Option<String> {
    if let Some(text) = word.literal() {
        return Some(text.to_owned());
    }
    let mut text = String::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Home => text.push_str(start.home.as_deref()?),
            Piece::Glob(_) | Piece::Unknown { .. } => return None,
        }
    }
    Some(text)
}

fn is_relative(pieces: &[Piece]) -> bool {
    match pieces.first() {
        Some(Piece::Text(text)) => !text.starts_with('/'),
        Some(Piece::Home) => false,
        Some(Piece::Glob(_) | Piece::Unknown { .. }) | None => true,
    }
}

/// The operands of `cd`, one after the other, as one path.
fn through(words: &[Word], start: &Start) -> Option<String> {
    let mut path = String::new();
    for word in words {
        let text = resolved(word, start)?;
        if text.is_empty() || text == "-" {
            return None;
        }
        if text.starts_with('/') {
            path = text;
        } else {
            if path.is_empty() {
                path.push('.');
            }
            path.push('/');
            path.push_str(&text);
        }
    }
    (!path.is_empty()).then_some(path)
}

/// The text of a path, `.` and `..` taken out.
fn lexical(text: &str, base: &str) -> String {
    let whole = if text.starts_with('/') { text.to_owned() } else { format!("{base}/{text}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

/// The known text of the loose ones, for what is protected by name.
pub(crate) fn loose_text(pieces: &[Piece]) -> String {
    word_text(&Word { span: crate::shell::Span { start: 0, end: 0 }, pieces: pieces.to_vec() })
}
