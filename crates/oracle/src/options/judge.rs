//! The policy of the options: every program of the tables may run, and reads and writes stay inside the project.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use countersign_core::call::Json;
use countersign_core::path::{CachedFiles, FileLookup, PathContext, RealFiles, locate};
use countersign_core::policy::action::{Action, ActionKind};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, read};
use countersign_core::policy::{Effect, JudgedCall, Policy, judge};
use countersign_core::shell::{FileAccess, WordPiece};

use super::world::{HOME, PROJECT};

/// The judge of lines: the compiled policy.
#[derive(Debug, Clone)]
pub struct LineJudge {
    policy: Policy,
}

/// A file that a verdict mentions, and its use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMention {
    /// How it is used.
    pub access: FileAccess,
    /// Its absolute paths, one for each reading.
    pub places: Vec<String>,
    /// Whether all that is below it is meant, too.
    pub below: bool,
}

/// All files and programs that a verdict mentions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerdictMentions {
    /// Files.
    pub files: Vec<FileMention>,
    /// The names of the programs that run.
    pub programs: Vec<String>,
}

/// The verdict about a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineVerdict {
    /// It runs, and its effects are covered by these mentions.
    Allowed(VerdictMentions),
    /// It asks, for this reason.
    Asked(String),
}

/// The policy as a document.
pub fn document(programs: &[String]) -> String {
    let mut text =
        String::from("version = 1\n[tools.run_bash]\ncommand = \"command\"\nshell = \"bash\"\n");
    let commands: Vec<Vec<&String>> = programs.iter().map(|name| vec![name]).collect();
    let commands = serde_json::json!(commands);
    let _ = write!(text, "[[rule]]\neffect = \"allow\"\ncommands = {commands}\n");
    text.push_str("[[rule]]\neffect = \"allow\"\nwrites = [\"${project}\", \"${project}/**\"]\n");
    for access in ["reads", "writes"] {
        let _ = write!(
            text,
            "[[rule]]\neffect = \"ask\"\n{access} = [\"/\", \"/**\", \"!${{project}}\", \"!${{project}}/**\"]\n"
        );
    }
    text.push_str("[[rule]]\neffect = \"ask\"\nurls = [\"*\"]\n");
    text
}

impl LineJudge {
    /// Allows these programs.
    ///
    /// # Errors
    /// When the engine does not take the policy.
    pub fn new(programs: &[String]) -> Result<Self, String> {
        let source =
            PolicySource { layer: LayerKind::Code, name: Arc::from("options"), trusted: true };
        let text = document(programs);
        let document =
            read(&text, DocumentFormat::Toml, source).map_err(|errors| format!("{errors:?}"))?;
        let policy =
            Policy::compile(vec![document], &context()).map_err(|error| format!("{error:?}"))?;
        Ok(Self { policy })
    }

    /// The verdict about a line.
    ///
    /// # Errors
    /// When it cannot judge at all, which it must.
    pub fn verdict(&self, line: &str) -> Result<LineVerdict, String> {
        let args: Json = serde_json::json!({ "command": line })
            .to_string()
            .parse()
            .map_err(|error| format!("{error:?}"))?;
        let annotations = BTreeMap::new();
        let call = JudgedCall {
            other_names: &[],
            tool_name: "run_bash",
            args: &args,
            cwd: None,
            annotations: &annotations,
            conditions: &[],
            confined: None,
        };
        let verdict = judge(&self.policy, &call, &RealFiles).map_err(|error| error.to_string())?;
        if verdict.effect != Effect::Allow {
            return Ok(LineVerdict::Asked(verdict.reason));
        }
        let files = CachedFiles::new(&RealFiles);
        let actions = || verdict.actions.iter().map(|judged| &judged.action);
        Ok(LineVerdict::Allowed(VerdictMentions {
            files: actions().filter_map(|action| file_mention(action, &files)).collect(),
            programs: actions().filter_map(program).collect(),
        }))
    }
}

fn context() -> PathContext {
    PathContext {
        cwd: PROJECT.to_owned(),
        home: Some(HOME.to_owned()),
        project: Some(PROJECT.to_owned()),
        project_as: None,
        own: Vec::new(),
    }
}

fn program(action: &Action) -> Option<String> {
    let ActionKind::Command { argv, .. } = &action.kind else { return None };
    argv.first().and_then(|word| word.literal()).map(str::to_owned)
}

fn file_mention(action: &Action, files: &dyn FileLookup) -> Option<FileMention> {
    let ActionKind::Path { access, target, extent, .. } = &action.kind else { return None };
    let mut text = String::new();
    for piece in &target.pieces {
        match piece {
            WordPiece::Text(part) => text.push_str(part),
            WordPiece::Home => text.push_str(HOME),
            // The policy lets it pass only if all of the project may be meant.
            WordPiece::Glob(_) | WordPiece::Unknown { .. } => {
                return Some(FileMention {
                    access: *access,
                    places: vec![PROJECT.to_owned()],
                    below: true,
                });
            }
        }
    }
    let mut places = Vec::new();
    if let Ok(located) = locate(&text, &context(), files) {
        places.extend([located.lexical, located.real, located.real_of_lexical]);
        places.extend(located.through);
        places.extend(located.itself);
    }
    places.sort();
    places.dedup();
    Some(FileMention { access: *access, places, below: extent.is_recursive() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::world::ROOT;
    use crate::skip::skipped;

    /// The lines start in the world, which is made for programs alone: here it is to be missing.
    fn has_world() -> bool {
        let has = std::path::Path::new(ROOT).symlink_metadata().is_ok();
        if has {
            skipped(format!("there is a {ROOT} on this machine"));
        }
        has
    }

    #[test]
    fn only_the_project_may_be_used() {
        if has_world() {
            return;
        }
        let judge = LineJudge::new(&["cat".to_owned(), "rm".to_owned()]).unwrap();
        let allowed = |line: &str| matches!(judge.verdict(line).unwrap(), LineVerdict::Allowed(_));
        assert!(allowed("cat a") && allowed("rm -r d"));
        assert!(!allowed("cat ../a") && !allowed("rm ../a") && !allowed("ls a"));
    }

    #[test]
    fn a_verdict_speaks_of_files() {
        if has_world() {
            return;
        }
        let judge = LineJudge::new(&["rm".to_owned()]).unwrap();
        let LineVerdict::Allowed(mentions) = judge.verdict("rm -r d").unwrap() else {
            panic!("asked")
        };
        assert_eq!(mentions.programs, ["rm"]);
        let files = mentions.files;
        assert_eq!(files.len(), 1);
        assert!(files.iter().all(|it| it.access == FileAccess::Write && it.below));
        assert!(files.iter().all(|it| it.places.contains(&format!("{PROJECT}/d"))));
    }
}
