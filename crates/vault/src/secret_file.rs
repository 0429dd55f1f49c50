//! Files that hold a secret: opened only if not everybody on the machine can.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What everybody may do with a file who is neither its owner nor in its group.
const OTHERS: u32 = 0o007;

/// Opens a file for reading. Its group may be allowed to read it, too: so secrets are handed to a container.
///
/// # Errors
///
/// If it cannot be opened, or if everybody may read or write it.
pub fn open_secret(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    let mode = file.metadata()?.permissions().mode();
    if mode & OTHERS == 0 {
        return Ok(file);
    }
    let text = format!("everybody on this machine may use it (mode {:o}): chmod 600", mode & 0o777);
    Err(io::Error::new(ErrorKind::PermissionDenied, text))
}
