//! A clock that can be set while its service runs: libfaketime (Debian: `faketime`) reads from a file how far it is off.
//!
//! Only the wall clock moves: time limits follow the monotonic one, which does not jump.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::sleep;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::service::Host;

/// Where Debian keeps the library.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];
/// How long the library goes by what it read before: a second.
const READ_AGAIN: Duration = Duration::from_millis(1_100);

/// Starts a service again whose clock cannot be set yet; it is right then.
pub async fn prepare(arena: &Arena, host: &Host) -> Result<()> {
    let file = file(arena, host);
    let env = variables(&file)?;
    if host.runs_with(&env) {
        return Ok(());
    }
    host.kill().await;
    write(&file, 0)?;
    host.start_with(&env).await.map(drop)
}

/// Sets the clock of a service that is prepared: it is off by so many seconds then.
pub async fn set(arena: &Arena, host: &Host, seconds: i64) -> Result<()> {
    write(&file(arena, host), seconds)?;
    sleep(READ_AGAIN).await;
    Ok(())
}

/// What the library reads.
fn file(arena: &Arena, host: &Host) -> PathBuf {
    arena.folder.join(format!("clock-{}", host.address.port()))
}

fn variables(file: &Path) -> Result<Vec<(String, String)>> {
    let library = LIBRARIES.iter().find(|library| Path::new(library).exists());
    let library = library.ok_or_else(|| failed("libfaketime is not installed (Debian: faketime)"))?;
    let env = [
        ("LD_PRELOAD", (*library).to_owned()),
        ("FAKETIME_TIMESTAMP_FILE", file.display().to_string()),
        ("FAKETIME_CACHE_DURATION", READ_AGAIN.as_secs().to_string()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ];
    Ok(env.map(|(name, value)| (name.to_owned(), value)).to_vec())
}

/// In one step: the library ends a process that finds half a number.
fn write(file: &Path, seconds: i64) -> Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, format!("{seconds:+}\n"))?;
    Ok(std::fs::rename(&new, file)?)
}
