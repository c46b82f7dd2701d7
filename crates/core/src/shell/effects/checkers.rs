//! Test runners, linters and formatters: what they write, and what they load as code.

use super::expansion;
use super::spec::{OperandSpec::*, OperandUse};
use super::walk::{ArgumentPart, ArgumentWalk};
use super::words;
use crate::shell::{DoubtReason, FileAccess, Word};

const CHANGES: &str = "changes";
const STAYS: &str = "stays";

/// Reads its operands, and changes them when told to.
pub(super) fn checks(walk: &mut ArgumentWalk) {
    operands(walk, walk.kept(CHANGES).is_some());
}

/// The same, with the settings that lie beside the operands, which are code.
pub(super) fn configured(walk: &mut ArgumentWalk) {
    let before = walk.effects.loads.len();
    for operand in walk.operands.clone() {
        walk.operand_loads(operand);
    }
    for (_, word) in walk.effects.loads.iter_mut().skip(before) {
        expansion::before_deep(word);
    }
    checks(walk);
}

/// The same of a program whose settings may have it change what it checks. No rule names them.
pub(super) fn linted(walk: &mut ArgumentWalk) {
    by_settings_of_ruff(walk);
    checks(walk);
}

/// The same where it changes its operands, unless told not to.
pub(super) fn linted_formats(walk: &mut ArgumentWalk) {
    by_settings_of_ruff(walk);
    formats(walk);
}

fn by_settings_of_ruff(walk: &mut ArgumentWalk) {
    if !walk.tells_of_itself() {
        walk.unnamable(DoubtReason::SettingsOfRuff);
    }
}

/// The same of a compiler that writes where its settings and its sources say. No rule names them.
pub(super) fn compiled(walk: &mut ArgumentWalk) {
    let words = walk.argv.get(walk.from..).unwrap_or_default();
    if !CompilerWords::of(words).is_some_and(|words| words.tells) {
        walk.unnamable(DoubtReason::SettingsOfTypeScript);
    }
    configured(walk);
}

/// What the words of the TypeScript compiler have it do.
pub(crate) struct CompilerWords {
    /// It builds all projects that they name.
    pub(crate) builds: bool,
    /// It tells something of itself or of its settings, and compiles nothing.
    pub(crate) tells: bool,
    /// It makes nothing of the sources. What it keeps for the next time it writes all the same.
    pub(crate) emits_nothing: bool,
}

impl CompilerWords {
    /// `None`: some words are only known when it runs. A `false` or a `null` behind an option takes that back.
    pub(crate) fn of(words: &[Word]) -> Option<Self> {
        let words: Vec<&str> = words.iter().map(Word::literal).collect::<Option<_>>()?;
        let is_back = |at: usize| {
            words.get(at + 1).is_some_and(|next| {
                ["false", "null"].iter().any(|it| next.eq_ignore_ascii_case(it))
            })
        };
        let has = |names: &[&str]| {
            let mut told = words.iter().enumerate().filter_map(|(at, word)| {
                let name = word.strip_prefix('-')?;
                let name = name.strip_prefix('-').unwrap_or(name);
                names.iter().any(|it| name.eq_ignore_ascii_case(it)).then_some(at)
            });
            let first = told.next();
            first.is_some_and(|first| !is_back(first)) && !told.any(is_back)
        };
        let builds = words.iter().any(|word| {
            let name = word.trim_start_matches('-');
            word.starts_with('-') && ["b", "build"].iter().any(|it| name.eq_ignore_ascii_case(it))
        });
        let emits_nothing = has(&["noEmit"]) || has(&["listFilesOnly"]);
        // When it builds projects, `-v` says more of that, and some others mean nothing.
        let tells = !builds && has(&["showConfig", "h", "help", "?", "v", "version"]);
        Some(Self { builds, tells: tells && !emits_nothing, emits_nothing })
    }
}

/// Reads its operands, and what they name where settings say so that lie beside them, or above.
pub(super) fn scripts(walk: &mut ArgumentWalk) {
    for operand in walk.operands.clone() {
        walk.runs(operand.arg, DoubtReason::SettingsOfShellcheck);
    }
    walk.lay_out(All(OperandUse::Read), OperandUse::Nothing);
}

/// Changes its operands, unless told not to.
pub(super) fn formats(walk: &mut ArgumentWalk) {
    operands(walk, !walk.only_looks(STAYS));
}

/// The same of a program that goes on to the files that its operands name as their modules, wherever those lie.
pub(super) fn formats_modules(walk: &mut ArgumentWalk) {
    if !walk.only_looks(STAYS) {
        for operand in walk.operands.clone() {
            let anywhere = words::unknown(walk.place(operand.arg));
            walk.path(operand.arg, FileAccess::Write, anywhere, false);
        }
    }
    formats(walk);
}

/// What those that go over a whole project only look with.
const LOOKS: &[&str] = &["--check", "--verify-no-changes"];
/// Words beside which they keep to that.
const BESIDE: &[&str] = &["--", "--all", "-q", "--quiet", "-v", "--verbose", "--no-restore"];

/// It goes over all sources of the project, and changes them, unless told not to.
pub(super) fn everywhere(walk: &mut ArgumentWalk, _part: ArgumentPart) {
    // Its words, and those behind `--`.
    let words = walk.argv.get(walk.from..).unwrap_or_default();
    let is_in = |list: &[&str], word: &Word| word.literal().is_some_and(|it| list.contains(&it));
    let looks = words.iter().any(|word| is_in(LOOKS, word));
    if looks && words.iter().all(|word| is_in(LOOKS, word) || is_in(BESIDE, word)) {
        walk.here(OperandUse::ReadBelow);
    } else {
        changes_here(walk);
    }
}

/// It changes the sources below where it runs, and what it changes it reads.
pub(super) fn changes_here(walk: &mut ArgumentWalk) {
    walk.here(OperandUse::ReadBelow);
    let here = words::text(walk.place(0), ".");
    writes_here(walk, here);
}

/// Covered by an allow of the program; no word of the line names it.
fn writes_here(walk: &mut ArgumentWalk, here: Word) {
    walk.path(0, FileAccess::Write, here, true);
}

/// Its settings may name files that its words do not.
pub(super) fn by_settings(walk: &mut ArgumentWalk, _part: ArgumentPart) {
    if !walk.tells_of_itself() {
        walk.unnamable(DoubtReason::SettingsOfChecker);
    }
}

/// It goes over the sources below, whichever its operands name: those name others.
pub(super) fn sources(walk: &mut ArgumentWalk, _part: ArgumentPart) {
    if !walk.tells_of_itself() {
        walk.here(OperandUse::ReadBelow);
    }
}

impl ArgumentWalk<'_> {
    /// Whether it tells something of itself, and does nothing else.
    pub(super) fn tells_of_itself(&self) -> bool {
        let mut options =
            self.argv.iter().map(words::beginning).filter(|text| text.starts_with('-'));
        let tells = |text: &str| matches!(text, "--version" | "--help" | "-V" | "-h");
        options.next().is_some_and(|first| tells(first) && options.next().is_none())
    }
}

fn operands(walk: &mut ArgumentWalk, changes: bool) {
    if walk.operands.is_empty() && !walk.tells_of_itself() {
        if changes {
            changes_here(walk);
        } else if !matches!(walk.program.here, OperandUse::Nothing) {
            walk.here(walk.program.here);
        }
        return;
    }
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.word(ArgumentPart { arg: operand.arg, skip: 0 });
        let here = word.literal() == Some(".");
        if word.literal().is_some_and(|text| words::pattern_root(text).is_some()) {
            pattern(walk, operand.arg, &word, changes);
        } else if changes && here {
            // They go over the sources of a project, and that is what an allow of the program means.
            walk.operand_is(operand, OperandUse::ReadBelow);
            writes_here(walk, word);
        } else {
            walk.operand_is(operand, if changes { OperandUse::Change } else { OperandUse::Read });
        }
    }
}

/// A pattern that the program itself looks for. What it finds lies below the directory that each of its alternatives begins
/// with, dots first or not: so it has to be for sources, and for no others.
fn pattern(walk: &mut ArgumentWalk, arg: usize, word: &Word, changes: bool) {
    if words::beginning(word).starts_with('!') {
        // It leaves files out.
        return;
    }
    if words::may_expand(word, words::EXPANDS) {
        walk.runs(arg, DoubtReason::Expands);
    }
    let sources = word.literal().is_some_and(words::finds_sources);
    let alternatives = expansion::alternatives(word);
    if !sources || words::may_stray(word) || alternatives.is_none() {
        walk.runs(arg, DoubtReason::NotUnderstood);
    }
    // A file of this very name comes before what the pattern finds, and some programs know no patterns: `app/[id]/page.tsx`.
    walk.path(0, FileAccess::Read, word.clone(), false);
    if changes {
        walk.path(0, FileAccess::Write, word.clone(), false);
    }
    let mut roots: Vec<String> = alternatives.iter().flatten().map(expansion::root).collect();
    roots.sort_unstable();
    roots.dedup();
    for root in roots {
        let target = words::text(word, &root);
        if changes {
            let arg = if root == "." { 0 } else { arg };
            walk.path(arg, FileAccess::Write, target.clone(), true);
        }
        walk.path(arg, FileAccess::Read, target, true);
    }
}

/// Expressions for the names of tests of the project, or those very files.
pub(super) fn searched(walk: &mut ArgumentWalk) {
    let exactly = walk.kept("exactly").is_some();
    for operand in std::mem::take(&mut walk.operands) {
        let word = walk.word(ArgumentPart { arg: operand.arg, skip: 0 });
        let expression = word.literal().is_some_and(|_| words::may_stray(&word));
        if exactly || !expression {
            walk.operand_is(operand, OperandUse::Loads);
        } else if words::leads_outside(&word) || !words::stays_below(&word) {
            walk.runs(operand.arg, DoubtReason::RunsCode);
        }
    }
}

/// Tests, behind a command that runs them, or one that runs them in a debugger.
pub(super) fn mocha(walk: &mut ArgumentWalk) {
    if let Some(first) = walk.operands.first().copied() {
        match walk.place(first.arg).literal() {
            Some("run") => {
                walk.operands.remove(0);
            }
            Some("inspect" | "debug" | "init") | None => {
                walk.runs(first.arg, DoubtReason::RunsCode);
            }
            Some(_) => {}
        }
    }
    super::packages::inside(walk);
}

/// Filters for the names of tests, behind a command that runs them.
pub(super) fn vitest(walk: &mut ArgumentWalk) {
    if let Some(first) = walk.operands.first().copied() {
        match walk.place(first.arg).literal() {
            Some("run" | "watch" | "dev" | "related" | "bench" | "list") => {
                walk.operands.remove(0);
            }
            // It installs what it asks for.
            Some("init") => walk.runs(first.arg, DoubtReason::RunsCode),
            _ => {}
        }
    }
    walk.lay_out(All(OperandUse::Loads), OperandUse::Nothing);
}

/// Reporters, formats and environments that programs bring along. Any other is a module that is loaded.
const KNOWN: &[&str] = &[
    "agent",
    "autogenconf",
    "bdd",
    "basic",
    "blob",
    "checkstyle",
    "clang",
    "clover",
    "cobertura",
    "codeframe",
    "colorized",
    "compact",
    "d",
    "default",
    "documentation",
    "doc",
    "dot",
    "edge-runtime",
    "emacs",
    "exports",
    "failures",
    "files",
    "fuubar",
    "github",
    "github-actions",
    "gitlab",
    "h",
    "hanging-process",
    "happy-dom",
    "html",
    "istanbul",
    "j",
    "jsdom",
    "json",
    "json-stream",
    "json-summary",
    "json-with-metadata",
    "json2",
    "jslint-xml",
    "junit",
    "landing",
    "lcov",
    "lcovonly",
    "list",
    "markdown",
    "min",
    "msvs",
    "node",
    "none",
    "nyan",
    "offenses",
    "p",
    "parseable",
    "pacman",
    "progress",
    "q",
    "quiet",
    "qunit",
    "s",
    "simple",
    "spec",
    "stylish",
    "table",
    "tap",
    "tap-flat",
    "tdd",
    "teamcity",
    "text",
    "text-lcov",
    "text-summary",
    "tree",
    "unix",
    "v8",
    "verbose",
    "visualstudio",
    "w",
    "worst",
    "xunit",
];

/// One of the names above, or several with commas between them.
pub(super) fn named(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let known = |text: &str| text.split(',').all(|name| KNOWN.contains(&name));
    if !word.literal().is_some_and(known) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// `html:DIR`
pub(super) fn report(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let begins = words::beginning(&word);
    if word.literal().is_none() && !begins.contains(':') {
        return walk.runs(part.arg, DoubtReason::RunsCode);
    }
    if let Some(at) = begins.find(':') {
        let part = ArgumentPart { skip: part.skip + at + 1, ..part };
        walk.apply(OperandUse::WriteBelow, part, 0);
        if !begins.starts_with("html") && !begins.starts_with("annotate") {
            // A file, and no folder that is made again.
            walk.apply(OperandUse::Replaces, part, 0);
        }
    }
}

/// A plugin that is loaded; `no:NAME` is not loaded.
pub(super) fn plugin(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if !words::beginning(&walk.word(part)).starts_with("no:") {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// A pattern for what it leaves out. One with `!` takes in what it passes over by itself.
pub(super) fn leaves_out(walk: &mut ArgumentWalk, part: ArgumentPart) {
    if walk.word(part).literal().is_none_or(|text| text.contains('!')) {
        walk.runs(part.arg, DoubtReason::Alters);
    }
}

/// A file with settings, or one setting: some of them name files that are written.
pub(super) fn setting(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    match word.literal().and_then(|text| text.split_once('=')) {
        Some((name, _)) => {
            let harmless = ["lint.", "format.", "line-length", "target-version", "indent-width"];
            let name = name.trim();
            // A line break ends the setting, and begins another.
            let is_one = !word.literal().is_some_and(|text| text.contains(['\n', '\r']));
            if !is_one || !harmless.iter().any(|known| name.starts_with(known)) {
                walk.runs(part.arg, DoubtReason::Settings);
            }
        }
        None if word.literal().is_none() => walk.runs(part.arg, DoubtReason::Settings),
        None => walk.apply(OperandUse::Loads, part, 0),
    }
}

/// Settings of rustfmt, `name=value` with commas between them, that say how sources look.
pub(super) fn layout(walk: &mut ArgumentWalk, part: ArgumentPart) {
    const KNOWN: &[&str] = &[
        "array_width",
        "brace_style",
        "chain_width",
        "comment_width",
        "edition",
        "fn_call_width",
        "fn_params_layout",
        "format_code_in_doc_comments",
        "format_macro_bodies",
        "format_macro_matchers",
        "format_strings",
        "group_imports",
        "hard_tabs",
        "imports_granularity",
        "imports_layout",
        "match_block_trailing_comma",
        "max_width",
        "merge_derives",
        "newline_style",
        "normalize_comments",
        "reorder_imports",
        "reorder_modules",
        "skip_children",
        "struct_lit_width",
        "style_edition",
        "tab_spaces",
        "trailing_comma",
        "unstable_features",
        "use_field_init_shorthand",
        "use_small_heuristics",
        "use_try_shorthand",
        "wrap_comments",
    ];
    let is_known =
        |setting: &str| setting.split_once('=').is_some_and(|(name, _)| KNOWN.contains(&name));
    if !walk.word(part).literal().is_some_and(|text| text.split(',').all(is_known)) {
        walk.runs(part.arg, DoubtReason::Settings);
    }
}

/// A revision that git is asked about, which is no option of git's.
pub(super) fn revision(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    let certain = !words::begins_unknown(&word) && !words::splits_into_options(&word);
    // Without a value the part is the option itself.
    let option = part.skip > 0 && words::beginning(&word).starts_with('-');
    if !certain || option {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// The name of something that comes along, and no path.
pub(super) fn name(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let name = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !walk.word(part).literal().is_some_and(name) {
        walk.runs(part.arg, DoubtReason::RunsCode);
    }
}

/// `file:PATH`, the name of a style, or a style spelled out.
pub(super) fn style(walk: &mut ArgumentWalk, part: ArgumentPart) {
    let word = walk.word(part);
    if words::beginning(&word).starts_with("file:") {
        let file = ArgumentPart { skip: part.skip + "file:".len(), ..part };
        walk.apply(OperandUse::Loads, file, 0);
    }
}
