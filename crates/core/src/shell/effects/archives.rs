//! Archives and compression.

use super::spec::{Dynamic, Operands::*, Program, Use, flags, maybe, value};
use super::walk::{Part, Walk};
use super::words;
use crate::shell::{Access, Why};

const ARCHIVE: u8 = 0;
const CREATE: u8 = 1;
const EXTRACT: u8 = 2;
const DIRECTORY: u8 = 3;
const REMOVE: u8 = 5;
const KEEP: u8 = 4;

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["tar", "gtar", "bsdtar"], Look(tar)).dynamic(Dynamic::Leading).closed().recursive().rows(&[
        value("IF", "use-compress-program info-script new-volume-script to-command set-mtime-command", Use::Runs),
        value("", "rmt-command rsh-command checkpoint-action", Use::Runs),
        value("f", "file", Use::Keep(ARCHIVE)),
        flags("crAu", "create append catenate concatenate update delete", Use::Keep(CREATE)),
        flags("x", "extract get", Use::Keep(EXTRACT)),
        flags("O", "to-stdout", Use::Keep(KEEP)),
        value("C", "directory cd", Use::Base),
        value("T", "files-from", Use::Look(list)),
        value("X", "exclude-from exclude-ignore exclude-ignore-recursive owner-map group-map", Use::Read),
        value("g", "listed-incremental volno-file index-file", Use::Change),
        value("", "add-file", Use::Read),
        // Like a substitution of sed, but none of its flags runs anything.
        value("", "transform xform", Use::Nothing),
        flags("", "remove-files recursive-unlink", Use::Look(removes)),
        maybe("", "one-top-level", Use::Look(beneath)),
        value(
            "bHKLNV",
            "hole-detection level sparse-version exclude exclude-tag exclude-tag-all exclude-tag-under group mode mtime \
             owner sort xattrs-exclude xattrs-include tape-length blocking-factor record-size format pax-option label \
             starting-file newer-mtime newer after-date suffix strip-components no-quote-chars quote-chars quoting-style \
             warning uid gid uname gname options",
            Use::Nothing,
        ),
        maybe("", "occurrence atime-preserve backup checkpoint totals", Use::Nothing),
        flags(
            "dtGnSkUWmpMBizjJZahPlRvwos",
            "test-label diff compare list check-device incremental ignore-failed-read no-check-device no-seek seek sparse \
             exclude-backups exclude-caches exclude-caches-all exclude-caches-under exclude-vcs exclude-vcs-ignores no-null \
             no-recursion no-unquote no-verbatim-files-from null recursion unquote verbatim-files-from anchored ignore-case \
             no-anchored no-ignore-case no-wildcards no-wildcards-match-slash wildcards wildcards-match-slash \
             keep-directory-symlink keep-newer-files keep-old-files no-overwrite-dir overwrite overwrite-dir \
             skip-old-files unlink-first verify ignore-command-error no-ignore-command-error clamp-mtime \
             delay-directory-restore touch no-delay-directory-restore no-same-owner no-same-permissions numeric-owner \
             preserve-permissions same-permissions same-owner preserve-order same-order acls no-acls no-selinux no-xattrs \
             selinux xattrs force-local multi-volume read-full-records ignore-zeros old-archive portability posix \
             auto-compress bzip2 xz lzip lzma lzop no-auto-compress zstd gzip gunzip ungzip compress uncompress \
             hard-dereference dereference one-file-system absolute-names full-time check-links block-number show-defaults \
             show-omitted-dirs show-snapshot-field-ranges show-transformed-names show-stored-names utc verbose interactive \
             confirmation help restrict usage version",
            Use::Nothing,
        ),
    ]),
    Program::new(
        &[
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "lzma", "unlzma", "zstd", "unzstd", "lz4", "unlz4",
            "compress", "uncompress", "pigz", "unpigz", "pbzip2", "lzip", "brotli", "lzop",
        ],
        Look(compress),
    )
    .rows(&[
        flags("r", "recursive", Use::Recursive),
        flags("ctl", "stdout to-stdout test list", Use::Keep(KEEP)),
        value("o", "output output-dir-flat output-dir-mirror", Use::Write),
        value("D", "files0 files patch-from dictionary", Use::Read),
        value("SMTpF", "suffix memlimit threads format block-size", Use::Nothing),
    ]),
    Program::new(&["zip"], Look(zip)).dynamic(Dynamic::Leading).rows(&[
        value("", "unzip-command", Use::Runs),
        flags("r", "recurse-paths", Use::Recursive),
        flags("R", "recurse-patterns", Use::Look(from_here)),
        value("bO", "temp-path output-file out logfile-path", Use::Write),
        flags("m", "move", Use::Look(removes)),
        value("nPtsZ", "suffixes password from-date split-size compression-method", Use::Nothing),
        value("", "before-date", Use::Nothing),
    ]),
    Program::new(&["unzip"], Look(unzip)).rows(&[
        value("d", "", Use::Keep(DIRECTORY)),
        value("P", "", Use::Nothing),
        flags("ltvzZpc", "", Use::Keep(KEEP)),
    ]),
    Program::new(&["zipinfo", "unrar", "lsar"], All(Use::Read)),
    Program::new(&["7z", "7za", "7zr", "7zz", "rar", "unar", "ar", "cpio", "pax"], All(Use::Change))
        .here(Use::WriteBelow)
        .recursive(),
];

/// `-T`: the list is read, and what it names, options among it, is not known.
fn list(walk: &mut Walk, part: Part) {
    walk.apply(Use::Read, part, 0);
    walk.runs(part.arg, Why::MayBeOption);
}

/// Deletes what it packs.
fn removes(walk: &mut Walk, part: Part) {
    walk.apply(Use::Keep(REMOVE), part, 0);
}

/// `--one-top-level=DIR`
fn beneath(walk: &mut Walk, part: Part) {
    if part.skip > 0 {
        walk.apply(Use::WriteBelow, part, 0);
    }
}

fn from_here(walk: &mut Walk, part: Part) {
    walk.below();
    walk.path(part.arg, Access::Read, words::text(walk.place(part.arg), "."), true);
}

fn tar(walk: &mut Walk) {
    let mut operands = std::mem::take(&mut walk.operands);
    // The old style: `tar cf a.tar b`, letters without a dash, whose values follow in their order.
    let old = operands.first().is_some_and(|first| first.arg == 1);
    let mut creates = walk.kept(CREATE).is_some();
    let mut extracts = walk.kept(EXTRACT).is_some();
    if old {
        let first = operands.remove(0);
        let Some(letters) = walk.place(first.arg).literal() else {
            return walk.runs(first.arg, Why::MayBeOption);
        };
        creates |= letters.contains(['c', 'r', 'u', 'A']);
        extracts |= letters.contains('x');
        let mut values = operands.iter().map(|operand| operand.arg);
        let mut taken = 0;
        for letter in letters.chars() {
            let row = walk.program.rows.iter().find(|row| row.short.contains(letter));
            match row {
                None => walk.runs(first.arg, Why::UnknownOption),
                Some(row) if row.takes == super::spec::Takes::Value => {
                    let Some(arg) = values.next() else { continue };
                    taken += 1;
                    walk.apply(row.uses, Part { arg, skip: 0 }, 0);
                }
                Some(_) => {}
            }
        }
        operands.drain(..taken.min(operands.len()));
    }
    for part in walk.all_kept(ARCHIVE) {
        archive(walk, part, creates);
    }
    if extracts && walk.kept(KEEP).is_none() {
        walk.here(Use::WriteBelow);
    }
    for operand in operands {
        if creates || !extracts {
            walk.operand_is(operand, Use::Read);
        }
        if extracts || walk.kept(REMOVE).is_some() {
            walk.operand_is(operand, Use::Write);
        }
    }
}

/// `host:file` is on another machine, reached by a program named elsewhere.
fn archive(walk: &mut Walk, part: Part, creates: bool) {
    let word = walk.word(part);
    if words::beginning(&word).split('/').next().is_some_and(|host| host.contains(':')) {
        walk.runs(part.arg, Why::RunsCode);
    }
    walk.apply(if creates { Use::Write } else { Use::Read }, part, 0);
}

/// It makes a file beside each and deletes that, or the other way round.
fn compress(walk: &mut Walk) {
    if walk.kept(KEEP).is_some() {
        return walk.lay_out(All(Use::Read), Use::Nothing);
    }
    for operand in std::mem::take(&mut walk.operands) {
        walk.operand_is(operand, Use::Change);
        let word = walk.place(operand.arg);
        for suffix in [".gz", ".bz2", ".xz", ".lzma", ".zst", ".lz4", ".Z", ".lz", ".br", ".lzo"] {
            if let Some(text) = word.literal()
                && let Some(bare) = text.strip_suffix(suffix)
            {
                walk.path(operand.arg, Access::Write, words::text(word, bare), false);
            }
        }
    }
}

/// `zip archive file…`
fn zip(walk: &mut Walk) {
    // `-T -TT command`
    for at in 1..walk.argv.len() {
        let begins = words::beginning(walk.place(at));
        if begins.starts_with('-') && begins.contains("TT") {
            walk.runs(at + usize::from(begins.ends_with("TT")), Why::RunsCode);
        }
    }
    let moves = walk.kept(REMOVE).is_some();
    walk.lay_out(First(Use::Change, if moves { Use::Change } else { Use::Read }), Use::Nothing);
}

/// `unzip archive member… [-d dir]`
fn unzip(walk: &mut Walk) {
    if walk.kept(KEEP).is_none() {
        match walk.kept(DIRECTORY) {
            Some(part) => walk.apply(Use::WriteBelow, part, 0),
            None => walk.here(Use::WriteBelow),
        }
    }
    walk.lay_out(First(Use::Read, Use::Nothing), Use::Nothing);
}
