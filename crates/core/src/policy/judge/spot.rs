//! Where a path action may be.

use std::collections::{HashSet, VecDeque};

use super::NeedsFiles;
use super::below::{BULKY, FilesBelow};
use crate::path::{
    CaseFolding, DirEntry, DirListing, ExpandedPattern, FileLookup, LocatedPath, PathContext,
    PathError, expanded, goes_deeper, is_below, lexically, locate, spelled,
};
use crate::policy::action::{Action, ActionKind, PathStart, UseExtent};
use crate::policy::compile::wild;
use crate::shell::{FileAccess, LinksRead, PassedOver, Word, WordPiece, WorkingDir};

/// How many names below what is written are looked through for symlinks.
const MOST_NAMES: usize = 20_000;

/// Where packages of others lie.
const MODULES: &str = "node_modules";

/// Whether the last name of a path is the one of an interpreter that a virtual environment links to: `bin/python3.12`.
fn is_interpreter(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_prefix("python")
        .is_some_and(|version| version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
}

/// A symlink that lies below a folder.
struct FoundLink<'n> {
    name: &'n str,
    /// Where it leads.
    real: &'n str,
    /// Whether it leads to what is gone over without it.
    is_inside: bool,
}

/// Where a command of the line puts links, or copies of links.
#[derive(Debug)]
pub(super) struct LinkedPlaces {
    pub(super) command: usize,
    pub(super) places: Vec<LocatedPath>,
    /// It is not known where.
    pub(super) anywhere: bool,
}

/// The names of a path behind this folder, which it lies in.
fn names_below<'p>(path: &'p str, top: &str) -> impl Iterator<Item = &'p str> {
    path.get(top.len()..).unwrap_or_default().split('/')
}

/// Whether a folder lies where tools put what they make again, below one of these.
fn is_product(dir: &str, tops: &[String]) -> bool {
    let mut tops = tops.iter().filter(|top| is_below(dir, top));
    tops.all(|top| names_below(dir, top).any(|name| BULKY.contains(&name)))
}

/// Whether this user may look at nothing in a folder.
fn is_closed(dir: &str, files: &dyn FileLookup) -> Result<bool, PathError> {
    match files.has(&format!("{dir}/.")) {
        Err(PathError::NeedsFiles) => Err(PathError::NeedsFiles),
        found => Ok(found.is_err()),
    }
}

/// Whether it is a folder in which there is something.
pub(super) fn is_folder(path: &str, files: &dyn FileLookup) -> bool {
    match files.list(path, 1) {
        DirListing::Names(names) => !names.is_empty(),
        DirListing::TooMany => true,
        DirListing::Unknown => false,
    }
}

/// All places that a path may mean.
#[derive(Debug, Default)]
pub(crate) struct PathSpots {
    /// The path in each reading.
    pub(crate) located: Vec<LocatedPath>,
    /// Those among them in which only files of certain kinds are read: folders that symlinks lead to. To read such a file is not
    /// to read what a folder is protected for.
    pub(crate) by_kind: Vec<LocatedPath>,
    /// Those among them that symlinks below lead to.
    pub(crate) linked: Vec<LocatedPath>,
    /// What is known of it where it is not certain, and from where.
    pub(crate) loose: Vec<(Vec<WordPiece>, PathContext)>,
    /// The directories that what is known in part surely begins with.
    pub(crate) begins: Vec<LocatedPath>,
    /// The paths that a pattern of the shell finds.
    pub(crate) found: Vec<String>,
    /// Whether of what is read the names alone are told.
    pub(crate) names_only: bool,
    /// Whether not even a file that is named is opened.
    pub(crate) unopened: bool,
    /// It may name a file; whether anything is done with that is unknown.
    pub(crate) mentioned: bool,
    /// The word that says so is known: what is not is the end of a name that the program makes up itself.
    pub(crate) spelled: bool,
    /// What is known in part is used with all that is below it, and it is not known which directories those are.
    pub(crate) loose_below: bool,
    /// What a pattern finds leads nowhere but to places located.
    pub(crate) stays: bool,
    /// What is there may be taken away, put in another's place, or given other rights.
    pub(crate) replaces: bool,
    /// Whether the places located are all there are.
    pub(crate) certain: bool,
    /// Why it cannot be told where it points.
    pub(crate) error: Option<PathError>,
    /// What lies below, where all that is below is printed or copied.
    pub(crate) below: Option<FilesBelow>,
}

impl PathSpots {
    /// The places of this path.
    ///
    /// # Errors
    /// Only [`PathError::NeedsFiles`].
    pub(crate) fn of(
        target: &Word, extent: UseExtent, start: &PathStart, files: &dyn FileLookup,
    ) -> Result<Self, PathError> {
        let mut spots = Self { certain: true, ..Self::default() };
        let texts = texts(target, start);
        let Some(first) = texts.first() else {
            spots.certain = false;
            let (places, adrift) = if is_relative(&target.pieces) {
                places(start, files)?
            } else {
                (start.bases.clone(), false)
            };
            spots.loosely(&target.pieces, &places, adrift, start);
            spots.begin(target, &places, start, files)?;
            let complete = spots.expand(target, extent, &places, adrift, start, files)?;
            spots.loose_below = extent.is_recursive() && !complete;
            return Ok(spots);
        };
        let relative = !first.starts_with(['/', '~']);
        for base in &start.bases {
            for text in &texts {
                spots.add(text, base, start, files)?;
            }
        }
        if relative && !start.dirs.is_empty() {
            spots.certain = false;
            for dir in &start.dirs {
                spots.add_from(dir, &texts, start, files)?;
            }
        }
        Ok(spots)
    }

    /// This one place.
    pub(crate) fn at(place: LocatedPath) -> Self {
        Self { located: vec![place], certain: true, ..Self::default() }
    }

    /// Whether an action is a file, and surely `/dev/null`.
    pub(crate) fn are_nowhere(action: &Action, files: &dyn FileLookup) -> Result<bool, NeedsFiles> {
        let ActionKind::Path { target, extent, .. } = &action.kind else { return Ok(false) };
        match Self::of(target, *extent, &action.start, files) {
            Err(PathError::NeedsFiles) => Err(NeedsFiles),
            spots => Ok(spots.is_ok_and(|spots| spots.is_null_device())),
        }
    }

    /// Whether it surely is `/dev/null`, and stays that.
    pub(crate) fn is_null_device(&self) -> bool {
        self.certain
            && !self.replaces
            && self.error.is_none()
            && !self.located.is_empty()
            && self
                .located
                .iter()
                .all(|path| path.lexical == "/dev/null" && path.real == "/dev/null")
    }

    /// What is written with all that is below it may be written through symlinks there: where each leads is a place too.
    /// Where there are more names than one looks through, not all places are known. `passed`: what is not written.
    /// `goes_in`: also through those that lie in the folders that they lead to.
    ///
    /// # Errors
    /// Only [`PathError::NeedsFiles`].
    pub(crate) fn add_links_below(
        &mut self, passed: PassedOver, goes_in: bool, files: &dyn FileLookup,
    ) -> Result<(), PathError> {
        self.certain &= self.add_links(passed, (goes_in, FileAccess::Write), |_| true, files)?;
        Ok(())
    }

    /// The same of what is read by files of these names (none: any): symlinks to what is not read without them. As many names
    /// are looked at as of the files there.
    ///
    /// # Errors
    /// Only [`PathError::NeedsFiles`].
    pub(crate) fn add_links_read(
        &mut self, read: LinksRead, kinds: &[&str], passed: PassedOver, files: &dyn FileLookup,
    ) -> Result<(), PathError> {
        let is_of_kind = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            kinds.is_empty() || kinds.iter().any(|kind| wild(kind, name))
        };
        let is_used = |link: &FoundLink| {
            // Whether what it leads to is read anyway is known by the names of what is read alone.
            if link.is_inside && !kinds.is_empty() {
                return is_of_kind(link.name) && !is_of_kind(link.real);
            }
            match read {
                LinksRead::Nothing => false,
                LinksRead::Files => is_of_kind(link.name) && !is_folder(link.real, files),
                LinksRead::All => is_of_kind(link.name) || is_folder(link.real, files),
            }
        };
        if read == LinksRead::Nothing {
            return Ok(());
        }
        let named = self.located.len();
        let goes_in = read == LinksRead::All;
        self.certain &= self.add_links(passed, (goes_in, FileAccess::Read), is_used, files)?;
        if !kinds.is_empty() {
            let linked = self.located.iter().skip(named);
            self.by_kind = linked.filter(|it| is_folder(&it.real, files)).cloned().collect();
        }
        Ok(())
    }

    /// Adds where those symlinks below lead that are used; whether these are all. `goes_in`: also through those that lie in the folders
    /// that they lead to.
    fn add_links(
        &mut self, passed: PassedOver, (goes_in, access): (bool, FileAccess),
        is_used: impl Fn(&FoundLink) -> bool, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        // Folders that were gone into, each with all below it but for what is passed over.
        let mut tops: Vec<String> = self.located.iter().map(|path| path.real.clone()).collect();
        let mut seen: HashSet<String> = tops.iter().cloned().collect();
        // Each with whether a symlink leads to it.
        let mut dirs: VecDeque<(String, bool)> =
            tops.iter().map(|top| (top.clone(), false)).collect();
        let from = PathContext { cwd: "/".to_owned(), ..PathContext::default() };
        let mut left = MOST_NAMES;
        let mut complete = true;
        while let Some((dir, is_linked)) = dirs.pop_back() {
            let names = match files.list(&dir, left) {
                DirListing::Names(names) => names,
                // A file system that lists nothing has none that anybody could have made.
                DirListing::Unknown => continue,
                // Of products of tools not all is looked at, and what is closed the program cannot read either.
                DirListing::TooMany
                    if access == FileAccess::Read
                        && (!is_linked && is_product(&dir, &tops) || is_closed(&dir, files)?) =>
                {
                    continue;
                }
                DirListing::TooMany => return Ok(false),
            };
            left = left.saturating_sub(names.len() + 1);
            for DirEntry { name, is_link, is_dir } in names {
                let path = format!("{}/{name}", dir.trim_end_matches('/'));
                if is_dir && !is_link {
                    match name.as_str() {
                        MODULES if passed.modules => {}
                        _ if !seen.insert(path.clone()) => {}
                        // Most names are there.
                        name if BULKY.contains(&name) => dirs.push_front((path, is_linked)),
                        _ => dirs.push_back((path, is_linked)),
                    }
                } else if is_link {
                    let located = match locate(&path, &from, files) {
                        Ok(located)
                            if passed.interpreters
                                && is_interpreter(&name)
                                && is_interpreter(&located.real) =>
                        {
                            continue;
                        }
                        Ok(located) => located,
                        Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                        Err(_) => {
                            complete = false;
                            continue;
                        }
                    };
                    let is_passed = |top: &str| {
                        passed.modules && names_below(&located.real, top).any(|it| it == MODULES)
                    };
                    let mut tops_above = tops.iter().filter(|top| is_below(&located.real, top));
                    let is_inside = tops_above.any(|top| !is_passed(top));
                    let link = FoundLink { name: &name, real: &located.real, is_inside };
                    if !is_used(&link) {
                        continue;
                    }
                    if goes_in && !is_inside && seen.insert(located.real.clone()) {
                        tops.push(located.real.clone());
                        // What lies here comes first.
                        dirs.push_front((located.real.clone(), true));
                    }
                    self.linked.push(located.clone());
                    self.located.push(located);
                }
            }
        }
        Ok(complete)
    }

    fn add(
        &mut self, text: &str, base: &str, start: &PathStart, files: &dyn FileLookup,
    ) -> Result<(), PathError> {
        let from = start.at(base);
        match locate(text, &from, files) {
            Ok(located) => {
                if !self.located.contains(&located) {
                    self.located.push(located);
                }
            }
            Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
            Err(error) => {
                // A deny still bites the text.
                if let Ok(located) = lexically(text, &from) {
                    self.located.push(LocatedPath { folding: CaseFolding::Always, ..located });
                }
                self.loose.push((vec![WordPiece::Text(text.to_owned())], from));
                self.certain = false;
                self.error = Some(error);
            }
        }
        Ok(())
    }

    /// From a directory that `cd` may have led to.
    fn add_from(
        &mut self, dir: &WorkingDir, texts: &[String], start: &PathStart, files: &dyn FileLookup,
    ) -> Result<(), PathError> {
        let Some(through) = through(dir, start) else {
            for text in texts {
                self.loosely(&[WordPiece::Text(text.clone())], &start.bases, true, start);
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

    /// Symlinks that a pattern of the shell finds are places like others; directories are, where all below them is used. What
    /// else it finds is known by its path. Where part of the path is not known at all, they could be anything anyway. Says
    /// whether these are all.
    fn expand(
        &mut self, target: &Word, extent: UseExtent, places: &[String], adrift: bool,
        start: &PathStart, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        let known = !target.pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { .. }));
        let found = target.pieces.iter().any(|piece| matches!(piece, WordPiece::Glob(_)));
        if !(start.shell && known && found) || adrift {
            return Ok(false);
        }
        let mut all = true;
        let mut garbled = None;
        for base in places {
            let from = start.at(base);
            match expanded(&target.pieces, &from, files) {
                Ok(found) => {
                    garbled = garbled.or_else(|| found.garbled().map(str::to_owned));
                    let ExpandedPattern { links, dirs, files: more, complete } = found;
                    all &= complete;
                    let below = if extent.is_recursive() { dirs.as_slice() } else { &[] };
                    for path in links.iter().chain(below) {
                        self.add(path, base, start, files)?;
                    }
                    self.found.extend(dirs);
                    self.found.extend(more);
                }
                Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                Err(error) => self.error = Some(error),
            }
        }
        self.stays =
            all && garbled.is_none() && self.error.is_none() && !goes_deeper(&target.pieces);
        Ok(all)
    }

    /// Where the directory leads that it surely begins with.
    fn begin(
        &mut self, target: &Word, places: &[String], start: &PathStart, files: &dyn FileLookup,
    ) -> Result<(), PathError> {
        let (before, rest) = match target.pieces.as_slice() {
            [WordPiece::Home, rest @ ..] => (start.home.clone().unwrap_or_default(), rest),
            rest => (String::new(), rest),
        };
        let [WordPiece::Text(text), ..] = rest else { return Ok(()) };
        let Some((dir, _)) = text.rsplit_once('/') else { return Ok(()) };
        let dir = format!("{before}{dir}/");
        for base in places {
            match locate(&dir, &start.at(base), files) {
                Ok(located) => self.begins.push(located),
                Err(PathError::NeedsFiles) => return Err(PathError::NeedsFiles),
                // Nor can it be told where the rest leads.
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// What is known of it, from each of these directories. `adrift`: or from any.
    fn loosely(
        &mut self, pieces: &[WordPiece], places: &[String], adrift: bool, start: &PathStart,
    ) {
        for base in places {
            self.loose.push((pieces.to_vec(), start.at(base)));
        }
        if adrift {
            // Some directory, and below it what is known.
            let mut anywhere =
                vec![WordPiece::Unknown { splits: false }, WordPiece::Text("/".to_owned())];
            anywhere.extend_from_slice(pieces);
            self.loose.push((anywhere, start.at("/")));
        }
    }
}

/// The use of a file, with the folder that the command runs in for what its path begins with and only the run will tell: mostly it is
/// that, in some spelling (`$PWD`, `~+`, `$(pwd)`). `None`: it begins with what is known.
pub(super) fn from_here(action: &Action) -> Option<Action> {
    let ActionKind::Path { access, target, extent, by } = &action.kind else { return None };
    let [WordPiece::Unknown { .. }, rest @ ..] = target.pieces.as_slice() else { return None };
    let pieces = match rest {
        [] => vec![WordPiece::Text(".".to_owned())],
        [WordPiece::Text(text), more @ ..] if text.starts_with('/') => {
            let mut pieces = vec![WordPiece::Text(format!(".{text}"))];
            pieces.extend_from_slice(more);
            pieces
        }
        _ => return None,
    };
    let target = Word { span: target.span, pieces };
    let kind = ActionKind::Path { access: *access, target, extent: *extent, by: *by };
    Some(Action { kind, ..action.clone() })
}

/// Whether all of this path is known once what it begins with is that folder.
pub(super) fn is_known_from_here(action: &Action) -> bool {
    let is_known =
        |word: &Word| word.pieces.iter().all(|piece| !matches!(piece, WordPiece::Unknown { .. }));
    match (&action.kind, from_here(action).map(|here| here.kind)) {
        // A name that is not known at all is no folder.
        (ActionKind::Path { target: was, .. }, Some(ActionKind::Path { target, .. })) => {
            was.pieces.len() > 1 && is_known(&target)
        }
        _ => false,
    }
}

/// The directories that a relative path may start from, symlinks followed, and whether it may start from any other.
pub(crate) fn places(
    start: &PathStart, files: &dyn FileLookup,
) -> Result<(Vec<String>, bool), PathError> {
    let mut places = start.bases.clone();
    let mut adrift = false;
    for dir in &start.dirs {
        let text = through(dir, start);
        for base in &start.bases {
            match text.as_deref().map(|text| locate(text, &start.at(base), files)) {
                Some(Ok(located)) => {
                    for place in [located.real, located.real_of_lexical] {
                        if !places.contains(&place) {
                            places.push(place);
                        }
                    }
                }
                Some(Err(PathError::NeedsFiles)) => return Err(PathError::NeedsFiles),
                Some(Err(_)) | None => adrift = true,
            }
        }
    }
    Ok((places, adrift))
}

/// The texts that a path may be, none where it is not certain.
fn texts(word: &Word, start: &PathStart) -> Vec<String> {
    if start.shell {
        let from = PathContext { home: start.home.clone(), ..PathContext::default() };
        return spelled(&word.pieces, &from).into_iter().collect();
    }
    // A tool may put the home directory in, or take the tilde as a name.
    match word.literal() {
        Some(text) if text.starts_with('~') => vec![text.to_owned(), format!("./{text}")],
        Some(text) => vec![text.to_owned()],
        None => Vec::new(),
    }
}

fn is_relative(pieces: &[WordPiece]) -> bool {
    match pieces.first() {
        Some(WordPiece::Text(text)) => !text.starts_with('/'),
        Some(WordPiece::Home) => false,
        Some(WordPiece::Glob(_) | WordPiece::Unknown { .. }) | None => true,
    }
}

/// Where `cd` leads: its operands, one after the other, as one path. `None`: that is not known.
pub(crate) fn through(dir: &WorkingDir, start: &PathStart) -> Option<String> {
    let WorkingDir::Through(words) = dir else { return None };
    let from = PathContext { home: start.home.clone(), ..PathContext::default() };
    let mut path = String::new();
    for word in words {
        let text = spelled(&word.pieces, &from)?;
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
