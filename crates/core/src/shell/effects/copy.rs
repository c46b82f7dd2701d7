//! Sources and a destination.

use super::spec::Use;
use super::walk::{Operand, Part, Walk};
use super::words;
use crate::shell::Access;

/// Of more sources than these the names in the destination are not spelled out.
const MOST_SOURCES: usize = 64;

impl Walk<'_> {
    /// The destination may be a directory: the sources' names in it are written.
    fn under(&mut self, destination: Part, sources: &[Operand]) {
        if sources.len() > MOST_SOURCES {
            let target = words::unknown(self.place(destination.arg));
            return self.path(destination.arg, Access::Write, target, true);
        }
        let directory = self.word(destination);
        for source in sources {
            if let Some(name) = words::file_name(self.place(source.arg)) {
                let target = words::join(&directory, &name);
                self.path(destination.arg, Access::Write, target, self.recursive());
            }
        }
    }

    /// Sources and a destination. With words that may vanish or become several, more than one could be the destination.
    pub(super) fn copy(&mut self, operands: &[Operand], source: Use) {
        let last = operands.len().saturating_sub(1);
        if let Some(into) = self.into {
            self.under(into, operands);
        }
        let certain = operands.iter().rposition(|operand| !self.place(operand.arg).splits());
        for (index, operand) in operands.iter().enumerate() {
            let destination = self.into.is_none() && index >= certain.unwrap_or(0);
            let several = self.place(operand.arg).splits();
            if index < last || several || self.into.is_some() || last == 0 {
                self.operand_is(*operand, source);
            }
            if destination && (last > 0 || several) {
                self.operand_is(*operand, Use::Write);
                self.under(
                    Part { arg: operand.arg, skip: 0 },
                    operands.get(..index).unwrap_or(&[]),
                );
            }
            if last == 0 && self.into.is_none() && !several {
                // `ln -s target` writes here, under the target's name.
                let here = words::text(self.place(operand.arg), ".");
                self.path(operand.arg, Access::Write, here, false);
            }
        }
    }
}
