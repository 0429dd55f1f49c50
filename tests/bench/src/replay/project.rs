//! The regular projection runner, from the beginning of the log, into empty read models.

use std::sync::Arc;
use std::time::Instant;

use daybook_cli::progress::Progress;
use daybook_engine::SHARD;
use daybook_projector::{Progress as Step, Reads, Runner};

use super::scratch::Scratch;
use super::{Figure, Stage};
use crate::error::Error;
use crate::load::client::failed;

pub(super) async fn measure(stage: &Stage, scratch: &Scratch) -> Result<Figure, Error> {
    scratch.renew(&stage.pg).await?;
    let reads = Reads::new(scratch.pg.clone(), Arc::clone(&stage.log));
    reads.versions().install(SHARD).await?;
    let runner = Runner::new(reads.store(), SHARD);
    let progress = Progress::new("projecting", Some(stage.head), false);
    progress.set(0);
    let (begun, mut reached) = (Instant::now(), 0);
    while reached < stage.head {
        match runner.step().await? {
            Step::Moved { position, .. } => reached = position,
            Step::Idle | Step::Elsewhere => return Err(failed("the runner does not move")),
        }
        progress.set(reached);
    }
    progress.finish();
    Ok(Figure::since(begun, reached))
}
