//! The baseline: the log's own statement for a page, on one connection. All rows are received and none is decoded.

use std::time::Instant;

use daybook_engine::SHARD;
use daybook_log::PAGE;
use futures::TryStreamExt;

use super::{Figure, Stage};
use crate::error::Error;
use crate::load::client::failed;

pub(super) async fn measure(stage: &Stage) -> Result<Figure, Error> {
    let client = stage.pg.dedicated().await?;
    let statement = client.prepare(include_str!("pages.sql")).await.map_err(failed)?;
    let (begun, mut rows, mut after) = (Instant::now(), 0, 0);
    while after < stage.head {
        let up_to = (after + u64::from(PAGE)).min(stage.head);
        let (from, to) = (i64::try_from(after).map_err(failed)?, i64::try_from(up_to).map_err(failed)?);
        let parameters: [&(dyn tokio_postgres::types::ToSql + Sync); 3] = [&SHARD, &from, &to];
        let page = client.query_raw(&statement, parameters).await.map_err(failed)?;
        rows += page.try_fold(0, |rows, _| async move { Ok(rows + 1) }).await.map_err(failed)?;
        after = up_to;
    }
    Ok(Figure::since(begun, rows))
}
