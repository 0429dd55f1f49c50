//! Balance proofs: the entry with an account's balance at a position, and the proof that it was the newest entry.

use daybook_domain::{AccountId, Key, PlatformId};
use daybook_log::postgres::{PlacedEntry, Tree};
use daybook_log::raw::RawEvent;
use daybook_log::{Log, Position, Shard};
use daybook_projector::{Reads, Until};
use daybook_proof::{Hash, inclusion};
use uuid::Uuid;

use super::{MadeCheckpoint, ShardAudit, corrupt, refused};

/// An event with its inclusion path.
#[derive(Clone, Debug)]
pub struct Included {
    /// The shard whose log contains the event.
    pub shard: Shard,
    /// The event's row, without the box.
    pub event: RawEvent,
    /// Sibling hashes from the leaf to the root.
    pub path: Vec<Hash>,
}

/// Proof that an entry was the newest one.
#[derive(Clone, Debug)]
pub enum Newest {
    /// The account's next entry comes after the position.
    Next(Included),
    /// An event that commits to a tree of last entries, in which the entry is the account's last one.
    Last(Included, PlacedEntry),
}

/// The balance of an account at a position, with its proof.
#[derive(Clone, Debug)]
pub struct ProvedBalance {
    /// Stream of the account.
    pub account: Uuid,
    /// Position in the log.
    pub at: Position,
    /// Entry with the balance; none if the account's first entry came later.
    pub entry: Option<Included>,
    /// Proof that no newer entry existed.
    pub newest: Newest,
    /// Checkpoint to which all paths lead.
    pub checkpoint: String,
}

/// Reason why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum BalanceError {
    /// The requested moment is beyond the head of the log.
    #[error("the log has not come so far")]
    Beyond,
    /// The account has no entry.
    #[error("the account has no entry")]
    NoEntry,
    /// The newest entry is attested only up to this position, or not at all if it is 0. The next attestation will cover
    /// it.
    #[error("attested up to position {0}")]
    NotAttested(Position),
    /// The log or the read models failed.
    #[error(transparent)]
    Failed(#[from] daybook_projector::Error),
}

impl From<daybook_log::Error> for BalanceError {
    fn from(error: daybook_log::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Position and version of an entry.
type EntryPlace = (Position, u32);

impl ShardAudit {
    /// Proves the balance of `account` of `platform` at a moment, or at the newest attested position if `until` is
    /// none.
    ///
    /// # Errors
    ///
    /// [`BalanceError`] if there is nothing to prove, or nothing yet.
    pub async fn balance(
        &self,
        reads: &Reads,
        platform: PlatformId,
        account: AccountId,
        until: Option<Until>,
    ) -> Result<ProvedBalance, BalanceError> {
        let tree = self.log.last_attested(self.shard, Uuid::from(platform)).await?;
        let attested = tree.as_ref().map_or(0, |tree| tree.last.position);
        let at = match until {
            None if tree.is_none() => return Err(BalanceError::NotAttested(0)),
            None => attested,
            Some(until) => {
                reads.aggregates().position_until(self.shard, until).await?.ok_or(BalanceError::Beyond)?
            }
        };
        let entry = reads.aggregates().entry_at(self.shard, account.into(), at).await?;
        let entry: Option<EntryPlace> = entry.map(|entry| (entry.position, entry.version));
        let stream = Uuid::from_u128(Key::from(account).id);
        let version = entry.map_or(0, |(_, version)| version);
        let next = self.log.stream_page(self.shard, stream, version, 1).await?.pop();
        match (next, entry, tree) {
            (Some(next), entry, _) => self.until_next(stream, at, entry, next.position).await,
            (None, None, _) => Err(BalanceError::NoEntry),
            (None, Some(entry), Some(tree)) if at <= attested => {
                self.until_last(stream, at, entry, &tree).await
            }
            (None, Some(_), _) => Err(BalanceError::NotAttested(attested)),
        }
    }

    async fn until_next(
        &self,
        account: Uuid,
        at: Position,
        entry: Option<EntryPlace>,
        next: Position,
    ) -> Result<ProvedBalance, BalanceError> {
        let made = self.covering(next).await?;
        let positions = entry.map(|(position, _)| position).into_iter().chain([next]);
        let mut included = self.include(&made, positions.collect()).await?.into_iter();
        let entry = if entry.is_some() { included.next() } else { None };
        let next = included.next().ok_or_else(|| corrupt(next, "it is missing"))?;
        Ok(ProvedBalance { account, at, entry, newest: Newest::Next(next), checkpoint: made.note })
    }

    async fn until_last(
        &self,
        account: Uuid,
        at: Position,
        (entry, _): EntryPlace,
        tree: &Tree,
    ) -> Result<ProvedBalance, BalanceError> {
        let placed = self.log.place(self.shard, tree, account).await?;
        let placed = placed.filter(|placed| placed.entry.position == entry);
        let placed = placed.ok_or_else(|| corrupt(entry, "the tree of last entries does not have it"))?;
        let committed = tree.attested.ok_or_else(|| corrupt(entry, "its tree is not attested"))?;
        let made = self.covering(committed).await?;
        let mut included = self.include(&made, vec![entry, committed]).await?.into_iter();
        let (entry, committed) = (included.next(), included.next());
        let committed = committed.ok_or_else(|| corrupt(at, "what attests it is missing"))?;
        let newest = Newest::Last(committed, placed);
        Ok(ProvedBalance { account, at, entry, newest, checkpoint: made.note })
    }

    /// Returns the events at `positions` with their paths to the root of `made`, which must cover them.
    pub(super) async fn include(
        &self,
        made: &MadeCheckpoint,
        positions: Vec<Position>,
    ) -> Result<Vec<Included>, daybook_log::Error> {
        let mut nodes = vec![];
        for position in &positions {
            nodes.extend(inclusion::needs(position.saturating_sub(1), made.size).map_err(refused)?);
        }
        let source = self.log.proving(self.shard, made.size, &nodes).await?;
        let mut included = Vec::with_capacity(positions.len());
        for position in positions {
            let index = position.saturating_sub(1);
            let event = self.log.raw_events(self.shard, index, position, false).await?.pop();
            let event = event.ok_or_else(|| corrupt(position, "it is missing"))?;
            included.push(Included {
                shard: self.shard,
                event,
                path: inclusion::prove(&source, index, made.size).map_err(refused)?,
            });
        }
        Ok(included)
    }
}
