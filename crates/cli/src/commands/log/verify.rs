//! `daybook log verify`: checks that the log is complete, unaltered and consistent.

use std::time::Duration;

use daybook_checker::{Finding, Report, Walk, walk};
use daybook_log::Shard;
use daybook_log::postgres::PostgresLog;
use serde_json::{Value, json};

use super::coverage::Coverage;
use super::trust::TrustedInputs;
use crate::error::Error;

/// Maximum number of findings that are printed as text.
const MAX_FINDINGS_SHOWN: usize = 50;

/// Extent of a verification.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// First position.
    pub(super) from: u64,
    /// True if the contents of boxes are checked.
    pub(super) boxes: bool,
    /// Maximum time for which events may be recorded after the newest checkpoint.
    pub(super) late: Duration,
}

/// Verifies the log of a shard and returns the report.
///
/// # Errors
///
/// Fails if the database cannot be read.
pub(super) async fn verify(
    log: &PostgresLog,
    shard: Shard,
    Extent { from, boxes, late }: Extent,
    TrustedInputs { trust, wrong, unchecked }: TrustedInputs,
) -> Result<(Report, Coverage), Error> {
    let told = |position| tracing::debug!(position, "verified");
    let has_keys = !trust.keys.is_empty();
    let mut report = walk(log, Walk { shard, from: from.max(1), boxes, trust }, told).await?;
    let coverage = Coverage::of(log, shard).await?;
    let wrong: Vec<Finding> = wrong.into_iter().chain(coverage.finding(late)).collect();
    report.total += wrong.len() as u64;
    report.findings.extend(wrong);
    report.unchecked.extend(unchecked);
    if !has_keys {
        report.unchecked.push("signatures and checkpoints: there is no public key, see --key".to_owned());
    }
    Ok((report, coverage))
}

/// Returns the result of a verification of several shards.
///
/// # Errors
///
/// [`Error::Findings`] if there are findings, [`Error::Unverified`] if the verification is incomplete.
pub(super) fn result(reports: &[Report]) -> Result<(), Error> {
    let total = reports.iter().map(|report| report.total).sum();
    let unchecked: Vec<&str> =
        reports.iter().flat_map(|report| &report.unchecked).map(String::as_str).collect();
    if total > 0 {
        Err(Error::Findings(total))
    } else if unchecked.is_empty() {
        Ok(())
    } else {
        Err(Error::Unverified(unchecked.join("; ")))
    }
}

/// Returns the report as JSON.
pub(super) fn as_json(shard: Shard, report: &Report, coverage: &Coverage) -> Value {
    let finding = |it: &Finding| json!({"position": it.position, "place": it.place, "what": it.what});
    json!({
        "shard": shard,
        "events": report.events,
        "commits": report.commits,
        "streams": report.streams,
        "lacking_boxes": report.lacking_boxes,
        "first": report.findings.first().map(finding),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "total": report.total,
        "unchecked": report.unchecked,
        "checkpoint": coverage.as_json(),
    })
}

/// Returns the report as text.
pub(super) fn as_text(report: &Report, coverage: &Coverage) -> String {
    let Report { events, commits, streams, findings, total, unchecked, .. } = report;
    let mut lines = vec![format!("{events} events in {commits} commits and {streams} streams were read.")];
    lines.push(coverage.as_text());
    let line = |it: &Finding| {
        let at =
            it.position.map_or_else(|| "no position".to_owned(), |position| format!("position {position}"));
        format!("{at}, {}: {}", it.place, it.what)
    };
    if let Some(first) = findings.first() {
        lines.push(format!("FIRST BAD PLACE: {}", line(first)));
    }
    lines.extend(findings.iter().take(MAX_FINDINGS_SHOWN).map(line));
    match total.saturating_sub(findings.len().min(MAX_FINDINGS_SHOWN) as u64) {
        0 => {}
        more => lines.push(format!("and {more} more findings")),
    }
    lines.extend(unchecked.iter().map(|what| format!("NOT CHECKED: {what}")));
    if *total == 0 && unchecked.is_empty() {
        lines.push("Nothing is wrong.".to_owned());
    }
    lines.join("\n")
}
