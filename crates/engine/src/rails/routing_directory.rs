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

/// Knows routing numbers of the American Bankers Association.
#[async_trait]
pub trait RoutingDirectory: Send + Sync + 'static {
    /// The name of the bank that takes this rail's payments under `number`, nine digits with the right checksum; none if
    /// there is no such bank.
    async fn bank_of(&self, number: &str, rail: Rail) -> Result<Option<String>, RoutingDirectoryError>;
}

/// For deployments without a directory.
pub struct NoRoutingDirectory;

#[async_trait]
impl RoutingDirectory for NoRoutingDirectory {
    async fn bank_of(&self, _: &str, _: Rail) -> Result<Option<String>, RoutingDirectoryError> {
        Err(RoutingDirectoryError::NoProvider)
    }
}

/// What the sandbox knows: its own bank, and a few that everybody does. All of them take ACH and wires.
const KNOWN: [(&str, &str); 6] = [
    ("123456780", "Fake Bank"),
    ("021000021", "JPMorgan Chase Bank"),
    ("021000089", "Citibank"),
    ("026009593", "Bank of America"),
    ("051000017", "Bank of America"),
    ("121000248", "Wells Fargo Bank"),
];

/// A directory of a few banks.
pub struct SandboxRoutingDirectory;

#[async_trait]
impl RoutingDirectory for SandboxRoutingDirectory {
    async fn bank_of(&self, number: &str, rail: Rail) -> Result<Option<String>, RoutingDirectoryError> {
        let known = KNOWN.iter().find(|(known, _)| *known == number && rail != Rail::Check);
        Ok(known.map(|(_, bank)| (*bank).to_owned()))
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
            assert_eq!(found.as_deref(), bank, "{number}");
        }
    }

    #[tokio::test]
    async fn without_a_directory_nobody_knows() {
        let answer = NoRoutingDirectory.bank_of("021000021", Rail::Ach).await;
        assert!(matches!(answer, Err(RoutingDirectoryError::NoProvider)));
    }
}
