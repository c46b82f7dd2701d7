//! Programs that search files, and what they run when told to.

use super::spec::{Dynamic, Operands::*, Program, Use, flags, maybe, value};

const PATTERN: super::spec::Operands = First(Use::Nothing, Use::Read);

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["grep", "egrep", "fgrep", "zgrep", "zegrep", "zfgrep", "bzgrep", "xzgrep"], Look(grep)).rows(&[
        flags("rR", "recursive dereference-recursive", Use::Recursive),
        value("e", "regexp", Use::Settles),
        value("f", "file", Use::SettlesRead),
        value("", "exclude-from", Use::Read),
        value("d", "directories", Use::Look(directories)),
        maybe("", "color colour", Use::Nothing),
        value(
            "ABCDm",
            "after-context before-context context devices max-count label binary-files include exclude exclude-dir \
             group-separator",
            Use::Nothing,
        ),
    ]),
    Program::new(&["rg", "ripgrep"], PATTERN).here(Use::ReadBelow).recursive().dynamic(Dynamic::Splitting).closed().rows(
        &[
            value("", "pre hostname-bin", Use::Runs),
            // Runs the decompressor that it finds for each compressed file.
            flags("z", "search-zip", Use::Runs),
            value("e", "regexp", Use::Settles),
            value("f", "file", Use::SettlesRead),
            flags("", "files type-list", Use::Settles),
            value("", "ignore-file", Use::Read),
            value(
                "ABCEMTdgjmrt",
                "after-context before-context context encoding max-columns type-not max-depth maxdepth glob iglob threads \
                 max-count replace type type-add type-clear color colors context-separator dfa-size-limit engine \
                 field-context-separator field-match-separator generate hyperlink-format max-filesize path-separator \
                 pre-glob regex-size-limit sort sortr",
                Use::Nothing,
            ),
            flags(
                "FHILNPSUVabchilnopqsuvwx0.",
                "auto-hybrid-regex no-auto-hybrid-regex binary no-binary block-buffered no-block-buffered byte-offset \
                 no-byte-offset case-sensitive column no-column no-context-separator count count-matches crlf no-crlf debug \
                 no-encoding files-with-matches files-without-match fixed-strings no-fixed-strings follow no-follow \
                 glob-case-insensitive no-glob-case-insensitive heading no-heading help hidden no-hidden ignore \
                 ignore-case no-ignore no-ignore-dot ignore-dot no-ignore-exclude ignore-exclude no-ignore-files \
                 ignore-files no-ignore-global ignore-global no-ignore-messages ignore-messages no-ignore-parent \
                 ignore-parent no-ignore-vcs ignore-vcs ignore-file-case-insensitive no-ignore-file-case-insensitive \
                 include-zero no-include-zero invert-match no-invert-match json no-json line-buffered no-line-buffered \
                 line-number no-line-number line-regexp max-columns-preview no-max-columns-preview messages no-messages mmap \
                 no-mmap multiline no-multiline multiline-dotall no-multiline-dotall no-config null null-data \
                 one-file-system no-one-file-system only-matching passthru passthrough pcre2 no-pcre2 pcre2-unicode \
                 no-pcre2-unicode pcre2-version no-pre pretty quiet require-git no-require-git no-search-zip smart-case \
                 sort-files no-sort-files stats no-stats stop-on-nonmatch text no-text trace trim no-trim unicode \
                 no-unicode unrestricted version vimgrep with-filename no-filename word-regexp no-hyperlink-format",
                Use::Nothing,
            ),
        ],
    ),
    Program::new(&["ag"], PATTERN).here(Use::ReadBelow).recursive().dynamic(Dynamic::Splitting).rows(&[
        value("", "pager", Use::Runs),
        flags("g", "", Use::Nothing),
        value("p", "path-to-ignore", Use::Read),
        value(
            "mGW",
            "max-count file-search-regex ignore ignore-dir depth width workers color-line-number color-match color-path",
            Use::Nothing,
        ),
        maybe("ABC", "after before context", Use::Nothing),
    ]),
    Program::new(&["ack", "ack-grep"], PATTERN).here(Use::ReadBelow).recursive().dynamic(Dynamic::Splitting).rows(&[
        maybe("", "pager", Use::Runs),
        value("", "ackrc output", Use::RunsFile),
        value("", "match", Use::Settles),
        flags("fg", "", Use::Settles),
        value("", "files-from", Use::Read),
        value("ABCmtT", "after-context before-context max-count type ignore-dir ignore-file", Use::Nothing),
    ]),
    Program::new(&["fd", "fdfind"], PATTERN).here(Use::ReadBelow).recursive().dynamic(Dynamic::Splitting).rows(&[
        value("xX", "exec exec-batch", Use::Runs),
        value("", "search-path", Use::ReadBelow),
        value("C", "base-directory", Use::Base),
        value("", "ignore-file", Use::Read),
        value(
            "dteESjco",
            "max-depth min-depth exact-depth type extension exclude size changed-within changed-before threads color owner \
             max-buffer-time max-results batch-size path-separator and format",
            Use::Nothing,
        ),
    ]),
    Program::new(&["locate", "plocate", "mlocate"], All(Use::Nothing)),
];

fn directories(walk: &mut super::walk::Walk, part: super::walk::Part) {
    // `recurse`, and every abbreviation of it.
    if !super::words::beginning(&walk.word(part)).starts_with(['s', 'S']) {
        walk.below();
    }
}

/// Without a file it searches its input, or with `-r` the working directory.
fn grep(walk: &mut super::walk::Walk) {
    let here = if walk.recursive() { Use::Read } else { Use::Nothing };
    walk.lay_out(PATTERN, here);
}
