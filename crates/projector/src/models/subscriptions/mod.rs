//! Subscriptions, by id. Those of a platform are a list of [`super::members`].

use daybook_domain::subscription::Subscription;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// The declaration.
pub(crate) const MODEL: Definition = Definition::record::<Subscription>();

/// Every subscription of a shard, whosever it is.
pub(crate) const IDS: &str = include_str!("ids.sql");

/// The projection.
pub(crate) type Subscriptions = Records<Subscription>;

impl Record for Subscription {
    const TABLE: &'static str = "subscriptions";
    type Columns = ();
}
