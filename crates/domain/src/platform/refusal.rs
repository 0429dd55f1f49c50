//! Refusals of commands about a platform.

/// Refusal of a command about a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No platform has this id for this caller.
    #[error("platform does not exist")]
    Unknown,
    /// The command applies to sandboxes only.
    #[error("platform is not a sandbox")]
    NotSandbox,
    /// A clock only goes forward, and not beyond [`MAX_AHEAD_MS`](super::clock::MAX_AHEAD_MS).
    #[error("clock cannot be advanced so far")]
    OutOfRange,
    /// The platform's policy does not permit this currency.
    #[error("currency is not enabled")]
    CurrencyDisabled,
}
