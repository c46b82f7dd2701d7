//! The words that stand for values of the core, as unions of TypeScript.

use countersign_core::approval::{self, DecisionChannel, DecisionKind, Status};
use countersign_core::ledger::{ExecutionEnd, RunStatus};
use countersign_core::policy::document::{self, ErrorCode, LayerKind};
use countersign_core::policy::interrupt::EntryAction;
use countersign_core::policy::lint::{FindingCode, LintSeverity};
use countersign_core::policy::{self, Effect};
use countersign_core::{files, gate::policies::GrantDuration};

/// A union of the words for all variants. A missing one does not compile.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident = $core:ty: $word:expr, [$($variant:ident),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl ts_rs::TS for $name {
            type WithoutGenerics = Self;
            type OptionInnerType = Self;

            fn name(_: &ts_rs::Config) -> String {
                stringify!($name).to_owned()
            }

            fn inline(_: &ts_rs::Config) -> String {
                let word: fn(&$core) -> String = $word;
                [$(<$core>::$variant),*]
                    .iter()
                    .map(|each| {
                        match each {
                            $(<$core>::$variant)|* => {}
                        }
                        format!("\"{}\"", word(each))
                    })
                    .collect::<Vec<_>>()
                    .join(" | ")
            }

            fn decl(cfg: &ts_rs::Config) -> String {
                format!("type {} = {};", Self::name(cfg), Self::inline(cfg))
            }

            fn output_path() -> Option<std::path::PathBuf> {
                Some("wire.ts".into())
            }
        }
    )*};
}

/// The word that is written.
fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap().trim_matches('"').to_owned()
}

words! {
    ApprovalStatus = Status: |it| written(it), [
        Pending, Approved, Edited, Rejected, Responded, Skipped, Expired, Cancelled, Started, Succeeded, Failed, Interrupted,
    ];
    DecisionType = DecisionKind: |it| written(it), [Approve, Edit, Reject, Respond, Skip];
    DecidedVia = DecisionChannel: |it| written(it), [
        Callback, Gate, Terminal, Messages, Inbox, Link, Protocol, Deadline, Abort, System,
    ];
    Contents = approval::ContentState: |it| it.name().to_owned(), [Kept, Redacted, Dropped];
    Outcome = ExecutionEnd: |it| it.name().to_owned(), [Succeeded, Failed, Interrupted];
    NativeRunStatus = RunStatus: |it| it.name().to_owned(), [Running, Done, Failed, Cancelled];
    PolicyEffect = Effect: |it| written(it), [Allow, Ask, Deny];
    PolicyMode = document::PolicyMode: |it| written(it), [Safe, Auto, Plan, DenyAllAsks];
    PolicyLayer = LayerKind: |it| written(it), [Managed, User, Project, Code, Session];
    PolicyErrorCode = ErrorCode: |it| it.name().to_owned(), [Syntax, UnknownKey, Value, Version, Example, File];
    PolicyFindingCode = FindingCode: |it| written(it), [
        Shadowed, Duplicate, Unmatchable, TooBroad, SaysNothing, UnheardReviewer, NoReason, NoExamples,
    ];
    PolicySeverity = LintSeverity: |it| written(it), [Info, Warning];
    GrantScope = GrantDuration: |it| written(it), [Run, Session, Always];
    GatingAction = EntryAction: |it| written(it), [Ask, Allow, Judge, Own];
    ReviewAnswer = policy::ReviewAnswer: |it| written(it), [Approve, Reject, Unsure];
    ReviewBar = policy::ReviewBar: |it| written(it), [
        Question, People, Managed, Beside, Unmarked, Advises, Started, NotAllowed, Cut, Repeated,
        Refused, Open,
    ];
    EntryType = files::EntryKind: |it| written(it), [File, Directory, Symlink, Other];
}
