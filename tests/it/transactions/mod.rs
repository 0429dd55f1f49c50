//! Transactions: created at once, settled in steps, exact to the cent, and once only.

mod comments;
mod create;
mod keys;
mod lists;
mod money;
mod refusals;

use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use serde_json::Value;

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
