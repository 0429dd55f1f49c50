//! The lists of a report as rows of texts, which every format shows.

mod sums;

use std::fmt::Display;

use daybook_domain::{Currency, Money};
use daybook_engine::reconciliation::{MadeMatch, OpenBreak, OpenItem, Report, StatedDay, WriteOff};

use super::Pack;
use crate::table::Side;
use crate::table::Side::{Left, Right};

/// A list.
pub(super) struct Sheet {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) heads: Vec<(&'static str, Side)>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Returns the properties of the report.
pub(super) fn head(pack: &Pack) -> Sheet {
    let Pack { report, tree } = pack;
    let rows = [
        ("platform", report.platform.to_string()),
        ("from", report.period.from.to_string()),
        ("to", report.period.to.to_string()),
        ("position of the log", report.position.to_string()),
        ("version of the matching rules", report.rules.to_string()),
        ("tree size", tree.size.to_string()),
        ("tree root", tree.root.clone().unwrap_or_default()),
        ("ages counted at the end of", report.day.to_string()),
        ("tied out", yes(report.is_tied_out())),
        ("provisional: the bank is to state days of the period", yes(report.is_provisional())),
        ("open items that are overdue", report.overdue_items().to_string()),
        ("breaks older than two banking days", report.old_breaks().to_string()),
        (
            "matches and write-offs are those after position",
            some(report.acts.as_ref().map(|acts| acts.after)),
        ),
        ("lines still to be booked", yes(report.is_booking)),
    ];
    let rows = rows.map(|(name, value)| vec![name.to_owned(), value]).into();
    Sheet { name: "report", title: "Report", heads: vec![("property", Left), ("value", Left)], rows }
}

/// Returns all lists.
pub(super) fn all(report: &Report) -> Vec<Sheet> {
    vec![
        sums::tie_outs(report),
        statements(report),
        timing_differences(report),
        breaks(report),
        sums::ages(report),
        matches(report),
        write_offs(report),
        restatements(report),
    ]
}

fn statements(report: &Report) -> Sheet {
    let row = |it: &StatedDay| {
        vec![
            it.day.to_string(),
            it.currency.to_string(),
            some(it.id),
            it.format.clone(),
            amount(it.opening, it.currency),
            amount(it.closing, it.currency),
            it.lines.to_string(),
            it.booked.to_string(),
            some(it.replaces),
            some(it.replaced_by),
            it.file.clone().unwrap_or_default(),
        ]
    };
    Sheet {
        name: "statements",
        title: "Statements of the period",
        heads: vec![
            ("date", Left),
            ("currency", Left),
            ("statement_id", Left),
            ("format", Left),
            ("opening_balance", Right),
            ("closing_balance", Right),
            ("lines", Right),
            ("booked", Right),
            ("replaces", Left),
            ("replaced_by", Left),
            ("file", Left),
        ],
        rows: report.statements.rows.iter().map(row).collect(),
    }
}

fn timing_differences(report: &Report) -> Sheet {
    let row = |it: &OpenItem| {
        vec![
            it.since.to_string(),
            it.age.to_string(),
            yes(it.is_overdue()),
            it.transaction.to_string(),
            it.account.to_string(),
            it.currency.to_string(),
            amount(it.amount, it.currency),
        ]
    };
    Sheet {
        name: "timing_differences",
        title: "Timing differences: open items, a debit is positive",
        heads: vec![
            ("since", Left),
            ("age_banking_days", Right),
            ("overdue", Left),
            ("trans_id", Left),
            ("account", Left),
            ("currency", Left),
            ("amount", Right),
        ],
        rows: report.open.rows.iter().map(row).collect(),
    }
}

fn breaks(report: &Report) -> Sheet {
    let row = |it: &OpenBreak| {
        vec![
            it.day.to_string(),
            it.age.to_string(),
            it.id.to_string(),
            some(it.statement),
            it.line.clone(),
            it.currency.to_string(),
            amount(it.amount, it.currency),
            amount(it.left, it.currency),
        ]
    };
    Sheet {
        name: "breaks",
        title: "Breaks: lines in suspense",
        heads: vec![
            ("date", Left),
            ("age_banking_days", Right),
            ("break_id", Left),
            ("statement_id", Left),
            ("line_id", Left),
            ("currency", Left),
            ("amount", Right),
            ("left", Right),
        ],
        rows: report.breaks.rows.iter().map(row).collect(),
    }
}

fn matches(report: &Report) -> Sheet {
    let row = |it: &MadeMatch| {
        vec![
            it.day.to_string(),
            it.position.to_string(),
            it.id.to_string(),
            it.line.clone(),
            it.number.to_string(),
            it.strategy.map_or("taken back", |strategy| strategy.as_str()).to_owned(),
            it.by.to_string(),
            it.currency.to_string(),
            amount(it.amount, it.currency),
        ]
    };
    Sheet {
        name: "matches",
        title: "Matches made and taken back",
        heads: vec![
            ("date", Left),
            ("event", Right),
            ("break_id", Left),
            ("line_id", Left),
            ("match", Right),
            ("strategy", Left),
            ("by", Left),
            ("currency", Left),
            ("amount", Right),
        ],
        rows: report.acts.iter().flat_map(|acts| acts.matches.iter().map(row)).collect(),
    }
}

fn write_offs(report: &Report) -> Sheet {
    let row = |it: &WriteOff| {
        vec![
            it.day.to_string(),
            it.position.to_string(),
            it.transaction.to_string(),
            it.operation.to_string(),
            it.account.to_string(),
            it.currency.to_string(),
            amount(it.amount, it.currency),
        ]
    };
    Sheet {
        name: "write_offs",
        title: "Open items written off",
        heads: vec![
            ("date", Left),
            ("event", Right),
            ("trans_id", Left),
            ("operation_id", Left),
            ("account", Left),
            ("currency", Left),
            ("amount", Right),
        ],
        rows: report.acts.iter().flat_map(|acts| acts.write_offs.iter().map(row)).collect(),
    }
}

fn restatements(report: &Report) -> Sheet {
    let row = |it: &StatedDay| {
        vec![
            it.day.to_string(),
            it.currency.to_string(),
            some(it.id),
            some(it.replaces),
            it.file.clone().unwrap_or_default(),
        ]
    };
    let restated = report.statements.rows.iter().filter(|it| it.replaces.is_some());
    Sheet {
        name: "restatements",
        title: "Days of the period that the bank stated anew",
        heads: vec![
            ("date", Left),
            ("currency", Left),
            ("statement_id", Left),
            ("replaces", Left),
            ("file", Left),
        ],
        rows: restated.map(row).collect(),
    }
}

fn amount(minor: i64, currency: Currency) -> String {
    Money::new(minor, currency).to_string()
}

fn some(value: Option<impl Display>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

fn yes(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}
