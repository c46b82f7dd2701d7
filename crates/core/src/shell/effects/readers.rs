//! Programs that read files and write nothing.

use super::spec::{Dynamic, Operands::*, Program, Row, Style, Use, flags, maybe, value};

const READ: super::spec::Operands = All(Use::Read);

const NUMBERS: &[Row] = &[value("nc", "lines bytes", Use::Nothing)];
const RECURSE: &[Row] = &[flags("R", "recursive", Use::Recursive)];

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(
        &[
            "cat", "tac", "zcat", "gzcat", "bzcat", "xzcat", "zstdcat", "lz4cat", "rev", "readlink", "realpath",
            "md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum", "md5",
            "expand", "unexpand", "tsort", "look", "cmp", "nm", "ldd", "size", "readelf", "lsof", "dircolors", "pr",
        ],
        READ,
    ),
    Program::new(&["head"], READ).rows(NUMBERS),
    Program::new(&["tail"], READ).rows(&[
        value("ncs", "lines bytes sleep-interval pid max-unchanged-stats", Use::Nothing),
        maybe("", "follow", Use::Nothing),
    ]),
    // What it is told on its command line it does as if it were typed: `+!command`.
    Program::new(&["less", "more", "most", "pg"], READ).plus().dynamic(Dynamic::Splitting).rows(&[
        value("oO", "log-file LOG-FILE", Use::Write),
        value("k", "lesskey-file lesskey-src lesskey-content", Use::RunsFile),
        value("T", "tag-file", Use::Read),
        value("bDhjptPxyz\"#", "buffers color max-back-scroll jump-target pattern tag prompt tabs window", Use::Nothing),
        value("", "cmd", Use::Runs),
    ]),
    Program::new(&["bat", "batcat"], READ).dynamic(Dynamic::Splitting).rows(&[
        value("", "pager", Use::Runs),
        value(
            "lmHr",
            "language map-syntax highlight-line line-range file-name theme theme-dark theme-light tabs wrap color decorations \
             italic-text style terminal-width diff-context ignored-suffix squeeze-limit nonprintable-notation paging binary",
            Use::Nothing,
        ),
        flags("", "strip-ansi no-paging plain number show-all diff", Use::Nothing),
    ]),
    Program::new(&["nl"], READ).rows(&[value("bdfhilnsvw", "body-numbering footer-numbering header-numbering", Use::Nothing)]),
    Program::new(&["od"], READ).rows(&[value("AjNSt", "address-radix skip-bytes read-bytes format", Use::Nothing)]),
    Program::new(&["xxd"], Look(xxd)).style(Style::OneDash).rows(&[value(
        "",
        "c cols g groupsize l len n name o offset R s seek",
        Use::Nothing,
    )]),
    Program::new(&["hexdump", "hd"], READ)
        .rows(&[value("f", "format-file", Use::Read), value("ens", "format length skip", Use::Nothing)]),
    Program::new(&["strings"], READ).rows(&[value("ntTseU", "bytes radix target encoding", Use::Nothing)]),
    Program::new(&["objdump"], READ).rows(&[value("bmMj", "target architecture section", Use::Nothing)]),
    Program::new(&["wc"], READ)
        .rows(&[value("", "files0-from", Use::Read), value("", "total", Use::Nothing)]),
    Program::new(&["cut"], READ)
        .rows(&[value("bcdf", "bytes characters delimiter fields output-delimiter", Use::Nothing)]),
    Program::new(&["paste"], READ).rows(&[value("d", "delimiters", Use::Nothing)]),
    Program::new(&["join"], READ).rows(&[value("aejotv12", "", Use::Nothing)]),
    Program::new(&["comm"], READ).rows(&[value("", "output-delimiter", Use::Nothing)]),
    Program::new(&["fold", "fmt"], READ).rows(&[value("wgp", "width goal prefix", Use::Nothing)]),
    Program::new(&["column"], READ).rows(&[value(
        "csoNRTHOWECnrip",
        "output-width separator output-separator table-columns table-right table-name table-hide",
        Use::Nothing,
    )]),
    Program::new(&["diff", "colordiff", "diff3", "sdiff", "wdiff"], READ).dynamic(Dynamic::Splitting).rows(&[
        flags("r", "recursive", Use::Recursive),
        value("X", "exclude-from", Use::Read),
        value("", "from-file to-file", Use::Read),
        value("", "diff-program", Use::Runs),
        value("o", "output", Use::Write),
        value(
            "UCWFxSID",
            "width show-function-line label tabsize exclude starting-file ignore-matching-lines ifdef palette horizon-lines",
            Use::Nothing,
        ),
    ]),
    Program::new(&["file"], READ).rows(&[
        value("f", "files-from", Use::Read),
        value("m", "magic-file", Use::Read),
        // Writes what it compiles into the working directory.
        flags("C", "compile", Use::Runs),
        value("eFP", "exclude separator parameter", Use::Nothing),
    ]),
    Program::new(&["stat"], READ).rows(&[value("cft", "format printf", Use::Nothing)]),
    Program::new(&["ls", "dir", "vdir", "exa", "eza", "lsd"], READ).here(Use::Read).rows(&[
        flags("R", "recursive tree", Use::Recursive),
        maybe("", "color colour classify hyperlink icons", Use::Nothing),
        value("ITw", "ignore tabsize width block-size hide indicator-style quoting-style format sort time time-style", Use::Nothing),
    ]),
    Program::new(&["tree"], READ).here(Use::ReadBelow).recursive().rows(&[
        value("o", "output", Use::Write),
        value("LPIHT", "filelimit timefmt sort charset", Use::Nothing),
        value("", "fromfile infofile gitfile", Use::Read),
    ]),
    Program::new(&["du", "ncdu", "dust"], READ).here(Use::ReadBelow).recursive().rows(&[
        value("X", "exclude-from files0-from", Use::Read),
        value("Bdt", "block-size max-depth threshold time-style exclude", Use::Nothing),
    ]),
    Program::new(&["df"], READ).rows(&[value("Btx", "block-size type exclude-type", Use::Nothing)]),
    Program::new(&["base64", "base32", "basenc"], READ).rows(&[
        value("w", "wrap break", Use::Nothing),
        value("i", "input", Use::Read),
        value("o", "output", Use::Write),
    ]),
    Program::new(&["source-highlight", "pygmentize", "lesspipe"], READ),
    Program::new(&["lsattr", "getfacl", "getfattr"], READ).rows(RECURSE),
    Program::new(&["test", "["], Look(test)),
    Program::new(&["mdls", "xattr", "plutil", "exiftool", "mediainfo", "identify", "pdftotext", "pdfinfo"], READ),
    Program::new(&["tokei", "cloc", "scc"], READ).here(Use::ReadBelow).recursive(),
    Program::new(&["shellcheck", "hadolint", "yamllint", "jsonlint"], READ),
];

/// `xxd [options] [in [out]]`
fn xxd(walk: &mut super::walk::Walk) {
    for (index, operand) in std::mem::take(&mut walk.operands).into_iter().enumerate() {
        walk.operand_is(operand, if index == 0 { Use::Read } else { Use::Write });
        if walk.place(operand.arg).splits() {
            walk.operand_is(operand, Use::Write);
        }
    }
}

/// Every operand that is no operator may be the name of a file, and `-f` and the like are operators.
fn test(walk: &mut super::walk::Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        let operator = matches!(
            walk.place(operand.arg).literal(),
            Some("=" | "==" | "!=" | "<" | ">" | "(" | ")" | "]" | "!" | "")
        );
        if !operator {
            walk.operand_is(operand, Use::Read);
        }
    }
}
