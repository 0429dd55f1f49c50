//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers a line in suspense: it is matched with an open item and a node, the match is taken back, and the day is
//! stated anew. An open item is written off.

use daybook_domain::breaks::match_line::MatchLine;
use daybook_domain::breaks::unmatch::UnmatchLine;
use daybook_domain::breaks::{Matched, Strategy};
use daybook_domain::custody::Booked;
use daybook_domain::operation::Act;
use daybook_domain::posting::{LedgerAccount, Posting, Postings, Rail};
use daybook_domain::statement::take_back::TakeBackLines;
use daybook_domain::testing::fixture::{
    PLATFORM, RESERVE, accept, advance_clock, book_lines, fund, income, operate, restate, statement_of,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::ClearedItem;
use daybook_domain::{BreakId, Command, Currency, NodeId, Origin};

const HERE: NodeId = NodeId::from_u128(0x8010);
const RAIL: LedgerAccount = LedgerAccount::RailIn(Rail::Ach);
const LINE: i64 = 97;

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    vec![
        advance_clock(2 * DAY_MS).into(),
        fund(HERE, 99),
        accept(&[(5, 3_605, 3_605 + LINE, 1)]),
        book_lines(5, 0, &[(LINE, 0)]),
        match_line().into(),
        unmatch_line().into(),
        restate(&[(5, 3_605, 3_605, 0)]),
        take_back(),
        write_off(),
    ]
}

fn item() -> ClearedItem {
    ClearedItem { transaction: income(HERE, 99).id, account: RAIL, amount: 99 }
}

/// Explains the line by the income, less a fee.
fn match_line() -> MatchLine {
    MatchLine {
        id: BreakId::of(statement_of(5), 0),
        platform: PLATFORM,
        currency: Currency::USD,
        items: vec![item()],
        posts: vec![Posting { account: LedgerAccount::Node(RESERVE), amount: LINE - 99 }],
        strategy: Strategy::Operator,
        origin: Origin::PROCESS,
    }
}

fn unmatch_line() -> UnmatchLine {
    let MatchLine { id, platform, items, strategy, origin, .. } = match_line();
    let line = |account, amount| Posting { account, amount };
    let lines = vec![line(LedgerAccount::Suspense, LINE - 99), line(LedgerAccount::Node(RESERVE), 99 - LINE)];
    let postings = Postings::new(Currency::USD, lines).ok();
    UnmatchLine { id, platform, matched: Matched { number: 0, items, postings, strategy, origin }, origin }
}

fn take_back() -> Command {
    let line = Booked { id: "L0".into(), amount: LINE, explains: None, met: None };
    TakeBackLines { statement: statement_of(5), first: 0, lines: vec![line], origin: Origin::PROCESS }.into()
}

fn write_off() -> Command {
    let line = |account, amount| Posting { account, amount };
    let lines = vec![line(RAIL, -99), line(LedgerAccount::Node(RESERVE), 99)];
    let postings = Postings::new(Currency::USD, lines).expect("balanced");
    let act = Act::Journal { postings, effective_at: None, clears: vec![item()] };
    operate(0x8061, act).into()
}
