//! Choice of a format that the mapping leaves open: by all rows, and only if there is one answer.

use std::borrow::Cow;
use std::fmt::Display;

use crate::Fault;

/// Text of a file whose format is open.
pub(super) struct Cell<'a> {
    /// Place of its row.
    pub(super) place: (usize, usize),
    /// The text.
    pub(super) text: Cow<'a, str>,
}

/// Returns a format that reads every cell, if all such formats read the same. Cells that no format reads are left to the
/// reader of their rows, which names them. `field` is the field of the mapping.
pub(super) fn only<F, V: PartialEq + Display>(
    field: &str,
    mut formats: Vec<F>,
    cells: &[Cell<'_>],
    read: impl Fn(&F, &Cell<'_>) -> Option<V>,
) -> Result<F, Fault> {
    let fault = |place, why: String| Fault::new(place, ("mapping", field), why);
    let is_text = |cell: &&Cell<'_>| formats.iter().any(|format| read(format, cell).is_some());
    let cells: Vec<_> = cells.iter().filter(is_text).collect();
    for cell in &cells {
        formats.retain(|format| read(format, cell).is_some());
        if formats.is_empty() {
            let why = "no format fits this row and all before it".to_owned();
            return Err(fault(cell.place, why).found(&cell.text));
        }
    }
    for cell in &cells {
        let mut values = formats.iter().filter_map(|format| read(format, cell));
        let first = values.next();
        if let Some((one, other)) = first.and_then(|one| Some((values.find(|other| *other != one)?, one))) {
            return Err(fault(cell.place, format!("ambiguous: {other} or {one}")).found(&cell.text));
        }
    }
    formats.into_iter().next().ok_or_else(|| fault((1, 0), "no format".to_owned()))
}
