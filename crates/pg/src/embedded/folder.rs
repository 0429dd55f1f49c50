//! The data folder: its layout, and access to it.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::PGDATA;
use super::account::Account;
use super::lock;
use crate::Error;

/// Part of the socket's name. No process listens on this TCP port.
pub(super) const PORT: u16 = 5432;

/// Maximum length of the path of a unix socket.
const SOCKET_PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Log of the server, in the data folder.
pub(super) const LOG: &str = "postgres.log";

/// Number of bytes at the end of the server's log that are examined.
const LOG_TAIL: u64 = 4096;

/// An existing data folder, as an absolute path without links.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    root: PathBuf,
}

impl Folder {
    /// Opens the data folder. Creates it if it is missing.
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

    /// Returns the folder itself. The server's programs do not get its name, because they would pass it to a shell.
    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Creates the files and folders that the server needs at its start, and gives its account access.
    pub(super) fn admit(&self, account: &Account) -> Result<(), Error> {
        account.reach(&self.root)?;
        account.own_dir(&self.socket_dir())?;
        let log = self.log();
        private(&log).map_err(|error| failed("write", &log, &error))?;
        account.own(&log)
    }

    /// Returns the folder of the cluster.
    pub(super) fn pgdata(&self) -> PathBuf {
        self.root.join(PGDATA)
    }

    /// Returns the folder of the cluster while `initdb` writes it.
    pub(super) fn pgdata_draft(&self) -> PathBuf {
        self.root.join("postgres.draft")
    }

    pub(super) fn socket_dir(&self) -> PathBuf {
        self.root.join("socket")
    }

    /// Returns the file in which the server records the owner of its socket.
    pub(super) fn socket_lock(&self) -> PathBuf {
        self.socket().with_added_extension("lock")
    }

    fn socket(&self) -> PathBuf {
        self.socket_dir().join(format!(".s.PGSQL.{PORT}"))
    }

    /// Returns the file with our settings, which the cluster includes. It is outside of the cluster, because this
    /// process may be root and the owner of the cluster is not.
    pub(super) fn settings(&self) -> PathBuf {
        self.root.join("postgres.conf")
    }

    pub(super) fn log(&self) -> PathBuf {
        self.root.join(LOG)
    }

    /// Returns the major version of the cluster, if there is one.
    pub(super) fn major(&self) -> Option<u32> {
        std::fs::read_to_string(self.pgdata().join("PG_VERSION")).ok()?.trim().parse().ok()
    }

    /// Waits until no other process starts or stops this server, at most for `patience`.
    pub(super) async fn lock(&self, patience: Duration) -> Result<File, Error> {
        lock::take(&self.root.join("postgres.lock"), patience).await
    }

    /// Returns the size of the server's log in bytes.
    pub(super) fn log_len(&self) -> u64 {
        self.log().metadata().map_or(0, |log| log.len())
    }

    /// Returns the last lines of the server's log after its first `from` bytes.
    pub(super) fn log_since(&self, from: u64) -> String {
        let mut tail = Vec::new();
        let start = from.max(self.log_len().saturating_sub(LOG_TAIL));
        // The text only explains a failure, so a log that cannot be read is ignored.
        let _ = File::open(self.log()).and_then(|mut log| {
            log.seek(SeekFrom::Start(start))?;
            log.read_to_end(&mut tail)
        });
        String::from_utf8_lossy(&tail).trim().to_owned()
    }
}

/// Creates a folder, and those above it that are missing. Whatever the umask of the process is, other users may enter
/// the folders above but not list them, and may not enter the folder itself.
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

/// Opens a file for appending that no other user can read or lock. Read access would be enough for a lock.
pub(super) fn private(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    // An earlier release made the file readable for all.
    if file.metadata()?.permissions().mode() & 0o077 != 0 {
        file.set_permissions(Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

/// Writes a file that only its owner may read or write.
pub(super) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
    // An earlier release left the mode to the umask of the process.
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text)
}

/// Creates the error of a failed file operation.
pub(super) fn failed(verb: &str, path: &Path, error: &io::Error) -> Error {
    Error::Embedded(format!("cannot {verb} {}: {error}", path.display()))
}
