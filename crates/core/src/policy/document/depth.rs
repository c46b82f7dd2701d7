//! How deep a TOML text nests, before it is parsed.
//!
//! The parser bounds brackets and the dots of a key each for itself. Together they still reach depths at which a tree
//! cannot be freed on the stack of a thread.

/// Brackets in brackets at most, and dots of one key. A policy needs five.
const MAX_DEPTH: usize = 16;

/// What nests too deep or closes what is not open: at which byte, and why.
pub(super) fn check(text: &str) -> Result<(), (usize, String)> {
    let bytes = text.as_bytes();
    let mut open = Vec::new();
    let mut dots = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'#' => at += bytes.iter().skip(at).take_while(|byte| **byte != b'\n').count(),
            b'"' | b'\'' => {
                at = end_of_string(bytes, at, byte);
                continue;
            }
            b'.' => dots += 1,
            b'=' | b',' | b'\n' => dots = 0,
            b'[' | b'{' => {
                dots = 0;
                open.push(byte);
            }
            b']' | b'}' => {
                dots = 0;
                let opening = if byte == b']' { b'[' } else { b'{' };
                if open.pop() != Some(opening) {
                    let (found, missing) = (char::from(byte), char::from(opening));
                    return Err((
                        at,
                        format!("{found:?} has no {missing:?} that it closes: remove it"),
                    ));
                }
            }
            _ => {}
        }
        if open.len() > MAX_DEPTH || dots > MAX_DEPTH {
            return Err((at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        at += 1;
    }
    Ok(())
}

/// The byte after the string that begins here; one without end goes to the end of the line, or of the text when it may
/// have several lines.
fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let run = |at: usize| bytes.iter().skip(at).take_while(|byte| **byte == quote).take(5).count();
    let several = run(start) >= 3;
    let mut at = start + if several { 3 } else { 1 };
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if quote == b'"' => at += 1,
            // Up to two quotes may stand before the three that end it.
            _ if byte == quote && several && run(at) >= 3 => return at + run(at),
            _ if byte == quote && !several => return at + 1,
            b'\n' if !several => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_outside_of_strings_and_comments_counts() {
        let many = "[".repeat(100);
        for fine in [
            format!("a = \"{many}\""),
            format!("a = '{many}'"),
            format!("# {many}\na = [[1]]"),
            format!("a = \"\\\"{many}\"\nb = '\\'"),
            format!("a = \"\"\"\"{many}\n{many}\"\"\"\"\"\nb = 1"),
            format!("a = '''{many}\n''{many}'''"),
            "a.b.c = 1\n[a.b]\n[[c.d]]\nx = [{ a.b = 1 }, 1.5]".to_owned(),
        ] {
            assert_eq!(check(&fine), Ok(()), "{fine}");
        }
        let deep = |at| Err((at, "nested deeper than 16 levels".to_owned()));
        for (text, expected) in [
            (format!("a = {many}"), deep(20)),
            (format!("a = \"\n{many}"), deep(22)),
            (format!("a = \"\"{many}"), deep(22)),
            (format!("a = \"\"\"\"\"\"{many}"), deep(26)),
            (format!("a = '\\'{many}"), deep(23)),
            ("a.".repeat(30), deep(33)),
            ("[a}".to_owned(), Err((2, "'}' has no '{' that it closes: remove it".to_owned()))),
            ("]".to_owned(), Err((0, "']' has no '[' that it closes: remove it".to_owned()))),
        ] {
            assert_eq!(check(&text), expected, "{text}");
        }
    }
}
