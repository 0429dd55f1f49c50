//! The watch over a server: notices within a fifth of a second that it is gone, and starts it again.
//!
//! It does not ask why: whoever wants the server down calls [`super::Embedded::stop`].

use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::cluster::Cluster;
use crate::Causes;

/// How often it looks, and how long it waits after the first failure.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// The longest wait between two attempts.
const BACK_OFF_MAX: Duration = Duration::from_secs(10);

/// A task that ends when it is told to, or when this is dropped.
#[derive(Debug)]
pub(super) struct Supervisor {
    end: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Supervisor {
    /// Watches over `cluster`, which is running.
    pub(super) fn watch(cluster: Cluster) -> Self {
        let (end, ended) = oneshot::channel();
        Self { end, task: tokio::spawn(watch(cluster, ended)) }
    }

    /// Ends the watch; a restart that has begun is let finish, so that the caller knows what there is to stop.
    pub(super) async fn end(self) {
        let _ = self.end.send(());
        let _ = self.task.await;
    }
}

async fn watch(cluster: Cluster, mut ended: oneshot::Receiver<()>) {
    let mut wait = LOOK_EVERY;
    // Either outcome of `ended` (told to, or dropped) means the same.
    while tokio::time::timeout(wait, &mut ended).await.is_err() {
        if cluster.is_running() {
            continue;
        }
        tracing::warn!("PostgreSQL is gone; starting it again");
        wait = match cluster.start().await {
            Ok(_) => {
                tracing::info!("PostgreSQL is back");
                LOOK_EVERY
            }
            Err(error) => {
                tracing::error!(error = %Causes(&error), "PostgreSQL does not start");
                (wait * 2).min(BACK_OFF_MAX)
            }
        };
    }
}
