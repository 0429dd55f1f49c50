//! Present again (reinitiation): an operator sends a pull again that was returned for insufficient funds. The new
//! presentment is a transaction of its own, with a number. Its id is derived from that of the first one, so that no
//! presentment is sent twice.

use super::event::{Created, Queued};
use super::screening::{Blockers, Screened, ScreeningOutcome};
use super::{Recipients, Refusal, Status, Transaction};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::{Consequence, Day};
use crate::id::{PlatformId, TransactionId};
use crate::posting::Rail;
use crate::state::States;
use crate::time::Timestamp;

/// Maximum number of new presentments of a pull. Source: Nacha Operating Rules, Article Two, reinitiation of returned
/// entries.
pub const MAX_PRESENTATIONS: u8 = 2;

/// Maximum number of days after the day on which the pull was first due. Source: the same as of [`MAX_PRESENTATIONS`];
/// the rules count from the settlement, which is not earlier.
pub const MAX_DAYS_SINCE_SETTLEMENT: i32 = 180;

/// Presents a pull again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PresentAgain {
    /// The returned transaction: the first one, or a later presentment of it.
    pub id: TransactionId,
    /// Platform of the transaction.
    pub platform: PlatformId,
    /// Origin of the request.
    pub origin: Origin,
}

impl PresentAgain {
    /// Keys of the aggregates that the decision reads, as in [`Decide::needs`](crate::Decide::needs).
    #[must_use]
    pub fn needs(&self, states: &impl States) -> Vec<Key> {
        let mut keys = vec![self.id.into(), self.platform.into()];
        let Some(named) = states.transaction(self.id) else { return keys };
        keys.extend(chain(self.id.again(named.again)).map(Key::from));
        keys.extend(named.screened().needs(states));
        keys
    }

    /// Decides. Refuses while another presentment is under way.
    pub fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, crate::Refusal> {
        let named = states.transaction(self.id).filter(|it| it.platform == self.platform);
        let first = self.id.again(named.ok_or(Refusal::Unknown)?.again);
        let original = states.transaction(first).ok_or(Refusal::Unknown)?;
        let mut last = original;
        let mut free = None;
        for again in 1..=MAX_PRESENTATIONS {
            match states.transaction(first.again(again)) {
                Some(presented) => last = presented,
                None => free = free.or(Some(again)),
            }
        }
        let again = free.ok_or(Refusal::PresentedTooOften)?;
        if !lacked_funds(last) {
            return Err(Refusal::CannotPresent.into());
        }
        if Day::of(at) > Day::of(original.process_on).plus_days(MAX_DAYS_SINCE_SETTLEMENT) {
            return Err(Refusal::TooLateToPresent.into());
        }
        self.facts(states, first.again(again), (again, original), at)
    }

    fn facts(
        &self,
        states: &impl States,
        id: TransactionId,
        (again, original): (u8, &Transaction),
        at: Timestamp,
    ) -> Result<Vec<NewEvent>, crate::Refusal> {
        let nodes = [original.from, original.to];
        let is_gone = |node| states.node(node).is_none_or(|node| !node.is_active);
        if nodes.iter().any(|party| party.node().is_none_or(is_gone)) {
            return Err(Refusal::CannotPresent.into());
        }
        let screened = Screened {
            platform: self.platform,
            from: &original.from,
            to: &original.to,
            amount: original.amount,
            recipients: Recipients::of(&original.to, original.amount, &original.fees),
            hold: 0,
        };
        let created = Created {
            platform: self.platform,
            from: original.from,
            to: original.to,
            subject: original.subject,
            amount: original.amount,
            fees: original.fees.clone(),
            hold: 0,
            process_on: at,
            pace_ms: original.pace_ms,
            attachments: vec![],
            is_micro_deposit: false,
            again,
            origin: self.origin,
            details: None,
        };
        let created = NewEvent::new(id, created);
        match screened.verdict(states, at) {
            ScreeningOutcome::Pass => Ok(vec![created]),
            ScreeningOutcome::Queue(Blockers { reasons, waits_for }) => {
                Ok(vec![created, NewEvent::new(id, Queued { reasons, waits_for, origin: self.origin })])
            }
            ScreeningOutcome::Cancel(_) => Err(Refusal::CannotPresent.into()),
        }
    }
}

/// Ids of a transaction and of its possible presentments.
fn chain(first: TransactionId) -> impl Iterator<Item = TransactionId> {
    (0..=MAX_PRESENTATIONS).map(move |number| first.again(number))
}

/// Returns true for an ACH pull that was returned with a code that permits a new presentment.
fn lacked_funds(last: &Transaction) -> bool {
    let code = last.return_code.filter(|_| last.status == Status::Returned);
    let by_ach = last.from.external().is_some_and(|(_, rail)| rail == Rail::Ach);
    by_ach && code.is_some_and(|code| code.consequence() == Consequence::Again)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::Actor;
    use crate::calendar::ReturnCode;
    use crate::operation::Act;
    use crate::testing::fixture::{ANNS, FEES, OLGA, PULLED, between, bounce, fee, fund, operate, pay, way};
    use crate::testing::{World, given};
    use crate::time::DAY_MS;
    use crate::transaction::create::Create;
    use crate::transaction::returns::ReturnTransaction;

    const FIRST: TransactionId = TransactionId::from_u128(1);

    fn pull() -> Create {
        Create { fees: vec![fee(FEES, 7)], ..between(1, PULLED, ANNS, 60) }
    }

    /// A world in which the pull settled and was returned with this code.
    fn returned(code: &str) -> World {
        given(way(&pull()).into_iter().chain([bounce(1, code).into()]))
    }

    fn again(number: u128, transaction: TransactionId) -> crate::operation::request::Request {
        operate(number, Act::PresentAgain { transaction })
    }

    fn back(id: TransactionId) -> ReturnTransaction {
        ReturnTransaction { id, ..bounce(1, "R09") }
    }

    /// The world after the transaction took all of its steps and was returned.
    fn bounced(mut world: World, id: TransactionId) -> World {
        for command in way(&Create { id, ..pull() }).into_iter().skip(1) {
            world = world.when(command).accepted();
        }
        world.when(back(id)).accepted()
    }

    #[test]
    fn new_presentment_repeats_the_pull() {
        let world = returned("R01").when(again(80, FIRST)).accepted();
        let made = world.transaction(FIRST.again(1)).expect("made");
        assert_eq!((made.again, made.status, made.net_minor()), (1, Status::Created, 53));
        assert_eq!(made.details, None);
    }

    #[test]
    fn only_unfunded_pulls_are_presented_again() {
        for code in ReturnCode::all() {
            let world = returned(&code.to_string()).when(again(80, FIRST));
            if ["R01", "R09"].contains(&code.to_string().as_str()) {
                world.accepted();
            } else {
                world.refused(Refusal::CannotPresent);
            }
        }
    }

    #[test]
    fn other_transactions_are_not_presented_again() {
        given(way(&pull())).when(again(80, FIRST)).refused(Refusal::CannotPresent);
        let world = returned("R01").when(again(80, FIRST)).accepted();
        world.clone().when(again(81, FIRST)).refused(Refusal::CannotPresent);
        world.when(again(81, FIRST.again(1))).refused(Refusal::CannotPresent);
        let paid = given([fund(ANNS, 100), pay(1, 60)]);
        paid.when(again(80, FIRST)).refused(Refusal::CannotPresent);
        given([]).when(again(80, FIRST)).refused(Refusal::Unknown);
    }

    #[test]
    fn third_presentment_is_refused() {
        let (one, two) = (FIRST.again(1), FIRST.again(2));
        let world = bounced(returned("R01").when(again(80, FIRST)).accepted(), one);
        let world = bounced(world.when(again(81, one)).accepted(), two);
        for id in [FIRST, one, two] {
            world.clone().when(again(82, id)).refused(Refusal::PresentedTooOften);
        }
    }

    #[test]
    fn presentment_is_possible_for_180_days() {
        let on_day = |day: i64| returned("R01").later(day * DAY_MS);
        on_day(180).when(again(80, FIRST)).accepted();
        on_day(181).when(again(80, FIRST)).refused(Refusal::TooLateToPresent);
    }

    #[test]
    fn locked_account_queues_the_presentment() {
        let lock = operate(79, Act::LockNode { node: PULLED });
        let world = returned("R01").when(lock).accepted().when(again(80, FIRST)).accepted();
        assert_eq!(world.transaction(FIRST.again(1)).map(|it| it.status), Some(Status::Queued));
        let by = Origin::of(Actor::Operator(OLGA));
        let present = PresentAgain { id: FIRST, platform: PlatformId::from_u128(2), origin: by };
        assert_eq!(present.decide(&world, Timestamp::default()), Err(Refusal::Unknown.into()));
    }
}
