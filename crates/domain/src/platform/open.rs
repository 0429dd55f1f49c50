//! Open a platform: the platform, its own user with permission to send and receive, the reserve of this user, and the
//! account at the bank, all in one commit.

use super::event::Opened;
use crate::aggregate::{Key, NewEvent};
use crate::bank::Bank;
use crate::decide::Decide;
use crate::id::{CustodyId, PlatformId};
use crate::refusal::Refusal;
use crate::state::States;
use crate::time::Timestamp;
use crate::transaction::external_transfer::ExternalTransfer;
use crate::user::{self, Permission, Verified};
use crate::{custody, node};

/// Command to open a platform.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// Id of the new platform.
    pub id: PlatformId,
    /// The company's name.
    pub name: String,
    /// True if banks and identity checks are simulated.
    pub sandbox: bool,
    /// The bank that keeps the money of the platform's customers.
    pub bank: Bank,
    /// Time zone of the platform's months, by its name in the IANA database; `None` is UTC.
    pub time_zone: Option<String>,
    /// The platform's own user.
    pub user: user::create::Create,
    /// Reserve of this user.
    pub reserve: node::create::Create,
    /// Money with which the reserve starts, if any.
    pub credit: Option<ExternalTransfer>,
}

impl Decide for Open {
    fn subject(&self) -> Key {
        self.id.into()
    }

    fn needs(&self, states: &impl States) -> Vec<Key> {
        let credit = self.credit.iter().flat_map(|credit| credit.needs(states));
        let custody = CustodyId::of(self.id, self.bank);
        let own = [self.id.into(), self.user.id.into(), self.reserve.id.into(), custody.into()];
        own.into_iter().chain(credit).collect()
    }

    /// Decides. The same command again changes nothing.
    fn decide(&self, states: &impl States, at: Timestamp) -> Result<Vec<NewEvent>, Refusal> {
        if states.platform(self.id).is_some() {
            return Ok(vec![]);
        }
        let opened = Opened {
            name: self.name.clone(),
            sandbox: self.sandbox,
            user: self.user.id,
            reserve: self.reserve.id,
            bank: self.bank,
            time_zone: self.time_zone.clone(),
        };
        let mut facts = vec![NewEvent::new(self.id, opened)];
        facts.extend(self.user.decide(states, at)?);
        // A contract identifies the platform; it hands in no documents.
        let verified = Verified { findings: vec![], permission: Permission::SendAndReceive };
        facts.push(NewEvent::new(self.user.id, verified));
        facts.push(NewEvent::new(self.reserve.id, self.reserve.created()));
        let custody = custody::Opened { platform: self.id, bank: self.bank, sandbox: self.sandbox };
        facts.push(NewEvent::new(CustodyId::of(self.id, self.bank), custody));
        if let Some(credit) = &self.credit {
            facts.extend(credit.facts(self.user.id, self.reserve.kind, states, at)?);
        }
        Ok(facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account;
    use crate::event::Event;
    use crate::money::Currency;
    use crate::node::Allowed;
    use crate::testing::World;
    use crate::testing::fixture::{OWNER, PLATFORM, RESERVE, income, open};
    use crate::transaction::{self, Refusal as No};

    #[test]
    fn platform_opens_with_verified_user_and_reserve() {
        let world = World::default().when(open()).accepted();
        let platform = world.platform(PLATFORM).expect("opened");
        assert_eq!((platform.user, platform.reserve), (OWNER, RESERVE));
        assert_eq!(world.user(OWNER).map(user::User::permission), Some(Permission::SendAndReceive));
        let reserve = world.node(RESERVE).expect("made");
        assert_eq!((reserve.user, reserve.allowed(), reserve.is_active), (OWNER, Allowed::Credit, true));
        assert_eq!(world.account(RESERVE, Currency::USD).posted, 0);
    }

    #[test]
    fn reserve_may_start_with_external_money() {
        let credit = Some(income(RESERVE, 100_000_000));
        let mut world = World::default();
        let facts = world.submit(&Open { credit, ..open() }.into()).expect("accepted");
        assert_eq!(world.account(RESERVE, Currency::USD).posted, 100_000_000);
        let last: Vec<_> = facts.iter().rev().take(3).map(|fact| &fact.event).collect();
        assert!(matches!(
            last[..],
            [
                Event::Account(account::Event::Entry(_)),
                Event::Transaction(transaction::Event::Settled(_)),
                Event::Transaction(transaction::Event::Created(_))
            ]
        ));
    }

    #[test]
    fn repeated_opening_changes_nothing() {
        World::default().when(open()).accepted().when(open()).then([]);
    }

    #[test]
    fn invalid_credit_opens_nothing() {
        let credit = Some(income(RESERVE, -1));
        World::default().when(Open { credit, ..open() }).refused(No::OutOfRange);
    }
}
