//! The description of the API, as `OpenAPI` 3.1.
//!
//! Each handler says of itself what is its own, in an attribute; what all have in common is added in `common`. Shapes
//! come from the types of [`crate::wire`], examples are answers that a test has got. `docs/STYLE.md`, A handler.

mod arguments;
mod common;
mod envelope;
mod errors;
mod examples;
mod links;
pub mod params;
mod rules;
mod tidy;
pub(crate) mod values;

use std::sync::LazyLock;

use serde_json::Value;
use utoipa::OpenApi;

use crate::error::Failure;
use crate::routes::Described;

/// Title, version and license of the description, and the shape of every failure.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Daybook",
        version = "3.1",
        description = include_str!("about.md"),
        license(name = "MIT OR Apache-2.0")
    ),
    components(schemas(Failure<'_>))
)]
struct Api;

/// The description as JSON; the same for everybody.
#[must_use]
pub fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| describe().to_string());
    &JSON
}

/// Every operation of `api`: its path, its method, and what is said of it.
fn operations(api: &mut Value) -> impl Iterator<Item = (&String, &String, &mut Value)> {
    let paths = api["paths"].as_object_mut().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let methods = item.as_object_mut().into_iter().flatten();
        methods.map(move |(method, said)| (path, method, said))
    })
}

/// What an operation is called.
fn id_of(said: &Value) -> &str {
    said["operationId"].as_str().unwrap_or_default()
}

/// What is in braces in a path.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

fn describe() -> Value {
    // Strings, numbers and lists of them: serialization has nothing to fail on.
    let mut api = serde_json::to_value(Api::openapi().merge_from(Described::openapi())).unwrap_or_default();
    arguments::add(&mut api);
    tidy::paths(&mut api);
    common::add(&mut api);
    tidy::schemas(&mut api);
    rules::add(&mut api);
    links::add(&mut api);
    examples::add(&mut api);
    api
}
