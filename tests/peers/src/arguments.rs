//! Command line.

use std::time::Duration;

use clap::{Parser, ValueEnum};

/// Measures peers of Daybook on the same PostgreSQL and prints a JSON array of figures.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Arguments {
    /// Database of the server. Each load creates a database of its own beside it, and drops it.
    #[arg(long)]
    pub(crate) database_url: String,
    /// Duration of each load, after a warm-up of one second.
    #[arg(long, default_value = "8s", value_parser = parse_duration)]
    pub(crate) duration: Duration,
    /// Peers to measure.
    #[arg(long, value_enum, value_delimiter = ',', default_value = "cala-ledger,postgres-es")]
    pub(crate) only: Vec<Peer>,
}

/// Peers that Daybook is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Peer {
    /// A ledger as a library.
    CalaLedger,
    /// An event store as a library.
    PostgresEs,
}

/// Parses a positive integer with a unit: ms, s, m.
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
    duration.ok_or_else(|| "the duration must be positive, and not too long".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_a_number_with_unit() {
        assert_eq!(parse_duration("8s"), Ok(Duration::from_secs(8)));
        assert_eq!(parse_duration("250ms"), Ok(Duration::from_millis(250)));
        for text in ["", "8", "s", "0s", "8h", "-1s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn peers_are_both_measured_by_default() {
        let arguments = Arguments::parse_from(["peers", "--database-url", "x"]);
        assert_eq!(arguments.only, [Peer::CalaLedger, Peer::PostgresEs]);
        let arguments = Arguments::parse_from(["peers", "--database-url", "x", "--only", "postgres-es"]);
        assert_eq!(arguments.only, [Peer::PostgresEs]);
    }
}
