//! Why something about a platform is refused.

/// A no to a command about a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id for this caller.
    #[error("platform does not exist")]
    Unknown,
    /// Only a sandbox has this.
    #[error("platform is not a sandbox")]
    NotSandbox,
    /// A clock goes forward, and not beyond [`MAX_AHEAD_MS`](super::clock::MAX_AHEAD_MS).
    #[error("clock cannot be advanced so far")]
    OutOfRange,
    /// Its money must not move in this currency.
    #[error("currency is not enabled")]
    CurrencyDisabled,
}
