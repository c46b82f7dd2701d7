//! The path rows that are shared with us as data. They are no part of this project: without them this test says that it
//! is skipped. `COUNTERSIGN_SHARED` names the folder; otherwise it is looked for beside the project.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test that fails should panic")]

#[path = "../src/cpu_time.rs"]
mod cpu_time;
#[path = "../src/skip.rs"]
mod skip;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use countersign_core::path::{CachedFiles, PathContext, PathGlob, PathSet, RealFiles, locate};
use cpu_time::Instant;
use serde_json::Value;
use skip::skipped;

fn rows() -> Option<String> {
    let shared = std::env::var_os("COUNTERSIGN_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    fs::read_to_string(shared.join("cases/public_path.jsonl")).ok()
}

/// A directory that stands for `/`.
struct Root(PathBuf);

impl Root {
    fn new(id: &str) -> Self {
        let name = format!("countersign-shared-path-{}-{id}", std::process::id());
        let dir = std::env::temp_dir().canonicalize().unwrap().join(name);
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    /// Where this path is: what is the same in every root, and what is relative, stays.
    fn moved(&self, path: &str) -> String {
        let stays = ["/proc", "/dev"].iter().any(|dir| {
            path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        if !path.starts_with('/') || stays {
            return path.to_owned();
        }
        format!("{}{path}", self.0.display())
    }

    fn make(&self, row: &Value) {
        for path in row["exists"].as_array().unwrap() {
            let path = path.as_str().unwrap();
            let place = self.moved(path);
            if path.ends_with('/') {
                fs::create_dir_all(place).unwrap();
            } else {
                fs::create_dir_all(Path::new(&place).parent().unwrap()).unwrap();
                fs::write(place, "").unwrap();
            }
        }
        for (link, target) in row["symlinks"].as_object().unwrap() {
            let place = self.moved(link);
            fs::create_dir_all(Path::new(&place).parent().unwrap()).unwrap();
            symlink(self.moved(target.as_str().unwrap()), place).unwrap();
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn is_inside(root: &Root, row: &Value) -> bool {
    let text = |field: &str| row[field].as_str().unwrap();
    let from = PathContext { cwd: root.moved(text("cwd")), ..PathContext::default() };
    let files = CachedFiles::new(&RealFiles);
    let Ok(path) = locate(&root.moved(text("path")), &from, &files) else { return false };
    if text("kind") == "glob" {
        let glob = PathGlob::parse(&root.moved(text("glob")), &from).unwrap();
        return glob.covers(&path, &files).unwrap();
    }
    let top = root.moved(text("root"));
    let set = PathSet::parse([top.as_str(), &format!("{top}/**")], &from).unwrap();
    set.covers(&path, &files).unwrap()
}

#[test]
fn shared_path_rows() {
    let Some(rows) = rows() else {
        skipped("no shared cases: COUNTERSIGN_SHARED names none");
        return;
    };
    let mut seen = 0;
    let mut wrong = Vec::new();
    for line in rows.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let id = row["id"].as_str().unwrap();
        if row["platform"] != "linux" {
            continue;
        }
        let root = Root::new(id);
        root.make(&row);
        let start = Instant::now();
        if is_inside(&root, &row) != row["expect_inside"].as_bool().unwrap() {
            wrong.push(format!("{id}: {}", row["why"]));
        }
        assert!(start.elapsed().as_secs() < 10, "{id} took {:?}", start.elapsed());
        seen += 1;
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(seen > 0);
}
