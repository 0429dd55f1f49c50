//! Manifest of an export.

use std::fmt::Write as _;
use std::path::Path;

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::input::{self, Unreadable};

/// Name of the manifest's file.
pub(super) const NAME: &str = "manifest.json";
/// Supported format and version.
const FORMAT: (&str, u32) = ("daybook-log", 1);

/// Format of a manifest. It determines if the rest can be parsed.
#[derive(Deserialize)]
struct Format {
    format: String,
    version: u32,
}

/// Content of an export, as the manifest states it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    format: String,
    version: u32,
    pub(super) shard: i16,
    pub(super) log_id: String,
    head: Head,
    pub(super) segments: Vec<Segment>,
    digest: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    position: u64,
    commit_no: u64,
}

/// A segment: whole commits with their events.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Segment {
    pub(super) file: String,
    pub(super) first_position: u64,
    pub(super) last_position: u64,
    pub(super) first_commit: u64,
    pub(super) last_commit: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
    pub(super) plain_bytes: u64,
    pub(super) plain_sha256: String,
}

impl Manifest {
    /// Reads the manifest of an export. The inner error describes a manifest that cannot be parsed.
    pub(super) fn read(folder: &Path) -> Result<Result<Self, String>, Unreadable> {
        let file = folder.join(NAME);
        let text = input::text_of_export(&file)?;
        let format = match serde_json::from_str::<Format>(&text) {
            Ok(format) => format,
            Err(error) => return Ok(Err(format!("it cannot be read: {error}"))),
        };
        if (format.format.as_str(), format.version) != FORMAT {
            let what = format!("it is of format {:?} version {}", format.format, format.version);
            return Err(Unreadable::new(
                file.display(),
                format!("{what}, this reads {:?} {}", FORMAT.0, FORMAT.1),
            ));
        }
        Ok(serde_json::from_str(&text).map_err(|error| format!("it cannot be read: {error}")))
    }

    /// Returns the inconsistencies of the manifest.
    pub(super) fn faults(&self) -> Vec<String> {
        let mut faults = vec![];
        if self.computed() != self.digest {
            faults.push("its digest is not that of what it says".to_owned());
        }
        let (mut position, mut commit_no) = (0_u64, 0_u64);
        for it in &self.segments {
            let follows = position.checked_add(1) == Some(it.first_position)
                && commit_no.checked_add(1) == Some(it.first_commit);
            if !follows || it.last_position < it.first_position || it.last_commit < it.first_commit {
                faults.push(format!(
                    "segment {} does not continue position {position}, commit {commit_no}",
                    it.file
                ));
            }
            (position, commit_no) = (it.last_position, it.last_commit);
        }
        if (position, commit_no) != (self.head.position, self.head.commit_no) {
            faults.push(format!(
                "its segments end at position {position}, commit {commit_no}, and not at its head"
            ));
        }
        faults
    }

    fn computed(&self) -> String {
        let Self { format, version, shard, log_id, head, segments, .. } = self;
        let mut text = format!("{format} {version}\n{shard} {log_id} {} {}\n", head.position, head.commit_no);
        for it in segments {
            let places = [it.first_position, it.last_position, it.first_commit, it.last_commit, it.bytes];
            let places = places.map(|place| place.to_string()).join(" ");
            let _ =
                writeln!(text, "{} {places} {} {} {}", it.file, it.sha256, it.plain_bytes, it.plain_sha256);
        }
        hex::encode(Sha256::digest(text))
    }
}
