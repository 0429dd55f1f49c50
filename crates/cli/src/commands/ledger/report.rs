//! Reports: the trial balance, and the custody identity that follows from it.

use std::fmt::Write as _;
use std::time::Duration;

use daybook_api::wire::ops::sum::Sum;
use daybook_api::wire::ops::{custody as wire_custody, trial_balance as wire_trial_balance};
use daybook_engine::{Engine, SHARD};
use daybook_projector::{LedgerRow, Moment, Sums};
use serde::Serialize;

use super::{AT_ONCE, Asked, fold, with_engine};
use crate::config::{Bank, Extent, Report};
use crate::error::Error;

/// How long the read models may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Prints the sums of every account.
pub(super) async fn trial_balance(report: &Report) -> Result<(), Error> {
    let (position, rows) = sums(&report.extent).await?;
    let record = wire_trial_balance::render(&rows, position);
    print(report, &record, || trial_balance_text(&rows, position));
    if wire_trial_balance::balances(&rows) {
        return Ok(());
    }
    Err(Error::Unbalanced("debits are not credits"))
}

/// Prints both sides of the identity.
pub(super) async fn custody(report: &Report) -> Result<(), Error> {
    let (position, rows) = sums(&report.extent).await?;
    let rows = daybook_projector::custody(&rows);
    print(report, &wire_custody::render(&rows, position), || custody_text(&rows, position));
    if wire_custody::balances(&rows) {
        return Ok(());
    }
    Err(Error::Unbalanced("what is at the bank is not what is owed"))
}

/// From the read model if it is about now, else from the log.
async fn sums(extent: &Extent) -> Result<(u64, Vec<LedgerRow>), Error> {
    with_engine(&extent.database, AT_ONCE, &Bank::default(), async |engine: Engine| {
        let asked = Asked::of(&engine, extent).await?;
        if asked.at == Moment::Now {
            caught_up(&engine).await?;
            return Ok(engine.reads().balances().trial_balance(SHARD, asked.platform).await?);
        }
        let mut sums = Sums::default();
        let add = |happened: &daybook_projector::Happened| {
            sums.add(happened.platform, &happened.event);
            Ok(())
        };
        let position = fold::fold(&engine, &asked, add).await?;
        Ok((position, sums.rows()))
    })
    .await
}

/// Waits until the read models have seen all that is recorded.
async fn caught_up(engine: &Engine) -> Result<(), Error> {
    let head = engine.log().head(SHARD).await?.position;
    let cursor = engine.reads().store().caught_up(SHARD, head, PATIENCE).await?;
    if cursor < head {
        Err(daybook_projector::Error::Behind { cursor, position: head }.into())
    } else {
        Ok(())
    }
}

fn print(report: &Report, record: &impl Serialize, text: impl FnOnce() -> String) {
    if !report.json {
        println!("{}", text());
    } else if let Ok(json) = serde_json::to_string(record) {
        println!("{json}");
    }
}

fn trial_balance_text(rows: &[LedgerRow], position: u64) -> String {
    let mut text = format!("At position {position}. Debits are positive.");
    for row in rows {
        let LedgerRow { platform, currency, account, .. } = row;
        let [debits, credits, net] = [row.debits, row.credits, row.balance()].map(|sum| Sum(sum, *currency));
        let (debits, credits, net) = (debits.to_string(), credits.to_string(), net.to_string());
        let _ = write!(text, "\n{platform}  {currency}  {account:<24} {debits:>18} {credits:>18} {net:>18}");
    }
    text
}

fn custody_text(rows: &wire_custody::Rows, position: u64) -> String {
    let mut text = format!("At position {position}.");
    for ((platform, currency), row) in rows {
        let sum = |minor| Sum(minor, *currency).to_string();
        let _ = write!(text, "\n{platform}  {currency}");
        let lines = [
            ("bank", row.bank),
            ("+ rail in", row.rail_in),
            ("+ returns in", row.ret_in),
            ("= nodes", row.nodes),
            ("+ transit", row.transit),
            ("+ rail out", row.rail_out),
            ("+ returns out", row.ret_out),
            ("+ suspense", row.suspense),
            ("difference", row.difference()),
        ];
        for (name, minor) in lines {
            let _ = write!(text, "\n  {name:<14} {:>20}", sum(minor));
        }
    }
    text
}
