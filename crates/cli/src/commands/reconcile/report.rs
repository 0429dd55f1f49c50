//! Report of a reconciliation: the comparisons, the differences, and everything that was not compared.

use std::collections::BTreeMap;
use std::io;

use daybook_log::Shard;
use daybook_projector::{Comparison, Model};
use serde_json::json;

use super::checks::Checked;
use super::coverage::TABLES;
use crate::commands::projection::diff;
use crate::error::Error;

/// Findings of a reconciliation so far. Details are printed when they are found.
#[derive(Debug, Default)]
pub(super) struct Report {
    tables: u64,
    rows: u64,
    checks: u64,
    differing: u64,
    remarks: u64,
    /// Columns that should be compared but cannot be.
    skipped: Vec<String>,
    /// Tables and columns that were not requested, or cannot be compared.
    left_out: Vec<String>,
    /// First and last position of each shard at which it was compared.
    positions: BTreeMap<Shard, [u64; 2]>,
    tells_now_alone: bool,
}

impl Report {
    /// Creates a report about `models`.
    pub(super) fn new(models: &[Model]) -> Self {
        let others = Model::ALL.into_iter().filter(|model| !models.contains(model));
        let left_out = others.map(|model| format!("{model}: not asked for")).collect();
        Self { left_out, tells_now_alone: true, ..Self::default() }
    }

    /// Records those of `models` that do not keep the past.
    pub(super) fn leave_out_now_alone(&mut self, models: &[Model]) {
        self.tells_now_alone = false;
        let these = models.iter().filter(|model| !model.tells_past());
        self.left_out.extend(these.map(|model| format!("{model}: its tables tell of now alone")));
    }

    /// Records that tables other than read models were not checked.
    pub(super) fn leave_out_checks(&mut self) {
        let these = TABLES.iter().filter(|table| !table.checks.is_empty() || table.name == "projection");
        self.left_out.extend(these.map(|table| format!("{}: not asked for", table.name)));
    }

    /// Prints and records the comparison of a read model of a shard.
    ///
    /// # Errors
    ///
    /// Fails if the reader of the output is gone.
    pub(super) fn compared(
        &mut self,
        shard: Shard,
        comparison: &Comparison,
        is_json: bool,
    ) -> io::Result<()> {
        diff::print(shard, comparison, is_json)?;
        self.differing += comparison.differing();
        let (first, last) = comparison.positions;
        self.positions.entry(shard).or_insert([first, last])[1] = last;
        for table in &comparison.tables {
            self.tables += 1;
            self.rows += table.rows.0.max(table.rows.1);
            let skipped = table.skipped.iter().map(|column| format!("{}.{column}", table.table));
            if self.tells_now_alone {
                self.skipped
                    .extend(skipped.filter(|column| !self.skipped.contains(column)).collect::<Vec<_>>());
            } else {
                self.left_out.extend(
                    skipped.map(|column| format!("{column}: follows from the state, which was compared")),
                );
            }
        }
        Ok(())
    }

    /// Prints and records the result of a check of another table, of a shard or of all.
    ///
    /// # Errors
    ///
    /// Fails if the reader of the output is gone.
    pub(super) fn checked(
        &mut self,
        shard: Option<Shard>,
        checked: Checked,
        is_json: bool,
    ) -> io::Result<()> {
        let Checked { table, says, is_strict, differing, rows } = checked;
        self.checks += 1;
        *if is_strict { &mut self.differing } else { &mut self.remarks } += differing;
        if is_json {
            for row in &rows {
                let row = serde_json::from_str::<serde_json::Value>(row).ok();
                crate::say!(
                    "{}",
                    json!({ "shard": shard, "table": table, "check": says, "is_difference": is_strict, "row": row })
                )?;
            }
            crate::say!(
                "{}",
                json!({ "shard": shard, "table": table, "check": says, "is_difference": is_strict, "rows_found": differing })
            )?;
            return Ok(());
        }
        let outcome = match (differing, is_strict) {
            (0, _) => "holds".to_owned(),
            (rows, true) => format!("DOES NOT HOLD: {rows} rows"),
            (rows, false) => {
                format!("{rows} rows to check: a refused or interrupted call can leave such rows")
            }
        };
        crate::say!("\n{table}: {says}: {outcome}")?;
        for row in rows {
            crate::say!("  ! {row}")?;
        }
        Ok(())
    }

    /// Prints the summary.
    ///
    /// # Errors
    ///
    /// [`Error::Unbalanced`] if something differs, [`Error::Unverified`] if a column could not be compared.
    pub(super) fn end(&self, is_json: bool) -> Result<(), Error> {
        if is_json {
            self.print_json()?;
        } else {
            self.print_text()?;
        }
        match (self.differing, self.skipped.is_empty()) {
            (0, true) => Ok(()),
            (0, false) => Err(Error::Unverified(self.skipped.join(", "))),
            (_, _) => Err(Error::Unbalanced("the tables that are served differ from the log")),
        }
    }

    fn print_text(&self) -> io::Result<()> {
        let Self { tables, rows, checks, differing, remarks, .. } = self;
        crate::say!(
            "\ncompared: {tables} tables of read models, {rows} rows; other tables: {checks} checks"
        )?;
        for (what, list) in [("NOT compared", &self.skipped), ("not compared", &self.left_out)] {
            for one in list {
                crate::say!("{what}: {one}")?;
            }
        }
        for table in &TABLES {
            if let Some(by) = table.elsewhere {
                crate::say!("verified elsewhere: {}: {by}", table.name)?;
            }
            if let Some(what) = table.underivable {
                crate::say!("not derivable from the log: {}: {what}", table.name)?;
            }
        }
        crate::say!("remarks: {remarks}\ndifferences: {differing}")
    }

    fn print_json(&self) -> io::Result<()> {
        let elsewhere = TABLES.iter().filter_map(|table| Some((table.name, table.elsewhere?)));
        let underivable = TABLES.iter().filter_map(|table| Some((table.name, table.underivable?)));
        let map = |pairs: Vec<(&str, &str)>| {
            pairs
                .into_iter()
                .map(|(name, text)| (name.to_owned(), json!(text)))
                .collect::<serde_json::Map<_, _>>()
        };
        let summary = json!({
            "differences": self.differing, "remarks": self.remarks, "tables": self.tables, "rows": self.rows,
            "checks": self.checks, "positions": self.positions,
            "skipped": self.skipped, "left_out": self.left_out,
            "verified_elsewhere": map(elsewhere.collect()), "not_derivable": map(underivable.collect()),
        });
        crate::say!("{summary}")
    }
}
