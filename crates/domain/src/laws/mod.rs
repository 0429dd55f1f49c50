//! Laws of money (`docs/reference/money.md`, Invariants) over random histories. They hold after every command, for any
//! commands in any order and with any repetitions. `PROPTEST_CASES` sets the number of histories.

#![allow(
    clippy::wildcard_enum_match_arm,
    reason = "a law looks at some events and says nothing about others"
)]

mod amounts;
mod checks;
mod chronicle;
mod evidence;
mod history;
mod matching;
mod nodes;
mod operations;
mod people;
mod places;
mod recipients;
mod roles;

use std::collections::HashMap;

use chronicle::Chronicle;
use history::history;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::aggregate::Key;
use crate::decide::Decide;
use crate::posting::LedgerAccount;
use crate::testing::World;
use crate::testing::fixture::{ANNS, RESERVE};
use crate::transaction::Direction;
use crate::{Command, Currency, Event, NewEvent, State, States, custody};

impl Chronicle {
    /// Checks that the recorded events alone, encoded and decoded as the log does, make the same world.
    fn check_replay(&self) {
        let mut replayed = World::default();
        for (at, fact) in &self.recorded {
            let encoded = fact.event.encode().expect("encodes");
            let event =
                Event::decode(encoded.schema, &encoded.data, encoded.sealed.as_ref()).expect("decodes");
            assert_eq!(event, fact.event);
            replayed.record_at(&[NewEvent { event, ..fact.clone() }], *at);
        }
        replayed.pass(self.world.now().ms());
        assert_eq!(replayed, self.world);
        // A row of a read model holds a state as JSON.
        for (key, state) in self.world.states() {
            let row = serde_json::to_string(state).expect("serializes");
            assert_eq!(&serde_json::from_str::<State>(&row).expect("parses"), state, "{key:?}");
        }
    }

    /// Checks that the repetition of a creating command changes nothing.
    fn check_repetition(&self) {
        let known = self.submitted.iter().filter(|command| makes_something_known(command, &self.world));
        for command in known {
            assert_eq!(command.decide(&self.world, self.world.now()), Ok(vec![]), "{command:?}");
        }
    }

    /// Adds the events of this history to `reached`, counted by name.
    fn count(&self, reached: &mut HashMap<&'static str, usize>) {
        let mut count = |what, times: usize| *reached.entry(what).or_default() += times;
        for (_, fact) in &self.recorded {
            count(fact.event.name(), 1);
            if let Event::Custody(custody::Event::StatementBooked(booked)) = &fact.event {
                count("in suspense", usize::from(booked.postings.is_some()));
            }
        }
        for (_, payment) in self.transactions() {
            count("with fees", usize::from(!payment.fees.is_empty()));
            count("redirected", payment.redirected.len());
            let to_reserve = payment.redirected.iter().filter(|it| it.to == RESERVE).count();
            count("redirected to the reserve", to_reserve);
            count("paid back", usize::from(payment.submitted.contains(&Direction::Refund)));
        }
        count("refused", self.refused);
        count("held", usize::from(self.world.account(ANNS, Currency::USD).held > 0));
        count("lost", usize::from(self.on(Currency::USD, LedgerAccount::Node(RESERVE)) > 0));
    }
}

/// Returns true if the command creates an aggregate that exists already.
fn makes_something_known(command: &Command, world: &World) -> bool {
    let known = |key: Key| world.state(key).is_some();
    let creates = command.creates().or(match command {
        Command::OpenPlatform(_) => Some(command.subject()),
        _ => None,
    });
    creates.is_some_and(known)
}

proptest! {
    #[test]
    fn laws_hold_after_every_command(deeds in history()) {
        let mut chronicle = Chronicle::of_the_bank();
        for deed in deeds {
            chronicle.live(deed);
            chronicle.check();
        }
        chronicle.check_replay();
        chronicle.check_repetition();
    }
}

/// In histories without events the laws would hold trivially. This test requires every kind of event, except for two.
#[test]
fn random_histories_cover_event_kinds() {
    let mut runner = TestRunner::deterministic();
    let mut reached = HashMap::new();
    for _ in 0..800 {
        let mut chronicle = Chronicle::of_the_bank();
        let deeds = history().new_tree(&mut runner).expect("a history").current();
        for deed in deeds {
            chronicle.live(deed);
        }
        chronicle.count(&mut reached);
    }
    let never = ["node.micro_deposits_failed", "node.micro_deposits_missed"];
    for (_, name) in Event::schemas().filter(|(_, name)| !never.contains(name)) {
        let least = if name.starts_with("transaction.") { 6 } else { 1 };
        assert!(reached.get(name).is_some_and(|count| *count >= least), "{name}: {reached:?}");
    }
    let others = [
        ("refused", 100),
        ("with fees", 100),
        ("in suspense", 20),
        ("held", 5),
        ("lost", 1),
        ("paid back", 1),
        ("redirected", 6),
        ("redirected to the reserve", 1),
    ];
    for (what, least) in others {
        assert!(reached.get(what).is_some_and(|count| *count >= least), "{what}: {reached:?}");
    }
}
