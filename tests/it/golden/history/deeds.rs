//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers a notification of change: the bank answers the entry of a pull and corrects the account. The number
//! of the account at the bank is set. The bank states a day anew, whose line is taken back.

use daybook_domain::custody::Booked;
use daybook_domain::custody::cut::SendFile;
use daybook_domain::id::BoxId;
use daybook_domain::node::NodeKind;
use daybook_domain::node::correct::Correct;
use daybook_domain::node::link::Link;
use daybook_domain::posting::LedgerAccount;
use daybook_domain::posting::Rail;
use daybook_domain::statement::take_back::TakeBackLines;
use daybook_domain::testing::fixture::{
    CUSTODY, OWNER, PLATFORM, book_lines, book_lines_of, correct, cut_as, fund, income, node, payment,
    restate, restatement_of, sealed, set_account, simulate, statement_of,
};
use daybook_domain::transaction::Direction;
use daybook_domain::transaction::advance::Step;
use daybook_domain::transaction::create::Create;
use daybook_domain::{Command, FileId, NodeId, Origin};

const BANK: NodeId = NodeId::from_u128(0x8001);
const HERE: NodeId = NodeId::from_u128(0x8010);
const PULL: u128 = 0x8021;
const FILE: FileId = FileId::from_u128(0x8050);

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    let link = Link { first: BANK, platform: PLATFORM, user: OWNER, accounts: vec![sealed(0x8031)] };
    let pull = Create { by: OWNER, from: BANK, to: HERE, to_kind: NodeKind::DepositUs, ..payment(PULL, 60) };
    let from = Some(BoxId::from_u128(0x8031));
    vec![
        link.into(),
        node(HERE, OWNER, NodeKind::DepositUs).into(),
        pull.into(),
        simulate(PULL, Step::Debit),
        cut_as(PULL, Direction::Pull, Rail::Ach, FILE),
        SendFile { custody: CUSTODY, file: FILE, as_of: 1 }.into(),
        Correct { from, ..correct(PULL, BANK, 0x8032) }.into(),
        set_account("DE89370400440532013000"),
        fund(HERE, 100),
        book_lines(4, 0, &[(100, income(HERE, 100).id.as_u128())]),
        restate(&[(4, 3_500, 3_605, 1)]),
        take_back(),
        book_lines_of(restatement_of(4), 0, &[(105, 0)]),
    ]
}

/// Takes back the line that cleared the income.
fn take_back() -> Command {
    let explains = Some((income(HERE, 100).id, LedgerAccount::RailIn(Rail::Ach)));
    let line = Booked { id: "L0".into(), amount: 100, explains, met: None };
    TakeBackLines { statement: statement_of(4), first: 0, lines: vec![line], origin: Origin::PROCESS }.into()
}
