use daybook_domain::StatementId;
use daybook_domain::posting::Rail;

use super::*;

fn day(text: &str) -> Day {
    text.parse().expect("a date")
}

fn january() -> Period {
    Period { from: day("2026-01-01"), to: day("2026-01-31") }
}

fn stated(on: &str, opening: i64, closing: i64) -> StatedDay {
    StatedDay {
        id: None,
        currency: Currency::USD,
        day: day(on),
        opening,
        closing,
        lines: 1,
        booked: 1,
        format: "bai2".to_owned(),
        file: None,
        replaces: None,
        replaced_by: None,
    }
}

fn tally(count: u64, minor: i128) -> Tally {
    Tally { count, minor }
}

/// 100 at the bank, of which 7 are unexplained; 40 come in, 15 go out, 5 come back, 20 will be taken from us.
fn balanced() -> Balances {
    let ledger = CustodyRow {
        bank: 100,
        rail_in: 40,
        rail_out: 15,
        ret_in: 5,
        ret_out: 20,
        suspense: 7,
        nodes: 90,
        transit: 13,
    };
    Balances {
        ledger: BTreeMap::from([(Currency::USD, ledger)]),
        stated: BTreeMap::from([(Currency::USD, 100)]),
        stated_until: BTreeMap::from([(Currency::USD, day("2026-01-30"))]),
        open: BTreeMap::from([(
            (Currency::USD, LedgerAccount::RailIn(Rail::Ach), day("2026-01-30")),
            tally(4, 10),
        )]),
        breaks: BTreeMap::from([((Currency::USD, day("2026-01-30")), tally(2, 7))]),
    }
}

fn tied(balances: &Balances) -> TieOut {
    let all = tie_out(balances, &[stated("2026-01-30", 60, 100)], january(), day("2026-01-31"));
    let [one] = all.try_into().expect("one currency");
    one
}

#[test]
fn balanced_account_ties_out() {
    let tied = tied(&balanced());
    assert!(tied.is_tied_out());
    assert_eq!((tied.opening, tied.closing), (Some(60), Some(100)));
    assert_eq!((tied.difference(), tied.unnamed(), tied.in_transit()), (0, 0, 10));
}

#[test]
fn each_imbalance_is_seen() {
    let changed = |change: fn(&mut Balances)| {
        let mut balances = balanced();
        change(&mut balances);
        let tied = tied(&balances);
        assert!(!tied.is_tied_out());
        [tied.difference(), tied.bank_difference(), tied.open_difference(), tied.unnamed()]
    };
    let ledger = |change: fn(&mut CustodyRow)| {
        let mut balances = balanced();
        balances.ledger.values_mut().for_each(change);
        let tied = tied(&balances);
        assert!(!tied.is_tied_out());
        [tied.difference(), tied.bank_difference(), tied.open_difference(), tied.unnamed()]
    };
    assert_eq!(changed(|it| *it.stated.entry(Currency::USD).or_default() += 1), [1, -1, 0, 0]);
    assert_eq!(changed(|it| it.open.values_mut().for_each(|tally| tally.minor += 1)), [1, 0, -1, 0]);
    assert_eq!(changed(|it| it.breaks.clear()), [0, 0, 0, 7]);
    assert_eq!(ledger(|row| row.bank += 1), [0, 1, 0, 0]);
    assert_eq!(ledger(|row| row.nodes += 1), [-1, 0, 0, 0]);
    assert_eq!(ledger(|row| row.transit += 1), [-1, 0, 0, 0]);
    assert_eq!(ledger(|row| row.suspense += 1), [-1, 0, 0, 1]);
    assert_eq!(ledger(|row| row.rail_in += 1), [0, 0, 1, 0]);
    assert_eq!(ledger(|row| row.rail_out += 1), [0, 0, -1, 0]);
    assert_eq!(ledger(|row| row.ret_in += 1), [0, 0, 1, 0]);
    assert_eq!(ledger(|row| row.ret_out += 1), [0, 0, -1, 0]);
}

#[test]
fn breaks_are_aged_in_banking_days() {
    let mut balances = balanced();
    let days =
        ["2026-01-29", "2026-01-28", "2026-01-26", "2026-01-23", "2026-01-16", "2026-01-15", "2026-02-02"];
    balances.breaks = days.into_iter().map(|on| ((Currency::USD, day(on)), tally(1, 1))).collect();
    let tied = tied(&balances);
    // The 19th is a holiday, the 31st a Saturday. A day of the future has the age 0.
    assert_eq!(tied.aged, [tally(3, 3), tally(2, 2), tally(2, 2), tally(0, 0)]);
    assert_eq!((tied.old_breaks(), tied.breaks), (4, tally(7, 7)));
}

#[test]
fn item_older_than_its_rail_is_overdue() {
    let overdue = |account: LedgerAccount, since: &str| {
        let mut balances = balanced();
        balances.open = BTreeMap::from([((Currency::USD, account, day(since)), tally(1, 5))]);
        tied(&balances).overdue.count == 1
    };
    // The 30th is the last banking day of the month, the 28th two before it.
    for (account, in_time, late) in [
        (LedgerAccount::RailIn(Rail::Ach), "2026-01-27", "2026-01-26"),
        (LedgerAccount::RailOut(Rail::Wire), "2026-01-29", "2026-01-28"),
        (LedgerAccount::RailIn(Rail::Check), "2026-01-23", "2026-01-22"),
        (LedgerAccount::RailOut(Rail::Check), "2025-07-29", "2025-07-28"),
        (LedgerAccount::ReturnIn, "2026-01-27", "2026-01-26"),
    ] {
        assert_eq!((overdue(account, in_time), overdue(account, late)), (false, true), "{account}");
    }
}

#[test]
fn overdue_items_opened_before_a_time() {
    let before: BTreeMap<_, _> = overdue_before(day("2026-01-31")).into_iter().collect();
    assert_eq!(before.len(), 8);
    for (account, first) in [
        (LedgerAccount::RailIn(Rail::Ach), "2026-01-27"),
        (LedgerAccount::RailIn(Rail::Wire), "2026-01-29"),
        (LedgerAccount::RailOut(Rail::Check), "2025-07-29"),
    ] {
        assert_eq!(before[&account], day(first).start(), "{account}");
    }
}

#[test]
fn period_is_provisional_until_stated() {
    let until = |last: Option<&str>| {
        let mut balances = balanced();
        balances.stated_until = last.map(|last| (Currency::USD, day(last))).into_iter().collect();
        let tied = tied(&balances);
        (tied.is_provisional, tied.stated_until)
    };
    assert_eq!(until(None), (true, None));
    assert_eq!(until(Some("2026-01-29")), (true, Some(day("2026-01-29"))));
    // The 31st is a Saturday.
    assert_eq!(until(Some("2026-01-30")), (false, Some(day("2026-01-30"))));
    assert_eq!(until(Some("2026-02-02")), (false, Some(day("2026-01-31"))));
}

#[test]
fn replaced_statement_opens_and_closes_nothing() {
    let mut old = stated("2026-01-30", 60, 95);
    old.replaced_by = Some(StatementId::from_u128(1));
    let statements = [
        stated("2025-12-31", 0, 50),
        stated("2026-01-02", 50, 60),
        old,
        stated("2026-01-30", 60, 100),
        stated("2026-02-02", 100, 170),
    ];
    let ends = |from: &str, to: &str| {
        let period = Period { from: day(from), to: day(to) };
        let all = tie_out(&Balances::default(), &statements, period, period.to);
        (all[0].opening, all[0].closing)
    };
    assert_eq!(ends("2026-01-01", "2026-01-31"), (Some(50), Some(100)));
    assert_eq!(ends("2026-01-03", "2026-01-10"), (Some(60), Some(60)));
    assert_eq!(ends("2025-12-01", "2025-12-30"), (None, None));
}
