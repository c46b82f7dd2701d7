//! Reads the output of `{:?}`: a tree that can be walked without naming each of the hundred types of a syntax tree.

/// A value: a struct, a tuple, a list, or a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DebugTree {
    /// The name of its type or variant, or a number as it is written. Empty for lists and texts.
    pub(super) name: String,
    /// The text of a string.
    pub(super) text: Option<String>,
    /// The values in it, with the names of the fields.
    pub(super) parts: Vec<(String, DebugTree)>,
}

impl DebugTree {
    /// Reads one value.
    pub(super) fn read(debug: &str) -> Option<Self> {
        let mut chars = debug.chars().peekable();
        value(&mut chars)
    }

    /// A field.
    pub(super) fn field(&self, name: &str) -> Option<&Self> {
        self.parts.iter().find(|(field, _)| field == name).map(|(_, tree)| tree)
    }

    /// Every value in it, itself first.
    pub(super) fn all(&self) -> Vec<&Self> {
        let mut all = Vec::new();
        let mut open = vec![self];
        while let Some(tree) = open.pop() {
            all.push(tree);
            open.extend(tree.parts.iter().map(|(_, part)| part));
        }
        all
    }
}

/// The characters of a debug output that are still to be read.
type DebugChars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn value(chars: &mut DebugChars) -> Option<DebugTree> {
    let mut tree = DebugTree::default();
    match chars.peek()? {
        '"' => tree.text = Some(string(chars, '"')?),
        '\'' => tree.text = Some(string(chars, '\'')?),
        _ => {
            while let Some(c) = chars.next_if(|c| !" ,:(){}[]\"'".contains(*c)) {
                tree.name.push(c);
            }
            let close = match chars.peek() {
                Some('(') => ')',
                Some('[') => ']',
                Some('{') => '}',
                Some(' ') => {
                    let mut ahead = chars.clone();
                    ahead.next();
                    if ahead.peek() != Some(&'{') {
                        return Some(tree);
                    }
                    chars.next();
                    '}'
                }
                _ => return if tree.name.is_empty() { None } else { Some(tree) },
            };
            chars.next();
            parts(chars, close, &mut tree)?;
        }
    }
    Some(tree)
}

fn parts(chars: &mut DebugChars, close: char, tree: &mut DebugTree) -> Option<()> {
    loop {
        while chars.next_if(|c| " ,".contains(*c)).is_some() {}
        if chars.next_if_eq(&close).is_some() {
            return Some(());
        }
        let first = value(chars)?;
        if chars.next_if_eq(&':').is_some() {
            while chars.next_if_eq(&' ').is_some() {}
            tree.parts.push((first.name, value(chars)?));
        } else {
            tree.parts.push((String::new(), first));
        }
    }
}

fn string(chars: &mut DebugChars, quote: char) -> Option<String> {
    let mut text = String::new();
    chars.next();
    loop {
        match chars.next()? {
            '\\' => match chars.next()? {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                'r' => text.push('\r'),
                '0' => text.push('\0'),
                'u' => {
                    let digits: String = chars.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    text.push(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32)?);
                }
                other => text.push(other),
            },
            c if c == quote => return Some(text),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_output_is_read_back() {
        #[derive(Debug)]
        struct Sample {
            _word: Option<&'static str>,
            _list: Vec<(u8, char)>,
            _unit: (),
        }
        let sample =
            Sample { _word: Some("a\"\n\u{1b}é {"), _list: vec![(1, '\''), (2, ',')], _unit: () };
        let tree = DebugTree::read(&format!("{sample:?}")).unwrap();
        assert_eq!(tree.name, "Sample");
        let texts: Vec<&str> = tree.all().iter().filter_map(|tree| tree.text.as_deref()).collect();
        assert!(texts.contains(&"a\"\n\u{1b}é {"), "{texts:?}");
        assert!(texts.contains(&"'") && texts.contains(&","));
        assert_eq!(tree.field("_list").unwrap().parts.len(), 2);
    }
}
