//! Trailers: records 49, 98 and 99, each with a control total and counts.
//!
//! Source: BAI2 2005, records 49, 98 and 99. The number of records counts physical records, with continuations and the
//! trailer itself.

use super::record::Record;
use crate::Fault;

/// Names of a trailer's fields, and the sum that its control total must be.
pub(super) struct Trailer<const N: usize> {
    fields: [&'static str; N],
    sum: &'static str,
}

pub(super) const ACCOUNT: Trailer<1> =
    Trailer { fields: ["account control total"], sum: "sum of the amounts of 03 and 16 is another" };

pub(super) const GROUP: Trailer<2> = Trailer {
    fields: ["group control total", "number of accounts"],
    sum: "sum of the account totals is another",
};

pub(super) const FILE: Trailer<2> =
    Trailer { fields: ["file control total", "number of groups"], sum: "sum of the group totals is another" };

/// Checks the trailer of what began after `before` physical records: the control total, the counts, and the number of
/// records.
pub(super) fn check<const N: usize>(
    mut record: Record<'_, '_>,
    trailer: &Trailer<N>,
    values: [i128; N],
    before: usize,
) -> Result<(), Fault> {
    let mut stated = Vec::with_capacity(N);
    for name in trailer.fields {
        stated.push(record.required(name)?);
    }
    let records = record.required("number of records")?;
    let taken = record.end()?.taken;
    for (at, (field, value)) in stated.iter().zip(values).enumerate() {
        let is_total = at == 0;
        let found = if is_total { field.signed()? } else { field.number()? };
        if found != value {
            let why = if is_total { trailer.sum } else { "another number is there" };
            return Err(field.differs(why, value));
        }
    }
    let count = taken - before;
    if usize::try_from(records.number()?) == Ok(count) {
        return Ok(());
    }
    Err(records.differs("another number of records is there, continuations and trailers included", count))
}
