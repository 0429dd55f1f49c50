//! `daybook log verify`: checks that the log is complete, unaltered and consistent.

use std::time::Duration;

use daybook_checker::{Finding, Report, Walk, walk};
use daybook_engine::SHARD;
use daybook_log::postgres::PostgresLog;
use serde_json::{Value, json};

use super::coverage::Coverage;
use super::trust::TrustedInputs;
use crate::error::Error;
use crate::out;

/// Maximum number of findings that are printed as text.
const MAX_FINDINGS_SHOWN: usize = 50;

/// Verifies the log and prints the report.
///
/// # Errors
///
/// [`Error::Findings`] if there are findings, [`Error::Unverified`] if the verification is incomplete.
pub(super) async fn verify(
    log: &PostgresLog,
    (from, boxes): (u64, bool),
    (TrustedInputs { trust, wrong, unchecked }, late): (TrustedInputs, Duration),
    json: bool,
) -> Result<(), Error> {
    let told = |position| tracing::debug!(position, "verified");
    let has_keys = !trust.keys.is_empty();
    let mut report = walk(log, Walk { shard: SHARD, from: from.max(1), boxes, trust }, told).await?;
    let coverage = Coverage::of(log).await?;
    let wrong: Vec<Finding> = wrong.into_iter().chain(coverage.finding(late)).collect();
    report.total += wrong.len() as u64;
    report.findings.extend(wrong);
    report.unchecked.extend(unchecked);
    if !has_keys {
        report.unchecked.push("signatures and checkpoints: there is no public key, see --key".to_owned());
    }
    out::answer(json, &as_json(&report, &coverage), &as_text(&report, &coverage))?;
    if report.total > 0 {
        Err(Error::Findings(report.total))
    } else if report.unchecked.is_empty() {
        Ok(())
    } else {
        Err(Error::Unverified(report.unchecked.join("; ")))
    }
}

fn as_json(report: &Report, coverage: &Coverage) -> Value {
    let finding = |it: &Finding| json!({"position": it.position, "place": it.place, "what": it.what});
    json!({
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

fn as_text(report: &Report, coverage: &Coverage) -> String {
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
