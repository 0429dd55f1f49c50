//! From the first request to the last: listens, and stops so that nobody who was let in is sent away.
//!
//! A stop takes half a minute at most: not ready any more while requests are still taken (`--drain`), then [`GRACE_S`] for
//! those that are open, then [`PATIENCE`] for what runs beside them.

use std::time::Duration;

use daybook_pg::Causes;
use tokio::signal::unix::{self, SignalKind};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::Span;

use super::{Listeners, Service};
use crate::anchor::{self, Anchor, Kept};
use crate::error::Error;
use crate::telemetry::continues;
use crate::{config, metrics, stop};

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
    /// once it listens; `broken` ends it, too.
    ///
    /// # Errors
    ///
    /// If an address cannot be listened on; [`Error::Replaced`] if the database took the place of another one and lacks
    /// what this process knew: then the next process goes on with what is there.
    pub async fn serve(
        &self,
        options: &config::Service,
        listeners: Listeners,
        ready: impl FnOnce(&str) -> Result<(), Error>,
        broken: impl Future<Output = Error>,
    ) -> Result<(), Error> {
        let (anchors, kept) = (Anchor::to_keep(&options.anchors)?, Kept::default());
        let (listener, shown) = listeners.listen()?;
        let show = |listener| metrics::start(self.metrics(&kept), listener, &options.entrance.allow_host);
        let shown = shown.map(show).transpose()?;
        let every = options.checkpoint_every;
        let audit = (self.audit.clone(), self.engine.heartbeats().clone());
        let keeping = tokio::spawn(anchor::keep(audit, anchors, kept, every, self.stop.subscribe()));
        let attesting = tokio::spawn(self.attester().run(options.attest_every, self.stop.subscribe()));
        self.entrance.renew(self.stop.subscribe())?;
        let base_url = options.base_url(listener.local_addr()?);
        let (hang_up, hung_up) = watch::channel(false);
        let telling = tokio::spawn(self.webhooks(&base_url).run(hung_up));
        let server = self.http(listener, &base_url)?;
        let handle = server.handle();
        let serving = tokio::spawn(server);
        let ended = match ready(&base_url) {
            Ok(()) => tokio::select! {
                () = stop::asked() => Ok(()),
                position = self.log.replaced() => Err(Error::Replaced { position }),
                error = broken => Err(error),
            },
            told_nobody => told_nobody,
        };
        if ended.is_ok() {
            self.drain(options.drain.unwrap_or(DRAIN)).await;
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
        self.stop.send_replace(true);
        let until = Instant::now() + PATIENCE;
        for task in [keeping, attesting] {
            end(task, until).await;
        }
        ended
    }

    /// Is not ready any more, and takes requests until those who ask have seen it; a second signal ends that.
    async fn drain(&self, drain: Duration) {
        tracing::info!(?drain, "stopping");
        self.watching.stop();
        // An end of this time is an end like any other.
        let _ = timeout(drain, stop::asked_again()).await;
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
    let mut terminate = unix::signal(SignalKind::terminate())?;
    let mut interrupt = unix::signal(SignalKind::interrupt())?;
    tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    Ok(())
}
