//! Programs that work on other machines, copy from and to them, or ask them.

use super::spec::{Dynamic, Operands::*, Program, Row, Style, Use, flags, value};
use super::walk::{Operand, Part, Walk};
use super::words;
use crate::shell::{Access, Piece, Why, Word};

/// The sources are deleted.
const REMOVES: u8 = 0;

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["ping", "ping6", "traceroute", "tracepath", "mtr", "telnet", "whois", "fping", "arping"], All(Use::Url))
        .rows(&[value("cCiIlmMpQsStTWwfbh", "count interval ttl", Use::Nothing)]),
    Program::new(&["nslookup", "host", "getent"], All(Use::Url)).rows(&[value("tcNRWm", "", Use::Nothing)]),
    Program::new(&["dig", "drill", "kdig"], Look(dig))
        .rows(&[value("f", "", Use::Read), value("k", "", Use::Read), value("bcpqtxy", "", Use::Nothing)]),
    Program::new(&["nc", "ncat", "netcat"], First(Use::Url, Use::Nothing)).dynamic(Dynamic::Leading).rows(&[
        value("ec", "exec sh-exec lua-exec", Use::Runs),
        value("o", "output hex-dump", Use::Write),
        value("x", "proxy", Use::Url),
        value("iIOPpqsTVwWXgGmMd", "source-port source idle-timeout wait proxy-type proxy-auth delay", Use::Nothing),
    ]),
    // What runs over there is not known here.
    Program::new(&["ssh", "autossh", "mosh", "rsh", "rlogin"], Look(ssh)).style(Style::Leading).dynamic(Dynamic::Leading).rows(
        &[
            value("oO", "ssh server client", Use::Runs),
            value("F", "", Use::RunsFile),
            value("E", "", Use::Write),
            value("J", "", Use::Url),
            value("i", "", Use::Read),
            value("I", "", Use::Runs),
            value("BbcDeLlmpQRSWwP", "port", Use::Nothing),
        ],
    ),
    Program::new(&["scp"], Look(scp)).dynamic(Dynamic::Leading).rows(SSH_COPY),
    Program::new(&["sftp", "ftp", "lftp", "ncftp", "tftp"], Look(sftp)).dynamic(Dynamic::Leading).rows(SSH_COPY),
    Program::new(&["ssh-keygen"], All(Use::Read)).rows(&[
        value("f", "", Use::Change),
        value("DKw", "", Use::Runs),
        value("sVJ", "", Use::Nothing),
        value("abCEeImnNOPrtYzZ", "", Use::Nothing),
    ]),
    Program::new(&["ssh-copy-id"], All(Use::Url)).rows(&[value("i", "", Use::Read), value("o", "", Use::Runs), value("p", "", Use::Nothing)]),
    Program::new(&["ssh-keyscan"], All(Use::Url)).rows(&[value("f", "", Use::Read), value("pTtO", "", Use::Nothing)]),
    Program::new(&["ssh-add"], All(Use::Read)),
    Program::new(&["nmap"], All(Use::Url)).style(Style::OneDash).dynamic(Dynamic::Splitting).rows(&[
        value("", "script script-args-file datadir servicedb versiondb", Use::Runs),
        flags("", "sC A", Use::Nothing),
        value("", "oN oX oS oG oA", Use::Write),
        value("", "iL excludefile resume", Use::Read),
        value("", "p e S D g T iR dns-servers exclude script-args top-ports max-retries host-timeout min-rate max-rate", Use::Nothing),
    ]),
    Program::new(&["tcpdump", "tshark", "dumpcap"], All(Use::Nothing)).dynamic(Dynamic::Splitting).rows(&[
        value("zX", "", Use::Runs),
        value("w", "", Use::Write),
        value("rFV", "", Use::Read),
        value("BCcEGijMmsTWyYDeofab", "interface snapshot-length", Use::Nothing),
    ]),
    Program::new(&["telnetd", "sshd", "inetd", "xinetd"], Look(super::editors::whole)),
];

const SSH_COPY: &[Row] = &[
    value("SoDs", "", Use::Runs),
    value("F", "", Use::RunsFile),
    value("b", "", Use::RunsFile),
    value("i", "", Use::Read),
    value("J", "", Use::Url),
    flags("r", "", Use::Recursive),
    value("BcelPRX", "", Use::Nothing),
];

/// The options of rsync that matter. `--rsh` and the like run what they name.
pub(super) const RSYNC: &[Row] = &[
    value("e", "rsh rsync-path early-input sockopts", Use::Runs),
    value("M", "remote-option", Use::Runs),
    value("f", "filter", Use::Look(filter)),
    value("", "exclude-from include-from files-from password-file", Use::Read),
    value("T", "temp-dir log-file partial-dir backup-dir write-batch only-write-batch", Use::Write),
    value("", "compare-dest copy-dest link-dest read-batch", Use::ReadBelow),
    flags("ra", "recursive archive", Use::Recursive),
    flags("", "remove-source-files", Use::Keep(REMOVES)),
    value(
        "B@",
        "info debug stderr chmod chown usermap groupmap block-size max-delete max-size min-size max-alloc timeout contimeout \
         modify-window compress-choice compress-level skip-compress checksum-choice checksum-seed exclude include suffix \
         address port log-file-format out-format bwlimit stop-after stop-at protocol iconv copy-as outbuf cc zc zl",
        Use::Nothing,
    ),
];

/// The host, and what runs there: whoever allows the host by name allows that.
fn ssh(walk: &mut Walk) {
    match std::mem::take(&mut walk.operands).first() {
        Some(host) => {
            walk.operand_is(*host, Use::Url);
            walk.runs(host.arg, Why::RunsCode);
        }
        None => walk.unnamable(Why::RunsCode),
    }
}

/// Names, `@server`, and `+option`.
fn dig(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        let begins = words::beginning(walk.place(operand.arg));
        if !begins.starts_with('+') {
            let skip = usize::from(begins.starts_with('@'));
            walk.apply(Use::Url, Part { arg: operand.arg, skip }, 0);
        }
    }
}

/// Whether a word is a place on another machine: `host:path`.
fn remote(word: &Word) -> bool {
    words::beginning(word).split('/').next().is_some_and(|host| host.contains(':'))
        || words::beginning(word).starts_with("rsync://")
        || words::beginning(word).starts_with("scp://")
}

fn scp(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    let (away, here): (Vec<Operand>, Vec<Operand>) =
        operands.into_iter().partition(|operand| remote(walk.place(operand.arg)));
    for operand in &away {
        walk.operand_is(*operand, Use::Url);
    }
    let last_is_away =
        away.last().map(|operand| operand.arg) > here.last().map(|operand| operand.arg);
    if last_is_away {
        for operand in here {
            walk.operand_is(operand, Use::Read);
        }
        return;
    }
    let sources_away = !away.is_empty();
    if sources_away && here.len() == 1 {
        for operand in &here {
            let directory = walk.place(operand.arg).clone();
            walk.operand_is(*operand, Use::Write);
            for source in &away {
                if let Some(name) = words::file_name(walk.place(source.arg)) {
                    let name = Word { pieces: after_host(&name), ..name };
                    walk.path(
                        operand.arg,
                        Access::Write,
                        words::join(&directory, &name),
                        walk.recursive(),
                    );
                }
            }
        }
        return;
    }
    walk.copy(&here, Use::Read);
}

/// `host:file` without a slash is a file too.
fn after_host(word: &Word) -> Vec<Piece> {
    let at = words::beginning(word).rfind(':').map_or(0, |at| at + 1);
    words::without(word, at).pieces
}

/// Sources are read, and with `--remove-source-files` deleted.
pub(super) fn rsync(walk: &mut Walk) {
    if walk.kept(REMOVES).is_some() {
        for operand in walk.operands.clone() {
            walk.operand_is(operand, Use::Write);
        }
    }
    scp(walk);
}

/// What is done there stands in a script or is typed.
fn sftp(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    if let Some(host) = operands.first() {
        walk.operand_is(*host, Use::Url);
    }
    walk.unnamable(Why::Stdin);
}

/// A rule of a filter can read a file.
fn filter(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    let merges = word.literal().is_none_or(|text| text.starts_with(['.', ':', 'm', 'd']));
    if merges {
        walk.path(part.arg, Access::Read, words::unknown(&word), false);
    }
}
