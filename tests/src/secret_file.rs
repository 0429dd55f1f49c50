//! Files that contain a secret, with the permissions that the service requires.
#![allow(clippy::expect_used, reason = "a test that cannot write has failed")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Writes a file that only its owner can read.
///
/// # Panics
///
/// Panics if the file cannot be written.
pub fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    fs::write(&path, bytes).expect("a file");
    fs::set_permissions(path, Permissions::from_mode(0o600)).expect("it is ours");
}
