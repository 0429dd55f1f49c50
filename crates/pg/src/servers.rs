//! Servers of a ledger: which of them has a shard.
//!
//! The first server, *home*, has the tables that are not of one shard, and every shard that no range places elsewhere.

use std::fmt;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::pools::Pools;
use crate::{Config, Error};

/// Servers of a ledger with their pools.
#[derive(Debug)]
pub(crate) struct Servers {
    /// Pools of home, followed by those of the server of each range.
    pools: Vec<Pools>,
    ranges: Arc<[ShardRange]>,
}

/// Shards from a first to a last one.
pub type ShardRange = RangeInclusive<i16>;

/// Server among those of a ledger.
#[derive(Clone, Debug)]
pub struct Placement {
    ranges: Arc<[ShardRange]>,
    server: usize,
}

impl Servers {
    /// Creates the pools of home, and those of a server for each range. The ranges must not overlap.
    pub(crate) fn new(home: Config, others: Vec<(ShardRange, Config)>) -> Result<Self, Error> {
        let home = Pools::new(home)?;
        let metrics = home.metrics.clone();
        let (mut pools, mut ranges) = (vec![home], vec![]);
        for (range, config) in others {
            pools.push(Pools::counting(config, metrics.clone())?);
            ranges.push(range);
        }
        Ok(Self { pools, ranges: ranges.into() })
    }

    pub(crate) fn pools(&self, server: usize) -> &Pools {
        &self.pools[server]
    }

    pub(crate) fn count(&self) -> usize {
        self.pools.len()
    }

    /// Returns the number of the server that has `shard`: 0 is home.
    pub(crate) fn of(&self, shard: i16) -> usize {
        server_of(&self.ranges, shard)
    }

    pub(crate) fn placement(&self, server: usize) -> Placement {
        Placement { ranges: Arc::clone(&self.ranges), server }
    }
}

impl Placement {
    /// Returns true if the server is home.
    #[must_use]
    pub const fn has_home(&self) -> bool {
        self.server == 0
    }

    /// Returns true if the server has `shard`.
    #[must_use]
    pub fn has(&self, shard: i16) -> bool {
        server_of(&self.ranges, shard) == self.server
    }
}

/// The range of the server, `2-8`, or `home`.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.server.checked_sub(1).and_then(|index| self.ranges.get(index)) {
            Some(range) => write!(f, "{}-{}", range.start(), range.end()),
            None => f.write_str("home"),
        }
    }
}

fn server_of(ranges: &[ShardRange], shard: i16) -> usize {
    ranges.iter().position(|range| range.contains(&shard)).map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_place_shards_and_others_are_home() {
        let config = |host: &str| {
            Config::from_url(&format!("postgres://ada@{host}/ledger?sslmode=disable")).expect("a URL")
        };
        let others = vec![(2..=8, config("one")), (9..=9, config("two"))];
        let servers = Servers::new(config("home"), others).expect("pools");
        assert_eq!([1, 2, 8, 9, 10, 64].map(|shard| servers.of(shard)), [0, 1, 1, 2, 0, 0]);
        let names: Vec<String> =
            (0..servers.count()).map(|server| servers.placement(server).to_string()).collect();
        assert_eq!(names, ["home", "2-8", "9-9"]);
        assert!(servers.placement(1).has(3) && !servers.placement(0).has(3) && servers.placement(0).has(1));
    }
}
