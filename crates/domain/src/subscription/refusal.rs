//! Refusals of commands about a subscription.

/// Refusal of a command about a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No subscription has this id for this caller.
    #[error("subscription does not exist")]
    Unknown,
}
