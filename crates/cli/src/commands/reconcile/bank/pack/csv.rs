//! A list as CSV. Source: RFC 4180; UTF-8, with a header. The first columns name platform, period and position.

use super::Pack;
use super::sheets::Sheet;
use crate::table::Side;

/// First characters for which a spreadsheet takes a text for a formula.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// Renders a list.
pub(super) fn render(pack: &Pack, sheet: &Sheet) -> String {
    let report = &pack.report;
    let own = [
        report.platform.to_string(),
        report.period.from.to_string(),
        report.period.to.to_string(),
        report.position.to_string(),
    ];
    let heads = sheet.heads.iter().map(|(head, _)| (*head).to_owned());
    let mut text = line(["platform", "from", "to", "position"].map(str::to_owned).into_iter().chain(heads));
    for row in &sheet.rows {
        let cells = row.iter().zip(&sheet.heads).map(|(cell, (_, side))| match side {
            Side::Left => harmless(cell),
            Side::Right => cell.clone(),
        });
        text.push_str(&line(own.iter().cloned().chain(cells)));
    }
    text
}

/// Text that no spreadsheet takes for a formula.
fn harmless(cell: &str) -> String {
    if cell.starts_with(FORMULA) { format!("'{cell}") } else { cell.to_owned() }
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| {
        if cell.contains([',', '"', '\r', '\n']) {
            format!("\"{}\"", cell.replace('"', "\"\""))
        } else {
            cell
        }
    };
    cells.map(quoted).collect::<Vec<_>>().join(",") + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_no_formulas() {
        let cells = ["a", "1,5", "say \"x\"", "two\nlines", ""].map(str::to_owned);
        assert_eq!(line(cells.into_iter()), "a,\"1,5\",\"say \"\"x\"\"\",\"two\nlines\",\r\n");
        assert_eq!(["=1+1", "-x", "x=1"].map(harmless), ["'=1+1", "'-x", "x=1"]);
    }
}
