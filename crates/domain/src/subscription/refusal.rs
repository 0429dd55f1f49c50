//! Why something about a subscription is refused.

/// A no to a command about a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id for this caller.
    #[error("subscription does not exist")]
    Unknown,
}
