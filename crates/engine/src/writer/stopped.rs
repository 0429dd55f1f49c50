//! Reasons for which a writer stops.

/// Reason why the writer stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriterStopReason {
    /// The log is corrupt.
    Corrupt,
    /// The log was replaced by another one. Another process can continue with it.
    Replaced,
}

impl WriterStopReason {
    /// Returns the text for readiness.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Corrupt => "it has stopped: the log is corrupt",
            Self::Replaced => "it has stopped: the log was replaced, and this process ends",
        }
    }
}
