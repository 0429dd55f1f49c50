//! A writer driven by hand: no thread and no wall clock, for simulations. What it runs is the writer itself.

use std::sync::Arc;

use daybook_domain::{Command, Timestamp};
use daybook_log::{Appender, Log};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tracing::Span;

use super::Writer;
use crate::batch::{Call, Pending, Submitted, only};
use crate::clock::Clock;
use crate::engine::SHARD;
use crate::error::SubmitError;
use crate::metrics::WriterMetrics;

/// A writer of [`SHARD`] that takes a batch when it is told to.
pub struct DrivenWriter {
    writer: Writer,
    appender: Box<dyn Appender>,
}

impl DrivenWriter {
    /// A writer on `log` that knows nothing yet.
    pub async fn new(log: Arc<dyn Log>) -> Self {
        let (_, queue) = mpsc::channel(1);
        let writer = Writer::new(log, SHARD, queue, WriterMetrics::default());
        let appender = writer.appender().await;
        Self { writer, appender }
    }

    /// Carries one batch to its end at `at` on the wall's clock; answers the place in `batch` and the outcome of each
    /// command, in the order in which they were decided: one that lacked a state comes after the others.
    pub async fn submit(
        &mut self,
        at: Timestamp,
        batch: Vec<(Call, Command)>,
    ) -> Vec<(usize, Result<Submitted, SubmitError>)> {
        Clock::stop(at);
        let room = Arc::new(Semaphore::new(batch.len()));
        let mut waiting = Vec::new();
        let mut pending = Vec::new();
        for (place, (call, command)) in batch.into_iter().enumerate() {
            let (reply, answer) = oneshot::channel();
            let Ok(room) = room.clone().try_acquire_owned() else { break };
            waiting.push((place, answer));
            pending.push(Pending {
                asked: vec![(call, command)],
                key: None,
                reply,
                span: Span::none(),
                _room: room,
            });
        }
        let mut decided = Vec::new();
        while !pending.is_empty() {
            let Ok(deferred) = self.writer.serve(&mut *self.appender, pending).await else { break };
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
