//! Verdicts on their way to JavaScript: short tuples, since every call waits for one to be written and read, and spans as
//! JavaScript counts.

use serde::Serialize;
use serde::ser::{SerializeSeq, SerializeTuple, Serializer};

use super::Grant;
use crate::call::Json;
use crate::layers::Problem;
use crate::policy::subject::Kind;
use crate::policy::wire::shown;
use crate::policy::{JudgedSubject, RuleRef, Verdict};
use crate::shell::{Role, Word};

/// `NativeJudged`: `[effect, rule, reason, subjects, managedAsk, grant, problems, more, who]`.
#[derive(Debug)]
pub struct Judged {
    verdict: Verdict,
    /// The span of each subject, in units of UTF-16.
    spans: Vec<Option<[usize; 2]>>,
    managed_ask: bool,
    grant: Option<Grant>,
    problems: Option<Vec<Problem>>,
    /// How many subjects are left out.
    more: usize,
}

impl Judged {
    /// What was said of a call with these arguments.
    pub(super) fn new(
        mut verdict: Verdict, args: &Json, grant: Option<Grant>, problems: Option<Vec<Problem>>,
    ) -> Self {
        let managed_ask = verdict.subjects.iter().any(|judged| judged.managed_ask);
        let shown = shown(&verdict);
        let more = verdict.subjects.len() - shown.len();
        if more > 0 {
            let subjects = std::mem::take(&mut verdict.subjects).into_iter().enumerate();
            verdict.subjects = subjects
                .filter(|(at, _)| shown.binary_search(at).is_ok())
                .map(|(_, judged)| judged)
                .collect();
        }
        let mut texts = Texts { args, last: None };
        let spans = verdict.subjects.iter().map(|judged| texts.span(judged)).collect();
        Self { verdict, spans, managed_ask, grant, problems, more }
    }
}

impl Serialize for Judged {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Verdict { effect, rule, reason, subjects, who } = &self.verdict;
        let mut tuple = serializer.serialize_tuple(9)?;
        tuple.serialize_element(effect)?;
        tuple.serialize_element(&rule.as_ref().map(RuleOut))?;
        tuple.serialize_element(reason)?;
        tuple.serialize_element(&SubjectsOut { subjects, spans: &self.spans })?;
        // An administrator's rule asks: only a human answers.
        tuple.serialize_element(&self.managed_ask)?;
        tuple.serialize_element(&self.grant)?;
        tuple.serialize_element(&self.problems.as_deref().map(super::wire::problems_out))?;
        tuple.serialize_element(&self.more)?;
        // Mostly nobody in particular.
        let is_said = !who.needs.is_empty() || who.remind.is_some();
        tuple.serialize_element(&is_said.then_some((&who.needs, who.remind)))?;
        tuple.end()
    }
}

/// `[source, layer, line, column, index]`; no line: 0.
struct RuleOut<'a>(&'a RuleRef);

impl Serialize for RuleOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let RuleRef { source, at, index, .. } = self.0;
        (&*source.name, source.layer, at.line, at.column, index).serialize(serializer)
    }
}

struct SubjectsOut<'a> {
    subjects: &'a [JudgedSubject],
    spans: &'a [Option<[usize; 2]>],
}

impl Serialize for SubjectsOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.subjects.len()))?;
        for (judged, span) in self.subjects.iter().zip(self.spans) {
            list.serialize_element(&SubjectOut { judged, span: span.as_ref() })?;
        }
        list.end()
    }
}

/// `[kind, effect, rule, span]` and, by kind: `argv, text, wrapper`; `path, text`; `url, text`; `name`; `reason`.
struct SubjectOut<'a> {
    judged: &'a JudgedSubject,
    span: Option<&'a [usize; 2]>,
}

impl Serialize for SubjectOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let JudgedSubject { subject, effect, rule, .. } = self.judged;
        let start = (subject.kind_name(), effect, rule.as_ref().map(RuleOut), self.span);
        let (kind, effect, rule, span) = &start;
        match &subject.kind {
            Kind::Command { argv, role } => {
                let wrapper = *role == Role::Wrapper;
                (kind, effect, rule, span, Words(argv), subject.text(), wrapper)
                    .serialize(serializer)
            }
            Kind::Path { target, .. } | Kind::Url { target, .. } => {
                (kind, effect, rule, span, target.literal(), subject.text()).serialize(serializer)
            }
            Kind::Env { name } => (kind, effect, rule, span, name).serialize(serializer),
            Kind::Tool { name } => (kind, effect, rule, span, &**name).serialize(serializer),
            Kind::Unknown { .. } => {
                (kind, effect, rule, span, self.judged.reason()).serialize(serializer)
            }
        }
    }
}

/// The words of a command; `null` where only the run will tell.
struct Words<'a>(&'a [Word]);

impl Serialize for Words<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Word::literal))
    }
}

/// The arguments that spans are places in.
struct Texts<'a> {
    args: &'a Json,
    /// The last one that was looked at: mostly there is one.
    last: Option<(&'a str, Units<'a>)>,
}

impl<'a> Texts<'a> {
    /// `None` also for what is inside another argument, or in a list: the place would point nowhere.
    fn span(&mut self, judged: &'a JudgedSubject) -> Option<[usize; 2]> {
        let span = judged.subject.span?;
        let argument = judged.subject.argument.as_deref()?;
        if self.last.as_ref().is_none_or(|(last, _)| *last != argument) {
            let Json::Object(args) = self.args else { return None };
            let Some(Json::String(text)) = args.get(argument) else { return None };
            self.last = Some((argument, Units::of(text)));
        }
        let (_, units) = self.last.as_ref()?;
        Some([units.before(span.start), units.before(span.end)])
    }
}

/// Bytes of UTF-8 to units of UTF-16, without a walk through all the text for each place.
struct Units<'a> {
    text: &'a [u8],
    /// How many units stand before each [`STEP`] bytes. `None`: a byte is a unit.
    marks: Option<Vec<usize>>,
}

const STEP: usize = 256;

impl<'a> Units<'a> {
    fn of(text: &'a str) -> Self {
        let text = text.as_bytes();
        let marks = (!text.is_ascii()).then(|| {
            let mut units = 0;
            text.chunks(STEP)
                .map(|chunk| {
                    let before = units;
                    units += units_in(chunk);
                    before
                })
                .collect()
        });
        Self { text, marks }
    }

    fn before(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        let Some(marks) = &self.marks else { return at };
        let mark = (at / STEP).min(marks.len().saturating_sub(1));
        let rest = self.text.get(mark * STEP..at).unwrap_or_default();
        marks.get(mark).copied().unwrap_or_default() + units_in(rest)
    }
}

/// A character counts at its first byte, twice when it has four.
fn units_in(bytes: &[u8]) -> usize {
    bytes.iter().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::policy::document::Who;
    use crate::policy::subject::{Start, Subject};
    use crate::policy::{Cause, Effect};
    use crate::shell::Span;

    fn judged(argument: Option<&str>, managed_ask: bool) -> Judged {
        let subject = Subject {
            kind: Kind::Env { name: "X".to_owned() },
            span: Some(Span { start: 3, end: 4 }),
            argument: argument.map(Into::into),
            needs_allow: true,
            mentioned: false,
            start: Arc::new(Start::default()),
        };
        let cause = Cause::Uncovered;
        let subject =
            JudgedSubject { subject, effect: Effect::Ask, rule: None, cause, managed_ask };
        let verdict = Verdict {
            effect: Effect::Ask,
            rule: None,
            reason: "so".to_owned(),
            subjects: vec![subject],
            who: Who::default(),
        };
        let args = BTreeMap::from([("command".to_owned(), Json::String("€X=1".to_owned()))]);
        Judged::new(verdict, &Json::Object(args), None, None)
    }

    #[test]
    fn the_binding_reads_these_places_of_the_tuple() {
        let text = |judged| serde_json::to_string(&judged).unwrap();
        let there = r#"["ask",null,"so",[["env","ask",null,[1,2],"X"]],false,null,null,0,null]"#;
        assert_eq!(text(judged(Some("command"), false)), there);
        // A place in an argument that is not a text of the call would point nowhere.
        for argument in [None, Some("other")] {
            let nowhere =
                r#"["ask",null,"so",[["env","ask",null,null,"X"]],true,null,null,0,null]"#;
            assert_eq!(text(judged(argument, true)), nowhere);
        }
    }

    #[test]
    fn places_are_counted_as_javascript_counts() {
        for text in ["", "plain", "é€🙂a", &"aé€🙂".repeat(300)] {
            let units = Units::of(text);
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let before: String = text
                    .chars()
                    .scan(0, |bytes, c| {
                        let here = *bytes < at;
                        *bytes += c.len_utf8();
                        here.then_some(c)
                    })
                    .collect();
                assert_eq!(units.before(at), before.encode_utf16().count(), "{at} of {text:?}");
            }
            assert_eq!(units.before(usize::MAX), text.encode_utf16().count());
        }
    }
}
