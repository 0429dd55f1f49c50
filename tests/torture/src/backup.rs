//! A base backup with the write-ahead log since, and what is restored of it.
//!
//! How far the ledger has come by each record of that log is known from the records alone (`wal.rs`), so what a restore has to
//! show is known before PostgreSQL recovers.

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

/// How a restore is cut: the log ends at a record, or recovery is told to stop at a place, a database transaction or a time.
pub const CUTS: [&str; 4] = ["log cut", "to a place", "to a transaction", "to a time"];

/// The copies, and what is in them.
pub struct Backup {
    base: PathBuf,
    archive: PathBuf,
    records: Vec<Record>,
    /// Up to which position each database transaction brought the ledger.
    positions: HashMap<u32, i64>,
    /// From where on what is restored is consistent.
    whole: Place,
}

/// How often a restore may end before that, of a hundred times.
const EARLY: u64 = 10;

/// Copies the files of a server that runs, without its log, to `base` in `folder`.
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

/// Up to where the log is on the disk.
pub async fn flushed(database: &Database) -> Result<Place> {
    let row = database.query_one("select pg_current_wal_flush_lsn()::text", &[]).await?;
    Place::parse(row.get(0)).ok_or_else(|| failed("no place in the log"))
}

impl Backup {
    /// With all of the log that came since [`base`], which was made when the log was at `whole`; nothing may be written any more.
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
        let from = from.ok_or_else(|| failed("the backup does not say where it begins"))?;
        database.batch_execute("create temporary table flushed ()").await?;
        let to = flushed(database).await?;
        let log = cluster.folder().join("postgres/pg_wal");
        replace(&log, &archive)?;
        std::fs::remove_dir_all(archive.join("archive_status"))?;
        let records = wal::records(cluster, &log, from, to)?;
        Ok(Self { base, archive, records, positions: wal::positions(database).await?, whole })
    }

    /// Lays out in `folder` what begins to be restored when a server is started there; answers at which position the ledger has to
    /// end, and where recovery was told to.
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
            // What is said from here on is about this restore.
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

    /// How far the ledger has come by the records for which `holds` is true.
    fn reached(&self, holds: impl Fn(&Record) -> bool) -> i64 {
        let mut positions = self.positions.clone();
        for record in self.records.iter().filter(|record| record.is_commit && !holds(record)) {
            positions.remove(&record.xid);
        }
        positions.into_values().max().unwrap_or_default()
    }
}
