//! A text table for terminals: a header row, rows, and right-aligned numbers.

use std::fmt;

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Left, for text.
    Left,
    /// Right, for numbers.
    Right,
}

/// A table. Each row has as many cells as there are heads.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    sides: Vec<Side>,
    /// Rows; the first one contains the heads.
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Creates a table without rows.
    #[must_use]
    pub(crate) fn new(heads: &[(&str, Side)]) -> Self {
        let rows = vec![heads.iter().map(|(head, _)| head.to_uppercase()).collect()];
        Self { sides: heads.iter().map(|(_, side)| *side).collect(), rows }
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| -> usize {
            let cells = self.rows.iter().filter_map(|row: &Vec<String>| row.get(column));
            cells.map(|cell: &String| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..self.sides.len()).map(width).collect();
        for (number, row) in self.rows.iter().enumerate() {
            let cells = row.iter().zip(&self.sides).zip(&widths).map(|((cell, side), width)| match side {
                Side::Left => format!("{cell:<width$}"),
                Side::Right => format!("{cell:>width$}"),
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            let end = if number == 0 { "" } else { "\n" };
            write!(f, "{end}{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Text without characters that a terminal obeys.
pub(crate) fn printable(cell: &str) -> String {
    cell.chars().map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_fit_their_widest_cell() {
        let mut table = Table::new(&[("account", Side::Left), ("debits", Side::Right), ("why", Side::Left)]);
        table.add(["nodes".to_owned(), "1000000.00".to_owned(), String::new()]);
        table.add(["été".to_owned(), "0.05".to_owned(), "because".to_owned()]);
        let lines = ["ACCOUNT      DEBITS  WHY", "nodes    1000000.00", "été            0.05  because"];
        assert_eq!(table.to_string(), lines.join("\n"));
    }
}
