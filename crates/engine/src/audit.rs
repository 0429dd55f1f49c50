//! Audit: checkpoints and proofs, by which outsiders verify the log without trusting it. Formats:
//! `docs/reference/proof.md`.

mod balance;
mod tiles;

pub use balance::{BalanceError, Included, Newest, ProvedBalance};
use daybook_log::postgres::{MadeCheckpoint, PostgresLog};
use daybook_log::{Error, Log, Position, Shard, Signers, sign};
use daybook_proof::{Checkpoint, Key, Note, Receipt, Signature, TreeHead, inclusion};
use uuid::Uuid;

use crate::clock::Clock;

/// Creates checkpoints and proofs of every shard. Cheap to clone.
#[derive(Clone)]
pub struct Audit {
    log: PostgresLog,
    signers: Signers,
}

/// Creates checkpoints and proofs of one shard, under the shard's own origin. Cheap to clone.
#[derive(Clone)]
pub struct ShardAudit {
    log: PostgresLog,
    signers: Signers,
    shard: Shard,
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
    /// Creates an audit of `log`. The newest key of `signers` signs the commits of shard 1.
    #[must_use]
    pub fn new(log: PostgresLog, signers: Signers) -> Self {
        Self { log, signers }
    }

    /// Returns the audit of `shard`.
    ///
    /// # Errors
    ///
    /// [`Error::Refused`] if the keys have no origin for `shard`.
    pub fn of(&self, shard: Shard) -> Result<ShardAudit, Error> {
        Ok(ShardAudit { log: self.log.clone(), signers: self.signers.of(shard)?, shard })
    }
}

impl ShardAudit {
    /// Returns every key that ever signed, newest first, for verifiers without a better source of keys.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn keys(&self) -> Result<Vec<Key>, Error> {
        self.log.signing_keys(self.shard).await
    }

    /// Returns the newest checkpoint, and creates the first one if there is none.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read or the signing key is unavailable.
    pub async fn checkpoint(&self) -> Result<MadeCheckpoint, Error> {
        match self.log.last_checkpoint(self.shard).await? {
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
        let size = self.log.head(self.shard).await?.position;
        let last = self.log.last_checkpoint(self.shard).await?;
        if let Some(last) = last.filter(|last| last.size >= size) {
            return Ok(last);
        }
        // Verify the end of the log first: a signature cannot be taken back.
        let keys = [self.signers.keys(), self.keys().await?].concat();
        self.log.check_end(self.shard, &keys, size).await?;
        let head = self.head(size).await?;
        let origin = self.signers.newest.key().name().to_owned();
        let checkpoint = Checkpoint { origin, head, extensions: vec![] };
        let text = checkpoint.text().map_err(refused)?;
        let mut note = Note::new(&text).map_err(refused)?;
        for signer in self.signers.all() {
            note.add(signer.key(), sign(signer, &text).await?).map_err(refused)?;
        }
        let made = MadeCheckpoint { size, note: note.render() };
        self.log.keep_checkpoint(self.shard, &made, Clock.now().ms()).await?;
        Ok(made)
    }

    /// Returns the unsigned checkpoint text for the first `size` events, or none if no commit of the log ends there.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn says(&self, size: Position) -> Result<Option<String>, Error> {
        let commit = self.log.raw_commit_of(self.shard, size).await?;
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
        let commit = self.log.raw_commit_of(self.shard, size).await?;
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
        self.log.position_of(self.shard, event).await
    }

    /// Returns the receipt of the event at `position` with its platform, or none if there is no such event or its
    /// commit is not signed.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read, or if no key of the log made the commit's signature.
    pub async fn receipt(&self, position: Position) -> Result<Option<(Receipt, Uuid)>, Error> {
        let Some(commit) = self.log.raw_commit_of(self.shard, position).await? else { return Ok(None) };
        let index = position.saturating_sub(1);
        let event = self.log.raw_events(self.shard, index, position, false).await?.pop();
        let root = commit.root.as_deref().and_then(|root| root.try_into().ok());
        let signature = commit.signature.as_deref().and_then(Signature::from_bytes);
        let (Some(event), Some(root), Some(signature)) = (event, root, signature) else { return Ok(None) };
        let Some(leaf) = event.leaf(self.shard) else { return Ok(None) };
        let head = TreeHead { size: commit.last_position, root };
        let nodes = inclusion::needs(index, head.size).map_err(refused)?;
        let source = self.log.proving(self.shard, head.size, &nodes).await?;
        let path = inclusion::prove(&source, index, head.size).map_err(refused)?;
        let root = commit.root(self.signers.newest.key().name(), self.shard, head);
        if root.verify(&signature, &self.keys().await?).is_err() {
            return Err(corrupt(position, "the commit is not signed by a key of the log"));
        }
        let receipt = Receipt { position, leaf_hash: leaf.hash(), root, signature, path: Some(path) };
        Ok(Some((receipt, event.platform)))
    }
}

fn refused(error: daybook_proof::Error) -> Error {
    Error::Refused(Box::new(error))
}

fn corrupt(position: Position, what: &str) -> Error {
    Error::Corrupt { position, what: what.to_owned() }
}
