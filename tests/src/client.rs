//! A platform and its users, as a program of theirs would call the service.
#![allow(clippy::expect_used, reason = "a test that cannot make its users has failed")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bodies;
use crate::http::{Answer, Call};

/// The device that the kit's users sit at, unless a test says otherwise.
pub const DEVICE: &str = "device-1";

/// How long something that takes its time may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Seconds of a day.
const DAY_S: i64 = 24 * 60 * 60;

/// How long to wait before looking again.
const PAUSE: Duration = Duration::from_millis(20);

/// Looks until `look` finds something.
///
/// # Panics
///
/// If it does not in half a minute.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        tokio::time::sleep(PAUSE).await;
    }
}

/// A platform with its credentials.
#[derive(Clone, Debug)]
pub struct Client {
    /// Where the service listens.
    pub address: SocketAddr,
    /// Public half of its credentials.
    pub client_id: String,
    /// Secret half.
    pub client_secret: String,
    /// The platform's own user.
    pub user_id: String,
}

impl Client {
    /// A call without any credentials; `path` comes after `/v3.1`.
    #[must_use]
    pub fn anonymous(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, &format!("/v3.1{path}"))
    }

    /// A call with the platform's credentials.
    #[must_use]
    pub fn call(&self, method: &str, path: &str) -> Call {
        self.anonymous(method, path).header("X-SP-GATEWAY", self.gateway())
    }

    /// The value of `X-SP-GATEWAY`.
    #[must_use]
    pub fn gateway(&self) -> String {
        format!("{}|{}", self.client_id, self.client_secret)
    }

    /// A call about what proves the log; `path` comes after `/audit`.
    #[must_use]
    pub fn audit(&self, path: &str) -> Call {
        Call::new(self.address, "GET", &format!("/audit{path}")).header("X-SP-GATEWAY", self.gateway())
    }

    /// Creates a user that sits at [`DEVICE`].
    pub async fn create_user(&self, body: &Value) -> Answer {
        self.call("POST", "/users").header("X-SP-USER", format!("|{DEVICE}")).json(body).send().await
    }

    /// The user as it is now.
    pub async fn user(&self, id: &str) -> Value {
        self.call("GET", &format!("/users/{id}")).send().await.ok()
    }

    /// The user as soon as none of its documents is in review.
    pub async fn reviewed(&self, id: &str) -> Value {
        until("the documents are reviewed", async || {
            let user = self.user(id).await;
            (!user["documents"].to_string().contains("REVIEWING")).then_some(user)
        })
        .await
    }

    /// Asks for an OAuth key from [`DEVICE`].
    pub async fn oauth(&self, id: &str, body: &Value) -> Answer {
        self.oauth_from(DEVICE, id, body).await
    }

    /// Asks for an OAuth key from `device`.
    pub async fn oauth_from(&self, device: &str, id: &str, body: &Value) -> Answer {
        let call = self.call("POST", &format!("/oauth/{id}")).header("X-SP-USER", format!("|{device}"));
        call.json(body).send().await
    }

    /// A session of an existing user with all scopes.
    ///
    /// # Panics
    ///
    /// If there is no such user.
    pub async fn session(&self, id: &str) -> Session {
        let user = self.user(id).await;
        let key = self.oauth(id, &json!({"refresh_token": user["refresh_token"]})).await.ok();
        let oauth_key = key["oauth_key"].as_str().expect("a key").to_owned();
        Session { client: self.clone(), user_id: id.to_owned(), oauth_key }
    }

    /// A session of the platform's own user, who may send and receive from the start.
    pub async fn own_session(&self) -> Session {
        self.session(&self.user_id).await
    }

    /// A session of a new user who may not send yet.
    ///
    /// # Panics
    ///
    /// If the user cannot be made.
    pub async fn stranger(&self, name: &str) -> Session {
        let user = self.create_user(&bodies::person(name)).await.ok();
        self.session(user["_id"].as_str().expect("an id")).await
    }

    /// A session of a new user who may send and receive.
    ///
    /// # Panics
    ///
    /// If the user cannot be made.
    pub async fn verified(&self, name: &str) -> Session {
        let session = self.stranger(name).await;
        let user = self.reviewed(&session.user_id).await;
        assert_eq!(user["permission"], "SEND-AND-RECEIVE", "{user}");
        session
    }

    /// Simulates money from outside onto a node; `amount` is a JSON number.
    pub async fn credit(&self, node: &str, amount: &str) -> Answer {
        self.cross("credit", node, amount).await
    }

    /// Simulates money from a node to outside; `amount` is a JSON number.
    pub async fn debit(&self, node: &str, amount: &str) -> Answer {
        self.cross("debit", node, amount).await
    }

    async fn cross(&self, way: &str, node: &str, amount: &str) -> Answer {
        let body = format!(r#"{{"amount": {{"amount": {amount}, "currency": "USD"}}}}"#);
        self.call("POST", &format!("/sandbox/nodes/{node}/{way}")).body(body).send().await
    }

    /// Has something happen to a transaction now: `process`, `settle`, `cancel`, `queue`, `release` or `return`.
    pub async fn simulate(&self, id: &str, what: &str, body: &Value) -> Answer {
        self.call("POST", &format!("/sandbox/trans/{id}/{what}")).json(body).send().await
    }

    /// Gives a user a permission now.
    pub async fn verify(&self, user: &str, permission: &str) -> Answer {
        let call = self.call("POST", &format!("/sandbox/users/{user}/verify"));
        call.json(&json!({"permission": permission})).send().await
    }

    /// Makes it noon for the platform, the day after the day that it is in `days` days; answers what time it is then. So
    /// no day ends in the hours after.
    ///
    /// # Panics
    ///
    /// If the clock cannot be advanced so far.
    pub async fn noon(&self, days: i64) -> i64 {
        let now = self.advance(1).await.ok()["now"].as_i64().expect("a time") / 1_000;
        let seconds = (days + 1) * DAY_S + DAY_S / 2 - now.rem_euclid(DAY_S);
        self.advance(seconds).await.ok()["now"].as_i64().expect("a time")
    }

    /// Advances the platform's clock.
    pub async fn advance(&self, seconds: i64) -> Answer {
        self.call("POST", "/sandbox/clock/advance").json(&json!({"seconds": seconds})).send().await
    }
}

/// A user with an OAuth key.
#[derive(Clone, Debug)]
pub struct Session {
    /// The user's platform.
    pub client: Client,
    /// The user.
    pub user_id: String,
    /// The key.
    pub oauth_key: String,
}

impl Session {
    /// A call with the user's key; `path` comes after the user's own.
    #[must_use]
    pub fn call(&self, method: &str, path: &str) -> Call {
        self.call_at(method, &format!("/users/{}{path}", self.user_id))
    }

    /// A call with the user's key; `path` comes after `/v3.1`.
    #[must_use]
    pub fn call_at(&self, method: &str, path: &str) -> Call {
        let call = self.client.anonymous(method, path);
        call.header("X-SP-USER", format!("{}|{DEVICE}", self.oauth_key)).header("X-SP-USER-IP", "127.0.0.1")
    }

    /// Creates a node.
    pub async fn create_node(&self, body: &Value) -> Answer {
        self.call("POST", "/nodes").json(body).send().await
    }

    /// The id of a new node of a held type.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    pub async fn node(&self, kind: &str) -> String {
        let made = self.create_node(&bodies::node(kind)).await.ok();
        made["nodes"][0]["_id"].as_str().expect("an id").to_owned()
    }

    /// A new subnet of a node.
    pub async fn subnet(&self, node: &str) -> Value {
        let call = self.call("POST", &format!("/nodes/{node}/subnets"));
        call.json(&json!({"nickname": "My subnet"})).send().await.ok()
    }

    /// The id of a new ACH-US node that money may be pulled from: its micro-deposits were told.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    pub async fn bank(&self) -> String {
        let node = self.node("ACH-US").await;
        let told = self.call("PATCH", &format!("/nodes/{node}")).json(&json!({"micro": [0.1, 0.1]}));
        assert_eq!(told.send().await.ok()["allowed"], "CREDIT-AND-DEBIT");
        node
    }

    /// The id of a new DEPOSIT-US node with this much money.
    pub async fn funded(&self, amount: &str) -> String {
        let node = self.node("DEPOSIT-US").await;
        let _ = self.client.credit(&node, amount).await.ok();
        node
    }

    /// A call that creates a transaction from `from`.
    #[must_use]
    pub fn transfer(&self, from: &str, body: &Value) -> Call {
        self.call("POST", &format!("/nodes/{from}/trans")).json(body)
    }

    /// The id of a new transaction between nodes of type DEPOSIT-US; `amount` is a JSON number.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    pub async fn sent(&self, from: &str, to: &str, amount: &str) -> String {
        let made = self.transfer(from, &bodies::transfer(to, amount)).send().await.ok();
        made["_id"].as_str().expect("an id").to_owned()
    }

    /// The node as it is now.
    pub async fn get_node(&self, node: &str) -> Answer {
        self.call("GET", &format!("/nodes/{node}")).send().await
    }

    /// The exact text of a held node's balance.
    pub async fn balance(&self, node: &str) -> String {
        self.get_node(node).await.raw("info.balance.amount")
    }

    /// The exact text of a held node's four numbers: posted, held, available and pending in.
    pub async fn numbers(&self, node: &str) -> String {
        let answer = self.call("GET", &format!("/nodes/{node}/balance")).send().await;
        let _ = answer.ok();
        ["posted", "held", "available", "pending_in"].map(|field| answer.raw(field)).join(" ")
    }

    /// The exact text of a held node's entries in their order: what was posted, held and announced.
    ///
    /// # Panics
    ///
    /// If there are more than fit on a page.
    pub async fn entries(&self, node: &str) -> Vec<String> {
        let answer = self.call("GET", &format!("/nodes/{node}/entries?per_page=100")).send().await;
        let count = answer.ok()["entries"].as_array().map_or(0, Vec::len);
        assert!(count < 100, "more entries than fit on a page");
        let deltas = ["amount", "held_delta", "pending_delta"];
        let line = |at: usize| deltas.map(|field| answer.raw(&format!("entries.{at}.{field}"))).join(" ");
        (0..count).map(line).collect()
    }

    /// A call that cancels a transaction by way of `node`.
    #[must_use]
    pub fn cancel(&self, node: &str, id: &str) -> Call {
        self.call("DELETE", &format!("/nodes/{node}/trans/{id}"))
    }

    /// The transaction by way of `node`.
    pub async fn get_transaction(&self, node: &str, id: &str) -> Answer {
        self.call("GET", &format!("/nodes/{node}/trans/{id}")).send().await
    }

    /// The transaction as soon as it has this status.
    pub async fn when(&self, node: &str, id: &str, status: &str) -> Answer {
        until(&format!("the transaction is {status}"), async || {
            let answer = self.get_transaction(node, id).await;
            (answer.ok()["recent_status"]["status"] == status).then_some(answer)
        })
        .await
    }

    /// All transactions of the user, in the order of the list.
    ///
    /// # Panics
    ///
    /// If the total is another than the number of records.
    pub async fn transactions(&self) -> Vec<Value> {
        let mut all = Vec::new();
        for page in 1.. {
            let body = self.call("GET", &format!("/trans?per_page=100&page={page}")).send().await.ok();
            let records = body["trans"].as_array().expect("a list");
            all.extend_from_slice(records);
            if records.len() < 100 {
                assert_eq!(body["trans_count"].as_u64(), Some(all.len() as u64));
                break;
            }
        }
        all
    }

    /// All transactions of the user as soon as each has come to its end.
    pub async fn ended(&self) -> Vec<Value> {
        until("every transaction has ended", async || {
            let all = self.transactions().await;
            let has_ended = |one: &Value| {
                ["SETTLED", "CANCELED"].into_iter().any(|end| one["recent_status"]["status"] == end)
            };
            all.iter().all(has_ended).then_some(all)
        })
        .await
    }
}
