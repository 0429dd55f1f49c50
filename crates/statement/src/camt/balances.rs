//! Balances of a statement, and the days between them. Source: ISO 20022, camt.053, `Bal`, and the external code list of
//! balance types.
//!
//! Only `OPBD` and `PRCD` open and only `CLBD` closes. `ITBD` and the balances with the sub-type `INTM` stand between
//! pages, `FWAV` and `INFO` are no booked balances.

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::entry::{Entry, signed};
use super::values::{Amount, Leaf, fault, required, set};
use crate::amount::decimal;
use crate::{DayBalances, Fault};

/// Meaning of a balance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// `OPBD`: booked at the beginning of a day.
    Opening,
    /// `PRCD`: booked at the end of the day before.
    Previous,
    /// `CLBD`: booked at the end of a day.
    Closing,
    /// `OPAV`: available at the beginning.
    OpeningAvailable,
    /// `CLAV`: available at the end.
    ClosingAvailable,
}

/// Balance as it was read.
#[derive(Clone, Copy)]
pub(super) struct Balance {
    pub(super) role: Role,
    pub(super) minor: i64,
    pub(super) currency: Currency,
    pub(super) date: Day,
    /// Offset of its amount.
    pub(super) at: usize,
}

/// Balance that is being read.
#[derive(Default)]
pub(super) struct Draft {
    start: usize,
    code: Option<String>,
    is_interim: bool,
    has_credit_line: bool,
    amount: Option<Amount>,
    is_credit: Option<bool>,
    date: Option<Day>,
}

impl Draft {
    pub(super) fn new(start: usize) -> Self {
        Self { start, ..Self::default() }
    }

    pub(super) fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        let record = self.record();
        match leaf.field {
            "Tp/CdOrPrtry/Cd" | "Tp/CdOrPrtry/Prtry" => {
                set(&mut self.code, leaf.text.to_owned(), leaf, &record)
            }
            "Tp/SubTp/Cd" => {
                self.is_interim |= leaf.text == "INTM";
                Ok(())
            }
            "CdtLine/Incl" => {
                self.has_credit_line |= leaf.flag(&record)?;
                Ok(())
            }
            "Amt" => set(&mut self.amount, leaf.amount(&record)?, leaf, &record),
            "CdtDbtInd" => set(&mut self.is_credit, leaf.is_credit(&record)?, leaf, &record),
            "Dt/Dt" | "Dt/DtTm" => set(&mut self.date, leaf.day(&record)?, leaf, &record),
            _ => Ok(()),
        }
    }

    /// Checks the balance. Returns none if it neither opens nor closes: one that includes a credit line is not booked.
    pub(super) fn finish(self) -> Result<Option<Balance>, Fault> {
        let record = self.record();
        let missing = |field| fault(self.start, &record, field, "is missing");
        let code = self.code.as_deref().ok_or_else(|| missing("Tp"))?;
        let Amount { minor, currency, at } = required(self.amount, self.start, &record, "Amt")?;
        let is_credit = required(self.is_credit, self.start, &record, "CdtDbtInd")?;
        let date = required(self.date, self.start, &record, "Dt")?;
        let role = role(code).filter(|_| !self.is_interim && !self.has_credit_line);
        Ok(role.map(|role| Balance { role, minor: signed(minor, is_credit), currency, date, at }))
    }

    fn record(&self) -> String {
        self.code.as_ref().map_or_else(|| "Bal".to_owned(), |code| format!("Bal {code}"))
    }
}

fn role(code: &str) -> Option<Role> {
    Some(match code {
        "OPBD" => Role::Opening,
        "PRCD" => Role::Previous,
        "CLBD" => Role::Closing,
        "OPAV" => Role::OpeningAvailable,
        "CLAV" => Role::ClosingAvailable,
        _ => return None,
    })
}

/// Balances and booked entries of one currency.
pub(super) struct Sheet<'a> {
    pub(super) balances: Vec<&'a Balance>,
    pub(super) entries: Vec<&'a Entry>,
    /// Offset of the statement, and its name.
    pub(super) at: (usize, &'a str),
    pub(super) currency: Currency,
}

impl Sheet<'_> {
    /// Days, each with its balances: the opening, the booked entries of the day and the closing must be one sum. A
    /// statement with one closing balance is one day, whatever its entries are dated.
    pub(super) fn days(&self) -> Result<Vec<DayBalances>, Fault> {
        let closings = self.closings()?;
        let mut opening = self.opening(&closings)?;
        let mut days = Vec::with_capacity(closings.len());
        for (closing, (lines, sum)) in closings.iter().zip(self.sums(&closings)?) {
            let expected = i128::from(opening) + sum;
            if expected != i128::from(closing.minor) {
                return Err(self.contradiction(closing, expected, "opening + booked entries is not closing"));
            }
            let available = [Role::OpeningAvailable, Role::ClosingAvailable]
                .map(|role| self.of(role).find(|of| of.date == closing.date).map(|of| of.minor));
            let available = (available != [None, None]).then_some(available);
            let (date, closing) = (closing.date, closing.minor);
            days.push(DayBalances { date, opening, closing, lines, available });
            opening = closing;
        }
        Ok(days)
    }

    fn of(&self, role: Role) -> impl Iterator<Item = &Balance> {
        self.balances.iter().copied().filter(move |balance| balance.role == role)
    }

    /// Closing balances in the order of their days. A bank may repeat one on each page.
    fn closings(&self) -> Result<Vec<&Balance>, Fault> {
        let mut closings: Vec<&Balance> = self.of(Role::Closing).collect();
        closings.sort_by_key(|closing| closing.date);
        if let Some([one, other]) =
            closings.windows(2).find_map(|pair| <[&Balance; 2]>::try_from(pair).ok().filter(differ))
        {
            let why = "the day has another closing balance already";
            return Err(self.contradiction(other, one.minor.into(), why));
        }
        closings.dedup_by_key(|closing| closing.date);
        let (at, record) = self.at;
        if closings.is_empty() {
            return Err(fault(at, record, "Bal CLBD", "there is no closing balance"));
        }
        Ok(closings)
    }

    /// Opening balance of the first day. The others must follow from the closing balances.
    fn opening(&self, closings: &[&Balance]) -> Result<i64, Fault> {
        let mut openings: Vec<_> = self.of(Role::Opening).chain(self.of(Role::Previous)).collect();
        openings.sort_by_key(|opening| opening.date);
        let (at, record) = self.at;
        let Some(first) = openings.first() else {
            return Err(fault(at, record, "Bal OPBD", "there is no opening balance"));
        };
        if closings.first().is_some_and(|closing| closing.date < first.date) {
            let fault = fault(first.at, name(first.role), "Dt", "is after the closing balance");
            return Err(fault.found(first.date));
        }
        for opening in &openings {
            let is_before = |closing: &&Balance| match opening.role {
                Role::Previous => closing.date <= opening.date,
                _ => closing.date < opening.date,
            };
            let before = closings.get(..closings.partition_point(is_before)).and_then(<[_]>::last);
            let expected = before.filter(|_| opening.date > first.date).map_or(first.minor, |of| of.minor);
            if opening.minor != expected {
                let why = "is not the balance before it";
                return Err(self.contradiction(opening, expected.into(), why));
            }
        }
        Ok(first.minor)
    }

    /// Number and sum of the booked entries of each day.
    fn sums(&self, closings: &[&Balance]) -> Result<Vec<(usize, i128)>, Fault> {
        let mut sums = vec![(0, 0); closings.len()];
        for entry in self.entries.iter().filter(|entry| entry.line.booked) {
            let day = if closings.len() == 1 { Some(0) } else { day_of(entry, closings) };
            let sum = day.and_then(|day| sums.get_mut(day)).ok_or_else(|| {
                let why = "a statement of several days needs a day of each entry, not after the last one";
                fault(entry.at(), super::entry::NTRY, "BookgDt", why)
            })?;
            *sum = (sum.0 + 1, sum.1 + i128::from(entry.line.amount));
        }
        Ok(sums)
    }

    fn contradiction(&self, balance: &Balance, expected: i128, why: &str) -> Fault {
        let shown = |minor| decimal(minor, '.', self.currency);
        let fault = fault(balance.at, name(balance.role), "Amt", why);
        fault.expected(shown(expected)).found(shown(balance.minor.into()))
    }
}

/// True for balances of one day that are not equal.
fn differ([one, other]: &[&Balance; 2]) -> bool {
    one.date == other.date && one.minor != other.minor
}

/// Number of the day of an entry.
fn day_of(entry: &Entry, closings: &[&Balance]) -> Option<usize> {
    let booking = entry.line.booking?;
    Some(closings.partition_point(|closing| closing.date < booking))
}

fn name(role: Role) -> &'static str {
    match role {
        Role::Opening => "Bal OPBD",
        Role::Previous => "Bal PRCD",
        Role::Closing => "Bal CLBD",
        Role::OpeningAvailable => "Bal OPAV",
        Role::ClosingAvailable => "Bal CLAV",
    }
}
