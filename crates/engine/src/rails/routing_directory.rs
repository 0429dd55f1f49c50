//! The port to whoever knows which bank a routing number is, and the sandbox behind it.

use async_trait::async_trait;
use daybook_domain::posting::Rail;

/// Why a routing number could not be looked up.
#[derive(Debug, thiserror::Error)]
pub enum RoutingDirectoryError {
    /// Nobody here knows routing numbers.
    #[error("no directory of routing numbers is configured")]
    NoProvider,
    /// The way to the directory is blocked.
    #[error("the directory of routing numbers cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// A bank, as a directory knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedBank {
    /// The name that people know.
    pub name: String,
    /// The name of the company.
    pub long_name: String,
    /// City and state of the office that takes payments; empty if nobody knows.
    pub address: String,
}

/// Knows routing numbers of the American Bankers Association.
#[async_trait]
pub trait RoutingDirectory: Send + Sync + 'static {
    /// The bank that takes this rail's payments under `number`, nine digits with the right checksum; none if
    /// there is no such bank.
    async fn bank_of(&self, number: &str, rail: Rail) -> Result<Option<ListedBank>, RoutingDirectoryError>;
}

/// For deployments without a directory.
pub struct NoRoutingDirectory;

#[async_trait]
impl RoutingDirectory for NoRoutingDirectory {
    async fn bank_of(&self, _: &str, _: Rail) -> Result<Option<ListedBank>, RoutingDirectoryError> {
        Err(RoutingDirectoryError::NoProvider)
    }
}

/// What the sandbox knows: its own bank, and a few that everybody does. All of them take ACH and wires.
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
    async fn the_sandbox_knows_a_few_banks() {
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
    async fn without_a_directory_nobody_knows() {
        let answer = NoRoutingDirectory.bank_of("021000021", Rail::Ach).await;
        assert!(matches!(answer, Err(RoutingDirectoryError::NoProvider)));
    }
}
