//! Full tiles in memory, and how far tiles are known to go: a tile that is full never changes.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use daybook_proof::Tile;
use lru::LruCache;
use tokio::time::Instant;

use super::FULL;
use crate::{Position, Shard};

/// How many full tiles are kept: 8 MiB.
const TILES: NonZeroUsize = NonZeroUsize::new(1_024).unwrap();
/// How long nobody mends tiles again: what a mend did not help is not in the tiles.
const REST: Duration = Duration::from_secs(5);

/// What a process keeps of tiles; all clones of a log share it.
pub(in crate::postgres) struct Kept {
    known: Mutex<Known>,
    /// Held by whoever fills because a proof needs more: the others find it done.
    pub(super) turn: tokio::sync::Mutex<()>,
}

struct Known {
    full: LruCache<(Shard, u8, u64), Arc<[u8]>>,
    tiled: HashMap<Shard, Position>,
    mended: Option<Instant>,
}

impl Default for Kept {
    fn default() -> Self {
        let known = Known { full: LruCache::new(TILES), tiled: HashMap::new(), mended: None };
        Self { known: Mutex::new(known), turn: tokio::sync::Mutex::default() }
    }
}

impl Kept {
    /// The bytes of the full tile at the place of `tile`, if they are kept.
    pub(super) fn full(&self, shard: Shard, tile: Tile) -> Option<Arc<[u8]>> {
        self.known().full.get(&(shard, tile.level, tile.index)).map(Arc::clone)
    }

    /// Keeps the bytes at the place of `tile`, if that is full.
    pub(super) fn keep(&self, shard: Shard, tile: Tile, bytes: &[u8]) {
        if bytes.len() == FULL {
            self.known().full.put((shard, tile.level, tile.index), bytes.into());
        }
    }

    /// How many leaves are in tiles at least.
    pub(super) fn tiled(&self, shard: Shard) -> Position {
        self.known().tiled.get(&shard).copied().unwrap_or(0)
    }

    /// Takes note of how many leaves are in tiles.
    pub(super) fn reached(&self, shard: Shard, tiled: Position) {
        let mut known = self.known();
        let mark = known.tiled.entry(shard).or_default();
        *mark = tiled.max(*mark);
    }

    /// Forgets everything, for whoever found that tiles are not as they must be; answers whether they are to be mended now.
    pub(super) fn forget(&self) -> bool {
        let mut known = self.known();
        known.full.clear();
        known.tiled.clear();
        let is_due = known.mended.is_none_or(|mended| mended.elapsed() > REST);
        if is_due {
            known.mended = Some(Instant::now());
        }
        is_due
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // Nothing is done under the lock that could panic half way.
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
    fn full_tiles_are_kept_and_partial_ones_not() {
        let kept = Kept::default();
        kept.keep(1, tile(0, 3, 256), &[7; FULL]);
        kept.keep(1, tile(1, 0, 3), &[7; 96]);
        assert!(kept.full(1, tile(0, 3, 9)).is_some_and(|bytes| bytes.len() == FULL));
        assert_eq!(kept.full(1, tile(1, 0, 3)), None);
        assert_eq!(kept.full(2, tile(0, 3, 256)), None, "of another shard");
    }

    #[test]
    fn memory_of_tiles_is_bounded() {
        let kept = Kept::default();
        for index in 0..2 * TILES.get() as u64 {
            kept.keep(1, tile(0, index, 256), &[0; FULL]);
        }
        assert_eq!(kept.known().full.len(), TILES.get());
        assert_eq!(kept.full(1, tile(0, 0, 256)), None);
    }
}
