//! List of all endpoints. The path of each is in the attribute of its handler.

use std::sync::LazyLock;

use actix_web::web::{self, ServiceConfig};
use endpoint::{Addresses, at, endpoints, get};
pub(crate) use endpoint::{Endpoint, Pattern};

use crate::body::BodyLimit;
use crate::error::ApiError;

pub mod audit;
pub mod client;
mod docs;
mod endpoint;
pub mod events;
pub mod health;
pub mod institutions;
pub mod nodes;
pub mod oauth;
pub mod ops;
pub mod sandbox;
pub mod statements;
pub mod subnets;
pub mod subscriptions;
pub mod transactions;
pub mod users;
pub mod verification;

// The router tries the paths in this order, each with a regular expression: frequently called endpoints come first.
endpoints! {
    // Transactions: single, batch, lists.
    transactions::create::{create} TRANSACTION,
    transactions::list::{of_node},
    transactions::create_batch::{create_batch} TRANSACTION,
    transactions::get::{get},
    transactions::comment::{comment},
    transactions::cancel::{cancel},

    // Health checks.
    health::{live},
    health::{ready},

    // Users, their nodes and balances.
    users::create::{create} USER,
    users::list::{list},
    users::get::{get},
    users::update::{update} USER,
    oauth::create::{create},
    nodes::create::{create},
    nodes::list::{of_user},
    nodes::get::{get},
    nodes::update::{update},
    nodes::deactivate::{deactivate},
    nodes::balance::{balance},
    nodes::entries::{entries},
    nodes::explain::{explain},
    nodes::dummy_tran::{dummy_tran},
    transactions::list::{of_user},
    transactions::attachment::{attachment},
    subnets::create::{create},
    subnets::list::{list},
    subnets::get::{get},
    subnets::update::{update},
    nodes::list::{of_platform},
    transactions::list::{of_platform},
    subscriptions::create::{create},
    subscriptions::list::{list},
    subscriptions::logs::{logs},
    subscriptions::redeliver::{redeliver},
    subscriptions::get::{get},
    subscriptions::change::{change},
    client::issue_public_key::{issue_public_key},
    institutions::list::{list},
    verification::routing_number::{verify},
    verification::address::{verify},
    events::list::{list},

    // Account statements of past months.
    statements::list::{of_user},
    statements::list::{of_node},
    // Before the ids of statements, because the first match wins.
    statements::csv::{csv},
    statements::get::{get},

    // Simulations for sandbox platforms.
    sandbox::external_transfer::{credit},
    sandbox::external_transfer::{debit},
    sandbox::steps::{process},
    sandbox::steps::{settle},
    sandbox::decisions::{cancel},
    sandbox::decisions::{queue},
    sandbox::decisions::{release},
    sandbox::decisions::{return_transaction},
    sandbox::verify::{verify},
    sandbox::clock::{advance},
    sandbox::statement::{statement},

    // Calls of operators.
    ops::me::{me},
    ops::queued::{queued},
    ops::returned::{returned},
    ops::operations::list::{list},
    ops::operations::create::{create},
    ops::operations::get::{get},
    ops::operations::review::{approve},
    ops::operations::review::{decline},
    ops::open_items::{open_items},
    ops::trial_balance::{trial_balance},
    ops::custody::{custody},
    ops::reconciliation::{reconciliation},
    ops::files::list::{list},
    // Before the ids of files, because the first match wins.
    ops::files::returns::{returns} FILE,
    ops::files::get::{get},
    ops::breaks::list::{list},
    ops::rules::{rules},
    ops::statements::list::{list},
    ops::statements::create::{create} STATEMENTS,
    ops::statements::get::{get},

    // Proofs of the log.
    audit::checkpoint::{checkpoint},
    audit::checkpoint::{key},
    audit::consistency::{consistency},
    audit::event::{event},
    audit::balance::{balance},
    audit::receipt::{receipt},
    audit::tile::{tile},
    audit::checkpoint::{checkpoint_of_shard},
    audit::checkpoint::{key_of_shard},
    audit::consistency::{consistency_of_shard},
    audit::tile::{tile_of_shard},
}

static ENDPOINTS: LazyLock<Vec<Endpoint>> = LazyLock::new(all);
static ADDRESSES: LazyLock<Addresses> = LazyLock::new(|| Addresses::of(&ENDPOINTS));

/// Returns method and path of every endpoint, in the order of the router: `GET /v3.1/users`.
pub fn served() -> impl Iterator<Item = String> {
    ENDPOINTS.iter().map(Endpoint::call)
}

/// Returns the endpoint with this method, in any case, and this path.
pub(crate) fn endpoint(method: &str, path: &str) -> Option<&'static Endpoint> {
    ENDPOINTS.iter().find(|endpoint| endpoint.is_at(method, path))
}

/// Registers all routes; any other path answers 404.
pub fn configure(config: &mut ServiceConfig) {
    ADDRESSES.configure(config);
    docs::configure(config);
    config.default_service(web::to(not_found));
}

async fn not_found() -> Result<&'static str, ApiError> {
    Err(ApiError::NotFound)
}
