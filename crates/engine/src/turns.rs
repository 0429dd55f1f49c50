//! Concurrency limits for expensive work, so that one platform or one user does not block the others.

use std::time::Duration;

use daybook_domain::{PlatformId, UserId};
use tokio::time::{Instant, sleep};

use crate::error::SubmitError;
use crate::share::{Bounds, Holder, Share, Shares};

/// Maximum concurrent responses of several megabytes. Each occupies a database connection and the memory.
const LARGE_READS: Bounds = Bounds { user: 2, platform: 4, ..Bounds::of(6) };
/// Maximum concurrent creations of subscriptions. A platform's subscriptions are counted before another is created, so
/// only one creation may run at a time.
const SUBSCRIPTIONS: Bounds = Bounds { platform: 1, ..Bounds::of(usize::MAX) };
/// Maximum wait for a permit, and the interval between two attempts.
const PATIENCE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);

/// Limits of a process.
#[derive(Debug)]
pub struct Turns {
    large_reads: Shares,
    subscriptions: Shares,
}

impl Default for Turns {
    fn default() -> Self {
        Self { large_reads: Shares::new(LARGE_READS), subscriptions: Shares::new(SUBSCRIPTIONS) }
    }
}

impl Turns {
    /// Waits for a permit for a large read of `user` of `platform`, for at most 2 s.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Busy`] after the maximum wait.
    pub async fn large_read(&self, platform: PlatformId, user: UserId) -> Result<Share, SubmitError> {
        let holders = [Holder::Platform(platform.as_u128()), Holder::User(user.as_u128())];
        turn(&self.large_reads, &holders).await
    }

    /// Waits for a permit for `platform` to create a subscription, for at most 2 s.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Busy`] after the maximum wait.
    pub async fn subscribe(&self, platform: PlatformId) -> Result<Share, SubmitError> {
        turn(&self.subscriptions, &[Holder::Platform(platform.as_u128())]).await
    }
}

async fn turn(of: &Shares, holders: &[Holder]) -> Result<Share, SubmitError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match of.take(1, holders.iter().copied()) {
            Ok(share) => return Ok(share),
            Err(_) if Instant::now() < until => sleep(PAUSE).await,
            Err(_) => return Err(SubmitError::Busy),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLATFORM: PlatformId = PlatformId::from_u128(1);

    #[tokio::test(start_paused = true)]
    async fn large_reads_of_user_leave_others_room() {
        let turns = Turns::default();
        let read = async |platform, user| turns.large_read(platform, UserId::from_u128(user)).await;
        let own = [read(PLATFORM, 1).await, read(PLATFORM, 1).await];
        assert!(own.iter().all(Result::is_ok));
        assert!(matches!(read(PLATFORM, 1).await, Err(SubmitError::Busy)));
        let others = [read(PLATFORM, 2).await, read(PLATFORM, 3).await];
        assert!(others.iter().all(Result::is_ok));
        assert!(matches!(read(PLATFORM, 4).await, Err(SubmitError::Busy)), "the platform is at its limit");
        read(PlatformId::from_u128(2), 5).await.expect("another platform's");
        drop(own);
        read(PLATFORM, 1).await.expect("what was given back");
    }
}
