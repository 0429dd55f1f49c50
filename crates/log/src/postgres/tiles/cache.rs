//! Cache of full tiles, and the known number of leaves in tiles. A full tile never changes.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_proof::Tile;
use lru::LruCache;
use tokio::time::Instant;

use super::FULL_TILE_BYTES;
use crate::{Position, Shard};

/// Maximum number of cached full tiles: 8 MiB.
const MAX_CACHED_TILES: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();
/// Minimum time between two repairs of tiles. If a repair does not help, the cause is not in the tiles.
const REPAIR_INTERVAL: Duration = Duration::from_secs(5);

/// Knowledge of a process about tiles. All clones of a log share it.
pub(in crate::postgres) struct TileCache {
    known: Mutex<TileState>,
    /// Lock of the task that fills tiles because a proof needs more. Other tasks wait and find them filled.
    pub(super) turn: tokio::sync::Mutex<()>,
}

struct TileState {
    full: LruCache<(Shard, u8, u64), Arc<[u8]>>,
    tiled: HashMap<Shard, Position>,
    mended: Option<Instant>,
}

impl Default for TileCache {
    fn default() -> Self {
        let known = TileState { full: LruCache::new(MAX_CACHED_TILES), tiled: HashMap::new(), mended: None };
        Self { known: Mutex::new(known), turn: tokio::sync::Mutex::default() }
    }
}

impl TileCache {
    /// Returns the bytes of the full tile at the place of `tile`, if they are cached.
    pub(super) fn full(&self, shard: Shard, tile: Tile) -> Option<Arc<[u8]>> {
        self.known().full.get(&(shard, tile.level, tile.index)).map(Arc::clone)
    }

    /// Caches the bytes of `tile`, if the tile is full.
    pub(super) fn keep(&self, shard: Shard, tile: Tile, bytes: &[u8]) {
        if bytes.len() == FULL_TILE_BYTES {
            self.known().full.put((shard, tile.level, tile.index), bytes.into());
        }
    }

    /// Returns the number of leaves that are known to be in tiles.
    pub(super) fn tiled(&self, shard: Shard) -> Position {
        self.known().tiled.get(&shard).copied().unwrap_or(0)
    }

    /// Notes the number of leaves in tiles.
    pub(super) fn reached(&self, shard: Shard, tiled: Position) {
        let mut known = self.known();
        let mark = known.tiled.entry(shard).or_default();
        *mark = tiled.max(*mark);
    }

    /// Clears the cache after tiles were found to be wrong. Returns true if they have to be repaired now.
    pub(super) fn forget(&self) -> bool {
        let mut known = self.known();
        known.full.clear();
        known.tiled.clear();
        let is_due = known.mended.is_none_or(|mended| mended.elapsed() > REPAIR_INTERVAL);
        if is_due {
            known.mended = Some(Instant::now());
        }
        is_due
    }

    fn known(&self) -> MutexGuard<'_, TileState> {
        // Code under the lock cannot panic half way through a change.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn tile(level: u8, index: u64, width: u16) -> Tile {
        Tile { level, index, width }
    }

    #[test]
    fn full_tiles_are_cached_partial_ones_not() {
        let kept = TileCache::default();
        kept.keep(1, tile(0, 3, 256), &[7; FULL_TILE_BYTES]);
        kept.keep(1, tile(1, 0, 3), &[7; 96]);
        assert!(kept.full(1, tile(0, 3, 9)).is_some_and(|bytes| bytes.len() == FULL_TILE_BYTES));
        assert_eq!(kept.full(1, tile(1, 0, 3)), None);
        assert_eq!(kept.full(2, tile(0, 3, 256)), None, "of another shard");
    }

    #[test]
    fn memory_of_tiles_is_bounded() {
        let kept = TileCache::default();
        for index in 0..2 * MAX_CACHED_TILES.get() as u64 {
            kept.keep(1, tile(0, index, 256), &[0; FULL_TILE_BYTES]);
        }
        assert_eq!(kept.known().full.len(), MAX_CACHED_TILES.get());
        assert_eq!(kept.full(1, tile(0, 0, 256)), None);
    }
}
