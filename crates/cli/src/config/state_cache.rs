//! Option for the size of the writer's cache.

use clap::Args;
use daybook_engine::STATE_CACHE_BYTES;

use super::parse_number;

/// Maximum size of the cache in bytes. Memory for the table of the cache is allocated at the start.
const MAX_BYTES: usize = 64 << 30;

/// Option of the writer's cache of states.
#[derive(Clone, Copy, Debug, Args)]
pub struct StateCache {
    /// Memory for the writer's cache of users, nodes, accounts and transactions, about 600 bytes each: 192MiB, 2GiB.
    #[arg(long, env = "DAYBOOK_STATE_CACHE", default_value = "192MiB", value_parser = bytes)]
    pub state_cache: usize,
}

impl Default for StateCache {
    fn default() -> Self {
        Self { state_cache: STATE_CACHE_BYTES }
    }
}

/// Parses a whole number with a unit MiB or GiB.
fn bytes(text: &str) -> Result<usize, String> {
    let (number, unit) = parse_number::<usize>(text, "192MiB, 2GiB")?;
    let unit: usize = match unit {
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err("the unit must be MiB or GiB".into()),
    };
    number
        .checked_mul(unit)
        .filter(|bytes| *bytes <= MAX_BYTES)
        .ok_or_else(|| "must be at most 64GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_needs_unit_and_has_maximum() {
        assert_eq!((bytes("0MiB"), bytes("3MiB"), bytes("64GiB")), (Ok(0), Ok(3 << 20), Ok(64 << 30)));
        assert_eq!(bytes("192MiB"), Ok(STATE_CACHE_BYTES));
        for text in ["", "3", "MiB", "-3MiB", "3 MiB", "1.5GiB", "3MB", "65GiB", "99999999999999999999GiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
