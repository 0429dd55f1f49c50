//! Webhooks: an event becomes one call per subscription, with the record as it was after the event, signed, and every
//! call is delivered.

mod behaviours;
mod behind;
mod delivered;
mod feed;
mod neighbours;
mod receiver;
mod signed;
mod told;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_api::App;
use daybook_api::webhook::{Prepared, prepare};
use daybook_domain::{SubscriptionId, Timestamp};
use daybook_tests::app::TestApp;
use daybook_tests::client::Client;
use daybook_tests::shard;
use serde_json::{Value, json};

/// Scopes with events that can be delivered.
const SCOPES: [&str; 10] = [
    "USERS|POST",
    "USER|PATCH",
    "NODES|POST",
    "NODE|PATCH",
    "NODE|DELETE",
    "TRANS|POST",
    "TRAN|PATCH",
    "TRAN|DELETE",
    "SUBNETS|POST",
    "SUBNET|PATCH",
];

/// A subscription, and the data to prepare its calls.
pub(crate) struct Hook {
    app: App,
    client: Client,
    id: SubscriptionId,
    secret: Vec<u8>,
}

impl Hook {
    /// Subscribes to `scope` with calls to `url`.
    async fn new(app: &TestApp, client: &Client, url: &str, scope: &[&str]) -> Self {
        let body = json!({"url": url, "scope": scope});
        let made = client.call("POST", "/subscriptions").json(&body).send().await.ok();
        let id = made["_id"].as_str().expect("an id").parse().expect("a ULID");
        let app = app.service.app(&format!("http://{}", app.address));
        Self { app, client: client.clone(), id, secret: secret(&made) }
    }

    /// Subscribes to all scopes.
    pub(crate) async fn all(app: &TestApp) -> Self {
        Self::new(app, &app.client, "http://localhost:9/hook", &SCOPES).await
    }

    /// Changes the subscription.
    async fn change(&self, body: &Value) -> Value {
        self.client.call("PATCH", &format!("/subscriptions/{}", self.id)).json(body).send().await.ok()
    }

    fn now(&self) -> Timestamp {
        self.app.engine.clock().now()
    }

    async fn at(&self, position: u64, now: Timestamp) -> Option<Prepared> {
        prepare(&self.app, shard(), self.id, position, now).await.expect("database and vault are available")
    }

    async fn about(&self, position: u64) -> Option<Prepared> {
        self.at(position, self.now()).await
    }

    /// Prepares the calls about all events so far, in order. Checks that a retry has the same body.
    pub(crate) async fn everything(&self, app: &TestApp) -> Vec<Told> {
        let mut told = vec![];
        for happened in app.events().await {
            let Some(prepared) = self.about(happened.position).await else { continue };
            let again = self.about(happened.position).await.expect("is told again");
            assert_eq!(prepared.call.body, again.call.body, "a retry says the same");
            let body = serde_json::from_slice(&prepared.call.body).expect("JSON");
            told.push(Told { position: happened.position, prepared, body });
        }
        told
    }
}

/// A prepared call.
pub(crate) struct Told {
    position: u64,
    prepared: Prepared,
    pub(crate) body: Value,
}

impl Told {
    pub(crate) fn is_about(&self, id: &str) -> bool {
        self.body["_id"]["$oid"] == id
    }

    pub(crate) fn function(&self) -> &str {
        self.body["webhook_meta"]["function"].as_str().expect("a text")
    }
}

/// Returns the bytes of the secret in an answer.
fn secret(record: &Value) -> Vec<u8> {
    let text = record["secret"].as_str().and_then(|text| text.strip_prefix("whsec_")).expect("a secret");
    STANDARD.decode(text).expect("base64")
}
