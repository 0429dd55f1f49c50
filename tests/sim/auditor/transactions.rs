//! Transactions in the auditor's model: the table of states and the table of postings of `docs/reference/money.md` as
//! code.

use std::collections::BTreeMap;

use daybook_domain::account::Shortfall;
use daybook_domain::calendar::{Day, ReturnCode, is_banking_day};
use daybook_domain::money::MAX_MINOR;
use daybook_domain::node::NodeKind;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::advance::{Advance, Step as Next};
use daybook_domain::transaction::cancel::Cancel;
use daybook_domain::transaction::comment::Comment;
use daybook_domain::transaction::create::Create;
use daybook_domain::transaction::queue::{Queue, Release};
use daybook_domain::transaction::returns::ReturnTransaction;
use daybook_domain::transaction::withdraw::Withdraw;
use daybook_domain::transaction::{CancelReason, QueueReason, Refusal as No, Status, WaitsFor};
use daybook_domain::{
    Actor, Currency, Money, NodeId, Origin, PlatformId, TransactionId, node, platform, testing::fixture, user,
};

use super::screening::Found;
use super::{Answer, Auditor, Deal, Direction, Side, Step, Terms, is_closed, rail_of};

/// Reasons to queue that an operator or platform sets and removes. Screening finds the other ones.
const GIVEN: [QueueReason; 3] =
    [QueueReason::Risk, QueueReason::SenderNotAuthorised, QueueReason::ReceiverNotAuthorised];

impl Auditor {
    pub(super) fn create(&mut self, ask: &Create) -> Answer {
        let ours = |node: NodeId| {
            self.places.get(&node).filter(|place| ask.platform == fixture::PLATFORM && place.active)
        };
        let sender = ours(ask.from).filter(|place| place.owner == ask.by);
        let sender = sender.ok_or(node::Refusal::Unknown)?;
        if is_closed(self.people[&ask.by].may) {
            return Err(user::Refusal::Closed.into());
        }
        if ask.from == ask.to {
            return Err(No::SameNode.into());
        }
        let receiver = ours(ask.to).ok_or(No::UnknownReceiver)?;
        if receiver.kind != ask.to_kind {
            return Err(No::ReceiverType(receiver.kind).into());
        }
        self.enabled(ask.amount.currency)?;
        for (index, fee) in ask.fees.iter().enumerate() {
            let place = ours(fee.to).filter(|place| !is_closed(self.people[&place.owner].may));
            let kind = place.map(|place| place.kind).ok_or(No::UnknownFeeNode(index))?;
            if kind != NodeKind::LedgerUs {
                return Err(No::FeeNodeType(index).into());
            }
        }
        let in_range = |minor: i64| (1..=MAX_MINOR).contains(&minor);
        if !in_range(ask.amount.minor) || ask.fees.iter().any(|fee| fee.minor < 1) {
            return Err(No::OutOfRange.into());
        }
        if ask.fees.iter().map(|fee| i128::from(fee.minor)).sum::<i128>() > i128::from(ask.amount.minor) {
            return Err(No::FeesExceedAmount.into());
        }
        if sender.gated && !ask.by_gateway {
            return Err(No::GatewayOnly.into());
        }
        let side = |id, kind| rail_of(kind).map_or(Side::Held(id), |rail| Side::Away(id, rail));
        let (from, to) = (side(ask.from, sender.kind), side(ask.to, receiver.kind));
        let all_here = [from, to].iter().all(|side| matches!(side, Side::Held(_)));
        if !all_here && ask.amount.currency != Currency::USD {
            return Err(No::RailCurrency(ask.amount.currency).into());
        }
        let net = ask.amount.minor - ask.fees.iter().map(|fee| fee.minor).sum::<i64>();
        for (side, minor) in [(from, ask.amount.minor), (to, net)] {
            let Side::Away(_, rail) = side else { continue };
            match most_of(rail) {
                Some(most) if minor > most => {
                    return Err(No::TooMuchForRail { rail, most: Money::new(most, Currency::USD) }.into());
                }
                _ => {}
            }
        }
        let mut deal = self.deal(from, to, ask.amount);
        deal.fees = ask.fees.iter().map(|fee| (fee.to, fee.minor)).collect();
        deal.process_on += i64::from(ask.in_days) * DAY_MS;
        let found = self.screen(&deal);
        if let Found::End(reason) = found {
            (deal.status, deal.ended) = (Status::Canceled, Some(reason));
            self.deals.insert(ask.id, deal);
            return Ok(true);
        }
        if let (Side::Held(sender), 0) = (from, ask.in_days) {
            let step = Step { hold: Some((sender, ask.amount.minor)), ..Step::default() };
            match self.post(ask.amount.currency, &step, Terms::Forward) {
                Ok(()) => deal.hold = ask.amount.minor,
                Err(shortfall) if self.reject_unfunded => {
                    return Err(insufficient(shortfall, sender, ask.amount.currency));
                }
                Err(_) => {}
            }
        }
        if let Found::Reasons(reasons, waits) = found {
            (deal.status, deal.reasons, deal.waits) = (Status::Queued, reasons, waits);
            deal.queued = Some(self.now().ms());
        }
        self.deals.insert(ask.id, deal);
        Ok(true)
    }

    pub(super) fn deal(&self, from: Side, to: Side, amount: Money) -> Deal {
        let now = self.now().ms();
        Deal {
            from,
            to,
            amount,
            fees: vec![],
            status: Status::Created,
            reasons: vec![],
            waits: vec![],
            queued: None,
            hold: 0,
            pending: 0,
            told: BTreeMap::new(),
            lies: BTreeMap::new(),
            stated: BTreeMap::new(),
            filed: vec![],
            process_on: now,
            moved: now,
            ended: None,
            code: None,
            again: 0,
        }
    }

    pub(super) fn enabled(&self, currency: Currency) -> Result<(), daybook_domain::Refusal> {
        let is_enabled = currency == Currency::USD || self.currencies.contains(&currency);
        if is_enabled { Ok(()) } else { Err(platform::Refusal::CurrencyDisabled.into()) }
    }

    /// Books a step of a transaction and sets its status.
    pub(super) fn go(
        &mut self,
        id: TransactionId,
        status: Status,
        step: &Step,
        terms: Terms,
    ) -> Result<(), Shortfall> {
        let currency = self.deals[&id].amount.currency;
        self.post(currency, step, terms)?;
        let now = self.now().ms();
        let Some(deal) = self.deals.get_mut(&id) else { return Ok(()) };
        deal.status = status;
        deal.hold += step.hold.map_or(0, |(_, amount)| amount);
        deal.pending += step.pending.map_or(0, |(_, amount)| amount);
        for (node, amount) in &step.told {
            *deal.told.entry(*node).or_default() += amount;
        }
        deal.told.retain(|_, amount| *amount != 0);
        for (account, amount) in &step.lines {
            *deal.lies.entry(*account).or_default() += amount;
            deal.moved = now;
        }
        deal.lies.retain(|_, amount| *amount != 0);
        Ok(())
    }

    pub(super) fn advance(&mut self, ask: &Advance) -> Answer {
        let deal = self.deals.get(&ask.id).ok_or(No::Unknown)?.clone();
        let next = match deal.status {
            Status::Created => Some(Next::Debit),
            Status::ProcessingDebit => Some(Next::Credit),
            Status::ProcessingCredit => Some(Next::Settle),
            Status::Queued | Status::Settled | Status::Canceled | Status::Returned => None,
        };
        if next != Some(ask.step) {
            return if ask.origin.simulated { Err(No::NoNextStep(deal.status).into()) } else { Ok(false) };
        }
        let waits = match (ask.step, deal.leg()) {
            (Next::Credit, Some((leg, _))) => leg == Direction::Pull,
            (Next::Settle, leg) => leg.is_some(),
            _ => false,
        };
        if !ask.origin.simulated && (self.now().ms() < deal.process_on || waits) {
            return Ok(false);
        }
        let (amount, net) = (deal.amount.minor, deal.net());
        let out_of_range = |_| No::OutOfRange;
        match ask.step {
            Next::Debit => match self.screen(&deal) {
                Found::End(reason) => self.unwind(ask.id, reason),
                Found::Reasons(reasons, waits) => Ok(self.hold_back(ask.id, reasons, waits)),
                Found::Nothing => {
                    let source = match deal.from {
                        Side::Held(node) => LedgerAccount::Node(node),
                        Side::Away(_, rail) | Side::Outside(rail) => LedgerAccount::RailIn(rail),
                    };
                    let hold = deal.from.held().map(|node| (node, -deal.hold));
                    let lines = vec![(source, amount), (LedgerAccount::Transit, -amount)];
                    let step = Step { lines, hold, pending: None, told: self.told_at_once(&deal) };
                    match self.go(ask.id, Status::ProcessingDebit, &step, Terms::Forward) {
                        Ok(()) => Ok(true),
                        Err(shortfall) => self.unwind(ask.id, CancelReason::InsufficientFunds(shortfall)),
                    }
                }
            },
            Next::Credit => {
                let step = match deal.to {
                    Side::Held(node) if deal.told.contains_key(&node) => Step::default(),
                    Side::Held(node) => Step { pending: Some((node, net)), ..Step::default() },
                    Side::Away(_, rail) | Side::Outside(rail) => {
                        let lines = vec![(LedgerAccount::Transit, net), (LedgerAccount::RailOut(rail), -net)];
                        Step { lines: if net == 0 { vec![] } else { lines }, ..Step::default() }
                    }
                };
                self.go(ask.id, Status::ProcessingCredit, &step, Terms::Forward).map_err(out_of_range)?;
                Ok(true)
            }
            Next::Settle => {
                let fees = self.takers_of_fees(&deal);
                let fees = fees.into_iter().map(|(node, fee)| (LedgerAccount::Node(node), -fee));
                let mut lines: Vec<_> = fees.collect();
                lines.extend(deal.to.held().map(|node| (LedgerAccount::Node(node), -net)));
                lines.retain(|(_, amount)| *amount != 0);
                let given: i64 = lines.iter().map(|(_, amount)| -amount).sum();
                lines.extend((given != 0).then_some((LedgerAccount::Transit, given)));
                let Step { pending, told, .. } = back(&deal, |account| account);
                let step = Step { lines, hold: None, pending, told };
                self.go(ask.id, Status::Settled, &step, Terms::Forward).map_err(out_of_range)?;
                Ok(true)
            }
        }
    }

    /// Cancels a transaction: every amount goes back to its origin.
    fn unwind(&mut self, id: TransactionId, reason: CancelReason) -> Answer {
        let step = back(&self.deals[&id], |account| account);
        self.go(id, Status::Canceled, &step, Terms::Reversal).map_err(|_| No::OutOfRange)?;
        if let Some(deal) = self.deals.get_mut(&id) {
            deal.reasons.clear();
            deal.waits.clear();
            deal.ended = Some(reason);
        }
        Ok(true)
    }

    fn hold_back(&mut self, id: TransactionId, reasons: Vec<QueueReason>, waits: Vec<WaitsFor>) -> bool {
        let now = self.now().ms();
        if let Some(deal) = self.deals.get_mut(&id) {
            (deal.status, deal.reasons, deal.waits) = (Status::Queued, reasons, waits);
            deal.queued = deal.queued.or(Some(now));
        }
        true
    }

    fn ours(&self, id: TransactionId, platform: PlatformId) -> Result<&Deal, No> {
        self.deals.get(&id).filter(|_| platform == fixture::PLATFORM).ok_or(No::Unknown)
    }

    pub(super) fn cancel(&mut self, ask: &Cancel) -> Answer {
        let deal = self.ours(ask.id, ask.platform)?;
        if let Some((user, node)) = ask.sender {
            let is_theirs = deal.from.node() == Some(node) && self.places[&node].owner == user;
            if !is_theirs {
                return Err(No::Unknown.into());
            }
        }
        match deal.status {
            Status::Created | Status::Queued => self.unwind(ask.id, ask.reason),
            Status::ProcessingDebit
                if matches!(deal.to, Side::Away(_, Rail::Ach)) && deal.filed.is_empty() =>
            {
                self.unwind(ask.id, ask.reason)
            }
            status => Err(No::CannotCancel(status).into()),
        }
    }

    pub(super) fn queue(&mut self, ask: &Queue) -> Answer {
        if !GIVEN.contains(&ask.reason) {
            return Err(No::ReasonNotGiven.into());
        }
        let deal = self.ours(ask.id, ask.platform)?;
        if !matches!(deal.status, Status::Created | Status::Queued) {
            return Err(No::CannotQueue(deal.status).into());
        }
        let (mut reasons, waits) = (deal.reasons.clone(), deal.waits.clone());
        if reasons.contains(&ask.reason) {
            return Ok(false);
        }
        reasons.push(ask.reason);
        Ok(self.hold_back(ask.id, reasons, waits))
    }

    pub(super) fn release(&mut self, ask: &Release) -> Answer {
        let deal = self.ours(ask.id, ask.platform.unwrap_or(fixture::PLATFORM))?.clone();
        let is_process = ask.origin.by == Actor::Process;
        let Some(since) = deal.queued.filter(|_| deal.status == Status::Queued) else {
            return if is_process { Ok(false) } else { Err(No::NotQueued(deal.status).into()) };
        };
        if is_process && self.now().ms() >= since + 14 * DAY_MS {
            return self.unwind(ask.id, CancelReason::QueueExpired);
        }
        let (mut reasons, waits) = match self.screen(&deal) {
            Found::End(reason) => return self.unwind(ask.id, reason),
            Found::Reasons(..) if !is_process => return Err(No::StillBlocked.into()),
            Found::Reasons(reasons, waits) => (reasons, waits),
            Found::Nothing => (vec![], vec![]),
        };
        reasons.extend(deal.reasons.iter().filter(|reason| is_process && GIVEN.contains(reason)));
        if reasons.is_empty() {
            if let Some(deal) = self.deals.get_mut(&ask.id) {
                (deal.status, deal.queued) = (Status::Created, None);
                deal.reasons.clear();
                deal.waits.clear();
            }
            return Ok(true);
        }
        let is_other = (&reasons, &waits) != (&deal.reasons, &deal.waits);
        let is_news = is_other || reasons.contains(&QueueReason::DailyLimit);
        Ok(is_news && self.hold_back(ask.id, reasons, waits))
    }

    pub(super) fn return_transaction(&mut self, ask: &ReturnTransaction) -> Answer {
        self.reverse(ask)?;
        self.learn(ask);
        Ok(true)
    }

    /// Applies the meaning of a return code to the bank account: R02 (account closed) locks it, and R10 (not
    /// authorized) forbids further pulls.
    fn learn(&mut self, ask: &ReturnTransaction) {
        let Some(deal) = self.deals.get(&ask.id) else { return };
        let pushed = deal.to.rail().is_some();
        let is_push = pushed && (deal.from.rail().is_none() || ask.leg == Some(Direction::Push));
        let Side::Away(node, Rail::Ach) = (if is_push { deal.to } else { deal.from }) else { return };
        let Some(place) = self.places.get_mut(&node) else { return };
        match ask.code.to_string().as_str() {
            "R02" => place.locked = true,
            "R10" if !is_push && place.debit => {
                (place.debit, place.secret, place.missed, place.resent) = (false, None, 0, 0);
            }
            _ => {}
        }
    }

    fn reverse(&mut self, ask: &ReturnTransaction) -> Answer {
        let deal = self.ours(ask.id, ask.platform)?.clone();
        let under_way = [Status::ProcessingDebit, Status::ProcessingCredit, Status::Settled];
        if !under_way.contains(&deal.status) {
            return Err(No::CannotReturn(deal.status).into());
        }
        let moved = Day::of(daybook_domain::Timestamp::from_ms(deal.moved));
        if Day::of(self.now()) > last_day(ask.code, moved) {
            return Err(No::TooLateToReturn.into());
        }
        let (pulls, pushes) = (deal.from.rail().is_some(), deal.to.rail().is_some());
        let push_is_back = pushes && (!pulls || ask.leg == Some(Direction::Push));
        let reserve = self.reserve.map_or(LedgerAccount::Suspense, LedgerAccount::Node);
        let step = back(&deal, |account| match account {
            LedgerAccount::RailIn(rail) if deal.left(Direction::Pull) => {
                if push_is_back {
                    LedgerAccount::RailOut(rail)
                } else {
                    LedgerAccount::ReturnOut
                }
            }
            LedgerAccount::RailOut(_) if deal.left(Direction::Push) => {
                if push_is_back {
                    LedgerAccount::ReturnIn
                } else {
                    reserve
                }
            }
            account => account,
        });
        let gone = self.go(ask.id, Status::Returned, &step, Terms::Returned);
        gone.map_err(|_| No::OutOfRange)?;
        self.deals.entry(ask.id).and_modify(|deal| deal.code = Some(ask.code));
        Ok(true)
    }

    /// Presents a returned pull again, at most twice, and not before the previous one came back.
    pub(super) fn present_again(&mut self, id: TransactionId, platform: PlatformId) -> Answer {
        let first = id.again(self.ours(id, platform)?.again);
        let [one, two] = [first.again(1), first.again(2)];
        let (last, next, again) = match (self.deals.contains_key(&one), self.deals.contains_key(&two)) {
            (false, _) => (first, one, 1),
            (true, false) => (one, two, 2),
            (true, true) => return Err(No::PresentedTooOften.into()),
        };
        let (original, last) = (self.deals[&first].clone(), &self.deals[&last]);
        let bounced = last.status == Status::Returned && last.code.is_some_and(|it| it.to_string() == "R01");
        if !bounced || !matches!(last.from, Side::Away(_, Rail::Ach)) {
            return Err(No::CannotPresent.into());
        }
        let due = Day::of(daybook_domain::Timestamp::from_ms(original.process_on));
        if Day::of(self.now()) > due.plus_days(180) {
            return Err(No::TooLateToPresent.into());
        }
        let sides = [original.from, original.to];
        let is_gone = |side: &Side| side.node().is_none_or(|node| !self.places[&node].active);
        let mut deal = Deal {
            fees: original.fees.clone(),
            again,
            ..self.deal(original.from, original.to, original.amount)
        };
        match self.screen(&deal) {
            _ if sides.iter().any(is_gone) => return Err(No::CannotPresent.into()),
            Found::End(_) => return Err(No::CannotPresent.into()),
            Found::Reasons(reasons, waits) => {
                (deal.status, deal.reasons, deal.waits) = (Status::Queued, reasons, waits);
                deal.queued = Some(self.now().ms());
            }
            Found::Nothing => {}
        }
        self.deals.insert(next, deal);
        Ok(true)
    }

    pub(super) fn withdraw(&mut self, ask: &Withdraw) -> Answer {
        let deal = self.ours(ask.id, ask.platform)?.clone();
        if deal.status == Status::Returned || !deal.filed.contains(&ask.direction) {
            return Ok(false);
        }
        let Withdraw { id, platform, direction, code } = *ask;
        self.deals.entry(id).and_modify(|deal| deal.filed.retain(|leg| *leg != direction));
        let back = ReturnTransaction { id, platform, code, leg: Some(direction), origin: Origin::PROCESS };
        let answer = self.reverse(&back);
        if answer.is_err() {
            self.deals.insert(id, deal);
        }
        answer
    }

    pub(super) fn comment(&self, ask: &Comment) -> Answer {
        let deal = self.ours(ask.id, ask.platform)?;
        let is_side = [deal.from, deal.to].iter().any(|side| side.node() == Some(ask.node));
        let is_theirs = is_side && self.places[&ask.node].owner == ask.by;
        if is_theirs { Ok(true) } else { Err(No::Unknown.into()) }
    }
}

/// Returns the step that moves all money of a transaction from its present accounts to those that `place` returns.
fn back(deal: &Deal, place: impl Fn(LedgerAccount) -> LedgerAccount) -> Step {
    Step {
        lines: deal.lies.iter().map(|(account, amount)| (place(*account), -amount)).collect(),
        hold: deal.from.held().map(|node| (node, -deal.hold)),
        pending: deal.to.held().map(|node| (node, -deal.pending)),
        told: deal.told.iter().map(|(node, amount)| (*node, -amount)).collect(),
    }
}

pub(super) fn insufficient(
    shortfall: Shortfall,
    node: NodeId,
    currency: Currency,
) -> daybook_domain::Refusal {
    No::InsufficientBalance { shortfall, node, currency }.into()
}

/// Returns the last day on which a return is accepted: two banking days, or for unauthorized pulls sixty days and the
/// next banking day.
fn last_day(code: ReturnCode, moved: Day) -> Day {
    let next = |day: Day| {
        let mut next = day.plus_days(1);
        while !is_banking_day(next) {
            next = next.plus_days(1);
        }
        next
    };
    if code.to_string() == "R10" { next(moved.plus_days(60)) } else { next(next(moved)) }
}

/// Returns the largest amount that fits into the digits of a file entry of `rail`: ten digits for ACH, twelve for wire.
fn most_of(rail: Rail) -> Option<i64> {
    match rail {
        Rail::Ach => Some(9_999_999_999),
        Rail::Wire => Some(999_999_999_999),
        Rail::Check => None,
    }
}
