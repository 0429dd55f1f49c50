//! The list of shards, as JSON and as text.

use std::sync::Arc;

use daybook_engine::access::shard_rooms;
use daybook_log::Log as _;
use daybook_log::postgres::PostgresLog;
use daybook_pg::Pg;
use daybook_projector::Reads;
use serde_json::{Value, json};

use crate::error::Error;
use crate::out::Output;
use crate::table::{Side, Table};

/// Lists the shards.
pub(super) async fn list(pg: &Pg) -> Result<Output, Error> {
    let log = PostgresLog::new(pg.clone());
    let reads = Reads::new(pg.clone(), Arc::new(log.clone()));
    let mut rooms = shard_rooms(pg, &log.shards().await?).await?;
    rooms.sort_unstable_by_key(|room| room.shard);
    let (number, text) = (Side::Right, Side::Left);
    let mut table = Table::new(&[
        ("shard", number),
        ("open", text),
        ("platforms", number),
        ("position", number),
        ("projected", number),
        ("origin", text),
    ]);
    let mut records = vec![];
    for room in rooms {
        let position = log.head(room.shard).await?.position;
        let projected = reads.store().position(room.shard).await?;
        let origin = log.signing_keys(room.shard).await?.first().map(|key| key.name().to_owned());
        records.push(json!({
            "shard": room.shard, "open": room.is_open, "platforms": room.platforms,
            "position": position, "projected": projected, "origin": origin,
        }));
        let open = if room.is_open { "yes" } else { "no" };
        let numbers = [room.platforms, position, projected].map(|number| number.to_string());
        let [platforms, position, projected] = numbers;
        let origin = origin.unwrap_or_else(|| "–".to_owned());
        table.add([room.shard.to_string(), open.to_owned(), platforms, position, projected, origin]);
    }
    Ok((Value::Array(records), table.to_string()))
}
