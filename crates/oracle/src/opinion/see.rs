//! The commands that brush-parser and shuck-parser see.

use brush_parser::{Parser, ParserOptions, unquote_str, word};
use shuck_parser::parser::{ParseStatus, Parser as ShuckParser, ShellDialect};

use super::tree::DebugTree;

/// How deep scripts in scripts are followed.
const DEPTH: u8 = 8;

/// The commands that either sees, their words parted by tabs. `None`: neither accepts the script.
pub(super) fn commands(script: &str) -> Option<Vec<String>> {
    let (brush, shuck) = (brush(script, DEPTH), shuck(script));
    if brush.is_none() && shuck.is_none() {
        return None;
    }
    Some(brush.unwrap_or_default().into_iter().chain(shuck.unwrap_or_default()).collect())
}

fn line<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words
        .map(|word| {
            unquote_str(&word.replace("\\\n", "").replace("$'", "'").replace("$\"", "\""))
                .replace(['\n', '\t'], " ")
        })
        .collect::<Vec<_>>()
        .join("\t")
}

/// Its words are texts until they are parsed in turn.
fn brush(script: &str, depth: u8) -> Option<Vec<String>> {
    let options = ParserOptions::default();
    let program = Parser::new(script.as_bytes(), &options).parse_program().ok()?;
    let tree = DebugTree::read(&format!("{program:?}"))?;
    let mut seen = Vec::new();
    for node in tree.all() {
        let text = |node: &DebugTree| node.field("value").and_then(|value| value.text.clone());
        match node.name.as_str() {
            "SimpleCommand" => {
                let first = node
                    .field("word_or_name")
                    .and_then(|name| name.parts.first())
                    .and_then(|(_, word)| text(word));
                // `Some(CommandSuffix([Word(Word { … }), IoRedirect(…), …]))`, in order.
                let inner =
                    |tree: &'_ DebugTree| tree.parts.first().map(|(_, inner)| inner.clone());
                let items = node.field("suffix").and_then(inner).and_then(|suffix| inner(&suffix));
                let items = items.map(|items| items.parts).unwrap_or_default();
                let rest = items
                    .iter()
                    .filter(|(_, item)| item.name == "Word")
                    .filter_map(|(_, item)| inner(item))
                    .filter_map(|word| text(&word));
                let words: Vec<String> = first.into_iter().chain(rest).collect();
                if !words.is_empty() {
                    seen.push(line(words.iter().map(String::as_str)));
                }
            }
            "Word" if depth > 0 => {
                let pieces = text(node).and_then(|text| word::parse(&text, &options).ok());
                let tree = pieces.and_then(|pieces| DebugTree::read(&format!("{pieces:?}")));
                for piece in tree.iter().flat_map(DebugTree::all) {
                    if matches!(
                        piece.name.as_str(),
                        "CommandSubstitution" | "BackquotedCommandSubstitution"
                    ) {
                        let inner =
                            piece.parts.first().and_then(|(_, script)| script.text.as_deref());
                        seen.extend(
                            inner.and_then(|inner| brush(inner, depth - 1)).unwrap_or_default(),
                        );
                    }
                }
            }
            _ => {}
        }
    }
    Some(seen)
}

/// Its words know where they stand.
fn shuck(script: &str) -> Option<Vec<String>> {
    let result = ShuckParser::with_dialect(script, ShellDialect::Bash).parse();
    if result.status != ParseStatus::Clean {
        return None;
    }
    let tree = DebugTree::read(&format!("{:?}", result.file))?;
    let place = |word: &DebugTree| {
        let at =
            |end: &str| word.field("span")?.field(end)?.field("offset")?.name.parse::<usize>().ok();
        script.get(at("start")?..at("end")?).map(str::to_owned)
    };
    let mut seen = Vec::new();
    for node in tree.all().into_iter().filter(|node| node.name == "SimpleCommand") {
        let args = node
            .field("args")
            .map(|args| args.parts.iter().map(|(_, word)| word))
            .into_iter()
            .flatten();
        let words: Vec<String> =
            node.field("name").into_iter().chain(args).filter_map(place).collect();
        if words.first().is_some_and(|word| !word.is_empty()) {
            seen.push(line(words.iter().map(String::as_str)));
        }
    }
    Some(seen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_see_what_stands_in_words() {
        let script = "FOO=1 ls \"a$(rm x)\" > y <<E; git log -n 2> z 1\nb `c`\nE\n";
        for seen in [brush(script, DEPTH).unwrap(), shuck(script).unwrap()] {
            for command in ["rm\tx", "c", "git\tlog\t-n\t1"] {
                assert!(seen.iter().any(|line| line == command), "{command} is not in {seen:?}");
            }
        }
    }
}
