//! Work of operators: operations, files, statements, and the ledger as a whole.

mod account_numbers;
mod bank_accounts;
mod bank_files;
mod bank_files_sandbox;
mod bank_folder;
mod breaks;
mod commands;
mod contests;
mod corrections;
mod entries;
mod evidence;
mod folder;
mod four_eyes;
mod large_statements;
mod ledger;
mod netted_file;
mod operations;
mod reconciliation;
mod reconciliation_pack;
mod reconciliation_replay;
mod restated;
mod returns;
mod rules;
mod statements;
mod three_formats;
mod wires;

use std::time::Duration;

use daybook_domain::{Event, States, custody};
use daybook_projector::RecordedEvent;
use daybook_tests::app::TestApp;
use daybook_tests::client::{Session, until};
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

    /// Posts JSON. Waits until the matching rules have been tried after every booked statement.
    async fn post(&self, by: &Operator, rest: &str, body: &Value) -> Answer {
        let answer = by.call("POST", &self.path(rest)).json(body).send().await;
        self.rules_have_run().await;
        answer
    }

    /// Posts a file as plain text. Waits for the matching rules, as [`Desk::post`] does.
    async fn send(&self, rest: &str, text: &str) -> Answer {
        let call = self.ada.call("POST", &self.path(rest)).body(text.to_owned());
        let answer = call.without("Content-Type").header("Content-Type", "text/plain").send().await;
        self.rules_have_run().await;
        answer
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

    /// Waits until the matching rules have been tried after every booked statement.
    async fn rules_have_run(&self) {
        let engine = &self.app.service.engine;
        let platform = self.app.client.client_id.clone();
        let platform =
            engine.access().platform_of_client(&platform).await.expect("access").expect("a platform");
        let custody = engine.custody_of(shard(), platform.id).await.expect("reads").expect("has a bank");
        until("the rules have run", async || {
            let found = engine.reads().aggregates().records(shard(), &[custody.into()]).await.expect("reads");
            let state = found.custody(custody)?;
            (state.runs_done == state.runs_due).then_some(())
        })
        .await;
    }

    /// Returns the events recorded after `position`, without those of accounts, and without the ends of runs of the
    /// matching rules, which come at any time.
    async fn since(&self, position: u64) -> Vec<RecordedEvent> {
        let recorded = self.app.service.engine.log().read(shard(), position, self.head().await);
        let recorded = recorded.await.expect("events");
        let decode = |recorded| RecordedEvent::decode(recorded).expect("an event");
        let is_left_out = |it: &RecordedEvent| {
            matches!(it.event, Event::Account(_) | Event::Custody(custody::Event::BreaksMatched(_)))
        };
        recorded.iter().map(decode).filter(|it| !is_left_out(it)).collect()
    }
}

fn names(events: &[RecordedEvent]) -> Vec<&'static str> {
    events.iter().map(|happened| happened.event.name()).collect()
}
