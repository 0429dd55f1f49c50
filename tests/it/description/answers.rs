//! Answers and their description: the status of every failed call, and the shape of every successful answer.

use daybook_domain::node::NodeKind;
use daybook_tests::bodies;
use serde_json::Value;

use super::shapes::wrong;
use super::{description, operation};
use crate::dry_run::changes;
use crate::routes::{ROUTES, Route};
use crate::town::{Ids, Town};

const WRONG_QUERY: &str = "?page=0&at=x&dry_run=x&currency=x&filter=x&from=x&before=x";

fn is_described(api: &Value, route: &Route, status: u16) -> bool {
    operation(api, route)["responses"].get(status.to_string()).is_some()
}

#[tokio::test]
async fn every_error_status_is_described() {
    let (town, api) = (Town::new().await, description());
    let person = &town.people[0];
    let nothing: Ids = person.ids.keys().map(|name| (*name, "0".repeat(26))).collect();
    let mut odd = vec![];
    for route in ROUTES {
        let right = || town.call(route, person, &person.ids);
        let path = right().line().split_once(' ').expect("a method").1.to_owned();
        let calls = [
            ("no credentials", right().without("x-sp-gateway").without("x-sp-user").without("x-sp-operator")),
            (
                "wrong credentials",
                right()
                    .header("X-SP-GATEWAY", "x|x")
                    .header("X-SP-USER", "x|")
                    .header("X-SP-OPERATOR", "x|x"),
            ),
            ("nothing's ids", town.call(route, person, &nothing)),
            ("a wrong query", right().at(&(path + WRONG_QUERY))),
            ("no JSON", right().body("{")),
            ("an empty object", right().body("{}")),
            ("another media type", right().body("x").header("content-type", "text/html")),
            ("too large a body", right().body(" ".repeat((route.mib << 20) + 1))),
            ("a key", right().key("k1")),
            ("a used key", right().key("k1")),
        ];
        for (what, call) in calls {
            let status = call.send().await.status;
            if !is_described(&api, route, status) {
                odd.push(format!("{}, {what}: {status}", route.name));
            }
        }
    }
    assert!(odd.is_empty(), "{odd:#?}");
}

#[tokio::test]
async fn answers_match_schema_for_every_node_kind() {
    let (town, api) = (Town::new().await, description());
    let person = &town.people[0];
    for kind in NodeKind::ALL {
        let _ = person.session.create_node(&bodies::node(kind.as_str())).await.ok();
    }
    let mut odd = vec![];
    for route in ROUTES.iter().filter(|route| route.method() == "GET" && !changes(route)) {
        let answer = town.call(route, person, &person.ids).send().await;
        let content = &operation(&api, route)["responses"]["200"]["content"]["application/json"];
        if answer.status == 200 && !content.is_null() {
            odd.extend(
                wrong(&api, content, &answer.json())
                    .into_iter()
                    .map(|wrong| format!("{}: {wrong:.300}", route.name)),
            );
        }
    }
    assert!(odd.is_empty(), "{odd:#?}");
}
