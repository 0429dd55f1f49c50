//! Files with a secret. A file that every user of the machine may access is refused.

use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use daybook_intake::file;
pub use daybook_intake::file::Pipes;
use zeroize::Zeroizing;

/// Permissions of users other than the owner and the group.
const OTHERS: u32 = 0o007;

/// Maximum size in bytes of a file with a secret: a key, or the list of `Authorization` headers for anchors.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a file with a secret. The group may have access as well, because containers are given secrets in that way.
///
/// # Errors
///
/// Fails if the file cannot be read, is too large, or is open to every user of the machine.
pub fn read_secret(path: &Path, pipes: Pipes) -> io::Result<Zeroizing<Vec<u8>>> {
    let file = file::opened(path, pipes)?;
    let mode = file.metadata()?.permissions().mode();
    if mode & OTHERS != 0 {
        let text = format!("everybody on this machine may use it (mode {:o}): chmod 600", mode & 0o777);
        return Err(io::Error::new(ErrorKind::PermissionDenied, text));
    }
    file::read_opened(file, MAX_BYTES).map(Zeroizing::new)
}

/// Same as [`read_secret`], for a secret that is text.
///
/// # Errors
///
/// Errors of [`read_secret`]; also if the file is not UTF-8.
pub fn read_secret_text(path: &Path, pipes: Pipes) -> io::Result<Zeroizing<String>> {
    let bytes = read_secret(path, pipes)?;
    let text =
        str::from_utf8(&bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))?;
    Ok(Zeroizing::new(text.to_owned()))
}
