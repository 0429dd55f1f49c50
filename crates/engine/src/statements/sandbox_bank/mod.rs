//! The sandbox's bank as it states a day in a file: a platform practises with it how the files of a real bank are
//! reconciled. By itself the same bank books its statements directly
//! ([`process::sandbox_statement`](crate::process)).

mod accepted;
mod content;
mod entry_type;
pub(crate) mod items;
mod render;

use std::collections::HashMap;

use daybook_domain::calendar::Day;
use daybook_domain::custody::{Custody, Refusal};
use daybook_domain::statement::Statement;
use daybook_domain::{BreakId, Currency, CustodyId, StatementId, States};
use daybook_projector::{OpenItemRow, Page};

use self::content::Head;
use super::read::StatementFormat;
use crate::access::PlatformRecord;
use crate::engine::Engine;
use crate::error::SubmitError;
use crate::ops::{OpsError, trace};

/// Maximum number of items in one statement of the sandbox's bank. Further items follow in the next one.
pub(crate) const MAX_ITEMS: Page = Page { number: 1, size: 5_000 };

/// Format in which the bank writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// BAI2.
    Bai2,
    /// CAMT.053.
    Camt,
    /// MT940.
    Mt940,
    /// Daybook's own CSV.
    Csv,
}

impl Format {
    /// Format with its version.
    #[must_use]
    pub const fn version(self) -> &'static str {
        match self {
            Self::Bai2 => "bai2",
            Self::Camt => "camt.053.001.08",
            Self::Mt940 => "mt940",
            Self::Csv => "csv",
        }
    }

    /// Ending of a file's name.
    const fn ending(self) -> &'static str {
        match self {
            Self::Bai2 => "bai",
            Self::Camt => "xml",
            Self::Mt940 => "sta",
            Self::Csv => "csv",
        }
    }
}

impl From<Format> for StatementFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Bai2 => Self::Bai2,
            Format::Camt => Self::Camt,
            Format::Mt940 => Self::Mt940,
            Format::Csv => Self::Own,
        }
    }
}

/// Subject of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinePer {
    /// An open item.
    Item,
    /// All items of one ACH file. Other items have a line each.
    File,
}

/// Requirements for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Format of the file.
    pub format: Format,
    /// Currency of the account.
    pub currency: Currency,
    /// Subject of a line.
    pub per: LinePer,
    /// Number of the newest items that the bank does not state yet.
    pub late: usize,
    /// Monthly fee in minor units, as a line of its own.
    pub fee: Option<i64>,
    /// True if the bank states the last line twice, by mistake.
    pub doubled: bool,
    /// Day of an accepted statement that the bank states again; `None` for the current day.
    pub restate: Option<Day>,
}

/// A statement as the bank writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenStatement {
    /// Name of the file.
    pub name: String,
    /// Format of the file.
    pub format: Format,
    /// Content of the file, in UTF-8.
    pub text: String,
    /// Currency of the account.
    pub currency: Currency,
    /// Day of the statement.
    pub day: Day,
    /// Balance before the first line, in minor units.
    pub opening: i64,
    /// Balance after the last line, in minor units.
    pub closing: i64,
    /// Number of lines.
    pub lines: usize,
}

/// Begin of a statement: its day and balance, and the items that an earlier statement of the day explained.
struct Begun {
    day: Day,
    opening: i64,
    explained: Vec<OpenItemRow>,
    restated: Option<StatementId>,
}

impl Engine {
    /// Returns the statement of the sandbox's bank for the current day, by the platform's clock, or for the day that is
    /// stated again; `None` if no file stated that day. Records nothing.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Refused`] if the current day is stated already, or lines of a statement are not booked yet, or the
    /// platform is not a sandbox.
    pub async fn sandbox_statement(
        &self,
        platform: &PlatformRecord,
        options: &Options,
    ) -> Result<Option<WrittenStatement>, OpsError> {
        let shard = platform.shard;
        let id = self.custody(shard, platform.id).await?;
        let found = self.reads().aggregates().records(shard, &[id.into(), platform.id.into()]).await?;
        let custody = found.custody(id).filter(|custody| custody.sandbox);
        let custody = custody.ok_or_else(|| refused(Refusal::Unknown))?;
        // Items of lines that are not booked yet look open.
        if !custody.booking.is_empty() {
            return Err(refused(Refusal::Booking));
        }
        let today = Day::of(found.now_of(Some(platform.id), self.clock().now()));
        let begun = match options.restate {
            Some(day) => self.begin_again(platform, id, (day, options.currency)).await?,
            None => Some(begin(custody, options.currency, today)?),
        };
        let Some(Begun { day, opening, explained, restated }) = begun else { return Ok(None) };
        // The count waits for the projection, so that the items are as new as the last answer of the service.
        self.reads().lists().open_item_count(shard, platform.id).await?;
        let until = day.plus_days(1).start();
        let open = self.reads().lists().open_items(shard, platform.id, until, MAX_ITEMS).await?;
        let open = open.into_iter().filter(|row| row.currency == options.currency);
        let rows = joined(explained.into_iter().chain(open));
        let items = items::unstated(self, platform, id, &rows, restated).await?;
        let account = trace::originator(self, platform, id).await?.account_num;
        let (currency, is_restated) = (options.currency, restated.is_some());
        let head = Head { account: &account, currency, day, opening, is_restated };
        let file = content::bank_file(&head, &items, options).ok_or_else(|| refused(Refusal::Sum))?;
        let stated = file.statements.first().and_then(|statement| statement.days.first());
        let (closing, lines) = stated.map_or((opening, 0), |day| (day.closing, day.lines));
        let name = format!("statement-{day}-{currency}.{}", options.format.ending());
        let text = render::render(&file, options.format);
        let format = options.format;
        Ok(Some(WrittenStatement { name, format, text, currency, day, opening, closing, lines }))
    }

    /// Begins the statement of a day that a file stated already.
    async fn begin_again(
        &self,
        platform: &PlatformRecord,
        custody: CustodyId,
        (day, currency): (Day, Currency),
    ) -> Result<Option<Begun>, OpsError> {
        let current = self.current_statements(platform.shard, custody).await?;
        let is_it = |(_, it): &(StatementId, Statement)| (it.day, it.currency) == (day, currency);
        let Some((id, statement)) = current.into_iter().find(is_it) else { return Ok(None) };
        let view = self.statement(platform.shard, id, (0, statement.lines as usize)).await?;
        let lines = view.map(|view| view.lines).unwrap_or_default();
        let item = |transaction, account, amount| {
            let since = day.start();
            OpenItemRow { transaction, account, currency, amount, since }
        };
        let mut explained = vec![];
        for (number, (line, _)) in (0..).zip(&lines) {
            if let Some((transaction, account)) = line.explains {
                explained.push(item(transaction, account, line.amount));
                continue;
            }
            let matches = self.matches(platform.shard, BreakId::of(id, number)).await?;
            let items = matches.iter().flat_map(|matched| &matched.items);
            explained.extend(items.map(|it| item(it.transaction, it.account, it.amount)));
        }
        Ok(Some(Begun { day, opening: statement.opening, explained, restated: Some(id) }))
    }
}

/// Begins the statement of the current day.
fn begin(custody: &Custody, currency: Currency, today: Day) -> Result<Begun, OpsError> {
    if custody.stated_on(currency) >= today {
        return Err(refused(Refusal::Stated));
    }
    Ok(Begun { day: today, opening: custody.balance(currency), explained: vec![], restated: None })
}

/// Joins the parts of an item, one of which was explained before.
fn joined(rows: impl Iterator<Item = OpenItemRow>) -> Vec<OpenItemRow> {
    let mut joined: Vec<OpenItemRow> = vec![];
    let mut places = HashMap::new();
    for row in rows {
        let place = *places.entry((row.transaction, row.account)).or_insert(joined.len());
        match joined.get_mut(place) {
            Some(part) => part.amount = part.amount.saturating_add(row.amount),
            None => joined.push(row),
        }
    }
    joined
}

fn refused(refusal: Refusal) -> OpsError {
    OpsError::Submit(SubmitError::Refused(refusal.into()))
}

#[cfg(test)]
mod tests;
