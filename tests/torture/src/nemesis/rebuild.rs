//! A read model is rebuilt while it is read and written, compared, switched to, and the old version dropped.

use async_trait::async_trait;
use daybook_random::Random;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::Result;

/// Those that are rebuilt: of each kind one.
const MODELS: [&str; 5] = ["transactions", "parties", "balances", "entries", "nodes"];
/// What is done, in order; each must end well.
const STEPS: [&str; 3] = ["rebuild", "diff", "switch"];

/// See the module.
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
        // Refused while a process may still ask for the old version; then it is dropped another time.
        arena.daybook(&["projection", "drop", model]).await?;
        Ok(())
    }
}
