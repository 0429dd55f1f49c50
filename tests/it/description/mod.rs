//! The description of the API: it names every route as the table of routes has it, and is served with a page that shows
//! it.

mod examples;
mod page;

use std::collections::BTreeSet;

use serde_json::Value;

use crate::golden::{check, golden};
use crate::routes::{By, ROUTES, Route};

/// The description.
fn description() -> Value {
    serde_json::from_str(daybook_api::description::json()).expect("JSON")
}

/// Its operations, each with method and path in one line.
fn operations(api: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = api["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("methods");
        methods.iter().map(move |(method, said)| (format!("{} {path}", method.to_uppercase()), said))
    })
}

fn operation<'a>(api: &'a Value, route: &Route) -> &'a Value {
    &api["paths"][route.path()][route.method().to_lowercase()]
}

/// The names of the parameters of a query.
fn query(operation: &Value) -> BTreeSet<&str> {
    let parameters = operation["parameters"].as_array().expect("a list").iter();
    parameters.filter(|parameter| parameter["in"] == "query").filter_map(|it| it["name"].as_str()).collect()
}

#[test]
fn it_is_as_its_golden_file_says() {
    let text = serde_json::to_string_pretty(&description()).expect("JSON");
    check(&golden().join("openapi.json"), (text + "\n").as_bytes());
}

#[test]
#[ignore = "they are being described"]
fn every_route_is_described_and_nothing_else() {
    let api = description();
    let described: BTreeSet<_> = operations(&api)
        .map(|(call, said)| (call, said["operationId"].as_str().unwrap_or_default().to_owned()))
        .collect();
    let known = ROUTES.iter().map(|route| (route.call.to_owned(), route.name.to_owned())).collect();
    let odd: Vec<_> = described.symmetric_difference(&known).collect();
    assert!(odd.is_empty(), "in one of the two only: {odd:#?}");
}
