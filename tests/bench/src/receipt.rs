//! Funding of held nodes.

use daybook_domain::posting::Rail;
use daybook_domain::transaction::external_transfer::{ExternalTransfer, TransferDirection};
use daybook_domain::{Command, Currency, Money, NodeId, Origin, PlatformId, TransactionId};
use daybook_engine::{Sealer, TransactionDetails};
use daybook_vault::Class;

use super::load::client::failed;
use crate::error::Error;

/// Returns the command that credits `minor` cents from outside to `node`, as the transaction `id`.
pub(super) fn receipt(
    platform: PlatformId,
    node: NodeId,
    id: TransactionId,
    minor: i64,
    (sealer, details): (&Sealer, &TransactionDetails),
) -> Result<Command, Error> {
    Ok(Command::ExternalTransfer(Box::new(ExternalTransfer {
        id,
        platform,
        node,
        direction: TransferDirection::In,
        amount: Money::new(minor, Currency::USD),
        rail: Rail::Ach,
        by_gateway: true,
        origin: Origin::simulated(),
        details: sealer.seal(Class::Profile, details).map_err(failed)?,
    })))
}
