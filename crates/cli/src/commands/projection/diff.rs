//! `projection diff`: compares two versions of a read model.

use std::io;

use daybook_log::Shard;
use daybook_projector::{Compared, Comparison, Difference};
use serde_json::json;

use super::with_reads;
use crate::config::Diff;
use crate::error::Error;
use crate::progress::Progress;
use crate::shards::print_heading;

/// Compares and reports. As JSON, it prints one line for each difference and one for each table.
pub(super) async fn diff(options: &Diff) -> Result<(), Error> {
    let one = &options.one;
    let comparisons = with_reads(one, async |reads, shard| {
        let progress = Progress::of_rows("compare", one.json);
        let tell = |rows| progress.set(rows);
        let comparison = reads.comparisons().compare(shard, one.name, options.limit, tell).await?;
        progress.finish();
        Ok(comparison)
    })
    .await?;
    let shards: Vec<Shard> = comparisons.iter().map(|(shard, _)| *shard).collect();
    let (mut left_out, mut differing) = (vec![], 0);
    for (shard, comparison) in &comparisons {
        print_heading(&shards, *shard, one.json)?;
        print(*shard, comparison, one.json)?;
        left_out.extend(comparison.not_compared());
        differing += comparison.differing();
    }
    left_out.sort_unstable();
    left_out.dedup();
    left_out.retain(|column| !options.uncompared.not_compared.contains(column));
    match differing {
        0 if left_out.is_empty() => Ok(()),
        0 => Err(Error::Unverified(format!(
            "these columns have no counterpart to compare with; if they are new on purpose: --not-compared {}",
            left_out.join(",")
        ))),
        _ => Err(Error::Unbalanced("the two versions differ")),
    }
}

/// Prints the result of a comparison in a shard.
///
/// # Errors
///
/// Fails if the reader of the output is gone.
pub(crate) fn print(shard: Shard, comparison: &Comparison, is_json: bool) -> io::Result<()> {
    if is_json { print_json(shard, comparison) } else { print_text(comparison) }
}

/// Prints the result of a comparison as text.
fn print_text(comparison: &Comparison) -> io::Result<()> {
    let Comparison { old, new, tables, positions } = comparison;
    crate::say!("{old} is active, {new} is compared with it; positions {} to {}", positions.0, positions.1)?;
    for table in tables {
        let Compared { table: name, columns, skipped, rows, slices, differing, differences } = table;
        crate::say!(
            "\n{name}: {} rows and {}, {} slices, of which {} differ",
            rows.0,
            rows.1,
            slices.0,
            slices.1
        )?;
        crate::say!("  compared: {}", columns.join(", "))?;
        if !skipped.is_empty() {
            crate::say!("  NOT compared: {}", skipped.join(", "))?;
        }
        crate::say!("  {differing} rows differ")?;
        for Difference { old, new } in differences {
            crate::say!("  - {}", old.as_deref().unwrap_or("(no such row)"))?;
            crate::say!("  + {}", new.as_deref().unwrap_or("(no such row)"))?;
        }
    }
    Ok(())
}

/// Prints one JSON line for each difference, and one for each table.
fn print_json(shard: Shard, comparison: &Comparison) -> io::Result<()> {
    let row = |text: &Option<String>| {
        text.as_deref().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok())
    };
    for table in &comparison.tables {
        for Difference { old, new } in &table.differences {
            crate::say!(
                "{}",
                json!({ "shard": shard, "table": table.table, "old": row(old), "new": row(new) })
            )?;
        }
        let Compared { table: name, columns, skipped, rows, slices, differing, .. } = table;
        let summary = json!({
            "shard": shard, "table": name, "old": comparison.old.number, "new": comparison.new.number, "columns": columns,
            "skipped": skipped, "rows": [rows.0, rows.1], "slices": slices.0, "slices_differing": slices.1,
            "rows_differing": differing, "positions": [comparison.positions.0, comparison.positions.1],
        });
        crate::say!("{summary}")?;
    }
    Ok(())
}
