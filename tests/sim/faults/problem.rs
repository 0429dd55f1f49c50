//! Failures of a step.

/// A transient failure, or a violation.
#[derive(Debug)]
pub(super) enum Problem {
    Passing,
    Wrong(String),
}

impl From<daybook_log::Error> for Problem {
    fn from(_: daybook_log::Error) -> Self {
        Self::Passing
    }
}
