//! B3, the baseline of what writes: COPY of batches of 100 rows, one database transaction each, on 8 connections, into
//! a table like that of events with its two indexes.

use std::time::Instant;

use bytes::{Bytes, BytesMut};
use daybook_pg::Pg;
use futures::SinkExt;
use tokio::task::JoinSet;

use super::super::client::failed;
use super::scratch::Scratch;
use super::{Figure, Stage, copy_out};
use crate::commands::Error;

const CONNECTIONS: usize = 8;
const BATCH: usize = 100;
/// The rows that are copied: the first of the log.
const ROWS: u64 = 200_000;

const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const TRAILER: &[u8] = &[0xff, 0xff];

pub(super) async fn measure(stage: &Stage, scratch: &Scratch) -> Result<Figure, Error> {
    let mut rows = vec![];
    let count = copy_out::rows(stage, ROWS.min(stage.head), |row| rows.push(row)).await?;
    scratch.execute(include_str!("copied.sql")).await?;
    let share = rows.len().div_ceil(CONNECTIONS).max(1);
    let (begun, mut copying) = (Instant::now(), JoinSet::new());
    for part in rows.chunks(share) {
        copying.spawn(copy(scratch.pg.clone(), part.to_vec()));
    }
    while let Some(copied) = copying.join_next().await {
        copied.map_err(failed)??;
    }
    Ok(Figure::since(begun, count))
}

async fn copy(pg: Pg, rows: Vec<Bytes>) -> Result<(), Error> {
    let client = pg.dedicated().await?;
    for batch in rows.chunks(BATCH) {
        let mut message = BytesMut::from(HEADER);
        for row in batch {
            message.extend_from_slice(row);
        }
        message.extend_from_slice(TRAILER);
        let sink = client.copy_in("copy copied from stdin (format binary)").await.map_err(failed)?;
        let mut sink = std::pin::pin!(sink);
        sink.send(message.freeze()).await.map_err(failed)?;
        sink.finish().await.map_err(failed)?;
    }
    Ok(())
}
