//! A second, naive fold of the log, which shares no code with the product: balances of nodes and states of
//! transactions, by position.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::evidence::Event;

/// A transaction, as its events tell.
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    /// Position of its creation.
    pub position: u64,
    /// Amount, including fees.
    pub amount: i64,
    /// Part of the amount for fee nodes.
    pub fee: i64,
    /// Node that pays; none for money from outside.
    pub from: Option<String>,
    /// Node that is paid.
    pub to: Option<String>,
    /// Users whose lists contain the transaction.
    pub users: Vec<String>,
    /// Its statuses, each with its position.
    pub timeline: Vec<(u64, &'static str)>,
    /// Number of comments.
    pub comments: u64,
    /// Platform.
    pub platform: String,
}

/// Balance of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Posted balance.
    pub posted: i64,
    /// Held part of the posted balance.
    pub held: i64,
    /// Announced amount.
    pub pending_in: i64,
}

/// Fold of a log.
#[derive(Debug, Default)]
pub struct Fold {
    /// Transactions by their ids.
    pub transactions: HashMap<String, Transaction>,
    /// Balances of each node by the entries, with the position of each change.
    pub nodes: HashMap<String, Vec<(u64, Numbers)>>,
    /// Transactions of each user in the order of the list, with the position of their creation.
    pub lists: HashMap<String, Vec<(u64, String)>>,
    /// Violations in the log itself.
    pub wrong: Vec<String>,
    /// Sum of all postings of all ledger accounts, by currency.
    pub sums: BTreeMap<String, i64>,
    /// Last position.
    pub end: u64,
    /// Balance of each ledger account by its postings; debits are positive.
    accounts: HashMap<String, i64>,
    versions: HashMap<String, u64>,
}

impl Fold {
    /// Folds a log.
    pub fn of(log: &[Event]) -> Self {
        let mut fold = Self::default();
        for (index, event) in log.iter().enumerate() {
            fold.add(event);
            // Entries and postings must agree at the end of a commit only.
            if log.get(index + 1).is_none_or(|next| next.commit_no != event.commit_no) {
                fold.conserve(event);
            }
        }
        fold
    }

    /// Returns the balance of a node at a position; zero before its first entry.
    pub fn at(&self, node: &str, position: u64) -> Numbers {
        let Some(history) = self.nodes.get(node) else { return Numbers::default() };
        let after = history.partition_point(|(changed, _)| *changed <= position);
        after.checked_sub(1).map_or_else(Numbers::default, |last| history[last].1)
    }

    /// Returns the changes of a node's balance after a position.
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
            platform: text("/platform").unwrap_or_default(),
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

    /// Compares the balance of a node by entries with its balance by postings, at the end of a commit.
    fn conserve(&mut self, last: &Event) {
        let Some(node) = last.data.get("node").and_then(Value::as_str) else { return };
        let (posted, owed) = (self.at(node, last.position).posted, self.owed(node));
        if posted != owed {
            let at = last.position;
            self.wrong.push(format!("{at}: {node} has {posted} by its entries, {owed} by postings"));
        }
    }

    /// Returns the balance of a node by the postings so far.
    pub fn owed(&self, node: &str) -> i64 {
        -self.accounts.get(&format!("node:{node}")).copied().unwrap_or_default()
    }
}

/// Returns the number at `pointer`; 0 if there is none.
pub(super) fn number(data: &Value, pointer: &str) -> i64 {
    data.pointer(pointer).and_then(Value::as_i64).unwrap_or_default()
}
