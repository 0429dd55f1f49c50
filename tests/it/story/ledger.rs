//! The data that a story reads from the log: events with their postings, and the balance of every ledger account.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use daybook_domain::account::Account;
use daybook_domain::calendar::Day;
use daybook_domain::posting::{LedgerAccount, Posting, Postings};
use daybook_domain::{Bank, Currency, CustodyId, Event, Kind, Money, NodeId, States};
use daybook_projector::RecordedEvent;
use daybook_tests::app::TestApp;
use daybook_tests::shard;

/// Names of the accounts, and the position up to which the log was shown.
pub(super) struct Ledger {
    names: BTreeMap<NodeId, &'static str>,
    told: u64,
}

impl Ledger {
    pub(super) async fn new(app: &TestApp, names: [(String, &'static str); 2]) -> Self {
        let parse = |(id, name): (String, &'static str)| (id.parse().expect("an id"), name);
        let mut ledger = Self { names: names.map(parse).into(), told: 0 };
        ledger.skip(app).await;
        ledger
    }

    pub(super) fn id_of(&self, name: &str) -> String {
        let found = self.names.iter().find(|(_, known)| **known == name);
        found.expect("a name of the story").0.to_string()
    }

    /// Skips the events recorded so far.
    pub(super) async fn skip(&mut self, app: &TestApp) {
        self.told = app.service.engine.log().head(shard()).await.expect("a log").position;
    }

    /// Returns the balance of the bank account, in minor units.
    pub(super) async fn at_the_bank(&self, app: &TestApp) -> i64 {
        balances(&app.events().await).get(&LedgerAccount::Bank(Bank::SANDBOX)).copied().unwrap_or_default()
    }

    /// Returns true if every file was sent to the bank and the last past day has a statement.
    pub(super) async fn bank_is_done(&self, app: &TestApp) -> bool {
        let events = app.events().await;
        let platform = events.first().expect("a platform was opened").platform;
        let custody = CustodyId::of(platform, Bank::SANDBOX);
        let reads = app.service.engine.reads();
        let found =
            reads.aggregates().records(shard(), &[custody.into(), platform.into()]).await.expect("records");
        let now = found.now_of(Some(platform), app.service.engine.clock().now());
        let custody = found.custody(custody).expect("opened with the platform");
        custody.unsent.is_empty() && custody.stated_on(Currency::USD) == Day::of(now).plus_days(-1)
    }

    /// Returns the events since the last call with their postings, and the balances after them.
    pub(super) async fn since_last(&mut self, app: &TestApp) -> String {
        let events = app.events().await;
        let is_new = |happened: &&RecordedEvent| happened.position > self.told && is_told(&happened.event);
        let mut new: Vec<_> = events.iter().filter(is_new).collect();
        // A file may be sent to the bank just before or just after the next step.
        new.sort_by_key(|happened| happened.key.kind != Kind::Custody);
        let mut text = String::from("| Event | Postings |\n|---|---|\n");
        for happened in new {
            let name = happened.event.name();
            writeln!(text, "| `{name}` | {} |", self.postings(&happened.event)).expect("a string grows");
        }
        text.push_str(&self.after(&events));
        self.told = events.last().map_or(0, |happened| happened.position);
        text
    }

    fn postings(&self, event: &Event) -> String {
        let Some(postings) = event.postings() else { return "–".into() };
        let line = |line: &Posting| {
            let side = if line.amount > 0 { "Dr" } else { "Cr" };
            format!("{side} {} {}", self.name(line.account), amount(line.amount.abs()))
        };
        postings.lines().iter().map(line).collect::<Vec<_>>().join(", ")
    }

    /// Returns the accounts of the story after `events`.
    fn after(&self, events: &[RecordedEvent]) -> String {
        let mut text = String::from(
            "\n| Account | posted | held | available | pending in |\n|---|---:|---:|---:|---:|\n",
        );
        for (node, name) in &self.names {
            let account = account(*node, events);
            let numbers = [account.posted, account.held, account.available(), account.pending_in];
            let numbers = numbers.map(amount).join(" | ");
            writeln!(text, "| `node:{name}` | {numbers} |").expect("a string grows");
        }
        let balances = balances(events);
        let others = balances.iter().filter(|(account, minor)| account.node().is_none() && **minor != 0);
        let others: Vec<_> = others
            .map(|(account, minor)| {
                let side = if *minor > 0 { "Dr" } else { "Cr" };
                format!("`{account}` {side} {}", amount(minor.abs()))
            })
            .collect();
        writeln!(text, "\nOther accounts: {}.", others.join(", ")).expect("a string grows");
        text
    }

    fn name(&self, account: LedgerAccount) -> String {
        let known = account.node().and_then(|node| self.names.get(&node));
        known.map_or_else(|| account.to_string(), |name| format!("node:{name}"))
    }
}

/// Returns true for events that the story shows. Entries repeat the postings and are shown as balances.
fn is_told(event: &Event) -> bool {
    !matches!(event, Event::Account(_) | Event::Platform(_))
}

fn balances(events: &[RecordedEvent]) -> BTreeMap<LedgerAccount, i64> {
    let mut balances = BTreeMap::new();
    for line in events.iter().filter_map(|happened| happened.event.postings()).flat_map(Postings::lines) {
        *balances.entry(line.account).or_default() += line.amount;
    }
    balances
}

fn account(node: NodeId, events: &[RecordedEvent]) -> Account {
    let entry = events.iter().rev().find_map(|happened| match &happened.event {
        Event::Account(daybook_domain::account::Event::Entry(entry)) if entry.node == node => Some(entry),
        _ => None,
    });
    let mut account = Account::new(node, Currency::USD);
    if let Some(entry) = entry {
        (account.posted, account.held, account.pending_in) = (entry.posted, entry.held, entry.pending_in);
    }
    account
}

fn amount(minor: i64) -> String {
    Money::new(minor, Currency::USD).to_string()
}
