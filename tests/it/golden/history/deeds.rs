//! Commands of the newest chapter of the golden history. Earlier chapters are stored as files, so their commands are
//! not needed: the commands of the next chapter replace these.
//!
//! This chapter covers matching rules: a custody gets a rule set, and after a statement the rule matches a line in suspense.

use daybook_domain::breaks::match_line::{ByRule, MatchLine};
use daybook_domain::breaks::{RuleName, Strategy};
use daybook_domain::custody::rules::EndMatching;
use daybook_domain::matching::{Means, Rule};
use daybook_domain::operation::Act;
use daybook_domain::posting::{LedgerAccount, Rail};
use daybook_domain::testing::fixture::{
    CUSTODY, PLATFORM, accept, advance_clock, book_lines, fund, income, operate, statement_of,
};
use daybook_domain::time::DAY_MS;
use daybook_domain::transaction::ClearedItem;
use daybook_domain::{BreakId, Command, Currency, NodeId, Origin};

const HERE: NodeId = NodeId::from_u128(0x8010);
const LINE: i64 = 51;

/// All commands of the chapter, in order.
pub(super) fn deeds() -> Vec<Command> {
    vec![
        advance_clock(2 * DAY_MS).into(),
        fund(HERE, LINE),
        set_rules(),
        accept(&[(7, 3_605, 3_605 + LINE, 1)]),
        book_lines(7, 0, &[(LINE, 0)]),
        match_line().into(),
        EndMatching { custody: CUSTODY, due: 2, version: 1, matched: 1, left: 0 }.into(),
    ]
}

fn set_rules() -> Command {
    let rules = vec![Rule::new("amounts", Means::Amount)].try_into().expect("can be meant");
    operate(0x8070, Act::SetRules { rules }).into()
}

fn match_line() -> MatchLine {
    let account = LedgerAccount::RailIn(Rail::Ach);
    let rule = RuleName { version: 1, name: "amounts".into() };
    MatchLine {
        id: BreakId::of(statement_of(7), 0),
        platform: PLATFORM,
        currency: Currency::USD,
        items: vec![ClearedItem { transaction: income(HERE, LINE).id, account, amount: LINE }],
        posts: vec![],
        by: Some(ByRule { strategy: Strategy::Amount, rule, rest: 0 }),
        origin: Origin::PROCESS,
    }
}
