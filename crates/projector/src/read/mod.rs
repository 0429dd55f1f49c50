//! The registry: every read model there is. Its tables, and what it makes of a page of the log.

pub(crate) mod balances;
pub(crate) mod custodies;
pub(crate) mod daily;
pub(crate) mod entries;
pub(crate) mod files;
pub(crate) mod ledger;
pub(crate) mod members;
pub(crate) mod nodes;
pub(crate) mod open_items;
pub(crate) mod operations;
pub(crate) mod platforms;
pub(crate) mod queued;
pub(crate) mod subnets;
pub(crate) mod subscriptions;
pub(crate) mod to_dos;
pub(crate) mod transactions;
pub(crate) mod users;
pub(crate) mod waiting;

/// The tables of all read models; each text may be run again and again.
pub(crate) const SCHEMAS: [&str; 18] = [
    platforms::SCHEMA,
    users::SCHEMA,
    nodes::SCHEMA,
    transactions::SCHEMA,
    entries::SCHEMA,
    balances::SCHEMA,
    daily::SCHEMA,
    to_dos::SCHEMA,
    members::SCHEMA,
    custodies::SCHEMA,
    operations::SCHEMA,
    ledger::SCHEMA,
    open_items::SCHEMA,
    queued::SCHEMA,
    waiting::SCHEMA,
    files::SCHEMA,
    subnets::SCHEMA,
    subscriptions::SCHEMA,
];
