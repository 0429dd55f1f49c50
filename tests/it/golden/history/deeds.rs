//! What happened in the newest chapter. Chapters that were told are files; what was asked for in them is not needed any
//! more, so these deeds give way to those of the next one.
//!
//! This one is told since a user's micro-deposits are counted: of two accounts that she attaches, one has hers sent.

use std::collections::BTreeMap;

use daybook_domain::node::NodeKind;
use daybook_domain::node::create::Create;
use daybook_domain::node::micro_deposits::MicroDeposits;
use daybook_domain::operation::Act;
use daybook_domain::platform::Policy;
use daybook_domain::testing::fixture::{
    OTTO, RESERVE, income, node, operate, review, set_policy, transaction,
};
use daybook_domain::transaction::receive::Receive;
use daybook_domain::{Command, NodeId, TransactionId, UserId};

/// Her document is one of the first chapter.
const EVE: UserId = UserId::from_u128(70);

fn attach(number: u128) -> Command {
    let transactions = [10 * number, 10 * number + 1].map(TransactionId::from_u128);
    let micro_deposits = Some(MicroDeposits { amounts: [7, 12], transactions });
    Create { micro_deposits, ..node(NodeId::from_u128(number), EVE, NodeKind::AchUs) }.into()
}

/// Everything that is asked for, in order.
pub(super) fn deeds() -> Vec<Command> {
    let policy = Policy { daily_micro_deposits: Some(1), ..Policy::default() };
    // The policy until then asks for somebody else's approval.
    let unlimited = Act::SetLimits { node: RESERVE, limits: BTreeMap::new() };
    let income = Receive { id: transaction(0x5003), ..income(RESERVE, 1_000_000) };
    vec![
        set_policy(0x5001, policy),
        review(0x5001, OTTO, true).into(),
        operate(0x5002, unlimited).into(),
        income.into(),
        attach(0x5010),
        attach(0x5020),
    ]
}
