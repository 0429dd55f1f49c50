//! Wait for a server that is still starting: if everything is started at once, the service may be first.

use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::error::SqlState;

use crate::error::chain;
use crate::{Error, Pg};

/// Pause between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);

/// Minimum time between two log lines with the same text.
const LOG_INTERVAL: Duration = Duration::from_secs(5);

impl Pg {
    /// Waits until the server accepts connections, for about `within` at most, and logs the reason for the wait.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if the server does not accept connections in time. Permanent errors, such as a wrong
    /// password or a missing database, are returned immediately.
    pub async fn wait(&self, within: Duration) -> Result<(), Error> {
        let (begun, config) = (Instant::now(), self.config());
        let mut told: Option<(Instant, String)> = None;
        loop {
            let why = match timeout(config.connect_within(), config.connect_to_any()).await {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(error)) if !is_coming_up(&error) => return Err(error.into()),
                Ok(Err(error)) => chain(&error),
                Err(_) => "it does not answer".to_owned(),
            };
            if begun.elapsed() + RETRY_INTERVAL > within {
                return Err(Error::Unavailable(why));
            }
            if told.as_ref().is_none_or(|(at, what)| at.elapsed() >= LOG_INTERVAL || *what != why) {
                let (waited, most) = (begun.elapsed().as_secs(), within.as_secs());
                tracing::warn!(why, "the database is not there yet: waiting, {waited} s of {most} s");
                told = Some((Instant::now(), why));
            }
            sleep(RETRY_INTERVAL).await;
        }
    }
}

/// Returns true if the failure may be temporary: no process listens, a name is not known yet, a server starts, recovers
/// or stops, is still a standby, or has no free connection. An error that the server answers otherwise is permanent.
fn is_coming_up(error: &tokio_postgres::Error) -> bool {
    let passing = [
        SqlState::CANNOT_CONNECT_NOW,
        SqlState::ADMIN_SHUTDOWN,
        SqlState::CRASH_SHUTDOWN,
        SqlState::TOO_MANY_CONNECTIONS,
    ];
    if let Some(code) = error.code() {
        return passing.contains(code);
    }
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        if let Some(error) = cause.downcast_ref::<io::Error>() {
            return match error.kind() {
                // A certificate that is not trusted, an invalid address.
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => false,
                // The driver reports a standby like this, the operating system a socket without permission.
                io::ErrorKind::PermissionDenied => error.raw_os_error().is_none(),
                _ => true,
            };
        }
        source = cause.source();
    }
    error.is_closed()
}
