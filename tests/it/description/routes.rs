//! Operations of the description equal those of the router, with the credentials, parameters and bodies of the table of
//! routes.

use std::collections::BTreeSet;

use daybook_tests::app::TestApp;
use daybook_tests::http::Call;
use serde_json::{Value, json};

use super::{description, operation, operations};
use crate::dry_run::{REFUSED, changes};
use crate::moments::{BALANCES, RECORDS};
use crate::routes::{By, ROUTES, Route};

/// Names of the query parameters.
fn query(operation: &Value) -> BTreeSet<&str> {
    let parameters = operation["parameters"].as_array().expect("a list").iter();
    parameters.filter(|parameter| parameter["in"] == "query").filter_map(|it| it["name"].as_str()).collect()
}

#[test]
fn described_routes_equal_known_routes() {
    let api = description();
    let described: BTreeSet<_> = operations(&api)
        .map(|(call, said)| (call, said["operationId"].as_str().unwrap_or_default().to_owned()))
        .collect();
    let known = ROUTES.iter().map(|route| (route.call.to_owned(), route.name.to_owned())).collect();
    let odd: Vec<_> = described.symmetric_difference(&known).collect();
    assert!(odd.is_empty(), "in one of the two only: {odd:#?}");
}

/// Tries every method of each described path, so that the router itself shows which methods it serves.
#[tokio::test]
async fn router_serves_exactly_the_described_methods() {
    let (app, api) = (TestApp::start().await, description());
    for (path, item) in api["paths"].as_object().expect("paths") {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let answer = Call::new(app.address, method, &path.replace(['{', '}'], "")).send().await;
            let is_served = !answer.text().contains("method_not_supported");
            let is_described = item.get(method.to_lowercase()).is_some();
            assert_eq!(is_served, is_described, "{method} {path}: {}", answer.text());
            // A served route answers 401 without credentials; an unknown path answers 404.
            if is_described && item[method.to_lowercase()]["security"] != json!([]) {
                assert_eq!(answer.status, 401, "{method} {path}: {}", answer.text());
            }
        }
    }
}

#[test]
fn description_names_the_required_credentials() {
    let api = description();
    for route in ROUTES {
        let said = &operation(&api, route)["security"][0];
        let needs = match route.by {
            By::Nobody => Value::Null,
            By::Gateway => json!({"X-SP-GATEWAY": []}),
            By::PlatformOrPublicKey(scope) => json!({"X-SP-GATEWAY": [scope]}),
            By::User(scope) => json!({"X-SP-USER": [scope]}),
            By::Operator => json!({"X-SP-OPERATOR": []}),
        };
        assert_eq!(*said, needs, "{}", route.name);
    }
}

#[test]
fn description_names_parameters_and_bodies() {
    let api = description();
    for route in ROUTES {
        let said = operation(&api, route);
        let asked = query(said);
        let may_be = [
            ("dry_run", changes(route) && !REFUSED.contains(&route.name)),
            ("at", RECORDS.contains(&route.name) || BALANCES.contains(&route.name)),
        ];
        for (name, may_be) in may_be {
            assert_eq!(asked.contains(name), may_be, "{}: {name}", route.name);
        }
        let is_paged = ["page", "per_page"].iter().all(|name| asked.contains(name));
        assert!(is_paged || !route.is_list(), "{}: page", route.name);
        assert_eq!(said.get("requestBody").is_some(), route.has_body(), "{}: body", route.name);
        let is_told = |name: &str| said[name].as_str().is_some_and(|text| !text.is_empty());
        assert!(is_told("summary"), "{}: what it does", route.name);
    }
}

#[test]
fn schema_references_and_tags_are_complete() {
    fn references<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
        match value {
            Value::Array(list) => list.iter().for_each(|value| references(value, found)),
            Value::Object(map) => {
                found.extend(map.get("$ref").and_then(Value::as_str));
                map.values().for_each(|value| references(value, found));
            }
            _ => {}
        }
    }
    let (api, mut found) = (description(), BTreeSet::new());
    references(&api, &mut found);
    assert!(found.len() > 50, "references are written in another way");
    for reference in found {
        let pointer = reference.strip_prefix('#').expect("nothing elsewhere");
        assert!(api.pointer(pointer).is_some(), "{reference}");
    }
    let explained: BTreeSet<_> = api["tags"]
        .as_array()
        .expect("tags")
        .iter()
        .map(|tag| tag["name"].as_str().expect("a name"))
        .collect();
    let noun = |route: &Route| route.name.split('.').next().unwrap_or_default();
    assert_eq!(explained, ROUTES.iter().map(noun).collect());
}
