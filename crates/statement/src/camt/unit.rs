//! Statement, report or notification of a message, or a page of one. Source: ISO 20022, `Stmt`, `Rpt`, `Ntfctn`.

use std::ops::Range;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::balances::{Balance, Sheet};
use super::entry::{Entry, NTRY};
use super::kind::Kind;
use super::summary::Claim;
use super::totals::Totals;
use super::values::{Leaf, fault, required, set};
use crate::{DayBalances, Fault, Line, Standing, Statement};

/// Origin of a booking day that the entry does not state.
const OF_CLOSING: &str = "the day of the closing balance";

/// Statement as it was read. The pages of one statement become one.
#[derive(Clone)]
pub(super) struct Unit {
    pub(super) kind: &'static Kind,
    /// Offset of its start.
    pub(super) start: usize,
    pub(super) id: Option<String>,
    account: Option<String>,
    other_account: Option<String>,
    currency: Option<Currency>,
    copy: Option<String>,
    /// `StmtPgntn`, or else `MsgPgntn`.
    pub(super) page: Page,
    /// True for pages of the message, each of which can have several statements.
    pub(super) is_page_of_message: bool,
    pub(super) balances: Vec<Balance>,
    pub(super) entries: Vec<Entry>,
    /// Claims of each page, with the entries of the page.
    pub(super) summaries: Vec<(Range<usize>, Vec<Claim>)>,
}

/// Number of a page, and true for the last one.
#[derive(Clone, Copy, Default)]
pub(super) struct Page {
    pub(super) number: Option<u64>,
    pub(super) is_last: Option<bool>,
    /// Offset of its number.
    pub(super) at: usize,
}

/// Days of a statement in one currency.
type Days = Vec<(Currency, Vec<DayBalances>)>;

impl Page {
    /// Takes a value of `MsgPgntn` or `StmtPgntn`.
    pub(super) fn leaf(&mut self, leaf: Leaf<'_>, record: &str) -> Result<(), Fault> {
        if leaf.field.ends_with("/PgNb") {
            self.at = leaf.at;
            set(&mut self.number, leaf.count(record)?, leaf, record)
        } else if leaf.field.ends_with("/LastPgInd") {
            set(&mut self.is_last, leaf.flag(record)?, leaf, record)
        } else {
            Ok(())
        }
    }

    /// True if anything is said about pages.
    pub(super) fn is_stated(&self) -> bool {
        self.number.is_some() || self.is_last.is_some()
    }

    /// True if there are other pages.
    pub(super) fn is_one_of_several(&self) -> bool {
        self.number.is_some_and(|number| number != 1) || self.is_last == Some(false)
    }
}

impl Unit {
    pub(super) fn new(kind: &'static Kind, start: usize) -> Self {
        Self {
            kind,
            start,
            id: None,
            account: None,
            other_account: None,
            currency: None,
            copy: None,
            page: Page::default(),
            is_page_of_message: false,
            balances: Vec::new(),
            entries: Vec::new(),
            summaries: Vec::new(),
        }
    }

    /// Takes a value beside balances, entries and summary.
    pub(super) fn leaf(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        let record = self.kind.unit;
        let text = leaf.text.to_owned();
        match leaf.field {
            "Id" => set(&mut self.id, text, leaf, record),
            "Acct/Id/IBAN" => set(&mut self.account, text, leaf, record),
            "Acct/Id/Othr/Id" => set(&mut self.other_account, text, leaf, record),
            "CpyDplctInd" => set(&mut self.copy, text, leaf, record),
            "Acct/Ccy" => {
                let currency = Currency::parse(leaf.text);
                let currency = currency.ok_or_else(|| leaf.fault(record, "is no currency of ISO 4217"))?;
                set(&mut self.currency, currency, leaf, record)
            }
            field if field.starts_with(self.kind.pages) => self.page.leaf(leaf, record),
            _ => Ok(()),
        }
    }

    /// Number of the account at the bank.
    pub(super) fn account(&self) -> &str {
        self.account.as_deref().or(self.other_account.as_deref()).unwrap_or_default()
    }

    /// Checks what every page must state.
    pub(super) fn check_head(&self) -> Result<(), Fault> {
        let named = self.id.as_ref().filter(|id| !id.is_empty());
        required(named, self.start, self.kind.unit, "Id")?;
        if self.account().is_empty() {
            return Err(fault(self.start, self.kind.unit, "Acct/Id", "is missing"));
        }
        let Some(own) = self.currency else { return Ok(()) };
        let why = "is another currency than that of the account";
        let of = |at, record, found| fault(at, record, "Amt/@Ccy", why).expected(own).found(found);
        if let Some(balance) = self.balances.iter().find(|balance| balance.currency != own) {
            return Err(of(balance.at, "Bal", balance.currency));
        }
        match self.entries.iter().find(|entry| entry.currency != own) {
            Some(entry) => Err(of(entry.at(), NTRY, entry.currency)),
            None => Ok(()),
        }
    }

    /// Adds the next page.
    pub(super) fn append(&mut self, next: Self) {
        let before = self.entries.len();
        self.balances.extend(next.balances);
        self.entries.extend(next.entries);
        let moved = |(of, claims): (Range<usize>, _)| (of.start + before..of.end + before, claims);
        self.summaries.extend(next.summaries.into_iter().map(moved));
        self.copy = self.copy.take().or(next.copy);
    }

    /// Checks the balances, and returns the days between them. Without balances of a statement there are no days.
    pub(super) fn days(&self) -> Result<Days, Fault> {
        let currencies = self.currencies();
        let is_one = currencies.len() == 1;
        let of = |currency| {
            let balances = self.balances.iter().filter(|balance| is_one || balance.currency == currency);
            let entries = self.entries.iter().filter(|entry| is_one || entry.currency == currency);
            let (balances, entries) = (balances.collect(), entries.collect());
            let sheet = Sheet { balances, entries, at: (self.start, self.kind.unit), currency };
            Ok((currency, if self.kind.is_booked { sheet.days()? } else { Vec::new() }))
        };
        if currencies.is_empty() && self.kind.is_booked {
            return Err(fault(self.start, self.kind.unit, "Bal OPBD", "there is no opening balance"));
        }
        currencies.into_iter().map(of).collect()
    }

    /// Currencies: that of the account, or those of balances and entries.
    fn currencies(&self) -> Vec<Currency> {
        let stated = self.balances.iter().map(|balance| balance.currency);
        let stated = stated.chain(self.entries.iter().map(|entry| entry.currency));
        let mut currencies = Vec::from_iter(self.currency);
        if currencies.is_empty() {
            // There are less than 200 currencies, so that this is linear in the number of entries.
            for currency in stated {
                if !currencies.contains(&currency) {
                    currencies.push(currency);
                }
            }
        }
        currencies
    }

    /// Compares entries and summaries. Banks count all entries or the booked ones, of the page or of all its pages.
    pub(super) fn check_summaries(&self) -> Result<(), Fault> {
        if self.summaries.iter().all(|(_, claims)| claims.is_empty()) {
            return Ok(());
        }
        let currencies = self.currencies();
        let currency = if let [only] = currencies.as_slice() { Some(*only) } else { None };
        let by_code = self.summaries.iter().flat_map(|(_, claims)| claims).any(|claim| claim.code.is_some());
        let totals = |entries: &[Entry]| {
            let booked = entries.iter().filter(|entry| entry.line.booked);
            [Totals::of(entries.iter(), by_code, currency), Totals::of(booked, by_code, currency)]
        };
        let [all, booked] = totals(&self.entries);
        for (range, claims) in &self.summaries {
            let Err(fault) = all.check(claims) else { continue };
            let of_page = totals(self.entries.get(range.clone()).unwrap_or_default());
            if std::iter::once(&booked).chain(&of_page).all(|totals| totals.check(claims).is_err()) {
                return Err(fault);
            }
        }
        Ok(())
    }

    /// Statements, one for each currency. `waiting` says that other pages are missing, and which page this is.
    pub(super) fn statements(self, days: Days, waiting: &[(&'static str, String)]) -> Vec<Statement> {
        let account = self.account().to_owned();
        let is_booked = self.kind.is_booked && waiting.is_empty();
        let copy = self.copy.map(|code| ("copy_duplicate", code));
        let marks: Vec<_> = copy.into_iter().chain(waiting.iter().cloned()).collect();
        let standing = if is_booked { Standing::Booked } else { Standing::Pending };
        let (is_one, mut rest) = (days.len() == 1, self.entries);
        let statement = |(currency, days): (Currency, Vec<DayBalances>)| {
            // Mapped in place: all lines together are large, and mostly of one currency.
            let entries = if is_one { std::mem::take(&mut rest) } else { of(&mut rest, currency) };
            let closing = if let [day] = days.as_slice() { Some(day.date) } else { None };
            let lines = entries.into_iter().map(|entry| dated(entry.line, is_booked, closing)).collect();
            let (account, marks) = (account.clone(), marks.clone());
            Statement { account, currency, standing, marks, days, lines }
        };
        days.into_iter().map(statement).collect()
    }

    /// Days of a page without the others: none, in each currency.
    pub(super) fn no_days(&self) -> Days {
        self.currencies().into_iter().map(|currency| (currency, Vec::new())).collect()
    }
}

/// Takes the entries of a currency.
fn of(entries: &mut Vec<Entry>, currency: Currency) -> Vec<Entry> {
    entries.extract_if(.., |entry| entry.currency == currency).collect()
}

/// Line of a statement that is booked or not. `closing` is the only day of the statement.
fn dated(mut line: Line, is_booked: bool, closing: Option<Day>) -> Line {
    line.booked &= is_booked;
    if line.booked && line.booking.is_none() && closing.is_some() {
        (line.booking, line.booking_from) = (closing, Some(OF_CLOSING));
    }
    line
}
