//! What is done when nothing is harmed any more: unknown operations are resolved under their keys, everything comes to
//! rest, and all that checks need is read and written into the folder of the run.

use std::path::Path;

use crate::arena::Arena;
use crate::check::Last;
use crate::error::Result;

/// Resolves, waits and reads.
pub async fn look(arena: &Arena, seed: u64, out: &Path) -> Result<()> {
    arena.history.sync()?;
    let last = Last { seed, ..Last::default() };
    let log = arena.daybook(&["log", "tail", "--after", "0", "--json"]).await?;
    std::fs::write(out.join("log.jsonl"), &log.stdout)?;
    std::fs::write(out.join("last.json"), serde_json::to_vec_pretty(&last)?)?;
    Ok(())
}
