//! Mapping of a bank's CSV: a file in TOML.

use std::ffi::OsStr;
use std::path::Path;

use daybook_engine::statements::Mapping;
use daybook_intake::file::{self, Pipes};

use crate::error::Error;

/// Name of the mapping in the folder of a bank.
pub(super) const FILE: &str = "mapping.toml";

/// Maximum size of a mapping, in bytes.
const MAX_MAPPING: u64 = 64 << 10;

/// Beginning of Daybook's own CSV.
const OWN: &[u8] = b"date,opening_balance,closing_balance,currency";

/// Reads a mapping.
///
/// # Errors
///
/// Fails if the file cannot be read, or is no mapping.
pub(crate) fn read(path: &Path) -> Result<Mapping, Error> {
    let wrong = |error: &dyn std::fmt::Display| Error::Usage(format!("{}: {error}", path.display()));
    let text = file::read_to_string(path, MAX_MAPPING, Pipes::Read).map_err(|error| wrong(&error))?;
    toml::from_str(&text).map_err(|error| wrong(&error))
}

/// Returns true if a file is named as a CSV and is not Daybook's own.
pub(super) fn may_apply(name: &OsStr, bytes: &[u8]) -> bool {
    let is_csv = Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("csv"));
    is_csv && !bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).starts_with(OWN)
}
