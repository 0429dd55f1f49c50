//! The statement: one account of a company, with transfers on several days.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_statement::{CodeKind, DayBalances, Line, ReferenceKind, Standing, Statement};

/// Number of days, if there are as many lines.
const DAYS: usize = 25;

/// First day: 2026-09-21.
const FIRST: i32 = 20_717;

/// Opening balance, in minor units: enough for the debits.
const OPENING: i64 = 100_000_000_000;

/// Returns a statement with so many lines, the same at each call.
pub(super) fn statement(count: usize) -> Statement {
    of(lines(count))
}

/// Returns so many lines, the same at each call.
pub(crate) fn lines(count: usize) -> Vec<Line> {
    (0..count).map(|number| line(number, number * DAYS / count)).collect()
}

/// Returns a statement with these lines, which are in the order of their days.
pub(crate) fn of(lines: Vec<Line>) -> Statement {
    let mut opening = OPENING;
    let of_days = lines.chunk_by(|one, next| one.booking == next.booking);
    let days = of_days.map(|of_day| {
        let closing = opening + of_day.iter().map(|line| line.amount).sum::<i64>();
        let date = of_day.first().and_then(|line| line.booking).unwrap_or_default();
        let day = DayBalances { date, opening, closing, lines: of_day.len(), available: None };
        opening = closing;
        day
    });
    let (account, days) = ("0001234567".to_owned(), days.collect());
    let (currency, standing) = (Currency::USD, Standing::Booked);
    Statement { account, currency, standing, marks: vec![], days, lines }
}

/// Returns a line. Two of three are credits, and amounts are spread over ten thousand dollars.
fn line(number: usize, day: usize) -> Line {
    let booking = Day::default().plus_days(FIRST).plus_days(i32::try_from(day).unwrap_or_default());
    let spread = i64::try_from(number.wrapping_mul(7_919) % 1_000_003).unwrap_or_default() + 1;
    let is_credit = !number.is_multiple_of(3);
    let (bai, iso, kind) = if is_credit {
        ("165", "PMNT/RCDT/ESCT", "CREDIT FROM")
    } else {
        ("455", "PMNT/ICDT/ESCT", "DEBIT TO")
    };
    let codes = [(CodeKind::Bai, bai), (CodeKind::Iso, iso), (CodeKind::Swift, "NTRF")];
    Line {
        booking: Some(booking),
        booking_from: None,
        value: Some(booking.plus_days(1)),
        amount: if is_credit { spread } else { -spread },
        booked: true,
        reversal: false,
        codes: codes.map(|(kind, code)| (kind, code.to_owned())).to_vec(),
        references: vec![
            (ReferenceKind::Bank, format!("BR{number:010}")),
            (ReferenceKind::EndToEnd, format!("E2E-{number:010}")),
        ],
        return_reason: None,
        text: format!("ACH {kind} A MADE UP COMPANY INC. INVOICE {:07}", number * 31 % 9_999_991),
        parts: vec![],
        bytes: 0..0,
    }
}
