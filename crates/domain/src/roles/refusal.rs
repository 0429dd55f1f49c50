//! Refusals of commands about roles.

/// Refusal of a command about the roles of operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No operator would be left that may give roles.
    #[error("an operator that is not revoked must be admin of all platforms")]
    LastAdmin,
}
