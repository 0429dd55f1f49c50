//! Flips bytes in files of a cluster, and keeps a copy of the files to restore after each flip.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_random::Random;
use tokio_postgres::Client as Database;

use crate::cluster::Cluster;
use crate::error::{Result, failed};
use crate::wal::Place;

/// Kinds of files in which a byte is flipped: a table, an index, or the write-ahead log that a recovery needs.
pub const KINDS: [&str; 5] = ["table", "index", "table", "index", "log"];

/// Query for the tables whose rows are served or affect decisions, their TOAST tables, and their indexes.
const RELATIONS: &str = "
    with main as (
        select c.oid, c.reltoastrelid from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind = 'r' and (n.nspname = 'vault' or n.nspname = 'public' and (c.relname ~ '_v[0-9]+$'
            or c.relname in ('shard', 'commit', 'event', 'idempotency', 'cursor', 'projection', 'platform', 'oauth_key'))))
    select c.relname::text, c.relkind::text, pg_relation_filepath(c.oid), pg_relation_size(c.oid)
    from pg_class c
    where pg_relation_size(c.oid) > 0 and (c.oid in (select oid from main) or c.oid in (select reltoastrelid from main)
        or c.oid in (select indexrelid from pg_index where indrelid in (select oid from main)))
    order by c.relname";
/// Query for the LSN at which a recovery begins to read the log, and the LSN up to which the log is flushed.
const LOG: &str = "select redo_lsn::text, pg_current_wal_flush_lsn()::text from pg_control_checkpoint()";

/// Place of one byte.
#[derive(Clone, Debug)]
pub struct Byte {
    /// Name of the table or index, or place in the log.
    pub of: String,
    /// Path of the file, relative to the folder of the cluster.
    path: PathBuf,
    /// Offset in the file, in bytes.
    offset: u64,
}

impl std::fmt::Display for Byte {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "byte {} of {}", self.offset, self.of)
    }
}

/// A file of a table or an index.
#[derive(Clone, Debug)]
struct Relation {
    name: String,
    is_index: bool,
    path: PathBuf,
    size: u64,
}

/// All bytes that can be flipped.
#[derive(Clone, Debug)]
pub struct Disk {
    relations: Vec<Relation>,
    log: (Place, Place),
}

impl Disk {
    /// Lists the files of tables and indexes, and the log since the last checkpoint.
    pub async fn of(database: &Database) -> Result<Self> {
        let mut relations = vec![];
        for row in database.query(RELATIONS, &[]).await? {
            let (name, kind, path) = (row.get(0), row.get::<_, &str>(1), row.get::<_, String>(2));
            let size = row.get::<_, i64>(3).unsigned_abs();
            relations.push(Relation { name, is_index: kind == "i", path: path.into(), size });
        }
        // A commit flushes the log up to its own record.
        database.batch_execute("create temporary table flushed ()").await?;
        let row = database.query_one(LOG, &[]).await?;
        let place = |column| Place::parse(row.get(column)).ok_or_else(|| failed("no LSN returned"));
        Ok(Self { relations, log: (place(0)?, place(1)?) })
    }

    /// Chooses a random byte of this kind.
    pub fn byte(&self, kind: &str, random: &mut Random) -> Byte {
        if kind == "log" {
            let (from, to) = self.log;
            let place = Place(from.0 + random.below_u64(to.0 - from.0));
            let path = Path::new("pg_wal").join(place.file());
            return Byte { of: format!("the log at {place}"), path, offset: place.offset() };
        }
        let fits = |relation: &&Relation| relation.is_index == (kind == "index");
        let relations: Vec<&Relation> = self.relations.iter().filter(fits).collect();
        let relation = random.pick(&relations);
        Byte {
            of: relation.name.clone(),
            path: relation.path.clone(),
            offset: random.below_u64(relation.size),
        }
    }
}

/// Changes random bits of a byte of a stopped cluster.
pub fn flip(cluster: &Cluster, byte: &Byte, random: &mut Random) -> Result<()> {
    let path = pgdata(cluster).join(&byte.path);
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path)?;
    let mut found = [0];
    file.read_exact_at(&mut found, byte.offset)?;
    let mask = u8::try_from(1 + random.below_u64(255)).unwrap_or(1);
    Ok(file.write_all_at(&[found[0] ^ mask], byte.offset)?)
}

/// Copies the files of a stopped cluster. Returns the folder of the copy.
pub fn keep(cluster: &Cluster, name: &str) -> Result<PathBuf> {
    let copy = cluster.folder().join(name);
    replace(&pgdata(cluster), &copy)?;
    Ok(copy)
}

/// Replaces the files of a stopped cluster by a copy.
pub fn restore(cluster: &Cluster, copy: &Path) -> Result<()> {
    replace(copy, &pgdata(cluster))
}

/// Returns the folder with the files of a cluster.
pub fn pgdata(cluster: &Cluster) -> PathBuf {
    cluster.folder().join("postgres")
}

/// Replaces `to` by a copy of `from`, with owners and modes.
pub fn replace(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        std::fs::remove_dir_all(to)?;
    }
    let mut command = Command::new("cp");
    let copied = command.args(["-a", "--reflink=auto"]).arg(from).arg(to).status()?;
    if copied.success() { Ok(()) } else { Err(failed(format!("{command:?}: {copied}"))) }
}
