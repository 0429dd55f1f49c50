//! Computation of the tree: for a commit that is about to be made, and for commits that were made without one.

use daybook_pg::Pg;
use daybook_proof::{CommitRoot, Frontier, Growth, Hash, Signature};
use uuid::Uuid;

use super::PostgresLog;
use super::rows::{self, bigint};
use crate::raw::{RawCommit, RawEvent};
use crate::root;
use crate::{Batch, Error, Head, Position, Shard, Sign, SignedRoot};

/// Root, signature and frontier of a commit, as its row stores them.
pub(super) struct Proof {
    pub(super) growth: Growth,
    /// Hash of each event's box.
    pub(super) boxes: Vec<Option<Hash>>,
    pub(super) root: CommitRoot,
    pub(super) signature: Option<Signature>,
}

impl Proof {
    /// Computes the proof of `batch` appended at `head`. `frontier` is the tree of `head`.
    pub(super) async fn of(
        (shard, writer): (Shard, Uuid),
        batch: &Batch,
        (head, next): (Head, Head),
        frontier: &Frontier,
        signer: Option<&dyn Sign>,
    ) -> Result<Self, Error> {
        let hash = |sealed: &Vec<u8>| root::hash_of_box(sealed);
        let boxes: Vec<_> = batch.events.iter().map(|event| event.sealed.as_ref().map(hash)).collect();
        let at = batch.recorded_at_ms;
        let places = (head.position + 1..).zip(batch.events.iter().zip(&boxes));
        let leaves =
            places.map(|(position, (event, sealed))| root::leaf(event, *sealed, shard, position, at).hash());
        let growth = Growth::new(frontier, leaves);
        let root = CommitRoot {
            origin: origin(signer),
            shard,
            commit_no: next.commit_no,
            batch: batch.id.into_bytes(),
            writer: writer.into_bytes(),
            recorded_at_us: next.recorded_at_ms.saturating_mul(1_000),
            head: growth.head(),
        };
        let signature = sign(&root, signer).await?;
        Ok(Self { growth, boxes, root, signature })
    }

    /// Returns the signed root, from which receipts are made, if the commit is signed.
    pub(super) fn signed(self) -> Option<SignedRoot> {
        let Self { growth, root, signature, .. } = self;
        Some(SignedRoot { root, signature: signature?, growth })
    }
}

/// Returns the origin of the log: the name of its key, or an empty string without a key.
fn origin(signer: Option<&dyn Sign>) -> String {
    signer.map(|signer| signer.key().name().to_owned()).unwrap_or_default()
}

async fn sign(root: &CommitRoot, signer: Option<&dyn Sign>) -> Result<Option<Signature>, Error> {
    let Some(signer) = signer else { return Ok(None) };
    let text = root.text().map_err(|error| Error::Refused(Box::new(error)))?;
    crate::sign(signer, &text).await.map(Some)
}

/// Encodes a frontier for the row of a commit: all hashes, concatenated.
pub(super) fn to_bytes(frontier: &Frontier) -> Vec<u8> {
    frontier.hashes().concat()
}

/// Decodes the frontier in the row of the commit at `head`; `None` if the row has none yet.
pub(super) fn frontier(
    head: Head,
    root: Option<&[u8]>,
    hashes: Option<&[u8]>,
) -> Result<Option<Frontier>, Error> {
    let Some(hashes) = hashes else { return Ok(None) };
    let corrupt = |what: &str| Error::Corrupt { position: head.position, what: what.to_owned() };
    let (hashes, rest) = hashes.as_chunks();
    let frontier = Frontier::restore(head.position, hashes.to_vec());
    let frontier = frontier.ok().filter(|_| rest.is_empty());
    let frontier = frontier.ok_or_else(|| corrupt("the newest commit has a tree of another size"))?;
    if root != Some(frontier.head().root.as_slice()) {
        return Err(corrupt("the root of the newest commit is not that of its tree"));
    }
    Ok(Some(frontier))
}

/// Computes the tree of every commit that has none, in order, and signs the commit if it has no signature.
///
/// Any number of processes may do so at the same time: all of them compute the same trees.
pub(super) async fn backfill_roots(pg: &Pg, shard: Shard, signer: Option<&dyn Sign>) -> Result<(), Error> {
    let log = PostgresLog::new(pg.clone());
    let (mut commit_no, mut frontier) = last_proved(pg, shard).await?;
    let mut leaves = Leaves::new(&log, shard);
    loop {
        let commits = log.raw_commits(shard, commit_no).await?;
        let Some(last) = commits.last() else { return Ok(()) };
        commit_no = last.commit_no;
        let mut rows = Rows::default();
        for commit in &commits {
            while frontier.size() < commit.last_position {
                frontier.push(leaves.next(frontier.size()).await?);
            }
            let root = commit.root(&origin(signer), shard, frontier.head());
            let signature = sign(&root, signer).await?;
            rows.add(commit, &root, signature, &frontier)?;
        }
        rows.save(pg, shard).await?;
    }
}

/// Returns the number of the newest commit that has a tree, and the tree.
async fn last_proved(pg: &Pg, shard: Shard) -> Result<(u64, Frontier), Error> {
    let client = pg.of(shard).client().await?;
    let statement = client.prepare_cached(include_str!("sql/read_last_proved.sql")).await?;
    let row = client.query_opt(&statement, &[&shard]).await?;
    let (head, frontier) = rows::tree(row.as_ref())?;
    Ok((head.commit_no, frontier.unwrap_or_default()))
}

/// Leaf hashes of recorded events, in order.
pub(super) struct Leaves<'a> {
    log: &'a PostgresLog,
    shard: Shard,
    page: std::vec::IntoIter<RawEvent>,
}

impl<'a> Leaves<'a> {
    pub(super) fn new(log: &'a PostgresLog, shard: Shard) -> Self {
        Self { log, shard, page: vec![].into_iter() }
    }

    /// Returns the leaf hash of the event after position `after`. Each call continues the one before.
    pub(super) async fn next(&mut self, after: Position) -> Result<Hash, Error> {
        if self.page.len() == 0 {
            self.page = self.log.raw_events(self.shard, after, Position::MAX, false).await?.into_iter();
        }
        let corrupt = |what: &str| Error::Corrupt { position: after, what: what.to_owned() };
        let event = self.page.next().filter(|event| event.position == after + 1);
        let event = event.ok_or_else(|| corrupt("the next event is missing"))?;
        let leaf = event.leaf(self.shard).ok_or_else(|| corrupt("the hash of a box has not 32 bytes"))?;
        Ok(leaf.hash())
    }
}

/// Values to write to commits, column by column.
#[derive(Default)]
struct Rows {
    numbers: Vec<i64>,
    roots: Vec<Vec<u8>>,
    signatures: Vec<Option<Vec<u8>>>,
    frontiers: Vec<Vec<u8>>,
}

impl Rows {
    fn add(
        &mut self,
        commit: &RawCommit,
        root: &CommitRoot,
        signature: Option<Signature>,
        frontier: &Frontier,
    ) -> Result<(), Error> {
        let corrupt = |what: &str| Error::Corrupt {
            position: commit.last_position.min(frontier.size()),
            what: format!("commit {}: {what}", commit.commit_no),
        };
        if frontier.size() != commit.last_position {
            return Err(corrupt("it ends before the one that it follows"));
        }
        if commit.root.as_ref().is_some_and(|has| has.as_slice() != root.head.root.as_slice()) {
            return Err(corrupt("its root is not that of its events"));
        }
        self.numbers.push(bigint(commit.commit_no));
        self.roots.push(root.head.root.to_vec());
        self.signatures.push(signature.map(|signature| signature.to_bytes().to_vec()));
        self.frontiers.push(to_bytes(frontier));
        Ok(())
    }

    async fn save(&self, pg: &Pg, shard: Shard) -> Result<(), Error> {
        let Self { numbers, roots, signatures, frontiers } = self;
        let client = pg.of(shard).client().await?;
        let statement = client.prepare_cached(include_str!("sql/prove_commits.sql")).await?;
        client.execute(&statement, &[&shard, numbers, roots, signatures, frontiers]).await?;
        Ok(())
    }
}
