//! Reports: the trial balance, and the custody identity that is computed from it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use daybook_api::wire::ops::positions::Positions;
use daybook_api::wire::ops::sum::Sum;
use daybook_api::wire::ops::{custody as wire_custody, trial_balance as wire_trial_balance};
use daybook_log::{Log as _, Shard};
use daybook_projector::{LedgerRow, Moment, Sums};
use serde::Serialize;

use super::positions::describe;
use super::{Books, ReportScope, fold};
use crate::config::{Report, ReportOptions};
use crate::error::Error;
use crate::table::{Side, Table};

/// Time to wait for the read models. If no service runs, they make no progress.
const CATCH_UP_TIMEOUT: Duration = Duration::from_secs(2);

/// Prints the sums of every ledger account.
pub(super) async fn trial_balance(report: &Report) -> Result<(), Error> {
    let (positions, rows) = sums(&report.extent).await?;
    let record = wire_trial_balance::render(&rows, positions.clone());
    print(report, &record, || trial_balance_text(&rows, &positions))?;
    if wire_trial_balance::balances(&rows) {
        return Ok(());
    }
    Err(Error::Unbalanced("debits are not credits"))
}

/// Prints both sides of the custody identity.
pub(super) async fn custody(report: &Report) -> Result<(), Error> {
    let (positions, rows) = sums(&report.extent).await?;
    let rows = daybook_projector::custody(&rows);
    let record = wire_custody::render(&rows, positions.clone());
    print(report, &record, || custody_text(&rows, &positions))?;
    if wire_custody::balances(&rows) {
        return Ok(());
    }
    Err(Error::Unbalanced("the money at the bank is not equal to the money that is owed"))
}

/// Returns the sums from the read model, if the report is about the present and the read model is up to date. Computes
/// them from the log otherwise.
async fn sums(extent: &ReportOptions) -> Result<(Positions, Vec<LedgerRow>), Error> {
    Books::during(&extent.database, async |books| {
        let asked = ReportScope::of(books, extent).await?;
        if asked.at == Moment::Now && is_fed(books, &asked.shards).await? {
            return served_sums(books, &asked).await;
        }
        let mut sums = Sums::default();
        let add = |happened: &daybook_projector::RecordedEvent| {
            sums.add(happened.platform, &happened.event);
            Ok(())
        };
        let positions = fold::fold(&books.log, &asked, add).await?;
        Ok((positions, sums.rows()))
    })
    .await
}

/// Returns the sums of the read models.
async fn served_sums(books: &Books, asked: &ReportScope) -> Result<(Positions, Vec<LedgerRow>), Error> {
    let (mut positions, mut all) = (BTreeMap::new(), vec![]);
    for shard in &asked.shards {
        let (position, rows) = books.reads.balances().trial_balance(*shard, asked.platform).await?;
        positions.insert(*shard, position);
        all.extend(rows);
    }
    Ok((positions.into(), all))
}

/// Waits until the read models have reached the head of each log. Returns false if they do not in time.
async fn is_fed(books: &Books, shards: &[Shard]) -> Result<bool, Error> {
    for shard in shards {
        let head = books.log.head(*shard).await?.position;
        if books.reads.store().caught_up(*shard, head, CATCH_UP_TIMEOUT).await? < head {
            return Ok(false);
        }
    }
    Ok(true)
}

fn print(report: &Report, record: &impl Serialize, text: impl FnOnce() -> String) -> Result<(), Error> {
    let said = if report.json { serde_json::to_string(record).map_err(io::Error::other)? } else { text() };
    Ok(crate::say!("{said}")?)
}

fn trial_balance_text(rows: &[LedgerRow], positions: &Positions) -> String {
    let heads = ["platform", "currency", "account"].map(|head| (head, Side::Left));
    let sums = ["debits", "credits", "balance"].map(|head| (head, Side::Right));
    let mut table = Table::new(&[heads, sums].concat());
    let amounts = |debits, credits, currency| {
        [debits, credits, debits - credits].map(|minor| Sum(minor, currency).to_string())
    };
    for LedgerRow { platform, currency, account, debits, credits } in rows {
        let names = [platform.to_string(), currency.to_string(), account.clone()];
        table.add(names.into_iter().chain(amounts(*debits, *credits, *currency)));
    }
    for (currency, total) in wire_trial_balance::totals(rows) {
        let names = ["total".to_owned(), currency.to_string(), String::new()];
        table.add(names.into_iter().chain(amounts(total.debits, total.credits, currency)));
    }
    format!("At {}. Debits are positive.\n\n{table}", describe(positions))
}

fn custody_text(rows: &wire_custody::Rows, positions: &Positions) -> String {
    let mut text = format!("At {}.", describe(positions));
    for ((platform, currency), row) in rows {
        let there = [("bank", row.bank), ("rail in", row.rail_in), ("returns in", row.ret_in)];
        let owed = [
            ("nodes", row.nodes),
            ("transit", row.transit),
            ("rail out", row.rail_out),
            ("returns out", row.ret_out),
            ("suspense", row.suspense),
        ];
        let [sum_there, sum_owed] = [&there[..], &owed].map(|side| side.iter().map(|(_, minor)| minor).sum());
        let mut table = Table::new(&[
            ("what is there", Side::Left),
            ("", Side::Right),
            ("what is owed", Side::Left),
            ("", Side::Right),
        ]);
        let cells = |of: Option<&(&str, i128)>| match of {
            Some((name, minor)) => [(*name).to_owned(), Sum(*minor, *currency).to_string()],
            None => [String::new(), String::new()],
        };
        for line in 0..there.len().max(owed.len()) {
            table.add([cells(there.get(line)), cells(owed.get(line))].concat());
        }
        table.add([cells(Some(&("sum", sum_there))), cells(Some(&("sum", sum_owed)))].concat());
        table.add([cells(Some(&("difference", row.difference()))), cells(None)].concat());
        let _ = write!(text, "\n\nPlatform {platform}, {currency}\n\n{table}");
    }
    text
}
