//! Why a writer cannot go on, and what that says to whoever asks for something.

use super::answer::refuse;
use crate::batch::Pending;
use crate::error::SubmitError;

/// Why the writer cannot go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The log is corrupt.
    Corrupt,
    /// The log is not the one that was; another process can go on with it.
    Replaced,
}

impl Stopped {
    /// What a command is answered that comes now.
    pub(crate) const fn answer(self) -> SubmitError {
        match self {
            Self::Corrupt => SubmitError::Failed,
            Self::Replaced => SubmitError::Unavailable,
        }
    }

    /// What is said of the writer.
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
