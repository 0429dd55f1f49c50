//! Tiles: what proofs are made of follows from the leaves, tile by tile and level by level.

use daybook_log::postgres::PostgresLog;
use daybook_log::raw::RawTile;
use daybook_log::{Error, Shard};
use daybook_proof::{Frontier, Growth, Hash};

use crate::Finding;

/// Hashes of a full tile.
const WIDTH: usize = 256;
/// Bytes of a hash.
const HASH: usize = size_of::<Hash>();

/// A tree in two parts, so that no hash is made twice: tiles of leaves, and the tree of their roots.
#[derive(Debug, Default)]
pub(crate) struct Tiles {
    /// The root of every full tile that was seen.
    roots: Vec<Hash>,
    above: Frontier,
    tile: Frontier,
}

impl Tiles {
    /// That which grows on from `frontier`.
    pub(crate) fn of(frontier: &Frontier) -> Option<Self> {
        let (full, rest) = (frontier.size() / WIDTH as u64, frontier.size() % WIDTH as u64);
        let (above, tile) = frontier.hashes().split_at_checked(usize::try_from(full.count_ones()).ok()?)?;
        let above = Frontier::restore(full, above.to_vec()).ok()?;
        Some(Self { roots: vec![], above, tile: Frontier::restore(rest, tile.to_vec()).ok()? })
    }

    /// How many leaves there are.
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

    /// The frontier of the whole.
    pub(crate) fn frontier(&self) -> Option<Frontier> {
        Frontier::restore(self.size(), [self.above.hashes(), self.tile.hashes()].concat()).ok()
    }

    /// Compares with them all tiles that there are; what is wrong. There may be none: they follow from the events.
    pub(crate) async fn compare(&self, log: &PostgresLog, shard: Shard) -> Result<Vec<Finding>, Error> {
        let mut wrong = self.look(log, shard).await?;
        if !wrong.is_empty() {
            // Tiles that grew between two pages do not fit to each other; what is wrong is so again.
            let again = self.look(log, shard).await?;
            wrong.retain(|finding| again.contains(finding));
        }
        Ok(wrong)
    }

    async fn look(&self, log: &PostgresLog, shard: Shard) -> Result<Vec<Finding>, Error> {
        let mut wrong = vec![];
        let (mut level, mut roots) = (0, self.roots.clone());
        // How many tiles of the level are full, and those of the level below.
        let (mut full, mut below) = (0, None);
        // How many hashes the tiles of the level have.
        let mut known = 0;
        let mut after = (i16::MIN, i64::MIN);
        let mut next = 0;
        loop {
            let page = log.raw_tiles(shard, after).await?;
            // What was appended meanwhile may be in tiles by now.
            let size = log.raw_head(shard).await?.position;
            let Some(last) = page.last() else { break };
            after = (last.level, last.n);
            for tile in &page {
                while level < tile.level {
                    wrong.extend(short(level, known, below));
                    // What is known of the leaves are the roots of their tiles: the hashes of the level above.
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
            wrong.push(finding(level + 1, 0, "it is missing, and tiles below it are full"));
        }
        Ok(wrong)
    }
}

fn finding(level: i16, n: i64, what: &str) -> Finding {
    Finding { position: None, place: format!("tile {n} of level {level}"), what: what.to_owned() }
}

/// The finding about a level that has fewer hashes than there are full tiles below it.
fn short(level: i16, known: u64, below: Option<u64>) -> Option<Finding> {
    let n = i64::try_from(known / WIDTH as u64).unwrap_or(i64::MAX);
    let is_short = below.is_some_and(|below| known < below);
    is_short.then(|| finding(level, n, "it lacks hashes of full tiles below it"))
}

/// What is wrong with a tile where `next` is the number that it has to have. Of events from `size` on nothing can be said
/// but that there are none.
fn differs(tile: &RawTile, level: i16, roots: &[Hash], next: i64, size: u64) -> Option<&'static str> {
    if tile.level != level {
        return Some("there is no such level");
    }
    if tile.n != next {
        return Some("those before it are missing");
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
        return (!is_own).then_some("it is not of the events that it has to be of");
    }
    let own = roots.chunks(WIDTH).nth(n).unwrap_or_default();
    let is_own =
        if hashes.len() > own.len() { is_there && hashes.starts_with(own) } else { own.starts_with(hashes) };
    (!is_own).then_some("it is not of the tiles below it")
}

/// The roots of full tiles of these hashes.
fn above(hashes: &[Hash]) -> Vec<Hash> {
    hashes.chunks_exact(WIDTH).map(root).collect()
}

fn root(hashes: &[Hash]) -> Hash {
    Growth::new(&Frontier::default(), hashes.iter().copied()).head().root
}
