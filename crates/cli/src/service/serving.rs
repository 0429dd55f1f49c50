//! Serving: accepts requests, and stops gracefully so that no accepted request is aborted.
//!
//! A stop takes half a minute at most: first the service is not ready but still accepts requests (`--drain`), then open
//! requests have [`SHUTDOWN_TIMEOUT_S`], then background tasks have [`TASK_STOP_TIMEOUT`].

use std::sync::Arc;
use std::time::Duration;

use daybook_engine::Attester;
use daybook_log::FIRST_SHARD;
use daybook_pg::Causes;
use tokio::signal::unix::{self, SignalKind};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::Span;

use super::{Listeners, Service};
use crate::anchor::{self, Anchor, AnchorMetrics};
use crate::error::Error;
use crate::telemetry::continues;
use crate::{config, metrics, stop};

/// Time for which the service is not ready but accepts requests. A load balancer needs about this time to notice.
const DRAIN_DURATION: Duration = Duration::from_secs(2);

/// Maximum duration of open requests after a stop, in seconds.
pub(super) const SHUTDOWN_TIMEOUT_S: u64 = 20;

/// Maximum number of concurrent webhook calls of a process, which its shards share, and the minimum of each shard.
const WEBHOOK_CALLS: (usize, usize) = (1024, 64);

/// Maximum time for all background tasks together to end.
const TASK_STOP_TIMEOUT: Duration = Duration::from_secs(5);

impl Service {
    /// Sets the observability of requests from `options`.
    pub fn watch(&mut self, options: &config::Service) {
        self.observability.access_log = options.access_log;
        self.observability.continues =
            options.traces.otlp_endpoint.as_ref().map(|_| continues as fn(&Span, &str));
    }

    /// Serves HTTP until SIGINT or SIGTERM, then lets open requests end. Calls `ready` with the base URL when the
    /// service listens. Also ends when `broken` completes.
    ///
    /// # Errors
    ///
    /// Fails if an address cannot be listened on; [`Error::Replaced`] if the database was replaced by another one that
    /// lacks commits which this process knew. A new process then continues with the log in the database.
    pub async fn serve(
        &self,
        options: &config::Service,
        listeners: Listeners,
        ready: impl FnOnce(&str) -> Result<(), Error>,
        broken: impl Future<Output = Error>,
    ) -> Result<(), Error> {
        let (anchors, kept) = (Anchor::to_keep(&options.anchors)?, AnchorMetrics::default());
        let (listener, shown) = listeners.listen()?;
        let show = |listener| metrics::start(self.metrics(&kept), listener, &options.http_limits.allow_host);
        let shown = shown.map(show).transpose()?;
        let [keeping, attesting] = self.prove(options, anchors, &kept);
        self.ingress.renew(self.stop.subscribe())?;
        let base_url = options.base_url(listener.local_addr()?);
        let (hang_up, hung_up) = watch::channel(false);
        let telling = self.notify(&base_url, hung_up);
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
            self.drain(options.drain.unwrap_or(DRAIN_DURATION)).await;
        }
        // Interrupted deliveries continue in another process at once.
        hang_up.send_replace(true);
        self.feed.close();
        end(telling, Instant::now() + TASK_STOP_TIMEOUT).await;
        handle.stop(true).await;
        serving.await.map_err(std::io::Error::other)??;
        if let Some(shown) = shown {
            shown.stop().await;
        }
        self.stop.send_replace(true);
        let until = Instant::now() + TASK_STOP_TIMEOUT;
        for task in [keeping, attesting] {
            end(task, until).await;
        }
        ended
    }

    /// Keeps tiles, checkpoints and anchors of each shard up to date, and attests its balances.
    fn prove(
        &self,
        options: &config::Service,
        anchors: Vec<Anchor>,
        kept: &AnchorMetrics,
    ) -> [JoinHandle<()>; 2] {
        let (audit, engine, kept, stopped) =
            (self.audit.clone(), self.engine.clone(), kept.clone(), self.stop.subscribe());
        let (every, filling) = (options.checkpoint_every, Arc::new(Semaphore::new(1)));
        let until = stopped.clone();
        let keeping = self.shards.each(stopped.clone(), move |shard| {
            let anchors = anchors.iter().map(|anchor| anchor.of_shard(shard)).collect();
            let (kept, heartbeats) = (kept.clone(), engine.heartbeats(shard));
            let filling = Arc::clone(&filling);
            let (audit, until) = (audit.of(shard), until.clone());
            async move {
                // The shard is open, so its origin is known to exist.
                let Ok(audit) = audit else { return };
                anchor::keep((audit, heartbeats), anchors, kept, (every, filling), until).await;
            }
        });
        let (engine, log, every) = (self.engine.clone(), self.log.clone(), options.attest_every);
        let until = stopped.clone();
        let attesting = self.shards.each(stopped, move |shard| {
            Attester::new(engine.clone(), log.clone(), shard).run(every, until.clone())
        });
        [keeping, attesting]
    }

    /// Delivers the webhooks of each shard until `hung_up`.
    fn notify(&self, base_url: &str, hung_up: watch::Receiver<bool>) -> JoinHandle<()> {
        let (first, (all, least)) = (self.webhooks(base_url, FIRST_SHARD), WEBHOOK_CALLS);
        let (shards, until) = (Arc::clone(&self.shards), hung_up.clone());
        self.shards.each(hung_up, move |shard| {
            let calls = (all / shards.engine.served().len().max(1)).max(least);
            first.clone().of(shard).with_calls(calls).run(until.clone())
        })
    }

    /// Reports that the service is not ready, and accepts requests until load balancers have noticed. A second signal
    /// ends this.
    async fn drain(&self, drain: Duration) {
        tracing::info!(?drain, "stopping");
        self.observability.stop();
        // A timeout is the regular end.
        let _ = timeout(drain, stop::asked_again()).await;
    }

    /// Stops the background tasks and waits for them.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        let until = Instant::now() + TASK_STOP_TIMEOUT;
        for task in std::mem::take(&mut self.tasks).into_iter().chain(self.shards.take_erasers()) {
            end(task, until).await;
        }
    }
}

/// Waits for a task that was told to end.
async fn end(mut task: JoinHandle<()>, until: Instant) {
    match timeout_at(until, &mut task).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(error = %Causes(&error), "a background task failed"),
        Err(_) => {
            // It waits for the database. The next process repeats everything that was not committed.
            tracing::warn!("a background task does not end and is aborted");
            task.abort();
        }
    }
}

/// Waits for SIGINT or SIGTERM.
///
/// # Errors
///
/// Fails if the signal handlers cannot be installed.
pub async fn signal() -> Result<(), Error> {
    let mut terminate = unix::signal(SignalKind::terminate())?;
    let mut interrupt = unix::signal(SignalKind::interrupt())?;
    tokio::select! { _ = terminate.recv() => {}, _ = interrupt.recv() => {} }
    Ok(())
}
