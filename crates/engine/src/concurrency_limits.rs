//! Concurrency limits for expensive work, so that one platform or one user does not block the others.

use std::time::Duration;

use daybook_domain::{PlatformId, UserId};
use tokio::time::{Instant, sleep};

use crate::error::SubmitError;
use crate::share::{LimitHolder, Limits, Permit, SharedLimit};

/// Maximum concurrent responses of several megabytes. Each occupies a database connection and the memory.
const LARGE_READ_LIMITS: Limits = Limits { user: 2, platform: 4, ..Limits::of(6) };
/// Maximum concurrent creations of subscriptions. A platform's subscriptions are counted before another is created, so
/// only one creation may run at a time.
const SUBSCRIPTION_LIMITS: Limits = Limits { platform: 1, ..Limits::of(usize::MAX) };
/// Maximum wait for a permit, and the interval between two attempts.
const WAIT_TIMEOUT: Duration = Duration::from_secs(2);
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Limits of a process.
#[derive(Debug)]
pub struct ConcurrencyLimits {
    large_reads: SharedLimit,
    subscriptions: SharedLimit,
}

impl Default for ConcurrencyLimits {
    fn default() -> Self {
        Self {
            large_reads: SharedLimit::new(LARGE_READ_LIMITS),
            subscriptions: SharedLimit::new(SUBSCRIPTION_LIMITS),
        }
    }
}

impl ConcurrencyLimits {
    /// Waits for a permit for a large read of `user` of `platform`, for at most 2 s.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Busy`] after the maximum wait.
    pub async fn large_read(&self, platform: PlatformId, user: UserId) -> Result<Permit, SubmitError> {
        let holders = [LimitHolder::Platform(platform.as_u128()), LimitHolder::User(user.as_u128())];
        acquire(&self.large_reads, &holders).await
    }

    /// Waits for a permit for `platform` to create a subscription, for at most 2 s.
    ///
    /// # Errors
    ///
    /// [`SubmitError::Busy`] after the maximum wait.
    pub async fn subscribe(&self, platform: PlatformId) -> Result<Permit, SubmitError> {
        acquire(&self.subscriptions, &[LimitHolder::Platform(platform.as_u128())]).await
    }
}

async fn acquire(of: &SharedLimit, holders: &[LimitHolder]) -> Result<Permit, SubmitError> {
    let until = Instant::now() + WAIT_TIMEOUT;
    loop {
        match of.take(1, holders.iter().copied()) {
            Ok(permit) => return Ok(permit),
            Err(_) if Instant::now() < until => sleep(POLL_INTERVAL).await,
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
        let limits = ConcurrencyLimits::default();
        let read = async |platform, user| limits.large_read(platform, UserId::from_u128(user)).await;
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
