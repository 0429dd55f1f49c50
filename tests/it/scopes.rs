//! Scopes: each route of a user asks for its own, and a key opens its own user's paths only.

use daybook_tests::bodies::{node, transfer};
use daybook_tests::http::Answer;
use serde_json::{Value, json};

use crate::world::World;

/// What a user may call: scope, method, path below the user's own with `{node}`, `{spare}`, `{trans}` and `{subnet}`.
const ROUTES: [(&str, &str, &str); 19] = [
    ("NODES|POST", "POST", "/nodes"),
    ("NODES|GET", "GET", "/nodes"),
    ("NODE|GET", "GET", "/nodes/{node}"),
    ("NODE|GET", "GET", "/nodes/{node}/balance"),
    ("NODE|GET", "GET", "/nodes/{node}/entries"),
    ("NODE|GET", "GET", "/nodes/{node}/explain"),
    ("NODE|PATCH", "PATCH", "/nodes/{node}"),
    ("NODE|DELETE", "DELETE", "/nodes/{spare}"),
    ("TRANS|POST", "GET", "/nodes/{node}/dummy-tran?is_credit=YES"),
    ("TRANS|POST", "POST", "/nodes/{node}/trans"),
    ("TRANS|GET", "GET", "/trans"),
    ("TRANS|GET", "GET", "/nodes/{node}/trans"),
    ("TRAN|GET", "GET", "/nodes/{node}/trans/{trans}"),
    ("TRAN|PATCH", "PATCH", "/nodes/{node}/trans/{trans}"),
    ("TRAN|DELETE", "DELETE", "/nodes/{node}/trans/{trans}"),
    ("SUBNETS|POST", "POST", "/nodes/{node}/subnets"),
    ("SUBNETS|GET", "GET", "/nodes/{node}/subnets"),
    ("SUBNET|GET", "GET", "/nodes/{node}/subnets/{subnet}"),
    ("SUBNET|PATCH", "PATCH", "/nodes/{node}/subnets/{subnet}"),
];

impl World {
    fn path(&self, path: &str) -> String {
        let path = path.replace("{node}", &self.node).replace("{spare}", &self.spare);
        path.replace("{trans}", &self.trans).replace("{subnet}", &self.subnet)
    }

    fn body(&self, scope: &str) -> Option<Value> {
        match scope {
            "NODES|POST" => Some(node("DEPOSIT-US")),
            "TRANS|POST" => Some(transfer(&self.to, "1")),
            "NODE|PATCH" => Some(json!({"micro": [0.1, 0.1]})),
            "TRAN|PATCH" => Some(json!({"comment": "x"})),
            "SUBNETS|POST" => Some(json!({"nickname": "x"})),
            "SUBNET|PATCH" => Some(json!({"allowed": "LOCKED"})),
            _ => None,
        }
    }

    async fn key(&self, scopes: &[&str]) -> String {
        let token = self.app.client.user(&self.us.user_id).await["refresh_token"].clone();
        let body = json!({"refresh_token": token, "scope": scopes});
        let key = self.app.client.oauth(&self.us.user_id, &body).await.ok();
        key["oauth_key"].as_str().expect("a key").to_owned()
    }
}

/// Whether a call came to be decided, be it well or ill.
fn opens(answer: &Answer) -> bool {
    answer.status == 200 || answer.json()["error_code"] == "410"
}

#[tokio::test]
async fn a_key_that_lacks_a_routes_scope_does_not_open_it() {
    let world = World::new().await;
    let all: Vec<_> = ROUTES.iter().map(|(scope, _, _)| *scope).collect();
    for (scope, _, _) in ROUTES {
        let others: Vec<_> = all.iter().copied().filter(|other| *other != scope).collect();
        let (without, with) = (world.key(&others).await, world.key(&[scope]).await);
        for (needed, method, path) in ROUTES {
            let call = |key: &str| {
                let call = world.us.call(method, &world.path(path)).header("X-SP-USER", format!("{key}|"));
                match world.body(needed) {
                    Some(body) => call.json(&body),
                    None => call,
                }
            };
            let (without, with) = (call(&without).send().await, call(&with).send().await);
            if needed == scope {
                without.refused(401, "300");
                assert!(opens(&with), "{needed}: {}", with.text());
            } else {
                assert!(opens(&without), "{needed}: {}", without.text());
                with.refused(401, "300");
            }
        }
    }
}

#[tokio::test]
async fn a_key_of_another_user_finds_nothing() {
    let world = World::new().await;
    let other = world.app.platform("Other", true).await;
    let keys = [world.app.client.stranger("Eve").await, other.own_session().await];
    for eve in keys {
        for (scope, method, path) in ROUTES {
            let path = format!("/users/{}{}", world.us.user_id, world.path(path));
            let call = eve.call_at(method, &path);
            let call = match world.body(scope) {
                Some(body) => call.json(&body),
                None => call,
            };
            call.send().await.refused(404, "404");
        }
        // Nor does the victim's node become one's own by naming oneself.
        for (scope, method, path) in ROUTES.into_iter().filter(|(_, _, path)| path.contains("/nodes/{")) {
            let call = eve.call(method, &world.path(path));
            let call = match world.body(scope) {
                Some(body) => call.json(&body),
                None => call,
            };
            call.send().await.refused(404, "404");
        }
    }
}
