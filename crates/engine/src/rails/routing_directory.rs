//! Port to a directory of routing numbers, with its sandbox implementation.

use async_trait::async_trait;
use daybook_domain::posting::Rail;

/// Reason why a routing number could not be looked up.
#[derive(Debug, thiserror::Error)]
pub enum RoutingDirectoryError {
    /// No directory is configured.
    #[error("no directory of routing numbers is configured")]
    NoProvider,
    /// The directory cannot be reached.
    #[error("the directory of routing numbers cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// A bank, as listed in the directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBank {
    /// Common name.
    pub name: String,
    /// Full company name.
    pub long_name: String,
    /// City and state of the office that accepts payments; empty if unknown.
    pub address: String,
}

/// Looks up routing numbers of the American Bankers Association.
#[async_trait]
pub trait RoutingDirectory: Send + Sync + 'static {
    /// Returns the bank that accepts payments of this rail under `number`, nine digits with a valid checksum; none if
    /// there is no such bank.
    async fn bank_of(&self, number: &str, rail: Rail) -> Result<Option<ListedBank>, RoutingDirectoryError>;
}

/// Port for deployments without a directory.
pub struct NoRoutingDirectory;

#[async_trait]
impl RoutingDirectory for NoRoutingDirectory {
    async fn bank_of(&self, _: &str, _: Rail) -> Result<Option<ListedBank>, RoutingDirectoryError> {
        Err(RoutingDirectoryError::NoProvider)
    }
}

/// Banks of the sandbox: its own and a few well-known ones. All of them accept ACH and wires.
const KNOWN: [(&str, [&str; 3]); 6] = [
    ("123456780", ["Fake Bank", "Fake Bank, N.A.", "San Francisco, CA"]),
    ("021000021", ["JPMorgan Chase Bank", "JPMorgan Chase Bank, N.A.", "Tampa, FL"]),
    ("021000089", ["Citibank", "Citibank, N.A.", "New Castle, DE"]),
    ("026009593", ["Bank of America", "Bank of America, N.A.", "Richmond, VA"]),
    ("051000017", ["Bank of America", "Bank of America, N.A.", "Richmond, VA"]),
    ("121000248", ["Wells Fargo Bank", "Wells Fargo Bank, N.A.", "Minneapolis, MN"]),
];

/// A directory of a few banks.
pub struct SandboxRoutingDirectory;

#[async_trait]
impl RoutingDirectory for SandboxRoutingDirectory {
    async fn bank_of(&self, number: &str, rail: Rail) -> Result<Option<ListedBank>, RoutingDirectoryError> {
        let known = KNOWN.iter().find(|(known, _)| *known == number && rail != Rail::Check);
        Ok(known.map(|(_, bank)| {
            let [name, long_name, address] = bank.map(str::to_owned);
            ListedBank { name, long_name, address }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn sandbox_lists_a_few_banks() {
        for (number, rail, bank) in [
            ("021000021", Rail::Ach, Some("JPMorgan Chase Bank")),
            ("123456780", Rail::Wire, Some("Fake Bank")),
            ("123456780", Rail::Check, None),
            ("111000025", Rail::Ach, None),
        ] {
            let found = SandboxRoutingDirectory.bank_of(number, rail).await.expect("it is here");
            assert_eq!(found.map(|bank| bank.name).as_deref(), bank, "{number}");
        }
    }

    #[tokio::test]
    async fn missing_directory_is_an_error() {
        let answer = NoRoutingDirectory.bank_of("021000021", Rail::Ach).await;
        assert!(matches!(answer, Err(RoutingDirectoryError::NoProvider)));
    }
}
