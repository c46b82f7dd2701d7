//! Words made of words: a part of an argument, a file in a directory.

use crate::shell::{DoubtReason, Word, WordPiece};

/// The text that a word begins with for certain, or an empty one.
pub(in crate::shell) fn beginning(word: &Word) -> &str {
    match word.pieces.first() {
        Some(WordPiece::Text(text)) => text,
        _ => "",
    }
}

/// The word without its first `skip` bytes, which must be a part of its [`beginning`].
pub(in crate::shell) fn without(word: &Word, skip: usize) -> Word {
    if skip == 0 {
        return word.clone();
    }
    let mut pieces = Vec::with_capacity(word.pieces.len());
    let mut rest = word.pieces.iter();
    if let Some(WordPiece::Text(text)) = rest.next()
        && let Some(text) = text.get(skip..)
        && !text.is_empty()
    {
        pieces.push(WordPiece::Text(text.to_owned()));
    }
    pieces.extend(rest.cloned());
    Word { span: word.span, pieces }
}

/// Where the path begins in what may be an address of a file: behind `file:`, `file://HOST`, or another name before a colon.
/// None: it is no such thing, or surely an address of the network.
pub(super) fn behind_scheme(text: &str) -> Option<usize> {
    let at = text.find(':')?;
    let (scheme, rest) = (text.get(..at)?, text.get(at + 1..)?);
    if scheme.is_empty()
        || !scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
    {
        return None;
    }
    match rest.strip_prefix("//") {
        None => Some(at + 1),
        Some(behind) if scheme.eq_ignore_ascii_case("file") => {
            Some(text.len() - behind.len() + behind.find('/')?)
        }
        Some(_) => None,
    }
}

/// A word that stands where `place` stands.
pub(super) fn text(place: &Word, text: &str) -> Word {
    let pieces = if text.is_empty() { vec![] } else { vec![WordPiece::Text(text.to_owned())] };
    Word { span: place.span, pieces }
}

/// The word with texts that stand side by side as one.
pub(in crate::shell) fn joined(word: Word) -> Word {
    let mut pieces: Vec<WordPiece> = Vec::with_capacity(word.pieces.len());
    for piece in word.pieces {
        match (pieces.last_mut(), piece) {
            (Some(WordPiece::Text(text)), WordPiece::Text(more)) => text.push_str(&more),
            (_, piece) => pieces.push(piece),
        }
    }
    Word { pieces, ..word }
}

/// A word that only the run will tell.
pub(super) fn unknown(place: &Word) -> Word {
    Word { span: place.span, pieces: vec![WordPiece::Unknown { splits: false }] }
}

/// Some file in the directory, of whose name this is known; it has no `/`.
pub(super) fn below(directory: &Word, name: &Word) -> Word {
    let mut pieces = directory.pieces.clone();
    push(&mut pieces, "/");
    pieces.extend(name.pieces.iter().cloned());
    Word { span: name.span, pieces }
}

/// What is called so in the folder that this file lies in.
pub(super) fn beside(file: &Word, name: &str) -> Word {
    if !file.pieces.iter().all(|piece| matches!(piece, WordPiece::Text(_) | WordPiece::Glob(_))) {
        return unknown(file);
    }
    let mut pieces = file.pieces.clone();
    while let Some(piece) = pieces.pop() {
        if let WordPiece::Text(text) = piece
            && let Some((folder, _)) = text.rsplit_once('/')
        {
            push(&mut pieces, &format!("{folder}/{name}"));
            return Word { span: file.span, pieces };
        }
    }
    text(file, name)
}

/// The same name with an ending more.
pub(super) fn longer(file: &Word, ending: &str) -> Word {
    let mut pieces = file.pieces.clone();
    push(&mut pieces, ending);
    Word { span: file.span, pieces }
}

/// The file in the directory, as a program sees it that changes into the directory first.
pub(super) fn join(base: &Word, file: &Word) -> Word {
    let begins = beginning(file);
    if begins.starts_with('/') || matches!(file.pieces.first(), Some(WordPiece::Home)) {
        return file.clone();
    }
    if !begins.is_empty() || matches!(file.pieces.first(), None | Some(WordPiece::Glob(_))) {
        let mut pieces = base.pieces.clone();
        push(&mut pieces, "/");
        for piece in &file.pieces {
            match piece {
                WordPiece::Text(text) => push(&mut pieces, text),
                other => pieces.push(other.clone()),
            }
        }
        return Word { span: file.span, pieces };
    }
    // It may turn out to be absolute.
    unknown(file)
}

fn push(pieces: &mut Vec<WordPiece>, more: &str) {
    match pieces.last_mut() {
        Some(WordPiece::Text(text)) => text.push_str(more),
        _ => pieces.push(WordPiece::Text(more.to_owned())),
    }
}

/// Whether it is `NAME=value`, or may turn out to be: what only the run will tell, or a file of such a name that a pattern
/// finds.
pub(super) fn may_assign(word: &Word) -> bool {
    word.pieces.iter().any(|piece| match piece {
        WordPiece::Text(text) => text.contains('='),
        WordPiece::Glob(_) | WordPiece::Unknown { .. } => true,
        WordPiece::Home => false,
    })
}

/// Whether it can become several words, some of them beginning with a dash.
pub(super) fn splits_into_options(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(WordPiece::Glob(_)))
        || word.pieces.iter().any(|piece| matches!(piece, WordPiece::Unknown { splits: true }))
}

/// Why it is not certain that what stands behind the first `skip` bytes of a word is the value of an option, one and no more.
/// Glued to the option (`skip` is not 0), it may turn out to be empty: then the next word is the value, and each word behind it
/// has another meaning. What may become several words has operands and options among them, or is nothing. A pattern that stands
/// by itself is for the caller.
pub(in crate::shell) fn doubt_of_value(word: &Word, skip: usize) -> Option<DoubtReason> {
    let splits = |piece: &WordPiece| matches!(piece, WordPiece::Unknown { splits: true });
    let value = without(word, skip);
    let certain = |piece: &WordPiece| matches!(piece, WordPiece::Text(_));
    if word.pieces.iter().any(splits) {
        Some(DoubtReason::CountsWords)
    } else if skip == 0 || value.pieces.iter().any(certain) {
        None
    } else if is_pattern(&value) {
        // Of a file that is called as the option is, its name is nothing but that.
        Some(DoubtReason::FindsOptions)
    } else {
        Some(DoubtReason::CountsWords)
    }
}

/// Whether it begins with a dash, and is not `-` alone.
pub(super) fn looks_like_an_option(word: &Word) -> bool {
    let begins = beginning(word);
    begins.starts_with('-') && (begins.len() > 1 || word.pieces.len() > 1)
}

/// Whether it names a file that is not simply one of this directory.
pub(super) fn looks_like_a_path(word: &Word) -> bool {
    match word.pieces.first() {
        Some(WordPiece::Home) => true,
        Some(WordPiece::Text(text)) => text.starts_with('.') || text.contains('/'),
        _ => false,
    }
}

/// Whether it certainly names something below the working directory, or that itself. A pattern matches no `..`.
pub(crate) fn stays_below(word: &Word) -> bool {
    let mut path = String::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(text) | WordPiece::Glob(text) => path.push_str(text),
            WordPiece::Home | WordPiece::Unknown { .. } => return false,
        }
    }
    let patterns = word.pieces.len() > 1;
    let stays = |part: &str| part != ".." && !(patterns && part.starts_with('.') && part.len() > 1);
    let first = word.pieces.first();
    matches!(first, Some(WordPiece::Text(_)))
        && !path.starts_with('/')
        && path.split('/').all(stays)
}

/// Whether it is the path of a file and nothing else, wherever that is.
pub(super) fn is_plain_path(word: &Word) -> bool {
    let plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+@%".contains(&byte) || !byte.is_ascii();
    word.literal()
        .is_some_and(|text| !text.is_empty() && !text.starts_with('-') && text.bytes().all(plain))
}

/// What a program may take for a name of something else: `$HOME`, `%h`, `<rootDir>`.
pub(super) const EXPANDS: &[char] = &['$', '%', '<', '>'];

/// The same in the name of what it writes. In that of what it reads these are alternatives: `{a,b}`.
pub(super) const EXPANDS_OUT: &[char] = &['$', '%', '<', '>', '{', '}'];

/// Whether a program may take some part of it for a name of something else: a home, a variable, a folder of its settings. What the
/// shell expands is no text here.
pub(super) fn may_expand(word: &Word, signs: &[char]) -> bool {
    beginning(word).starts_with('~') || some_text(word, |text| text.contains(signs))
}

/// Whether some part of it may name what is not below the working directory, or it is not certain.
pub(super) fn leads_outside(word: &Word) -> bool {
    word.pieces.iter().enumerate().any(|(index, piece)| match piece {
        WordPiece::Text(text) => {
            let bytes = text.as_bytes();
            let after = |at: usize| at.checked_sub(1).and_then(|at| bytes.get(at)).copied();
            let name = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-*+])}".contains(&byte);
            let absolute = bytes.iter().enumerate().any(|(at, byte)| {
                let begins = after(at).map_or(index == 0, |byte| !name(byte));
                // `-c/x`
                let attached = at == 2 && bytes.first() == Some(&b'-');
                matches!(byte, b'/' if begins || attached)
                    || matches!(byte, b'~' if begins || attached)
            });
            let up = text.split(|char: char| !(char == '.' || char.is_ascii_alphanumeric()));
            // `-I../x`, but not `./...`
            absolute || up.into_iter().any(|part| part.ends_with("..") && !part.ends_with("..."))
        }
        WordPiece::Glob(_) => index == 0,
        WordPiece::Home | WordPiece::Unknown { .. } => true,
    })
}

/// Whether some part of it that is certain is so.
pub(super) fn some_text(word: &Word, is_so: impl Fn(&str) -> bool) -> bool {
    word.pieces.iter().any(|piece| is_text(piece, &is_so))
}

fn is_text(piece: &WordPiece, is_so: impl Fn(&str) -> bool) -> bool {
    matches!(piece, WordPiece::Text(text) if is_so(text))
}

/// Whether a `/` stands in it for certain before all that is not certain.
pub(super) fn begins_with_a_folder(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(WordPiece::Home)) || beginning(word).contains('/')
}

/// Whether its first character is not certain.
pub(super) fn begins_unknown(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(WordPiece::Glob(_) | WordPiece::Unknown { .. }))
}

/// Whether it is a pattern for names of files and nothing else.
pub(super) fn is_pattern(word: &Word) -> bool {
    word.pieces.iter().all(|piece| matches!(piece, WordPiece::Text(_) | WordPiece::Glob(_)))
        && word.has_pattern()
}

/// Whether what a pattern finds may begin as options do.
pub(super) fn may_find_options(word: &Word) -> bool {
    matches!(word.pieces.first(), Some(WordPiece::Glob(pattern)) if !begins_as_name(pattern))
}

/// Whether the pattern begins with a class of letters and digits alone.
fn begins_as_name(pattern: &str) -> bool {
    let class = pattern.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    class.is_some_and(|(class, _)| is_class_of_names(class))
}

/// Whether it holds letters, digits and ranges of them, and nothing else: `a-z0-9`.
fn is_class_of_names(class: &str) -> bool {
    let ends = class.strip_prefix('-').is_some() || class.strip_suffix('-').is_some();
    !class.is_empty()
        && !ends
        && class.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
}

/// Whether a program that takes it for a pattern of its own may find what is not below the directory that it begins with:
/// with escapes, with quotes, with groups, or with alternatives that make a `..`. Of what it is not, it may be.
pub(super) fn may_stray(word: &Word) -> bool {
    let mut text = String::new();
    for piece in &word.pieces {
        match piece {
            WordPiece::Text(part) | WordPiece::Glob(part) => text.push_str(part),
            WordPiece::Home | WordPiece::Unknown { .. } => return true,
        }
    }
    // `!(a)` is a group.
    let text = text.strip_prefix('!').filter(|text| !text.starts_with('(')).unwrap_or(&text);
    let mut depth = 0;
    let mut rest = text.char_indices();
    let mut before = '/';
    while let Some((at, char)) = rest.next() {
        let next = text.get(at + char.len_utf8()..).and_then(|rest| rest.chars().next());
        match char {
            '\\' | '"' | '\'' | '`' | ')' | ']' => return true,
            '[' | '(' => {
                let end = if char == '[' { ']' } else { ')' };
                let Some((inside, _)) = rest.as_str().split_once(end) else { return true };
                if !is_class_of_names(inside) || (char == '(' && "?*+@!".contains(before)) {
                    return true;
                }
                rest = text.char_indices();
                rest.nth(
                    text.get(..=at + inside.len() + 1).map_or(0, |read| read.chars().count() - 1),
                );
            }
            // An alternative that is empty, or that begins or ends with a dot or a slash, may be a part of `..` or `/`.
            '{' => {
                depth += 1;
                if next.is_none_or(|next| "{},./~".contains(next)) || before == '$' {
                    return true;
                }
            }
            ',' if depth > 0
                && ("./".contains(before) || next.is_none_or(|next| "{},./~".contains(next))) =>
            {
                return true;
            }
            '}' => {
                depth -= 1;
                if depth < 0 || "./".contains(before) {
                    return true;
                }
            }
            '.' if next == Some('.') && text.contains(['{', '[', '(']) => return true,
            _ => {}
        }
        before = char;
    }
    depth != 0
}

/// The directory that a pattern begins with, for a program that looks for what it finds: `src` of `src/**/*.ts`. `None`: it
/// is no pattern.
pub(super) fn pattern_root(text: &str) -> Option<&str> {
    let text = text.strip_prefix('!').unwrap_or(text);
    let first = text.find(['*', '?', '[', '{', '(', '\\'])?;
    let root = text.get(..first)?.rsplit_once('/').map_or(".", |(root, _)| root);
    Some(if root.is_empty() { "/" } else { root })
}

/// Endings of sources and of data; such files hold no secrets by default.
const ENDINGS: &[&str] = &[
    "astro",
    "c",
    "cc",
    "cjs",
    "cpp",
    "cs",
    "css",
    "cts",
    "dart",
    "gemspec",
    "go",
    "gql",
    "graphql",
    "h",
    "handlebars",
    "hbs",
    "hpp",
    "htm",
    "html",
    "java",
    "js",
    "json",
    "json5",
    "jsonc",
    "jsx",
    "kt",
    "less",
    "lua",
    "markdown",
    "md",
    "mdx",
    "mjs",
    "mts",
    "php",
    "py",
    "pyi",
    "rake",
    "rb",
    "rs",
    "sass",
    "scala",
    "scss",
    "sql",
    "svelte",
    "svg",
    "swift",
    "toml",
    "ts",
    "tsx",
    "vue",
    "xml",
    "yaml",
    "yml",
];

/// Whether it names some of these endings and nothing else, with commas between them: `py`, `.py`, `*.py`.
pub(super) fn names_kinds(word: &Word, known: &str) -> bool {
    let is_known = |text: &str| {
        let ending = text.strip_prefix("*.").or(text.strip_prefix('.')).unwrap_or(text);
        known.split(',').any(|known| known == ending)
    };
    word.literal().is_some_and(|text| text.split(',').all(is_known))
}

/// Whether all that a pattern finds has the ending of a source, and no pattern is for names with a dot first.
pub(super) fn finds_sources(text: &str) -> bool {
    let special = ['*', '?', '[', '{', '('];
    let mut names = text.split('/');
    let hidden = names.any(|name| name.starts_with('.') && name.contains(special));
    let name = text.rsplit('/').next().unwrap_or(text);
    let Some((stem, ending)) = name.rsplit_once('.') else { return false };
    let ending = match (ending.strip_prefix('{'), stem.contains('{')) {
        (Some(more), _) => more.strip_suffix('}').unwrap_or(more),
        // `{a,b}.ts`, but not `{a.ts,b}`.
        (None, _) if stem.matches('{').count() > stem.matches('}').count() => return false,
        (None, _) => ending,
    };
    !hidden && ending.split(',').all(|ending| ENDINGS.contains(&ending))
}

/// The last component of a path; none where it names a directory's own content (`.`, `..`, `/`).
pub(super) fn file_name(path: &Word) -> Option<Word> {
    if let Some(text) = path.literal() {
        let name = text.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        return (!matches!(name, "" | "." | "..")).then(|| self::text(path, name));
    }
    let slash = |piece: &WordPiece| is_text(piece, |text| text.contains('/'));
    let Some(from) = path.pieces.iter().rposition(slash) else {
        // A pattern for names matches no slash.
        let plain = path
            .pieces
            .iter()
            .all(|piece| matches!(piece, WordPiece::Text(_) | WordPiece::Glob(_)));
        return Some(if plain { path.clone() } else { unknown(path) });
    };
    let mut pieces: Vec<WordPiece> = path.pieces.get(from..).unwrap_or(&[]).to_vec();
    match pieces.first_mut() {
        Some(WordPiece::Text(text)) => *text = text.rsplit('/').next().unwrap_or("").to_owned(),
        _ => return Some(unknown(path)),
    }
    if matches!(pieces.first(), Some(WordPiece::Text(text)) if text.is_empty()) {
        pieces.remove(0);
    }
    // `$dir/` names what only the run will tell.
    Some(if pieces.is_empty() { unknown(path) } else { Word { span: path.span, pieces } })
}
