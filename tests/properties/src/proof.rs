//! Proofs as JSON for the verifier: receipts, events with a path, balances. Input: the kind on a line, then the file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use daybook_verify::{HOLDS, UNCHECKED, WRONG, run};
use tempfile::TempDir;

use crate::chosen;

/// Public key of the examples in `tests/clients/verify_proof`.
const KEY: &str = include_str!("../../clients/verify_proof/example/log.pub");

/// Commands that need one file only.
const COMMANDS: [&str; 3] = ["receipt", "event", "balance"];

/// Checks that the verifier answers, whatever the file contains.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some((which, file)) = chosen(data) else { return };
    let Some(command) = COMMANDS.into_iter().find(|command| *command == which) else { return };
    let folder = folder();
    let path = folder.path().join("file.json");
    fs::write(&path, file).expect("a folder to write to");
    verify(command, &path, KEY);
}

/// Runs `daybook-verify`. Returns its exit code and its output.
pub(crate) fn verify(command: &str, path: &Path, key: &str) -> (u8, String) {
    let words = ["daybook-verify", "--key-text", key.trim(), command].map(OsString::from);
    let arguments = words.into_iter().chain([path.as_os_str().to_owned()]);
    let (mut out, mut err) = (vec![], vec![]);
    let code = run(arguments, &mut out, &mut err);
    assert!([HOLDS, WRONG, UNCHECKED].contains(&code));
    assert!(!out.is_empty() || !err.is_empty(), "an answer says something");
    (code, String::from_utf8_lossy(&[out, err].concat()).into_owned())
}

/// Creates a folder in memory if possible, because a fuzzer writes to it a thousand times a second.
pub(crate) fn folder() -> TempDir {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
    tempfile::tempdir_in(parent).expect("a folder can be made")
}
