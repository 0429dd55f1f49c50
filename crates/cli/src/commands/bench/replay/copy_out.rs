//! A baseline: the whole log in one statement, as fast as one connection can. It holds a snapshot all the while, so
//! nothing here reads that way.

use std::time::Instant;

use bytes::Bytes;
use daybook_pg::Pg;
use futures::TryStreamExt;

use super::super::load::client::failed;
use super::super::stage::patient;
use super::{Figure, Stage};
use crate::commands::Error;

/// The signature, flags and length of an extension before the first row. Source: PostgreSQL, COPY, binary format.
const HEADER: usize = 19;
/// What follows the last row.
const TRAILER: &[u8] = &[0xff, 0xff];

pub(crate) async fn measure(stage: &Stage) -> Result<Figure, Error> {
    let begun = Instant::now();
    let received = rows(&stage.pg, stage.head, |_| {}).await?;
    Ok(Figure::since(begun, received))
}

/// Shows the rows up to position `up_to` to `look`, and counts them.
pub(crate) async fn rows(pg: &Pg, up_to: u64, mut look: impl FnMut(Bytes)) -> Result<u64, Error> {
    let client = patient(pg).await?;
    // COPY takes no parameters; a number cannot be anything else.
    let sql = include_str!("copy_out.sql").replace("$1", &up_to.to_string());
    let messages = client.copy_out(&sql).await.map_err(failed)?;
    let mut messages = std::pin::pin!(messages);
    let mut count = 0;
    while let Some(message) = messages.try_next().await.map_err(failed)? {
        if message.as_ref() != TRAILER {
            look(if count == 0 { message.slice(HEADER.min(message.len())..) } else { message });
            count += 1;
        }
    }
    Ok(count)
}
