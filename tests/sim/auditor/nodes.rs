//! Operations of owners on their nodes, in the auditor's model.

use daybook_domain::calendar::Day;
use daybook_domain::node::correct::Correct;
use daybook_domain::node::deactivate::Deactivate;
use daybook_domain::node::micro_deposits::MicroDeposits;
use daybook_domain::node::relabel::Relabel;
use daybook_domain::node::resend::ResendMicroDeposits;
use daybook_domain::node::verify::VerifyMicroDeposits;
use daybook_domain::node::{Inapplicable, NodeKind, Refusal};
use daybook_domain::posting::Rail;
use daybook_domain::testing::fixture;
use daybook_domain::transaction::{self, Direction};
use daybook_domain::user::{self, Permission};
use daybook_domain::{Currency, Money, NodeId, PlatformId, UserId};

use super::{Answer, Auditor, Place, Side, is_closed};

impl Auditor {
    fn own(&mut self, node: NodeId, platform: PlatformId, by: UserId) -> Result<&mut Place, Refusal> {
        let place = self.places.get_mut(&node).filter(|_| platform == fixture::PLATFORM);
        place.filter(|place| place.owner == by).ok_or(Refusal::Unknown)
    }

    /// Sends both micro-deposits or none: the reserve must cover both and stay within its daily limit, and the owner
    /// must be below the daily number of micro-deposits.
    pub(super) fn send_micro_deposits(&mut self, node: NodeId, micro: &MicroDeposits) -> Result<(), Refusal> {
        let Some(reserve) = self.reserve else { return Err(Refusal::ReserveAtFloor) };
        let [first, second] = micro.amounts.map(|minor| Money::new(minor, Currency::USD));
        let there = Side::Away(node, Rail::Ach);
        let purse = self.purses.get(&(reserve, Currency::USD)).copied().unwrap_or_default();
        let floor = self.limits_of(reserve, Currency::USD).floor.unwrap_or(0);
        let together = i128::from(first.minor + second.minor);
        let went = i128::from(self.today(reserve, Currency::USD).1);
        let most = self.limits_of(reserve, Currency::USD).daily_out;
        if most.is_some_and(|most| went + together > i128::from(most)) {
            return Err(Refusal::ReserveAtLimit);
        }
        let whose = (self.places[&node].owner, Day::of(self.now()));
        let before = self.counted.get(&whose).copied().unwrap_or_default();
        if self.micro_deposits.is_some_and(|most| before >= most) {
            return Err(Refusal::OwnerAtLimit);
        }
        let left = i128::from(purse.posted) - i128::from(purse.held);
        if left - together < i128::from(floor) {
            return Err(Refusal::ReserveAtFloor);
        }
        for (id, amount) in micro.transactions.into_iter().zip([first, second]) {
            let paid = self.at_once(id, Side::Held(reserve), there, amount);
            assert!(paid.is_ok(), "the reserve covers both");
        }
        if self.micro_deposits.is_some() {
            self.counted.insert(whose, before + 1);
        }
        if let Some(place) = self.places.get_mut(&node) {
            place.secret = Some(micro.amounts);
        }
        Ok(())
    }

    /// Checks that the user may verify a bank account. A closed or locked user may not.
    pub(super) fn may_verify(&self, user: UserId) -> Result<(), user::Refusal> {
        let person = self.people[&user];
        match (is_closed(person.may), person.locked || person.may == Permission::Locked) {
            (true, _) => Err(user::Refusal::Closed),
            (false, true) => Err(user::Refusal::Locked),
            (false, false) => Ok(()),
        }
    }

    pub(super) fn guess(&mut self, ask: &VerifyMicroDeposits) -> Answer {
        self.own(ask.node, ask.platform, ask.by)?;
        self.may_verify(ask.by)?;
        let place = self.own(ask.node, ask.platform, ask.by)?;
        if let Some(answer) = no_question(place) {
            return answer;
        }
        if place.locked {
            return Err(Refusal::Locked.into());
        }
        let [a, b] = place.secret.ok_or(Refusal::NoMicroDeposits)?;
        if ask.amounts == [a, b] || ask.amounts == [b, a] {
            (place.debit, place.secret) = (true, None);
        } else {
            place.missed += 1;
            place.locked = place.missed >= 5;
        }
        Ok(true)
    }

    /// Sends the same amounts again, at most three times.
    pub(super) fn resend(&mut self, ask: &ResendMicroDeposits) -> Answer {
        self.own(ask.node, ask.platform, ask.by)?;
        self.may_verify(ask.by)?;
        let place = self.own(ask.node, ask.platform, ask.by)?;
        if let Some(answer) = no_question(place) {
            return answer;
        }
        if place.locked {
            return Err(Refusal::Locked.into());
        }
        if place.resent == 3 {
            return Err(Refusal::ResentTooOften.into());
        }
        let amounts = place.secret.unwrap_or(ask.micro_deposits.amounts);
        let micro = MicroDeposits { amounts, ..ask.micro_deposits };
        self.send_micro_deposits(ask.node, &micro)?;
        self.places.entry(ask.node).and_modify(|place| place.resent += 1);
        Ok(true)
    }

    pub(super) fn relabel(&mut self, ask: &Relabel) -> Answer {
        let place = self.own(ask.node, ask.platform, ask.by)?;
        if Some(place.label) != ask.from {
            return Err(Refusal::Stale.into());
        }
        place.label = ask.details.id;
        Ok(true)
    }

    /// Replaces the label, if a file has an entry of the transaction to or from the node.
    pub(super) fn correct(&mut self, ask: &Correct) -> Answer {
        let here = ask.platform == fixture::PLATFORM;
        let place = self.places.get_mut(&ask.node).filter(|_| here).ok_or(Refusal::Unknown)?;
        let deal = self.deals.get(&ask.transaction).filter(|deal| deal.filed.contains(&ask.leg));
        let side = deal.map(|deal| if ask.leg == Direction::Push { deal.to } else { deal.from });
        if side.and_then(Side::node) != Some(ask.node) {
            return Err(transaction::Refusal::Unknown.into());
        }
        if Some(place.label) != ask.from {
            return Err(Refusal::Stale.into());
        }
        place.label = ask.details.id;
        Ok(true)
    }

    pub(super) fn deactivate(&mut self, ask: &Deactivate) -> Answer {
        let reserve = self.reserve;
        let place = self.own(ask.node, ask.platform, ask.by)?;
        if reserve == Some(ask.node) {
            return Err(Refusal::Reserve.into());
        }
        let is_news = place.active;
        place.active = false;
        Ok(is_news)
    }
}

/// Refuses micro-deposits for any node other than a bank account that waits for verification. The first attempt is
/// recorded, repeated ones are refused.
fn no_question(place: &mut Place) -> Option<Answer> {
    let reason = match (place.kind == NodeKind::AchUs, place.debit, place.active) {
        (true, false, true) => return None,
        (true, false, false) => Inapplicable::NotActive,
        (true, true, _) => Inapplicable::NotCredit,
        (false, _, _) => Inapplicable::OtherType,
    };
    let is_known = place.noted.replace(reason) == Some(reason);
    Some(if is_known { Err(Refusal::Inapplicable(reason).into()) } else { Ok(true) })
}
