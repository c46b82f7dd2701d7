//! The rest: documentation, clocks, keys, databases, media, shell builtins.

use super::spec::{Dynamic, Operands::*, Program, Style, Use, flags, maybe, value};
use super::walk::{Part, Walk};
use super::words;
use crate::shell::{Access, Why};

const SET: u8 = 0;
const KEEP: u8 = 1;

pub(super) static PROGRAMS: &[Program] = &[
    Program::new(&["man"], Look(man)).dynamic(Dynamic::Leading).closed().rows(&[
        value("PC", "pager config-file", Use::Runs),
        maybe("HX", "html gxditview", Use::Runs),
        // Other manuals are other input for the formatter, and a preprocessor is a program.
        value("p", "preprocessor", Use::Runs),
        flags("l", "local-file", Use::Keep(KEEP)),
        value("M", "manpath", Use::Read),
        flags("t", "troff ditroff", Use::Nothing),
        maybe("T", "troff-device", Use::Nothing),
        maybe("", "warnings", Use::Nothing),
        value("RLmSserE", "recode locale systems sections extension prompt encoding", Use::Nothing),
        flags(
            "dDfkKwWciIau7Z?hV",
            "debug default whatis apropos global-apropos where path location where-cat location-cat catman ignore-case \
             match-case regex wildcard names-only all update no-subpages ascii no-hyphenation nh no-justification nj help \
             usage version",
            Use::Nothing,
        ),
    ]),
    Program::new(&["info"], All(Use::Nothing)).rows(&[
        value("", "restore init-file", Use::RunsFile),
        value("o", "output dribble", Use::Write),
        value("f", "file", Use::Read),
    ]),
    Program::new(&["date"], Look(date)).dynamic(Dynamic::Splitting).rows(&[
        value("s", "set", Use::Runs),
        value("f", "file", Use::Read),
        value("r", "reference", Use::Read),
        value("dvzj", "date", Use::Nothing),
        maybe("I", "iso-8601 rfc-3339 resolution", Use::Nothing),
    ]),
    Program::new(&["hostname", "domainname", "dnsdomainname"], Look(hostname)).dynamic(Dynamic::Splitting).rows(&[
        value("F", "file", Use::RunsFile),
    ]),
    Program::new(&["crontab"], Look(crontab)).dynamic(Dynamic::Leading).rows(&[
        value("u", "", Use::Nothing),
        flags("l", "", Use::Keep(KEEP)),
        flags("eri", "", Use::Nothing),
    ]),
    Program::new(&["openssl"], Look(openssl)).style(Style::OneDash).dynamic(Dynamic::Splitting).rows(&[
        value("", "engine provider provider-path config key_engine", Use::Runs),
        value("", "in inkey key cert CA CAkey CAfile certfile content passin sess_in kfile signature verify-file infile", Use::Read),
        value("", "CApath", Use::ReadBelow),
        value("", "out keyout writerand CAserial sess_out keylogfile outfile signer-out", Use::Write),
        value("", "connect host url proxy", Use::Url),
        value("", "days subj inform outform name addext passout pass k K iv iter md newkey set_serial extensions sigopt \
                   pkeyopt servername starttls cipher groups curves showcerts-depth verify purpose", Use::Nothing),
        flags("", "noout text", Use::Nothing),
    ]),
    Program::new(&["gpg", "gpg2", "gpgv"], All(Use::Read)).dynamic(Dynamic::Splitting).rows(&[
        value("", "agent-program dirmngr-program gpg-agent-program pinentry-program photo-viewer exec-path keyserver-options \
                   load-extension compliance-program", Use::Runs),
        value("", "options", Use::RunsFile),
        value("o", "output log-file logger-file", Use::Write),
        value("", "homedir", Use::WriteBelow),
        value("", "keyserver", Use::Url),
        value("", "keyring secret-keyring passphrase-file", Use::Read),
        value("ruNbz", "recipient local-user hidden-recipient default-key cipher-algo digest-algo compress-algo armor-type \
                        trust-model passphrase pinentry-mode status-fd", Use::Nothing),
    ]),
    Program::new(&["sqlite3", "sqlite"], Look(sqlite)).style(Style::OneDash).dynamic(Dynamic::Splitting).rows(&[
        value("", "init", Use::RunsFile),
        value("", "cmd", Use::Look(statement)),
        value("", "separator newline nullvalue vfs maxsize lookaside pagecache mmap escape", Use::Nothing),
        value("", "A", Use::Nothing),
        flags("", "interactive", Use::Runs),
        flags("", "batch bail column csv header noheader html line list quote table json markdown box readonly safe version", Use::Nothing),
    ]),
    Program::new(&["psql", "mysql", "mariadb", "redis-cli", "mongosh"], All(Use::Nothing)).dynamic(Dynamic::Splitting).rows(&[
        value("f", "file init-command eval", Use::RunsFile),
        value("o", "output log-file tee", Use::Write),
        value("", "pager", Use::Runs),
        value("c", "command", Use::Look(statement)),
        value("e", "execute", Use::Look(statement)),
        value("hHpPUudnDt", "host port username user dbname database variable set", Use::Nothing),
    ]),
    Program::new(&["mysqldump", "pg_dump", "pg_dumpall"], All(Use::Nothing)).rows(&[
        value("fr", "file result-file", Use::Write),
        value("T", "tab", Use::WriteBelow),
    ]),
    Program::new(&["ffmpeg"], Look(ffmpeg)).style(Style::OneDash).rows(&[
        value("", "i", Use::Keep(SET)),
        value(
            "",
            "f c codec vcodec acodec ss t to r s vf af filter filter_complex map b b:v b:a c:v c:a crf preset ar ac vframes \
             frames frames:v loglevel threads metadata pix_fmt aspect q:v q:a qscale movflags profile:v tune g lavfi \
             framerate loop itsoffset v hide_banner_level",
            Use::Nothing,
        ),
    ]),
    Program::new(&["convert", "magick", "montage", "mogrify", "composite"], All(Use::Change)),
    Program::new(&["history", "fc"], Look(history)),
    Program::new(&["bc"], All(Use::Read)),
    // Its programs run commands.
    Program::new(&["dc"], Look(super::editors::whole)),
    Program::new(&["logger", "wall", "write"], All(Use::Nothing)).rows(&[value("f", "file", Use::Read), value("n", "server", Use::Url)]),
    Program::new(&["mount", "umount", "losetup"], All(Use::Change)),
    Program::new(&["busctl", "gdbus", "dbus-send", "systemctl", "service", "sysctl", "insmod", "modprobe", "kexec", "reboot"],
        All(Use::Nothing)),
    Program::new(&["sysbench"], All(Use::Nothing)),
    Program::new(&["bindkey", "complete", "compgen", "fzf", "sk", "peco"], Look(chooser)).rows(&[
        value("", "preview bind execute", Use::Runs),
        value("CFIc", "", Use::Runs),
    ]),
];

/// Shown, or with an option changed, or run again.
fn history(walk: &mut Walk) {
    let shows = walk.argv.iter().skip(1).all(|word| {
        word.literal().is_some_and(|text| text.chars().all(|char| char.is_ascii_digit()))
    });
    if !shows || walk.place(0).literal() != Some("history") {
        super::editors::whole(walk);
        walk.lay_out(All(Use::Change), Use::Nothing);
    }
}

fn chooser(walk: &mut Walk) {
    walk.operands.clear();
}

/// Pages, or with `-l` files. A page with a slash in its name is a file, too.
fn man(walk: &mut Walk) {
    let local = walk.kept(KEEP).is_some();
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        if local || word.literal().is_none_or(|text| text.contains('/')) {
            walk.operand_is(operand, Use::Read);
        }
    }
}

/// `+FORMAT` is shown, anything else sets the clock.
fn date(walk: &mut Walk) {
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        if word.literal().is_some_and(|text| !text.starts_with('+')) {
            walk.runs(operand.arg, Why::Settings);
        }
    }
}

fn hostname(walk: &mut Walk) {
    if let Some(operand) = std::mem::take(&mut walk.operands).first() {
        walk.runs(operand.arg, Why::Settings);
    }
}

/// Anything but a list is commands that will run later.
fn crontab(walk: &mut Walk) {
    if walk.kept(KEEP).is_none() {
        walk.runs(walk.argv.len().saturating_sub(1), Why::RunsCode);
    }
    walk.lay_out(All(Use::Read), Use::Nothing);
}

/// A subcommand, then files.
fn openssl(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    match operands.first().map(|operand| walk.place(operand.arg).literal()) {
        Some(Some("engine" | "s_server" | "ocsp" | "ca")) => super::editors::whole(walk),
        Some(None) => walk.runs(walk.argv.len().saturating_sub(1), Why::MayBeOption),
        None => walk.unnamable(Why::Stdin),
        _ => {}
    }
    for operand in operands.into_iter().skip(1) {
        walk.operand_is(operand, Use::Read);
    }
}

/// Statements for a database. Lines that begin with a dot or a backslash are commands to the program, which can run others.
fn statement(walk: &mut Walk, part: Part) {
    let word = walk.word(part);
    let sql = |text: &str| {
        let starts = text.lines().any(|line| line.trim_start().starts_with(['.', '\\']));
        let lower = text.to_ascii_lowercase();
        let reaches = [
            "load_extension",
            "attach",
            "writefile",
            "readfile",
            "edit(",
            "\\!",
            "\\o",
            "\\i",
            "\\g",
            "program",
            "system",
            "into outfile",
            "into dumpfile",
            "load_file",
            "eval",
            "vacuum",
        ];
        !starts && !reaches.iter().any(|word| lower.contains(word))
    };
    if !word.literal().is_some_and(sql) {
        walk.runs(part.arg, Why::Script);
    }
}

/// `sqlite3 file statement…`
fn sqlite(walk: &mut Walk) {
    let operands = std::mem::take(&mut walk.operands);
    for (index, operand) in operands.iter().enumerate() {
        if index == 0 {
            walk.operand_is(*operand, Use::Change);
        }
        if index > 0 || walk.place(operand.arg).splits() {
            statement(walk, Part { arg: operand.arg, skip: 0 });
        }
    }
    if operands.len() < 2 {
        walk.unnamable(Why::Stdin);
    }
}

/// Inputs are named by `-i`, all other operands are outputs; options that are not known take a value as often as not.
fn ffmpeg(walk: &mut Walk) {
    for part in walk.all_kept(SET) {
        let word = walk.word(part);
        if words::beginning(&word).contains("://") {
            walk.apply(Use::Url, part, 0);
        } else {
            walk.path(part.arg, Access::Read, word, false);
        }
    }
    walk.lay_out(All(Use::Write), Use::Nothing);
}
