//! The same policy as [`crate::policy`], written as users write it and judged by the engine that they get.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

use countersign_core::call::Json;
use countersign_core::path::{FileLookup, PathContext, PathError};
use countersign_core::policy::document::{DocumentFormat, LayerKind, PolicySource, read};
use countersign_core::policy::{Effect, JudgedCall, Policy, judge};
use countersign_core::shell::Shell;

use crate::{policy, sandbox::house};

/// The engine with the compiled policy.
#[derive(Debug, Clone)]
pub struct PolicyEngine {
    policy: Policy,
}

/// The file system of the sandbox, as each script finds it.
struct SandboxFiles;

impl FileLookup for SandboxFiles {
    fn read_link(&self, path: &str) -> Result<Option<PathBuf>, PathError> {
        let link = house::LINKS.iter().find(|(link, _)| *link == path);
        Ok(link.map(|(_, target)| PathBuf::from(target)))
    }

    fn is_case_sensitive(&self, _path: &str) -> bool {
        true
    }
}

/// The policy as a document.
pub fn document() -> String {
    let mut text = String::from("version = 1\n");
    for (tool, shell) in [("bash", "bash"), ("posix", "posix"), ("sh", "sh")] {
        let _ = write!(text, "[tools.run_{tool}]\ncommand = \"command\"\nshell = \"{shell}\"\n");
    }
    let commands = serde_json::json!(policy::COMMANDS);
    let env = serde_json::json!(policy::ENV);
    let _ = write!(text, "[[rule]]\neffect = \"allow\"\ncommands = {commands}\n");
    let _ = write!(
        text,
        "[[rule]]\neffect = \"allow\"\nwrites = \"{}**\"\nenv = {env}\n",
        policy::WRITES
    );
    // Files that an allowed program writes need no allow of their own.
    let _ = write!(
        text,
        "[[rule]]\neffect = \"ask\"\nwrites = [\"/\", \"/**\", \"!{}**\", \"!/dev/null\"]\n",
        policy::WRITES
    );
    text
}

impl PolicyEngine {
    /// Reads and compiles the policy.
    ///
    /// # Errors
    /// When the engine does not take it.
    pub fn new() -> Result<Self, String> {
        let source =
            PolicySource { layer: LayerKind::Code, name: Arc::from("campaign"), trusted: true };
        let text = document();
        let document =
            read(&text, DocumentFormat::Toml, source).map_err(|errors| format!("{errors:?}"))?;
        let context = PathContext {
            cwd: house::CWD.to_owned(),
            home: Some("/home/u".to_owned()),
            project: None,
            project_as: None,
            own: Vec::new(),
        };
        let policy =
            Policy::compile(vec![document], &context).map_err(|error| format!("{error:?}"))?;
        Ok(Self { policy })
    }

    /// Whether it allows a script.
    ///
    /// # Errors
    /// When it cannot judge at all, which it must.
    pub fn allows(&self, script: &str, shell: Shell) -> Result<bool, String> {
        let tool_name = match shell {
            Shell::Bash => "run_bash",
            Shell::Posix => "run_posix",
            _ => "run_sh",
        };
        let args: Json = serde_json::json!({ "command": script })
            .to_string()
            .parse()
            .map_err(|error| format!("{error:?}"))?;
        let annotations = BTreeMap::new();
        let call = JudgedCall {
            other_names: &[],
            tool_name,
            args: &args,
            cwd: None,
            annotations: &annotations,
            conditions: &[],
            confined: None,
        };
        let verdict =
            judge(&self.policy, &call, &SandboxFiles).map_err(|error| error.to_string())?;
        Ok(verdict.effect == Effect::Allow)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_engine_takes_the_policy() {
        let engine = PolicyEngine::new().unwrap();
        assert!(!engine.allows("rm x", Shell::Bash).unwrap());
        assert!(!engine.allows("echo $(rm x)", Shell::Sh).unwrap());
    }

    #[test]
    fn both_judges_agree_on_plain_commands() {
        let engine = PolicyEngine::new().unwrap();
        for (script, expected) in [
            ("git status -s && npm test", true),
            ("CI=1 ls > out/x", true),
            ("FOO=1 ls > out/x", false),
            ("ls > /work/out/x", true),
            ("ls > x", false),
            ("ls; git push", false),
            ("PATH=x ls", false),
        ] {
            for shell in [Shell::Bash, Shell::Posix, Shell::Sh] {
                let analysis = countersign_core::shell::analyze(script, shell);
                assert_eq!(
                    policy::allows(&analysis),
                    expected,
                    "{script:?} for {shell:?}: {analysis:?}"
                );
                assert_eq!(
                    engine.allows(script, shell).unwrap(),
                    expected,
                    "{script:?} for {shell:?}, by the engine"
                );
            }
        }
    }
}
