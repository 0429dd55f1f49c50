//! Balance proofs: the entry that holds an account's numbers at a position, and that it was the newest one.

use daybook_domain::{AccountId, Key, PlatformId};
use daybook_log::postgres::{Placed, Tree};
use daybook_log::raw::RawEvent;
use daybook_log::{Log, Position};
use daybook_projector::{Reads, Until};
use daybook_proof::{Hash, inclusion};
use uuid::Uuid;

use super::{Audit, Made, corrupt, refused};
use crate::engine::SHARD;

/// An event, and the way from its leaf to a root.
#[derive(Clone, Debug)]
pub struct Included {
    /// Its row, without the box.
    pub event: RawEvent,
    /// The hashes beside the way.
    pub path: Vec<Hash>,
}

/// Why an entry was the newest.
#[derive(Clone, Debug)]
pub enum Newest {
    /// The account's next entry is behind the position.
    Next(Included),
    /// An event commits to a tree of last entries in which it is the account's last.
    Last(Included, Placed),
}

/// What an account had at a position, with what proves it.
#[derive(Clone, Debug)]
pub struct ProvedBalance {
    /// The account's stream.
    pub account: Uuid,
    /// The position.
    pub at: Position,
    /// The entry with the numbers; none if the first one came later.
    pub entry: Option<Included>,
    /// Why there was no newer one.
    pub newest: Newest,
    /// The checkpoint to which all paths lead.
    pub checkpoint: String,
}

/// Why there is no proof.
#[derive(Debug, thiserror::Error)]
pub enum BalanceError {
    /// The log has not come so far.
    #[error("the log has not come so far")]
    Beyond,
    /// The account has no entry.
    #[error("the account has no entry")]
    NoEntry,
    /// Its newest entry can be proved only up to this position, 0 if to none: the next attestation will come later.
    #[error("attested up to position {0}")]
    NotAttested(Position),
    /// A failure of log or read models.
    #[error(transparent)]
    Failed(#[from] daybook_projector::Error),
}

impl From<daybook_log::Error> for BalanceError {
    fn from(error: daybook_log::Error) -> Self {
        Self::Failed(error.into())
    }
}

/// Where an entry is.
type Place = (Position, u32);

impl Audit {
    /// Proves what `account` of `platform` had at a moment; without one, at the newest that is attested.
    ///
    /// # Errors
    ///
    /// [`BalanceError`]: there is nothing to prove, or not yet.
    pub async fn balance(
        &self,
        reads: &Reads,
        platform: PlatformId,
        account: AccountId,
        until: Option<Until>,
    ) -> Result<ProvedBalance, BalanceError> {
        let tree = self.log.last_attested(SHARD, Uuid::from(platform)).await?;
        let attested = tree.as_ref().map_or(0, |tree| tree.last.position);
        let at = match until {
            None if tree.is_none() => return Err(BalanceError::NotAttested(0)),
            None => attested,
            Some(until) => {
                reads.aggregates().position_until(SHARD, until).await?.ok_or(BalanceError::Beyond)?
            }
        };
        let entry = reads.aggregates().entry_at(SHARD, account.into(), at).await?;
        let entry: Option<Place> = entry.map(|entry| (entry.position, entry.version));
        let stream = Uuid::from_u128(Key::from(account).id);
        let version = entry.map_or(0, |(_, version)| version);
        let next = self.log.stream_page(SHARD, stream, version, 1).await?.pop();
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
        entry: Option<Place>,
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
        (entry, _): Place,
        tree: &Tree,
    ) -> Result<ProvedBalance, BalanceError> {
        let placed = self.log.place(SHARD, tree, account).await?;
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

    /// The events at `positions` with their ways to the root of `made`, which covers them.
    pub(super) async fn include(
        &self,
        made: &Made,
        positions: Vec<Position>,
    ) -> Result<Vec<Included>, daybook_log::Error> {
        let mut nodes = vec![];
        for position in &positions {
            nodes.extend(inclusion::needs(position.saturating_sub(1), made.size).map_err(refused)?);
        }
        let source = self.log.proving(SHARD, made.size, &nodes).await?;
        let mut included = Vec::with_capacity(positions.len());
        for position in positions {
            let index = position.saturating_sub(1);
            let event = self.log.raw_events(SHARD, index, position, false).await?.pop();
            let event = event.ok_or_else(|| corrupt(position, "it is missing"))?;
            included.push(Included {
                event,
                path: inclusion::prove(&source, index, made.size).map_err(refused)?,
            });
        }
        Ok(included)
    }
}
