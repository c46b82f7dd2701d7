//! Lines that once ran unasked and did more than they showed: none is allowed, and none passes a deny that names it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use countersign_core::call::Json;
use countersign_core::layers::preset;
use countersign_core::path::{RealFiles, Where};
use countersign_core::policy::document::{Format, Layer, Source, load};
use countersign_core::policy::{Effect, JudgedCall, Policy, judge};

const LINES: &str = include_str!("attacks/lines.txt");

/// A project as a hostile repository brings it, a home with a secret, and a folder outside.
struct House {
    root: PathBuf,
}

impl House {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("attacks-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for folder in [
            "home/.ssh",
            "out",
            "project/sub",
            "project/d",
            "project/src",
            "project/dst",
            "project/ev/.git/hooks",
            "project/h",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for folder in [
            "project/.git/objects",
            "project/.git/refs",
            "project/bare/objects",
            "project/bare/refs",
            "out/evil/.git/objects",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        let root = root.canonicalize().unwrap();
        for (file, text) in [
            ("home/.ssh/id_rsa", "SECRET"),
            ("out/victim.txt", "victim"),
            ("project/important.txt", "important"),
            ("project/list", "PWNED"),
            ("project/@list", "x"),
            ("project/.env", "API_KEY=hunter2"),
            ("project/src/c", "PWNED"),
            ("project/ev/.git/hooks/pre-commit", "x"),
            ("project/.git/HEAD", "ref: refs/heads/main"),
            ("project/.git/config", "[core]"),
            ("project/bare/HEAD", "ref: refs/heads/main"),
            ("project/bare/config", "[core]\n\tfsmonitor = touch x"),
            ("out/evil/.git/config", "[core]\n\tfsmonitor = touch x"),
        ] {
            fs::write(root.join(file), text).unwrap();
        }
        for (link, target) in [
            ("project/keys", "../home/.ssh"),
            ("project/key", "../home/.ssh/id_rsa"),
            ("project/h/f", "../../home/.ssh/id_rsa"),
            ("project/d/l", "../../out/victim.txt"),
            ("project/dst/c", "../../out/victim.txt"),
            ("project/-out", "../out/victim.txt"),
            ("project/sub/00Tree.html", "../../out/victim.txt"),
            ("out/link", "victim.txt"),
            ("project/ol", "../out"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        Self { root }
    }

    fn at(&self, name: &str) -> String {
        self.root.join(name).to_str().unwrap().to_owned()
    }

    fn policy(&self, name: &str) -> Policy {
        let text = match name {
            "ls" => r#"{"version":1,"rule":[{"effect":"allow","commands":["ls"]},{"effect":"deny","commands":["touch","rm"]}]}"#.to_owned(),
            "find" => r#"{"version":1,"rule":[{"effect":"allow","commands":["find","echo"]},{"effect":"deny","commands":["rm","curl"]}]}"#.to_owned(),
            "here" => r#"{"version":1,"rule":[{"effect":"allow","commands":["cat","echo"]},{"effect":"deny","commands":["rm"]}]}"#.to_owned(),
            "deny" => r#"{"version":1,"rule":[{"effect":"allow","commands":["git diff","git log","find","grep","more","diff3","man","apropos","ack","jq","column"]},{"effect":"deny","reads":["~/.ssh/**"]},{"effect":"deny","writes":["/**"]}]}"#.to_owned(),
            "copy" => format!(r#"{{"version":1,"rule":[{{"effect":"allow","commands":["cp","echo"],"writes":["${{project}}/**"]}},{{"effect":"deny","writes":["~/**","{}/**"]}}]}}"#, self.at("out")),
            "pack" => r#"{"version":1,"rule":[{"effect":"allow","commands":["tar","zip"],"writes":["${project}/**"]},{"effect":"deny","reads":["~/.ssh/**"]}]}"#.to_owned(),
            "deny-names" => r#"{"version":1,"rule":[{"effect":"allow","commands":["*"]},{"effect":"deny","reads":["~/.ssh/**","**/.env"]},{"effect":"deny","commands":["rm"]}]}"#.to_owned(),
            "deny-keys" => r#"{"version":1,"rule":[{"effect":"allow","commands":["*"]},{"effect":"deny","reads":["~/.ssh/**"]}]}"#.to_owned(),
            "deny-out" => format!(r#"{{"version":1,"rule":[{{"effect":"allow","commands":["cp"],"writes":["/**"]}},{{"effect":"deny","writes":["{}/**"]}}]}}"#, self.at("out")),
            preset_name => preset(preset_name).unwrap().to_owned(),
        };
        let format = if text.starts_with('{') { Format::Json } else { Format::Toml };
        let source = Source { layer: Layer::Code, name: Arc::from(name), trusted: true };
        let context = Where {
            cwd: self.at("project"),
            home: Some(self.at("home")),
            project: Some(self.at("project")),
            ..Where::default()
        };
        Policy::compile(vec![load(&text, format, source).unwrap()], &context).unwrap()
    }

    fn line(&self, line: &str) -> String {
        line.replace('⏎', "\n")
            .replace("{out}", &self.at("out"))
            .replace("{home}", &self.at("home"))
            .replace("{project}", &self.at("project"))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(Path::new(&self.root));
    }
}

fn verdict(policy: &Policy, tool: &str, line: &str) -> (Effect, String) {
    let args = BTreeMap::from([("command".to_owned(), Json::String(line.to_owned()))]);
    let (args, annotations) = (Json::Object(args), BTreeMap::new());
    let call = JudgedCall {
        tool_name: tool,
        args: &args,
        cwd: None,
        annotations: &annotations,
        conditions: &[],
    };
    let verdict = judge(policy, &call, &RealFiles).unwrap();
    (verdict.effect, verdict.reason)
}

#[test]
fn a_pattern_is_asked_about_where_it_finds_an_option_and_nowhere_else() {
    let house = House::new("patterns");
    let [plain, hostile] = ["plain", "hostile"].map(|name| {
        let folder = house.root.join("project").join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a.txt"), "x").unwrap();
        folder
    });
    fs::write(hostile.join("-aR"), "").unwrap();
    fs::write(hostile.join("@list"), "").unwrap();
    let mut wrong = Vec::new();
    for (line, in_plain, in_hostile) in [
        ("grep . *", true, false),
        ("grep -n x *", true, false),
        ("grep x *.txt", true, true),
        ("grep x ./*", true, true),
        ("grep x -- *", true, true),
        ("grep x [a-z]*", true, true),
        ("grep x [^b]*", true, false),
        ("grep x ?aR", true, false),
        ("ls *", true, false),
        ("wc -l *", true, false),
        ("sort *.txt", true, true),
        ("strings *", true, false),
        ("strings -- *", true, false),
        ("strings ./*", true, true),
        ("for f in *; do strings \"$f\"; done", true, false),
        ("ls; git status && grep x *", true, false),
        ("touch ./-aR; grep x *", false, false),
        ("npm test; grep x *", false, false),
    ] {
        for (folder, expected) in [(&plain, in_plain), (&hostile, in_hostile)] {
            let context = Where {
                cwd: folder.to_str().unwrap().to_owned(),
                home: Some(house.at("home")),
                project: Some(folder.to_str().unwrap().to_owned()),
                ..Where::default()
            };
            let source = Source { layer: Layer::Code, name: Arc::from("developer"), trusted: true };
            let document = load(preset("developer").unwrap(), Format::Toml, source).unwrap();
            let policy = Policy::compile(vec![document], &context).unwrap();
            let (effect, reason) = verdict(&policy, "bash", line);
            if (effect == Effect::Allow) != expected {
                wrong.push(format!("{line} in {}: {effect:?}: {reason}", folder.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is described, or only mentioned, costs no question where nothing is said against it.
#[test]
fn what_is_meant_to_run_still_runs() {
    let house = House::new("meant");
    let mut wrong = Vec::new();
    for (name, line) in [
        ("developer", "prettier --check 'src/**/*.{ts,tsx}'"),
        ("developer", "prettier --write \"**/*.md\""),
        ("developer", "prettier --check . '!**/dist/**'"),
        ("developer", "eslint 'src/**/*.ts' --fix"),
        ("developer", "eslint 'app/[id]/page.tsx'"),
        ("developer", "mocha 'test/**/*.spec.js'"),
        ("developer", "mocha --spec 'test/{a,b}/*.js'"),
        ("developer", "jest 'foo\\.test' 'src/(a|b)'"),
        ("developer", "jest --config jest.config.js"),
        ("developer", "pytest 'tests/a.py::test_x[1-2]'"),
        ("developer", "vitest list --json=out.json"),
        ("developer", "rustfmt --check src/a.rs"),
        ("read-only", "ls -R src"),
        ("read-only", "ls -L src"),
        ("deny-names", "aws s3 cp out.txt s3://bucket/x"),
        ("deny-names", "docker run -v ./src:/x img npm test"),
        ("deny-names", "docker run --rm img ls"),
        ("deny-names", "gls -la"),
    ] {
        let (effect, reason) = verdict(&house.policy(name), "bash", line);
        if effect != Effect::Allow {
            wrong.push(format!("{name}: {line}\n    {effect:?}: {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_that_once_got_through_is_allowed() {
    let house = House::new("lines");
    let mut policies: BTreeMap<&str, Policy> = BTreeMap::new();
    let mut wrong = Vec::new();
    let rows: Vec<&str> =
        LINES.lines().filter(|row| !row.is_empty() && !row.starts_with('#')).collect();
    assert!(rows.len() > 180, "{} lines", rows.len());
    for row in rows {
        let mut parts = row.splitn(4, ' ');
        let [name, tool, expected, line] = std::array::from_fn(|_| parts.next().unwrap());
        let names: &[&str] = match name {
            "both" => &["read-only", "developer"],
            name => &[name],
        };
        for name in names {
            let policy = policies.entry(name).or_insert_with(|| house.policy(name));
            let (effect, reason) = verdict(policy, tool, &house.line(line));
            let holds = match expected {
                "!" => effect == Effect::Deny,
                _ => effect != Effect::Allow,
            };
            if !holds {
                wrong.push(format!("{name} {tool}: {line}\n    {effect:?}: {reason}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} got through:\n{}", wrong.len(), wrong.join("\n"));
}
