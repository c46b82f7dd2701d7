//! Programs that make, change, move or delete files.

use super::spec::{Dynamic, Operands::*, Program, Row, Style, Use, flags, maybe, value};
use super::walk::Walk;
use super::words;
use crate::shell::Access;

const RECURSIVE: Row = flags("R", "recursive", Use::Recursive);
const INTO: Row = value("t", "target-directory", Use::Into);
const SUFFIX: Row = value("S", "suffix", Use::Nothing);

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["cp", "gcp"], Copy(Use::Read)).rows(&[
        flags("rRa", "recursive archive", Use::Recursive),
        INTO,
        SUFFIX,
        value("", "no-preserve sparse", Use::Nothing),
        maybe("", "preserve backup reflink context update", Use::Nothing),
    ]),
    // Whole directories move.
    Program::new(&["mv", "gmv"], Copy(Use::Change)).recursive().rows(&[INTO, SUFFIX]),
    Program::new(&["ln", "gln", "link"], Copy(Use::Read)).rows(&[INTO, SUFFIX]),
    Program::new(&["install", "ginstall"], Look(install)).dynamic(Dynamic::Splitting).rows(&[
        value("", "strip-program", Use::Runs),
        flags("d", "directory", Use::Keep(0)),
        INTO,
        SUFFIX,
        value("gmoBfMhlNT", "group mode owner", Use::Nothing),
    ]),
    Program::new(&["rm", "grm"], All(Use::Write)).rows(&[flags("rR", "recursive", Use::Recursive)]),
    Program::new(&["trash", "trash-put", "rimraf"], All(Use::Write)).recursive(),
    Program::new(&["rmdir", "unlink"], All(Use::Write)),
    Program::new(&["mkdir", "mkfifo", "mknod"], All(Use::Write))
        .rows(&[value("m", "mode", Use::Nothing), maybe("Z", "context", Use::Nothing)]),
    Program::new(&["touch"], All(Use::Write))
        .rows(&[value("r", "reference", Use::Read), value("dtA", "date time", Use::Nothing)]),
    Program::new(&["truncate", "fallocate"], All(Use::Write)).rows(&[
        value("r", "reference", Use::Read),
        value("slo", "size length offset", Use::Nothing),
    ]),
    Program::new(&["shred", "srm"], All(Use::Write)).rows(&[
        value("", "random-source", Use::Read),
        value("ns", "iterations size", Use::Nothing),
        flags("rR", "", Use::Recursive),
    ]),
    Program::new(&["tee"], All(Use::Write)).rows(&[maybe("", "output-error", Use::Nothing)]),
    Program::new(&["sponge"], All(Use::Write)),
    Program::new(&["chmod", "chown", "chgrp"], First(Use::Nothing, Use::Write)).rows(&[
        RECURSIVE,
        // The mode is then the file's.
        value("", "reference", Use::SettlesRead),
        value("", "from", Use::Nothing),
    ]),
    Program::new(&["chattr", "chflags"], First(Use::Nothing, Use::Write)).rows(&[RECURSIVE]),
    Program::new(&["setfacl"], All(Use::Write)).rows(&[
        RECURSIVE,
        value("MX", "modify-file remove-file", Use::Read),
        value("", "restore set-file", Use::Change),
        value("mx", "modify remove set", Use::Nothing),
    ]),
    Program::new(&["setfattr", "chcon"], All(Use::Write))
        .rows(&[RECURSIVE, value("nvxurtl", "name value remove", Use::Nothing)]),
    Program::new(&["dd"], Look(dd)).style(Style::Leading),
    Program::new(&["mktemp"], Look(mktemp)).rows(&[
        value("p", "", Use::Keep(0)),
        maybe("", "tmpdir", Use::Keep(0)),
        value("", "suffix", Use::Nothing),
    ]),
    Program::new(&["patch", "gpatch"], All(Use::Change))
        .here(Use::WriteBelow)
        .dynamic(Dynamic::Splitting)
        .rows(&[
            // Such a patch is a script that `ed` runs.
            flags("e", "ed", Use::Runs),
            value("i", "input", Use::Read),
            value("or", "output reject-file", Use::Write),
            value("d", "directory", Use::Base),
            value("BYz", "prefix basename-prefix suffix", Use::Nothing),
            value(
                "pFDVg",
                "strip fuzz ifdef version-control get quoting-style reject-format read-only",
                Use::Nothing,
            ),
        ]),
    Program::new(&["rename", "prename", "file-rename", "mmv"], Look(rename)),
    Program::new(&["rsync"], Look(super::network::rsync))
        .dynamic(Dynamic::Leading)
        .rows(super::network::RSYNC),
    Program::new(
        &["mkswap", "wipefs", "parted", "fdisk", "sfdisk", "mkfs", "mkfs.ext4"],
        All(Use::Write),
    ),
    Program::new(&["ditto", "rdfind"], Copy(Use::Read)).recursive(),
];

/// `install -d` makes directories; otherwise it copies.
fn install(walk: &mut Walk) {
    let layout = if walk.kept(0).is_some() { All(Use::Write) } else { Copy(Use::Read) };
    walk.lay_out(layout, Use::Nothing);
}

fn dd(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        let (key, access) = match words::beginning(word) {
            text if text.starts_with("if=") => ("if=", Access::Read),
            text if text.starts_with("of=") => ("of=", Access::Write),
            text if text.contains('=') => continue,
            _ if word.literal().is_some() => continue,
            _ => ("", Access::Write),
        };
        walk.path(operand.arg, access, words::without(word, key.len()), false);
    }
}

fn mktemp(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(operand) = operands.first() else {
        if let Some(part) = walk.kept(0) {
            walk.apply(Use::Write, part, 0);
        }
        return;
    };
    let template = walk.place(operand.arg);
    let target = match walk.kept(0) {
        Some(part) => words::join(&walk.word(part), template),
        None => template.clone(),
    };
    walk.path(operand.arg, Access::Write, target, false);
}

/// There are several programs of this name. One of them runs Perl code, the other renames by plain text.
fn rename(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    if let Some(first) = operands.first() {
        walk.runs(first.arg, crate::shell::Why::RunsCode);
    }
    for operand in operands {
        walk.operand_is(operand, Use::Write);
    }
}
