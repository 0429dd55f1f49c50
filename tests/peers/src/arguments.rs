//! The command line.

use std::time::Duration;

use clap::{Parser, ValueEnum};

/// Measures peers of Daybook on the same PostgreSQL and prints a JSON array of figures.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    /// A database of the server; beside it each load makes one of its own, and drops it.
    #[arg(long)]
    pub(crate) database_url: String,
    /// How long each load is measured, after a second that is not.
    #[arg(long, default_value = "8s", value_parser = parse_duration)]
    pub(crate) duration: Duration,
    /// Which peers.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "cala-ledger,postgres-es")]
    pub(crate) only: Vec<Peer>,
}

/// Whom Daybook is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    /// A ledger as a library.
    CalaLedger,
    /// An event store as a library.
    PostgresEs,
}

/// A whole number with a unit: ms, s, m.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u32 = number.parse().map_err(|_| "a number with a unit is expected: 8s, 1m".to_owned())?;
    let unit = match unit {
        "ms" => Duration::from_millis(1),
        "s" => Duration::from_secs(1),
        "m" => Duration::from_mins(1),
        _ => return Err("the unit must be ms, s or m".to_owned()),
    };
    let duration = unit.checked_mul(number).filter(|duration| !duration.is_zero());
    duration.ok_or_else(|| "more than nothing is expected".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_is_a_number_with_a_unit() {
        assert_eq!(parse_duration("8s"), Ok(Duration::from_secs(8)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["", "8", "s", "0s", "8h", "-1s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn both_peers_are_measured_unless_one_is_named() {
        let arguments = Arguments::parse_from(["peers", "--database-url", "x"]);
        assert_eq!(arguments.only, [Peer::CalaLedger, Peer::PostgresEs]);
        let arguments = Arguments::parse_from(["peers", "--database-url", "x", "--only", "postgres-es"]);
        assert_eq!(arguments.only, [Peer::PostgresEs]);
    }
}
