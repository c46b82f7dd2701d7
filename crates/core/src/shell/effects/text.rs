//! Filters: some of their options write files or run programs.

use super::spec::{Dynamic, Operands::*, Program, Style, Use, flags, maybe, value};
use super::walk::Walk;
use super::words;

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["sort", "gsort"], All(Use::Read)).dynamic(Dynamic::Splitting).closed().rows(&[
        value("", "compress-program", Use::Runs),
        value("o", "output", Use::Write),
        value("T", "temporary-directory", Use::Write),
        // The names of further files stand in it.
        value("", "files0-from", Use::RunsFile),
        value("", "random-source", Use::Read),
        value("kSt", "key buffer-size field-separator parallel batch-size sort", Use::Nothing),
        maybe("", "check", Use::Nothing),
        flags(
            "bdfgiMhnRrVcCmsuz",
            "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort \
             human-numeric-sort numeric-sort random-sort reverse version-sort merge stable unique zero-terminated debug \
             help version mmap qsort mergesort heapsort radixsort",
            Use::Nothing,
        ),
    ]),
    Program::new(&["uniq"], Look(uniq)).rows(&[
        value("fsw", "skip-fields skip-chars check-chars", Use::Nothing),
        maybe("D", "all-repeated group", Use::Nothing),
    ]),
    Program::new(&["shuf"], Look(shuf)).rows(&[
        value("o", "output", Use::Write),
        value("", "random-source", Use::Read),
        flags("e", "echo", Use::Keep(0)),
        value("i", "input-range", Use::Keep(0)),
        value("n", "head-count", Use::Nothing),
    ]),
    Program::new(&["split"], Look(split)).dynamic(Dynamic::Splitting).closed().rows(&[
        value("", "filter", Use::Runs),
        value("abClnt", "suffix-length additional-suffix bytes line-bytes lines number separator", Use::Nothing),
        maybe("", "numeric-suffixes hex-suffixes", Use::Nothing),
        flags("deux0123456789", "elide-empty-files unbuffered verbose help version", Use::Nothing),
    ]),
    Program::new(&["csplit"], Look(csplit))
        .rows(&[value("f", "prefix", Use::Keep(0)), value("bn", "suffix-format digits", Use::Nothing)]),
    Program::new(&["sed", "gsed"], Look(super::sed::operands)).dynamic(Dynamic::Leading).closed().rows(&[
        value("e", "expression", Use::Keep(super::sed::SCRIPT)),
        value("f", "file", Use::RunsFile),
        maybe("i", "in-place", Use::Look(super::sed::in_place)),
        // BSD: edits in place too, and always takes a suffix.
        value("I", "", Use::Look(super::sed::in_place)),
        value("l", "line-length", Use::Nothing),
        flags(
            "nEruszab",
            "quiet silent regexp-extended separate unbuffered null-data zero-terminated posix debug sandbox \
             follow-symlinks binary help version",
            Use::Nothing,
        ),
    ]),
    Program::new(&["awk", "gawk", "mawk", "nawk", "original-awk"], Look(super::awk::operands))
        .style(Style::Leading)
        .dynamic(Dynamic::Leading)
        .closed()
        .rows(&[
            value("fE", "file exec", Use::RunsFile),
            value("il", "include load", Use::RunsFile),
            value("e", "source", Use::Keep(super::awk::PROGRAM)),
            value("Fv", "field-separator assign", Use::Nothing),
            maybe("odp", "pretty-print dump-variables profile", Use::Write),
            maybe("D", "debug", Use::Runs),
            value("W", "", Use::Runs),
            maybe("L", "lint", Use::Nothing),
            flags(
                "bcCghIkMnNOPrsStV",
                "characters-as-bytes traditional copyright gen-pot help csv bignum non-decimal-data use-lc-numeric \
                 optimize posix re-interval no-optimize sandbox lint-old version",
                Use::Nothing,
            ),
        ]),
    Program::new(&["jq", "gojq", "jaq"], Look(jq)).rows(&[
        value("f", "from-file", Use::SettlesRead),
        value("L", "library-path", Use::ReadBelow),
        value("", "indent", Use::Nothing),
        // Each takes a name, and then a file or a text.
        value("", "slurpfile rawfile argfile", Use::Keep(2)),
        value("", "arg argjson", Use::Keep(3)),
    ]),
    Program::new(&["yq"], Look(yq)).rows(&[
        flags("i", "inplace in-place", Use::Keep(0)),
        value("", "from-file", Use::SettlesRead),
        value("s", "split-exp", Use::Keep(1)),
        value("oIp", "output-format indent input-format", Use::Nothing),
    ]),
    Program::new(&["xmllint", "xsltproc"], All(Use::Read)).rows(&[
        value("o", "output", Use::Write),
        value("", "xpath pattern encode maxmem param stringparam", Use::Nothing),
        value("", "schema relaxng dtdvalid schematron path", Use::Read),
    ]),
    Program::new(&["pandoc"], All(Use::Read)).dynamic(Dynamic::Splitting).rows(&[
        value("FL", "filter lua-filter pdf-engine pdf-engine-opt defaults data-dir", Use::Runs),
        value("o", "output log extract-media", Use::Write),
        value("HABc", "include-in-header include-before-body include-after-body css template bibliography", Use::Read),
        value("ftrwVM", "from to read write variable metadata", Use::Nothing),
    ]),
    Program::new(&["iconv", "dos2unix", "unix2dos"], Look(convert)).rows(&[
        value("ft", "from-code to-code", Use::Nothing),
        value("o", "output", Use::Write),
    ]),
    Program::new(&["indent", "clang-format", "gofmt", "rustfmt", "shfmt"], All(Use::Change)).recursive(),
];

/// `uniq [in [out]]`
fn uniq(walk: &mut Walk) {
    for (index, operand) in std::mem::take(&mut walk.operands).into_iter().enumerate() {
        walk.operand_is(operand, if index == 0 { Use::Read } else { Use::Write });
        if walk.place(operand.arg).splits() {
            walk.operand_is(operand, Use::Write);
        }
    }
}

/// With `-e` and `-i` its operands are no files.
fn shuf(walk: &mut Walk) {
    let uses = if walk.kept(0).is_some() { Use::Nothing } else { Use::Read };
    walk.lay_out(All(uses), Use::Nothing);
}

/// `split [in [prefix]]`: it writes files that begin with the prefix.
fn split(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    for (index, operand) in operands.iter().enumerate() {
        if index == 0 {
            walk.operand_is(*operand, Use::Read);
        }
        if index > 0 || walk.place(operand.arg).splits() {
            let mut target = walk.place(operand.arg).clone();
            target.pieces.push(crate::shell::Piece::Unknown { splits: false });
            walk.path(operand.arg, crate::shell::Access::Write, target, false);
        }
    }
    if operands.len() < 2 {
        walk.here(Use::Write);
    }
}

/// `csplit in pattern…`
fn csplit(walk: &mut Walk) {
    walk.lay_out(First(Use::Read, Use::Nothing), Use::Nothing);
    match walk.kept(0) {
        Some(part) => {
            let mut target = walk.word(part);
            target.pieces.push(crate::shell::Piece::Unknown { splits: false });
            walk.path(part.arg, crate::shell::Access::Write, target, false);
        }
        None => walk.here(Use::Write),
    }
}

/// A filter, unless a file holds it, then files. `--arg` and the like take a name and then one word more.
fn jq(walk: &mut Walk) {
    let files: Vec<usize> = walk.all_kept(2).into_iter().map(|part| part.arg + 1).collect();
    let texts: Vec<usize> = walk.all_kept(3).into_iter().map(|part| part.arg + 1).collect();
    for operand in std::mem::take(&mut walk.operands) {
        if files.binary_search(&operand.arg).is_ok() {
            walk.operand_is(operand, Use::Read);
        } else if texts.binary_search(&operand.arg).is_err() {
            walk.operands.push(operand);
        }
    }
    // Modules are other files.
    let filter = walk.operands.first().map(|operand| operand.arg);
    if let Some(arg) = filter
        && ["import", "include"]
            .iter()
            .any(|word| has_keyword(words::beginning(walk.place(arg)), word))
    {
        walk.runs(arg, crate::shell::Why::Script);
    }
    walk.lay_out(First(Use::Nothing, Use::Read), Use::Nothing);
}

/// Whether the word stands in the filter as itself, not as a key (`.include`, `"include"`).
fn has_keyword(filter: &str, word: &str) -> bool {
    filter.match_indices(word).any(|(at, _)| {
        let before = filter.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|char| char.is_alphanumeric() || matches!(char, '.' | '"' | '_' | '$'))
    })
}

/// `yq [eval] filter file…`; an expression can read other files and the environment, and write none.
fn yq(walk: &mut Walk) {
    let first = walk.operands.first().and_then(|operand| walk.place(operand.arg).literal());
    if matches!(first, Some("e" | "eval" | "ea" | "eval-all")) {
        walk.operands.remove(0);
    }
    if walk.kept(1).is_some() {
        walk.here(Use::Write);
    }
    let uses = if walk.kept(0).is_some() { Use::Change } else { Use::Read };
    walk.lay_out(First(Use::Nothing, uses), Use::Nothing);
}

/// `dos2unix` changes its operands, `iconv` reads them.
fn convert(walk: &mut Walk) {
    let iconv = walk.place(0).literal().is_some_and(|name| name.ends_with("iconv"));
    walk.lay_out(All(if iconv { Use::Read } else { Use::Change }), Use::Nothing);
}
