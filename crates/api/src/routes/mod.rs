//! Every URL on one screen.

use actix_web::web::{self, ServiceConfig, get, patch, post};

use crate::body::BodyLimit;
use crate::error::ApiError;

pub mod health;
pub mod nodes;
pub mod oauth;
pub mod ops;
pub mod sandbox;
pub mod transactions;
pub mod users;

/// The routes; whatever is not here answers 404, and a method that is not here 400/"410".
pub fn configure(config: &mut ServiceConfig) {
    let at = |path: &'static str| web::resource(path).default_service(web::to(unsupported));
    config
        .service(at("/health/live").route(get().to(health::live)))
        .service(at("/health/ready").route(get().to(health::ready)))
        .service(at("/v3.1/users").app_data(BodyLimit::USER).route(post().to(users::create::create)))
        .service(at("/v3.1/users/{user_id}").route(get().to(users::get::get)))
        .service(at("/v3.1/oauth/{user_id}").route(post().to(oauth::create::create)))
        .service(
            at("/v3.1/users/{user_id}/nodes")
                .route(post().to(nodes::create::create))
                .route(get().to(nodes::list::list)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}")
                .route(get().to(nodes::get::get))
                .route(patch().to(nodes::update::update)),
        )
        .service(at("/v3.1/users/{user_id}/nodes/{node_id}/balance").route(get().to(nodes::balance::balance)))
        .service(at("/v3.1/users/{user_id}/nodes/{node_id}/entries").route(get().to(nodes::entries::entries)))
        .service(at("/v3.1/users/{user_id}/nodes/{node_id}/explain").route(get().to(nodes::explain::explain)))
        .service(at("/v3.1/users/{user_id}/trans").route(get().to(transactions::list::list)))
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/trans")
                .app_data(BodyLimit::TRANSACTION)
                .route(post().to(transactions::create::create)),
        )
        .service(
            at("/v3.1/users/{user_id}/nodes/{node_id}/trans/{trans_id}")
                .route(get().to(transactions::get::get))
                .route(patch().to(transactions::comment::comment)),
        )
        .service(at("/v3.1/sandbox/nodes/{node_id}/credit").route(post().to(sandbox::credit::credit)))
        .service(at("/v3.1/ops/operators/me").route(get().to(ops::me::me)))
        .default_service(web::to(not_found));
}

async fn not_found() -> Result<&'static str, ApiError> {
    Err(ApiError::NotFound)
}

async fn unsupported() -> Result<&'static str, ApiError> {
    Err(ApiError::Unsupported("method_not_supported", "This address does not support the method.".into()))
}
