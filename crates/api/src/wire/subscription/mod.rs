//! Subscriptions: bodies that create or change one, and records that show one.

mod attempt;
mod change;
mod create;
mod render;
mod url;

pub use attempt::{AttemptList, AttemptRecord, Attempts};
pub use change::{ChangeSubscription, SubscriptionChange};
pub use create::{CreateSubscription, NewSubscription};
use daybook_domain::subscription::Scope;
pub use render::{Subscription, SubscriptionView, render};

use crate::ApiError;
use crate::wire::MAX_ENTRIES;

/// Name of the field with the scopes.
pub(in crate::wire) const SCOPE: &str = "scope";

/// Parses a list of scopes: at least one, each of them known.
pub(in crate::wire) fn scopes<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Scope>, ApiError> {
    let names: Vec<&str> = names.into_iter().take(MAX_ENTRIES + 1).collect();
    if names.is_empty() || names.len() > MAX_ENTRIES {
        return Err(ApiError::invalid(SCOPE, format!("must have 1 to {MAX_ENTRIES} entries")));
    }
    let known = Scope::ALL.map(Scope::as_str).join(", ");
    let must = || ApiError::invalid(SCOPE, format!("must hold none but {known}"));
    names.into_iter().map(|name| Scope::parse(name).ok_or_else(must)).collect()
}
