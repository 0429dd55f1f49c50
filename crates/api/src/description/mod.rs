//! Description of the API as `OpenAPI` 3.1.
//!
//! Each handler describes its own part in an attribute; `common` adds the parts that all share. Schemas come from the
//! types of [`crate::wire`], examples from answers that a test received. See `docs/STYLE.md`, A handler.

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

/// Title, version and license of the description, and the schema of every error.
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

/// Returns the description as JSON; it is the same for every caller.
#[must_use]
pub fn json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| describe().to_string());
    &JSON
}

/// Iterates over every operation of `api`: path, method, and the object that describes it.
fn operations(api: &mut Value) -> impl Iterator<Item = (&String, &String, &mut Value)> {
    let paths = api["paths"].as_object_mut().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let methods = item.as_object_mut().into_iter().flatten();
        methods.map(move |(method, said)| (path, method, said))
    })
}

/// Returns the id of an operation.
fn id_of(said: &Value) -> &str {
    said["operationId"].as_str().unwrap_or_default()
}

/// Iterates over the names in braces in a path.
fn names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| rest.split('}').next())
}

fn describe() -> Value {
    // Strings, numbers and lists of them always serialize.
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
