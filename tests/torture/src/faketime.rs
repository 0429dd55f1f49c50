//! Wall clock of a running service, set through libfaketime (Debian: `faketime`). The library reads the offset from a
//! file.
//!
//! Only the wall clock changes: timeouts follow the monotonic clock, which does not jump.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::sleep;

use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::service::Host;

/// Paths of the library in Debian.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];
/// Time until a new offset takes effect: the library caches the file for one second.
const REREAD_INTERVAL: Duration = Duration::from_millis(1_100);

/// Restarts a service with the library, unless it runs with it already. The offset of its clock is zero then.
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

/// Sets the clock of a prepared service to `seconds` after the real time.
pub async fn set(arena: &Arena, host: &Host, seconds: i64) -> Result<()> {
    write(&file(arena, host), seconds)?;
    sleep(REREAD_INTERVAL).await;
    Ok(())
}

/// Returns the file from which the library reads the offset.
fn file(arena: &Arena, host: &Host) -> PathBuf {
    arena.folder.join(format!("clock-{}", host.address.port()))
}

fn variables(file: &Path) -> Result<Vec<(String, String)>> {
    let library = LIBRARIES.iter().find(|library| Path::new(library).exists());
    let library = library.ok_or_else(|| failed("libfaketime is not installed (Debian: faketime)"))?;
    let env = [
        ("LD_PRELOAD", (*library).to_owned()),
        ("FAKETIME_TIMESTAMP_FILE", file.display().to_string()),
        ("FAKETIME_CACHE_DURATION", REREAD_INTERVAL.as_secs().to_string()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ];
    Ok(env.map(|(name, value)| (name.to_owned(), value)).to_vec())
}

/// Writes the offset atomically: the library ends a process that reads an incomplete number.
fn write(file: &Path, seconds: i64) -> Result<()> {
    let new = file.with_extension("new");
    std::fs::write(&new, format!("{seconds:+}\n"))?;
    Ok(std::fs::rename(&new, file)?)
}
