//! Reading and decoding, page by page and with pages read ahead.

use std::sync::Arc;
use std::time::Instant;

use daybook_engine::SHARD;
use daybook_projector::{RecordedEvent, replay};
use futures::TryStreamExt;

use super::{Figure, Stage};
use crate::error::Error;
use crate::load::client::failed;

/// Number of pages that are read ahead.
pub(super) const PAGES_READ_AHEAD: usize = 3;

/// Reads one page, decodes it, and reads the next, as a runner does when there is one page only.
pub(super) async fn one_by_one(stage: &Stage) -> Result<Figure, Error> {
    let (begun, mut after) = (Instant::now(), 0);
    while after < stage.head {
        let page = stage.log.read(SHARD, after, stage.head).await.map_err(failed)?;
        after = page.last().map_or(stage.head, |last| last.position);
        for one in &page {
            std::hint::black_box(RecordedEvent::decode(one)?);
        }
    }
    Ok(Figure::since(begun, stage.head))
}

/// Reads pages ahead, as a replay does.
pub(super) async fn ahead(stage: &Stage) -> Result<Figure, Error> {
    let begun = Instant::now();
    let pages = replay(Arc::clone(&stage.log), SHARD, 0, stage.head, PAGES_READ_AHEAD);
    let count = pages.try_fold(0, |count, page| async move { Ok(count + page.len() as u64) }).await?;
    Ok(Figure::since(begun, count))
}
