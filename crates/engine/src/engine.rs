//! The engine: a bounded command queue per shard, and the writer behind it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use daybook_domain::{Bank, Command, PlatformId};
use daybook_log::{Log, Shard};
use daybook_pg::Causes;
use daybook_projector::Reads;
use daybook_vault::Vault;
use tokio::sync::{mpsc, oneshot};
use tracing::Instrument;

use crate::access::{Access, AccessError};
use crate::batch::{BoundKey, Call, Outcomes, Pending, Submitted, only};
use crate::cache::StateCache;
use crate::clock::Clock;
use crate::concurrency_limits::ConcurrencyLimits;
use crate::entropy::Entropy;
use crate::error::SubmitError;
use crate::heartbeat::Heartbeats;
use crate::metrics::Metrics;
use crate::queue_limiter::QueueLimiter;
use crate::rails::address_check::{AddressCheck, SandboxAddressCheck};
use crate::rails::bank::{BankPort, SandboxBank};
use crate::rails::bank_link::{BankLink, SandboxBankLink};
use crate::rails::identity::{IdentityCheck, SandboxIdentityCheck};
use crate::rails::routing_directory::{RoutingDirectory, SandboxRoutingDirectory};
use crate::writer::{Writer, WriterStopReason};

/// The only shard of this release. It holds every platform.
pub const SHARD: Shard = 1;

/// Capacity of the channel to the writer, in calls. It is no smaller than the limit of [`QueueLimiter`], which refuses
/// first.
const QUEUE_CAPACITY: usize = 4096;

/// Maximum time for which a caller waits for an answer. After a timeout only the idempotency key tells if the command
/// was executed.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(6);

/// Default size of the writer's cache of states, in approximate bytes: 192 MiB.
pub const STATE_CACHE_BYTES: usize = 192 * 1024 * 1024;

/// Settings of a deployment.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Time from the creation of a transaction to its settlement.
    pub settle_after: Duration,
    /// Bank that holds the money of platforms that are not sandboxes.
    pub bank: Bank,
    /// Maximum size of the writer's cache of states, in approximate bytes.
    pub state_cache: usize,
}

impl Settings {
    /// Settings with this settlement time, the bank [`Bank::MAIN`] and a cache of [`STATE_CACHE_BYTES`] bytes.
    #[must_use]
    pub const fn settling_after(settle_after: Duration) -> Self {
        Self { settle_after, bank: Bank::MAIN, state_cache: STATE_CACHE_BYTES }
    }

    /// Returns the same settings with another cache size.
    #[must_use]
    pub const fn remembering(self, state_cache: usize) -> Self {
        Self { state_cache, ..self }
    }

    /// Milliseconds between two of a transaction's three steps.
    #[must_use]
    pub fn pace_ms(&self) -> i64 {
        i64::try_from(self.settle_after.as_millis() / 3).unwrap_or(i64::MAX)
    }
}

/// Ports to external providers, for platforms that are not sandboxes.
pub struct Ports {
    /// Identity verification of users.
    pub identity: Arc<dyn IdentityCheck>,
    /// Exchange of payment files with the bank.
    pub bank: Arc<dyn BankPort>,
    /// Logins of users at their banks.
    pub bank_link: Arc<dyn BankLink>,
    /// Directory of banks by routing number.
    pub routing_directory: Arc<dyn RoutingDirectory>,
    /// Check of postal addresses.
    pub address_check: Arc<dyn AddressCheck>,
}

/// Accepts commands. Cheap to clone.
#[derive(Clone)]
pub struct Engine {
    queue: mpsc::Sender<Pending>,
    parts: Arc<Parts>,
}

struct Parts {
    log: Arc<dyn Log>,
    reads: Reads,
    vault: Vault,
    access: Access,
    ports: Ports,
    sandbox_identity: SandboxIdentityCheck,
    settings: Settings,
    queue_limiter: QueueLimiter,
    concurrency_limits: ConcurrencyLimits,
    metrics: Metrics,
    heartbeats: Heartbeats,
    stopped: Arc<OnceLock<WriterStopReason>>,
}

/// Waits for the answer to a submitted call, for at most the timeout of a caller.
pub(crate) async fn answered(answer: oneshot::Receiver<Outcomes>) -> Outcomes {
    match tokio::time::timeout(RESPONSE_TIMEOUT, answer).await {
        Ok(Ok(outcomes)) => outcomes,
        // The writer ended, perhaps during the commit: the outcome is unknown.
        Ok(Err(_)) | Err(_) => Err(SubmitError::Unavailable),
    }
}

impl Engine {
    /// Starts the writer on a thread of its own, and returns the engine.
    ///
    /// # Errors
    ///
    /// Fails if the operating system cannot start the thread.
    pub fn start(
        log: Arc<dyn Log>,
        reads: Reads,
        vault: Vault,
        access: Access,
        ports: Ports,
        settings: Settings,
    ) -> std::io::Result<Self> {
        let (queue, waiting) = mpsc::channel(QUEUE_CAPACITY);
        let metrics = Metrics::default();
        let (cache, heartbeats) = (StateCache::new(settings.state_cache), Heartbeats::default());
        let writer = Writer::new(log.clone(), SHARD, waiting, cache, metrics.writer.clone());
        let writer = writer.reporting_to(heartbeats.clone());
        let stopped = writer.stopped();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let run = move || runtime.block_on(writer.run());
        std::thread::Builder::new().name(format!("writer-{SHARD}")).spawn(run)?;
        let sandbox_identity = SandboxIdentityCheck::new(vault.clone());
        let (queue_limiter, concurrency_limits) = (QueueLimiter::default(), ConcurrencyLimits::default());
        let parts = Parts {
            log,
            reads,
            vault,
            access,
            ports,
            sandbox_identity,
            settings,
            queue_limiter,
            concurrency_limits,
            metrics,
            heartbeats,
            stopped,
        };
        Ok(Self { queue, parts: Arc::new(parts) })
    }

    /// Decides `command` and, unless it is refused, records its events.
    ///
    /// # Errors
    ///
    /// [`SubmitError`]. After `Unavailable` only the idempotency key tells if the command was executed.
    pub async fn submit(&self, call: Call, command: impl Into<Command>) -> Result<Submitted, SubmitError> {
        only(self.ask(vec![(call, command.into())], None).await)
    }

    /// Decides commands one after the other and records their events in one commit. Each command sees the changes of
    /// those before it, and a refused command records nothing. `whole` is an idempotency key for all of them together;
    /// it is used up if anything is recorded. Returns one outcome per command, in order. An empty list returns an empty
    /// list.
    ///
    /// # Errors
    ///
    /// [`SubmitError`] if none of the commands was decided. After `Unavailable` only the idempotency keys tell if they
    /// were executed; it was all of them or none.
    pub async fn submit_together(
        &self,
        whole: Option<BoundKey>,
        asked: Vec<(Call, Command)>,
    ) -> Result<Vec<Result<Submitted, SubmitError>>, SubmitError> {
        if asked.is_empty() { Ok(vec![]) } else { self.ask(asked, whole).await }
    }

    async fn ask(&self, asked: Vec<(Call, Command)>, key: Option<BoundKey>) -> Outcomes {
        let (reply, answer) = oneshot::channel();
        let place = self.parts.queue_limiter.take(&asked).map_err(|full| self.busy(full))?;
        let span = tracing::debug_span!(target: "daybook::trace", "submit", commands = asked.len());
        let pending = Pending { asked, key, reply, span: span.clone(), place };
        self.queue.try_send(pending).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => self.busy("queue"),
            mpsc::error::TrySendError::Closed(_) => SubmitError::Unavailable,
        })?;
        answered(answer).instrument(span).await
    }

    fn busy(&self, full: &'static str) -> SubmitError {
        self.parts.metrics.refused(full);
        SubmitError::Busy
    }

    /// Refuses a call with an idempotency key that is already used. Callers need this check if they must contact an
    /// external provider before they have a command. [`Engine::submit`] checks the key again.
    ///
    /// # Errors
    ///
    /// [`SubmitError::KeyUsed`], or [`SubmitError::Unavailable`] if the log is unavailable.
    pub async fn refuse_used_key(&self, shard: Shard, call: &Call) -> Result<(), SubmitError> {
        let Some((key, fingerprint)) = call.key else { return Ok(()) };
        let used = self.log().used_keys(shard, &[key], self.clock().now().ms()).await.map_err(|error| {
            tracing::warn!(error = %Causes(&error), "cannot look up an idempotency key");
            SubmitError::Unavailable
        })?;
        used.first().map_or(Ok(()), |found| Err(SubmitError::key_used(&found.used, &fingerprint)))
    }

    /// Returns true while the writer accepts commands. It stops if the log is corrupt or was replaced.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        !self.queue.is_closed()
    }

    /// Returns the reason why the writer has stopped, if it gave one.
    pub(crate) fn stopped(&self) -> Option<WriterStopReason> {
        self.parts.stopped.get().copied()
    }

    /// Returns true if the queue is full, so that the next command would be refused as busy.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let (waiting, most) = self.queue();
        waiting >= most
    }

    /// Returns the number of commands in the queue, and the maximum.
    #[must_use]
    pub fn queue(&self) -> (usize, usize) {
        self.parts.queue_limiter.commands()
    }

    /// Semaphores for expensive work.
    #[must_use]
    pub fn concurrency_limits(&self) -> &ConcurrencyLimits {
        &self.parts.concurrency_limits
    }

    /// Metrics of the engine.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.parts.metrics
    }

    /// The last report of each background worker.
    #[must_use]
    pub fn heartbeats(&self) -> &Heartbeats {
        &self.parts.heartbeats
    }

    /// The event log.
    #[must_use]
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.parts.log
    }

    /// The read models.
    #[must_use]
    pub fn reads(&self) -> &Reads {
        &self.parts.reads
    }

    /// The vault with the keys of personal data.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        &self.parts.vault
    }

    /// Credentials, keys and tokens.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.parts.access
    }

    /// Returns the identity check of a platform: the sandbox for a sandbox platform, else the provider.
    pub(crate) async fn identity_check(
        &self,
        platform: PlatformId,
    ) -> Result<&dyn IdentityCheck, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &self.parts.sandbox_identity } else { &*self.parts.ports.identity })
    }

    /// Returns the bank for a platform's files: the sandbox for a sandbox platform, else the bank.
    pub(crate) async fn bank(&self, platform: PlatformId) -> Result<&dyn BankPort, AccessError> {
        Ok(if self.is_sandbox(platform).await? { &SandboxBank } else { &*self.parts.ports.bank })
    }

    /// Returns the directory of routing numbers for a platform: the sandbox for a sandbox platform, else the provider.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn routing_directory(
        &self,
        platform: PlatformId,
    ) -> Result<&dyn RoutingDirectory, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &SandboxRoutingDirectory } else { &*self.parts.ports.routing_directory })
    }

    /// Returns the address check of a platform: the sandbox for a sandbox platform, else the provider.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn address_check(&self, platform: PlatformId) -> Result<&dyn AddressCheck, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &SandboxAddressCheck } else { &*self.parts.ports.address_check })
    }

    /// Returns the bank-login provider of a platform: the sandbox for a sandbox platform, else the provider.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn bank_link(&self, platform: PlatformId) -> Result<&dyn BankLink, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &SandboxBankLink } else { &*self.parts.ports.bank_link })
    }

    async fn is_sandbox(&self, platform: PlatformId) -> Result<bool, AccessError> {
        Ok(self.parts.access.platform(platform).await?.is_some_and(|platform| platform.sandbox))
    }

    /// Settings of the deployment.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    /// The wall clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock
    }

    /// Source of randomness and ids.
    #[must_use]
    pub fn entropy(&self) -> Entropy {
        Entropy
    }
}
