//! How much the writer remembers.

use clap::Args;
use daybook_engine::STATE_CACHE;

use super::parse_number;

/// The largest that may be asked for, in bytes; room for what fits is taken at the start.
const LARGEST: usize = 64 << 30;

/// The option of the writer's cache of states.
#[derive(Clone, Copy, Debug, Args)]
pub struct StateCache {
    /// Memory for states of users, nodes, accounts and transactions, some 600 bytes each, that the writer need not read
    /// again: 192MiB, 2GiB.
    #[arg(long, env = "DAYBOOK_STATE_CACHE", default_value = "192MiB", value_parser = bytes)]
    pub state_cache: usize,
}

impl Default for StateCache {
    fn default() -> Self {
        Self { state_cache: STATE_CACHE }
    }
}

/// A whole number with a unit: MiB, GiB.
fn bytes(text: &str) -> Result<usize, String> {
    let (number, unit) = parse_number::<usize>(text, "192MiB, 2GiB")?;
    let unit: usize = match unit {
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err("the unit must be MiB or GiB".into()),
    };
    number
        .checked_mul(unit)
        .filter(|bytes| *bytes <= LARGEST)
        .ok_or_else(|| "at most 64GiB, please".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_needs_a_unit_and_has_an_end() {
        assert_eq!((bytes("0MiB"), bytes("3MiB"), bytes("64GiB")), (Ok(0), Ok(3 << 20), Ok(64 << 30)));
        assert_eq!(bytes("192MiB"), Ok(STATE_CACHE));
        for text in ["", "3", "MiB", "-3MiB", "3 MiB", "1.5GiB", "3MB", "65GiB", "99999999999999999999GiB"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
