//! Programs that run the command behind their own words: it counts as a command of its own.

use super::super::{DoubtReason, FactKind, FileAccess, Shell, analyze};
use super::check;

#[test]
fn the_command_behind_is_seen() {
    check(
        Shell::Bash,
        &[
            (
                "npx --no-install rm x",
                "npx --no-install rm x; !SettingsOfNpm@4; !NotInstalled@4; [rm x]",
            ),
            ("npx -y rm x", "npx -y rm x; !SettingsOfNpm@4; [rm x]"),
            ("npm exec -- rm x", "npm exec -- rm x; !SettingsOfNpm@5; [rm x]"),
            ("pnpm exec rm x", "pnpm exec rm x; !SettingsOfNpm@4; [rm x]"),
            ("pnpm rm x", "pnpm rm x"),
            (
                "pnpm prettier x",
                "pnpm prettier x; !SettingsOfNpm@3; [prettier x]; !SettingsOfChecker@3",
            ),
            (
                "yarn prettier x",
                "yarn prettier x; !SettingsOfNpm@3; [prettier x]; !SettingsOfChecker@3",
            ),
            ("yarn exec rm x", "yarn exec rm x; !SettingsOfNpm@4; [rm x]"),
            ("bunx --no-install rm x", "bunx --no-install rm x; !SettingsOfNpm@4; [rm x]"),
            (
                "python3 -m pytest -q",
                "python3 -m pytest -q; !LinkedModule@4; [pytest -q]; !SettingsOfChecker@4",
            ),
            (
                "python3 -mpytest -q",
                "python3 -mpytest -q; !LinkedModule@3; [pytest -q]; !SettingsOfChecker@3",
            ),
            (
                "python3 -Bm pytest -q",
                "python3 -Bm pytest -q; !LinkedModule@4; [pytest -q]; !SettingsOfChecker@4",
            ),
            ("poetry run rm x", "poetry run rm x; [rm x]"),
            ("uv run rm x", "uv run rm x; [rm x]"),
            ("uv run --frozen rm x", "uv run --frozen rm x; [rm x]"),
            ("uv run -- rm x", "uv run -- rm x; [rm x]"),
            ("pdm run rm x", "pdm run rm x; [rm x]"),
            ("bundle exec rm x", "bundle exec rm x; [rm x]"),
            ("hatch run rm x", "hatch run rm x; [rm x]"),
            ("rye run rm x", "rye run rm x; [rm x]"),
            ("pipx run rm x", "pipx run rm x; [rm x]"),
            ("mise exec -- rm x", "mise exec -- rm x; [rm x]"),
            ("direnv exec . rm x", "direnv exec . rm x; [rm x]"),
            ("dotenv -e .env -- rm x", "dotenv -e .env -- rm x; [rm x]"),
            ("cross-env A=b rm x", "cross-env A=b rm x; [rm x]"),
            ("rustup run stable rm x", "rustup run stable rm x; [rm x]"),
            // Its own launchers and shells are looked through as everywhere.
            (
                "poetry run python -m pytest x",
                "poetry run python -m pytest x; [python -m pytest x]; !LinkedModule@6; [pytest x]; !SettingsOfChecker@6",
            ),
            ("uv run sh -c 'rm x'", "uv run sh -c rm x; [sh -c rm x]; rm x"),
            (
                "npx --no-install nice rm x",
                "npx --no-install nice rm x; !SettingsOfNpm@5; !NotInstalled@5; [nice rm x]; rm x",
            ),
            // What stands before a launcher needs nothing.
            (
                "timeout 5 npx --no-install tsc",
                "[timeout 5 npx --no-install tsc]; npx --no-install tsc; !SettingsOfNpm@3; !NotInstalled@3; [tsc]; !SettingsOfTypeScript@3",
            ),
            ("xvfb-run -a rm x", "[xvfb-run -a rm x]; rm x"),
            ("xvfb-run -s x rm x", "[xvfb-run -s x rm x]; !RunsCode; rm x"),
            ("xvfb-run --frob rm x", "[xvfb-run --frob rm x]; !UnknownOption; rm x; x"),
            ("npx tsc $x", "npx tsc ‹?*›; !SettingsOfNpm@3; [tsc ‹?*›]; !SettingsOfTypeScript@3"),
        ],
    );
}

/// The unknown arguments and the files of the first command of a line.
fn found(line: &str) -> String {
    let mut all = Vec::new();
    for fact in analyze(line, Shell::Bash).facts {
        match fact.what {
            // Told by the files, with any words behind the name.
            FactKind::Unknown { why: DoubtReason::NotInstalled, .. } => {}
            FactKind::Unknown { named: Some((0, arg)), .. } => all.push((arg, format!("?{arg}"))),
            FactKind::Unknown { .. } => all.push((usize::MAX, "?".to_owned())),
            FactKind::Loads { command: 0, arg, target } => {
                all.push((arg, format!("l{arg}:{}", target.literal().unwrap_or("…"))));
            }
            FactKind::Path { command: 0, arg, access, target, .. } => {
                let letter = if access == FileAccess::Read { 'r' } else { 'w' };
                all.push((arg, format!("{letter}{arg}:{}", target.literal().unwrap_or("…"))));
            }
            _ => {}
        }
    }
    all.sort();
    all.dedup();
    all.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_it_does_is_what_the_launcher_does() {
    for (line, expected) in [
        ("npx --no-install tsc --noEmit", "?2 r2:. ?4"),
        ("npx --no-install tsc -p /x", "?2 r2:. w2:. l4:/x r4:/x ?5"),
        ("npx --no-install prettier --write a.js", "?2 l4:a.js r4:a.js w4:a.js ?5"),
        ("npx --no-install prettier --write /x/a.js", "?2 l4:/x/a.js r4:/x/a.js w4:/x/a.js ?5"),
        ("npx --no-install jest --rootDir=/x", "?2 l3:/x r3:/x ?4"),
        ("npx --no-install vitest --frob", "?2 ?3 ?4"),
        ("python3 -m black src", "?2 r3:src w3:src ?4"),
        ("python3 -mblack src", "?1 r2:src w2:src ?3"),
        ("python3 -m pytest -p x", "?2 ?4 ?5"),
        ("python3 -m pytest /x", "?2 l3:/x ?4"),
        ("python3 -m json.tool a b", "?2 r3:a w4:b ?5"),
        ("python3 -m unittest discover -s /x", "?2 l5:/x r5:/x ?6"),
        ("python3 -m unittest -q tests.a", "?2 ?4 l4:tests l4:tests.a l4:tests/a l4:… ?5"),
        ("python3 -m compileall -q src", "?2 w4:__pycache__ w4:src ?5"),
        ("poetry run python -m pytest -c /x", "?2 ?4 l6:/x r6:/x ?7"),
        ("uv run ruff check --fix a.py", "?2 r5:a.py w5:a.py ?6"),
        ("bundle exec rspec -r x", "?2 ?4 ?5"),
        ("yarn eslint -o /x a.js", "?1 w3:/x l4:a.js r4:a.js ?5"),
        ("pnpm exec tsc $x", "?2 r2:. w2:. ?3 r3:… ?4"),
    ] {
        assert_eq!(found(line), expected, "{line}");
    }
}

#[test]
fn chains_end() {
    let line = format!("{} x", "poetry run ".repeat(2_000));
    assert!(
        analyze(&line, Shell::Bash)
            .facts
            .iter()
            .any(|fact| matches!(fact.what, FactKind::Unknown { named: None, .. }))
    );
}
