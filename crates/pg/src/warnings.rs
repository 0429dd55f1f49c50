//! Warnings of a server on one connection. Most are for operators. A warning at COMMIT means that the commit may not be
//! durable although it is acknowledged: the wait for the standby was cancelled.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{AsyncMessage, Connection};

/// The newest warning that was not taken yet.
#[derive(Clone, Debug, Default)]
pub struct Warnings(Arc<Mutex<Option<String>>>);

impl Warnings {
    /// Takes the warning. A warning that precedes the answer to a statement is available when the answer is.
    #[must_use]
    pub fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Drives `connection` to its end and keeps its newest warning.
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
