//! Writers without a thread of their own, for simulations: one driven step by step, and one that runs when it is
//! polled. Both run the real writer.

use std::sync::Arc;

use daybook_domain::{Command, Timestamp};
use daybook_log::{Appender, Log, Shard};
use tokio::sync::{mpsc, oneshot};
use tracing::Span;

use super::Writer;
use crate::batch::{Call, Pending, Submitted, only};
use crate::cache::StateCache;
use crate::clock::Clock;
use crate::engine::{SHARD, STATE_CACHE_BYTES, answered};
use crate::error::SubmitError;
use crate::metrics::WriterMetrics;
use crate::queue_limiter::QueueLimiter;

/// A writer of one shard that serves one batch per call.
pub struct DrivenWriter {
    writer: Writer,
    appender: Box<dyn Appender>,
}

impl DrivenWriter {
    /// Creates a writer of [`SHARD`] on `log` with an empty state and a cache of `state_cache` bytes.
    pub async fn new(log: Arc<dyn Log>, state_cache: usize) -> Self {
        Self::of(log, SHARD, state_cache).await
    }

    /// Creates a writer of `shard`.
    pub async fn of(log: Arc<dyn Log>, shard: Shard, state_cache: usize) -> Self {
        let (_, queue) = mpsc::channel(1);
        let writer = Writer::new(log, shard, queue, StateCache::new(state_cache), WriterMetrics::default());
        let appender = writer.appender().await;
        Self { writer, appender }
    }

    /// Serves one batch to its end at the wall-clock time `at`. Returns the index in `batch` and the outcome of each
    /// command, in the order of decision: a command that lacked a state is decided after the others.
    pub async fn submit(
        &mut self,
        at: Timestamp,
        batch: Vec<(Call, Command)>,
    ) -> Vec<(usize, Result<Submitted, SubmitError>)> {
        Clock::stop(at);
        let queue_limiter = QueueLimiter::default();
        let mut waiting = Vec::new();
        let mut pending = Vec::new();
        for (place, (call, command)) in batch.into_iter().enumerate() {
            let (reply, answer) = oneshot::channel();
            let Some(held) = queue_limiter.take_none() else { break };
            waiting.push((place, answer));
            pending.push(Pending {
                asked: vec![(call, command)],
                key: None,
                reply,
                span: Span::none(),
                place: held,
            });
        }
        let mut decided = Vec::new();
        while !pending.is_empty() {
            let Ok(deferred) = self.writer.serve(&mut *self.appender, pending).await else { break };
            self.writer.cache.trim();
            pending = deferred;
            waiting.retain_mut(|(place, answer)| match answer.try_recv() {
                Ok(outcomes) => {
                    decided.push((*place, only(outcomes)));
                    false
                }
                Err(_) => true,
            });
        }
        decided.extend(waiting.into_iter().map(|(place, _)| (place, Err(SubmitError::Failed))));
        decided
    }
}

/// Handle of a writer that runs when it is polled. Cheap to clone.
#[derive(Clone)]
pub struct PolledWriter {
    queue: mpsc::Sender<Pending>,
}

impl PolledWriter {
    /// Creates a handle with a queue of `queue` calls, and the writer behind it. The writer runs until the last handle
    /// is dropped.
    pub fn new(log: Arc<dyn Log>, queue: usize) -> (Self, impl Future<Output = ()> + Send) {
        let (queue, waiting) = mpsc::channel(queue);
        let writer =
            Writer::new(log, SHARD, waiting, StateCache::new(STATE_CACHE_BYTES), WriterMetrics::default());
        (Self { queue }, writer.run())
    }

    /// Decides `command` and, unless it is refused, records its events, as [`crate::Engine::submit`] does.
    ///
    /// # Errors
    ///
    /// [`SubmitError`].
    pub async fn submit(&self, call: Call, command: Command) -> Result<Submitted, SubmitError> {
        let (reply, answer) = oneshot::channel();
        let place = QueueLimiter::default().take_none().ok_or(SubmitError::Busy)?;
        let pending = Pending { asked: vec![(call, command)], key: None, reply, span: Span::none(), place };
        self.queue.try_send(pending).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => SubmitError::Busy,
            mpsc::error::TrySendError::Closed(_) => SubmitError::Unavailable,
        })?;
        only(answered(answer).await)
    }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use daybook_domain::testing::fixture;
    use daybook_log::memory::MemoryLog;
    use daybook_log::{Batch, Error, Head, Key, Locked, Position, Recorded};
    use uuid::Uuid;

    use super::*;

    /// Appender that reaches no server three times, and then another server.
    struct Moving {
        locks: u32,
    }

    #[async_trait]
    impl Appender for Moving {
        async fn lock(&mut self, _: &[Key], _: i64) -> Result<Locked, Error> {
            self.locks += 1;
            Err(if self.locks < 4 { Error::Unavailable("no server".into()) } else { Error::Moved })
        }

        async fn read(&mut self, _: Position, _: Position) -> Result<Vec<Recorded>, Error> {
            Err(Error::Moved)
        }

        async fn append(&mut self, _: Batch) -> Result<Head, Error> {
            Err(Error::Moved)
        }

        async fn release(&mut self) -> Result<(), Error> {
            Ok(())
        }

        async fn resolve(&mut self, _: u64, _: Uuid) -> Result<Option<Head>, Error> {
            Err(Error::Moved)
        }
    }

    /// The caller may send its command again: an internal error would tell it not to.
    #[tokio::test(start_paused = true)]
    async fn log_that_moved_is_unavailable() {
        let mut driven = DrivenWriter::new(Arc::new(MemoryLog::new()), STATE_CACHE_BYTES).await;
        driven.appender = Box::new(Moving { locks: 0 });
        let command = fixture::bank().into_iter().next().expect("a command");
        let outcomes = driven.submit(Timestamp::from_ms(0), vec![(Call::of(SHARD), command)]).await;
        assert!(matches!(outcomes[..], [(0, Err(SubmitError::Unavailable))]), "{outcomes:?}");
    }
}
