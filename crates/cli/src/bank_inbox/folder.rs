//! The folder itself: its lock, its entries, and reading a file of which nothing is known.

use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::fcntl::OFlag;

use super::candidates::{Candidate, Found, Version};

/// Name of the lock. Names that begin with a dot are never taken.
const LOCK: &str = ".lock";

/// Name of the subfolder of accepted files, and of that of refused files.
pub(super) const DONE: &str = "done";
pub(super) const REFUSED: &str = "refused";

/// Maximum number of files in one look; the others wait. Maximum number of other entries that the log is told of.
const MAX_FILES: usize = 10_000;
const MAX_OTHERS: usize = 100;

/// The folder `in`, locked until this value is dropped.
pub(super) struct Folder {
    pub(super) path: PathBuf,
    _lock: File,
}

impl Folder {
    /// Opens the folder `in` below that of a bank and creates it if it is missing. `None` if another process has it.
    pub(super) fn open(bank: &Path) -> io::Result<Option<Self>> {
        let path = bank.join("in");
        fs::create_dir_all(&path)?;
        for name in [DONE, REFUSED] {
            subfolder(&path.join(name))?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let lock =
            options.custom_flags((OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK).bits()).open(path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { path, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Lists the entries whose names do not say that they are unfinished.
    pub(super) fn list(&self) -> io::Result<Vec<(OsString, Found)>> {
        let (mut found, mut files) = (vec![], 0);
        for entry in fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            if is_left_alone(&name) {
                continue;
            }
            match fs::symlink_metadata(self.path.join(&name)) {
                Ok(of) if of.is_file() => {
                    files += 1;
                    found.push((name, Found::File(Version::from(&of))));
                }
                Ok(_) if found.len() - files < MAX_OTHERS => found.push((name, Found::Other)),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            if files == MAX_FILES {
                break;
            }
        }
        Ok(found)
    }

    /// Reads a file of at most `most` bytes. A link is not followed, and a pipe is not waited for.
    pub(super) fn read(&self, candidate: &Candidate, most: u64) -> io::Result<Vec<u8>> {
        let flags = OFlag::O_NOFOLLOW | OFlag::O_NONBLOCK;
        let mut options = OpenOptions::new();
        let file = options.read(true).custom_flags(flags.bits()).open(self.path.join(&candidate.name))?;
        let same = |of: &File| Ok::<_, io::Error>(Version::from(&of.metadata()?) == candidate.version);
        if !file.metadata()?.is_file() || !same(&file)? {
            return Err(changed());
        }
        let mut bytes = vec![];
        (&file).take(most.saturating_add(1)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 == candidate.length() && same(&file)? { Ok(bytes) } else { Err(changed()) }
    }
}

pub(super) fn changed() -> io::Error {
    io::Error::other("the file changed while it was taken")
}

/// Creates a subfolder that only its owner can read. Anything else of this name is an error, a link in particular.
fn subfolder(path: &Path) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        other => return other,
    }
    if fs::symlink_metadata(path)?.is_dir() {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::NotADirectory, format!("{} is no folder", path.display())))
}

fn is_left_alone(name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    bytes.starts_with(b".") || bytes.ends_with(b".part") || name == DONE || name == REFUSED
}
