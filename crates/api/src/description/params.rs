//! Parameters whose type exists for the description only.

use utoipa::IntoParams;

/// Parameter of every call that changes something. The extractors of credentials read it ([`crate::auth`]).
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DryRun {
    /// Simulates the call: decides against the current state, answers accordingly and records nothing.
    pub dry_run: Option<bool>,
}
