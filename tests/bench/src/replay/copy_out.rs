//! A baseline: the whole log in one statement, the fastest way for one connection. The statement holds a snapshot until
//! its end, so the product does not read the log in this way.

use std::time::Instant;

use futures::TryStreamExt;

use super::{Figure, Stage};
use crate::error::Error;
use crate::load::client::failed;
use crate::stage::patient;

/// Message after the last row.
const TRAILER: &[u8] = &[0xff, 0xff];

pub(crate) async fn measure(stage: &Stage) -> Result<Figure, Error> {
    let begun = Instant::now();
    let client = patient(&stage.pg).await?;
    // COPY accepts no parameters. A number in the text is safe.
    let sql = include_str!("copy_out.sql").replace("$1", &stage.head.to_string());
    let messages = client.copy_out(&sql).await.map_err(failed)?;
    let mut messages = std::pin::pin!(messages);
    let mut received = 0;
    while let Some(message) = messages.try_next().await.map_err(failed)? {
        received += u64::from(message.as_ref() != TRAILER);
    }
    Ok(Figure::since(begun, received))
}
