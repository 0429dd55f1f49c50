//! The laws of money (`docs/reference/money.md`, Invariants) over random histories: whatever is asked, in whatever order and however
//! often, they hold after every single command. `PROPTEST_CASES` sets how many histories are tried.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a law looks at some events and says nothing about others"
)]

mod history;

use std::collections::{BTreeMap, HashMap};

use history::{Deed, NODES, history};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::account::{self, Account};
use crate::posting::{LedgerAccount, Postings, Rail};
use crate::testing::World;
use crate::testing::fixture::{ANNS, BOBS, CATS, OUTSIDE, bank, fund, step, transaction as number};
use crate::transaction::advance::Step;
use crate::transaction::{self, Status, Transaction};
use crate::{AccountId, Command, Currency, Event, Fact, Key, State, States, Timestamp, TransactionId};

/// A history as it unfolds: the world, and everything that was recorded on the way to it.
#[derive(Default)]
struct Chronicle {
    world: World,
    submitted: Vec<Command>,
    recorded: Vec<(Timestamp, Fact)>,
    refused: usize,
}

impl Chronicle {
    /// The bank, with a little money in it.
    fn of_the_bank() -> Self {
        let mut chronicle = Self::default();
        for command in bank().into_iter().chain([ANNS, BOBS, CATS].map(|node| fund(node, 300))) {
            chronicle.submit(command);
        }
        chronicle
    }

    fn submit(&mut self, command: Command) {
        let before = self.world.clone();
        if let Ok(facts) = self.world.submit(&command) {
            let now = self.world.now();
            self.recorded.extend(facts.into_iter().map(|fact| (now, fact)));
        } else {
            assert_eq!(self.world, before, "a refused command changes nothing");
            self.refused += 1;
        }
        self.submitted.push(command);
    }

    /// Does one deed.
    fn live(&mut self, deed: Deed) {
        match deed {
            Deed::Submit(command) => self.submit(command),
            Deed::Next(payment) => {
                let status = self.world.transaction(number(payment)).map(|transaction| transaction.status);
                if let Some(next) = status.and_then(Step::after) {
                    self.submit(step(payment, next));
                }
            }
            Deed::Repeat(back) => {
                if let Some(command) = self.submitted.iter().rev().nth(back).cloned() {
                    self.submit(command);
                }
            }
            Deed::Pass(ms) => self.world.pass(ms),
        }
    }

    fn transactions(&self) -> impl Iterator<Item = &Transaction> {
        self.world.states().filter_map(|(_, state)| match state {
            State::Transaction(transaction) => Some(transaction),
            _ => None,
        })
    }

    fn accounts(&self) -> impl Iterator<Item = &Account> {
        self.world.states().filter_map(|(_, state)| match state {
            State::Account(account) => Some(account),
            _ => None,
        })
    }

    fn postings(&self) -> impl Iterator<Item = &Postings> {
        self.recorded.iter().filter_map(|(_, fact)| match &fact.event {
            Event::Transaction(transaction::Event::DebitStarted(step)) => Some(&step.postings),
            Event::Transaction(transaction::Event::Settled(step)) => Some(&step.postings),
            Event::Transaction(transaction::Event::Canceled(step)) => step.postings.as_ref(),
            _ => None,
        })
    }

    /// The sum of all postings to each ledger account; a debit is positive.
    fn trial_balance(&self) -> BTreeMap<LedgerAccount, i128> {
        let mut balance = BTreeMap::new();
        for line in self.postings().flat_map(Postings::lines) {
            *balance.entry(line.account).or_default() += i128::from(line.amount);
        }
        balance
    }

    fn check(&self) {
        self.debits_equal_credits();
        self.accounts_are_the_fold_of_the_postings();
        self.no_account_owes_more_than_it_has();
        self.holds_are_resolved_once();
        self.what_is_over_leaves_nothing_behind();
    }

    fn debits_equal_credits(&self) {
        for postings in self.postings() {
            let sum: i128 = postings.lines().iter().map(|line| i128::from(line.amount)).sum();
            assert_eq!(sum, 0, "{postings:?}");
        }
        // Custody: what the rail owes us is what we owe the owners of nodes, and what is under way.
        let balance = self.trial_balance();
        let on = |account| balance.get(&account).copied().unwrap_or_default();
        let owed: i128 = self.accounts().map(|account| i128::from(account.posted)).sum();
        assert_eq!(on(LedgerAccount::RailIn(Rail::Ach)), owed - on(LedgerAccount::Transit));
    }

    fn accounts_are_the_fold_of_the_postings(&self) {
        let balance = self.trial_balance();
        for node in NODES {
            let Account { posted, held, pending_in, .. } = self.world.account(node, Currency::USD);
            let posting = balance.get(&LedgerAccount::Node(node)).copied().unwrap_or_default();
            assert_eq!(i128::from(posted), -posting, "{node}");
            let waiting =
                |status| self.transactions().filter(move |transaction| transaction.status == status);
            let sent = waiting(Status::Created).filter(|waiting| waiting.from.node() == Some(node));
            assert_eq!(held, sent.map(|waiting| waiting.hold).sum::<i64>(), "{node}");
            let coming = waiting(Status::ProcessingCredit).filter(|waiting| waiting.to.node() == Some(node));
            assert_eq!(pending_in, coming.map(Transaction::net_minor).sum::<i64>(), "{node}");
        }
    }

    fn no_account_owes_more_than_it_has(&self) {
        for account in self.accounts() {
            assert!(account.posted >= account.held, "available below zero: {account:?}");
            assert!(account.held >= 0 && account.pending_in >= 0, "{account:?}");
        }
    }

    fn holds_are_resolved_once(&self) {
        let mut holds: HashMap<TransactionId, Vec<i64>> = HashMap::new();
        for (_, fact) in &self.recorded {
            if let Event::Account(account::Event::Entry(entry)) = &fact.event
                && entry.hold_delta != 0
            {
                holds.entry(entry.cause).or_default().push(entry.hold_delta);
            }
        }
        for (id, deltas) in holds {
            let transaction = self.world.transaction(id).expect("the cause of an entry exists");
            let amount = transaction.amount.minor;
            match transaction.status {
                Status::Created => assert_eq!(deltas, [amount]),
                _ => assert_eq!(deltas, [amount, -amount], "{id}"),
            }
        }
    }

    fn what_is_over_leaves_nothing_behind(&self) {
        for transaction in self.transactions() {
            let in_transit = match transaction.status {
                Status::ProcessingDebit | Status::ProcessingCredit => -transaction.amount.minor,
                Status::Created | Status::Settled | Status::Canceled => 0,
            };
            assert_eq!(transaction.net.on(LedgerAccount::Transit), in_transit, "{transaction:?}");
            let hold = if transaction.status == Status::Created { transaction.hold } else { 0 };
            let is_coming = transaction.status == Status::ProcessingCredit;
            let pending_in = if is_coming { transaction.net_minor() } else { 0 };
            assert_eq!((transaction.hold, transaction.pending_in), (hold, pending_in), "{transaction:?}");
        }
        let under_way: i128 =
            self.transactions().map(|it| i128::from(it.net.on(LedgerAccount::Transit))).sum();
        assert_eq!(self.trial_balance().get(&LedgerAccount::Transit).copied().unwrap_or_default(), under_way);
    }

    /// The recorded facts alone, through the bytes that the log would keep, make the same world.
    fn check_replay(&self) {
        let mut replayed = World::default();
        for (at, fact) in &self.recorded {
            let encoded = fact.event.encode();
            let event =
                Event::decode(encoded.schema, &encoded.data, encoded.sealed.as_ref()).expect("decodes");
            assert_eq!(event, fact.event);
            replayed.pass(at.ms() - replayed.now().ms());
            replayed.record(&[Fact { key: fact.key, event }]);
        }
        replayed.pass(self.world.now().ms() - replayed.now().ms());
        assert_eq!(replayed, self.world);
        // A read model's row holds a state as JSON.
        for (key, state) in self.world.states() {
            let row = serde_json::to_string(state).expect("serializes");
            assert_eq!(&serde_json::from_str::<State>(&row).expect("parses"), state, "{key:?}");
        }
    }

    /// What was made once is not made again, however often it is asked for.
    fn check_repetition(&self) {
        let known = self.submitted.iter().filter(|command| makes_something_known(command, &self.world));
        for command in known {
            assert_eq!(command.decide(&self.world, self.world.now()), Ok(vec![]), "{command:?}");
        }
    }
}

/// Whether the command makes what is already there.
fn makes_something_known(command: &Command, world: &World) -> bool {
    let known = |key: Key| world.state(key).is_some();
    match command {
        Command::OpenPlatform(_) | Command::CreateUser(_) | Command::CreateNode(_) => {
            known(command.subject())
        }
        Command::CreateTransaction(_) | Command::Receive(_) => known(command.subject()),
        Command::VerifyUser(_) | Command::Advance(_) | Command::Comment(_) => false,
    }
}

proptest! {
    #[test]
    fn the_laws_hold_after_every_command(deeds in history()) {
        let mut chronicle = Chronicle::of_the_bank();
        for deed in deeds {
            chronicle.live(deed);
            chronicle.check();
        }
        chronicle.check_replay();
        chronicle.check_repetition();
    }
}

/// Laws over histories in which nothing happens would hold too.
#[test]
fn histories_are_eventful() {
    let mut runner = TestRunner::deterministic();
    let mut reached: HashMap<String, usize> = HashMap::new();
    for _ in 0..64 {
        let mut chronicle = Chronicle::of_the_bank();
        let deeds = history().new_tree(&mut runner).expect("a history").current();
        for deed in deeds {
            chronicle.live(deed);
        }
        for payment in chronicle.transactions().filter(|transaction| transaction.from.node().is_some()) {
            *reached.entry(payment.status.as_str().into()).or_default() += 1;
            *reached.entry("with fees".into()).or_default() += usize::from(!payment.fees.is_empty());
        }
        *reached.entry("refused".into()).or_default() += chronicle.refused;
        let account = chronicle.world.account(ANNS, Currency::USD);
        *reached.entry("held".into()).or_default() += usize::from(account.held > 0);
        assert_eq!(chronicle.world.state(AccountId::of(OUTSIDE, Currency::USD).into()), None);
    }
    let expected = [
        ("CREATED", 20),
        ("PROCESSING-DEBIT", 20),
        ("PROCESSING-CREDIT", 20),
        ("SETTLED", 20),
        ("CANCELED", 20),
        ("refused", 100),
        ("with fees", 100),
        ("held", 10),
    ];
    for (what, least) in expected {
        assert!(reached.get(what).is_some_and(|count| *count >= least), "{what}: {reached:?}");
    }
}
