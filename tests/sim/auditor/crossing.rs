//! Money that enters or leaves the ledger, in the auditor's model.

use daybook_domain::account::Shortfall;
use daybook_domain::money::MAX_MINOR;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::testing::fixture;
use daybook_domain::transaction::external_transfer::{ExternalTransfer, TransferDirection};
use daybook_domain::transaction::{Refusal as No, Status};
use daybook_domain::{Money, TransactionId, node, user};

use super::transactions::insufficient;
use super::{Answer, Auditor, Side, Step, Terms, is_closed, rail_of};

impl Auditor {
    pub(super) fn receive(&mut self, ask: &ExternalTransfer) -> Answer {
        let place = self.places.get(&ask.node).filter(|_| ask.platform == fixture::PLATFORM);
        let place = place.filter(|place| place.active).ok_or(node::Refusal::Unknown)?;
        if rail_of(place.kind).is_some() {
            return Err(node::Refusal::NotHeld.into());
        }
        if is_closed(self.people[&place.owner].may) {
            return Err(user::Refusal::Closed.into());
        }
        if place.gated && !ask.by_gateway && ask.direction == TransferDirection::Out {
            return Err(No::GatewayOnly.into());
        }
        if place.locked && ask.direction == TransferDirection::Out {
            return Err(node::Refusal::Locked.into());
        }
        self.enabled(ask.amount.currency)?;
        if !(1..=MAX_MINOR).contains(&ask.amount.minor) {
            return Err(No::OutOfRange.into());
        }
        let (held, outside) = (Side::Held(ask.node), Side::Outside(ask.rail));
        let ((from, to), refusal): (_, fn(Shortfall, &ExternalTransfer) -> daybook_domain::Refusal) =
            match ask.direction {
                TransferDirection::In => ((outside, held), |_, _| No::OutOfRange.into()),
                TransferDirection::Out => {
                    ((held, outside), |short, ask| insufficient(short, ask.node, ask.amount.currency))
                }
            };
        self.at_once(ask.id, from, to, ask.amount).map_err(|shortfall| refusal(shortfall, ask))?;
        Ok(true)
    }

    /// Books a transaction that is settled at once.
    pub(super) fn at_once(
        &mut self,
        id: TransactionId,
        from: Side,
        to: Side,
        amount: Money,
    ) -> Result<(), Shortfall> {
        let source = match from {
            Side::Held(node) => LedgerAccount::Node(node),
            Side::Away(_, rail) | Side::Outside(rail) => LedgerAccount::RailIn(rail),
        };
        let target = match to {
            Side::Held(node) => LedgerAccount::Node(node),
            Side::Away(_, rail) | Side::Outside(rail) => LedgerAccount::RailOut(rail),
        };
        let lines = vec![(source, amount.minor), (target, -amount.minor)];
        let deal = self.deal(from, to, amount);
        self.deals.insert(id, deal);
        let gone = self.go(id, Status::Settled, &Step { lines, ..Step::default() }, Terms::Forward);
        gone.inspect_err(|_| {
            self.deals.remove(&id);
        })
    }
}
