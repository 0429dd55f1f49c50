//! Subscriptions, by id. The list of a platform's subscriptions is in [`super::members`].

use daybook_domain::subscription::Subscription;

use crate::models::record::{Record, Records};
use crate::store::model::Definition;

/// Declaration of the read model.
pub(crate) const MODEL: Definition = Definition::record::<Subscription>();

/// Query for the ids of all subscriptions of a shard.
pub(crate) const IDS: &str = include_str!("ids.sql");

/// The projection of subscriptions.
pub(crate) type Subscriptions = Records<Subscription>;

impl Record for Subscription {
    const TABLE: &'static str = "subscriptions";
    type Columns = ();
}
