//! Lock of a data folder: one process at a time starts or stops its server. Another process waits, logs the holder of
//! the lock, and gives up after a time limit.

use std::fmt;
use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use nix::sys::stat::{major, minor};
use nix::unistd::{Uid, User};
use tokio::time::{Instant, sleep};

use super::folder::{failed, private};
use crate::Error;

/// Pause between two attempts.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Wait that is normal and not logged.
const QUIET_WAIT: Duration = Duration::from_secs(1);

/// Waits until no other process holds the lock at `path`, at most for `patience`. The lock ends when the file is
/// closed, or with the process.
pub(super) async fn take(path: &Path, patience: Duration) -> Result<File, Error> {
    let file = private(path).map_err(|error| failed("lock", path, &error))?;
    let begun = Instant::now();
    let mut is_told = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed("lock", path, &error)),
        }
        if begun.elapsed() >= patience {
            let (holder, path, patience) = (LockHolder::of(&file), path.display(), patience.as_secs());
            return Err(Error::Embedded(format!(
                "{holder} has held {path} for {patience} s, so this process cannot start or stop the server: \
                 end that process and try again"
            )));
        }
        if begun.elapsed() >= QUIET_WAIT && !is_told {
            is_told = true;
            let (holder, path) = (LockHolder::of(&file), path.display());
            tracing::warn!(%holder, %path, "another process holds the lock of this server; waiting for it");
        }
        sleep(POLL_INTERVAL).await;
    }
}

/// The process that holds a lock, as far as the operating system reports it.
enum LockHolder {
    Process { pid: i32, name: String, account: String },
    Unknown,
}

impl LockHolder {
    /// Asks the operating system. Only Linux answers.
    fn of(file: &File) -> Self {
        Self::found(file).unwrap_or(Self::Unknown)
    }

    fn found(file: &File) -> Option<Self> {
        let found = file.metadata().ok()?;
        let file = format!("{:02x}:{:02x}:{}", major(found.dev()), minor(found.dev()), found.ino());
        let pid = holder(&fs::read_to_string("/proc/locks").ok()?, &file)?;
        let name = fs::read_to_string(format!("/proc/{pid}/comm")).ok()?.trim().escape_debug().to_string();
        let uid = Uid::from_raw(fs::metadata(format!("/proc/{pid}")).ok()?.uid());
        let account = User::from_uid(uid).ok().flatten().map_or_else(|| uid.to_string(), |user| user.name);
        Some(Self::Process { pid, name, account })
    }
}

impl fmt::Display for LockHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process { pid, name, account } => {
                write!(f, "process {pid} ({name}) of the account {account}")
            }
            Self::Unknown => f.write_str("another process"),
        }
    }
}

/// Returns the process that holds a lock on `file` (device and inode), from the text of `/proc/locks`. Lines of waiting
/// processes have an arrow.
fn holder(locks: &str, file: &str) -> Option<i32> {
    locks.lines().find_map(|line| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [_, "FLOCK", _, _, pid, of, ..] if of == file => pid.parse().ok().filter(|pid| *pid > 0),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::holder;

    const LOCKS: &str = "\
1: POSIX  ADVISORY  WRITE 11 fd:00:7 0 EOF
2: FLOCK  ADVISORY  WRITE 12 fd:00:77 0 EOF
3: FLOCK  ADVISORY  READ  13 fd:00:7 0 EOF
3: -> FLOCK  ADVISORY  WRITE 14 fd:00:8 0 EOF
4: FLOCK  ADVISORY  WRITE 0 fd:00:9 0 EOF
5: FLOCK  ADVISORY  WRITE 15 fd:00:8 0 EOF
";

    #[test]
    fn holder_is_found_by_device_and_inode() {
        for (file, pid) in [
            ("fd:00:7", Some(13)),
            ("fd:00:77", Some(12)),
            ("fd:00:8", Some(15)),
            ("fd:00:9", None),
            ("fd:01:7", None),
        ] {
            assert_eq!(holder(LOCKS, file), pid, "{file}");
        }
    }
}
