//! The report as tables for a terminal.

use std::fmt::Write as _;

use super::Pack;
use super::sheets::{self, Sheet};
use crate::table::{Table, printable};

/// Renders the report.
pub(super) fn render(pack: &Pack, sheets: &[Sheet]) -> String {
    let mut text = format!("{}\n", pack.summary());
    for sheet in std::iter::once(&sheets::head(pack)).chain(sheets) {
        // A text never fails to take more text.
        let _ = write!(text, "\n{}\n\n", sheet.title);
        if sheet.rows.is_empty() {
            text.push_str("none\n");
            continue;
        }
        let mut table = Table::new(&sheet.heads);
        sheet.rows.iter().for_each(|row| table.add(row.iter().map(|cell| printable(cell))));
        let _ = writeln!(text, "{table}");
    }
    text
}
