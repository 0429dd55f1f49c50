//! Verification of an event in the log.

use std::path::Path;

use daybook_proof::{Key, balance};

use crate::input::{self, Unreadable};
use crate::report::{Finding, Report};
use crate::wire::{EventProof, hashes};

/// Verifies the checkpoint of the proof, and the inclusion path of the event.
pub(crate) fn check(file: &Path, keys: &[Key], report: &mut Report) -> Result<(), Unreadable> {
    let proof: EventProof = input::json(file, "an event with its path")?;
    report.limit("what was appended after that checkpoint, and that no newer checkpoint exists");
    let leaf = proof.event.leaf().map_err(|what| Unreadable::new(file.display(), what))?;
    let Some(checkpoint) = input::checkpoint("the checkpoint of the proof", &proof.checkpoint, keys, report)?
    else {
        return Ok(());
    };
    let (position, path) = (leaf.position, hashes(&proof.path));
    match (balance::Included { leaf, path: &path }).verify(&checkpoint.head) {
        Ok(()) => report.holds(format!(
            "the event, with exactly these columns, is at position {position} of the {} events of that checkpoint",
            checkpoint.head.size
        )),
        Err(error) => {
            let what = format!("the event is not in the log of that checkpoint: {error}");
            report.find(Finding { position: Some(position), what, ..Finding::default() });
        }
    }
    Ok(())
}
