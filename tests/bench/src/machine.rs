//! Description of the machine and the database server.

use std::fmt;
use std::fs;
use std::path::Path;

use daybook_pg::Pg;

use crate::error::Error;

/// The machine and the database server.
pub(super) struct Machine {
    /// Date in UTC, by PostgreSQL's clock.
    pub(super) date: String,
    /// Settings of PostgreSQL that affect the figures, as the server reports them.
    pub(super) settings: String,
    postgres: String,
    cores: usize,
    cpu: String,
    memory_gib: u64,
    file_system: String,
}

impl Machine {
    /// Reads the description; `folder` is the folder of the database.
    pub(super) async fn look(pg: &Pg, folder: &Path) -> Result<Self, Error> {
        let client = pg.client().await?;
        let row =
            client.query_one(include_str!("machine.sql"), &[]).await.map_err(daybook_pg::Error::from)?;
        let first = |path, label| fs::read_to_string(path).ok().and_then(|text| value(&text, label));
        let memory_kib =
            first("/proc/meminfo", "MemTotal").and_then(|total| total.trim_end_matches(" kB").parse().ok());
        Ok(Self {
            date: row.get("date"),
            settings: row.get("settings"),
            postgres: row.get("version"),
            cores: std::thread::available_parallelism()?.get(),
            cpu: first("/proc/cpuinfo", "model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            memory_gib: memory_kib.map_or(0, |kib: u64| kib.div_ceil(1 << 20)),
            file_system: fs::read_to_string("/proc/mounts")
                .ok()
                .and_then(|mounts| file_system(&mounts, folder))
                .unwrap_or_else(|| "unknown".to_owned()),
        })
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { postgres, cores, cpu, memory_gib, file_system, .. } = self;
        write!(out, "{cores} cores ({cpu}), {memory_gib} GiB, {file_system}, PostgreSQL {postgres}")
    }
}

/// Returns the value of the first line `label : value`.
fn value(text: &str, label: &str) -> Option<String> {
    let mut pairs = text.lines().filter_map(|line| line.split_once(':'));
    pairs.find(|(name, _)| name.trim() == label).map(|(_, value)| value.trim().to_owned())
}

/// Returns the type of the file system that contains `folder`: that of the mount point with the longest path, the last
/// one if there are several. On a memory disk durability costs nothing.
fn file_system(mounts: &str, folder: &Path) -> Option<String> {
    let mounts = mounts.lines().filter_map(|line| {
        let mut fields = line.split(' ').skip(1);
        Some((Path::new(fields.next()?), fields.next()?))
    });
    let holding = mounts.filter(|(point, _)| folder.starts_with(point));
    holding.max_by_key(|(point, _)| point.components().count()).map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_mount_determines_file_system() {
        let mounts = "/dev/vda / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\nproc /proc proc rw 0 0\n";
        assert_eq!(file_system(mounts, Path::new("/tmp/x")).as_deref(), Some("tmpfs"));
        assert_eq!(file_system(mounts, Path::new("/tmpx/x")).as_deref(), Some("ext4"));
    }

    #[test]
    fn value_is_found_by_whole_label() {
        let text = "processor\t: 0\nmodel name\t: Some CPU: 3 GHz\nMemTotal:   24 kB\n";
        assert_eq!(value(text, "model name").as_deref(), Some("Some CPU: 3 GHz"));
        assert_eq!(value(text, "model"), None);
    }
}
