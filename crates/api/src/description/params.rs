//! Parameters that nothing reads by this type.

use utoipa::IntoParams;

/// A call that changes something. Credentials read it ([`crate::auth`]).
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct DryRun {
    /// Decide at this moment, answer as it would be, and carry out nothing.
    pub dry_run: Option<bool>,
}
