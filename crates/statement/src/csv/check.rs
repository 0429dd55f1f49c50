//! Check of a mapping, without a file.

use daybook_domain::Currency;

use super::date::Format;
use super::mapping::{Column, Mapping, Role, Sign};
use super::rows::MAX_COLUMNS;
use crate::Fault;

/// Maximum number of rows to skip at either end. The rows of a footer are kept until the file ends.
const MAX_SKIPPED: usize = 1_000;

/// Parts of a mapping that are more than they look like.
pub(super) struct Plan {
    /// Currency of all rows.
    pub(super) currency: Option<Currency>,
    /// Format of all dates.
    pub(super) format: Option<Format>,
}

/// Checks a mapping and reads its parts.
pub(super) fn plan(mapping: &Mapping) -> Result<Plan, Fault> {
    splitting(mapping)?;
    marks(mapping)?;
    columns(mapping)?;
    sign(mapping)?;
    balances(mapping)?;
    account(mapping)?;
    let format =
        mapping.date.as_deref().map(|text| Format::parse(text).map_err(|why| fault("date", why).found(text)));
    let currency = mapping.currency.as_deref().map(|code| {
        let currency = Currency::parse(code);
        currency.ok_or_else(|| fault("currency", "not a currency of ISO 4217 with a minor unit").found(code))
    });
    Ok(Plan { currency: currency.transpose()?, format: format.transpose()? })
}

fn fault(field: &str, why: impl Into<String>) -> Fault {
    Fault::new((1, 0), ("mapping", field), why)
}

/// Fails with the fault if `is_wrong`.
fn refuse(is_wrong: bool, field: &str, why: &str) -> Result<(), Fault> {
    if is_wrong { Err(fault(field, why)) } else { Ok(()) }
}

fn splitting(mapping: &Mapping) -> Result<(), Fault> {
    let Mapping { separator, quote, skip_header, skip_footer, .. } = mapping;
    let is_no_mark =
        |mark: char| mark.is_alphanumeric() || (mark.is_control() && mark != '\t') || mark == ' ';
    refuse(is_no_mark(*separator), "separator", "a letter, a digit, a space or a control character")?;
    refuse(quote.is_some_and(is_no_mark), "quote", "a letter, a digit, a space or a control character")?;
    refuse(*quote == Some(*separator), "quote", "the separator is the same")?;
    for (field, rows) in [("skip_header", *skip_header), ("skip_footer", *skip_footer)] {
        if rows > MAX_SKIPPED {
            return Err(fault(field, "too many rows").expected(MAX_SKIPPED).found(rows));
        }
    }
    Ok(())
}

fn marks(mapping: &Mapping) -> Result<(), Fault> {
    let Mapping { decimal, thousands, symbols, .. } = mapping;
    let is_no_mark = |mark: char| {
        mark.is_alphanumeric() || mark.is_control() || matches!(mark, '+' | '-' | '\u{2212}' | '(' | ')')
    };
    refuse(decimal.is_some_and(|mark| is_no_mark(mark) || mark.is_whitespace()), "decimal", "not a mark")?;
    refuse(thousands.is_some_and(is_no_mark), "thousands", "not a mark")?;
    refuse(decimal.is_some() && decimal == thousands, "thousands", "the decimal mark is the same")?;
    let is_no_symbol = |symbol: &String| symbol.trim() != symbol || symbol.is_empty();
    refuse(symbols.iter().any(is_no_symbol), "symbols", "empty, or with white space around it")?;
    let is_sign = |letter: char| letter.is_numeric() || (is_no_mark(letter) && !letter.is_alphabetic());
    refuse(
        symbols.iter().any(|symbol| symbol.contains(is_sign)),
        "symbols",
        "a digit or a sign would be dropped",
    )?;
    let is_mark = |letter: char| Some(letter) == *decimal || Some(letter) == *thousands;
    refuse(symbols.iter().any(|symbol| symbol.chars().all(is_mark)), "symbols", "a mark would be dropped")
}

fn columns(mapping: &Mapping) -> Result<(), Fault> {
    require(mapping, Role::Booking, "a column with the booking day is missing")?;
    for column in mapping.columns.values() {
        match column {
            Column::Number(number) if !(1..=MAX_COLUMNS).contains(number) => {
                let fault = fault("columns", "columns are counted from 1");
                return Err(fault.expected(format_args!("1 to {MAX_COLUMNS}")).found(number));
            }
            Column::Name(name) if name.trim().is_empty() => {
                return Err(fault("columns", "a name without letters"));
            }
            Column::Name(name) if mapping.skip_header == 0 => {
                let fault = fault("skip_header", "a column has a name, so there is a header");
                return Err(fault.expected("1 or more").found(name));
            }
            Column::Number(_) | Column::Name(_) => {}
        }
    }
    Ok(())
}

/// Checks that the columns of the amount are those of the rule, and no others.
fn sign(mapping: &Mapping) -> Result<(), Fault> {
    let (required, excluded, why): (&[Role], &[Role], _) = match &mapping.sign {
        Sign::Signed => {
            (&[Role::Amount], &[Role::Debit, Role::Credit, Role::Sign], "one signed column needs `amount`")
        }
        Sign::TwoColumns => (
            &[Role::Debit, Role::Credit],
            &[Role::Amount, Role::Sign],
            "two columns need `debit` and `credit`",
        ),
        Sign::Words { .. } => {
            (&[Role::Amount, Role::Sign], &[Role::Debit, Role::Credit], "words need `amount` and `sign`")
        }
    };
    for role in required {
        require(mapping, *role, why)?;
    }
    let is_both = mapping.columns.keys().any(|role| excluded.contains(role));
    refuse(is_both, "sign", "columns of two sign rules")?;
    let Sign::Words { credit, debit } = &mapping.sign else { return Ok(()) };
    refuse(credit.is_empty() || debit.is_empty(), "sign", "no word for credit, or none for debit")?;
    // An empty word would make a sign of a missing one.
    let is_empty = |word: &String| word.trim().is_empty();
    refuse(credit.iter().chain(debit).any(is_empty), "sign", "a word without letters")?;
    let is_both = credit.iter().any(|word| debit.iter().any(|other| other.trim() == word.trim()));
    refuse(is_both, "sign", "a word stands for credit and debit")
}

fn require(mapping: &Mapping, role: Role, why: &str) -> Result<(), Fault> {
    refuse(!mapping.columns.contains_key(&role), "columns", why)
}

/// Checks that the lines can be compared with a balance at one end or more. The other end is compared when the statement
/// is booked: its opening is the last closing.
fn balances(mapping: &Mapping) -> Result<(), Fault> {
    let is_stated = mapping.columns.contains_key(&Role::Balance);
    let is_given = mapping.opening.is_some() || mapping.closing.is_some();
    refuse(!is_stated && !is_given, "opening", "neither a running balance nor an opening or closing balance")
}

fn account(mapping: &Mapping) -> Result<(), Fault> {
    let Mapping { account, currency, columns, .. } = mapping;
    let has = |role| columns.contains_key(&role);
    refuse(account.is_none() && !has(Role::Account), "account", "neither an account nor a column with it")?;
    refuse(
        currency.is_none() && !has(Role::Currency),
        "currency",
        "neither a currency nor a column with it",
    )?;
    let is_blank = |account: &String| account.trim() != account || account.is_empty();
    refuse(account.as_ref().is_some_and(is_blank), "account", "empty, or with white space around it")
}
