//! Fold of the whole log: the state of every aggregate, in memory.

use std::sync::Arc;
use std::time::Instant;

use daybook_engine::SHARD;
use daybook_projector::{Records, replay};
use futures::TryStreamExt;

use super::tail::PAGES_READ_AHEAD;
use super::{Figure, Stage};
use crate::error::Error;

pub(super) async fn measure(stage: &Stage) -> Result<Figure, Error> {
    let (begun, mut count) = (Instant::now(), 0);
    let (mut pages, mut states) = (
        std::pin::pin!(replay(Arc::clone(&stage.log), SHARD, 0, stage.head, PAGES_READ_AHEAD)),
        Records::default(),
    );
    while let Some(page) = pages.try_next().await? {
        for happened in &page {
            states.fold(happened)?;
        }
        count += page.len() as u64;
    }
    let figure = Figure::since(begun, count);
    eprintln!("{} aggregates folded", states.count());
    Ok(figure)
}
