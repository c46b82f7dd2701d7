//! Foreign patterns for paths, as ours.

use super::super::Effect;

/// Patterns of ours for one of theirs, and what differs.
pub(super) type Globs = Result<(Vec<String>, Option<&'static str>), &'static str>;

/// A pattern as `.gitignore` has it, with `//` for the root, `~/` for the home directory and `/` for the project.
///
/// # Errors
/// Why there is none for an allow. Asks and denies always have one.
pub(super) fn gitignore(pattern: &str, effect: Effect) -> Globs {
    if pattern.starts_with('!') {
        return Err("a pattern that takes out again is not understood");
    }
    let (base, rest) = if let Some(rest) = pattern.strip_prefix("//") {
        ("/", rest)
    } else if let Some(rest) = pattern.strip_prefix("~/") {
        ("~/", rest)
    } else if let Some(rest) = pattern.strip_prefix('/') {
        ("${project}/", rest)
    } else if let Some(rest) = pattern.strip_prefix("./") {
        ("${cwd}/", rest)
    } else if pattern == "~" {
        ("~", "")
    } else if pattern.trim_end_matches('/').contains('/') {
        ("${cwd}/", pattern)
    } else {
        ("${cwd}/**/", pattern)
    };
    if rest.is_empty() && base != "~" {
        return Ok((vec![format!("{base}**")], None));
    }
    if effect == Effect::Allow {
        let Some(rest) = escaped(rest) else {
            return Err("its pattern has characters that ours reads otherwise");
        };
        if let Some(dir) = rest.strip_suffix('/') {
            return Ok((vec![format!("{base}{dir}/**")], None));
        }
        let last = rest.rsplit('/').next().unwrap_or("");
        let may_be_a_directory = last != "**" && (last.contains('*') || !last.contains('.'));
        let note = may_be_a_directory
            .then_some("if it is a directory, what lies below it asks: write `/**` after it");
        return Ok((vec![format!("{base}{rest}")], note));
    }
    let (rest, note) = widened(rest);
    let rest = rest.trim_end_matches('/');
    let whole = format!("{base}{rest}");
    if rest == "**" || rest.ends_with("/**") {
        return Ok((vec![whole], note));
    }
    let below = if whole.ends_with('/') { format!("{whole}**") } else { format!("{whole}/**") };
    Ok((vec![whole, below], note))
}

/// A pattern in which `*` is any text, also over directories. Relative ones start at the project.
///
/// # Errors
/// Why there is none for an allow. Asks and denies always have one.
pub(super) fn wildcard(pattern: &str, effect: Effect) -> Globs {
    let home = |rest: &str| format!("~/{rest}");
    let pattern = match pattern.strip_prefix("$HOME").or_else(|| pattern.strip_prefix('~')) {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => home(rest.trim_start_matches('/')),
        _ => pattern.to_owned(),
    };
    let anchored = pattern.starts_with('/') || pattern == "~" || pattern.starts_with("~/");
    if effect == Effect::Allow {
        if pattern.contains('?') {
            return Err("its pattern has characters that ours reads otherwise");
        }
        let Some(mut glob) = escaped(&pattern) else {
            return Err("its pattern has characters that ours reads otherwise");
        };
        // Theirs needs a directory where ours needs none.
        glob = glob.replace("**/", "*/**/");
        let mut note = Some("`*` stays within one directory now");
        if !pattern.contains('*') {
            note = None;
        } else if glob == "*" || glob.ends_with("/*") && glob.matches('*').count() == 1 {
            glob.push('*');
            note = None;
        }
        return Ok((vec![if anchored { glob } else { format!("${{project}}/{glob}") }], note));
    }
    let (text, note) = widened(&pattern);
    let note = note.or(text.contains('?').then_some("`?` stands for any text now"));
    let text = single_stars(&text.replace('?', "*"));
    let (globs, note) = across_directories(&text, note);
    // Relative paths are seen from the project. A deny does no harm when it also sees them from the working directory.
    let globs = globs.into_iter().flat_map(|glob| match anchored {
        true => vec![glob],
        false if text.starts_with('*') => vec![format!("/**/{}", glob.trim_start_matches("**/"))],
        false if effect == Effect::Deny => vec![format!("${{project}}/{glob}"), glob],
        false => vec![format!("${{project}}/{glob}")],
    });
    Ok((globs.collect(), note))
}

/// Globs that match at least what a text matches in which `*` crosses directories.
fn across_directories(
    text: &str, note: Option<&'static str>,
) -> (Vec<String>, Option<&'static str>) {
    let Some(star) = text.find('*') else { return (vec![text.to_owned()], note) };
    let (before, after) = (text.get(..star).unwrap_or(""), text.get(star + 1..).unwrap_or(""));
    let (dir, name) = before.rsplit_once('/').map_or(("", before), |(_, name)| {
        (before.get(..before.len() - name.len()).unwrap_or(""), name)
    });
    match (name.is_empty(), after) {
        (true, "") => (vec![format!("{dir}**")], note),
        (false, "") => (vec![format!("{dir}{name}*"), format!("{dir}{name}*/**")], note),
        (true, after) if after.starts_with('/') && !after.contains('*') => {
            let note = note.or(Some("the directory that `*` stands for may be missing now"));
            (vec![format!("{dir}**{after}")], note)
        }
        (_, after) if !after.contains(['*', '/']) => {
            (vec![format!("{dir}{name}*{after}"), format!("{dir}{name}*/**/*{after}")], note)
        }
        _ => {
            let note =
                note.or(Some("now it speaks of everything below the directory that it spells out"));
            (vec![format!("{dir}{name}*"), format!("{dir}{name}*/**")], note)
        }
    }
}

/// The same for ours, for an allow: `None` when something in it means something else there.
fn escaped(pattern: &str) -> Option<String> {
    let strange = |c: char| "[]\\$".contains(c) || c.is_control();
    if pattern.contains(strange) || pattern.split('/').any(|name| name == "..") {
        return None;
    }
    let names = pattern.split('/').map(|name| match name {
        "**" => name.to_owned(),
        _ => single_stars(name).replace('{', "\\{").replace('}', "\\}"),
    });
    Some(names.collect::<Vec<_>>().join("/"))
}

/// The same for ours, for an ask or a deny: from the first character on that means something else there, anything.
fn widened(pattern: &str) -> (String, Option<&'static str>) {
    let strange = |c: char| "[]\\$".contains(c) || c.is_control();
    let (plain, note) = match pattern.find(strange) {
        Some(at) => {
            let note = "what follows its first special character stands for any text now";
            (format!("{}*", pattern.get(..at).unwrap_or("")), Some(note))
        }
        None => (pattern.to_owned(), None),
    };
    let names = plain.split('/').map(|name| match name {
        "**" => name.to_owned(),
        _ => single_stars(name).replace('{', "\\{").replace('}', "\\}"),
    });
    (names.collect::<Vec<_>>().join("/"), note)
}

fn single_stars(name: &str) -> String {
    let mut single = String::with_capacity(name.len());
    for c in name.chars() {
        if c != '*' || !single.ends_with('*') {
            single.push(c);
        }
    }
    single
}
