//! The data folder: what lies where, and who may enter or read.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::PGDATA;
use super::account::Account;
use super::lock;
use crate::Error;

/// Part of the socket's name; nothing listens on this TCP port.
pub(super) const PORT: u16 = 5432;

/// The longest path of a unix socket that the operating system takes.
const SOCKET_PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// What the server says, in the data folder.
pub(super) const LOG: &str = "postgres.log";

/// The end of the server's log that we look at.
const LOG_TAIL: u64 = 4096;

/// An existing data folder, as an absolute path without links.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Opens the data folder; makes it if it is missing.
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        make(path).map_err(|error| failed("make", path, &error))?;
        let root = path.canonicalize().map_err(|error| failed("find", path, &error))?;
        let folder = Self { root };
        let socket = folder.socket();
        let excess = socket.as_os_str().len().saturating_sub(SOCKET_PATH_MAX);
        if excess > 0 {
            return Err(Error::Embedded(format!(
                "the path of the unix socket, {}, is {excess} bytes too long for the operating system; \
                 choose a shorter folder with --data-dir",
                socket.display()
            )));
        }
        Ok(folder)
    }

    /// The folder itself: the server's programs are told nothing of its name, which they would give to a shell.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Makes what must be there before the server starts, and lets its account in.
    pub(super) fn admit(&self, account: &Account) -> Result<(), Error> {
        account.reach(&self.root)?;
        account.own_dir(&self.socket_dir())?;
        let log = self.log();
        private(&log).map_err(|error| failed("write", &log, &error))?;
        account.own(&log)
    }

    /// The cluster.
    pub(super) fn pgdata(&self) -> PathBuf {
        self.root.join(PGDATA)
    }

    /// The cluster while `initdb` writes it.
    pub(super) fn pgdata_draft(&self) -> PathBuf {
        self.root.join("postgres.draft")
    }

    pub(super) fn socket_dir(&self) -> PathBuf {
        self.root.join("socket")
    }

    /// Where the server notes whose socket it is.
    pub(super) fn socket_lock(&self) -> PathBuf {
        self.socket().with_added_extension("lock")
    }

    fn socket(&self) -> PathBuf {
        self.socket_dir().join(format!(".s.PGSQL.{PORT}"))
    }

    /// Our settings, which the cluster includes; outside of it, because we may be root and its owner is not.
    pub(super) fn settings(&self) -> PathBuf {
        self.root.join("postgres.conf")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.root.join(LOG)
    }

    /// The major version of the cluster, if there is one.
    pub(super) fn major(&self) -> Option<u32> {
        std::fs::read_to_string(self.pgdata().join("PG_VERSION")).ok()?.trim().parse().ok()
    }

    /// Waits until no other process starts or stops this server, at most for `patience`.
    pub(super) async fn lock(&self, patience: Duration) -> Result<File, Error> {
        lock::take(&self.root.join("postgres.lock"), patience).await
    }

    /// How much the server has said so far, in bytes.
    pub(super) fn log_len(&self) -> u64 {
        self.log().metadata().map_or(0, |log| log.len())
    }

    /// The last lines that the server said after the first `from` bytes.
    pub(super) fn log_since(&self, from: u64) -> String {
        let mut tail = Vec::new();
        let start = from.max(self.log_len().saturating_sub(LOG_TAIL));
        // Only used to explain a failure: if it cannot be read, there is less to explain.
        let _ = File::open(self.log()).and_then(|mut log| {
            log.seek(SeekFrom::Start(start))?;
            log.read_to_end(&mut tail)
        });
        String::from_utf8_lossy(&tail).trim().to_owned()
    }
}

/// Makes a folder and those above it that are missing. Whatever the mask of the process is, others may walk through the
/// latter and not look around, and do not come into the folder itself.
fn make(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if let Some(above) = path.parent().filter(|above| !above.as_os_str().is_empty() && !above.is_dir()) {
        make(above)?;
        fs::set_permissions(above, Permissions::from_mode(0o711))?;
    }
    match fs::create_dir(path) {
        // Another process was first.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(0o700)),
    }
}

/// Opens a file to write at its end, and keeps everybody else from reading it, or locking it: to read is enough for that.
pub(super) fn private(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    // A release before made it for all to read.
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Writes a file that its owner alone may read, and that nobody but its owner may have written.
pub(super) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
    // A release before left it to the mask of the process.
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text)
}

/// The one way to say that the file system refused.
pub(super) fn failed(verb: &str, path: &Path, error: &io::Error) -> Error {
    Error::Embedded(format!("cannot {verb} {}: {error}", path.display()))
}
