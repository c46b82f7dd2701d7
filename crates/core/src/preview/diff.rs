//! Which lines one text changes in another, in time that hardly grows faster than the texts.

use std::collections::HashMap;
use std::ops::Range;

use similar::{Algorithm, capture_diff_slices};

/// Up to this many lines on both sides together the smallest change is looked for; beyond, lines that stand once on each side
/// hold the texts together, and what lies between two of them and is longer than this counts as replaced.
const THOROUGH: usize = 20_000;

/// Lines of the old text that give way to lines of the new one; one of the two ranges may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineChange {
    pub(super) old: Range<usize>,
    pub(super) new: Range<usize>,
}

/// The lines of a text, each with its line feed, which only the last one may lack.
pub(super) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// What changes, from the first line to the last, with lines that stay between any two changes.
pub(super) fn changes(old: &[&str], new: &[&str]) -> Vec<LineChange> {
    let mut found = Vec::new();
    let whole = trimmed(old, new, LineChange { old: 0..old.len(), new: 0..new.len() });
    if whole.old.len() + whole.new.len() <= THOROUGH {
        smallest(old, new, whole, &mut found);
        return found;
    }
    let mut start = (whole.old.start, whole.new.start);
    let end = (whole.old.end, whole.new.end);
    for anchor in anchors(old, new, &whole).into_iter().chain([end]) {
        let gap = trimmed(old, new, LineChange { old: start.0..anchor.0, new: start.1..anchor.1 });
        if gap.old.len() + gap.new.len() <= THOROUGH {
            smallest(old, new, gap, &mut found);
        } else {
            found.push(gap);
        }
        start = (anchor.0 + 1, anchor.1 + 1);
    }
    found
}

/// Without the lines at both ends that stay.
fn trimmed(old: &[&str], new: &[&str], part: LineChange) -> LineChange {
    let (a, b) = (&old[part.old.clone()], &new[part.new.clone()]);
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tail =
        a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    LineChange {
        old: part.old.start + head..part.old.end - tail,
        new: part.new.start + head..part.new.end - tail,
    }
}

/// Adds the changes within one part.
fn smallest(old: &[&str], new: &[&str], part: LineChange, found: &mut Vec<LineChange>) {
    let (a, b) = (&old[part.old.clone()], &new[part.new.clone()]);
    if a.is_empty() || b.is_empty() {
        if !(a.is_empty() && b.is_empty()) {
            found.push(part);
        }
        return;
    }
    for op in capture_diff_slices(Algorithm::Myers, a, b) {
        let (tag, old, new) = op.as_tag_tuple();
        if tag == similar::DiffTag::Equal {
            continue;
        }
        let change = LineChange {
            old: part.old.start + old.start..part.old.start + old.end,
            new: part.new.start + new.start..part.new.start + new.end,
        };
        match found.last_mut() {
            Some(last) if last.old.end == change.old.start && last.new.end == change.new.start => {
                last.old.end = change.old.end;
                last.new.end = change.new.end;
            }
            _ => found.push(change),
        }
    }
}

/// Lines that stand exactly once on each side, as many as keep their order on both (patience diff).
fn anchors(old: &[&str], new: &[&str], part: &LineChange) -> Vec<(usize, usize)> {
    #[derive(Default)]
    struct DiffLine {
        old: (usize, usize),
        new: (usize, usize),
    }
    let mut seen: HashMap<&str, DiffLine> = HashMap::new();
    for index in part.old.clone() {
        let line = &mut seen.entry(old[index]).or_default().old;
        *line = (line.0 + 1, index);
    }
    for index in part.new.clone() {
        // What stands only in the new text holds nothing together.
        if let Some(line) = seen.get_mut(new[index]) {
            line.new = (line.new.0 + 1, index);
        }
    }
    let mut pairs: Vec<(usize, usize)> = seen
        .into_values()
        .filter(|line| line.old.0 == 1 && line.new.0 == 1)
        .map(|line| (line.old.1, line.new.1))
        .collect();
    pairs.sort_unstable();
    longest_rising(&pairs)
}

/// The longest part of the pairs whose second numbers rise like their first ones do.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length the pair that ends such a part with the least second number, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (index, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        match ends.get_mut(length) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut rising = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied();
    while let Some(index) = at {
        rising.push(pairs[index]);
        at = before[index];
    }
    rising.reverse();
    rising
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::BULK;
    use super::*;
    use crate::cases::cases;

    /// The new text, made of the old one and the changes.
    fn applied(old: &[&str], new: &[&str], changes: &[LineChange]) -> Vec<String> {
        let (mut made, mut at, mut at_new) = (Vec::new(), 0, 0);
        for change in changes {
            assert!(!change.old.is_empty() || !change.new.is_empty());
            assert!(change.old.start > at || change.new.start > at_new || made.is_empty());
            made.extend(old[at..change.old.start].iter().map(|line| (*line).to_owned()));
            assert_eq!(made.len(), change.new.start);
            made.extend(new[change.new.clone()].iter().map(|line| (*line).to_owned()));
            (at, at_new) = (change.old.end, change.new.end);
        }
        made.extend(old[at..].iter().map(|line| (*line).to_owned()));
        made
    }

    fn many(lines: usize, line: impl Fn(usize) -> String) -> String {
        (0..lines).map(line).collect()
    }

    /// Bits that repeat nowhere soon.
    fn noise(index: usize) -> usize {
        let mixed = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as usize
    }

    #[test]
    fn the_changes_are_the_smallest() {
        for (old, new, expected) in [
            ("", "", &[][..]),
            ("a\n", "a\n", &[]),
            ("", "a\nb\n", &[(0..0, 0..2)]),
            ("a\nb\n", "", &[(0..2, 0..0)]),
            ("a\nb\nc\n", "a\nx\nc\n", &[(1..2, 1..2)]),
            ("a\nb", "a\nb\n", &[(1..2, 1..2)]),
            ("a\nb\nc\nd\n", "b\nc\nd\ne\n", &[(0..1, 0..0), (4..4, 3..4)]),
            ("a\r\n", "a\n", &[(0..1, 0..1)]),
        ] {
            let found = changes(&lines(old), &lines(new));
            let found: Vec<_> = found.into_iter().map(|change| (change.old, change.new)).collect();
            assert_eq!(found, expected, "{old:?} {new:?}");
        }
    }

    #[test]
    fn unlike_texts_of_many_lines_take_no_long_time() {
        let most = BULK / 2;
        let some = BULK / 10;
        for (name, old, new) in [
            ("the same line", many(most, |_| "\n".into()), many(most - 7, |_| "\n".into())),
            (
                "no line in common",
                many(most, |i| format!("{i:x}\n")),
                many(most, |i| format!("n{i:x}\n")),
            ),
            (
                "two lines at random",
                many(most, |i| format!("{}\n", noise(i) & 1)),
                many(most, |i| format!("{}\n", noise(i + most) & 1)),
            ),
            (
                "turned round",
                many(some, |i| format!("{i}\n")),
                many(some, |i| format!("{}\n", some - i)),
            ),
            (
                "mixed",
                many(some, |i| format!("{i}\n")),
                many(some, |i| format!("{}\n", noise(i) % some)),
            ),
            (
                "at random below the limit",
                many(9_999, |i| format!("{}\n", noise(i) & 1)),
                many(9_999, |i| format!("{}\n", noise(i + most) & 1)),
            ),
            (
                "each second line",
                many(most / 2, |i| format!("{i}\n")),
                many(most / 2, |i| if i % 2 == 0 { format!("{i}\n") } else { "x\n".into() }),
            ),
        ] {
            let (old, new) = (lines(&old), lines(&new));
            let start = crate::cpu_time::Instant::now();
            let found = changes(&old, &new);
            let time = start.elapsed();
            eprintln!("{name}: {} changes in {time:?}", found.len());
            assert!(time.as_secs() < 5, "{name}: {time:?}");
            assert_eq!(applied(&old, &new, &found), new, "{name}");
        }
    }

    #[test]
    fn one_change_in_a_long_text_is_found() {
        let old = many(200_000, |i| format!("line {i}\n"));
        let new = old.replace("line 100\n", "x\ny\n").replace("line 150000\n", "");
        let found = changes(&lines(&old), &lines(&new));
        assert_eq!(
            found,
            [
                LineChange { old: 100..101, new: 100..102 },
                LineChange { old: 150_000..150_001, new: 150_001..150_001 }
            ]
        );
    }

    proptest! {
        #![proptest_config(cases(64, 256))]

        #[test]
        fn the_changes_make_the_new_text(old in "[ab\n]{0,60}", new in "[ab\n]{0,60}") {
            let (old, new) = (lines(&old), lines(&new));
            let found = changes(&old, &new);
            prop_assert_eq!(applied(&old, &new, &found), new);
        }

        #[test]
        fn anchors_rise(seconds in proptest::collection::vec(0_usize..50, 0..50)) {
            let pairs: Vec<_> = seconds.into_iter().enumerate().collect();
            let rising = longest_rising(&pairs);
            prop_assert!(rising.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        }
    }
}
