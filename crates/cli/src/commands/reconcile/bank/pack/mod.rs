//! The pack: a reconciliation in a form that can be filed. Everything in it follows from the log, so it is made again with
//! the same bytes.

mod csv;
mod html;
mod sheets;
mod text;

use std::io::{self, Write};
use std::path::Path;

use daybook_api::wire::ops::reconciliation::{self, Reconciliation};
use daybook_engine::reconciliation::{Report, TieOut};
use serde::Serialize;

use crate::config::PackFormat;
use crate::whole_file::WholeFile;

/// Permissions of a file, reduced by the umask of the process.
const MODE: u32 = 0o666;

/// A reconciliation, and the tree of the log that it is of.
pub(super) struct Pack {
    pub(super) report: Report,
    pub(super) tree: Tree,
}

/// The hash tree of the log at the position of the report.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Tree {
    /// Number of events.
    pub(super) size: u64,
    /// Root in base64, which a checkpoint or a receipt of the commit signs; `None` if the log has no tree.
    pub(super) root: Option<String>,
}

#[derive(Serialize)]
struct Filed<'a> {
    #[serde(flatten)]
    record: Reconciliation,
    tree: &'a Tree,
}

impl Pack {
    /// Renders the files of a format, each with its name.
    pub(super) fn files(&self, format: PackFormat) -> io::Result<Vec<(String, String)>> {
        let sheets = || sheets::all(&self.report);
        Ok(match format {
            PackFormat::Table => vec![("reconciliation.txt".to_owned(), text::render(self, &sheets()))],
            PackFormat::Html => vec![("reconciliation.html".to_owned(), html::render(self, &sheets()))],
            PackFormat::Json => {
                let filed = Filed { record: reconciliation::render(&self.report), tree: &self.tree };
                let json = serde_json::to_string_pretty(&filed).map_err(io::Error::other)?;
                vec![("reconciliation.json".to_owned(), json + "\n")]
            }
            PackFormat::Csv => {
                let head = (sheets::head(self), sheets());
                let sheets = std::iter::once(&head.0).chain(&head.1);
                sheets.map(|sheet| (format!("{}.csv", sheet.name), csv::render(self, sheet))).collect()
            }
        })
    }

    /// Result in one line.
    pub(super) fn summary(&self) -> String {
        let ties = if self.report.is_tied_out() { "ties out" } else { "DOES NOT TIE OUT" };
        let (open, overdue) = (self.report.open.count, self.report.overdue_items());
        let (breaks, old) = (self.report.breaks.count, self.report.old_breaks());
        let booking = if self.report.is_booking { " Lines are still to be booked." } else { "" };
        let until = |tied: &TieOut| {
            let until =
                tied.stated_until.map_or_else(|| "at no day".to_owned(), |day| format!("until {day}"));
            format!(" PROVISIONAL: {} is stated {until}.", tied.currency)
        };
        let tie_outs = self.report.tie_outs.iter();
        let provisional: String = tie_outs.filter(|tied| tied.is_provisional).map(until).collect();
        format!(
            "The account {ties}: {open} timing differences, {overdue} of them overdue; {breaks} breaks, {old} of them older \
             than two banking days.{provisional}{booking}"
        )
    }
}

/// Writes a file completely or not at all.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = WholeFile::begin(path, MODE, true)?;
    file.write_all(text.as_bytes())?;
    file.end()
}
