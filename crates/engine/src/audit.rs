//! Audit: checkpoints and proofs, by which outsiders verify the log without trusting it. Formats:
//! `docs/reference/proof.md`.

mod balance;

pub use balance::{BalanceError, Included, Newest, ProvedBalance};
use daybook_log::postgres::{MadeCheckpoint, PostgresLog};
use daybook_log::{Error, Log, Position, Signers, sign};
use daybook_proof::{
    Checkpoint, Hash, Key, Note, Receipt, Signature, Tile, TreeHead, consistency, inclusion,
};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::clock::Clock;
use crate::engine::SHARD;

/// Ratio of pause to work while tiles are filled: filling them takes at most a fifth of one core.
const REST_FACTOR: u32 = 4;

/// Creates checkpoints and proofs. Cheap to clone.
#[derive(Clone)]
pub struct Audit {
    log: PostgresLog,
    signers: Signers,
}

/// An event with the proof that it is in the log.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The event, and the inclusion path from its leaf to the checkpoint's root.
    pub included: Included,
    /// The checkpoint, a signed note.
    pub checkpoint: String,
}

impl Audit {
    /// Creates an audit of `log`. The newest key of `signers` signs its commits.
    #[must_use]
    pub fn new(log: PostgresLog, signers: Signers) -> Self {
        Self { log, signers }
    }

    /// Returns every key that ever signed, newest first, for verifiers without a better source of keys.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn keys(&self) -> Result<Vec<Key>, Error> {
        self.log.signing_keys(SHARD).await
    }

    /// Returns the newest checkpoint, and creates the first one if there is none.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read or the signing key is unavailable.
    pub async fn checkpoint(&self) -> Result<MadeCheckpoint, Error> {
        match self.log.last_checkpoint(SHARD).await? {
            Some(made) => Ok(made),
            None => self.make_checkpoint().await,
        }
    }

    /// Creates a checkpoint of the whole log, unless the newest checkpoint already covers it.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read or written, or the signing key is unavailable.
    pub async fn make_checkpoint(&self) -> Result<MadeCheckpoint, Error> {
        let size = self.log.head(SHARD).await?.position;
        let last = self.log.last_checkpoint(SHARD).await?;
        if let Some(last) = last.filter(|last| last.size >= size) {
            return Ok(last);
        }
        // Verify the end of the log first: a signature cannot be taken back.
        let keys = [self.signers.keys(), self.keys().await?].concat();
        self.log.check_end(SHARD, &keys, size).await?;
        let head = self.head(size).await?;
        let origin = self.signers.newest.key().name().to_owned();
        let checkpoint = Checkpoint { origin, head, extensions: vec![] };
        let text = checkpoint.text().map_err(refused)?;
        let mut note = Note::new(&text).map_err(refused)?;
        for signer in self.signers.all() {
            note.add(signer.key(), sign(signer, &text).await?).map_err(refused)?;
        }
        let made = MadeCheckpoint { size, note: note.render() };
        self.log.keep_checkpoint(SHARD, &made, Clock.now().ms()).await?;
        Ok(made)
    }

    /// Returns the unsigned checkpoint text for the first `size` events, or none if no commit of the log ends there.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn says(&self, size: Position) -> Result<Option<String>, Error> {
        let commit = self.log.raw_commit_of(SHARD, size).await?;
        let commit = commit.filter(|commit| commit.last_position == size);
        let Some(root) = commit.and_then(|commit| commit.root?.try_into().ok()) else { return Ok(None) };
        let (origin, head) = (self.signers.newest.key().name().to_owned(), TreeHead { size, root });
        Checkpoint { origin, head, extensions: vec![] }.text().map(Some).map_err(refused)
    }

    /// Returns size and root of the tree of the first `size` events; a commit must end there.
    async fn head(&self, size: Position) -> Result<TreeHead, Error> {
        if size == 0 {
            return Ok(TreeHead { size, root: daybook_proof::tree::empty_root() });
        }
        let commit = self.log.raw_commit_of(SHARD, size).await?;
        let root = commit.and_then(|commit| commit.root?.try_into().ok());
        let root = root.ok_or_else(|| corrupt(size, "the newest commit has no root"))?;
        Ok(TreeHead { size, root })
    }

    /// Returns the event at `position` with its proof, or none if no checkpoint covers it.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn event(&self, position: Position) -> Result<Option<Proved>, Error> {
        let made = self.covering(position).await?;
        if position == 0 || made.size < position {
            return Ok(None);
        }
        let included = self.include(&made, vec![position]).await?.pop();
        Ok(included.map(|included| Proved { included, checkpoint: made.note }))
    }

    /// Returns a checkpoint that covers `position`, if the log is that long.
    async fn covering(&self, position: Position) -> Result<MadeCheckpoint, Error> {
        let made = self.checkpoint().await?;
        if made.size < position { self.make_checkpoint().await } else { Ok(made) }
    }

    /// Returns the position of the event with this id.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn position_of(&self, event: Uuid) -> Result<Option<Position>, Error> {
        self.log.position_of(SHARD, event).await
    }

    /// Returns the receipt of the event at `position` with its platform, or none if there is no such event or its
    /// commit is not signed.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read, or if no key of the log made the commit's signature.
    pub async fn receipt(&self, position: Position) -> Result<Option<(Receipt, Uuid)>, Error> {
        let Some(commit) = self.log.raw_commit_of(SHARD, position).await? else { return Ok(None) };
        let index = position.saturating_sub(1);
        let event = self.log.raw_events(SHARD, index, position, false).await?.pop();
        let root = commit.root.as_deref().and_then(|root| root.try_into().ok());
        let signature = commit.signature.as_deref().and_then(Signature::from_bytes);
        let (Some(event), Some(root), Some(signature)) = (event, root, signature) else { return Ok(None) };
        let Some(leaf) = event.leaf(SHARD) else { return Ok(None) };
        let head = TreeHead { size: commit.last_position, root };
        let nodes = inclusion::needs(index, head.size).map_err(refused)?;
        let source = self.log.proving(SHARD, head.size, &nodes).await?;
        let path = inclusion::prove(&source, index, head.size).map_err(refused)?;
        let root = commit.root(self.signers.newest.key().name(), SHARD, head);
        if root.verify(&signature, &self.keys().await?).is_err() {
            return Err(corrupt(position, "the commit is not signed by a key of the log"));
        }
        let receipt = Receipt { position, leaf_hash: leaf.hash(), root, signature, path: Some(path) };
        Ok(Some((receipt, event.platform)))
    }

    /// Proves that the tree of `from` events is the beginning of the tree of `to` events. Returns none if the log has
    /// fewer events, or if `from` is larger than `to`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn consistency(&self, from: Position, to: Position) -> Result<Option<Vec<Hash>>, Error> {
        if to > self.log.head(SHARD).await?.position {
            return Ok(None);
        }
        let Ok(nodes) = consistency::needs(from, to) else { return Ok(None) };
        let source = self.log.proving(SHARD, to, &nodes).await?;
        consistency::prove(&source, from, to).map(Some).map_err(refused)
    }

    /// Returns the bytes of a tile, or none if the log has too few events.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, Error> {
        self.log.tile(SHARD, self.log.head(SHARD).await?.position, tile).await
    }

    /// Repairs tiles that differ from the log, for example because an older release filled them concurrently. Returns
    /// the number of repaired tiles.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read or the tiles cannot be written.
    pub async fn mend_tiles(&self) -> Result<usize, Error> {
        self.log.mend_tiles(SHARD).await
    }

    /// Fills the tiles up to the head of the log, so that proofs are cheap on request. Pauses between two pieces of
    /// work, because commands go first and nothing waits for tiles.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read or the tiles cannot be written.
    pub async fn fill_tiles(&self) -> Result<(), Error> {
        let head = self.log.head(SHARD).await?.position;
        let mut tiled = self.log.tiled(SHARD).await?;
        let mut began = Instant::now();
        while let Some(more) = self.log.fill_more(SHARD, tiled, head).await? {
            tiled = more;
            sleep(began.elapsed() * REST_FACTOR).await;
            began = Instant::now();
        }
        Ok(())
    }
}

fn refused(error: daybook_proof::Error) -> Error {
    Error::Refused(Box::new(error))
}

fn corrupt(position: Position, what: &str) -> Error {
    Error::Corrupt { position, what: what.to_owned() }
}
