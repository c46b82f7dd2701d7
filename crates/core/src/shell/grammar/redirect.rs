//! Redirections.

use super::super::lexer::{WordMode, may_expand};
use super::super::prover::{LineProver, Read, ReadStop};
use super::super::{DoubtReason, FileAccess, FileLoss, Word, WordPiece};

impl LineProver<'_, '_> {
    /// The redirections behind a compound command.
    pub(super) fn redirections(&mut self) -> Read {
        loop {
            self.blanks();
            match self.peek() {
                b'<' | b'>' => self.redirect()?,
                b'&' if self.bash() && self.second() == b'>' => self.redirect()?,
                b'0'..=b'9' => {
                    let start = self.at;
                    if !self.descriptor() {
                        self.at = start;
                        return Err(ReadStop(DoubtReason::NotUnderstood));
                    }
                    self.redirect()?;
                }
                b'{' if self.bash() => match self.redirect_variable() {
                    true => self.redirect()?,
                    false => return Ok(()),
                },
                _ => return Ok(()),
            }
        }
    }

    /// The number right before a redirection; `false`, behind some digits, without one. POSIX leaves open whether it may have
    /// more digits than one: dash then takes it for a word.
    pub(super) fn descriptor(&mut self) -> bool {
        let mut digits = 0;
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.bump(1);
            digits += 1;
        }
        let redirects = matches!(self.peek(), b'<' | b'>');
        if redirects && digits > 1 && !self.bash() {
            self.unknown(start, DoubtReason::NotUnderstood);
            return false;
        }
        redirects
    }

    /// `{NAME}` right before a redirection; the variable is set.
    pub(super) fn redirect_variable(&mut self) -> bool {
        let start = self.at;
        self.bump(1);
        let name = self.name();
        let mut whole = true;
        let mut evaluates = false;
        if self.peek() == b'[' && !name.is_empty() {
            let from = self.at;
            while !matches!(self.peek(), 0 | b'}' | b' ' | b'\n' | b'$' | b'`') {
                self.bump(1);
            }
            whole = self.byte(self.at.saturating_sub(1)) == b']';
            let subscript = self.slice(from, self.at).trim_matches(['[', ']']);
            evaluates = !subscript.bytes().all(|byte| byte.is_ascii_digit());
        }
        let here =
            whole && !name.is_empty() && self.eat(b'}') && matches!(self.peek(), b'<' | b'>');
        if here {
            let span = self.span(start);
            self.found.assign(span, &name);
            if evaluates {
                self.unknown(start, DoubtReason::Arithmetic);
            }
        } else {
            self.at = start;
        }
        here
    }

    /// A redirection, from its operator on.
    pub(super) fn redirect(&mut self) -> Read {
        self.peek();
        let start = self.at;
        let (mut reads, mut writes, mut duplicates) = (false, false, false);
        // What is there goes on being there.
        let mut appends = false;
        let before = self.slice(0, start);
        let descriptor = before.trim_end_matches(|char: char| char.is_ascii_digit());
        let descriptor = before.get(descriptor.len()..).unwrap_or_default();
        let is_output = matches!(descriptor, "" | "1") && !before.ends_with('}');
        if self.peek() == b'<' {
            self.found.input_names = None;
        }
        if self.eat(b'&') {
            // `&>`, `&>>`
            self.expect(b'>')?;
            appends = self.eat(b'>');
            writes = true;
        } else if self.eat(b'<') {
            match self.peek() {
                b'<' if self.second() == b'<' && self.bash() => {
                    self.bump(2);
                    self.blanks_before_target();
                    let word = self.word(WordMode::Plain)?.word;
                    if let Some(text) = word.literal() {
                        self.found.print(word.span, text.to_owned());
                    }
                    return Ok(());
                }
                b'<' => {
                    self.bump(1);
                    return self.here_document();
                }
                b'>' => {
                    self.bump(1);
                    (reads, writes) = (true, true);
                }
                b'&' => {
                    self.bump(1);
                    duplicates = true;
                    reads = true;
                }
                _ => reads = true,
            }
        } else {
            self.expect(b'>')?;
            writes = true;
            match self.peek() {
                b'>' => {
                    self.bump(1);
                    appends = true;
                }
                b'|' => self.bump(1),
                b'&' => {
                    self.bump(1);
                    duplicates = true;
                }
                _ => {}
            }
        }
        if writes && is_output {
            self.found.output_is_told = !duplicates;
        }
        self.blanks_before_target();
        if duplicates && self.bash() && self.eat(b'-') {
            // The operator ends here: what follows, with or without a blank, is a word of its own.
            return Ok(());
        }
        let from = self.at;
        let mut target = self.word(WordMode::Plain)?;
        if self.bash() && may_expand(self.slice(from, self.at)) {
            target.word.pieces = vec![WordPiece::Unknown { splits: true }];
        }
        let span = self.span(start);
        if duplicates {
            let number = target.word.literal().map(|text| text.strip_suffix('-').unwrap_or(text));
            if number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit())) {
                return Ok(());
            }
            if !self.bash() {
                // A descriptor that is only known when it runs; never a file.
                return Ok(());
            }
            self.expanded_again(&mut target.word)?;
        }
        if target.process && !writes {
            return Ok(());
        }
        let network = target.word.pieces.first().is_some_and(|piece| {
            matches!(piece, WordPiece::Text(text) if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/"))
        });
        if network {
            self.unknown(start, DoubtReason::Network);
        }
        if reads && (writes || !duplicates) && !target.process {
            self.found.redirect(span, FileAccess::Read, target.word.clone(), FileLoss::Nothing);
        }
        if writes {
            let text = target.word.literal();
            // It may be a terminal.
            let is_file =
                text.is_some_and(|text| !text.starts_with("/dev/") || text == "/dev/null");
            self.found.output_is_told &= is_file;
            let loss = if appends { FileLoss::Nothing } else { FileLoss::Replaced };
            self.found.redirect(span, FileAccess::Write, target.word, loss);
        }
        Ok(())
    }

    /// bash expands the file of `>&` once more: what was quoted in it is no longer.
    fn expanded_again(&mut self, target: &mut Word) -> Read {
        let plain = |byte: u8| {
            byte.is_ascii_alphanumeric() || b"_./,:=@%+-^".contains(&byte) || !byte.is_ascii()
        };
        let mut texts = target.pieces.iter().filter_map(|piece| match piece {
            WordPiece::Text(text) => Some(text),
            _ => None,
        });
        if texts.clone().all(|text| text.bytes().all(plain)) {
            return Ok(());
        }
        let code = texts.any(|text| text.contains(['$', '`']));
        let word = std::mem::replace(&mut target.pieces, vec![WordPiece::Unknown { splits: true }]);
        if code {
            self.found.unknown(target.span, DoubtReason::NotUnderstood);
            self.known_parts(&Word { span: target.span, pieces: word });
        }
        self.check_limits()
    }

    fn blanks_before_target(&mut self) {
        while matches!(self.peek(), b' ' | b'\t') {
            self.bump(1);
        }
    }
}
