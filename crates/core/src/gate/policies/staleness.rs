//! Whether what policies said of a call, when somebody was asked about it, is what they say now.

use std::collections::BTreeMap;

use crate::call::Json;

/// What an approval is bound to of its call: where the paths of it led, and who had to agree.
const OF_THE_CALL: [&str; 2] = ["places", "who"];

/// Why a call is no longer what was shown, by what it was judged under then and now: the context of one policy, a list of several,
/// or `null`. `None`: it is.
pub fn context_change(then: &Json, now: &Json) -> Option<&'static str> {
    if then == now {
        return None;
    }
    let under = |context: &Json| -> Vec<Json> { listed(context).map(without_call).collect() };
    if under(then) != under(now) {
        return Some("The policy changed since it was approved.");
    }
    let who = |context| -> Vec<Option<&Json>> {
        listed(context).map(|each| field(each, "who")).collect()
    };
    Some(if who(then) == who(now) {
        "A path of it leads elsewhere since it was asked about."
    } else {
        "Who must agree to it changed since it was asked about."
    })
}

fn listed(context: &Json) -> impl Iterator<Item = &Json> {
    match context {
        Json::Null => [].iter(),
        Json::Array(all) => all.iter(),
        one => std::slice::from_ref(one).iter(),
    }
}

fn field<'a>(context: &'a Json, name: &str) -> Option<&'a Json> {
    match context {
        Json::Object(fields) => fields.get(name),
        _ => None,
    }
}

/// What the call was judged under, without the call.
fn without_call(context: &Json) -> Json {
    match context {
        Json::Object(fields) => {
            let kept = fields.iter().filter(|(name, _)| !OF_THE_CALL.contains(&name.as_str()));
            Json::Object(
                kept.map(|(name, value)| (name.clone(), value.clone())).collect::<BTreeMap<_, _>>(),
            )
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changed_since_a_call_was_asked_about() {
        let policy = Some("The policy changed since it was approved.");
        let path = Some("A path of it leads elsewhere since it was asked about.");
        let who = Some("Who must agree to it changed since it was asked about.");
        let table = [
            ("null", "null", None),
            (r#"{"policy":"a","cwd":"/"}"#, r#"{"cwd":"/","policy":"a"}"#, None),
            (r#"{"policy":"a"}"#, r#"{"policy":"b"}"#, policy),
            (r#"{"policy":"a"}"#, "null", policy),
            ("null", r#"{"policy":"a"}"#, policy),
            (r#"{"policy":"a"}"#, r#"[{"policy":"a"},{"policy":"b"}]"#, policy),
            (r#"{"policy":"a","places":"x"}"#, r#"{"policy":"a","places":"y"}"#, path),
            (r#"{"policy":"a"}"#, r#"{"policy":"a","places":"y"}"#, path),
            (r#"{"policy":"a","who":[1]}"#, r#"{"policy":"a","who":[2]}"#, who),
            (r#"{"policy":"a","who":[1],"places":"x"}"#, r#"{"policy":"a","places":"y"}"#, who),
            (r#"{"policy":"a","who":[1]}"#, r#"{"policy":"b","who":[2]}"#, policy),
            (
                r#"[{"policy":"a"},{"policy":"b","places":"x"}]"#,
                r#"[{"policy":"a"},{"policy":"b","places":"y"}]"#,
                path,
            ),
        ];
        for (then, now, expected) in table {
            let change = context_change(&then.parse().unwrap(), &now.parse().unwrap());
            assert_eq!(change, expected, "{then} {now}");
        }
    }
}
