//! `daybook reconcile bank --replay`: the lines that other matching rules would have explained otherwise in a period.

use std::path::Path;

use daybook_api::wire::amount::Decimal;
use daybook_api::wire::ops::sum::Sum;
use daybook_domain::{Currency, Money};
use daybook_engine::reconciliation::Period;
use daybook_engine::statements::{Explained, ReplayedLine, ReplayedRules};
use daybook_projector::Tally;
use serde::Serialize;

use super::completions::completions;
use crate::commands::ledger::{SETTLE_IMMEDIATELY, platform, with_engine};
use crate::commands::ops::rules_of;
use crate::config::BankReconciliation;
use crate::database::unless_stopped;
use crate::error::Error;
use crate::table::{Side, Table, printable};

/// The result as JSON.
#[derive(Serialize)]
struct Replayed<'a> {
    breaks: Vec<Breaks>,
    lines: Vec<Change<'a>>,
    runs: u32,
    unread_lines: u32,
}

/// Lines in suspense of a currency, in the log and under the other rules.
#[derive(Serialize)]
struct Breaks {
    currency: Currency,
    left: Sum,
    left_then: Sum,
    lines: u64,
    lines_then: u64,
}

/// A line that would be explained otherwise.
#[derive(Serialize)]
struct Change<'a> {
    amount: Decimal,
    break_id: String,
    contradicted: bool,
    currency: Currency,
    date: String,
    line_id: &'a str,
    was: &'a str,
    would_be: &'a str,
}

/// Runs the command.
///
/// # Errors
///
/// [`Error::Usage`] for rules that cannot be meant or a period that is not stated; otherwise those of the engine.
pub(super) async fn replay(options: &BankReconciliation, period: Period, rules: &Path) -> Result<(), Error> {
    let set = rules_of(rules)?;
    let told = with_engine(&options.database, SETTLE_IMMEDIATELY, &options.bank, async |engine| {
        let of = platform(engine.access(), &options.platform).await?;
        let custody = engine.custody_of(of.shard, of.id).await?;
        let custody = custody.ok_or_else(|| Error::Usage("the platform has no account at a bank".into()))?;
        let found = completions(engine.log().as_ref(), (custody, of.shard), period).await?;
        let replayed = engine.replay_rules((&of, custody), set, (found.before, found.end));
        unless_stopped(async { Ok::<_, Error>(replayed.await?) }).await
    })
    .await?;
    if options.json {
        let json = serde_json::to_string_pretty(&json(&told)).map_err(std::io::Error::other)?;
        return Ok(crate::say!("{json}")?);
    }
    print(&told)
}

fn print(told: &ReplayedRules) -> Result<(), Error> {
    let unread = match told.unread {
        0 => String::new(),
        lines => format!(" NOT CHECKED by text: {lines} lines, whose texts cannot be read any more."),
    };
    crate::say!("{} runs of the matching were repeated.{unread}", told.runs)?;
    for Breaks { currency, left, left_then, lines, lines_then } in told.breaks.iter().map(breaks) {
        crate::say!("{currency}: {lines} breaks of {left}; under these rules {lines_then} of {left_then}")?;
    }
    if told.lines.is_empty() {
        return Ok(crate::say!("No line would be explained otherwise.")?);
    }
    let heads = ["date", "line", "break", "currency", "amount", "was", "would be", "contradicted"];
    let side = |head: &&'static str| (*head, if *head == "amount" { Side::Right } else { Side::Left });
    let mut table = Table::new(&heads.iter().map(side).collect::<Vec<_>>());
    for line in told.lines.iter().map(line) {
        let contradicted = if line.contradicted { "yes" } else { "no" };
        let (currency, amount) = (line.currency.to_string(), line.amount.0.to_string());
        let cells = [&line.date, line.line_id, &line.break_id, &currency, &amount];
        table.add(cells.into_iter().chain([line.was, line.would_be, contradicted]).map(printable));
    }
    Ok(crate::say!("\n{table}")?)
}

fn json(told: &ReplayedRules) -> Replayed<'_> {
    Replayed {
        breaks: told.breaks.iter().map(breaks).collect(),
        lines: told.lines.iter().map(line).collect(),
        runs: told.runs,
        unread_lines: told.unread,
    }
}

fn breaks((currency, (was, would)): (&Currency, &(Tally, Tally))) -> Breaks {
    let sum = |tally: &Tally| Sum(tally.minor, *currency);
    let (left, left_then) = (sum(was), sum(would));
    Breaks { currency: *currency, left, left_then, lines: was.count, lines_then: would.count }
}

fn line(of: &ReplayedLine) -> Change<'_> {
    Change {
        amount: Decimal(Money::new(of.amount, of.currency)),
        break_id: of.id.to_string(),
        contradicted: of.is_contradicted,
        currency: of.currency,
        date: of.day.to_string(),
        line_id: &of.line,
        was: name(&of.was),
        would_be: name(&of.would),
    }
}

fn name(explained: &Explained) -> &str {
    match explained {
        Explained::No => "in suspense",
        Explained::ByRule(rule) => rule,
        Explained::ByOperator => "operator",
    }
}
