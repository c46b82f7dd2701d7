//! Lines by what is in them, with ripgrep's own searcher.

use std::io::{self, Read};
use std::ops::ControlFlow;

use cap_std::fs::File;
use grep_matcher::Matcher as _;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, MmapChoice, Searcher, SearcherBuilder, Sink, SinkMatch};
use serde::Serialize;

use super::cancel::CancelFlag;
use super::error::{FileError, FileFault};
use super::open::open_file;
use super::pattern::{GlobPattern, LONGEST};
use super::root::{FileRoot, MissingFolders, PathTarget, below};
use super::walk::FolderWalk;

/// What one search reads, in bytes.
const MOST_READ: u64 = 2 << 30;

/// What a regular expression may be compiled to, and what it may keep while it searches, in bytes each.
const LARGEST_PROGRAM: usize = 16 << 20;

/// A file with a longer line is no text that people read, in bytes.
const LONGEST_LINE: usize = 8 << 20;

/// How much of a line is shown before and after what matches begins, in bytes.
const BEFORE: usize = 200;
const AFTER: usize = 800;

/// What is looked for, and where.
#[derive(Debug, Clone, Copy)]
pub struct GrepQuery<'a> {
    /// A regular expression, as Rust's `regex` has them.
    pub pattern: &'a str,
    /// A folder or a file.
    pub path: &'a str,
    /// Only in files that this glob matches; without a `/` it is of their names.
    pub glob: Option<&'a str>,
    /// Whether `a` is also `A`.
    pub ignore_case: bool,
    /// How many lines.
    pub limit: usize,
}

/// A line that matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MatchedLine {
    /// Its file, from the root, with `/`.
    pub path: String,
    /// Its number, from 1.
    pub line: u64,
    /// It, without its end. Of a long one what is around the match.
    pub text: String,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GrepMatches {
    /// In the order of paths.
    pub matches: Vec<MatchedLine>,
    /// How many files they stand in.
    pub files: usize,
    /// There may be more.
    pub truncated: bool,
}

impl FileRoot {
    /// The lines that a regular expression matches, in the file or in the files below the folder. Binary files are passed over.
    ///
    /// # Errors
    /// When a pattern is invalid, or no such file or folder is below the root.
    pub fn grep(&self, query: &GrepQuery, cancel: &CancelFlag) -> Result<GrepMatches, FileError> {
        let matcher = matcher(query)?;
        let glob = query
            .glob
            .map(|glob| self.pattern(glob).and_then(GlobPattern::of_names))
            .transpose()?;
        let mut search = GrepSearch::new(&matcher, query.limit, cancel);
        match self.locate(query.path, MissingFolders::Fail)? {
            PathTarget::Spot(spot) => {
                let file = open_file(&spot.folder.dir, &spot.name, query.path)?;
                let name = spot.name.to_string_lossy();
                let _enough = search.file(file, &below(&spot.folder.path, &name))?;
            }
            PathTarget::Folder(from) => {
                let hidden = |name: &str| glob.as_ref().is_some_and(|glob| glob.names_hidden(name));
                let mut walk = FolderWalk::new(cancel, &hidden);
                walk.run(self, &from, &mut |found| {
                    if glob.as_ref().is_some_and(|glob| !glob.matches(found.below)) {
                        return Ok(ControlFlow::Continue(()));
                    }
                    match open_file(found.dir, found.name.as_ref(), found.path) {
                        Ok(file) => search.file(file, found.path),
                        // It is gone, or may not be read.
                        Err(_) => Ok(ControlFlow::Continue(())),
                    }
                })?;
                search.grepped.truncated |= walk.truncated;
            }
        }
        Ok(search.grepped)
    }
}

fn matcher(query: &GrepQuery) -> Result<RegexMatcher, FileError> {
    if query.pattern.len() > LONGEST {
        return Err(FileFault::Pattern.at("", format!("a pattern has at most {LONGEST} bytes")));
    }
    RegexMatcherBuilder::new()
        .case_insensitive(query.ignore_case)
        .line_terminator(Some(b'\n'))
        .size_limit(LARGEST_PROGRAM)
        .dfa_size_limit(LARGEST_PROGRAM)
        .build(query.pattern)
        .map_err(|error| {
            FileFault::Pattern
                .at(query.pattern, format!("it is not a regular expression for lines: {error}"))
        })
}

struct GrepSearch<'a> {
    matcher: &'a RegexMatcher,
    searcher: Searcher,
    limit: usize,
    cancel: &'a CancelFlag,
    /// Bytes that may still be read.
    left: u64,
    grepped: GrepMatches,
}

impl<'a> GrepSearch<'a> {
    fn new(matcher: &'a RegexMatcher, limit: usize, cancel: &'a CancelFlag) -> Self {
        let searcher = SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(LONGEST_LINE))
            // A mapped file that is cut short meanwhile ends the process.
            .memory_map(MmapChoice::never())
            .build();
        let grepped = GrepMatches { matches: Vec::new(), files: 0, truncated: false };
        Self { matcher, searcher, limit, cancel, left: MOST_READ, grepped }
    }

    fn file(&mut self, file: File, path: &str) -> Result<ControlFlow<()>, FileError> {
        self.cancel.check(path)?;
        let before = self.grepped.matches.len();
        let pieces = FileChunks { file, left: &mut self.left, cancel: self.cancel };
        let mut lines = LineReader {
            matcher: self.matcher,
            path,
            limit: self.limit,
            grepped: &mut self.grepped,
            is_binary: false,
        };
        let searched = self.searcher.search_reader(self.matcher, pieces, &mut lines);
        if lines.is_binary {
            self.grepped.matches.truncate(before);
        }
        self.cancel.check(path)?;
        if searched.is_err() {
            // A line too long, or a disk that fails: what is known of it is not all.
            self.grepped.truncated = true;
        }
        let enough = self.left == 0 || self.grepped.matches.len() > self.limit;
        if enough {
            self.grepped.matches.truncate(self.limit);
            self.grepped.truncated = true;
        }
        self.grepped.files += usize::from(self.grepped.matches.len() > before);
        Ok(if enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    }
}

/// A file that ends when the caller no longer waits, or when enough was read.
struct FileChunks<'a> {
    file: File,
    left: &'a mut u64,
    cancel: &'a CancelFlag,
}

impl Read for FileChunks<'_> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Ok(0);
        }
        let most = piece.len().min(usize::try_from(*self.left).unwrap_or(usize::MAX));
        let size = self.file.read(piece.get_mut(..most).unwrap_or_default())?;
        *self.left -= size as u64;
        Ok(size)
    }
}

struct LineReader<'a> {
    matcher: &'a RegexMatcher,
    path: &'a str,
    limit: usize,
    grepped: &'a mut GrepMatches,
    is_binary: bool,
}

impl Sink for LineReader<'_> {
    type Error = io::Error;

    fn matched(&mut self, _searcher: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.grepped.matches.push(MatchedLine {
            path: self.path.to_owned(),
            line: found.line_number().unwrap_or_default(),
            text: shown(found.bytes(), self.matcher),
        });
        // One more than wanted says that more exist.
        Ok(self.grepped.matches.len() <= self.limit)
    }

    fn binary_data(&mut self, _searcher: &Searcher, _offset: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }
}

/// A line as text; of a long one what is around the match.
fn shown(line: &[u8], matcher: &RegexMatcher) -> String {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.len() <= BEFORE + AFTER {
        return String::from_utf8_lossy(line).into_owned();
    }
    let start = matcher.find(line).ok().flatten().map_or(0, |found| found.start());
    let from = boundary(line, start.saturating_sub(BEFORE));
    let to = boundary(line, (start + AFTER).min(line.len()));
    let text = String::from_utf8_lossy(line.get(from..to).unwrap_or_default());
    let (head, tail) = (if from > 0 { "…" } else { "" }, if to < line.len() { "…" } else { "" });
    format!("{head}{text}{tail}")
}

/// The next place at which a character begins.
fn boundary(line: &[u8], at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    at + rest.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count()
}
