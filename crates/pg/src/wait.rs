//! Waits for a server that is still coming up: where everything is started at once the service may be first.

use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep, timeout};
use tokio_postgres::error::SqlState;

use crate::error::chain;
use crate::{Error, Pg};

/// How long between two attempts.
const PAUSE: Duration = Duration::from_millis(250);

/// How long between two lines of the log that say the same.
const TELL: Duration = Duration::from_secs(5);

impl Pg {
    /// Waits until the server takes connections, about as long as `within` at most, and tells the log what for.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if it does not in time; at once what does not pass by itself: a password that is wrong, a
    /// database that is not there.
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
            if begun.elapsed() + PAUSE > within {
                return Err(Error::Unavailable(why));
            }
            if told.as_ref().is_none_or(|(at, what)| at.elapsed() >= TELL || *what != why) {
                let (waited, most) = (begun.elapsed().as_secs(), within.as_secs());
                tracing::warn!(why, "the database is not there yet: waiting, {waited} s of {most} s");
                told = Some((Instant::now(), why));
            }
            sleep(PAUSE).await;
        }
    }
}

/// Whether it may be over in a moment: nobody listens, a name is not known yet, a server starts, recovers or stops, is still
/// a standby, or its connections are taken. Who answers and says no goes on saying no.
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
                // A certificate that is not believed, an address that is none.
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => false,
                // The driver says this of a standby, the operating system of a socket that is not for us.
                io::ErrorKind::PermissionDenied => error.raw_os_error().is_none(),
                _ => true,
            };
        }
        source = cause.source();
    }
    error.is_closed()
}
