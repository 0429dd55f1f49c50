//! The writer, for the sandbox's bank and for tests.

use std::fmt::Write as _;

use super::group::{Group, groups};
use super::header;
use super::type_code::{Class, class};
use crate::short_date::yymmdd;
use crate::statement::find;
use crate::{BankFile, CodeKind, Line, ReferenceKind};

/// Name of the sender, of the receiver and of the bank.
const PARTY: &str = "DAYBOOK";

/// Type codes of lines without a code of BAI2: a miscellaneous credit and debit.
const MISCELLANEOUS: [&str; 2] = ["399", "699"];

/// Renders statements as a file with records of variable length, one account in a group.
///
/// A file of BAI2 cannot express, and the reader therefore does not return:
///
/// - a statement of several days, or of booked and pending lines: it is written as several groups, which are read as
///   several statements;
/// - the booking day of a line, which is the group's; the day of a statement without days and lines; days outside of the
///   years 2000 to 2099;
/// - a value date before the booking day;
/// - codes other than those of BAI2, and a code whose direction is not that of the amount: 399 or 699 stands instead;
/// - references other than the bank's and the customer's. Without the customer's, the number of a check or the end-to-end
///   reference is written there. `,` and `/` in them become `-`;
/// - `,` and `/` at the beginning of a text, and control characters, and blanks around any field;
/// - reversals, reasons of returns, and parts.
#[must_use]
pub fn render(file: &BankFile) -> String {
    let groups: Vec<Group<'_>> = file.statements.iter().flat_map(groups).collect();
    let created = groups.iter().map(|group| group.as_of).max().unwrap_or_default();
    let mut out = Out::default();
    out.record(format_args!("01,{PARTY},{PARTY},{},2400,1,,,2/", yymmdd(created)));
    let total: i128 = groups.iter().map(|group| out.group(group)).sum();
    out.record(format_args!("99,{total},{},{}/", groups.len(), out.records + 1));
    out.text
}

/// The file as far as it was written.
#[derive(Default)]
struct Out {
    text: String,
    records: usize,
}

impl Out {
    fn record(&mut self, record: std::fmt::Arguments<'_>) {
        // Writing to a text cannot fail.
        let _ = writeln!(self.text, "{record}");
        self.records += 1;
    }

    /// Writes a group and returns its control total.
    fn group(&mut self, group: &Group<'_>) -> i128 {
        let before = self.records;
        let (status, modifier, currency) = (group.status, group.modifier, group.statement.currency);
        let as_of = yymmdd(group.as_of);
        self.record(format_args!("02,{PARTY},{PARTY},{status},{as_of},2400,{currency},{modifier}/"));
        let total = self.account(group);
        self.record(format_args!("98,{total},1,{}/", self.records + 1 - before));
        total
    }

    /// Writes the account of a group and returns its control total.
    fn account(&mut self, group: &Group<'_>) -> i128 {
        let before = self.records;
        let summaries = summaries(group);
        let shown: Vec<String> = summaries.iter().map(Summary::render).collect();
        // Without any status, empty fields stand in the place of one.
        let shown = if shown.is_empty() { ",,,".to_owned() } else { shown.join(",") };
        let account = plain(&group.statement.account, true);
        self.record(format_args!("03,{account},{},{shown}/", group.statement.currency));
        for line in &group.lines {
            self.line(line);
        }
        let lines: i128 = group.lines.iter().map(|line| i128::from(line.amount.unsigned_abs())).sum();
        let total = lines + summaries.iter().map(|summary| summary.amount).sum::<i128>();
        self.record(format_args!("49,{total},{}/", self.records + 1 - before));
        total
    }

    fn line(&mut self, line: &Line) {
        let (code, amount) = (code(line), line.amount.unsigned_abs());
        let funds = line.value.map_or_else(|| "Z".to_owned(), |day| format!("V,{},", yymmdd(day)));
        let reference = |kinds: &[ReferenceKind]| {
            let text = kinds.iter().find_map(|kind| find(&line.references, *kind));
            plain(text.unwrap_or_default(), true)
        };
        let bank = reference(&[ReferenceKind::Bank]);
        let customer = reference(&[ReferenceKind::Customer, ReferenceKind::Check, ReferenceKind::EndToEnd]);
        let text = plain(&line.text, false);
        let text = if text.is_empty() { "/" } else { &*text };
        self.record(format_args!("16,{code},{amount},{funds},{bank},{customer},{text}"));
    }
}

/// Type code of record 03 with its amount and item count.
struct Summary {
    code: &'static str,
    amount: i128,
    count: Option<usize>,
}

impl Summary {
    fn render(&self) -> String {
        let count = self.count.map(|count| count.to_string()).unwrap_or_default();
        format!("{},{},{count},", self.code, self.amount)
    }
}

/// Balances and totals of a group. Interim ones and deletions have none, and a test begins at zero.
fn summaries(group: &Group<'_>) -> Vec<Summary> {
    let status = |code, amount| Summary { code, amount: i128::from(amount), count: None };
    let sum = |is_part: fn(i64) -> bool| {
        let part = group.lines.iter().map(|line| line.amount).filter(|amount| is_part(*amount));
        part.fold((0, 0), |(sum, count), amount| (sum + i128::from(amount), count + 1))
    };
    let ((credits, credit_count), (debits, debit_count)) =
        (sum(|amount| amount >= 0), sum(|amount| amount < 0));
    let Some(day) = group.day else {
        let is_deletion = group.status == "2" && group.lines.is_empty();
        let closing = Summary { code: "015", amount: credits + debits, count: None };
        let has_none = is_deletion || header::is_interim(group.modifier);
        return if has_none { vec![] } else { vec![status("010", 0), closing] };
    };
    let [opening, closing] = day.available.unwrap_or_default();
    let ledger = [status("010", day.opening), status("015", day.closing)];
    let available =
        [opening.map(|amount| status("040", amount)), closing.map(|amount| status("045", amount))];
    let totals = [
        Summary { code: "100", amount: credits, count: Some(credit_count) },
        Summary { code: "400", amount: -debits, count: Some(debit_count) },
    ];
    ledger.into_iter().chain(available.into_iter().flatten()).chain(totals).collect()
}

/// Type code of a line, if its direction is that of the amount.
fn code(line: &Line) -> &str {
    let stated = find(&line.codes, CodeKind::Bai);
    let stated = stated.filter(|code| {
        let class = (code.len() == 3).then(|| code.parse().ok()).flatten().and_then(class);
        matches!((class, line.amount), (Some(Class::Credit), 0..) | (Some(Class::Debit), ..=0))
    });
    let [credit, debit] = MISCELLANEOUS;
    stated.unwrap_or(if line.amount < 0 { debit } else { credit })
}

/// Text on one line, without what would end the field.
fn plain(text: &str, is_field: bool) -> String {
    let letter = |letter: char| match letter {
        ',' | '/' if is_field => '-',
        letter if letter.is_control() => ' ',
        letter => letter,
    };
    let text: String = text.chars().map(letter).collect();
    let text = if is_field { &*text } else { text.trim_start_matches([' ', ',', '/']) };
    text.trim_matches(' ').to_owned()
}
