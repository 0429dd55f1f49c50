//! A platform and its users as API clients of the service.
#![allow(clippy::expect_used, reason = "a test that cannot make its users has failed")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bodies;
use crate::http::{Answer, Call};

/// Device of the kit's users, unless a test names another.
pub const DEVICE: &str = "device-1";

/// Longest time to wait for a condition.
const EVENTUALLY_TIMEOUT: Duration = Duration::from_secs(30);

/// Number of seconds in a day.
const DAY_S: i64 = 24 * 60 * 60;

/// Pause between two checks of a condition.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Repeats `look` until it returns a value.
///
/// # Panics
///
/// Panics if it returns none for half a minute.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + EVENTUALLY_TIMEOUT;
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(Instant::now() < deadline, "timeout while waiting until {what}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// A platform with its credentials.
#[derive(Clone, Debug)]
pub struct Client {
    /// Address of the service.
    pub address: SocketAddr,
    /// Public half of the platform's credentials.
    pub client_id: String,
    /// Secret half of the platform's credentials.
    pub client_secret: String,
    /// Id of the platform's own user.
    pub user_id: String,
}

impl Client {
    /// Returns a call without any credentials; `path` comes after `/v3.1`.
    #[must_use]
    pub fn anonymous(&self, method: &str, path: &str) -> Call {
        Call::new(self.address, method, &format!("/v3.1{path}"))
    }

    /// Returns a call with the platform's credentials; `path` comes after `/v3.1`.
    #[must_use]
    pub fn call(&self, method: &str, path: &str) -> Call {
        self.anonymous(method, path).header("X-SP-GATEWAY", self.gateway())
    }

    /// Returns the value of `X-SP-GATEWAY`.
    #[must_use]
    pub fn gateway(&self) -> String {
        format!("{}|{}", self.client_id, self.client_secret)
    }

    /// Returns a call for proofs of the log; `path` comes after `/audit`.
    #[must_use]
    pub fn audit(&self, path: &str) -> Call {
        Call::new(self.address, "GET", &format!("/audit{path}")).header("X-SP-GATEWAY", self.gateway())
    }

    /// Creates a user with the device [`DEVICE`].
    pub async fn create_user(&self, body: &Value) -> Answer {
        self.call("POST", "/users").header("X-SP-USER", format!("|{DEVICE}")).json(body).send().await
    }

    /// Returns the current record of the user.
    pub async fn user(&self, id: &str) -> Value {
        self.call("GET", &format!("/users/{id}")).send().await.ok()
    }

    /// Waits until none of the user's documents is in review, and returns the user.
    pub async fn reviewed(&self, id: &str) -> Value {
        until("the documents are reviewed", async || {
            let user = self.user(id).await;
            (!user["documents"].to_string().contains("REVIEWING")).then_some(user)
        })
        .await
    }

    /// Requests an OAuth key from [`DEVICE`].
    pub async fn oauth(&self, id: &str, body: &Value) -> Answer {
        self.oauth_from(DEVICE, id, body).await
    }

    /// Requests an OAuth key from `device`.
    pub async fn oauth_from(&self, device: &str, id: &str, body: &Value) -> Answer {
        let call = self.call("POST", &format!("/oauth/{id}")).header("X-SP-USER", format!("|{device}"));
        call.json(body).send().await
    }

    /// Returns a session of an existing user with all scopes.
    ///
    /// # Panics
    ///
    /// Panics if the user does not exist.
    pub async fn session(&self, id: &str) -> Session {
        let user = self.user(id).await;
        let key = self.oauth(id, &json!({"refresh_token": user["refresh_token"]})).await.ok();
        let oauth_key = key["oauth_key"].as_str().expect("a key").to_owned();
        Session { client: self.clone(), user_id: id.to_owned(), oauth_key }
    }

    /// Returns a session of the platform's own user, which may send and receive from the start.
    pub async fn own_session(&self) -> Session {
        self.session(&self.user_id).await
    }

    /// Creates a user that may not send yet, and returns its session.
    ///
    /// # Panics
    ///
    /// Panics if the user cannot be created.
    pub async fn stranger(&self, name: &str) -> Session {
        let user = self.create_user(&bodies::person(name)).await.ok();
        self.session(user["_id"].as_str().expect("an id")).await
    }

    /// Creates a user that may send and receive, and returns its session.
    ///
    /// # Panics
    ///
    /// Panics if the user cannot be created.
    pub async fn verified(&self, name: &str) -> Session {
        let session = self.stranger(name).await;
        let user = self.reviewed(&session.user_id).await;
        assert_eq!(user["permission"], "SEND-AND-RECEIVE", "{user}");
        session
    }

    /// Simulates money from outside to a node; `amount` is a JSON number.
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

    /// Simulates a step of a transaction: `process`, `settle`, `cancel`, `queue`, `release` or `return`.
    pub async fn simulate(&self, id: &str, what: &str, body: &Value) -> Answer {
        self.call("POST", &format!("/sandbox/trans/{id}/{what}")).json(body).send().await
    }

    /// Sets a user's permission immediately.
    pub async fn verify(&self, user: &str, permission: &str) -> Answer {
        let call = self.call("POST", &format!("/sandbox/users/{user}/verify"));
        call.json(&json!({"permission": permission})).send().await
    }

    /// Advances the platform's clock to noon of the day `days + 1` days after its current day, so that no day ends in
    /// the following hours. Returns the new time, in milliseconds since the epoch.
    ///
    /// # Panics
    ///
    /// Panics if the clock cannot be advanced that far.
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
    /// Platform of the user.
    pub client: Client,
    /// Id of the user.
    pub user_id: String,
    /// OAuth key of the user.
    pub oauth_key: String,
}

impl Session {
    /// Returns a call with the user's key; `path` comes after the user's own path.
    #[must_use]
    pub fn call(&self, method: &str, path: &str) -> Call {
        self.call_at(method, &format!("/users/{}{path}", self.user_id))
    }

    /// Returns a call with the user's key; `path` comes after `/v3.1`.
    #[must_use]
    pub fn call_at(&self, method: &str, path: &str) -> Call {
        let call = self.client.anonymous(method, path);
        call.header("X-SP-USER", format!("{}|{DEVICE}", self.oauth_key)).header("X-SP-USER-IP", "127.0.0.1")
    }

    /// Creates a node.
    pub async fn create_node(&self, body: &Value) -> Answer {
        self.call("POST", "/nodes").json(body).send().await
    }

    /// Creates a node of a held type and returns its id.
    ///
    /// # Panics
    ///
    /// Panics if the node cannot be created.
    pub async fn node(&self, kind: &str) -> String {
        let made = self.create_node(&bodies::node(kind)).await.ok();
        made["nodes"][0]["_id"].as_str().expect("an id").to_owned()
    }

    /// Creates a subnet of a node and returns its record.
    pub async fn subnet(&self, node: &str) -> Value {
        let call = self.call("POST", &format!("/nodes/{node}/subnets"));
        call.json(&json!({"nickname": "My subnet"})).send().await.ok()
    }

    /// Creates an ACH-US node that can be debited, with confirmed micro-deposits, and returns its id.
    ///
    /// # Panics
    ///
    /// Panics if the node cannot be created.
    pub async fn bank(&self) -> String {
        let node = self.node("ACH-US").await;
        let told = self.call("PATCH", &format!("/nodes/{node}")).json(&json!({"micro": [0.1, 0.1]}));
        assert_eq!(told.send().await.ok()["allowed"], "CREDIT-AND-DEBIT");
        node
    }

    /// Creates a DEPOSIT-US node with this balance and returns its id.
    pub async fn funded(&self, amount: &str) -> String {
        let node = self.node("DEPOSIT-US").await;
        let _ = self.client.credit(&node, amount).await.ok();
        node
    }

    /// Returns a call that creates a transaction from `from`.
    #[must_use]
    pub fn transfer(&self, from: &str, body: &Value) -> Call {
        self.call("POST", &format!("/nodes/{from}/trans")).json(body)
    }

    /// Creates a transaction to a DEPOSIT-US node and returns its id; `amount` is a JSON number.
    ///
    /// # Panics
    ///
    /// Panics if the transaction cannot be created.
    pub async fn sent(&self, from: &str, to: &str, amount: &str) -> String {
        let made = self.transfer(from, &bodies::transfer(to, amount)).send().await.ok();
        made["_id"].as_str().expect("an id").to_owned()
    }

    /// Reads the node.
    pub async fn get_node(&self, node: &str) -> Answer {
        self.call("GET", &format!("/nodes/{node}")).send().await
    }

    /// Returns the exact text of a held node's balance.
    pub async fn balance(&self, node: &str) -> String {
        self.get_node(node).await.raw("info.balance.amount")
    }

    /// Returns the exact text of a held node's four numbers: posted, held, available and pending in.
    pub async fn numbers(&self, node: &str) -> String {
        let answer = self.call("GET", &format!("/nodes/{node}/balance")).send().await;
        let _ = answer.ok();
        ["posted", "held", "available", "pending_in"].map(|field| answer.raw(field)).join(" ")
    }

    /// Returns the exact text of a held node's entries in order: the changes of posted, held and pending in.
    ///
    /// # Panics
    ///
    /// Panics if the entries do not fit on one page.
    pub async fn entries(&self, node: &str) -> Vec<String> {
        let answer = self.call("GET", &format!("/nodes/{node}/entries?per_page=100")).send().await;
        let count = answer.ok()["entries"].as_array().map_or(0, Vec::len);
        assert!(count < 100, "more entries than fit on a page");
        let deltas = ["amount", "held_delta", "pending_delta"];
        let line = |at: usize| deltas.map(|field| answer.raw(&format!("entries.{at}.{field}"))).join(" ");
        (0..count).map(line).collect()
    }

    /// Returns a call that cancels a transaction by the path of `node`.
    #[must_use]
    pub fn cancel(&self, node: &str, id: &str) -> Call {
        self.call("DELETE", &format!("/nodes/{node}/trans/{id}"))
    }

    /// Reads a transaction by the path of `node`.
    pub async fn get_transaction(&self, node: &str, id: &str) -> Answer {
        self.call("GET", &format!("/nodes/{node}/trans/{id}")).send().await
    }

    /// Waits until the transaction has this status, and returns it.
    pub async fn when(&self, node: &str, id: &str, status: &str) -> Answer {
        until(&format!("the transaction is {status}"), async || {
            let answer = self.get_transaction(node, id).await;
            (answer.ok()["recent_status"]["status"] == status).then_some(answer)
        })
        .await
    }

    /// Returns all transactions of the user, in the order of the list.
    ///
    /// # Panics
    ///
    /// Panics if the reported total differs from the number of records.
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

    /// Waits until every transaction of the user is settled or canceled, and returns them.
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
