//! A command line, taken apart into every command, write, read and variable it can run, or *unknown*. Pure.
//!
//! Not a general parser but a prover: it walks the text once and emits facts, and all that it does not fully understand, and
//! every limit of its work, becomes an [`FactKind::Unknown`], which nothing allows. Its facts are a superset of what the shell
//! can do: a branch not taken, a loop never entered and a function never called count as if they ran.
//!
//! `findings` collects, `grammar` reads lists and compound commands, `lexer` words and what expands in them, and
//! `programs` knows the commands that run other commands.

pub(crate) mod effects;
mod facts;
mod findings;
mod grammar;
mod handed;
mod lexer;
mod programs;
mod prover;
mod sweep;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use effects::{CommandParts, CompilerWords, base_name, parts, stays_below};
pub use effects::{
    DescribedOption, DescribedProgram, OptionArity, described, is_interpreter_or_launcher,
    programs_document, subcommand_depth,
};
pub(crate) use effects::{
    EffectKnowledge, LinksPut, LinksRead, OpenedFiles, PassedOver, PathUse, ProgramKind,
    SettingsFiles, TakenBelow, command_of, deletes, is_command_name, is_formatter, is_understood,
    kind, knowledge_of, links_put, links_read, loads_tests, only_asks, only_reads, opens,
    opens_no_file, option_marks, passes_links, reads_names_only, replaces, settings_of,
    special_like, takes_addresses, takes_below, takes_data_only, tells_reads, used_by, without_g,
    written_out,
};
pub(crate) use facts::SHELL_INPUT;
pub use facts::{
    Command, CommandRole, DoubtReason, FactKind, FileAccess, FileLoss, LineAnalysis, LineFact,
    Shell, Span, Word, WordPiece, WorkingDir,
};

pub(crate) use handed::{
    HandedVariable, is_everyday, may_obey, none_takes_orders, takes_no_orders,
};
pub(crate) use programs::is_builtin;

use findings::LineFindings;
use prover::{LineProver, ShellDialect};

/// The longest script that is read, in bytes.
const MAX_TEXT: usize = 1 << 20;

/// Everything that `script`, given to `shell -c`, could do.
///
/// For [`Shell::Sh`] the facts of both bash and dash, so that a judge of them takes the stricter reading. What is beyond the
/// limits (1 MiB of text, 100 levels, 8,000 words, 2,000 facts) is unknown; what was found before still counts, and what is
/// behind is searched for the names of commands, so that a deny of them still bites.
pub fn analyze(script: &str, shell: Shell) -> LineAnalysis {
    let whole = Span { start: 0, end: script.len() };
    if shell == Shell::Other {
        return LineAnalysis::unknown(whole, DoubtReason::OtherShell);
    }
    let (first, plan) = read(script, shell, LineFindings::default());
    match plan {
        // With the values that are certain, more is known.
        Some(plan) => match read(script, shell, LineFindings::planned(plan)) {
            (second, _) if !second.is_too_much() => second,
            _ => first,
        },
        None => first,
    }
}

/// Reads the whole script once. Says what a second reading needs to know, where it would tell more.
fn read(
    script: &str, shell: Shell, mut findings: LineFindings,
) -> (LineAnalysis, Option<values::LoopPlan>) {
    let whole = Span { start: 0, end: script.len() };
    let mut text = script;
    let cleaned;
    let mut place = None;
    if text.contains('\0') {
        findings.unknown(whole, DoubtReason::Nul);
        cleaned = text.replace('\0', "");
        text = &cleaned;
        place = Some(whole);
    }
    if text.contains('\x01') || text.contains('\x7f') {
        // bash marks with them what it has quoted, and drops or doubles those that it is given.
        findings.unknown(whole, DoubtReason::NotUnderstood);
    }
    if text.len() > MAX_TEXT {
        findings.unknown(whole, DoubtReason::TooLong);
        let end = (0..=MAX_TEXT).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        text = text.get(..end).unwrap_or_default();
    }
    prove(text, shell, place, &mut findings);
    if findings.exhausted {
        sweep::sweep(text, place, &mut findings);
    }
    findings.finish(whole)
}

/// Reads `text` as each dialect that `shell` can mean.
fn prove(text: &str, shell: Shell, place: Option<Span>, findings: &mut LineFindings) {
    let whole = place.unwrap_or(Span { start: 0, end: text.len() });
    findings.values.read(text);
    if place.is_none() {
        findings.begin();
    }
    match shell {
        Shell::Sh if prover::is_shared(text) => {
            LineProver::new(text, ShellDialect::Bash, place, findings).script();
        }
        Shell::Bash => LineProver::new(text, ShellDialect::Bash, place, findings).script(),
        Shell::Posix => LineProver::new(text, ShellDialect::Dash, place, findings).script(),
        Shell::Sh => {
            let start = findings.len();
            let dirs = findings.dirs.clone();
            let mark = findings.values.mark();
            let moved = findings.has_moved();
            LineProver::new(text, ShellDialect::Bash, place, findings).script();
            if findings.exhausted {
                // Nothing allows it any more, and what is denied is looked for in other ways.
                return;
            }
            let middle = findings.len();
            let reached = std::mem::replace(&mut findings.dirs, dirs);
            let moves = findings.again_from(mark, moved);
            if place.is_none() {
                findings.begin();
            }
            LineProver::new(text, ShellDialect::Dash, place, findings).script();
            findings.merge(start, middle);
            findings.reach(reached);
            findings.both_from(mark, moves);
        }
        Shell::Zsh => {
            LineProver::new(text, ShellDialect::Bash, place, findings).script();
            if !prover::is_plain(text) {
                findings.unknown(whole, DoubtReason::OtherShell);
            }
        }
        Shell::Other => findings.unknown(whole, DoubtReason::OtherShell),
    }
}
