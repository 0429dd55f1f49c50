//! Verification of receipts: the signed promise, and its later fulfilment.

use std::path::Path;

use daybook_proof::{Error, Key, Receipt};
use serde_json::Value;

use crate::consistency::grown;
use crate::export::{self, Anchor};
use crate::input::{self, Unreadable};
use crate::options;
use crate::report::{Finding, Report};
use crate::wire::{self, hashes};

/// Verifies the receipt, and the other inputs against it.
pub(crate) fn check(asked: &options::Receipt, keys: &[Key], report: &mut Report) -> Result<(), Unreadable> {
    let unreadable = |what: &str| Unreadable::new(asked.file.display(), what);
    let receipt: wire::Receipt = input::json(&asked.file, "a receipt")?;
    let receipt = receipt.read().ok_or_else(|| unreadable("not a receipt: a signature has 68 bytes"))?;
    promise(&receipt, asked.export.is_some(), keys, report);
    if report.total() > 0 {
        return Ok(());
    }
    if let Some(file) = &asked.event {
        event(file, &receipt, report)?;
    } else if asked.export.is_none() {
        report.limit("which event it is: the receipt has its hash, the event itself was not given");
    }
    if let Some(folder) = &asked.export {
        let mut anchors = vec![Anchor {
            name: "the receipt".to_owned(),
            origin: receipt.root.origin.clone(),
            head: receipt.root.head,
            leaf: Some((receipt.position, receipt.leaf_hash)),
        }];
        anchors.extend(
            asked
                .checkpoint
                .iter()
                .filter_map(|file| Anchor::read(file, keys, report).transpose())
                .collect::<Result<Vec<_>, _>>()?,
        );
        export::walk(folder, anchors, keys, report)?;
    }
    match &asked.checkpoint {
        Some(file) if asked.export.is_none() || asked.consistency.is_some() => {
            kept(&receipt, file, asked.consistency.as_deref(), keys, report)
        }
        None if asked.export.is_none() => {
            report.limit(
                "whether the log still has what it promised: neither an export nor a checkpoint was given",
            );
            Ok(())
        }
        Some(_) | None => Ok(()),
    }
}

fn promise(receipt: &Receipt, has_export: bool, keys: &[Key], report: &mut Report) {
    let Receipt { position, root, .. } = receipt;
    let mut wrong = |what: String| {
        report.find(Finding { commit: Some(root.commit_no), position: Some(*position), what });
    };
    match receipt.verify_signature(keys).and_then(|()| receipt.verify(keys)) {
        Ok(()) => report.holds(format!(
            "{} has signed that this leaf is at position {position} of shard {}, in commit {}",
            root.origin, root.shard, root.commit_no
        )),
        Err(Error::NoPath) => {
            report.holds(format!(
                "{} has signed commit {} with {} events",
                root.origin, root.commit_no, root.head.size
            ));
            if !has_export {
                report.open("whether the event is in that commit: the receipt has no path");
            }
        }
        Err(error @ (Error::UnknownKey | Error::Signature | Error::Malformed(_))) => {
            wrong(format!("the receipt is not valid: {error}"));
        }
        Err(error) => wrong(format!("the leaf is not in what was signed: {error}")),
    }
}

/// Compares the event in a file, with or without its path, with the promised event.
fn event(file: &Path, receipt: &Receipt, report: &mut Report) -> Result<(), Unreadable> {
    let value: Value = input::json(file, "an event")?;
    let value = value.get("event").cloned().unwrap_or(value);
    let event: wire::EventRow = serde_json::from_value(value)
        .map_err(|error| Unreadable::new(file.display(), format!("not an event: {error}")))?;
    let leaf = event.leaf().map_err(|what| Unreadable::new(file.display(), what))?;
    if receipt.is_of(&leaf).is_ok() {
        report.holds("the event that was given is the one that the receipt is about, in every column");
    } else {
        let what = format!("{} is not the event that the receipt is about", file.display());
        report.find(Finding { position: Some(leaf.position), what, ..Finding::default() });
    }
    Ok(())
}

/// Checks that the log of a later checkpoint contains the promised event.
fn kept(
    receipt: &Receipt,
    file: &Path,
    proof: Option<&Path>,
    keys: &[Key],
    report: &mut Report,
) -> Result<(), Unreadable> {
    let proof =
        proof.map(|file| input::json::<wire::Consistency>(file, "a proof of consistency")).transpose()?;
    let Some(later) = input::checkpoint_file(file, keys, report)? else { return Ok(()) };
    let (from, to) = (receipt.root.head.size, later.head.size);
    if receipt.root.origin != later.origin {
        report
            .wrong(format!("the receipt is of {}, the checkpoint of {}", receipt.root.origin, later.origin));
    } else if from > to {
        report.open(format!(
            "whether the promise was kept: the checkpoint is older, it has {to} events and the receipt {from}"
        ));
    } else if proof.is_none() && from != to {
        report.open(format!(
            "whether the promise was kept: no proof of consistency from {from} to {to} events is given"
        ));
    } else if let Some(proof) = proof.as_ref().filter(|proof| (proof.from, proof.to) != (from, to)) {
        let (a, b) = (proof.from, proof.to);
        report.wrong(format!("the proof is from {a} to {b} events, and not from {from} to {to}"));
    } else {
        let hashes = proof.map(|proof| hashes(&proof.proof)).unwrap_or_default();
        grown(receipt.verify_kept(&hashes, &later), (from, to), report);
    }
    Ok(())
}
