//! The clock of a service is wrong: its process is started again up to an hour behind or ahead of everybody else's.
//!
//! By libfaketime (Debian: `faketime`). Only the wall clock moves: time limits follow the monotonic one, which does not jump.

use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::sleep;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::random::Random;
use crate::service::Host;

/// Where Debian keeps the library.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];
/// How far the clock is wrong, at most; in seconds.
const HOUR_S: u64 = 3_600;
/// How long, at least and beyond that.
const LASTS_MS: (u64, u64) = (1_000, 3_000);

/// The clock of a service is up to an hour behind or ahead for a while, then an hour ahead. What is recorded then is due by that
/// time, so a process that was an hour behind at the end would have to be waited for.
pub(super) struct Jump;

#[async_trait]
impl Nemesis for Jump {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let host = random.pick(&arena.hosts);
        let off = i64::try_from(random.below(2 * HOUR_S)).unwrap_or_default() - 3_600;
        start_off(host, off).await?;
        sleep(Duration::from_millis(LASTS_MS.0 + random.below(LASTS_MS.1))).await;
        start_off(host, 3_600).await
    }
}

/// Starts a service again whose clock is off by so many seconds.
async fn start_off(host: &Host, seconds: i64) -> Result<()> {
    let library = LIBRARIES.iter().find(|library| Path::new(library).exists());
    let library = library.ok_or_else(|| failed("libfaketime is not installed (Debian: faketime)"))?;
    host.kill().await;
    let off = format!("{seconds:+}s");
    let env = [("LD_PRELOAD", *library), ("FAKETIME", off.as_str()), ("FAKETIME_DONT_FAKE_MONOTONIC", "1")];
    host.start_with(&env.map(|(name, value)| (name.to_owned(), value.to_owned())), None).await.map(drop)
}
