//! Balance of an account at a position, with its proof.

use daybook_engine::{Newest, ProvedBalance};
use serde::Serialize;
use utoipa::ToSchema;

use super::event::Included;
use super::hashes;

/// Proof of a balance: an entry of the account, and evidence that no newer entry existed at the position `at`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct BalanceProof {
    account: String,
    at: u64,
    entry: Option<Included>,
    #[serde(flatten)]
    newest: Until,
    checkpoint: String,
}

/// Evidence that the entry was the newest: the next entry of the account, or the tree of last entries.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = NewestEntry)]
enum Until {
    Next(Included),
    Last(Last),
}

/// Place of an entry in a tree of last entries.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LastEntry)]
struct Last {
    committed: Included,
    index: u64,
    path: Vec<String>,
}

impl From<&ProvedBalance> for BalanceProof {
    fn from(proved: &ProvedBalance) -> Self {
        let newest = match &proved.newest {
            Newest::Next(next) => Until::Next(next.into()),
            Newest::Last(committed, placed) => {
                let (index, path) = (placed.index, hashes(&placed.path));
                Until::Last(Last { committed: committed.into(), index, path })
            }
        };
        Self {
            account: proved.account.to_string(),
            at: proved.at,
            entry: proved.entry.as_ref().map(Included::from),
            newest,
            checkpoint: proved.checkpoint.clone(),
        }
    }
}
