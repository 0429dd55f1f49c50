//! Lines: `:61:`, with the `:86:` that follows.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::cursor::Cursor;
use super::details::Details;
use super::scan::Field;
use super::text::Letters;
use crate::statement::find;
use crate::{CodeKind, Fault, Line, ReferenceKind, References};

/// References that say that there is none, or that `:86:` has it.
const NO_REFERENCES: &[&str] = &["", "NONREF", "KREF+", "NOTPROVIDED"];

/// Side of the account, with the sign of an amount on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Debit,
    Credit,
}

/// Mark of `:61:`.
struct Mark {
    side: Side,
    is_reversal: bool,
    /// True if the line is only expected, which reports may state.
    is_expected: bool,
}

/// Reads `:61:`. The booking day is none if the line has no entry date.
///
/// Source: SWIFT, format `6!n[4!n]2a[1!a]15d1!a3!c16x[//16x]` and `[34x]` on a second line.
pub(super) fn read(
    field: Field<'_>,
    (currency, is_report): (Currency, bool),
    letters: Letters,
) -> Result<(Line, Side), Fault> {
    let mut cursor = Cursor::first(field);
    let value = cursor.date("value date")?;
    let booking = entry_date(&mut cursor, value)?;
    let mark = mark(&mut cursor)?;
    if mark.is_expected && !is_report {
        return Err(cursor.fault("mark", "an expected line is not booked"));
    }
    // The third letter of the currency. It says nothing about the amount.
    let _funds_code = cursor.letter(|letter| letter.is_ascii_uppercase());
    let amount = cursor.amount(currency)?;
    let code = code(&mut cursor)?;
    let rest = letters.decode(cursor.rest());
    let (owner, bank) = rest.split_once("//").unwrap_or((&rest, ""));
    if owner.trim().is_empty() {
        return Err(cursor.fault("reference", "the reference is missing; NONREF says that there is none"));
    }
    let mut references = References::new();
    add(&mut references, ReferenceKind::Bank, bank);
    add(&mut references, ReferenceKind::Customer, owner);
    let line = Line {
        booking,
        booking_from: None,
        value: Some(value),
        amount: if mark.side == Side::Debit { -amount } else { amount },
        booked: !is_report,
        reversal: mark.is_reversal,
        codes: vec![(CodeKind::Swift, code)],
        references,
        return_reason: None,
        text: supplement(field, letters),
        parts: vec![],
        bytes: field.at..field.end,
    };
    Ok((line, mark.side))
}

/// Adds the text of `:86:` to its line.
pub(super) fn describe(line: &mut Line, field: Field<'_>, letters: Letters) {
    let text = letters.decode(field.body);
    let Details { text, code, references, return_reason, .. } = Details::read(&text);
    for (kind, value) in references {
        add(&mut line.references, kind, &value);
    }
    line.references.sort();
    line.codes.extend(code.map(|code| (CodeKind::Proprietary, code)));
    line.return_reason = return_reason;
    let supplement = std::mem::replace(&mut line.text, text);
    if !supplement.is_empty() {
        line.text.push_str(if line.text.is_empty() { "" } else { "\n" });
        line.text.push_str(&supplement);
    }
    line.bytes.end = field.end;
    line.shrink();
}

/// Adds a reference, unless it says that there is none or the line has one of the kind: `:61:` precedes `:86:`.
fn add(references: &mut References, kind: ReferenceKind, value: &str) {
    let value = value.trim();
    if find(references, kind).is_none() && is_reference(value) {
        references.push((kind, value.to_owned()));
    }
}

/// True if the text names something.
pub(super) fn is_reference(value: &str) -> bool {
    !NO_REFERENCES.contains(&value)
}

/// Supplementary details: lines of `:61:` after the first.
fn supplement(field: Field<'_>, letters: Letters) -> String {
    let text = letters.decode(field.body);
    let supplement = text.split_once('\n').map_or("", |(_, supplement)| supplement);
    supplement.replace('\r', "")
}

/// Reads the month and day on which the line was booked, if stated: in the year that makes it nearest to the value date.
fn entry_date(cursor: &mut Cursor<'_>, value: Day) -> Result<Option<Day>, Fault> {
    if !cursor.rest().first().is_some_and(u8::is_ascii_digit) {
        return Ok(None);
    }
    let pairs = cursor.pairs::<2>();
    let year = i64::from(value.date().year());
    let near = pairs.and_then(|[month, day]| {
        // The year of the value date comes first: the first of two that are equally near is taken.
        let days = [year, year - 1, year + 1].map(|year| Day::from_civil(year, month, day));
        days.into_iter().flatten().min_by_key(|day| day.number().abs_diff(value.number()))
    });
    near.map(Some).ok_or_else(|| cursor.fault("entry date", "not a date MMDD"))
}

fn mark(cursor: &mut Cursor<'_>) -> Result<Mark, Fault> {
    let is_reversal = cursor.prefix("R");
    let is_expected = !is_reversal && cursor.prefix("E");
    let side = match cursor.letter(|letter| matches!(letter, b'C' | b'D')) {
        // The reversal of a credit takes money from the account.
        Some(b'C') if is_reversal => Side::Debit,
        Some(b'C') => Side::Credit,
        Some(_) if is_reversal => Side::Credit,
        Some(_) => Side::Debit,
        None => return Err(cursor.fault("mark", "none of C, D, RC, RD")),
    };
    Ok(Mark { side, is_reversal, is_expected })
}

/// Reads the type of the transaction: `S` and the number of a message, `N` or `F` and a code.
fn code(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    let code = cursor.take(4);
    let is_code = |code: &&str| match code.as_bytes() {
        [b'S', number @ ..] => number.iter().all(u8::is_ascii_digit),
        [b'N' | b'F', code @ ..] => code.iter().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()),
        _ => false,
    };
    let code = code.filter(is_code).map(str::to_owned);
    code.ok_or_else(|| cursor.fault("transaction type", "not S, N or F with three letters"))
}
