//! Content of a statement of the sandbox's bank: the lines that state the items, and the balances that they make.

use std::collections::BTreeSet;

use daybook_domain::calendar::Day;
use daybook_domain::{Currency, FileId};
use daybook_statement::{BankFile, DayBalances, Line, ReferenceKind, Standing, Statement};

use super::entry_type::{EntryType, FEE};
use super::items::Item;
use super::{LinePer, Options};
use crate::rails::ach::reference_code;

/// The statement without its lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head<'a> {
    /// Number of the account at the bank.
    pub(super) account: &'a str,
    pub(super) currency: Currency,
    pub(super) day: Day,
    /// Balance before the first line, in minor units.
    pub(super) opening: i64,
    /// True if the bank stated the day before.
    pub(super) is_restated: bool,
}

/// Returns the file that states `items`, the oldest first; `None` if an amount would overflow.
pub(super) fn bank_file(head: &Head<'_>, items: &[Item], options: &Options) -> Option<BankFile> {
    let mut entries = entries(&on_time(items, options), options.per)?;
    entries.extend(options.fee.map(Entry::of_fee));
    if options.doubled {
        entries.extend(entries.last().cloned());
    }
    let lines: Vec<Line> =
        entries.into_iter().zip(1..).map(|(entry, number)| entry.line(head.day, number)).collect();
    let closing = lines.iter().try_fold(head.opening, |sum, line| sum.checked_add(line.amount))?;
    let (opening, count) = (head.opening, lines.len());
    let day = DayBalances { date: head.day, opening, closing, lines: count, available: None };
    let statement = Statement {
        account: head.account.to_owned(),
        currency: head.currency,
        standing: if head.is_restated { Standing::Restated } else { Standing::Booked },
        marks: vec![],
        days: vec![day],
        lines,
    };
    Some(BankFile { format: options.format.version().to_owned(), statements: vec![statement] })
}

/// Items without the late ones, which are the newest. A file that is stated as one line is late as a whole.
fn on_time<'a>(items: &'a [Item], options: &Options) -> Vec<&'a Item> {
    let (stated, late) = items.split_at(items.len().saturating_sub(options.late));
    let late: BTreeSet<FileId> = match options.per {
        LinePer::Item => BTreeSet::new(),
        LinePer::File => late.iter().filter_map(|item| item.file).collect(),
    };
    stated.iter().filter(|item| item.file.is_none_or(|file| !late.contains(&file))).collect()
}

/// Entry of the bank's book.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    of: EntryType,
    amount: i64,
    reference: Option<(ReferenceKind, String)>,
    text: String,
}

/// Returns the entries of `items`. That of a file is in the place of its first item.
fn entries(items: &[&Item], per: LinePer) -> Option<Vec<Entry>> {
    let mut entries: Vec<Entry> = vec![];
    let mut files = BTreeSet::new();
    for item in items {
        match item.file.filter(|_| per == LinePer::File) {
            Some(file) if files.insert(file) => {
                entries.push(Entry::of_file(file, items.iter().filter(|item| item.file == Some(file)))?);
            }
            Some(_) => {}
            None => entries.push(Entry::of_item(item)),
        }
    }
    Some(entries)
}

impl Entry {
    fn of_item(item: &Item) -> Self {
        let of = EntryType::of_item(item.row.account, item.row.amount);
        let reference = Some((ReferenceKind::EndToEnd, item.reference.clone()));
        Self { of, amount: item.row.amount, reference, text: of.text.to_owned() }
    }

    /// Entry of a whole file: the bank knows the file by the reference code in its header.
    fn of_file<'a>(file: FileId, mut items: impl Iterator<Item = &'a &'a Item>) -> Option<Self> {
        let add = |(net, count): (i64, u32), item: &&Item| {
            Some((net.checked_add(item.row.amount)?, count.saturating_add(1)))
        };
        let (amount, count) = items.try_fold((0, 0), add)?;
        let (of, code) = (EntryType::of_file(amount), reference_code(file));
        let text = format!("{} FILE {code} ENTRIES {count}", of.text);
        Some(Self { of, amount, reference: Some((ReferenceKind::Customer, code)), text })
    }

    fn of_fee(amount: i64) -> Self {
        Self { of: FEE, amount: amount.saturating_neg(), reference: None, text: FEE.text.to_owned() }
    }

    /// The line with this number in the statement of a day. The bank's own reference numbers the lines.
    fn line(self, day: Day, number: u32) -> Line {
        let digits = day.to_string().replace('-', "");
        let bank = (ReferenceKind::Bank, format!("SB{digits}{number:05}"));
        Line {
            booking: Some(day),
            booking_from: None,
            value: Some(day),
            amount: self.amount,
            booked: true,
            reversal: false,
            codes: self.of.codes(),
            references: [bank].into_iter().chain(self.reference).collect(),
            return_reason: None,
            text: self.text,
            parts: vec![],
            bytes: 0..0,
        }
    }
}

#[cfg(test)]
mod tests;
