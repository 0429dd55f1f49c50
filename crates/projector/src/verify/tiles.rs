//! Tiles: what proofs are made of follows from the leaves, tile by tile and level by level.

use daybook_log::postgres::PostgresLog;
use daybook_log::raw::RawTile;
use daybook_log::{Error, Shard};
use daybook_proof::{Frontier, Growth, Hash};

use super::Finding;

/// Hashes of a full tile.
const WIDTH: usize = 256;
/// Bytes of a hash.
const HASH: usize = size_of::<Hash>();

/// The root of every full tile of leaves.
#[derive(Debug, Default)]
pub(super) struct Tiles {
    roots: Vec<Hash>,
    tile: Frontier,
}

impl Tiles {
    pub(super) fn push(&mut self, leaf: Hash) {
        self.tile.push(leaf);
        if self.tile.size() == WIDTH as u64 {
            self.roots.push(self.tile.head().root);
            self.tile = Frontier::default();
        }
    }

    /// Compares with them all tiles that there are; what is wrong.
    pub(super) async fn compare(self, log: &PostgresLog, shard: Shard) -> Result<Vec<Finding>, Error> {
        let mut wrong = vec![];
        let (mut level, mut roots) = (0, self.roots);
        let mut after = (-1, -1);
        let mut next = 0;
        loop {
            let page = log.raw_tiles(shard, after).await?;
            let Some(last) = page.last() else { return Ok(wrong) };
            after = (last.level, last.n);
            for tile in &page {
                while level < tile.level {
                    // What is known of the leaves are the roots of their tiles: the hashes of the level above.
                    roots = if level == 0 { roots } else { above(&roots) };
                    (level, next) = (level + 1, 0);
                }
                if let Some(what) = differs(tile, &roots, next) {
                    let (place, position) = (format!("tile {} of level {}", tile.n, tile.level), None);
                    wrong.push(Finding { position, place, what: what.to_owned() });
                }
                next = tile.n + 1;
            }
        }
    }
}

/// What is wrong with a tile where `next` is the number that it has to have.
fn differs(tile: &RawTile, roots: &[Hash], next: i64) -> Option<&'static str> {
    if tile.n != next {
        return Some("those before it are missing");
    }
    let n = usize::try_from(tile.n).ok()?;
    let (hashes, rest) = tile.hashes.as_chunks::<HASH>();
    if !rest.is_empty() || hashes.is_empty() || hashes.len() > WIDTH {
        return Some("it is not a list of hashes");
    }
    if tile.level == 0 {
        let is_own = hashes.len() == WIDTH && roots.get(n) == Some(&root(hashes));
        return (!is_own).then_some("it is not of the events that it has to be of");
    }
    let own = roots.chunks(WIDTH).nth(n).unwrap_or_default();
    (!own.starts_with(hashes)).then_some("it is not of the tiles below it")
}

/// The roots of full tiles of these hashes.
fn above(hashes: &[Hash]) -> Vec<Hash> {
    hashes.chunks_exact(WIDTH).map(root).collect()
}

fn root(hashes: &[Hash]) -> Hash {
    Growth::new(&Frontier::default(), hashes.iter().copied()).head().root
}
