//! Line of a statement from a row.

use std::borrow::Cow;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::check::Plan;
use super::choice::{self, Cell};
use super::columns::Places;
use super::date::Format;
use super::mapping::{CODES, Mapping, REFERENCES, Role, Sign};
use super::money::{Marks, Money};
use super::table::{Header, Numbered};
use crate::{Fault, Line};

/// Roles of dates, and of amounts.
const DATES: [Role; 2] = [Role::Booking, Role::Value];
const AMOUNTS: [Role; 4] = [Role::Amount, Role::Debit, Role::Credit, Role::Balance];

/// Account at the bank, with its currency.
pub(super) type Account = (String, Currency);

/// Line with everything that a row says beside it.
pub(super) struct Entry<'a> {
    /// Number of the row, from 1.
    pub(super) number: usize,
    /// Place of the row.
    pub(super) place: (usize, usize),
    /// Currency of the account.
    pub(super) currency: Currency,
    /// Booking day.
    pub(super) day: Day,
    /// Balance after the row, and its field.
    pub(super) balance: Option<(i64, Cow<'a, str>)>,
    /// The line.
    pub(super) line: Line,
}

/// Reader of rows. Knows all formats.
pub(super) struct Reader<'r, 'a> {
    mapping: &'r Mapping,
    header: &'r Header<'a>,
    places: &'r Places,
    currency: Option<Currency>,
    format: Format,
    marks: Marks,
    money: Money<'r>,
}

/// Creates the reader. Formats that the mapping leaves open are found by all rows.
pub(super) fn reader<'r, 'a>(
    mapping: &'r Mapping,
    plan: &Plan,
    header: &'r Header<'a>,
    places: &'r Places,
) -> Result<Reader<'r, 'a>, Fault> {
    let money = Money::new(mapping);
    let format = if let Some(format) = &plan.format {
        format.clone()
    } else {
        let cells = cells(mapping, header, places, &DATES)?;
        choice::only("date", Format::usual(), &cells, |format, cell| format.read(cell.text.trim()).ok())?
    };
    let marks = match Marks::possible(mapping).as_slice() {
        [only] => *only,
        several => {
            let cells = cells(mapping, header, places, &AMOUNTS)?;
            choice::only("decimal", several.to_vec(), &cells, |marks, cell| money.form(&cell.text, *marks))?
        }
    };
    Ok(Reader { mapping, header, places, currency: plan.currency, format, marks, money })
}

/// Cells of some roles in all rows.
fn cells<'a>(
    mapping: &Mapping,
    header: &Header<'a>,
    places: &Places,
    roles: &[Role],
) -> Result<Vec<Cell<'a>>, Fault> {
    let columns: Vec<_> = roles.iter().filter_map(|role| places.get(role)).collect();
    let mut cells = vec![];
    for of in header.rows(mapping) {
        let row = of?.row;
        let place = row.place();
        let of_row = columns.iter().filter_map(|column| row.fields.get(**column).cloned());
        cells.extend(of_row.map(|text| Cell { place, text }));
    }
    Ok(cells)
}

impl<'a> Reader<'_, 'a> {
    /// Reads a row.
    pub(super) fn entry(&self, of: &Numbered<'a>) -> Result<(Account, Entry<'a>), Fault> {
        let (account, currency) = (self.account(of)?, self.currency(of)?);
        let day = self.day(of, Role::Booking)?.ok_or_else(|| self.fault(of, Role::Booking, "no day"))?;
        let amount = self.amount(of, currency)?;
        let balance = self.field(of, Role::Balance).map(|field| {
            let balance = self.money.signed(field, self.marks, currency);
            Ok((balance.map_err(|why| self.fault(of, Role::Balance, why))?, field.clone()))
        });
        let texts = |role| self.text(of, role).filter(|text| !text.is_empty()).map(str::to_owned);
        let mut line = Line {
            booking: Some(day),
            booking_from: None,
            value: self.day(of, Role::Value)?,
            amount,
            booked: true,
            reversal: false,
            codes: CODES.iter().filter_map(|(role, kind)| Some((*kind, texts(*role)?))).collect(),
            references: REFERENCES.iter().filter_map(|(role, kind)| Some((*kind, texts(*role)?))).collect(),
            return_reason: None,
            text: texts(Role::Text).unwrap_or_default(),
            parts: vec![],
            bytes: of.row.bytes.clone(),
        };
        line.shrink();
        let (number, place, balance) = (of.number, of.row.place(), balance.transpose()?);
        Ok(((account, currency), Entry { number, place, currency, day, balance, line }))
    }

    /// Returns the name of the column with this role.
    pub(super) fn name(&self, role: Role) -> String {
        self.places.get(&role).map(|place| self.header.name(*place)).unwrap_or_default()
    }

    /// Returns the decimal mark.
    pub(super) fn mark(&self) -> char {
        self.marks.decimal
    }

    /// Field of a role. None: there is no such column.
    fn field<'t>(&self, of: &'t Numbered<'a>, role: Role) -> Option<&'t Cow<'a, str>> {
        of.row.fields.get(*self.places.get(&role)?)
    }

    /// Text of a role, without white space around it.
    fn text<'t>(&self, of: &'t Numbered<'a>, role: Role) -> Option<&'t str> {
        self.field(of, role).map(|field| field.trim())
    }

    fn fault(&self, of: &Numbered<'a>, role: Role, why: impl Into<String>) -> Fault {
        let place = self.places.get(&role).copied().unwrap_or_default();
        self.header.fault(of, place, why).found(self.text(of, role).unwrap_or_default())
    }

    fn account(&self, of: &Numbered<'a>) -> Result<String, Fault> {
        match (&self.mapping.account, self.text(of, Role::Account)) {
            (_, Some("")) => Err(self.fault(of, Role::Account, "no account")),
            (Some(fixed), Some(found)) if fixed != found => {
                Err(self.fault(of, Role::Account, "the mapping has another account").expected(fixed))
            }
            (fixed, found) => Ok(found.or(fixed.as_deref()).unwrap_or_default().to_owned()),
        }
    }

    fn currency(&self, of: &Numbered<'a>) -> Result<Currency, Fault> {
        let fault = |why: &str| self.fault(of, Role::Currency, why);
        let found = self.text(of, Role::Currency).map(|code| {
            Currency::parse(code).ok_or_else(|| fault("not a currency of ISO 4217 with a minor unit"))
        });
        match (self.currency, found.transpose()?) {
            (Some(fixed), Some(found)) if fixed != found => {
                Err(fault("the mapping has another currency").expected(fixed))
            }
            (fixed, found) => found.or(fixed).ok_or_else(|| fault("no currency")),
        }
    }

    /// Reads a day. None: there is no such column, or it is empty.
    fn day(&self, of: &Numbered<'a>, role: Role) -> Result<Option<Day>, Fault> {
        let text = self.text(of, role).filter(|text| !text.is_empty());
        text.map(|text| self.format.read(text).map_err(|why| self.fault(of, role, why))).transpose()
    }

    fn amount(&self, of: &Numbered<'a>, currency: Currency) -> Result<i64, Fault> {
        match &self.mapping.sign {
            Sign::Signed => {
                let text = self.text(of, Role::Amount).unwrap_or_default();
                let amount = self.money.signed(text, self.marks, currency);
                amount.map_err(|why| self.fault(of, Role::Amount, why))
            }
            Sign::TwoColumns => self.of_two(of, currency),
            Sign::Words { credit, debit } => {
                let amount = self.unsigned(of, Role::Amount, currency)?;
                let amount = amount.ok_or_else(|| self.fault(of, Role::Amount, "no amount"))?;
                let word = self.text(of, Role::Sign).unwrap_or_default();
                let is_one_of = |words: &[String]| words.iter().any(|known| known.trim() == word);
                match (is_one_of(credit), is_one_of(debit)) {
                    (true, _) => Ok(amount),
                    (false, true) => Ok(-amount),
                    (false, false) => {
                        let words = [credit.as_slice(), debit.as_slice()].concat().join(", ");
                        Err(self.fault(of, Role::Sign, "no word for credit or debit").expected(words))
                    }
                }
            }
        }
    }

    /// Reads the amount of one of two columns. The other is empty or zero.
    fn of_two(&self, of: &Numbered<'a>, currency: Currency) -> Result<i64, Fault> {
        let debit = self.unsigned(of, Role::Debit, currency)?;
        let credit = self.unsigned(of, Role::Credit, currency)?;
        match (debit, credit) {
            (None | Some(0), Some(credit)) => Ok(credit),
            (Some(debit), None | Some(0)) => Ok(-debit),
            (None, None) => Err(self.fault(of, Role::Debit, "neither a debit nor a credit")),
            (Some(_), Some(_)) => Err(self.fault(of, Role::Credit, "both a debit and a credit")),
        }
    }

    fn unsigned(&self, of: &Numbered<'a>, role: Role, currency: Currency) -> Result<Option<i64>, Fault> {
        let text = self.text(of, role).filter(|text| !text.is_empty());
        let read = |text| self.money.unsigned(text, self.marks, currency);
        text.map(|text| read(text).map_err(|why| self.fault(of, role, why))).transpose()
    }
}
