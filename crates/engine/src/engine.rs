//! The engine: accepts commands, and gives them to the writer of their shard.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use daybook_domain::{Bank, Command, PlatformId};
use daybook_log::{FIRST_SHARD, Log, Shard};
use daybook_pg::Causes;
use daybook_projector::Reads;
use daybook_vault::Vault;
use tokio::sync::oneshot;
use tracing::Instrument;

use crate::access::{Access, AccessError};
use crate::batch::{BoundKey, Call, Outcomes, Submitted, only, shard_of};
use crate::clock::Clock;
use crate::concurrency_limits::ConcurrencyLimits;
use crate::entropy::Entropy;
use crate::error::SubmitError;
use crate::heartbeat::Heartbeats;
use crate::metrics::Metrics;
use crate::rails::address_check::{AddressCheck, SandboxAddressCheck};
use crate::rails::bank::{BankPort, SandboxBank};
use crate::rails::bank_link::{BankLink, SandboxBankLink};
use crate::rails::identity::{IdentityCheck, SandboxIdentityCheck};
use crate::rails::routing_directory::{RoutingDirectory, SandboxRoutingDirectory};
use crate::readiness::Fault;
use crate::writer::WriterStopReason;
use crate::writers::Writers;

/// The shard of a ledger that has one.
pub const SHARD: Shard = FIRST_SHARD;

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
    /// First and last shard whose background work this process does. It answers requests about every shard.
    pub background: [Shard; 2],
}

impl Settings {
    /// Settings with this settlement time, the bank [`Bank::MAIN`] and a cache of [`STATE_CACHE_BYTES`] bytes.
    #[must_use]
    pub const fn settling_after(settle_after: Duration) -> Self {
        let background = [FIRST_SHARD, Shard::MAX];
        Self { settle_after, bank: Bank::MAIN, state_cache: STATE_CACHE_BYTES, background }
    }

    /// Returns the same settings for a process that does the background work of these shards alone.
    #[must_use]
    pub const fn working_on(self, first: Shard, last: Shard) -> Self {
        Self { background: [first, last], ..self }
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
    concurrency_limits: ConcurrencyLimits,
    metrics: Metrics,
    heartbeats: Heartbeats,
    writers: Writers,
    served: RwLock<BTreeMap<Shard, Fault>>,
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
    /// Creates the engine. It accepts no call until it serves a shard ([`Engine::serve`]).
    #[must_use]
    pub fn new(
        log: Arc<dyn Log>,
        reads: Reads,
        vault: Vault,
        access: Access,
        ports: Ports,
        settings: Settings,
    ) -> Self {
        let (metrics, heartbeats) = (Metrics::default(), Heartbeats::default());
        let writers = Writers::new(log.clone(), settings.state_cache, metrics.clone(), heartbeats.clone());
        let sandbox_identity = SandboxIdentityCheck::new(vault.clone());
        let concurrency_limits = ConcurrencyLimits::default();
        let parts = Parts {
            log,
            reads,
            vault,
            access,
            ports,
            sandbox_identity,
            settings,
            concurrency_limits,
            metrics,
            heartbeats,
            writers,
            served: RwLock::default(),
        };
        Self { parts: Arc::new(parts) }
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
        let shard = shard_of(&asked)?;
        if !self.serves(shard) {
            return Err(SubmitError::Unavailable);
        }
        let span = tracing::debug_span!(target: "daybook::trace", "submit", commands = asked.len());
        self.parts.writers.submit(shard, asked, key, (reply, span.clone()))?;
        answered(answer).instrument(span).await
    }

    /// Refuses a call with an idempotency key that is already used. Callers need this check if they must contact an
    /// external provider before they have a command. [`Engine::submit`] checks the key again.
    ///
    /// # Errors
    ///
    /// [`SubmitError::KeyUsed`], or [`SubmitError::Unavailable`] if the log is unavailable.
    pub async fn refuse_used_key(&self, call: &Call) -> Result<(), SubmitError> {
        let Some((key, fingerprint)) = call.key else { return Ok(()) };
        let used =
            self.log().used_keys(call.shard, &[key], self.clock().now().ms()).await.map_err(|error| {
                tracing::warn!(error = %Causes(&error), "cannot look up an idempotency key");
                SubmitError::Unavailable
            })?;
        used.first().map_or(Ok(()), |found| Err(SubmitError::key_used(&found.used, &fingerprint)))
    }

    /// Returns true while the writer of `shard` accepts commands. It stops if the log is corrupt or was replaced.
    #[must_use]
    pub fn is_writing(&self, shard: Shard) -> bool {
        self.parts.writers.is_writing(shard)
    }

    /// Returns the reason why the writer of `shard` has stopped, if it gave one.
    pub(crate) fn stopped(&self, shard: Shard) -> Option<WriterStopReason> {
        self.parts.writers.stopped(shard)
    }

    /// Returns true if the queues of all shards are full, so that the next command would be refused as busy.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.parts.writers.are_full()
    }

    /// Returns the number of commands in the queue of `shard`, and the maximum.
    #[must_use]
    pub fn queue(&self, shard: Shard) -> (usize, usize) {
        self.parts.writers.waiting(shard)
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

    /// The last report of each background worker of `shard`.
    #[must_use]
    pub fn heartbeats(&self, shard: Shard) -> Heartbeats {
        self.parts.heartbeats.of(shard)
    }

    /// Accepts calls about `shard` from now on. The writer of the first shard starts now and stays; those of the others
    /// start when they are needed.
    ///
    /// # Errors
    ///
    /// Fails if the operating system cannot start the thread.
    pub fn serve(&self, shard: Shard) -> std::io::Result<()> {
        let mut served = self.parts.served.write().unwrap_or_else(PoisonError::into_inner);
        if served.is_empty() {
            self.parts.writers.start(shard)?;
        }
        served.insert(shard, None);
        Ok(())
    }

    /// Refuses calls about `shard` from now on. Readiness names the shard and the reason.
    pub fn refuse(&self, shard: Shard, why: impl Into<Cow<'static, str>>) {
        let mut served = self.parts.served.write().unwrap_or_else(PoisonError::into_inner);
        served.insert(shard, Some(why.into()));
    }

    /// Returns the shards that this process has to serve, in order, each with the reason if it refuses calls about it.
    #[must_use]
    pub fn served(&self) -> BTreeMap<Shard, Fault> {
        self.parts.served.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns true if this process accepts calls about `shard`.
    #[must_use]
    pub fn serves(&self, shard: Shard) -> bool {
        let served = self.parts.served.read().unwrap_or_else(PoisonError::into_inner);
        matches!(served.get(&shard), Some(None))
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
