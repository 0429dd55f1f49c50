//! Manifest: the contents of a bundle, with a digest over all of it.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use daybook_intake::file::{self, Pipes};
use daybook_intake::segment::{Claim, MAX_MANIFEST_BYTES};
use daybook_log::Shard;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Error;

/// Name of the format.
const FORMAT: &str = "daybook-log";
/// Version of the format. Readers refuse any other version.
const VERSION: u32 = 1;
/// File name of the finished manifest. It exists only when every segment is written.
pub(super) const FINISHED: &str = "manifest.json";
/// File name of the manifest of an unfinished export.
pub(super) const UNFINISHED: &str = "manifest.partial.json";
/// Suffix of a file while it is being written.
pub(super) const PARTIAL_SUFFIX: &str = ".part";

/// Contents of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    format: String,
    version: u32,
    /// Shard that was exported.
    pub shard: Shard,
    /// Id of the log.
    pub log_id: String,
    /// Newest commit of the bundle.
    pub head: Head,
    /// The segments in order.
    pub segments: Vec<Segment>,
    /// SHA-256 of all fields above, in the form that `docs/reference/bundle.md` specifies.
    pub digest: String,
}

/// The newest commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Last position of the commit.
    pub position: u64,
    /// Number of the commit.
    pub commit_no: u64,
}

/// A segment: whole commits with their events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// Name of the segment's file in the bundle's folder.
    pub file: String,
    /// First position.
    pub first_position: u64,
    /// Last position.
    pub last_position: u64,
    /// Number of the first commit.
    pub first_commit: u64,
    /// Number of the last commit.
    pub last_commit: u64,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
    /// Size of the uncompressed lines in bytes.
    pub plain_bytes: u64,
    /// SHA-256 of the uncompressed lines, in hexadecimal.
    pub plain_sha256: String,
}

impl Segment {
    pub(super) fn claim(&self) -> Claim {
        Claim {
            positions: (self.first_position, self.last_position),
            commits: (self.first_commit, self.last_commit),
            bytes: self.bytes,
            plain_bytes: self.plain_bytes,
        }
    }
}

impl Manifest {
    pub(super) fn new(shard: Shard, log_id: String, head: Head) -> Self {
        let (format, version) = (FORMAT.to_owned(), VERSION);
        Self { format, version, shard, log_id, head, segments: vec![], digest: String::new() }
    }

    fn computed(&self) -> String {
        let Self { format, version, shard, log_id, head, segments, .. } = self;
        let mut text = format!("{format} {version}\n{shard} {log_id} {} {}\n", head.position, head.commit_no);
        for it in segments {
            let _ = writeln!(
                text,
                "{} {} {} {} {} {} {} {} {}",
                it.file,
                it.first_position,
                it.last_position,
                it.first_commit,
                it.last_commit,
                it.bytes,
                it.sha256,
                it.plain_bytes,
                it.plain_sha256
            );
        }
        hex::encode(Sha256::digest(text))
    }

    /// Reads the manifest in `folder` with this name, if it exists.
    pub(super) fn find(folder: &Path, name: &str) -> Result<Option<Self>, Error> {
        let damaged = |what: String| Error::Manifest(what);
        let text = match file::read(&folder.join(name), MAX_MANIFEST_BYTES, Pipes::Refused) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(damaged(error.to_string()));
            }
            Err(error) => return Err(error.into()),
        };
        // The version is checked first: another version may have other fields.
        let value: serde_json::Value =
            serde_json::from_slice(&text).map_err(|error| damaged(format!("it is not JSON: {error}")))?;
        if value["format"] != FORMAT || value["version"] != VERSION {
            let (format, version) = (&value["format"], &value["version"]);
            let what =
                format!("it is of format {format} version {version}, this reads \"{FORMAT}\" {VERSION}");
            return Err(damaged(what));
        }
        let manifest: Self =
            serde_json::from_value(value).map_err(|error| damaged(format!("it cannot be read: {error}")))?;
        if manifest.computed() != manifest.digest {
            return Err(damaged("it was altered: its digest is not that of what it says".to_owned()));
        }
        manifest.is_whole().map_err(damaged)?;
        Ok(Some(manifest))
    }

    /// Reads the finished manifest in `folder`.
    ///
    /// # Errors
    ///
    /// [`Error::Manifest`] if there is none, or it is not valid.
    pub fn load(folder: &Path) -> Result<Self, Error> {
        let manifest = Self::find(folder, FINISHED)?;
        let manifest = manifest.ok_or_else(|| {
            Error::Manifest("it does not exist: there is no bundle, or it is unfinished".into())
        })?;
        let end = manifest.segments.last().map_or((0, 0), |last| (last.last_position, last.last_commit));
        if end != (manifest.head.position, manifest.head.commit_no) {
            return Err(Error::Manifest("its segments do not end at its head".to_owned()));
        }
        Ok(manifest)
    }

    /// Checks that each segment begins after the end of the previous one, and that no file name leads out of the
    /// folder.
    fn is_whole(&self) -> Result<(), String> {
        let (mut position, mut commit_no) = (0_u64, 0_u64);
        for it in &self.segments {
            let follows = position.checked_add(1) == Some(it.first_position)
                && commit_no.checked_add(1) == Some(it.first_commit);
            if !follows || it.last_position < it.first_position || it.last_commit < it.first_commit {
                return Err(format!("segment {} does not continue the one before it", it.file));
            }
            if it.file.contains(['/', '\\']) {
                return Err(format!("segment {} is not in the folder", it.file));
            }
            if let Some(what) = it.claim().refusal() {
                return Err(format!("segment {}: {what}", it.file));
            }
            (position, commit_no) = (it.last_position, it.last_commit);
        }
        Ok(())
    }

    /// Writes the manifest as `name`, completely or not at all.
    pub(super) fn store(&mut self, folder: &Path, name: &str) -> Result<(), Error> {
        self.digest = self.computed();
        let mut text = serde_json::to_string_pretty(self).map_err(io::Error::from)?;
        text.push('\n');
        write(folder, name, text.as_bytes())
    }
}

/// Writes a file of a bundle, completely or not at all.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let part = folder.join(format!("{name}{PARTIAL_SUFFIX}"));
    let mut file = File::create(&part)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(part, folder.join(name))?;
    File::open(folder)?.sync_all()?;
    Ok(())
}
