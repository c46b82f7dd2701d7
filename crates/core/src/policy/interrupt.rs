//! What `interruptOn` means for each tool.
//!
//! Who decides, strongest first: the entry of that very name, the tool's own `needsApproval`, then `'*'` / `'all'`.

use std::collections::HashSet;

use serde::Serialize;

pub use super::foreign_tools::folded;
use super::foreign_tools::our_tool;
use super::renamed::{is_foreign, renamed};
use crate::approval::{ApproverNeed, DecisionKinds};

/// The entry for all tools that nothing else speaks of.
pub const WILDCARD: &str = "*";

/// How an entry gates its tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryRule {
    /// `false`
    Allow,
    /// `true`, or options without a `shouldApprove`.
    Ask,
    /// Options with a `shouldApprove`.
    Judge,
}

/// One entry of `interruptOn`.
#[derive(Debug, Clone, PartialEq)]
pub struct InterruptEntry {
    /// How it gates.
    pub rule: EntryRule,
    /// What the human may answer; `None`: everything.
    pub allowed: Option<DecisionKinds>,
    /// ms; `None`: as the run says.
    pub timeout: Option<f64>,
    /// Who must agree; empty: anybody, once.
    pub needs: Box<[ApproverNeed]>,
    /// How many ms before the deadline everybody is told once more.
    pub remind: Option<f64>,
}

impl InterruptEntry {
    /// An entry without options.
    pub fn plain(rule: EntryRule) -> Self {
        Self { rule, allowed: None, timeout: None, needs: Box::default(), remind: None }
    }
}

/// A tool's own `needsApproval`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnApproval {
    /// It says nothing.
    Undefined,
    /// A literal.
    Literal(bool),
    /// A function.
    Function,
}

/// What to do about names that no tool has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownTools {
    /// Refuse what is plainly a typo, list the others.
    #[default]
    Typos,
    /// Refuse them.
    Error,
    /// List them.
    Warn,
    /// Say nothing.
    Ignore,
}

/// What is done about a call of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EntryAction {
    /// A human is asked.
    Ask,
    /// It runs.
    Allow,
    /// The entry's `shouldApprove` decides.
    Judge,
    /// The tool's own `needsApproval` decides.
    Own,
}

/// What `interruptOn` says about one tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GatedTool {
    /// What is done.
    pub action: EntryAction,
    /// The entry that decided.
    pub entry: Option<String>,
    /// The options of that entry.
    pub allowed_decisions: Option<DecisionKinds>,
    /// ms.
    pub timeout: Option<f64>,
    /// Who must agree. What the entry for all tools says of that holds also where the tool itself asks.
    #[serde(skip_serializing_if = "<[ApproverNeed]>::is_empty")]
    pub needs: Box<[ApproverNeed]>,
    /// ms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remind: Option<f64>,
}

/// What `interruptOn` says about each tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GatingPlan {
    /// In the order of the tools.
    pub tools: Vec<(String, GatedTool)>,
    /// Names that no tool has and that are no error.
    pub unknown: Vec<String>,
}

/// A name that no tool has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct UnknownTool {
    /// The name.
    pub tool_name: String,
    /// The tool that was probably meant.
    pub nearest: Option<String>,
}

impl UnknownTool {
    fn message(&self) -> String {
        let name = &self.tool_name;
        if is_pattern(name) {
            return format!(
                "interruptOn names {name:?}, but there is no such tool, and patterns are not read: that would leave open what it was to \
                 match. Name each tool, or '{WILDCARD}' for all that no other entry names. Which commands, files or addresses of a tool \
                 are asked about is said by a policy"
            );
        }
        if means_many(name) {
            return format!(
                "interruptOn names {name:?}, but there is no such tool, and the word stands for no others. For every tool write \
                 interruptOn: 'all', or the entry '{WILDCARD}' for all that no other entry names; a tool of an MCP server is \
                 'mcp__server__tool'"
            );
        }
        let is_more = name.chars().any(is_foreign);
        match &self.nearest {
            Some(nearest) if is_more => format!(
                "interruptOn names {name:?}, but there is no such tool: did you mean {nearest:?}? An entry is the name of one tool and \
                 nothing else, such as [{nearest:?}] or {{ {nearest:?}: true }}. As it is, that tool is not gated. Correct it"
            ),
            Some(nearest) => format!(
                "interruptOn names {name:?}, but there is no such tool: did you mean {nearest:?}? Under another name that tool is not \
                 gated. Correct it"
            ),
            None => format!(
                "interruptOn names {name:?}, but there is no such tool. Correct it, or set `unknownTools: 'warn'`"
            ),
        }
    }
}

/// What these entries mean for these tools. Of two entries of one name the last counts.
pub fn plan(
    tools: &[(String, OwnApproval)], entries: &[(String, InterruptEntry)],
    unknown_tools: UnknownTools,
) -> Result<GatingPlan, UnknownTool> {
    let unknown = unknown(tools, entries, unknown_tools)?;
    let tools =
        tools.iter().map(|(name, own)| (name.clone(), gating(name, *own, entries))).collect();
    Ok(GatingPlan { tools, unknown })
}

fn gating(tool: &str, own: OwnApproval, entries: &[(String, InterruptEntry)]) -> GatedTool {
    let entry = |wanted: &str| entries.iter().rfind(|(name, _)| name == wanted);
    let by_entry = |(name, entry): &(String, InterruptEntry), action| GatedTool {
        action,
        entry: Some(name.clone()),
        allowed_decisions: entry.allowed,
        timeout: entry.timeout,
        needs: entry.needs.clone(),
        remind: entry.remind,
    };
    let bare = |action| GatedTool {
        action,
        entry: None,
        allowed_decisions: None,
        timeout: None,
        needs: entry(WILDCARD).map(|(_, all)| all.needs.clone()).unwrap_or_default(),
        remind: None,
    };

    if let Some(named) = entry(tool).filter(|_| tool != WILDCARD) {
        return match named.1.rule {
            EntryRule::Allow => by_entry(named, EntryAction::Allow),
            EntryRule::Ask => by_entry(named, EntryAction::Ask),
            EntryRule::Judge => by_entry(named, EntryAction::Judge),
        };
    }
    match own {
        OwnApproval::Literal(true) => return bare(EntryAction::Ask),
        OwnApproval::Literal(false) => return bare(EntryAction::Allow),
        OwnApproval::Function => return bare(EntryAction::Own),
        OwnApproval::Undefined => {}
    }
    match entry(WILDCARD) {
        // A judge is written for one tool's arguments: for all tools the human is asked.
        Some(all) if all.1.rule != EntryRule::Allow => by_entry(all, EntryAction::Ask),
        _ => bare(EntryAction::Allow),
    }
}

fn unknown(
    tools: &[(String, OwnApproval)], entries: &[(String, InterruptEntry)],
    unknown_tools: UnknownTools,
) -> Result<Vec<String>, UnknownTool> {
    let known: HashSet<&str> = tools.iter().map(|(name, _)| name.as_str()).collect();
    // Refused even where unknown names are ignored: it was never meant as the name of a tool.
    let pattern = entries
        .iter()
        .map(|(name, _)| name.as_str())
        .find(|name| *name != WILDCARD && is_pattern(name) && !known.contains(name));
    if let Some(name) = pattern {
        return Err(UnknownTool { tool_name: name.to_owned(), nearest: None });
    }
    if unknown_tools == UnknownTools::Ignore {
        return Ok(Vec::new());
    }
    let configured: HashSet<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
    let mut unknown: Vec<String> = Vec::new();
    for (name, _) in entries {
        if name == WILDCARD || known.contains(name.as_str()) || unknown.contains(name) {
            continue;
        }
        if means_many(name) {
            return Err(UnknownTool { tool_name: name.clone(), nearest: None });
        }
        if unknown_tools != UnknownTools::Warn {
            let candidates = tools
                .iter()
                .map(|(tool, _)| tool.as_str())
                .filter(|tool| !configured.contains(tool));
            let nearest = meant(name, candidates, &known);
            if nearest.is_some() || unknown_tools == UnknownTools::Error {
                return Err(UnknownTool {
                    tool_name: name.clone(),
                    nearest: nearest.map(str::to_owned),
                });
            }
        }
        unknown.push(name.clone());
    }
    Ok(unknown)
}

/// Whether it reads like a glob or a regular expression: no provider takes these characters in the name of a tool.
fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', ']', '{', '}', '(', ')', '|', '^', '$', '\\', '+'])
}

/// Whether it is a word for tools in general: what it was to gate would be left open, so that a warning is not enough.
fn means_many(name: &str) -> bool {
    const WORDS: [&str; 15] = [
        "",
        "all",
        "alltools",
        "always",
        "any",
        "anything",
        "default",
        "each",
        "else",
        "every",
        "everything",
        "mcp",
        "other",
        "others",
        "tools",
    ];
    WORDS.contains(&folded(name).trim())
}

/// Which of these tools a name most likely means that none of them has.
///
/// `known`: all tools, also those that have entries of their own.
fn meant<'a>(
    name: &str, tools: impl Iterator<Item = &'a str> + Clone, known: &HashSet<&'a str>,
) -> Option<&'a str> {
    let near = nearest(name, tools.clone());
    // What another agent calls so is known: of other names only the same, and those of one letter more or less, are a slip of it.
    let most = if our_tool(name).is_some() { 1 } else { usize::MAX };
    let within = |most: usize| {
        near.filter(|tool| distance(name, tool).is_some_and(|distance| distance <= most))
    };
    within(0)
        .or_else(|| renamed(name, tools.clone(), known.iter().copied()))
        .or_else(|| within(most))
}

/// Which of these a misspelt name most likely means.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .filter_map(|tool| distance(name, tool).map(|distance| (distance, tool)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, tool)| tool)
}

/// How far a name is from a tool's, if it is plainly a typo of it.
fn distance(name: &str, tool: &str) -> Option<usize> {
    const MOST: usize = 2;
    if folded(name) == folded(tool) {
        return Some(0);
    }
    // Lengths first: the distance itself costs the product of the two.
    let (long, short) = (
        name.chars().count().max(tool.chars().count()),
        name.chars().count().min(tool.chars().count()),
    );
    if long - short > MOST {
        return None;
    }
    // Two names that share no letter (`rm`, `ls`) are two tools, not a typo.
    Some(strsim::levenshtein(name, tool)).filter(|distance| *distance <= MOST && *distance < long)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::approval::DecisionKind;

    fn tools(names: &[&str]) -> Vec<(String, OwnApproval)> {
        names.iter().map(|name| ((*name).to_owned(), OwnApproval::Undefined)).collect()
    }

    fn entries(names: &[&str]) -> Vec<(String, InterruptEntry)> {
        names
            .iter()
            .map(|name| ((*name).to_owned(), InterruptEntry::plain(EntryRule::Ask)))
            .collect()
    }

    #[test]
    fn a_word_for_all_tools_gates_none_of_them() {
        for word in ["all", "All", "__all__", "default", "any", "mcp", "mcp__", "_", "everything"] {
            for unknown in [UnknownTools::Typos, UnknownTools::Warn, UnknownTools::Error] {
                let message = plan(&tools(&["delete_file"]), &entries(&[word]), unknown)
                    .unwrap_err()
                    .to_string();
                assert!(message.contains("'all'") && message.contains("'*'"), "{message}");
            }
            // A tool may be called so; and what is inherited was written for the tools of another.
            assert!(
                plan(&tools(&[word]), &entries(&[word]), UnknownTools::Typos).is_ok(),
                "{word}"
            );
            assert!(
                plan(&tools(&["x"]), &entries(&[word]), UnknownTools::Ignore).is_ok(),
                "{word}"
            );
        }
    }

    #[test]
    fn precedence_over_the_whole_small_space() {
        let rules = [None, Some(EntryRule::Allow), Some(EntryRule::Ask), Some(EntryRule::Judge)];
        let owns = [
            OwnApproval::Undefined,
            OwnApproval::Literal(false),
            OwnApproval::Literal(true),
            OwnApproval::Function,
        ];
        let mut seen = 0;
        for named in rules {
            for own in owns {
                for all in rules {
                    let mut entries = Vec::new();
                    entries.extend(all.map(|rule| {
                        (
                            "*".to_owned(),
                            InterruptEntry { timeout: Some(1.0), ..InterruptEntry::plain(rule) },
                        )
                    }));
                    entries.extend(named.map(|rule| {
                        (
                            "t".to_owned(),
                            InterruptEntry { timeout: Some(2.0), ..InterruptEntry::plain(rule) },
                        )
                    }));
                    let plan =
                        plan(&[("t".to_owned(), own)], &entries, UnknownTools::Typos).unwrap();
                    // Said apart from the code, as a table of strings.
                    let expected = match (named, own, all) {
                        (Some(EntryRule::Allow), _, _) => "allow by t",
                        (Some(EntryRule::Ask), _, _) => "ask by t",
                        (Some(EntryRule::Judge), _, _) => "judge by t",
                        (None, OwnApproval::Literal(false), _) => "allow by nobody",
                        (None, OwnApproval::Literal(true), _) => "ask by nobody",
                        (None, OwnApproval::Function, _) => "own by nobody",
                        (None, OwnApproval::Undefined, Some(EntryRule::Ask | EntryRule::Judge)) => {
                            "ask by *"
                        }
                        (None, OwnApproval::Undefined, Some(EntryRule::Allow) | None) => {
                            "allow by nobody"
                        }
                    };
                    let gating = &plan.tools[0].1;
                    let entry = gating.entry.as_deref();
                    let actual = format!(
                        "{} by {}",
                        format!("{:?}", gating.action).to_lowercase(),
                        entry.unwrap_or("nobody")
                    );
                    assert_eq!(actual, expected, "{named:?} {own:?} {all:?}");
                    assert_eq!(
                        gating.timeout,
                        entry.map(|entry| if entry == "*" { 1.0 } else { 2.0 })
                    );
                    seen += 1;
                }
            }
        }
        assert_eq!(seen, 64);
    }

    #[test]
    fn names_of_prototypes_are_ordinary() {
        let plan = plan(
            &tools(&["constructor", "__proto__"]),
            &entries(&["__proto__"]),
            UnknownTools::Error,
        )
        .unwrap();
        assert_eq!(plan.tools[0].1.action, EntryAction::Allow);
        assert_eq!(plan.tools[1].1.action, EntryAction::Ask);
    }

    #[test]
    fn a_tool_under_the_name_that_another_agent_has_for_it_is_refused() {
        for (name, tool) in [
            ("Bash", "execute"),
            ("shell", "execute"),
            ("run_shell_command", "execute"),
            ("container.exec", "execute"),
            ("Write", "write_file"),
            ("Edit", "edit_file"),
            ("apply_patch", "edit_file"),
            ("Read", "read_file"),
            ("Task", "task"),
            ("TodoWrite", "write_todos"),
        ] {
            let error =
                plan(&tools(&["other", "task", tool]), &entries(&[name]), UnknownTools::Typos)
                    .expect_err(name);
            assert_eq!(error.nearest.as_deref(), Some(tool), "{name}");
            // Where that tool is not there, or is named as well, it may be of another agent.
            let unknown = |tools: &[(String, OwnApproval)], names: &[&str]| {
                plan(tools, &entries(names), UnknownTools::Typos).unwrap().unknown
            };
            assert_eq!(unknown(&tools(&["deploy"]), &[name]), [name]);
            assert_eq!(unknown(&tools(&["task", tool]), &[name, tool]), [name]);
        }
        let of_own_name =
            plan(&tools(&["execute", "bash"]), &entries(&["Bash"]), UnknownTools::Typos);
        assert_eq!(of_own_name.unwrap_err().nearest.as_deref(), Some("bash"));
    }

    #[test]
    fn a_typo_is_refused() {
        for (name, tool) in [
            ("Execute", "execute"),
            ("EXECUTE", "execute"),
            ("write-file", "write_file"),
            ("Write-File", "write_file"),
            ("exectue", "execute"),
            ("excute", "execute"),
            ("executee", "execute"),
            ("executors", "executor"),
        ] {
            let error = plan(&tools(&["other_tool", tool]), &entries(&[name]), UnknownTools::Typos)
                .unwrap_err();
            assert_eq!(error, UnknownTool { tool_name: name.into(), nearest: Some(tool.into()) });
            assert!(error.to_string().contains(tool));
            // Not when that tool has an entry of its own.
            let both =
                plan(&tools(&["other_tool", tool]), &entries(&[name, tool]), UnknownTools::Typos)
                    .unwrap();
            assert_eq!(both.unknown, [name]);
        }
    }

    #[test]
    fn the_words_of_a_tool_in_another_order_and_its_name_behind_another_are_refused() {
        for name in ["file_delete", "tools.delete_file", "mcp__fs__delete_file"] {
            let refused = |names: &[&str], entries_for: &[&str]| {
                plan(&tools(names), &entries(entries_for), UnknownTools::Typos)
                    .map(|plan| plan.unknown)
                    .map_err(|error| error.nearest)
            };
            let meant = Some("delete_file".to_owned());
            assert_eq!(refused(&["read_file", "delete_file"], &[name]), Err(meant), "{name}");
            // Not where that tool is not there, or has an entry of its own.
            assert_eq!(refused(&["read_file"], &[name]), Ok(vec![name.to_owned()]));
            let both = refused(&["delete_file"], &[name, "delete_file"]);
            assert_eq!(both, Ok(vec![name.to_owned()]));
        }
        // It is said of the tools of that server.
        let of_server = plan(
            &tools(&["delete_file", "mcp__fs__read_file"]),
            &entries(&["mcp__fs__delete_file"]),
            UnknownTools::Typos,
        );
        assert_eq!(of_server.unwrap().unknown, ["mcp__fs__delete_file"]);
    }

    #[test]
    fn other_names_are_listed() {
        let names = ["deploy", "rm", "*", "deploy"];
        assert_eq!(
            plan(&tools(&["execute", "ls"]), &entries(&names), UnknownTools::Typos)
                .unwrap()
                .unknown,
            ["deploy", "rm"]
        );
        assert_eq!(
            plan(&tools(&["execute"]), &entries(&["exectue"]), UnknownTools::Warn).unwrap().unknown,
            ["exectue"]
        );
        assert!(
            plan(&tools(&["execute"]), &entries(&["exectue"]), UnknownTools::Ignore)
                .unwrap()
                .unknown
                .is_empty()
        );
        let error =
            plan(&tools(&["execute"]), &entries(&["deploy"]), UnknownTools::Error).unwrap_err();
        assert_eq!(error.nearest, None);
        assert!(plan(&tools(&["execute"]), &entries(&["*"]), UnknownTools::Error).is_ok());
    }

    #[test]
    fn a_pattern_is_refused_whatever_is_said_of_unknown_names() {
        for name in ["delete_*", "**", "*_file", "/delete.*/", "delete_file|rm", "{a,b}", "rm?"] {
            for unknown_tools in
                [UnknownTools::Typos, UnknownTools::Error, UnknownTools::Warn, UnknownTools::Ignore]
            {
                let error = plan(&tools(&["delete_file"]), &entries(&["*", name]), unknown_tools)
                    .unwrap_err();
                assert_eq!(error.tool_name, name);
                assert!(error.to_string().contains("patterns are not read"));
            }
            // The name of a tool, however odd, is a name.
            assert!(plan(&tools(&[name]), &entries(&[name]), UnknownTools::Typos).is_ok());
        }
    }

    #[test]
    fn the_tool_with_the_same_letters_is_named_before_one_that_lacks_a_word() {
        for (name, names, meant) in [
            ("deletefiletool", ["delete_file", "delete_file_tool"], "delete_file_tool"),
            ("delete_file_tool", ["delete_file", "deletefiletool"], "deletefiletool"),
            ("DeleteFileTool", ["delete_file", "delete-file_tool"], "delete-file_tool"),
            ("delete_fil_tool", ["delete_file", "delete_file_tool"], "delete_file_tool"),
        ] {
            let error = plan(&tools(&names), &entries(&[name]), UnknownTools::Typos).unwrap_err();
            assert_eq!(error.nearest.as_deref(), Some(meant), "{name}");
        }
    }

    #[test]
    fn the_nearest_of_several_is_named() {
        let error = plan(
            &tools(&["reed_file", "read_file"]),
            &entries(&["read-file"]),
            UnknownTools::Typos,
        )
        .unwrap_err();
        assert_eq!(error.nearest.as_deref(), Some("read_file"));
    }

    #[test]
    fn the_plan_is_what_the_binding_promises() {
        let entry = InterruptEntry {
            rule: EntryRule::Ask,
            allowed: DecisionKinds::new([DecisionKind::Approve]),
            timeout: Some(5.0),
            ..InterruptEntry::plain(EntryRule::Ask)
        };
        let plan = plan(&tools(&["a"]), &[("a".into(), entry)], UnknownTools::Typos).unwrap();
        let expected = r#"{"tools":[["a",{"action":"ask","entry":"a","allowedDecisions":["approve"],"timeout":5.0}]],"unknown":[]}"#;
        assert_eq!(serde_json::to_string(&plan).unwrap(), expected);
    }

    #[test]
    fn who_must_agree_to_all_tools_must_also_where_the_tool_itself_asks() {
        let need: ApproverNeed = serde_json::from_str(r#"{"approvers":["ada"]}"#).unwrap();
        let all = InterruptEntry { needs: [need].into(), ..InterruptEntry::plain(EntryRule::Ask) };
        for (own, entry) in [
            (OwnApproval::Undefined, Some("*")),
            (OwnApproval::Literal(true), None),
            (OwnApproval::Function, None),
        ] {
            let gating = gating("a", own, &[(WILDCARD.into(), all.clone())]);
            assert_eq!(gating.entry.as_deref(), entry);
            assert_eq!(*gating.needs, *all.needs);
        }
        let named = [(WILDCARD.into(), all), ("a".into(), InterruptEntry::plain(EntryRule::Ask))];
        assert!(gating("a", OwnApproval::Undefined, &named).needs.is_empty());
    }
}
