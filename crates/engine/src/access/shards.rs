//! Shards as places for platforms. The shard of a platform is chosen once, when the platform is created.

use daybook_log::Shard;
use daybook_pg::Pg;

use super::{Access, AccessError};
use crate::error::StoresError;

/// Room of a shard for platforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardRoom {
    /// Number of the shard.
    pub shard: Shard,
    /// True if the shard takes new platforms.
    pub is_open: bool,
    /// Number of platforms in the shard.
    pub platforms: u64,
}

/// Returns the room of each of `shards`, those with the fewest platforms first.
///
/// # Errors
///
/// [`AccessError`] if the database is unavailable.
pub async fn shard_rooms(pg: &Pg, shards: &[Shard]) -> Result<Vec<ShardRoom>, AccessError> {
    let client = pg.client().await?;
    let statement = client.prepare_cached(include_str!("sql/count_platforms.sql")).await?;
    let rows = client.query(&statement, &[&shards]).await?;
    let room = |row: &tokio_postgres::Row| {
        Ok(ShardRoom {
            shard: row.try_get("shard")?,
            is_open: row.try_get("is_open")?,
            platforms: row.try_get::<_, i64>("platforms")?.unsigned_abs(),
        })
    };
    rows.iter().map(room).collect()
}

/// Opens a shard for new platforms, or closes it.
///
/// # Errors
///
/// [`AccessError`] if the database is unavailable.
pub async fn set_shard_open(pg: &Pg, shard: Shard, is_open: bool) -> Result<(), AccessError> {
    let client = pg.of(shard).client().await?;
    let statement = client.prepare_cached(include_str!("sql/set_shard_open.sql")).await?;
    client.execute(&statement, &[&shard, &is_open]).await?;
    Ok(())
}

impl Access {
    /// Returns the shard for a new platform: `asked`, or the open one of `served` with the fewest platforms.
    ///
    /// # Errors
    ///
    /// [`StoresError::NoShard`] if the shard is not served, or closed.
    pub(crate) async fn choose_shard(
        &self,
        served: &[Shard],
        asked: Option<Shard>,
    ) -> Result<Shard, StoresError> {
        let rooms = shard_rooms(&self.pg, served).await?;
        let Some(asked) = asked else {
            let open = rooms.iter().find(|room| room.is_open);
            return open.map(|room| room.shard).ok_or_else(|| {
                StoresError::NoShard("no shard takes new platforms; see daybook shard open".to_owned())
            });
        };
        match rooms.iter().find(|room| room.shard == asked) {
            Some(room) if room.is_open => Ok(asked),
            Some(_) => Err(StoresError::NoShard(format!("shard {asked} takes no new platforms"))),
            None => Err(StoresError::NoShard(format!("there is no shard {asked}; see daybook shard list"))),
        }
    }
}
