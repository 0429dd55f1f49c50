//! The description of the API, in OpenAPI 3.1.
//!
//! Each handler says of itself what is its own, in an attribute; what all have in common is added in `common`. Shapes
//! come from the types of [`crate::wire`], examples are answers that a test has got. `docs/STYLE.md`, A handler.

mod common;
mod envelope;
mod errors;
mod examples;
pub mod params;
mod scalars;
pub(crate) mod values;

use std::sync::LazyLock;

use serde_json::Value;
use utoipa::OpenApi;

use crate::error::Failure;
use crate::routes::{events, health, subscriptions};

/// Every handler that is described: a line for each, in the order of the router.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Daybook",
        version = "3.1",
        description = include_str!("about.md"),
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(Failure<'_>)),
    paths(
        subscriptions::create::create,
        subscriptions::list::list,
        subscriptions::logs::logs,
        subscriptions::redeliver::redeliver,
        subscriptions::get::get,
        subscriptions::change::change,
        events::list::list,
        health::live,
        health::ready,
    )
)]
struct Api;

/// The description as JSON; the same for everybody.
pub fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| describe().to_string());
    &JSON
}

fn describe() -> Value {
    // Strings, numbers and lists of them: serialization has nothing to fail on.
    let mut api = serde_json::to_value(Api::openapi()).unwrap_or_default();
    common::add(&mut api);
    scalars::inline(&mut api);
    examples::add(&mut api);
    api
}
