//! Subscriptions: what creates and changes one, and how one is shown.

mod attempt;
mod change;
mod create;
mod render;
mod url;

pub use attempt::{AttemptList, AttemptRecord};
pub use change::{ChangeSubscription, SubscriptionChange};
pub use create::{CreateSubscription, NewSubscription};
use daybook_domain::subscription::Scope;
pub use render::{Subscription, SubscriptionView, render};

use crate::ApiError;
use crate::wire::MAX_ENTRIES;
use crate::wire::text::Text;

/// The field of the scopes.
const SCOPE: &str = "scope";

/// Scopes as they were listed; at least one, each of them known.
fn scopes(names: &[Text]) -> Result<Vec<Scope>, ApiError> {
    if names.is_empty() || names.len() > MAX_ENTRIES {
        return Err(ApiError::invalid(SCOPE, format!("must have 1 to {MAX_ENTRIES} entries")));
    }
    let known = Scope::ALL.map(Scope::as_str).join(", ");
    let must = || ApiError::invalid(SCOPE, format!("must hold none but {known}"));
    names.iter().map(|name| Scope::parse(name.as_str()).ok_or_else(must)).collect()
}
