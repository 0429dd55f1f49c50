//! Two processes on one database with concurrent money movements of every kind: the log proves that no cent is lost.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use daybook_domain::account::Cause;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::transaction::Status;
use daybook_domain::{Event, Key, NodeId, State, account};
use daybook_projector::RecordedEvent;
use daybook_random::Random;
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::bodies;
use daybook_tests::client::{Client, Session, until};
use futures::stream::{self, StreamExt};
use serde_json::json;

/// Number of payments, and number of concurrent callers.
const PAYMENTS: usize = 400;
const CONCURRENT_CALLS: usize = 16;

/// Returns a pseudo-random number below `sides`, the same in every run.
fn roll(seed: usize, sides: usize) -> usize {
    Random::new(seed as u64).below(sides)
}

/// The people, each with a session in both processes, and their nodes: two held ones and one at an external bank.
struct Storm {
    both: [Vec<Session>; 2],
    clients: [Client; 2],
    held: Vec<[String; 2]>,
    banks: Vec<String>,
}

impl Storm {
    async fn gather(first: &TestApp, second: &TestApp) -> Self {
        let clients = [first.client.clone(), Client { address: second.address, ..first.client.clone() }];
        let mut storm = Self { both: [vec![], vec![]], clients, held: vec![], banks: vec![] };
        for name in ["Ann Race", "Bob Race", "Cat Race"] {
            let session = first.client.verified(name).await;
            storm.held.push([session.funded("50.00").await, session.node("DEPOSIT-US").await]);
            let bank = session.node("ACH-US").await;
            let told = session.call("PATCH", &format!("/nodes/{bank}")).json(&json!({"micro": [0.1, 0.1]}));
            let _ = told.send().await.ok();
            storm.banks.push(bank);
            let other = Session { client: storm.clients[1].clone(), ..session.clone() };
            storm.both[0].push(session);
            storm.both[1].push(other);
        }
        storm
    }

    /// Makes the payment with this number and sometimes interferes with it. Checks that no call is answered 5xx.
    async fn pay(&self, number: usize) {
        let (who, process) = (roll(number, 3), number % 2);
        let session = &self.both[process][who];
        let from = if roll(number + 1, 4) == 0 { &self.banks[who] } else { &self.held[who][0] };
        let peer = (who + 1 + roll(number + 2, 2)) % 3;
        let (kind, to) = match roll(number + 3, 4) {
            0 => ("ACH-US", &self.banks[peer]),
            1 => ("DEPOSIT-US", &self.held[who][1]),
            _ => ("DEPOSIT-US", &self.held[peer][0]),
        };
        let mut body =
            bodies::transfer(to, &format!("{}.{:02}", roll(number + 4, 20), 1 + roll(number + 5, 99)));
        body["to"]["type"] = json!(kind);
        let made = session.transfer(from, &body).send().await.ok();
        let id = made["_id"].as_str().expect("an id");
        let path = |act: &str| format!("/sandbox/trans/{id}/{act}");
        let other = &self.clients[1 - process];
        let call = match roll(number + 6, 8) {
            0 => self.both[1 - process][who].call("DELETE", &format!("/nodes/{from}/trans/{id}")),
            1 => other.call("POST", &path("queue")).json(&json!({"code": "Q10"})),
            2 => other.call("POST", &path("settle")).json(&json!({})),
            3 => other.call("POST", &path("process")).json(&json!({})),
            4 | 5 => {
                tokio::time::sleep(SETTLE_AFTER).await;
                other.call("POST", &path("return")).json(&json!({"code": "R01"}))
            }
            _ => return,
        };
        let answer = call.send().await;
        assert!(answer.status < 500, "{number}: {answer:?}");
    }

    /// Releases queued transactions until every transaction has reached a final status.
    async fn calm(&self) {
        let over = ["SETTLED", "CANCELED", "RETURNED"];
        until("every transaction is over", async || {
            let mut open = 0;
            for session in &self.both[0] {
                for one in session.transactions().await {
                    let status = one["recent_status"]["status"].as_str().expect("a status").to_owned();
                    open += usize::from(!over.contains(&status.as_str()));
                    if status == "QUEUED-BY-LEDGER" {
                        let path = format!("/sandbox/trans/{}/release", one["_id"].as_str().expect("an id"));
                        let _ = self.clients[0].call("POST", &path).json(&json!({})).send().await;
                    }
                }
            }
            (open == 0).then_some(())
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_payments_on_two_processes_conserve_money() {
    let first = TestApp::start().await;
    let pg = daybook_pg::Pg::new(first.database.config()).expect("the pool is well configured");
    let second = TestApp::start_on(first.database.clone(), pg, SETTLE_AFTER).await;
    let storm = Storm::gather(&first, &second).await;
    stream::iter(0..PAYMENTS)
        .map(|number| storm.pay(number))
        .buffer_unordered(CONCURRENT_CALLS)
        .collect::<Vec<_>>()
        .await;
    storm.calm().await;
    // Gives due steps time to run. A step for a finished transaction is refused by the transaction's status.
    tokio::time::sleep(Duration::from_millis(200)).await;
    let reached = prove(&first.events().await);
    for status in [Status::Settled, Status::Canceled, Status::Returned] {
        assert!(reached.get(status.as_str()).is_some_and(|count| *count > 0), "{reached:?}");
    }
    second.stop().await;
    first.stop().await;
}

/// Checks the invariants of any history. Returns the number of transactions per final status.
fn prove(events: &[RecordedEvent]) -> BTreeMap<&'static str, usize> {
    let mut states: HashMap<Key, State> = HashMap::new();
    let mut ledger: BTreeMap<LedgerAccount, i128> = BTreeMap::new();
    let mut holds: HashMap<Cause, i64> = HashMap::new();
    for (index, happened) in events.iter().enumerate() {
        assert_eq!(happened.position, index as u64 + 1, "positions have no holes");
        if let Some(state) = states.get_mut(&happened.key) {
            state.evolve(&happened.event, happened.effective_at).expect("belongs");
        } else {
            let state = State::begin(&happened.event, happened.effective_at).expect("begins");
            states.insert(happened.key, state);
        }
        for line in happened.event.postings().into_iter().flat_map(daybook_domain::posting::Postings::lines) {
            *ledger.entry(line.account).or_default() += i128::from(line.amount);
        }
        if let Event::Account(account::Event::Entry(entry)) = &happened.event {
            *holds.entry(entry.cause).or_default() += entry.hold_delta;
            let takes = entry.delta < entry.hold_delta;
            assert!(entry.returned || !takes || entry.posted >= entry.held, "below its floor: {entry:?}");
        }
    }
    assert_eq!(ledger.values().sum::<i128>(), 0, "debits equal credits");
    assert_eq!(ledger.get(&LedgerAccount::Transit).copied().unwrap_or_default(), 0, "nothing is in transit");
    assert!(holds.values().all(|held| *held == 0), "every hold is resolved");
    accounts_are_their_postings(&states, &ledger);
    let mut reached = BTreeMap::new();
    for state in states.values() {
        if let State::Transaction(transaction) = state {
            *reached.entry(transaction.status.as_str()).or_default() += 1;
        }
    }
    reached
}

fn accounts_are_their_postings(states: &HashMap<Key, State>, ledger: &BTreeMap<LedgerAccount, i128>) {
    let mut posted: BTreeMap<NodeId, i128> = BTreeMap::new();
    for state in states.values() {
        if let State::Account(account) = state {
            assert_eq!((account.held, account.pending_in), (0, 0), "{account:?}");
            posted.insert(account.node, i128::from(account.posted));
        }
    }
    for (account, balance) in ledger {
        if let Some(node) = account.node() {
            assert_eq!(posted.get(&node).copied().unwrap_or_default(), -balance, "{node}");
        }
    }
}
