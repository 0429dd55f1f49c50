//! A read model built anew beside the one that is read, with its indexes, up to where it is fed together with it. Of a
//! kind that is never read; it is dropped at the end.

use std::sync::Arc;
use std::time::Instant;

use daybook_engine::SHARD;
use daybook_projector::{Model, Reads, Rebuild};

use super::{Figure, Stage};
use crate::error::Error;

/// Those that most is written to.
pub(crate) const MODELS: [Model; 4] = [Model::BALANCES, Model::ENTRIES, Model::TRANSACTIONS, Model::PARTIES];
/// As `projection rebuild` has it where nothing else is said.
const MEMORY: u64 = 256 << 20;

pub(crate) async fn measure(stage: &Stage, model: Model) -> Result<Figure, Error> {
    let reads = Reads::new(stage.pg.clone(), Arc::clone(&stage.log));
    let begun = Instant::now();
    let mut rebuild = Rebuild::scratch(reads.versions(), SHARD, model, MEMORY, None).await?;
    while !rebuild.is_built() {
        rebuild.step().await?;
    }
    let figure = Figure::since(begun, rebuild.version().position);
    reads.versions().drop_scratch(SHARD).await?;
    Ok(figure)
}
