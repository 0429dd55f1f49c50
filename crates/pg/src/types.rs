//! Column types that the driver lacks: exact JSON text, and timestamps as integers.

use std::error::Error;

use bytes::{BufMut, BytesMut};
use postgres_types::{FromSql, IsNull, ToSql, Type, accepts, to_sql_checked};

/// Microseconds from the Unix epoch to 2000-01-01, the epoch of PostgreSQL.
const EPOCH_2000_US: i64 = 946_684_800_000_000;

/// A `timestamptz` as whole milliseconds since the Unix epoch (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimestampMs(pub i64);

impl ToSql for TimestampMs {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        let micros = self.0.checked_mul(1000).and_then(|us| us.checked_sub(EPOCH_2000_US));
        out.put_i64(micros.ok_or("timestamp out of range")?);
        Ok(IsNull::No)
    }
    accepts!(TIMESTAMPTZ);
    to_sql_checked!();
}

impl FromSql<'_> for TimestampMs {
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let micros = i64::from_be_bytes(raw.try_into()?);
        Ok(Self(micros.checked_add(EPOCH_2000_US).ok_or("timestamp out of range")?.div_euclid(1000)))
    }
    accepts!(TIMESTAMPTZ);
}

/// A `timestamptz` with the precision of the database, as microseconds since the Unix epoch (UTC).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimestampUs(pub i64);

impl ToSql for TimestampUs {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_i64(self.0.checked_sub(EPOCH_2000_US).ok_or("timestamp out of range")?);
        Ok(IsNull::No)
    }
    accepts!(TIMESTAMPTZ);
    to_sql_checked!();
}

impl FromSql<'_> for TimestampUs {
    /// Converts infinity to the largest number.
    fn from_sql(_: &Type, raw: &[u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(i64::from_be_bytes(raw.try_into()?).saturating_add(EPOCH_2000_US)))
    }
    accepts!(TIMESTAMPTZ);
}

/// A `json` value as the exact bytes that were given. PostgreSQL keeps them (unlike `jsonb`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText<T>(pub T);

impl<T: AsRef<[u8]> + std::fmt::Debug> ToSql for JsonText<T> {
    fn to_sql(&self, _: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_slice(self.0.as_ref());
        Ok(IsNull::No)
    }
    accepts!(JSON);
    to_sql_checked!();
}

impl<'a> FromSql<'a> for JsonText<&'a [u8]> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(raw))
    }
    accepts!(JSON);
}
