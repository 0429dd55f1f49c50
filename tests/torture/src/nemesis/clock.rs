//! The clock of a service is wrong: its process is started again up to an hour behind or ahead of everybody else's.
//!
//! By libfaketime (Debian: `faketime`). Only the wall clock moves: time limits follow the monotonic one, which does not jump.

use std::path::Path;

use async_trait::async_trait;

use super::Nemesis;
use crate::arena::Arena;
use crate::error::{Result, failed};
use crate::random::Random;

/// Where Debian keeps the library.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];
/// How far the clock jumps, at most; in seconds.
const HOUR_S: u64 = 3_600;

/// See the module.
pub(super) struct Jump;

#[async_trait]
impl Nemesis for Jump {
    async fn strike(&self, arena: &Arena, random: &mut Random) -> Result<()> {
        let library = LIBRARIES.iter().find(|library| Path::new(library).exists());
        let library = library.ok_or_else(|| failed("libfaketime is not installed (Debian: faketime)"))?;
        let seconds = i64::try_from(random.below(2 * HOUR_S)).unwrap_or_default() - 3_600;
        let host = random.pick(&arena.hosts);
        host.kill().await;
        let env = [
            ("LD_PRELOAD", (*library).to_owned()),
            ("FAKETIME", format!("{seconds:+}s")),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
            // Otherwise each look at the clock takes a lock in shared memory.
            ("FAKETIME_NO_CACHE", "1".to_owned()),
        ];
        host.start_with(&env.map(|(name, value)| (name.to_owned(), value)), None).await.map(drop)
    }
}
