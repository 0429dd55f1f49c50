//! What a server warns of on one connection. Most of it is for people; a warning that comes with COMMIT says that the answer
//! "done" may not hold: a wait for the standby was cancelled.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{AsyncMessage, Connection};

/// The newest warning that nobody has taken yet.
#[derive(Clone, Debug, Default)]
pub struct Warnings(Arc<Mutex<Option<String>>>);

impl Warnings {
    /// Takes it. Whatever came before the answer to a statement is here when that answer is.
    #[must_use]
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Drives `connection` to its end and keeps what it warns of.
    pub(crate) async fn drive<S, T>(self, connection: Connection<S, T>) -> Result<(), tokio_postgres::Error>
    where
        S: AsyncRead + AsyncWrite + Unpin,
        T: AsyncRead + AsyncWrite + Unpin,
    {
        let mut connection = pin!(connection);
        while let Some(message) = poll_fn(|cx| connection.as_mut().get_mut().poll_message(cx)).await {
            if let AsyncMessage::Notice(notice) = message?
                && notice.severity() == "WARNING"
            {
                tracing::warn!(warning = notice.message(), detail = notice.detail(), "the database warns");
                let newest = notice.message().to_owned();
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(newest);
            }
        }
        Ok(())
    }
}
