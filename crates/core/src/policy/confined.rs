//! Commands that run confined: what rules may rest on that.
//!
//! The caller of a command says so, and where it may write then. Nothing here is told by the name of a tool.

use crate::path::{FileLookup, PathContext, PathError, is_below, locate};

/// What a confined command can write at most, beside a temporary folder of its own. The later, the less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfinedWrites {
    /// Files of the project, but for its history and for what is protected there.
    Project,
    /// Nothing.
    Nothing,
}

impl ConfinedWrites {
    /// As documents call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Nothing => "nothing",
        }
    }

    /// In words, behind "it runs confined".
    pub fn text(self) -> &'static str {
        match self {
            Self::Project => "it runs confined to the project",
            Self::Nothing => "it runs confined, and can write nothing",
        }
    }
}

/// Which runs of a command a rule speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RuleConfinement {
    /// Of those that are held to nothing.
    Unconfined,
    /// Of those that are held to this, or to less.
    To(ConfinedWrites),
}

impl RuleConfinement {
    /// Whether it speaks of a command that is held to this; `None`: to nothing.
    pub(crate) fn speaks_of(self, held: Option<ConfinedWrites>) -> bool {
        match self {
            Self::Unconfined => held.is_none(),
            Self::To(most) => held.is_some_and(|held| held >= most),
        }
    }

    /// Whether it speaks of all runs that this other one speaks of; `None`: of all runs.
    pub(crate) fn covers(self, other: Option<Self>) -> bool {
        match (self, other) {
            (Self::To(most), Some(Self::To(other))) => other >= most,
            (Self::Unconfined, Some(Self::Unconfined)) => true,
            _ => false,
        }
    }
}

/// How a command runs that no human approves, as its caller says: it is held to this, connects to nothing unasked, and neither
/// reads nor changes what the policies keep from it. It can be held to writing nothing as well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfinedRun {
    /// Where it may write. Absolute.
    pub writes: Vec<String>,
}

impl ConfinedRun {
    /// Whether all that it may write lies in the project. A place that holds the home of the user is not a project's.
    ///
    /// # Errors
    /// When the file system is needed, or does not say where a place lies.
    pub(super) fn stays_in_project(
        &self, context: &PathContext, files: &dyn FileLookup,
    ) -> Result<bool, PathError> {
        let real = |path: &str| locate(path, context, files).map(|located| located.real);
        let Some(project) = &context.project else { return Ok(false) };
        let project = real(project)?;
        let home = context.home.as_deref().map(real).transpose()?;
        for place in &self.writes {
            let place = real(place)?;
            let holds_home = home.as_deref().is_some_and(|home| is_below(home, &place));
            if place == "/" || holds_home || !is_below(&place, &project) {
                return Ok(false);
            }
        }
        Ok(!self.writes.is_empty())
    }
}
