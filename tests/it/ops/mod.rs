//! Work of operators: operations, files, statements, and the ledger as a whole.

mod account_numbers;
mod bank_accounts;
mod bank_files;
mod bank_files_sandbox;
mod bank_folder;
mod breaks;
mod commands;
mod corrections;
mod entries;
mod evidence;
mod folder;
mod four_eyes;
mod large_statements;
mod ledger;
mod operations;
mod reconciliation;
mod reconciliation_pack;
mod restated;
mod returns;
mod rules;
mod statements;
mod wires;

use std::time::Duration;

use daybook_domain::Event;
use daybook_projector::RecordedEvent;
use daybook_tests::app::TestApp;
use daybook_tests::client::Session;
use daybook_tests::http::Answer;
use daybook_tests::operator::Operator;
use daybook_tests::shard;
use serde_json::{Value, json};

/// A sandbox in which no transaction settles by itself during the test, and two operators.
struct Desk {
    app: TestApp,
    us: Session,
    ada: Operator,
    bob: Operator,
}

impl Desk {
    async fn new() -> Self {
        let app = TestApp::settling_after(Duration::from_mins(15)).await;
        let us = app.client.own_session().await;
        let (ada, bob) = (app.operator("Ada").await, app.operator("Bob").await);
        Self { app, us, ada, bob }
    }

    /// Returns the path of `rest` under the platform's operator path.
    fn path(&self, rest: &str) -> String {
        format!("/platforms/{}/{rest}", self.app.client.client_id)
    }

    async fn get(&self, rest: &str) -> Answer {
        self.ada.get(&self.path(rest)).await
    }

    /// Returns the list of returned transactions.
    async fn returned(&self) -> Vec<Value> {
        self.get("returned").await.ok()["returned"].as_array().expect("a list").clone()
    }

    async fn post(&self, by: &Operator, rest: &str, body: &Value) -> Answer {
        by.call("POST", &self.path(rest)).json(body).send().await
    }

    /// Posts a file as plain text.
    async fn send(&self, rest: &str, text: &str) -> Answer {
        let call = self.ada.call("POST", &self.path(rest)).body(text.to_owned());
        call.without("Content-Type").header("Content-Type", "text/plain").send().await
    }

    /// Requests an act as operator Ada.
    async fn act(&self, act: &Value) -> Answer {
        self.post(&self.ada, "operations", &json!({"act": act, "reason": "A ticket asks for it."})).await
    }

    /// Creates a transaction of 10.00 between two nodes. Returns the ids of the transaction and of its sender.
    async fn payment(&self) -> (String, String) {
        let (from, to) = (self.us.funded("100").await, self.us.node("DEPOSIT-US").await);
        let id = self.us.sent(&from, &to, "10").await;
        (id, from)
    }

    /// Sets a policy by which `kinds` need a second operator's approval.
    async fn approvals(&self, kinds: &Value) {
        let act = json!({"kind": "set_policy", "policy": {"approvals": kinds}});
        assert_eq!(self.act(&act).await.ok()["status"], "DONE");
    }

    async fn head(&self) -> u64 {
        self.app.service.engine.log().head(shard()).await.expect("a log").position
    }

    /// Returns the events recorded after `position`, without those of accounts.
    async fn since(&self, position: u64) -> Vec<RecordedEvent> {
        let recorded = self.app.service.engine.log().read(shard(), position, self.head().await);
        let recorded = recorded.await.expect("events");
        let decode = |recorded| RecordedEvent::decode(recorded).expect("an event");
        recorded.iter().map(decode).filter(|it| !matches!(it.event, Event::Account(_))).collect()
    }
}

fn names(events: &[RecordedEvent]) -> Vec<&'static str> {
    events.iter().map(|happened| happened.event.name()).collect()
}
