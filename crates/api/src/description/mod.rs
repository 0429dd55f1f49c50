//! The description of the API, as `OpenAPI` 3.1.
//!
//! Each handler says of itself what is its own, in an attribute; what all have in common is added in `common`. Shapes
//! come from the types of [`crate::wire`], examples are answers that a test has got. `docs/STYLE.md`, A handler.

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
use crate::routes::{
    audit, client, events, health, institutions, nodes, oauth, ops, sandbox, statements, subnets,
    subscriptions, transactions, users, verification,
};

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
        users::create::create,
        users::list::list,
        users::get::get,
        users::update::update,
        oauth::create::create,
        nodes::create::create,
        nodes::list::of_user,
        nodes::get::get,
        nodes::update::update,
        nodes::deactivate::deactivate,
        nodes::balance::balance,
        nodes::entries::entries,
        nodes::explain::explain,
        nodes::dummy_tran::dummy_tran,
        transactions::list::of_user,
        transactions::create::create,
        transactions::create_batch::create_batch,
        transactions::list::of_node,
        transactions::get::get,
        transactions::comment::comment,
        transactions::cancel::cancel,
        transactions::attachment::attachment,
        subnets::create::create,
        subnets::list::list,
        subnets::get::get,
        subnets::update::update,
        nodes::list::of_platform,
        transactions::list::of_platform,
        subscriptions::create::create,
        subscriptions::list::list,
        subscriptions::logs::logs,
        subscriptions::redeliver::redeliver,
        subscriptions::get::get,
        subscriptions::change::change,
        client::issue_public_key::issue_public_key,
        institutions::list::list,
        verification::routing_number::verify,
        verification::address::verify,
        events::list::list,
        statements::list::of_user,
        statements::list::of_node,
        statements::csv::csv,
        statements::get::get,
        sandbox::credit::credit,
        sandbox::debit::debit,
        sandbox::process::process,
        sandbox::settle::settle,
        sandbox::cancel::cancel,
        sandbox::queue::queue,
        sandbox::release::release,
        sandbox::send_back::send_back,
        sandbox::verify::verify,
        sandbox::clock::advance,
        ops::me::me,
        ops::queued::queued,
        ops::returned::returned,
        ops::operations::list::list,
        ops::operations::create::create,
        ops::operations::get::get,
        ops::operations::review::approve,
        ops::operations::review::decline,
        ops::open_items::open_items,
        ops::trial_balance::trial_balance,
        ops::custody::custody,
        ops::files::list::list,
        ops::files::returns::returns,
        ops::files::get::get,
        ops::statements::create::create,
        audit::checkpoint::checkpoint,
        audit::checkpoint::key,
        audit::consistency::consistency,
        audit::event::event,
        audit::balance::balance,
        audit::receipt::receipt,
        audit::tile::tile,
        health::live,
        health::ready,
    )
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
    let mut api = serde_json::to_value(Api::openapi()).unwrap_or_default();
    common::add(&mut api);
    tidy::schemas(&mut api);
    rules::add(&mut api);
    links::add(&mut api);
    examples::add(&mut api);
    api
}
