//! Verification of two checkpoints of one log.

use daybook_proof::{Checkpoint, Error, Key};

use crate::input::{self, Unreadable};
use crate::options;
use crate::report::Report;
use crate::wire::{self, hashes};

/// Checks that the log of the older checkpoint is a prefix of the log of the newer one.
pub(crate) fn check(
    asked: &options::Consistency,
    keys: &[Key],
    report: &mut Report,
) -> Result<(), Unreadable> {
    report.limit("what the events are: it is checked only that none was changed, removed or inserted");
    report.limit("whether others were shown other checkpoints, or there is a newer one");
    let proof =
        asked.file.as_deref().map(|file| input::json::<wire::Consistency>(file, "a proof of consistency"));
    let proof = proof.transpose()?;
    let old = input::checkpoint_file(&asked.old, keys, report)?;
    let new = input::checkpoint_file(&asked.new, keys, report)?;
    if let (Some(old), Some(new)) = (old, new) {
        compare(&old, &new, proof.as_ref(), report);
    }
    Ok(())
}

fn compare(old: &Checkpoint, new: &Checkpoint, proof: Option<&wire::Consistency>, report: &mut Report) {
    let (from, to) = (old.head.size, new.head.size);
    if old.origin != new.origin {
        report.wrong(format!("the checkpoints are of two logs, {} and {}", old.origin, new.origin));
    } else if from > to {
        report.wrong(format!("the older checkpoint has {from} events, the newer one only {to}"));
    } else if from == to && old.head.root != new.head.root {
        report.wrong(format!(
            "A FORK: {} has signed two different logs of {from} events; keep both checkpoints: together they prove it",
            new.origin
        ));
    } else {
        match proof {
            Some(proof) if (proof.from, proof.to) != (from, to) => {
                let (a, b) = (proof.from, proof.to);
                report.wrong(format!(
                    "the proof is from {a} to {b} events, the checkpoints are of {from} and {to}"
                ));
            }
            None if from != to => {
                report.open(format!(
                    "whether the log of {from} events is the beginning of that of {to}: no proof is given"
                ));
            }
            _ => {
                let hashes = proof.map(|proof| hashes(&proof.proof)).unwrap_or_default();
                grown(old.verify_grown(new, &hashes), (from, to), report);
            }
        }
    }
}

/// Reports the result of a consistency proof between trees of these sizes.
pub(crate) fn grown(result: Result<(), Error>, (from, to): (u64, u64), report: &mut Report) {
    match result {
        Ok(()) if from == to => report.holds(format!("both are the same log of {from} events")),
        Ok(()) => report.holds(format!("the log of {from} events is the beginning of that of {to} events")),
        Err(Error::Root) => report.wrong(format!(
            "A FORK, or a proof that is not about these two: by it the log of {to} events does not begin with that of \
             {from} events; the signer of both has to provide a proof that holds"
        )),
        Err(error) => report.wrong(format!("the proof from {from} to {to} events does not hold: {error}")),
    }
}
