//! What whoever verifies is given as JSON: receipts, events with a path, balances. Input: which of them on a line,
//! and the file.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use daybook_verify::{HOLDS, UNCHECKED, WRONG, run};
use tempfile::TempDir;

use crate::chosen;

/// The public key of the examples in `tests/clients/verify_proof`.
const KEY: &str = include_str!("../../clients/verify_proof/example/log.pub");

/// What can be checked by one file alone.
const COMMANDS: [&str; 3] = ["receipt", "event", "balance"];

/// Whatever is in the file, there is an answer.
///
/// # Panics
///
/// If something does not hold.
pub fn holds(data: &[u8]) {
    let Some((which, file)) = chosen(data) else { return };
    let Some(command) = COMMANDS.into_iter().find(|command| *command == which) else { return };
    let folder = folder();
    let path = folder.path().join("file.json");
    fs::write(&path, file).expect("a folder to write to");
    verify(command, &path, KEY);
}

/// Runs `daybook-verify`; answers its exit code and all that it said.
pub(crate) fn verify(command: &str, path: &Path, key: &str) -> (u8, String) {
    let words = ["daybook-verify", "--key-text", key.trim(), command].map(OsString::from);
    let arguments = words.into_iter().chain([path.as_os_str().to_owned()]);
    let (mut out, mut err) = (vec![], vec![]);
    let code = run(arguments, &mut out, &mut err);
    assert!([HOLDS, WRONG, UNCHECKED].contains(&code));
    assert!(!out.is_empty() || !err.is_empty(), "an answer says something");
    (code, String::from_utf8_lossy(&[out, err].concat()).into_owned())
}

/// A folder in memory, where there is one: a fuzzer writes to it a thousand times a second.
pub(crate) fn folder() -> TempDir {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
    tempfile::tempdir_in(parent).expect("a folder can be made")
}
