//! The `OpenAPI` description: its operations equal the routes, its schemas equal the wire format, and the service
//! serves it with a page that shows it.

mod answers;
mod derived;
mod examples;
mod page;
mod reference;
mod routes;
mod shapes;

use serde_json::Value;

use crate::golden::{check, golden};
use crate::routes::Route;

/// The `OpenAPI` description as JSON.
fn description() -> Value {
    serde_json::from_str(daybook_api::description::json()).expect("JSON")
}

/// Operations of the description, each with method and path, such as `GET /v3.1/users`.
fn operations(api: &Value) -> impl Iterator<Item = (String, &Value)> {
    let paths = api["paths"].as_object().expect("paths");
    paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("methods");
        methods.iter().map(move |(method, said)| (format!("{} {path}", method.to_uppercase()), said))
    })
}

/// Operation of a route.
fn operation<'a>(api: &'a Value, route: &Route) -> &'a Value {
    &api["paths"][route.path()][route.method().to_lowercase()]
}

/// The golden file leaves out the examples of calls, which have a file of their own.
#[test]
fn description_matches_golden_file() {
    let mut api = description();
    forget_examples(&mut api["paths"]);
    let text = serde_json::to_string_pretty(&api).expect("JSON");
    check(&golden().join("openapi.json"), (text + "\n").as_bytes());
}

fn forget_examples(value: &mut Value) {
    match value {
        Value::Array(list) => list.iter_mut().for_each(forget_examples),
        Value::Object(map) => {
            map.remove("example");
            map.values_mut().for_each(forget_examples);
        }
        _ => {}
    }
}
