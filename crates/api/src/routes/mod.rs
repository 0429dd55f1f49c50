//! Every URL on one screen.

use actix_web::web::{self, ServiceConfig, delete, patch, post};
use actix_web::{Resource, Route, guard};

use crate::body::BodyLimit;
use crate::error::ApiError;

pub mod audit;
pub mod client;
mod docs;
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

/// The path of an address, with names in place of ids: what a request came to, in few words.
#[derive(Clone, Copy)]
pub(crate) struct Pattern(pub(crate) &'static str);

/// An address; a method that it does not have is answered 400/"410".
fn at(path: &'static str) -> Resource {
    web::resource(path).app_data(Pattern(path)).default_service(web::to(unsupported))
}

/// A GET; a HEAD comes to the same handler, and its answer is sent without its body.
fn get() -> Route {
    web::route().guard(guard::Any(guard::Get()).or(guard::Head()))
}

/// The routes; whatever is not here answers 404. The router tries one after the other, each by a regular expression: those
/// that are called most come first.
pub fn configure(config: &mut ServiceConfig) {
    config
        .configure(paid)
        .service(at("/health/live").route(get().to(health::live)))
        .service(at("/health/ready").route(get().to(health::ready)))
        .service(
            at("/v3.1/users")
                .app_data(BodyLimit::USER)
                .route(post().to(users::create::create))
                .route(get().to(users::list::list)),
        )
        .service(
            at("/v3.1/users/{user_id}")
                .app_data(BodyLimit::USER)
                .route(get().to(users::get::get))
                .route(patch().to(users::update::update)),
        )
        .service(at("/v3.1/oauth/{user_id}").route(post().to(oauth::create::create)))
        .service(
            at("/v3.1/users/{user_id}/nodes")
                .route(post().to(nodes::create::create))
                .route(get().to(nodes::list::of_user)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}")
                .route(get().to(nodes::get::get))
                .route(patch().to(nodes::update::update))
                .route(delete().to(nodes::deactivate::deactivate)),
        )
        .service(at("/v3.1/users/{user_id}/nodes/{node_id}/balance").route(get().to(nodes::balance::balance)))
        .service(at("/v3.1/users/{user_id}/nodes/{node_id}/entries").route(get().to(nodes::entries::entries)))
        .service(at("/v3.1/users/{user_id}/nodes/{node_id}/explain").route(get().to(nodes::explain::explain)))
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/dummy-tran")
                .route(get().to(nodes::dummy_tran::dummy_tran)),
        )
        .service(at("/v3.1/users/{user_id}/trans").route(get().to(transactions::list::of_user)))
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}/attachments/{attachment_id}")
                .route(get().to(transactions::attachment::attachment)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/subnets")
                .route(post().to(subnets::create::create))
                .route(get().to(subnets::list::list)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/subnets/{subnet_id}")
                .route(get().to(subnets::get::get))
                .route(patch().to(subnets::update::update)),
        )
        .service(at("/v3.1/nodes").route(get().to(nodes::list::of_platform)))
        .service(at("/v3.1/trans").route(get().to(transactions::list::of_platform)))
        .service(
            at("/v3.1/subscriptions")
                .route(post().to(subscriptions::create::create))
                .route(get().to(subscriptions::list::list)),
        )
        .service(at("/v3.1/subscriptions/logs").route(get().to(subscriptions::logs::logs)))
        .service(
            at("/v3.1/subscriptions/{subscription_id}/redeliver")
                .route(post().to(subscriptions::redeliver::redeliver)),
        )
        .service(
            at("/v3.1/subscriptions/{subscription_id}")
                .route(get().to(subscriptions::get::get))
                .route(patch().to(subscriptions::change::change)),
        )
        .service(at("/v3.1/client").route(get().to(client::issue_public_key::issue_public_key)))
        .service(at("/v3.1/institutions").route(get().to(institutions::list::list)))
        .service(
            at("/v3.1/routing-number-verification").route(post().to(verification::routing_number::verify)),
        )
        .service(at("/v3.1/address-verification").route(post().to(verification::address::verify)))
        .service(at("/v3.1/events").route(get().to(events::list::list)))
        .configure(stated)
        .configure(simulated)
        .configure(operated)
        .configure(audited)
        .configure(docs::configure)
        .default_service(web::to(not_found));
}

/// Transactions, one at a time and many.
fn paid(config: &mut ServiceConfig) {
    config
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/trans")
                .app_data(BodyLimit::TRANSACTION)
                .route(post().to(transactions::create::create))
                .route(get().to(transactions::list::of_node)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/batch-trans")
                .app_data(BodyLimit::TRANSACTION)
                .route(post().to(transactions::create_batch::create_batch)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}")
                .route(get().to(transactions::get::get))
                .route(patch().to(transactions::comment::comment))
                .route(delete().to(transactions::cancel::cancel)),
        );
}

/// What an account was in months that are over.
fn stated(config: &mut ServiceConfig) {
    config
        .service(at("/v3.1/users/{user_id}/statements").route(get().to(statements::list::of_user)))
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/statements").route(get().to(statements::list::of_node)),
        )
        // Before the ids of statements: the first that fits answers.
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}.csv")
                .route(get().to(statements::csv::csv)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/statements/{statement_id}")
                .route(get().to(statements::get::get)),
        );
}

/// What a sandbox platform can have happen at once.
fn simulated(config: &mut ServiceConfig) {
    config
        .service(at("/v3.1/sandbox/nodes/{node_id}/credit").route(post().to(sandbox::credit::credit)))
        .service(at("/v3.1/sandbox/nodes/{node_id}/debit").route(post().to(sandbox::debit::debit)))
        .service(at("/v3.1/sandbox/trans/{trans_id}/process").route(post().to(sandbox::process::process)))
        .service(at("/v3.1/sandbox/trans/{trans_id}/settle").route(post().to(sandbox::settle::settle)))
        .service(at("/v3.1/sandbox/trans/{trans_id}/cancel").route(post().to(sandbox::cancel::cancel)))
        .service(at("/v3.1/sandbox/trans/{trans_id}/queue").route(post().to(sandbox::queue::queue)))
        .service(at("/v3.1/sandbox/trans/{trans_id}/release").route(post().to(sandbox::release::release)))
        .service(at("/v3.1/sandbox/trans/{trans_id}/return").route(post().to(sandbox::send_back::send_back)))
        .service(at("/v3.1/sandbox/users/{user_id}/verify").route(post().to(sandbox::verify::verify)))
        .service(at("/v3.1/sandbox/clock/advance").route(post().to(sandbox::clock::advance)));
}

/// What proves the log.
fn audited(config: &mut ServiceConfig) {
    config
        .service(at("/audit/checkpoint").route(get().to(audit::checkpoint::checkpoint)))
        .service(at("/audit/key").route(get().to(audit::checkpoint::key)))
        .service(at("/audit/consistency").route(get().to(audit::consistency::consistency)))
        .service(at("/audit/events/{event_id}/proof").route(get().to(audit::event::event)))
        .service(at("/audit/nodes/{node_id}/balance").route(get().to(audit::balance::balance)))
        .service(at("/audit/receipts/{position}").route(get().to(audit::receipt::receipt)))
        .service(at("/audit/tile/{tile:.*}").route(get().to(audit::tile::tile)));
}

/// What operators can do.
fn operated(config: &mut ServiceConfig) {
    config
        .service(at("/v3.1/ops/operators/me").route(get().to(ops::me::me)))
        .service(at("/v3.1/ops/platforms/{platform}/queued").route(get().to(ops::queued::queued)))
        .service(at("/v3.1/ops/platforms/{platform}/returned").route(get().to(ops::returned::returned)))
        .service(
            at("/v3.1/ops/platforms/{platform}/operations")
                .route(get().to(ops::operations::list::list))
                .route(post().to(ops::operations::create::create)),
        )
        .service(
            at("/v3.1/ops/platforms/{platform}/operations/{operation_id}")
                .route(get().to(ops::operations::get::get)),
        )
        .service(
            at("/v3.1/ops/platforms/{platform}/operations/{operation_id}/approve")
                .route(post().to(ops::operations::review::approve)),
        )
        .service(
            at("/v3.1/ops/platforms/{platform}/operations/{operation_id}/decline")
                .route(post().to(ops::operations::review::decline)),
        )
        .service(at("/v3.1/ops/platforms/{platform}/open-items").route(get().to(ops::open_items::open_items)))
        .service(
            at("/v3.1/ops/platforms/{platform}/trial-balance")
                .route(get().to(ops::trial_balance::trial_balance)),
        )
        .service(at("/v3.1/ops/platforms/{platform}/custody").route(get().to(ops::custody::custody)))
        .service(at("/v3.1/ops/platforms/{platform}/files").route(get().to(ops::files::list::list)))
        // Before the ids of files: the first that fits answers.
        .service(
            at("/v3.1/ops/platforms/{platform}/files/returns")
                .app_data(BodyLimit::FILE)
                .route(post().to(ops::files::returns::returns)),
        )
        .service(at("/v3.1/ops/platforms/{platform}/files/{file_id}").route(get().to(ops::files::get::get)))
        .service(
            at("/v3.1/ops/platforms/{platform}/statements")
                .app_data(BodyLimit::FILE)
                .route(post().to(ops::statements::create::create)),
        );
}

async fn not_found() -> Result<&'static str, ApiError> {
    Err(ApiError::NotFound)
}

async fn unsupported() -> Result<&'static str, ApiError> {
    Err(ApiError::Unsupported("method_not_supported", "This address does not support the method.".into()))
}
