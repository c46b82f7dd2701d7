//! Which rules are proposed from what was asked about.

use super::*;
use crate::policy::document::PolicyRule;
use crate::policy::{
    LeftOutWhy, OfferChoice, PastAnswer, PastCall, PastOffer, ReplayGround, propose, prove,
    rules_of, suggest, suggest_reject,
};

/// Calls, each with what "always" would have saved for its answer, as the policies stand.
struct Past {
    own: PolicyDocument,
    offers: Vec<PastOffer>,
    calls: Vec<(Call, PastAnswer, Option<usize>)>,
}

impl Past {
    fn under(toml: &str) -> Self {
        let own = document(toml, LayerKind::Project, true);
        Self { own, offers: Vec::new(), calls: Vec::new() }
    }

    fn asked(mut self, times: usize, call: fn() -> Call, answer: PastAnswer) -> Self {
        for _ in 0..times {
            let call = call();
            let offer = self.offer(&call, answer);
            self.calls.push((call, answer, offer));
        }
        self
    }

    fn offer(&mut self, call: &Call, answer: PastAnswer) -> Option<usize> {
        let policy = pooled(vec![self.own.clone()]);
        let verdict = verdict(&policy, call);
        let files = Links::default();
        let made = match answer {
            PastAnswer::Approved => suggest(&policy, &call.judged(), &verdict, &files),
            PastAnswer::Rejected => suggest_reject(&policy, &call.judged(), &verdict, &files),
            PastAnswer::Changed => return None,
        };
        let made = made.unwrap()?;
        let label = made.also.join(" and ");
        let known = self.offers.iter().position(|offer| offer.label == label);
        known.or_else(|| {
            self.offers.push(PastOffer { label, rules: made.rules });
            Some(self.offers.len() - 1)
        })
    }

    fn with<T>(&self, look: impl FnOnce(&ReplayGround, &[PastCall]) -> T) -> T {
        let (context, files) = (context(), Links::default());
        let ground =
            ReplayGround { others: &[], document: &self.own, context: &context, files: &files };
        let history: Vec<PastCall> = self
            .calls
            .iter()
            .map(|(call, answer, offer)| PastCall {
                call: call.judged(),
                answer: *answer,
                times: 1,
                answerable: true,
                offer: *offer,
            })
            .collect();
        look(&ground, &history)
    }

    fn choice(&self) -> OfferChoice {
        self.with(|ground, history| propose(ground, &self.offers, history).unwrap())
    }

    fn labels(&self) -> Vec<String> {
        let label = |at: usize| self.offers[at].label.clone();
        self.choice().chosen.iter().map(|chosen| label(chosen.offer)).collect()
    }

    fn left_out(&self) -> Vec<(String, LeftOutWhy)> {
        let left = self.choice().left_out;
        left.into_iter().map(|(at, why)| (self.offers[at].label.clone(), why)).collect()
    }
}

const APPROVED: PastAnswer = PastAnswer::Approved;
const REJECTED: PastAnswer = PastAnswer::Rejected;

#[test]
fn what_was_approved_three_times_is_proposed_and_what_was_approved_twice_is_not() {
    let past = Past::under("").asked(3, || Call::run("npm run build"), APPROVED).asked(
        2,
        || Call::run("npm run lint"),
        APPROVED,
    );
    assert_eq!(past.labels(), ["exactly `npm run build`"]);
    assert_eq!(past.choice().chosen[0].saves, 3);
}

#[test]
fn of_rules_that_save_the_same_calls_one_is_chosen() {
    let past = Past::under("")
        .asked(1, || Call::new("write_file", r#"{"path":"src/a/x.rs"}"#), APPROVED)
        .asked(1, || Call::new("write_file", r#"{"path":"src/a/y.rs"}"#), APPROVED)
        .asked(4, || Call::new("write_file", r#"{"path":"src/z.rs"}"#), APPROVED);
    // All below `src/` has what is below `src/a/`.
    assert_eq!(past.labels(), ["writing all files below src/"]);
    assert_eq!(past.choice().chosen[0].saves, 6);
}

#[test]
fn a_rule_that_would_allow_a_rejected_call_is_left_out_and_told() {
    let past = Past::under("")
        .asked(5, || Call::new("write_file", r#"{"path":"src/a.rs"}"#), APPROVED)
        .asked(1, || Call::new("write_file", r#"{"path":"src/deep/secret.rs"}"#), REJECTED);
    assert!(past.labels().is_empty());
    let label = "writing all files below src/".to_owned();
    assert_eq!(past.left_out(), [(label, LeftOutWhy::AllowsRejected)]);
}

#[test]
fn what_was_edited_before_it_ran_was_not_let_through() {
    let past = Past::under("").asked(5, || Call::run("npm run build"), APPROVED).asked(
        1,
        || Call::run("npm run build"),
        PastAnswer::Changed,
    );
    assert!(past.labels().is_empty());
    assert_eq!(past.left_out()[0].1, LeftOutWhy::AllowsRejected);
}

#[test]
fn what_was_rejected_again_and_again_is_denied_unless_that_denies_what_was_approved() {
    let push = || Call::run("git push origin main");
    let past = Past::under("").asked(3, push, REJECTED);
    assert_eq!(past.labels(), ["any `git push …`"]);
    let mixed = Past::under("").asked(3, push, REJECTED).asked(
        1,
        || Call::run("git push --dry-run origin x"),
        APPROVED,
    );
    assert!(mixed.labels().is_empty());
    assert_eq!(mixed.left_out()[0].1, LeftOutWhy::DeniesApproved);
}

#[test]
fn two_rules_that_allow_a_rejected_call_only_together_are_not_both_chosen() {
    let past = Past::under("")
        .asked(5, || Call::run("npm run build"), APPROVED)
        .asked(4, || Call::run("npm run pack"), APPROVED)
        .asked(1, || Call::run("npm run build && npm run pack"), REJECTED);
    assert_eq!(past.labels(), ["exactly `npm run build`"]);
    assert_eq!(
        past.left_out(),
        [("exactly `npm run pack`".to_owned(), LeftOutWhy::AllowsRejected)]
    );
}

#[test]
fn what_a_rule_answers_by_now_is_counted_and_not_proposed_again() {
    let mut past = Past::under("").asked(4, || Call::run("npm run build"), APPROVED);
    let rules: Vec<PolicyRule> = rules_of(&past.offers, &past.choice().chosen);
    past.own.rules = rules;
    assert!(past.choice().chosen.is_empty());
    assert_eq!(past.choice().answered, 4);
}

#[test]
fn a_call_that_is_unknown_in_part_is_never_saved() {
    let past = Past::under("").asked(4, || Call::run("npm run build"), APPROVED).asked(
        4,
        || Call::run("npm run build && eval \"$X\""),
        APPROVED,
    );
    assert_eq!(past.labels(), ["exactly `npm run build`"]);
    let rules = rules_of(&past.offers, &past.choice().chosen);
    let document = PolicyDocument { rules, ..past.own.clone() };
    let proof = past.with(|ground, history| prove(ground, &document, history).unwrap());
    assert_eq!((proof.saved, proof.unknown_allowed), (4, 0));
}

#[test]
fn a_document_that_allows_a_rejected_call_has_an_objection() {
    let past = Past::under("").asked(1, || Call::run("rm -r build"), REJECTED);
    let document = document(
        "[[rule]]\neffect = \"allow\"\ncommands = [\"rm\"]\nwrites = [\"**\"]\n",
        LayerKind::Project,
        true,
    );
    let proof = past.with(|ground, history| prove(ground, &document, history).unwrap());
    assert_eq!(proof.objection(), Some(LeftOutWhy::AllowsRejected));
}
