//! Every flow, every step on it, and every way back: each set of postings sums to zero, and all balances are restored.

use std::collections::BTreeSet;

use super::*;
use crate::testing::fixture::{BOBS_BANK, bounce, cancel, fees_of_60, flows, hasty};
use crate::transaction::Status;
use crate::transaction::returns::ReturnTransaction;
use crate::{Command, State};

/// A history with all postings that it made.
struct Sequence {
    world: World,
    postings: Vec<Postings>,
}

impl Sequence {
    fn of(history: &[Command]) -> Self {
        let mut told = Self { world: given([fund(ANNS, 100)]), postings: vec![] };
        for command in history {
            assert!(told.submit(command), "{command:?}");
        }
        told
    }

    /// Submits a command. Returns true if it was accepted.
    fn submit(&mut self, command: &Command) -> bool {
        let facts = self.world.submit(command);
        let postings = facts.iter().flatten().filter_map(|fact| fact.event.postings().cloned());
        self.postings.extend(postings);
        facts.is_ok()
    }

    /// Sum of the postings to an account; a debit is positive.
    fn on(&self, account: LedgerAccount) -> i64 {
        let lines = self.postings.iter().flat_map(Postings::lines);
        lines.filter(|line| line.account == account).map(|line| line.amount).sum()
    }

    /// Balances of every node that holds money here, unless all are zero.
    fn nodes(&self) -> BTreeMap<NodeId, (i64, i64, i64)> {
        let numbers = |state: &State| match state {
            State::Account(account) => {
                Some((account.node, (account.posted, account.held, account.pending_in)))
            }
            State::Platform(_)
            | State::User(_)
            | State::Node(_)
            | State::Transaction(_)
            | State::Custody(_)
            | State::Operation(_)
            | State::Subnet(_)
            | State::Subscription(_)
            | State::Attachment(_)
            | State::Attestation(_)
            | State::Statement(_)
            | State::Evidence(_)
            | State::Break(_)
            | State::Roles(_) => None,
        };
        let all = self.world.states().filter_map(|(_, state)| numbers(state));
        all.filter(|(_, numbers)| *numbers != (0, 0, 0)).collect()
    }

    fn assert_balanced(&self, name: &str) {
        for postings in &self.postings {
            let sum: i64 = postings.lines().iter().map(|line| line.amount).sum();
            assert_eq!(sum, 0, "{name}: {postings:?}");
        }
    }
}

/// Every way back: a return of each leg, and a cancel.
fn ways_back() -> Vec<Command> {
    let back = |leg| ReturnTransaction { leg, ..bounce(1, "R01") };
    let legs = [None, Some(Direction::Pull), Some(Direction::Push)];
    legs.into_iter().map(|leg| back(leg).into()).chain([cancel(1).into()]).collect()
}

/// Loss of the platform: the pull came back after the push had left, and no other party can bear it.
fn loss(before: &Transaction, back: &Command) -> i64 {
    let Command::ReturnTransaction(back) = back else { return 0 };
    let both_outside = before.from.rail().is_some() && before.to.rail().is_some();
    let is_lost = both_outside && back.leg != Some(Direction::Push) && before.has_left(Direction::Push);
    if is_lost { before.net_minor() } else { 0 }
}

#[test]
fn reversals_restore_every_balance() {
    let mut seen = BTreeSet::new();
    for (create, fees) in flows().iter().flat_map(|flow| fees_of_60().map(|fees| (flow, fees))) {
        let create = Create { fees, ..create.clone() };
        for history in [way(&create), hasty(&create)] {
            for (taken, back) in
                (1..=history.len()).flat_map(|taken| ways_back().into_iter().map(move |b| (taken, b)))
            {
                let mut told = Sequence::of(&history[..taken]);
                let before = the(&told.world).clone();
                let name =
                    format!("{} to {}, {:?}, {taken} taken, {back:?}", create.from, create.to, create.fees);
                if !told.submit(&back) {
                    continue;
                }
                seen.insert((before.status.as_str(), matches!(back, Command::Cancel(_))));
                told.assert_balanced(&name);
                let lost = loss(&before, &back);
                let expected = [(ANNS, (100, 0, 0)), (RESERVE, (-lost, 0, 0))];
                let expected: BTreeMap<_, _> = expected.into_iter().filter(|(_, it)| it.0 != 0).collect();
                assert_eq!(told.nodes(), expected, "{name}");
                assert_eq!(told.on(LedgerAccount::Transit), 0, "{name}");
                let after = the(&told.world);
                assert_eq!((after.hold, after.pending_in), (0, 0), "{name}");
                // The open items sum to the loss of the reserve; nothing else is left.
                let open: i64 = after.open_items().iter().map(|item| item.amount).sum();
                assert_eq!(open, -lost, "{name}");
            }
        }
    }
    let expected = [
        ("CREATED", true),
        ("PROCESSING-CREDIT", false),
        ("PROCESSING-DEBIT", false),
        ("PROCESSING-DEBIT", true),
        ("SETTLED", false),
    ];
    assert_eq!(seen, expected.into());
}

#[test]
fn money_that_never_left_leaves_nothing_open() {
    for create in flows() {
        for (taken, back) in [(1, cancel(1).into()), (2, Command::from(bounce(1, "R01")))] {
            let mut told = Sequence::of(&way(&create)[..taken]);
            assert!(told.submit(&back));
            let it = the(&told.world);
            assert_eq!(it.open_items(), [], "{} to {}", create.from, create.to);
            assert_eq!(it.to_submit(), None, "{} to {}", create.from, create.to);
        }
    }
}

/// A party that gave or took money over a rail gets it back there, as a return.
#[test]
fn legs_that_left_get_return_items() {
    use LedgerAccount::{RailIn, RailOut, ReturnIn, ReturnOut};
    let ach = RailIn(Rail::Ach);
    let table = [
        (between(1, PULLED, ANNS, 60), None, vec![(ach, 60), (ReturnOut, -60)]),
        (between(1, ANNS, WIRED, 60), None, vec![(RailOut(Rail::Wire), -60), (ReturnIn, 60)]),
        (between(1, PULLED, WIRED, 60), None, vec![(ach, 60), (RailOut(Rail::Wire), -60), (ReturnOut, -60)]),
        (
            between(1, PULLED, WIRED, 60),
            Some(Direction::Push),
            vec![(ach, 60), (RailOut(Rail::Ach), -60), (RailOut(Rail::Wire), -60), (ReturnIn, 60)],
        ),
    ];
    for (create, leg, expected) in table {
        let mut told = Sequence::of(&way(&create));
        assert!(told.submit(&ReturnTransaction { leg, ..bounce(1, "R01") }.into()));
        let open: Vec<_> = the(&told.world).open_items().iter().map(|it| (it.account, it.amount)).collect();
        assert_eq!(open, expected, "{} to {} {leg:?}", create.from, create.to);
    }
}

#[test]
fn returned_push_always_refunds_the_sender() {
    // At every step after the pull left, even before the push left.
    let create = between(1, PULLED, BOBS_BANK, 60);
    for taken in 3..=way(&create).len() {
        let back = ReturnTransaction { leg: Some(Direction::Push), ..bounce(1, "R01") };
        let world = given(way(&create).into_iter().take(taken).chain([back.into()]));
        let refund = Some((Direction::Refund, PULLED, Rail::Ach));
        assert_eq!(the(&world).to_submit(), refund, "{taken} taken");
        assert_eq!(the(&world).status, Status::Returned);
    }
}
