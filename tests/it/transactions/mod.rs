//! Transactions: created at once, settled in steps, exact to the cent, and executed once.

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

/// Returns a session of the platform's own user, which may send from the start.
async fn own(app: &TestApp) -> Session {
    app.client.own_session().await
}

/// Returns the statuses of a timeline, in order.
fn statuses(transaction: &Value) -> Vec<&str> {
    let entries = transaction["timeline"].as_array().expect("a list");
    entries.iter().map(|entry| entry["status"].as_str().expect("text")).collect()
}

async fn trans_count(session: &Session) -> i64 {
    session.call("GET", "/trans").send().await.ok()["trans_count"].as_i64().expect("a number")
}

/// Returns a service in which no transaction settles by itself during the test.
async fn still() -> TestApp {
    TestApp::settling_after(Duration::from_mins(15)).await
}

/// A transaction of 10.00 with a fee of 1.00, and its nodes. All belong to the platform's own user.
struct Flow {
    app: TestApp,
    us: Session,
    from: String,
    to: String,
    fees: String,
    id: String,
}

impl Flow {
    /// Creates the transaction between nodes of these types. A held sender has 100.00.
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

    /// Creates the transaction and makes `steps` steps.
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

    /// Returns posted, held, available and pending-in amount of a node.
    async fn numbers(&self, node: &str) -> String {
        self.us.numbers(node).await
    }

    /// Returns the balance of the platform's reserve.
    async fn reserve(&self) -> String {
        let listed = self.us.call("GET", "/nodes?type=RESERVE-US").send().await;
        listed.raw("nodes.0.info.balance.amount")
    }
}
