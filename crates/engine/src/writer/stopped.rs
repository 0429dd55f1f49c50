//! Reasons for which a writer stops, and the answers to its callers.

use super::answer::refuse;
use crate::batch::Pending;
use crate::error::SubmitError;

/// Reason why the writer stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The log is corrupt.
    Corrupt,
    /// The log was replaced by another one. Another process can continue with it.
    Replaced,
}

impl Stopped {
    /// Returns the error for commands that arrive after the stop.
    pub(crate) const fn answer(self) -> SubmitError {
        match self {
            Self::Corrupt => SubmitError::Failed,
            Self::Replaced => SubmitError::Unavailable,
        }
    }

    /// Returns the text for readiness.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Corrupt => "it has stopped: the log is corrupt",
            Self::Replaced => "it has stopped: the log was replaced, and this process ends",
        }
    }

    pub(super) fn refuse(self, batch: Vec<Pending>) -> Self {
        refuse(batch, || self.answer());
        self
    }
}
