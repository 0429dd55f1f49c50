//! Transactions: created at once, settled in steps, exact to the cent, and once only.

mod attachments;
mod batch;
mod batch_keys;
mod cancel;
mod comments;
mod create;
mod hot;
mod keys;
mod lists;
mod micro_deposits;
mod money;
pub(crate) mod policies;
mod queue;
mod rails;
mod recipients;
mod refusals;
mod returns;
mod scheduled;

use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::bodies::transfer_to;
use daybook_tests::client::Session;
use serde_json::{Value, json};

/// The platform's own user, who may send from the start.
async fn own(app: &TestApp) -> Session {
    app.client.own_session().await
}

/// The statuses of a timeline, in its order.
fn statuses(transaction: &Value) -> Vec<&str> {
    let entries = transaction["timeline"].as_array().expect("a list");
    entries.iter().map(|entry| entry["status"].as_str().expect("text")).collect()
}

async fn trans_count(session: &Session) -> i64 {
    session.call("GET", "/trans").send().await.ok()["trans_count"].as_i64().expect("a number")
}

/// A service on which nothing moves by itself before a test says so.
async fn still() -> TestApp {
    TestApp::settling_after(Duration::from_mins(15)).await
}

/// What a transaction of 10.00 with a fee of 1.00 is about. The platform's own user has everything.
struct Flow {
    app: TestApp,
    us: Session,
    from: String,
    to: String,
    fees: String,
    id: String,
}

impl Flow {
    /// Made, from a node of one type to one of another; a sender whose money is here has 100.00.
    async fn new(from: &str, to: &str) -> Self {
        let app = still().await;
        let us = own(&app).await;
        let from = match from {
            "ACH-US" => us.bank().await,
            _ => us.funded("100.00").await,
        };
        let (kind, to, fees) = (to, us.node(to).await, us.node("LEDGER-US").await);
        let mut body = transfer_to(kind, &to, "10.00");
        body["fees"] = json!([{"fee": 1.00, "note": "service", "to": {"id": fees}}]);
        let made = us.transfer(&from, &body).send().await.ok();
        assert_eq!(statuses(&made), ["CREATED"]);
        let id = made["_id"].as_str().expect("an id").to_owned();
        Self { app, us, from, to, fees, id }
    }

    /// The same, so many steps later.
    async fn after(steps: usize, from: &str, to: &str) -> Self {
        let flow = Self::new(from, to).await;
        for _ in 0..steps {
            let _ = flow.simulate("process", &json!({})).await;
        }
        flow
    }

    async fn simulate(&self, what: &str, body: &Value) -> Value {
        self.app.client.simulate(&self.id, what, body).await.ok()
    }

    async fn now(&self) -> Value {
        self.us.get_transaction(&self.from, &self.id).await.ok()
    }

    /// The four numbers of a node.
    async fn numbers(&self, node: &str) -> String {
        self.us.numbers(node).await
    }

    /// What the platform's reserve has.
    async fn reserve(&self) -> String {
        let listed = self.us.call("GET", "/nodes?type=RESERVE-US").send().await;
        listed.raw("nodes.0.info.balance.amount")
    }
}
