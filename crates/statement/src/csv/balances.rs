//! Accounts of a file: the running balance, the arguments, and the balances of the days.

use std::collections::BTreeMap;

use super::line::{Account, Entry};
use super::mapping::{Mapping, Order};
use crate::amount::decimal;
use crate::{DayBalances, Fault, Standing, Statement};

/// Accounts of a file, in the order in which they first occur.
pub(super) struct Accounts<'m, 'a> {
    mapping: &'m Mapping,
    /// Names of the columns with booking day and balance.
    names: [String; 2],
    /// Decimal mark of balances that a fault names.
    mark: char,
    places: BTreeMap<Account, usize>,
    entries: Vec<(Account, Vec<Entry<'a>>)>,
}

impl<'m, 'a> Accounts<'m, 'a> {
    /// Returns no accounts.
    pub(super) fn new(mapping: &'m Mapping, names: [String; 2], mark: char) -> Self {
        Self { mapping, names, mark, places: BTreeMap::new(), entries: vec![] }
    }

    /// Returns true if there is no line.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds a line to its account.
    pub(super) fn push(&mut self, (account, entry): (Account, Entry<'a>)) -> Result<(), Fault> {
        let known = self.places.get(&account).and_then(|place| self.entries.get_mut(*place));
        if let Some((_, entries)) = known {
            entries.push(entry);
            return Ok(());
        }
        let is_second = !self.entries.is_empty();
        let argument = self.mapping.opening.map(|_| "opening").or(self.mapping.closing.map(|_| "closing"));
        if let Some(argument) = argument.filter(|_| is_second) {
            let why = format!("one balance for several accounts; row {} has another", entry.number);
            let fault = Fault::new(entry.place, ("mapping", argument), why);
            return Err(fault.found(format_args!("{} {}", account.0, account.1)));
        }
        self.places.insert(account.clone(), self.entries.len());
        self.entries.push((account, vec![entry]));
        Ok(())
    }

    /// Returns the statements, after all balances were checked.
    pub(super) fn statements(self) -> Result<Vec<Statement>, Fault> {
        let Self { mapping, names, mark, entries, .. } = self;
        let tie_out = TieOut { mapping, names: &names, mark };
        entries.into_iter().map(|(account, entries)| tie_out.statement(account, entries)).collect()
    }
}

/// Check of the balances of one account.
struct TieOut<'m> {
    mapping: &'m Mapping,
    names: &'m [String; 2],
    mark: char,
}

impl TieOut<'_> {
    fn statement(&self, (account, currency): Account, entries: Vec<Entry<'_>>) -> Result<Statement, Fault> {
        let days = match self.mapping.order {
            Order::OldestFirst => self.days(entries.iter())?,
            Order::NewestFirst => self.days(entries.iter().rev())?,
        };
        let lines = entries.into_iter().map(|entry| entry.line).collect();
        Ok(Statement { account, currency, standing: Standing::Booked, marks: vec![], days, lines })
    }

    /// Adds up the lines, the oldest first. Each balance that the file or an argument states must be the sum.
    fn days<'e>(
        &self,
        entries: impl Iterator<Item = &'e Entry<'e>> + Clone,
    ) -> Result<Vec<DayBalances>, Fault> {
        let mut balance = self.opening(entries.clone())?;
        let mut days: Vec<DayBalances> = vec![];
        for entry in entries.clone() {
            let before = balance;
            balance = before.saturating_add(i128::from(entry.line.amount));
            let closing = i64::try_from(balance).map_err(|_| too_large(entry, balance))?;
            self.check(entry, closing)?;
            match days.last_mut() {
                Some(day) if day.date == entry.day => {
                    day.closing = closing;
                    day.lines += 1;
                }
                Some(day) if day.date > entry.day => {
                    let fault = self.fault(entry, 0, "the day lies before the day of an older row");
                    return Err(fault.expected(day.date).found(entry.day));
                }
                _ => {
                    let opening = i64::try_from(before).map_err(|_| too_large(entry, before))?;
                    days.push(DayBalances { date: entry.day, opening, closing, lines: 1, available: None });
                }
            }
        }
        self.closing(entries.last(), balance)?;
        Ok(days)
    }

    /// Returns the balance before the oldest line: by the running balance, an argument, or the closing balance.
    fn opening<'e>(&self, mut entries: impl Iterator<Item = &'e Entry<'e>> + Clone) -> Result<i128, Fault> {
        let amount = |entry: &Entry<'_>| i128::from(entry.line.amount);
        let sum = || entries.clone().map(amount).sum::<i128>();
        let given = self.mapping.opening.map(i128::from);
        let by_closing = || self.mapping.closing.map(|closing| i128::from(closing) - sum());
        let argument = given.or_else(by_closing).unwrap_or_default();
        let Some(first) = entries.next() else { return Ok(argument) };
        let Some((balance, _)) = first.balance else { return Ok(argument) };
        let opening = i128::from(balance) - amount(first);
        match given {
            Some(given) if given != opening => {
                let why = "the balance of the oldest row without its amount is another";
                Err(Fault::new(first.place, ("opening", "opening"), why).expected(opening).found(given))
            }
            _ => Ok(opening),
        }
    }

    /// Checks the running balance at one line.
    fn check(&self, entry: &Entry<'_>, expected: i64) -> Result<(), Fault> {
        match &entry.balance {
            Some((found, text)) if *found != expected => {
                let expected = decimal(expected.into(), self.mark, entry.currency);
                let fault = self.fault(entry, 1, "the balance before and the amount make another");
                Err(fault.expected(expected).found(text.trim()))
            }
            _ => Ok(()),
        }
    }

    fn closing(&self, last: Option<&Entry<'_>>, sum: i128) -> Result<(), Fault> {
        match (self.mapping.closing, last) {
            (Some(closing), Some(last)) if i128::from(closing) != sum => {
                let why = "the opening balance and the rows make another";
                Err(Fault::new(last.place, ("closing", "closing"), why).expected(sum).found(closing))
            }
            _ => Ok(()),
        }
    }

    fn fault(&self, entry: &Entry<'_>, name: usize, why: &str) -> Fault {
        let name = self.names.get(name).map(String::as_str).unwrap_or_default();
        Fault::new(entry.place, (&format!("row {}", entry.number), name), why)
    }
}

fn too_large(entry: &Entry<'_>, balance: i128) -> Fault {
    let record = format!("row {}", entry.number);
    Fault::new(entry.place, (&record, "balance"), "the balance is too large").found(balance)
}
