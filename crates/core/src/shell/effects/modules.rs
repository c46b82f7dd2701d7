//! Dotted names of Python: a module, and what is in it. Where they are looked for first, they are files of the project.

use super::spec::OperandUse;
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, Word, WordPiece};

/// More names than anyone writes with dots between them.
const MOST: usize = 32;

/// What `--pyargs` is kept under.
const NAMES: &str = "names";

/// The files that a dotted name may be, without their endings: `a`, `a/b` of `a.b::C`. `None`: it cannot be told.
fn files(word: &Word) -> Option<Vec<Word>> {
    let text = word.literal()?;
    let text = text.split_once("::").map_or(text, |(name, _)| name);
    if text.contains('/') {
        // A path.
        return Some(Vec::new());
    }
    let names: Vec<&str> = text.split('.').filter(|name| !name.is_empty()).collect();
    let files = (1..=names.len()).filter_map(|count| names.get(..count));
    (names.len() <= MOST).then(|| files.map(|names| words::text(word, &names.join("/"))).collect())
}

/// A module that is loaded, or the package that it is in.
fn loads(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let Some(files) = files(&walk.word(part)) else {
        return walk.runs(part.arg, DoubtReason::RunsCode);
    };
    if !files.is_empty() {
        walk.runs(part.arg, DoubtReason::ForeignModule);
    }
    for file in files {
        let name = words::beginning(&file);
        let pieces = vec![WordPiece::Text(format!("{name}.")), WordPiece::Glob("*".to_owned())];
        walk.effects.loads.push((part.arg, Word { pieces, ..file.clone() }));
        walk.effects.loads.push((part.arg, file));
    }
}

/// Python looks for the module that it runs, and for all that this one imports, in the folder first.
pub(super) fn looks_here(walk: &mut ArgumentWalk) {
    walk.unnamable(DoubtReason::LinkedModule);
}

/// A module that is read, with all that is below a package.
fn reads(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let Some(files) = files(&walk.word(part)) else {
        let anywhere = words::unknown(walk.place(part.arg));
        return walk.path(part.arg, FileAccess::Read, anywhere, false);
    };
    for file in files {
        let name = words::beginning(&file);
        for ending in [".py", ".pyi"] {
            let source = words::text(&file, &format!("{name}{ending}"));
            walk.path(part.arg, FileAccess::Read, source, false);
        }
        walk.path(part.arg, FileAccess::Read, file, true);
    }
}

/// A directory, or the name of a package.
pub(super) fn start(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.apply(OperandUse::Loads, part, 0);
    loads(walk, part);
}

/// Files with tests, or the names of modules, of classes and of tests.
pub(super) fn tests(walk: &mut ArgumentWalk) {
    let mut operands = std::mem::take(&mut walk.operands);
    if operands.first().is_some_and(|first| walk.place(first.arg).literal() == Some("discover")) {
        operands.remove(0);
    }
    for operand in operands {
        walk.operand_loads(operand);
        loads(walk, ArgumentPart { arg: operand.arg, skip: 0 });
    }
}

/// The same where an option says that the operands are names.
pub(super) fn pytest(walk: &mut ArgumentWalk) {
    if walk.kept(NAMES).is_some() {
        tests(walk);
    } else {
        super::packages::inside(walk);
    }
}

/// A module or a package that is looked at.
pub(super) fn module(walk: &mut ArgumentWalk, part: ArgumentPart) {
    reads(walk, part);
}

/// Files, directories, or modules that are looked at.
pub(super) fn looked_at(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, OperandUse::Read);
        reads(walk, ArgumentPart { arg: operand.arg, skip: 0 });
    }
}
