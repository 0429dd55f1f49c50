//! What happened in the newest chapter. Chapters that were told are files; what was asked for in them is not needed any
//! more, so these deeds give way to those of the next one.
//!
//! This one is told since everybody who gets money of a payment is looked at: a limit counts what was announced with the
//! debit, and a fee stays with the receiver because its node was locked while the money was under way. Another payment
//! waits for that node.

use daybook_domain::node::NodeKind;
use daybook_domain::operation::Act;
use daybook_domain::platform::Limits;
use daybook_domain::testing::fixture::{OWNER, fee, income, node, operate, payment, simulate, transaction};
use daybook_domain::transaction::advance::Step;
use daybook_domain::transaction::create::Create;
use daybook_domain::transaction::receive::Receive;
use daybook_domain::{Command, Currency, NodeId};

const FROM: NodeId = NodeId::from_u128(0x6001);
const TO: NodeId = NodeId::from_u128(0x6002);
const FEES: NodeId = NodeId::from_u128(0x6003);

fn pay(number: u128) -> Command {
    let fees = vec![fee(FEES, 7)];
    let to_kind = NodeKind::DepositUs;
    Create { by: OWNER, from: FROM, to: TO, to_kind, fees, ..payment(number, 60) }.into()
}

/// Everything that is asked for, in order.
pub(super) fn deeds() -> Vec<Command> {
    let limits = Limits { daily_in: Some(100), ..Limits::default() };
    let limited = Act::SetLimits { node: TO, limits: [(Currency::USD, limits)].into() };
    let income = Receive { id: transaction(0x6010), ..income(FROM, 200) };
    vec![
        node(FROM, OWNER, NodeKind::DepositUs).into(),
        node(TO, OWNER, NodeKind::DepositUs).into(),
        node(FEES, OWNER, NodeKind::LedgerUs).into(),
        income.into(),
        operate(0x6020, limited).into(),
        pay(0x6011),
        simulate(0x6011, Step::Debit),
        simulate(0x6011, Step::Credit),
        operate(0x6021, Act::LockNode { node: FEES }).into(),
        simulate(0x6011, Step::Settle),
        pay(0x6012),
    ]
}
