//! The options of each program by their names, made at the first use.

use std::collections::HashMap;

use super::spec::{Program, Row, Style, Use};

/// The options of a program.
pub(super) struct Index {
    pub(super) program: &'static Program,
    /// By the letter: the number of the row and one, 0 for none.
    short: [u8; 128],
    /// Sorted by name, with the numbers of their rows.
    long: Vec<(&'static str, usize)>,
}

impl Index {
    fn new(program: &'static Program) -> Self {
        let mut short = [0; 128];
        let mut long = Vec::new();
        for (number, row) in program.rows.iter().enumerate() {
            for letter in row.short.bytes() {
                // The first row with the letter counts.
                if let Some(slot @ 0) = short.get_mut(usize::from(letter)) {
                    *slot = u8::try_from(number + 1).unwrap_or_default();
                }
            }
            long.extend(row.long.split_ascii_whitespace().map(|name| (name, number)));
        }
        long.sort_unstable();
        Self { program, short, long }
    }

    /// The row of a letter.
    pub(super) fn short(&self, letter: char) -> Option<&'static Row> {
        let number = self.short.get(usize::try_from(u32::from(letter)).ok()?)?.checked_sub(1)?;
        self.program.rows.get(usize::from(number))
    }

    /// The row of a long name; of an abbreviation the one that matters most.
    pub(super) fn long(&self, name: &str) -> Option<&'static Row> {
        let from = self.long.partition_point(|(known, _)| *known < name);
        let same = self.long.iter().skip(from).take_while(|(known, _)| known.starts_with(name));
        let mut found: Option<&'static Row> = None;
        for (known, number) in same {
            let row = self.program.rows.get(*number)?;
            if known.len() == name.len() {
                return Some(row);
            }
            let one_dash = matches!(self.program.style, Style::OneDash | Style::OneDashLeading);
            let matters = matches!(row.uses, Use::Runs | Use::RunsFile);
            if !one_dash && !name.is_empty() && (found.is_none() || matters) {
                found = Some(row);
            }
        }
        found
    }
}

/// The programs by name.
pub(super) type Names = HashMap<&'static str, &'static Index>;

/// All programs of these tables by each of their names. What it makes is kept for as long as the process lives.
pub(super) fn by_name(tables: &[&'static [Program]]) -> Names {
    let mut names = Names::new();
    for program in tables.iter().copied().flatten() {
        let index: &'static Index = Box::leak(Box::new(Index::new(program)));
        for name in program.names {
            names.entry(name).or_insert(index);
        }
    }
    names
}
