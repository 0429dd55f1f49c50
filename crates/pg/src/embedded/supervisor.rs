//! Supervision of a server: notices within 200 ms that it is gone, and starts it again.
//!
//! It does not ask for the reason. A caller that wants the server down calls [`super::Embedded::stop`].

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::cluster::Cluster;
use crate::Causes;

/// Interval between two checks, and the wait after the first failure.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Maximum wait between two attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(10);

/// A task that ends on request, or when this is dropped.
#[derive(Debug)]
pub(super) struct Supervisor {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Supervisor {
    /// Starts to supervise `cluster`, which is running.
    pub(super) fn watch(cluster: Cluster) -> Self {
        let (end, ended) = oneshot::channel();
        Self { end, task: tokio::spawn(watch(cluster, ended)) }
    }

    /// Ends the supervision. A restart that has begun is finished first, so that the caller knows if there is a server
    /// to stop.
    pub(super) async fn end(self) {
        let _ = self.end.send(());
        let _ = self.task.await;
    }
}

async fn watch(cluster: Cluster, mut ended: oneshot::Receiver<()>) {
    let mut wait = POLL_INTERVAL;
    // A request and a drop mean the same.
    while tokio::time::timeout(wait, &mut ended).await.is_err() {
        if cluster.is_running() {
            continue;
        }
        tracing::warn!("PostgreSQL is gone; starting it again");
        wait = match cluster.start().await {
            Ok(_) => {
                tracing::info!("PostgreSQL is back");
                POLL_INTERVAL
            }
            Err(error) => {
                tracing::error!(error = %Causes(&error), "PostgreSQL does not start");
                (wait * 2).min(MAX_BACKOFF)
            }
        };
    }
}
