//! Who must agree, as an entry says it.

use countersign_core::approval::{ApproverNeed, EscalationRule};
use napi::bindgen_prelude::{FromNapiValue, JsObjectValue, JsValue, Object, Unknown};
use napi::{Result, ValueType};

use super::{ReadResult, fault};
use crate::object::{as_object, as_plain, own, own_named};

/// What `ApprovalNeed.escalate` has.
const ESCALATE: [&str; 2] = ["after", "to"];

/// `approvers`, `quorum`, `excludeRequester` and `escalate` of an entry, checked: none or one need.
pub(super) fn read_needs(place: &str, options: &Object) -> ReadResult<Box<[ApproverNeed]>> {
    let mut need =
        ApproverNeed { approvers: None, quorum: 1, exclude_requester: false, escalate: None };
    if let Some(value) = own_named(options, "approvers")? {
        need.approvers = names(value)?;
        if need.approvers.is_none() {
            return fault(format!("{place}.approvers must be an array of names"));
        }
    }
    if let Some(value) = own_named(options, "quorum")? {
        let Some(quorum) = whole(value)?.and_then(|quorum| u32::try_from(quorum).ok()) else {
            return fault(format!("{place}.quorum must be a whole number from 1"));
        };
        need.quorum = quorum;
    }
    if let Some(value) = own_named(options, "excludeRequester")? {
        if value.get_type()? != ValueType::Boolean {
            return fault(format!("{place}.excludeRequester must be true or false"));
        }
        need.exclude_requester = bool::from_unknown(value)?;
    }
    if let Some(value) = own_named(options, "escalate")? {
        need.escalate = escalate(value)?;
        if need.escalate.is_none() {
            return fault(format!(
                "{place}.escalate must be {{ after: a whole number of milliseconds, to: an array of names }}"
            ));
        }
    }
    match ApproverNeed::checked(vec![need]) {
        Ok(needs) => Ok(Ok(needs)),
        Err(message) => fault(format!("{place}: {message}")),
    }
}

fn escalate(value: Unknown) -> Result<Option<EscalationRule>> {
    let Some(options) = as_plain(value)?.filter(|object| matches!(object.is_array(), Ok(false)))
    else {
        return Ok(None);
    };
    if own(&options)?.iter().any(|option| !ESCALATE.contains(&option.name.as_str())) {
        return Ok(None);
    }
    let after = own_named(&options, "after")?.map(whole).transpose()?.flatten();
    let to = own_named(&options, "to")?.map(names).transpose()?.flatten();
    Ok(after.zip(to).map(|(after, to)| EscalationRule { after, to }))
}

/// A whole number that JavaScript holds.
fn whole(value: Unknown) -> Result<Option<u64>> {
    if value.get_type()? != ValueType::Number {
        return Ok(None);
    }
    let number = f64::from_unknown(value)?;
    let is_whole = number.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&number);
    Ok(is_whole.then_some(number as u64))
}

fn names(value: Unknown) -> Result<Option<Vec<Box<str>>>> {
    let Some(array) = as_object(value)?.filter(|object| matches!(object.is_array(), Ok(true)))
    else {
        return Ok(None);
    };
    let mut names = Vec::new();
    for index in 0..array.get_array_length()? {
        let name: Unknown = array.get_element(index)?;
        if name.get_type()? != ValueType::String {
            return Ok(None);
        }
        names.push(String::from_unknown(name)?.into());
    }
    Ok(Some(names))
}
