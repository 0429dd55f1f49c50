//! Baseline B3, for writes: COPY of batches of 100 rows, one database transaction each, on 8 connections, into the
//! table of B2.

use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use daybook_pg::Pg;
use daybook_random::Random;
use futures::SinkExt;
use tokio::task::JoinSet;

use super::ev::{self, PAYLOAD, TYPE, VERSION};
use crate::error::Error;
use crate::load::client::failed;

const CONNECTIONS: u64 = 8;
const BATCH_SIZE: u64 = 100;

const COPY: &str = "copy ev (stream_id, version, typ, payload) from stdin (format binary)";

/// Bytes before the first row, and after the last. Source: PostgreSQL, COPY, binary format.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const TRAILER: &[u8] = &[0xff, 0xff];
/// Version number at the beginning of a jsonb value. Source: PostgreSQL, `jsonb_recv`.
const JSONB: u8 = 1;

/// Writes rows to the database of `pg` for `duration`. Returns their number, and the time that it took.
pub(crate) async fn measure(pg: &Pg, duration: Duration) -> Result<(u64, Duration), Error> {
    ev::make(pg).await?;
    let begun = Instant::now();
    let mut copying = JoinSet::new();
    for number in 0..CONNECTIONS {
        copying.spawn(copy(pg.clone(), Random::new(number), begun + duration));
    }
    let mut count = 0;
    while let Some(copied) = copying.join_next().await {
        count += copied.map_err(failed)??;
    }
    let elapsed = begun.elapsed();
    ev::discard(pg).await?;
    Ok((count, elapsed))
}

async fn copy(pg: Pg, mut random: Random, until: Instant) -> Result<u64, Error> {
    let client = pg.dedicated().await?;
    // The statement is prepared once. A statement as text would be prepared for each batch.
    let statement = client.prepare(COPY).await.map_err(failed)?;
    let mut count = 0;
    while Instant::now() < until {
        let sink = client.copy_in(&statement).await.map_err(failed)?;
        let mut sink = std::pin::pin!(sink);
        sink.send(batch(&mut random)).await.map_err(failed)?;
        count += sink.finish().await.map_err(failed)?;
    }
    Ok(count)
}

/// Returns a message with the rows of one commit, each in a stream of its own.
fn batch(random: &mut Random) -> Bytes {
    let mut message = BytesMut::from(HEADER);
    for _ in 0..BATCH_SIZE {
        let stream = [random.bits().to_be_bytes(), random.bits().to_be_bytes()];
        message.put_i16(4);
        put(&mut message, &[stream.as_flattened()]);
        put(&mut message, &[&VERSION.to_be_bytes()]);
        put(&mut message, &[TYPE.as_bytes()]);
        put(&mut message, &[&[JSONB], PAYLOAD.as_bytes()]);
    }
    message.extend_from_slice(TRAILER);
    message.freeze()
}

/// Writes a field: its length, then its parts.
fn put(message: &mut BytesMut, parts: &[&[u8]]) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    message.put_u32(u32::try_from(length).unwrap_or(u32::MAX));
    for part in parts {
        message.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Bytes before the stream of a row (number of fields and length of the stream), and bytes of the stream.
    const BEFORE: usize = 6;
    const STREAM: usize = 16;

    #[test]
    fn batch_has_hundred_rows_of_distinct_streams() {
        let mut streams = HashSet::new();
        for mut random in [Random::new(0), Random::new(1)] {
            for _ in 0..3 {
                let batch = batch(&mut random);
                let rows = batch
                    .strip_prefix(HEADER)
                    .and_then(|rest| rest.strip_suffix(TRAILER))
                    .expect("a message");
                assert_eq!(rows.len() % 100, 0);
                streams
                    .extend(rows.chunks(rows.len() / 100).map(|row| row[BEFORE..BEFORE + STREAM].to_vec()));
            }
        }
        assert_eq!(streams.len(), 600);
    }
}
