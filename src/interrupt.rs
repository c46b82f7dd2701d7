//! `interruptOn`, read from the JavaScript objects it is made of.

mod misplaced;
mod who;

use countersign_bridge::envelope::envelope;
use countersign_bridge::plan::plan as written;
use countersign_core::approval::{DecisionKind, DecisionKinds, decidable};
use countersign_core::gate::GateError;
use countersign_core::policy::interrupt::{
    EntryAction, EntryRule, GatingPlan, InterruptEntry, OwnApproval, UnknownTools, WILDCARD,
    nearest, plan,
};
use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, JsValue, Object, ToNapiValue, Unknown};
use napi::{Env, Result, ValueType};
use napi_derive::napi;

use crate::object::{
    ObjectCopier, OwnProperty, as_object, as_plain, class_named, is_undefined, own, own_named,
};

/// What `interruptOn` means for each of these tools: `InterruptPlan`.
#[napi(
    catch_unwind,
    ts_args_type = "tools: object, interruptOn: unknown, unknownTools: string | undefined | null",
    ts_return_type = "string"
)]
pub fn interrupt_plan(
    tools: Unknown, interrupt_on: Unknown, unknown_tools: Unknown,
) -> Result<String> {
    let planned = read(tools, interrupt_on, unknown_tools)?;
    Ok(match planned {
        Ok(planned) => envelope(Ok(written(&planned.plan))),
        Err(error) => envelope::<()>(Err(error)),
    })
}

/// The tools with `needsApproval` set on the gated ones, `null` when nothing changes, and the plan.
#[napi(object, object_from_js = false, use_nullable = true)]
pub struct AppliedInterruptConfig<'env> {
    /// `null`: use the tools as they are.
    #[napi(ts_type = "object")]
    pub tools: Option<Object<'env>>,
    /// The answer of `interruptPlan`.
    pub plan: String,
}

/// Marks the tools that must be asked about.
#[napi(
    catch_unwind,
    ts_args_type = "tools: object, interruptOn: unknown, unknownTools: string | undefined | null"
)]
pub fn apply_interrupt_config<'env>(
    env: &'env Env, tools: Unknown<'env>, interrupt_on: Unknown<'env>, unknown_tools: Unknown<'env>,
) -> Result<AppliedInterruptConfig<'env>> {
    let planned = match read(tools, interrupt_on, unknown_tools)? {
        Ok(planned) => planned,
        Err(error) => {
            return Ok(AppliedInterruptConfig { tools: None, plan: envelope::<()>(Err(error)) });
        }
    };
    let configured = !is_nothing(interrupt_on)?;
    let applied = match as_object(tools)? {
        Some(tools) if configured => apply(env, tools, &planned)?,
        _ => None,
    };
    Ok(AppliedInterruptConfig { tools: applied, plan: envelope(Ok(written(&planned.plan))) })
}

/// Whether this configuration asks about any tool at all: `boolean`.
#[napi(catch_unwind, ts_args_type = "interruptOn: unknown")]
pub fn has_approval_tools(interrupt_on: Unknown) -> Result<String> {
    let config = read_config(interrupt_on)?;
    Ok(envelope(
        config.map(|config| config.entries.iter().any(|(_, entry)| entry.rule != EntryRule::Allow)),
    ))
}

/// Which of these tools has another name than this one, and is meant by it; `null`: none.
#[napi(catch_unwind)]
pub fn renamed_tool(name: String, known: Vec<String>) -> Option<String> {
    let known = known.iter().map(String::as_str);
    countersign_core::policy::renamed(&name, known.clone(), known).map(str::to_owned)
}

/// A fault of the configuration is a value; an exception of the user's own code, as of a getter, stays one.
type ReadResult<T> = Result<std::result::Result<T, GateError>>;

struct GivenTool<'env> {
    property: OwnProperty<'env>,
    own: OwnApproval,
}

struct InterruptConfig<'env> {
    entries: Vec<(String, InterruptEntry)>,
    /// The `shouldApprove` of the entries that have one.
    judges: Vec<(String, Unknown<'env>)>,
}

struct GatingInput<'env> {
    plan: GatingPlan,
    tools: Vec<GivenTool<'env>>,
    judges: Vec<(String, Unknown<'env>)>,
}

fn read<'env>(
    tools: Unknown<'env>, interrupt_on: Unknown<'env>, unknown_tools: Unknown<'env>,
) -> ReadResult<GatingInput<'env>> {
    let unknown_tools = match read_unknown_tools(unknown_tools)? {
        Ok(unknown_tools) => unknown_tools,
        Err(error) => return Ok(Err(error)),
    };
    let config = match read_config(interrupt_on)? {
        Ok(config) => config,
        Err(error) => return Ok(Err(error)),
    };
    let tools = match read_tools(tools)? {
        Ok(tools) => tools,
        Err(error) => return Ok(Err(error)),
    };
    let named: Vec<(String, OwnApproval)> =
        tools.iter().map(|tool| (tool.property.name.clone(), tool.own)).collect();
    Ok(plan(&named, &config.entries, unknown_tools)
        .map(|plan| GatingInput { plan, tools, judges: config.judges })
        .map_err(GateError::from))
}

fn read_tools<'env>(tools: Unknown<'env>) -> ReadResult<Vec<GivenTool<'env>>> {
    if is_nothing(tools)? {
        return Ok(Ok(Vec::new()));
    }
    let Some(object) = as_object(tools)?.filter(|object| matches!(object.is_array(), Ok(false)))
    else {
        return fault("tools must be an object of tools by name");
    };
    let tools: Result<Vec<GivenTool>> = own(&object)?
        .into_iter()
        .map(|property| Ok(GivenTool { own: own_approval(property.value)?, property }))
        .collect();
    Ok(Ok(tools?))
}

/// The tool's own say: of itself or of its class, but not of `Object.prototype`, which anybody may have written on.
fn own_approval(tool: Unknown) -> Result<OwnApproval> {
    let Some(tool) = as_object(tool)? else { return Ok(OwnApproval::Undefined) };
    let Some(value) = class_named(tool, "needsApproval")? else {
        return Ok(OwnApproval::Undefined);
    };
    Ok(match value.get_type()? {
        ValueType::Undefined | ValueType::Null => OwnApproval::Undefined,
        ValueType::Boolean => OwnApproval::Literal(bool::from_unknown(value)?),
        ValueType::Function => OwnApproval::Function,
        // Its author wanted something to happen.
        _ => OwnApproval::Literal(true),
    })
}

fn read_unknown_tools(value: Unknown) -> ReadResult<UnknownTools> {
    if is_nothing(value)? {
        return Ok(Ok(UnknownTools::default()));
    }
    let word = if value.get_type()? == ValueType::String {
        String::from_unknown(value)?
    } else {
        String::new()
    };
    match word.as_str() {
        "error" => Ok(Ok(UnknownTools::Error)),
        "warn" => Ok(Ok(UnknownTools::Warn)),
        "ignore" => Ok(Ok(UnknownTools::Ignore)),
        _ => fault("unknownTools must be 'error', 'warn' or 'ignore'"),
    }
}

fn read_config<'env>(value: Unknown<'env>) -> ReadResult<InterruptConfig<'env>> {
    const SHAPE: &str = "interruptOn must be 'all', 'none', an array of names of tools, or a plain object of entries by name";
    let plain = |entries| Ok(Ok(InterruptConfig { entries, judges: Vec::new() }));
    let ask = || InterruptEntry::plain(EntryRule::Ask);
    match value.get_type()? {
        // Nothing was passed.
        ValueType::Undefined => return plain(Vec::new()),
        ValueType::String => {
            return match String::from_unknown(value)?.as_str() {
                "all" => plain(vec![(WILDCARD.to_owned(), ask())]),
                "none" => plain(Vec::new()),
                name => fault(format!("{SHAPE}: to gate that tool, write [{name:?}]")),
            };
        }
        ValueType::Boolean => return fault(format!("{SHAPE}: for every tool, write 'all'")),
        ValueType::Function => {
            return fault(format!(
                "{SHAPE}: a function is said of a tool, as {{ NAME: {{ shouldApprove: (args) => true }} }}"
            ));
        }
        _ => {}
    }
    let Some(object) = as_object(value)? else { return fault(SHAPE) };
    if object.is_array()? {
        let mut entries = Vec::new();
        for index in 0..object.get_array_length()? {
            let name: Unknown = object.get_element(index)?;
            if name.get_type()? != ValueType::String {
                return fault(format!("interruptOn[{index}] must be the name of a tool"));
            }
            entries.push((String::from_unknown(name)?, ask()));
        }
        return plain(entries);
    }
    let Some(object) = as_plain(value)? else { return fault(SHAPE) };
    let mut config = InterruptConfig { entries: Vec::new(), judges: Vec::new() };
    for property in own(&object)? {
        match property.value.get_type()? {
            // What was read from a misspelt place would leave the tool open without a word.
            ValueType::Undefined => {
                return fault(format!(
                    "{} is undefined: write true to ask about it, or leave it out",
                    place(&property.name)
                ));
            }
            ValueType::Boolean => {
                let rule = if bool::from_unknown(property.value)? {
                    EntryRule::Ask
                } else {
                    EntryRule::Allow
                };
                config.entries.push((property.name, InterruptEntry::plain(rule)));
            }
            _ => match read_options(&property)? {
                Err(error) => return Ok(Err(error)),
                Ok((entry, judge)) => {
                    config.judges.extend(judge.map(|judge| (property.name.clone(), judge)));
                    config.entries.push((property.name, entry));
                }
            },
        }
    }
    Ok(Ok(config))
}

/// What `InterruptOptions` has.
const OPTIONS: [&str; 9] = [
    "shouldApprove",
    "allowedDecisions",
    "description",
    "timeout",
    "approvers",
    "quorum",
    "excludeRequester",
    "escalate",
    "remind",
];

/// Without these more people may decide, or decide more.
const RESTRICTS: [&str; 5] =
    ["allowedDecisions", "approvers", "quorum", "excludeRequester", "escalate"];

/// One entry that is an object: `InterruptOptions`.
fn read_options<'env>(
    property: &OwnProperty<'env>,
) -> ReadResult<(InterruptEntry, Option<Unknown<'env>>)> {
    let place = place(&property.name);
    if property.value.get_type()? == ValueType::Function {
        return fault(format!(
            "{place} is a function: if it says which calls to ask about, write {{ shouldApprove: … }}"
        ));
    }
    let Some(options) =
        as_plain(property.value)?.filter(|object| matches!(object.is_array(), Ok(false)))
    else {
        return fault(format!("{place} must be true, false, or a plain object of options"));
    };
    let given = own(&options)?;
    // A misspelt option would silently allow what it was to forbid.
    if let Some(unknown) = given.iter().find(|option| !OPTIONS.contains(&option.name.as_str())) {
        let hint = nearest(&unknown.name, OPTIONS.into_iter())
            .map(|meant| format!("did you mean {meant:?}?"))
            .or_else(|| misplaced::instead_of(&unknown.name).map(str::to_owned))
            .unwrap_or_else(|| format!("the options are {}", OPTIONS.join(", ")));
        return fault(format!("{place} has no option {:?}: {hint}", unknown.name));
    }
    // So would one whose value was read from a misspelt place.
    if let Some(empty) = given
        .iter()
        .find(|option| RESTRICTS.contains(&option.name.as_str()) && is_undefined(option.value))
    {
        return fault(format!(
            "{place}.{} is undefined: give it a value, or leave it out",
            empty.name
        ));
    }
    let judge = own_named(&options, "shouldApprove")?;
    if let Some(judge) = &judge
        && judge.get_type()? != ValueType::Function
    {
        return fault(format!("{place}.shouldApprove must be a function"));
    }
    if let Some(description) = own_named(&options, "description")?
        && !matches!(description.get_type()?, ValueType::String | ValueType::Function)
    {
        return fault(format!("{place}.description must be a string or a function"));
    }
    let timeout = match read_ms(&place, &options, "timeout")? {
        Ok(timeout) => timeout,
        Err(error) => return Ok(Err(error)),
    };
    let remind = match read_ms(&place, &options, "remind")? {
        Ok(remind) => remind,
        Err(error) => return Ok(Err(error)),
    };
    let needs = match who::read_needs(&place, &options)? {
        Ok(needs) => needs,
        Err(error) => return Ok(Err(error)),
    };
    let allowed = match own_named(&options, "allowedDecisions")? {
        None => None,
        Some(value) => match read_kinds(value)? {
            Some(kinds) => Some(kinds),
            None => {
                let all = DecisionKinds::ALL.names();
                return fault(format!(
                    "{place}.allowedDecisions must be a non-empty array of: {all}"
                ));
            }
        },
    };
    if decidable(&needs, allowed.unwrap_or(DecisionKinds::ALL)).is_none() {
        return fault(format!(
            "{place}.allowedDecisions must have approve, since several people must"
        ));
    }
    let rule = if judge.is_some() { EntryRule::Judge } else { EntryRule::Ask };
    Ok(Ok((InterruptEntry { rule, allowed, timeout, needs, remind }, judge)))
}

/// A time in ms.
fn read_ms(place: &str, options: &Object, name: &str) -> ReadResult<Option<f64>> {
    let Some(value) = own_named(options, name)? else { return Ok(Ok(None)) };
    let ms =
        if value.get_type()? == ValueType::Number { f64::from_unknown(value)? } else { f64::NAN };
    if !ms.is_finite() || ms <= 0.0 {
        return fault(format!("{place}.{name} must be a positive number of milliseconds"));
    }
    Ok(Ok(Some(ms)))
}

fn read_kinds(value: Unknown) -> Result<Option<DecisionKinds>> {
    let Some(array) = as_object(value)?.filter(|object| matches!(object.is_array(), Ok(true)))
    else {
        return Ok(None);
    };
    let mut kinds = Vec::new();
    for index in 0..array.get_array_length()? {
        let name: Unknown = array.get_element(index)?;
        if name.get_type()? != ValueType::String {
            return Ok(None);
        }
        let Some(kind) = DecisionKind::from_name(&String::from_unknown(name)?) else {
            return Ok(None);
        };
        kinds.push(kind);
    }
    Ok(DecisionKinds::new(kinds))
}

/// Where an entry stands, as one would write it.
fn place(name: &str) -> String {
    let plain = !name.is_empty()
        && name.len() <= 64
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain {
        format!("interruptOn.{name}")
    } else {
        format!("interruptOn[{:?}]", name.chars().take(64).collect::<String>())
    }
}

fn apply<'env>(
    env: &'env Env, tools: Object<'env>, planned: &GatingInput<'env>,
) -> Result<Option<Object<'env>>> {
    let copier = ObjectCopier::new(env)?;
    let needs_approval = "needsApproval".into_unknown(env)?;
    let mut changes = Vec::new();
    for (tool, (name, gating)) in planned.tools.iter().zip(&planned.plan.tools) {
        let says = match gating.action {
            EntryAction::Ask if tool.own != OwnApproval::Literal(true) => true.into_unknown(env)?,
            // An explicit `false` stands above what the tool says of itself.
            EntryAction::Allow
                if gating.entry.is_some()
                    && matches!(tool.own, OwnApproval::Literal(true) | OwnApproval::Function) =>
            {
                false.into_unknown(env)?
            }
            EntryAction::Judge => match planned.judges.iter().rfind(|(judged, _)| judged == name) {
                Some((_, judge)) => *judge,
                None => true.into_unknown(env)?,
            },
            _ => continue,
        };
        // What is no object is no tool, and cannot run.
        let Some(original) = as_object(tool.property.value)? else { continue };
        let copy = copier.copy(env, original, &[(needs_approval, says)])?;
        changes.push((tool.property.key, copy.to_unknown()));
    }
    if changes.is_empty() { Ok(None) } else { copier.copy(env, tools, &changes).map(Some) }
}

fn is_nothing(value: Unknown) -> Result<bool> {
    Ok(matches!(value.get_type()?, ValueType::Undefined | ValueType::Null))
}

fn fault<T>(message: impl Into<String>) -> ReadResult<T> {
    Ok(Err(GateError::InvalidConfig(message.into())))
}
