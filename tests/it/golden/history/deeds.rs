//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers returns with account information: one ends an authorization, one locks a node, and after a third
//! the pull is presented again. A file records how consumers authorize, and a payment that cannot be written for a bank
//! is withdrawn.

use daybook_domain::calendar::ReturnCode;
use daybook_domain::node::NodeKind;
use daybook_domain::node::link::Link;
use daybook_domain::operation::Act;
use daybook_domain::platform::Policy;
use daybook_domain::posting::Rail;
use daybook_domain::testing::fixture::{
    OWNER, PLATFORM, bounce, cut_as, node, operate, payment, sealed, set_policy, simulate, transaction,
};
use daybook_domain::transaction::Direction;
use daybook_domain::transaction::advance::Step;
use daybook_domain::transaction::create::Create;
use daybook_domain::transaction::withdraw::Withdraw;
use daybook_domain::{Command, FileId, NodeId};

const BANKS: [NodeId; 3] = [NodeId::from_u128(0x7001), NodeId::from_u128(0x7002), NodeId::from_u128(0x7003)];
const HERE: NodeId = NodeId::from_u128(0x7010);

/// A pull of 60 whose debit has started.
fn pulled(number: u128, from: NodeId) -> [Command; 2] {
    let pull = Create { by: OWNER, from, to: HERE, to_kind: NodeKind::DepositUs, ..payment(number, 60) };
    [pull.into(), simulate(number, Step::Debit)]
}

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    let accounts = [0x7031, 0x7032, 0x7033].map(sealed).to_vec();
    let link = Link { first: BANKS[0], platform: PLATFORM, user: OWNER, accounts };
    let written = Policy { written_authorizations: true, ..Policy::default() };
    let [unauthorized, closed, bounced, unwritable] = [0x7021, 0x7022, 0x7023, 0x7024];
    let cut = |number, file| cut_as(number, Direction::Pull, Rail::Ach, FileId::from_u128(file));
    let back = Withdraw {
        id: transaction(unwritable),
        platform: PLATFORM,
        direction: Direction::Pull,
        code: ReturnCode::UNSUPPORTED_BY_FORMAT,
    };
    [
        vec![Command::from(link), node(HERE, OWNER, NodeKind::DepositUs).into(), set_policy(0x7040, written)],
        pulled(unauthorized, BANKS[0]).to_vec(),
        vec![cut(unauthorized, 0x7050), bounce(unauthorized, "R10").into()],
        pulled(closed, BANKS[1]).to_vec(),
        vec![bounce(closed, "R02").into()],
        pulled(bounced, BANKS[2]).to_vec(),
        vec![cut(bounced, 0x7051), bounce(bounced, "R01").into()],
        vec![operate(0x7041, Act::PresentAgain { transaction: transaction(bounced) }).into()],
        pulled(unwritable, BANKS[2]).to_vec(),
        vec![cut(unwritable, 0x7052), back.into()],
    ]
    .concat()
}
