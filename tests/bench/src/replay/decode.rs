//! Decoding alone: pages that are in memory, on one thread.

use std::time::Instant;

use daybook_engine::SHARD;
use daybook_projector::RecordedEvent;

use super::{Figure, Stage};
use crate::error::Error;
use crate::load::client::failed;

/// Number of events that are held in memory: the last ones of the log.
const EVENTS: u64 = 200_000;

pub(super) async fn measure(stage: &Stage) -> Result<Figure, Error> {
    let (mut recorded, mut after) = (vec![], stage.head.saturating_sub(EVENTS));
    while after < stage.head {
        let page = stage.log.read(SHARD, after, stage.head).await.map_err(failed)?;
        after = page.last().map_or(stage.head, |last| last.position);
        recorded.extend(page);
    }
    let begun = Instant::now();
    for one in &recorded {
        std::hint::black_box(RecordedEvent::decode(one)?);
    }
    Ok(Figure::since(begun, recorded.len() as u64))
}
