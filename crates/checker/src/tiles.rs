//! Tiles: checks that the stored hashes from which proofs are made follow from the leaves, tile by tile and level by
//! level.

use daybook_log::postgres::PostgresLog;
use daybook_log::raw::RawTile;
use daybook_log::{Error, Shard};
use daybook_proof::{Frontier, Growth, Hash};

use crate::Finding;

/// Number of hashes in a full tile.
const WIDTH: usize = 256;
/// Size of a hash in bytes.
const HASH: usize = size_of::<Hash>();

/// The hash tree in two parts, so that no hash is computed twice: the tiles of leaves, and the tree of their roots.
#[derive(Debug, Default)]
pub(crate) struct Tiles {
    /// Roots of the full tiles that were read.
    roots: Vec<Hash>,
    above: Frontier,
    tile: Frontier,
}

impl Tiles {
    /// Returns the tree that `frontier` describes.
    pub(crate) fn of(frontier: &Frontier) -> Option<Self> {
        let (full, rest) = (frontier.size() / WIDTH as u64, frontier.size() % WIDTH as u64);
        let (above, tile) = frontier.hashes().split_at_checked(usize::try_from(full.count_ones()).ok()?)?;
        let above = Frontier::restore(full, above.to_vec()).ok()?;
        Some(Self { roots: vec![], above, tile: Frontier::restore(rest, tile.to_vec()).ok()? })
    }

    /// Returns the number of leaves.
    pub(crate) fn size(&self) -> u64 {
        self.above.size() * WIDTH as u64 + self.tile.size()
    }

    pub(crate) fn push(&mut self, leaf: Hash) {
        self.tile.push(leaf);
        if self.tile.size() == WIDTH as u64 {
            let root = self.tile.head().root;
            self.roots.push(root);
            self.above.push(root);
            self.tile = Frontier::default();
        }
    }

    /// Returns the frontier of the whole tree.
    pub(crate) fn frontier(&self) -> Option<Frontier> {
        Frontier::restore(self.size(), [self.above.hashes(), self.tile.hashes()].concat()).ok()
    }

    /// Compares all stored tiles with the tree and returns the inconsistencies. Stored tiles are optional, because they
    /// can be computed from the events.
    pub(crate) async fn compare(&self, log: &PostgresLog, shard: Shard) -> Result<Vec<Finding>, Error> {
        let mut wrong = self.look(log, shard).await?;
        if !wrong.is_empty() {
            // Tiles that grow between two pages do not fit each other. A real inconsistency shows again.
            let again = self.look(log, shard).await?;
            wrong.retain(|finding| again.contains(finding));
        }
        Ok(wrong)
    }

    async fn look(&self, log: &PostgresLog, shard: Shard) -> Result<Vec<Finding>, Error> {
        let mut wrong = vec![];
        let (mut level, mut roots) = (0, self.roots.clone());
        // Number of full tiles of the level, and of the level below.
        let (mut full, mut below) = (0, None);
        // Number of hashes in the tiles of the level.
        let mut known = 0;
        let mut after = (i16::MIN, i64::MIN);
        let mut next = 0;
        loop {
            let page = log.raw_tiles(shard, after).await?;
            // Events that were appended during the walk may be in tiles already.
            let size = log.raw_head(shard).await?.position;
            let Some(last) = page.last() else { break };
            after = (last.level, last.n);
            for tile in &page {
                while level < tile.level {
                    wrong.extend(short(level, known, below));
                    // The roots of the tiles of leaves are the hashes of level 1.
                    roots = if level == 0 { roots } else { above(&roots) };
                    (level, next, below, full, known) = (level + 1, 0, Some(full), 0, 0);
                }
                if let Some(what) = differs(tile, level, &roots, next, size) {
                    wrong.push(finding(tile.level, tile.n, what));
                }
                let hashes = (tile.hashes.len() / HASH) as u64;
                full += hashes / WIDTH as u64;
                // All levels are filled at once.
                known = u64::try_from(tile.n).unwrap_or_default().saturating_mul(WIDTH as u64);
                known = known.saturating_add(hashes);
                if below.is_some_and(|below| below < known) {
                    wrong.push(finding(tile.level, tile.n, "tiles below it are missing"));
                }
                next = tile.n.saturating_add(1);
            }
        }
        wrong.extend(short(level, known, below));
        if full > 0 {
            wrong.push(finding(level + 1, 0, "it is missing, although tiles below it are full"));
        }
        Ok(wrong)
    }
}

fn finding(level: i16, n: i64, what: &str) -> Finding {
    Finding { position: None, place: format!("tile {n} of level {level}"), what: what.to_owned() }
}

/// Returns the finding for a level that has fewer hashes than there are full tiles below it.
fn short(level: i16, known: u64, below: Option<u64>) -> Option<Finding> {
    let n = i64::try_from(known / WIDTH as u64).unwrap_or(i64::MAX);
    let is_short = below.is_some_and(|below| known < below);
    is_short.then(|| finding(level, n, "it lacks hashes of full tiles below it"))
}

/// Returns the inconsistency of a tile, where `next` is its expected number and `size` the number of events in the log.
/// Hashes of events that were not read are accepted if the log has that many events.
fn differs(tile: &RawTile, level: i16, roots: &[Hash], next: i64, size: u64) -> Option<&'static str> {
    if tile.level != level {
        return Some("there is no such level");
    }
    if tile.n != next {
        return Some("tiles before it are missing");
    }
    let n = usize::try_from(tile.n).ok()?;
    let (hashes, rest) = tile.hashes.as_chunks::<HASH>();
    if !rest.is_empty() || hashes.is_empty() || hashes.len() > WIDTH {
        return Some("it is not a list of hashes");
    }
    let there = size.checked_shr(8 * u32::from(level.unsigned_abs())).unwrap_or(0);
    let is_there = n.saturating_mul(WIDTH).saturating_add(hashes.len()) as u64 <= there;
    if level == 0 {
        let own = roots.get(n);
        let is_own = hashes.len() == WIDTH && own.map_or(is_there, |own| *own == root(hashes));
        return (!is_own).then_some("its hashes are not those of the events");
    }
    let own = roots.chunks(WIDTH).nth(n).unwrap_or_default();
    let is_own =
        if hashes.len() > own.len() { is_there && hashes.starts_with(own) } else { own.starts_with(hashes) };
    (!is_own).then_some("its hashes are not the roots of the tiles below it")
}

/// Returns the roots of the full tiles of these hashes.
fn above(hashes: &[Hash]) -> Vec<Hash> {
    hashes.chunks_exact(WIDTH).map(root).collect()
}

fn root(hashes: &[Hash]) -> Hash {
    Growth::new(&Frontier::default(), hashes.iter().copied()).head().root
}
