//! JavaScript objects, looked at through their own properties only.

use napi::bindgen_prelude::{FnArgs, FromNapiValue, Function, JsObjectValue, Object, Unknown};
use napi::{Env, KeyCollectionMode, KeyConversion, KeyFilter, Result, ValueType};

/// An own property: its name as text, its name as it is, its value.
pub(crate) struct OwnProperty<'env> {
    pub(crate) name: String,
    pub(crate) key: Unknown<'env>,
    pub(crate) value: Unknown<'env>,
}

/// The own properties with string names, in their order, the non-enumerable ones too. Getters are called, once.
pub(crate) fn own<'env>(object: &Object<'env>) -> Result<Vec<OwnProperty<'env>>> {
    let keys = object.get_all_property_names(
        KeyCollectionMode::OwnOnly,
        KeyFilter::SkipSymbols,
        KeyConversion::NumbersToStrings,
    )?;
    let count = keys.get_array_length()?;
    (0..count)
        .map(|index| {
            let key: Unknown = keys.get_element(index)?;
            let name = String::from_unknown(key)?;
            Ok(OwnProperty { name, key, value: object.get_property(key)? })
        })
        .collect()
}

/// The value as an object, when it is one and not `null` or a function.
pub(crate) fn as_object<'env>(value: Unknown<'env>) -> Result<Option<Object<'env>>> {
    match value.get_type()? {
        ValueType::Object => Object::from_unknown(value).map(Some),
        _ => Ok(None),
    }
}

/// The value as an object that is nothing but its properties: not an array, a Map, a Date or any other class's. An object
/// of another realm (a `vm` context, as test runners use) is as plain as one of ours.
pub(crate) fn as_plain<'env>(value: Unknown<'env>) -> Result<Option<Object<'env>>> {
    let Some(object) = as_object(value)? else { return Ok(None) };
    let plain = match as_object(object.get_prototype()?)? {
        None => true,
        Some(prototype) => prototype.get_prototype()?.get_type()? == ValueType::Null,
    };
    Ok(Some(object).filter(|_| plain))
}

pub(crate) fn is_undefined(value: Unknown) -> bool {
    matches!(value.get_type(), Ok(ValueType::Undefined))
}

/// The own property of this name, or `undefined`.
pub(crate) fn own_named<'env>(object: &Object<'env>, name: &str) -> Result<Option<Unknown<'env>>> {
    if !object.has_own_property(name)? {
        return Ok(None);
    }
    let value: Unknown = object.get_named_property(name)?;
    Ok(Some(value).filter(|value| !is_undefined(*value)))
}

/// The property of this name, of the object itself or of the classes it is an instance of.
pub(crate) fn class_named<'env>(object: Object<'env>, name: &str) -> Result<Option<Unknown<'env>>> {
    let mut holder = object;
    while !holder.has_own_property(name)? {
        // The last of the chain is `Object.prototype`, unless the chain is of one object alone.
        let Some(next) = as_object(holder.get_prototype()?)? else { break };
        if next.get_prototype()?.get_type()? == ValueType::Null {
            if next.has_own_property(name)? {
                return Ok(None);
            }
            break;
        }
        holder = next;
    }
    // Asked of the object, so that a getter sees it, and a proxy says what it does not show.
    let value: Unknown = object.get_named_property(name)?;
    Ok(Some(value).filter(|value| !is_undefined(*value)))
}

/// The functions of the global `Object` that copy objects with all that belongs to them.
pub(crate) struct ObjectCopier<'env> {
    create: Function<'env, FnArgs<(Unknown<'env>, Object<'env>)>, Object<'env>>,
    descriptors: Function<'env, Object<'env>, Object<'env>>,
}

impl<'env> ObjectCopier<'env> {
    pub(crate) fn new(env: &'env Env) -> Result<Self> {
        let object: Object = env.get_global()?.get_named_property_unchecked("Object")?;
        Ok(Self {
            create: object.get_named_property("create")?,
            descriptors: object.get_named_property("getOwnPropertyDescriptors")?,
        })
    }

    /// A copy with the same prototype and all own properties as they are: getters stay getters, symbols stay, only these
    /// have other values.
    pub(crate) fn copy(
        &self, env: &'env Env, original: Object<'env>, changes: &[(Unknown<'env>, Unknown<'env>)],
    ) -> Result<Object<'env>> {
        let prototype = original.get_prototype()?;
        let mut descriptors = self.descriptors.call(original)?;
        for (key, value) in changes {
            let mut descriptor = Object::new(env)?;
            descriptor.set_named_property("value", *value)?;
            for property in ["writable", "enumerable", "configurable"] {
                descriptor.set_named_property(property, true)?;
            }
            descriptors.set_property(*key, descriptor)?;
        }
        self.create.call((prototype, descriptors).into())
    }
}
