//! Tiles of the hash tree, and proofs between two of its sizes.

use daybook_log::{Error, Log, Position};
use daybook_proof::{Hash, Tile, consistency};
use tokio::time::{Instant, sleep};

use super::{ShardAudit, refused};

/// Ratio of pause to work while tiles are filled: filling them takes at most a fifth of one core.
const REST_FACTOR: u32 = 4;

impl ShardAudit {
    /// Proves that the tree of `from` events is the beginning of the tree of `to` events. Returns none if the log has
    /// fewer events, or if `from` is larger than `to`.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn consistency(&self, from: Position, to: Position) -> Result<Option<Vec<Hash>>, Error> {
        if to > self.log.head(self.shard).await?.position {
            return Ok(None);
        }
        let Ok(nodes) = consistency::needs(from, to) else { return Ok(None) };
        let source = self.log.proving(self.shard, to, &nodes).await?;
        consistency::prove(&source, from, to).map(Some).map_err(refused)
    }

    /// Returns the bytes of a tile, or none if the log has too few events.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read.
    pub async fn tile(&self, tile: Tile) -> Result<Option<Vec<u8>>, Error> {
        self.log.tile(self.shard, self.log.head(self.shard).await?.position, tile).await
    }

    /// Repairs tiles that differ from the log, for example because an older release filled them concurrently. Returns
    /// the number of repaired tiles.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read or the tiles cannot be written.
    pub async fn mend_tiles(&self) -> Result<usize, Error> {
        self.log.mend_tiles(self.shard).await
    }

    /// Fills the tiles up to the head of the log, so that proofs are cheap on request. Pauses between two pieces of
    /// work, because commands go first and nothing waits for tiles.
    ///
    /// # Errors
    ///
    /// [`Error`] if the log cannot be read or the tiles cannot be written.
    pub async fn fill_tiles(&self) -> Result<(), Error> {
        let head = self.log.head(self.shard).await?.position;
        let mut tiled = self.log.tiled(self.shard).await?;
        let mut began = Instant::now();
        while let Some(more) = self.log.fill_more(self.shard, tiled, head).await? {
            tiled = more;
            sleep(began.elapsed() * REST_FACTOR).await;
            began = Instant::now();
        }
        Ok(())
    }
}
