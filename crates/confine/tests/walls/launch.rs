//! Starts commands under plans, in places made for a test.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::skip::skipped;

pub(crate) const LAUNCHER: &str = env!("CARGO_BIN_EXE_countersign-confine");
pub(crate) const NOBODY: u32 = 65534;

/// A folder with a project and files outside of it, removed on drop.
pub(crate) struct TestFolder {
    pub root: PathBuf,
    /// The user of the commands; `None`: the user of the test.
    pub user: Option<u32>,
}

/// A new folder that is no temporary one: a command has those of its own. The checkout may lie among them itself.
fn made_outside_of_temporary(name: &str) -> PathBuf {
    let home = std::env::var("HOME").unwrap_or_default();
    let places = [env!("CARGO_TARGET_TMPDIR"), "/srv", "/opt", &home];
    let lasting = places.iter().filter(|place| {
        place.starts_with('/')
            && !["/tmp", "/var/tmp"].iter().any(|it| Path::new(place).starts_with(it))
    });
    for place in lasting {
        let root = Path::new(place).join(name);
        let _ = fs::remove_dir_all(&root);
        if fs::create_dir_all(&root).is_ok() {
            return root;
        }
    }
    panic!("no place for files that are not temporary: {places:?}");
}

impl TestFolder {
    pub(crate) fn new(name: &str, user: Option<u32>) -> Self {
        let who = user.map_or("self".into(), |user| user.to_string());
        let root =
            made_outside_of_temporary(&format!("confine-{}-{name}-{who}", std::process::id()));
        for folder in [
            "project/deep",
            "project/.secrets",
            "project/.git/hooks",
            "outside/empty",
            "outside/closed",
            "temporary",
        ] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (file, text) in FILES {
            fs::write(root.join(file), text).unwrap();
        }
        fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
        let place = Self { root, user };
        if let Some(user) = user {
            let all = Command::new("find").arg(&place.root).output().unwrap();
            for path in String::from_utf8(all.stdout).unwrap().lines() {
                chown(path, Some(user), Some(user)).unwrap();
            }
        }
        place
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.root.join("outside")
    }

    /// The plan that the test's own commands need: the system, the test itself, and the project to write to.
    pub(crate) fn plan(&self, command: &[&str]) -> Value {
        let own = std::env::current_exe().unwrap();
        json!({
            "command": command,
            "cwd": self.project(),
            "read": ["/usr", "/bin", "/lib", "/lib64", "/etc", own.parent().unwrap()],
            "write": [self.project()],
            "hide": [self.project().join(".env"), self.project().join(".secrets")],
            "protect": [self.project().join(".git/config"), self.project().join(".git/hooks")],
            "environment": ["PATH"],
            "status": 2,
            "withoutNamespaces": !gives_namespaces(self),
        })
    }

    /// The launcher with this plan, not started yet.
    pub(crate) fn launch(&self, plan: &Value) -> Command {
        let mut command = Command::new(LAUNCHER);
        command.arg("run").arg(plan.to_string()).stdin(Stdio::null()).env("PATH", "/usr/bin:/bin");
        // That of the test may be closed to another user.
        command.env("TMPDIR", self.root.join("temporary"));
        self.as_user(&mut command);
        command
    }

    pub(crate) fn as_user(&self, command: &mut Command) {
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
    }

    pub(crate) fn run(&self, plan: &Value) -> LaunchResult {
        LaunchResult::of(self.launch(plan).output().unwrap())
    }

    /// Runs a line of a shell under a plan that is the usual one, changed.
    pub(crate) fn sh(&self, line: &str, changes: &Value) -> LaunchResult {
        self.run(&changed(self.plan(&["sh", "-c", line]), changes))
    }

    /// The files outside, with contents and modes.
    pub(crate) fn seen_outside(&self) -> String {
        // Without the times, which reading changes.
        let look = r#"find outside -printf '%p %m %U %s %T@ %l\n' | sort; cat outside/kept outside/secret"#;
        let seen = Command::new("sh").args(["-c", look]).current_dir(&self.root).output().unwrap();
        String::from_utf8(seen.stdout).unwrap()
    }
}

const FILES: &[(&str, &str)] = &[
    ("project/own", "own"),
    ("project/.env", "hidden"),
    ("project/.git/config", "protected"),
    ("project/.secrets/key", "hidden"),
    ("outside/kept", "kept"),
    ("outside/other", "other"),
    ("outside/secret", "secret"),
];

impl Drop for TestFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The result of a launch.
#[derive(Debug)]
pub(crate) struct LaunchResult {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub out: String,
    pub err: String,
    /// The line of the launcher on the status descriptor.
    pub status: Option<Value>,
}

impl LaunchResult {
    pub(crate) fn of(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let [out, err] = [output.stdout, output.stderr]
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let status = err.lines().find_map(|line| serde_json::from_str(line).ok());
        Self { code: output.status.code(), signal: output.status.signal(), out, err, status }
    }

    /// The gaps that the launcher reports.
    pub(crate) fn open(&self) -> Vec<String> {
        let open = self.status.as_ref().and_then(|status| status["confined"]["open"].as_array());
        let open = open.unwrap_or_else(|| panic!("it was not confined: {self:?}"));
        open.iter().map(|gap| gap.as_str().unwrap().to_owned()).collect()
    }
}

pub(crate) fn changed(mut plan: Value, changes: &Value) -> Value {
    for (key, value) in changes.as_object().unwrap() {
        plan[key] = value.clone();
    }
    plan
}

/// The users of the commands of a test: the user of the test and, if that is root and others may read this folder, a plain user.
pub(crate) fn users() -> Vec<Option<u32>> {
    // SAFETY: it takes nothing and cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        return vec![None];
    }
    let looks_in = Command::new("test").args(["-x", LAUNCHER]).uid(NOBODY).gid(NOBODY).status();
    if looks_in.is_ok_and(|status| status.success()) {
        vec![None, Some(NOBODY)]
    } else {
        vec![None]
    }
}

/// Whether this machine gives namespaces to this user; a test that needs them says so where they are missing.
pub(crate) fn has_namespaces(place: &TestFolder) -> bool {
    let gives = gives_namespaces(place);
    if !gives {
        skipped("there are no namespaces");
    }
    gives
}

fn gives_namespaces(place: &TestFolder) -> bool {
    let mut command = Command::new(LAUNCHER);
    place.as_user(command.arg("report"));
    let report: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    report["namespaces"] == true
}

/// The values of `withoutNamespaces` that can be tried here.
pub(crate) fn ways(place: &TestFolder) -> Vec<bool> {
    if has_namespaces(place) { vec![false, true] } else { vec![true] }
}

/// Each plan that walls are tried under: with namespaces and without, each version of Landlock.
pub(crate) fn variants(place: &TestFolder) -> Vec<Value> {
    ways(place)
        .into_iter()
        .flat_map(|without| {
            (1..=7).map(move |abi| json!({ "withoutNamespaces": without, "abi": abi }))
        })
        .collect()
}

pub(crate) fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}
