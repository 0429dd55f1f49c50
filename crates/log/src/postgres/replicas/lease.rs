//! A pooled connection that is lent to a read.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use daybook_pg::Client;

use super::fault::Fault;

/// A pooled connection that is lent to one read. Clones share it; when the last one is dropped it returns to its pool.
#[derive(Clone)]
pub struct Lease(Arc<LentConnection>);

struct LentConnection {
    client: Option<Client>,
    /// True while the connection has a snapshot.
    has_snapshot: AtomicBool,
}

impl Lease {
    /// Lends a connection.
    #[must_use]
    pub fn of(client: Client) -> Self {
        Self(Arc::new(LentConnection { client: Some(client), has_snapshot: AtomicBool::new(false) }))
    }

    /// Takes a snapshot: all statements up to [`Lease::end_snapshot`] see the same rows.
    pub(super) async fn begin_snapshot(&self) -> Result<(), Fault> {
        self.0.has_snapshot.store(true, Ordering::Relaxed);
        self.batch_execute("begin isolation level repeatable read read only").await.map_err(Fault::failed)
    }

    /// Ends the snapshot without waiting for the server.
    pub(super) fn end_snapshot(self) {
        tokio::spawn(async move {
            if self.batch_execute("rollback").await.is_ok() {
                self.0.has_snapshot.store(false, Ordering::Relaxed);
            }
        });
    }
}

impl Deref for Lease {
    type Target = Client;

    #[allow(clippy::expect_used, reason = "only the drop takes the connection")]
    fn deref(&self) -> &Client {
        self.0.client.as_ref().expect("only a drop takes the connection")
    }
}

impl Drop for LentConnection {
    fn drop(&mut self) {
        // The next user of a connection with a snapshot would read old rows, so it is closed.
        if self.has_snapshot.load(Ordering::Relaxed) {
            drop(self.client.take().map(Client::take));
        }
    }
}
