//! The book: state of an export, with the sums of every account so far.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::Currency;
use daybook_domain::calendar::Day;
use daybook_domain::id::BoxId;
use daybook_domain::posting::LedgerAccount;
use daybook_projector::RecordedEvent;

use super::{Dialect, Entry};

/// An export that is being written.
pub struct Book<D> {
    dialect: D,
    count: u64,
    last_day: Option<Day>,
    currencies: BTreeSet<Currency>,
    opened: BTreeSet<LedgerAccount>,
    sums: BTreeMap<(LedgerAccount, Currency), i128>,
    /// Sums of postings to accounts at banks, by day.
    days: BTreeMap<(LedgerAccount, Currency, Day), i128>,
}

impl<D: Dialect> Book<D> {
    /// Creates an empty book.
    #[must_use]
    pub fn new(dialect: D) -> Self {
        Self {
            dialect,
            count: 0,
            last_day: None,
            currencies: BTreeSet::new(),
            opened: BTreeSet::new(),
            sums: BTreeMap::new(),
            days: BTreeMap::new(),
        }
    }

    /// Appends an event to `text`, if it moved money.
    pub fn add(&mut self, happened: &RecordedEvent, text: &mut String) {
        let Some(postings) = happened.event.postings().filter(|postings| !postings.lines().is_empty()) else {
            return;
        };
        self.begin(text);
        let (currency, day) = (postings.currency(), Day::of(happened.effective_at));
        if self.currencies.insert(currency) {
            self.dialect.currency(currency, text);
        }
        for line in postings.lines() {
            let amount = i128::from(line.amount);
            if self.opened.insert(line.account) {
                self.dialect.open(line.account, text);
            }
            *self.sums.entry((line.account, currency)).or_default() += amount;
            if let LedgerAccount::Bank(_) = line.account {
                *self.days.entry((line.account, currency, day)).or_default() += amount;
            }
        }
        self.last_day = self.last_day.max(Some(day));
        self.count += 1;
        let name = happened.event.name();
        let ulid = |id| BoxId::from_u128(id).to_string();
        let (id, stream) = (ulid(happened.event_id), ulid(happened.key.id));
        let (position, platform) = (happened.position, happened.platform);
        let entry = Entry { day, id: &id, position, name, platform, stream: &stream, postings };
        self.dialect.entry(&entry, text);
    }

    /// Writes balance assertions: for accounts at banks at the end of each day, for every account at the end of the
    /// log. Returns the number of transactions.
    pub fn end(mut self, at: &str, text: &mut String) -> u64 {
        self.begin(text);
        let mut running: BTreeMap<(LedgerAccount, Currency), i128> = BTreeMap::new();
        for (&(account, currency, day), came) in &self.days {
            let sum = running.entry((account, currency)).or_default();
            *sum += came;
            self.dialect.assert(day, account, *sum, currency, text);
        }
        for (&(account, currency), &sum) in &self.sums {
            self.dialect.assert(self.last_day.unwrap_or_default(), account, sum, currency, text);
        }
        self.dialect.end(at, text);
        self.count
    }

    /// Writes the header before the first transaction.
    fn begin(&mut self, text: &mut String) {
        if self.count == 0 {
            self.dialect.header(text);
        }
    }
}
