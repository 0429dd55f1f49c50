//! B3, the baseline of what writes: COPY of batches of 100 rows, one database transaction each, on 8 connections, into
//! a table like that of events with its two indexes.
//!
//! The rows are those of a log, again and again: positions are counted on, and each round has streams of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use daybook_pg::Pg;
use futures::SinkExt;
use tokio::task::JoinSet;

use super::super::load::client::failed;
use crate::commands::Error;

const CONNECTIONS: usize = 8;
const BATCH: usize = 100;
/// The most rows of a log that are kept in memory for it.
pub(crate) const ROWS: u64 = 200_000;

const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const TRAILER: &[u8] = &[0xff, 0xff];

/// Where position and stream are in a row. Before each field is its length in 4 bytes, before the first the number of
/// fields in 2: shard of 2, position of 8, event id of 16, stream of 16.
const POSITION: std::ops::Range<usize> = 12..20;
const STREAM: std::ops::Range<usize> = 44..60;

/// The rows, and how far they were written.
struct Source {
    rows: Vec<Bytes>,
    taken: AtomicU64,
    until: Instant,
}

/// Makes a table in the database of `pg`, writes `rows` to it for `duration`, and answers how many that were, and how
/// long it took.
pub(crate) async fn measure(pg: &Pg, rows: Vec<Bytes>, duration: Duration) -> Result<(u64, Duration), Error> {
    if rows.len() < BATCH || rows.iter().any(|row| row.len() < STREAM.end) {
        return Err(failed("there are too few events to copy, or they are not as they were"));
    }
    pg.client().await?.batch_execute(include_str!("copied.sql")).await.map_err(daybook_pg::Error::from)?;
    let begun = Instant::now();
    let source = Arc::new(Source { rows, taken: AtomicU64::new(0), until: begun + duration });
    let mut copying = JoinSet::new();
    for _ in 0..CONNECTIONS {
        copying.spawn(copy(pg.clone(), Arc::clone(&source)));
    }
    let mut count = 0;
    while let Some(copied) = copying.join_next().await {
        count += copied.map_err(failed)??;
    }
    Ok((count, begun.elapsed()))
}

async fn copy(pg: Pg, source: Arc<Source>) -> Result<u64, Error> {
    let client = pg.dedicated().await?;
    // Prepared once: the text of it would be prepared each time.
    let statement = client.prepare("copy copied from stdin (format binary)").await.map_err(failed)?;
    let mut count = 0;
    while Instant::now() < source.until {
        let sink = client.copy_in(&statement).await.map_err(failed)?;
        let mut sink = std::pin::pin!(sink);
        sink.send(source.batch()).await.map_err(failed)?;
        count += sink.finish().await.map_err(failed)?;
    }
    Ok(count)
}

impl Source {
    /// The next rows, with positions and streams that no others have.
    fn batch(&self) -> Bytes {
        let first = self.taken.fetch_add(BATCH as u64, Ordering::Relaxed);
        let mut message = BytesMut::from(HEADER);
        for number in first..first + BATCH as u64 {
            let rows = self.rows.len() as u64;
            let (round, place) = (number / rows, usize::try_from(number % rows).unwrap_or_default());
            let begin = message.len();
            message.extend_from_slice(&self.rows[place]);
            let row = &mut message[begin..];
            row[POSITION].copy_from_slice(&(number + 1).to_be_bytes());
            for (byte, other) in row[STREAM].iter_mut().rev().zip(round.to_le_bytes()) {
                *byte ^= other;
            }
        }
        message.extend_from_slice(TRAILER);
        message.freeze()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_position_and_no_stream_comes_twice() {
        let rows = (0..150_u8).map(|row| Bytes::from(vec![row; STREAM.end])).collect();
        let source = Source { rows, taken: AtomicU64::new(0), until: Instant::now() };
        let (mut positions, mut streams) = (HashSet::new(), HashSet::new());
        for _ in 0..6 {
            let batch = source.batch();
            let rows = &batch[HEADER.len()..batch.len() - TRAILER.len()];
            assert_eq!(rows.len(), BATCH * STREAM.end);
            for row in rows.chunks(STREAM.end) {
                positions.insert(row[POSITION].to_vec());
                streams.insert(row[STREAM].to_vec());
            }
        }
        assert_eq!((positions.len(), streams.len()), (600, 600));
    }
}
