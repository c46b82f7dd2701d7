//! The rest: documentation, clocks, keys, databases, media, shell builtins.

use super::spec::{OperandSpec::*, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, Word, WordPiece};

const SET: &str = "set";
const KEEP: &str = "keep";

/// Shown, or with an option changed, or run again.
pub(super) fn history(walk: &mut ArgumentWalk) {
    let shows = walk.argv.iter().skip(1).all(|word| {
        word.literal().is_some_and(|text| text.chars().all(|char| char.is_ascii_digit()))
    });
    if !shows || walk.place(0).literal() != Some("history") {
        super::editors::whole(walk);
        walk.lay_out(All(OperandUse::Change), OperandUse::Nothing);
    }
}

pub(super) fn chooser(walk: &mut ArgumentWalk) {
    walk.operands.clear();
}

/// Pages. One with a slash in its name is a file, and what is in it can read other files.
pub(super) fn man(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        if word.literal().is_none_or(|text| text.contains('/')) {
            walk.operand_is(operand, OperandUse::Read);
            walk.runs(operand.arg, DoubtReason::Alters);
        }
    }
}

/// `+FORMAT` is shown, anything else sets the clock; to BSD not with `-j`, which GNU has not.
pub(super) fn date(walk: &mut ArgumentWalk) {
    let dry = walk.only_looks("dry");
    for operand in std::mem::take(&mut walk.operands) {
        if !dry && !words::beginning(walk.place(operand.arg)).starts_with('+') {
            walk.runs(operand.arg, DoubtReason::Settings);
        }
    }
}

/// Letters of `ps` behind a dash that take a value.
const PS_VALUES: &str = "CGgUutpqsOon";
/// Those that take none.
const PS_FLAGS: &str = "AacdefFHjLlMmNPTVwyZxrhvXkS";
/// Those that can stand beside `-e`: with others GNU reads all letters as if they had no dash, and `e` is the environment.
const PS_BESIDE_E: &str = "AaceFfHjlLMPVwyZdopqC";
/// Letters without a dash that take a value.
const PS_BARE_VALUES: &str = "oOpqtUkN";
/// Those that take none.
const PS_BARE_FLAGS: &str = "aAcCdfghHIjlLmMnrsSTuvVwxXyZ1";

/// `ps`, with letters behind dashes, without them, and long names.
pub(super) fn ps(walk: &mut ArgumentWalk) {
    let mut operands = std::mem::take(&mut walk.operands).into_iter();
    let mut letters = String::new();
    let mut every = None;
    while let Some(operand) = operands.next() {
        let arg = operand.arg;
        let Some(text) = walk.place(arg).literal() else {
            walk.runs(arg, DoubtReason::MayBeOption);
            continue;
        };
        if let Some(name) = text.strip_prefix("--") {
            let name = name.split_once('=').map_or(name, |(name, value)| {
                if value.to_ascii_lowercase().contains("env") { "" } else { name }
            });
            match name {
                "sort" | "format" | "pid" | "ppid" | "quick-pid" | "cols" | "columns" | "width"
                | "lines" | "rows" | "no-headers" | "no-heading" | "headers" | "forest"
                | "cumulative" | "deselect" | "help" | "version" | "info" => {
                    let flag = !text.contains('=')
                        && matches!(
                            name,
                            "sort"
                                | "format"
                                | "pid"
                                | "ppid"
                                | "quick-pid"
                                | "cols"
                                | "columns"
                                | "width"
                                | "lines"
                                | "rows"
                        );
                    if flag && let Some(value) = operands.next() {
                        ps_value(walk, value.arg);
                    }
                }
                "" => walk.runs(arg, DoubtReason::ShowsSecrets),
                _ => walk.runs(arg, DoubtReason::UnknownOption),
            }
            continue;
        }
        let (dash, bundle) = match text.strip_prefix('-') {
            Some(bundle) => (true, bundle),
            None => (false, text),
        };
        let numbers = |text: &str| text.chars().all(|it| it.is_ascii_digit() || it == ',');
        if numbers(bundle) {
            continue;
        }
        let (values, flags) =
            if dash { (PS_VALUES, PS_FLAGS) } else { (PS_BARE_VALUES, PS_BARE_FLAGS) };
        for (at, letter) in bundle.char_indices() {
            let rest = bundle.get(at + letter.len_utf8()..).unwrap_or("");
            if letter == 'E' || (letter == 'e' && !dash) {
                walk.runs(arg, DoubtReason::ShowsSecrets);
            } else if values.contains(letter) {
                letters.push(letter);
                if rest.is_empty() {
                    if let Some(value) = operands.next() {
                        ps_value(walk, value.arg);
                        let word = walk.place(value.arg);
                        let letters = word.literal().is_none_or(|text| text.contains(['e', 'E']));
                        if letters && !"oOCpqtk".contains(letter) {
                            // No user of this name: then it is read as letters.
                            walk.runs(value.arg, DoubtReason::ShowsSecrets);
                        }
                    }
                } else if rest.contains("env")
                    || !(numbers(rest) || matches!(letter, 'o' | 'O' | 'C'))
                {
                    // It may be letters again where no user or terminal is called so.
                    if rest.contains(['e', 'E']) {
                        walk.runs(arg, DoubtReason::ShowsSecrets);
                    }
                }
                break;
            } else if flags.contains(letter) {
                letters.push(letter);
                if letter == 'e' {
                    every = Some(arg);
                }
            } else {
                walk.runs(arg, DoubtReason::UnknownOption);
                break;
            }
        }
    }
    if let Some(arg) = every
        && !letters.chars().all(|letter| PS_BESIDE_E.contains(letter))
    {
        walk.runs(arg, DoubtReason::ShowsSecrets);
    }
}

/// The value of an option; `environ` is a column.
fn ps_value(walk: &mut ArgumentWalk, arg: usize) {
    let word = walk.place(arg);
    if word.splits() {
        walk.runs(arg, DoubtReason::MayBeOption);
    } else if word.literal().is_some_and(|text| text.to_ascii_lowercase().contains("env")) {
        walk.runs(arg, DoubtReason::ShowsSecrets);
    }
}

/// In batch mode only: otherwise it asks for commands, `kill` among them.
pub(super) fn top(walk: &mut ArgumentWalk) {
    walk.operands.clear();
    if walk.kept("batch").is_none() {
        walk.unnamable(DoubtReason::Stdin);
    }
}

/// `getent database [key…]`: databases of hosts may ask a server.
pub(super) fn getent(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let local =
        operands.first().and_then(|first| walk.place(first.arg).literal()).is_some_and(|text| {
            matches!(
                text,
                "passwd" | "group" | "services" | "protocols" | "rpc" | "ethers" | "aliases"
            )
        });
    for operand in operands.into_iter().skip(1) {
        if !local {
            walk.operand_is(operand, OperandUse::Url);
        }
    }
    if !local {
        walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::Connects);
    }
}

pub(super) fn hostname(walk: &mut ArgumentWalk) {
    if let Some(operand) = std::mem::take(&mut walk.operands).first() {
        walk.runs(operand.arg, DoubtReason::Settings);
    }
}

/// Anything but a list is commands that will run later.
pub(super) fn crontab(walk: &mut ArgumentWalk) {
    let lists = walk.only_looks(KEEP);
    if !lists || !walk.operands.is_empty() {
        walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::RunsCode);
    }
    walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
}

/// A subcommand, then files.
pub(super) fn openssl(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    match operands.first().map(|operand| walk.place(operand.arg).literal()) {
        Some(Some("engine" | "s_server" | "ocsp" | "ca")) => super::editors::whole(walk),
        Some(None) => walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::MayBeOption),
        None => walk.unnamable(DoubtReason::Stdin),
        _ => {}
    }
    for operand in operands.into_iter().skip(1) {
        walk.operand_is(operand, OperandUse::Read);
    }
}

/// Words of SQL by which sqlite reaches other files, or code.
const SQLITE: &[&str] = &[
    "load_extension",
    "attach",
    "writefile",
    "readfile",
    "edit",
    "vacuum",
    "fts3_tokenizer",
    "zipfile",
    "fsdir",
    "lsmode",
    "sqlar_uncompress",
    "eval",
    "temp_store_directory",
    "data_store_directory",
    "using",
];
/// Those by which servers and their clients do.
const SERVERS: &[&str] = &[
    "program",
    "system",
    "outfile",
    "dumpfile",
    "load_file",
    "eval",
    "source",
    "tee",
    "pager",
    "edit",
    "delimiter",
    "connect",
    "use",
    "load",
    "copy",
    "install",
    "extension",
    "language",
    "prompt",
    "ego",
    "go",
    "dblink",
    "lo_import",
    "lo_export",
];
/// Commands of sqlite that only show, or say how it shows.
const SHOWS: &[&str] = &[
    ".schema",
    ".tables",
    ".table",
    ".indexes",
    ".indices",
    ".databases",
    ".fullschema",
    ".dbinfo",
    ".header",
    ".headers",
    ".mode",
    ".show",
    ".help",
    ".version",
    ".timer",
    ".width",
    ".nullvalue",
    ".separator",
    ".stats",
    ".dump",
    ".quit",
    ".exit",
];

/// Statements for a database. Lines that begin with a dot or a backslash are commands to the program, which can run others.
pub(super) fn statement(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.settled = true;
    let word = walk.word(part);
    let sqlite = walk.program.names.iter().any(|name| name.starts_with("sqlite"));
    let plain = |text: &str| {
        let lower = text.to_ascii_lowercase();
        if sqlite && text.starts_with('.') {
            let name = text.split_ascii_whitespace().next().unwrap_or("");
            return SHOWS.contains(&name) && !text.contains(['\n', '\r', ';', '|', '`']);
        }
        if let Some(command) = lower.strip_prefix('\\') {
            // `\dt`, `\l`
            return walk.program.names.contains(&"psql")
                && command.starts_with(['d', 'l', 'z'])
                && !command.starts_with("lo")
                && command.chars().all(|it| it.is_ascii_alphanumeric() || " _.*+".contains(it));
        }
        let starts = lower.lines().any(|line| line.trim_start().starts_with(['.', '\\']));
        let mut names = lower.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        let reaches = names.any(|name| {
            if sqlite {
                SQLITE.contains(&name)
            } else {
                SERVERS.contains(&name)
                    || ["pg_read", "pg_ls", "pg_stat_file", "lo_", "xp_"]
                        .iter()
                        .any(|begins| name.starts_with(begins))
            }
        });
        !starts && !reaches && (sqlite || !lower.contains('\\'))
    };
    if !word.literal().is_some_and(plain) {
        walk.runs(part.arg, DoubtReason::Script);
    }
}

/// `sqlite3 file statement…`, where the file can be an address: `file:name?mode=ro`.
pub(super) fn sqlite(walk: &mut ArgumentWalk) {
    // To it `--` is an option with an empty name, and `-` is no operand.
    let empty = |word: &Word| matches!(word.literal(), Some("--" | "-"));
    if let Some(at) = walk.argv.iter().position(empty) {
        walk.runs(at, DoubtReason::MayBeOption);
    }
    let operands = std::mem::take(&mut walk.operands);
    for (index, operand) in operands.iter().enumerate() {
        if index == 0 {
            database_file(walk, operand.arg);
        }
        if index > 0 || walk.place(operand.arg).splits() {
            statement(walk, ArgumentPart { arg: operand.arg, skip: 0 });
        }
    }
    if operands.len() < 2 {
        walk.unnamable(DoubtReason::Stdin);
    }
}

/// Whether this asks a database and tells it nothing: then it writes no more than what SQLite keeps beside it, and an empty file
/// where there was none. Which file it is need not be known.
pub(crate) fn only_asks(argv: &[Word]) -> bool {
    let Some((name, rest)) = argv.split_first() else { return false };
    // The value of an option counts as the file then, and the file as a statement, which it is not.
    let is_option = |word: &&Word| word.literal().is_some_and(|text| text.starts_with('-'));
    let mut operands = rest.iter().filter(|word| !is_option(word));
    let is_one_file = operands
        .next()
        .is_some_and(|word| !word.splits() && !words::beginning(word).starts_with('-'));
    let mut statements = operands.peekable();
    let asks = |statement: &str| {
        let first = statement.split(|it: char| !it.is_ascii_alphanumeric() && it != '.').next();
        let first = first.unwrap_or_default().to_ascii_lowercase();
        matches!(first.as_str(), "" | "select" | "explain") || SHOWS.contains(&first.as_str())
    };
    matches!(name.literal(), Some("sqlite3" | "sqlite"))
        && is_one_file
        && statements.peek().is_some()
        && statements.all(|word| {
            word.literal()
                .is_some_and(|text| text.split(';').all(|statement| asks(statement.trim())))
        })
}

fn database_file(walk: &mut ArgumentWalk, arg: usize) {
    let word = walk.place(arg);
    let begins = words::beginning(word);
    let mut only_reads = walk.only_looks("readonly");
    let mut target = word.clone();
    if begins.starts_with("file:") {
        let skip = match begins.get(5..).unwrap_or("") {
            // `//authority/path`
            rest if rest.starts_with("//") => {
                7 + rest.get(2..).and_then(|it| it.find('/')).unwrap_or(0)
            }
            _ => 5,
        };
        target = walk.word(ArgumentPart { arg, skip });
        let texts = target.pieces.iter().filter_map(|piece| match piece {
            WordPiece::Text(text) => Some(text.as_str()),
            _ => None,
        });
        let text: String = texts.collect();
        let plain = match target.pieces.last_mut() {
            Some(WordPiece::Text(last)) => match last.split_once('?') {
                Some((
                    name,
                    "mode=ro" | "mode=ro&immutable=1" | "immutable=1&mode=ro" | "immutable=1",
                )) => {
                    only_reads = true;
                    *last = name.to_owned();
                    true
                }
                Some(_) => false,
                None => true,
            },
            _ => true,
        };
        if text.contains(['%', '#']) || !plain {
            target = words::unknown(word);
        }
    }
    if begins == ":memory:" {
        return;
    }
    walk.path(arg, FileAccess::Read, target.clone(), false);
    if !only_reads {
        walk.path(arg, FileAccess::Write, target, false);
    }
}

/// A server: not where it is a socket in a directory.
pub(super) fn server(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if !words::beginning(&walk.word(part)).starts_with('/') {
        walk.apply(OperandUse::Url, part, 0);
    }
}

/// The name of a database, or an address.
pub(super) fn database_name(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if word.literal().is_none_or(|text| text.contains([':', '='])) {
        walk.apply(OperandUse::Url, part, 0);
    }
}

/// What is said in no option is read from the input, and can be commands of the program.
pub(super) fn database(walk: &mut ArgumentWalk) {
    for operand in std::mem::take(&mut walk.operands) {
        database_name(walk, ArgumentPart { arg: operand.arg, skip: 0 });
    }
    if !walk.settled && walk.effects.unknown.is_empty() {
        walk.unnamable(DoubtReason::Stdin);
    }
}

/// Commands of redis that only look.
const REDIS: &[&str] = &[
    "bitcount",
    "dbsize",
    "exists",
    "expiretime",
    "get",
    "getrange",
    "hexists",
    "hget",
    "hgetall",
    "hkeys",
    "hlen",
    "hmget",
    "hscan",
    "hvals",
    "info",
    "keys",
    "lindex",
    "llen",
    "lrange",
    "memory",
    "mget",
    "object",
    "ping",
    "pttl",
    "randomkey",
    "scan",
    "scard",
    "sismember",
    "smembers",
    "sscan",
    "strlen",
    "ttl",
    "type",
    "xlen",
    "xrange",
    "zcard",
    "zcount",
    "zrange",
    "zrank",
    "zscan",
    "zscore",
];

/// A command for the server; without one they are read from the input.
pub(super) fn redis(walk: &mut ArgumentWalk) {
    let operands = std::mem::take(&mut walk.operands);
    let Some(first) = operands.first() else { return walk.unnamable(DoubtReason::Stdin) };
    let known = walk
        .place(first.arg)
        .literal()
        .is_some_and(|name| REDIS.contains(&name.to_ascii_lowercase().as_str()));
    if !known {
        walk.runs(walk.argv.len().saturating_sub(1), DoubtReason::RunsCode);
    }
}

/// Inputs are named by `-i`, all other operands are outputs; options that are not known take a value as often as not.
pub(super) fn ffmpeg(walk: &mut ArgumentWalk) {
    for part in walk.all_kept(SET) {
        let word = walk.word(part);
        if words::beginning(&word).contains("://") {
            walk.apply(OperandUse::Url, part, 0);
        } else {
            walk.path(part.arg, FileAccess::Read, word, false);
        }
    }
    walk.lay_out(All(OperandUse::WriteOut), OperandUse::Nothing);
}
