//! The write-ahead log as files: byte and file of an LSN, and the commits of the ledger in the log.
//!
//! `pg_waldump` lists the records and marks commits. The rows of `commit` tell which of these are commits of the
//! ledger. So the position that the ledger has reached at any LSN is known without a recovery.

use std::collections::HashMap;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tokio_postgres::Client as Database;

use crate::cluster::Cluster;
use crate::error::{Result, failed};

/// Size of a file in bytes, as `initdb` sets it.
const SEGMENT_BYTES: u64 = 16 * 1024 * 1024;
/// Number of files with the same middle part in their names.
const SEGMENTS_PER_ID: u64 = 0x1_0000_0000 / SEGMENT_BYTES;

/// An LSN: an offset from the beginning of the log, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(pub u64);

impl Place {
    /// Parses the format `16/B374D848`.
    pub fn parse(text: &str) -> Option<Self> {
        let (high, low) = text.split_once('/')?;
        let part = |text| u64::from_str_radix(text, 16).ok();
        Some(Self((part(high)? << 32) + part(low)?))
    }

    /// Returns the name of its file in the first timeline.
    pub fn file(self) -> String {
        let number = self.0 / SEGMENT_BYTES;
        format!("{:08X}{:08X}{:08X}", 1, number / SEGMENTS_PER_ID, number % SEGMENTS_PER_ID)
    }

    /// Returns the offset in its file.
    pub const fn offset(self) -> u64 {
        self.0 % SEGMENT_BYTES
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:X}/{:X}", self.0 >> 32, self.0 & 0xffff_ffff)
    }
}

/// A record. Some records end a database transaction.
#[derive(Clone, Debug)]
pub struct Record {
    /// LSN of its beginning.
    pub at: Place,
    /// Database transaction of the record.
    pub xid: u32,
    /// End of the database transaction, if this record ends it.
    pub ended: Option<String>,
    /// True if the record is a commit.
    pub is_commit: bool,
}

/// Returns all records in `folder` between two LSNs.
pub fn records(cluster: &Cluster, folder: &Path, from: Place, to: Place) -> Result<Vec<Record>> {
    let mut command = Command::new(cluster.bin_dir().join("pg_waldump"));
    command.arg("-p").arg(folder).args(["-s", &from.to_string(), "-e", &to.to_string()]);
    let output = command.env("TZ", "UTC").output()?;
    if !output.status.success() {
        return Err(failed(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(record).collect())
}

/// Parses `rmgr: Transaction len (rec/tot): 34/ 34, tx: 725, lsn: 0/017595A0, prev …, desc: COMMIT 2026-11-22
/// 13:06:56.66 UTC…`.
fn record(line: &str) -> Option<Record> {
    let field = |name: &str| line.split_once(name).map(|(_, rest)| rest.trim_start());
    let number = |text: &str| text.split([',', ' ']).next().map(str::to_owned);
    let xid = number(field(", tx:")?)?.parse().ok()?;
    let at = Place::parse(&number(field(", lsn:")?)?)?;
    let is = |what: &str| field(what).filter(|_| line.starts_with("rmgr: Transaction"));
    let (commit, abort) = (is("desc: COMMIT "), is("desc: ABORT "));
    let ended = commit.or(abort).and_then(|rest| rest.split_once(" UTC")).map(|(time, _)| time.to_owned());
    Some(Record { at, xid, ended, is_commit: commit.is_some() })
}

/// Returns the position of the ledger after each database transaction, by transaction id.
pub async fn positions(database: &Database) -> Result<HashMap<u32, i64>> {
    let rows = database.query("select xmin::text, last_position from commit", &[]).await?;
    let mut positions = HashMap::new();
    for row in rows {
        let xid = row.get::<_, &str>(0).parse().map_err(failed)?;
        positions.insert(xid, row.get(1));
    }
    Ok(positions)
}

/// Cuts off the log in `folder`: the rest of the file after this LSN is zero, and later files are removed.
pub fn cut(folder: &Path, at: Place) -> Result<()> {
    for file in files(folder)? {
        let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if *name > *at.file() {
            std::fs::remove_file(&file)?;
        }
    }
    let path = folder.join(at.file());
    if path.exists() {
        let rest = usize::try_from(SEGMENT_BYTES - at.offset()).map_err(failed)?;
        std::fs::OpenOptions::new().write(true).open(path)?.write_all_at(&vec![0; rest], at.offset())?;
    }
    Ok(())
}

/// Returns the files of the log in `folder`.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_file = |path: &PathBuf| path.file_name().is_some_and(|name| name.len() == 24);
    let entries = std::fs::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    Ok(entries.into_iter().map(|entry| entry.path()).filter(is_file).collect())
}

#[cfg(test)]
mod tests {
    use super::{Place, record};

    #[test]
    fn place_names_file_of_postgresql() {
        let place = Place::parse("1/17595A0").unwrap();
        assert_eq!((place.file().as_str(), place.offset()), ("000000010000000100000001", 0x75_95A0));
        assert_eq!(place.to_string(), "1/17595A0");
    }

    #[test]
    fn commit_is_distinguished_from_other_records() {
        let line = "rmgr: Transaction len (rec/tot):     34/    34, tx:        725, lsn: 0/017595A0, prev 0/01759560, \
                    desc: COMMIT 2026-11-22 13:06:56.661396 UTC; inval msgs: snapshot 2396";
        let commit = record(line).unwrap();
        assert_eq!((commit.xid, commit.at), (725, Place(0x0175_95A0)));
        assert_eq!((commit.ended.as_deref(), commit.is_commit), (Some("2026-11-22 13:06:56.661396"), true));
        assert!(!record(&line.replace("COMMIT", "ABORT")).unwrap().is_commit);
    }
}
