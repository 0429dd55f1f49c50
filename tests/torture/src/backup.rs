//! A base backup, the write-ahead log since then, and restores of both.
//!
//! The records of that log alone say which position the ledger has reached at each record (`wal.rs`). So the expected
//! result of a restore is known before PostgreSQL recovers.

use std::collections::HashMap;
use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_random::Random;
use tokio_postgres::Client as Database;

use crate::cluster::Cluster;
use crate::error::{Result, failed};
use crate::flipping::replace;
use crate::wal::{self, Place, Record};

/// Ways to limit a restore: the log ends at a record, or recovery stops at an LSN, a database transaction or a time.
pub const CUTS: [&str; 4] = ["log cut", "to a place", "to a transaction", "to a time"];

/// A base backup with its archive of the write-ahead log.
pub struct Backup {
    base: PathBuf,
    archive: PathBuf,
    records: Vec<Record>,
    /// Position of the ledger after each database transaction, by transaction id.
    positions: HashMap<u32, i64>,
    /// LSN from which a restore is consistent.
    whole: Place,
}

/// Percentage of restores that may end before the LSN of consistency.
const EARLY: u64 = 10;

/// Copies the files of a running server, without its write-ahead log, to `base` in `folder`.
pub fn base(cluster: &Cluster, folder: &Path) -> Result<()> {
    let base = folder.join("base");
    std::fs::create_dir_all(&base)?;
    std::fs::set_permissions(&base, std::fs::Permissions::from_mode(0o700))?;
    cluster.account().own(&base)?;
    let mut command = Command::new(cluster.bin_dir().join("pg_basebackup"));
    cluster.account().enter(&mut command);
    let output =
        command.args(["-d", &cluster.url(), "-X", "none", "-c", "fast", "-D"]).arg(&base).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())))
}

/// Returns the LSN up to which the write-ahead log is flushed to disk.
pub async fn flushed(database: &Database) -> Result<Place> {
    let row = database.query_one("select pg_current_wal_flush_lsn()::text", &[]).await?;
    Place::parse(row.get(0)).ok_or_else(|| failed("no LSN returned"))
}

impl Backup {
    /// Adds the write-ahead log since [`base`]. `whole` is the LSN at which the base backup ended. The database must
    /// not change meanwhile.
    pub async fn complete(
        cluster: &Cluster,
        database: &Database,
        folder: &Path,
        whole: Place,
    ) -> Result<Self> {
        let (base, archive) = (folder.join("base"), folder.join("archive"));
        let label = std::fs::read_to_string(base.join("backup_label"))?;
        let from = label.lines().find_map(|line| line.strip_prefix("START WAL LOCATION: "));
        let from = from.and_then(|rest| Place::parse(rest.split(' ').next()?));
        let from = from.ok_or_else(|| failed("the backup label contains no start location"))?;
        database.batch_execute("create temporary table flushed ()").await?;
        let to = flushed(database).await?;
        let log = cluster.folder().join("postgres/pg_wal");
        replace(&log, &archive)?;
        std::fs::remove_dir_all(archive.join("archive_status"))?;
        let records = wal::records(cluster, &log, from, to)?;
        Ok(Self { base, archive, records, positions: wal::positions(database).await?, whole })
    }

    /// Prepares `folder`, so that a server that is started there begins the restore. Returns the position at which the
    /// ledger has to end, and a description of the recovery target.
    pub fn lay_out(
        &self,
        cluster: &Cluster,
        folder: &Path,
        cut: &str,
        random: &mut Random,
    ) -> Result<(i64, String)> {
        let (data, archive) = (folder.join("postgres"), folder.join("archive"));
        let said = folder.join("postgres.log");
        if said.exists() {
            // The file contains messages of this restore only.
            std::fs::File::create(said)?;
        }
        replace(&self.base, &data)?;
        replace(&self.archive, &archive)?;
        let from = if random.percent(EARLY) { Place(0) } else { self.whole };
        let records: Vec<&Record> = self.records.iter().filter(|it| it.at > from).collect();
        let commits: Vec<&Record> = records.iter().copied().filter(|it| it.is_commit).collect();
        let (record, commit) = (*random.pick(&records), *random.pick(&commits));
        let (target, end) = match cut {
            "log cut" => {
                wal::cut(&archive, record.at)?;
                (String::new(), self.reached(|it| it.at < record.at))
            }
            "to a place" => {
                (format!("recovery_target_lsn = '{}'", record.at), self.reached(|it| it.at <= record.at))
            }
            "to a transaction" => {
                (format!("recovery_target_xid = '{}'", commit.xid), self.reached(|it| it.at <= commit.at))
            }
            _ => {
                let time = commit.ended.as_deref().unwrap_or_default();
                let later = self.records.iter().find(|it| it.ended.as_deref().is_some_and(|at| at > time));
                let end = later.map_or(Place(u64::MAX), |later| later.at);
                (format!("recovery_target_time = '{time}+00'"), self.reached(|it| it.at < end))
            }
        };
        let mut settings = std::fs::read_to_string(data.join("postgresql.auto.conf"))?;
        // Writing to a String cannot fail.
        let _ = writeln!(settings, "restore_command = 'cp \"{}/%f\" \"%p\"'\n{target}", archive.display());
        let _ = writeln!(settings, "recovery_target_action = 'promote'");
        std::fs::write(data.join("postgresql.auto.conf"), settings)?;
        std::fs::write(data.join("recovery.signal"), "")?;
        cluster.account().own(&data.join("recovery.signal"))?;
        let told = if target.is_empty() { format!("log cut at {}", record.at) } else { target };
        Ok((end, told))
    }

    /// Returns the position that the ledger has reached by the records for which `holds` is true.
    fn reached(&self, holds: impl Fn(&Record) -> bool) -> i64 {
        let mut positions = self.positions.clone();
        for record in self.records.iter().filter(|record| record.is_commit && !holds(record)) {
            positions.remove(&record.xid);
        }
        positions.into_values().max().unwrap_or_default()
    }
}
