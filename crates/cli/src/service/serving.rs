//! From the first request to the last: listens, and stops so that nobody who was let in is sent away.
//!
//! A stop takes half a minute at most: not ready any more while requests are still taken (`--drain`), then [`GRACE_S`] for
//! those that are open, then [`PATIENCE`] for what runs beside them.

use std::net::TcpListener;
use std::time::Duration;
use daybook_pg::Causes;

use tokio::signal::unix::{self, SignalKind};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::Span;

use super::Service;
use crate::anchor::{self, Anchor, Kept};
use crate::error::Error;
use crate::telemetry::continues;
use crate::{config, metrics};

/// How long it is not ready and takes requests all the same: about what a balancer takes to notice.
const DRAIN: Duration = Duration::from_secs(2);

/// How long open requests may take after a stop was asked for.
pub(super) const GRACE_S: u64 = 20;

/// How long everything that runs beside requests may take to end, together.
const PATIENCE: Duration = Duration::from_secs(5);

impl Service {
    /// Watches requests as `options` say.
    pub fn watch(&mut self, options: &config::Service) {
        self.watching.access_log = options.access_log;
        self.watching.continues = options.traces.otlp_endpoint.as_ref().map(|_| continues as fn(&Span, &str));
    }

    /// Serves HTTP until SIGINT or SIGTERM, then lets open requests end. `ready` is called with the service's address
    /// once it listens.
    ///
    /// # Errors
    ///
    /// If an address cannot be listened on; [`Error::Replaced`] if the database took the place of another one and lacks
    /// what this process knew: then the next process goes on with what is there.
    pub async fn serve(&self, options: &config::Service, ready: impl FnOnce(&str)) -> Result<(), Error> {
        // Before anybody is told that it is ready: what comes at once is no less a wish to end in order.
        let asked = next_signal()?;
        let (anchors, kept) = (Anchor::to_keep(&options.anchors)?, Kept::default());
        let shown =
            metrics::start(self.metrics(&kept), options.metrics_listen, &options.entrance.allow_host)?;
        let every = options.checkpoint_every;
        let audit = (self.audit.clone(), self.engine.heartbeats().clone());
        tokio::spawn(anchor::keep(audit, anchors, kept, every, self.stop.subscribe()));
        tokio::spawn(self.attester().run(options.attest_every, self.stop.subscribe()));
        self.entrance.renew(self.stop.subscribe())?;
        let listen = |source| Error::Listen { address: options.listen, source };
        let listener = TcpListener::bind(options.listen).map_err(listen)?;
        let base_url = options.base_url(listener.local_addr()?);
        let (hang_up, hung_up) = watch::channel(false);
        let telling = tokio::spawn(self.webhooks(&base_url).run(hung_up));
        let server = self.http(listener, &base_url)?;
        let handle = server.handle();
        let serving = tokio::spawn(server);
        ready(&base_url);
        let ended = tokio::select! {
            () = asked => Ok(()),
            position = self.log.replaced() => Err(Error::Replaced { position }),
        };
        if ended.is_ok() {
            self.drain(options.drain.unwrap_or(DRAIN)).await?;
        }
        // What is broken off here goes on elsewhere at once.
        hang_up.send_replace(true);
        self.feed.hang_up();
        end(telling, Instant::now() + PATIENCE).await;
        handle.stop(true).await;
        serving.await.map_err(std::io::Error::other)??;
        if let Some(shown) = shown {
            shown.stop().await;
        }
        ended
    }

    /// Is not ready any more, and takes requests until those who ask have seen it; a second signal ends that.
    async fn drain(&self, drain: Duration) -> Result<(), Error> {
        tracing::info!(?drain, "stopping");
        self.watching.stop();
        timeout(drain, signal()).await.unwrap_or(Ok(()))
    }

    /// Stops what runs beside HTTP and waits for it.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let until = Instant::now() + PATIENCE;
        for task in std::mem::take(&mut self.tasks) {
            end(task, until).await;
        }
    }
}

/// Waits for a task that was told to end.
async fn end(mut task: JoinHandle<()>, until: Instant) {
    match timeout_at(until, &mut task).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(error = %Causes(&error), "a task ended badly"),
        Err(_) => {
            // It hangs on the database. What it did not commit is done again by the next process.
            tracing::warn!("a task does not end; it is left behind");
            task.abort();
        }
    }
}

/// Waits for SIGINT or SIGTERM.
///
/// # Errors
///
/// The operating system's, if it does not tell of signals.
pub async fn signal() -> Result<(), Error> {
    next_signal()?.await;
    Ok(())
}

/// The next SIGINT or SIGTERM, also one that comes before anybody waits for it.
fn next_signal() -> Result<impl Future<Output = ()>, Error> {
    let mut terminate = unix::signal(SignalKind::terminate())?;
    let mut interrupt = unix::signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    })
}
