//! Micro-deposits: two small amounts that the platform's reserve pays to a new bank account. Its owner reports them to
//! verify the account.

use super::Refusal;
use super::event::{MicroDepositsFailed, MicroDepositsSent};
use crate::actor::Origin;
use crate::aggregate::{Key, NewEvent};
use crate::calendar::Day;
use crate::id::{AccountId, NodeId, PlatformId, TransactionId, UserId};
use crate::money::{Currency, Money};
use crate::movement::{self, PostingContext};
use crate::node::NodeKind;
use crate::platform::policy;
use crate::posting::{LedgerAccount, Rail};
use crate::state::{After, States};
use crate::time::Timestamp;
use crate::transaction::{Created, Party, Settled};
use crate::user::MicroDepositsCounted;

/// The largest micro-deposit, in minor units. Source: API 3.1, Limits.
pub const MAX_MINOR: i64 = 100;

/// Two micro-deposits: their amounts, and the ids of their transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicroDeposits {
    /// Minor units of USD, 1 to [`MAX_MINOR`].
    pub amounts: [i64; 2],
    /// Ids of the new transactions.
    pub transactions: [TransactionId; 2],
}

/// The node to which micro-deposits go.
#[derive(Clone, Copy)]
pub(crate) struct Receiver {
    pub platform: PlatformId,
    pub node: NodeId,
    pub owner: UserId,
    pub kind: NodeKind,
}

impl MicroDeposits {
    /// Keys of the aggregates that a decision about micro-deposits reads, as in
    /// [`Decide::needs`](crate::Decide::needs).
    pub(crate) fn needs(&self, states: &impl States, platform: PlatformId) -> Vec<Key> {
        let reserve = states.platform(platform).map(|platform| platform.reserve);
        let reserve = reserve.into_iter().flat_map(|id| [id.into(), AccountId::of(id, Currency::USD).into()]);
        reserve.chain(self.transactions.map(Key::from)).chain([platform.into()]).collect()
    }

    /// Events that send the micro-deposits to a new node, or the event that they could not be sent.
    pub(crate) fn facts(&self, to: Receiver, states: &impl States, at: Timestamp) -> Vec<NewEvent> {
        let Self { amounts, transactions } = *self;
        let Ok(mut facts) = self.paid(to, states, at) else {
            return vec![NewEvent::new(to.node, MicroDepositsFailed {})];
        };
        facts.push(NewEvent::new(to.node, MicroDepositsSent { transactions, amounts }));
        facts
    }

    /// Pays both amounts from the reserve in this decision, or none. Refuses if the reserve is at its floor or at its
    /// daily limit, or if the node's owner has reached the number of micro-deposits permitted on a day.
    pub(crate) fn paid(
        &self,
        to: Receiver,
        states: &impl States,
        at: Timestamp,
    ) -> Result<Vec<NewEvent>, Refusal> {
        if self.exceeds_a_day(to.platform, states, at) {
            return Err(Refusal::ReserveAtLimit);
        }
        let mut facts: Vec<NewEvent> = counted(to, states, at)?.into_iter().collect();
        let sent = self.amounts.iter().zip(self.transactions);
        // The second payment is decided on the balance that the first one leaves.
        let mut after = After::new(states);
        for (amount, id) in sent {
            let step = pay(id, Money::new(*amount, Currency::USD), to, &after, at);
            let step = step.ok_or(Refusal::ReserveAtFloor)?;
            after.take(&step, at);
            facts.extend(step);
        }
        Ok(facts)
    }

    /// Returns true if the reserve's daily limit does not allow the amounts. The limit also stops a caller that
    /// attaches account after account in order to guess amounts.
    fn exceeds_a_day(&self, platform: PlatformId, states: &impl States, at: Timestamp) -> bool {
        let Some(reserve) = states.platform(platform).map(|platform| platform.reserve) else { return false };
        let limit = policy::limits(states, platform, reserve, Currency::USD).daily_out;
        let (_, went) = states.account(reserve, Currency::USD).today(at);
        let sum = self.amounts.into_iter().map(i128::from).sum::<i128>() + i128::from(went);
        limit.is_some_and(|limit| sum > i128::from(limit))
    }
}

/// The event that counts one more sending for the owner on this day, if the platform's policy limits their number.
fn counted(to: Receiver, states: &impl States, at: Timestamp) -> Result<Option<NewEvent>, Refusal> {
    let most = states.platform(to.platform).and_then(|platform| platform.policy.daily_micro_deposits);
    let Some(most) = most else { return Ok(None) };
    let day = Day::of(at);
    let before = states.user(to.owner).map_or(0, |owner| owner.micro_deposits_on(day));
    if before >= most {
        return Err(Refusal::OwnerAtLimit);
    }
    Ok(Some(NewEvent::new(to.owner, MicroDepositsCounted { day, count: before.saturating_add(1) })))
}

/// Pays one of the two amounts; `None` if the reserve does not cover it.
fn pay(
    id: TransactionId,
    amount: Money,
    to: Receiver,
    states: &impl States,
    at: Timestamp,
) -> Option<Vec<NewEvent>> {
    let platform = states.platform(to.platform)?;
    let reserve = LedgerAccount::Node(platform.reserve);
    let movement = movement::immediate(reserve, LedgerAccount::RailOut(Rail::Ach), amount);
    let context = PostingContext::forward(to.platform, id, at);
    let entries = movement.entries(states, amount.currency, context).ok()?;
    let created = Created {
        platform: to.platform,
        from: Party::Node { id: platform.reserve, user: platform.user, kind: NodeKind::ReserveUs },
        to: Party::Node { id: to.node, user: to.owner, kind: to.kind },
        subject: platform.user,
        amount,
        fees: vec![],
        hold: 0,
        process_on: at,
        pace_ms: 0,
        attachments: vec![],
        is_micro_deposit: true,
        again: 0,
        origin: Origin::PROCESS,
        details: None,
    };
    let settled = Settled { postings: movement.postings, origin: Origin::PROCESS };
    let facts = [NewEvent::new(id, created), NewEvent::new(id, settled)];
    Some(facts.into_iter().chain(entries).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::create::Create;
    use crate::node::resend::ResendMicroDeposits;
    use crate::operation::Act;
    use crate::platform::{Limits, Policy};
    use crate::testing::fixture::{
        ANN, BOB, OWNER, PLATFORM, RESERVE, counted, entry, fund, node, on_node, on_rail_out, operate, party,
        postings, withdrawal,
    };
    use crate::testing::{World, given};
    use crate::transaction::{Direction, Status};

    const NEW: NodeId = NodeId::from_u128(99);
    const IDS: [TransactionId; 2] = [TransactionId::from_u128(1), TransactionId::from_u128(2)];

    fn attach(amounts: [i64; 2]) -> Create {
        let micro_deposits = Some(MicroDeposits { amounts, transactions: IDS });
        Create { micro_deposits, ..node(NEW, ANN, NodeKind::AchUs) }
    }

    /// A world in which the balance of the reserve is `-minor`; two cents came in and went out earlier on this day.
    fn overdrawn(minor: i64) -> World {
        given([withdrawal(RESERVE, minor).into()])
    }

    #[test]
    fn two_amounts_leave_reserve_with_creation() {
        let made = |id, minor| {
            let to = Party::Node { id: NEW, user: ANN, kind: NodeKind::AchUs };
            let created = Created {
                platform: PLATFORM,
                from: party(RESERVE, OWNER),
                to,
                subject: OWNER,
                amount: Money::new(minor, Currency::USD),
                fees: vec![],
                hold: 0,
                process_on: Timestamp::default(),
                pace_ms: 0,
                attachments: vec![],
                is_micro_deposit: true,
                again: 0,
                origin: Origin::PROCESS,
                details: None,
            };
            NewEvent::new(id, created)
        };
        let sent = |id, minor| {
            let moved = postings(&[on_node(RESERVE, minor), on_rail_out(Rail::Ach, -minor)]);
            NewEvent::new(id, Settled { postings: Some(moved), origin: Origin::PROCESS })
        };
        let taken =
            |id, minor: i64, left, out| counted(entry(RESERVE, id, (-minor, 0, 0), (left, 0, 0)), 102, out);
        let world = given([fund(RESERVE, 100)]).when(attach([7, 12])).then([
            NewEvent::new(NEW, attach([7, 12]).created()),
            made(IDS[0], 7),
            sent(IDS[0], 7),
            taken(IDS[0], 7, 93, 9),
            made(IDS[1], 12),
            sent(IDS[1], 12),
            taken(IDS[1], 12, 81, 21),
            NewEvent::new(NEW, MicroDepositsSent { transactions: IDS, amounts: [7, 12] }),
        ]);
        assert_eq!(world.node(NEW).and_then(|node| node.micro_deposits), Some([7, 12]));
        for id in IDS {
            let it = world.transaction(id).expect("made");
            let leg = Some((Direction::Push, NEW, Rail::Ach));
            assert_eq!((it.status, it.to_submit(), it.hold), (Status::Settled, leg, 0));
        }
    }

    #[test]
    fn reserve_floor_allows_both_or_none() {
        let left = |world: &World| world.account(RESERVE, Currency::USD).posted;
        let world = overdrawn(99_980).when(attach([10, 10])).accepted();
        assert_eq!(left(&world), -100_000);
        // The reserve covers the first amount or neither, but never both.
        for amounts in [[10, 11], [20, 1], [21, 1]] {
            let failed = NewEvent::new(NEW, MicroDepositsFailed {});
            let made = NewEvent::new(NEW, attach(amounts).created());
            let world = overdrawn(99_980).when(attach(amounts)).then([made, failed]);
            assert_eq!(left(&world), -99_980);
            assert!(IDS.iter().all(|id| world.transaction(*id).is_none()));
            assert!(world.node(NEW).is_some_and(|node| node.micro_deposits.is_none()));
        }
    }

    #[test]
    fn reserve_daily_limit_bounds_micro_deposits() {
        let limits = |daily_out| [(Currency::USD, Limits { daily_out, ..Limits::default() })].into();
        let at_most = |minor| operate(80, Act::SetLimits { node: RESERVE, limits: limits(Some(minor)) });
        // Two cents came in and went out earlier on this day.
        let limited = |minor| given([fund(RESERVE, 1_000), at_most(minor).into()]);
        let world = limited(2 + 19).when(attach([7, 12])).accepted();
        assert_eq!(world.node(NEW).and_then(|node| node.micro_deposits), Some([7, 12]));
        let next = Create {
            id: NodeId::from_u128(98),
            micro_deposits: Some(MicroDeposits {
                amounts: [1, 1],
                transactions: [3, 4].map(TransactionId::from_u128),
            }),
            ..attach([1, 1])
        };
        let failed = NewEvent::new(next.id, MicroDepositsFailed {});
        world.when(next.clone()).then([NewEvent::new(next.id, next.created()), failed]);
        let made = NewEvent::new(NEW, attach([7, 13]).created());
        limited(2 + 19).when(attach([7, 13])).then([made, NewEvent::new(NEW, MicroDepositsFailed {})]);
    }

    #[test]
    fn policy_bounds_micro_deposits_per_user_day() {
        let at_most = |most| {
            let policy = Policy { daily_micro_deposits: Some(most), ..Policy::default() };
            given([fund(RESERVE, 1_000), operate(80, Act::SetPolicy { policy }).into()])
        };
        let number = |number: u128| Create {
            id: NodeId::from_u128(90 + number),
            micro_deposits: Some(MicroDeposits {
                amounts: [7, 12],
                transactions: [10 * number, 10 * number + 1].map(TransactionId::from_u128),
            }),
            ..attach([7, 12])
        };
        let sent = |world: &World, number: u128| {
            world.node(NodeId::from_u128(90 + number)).and_then(|node| node.micro_deposits).is_some()
        };
        let again = |number: u128, transactions: [u128; 2]| ResendMicroDeposits {
            node: NodeId::from_u128(90 + number),
            platform: PLATFORM,
            by: ANN,
            micro_deposits: MicroDeposits {
                amounts: [7, 12],
                transactions: transactions.map(TransactionId::from_u128),
            },
        };
        let world =
            at_most(2).when(number(1)).accepted().when(number(2)).accepted().when(number(3)).accepted();
        assert_eq!([1, 2, 3].map(|number| sent(&world, number)), [true, true, false]);
        assert_eq!(world.user(ANN).map(|ann| ann.micro_deposits_on(Day::of(Timestamp::default()))), Some(2));
        // A resend counts on the same day, for a node that has micro-deposits and for a node that has none.
        let world = world.when(again(1, [80, 81])).refused(Refusal::OwnerAtLimit);
        let world = world.when(again(3, [82, 83])).refused(Refusal::OwnerAtLimit);
        // The limit of one user does not concern another user.
        let world = world.when(Create { user: BOB, ..number(4) }).accepted();
        assert!(sent(&world, 4));
        let none = at_most(0).when(number(1)).accepted();
        assert!(!sent(&none, 1) && none.user(ANN).is_some_and(|ann| ann.micro_deposits.is_none()));
    }

    #[test]
    fn micro_deposit_count_restarts_each_day() {
        let (ann, day) = (given([]).user(ANN).cloned().expect("known"), Day::of(Timestamp::default()));
        let counted = MicroDepositsCounted { day, count: 7 };
        let ann = crate::user::User { micro_deposits: Some(counted), ..ann };
        assert_eq!((ann.micro_deposits_on(day), ann.micro_deposits_on(day.plus_days(1))), (7, 0));
    }

    #[test]
    fn explicit_floor_of_reserve_is_kept() {
        let limits = [(Currency::USD, Limits { floor: Some(0), ..Limits::default() })].into();
        let floor = operate(80, Act::SetLimits { node: RESERVE, limits });
        let world = given([floor.into()]).when(attach([1, 1])).accepted();
        assert!(IDS.iter().all(|id| world.transaction(*id).is_none()));
    }
}
