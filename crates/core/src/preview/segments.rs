//! A command, taken apart as the policy judged it: each part on a line of its own, with what was said about it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;

use super::safe::{on_one_line, safe};

/// What is shown of a part that runs unasked, at each end, in characters,
const CALM_END: usize = 1_000;
/// of one that asks or is denied,
const ASKING_END: usize = 4_000;
/// shown up to this many bytes before they too are cut like those that run unasked,
const ASKING_ALL: usize = 32_000;
/// and of a reason.
const REASON_END: usize = 200;
/// Parts that run unasked, shown at each end of the command.
const CALM_PARTS: usize = 20;
/// Parts that ask or are denied, shown at each end of the command.
const ASKING_PARTS: usize = 50;

/// Stands between what is said about a part and the part.
const BLANK: &str = "         ";

/// What a policy makes of a part of a command. In the order of strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkEffect {
    /// It runs unasked.
    Allow,
    /// It is what is asked about.
    Ask,
    /// It must not run.
    Deny,
}

/// What was said about a part of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentMark {
    /// Where it starts, in bytes of the command.
    pub start: usize,
    /// Where it ends. What is out of range or within a character is moved outwards to the next bound.
    pub end: usize,
    /// What was said.
    pub effect: MarkEffect,
    /// Why. Empty: nothing is written about it.
    pub reason: String,
}

/// A stretch of the command, and the strictest mark on it.
struct CommandPart {
    start: usize,
    end: usize,
    mark: Option<usize>,
}

/// The command, safe to show: a line for each part, which is made safe and stands behind a gutter, and before the gutter what
/// was said about it (`+ ok`, `? asks`, `x denied`), so that no command can say that of itself. Where marks overlap the
/// strictest counts, then the inner one. Parts that ask or are denied are followed by the reason, and are shown whole up to
/// 8,000 characters each, as long as all of them do not fill pages; of long commands the calm parts in the middle are hidden, and counted.
pub fn segments(command: &str, marks: &[SegmentMark]) -> String {
    let parts = parts(command, marks);
    let mut told = vec![false; marks.len()];
    let mut text = String::new();
    let calm: Vec<bool> =
        parts.iter().map(|part| effect(part, marks) <= Some(MarkEffect::Allow)).collect();
    let mut asking_left = calm.iter().filter(|calm| !**calm).count();
    let mut calm_left = calm.len() - asking_left;
    let (mut calm_seen, mut asking_seen) = (0, 0);
    let mut hidden = HiddenParts::default();
    let mut room = ASKING_ALL;
    for (part, is_calm) in parts.iter().zip(calm) {
        let (seen, left, most) = if is_calm {
            (&mut calm_seen, &mut calm_left, CALM_PARTS)
        } else {
            (&mut asking_seen, &mut asking_left, ASKING_PARTS)
        };
        let shown = *seen < most || *left <= most;
        *seen += 1;
        *left -= 1;
        if let Some(mark) = part.mark.and_then(|mark| told.get_mut(mark)) {
            *mark |= shown;
        }
        if shown {
            hidden.flush(&mut text);
            let end = if is_calm || room == 0 { CALM_END } else { ASKING_END };
            let before = text.len();
            write_part(&mut text, command, part, marks, end);
            if !is_calm {
                room = room.saturating_sub(text.len() - before);
            }
        } else {
            hidden.add(&command[part.start..part.end], is_calm);
        }
    }
    hidden.flush(&mut text);
    others(&mut text, marks, &told);
    text.truncate(text.trim_end_matches('\n').len());
    text
}

fn effect(part: &CommandPart, marks: &[SegmentMark]) -> Option<MarkEffect> {
    part.mark.and_then(|mark| marks.get(mark)).map(|mark| mark.effect)
}

fn write_part(
    text: &mut String, command: &str, part: &CommandPart, marks: &[SegmentMark], end: usize,
) {
    let label = match effect(part, marks) {
        None => BLANK,
        Some(MarkEffect::Allow) => "+ ok     ",
        Some(MarkEffect::Ask) => "? asks   ",
        Some(MarkEffect::Deny) => "x denied ",
    };
    let shown = safe(&command[part.start..part.end], end);
    for (index, line) in shown.split('\n').enumerate() {
        let (label, gutter) = if index == 0 { (label, "│ ") } else { (BLANK, "┆ ") };
        let _infallible = writeln!(text, "{label}{gutter}{line}");
    }
    let mark = part.mark.and_then(|mark| marks.get(mark));
    let reason =
        mark.filter(|mark| mark.effect > MarkEffect::Allow).map_or("", |mark| mark.reason.as_str());
    if !reason.is_empty() {
        let _infallible = writeln!(text, "{BLANK}^ {}", on_one_line(reason, REASON_END));
    }
}

/// What asks or is denied for a place that has no text, or lies within an equally strict one, or is hidden.
fn others(text: &mut String, marks: &[SegmentMark], told: &[bool]) {
    let mut left: Vec<&SegmentMark> = marks
        .iter()
        .zip(told)
        .filter(|(mark, told)| !**told && mark.effect > MarkEffect::Allow)
        .map(|(mark, _)| mark)
        .collect();
    left.sort_by_key(|mark| Reverse(mark.effect));
    for mark in left.iter().take(ASKING_PARTS) {
        let label = if mark.effect == MarkEffect::Deny { "x denied " } else { "? asks   " };
        let _infallible = writeln!(text, "{label}^ {}", on_one_line(&mark.reason, REASON_END));
    }
    if left.len() > ASKING_PARTS {
        let _infallible = writeln!(text, "…[{} more reasons hidden]…", left.len() - ASKING_PARTS);
    }
}

#[derive(Default)]
struct HiddenParts {
    parts: usize,
    asking: usize,
    chars: usize,
}

impl HiddenParts {
    fn add(&mut self, part: &str, calm: bool) {
        self.parts += 1;
        self.asking += usize::from(!calm);
        self.chars += part.chars().count();
    }

    fn flush(&mut self, text: &mut String) {
        let Self { parts, asking, chars } = std::mem::take(self);
        if parts > 0 {
            let _infallible = writeln!(
                text,
                "…[{parts} parts with {chars} characters hidden here, {asking} of them ask or are denied]…"
            );
        }
    }
}

/// The command in stretches with one strictest mark each, blank ones between others left out.
fn parts(command: &str, marks: &[SegmentMark]) -> Vec<CommandPart> {
    let spans: Vec<(usize, usize)> =
        marks.iter().map(|mark| (floor(command, mark.start), ceil(command, mark.end))).collect();
    let mut starts: Vec<usize> =
        (0..marks.len()).filter(|mark| spans[*mark].0 < spans[*mark].1).collect();
    starts.sort_by_key(|mark| spans[*mark].0);
    let mut bounds: Vec<usize> =
        starts.iter().flat_map(|mark| [spans[*mark].0, spans[*mark].1]).collect();
    bounds.extend([0, command.len()]);
    bounds.sort_unstable();
    bounds.dedup();

    let mut parts: Vec<CommandPart> = Vec::new();
    // The strictest on top, then the one that starts last, then the shortest.
    let mut open = BinaryHeap::new();
    let mut starts = starts.into_iter().peekable();
    for bound in bounds.windows(2) {
        let [start, end] = *bound else { continue };
        while let Some(mark) = starts.next_if(|mark| spans[*mark].0 <= start) {
            open.push((marks[mark].effect, spans[mark].0, Reverse(spans[mark].1), mark));
        }
        while open.peek().is_some_and(|(_, _, Reverse(end), _)| *end <= start) {
            open.pop();
        }
        let mark = open.peek().map(|(.., mark)| *mark);
        match parts.last_mut() {
            Some(last) if last.mark == mark => last.end = end,
            _ => parts.push(CommandPart { start, end, mark }),
        }
    }
    for part in &mut parts {
        // Only blanks and line ends between parts: nothing that needs a line.
        let text = &command[part.start..part.end];
        let trimmed = text.trim_matches([' ', '\n']);
        if part.mark.is_none() && text.len() < 40 {
            part.start += text.len() - text.trim_start_matches([' ', '\n']).len();
            part.end = part.start + trimmed.len();
        }
    }
    parts.retain(|part| part.mark.is_some() || part.start < part.end);
    parts
}

fn floor(text: &str, index: usize) -> usize {
    let index = index.min(text.len());
    (0..=index).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0)
}

fn ceil(text: &str, index: usize) -> usize {
    let index = index.min(text.len());
    (index..=text.len()).find(|index| text.is_char_boundary(*index)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::{BULK, shows_forbidden};
    use super::*;
    use crate::cases::cases;

    fn mark(start: usize, end: usize, effect: MarkEffect, reason: &str) -> SegmentMark {
        SegmentMark { start, end, effect, reason: reason.to_owned() }
    }

    #[test]
    fn each_part_has_its_line() {
        use MarkEffect::{Allow, Ask, Deny};
        let command = "git status && rm -rf x; cat ~/.ssh/id";
        for (marks, expected) in [
            (vec![], "         │ git status && rm -rf x; cat ~/.ssh/id"),
            (
                vec![
                    mark(0, 10, Allow, "safe"),
                    mark(14, 22, Ask, "no rule allows it"),
                    mark(24, 37, Deny, "a key"),
                ],
                "+ ok     │ git status\n         │ &&\n? asks   │ rm -rf x\n         ^ no rule allows it\n         │ ;\nx denied │ cat ~/.ssh/id\n         ^ a key",
            ),
            // The strictest counts, then the inner one.
            (
                vec![
                    mark(0, 37, Ask, "outer"),
                    mark(14, 22, Allow, ""),
                    mark(17, 20, Ask, "inner"),
                ],
                "? asks   │ git status && rm \n         ^ outer\n? asks   │ -rf\n         ^ inner\n? asks   │  x; cat ~/.ssh/id\n         ^ outer",
            ),
            // Nothing that asks is lost.
            (
                vec![
                    mark(0, 37, Deny, "all"),
                    mark(14, 22, Ask, "within"),
                    mark(5, 5, Ask, "empty\nspan"),
                ],
                "x denied │ git status && rm -rf x; cat ~/.ssh/id\n         ^ all\n? asks   ^ empty\\u{000A}span\n? asks   ^ within",
            ),
            (
                vec![mark(30, 2, Ask, "turned"), mark(99, 999, Deny, "")],
                "         │ git status && rm -rf x; cat ~/.ssh/id\nx denied ^ \n? asks   ^ turned",
            ),
        ] {
            let mut shown = segments(command, &marks);
            let mut sorted = shown.lines().collect::<Vec<_>>();
            if marks.iter().any(|mark| mark.reason == "within") {
                sorted[2..].sort();
                shown = sorted.join("\n");
            }
            assert_eq!(shown, expected);
        }
    }

    #[test]
    fn what_is_within_a_character_is_shown_whole_and_lines_go_on_behind_a_gutter_of_their_own() {
        assert_eq!(
            segments("é x\ny\u{1b}", &[mark(1, 5, MarkEffect::Ask, "")]),
            "? asks   │ é x\n         ┆ \n         │ y\\u{001B}"
        );
    }

    #[test]
    fn long_commands_keep_both_ends_and_all_that_asks() {
        let command = "ls; ".repeat(10_000) + "rm x; " + &"ls; ".repeat(10_000);
        let mut marks: Vec<SegmentMark> =
            (0..10_000).map(|part| mark(part * 4, part * 4 + 2, MarkEffect::Allow, "")).collect();
        marks.push(mark(40_000, 40_004, MarkEffect::Ask, "why"));
        let shown = segments(&command, &marks);
        assert!(shown.contains("\n? asks   │ rm x\n         ^ why\n"), "{shown}");
        assert!(shown.starts_with("+ ok     │ ls\n") && shown.ends_with("ls; "), "{shown}");
        assert!(shown.len() < 5_000, "{}", shown.len());
        let hidden: usize = shown
            .lines()
            .filter_map(|line| {
                line.strip_prefix("…[")?
                    .split_once(" parts")
                    .map(|(count, _)| count.parse::<usize>().unwrap())
            })
            .sum();
        assert_eq!(hidden, 20_001 - 40);
    }

    #[test]
    fn many_long_parts_that_ask_fill_no_pages() {
        let part = "x".repeat(10_000);
        let command = format!("{part};").repeat(120);
        let marks: Vec<SegmentMark> = (0..120)
            .map(|at| mark(at * 10_001, at * 10_001 + 10_000, MarkEffect::Ask, "why"))
            .collect();
        let shown = segments(&command, &marks);
        assert_eq!(shown.lines().filter(|line| line.starts_with("? asks   │ x")).count(), 100);
        assert!(shown.len() < 300_000, "{}", shown.len());
        let one = segments(&part, &[mark(0, 8_000, MarkEffect::Ask, "")]);
        assert!(one.contains(&"x".repeat(8_000)));
    }

    #[test]
    fn much_takes_no_long_time() {
        let command = "é; ".repeat(BULK / 4);
        let nested: Vec<SegmentMark> =
            (0..BULK / 10).map(|at| mark(at, BULK - at, MarkEffect::Ask, "x")).collect();
        let start = crate::cpu_time::Instant::now();
        let shown = segments(&command, &nested);
        eprintln!("{:?}", start.elapsed());
        assert!(start.elapsed().as_secs() < 5 && shown.len() < 100_000, "{}", shown.len());
    }

    fn any_effect() -> impl Strategy<Value = MarkEffect> {
        prop_oneof![Just(MarkEffect::Allow), Just(MarkEffect::Ask), Just(MarkEffect::Deny)]
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn no_mark_breaks_it(
            command in any::<String>(),
            marks in proptest::collection::vec((0_usize..40, 0_usize..60, any_effect(), any::<String>()), 0..12),
        ) {
            let marks: Vec<SegmentMark> =
                marks.into_iter().map(|(start, end, effect, reason)| mark(start, end, effect, &reason)).collect();
            let shown = segments(&command, &marks);
            prop_assert!(!shows_forbidden(&shown), "{shown:?}");
            for (effect, label) in [(MarkEffect::Ask, "? asks"), (MarkEffect::Deny, "x denied")] {
                if marks.iter().any(|mark| mark.effect == effect) {
                    prop_assert!(shown.lines().any(|line| line.starts_with(label)), "{shown}");
                }
            }
        }

        /// Marks or none: the same characters are there to be read.
        #[test]
        fn the_command_is_whole(command in "[a-z;&|]{1,60}", bounds in proptest::collection::vec((0_usize..60, 0_usize..60, any_effect()), 0..6)) {
            let marks: Vec<SegmentMark> = bounds.into_iter().map(|(start, end, effect)| mark(start, end, effect, "")).collect();
            let shown: String = segments(&command, &marks).lines().filter_map(|line| line.split_once("│ ")).map(|(_, part)| part).collect();
            prop_assert_eq!(shown, command);
        }
    }
}
