//! Rebuild of a read model beside the active version, with its indexes, until both are projected together. It makes a
//! scratch version, which is never read and is dropped at the end.

use std::sync::Arc;
use std::time::Instant;

use daybook_engine::SHARD;
use daybook_projector::{Model, Reads, Rebuild};

use super::{Figure, Stage};
use crate::error::Error;

/// Read models with the most writes.
pub(crate) const MODELS: [Model; 4] = [Model::BALANCES, Model::ENTRIES, Model::TRANSACTIONS, Model::PARTIES];
/// Memory limit in bytes, the default of `projection rebuild`.
const MEMORY_BYTES: u64 = 256 << 20;

pub(crate) async fn measure(stage: &Stage, model: Model) -> Result<Figure, Error> {
    let reads = Reads::new(stage.pg.clone(), Arc::clone(&stage.log));
    let begun = Instant::now();
    let mut rebuild = Rebuild::scratch(reads.versions(), SHARD, model, MEMORY_BYTES, None).await?;
    while !rebuild.is_built() {
        rebuild.step().await?;
    }
    let figure = Figure::since(begun, rebuild.version().position);
    reads.versions().drop_scratch(SHARD).await?;
    Ok(figure)
}
