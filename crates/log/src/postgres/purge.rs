//! Deletion of expired idempotency keys, page by page, so that no statement locks many rows for long.

use daybook_pg::Client;
use daybook_pg::types::TimestampMs;

use crate::key::{LIFETIME_MS, day_slot};
use crate::{Error, Shard};

/// Number of keys that one statement examines.
const PAGE_SIZE: i64 = 5000;

/// Upper bound of all keys: no key is longer, and none has larger bytes.
const END: [u8; 32] = [0xff; 32];

/// Deletes keys older than two lifetimes from the slot of the coming day; returns their number.
pub(super) async fn keys(client: &Client, shard: Shard, now_ms: i64) -> Result<u64, Error> {
    let page_end = client.prepare_cached(include_str!("sql/read_key_page.sql")).await?;
    let purge = client.prepare_cached(include_str!("sql/purge_keys.sql")).await?;
    let slot = day_slot(now_ms + LIFETIME_MS);
    let until = TimestampMs(now_ms - 2 * LIFETIME_MS);
    let mut gone = 0;
    let mut after = Vec::new();
    loop {
        let next = client.query_opt(&page_end, &[&shard, &slot, &after, &(PAGE_SIZE - 1)]).await?;
        let last: Option<Vec<u8>> = next.map(|row| row.try_get(0)).transpose()?;
        let up_to = last.as_deref().unwrap_or(&END);
        gone += client.execute(&purge, &[&shard, &slot, &after, &up_to, &until]).await?;
        match last {
            Some(last) => after = last,
            None => return Ok(gone),
        }
    }
}
