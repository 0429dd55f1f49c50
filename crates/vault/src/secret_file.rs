//! Files that hold a secret: read only if not everybody on the machine can.

use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use daybook_intake::file;
pub use daybook_intake::file::Pipes;
use zeroize::Zeroizing;

/// What everybody may do with a file who is neither its owner nor in its group.
const OTHERS: u32 = 0o007;

/// The most bytes of a file with a secret: keys are small, and a list of what is said to anchors is not large.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a file with a secret. Its group may be allowed to read it, too: so secrets are handed to a container.
///
/// # Errors
///
/// If it cannot be read, is no file of a key's size, or if everybody may read or write it.
pub fn read_secret(path: &Path, pipes: Pipes) -> io::Result<Zeroizing<Vec<u8>>> {
    let file = file::opened(path, pipes)?;
    let mode = file.metadata()?.permissions().mode();
    if mode & OTHERS != 0 {
        let text = format!("everybody on this machine may use it (mode {:o}): chmod 600", mode & 0o777);
        return Err(io::Error::new(ErrorKind::PermissionDenied, text));
    }
    file::read_opened(file, MAX_BYTES).map(Zeroizing::new)
}

/// The same of a secret that is text.
///
/// # Errors
///
/// As [`read_secret`], and if it is not UTF-8.
pub fn read_secret_text(path: &Path, pipes: Pipes) -> io::Result<Zeroizing<String>> {
    let bytes = read_secret(path, pipes)?;
    let text =
        str::from_utf8(&bytes).map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8"))?;
    Ok(Zeroizing::new(text.to_owned()))
}
