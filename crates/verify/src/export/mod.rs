//! Verification of exports: a whole log as files (`docs/reference/bundle.md`), read once from front to back with little
//! memory.

mod line;
mod manifest;
mod segment;
mod walk;

use std::path::Path;

use daybook_proof::{Key, TreeHead};

use self::manifest::Manifest;
use self::walk::Walk;
use crate::input::{self, Unreadable};
use crate::options;
use crate::report::Report;

/// External requirement on an export: the head of a checkpoint or of a receipt.
#[derive(Debug)]
pub(crate) struct Anchor {
    /// Name of its source.
    pub(crate) name: String,
    /// Origin of the log.
    pub(crate) origin: String,
    /// Size and root of the tree.
    pub(crate) head: TreeHead,
    /// Position of a promised event, with its leaf hash.
    pub(crate) leaf: Option<(u64, [u8; 32])>,
}

impl Anchor {
    /// Reads a checkpoint from a file; `None` if no trusted key signed it.
    pub(crate) fn read(file: &Path, keys: &[Key], report: &mut Report) -> Result<Option<Self>, Unreadable> {
        let checkpoint = input::checkpoint_file(file, keys, report)?;
        let name = file.display().to_string();
        Ok(checkpoint.map(|it| Self { name, origin: it.origin, head: it.head, leaf: None }))
    }
}

/// Verifies a whole export.
pub(crate) fn check(asked: &options::Export, keys: &[Key], report: &mut Report) -> Result<(), Unreadable> {
    let mut anchors = vec![];
    for file in &asked.checkpoint {
        anchors.extend(Anchor::read(file, keys, report)?);
    }
    walk(&asked.folder, anchors, keys, report)
}

/// Verifies a whole export, and compares it with the anchors.
pub(crate) fn walk(
    folder: &Path,
    anchors: Vec<Anchor>,
    keys: &[Key],
    report: &mut Report,
) -> Result<(), Unreadable> {
    report.limit(
        "what is inside the boxes, and that events follow from one another: daybook log verify does that",
    );
    if anchors.is_empty() {
        report.limit("whether events were cut from the end: no checkpoint was given");
    } else {
        report.limit("that no newer checkpoint exists: one could show that the export is cut after yours");
    }
    let manifest = match Manifest::read(folder)? {
        Ok(manifest) => manifest,
        Err(what) => {
            report.wrong(format!("{}: {what}", manifest::NAME));
            return Ok(());
        }
    };
    for what in manifest.faults() {
        report.wrong(format!("{}: {what}", manifest::NAME));
    }
    let mut walk = Walk::new(manifest.shard, anchors, keys, report);
    for segment in &manifest.segments {
        segment.read(folder, &mut walk)?;
    }
    walk.finish();
    report.limit("the log_id of the manifest, which nothing signs: the log is known by its origin");
    report.fact("log_id", manifest.log_id.as_str());
    Ok(())
}
