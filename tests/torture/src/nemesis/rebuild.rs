//! Rebuild of a read model while it is read and written: fill, compare, switch, and drop the old version.

use async_trait::async_trait;
use daybook_random::Random;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;

/// Read models that are rebuilt, one of each kind.
const MODELS: [&str; 5] = ["transactions", "parties", "balances", "entries", "nodes"];
/// Steps in order; each must succeed.
const STEPS: [&str; 3] = ["rebuild", "diff", "switch"];

/// A rebuild of a random read model.
pub(super) struct Rebuild;

#[async_trait]
impl Nemesis for Rebuild {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let model = random.pick(&MODELS);
        for step in STEPS {
            let output = arena.daybook(&["projection", step, model]).await?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                arena.history.wrong(format!("projection {step} {model}: {}: {said}", output.status));
                return Ok(());
            }
        }
        // The drop is refused while a process may still read the old version. A later rebuild drops it then.
        arena.daybook(&["projection", "drop", model]).await?;
        Ok(())
    }
}
