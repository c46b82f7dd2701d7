//! Programs that fetch addresses, and send to them.

use super::spec::OperandUse;
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, Word, WordPiece};

const DIRECTORY: &str = "directory";
const NAMED: &str = "named";
const REMOTE_NAME: &str = "remote_name";
const SERVER_NAMES: &str = "server_names";
const PLAIN_URLS: &str = "plain_urls";
const RECURSIVE: &str = "recursive";
const OTHER_PROTOCOL: &str = "other_protocol";
const ADDRESS: &str = "address";

/// `@file`: the rest is read.
pub(super) fn at_file(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if words::beginning(&word).starts_with('@') {
        walk.apply(OperandUse::Read, ArgumentPart { arg: part.arg, skip: part.skip + 1 }, 0);
    } else if words::begins_unknown(&word) {
        walk.path(part.arg, FileAccess::Read, words::unknown(&word), false);
    }
}

/// `ecl:@file`, among settings that name none.
pub(super) fn hello(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    match words::beginning(&word).find(":@") {
        Some(at) => {
            let file = ArgumentPart { arg: part.arg, skip: part.skip + at + ":@".len() };
            walk.apply(OperandUse::Read, file, 0);
        }
        None if word.literal().is_none() => {
            walk.path(part.arg, FileAccess::Read, words::unknown(&word), false);
        }
        None => {}
    }
}

/// The names and passwords of the user.
pub(super) fn netrc(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let pieces = vec![WordPiece::Home, WordPiece::Text("/.netrc".to_owned())];
    let target = Word { pieces, ..walk.place(part.arg).clone() };
    walk.path(part.arg, FileAccess::Read, target, false);
}

/// A file, or several: curl makes them of braces and brackets.
pub(super) fn upload(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if words::some_text(&word, |text| text.contains(['{', '['])) {
        walk.path(part.arg, FileAccess::Read, words::unknown(&word), false);
    } else {
        walk.apply(OperandUse::Read, part, 0);
    }
}

/// What is said at the end: `%output{file}` writes it there, also where the text stands in a file.
pub(super) fn write_out(walk: &mut ArgumentWalk, part: ArgumentPart) {
    at_file(walk, part);
    let word = walk.word(part);
    if word.literal().is_none_or(|text| text.starts_with('@') || text.contains("%output{")) {
        walk.path(part.arg, FileAccess::Write, words::unknown(&word), false);
    }
}

/// `name@file`, without a `=` before.
pub(super) fn named_at_file(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    match begins.find(['@', '=']) {
        Some(at) if begins[at..].starts_with('@') => {
            walk.apply(
                OperandUse::Read,
                ArgumentPart { arg: part.arg, skip: part.skip + at + 1 },
                0,
            );
        }
        None if word.literal().is_none() => {
            walk.path(part.arg, FileAccess::Read, words::unknown(&word), false)
        }
        _ => {}
    }
}

/// `name=@file`, `name=<file`, with `,` and `;` between several files and their types.
pub(super) fn form(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let Some(text) = word.literal() else {
        return walk.path(part.arg, FileAccess::Read, words::unknown(&word), false);
    };
    let content = text.split_once('=').map_or("", |(_, content)| content);
    if content.starts_with('@') || content.starts_with('<') {
        for name in content.get(1..).unwrap_or("").split([',', ';']) {
            let name = name.trim_matches('"');
            walk.path(part.arg, FileAccess::Read, words::text(&word, name), false);
        }
    }
    for piece in content.split(';').filter_map(|piece| piece.strip_prefix("headers=")) {
        if let Some(name) = piece.strip_prefix(['@', '<']) {
            let name = name.trim_matches('"');
            walk.path(part.arg, FileAccess::Read, words::text(&word, name), false);
        }
    }
}

/// A name of a file unless there is a `=` in it.
pub(super) fn cookie(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if !words::beginning(&walk.word(part)).contains('=') {
        walk.apply(OperandUse::Read, part, 0);
    }
}

/// A key, or a file that holds it.
pub(super) fn pinned(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if !words::beginning(&walk.word(part)).starts_with("sha256//") {
        walk.apply(OperandUse::Read, part, 0);
    }
}

/// `file[:password]`
pub(super) fn certificate(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    match word.literal().and_then(|text| text.split_once(':')) {
        Some((file, _)) => walk.path(part.arg, FileAccess::Read, words::text(&word, file), false),
        None => walk.apply(OperandUse::Read, part, 0),
    }
}

/// `-i`: the list is read, or fetched, and what it names is not known.
pub(super) fn list(walk: &mut ArgumentWalk, part: ArgumentPart) {
    walk.apply(OperandUse::Read, part, 0);
    let unknown = words::unknown(walk.place(part.arg));
    walk.effects.urls.push((part.arg, unknown));
}

/// `-b`: what it would say goes into a file of this name.
pub(super) fn background(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let log = words::text(walk.place(part.arg), "wget-log");
    walk.path(part.arg, FileAccess::Write, log, false);
}

/// A file whose name is not known is written here.
pub(super) fn named_there(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let name = words::unknown(walk.place(part.arg));
    walk.path(part.arg, FileAccess::Write, name, false);
}

/// What an address is that names no protocol: a file, for one.
pub(super) fn protocol(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let known = |name: &str| matches!(name, "http" | "https" | "ftp" | "ftps");
    if !walk.word(part).literal().is_some_and(known) {
        walk.keep(OTHER_PROTOCOL, part);
        walk.runs(part.arg, DoubtReason::Alters);
    }
}

/// An address, and the file that a `file:` address is.
fn address(walk: &mut ArgumentWalk, part: ArgumentPart) -> Word {
    let mut word = walk.word(part);
    if walk.kept(PLAIN_URLS).is_none() && walk.program.names.contains(&"curl") {
        let wild = words::beginning(&word).find(['{', '[']);
        // Brackets around the host are an address of IPv6.
        let wild = wild.filter(|at| {
            !words::beginning(&word)[..*at].ends_with("//")
                || words::beginning(&word)[*at..].starts_with('{')
        });
        if let Some(at) = wild
            && let Some(WordPiece::Text(text)) = word.pieces.first_mut()
        {
            // Before the host it may make any protocol, `file:` among them.
            let anything = !text.get(..at).unwrap_or_default().contains([':', '/']);
            text.truncate(at);
            word.pieces.truncate(1);
            word.pieces.push(WordPiece::Unknown { splits: false });
            if anything {
                word = words::unknown(&word);
                walk.path(part.arg, FileAccess::Read, word.clone(), false);
            }
        }
    }
    if walk.kept(OTHER_PROTOCOL).is_some() {
        walk.apply(OperandUse::Read, part, 0);
    }
    let begins = words::beginning(&word);
    if begins.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
        let rest = begins.get(5..).unwrap_or("");
        let path = rest
            .strip_prefix("//")
            .map_or(rest, |rest| rest.find('/').map_or("", |at| &rest[at..]));
        let skip = part.skip + begins.len() - path.len();
        let mut target = walk.word(ArgumentPart { arg: part.arg, skip });
        if begins.contains('%') || word.literal().is_none() {
            target = words::unknown(&target);
        }
        walk.path(part.arg, FileAccess::Read, target, false);
    }
    walk.effects.urls.push((part.arg, word.clone()));
    word
}

/// The name that a download is given: the last part of the address.
fn download_name(address: &Word, query: bool) -> Word {
    let Some(text) = address.literal() else { return words::unknown(address) };
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = text.split('#').next().unwrap_or("");
    let text = if query { text } else { text.split('?').next().unwrap_or("") };
    match text.split_once('/').map(|(_, path)| path.rsplit('/').next().unwrap_or("")) {
        None | Some("") => words::text(address, "index.html"),
        Some(name) if name.contains('%') => words::unknown(address),
        Some(name) => words::text(address, name),
    }
}

fn addresses(walk: &mut ArgumentWalk) -> Vec<ArgumentPart> {
    let operands = std::mem::take(&mut walk.operands).into_iter();
    let mut parts: Vec<ArgumentPart> =
        operands.map(|operand| ArgumentPart { arg: operand.arg, skip: 0 }).collect();
    parts.extend(walk.all_kept(ADDRESS));
    parts
}

fn download(walk: &mut ArgumentWalk, arg: usize, name: &Word) {
    let target = match walk.kept(DIRECTORY) {
        Some(directory) => words::join(&walk.word(directory), name),
        None => name.clone(),
    };
    walk.path(arg, FileAccess::Write, target, false);
}

pub(super) fn curl(walk: &mut ArgumentWalk) {
    // The newest read the addresses from a file: `--url @file`.
    let named: Vec<ArgumentPart> = walk.all_kept(ADDRESS).into_iter().collect();
    named.into_iter().for_each(|part| at_file(walk, part));
    for part in addresses(walk) {
        let address = address(walk, part);
        if let Some(flag) = walk.kept(REMOTE_NAME) {
            let name = match walk.kept(SERVER_NAMES) {
                Some(_) => words::unknown(&address),
                None => download_name(&address, false),
            };
            download(walk, flag.arg, &name);
        }
    }
    for part in walk.all_kept(NAMED) {
        let name = walk.word(part);
        // `#1` is what the address has in its first braces.
        let made = words::some_text(&name, |text| text.contains('#'));
        let name = if made { words::unknown(&name) } else { name };
        if name.literal() != Some("-") {
            download(walk, part.arg, &name);
        }
    }
}

pub(super) fn wget(walk: &mut ArgumentWalk) {
    for part in addresses(walk) {
        let address = address(walk, part);
        if walk.kept(NAMED).is_none() {
            let name = match walk.kept(SERVER_NAMES) {
                Some(_) => words::unknown(&address),
                None => download_name(&address, true),
            };
            download(walk, part.arg, &name);
        }
    }
    for part in walk.all_kept(NAMED) {
        walk.apply(OperandUse::WriteOut, part, 0);
    }
    if let Some(flag) = walk.kept(RECURSIVE) {
        match walk.kept(DIRECTORY) {
            Some(directory) => walk.apply(OperandUse::WriteBelow, directory, 0),
            None => {
                walk.path(flag.arg, FileAccess::Write, words::text(walk.place(flag.arg), "."), true)
            }
        }
    }
}

/// `[METHOD] URL [item…]`, where an item can have `@file`, `=@file` or `:=@file`.
pub(super) fn httpie(walk: &mut ArgumentWalk) {
    let mut found = false;
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.place(operand.arg);
        let method =
            word.literal().is_some_and(|text| text.chars().all(|char| char.is_ascii_uppercase()));
        if !found && !method {
            found = true;
            walk.operand_is(operand, OperandUse::Url);
        } else if let Some(at) = words::beginning(word).find('@') {
            walk.apply(OperandUse::Read, ArgumentPart { arg: operand.arg, skip: at + 1 }, 0);
        } else if word.literal().is_none() {
            walk.path(operand.arg, FileAccess::Read, words::unknown(word), false);
        }
    }
}
