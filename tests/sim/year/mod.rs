//! A year of a made bank: files, returns, late lines, a fee a month, a doubled line, a missing day, days that are stated
//! anew, and month ends. The account ties out at every day's end, and the lines that are left are those of the bank's own list.

mod bank;
mod platform;

use bank::{Form, Movement};
use daybook_domain::calendar::{Day, Month, is_banking_day};
use daybook_domain::matching::{Means, Rule, RuleSet};
use daybook_domain::operation::Act;
use daybook_domain::posting::{LedgerAccount, Posting};
use daybook_domain::statement::accept::{AcceptStatements, StatedDay};
use daybook_domain::testing::fixture::{
    ANNS, BOBS_BANK, CUSTODY, HOUSE, PLATFORM, PULLED, RESERVE, bank as opening, between, income,
};
use daybook_domain::transaction::create::Create;
use daybook_domain::transaction::external_transfer::ExternalTransfer;
use daybook_domain::transaction::returns::ReturnTransaction;
use daybook_domain::{Actor, Currency, NodeId, Origin, TransactionId};
use daybook_engine::reconciliation::{Completed, Completion, Period};
use platform::Platform;

use crate::bank::FEE;
use crate::runtime;

/// Seed of amounts and forms.
const SEED: u64 = 2026;
/// Amount of [`UNKNOWN`].
const UNKNOWN_AMOUNT: i64 = 7_777_777;
/// Largest fee that the rules book.
const MAX_FEE: i64 = 5_000;

// Incidents, by the number of the banking day from 0.
/// The bank states money that is for nobody; an operator gives it to Ann.
const UNKNOWN: usize = 20;
const UNKNOWN_EXPLAINED: usize = 25;
/// The day of [`UNKNOWN`] is stated anew, so that the operator has to explain it again.
const UNKNOWN_ANEW: usize = 28;
const UNKNOWN_EXPLAINED_AGAIN: usize = 32;
/// A wire is stated twice; the bank corrects that.
const DOUBLED: usize = 60;
const CORRECTED: usize = 64;
const DOUBLED_EXPLAINED: usize = 68;
/// The bank sends no statement; the next file has both days.
const MISSING: usize = 90;
/// A wire is left out of a day, which is stated anew on the next morning.
const FORGOTTEN: usize = 120;
/// A day in batches is stated anew line by line, while later days stay booked.
const DETAILED: usize = 170;
/// Month in which the fee is larger than the rules allow, and days until an operator books it.
const LARGE_FEE_IN: usize = 6;
const LARGE_FEE_EXPLAINED_AFTER: usize = 5;

/// State at a day's end.
struct Closing {
    day: Day,
    position: u64,
    balance: i64,
    unexplained: Vec<(Day, i64)>,
}

struct Year<'a> {
    platform: Platform<'a>,
    /// Banking days so far.
    days: Vec<Day>,
    /// The statement of [`MISSING`].
    kept_back: Option<StatedDay>,
    fees: Vec<usize>,
    closings: Vec<Closing>,
}

#[test]
fn year_ties_out_every_day() {
    let runtime = runtime();
    let day = |month, day| Day::from_civil(2026, month, day).expect("a date");
    let period = Period { from: day(1, 1), to: day(12, 31) };
    let platform = Platform::new(&runtime, period, SEED);
    let mut year = Year { platform, days: vec![], kept_back: None, fees: vec![], closings: vec![] };
    year.open();
    let all = std::iter::successors(Some(period.from), |day| Some(day.plus_days(1)));
    for day in all.take_while(|day| *day <= period.to) {
        if is_banking_day(day) {
            year.live(day);
        }
        year.check(day);
    }
    year.check_months();
    year.check_that_all_happened();
}

impl Year<'_> {
    fn open(&mut self) {
        for command in opening() {
            self.platform.submit(command);
        }
        // The money of the fixture: two cents for the reserve, which sends them on.
        self.platform.bank.unstated.push(Movement::of(income(RESERVE, 2).id, 2));
        let rule = Rule {
            codes: FEE.parse().into_iter().collect(),
            node: Some(HOUSE),
            per_line: Some(MAX_FEE),
            per_day: Some(MAX_FEE),
            currency: Some(Currency::USD),
            ..Rule::new("fees", Means::Book)
        };
        let rules: Vec<Rule> = RuleSet::built_in().into();
        let rules = RuleSet::try_from([vec![rule], rules].concat()).expect("a set");
        self.platform.operate(Act::SetRules { rules });
    }

    /// Lets a banking day pass.
    fn live(&mut self, day: Day) {
        let number = self.days.len();
        self.days.push(day);
        self.platform.go_to(day, 8);
        self.explain(number);
        self.state_anew(number);
        self.platform.go_to(day, 9);
        self.trade(number);
        self.platform.work();
        self.platform.go_to(day, 15);
        self.give_back(number);
        self.platform.work();
        self.charge(day, number);
        self.platform.go_to(day.plus_days(1), 0);
        self.state(day, number);
        self.platform.work();
    }

    /// Begins pulls, pushes and wires.
    fn trade(&mut self, number: usize) {
        if number == 0 {
            self.wire(ANNS, 100_000_000, None);
            self.wire(HOUSE, 10_000_000, None);
            return;
        }
        for _ in 0..2 + self.platform.random.below(3) {
            let is_pull = self.platform.random.once_in(2);
            let (from, to) = if is_pull { (PULLED, ANNS) } else { (ANNS, BOBS_BANK) };
            let (id, amount) = (self.platform.fresh(), self.amount());
            let payment = Create { id: TransactionId::from_u128(id), ..between(id, from, to, amount) };
            self.platform.submit(payment);
        }
        for _ in 0..self.platform.random.below(3) {
            let late = self.platform.random.once_in(4).then(|| 1 + self.platform.random.below(3));
            let amount = self.amount();
            self.wire(ANNS, amount, late);
        }
        if [DOUBLED, FORGOTTEN].contains(&number) {
            let amount = self.amount();
            let wire = self.wire(ANNS, amount, (number == FORGOTTEN).then_some(30));
            if number == DOUBLED {
                self.platform.bank.unstated.push(wire);
                self.platform.bank.unexplained.push((self.days[number], amount));
            }
        }
    }

    fn amount(&mut self) -> i64 {
        self.platform.random.between(100, 999_999)
    }

    /// Brings money by a wire, whose line may be some days late.
    fn wire(&mut self, to: NodeId, amount: i64, late: Option<usize>) -> Movement {
        let id = TransactionId::from_u128(self.platform.fresh());
        self.platform.submit(ExternalTransfer { id, ..income(to, amount) });
        let (bank, movement) = (&mut self.platform.bank, Movement::of(id, amount));
        match late {
            None => bank.unstated.push(movement.clone()),
            Some(days) => {
                let on = self.days[self.days.len() - 1].plus_days(i32::try_from(days).expect("few"));
                bank.late.push((on, movement.clone()));
            }
        }
        movement
    }

    /// Returns some of the entries of the last two days.
    fn give_back(&mut self, number: usize) {
        let since = self.days[number.saturating_sub(1)];
        let is_recent = |(day, ..): &(Day, TransactionId, i64)| *day == since && number > 0;
        let recent: Vec<_> = self.platform.sent.iter().filter(|it| is_recent(it)).copied().collect();
        for (_, id, amount) in recent {
            if self.platform.random.once_in(8) {
                let (code, origin) = ("R01".parse().expect("a code"), Origin::of(Actor::Bank));
                self.platform.submit(ReturnTransaction { id, platform: PLATFORM, code, leg: None, origin });
                let back = Movement { is_return: true, ..Movement::of(id, -amount) };
                self.platform.bank.unstated.push(back);
            }
        }
    }

    /// Books what the bank does by itself: fees, unknown money, a correction.
    fn charge(&mut self, day: Day, number: usize) {
        let month = Month::of(day);
        let next = std::iter::successors(Some(day.plus_days(1)), |day| Some(day.plus_days(1)));
        let next = next.into_iter().find(|day| is_banking_day(*day)).expect("there is one");
        let bank = &mut self.platform.bank;
        if Month::of(next) != month {
            self.fees.push(number);
            let is_large = self.fees.len() == LARGE_FEE_IN;
            let fee = if is_large { MAX_FEE + 2_500 } else { MAX_FEE - i64::try_from(number).expect("few") };
            bank.unstated.push(Movement::fee(fee));
            bank.unexplained.extend(is_large.then_some((day, -fee)));
        }
        if number == UNKNOWN {
            bank.unstated.push(Movement::unknown(UNKNOWN_AMOUNT));
            bank.unexplained.push((day, UNKNOWN_AMOUNT));
        }
        if number == CORRECTED {
            let amount = bank.unexplained[0].1;
            bank.unstated.push(Movement::unknown(-amount));
            bank.unexplained.push((day, -amount));
        }
    }

    /// States a day in one of the forms.
    fn state(&mut self, day: Day, number: usize) {
        let form = match number {
            DETAILED => Form::Batches,
            _ => self.platform.random.one_of(&[Form::Batches, Form::Sides, Form::Singles]),
        };
        let stated = self.platform.bank.state(day, form);
        if number == MISSING {
            self.kept_back = Some(stated);
            return;
        }
        let statements = self.kept_back.take().into_iter().chain([stated]).collect();
        let file = self.platform.bank.file(statements);
        let origin = Origin::of(Actor::Bank);
        self.platform.submit(AcceptStatements { custody: CUSTODY, file, origin });
    }

    /// States an earlier day anew, in the morning.
    fn state_anew(&mut self, number: usize) {
        let bank = &mut self.platform.bank;
        let stated = match number {
            UNKNOWN_ANEW => {
                let day = self.days[UNKNOWN];
                bank.unexplained.push((day, UNKNOWN_AMOUNT));
                bank.state_anew(day, Form::Singles, vec![])
            }
            _ if number == FORGOTTEN + 1 => {
                let place = bank.late.iter().position(|(on, _)| *on == self.days[FORGOTTEN].plus_days(30));
                let (_, forgotten) = bank.late.remove(place.expect("was left out"));
                bank.state_anew(self.days[FORGOTTEN], Form::Batches, vec![forgotten])
            }
            _ if number == DETAILED + 3 => bank.state_anew(self.days[DETAILED], Form::Singles, vec![]),
            _ => return,
        };
        let file = bank.file(vec![stated]);
        self.platform.operate(Act::Restate { custody: CUSTODY, file });
        self.platform.work();
    }

    /// Lets an operator explain lines of the bank's list by nodes.
    fn explain(&mut self, number: usize) {
        let explained = match number {
            UNKNOWN_EXPLAINED | UNKNOWN_EXPLAINED_AGAIN => 1,
            DOUBLED_EXPLAINED => 2,
            _ => usize::from(
                self.fees.get(LARGE_FEE_IN - 1) == Some(&(number.wrapping_sub(LARGE_FEE_EXPLAINED_AFTER))),
            ),
        };
        for (day, left) in self.platform.bank.unexplained.drain(..explained).collect::<Vec<_>>() {
            let report = self.platform.report(day);
            let id = report.breaks.rows.iter().find(|line| (line.day, line.left) == (day, left));
            let id = id.expect("is in the report").id;
            let node = if number == UNKNOWN_EXPLAINED { ANNS } else { HOUSE };
            let posts = vec![Posting { account: LedgerAccount::Node(node), amount: left }];
            self.platform.operate(Act::Match { id, currency: Currency::USD, items: vec![], posts });
        }
    }

    /// Checks the report at a day's end against the bank's book.
    fn check(&mut self, day: Day) {
        let report = self.platform.report(day);
        let [tied] = &report.tie_outs[..] else { panic!("one currency: {report:?}") };
        assert!(tied.is_tied_out() && !report.is_booking, "{day}: {tied:?}");
        let is_missing = self.kept_back.as_ref().map(|stated| stated.opening);
        let bank = &self.platform.bank;
        let balance = is_missing.unwrap_or(bank.balance);
        assert_eq!(tied.stated, i128::from(balance), "{day}");
        let mut unexplained = bank.unexplained.clone();
        unexplained.sort_unstable();
        let mut left: Vec<_> = report.breaks.rows.iter().map(|line| (line.day, line.left)).collect();
        left.sort_unstable();
        assert_eq!(left, unexplained, "{day}");
        let age = |since: &Day| self.days.iter().filter(|it| *it > since).count();
        let old = unexplained.iter().filter(|(since, _)| age(since) > 2).count();
        assert_eq!(report.old_breaks(), old as u64, "{day}");
        if is_missing.is_none() && !self.days.is_empty() {
            let mut open: Vec<i64> = report.open.rows.iter().map(|item| item.amount).collect();
            open.sort_unstable();
            assert_eq!(open, bank.on_the_way(), "{day}");
        }
        if !self.days.is_empty() {
            assert!(matches!(self.platform.completion.state(), Completed::At(_)), "{day}");
        }
        let position = self.platform.told.position;
        self.closings.push(Closing { day, position, balance, unexplained });
    }

    /// Checks the report of each month, at the position at which its statements were completed.
    fn check_months(&self) {
        for month in 1..=12 {
            let from = Day::from_civil(2026, month, 1).expect("a date");
            let to = self.closings.iter().rfind(|it| Month::of(it.day) == Month::of(from)).expect("days").day;
            let (period, mut completion) = (Period { from, to }, Completion::new(to));
            self.platform.events.iter().for_each(|happened| completion.add(happened));
            let Completed::At(position) = completion.state() else { panic!("{month}: {completion:?}") };
            let report = self.platform.report_at(period, position);
            assert!(report.is_tied_out() && !report.is_provisional(), "{month}: {report:?}");
            let closed =
                |day: Day| self.platform.bank.days.range(..=day).next_back().map(|(_, it)| it.closing);
            assert_eq!(report.tie_outs[0].closing, closed(to), "{month}");
            let opened = closed(from.plus_days(-1)).unwrap_or_default();
            assert_eq!(report.tie_outs[0].opening, Some(opened), "{month}");
            let at = self.closings.iter().find(|it| it.position >= position).expect("a day's end");
            let left: i64 = at.unexplained.iter().map(|(_, amount)| amount).sum();
            assert_eq!(report.tie_outs[0].breaks.minor, i128::from(left), "{month}");
            assert_eq!(report.tie_outs[0].stated, i128::from(at.balance), "{month}");
        }
    }

    /// Checks that the year had what it is made for.
    fn check_that_all_happened(&self) {
        assert_eq!((self.fees.len(), self.platform.bank.unexplained.len()), (12, 0));
        let report = self.platform.report(self.days[self.days.len() - 1]);
        let matches = report.acts.expect("of a fold").matches;
        let of = |name: &str| {
            matches.iter().filter(|it| it.strategy.is_some_and(|it| it.as_str() == name)).count()
        };
        for strategy in ["reference", "file", "returns", "book", "operator"] {
            assert!(of(strategy) > 0, "{strategy}");
        }
        let taken_back = matches.iter().filter(|it| it.strategy.is_none()).count();
        assert!(taken_back > 1, "days that are stated anew take matches back");
    }
}
