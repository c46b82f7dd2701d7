//! `find` and `xargs`, which run commands on what they find.

use super::super::effects::launch::GivenOption;
use super::super::effects::searched;
use super::super::findings::{PrintedNames, span_of};
use super::super::prover::LineProver;
use super::super::{CommandRole, DoubtReason, FactKind, Word, WordPiece};

/// `find`: a command of its own, and what its `-exec` runs.
pub(super) fn find(prover: &mut LineProver<'_, '_>, argv: Vec<Word>) {
    let command = prover.plain(argv.clone());
    let search = searched(&argv);
    let roots = search.roots(&argv);
    for run in &search.runs {
        let span = argv.get(run.at).map_or_else(|| span_of(&argv), |word| word.span);
        if run.there {
            prover.found.anywhere();
        }
        let Some(end) = run.to else {
            prover.found.unknown(span, DoubtReason::NotUnderstood);
            prover.rest(&argv, run.from);
            return;
        };
        let words = argv.get(run.from..end).unwrap_or_default();
        if words.is_empty() {
            prover.found.unknown(span, DoubtReason::MissingCommand);
        }
        let many = argv.get(end).and_then(Word::literal) == Some("+");
        // `-execdir` names what it finds without its directory.
        let below = if run.there { &[] } else { roots.as_slice() };
        if prover.found.pay_words(words.len(), span) {
            let through = search.follows || !finds_no_links(&argv);
            let spelled = search.spelled(&roots);
            let ending = ending_of(&argv);
            on_found(prover, words, below, many, (&spelled, through), ending);
        }
    }
    // Behind its substitutions, which have printed before.
    prover.found.prints_names = search.printed(&argv).map(|printed| PrintedNames {
        command,
        spelled: search.spelled(&roots),
        roots: printed,
        may_be_links: !finds_no_links(&argv),
        ending: ending_of(&argv).map(str::to_owned),
        nulls: search.nulls,
    });
}

/// The names that `git ls-files` prints of files of one ending, in the folder that it runs in: `git ls-files '*.py'`.
pub(super) fn listed(argv: &[Word], command: usize) -> Option<PrintedNames> {
    let words: Option<Vec<&str>> = argv.iter().map(Word::literal).collect();
    let (nulls, pattern) = match words?.as_slice() {
        ["git", "ls-files", pattern] | ["git", "ls-files", "--", pattern] => (false, *pattern),
        ["git", "ls-files", "-z", pattern] => (true, *pattern),
        _ => return None,
    };
    let ending = ending(pattern)?.to_owned();
    let here = Word { span: span_of(argv), pieces: vec![WordPiece::Text(".".to_owned())] };
    Some(PrintedNames {
        command,
        roots: vec![(0, here)],
        spelled: Vec::new(),
        may_be_links: true,
        ending: Some(ending),
        nulls,
    })
}

/// `.py` of `*.py`.
fn ending(pattern: &str) -> Option<&str> {
    let ending = pattern.strip_prefix('*')?;
    let name = ending.strip_prefix('.')?;
    let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    plain.then_some(ending)
}

/// The ending of all that `find` finds, where its words say so, and all others that stand before what it does only narrow it.
fn ending_of(argv: &[Word]) -> Option<&str> {
    let mut words = argv.iter().skip(1).map(Word::literal).peekable();
    while let Some(Some(_)) =
        words.next_if(|word| word.is_some_and(|word| !word.starts_with(['-', '(', '!'])))
    {}
    let mut found = None;
    loop {
        match words.next() {
            None => return found,
            Some(Some("-exec")) => {
                let goes_on =
                    |word: Option<&str>| matches!(word, Some("-exec" | "-o" | "-or" | ","));
                return found.filter(|_| !words.any(goes_on));
            }
            Some(Some("-print" | "-print0")) => return found.filter(|_| words.next().is_none()),
            Some(Some("-type")) => {
                words.next_if_eq(&Some("f"))?;
            }
            Some(Some("-name")) => found = Some(ending(words.next()??)?),
            Some(Some("!" | "-not")) => {
                words.next_if(|word| matches!(word, Some("-name" | "-path")))?;
                words.next()??;
            }
            Some(Some("-path" | "-maxdepth" | "-mindepth" | "-size" | "-mtime" | "-mmin")) => {
                words.next()??;
            }
            Some(_) => return None,
        }
    }
}

/// Whether these words read the files that they name, and of a folder nothing.
fn reads_these_alone(words: &[Word]) -> bool {
    let name = words.first().and_then(Word::literal);
    let recurses = |word: &Word| {
        word.literal().is_none_or(|word| {
            word.starts_with("--") || word.starts_with('-') && word.contains(['r', 'R', 'd'])
        })
    };
    name.is_some_and(|name| READERS.contains(&name)) && !words.iter().any(recurses)
}

/// Programs that read the files that their words name, and nothing that one of these names.
const READERS: &[&str] = &[
    "cat",
    "cksum",
    "file",
    "grep",
    "head",
    "ls",
    "md5sum",
    "nl",
    "sha1sum",
    "sha256sum",
    "stat",
    "tac",
    "tail",
    "wc",
];

/// A command runs on what is found below these roots. None: they cannot be told.
fn on_found(
    prover: &mut LineProver<'_, '_>, words: &[Word], roots: &[Word], many: bool,
    (spelled, through): (&[Word], bool), ending: Option<&str>,
) {
    let ending = ending.filter(|_| reads_these_alone(words));
    let inner: Vec<Word> =
        words.iter().map(|word| found_below(roots, word, many, ending)).collect();
    let before = prover.found.len();
    let outer = std::mem::take(&mut prover.found.files);
    if are_no_options(roots) {
        let files = words.iter().zip(&inner).filter(|(word, _)| word.literal() == Some("{}"));
        prover.found.files = files.map(|(_, file)| file.clone()).collect();
    }
    prover.runs(inner.clone());
    prover.found.files = outer;
    for (_, found) in words.iter().zip(&inner).filter(|(word, _)| word.literal() == Some("{}")) {
        used_below(prover, before, found, roots, (spelled, through));
    }
}

/// What has been said since `before` of this very word is true of all that is found.
fn used_below(
    prover: &mut LineProver<'_, '_>, before: usize, found: &Word, roots: &[Word],
    (spelled, through): (&[Word], bool),
) {
    let used: Vec<_> = prover
        .found
        .facts()
        .iter()
        .skip(before)
        .filter_map(|fact| match &fact.what {
            // In a script it is an unknown parameter.
            FactKind::Path { command, arg, access, target, .. }
                if target == found
                    || matches!(target.pieces.first(), Some(WordPiece::Unknown { .. })) =>
            {
                Some((*command, *arg, *access))
            }
            _ => None,
        })
        .collect();
    prover.found.below(before, found, roots);
    // What is spelled out is what is meant, and a symlink of that name is looked at.
    if used.is_empty() || !prover.found.pay_words(spelled.len() * used.len(), found.span) {
        return;
    }
    for (command, arg, access) in used {
        for file in spelled {
            let file = Word { span: found.span, pieces: file.pieces.clone() };
            prover.found.path(command, arg, access, file, false);
        }
        // What it finds may be a symlink, and the command goes through it to wherever that leads.
        if through {
            let pieces = vec![WordPiece::Unknown { splits: false }];
            let anywhere = Word { span: found.span, pieces };
            prover.found.path(command, arg, access, anywhere, true);
        }
    }
}

/// Whether all that is found is a file and no symlink: `-type f` beside all else, with no word that turns it round or makes it
/// one of two. What stands in parentheses only narrows it, and what stands behind an action says nothing of that.
fn finds_no_links(argv: &[Word]) -> bool {
    let is = |at: usize, text: &str| argv.get(at).and_then(Word::literal) == Some(text);
    // What is turned round there is one word on a name, and no word on the kind.
    let is_aside = |at: usize| {
        ["-path", "-name", "-iname", "-ipath", "-wholename"].iter().any(|test| is(at + 1, test))
    };
    let (mut depth, mut says) = (0_usize, false);
    // Whether an action stands before, and whether the words of one go on.
    let (mut acts, mut inside) = (false, false);
    for (at, word) in argv.iter().enumerate() {
        match word.literal() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => (acts, inside) = (true, true),
            Some(";") if inside => inside = false,
            Some("+") if inside && is(at - 1, "{}") => inside = false,
            Some("(" | ")") if inside => return false,
            Some("(") => depth += 1,
            Some(")") => match depth.checked_sub(1) {
                Some(outer) => depth = outer,
                None => return false,
            },
            Some("!" | "-not") if depth == 0 && !is_aside(at) => return false,
            Some("-o" | "-or" | ",") if depth == 0 => return false,
            Some("-files0-from") => return false,
            Some("-type") => says |= depth == 0 && !acts && is(at + 1, "f"),
            _ => {}
        }
    }
    says && depth == 0
}

/// Whether nothing that begins like one of these roots can be an option.
fn are_no_options(roots: &[Word]) -> bool {
    let certain = |root: &Word| match root.pieces.first() {
        Some(WordPiece::Text(text)) => !text.is_empty() && !root.splits(),
        Some(WordPiece::Home) => !root.splits(),
        _ => false,
    };
    !roots.is_empty() && roots.iter().all(certain)
}

/// The word with what is found in it. Below a single root its beginning is known, so that it is no option, and it may be its end.
fn found_below(roots: &[Word], word: &Word, many: bool, ending: Option<&str>) -> Word {
    let certain = |root: &Word| {
        root.pieces.iter().all(|piece| matches!(piece, WordPiece::Text(_) | WordPiece::Home))
    };
    match roots {
        [root] if word.literal() == Some("{}") && certain(root) => {
            let mut pieces = root.pieces.clone();
            pieces.push(WordPiece::Unknown { splits: many });
            pieces.extend(ending.map(|ending| WordPiece::Text(ending.to_owned())));
            Word { span: word.span, pieces }
        }
        _ => replaced(word, "{}", many),
    }
}

/// The word, with every `mark` in it replaced by what is not known.
fn replaced(word: &Word, mark: &str, many: bool) -> Word {
    if mark.is_empty() {
        return word.clone();
    }
    let mut pieces = Vec::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) if text.contains(mark) => {
                for (index, part) in text.split(mark).enumerate() {
                    if index > 0 {
                        pieces.push(WordPiece::Unknown { splits: many });
                    }
                    if !part.is_empty() {
                        pieces.push(WordPiece::Text(part.to_owned()));
                    }
                }
            }
            other => pieces.push(other.clone()),
        }
    }
    Word { span: word.span, pieces }
}

/// `xargs`: what it runs gets words that are not known.
pub(super) fn xargs(prover: &mut LineProver<'_, '_>, argv: Vec<Word>, role: CommandRole) {
    let span = span_of(&argv);
    let names = prover.found.input_names.take();
    let Some(launch) = prover.wrapper(&argv, role) else { return };
    for given in launch.given.iter().filter(|given| given.is("variable")) {
        match given.value.as_ref().and_then(Word::literal) {
            Some(name) => prover.found.assign(span, name),
            None => prover.found.unknown(span, DoubtReason::UnknownOption),
        }
    }
    // Of several marks the last counts, and the letters of one may be the words of another.
    let marks = launch.given.iter().filter(|given| given.is("mark") || given.is("lines"));
    if marks.count() > 1 {
        prover.found.unknown(span, DoubtReason::UnknownOption);
    }
    let mark = match launch.find("mark") {
        None => None,
        Some(given) => match &given.value {
            None => Some("{}"),
            Some(value) => match value.literal() {
                Some(mark) => Some(mark),
                None => return prover.found.unknown(span, DoubtReason::UnknownOption),
            },
        },
    };
    let words = argv.get(launch.command..).unwrap_or_default();
    let nulls = launch.find("nulls").is_some();
    // Any other may part the names anew, as a delimiter does, or read them elsewhere.
    let leaves = |given: &GivenOption| {
        ["whole", "nulls", "mark", "lines"].into_iter().any(|kept| given.is(kept))
    };
    let is_whole = |names: &PrintedNames| names.nulls == nulls && launch.given.iter().all(leaves);
    if let Some(names) = names.filter(|names| is_whole(names) && !words.is_empty()) {
        return on_names(prover, words, mark, &names);
    }
    let mut inner: Vec<Word> = match mark {
        Some(mark) => words.iter().map(|word| replaced(word, mark, false)).collect(),
        None => words.to_vec(),
    };
    if inner.is_empty() {
        inner.push(Word { span, pieces: vec![WordPiece::Text("echo".to_owned())] });
    }
    if mark.is_none() {
        inner.push(Word { span, pieces: vec![WordPiece::Unknown { splits: true }] });
    }
    if prover.found.pay_words(inner.len(), span) {
        prover.runs(inner);
    }
}

/// What `xargs` runs on the names that a search prints: as if the search ran it, as long as no name counts for several words and
/// none is a symlink, which a program may go through.
fn on_names(
    prover: &mut LineProver<'_, '_>, words: &[Word], mark: Option<&str>, names: &PrintedNames,
) {
    const FOUND: &str = "{}";
    let span = span_of(words);
    let found = Word { span, pieces: vec![WordPiece::Text(FOUND.to_owned())] };
    let words: Vec<Word> = match mark {
        None => words.iter().cloned().chain([found]).collect(),
        Some(mark) => words
            .iter()
            .map(|word| match word.literal() {
                Some(text) if text == mark => found.clone(),
                _ => replaced(word, mark, false),
            })
            .collect(),
    };
    // Behind a command that makes links they cannot be looked for.
    let through = names.may_be_links && prover.found.has_moved();
    let doubts = [
        (!names.nulls, DoubtReason::FindsWords),
        (names.may_be_links && !through, DoubtReason::FindsLinks),
    ];
    for (_, why) in doubts.into_iter().filter(|(is_doubted, _)| *is_doubted) {
        for (arg, root) in &names.roots {
            prover.found.unknown_at(root.span, why, names.command, *arg);
        }
    }
    let roots: Vec<Word> = names.roots.iter().map(|(_, root)| root.clone()).collect();
    if prover.found.pay_words(words.len(), span) {
        let how = (names.spelled.as_slice(), through);
        on_found(prover, &words, &roots, mark.is_none(), how, names.ending.as_deref());
    }
}
