//! Why something about a user is refused.

/// A no to a command about a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id for this caller.
    #[error("user does not exist")]
    Unknown,
}
