//! The log folded by a second, naive model, which knows nothing of the product's code: who has what, what became of each
//! transaction, and at which position.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::evidence::Event;

/// A transaction, as its events tell.
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    /// Where it was created.
    pub position: u64,
    /// How much, fees included.
    pub amount: i64,
    /// Of it, what fee nodes get.
    pub fee: i64,
    /// The node that pays; none if the money came from outside.
    pub from: Option<String>,
    /// The node that is paid.
    pub to: Option<String>,
    /// The users whose lists show it.
    pub users: Vec<String>,
    /// Its statuses, and where it got each.
    pub timeline: Vec<(u64, &'static str)>,
    /// How often it was commented on.
    pub comments: u64,
}

/// What became of a node's money.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// What it has.
    pub posted: i64,
    /// What of it is promised.
    pub held: i64,
    /// What is announced.
    pub pending_in: i64,
}

/// The log, folded.
#[derive(Debug, Default)]
pub struct Fold {
    /// Transactions by their ids.
    pub transactions: HashMap<String, Transaction>,
    /// Of each node, where its numbers changed and what they were from there on, as the entries say.
    pub nodes: HashMap<String, Vec<(u64, Numbers)>>,
    /// The transactions of each user in the order of its list, each with the position from which on it is there.
    pub lists: HashMap<String, Vec<(u64, String)>>,
    /// What is wrong with the log itself.
    pub wrong: Vec<String>,
    /// The sum of all postings of all ledger accounts, by currency.
    pub sums: BTreeMap<String, i64>,
    /// The last position.
    pub end: u64,
    /// What postings say that each ledger account has, debits positive.
    accounts: HashMap<String, i64>,
    versions: HashMap<String, u64>,
}

impl Fold {
    /// Folds a log.
    pub fn of(log: &[Event]) -> Self {
        let mut fold = Self::default();
        for (index, event) in log.iter().enumerate() {
            fold.add(event);
            // What entries say is compared when the commit is whole.
            if log.get(index + 1).is_none_or(|next| next.commit_no != event.commit_no) {
                fold.conserve(event);
            }
        }
        fold
    }

    /// What a node has at a position; nothing before its first entry.
    pub fn at(&self, node: &str, position: u64) -> Numbers {
        let Some(history) = self.nodes.get(node) else { return Numbers::default() };
        let after = history.partition_point(|(changed, _)| *changed <= position);
        after.checked_sub(1).map_or_else(Numbers::default, |last| history[last].1)
    }

    /// What a node had after each change behind a position.
    pub fn changes(&self, node: &str, after: u64) -> impl Iterator<Item = &(u64, Numbers)> {
        let history = self.nodes.get(node).map_or(&[][..], Vec::as_slice);
        history[history.partition_point(|(changed, _)| *changed <= after)..].iter()
    }

    fn add(&mut self, event: &Event) {
        let Event { position, stream, version, .. } = event;
        if *position != self.end + 1 {
            self.wrong.push(format!("after position {} comes {position}", self.end));
        }
        self.end = *position;
        let known = self.versions.entry(stream.clone()).or_default();
        if *version != *known + 1 {
            self.wrong.push(format!("{position}: version {version} of {stream} follows {known}"));
        }
        *known = *version;
        self.post(event);
        let status = match event.kind.as_str() {
            "transaction.created" => return self.create(event),
            "account.entry" => return self.enter(event),
            "transaction.commented" => {
                self.transactions.entry(stream.clone()).or_default().comments += 1;
                return;
            }
            "transaction.debit_started" => "PROCESSING-DEBIT",
            "transaction.credit_started" => "PROCESSING-CREDIT",
            "transaction.settled" => "SETTLED",
            "transaction.canceled" => "CANCELED",
            "transaction.queued" => "QUEUED-BY-LEDGER",
            "transaction.released" => "CREATED",
            "transaction.returned" => "RETURNED",
            _ => return,
        };
        let transaction = self.transactions.entry(stream.clone()).or_default();
        transaction.timeline.push((*position, status));
    }

    fn create(&mut self, event: &Event) {
        let data = &event.data;
        let text = |pointer: &str| data.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let mut users: Vec<String> =
            ["/from/node/user", "/to/node/user"].into_iter().filter_map(text).collect();
        users.dedup();
        for user in &users {
            self.lists.entry(user.clone()).or_default().push((event.position, event.stream.clone()));
        }
        let fees =
            data["fees"].as_array().map_or(0, |fees| fees.iter().map(|fee| number(fee, "/minor")).sum());
        let transaction = Transaction {
            position: event.position,
            amount: number(data, "/amount/minor"),
            fee: fees,
            from: text("/from/node/id"),
            to: text("/to/node/id"),
            users,
            timeline: vec![(event.position, "CREATED")],
            comments: 0,
        };
        if self.transactions.insert(event.stream.clone(), transaction).is_some() {
            self.wrong.push(format!("{}: {} was created before", event.position, event.stream));
        }
    }

    fn enter(&mut self, event: &Event) {
        let (position, data) = (event.position, &event.data);
        let node = data["node"].as_str().unwrap_or_default().to_owned();
        let before = self.at(&node, position);
        let after = Numbers {
            posted: number(data, "/posted"),
            held: number(data, "/held"),
            pending_in: number(data, "/pending_in"),
        };
        let told = Numbers {
            posted: before.posted + number(data, "/delta"),
            held: before.held + number(data, "/hold_delta"),
            pending_in: before.pending_in + number(data, "/pending_delta"),
        };
        if told != after {
            self.wrong.push(format!("{position}: an entry of {node} goes from {before:?} to {after:?}"));
        }
        self.nodes.entry(node).or_default().push((position, after));
    }

    fn post(&mut self, event: &Event) {
        let Some(postings) = event.data.get("postings") else { return };
        let currency = postings["currency"].as_str().unwrap_or_default();
        let mut sum = 0;
        for line in postings["lines"].as_array().into_iter().flatten() {
            let amount = number(line, "/amount");
            *self.accounts.entry(line["account"].as_str().unwrap_or_default().to_owned()).or_default() +=
                amount;
            sum += amount;
        }
        *self.sums.entry(currency.to_owned()).or_default() += sum;
        if sum != 0 {
            self.wrong.push(format!("{}: postings sum to {sum} {currency}", event.position));
        }
    }

    /// At the end of a commit every node has what postings say.
    fn conserve(&mut self, last: &Event) {
        let Some(node) = last.data.get("node").and_then(Value::as_str) else { return };
        let (posted, owed) = (self.at(node, last.position).posted, self.owed(node));
        if posted != owed {
            let at = last.position;
            self.wrong.push(format!("{at}: {node} has {posted} by its entries, {owed} by postings"));
        }
    }

    /// What the postings so far say that a node has.
    pub fn owed(&self, node: &str) -> i64 {
        -self.accounts.get(&format!("node:{node}")).copied().unwrap_or_default()
    }
}

/// The number at `pointer`; 0 if there is none.
fn number(data: &Value, pointer: &str) -> i64 {
    data.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}
