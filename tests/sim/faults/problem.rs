//! Why a step did not come to its end.

/// Something that passes, or something that must not be.
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
