//! The engine's front: a bounded queue per shard, and the writer behind it.

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
use crate::cache::Cache;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::error::SubmitError;
use crate::heartbeat::Heartbeats;
use crate::metrics::Metrics;
use crate::rails::address_check::{AddressCheck, SandboxAddressCheck};
use crate::rails::bank::{BankPort, SandboxBank};
use crate::rails::bank_link::{BankLink, SandboxBankLink};
use crate::rails::identity::{IdentityCheck, SandboxIdentityCheck};
use crate::rails::routing_directory::{RoutingDirectory, SandboxRoutingDirectory};
use crate::room::Room;
use crate::turns::Turns;
use crate::writer::{Stopped, Writer};

/// The one shard of this release; every platform is in it.
pub const SHARD: Shard = 1;

/// Calls that are on their way to the writer: more than there is [`Room`] for.
const QUEUE: usize = 4096;

/// How long a caller waits for an answer; afterwards only the idempotency key can tell what became of it.
const PATIENCE: Duration = Duration::from_secs(6);

/// What the writer may remember of states, in approximate bytes, unless somebody says otherwise.
pub const STATE_CACHE: usize = 192 * 1024 * 1024;

/// What a deployment chooses.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How long a transaction takes from creation to settlement.
    pub settle_after: Duration,
    /// The bank that keeps the money of platforms that are not sandboxes.
    pub bank: Bank,
    /// What the writer may remember of states, in approximate bytes.
    pub state_cache: usize,
}

impl Settings {
    /// Transactions take so long; the bank is [`Bank::MAIN`], the cache of states [`STATE_CACHE`].
    #[must_use]
    pub const fn settling_after(settle_after: Duration) -> Self {
        Self { settle_after, bank: Bank::MAIN, state_cache: STATE_CACHE }
    }

    /// The same with another cache of states.
    #[must_use]
    pub const fn remembering(self, state_cache: usize) -> Self {
        Self { state_cache, ..self }
    }

    /// Milliseconds from each of a transaction's three steps to the next.
    #[must_use]
    pub fn pace_ms(&self) -> i64 {
        i64::try_from(self.settle_after.as_millis() / 3).unwrap_or(i64::MAX)
    }
}

/// The ports to the outside, for platforms that are not sandboxes.
pub struct Ports {
    /// Finds out who people are.
    pub identity: Arc<dyn IdentityCheck>,
    /// Takes files.
    pub bank: Arc<dyn BankPort>,
    /// Logs in at banks for their customers.
    pub bank_link: Arc<dyn BankLink>,
    /// Knows which bank a routing number is.
    pub routing_directory: Arc<dyn RoutingDirectory>,
    /// Checks addresses.
    pub address_check: Arc<dyn AddressCheck>,
}

/// Takes commands; cheap to clone.
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
    room: Room,
    turns: Turns,
    metrics: Metrics,
    heartbeats: Heartbeats,
    stopped: Arc<OnceLock<Stopped>>,
}

/// Waits for the answer to a call that the writer has, as long as a caller does.
pub(crate) async fn answered(answer: oneshot::Receiver<Outcomes>) -> Outcomes {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(Ok(outcomes)) => outcomes,
        // The writer ended, perhaps while it was committing: nobody knows.
        Ok(Err(_)) | Err(_) => Err(SubmitError::Unavailable),
    }
}

/// What a call is answered that finds no writer: what the last ones were that it answered.
pub(crate) fn gone(stopped: Option<Stopped>) -> SubmitError {
    stopped.map_or(SubmitError::Unavailable, Stopped::answer)
}

impl Engine {
    /// Starts the writer on a thread of its own and answers the front.
    ///
    /// # Errors
    ///
    /// If the operating system gives no thread.
    pub fn start(
        log: Arc<dyn Log>,
        reads: Reads,
        vault: Vault,
        access: Access,
        ports: Ports,
        settings: Settings,
    ) -> std::io::Result<Self> {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let metrics = Metrics::default();
        let (cache, heartbeats) = (Cache::new(settings.state_cache), Heartbeats::default());
        let writer = Writer::new(log.clone(), SHARD, waiting, cache, metrics.writer.clone());
        let writer = writer.reporting_to(heartbeats.clone());
        let stopped = writer.stopped();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let run = move || runtime.block_on(writer.run());
        std::thread::Builder::new().name(format!("writer-{SHARD}")).spawn(run)?;
        let sandbox_identity = SandboxIdentityCheck::new(vault.clone());
        let (room, turns) = (Room::default(), Turns::default());
        let parts = Parts {
            log,
            reads,
            vault,
            access,
            ports,
            sandbox_identity,
            settings,
            room,
            turns,
            metrics,
            heartbeats,
            stopped,
        };
        Ok(Self { queue, parts: Arc::new(parts) })
    }

    /// Has `command` decided and, if it is not refused, recorded.
    ///
    /// # Errors
    ///
    /// [`SubmitError`]; after `Unavailable` only the idempotency key can tell whether it was carried out.
    pub async fn submit(&self, call: Call, command: impl Into<Command>) -> Result<Submitted, SubmitError> {
        only(self.ask(vec![(call, command.into())], None).await)
    }

    /// Has commands decided one after the other, each on what those before it left, and those that are not refused
    /// recorded in one commit. `whole` is the idempotency key of all of them together, used up if anything is recorded.
    /// Answers an outcome for each, in their order; none needs nobody.
    ///
    /// # Errors
    ///
    /// [`SubmitError`] if none of them was decided; after `Unavailable` only the idempotency keys can tell whether they
    /// were carried out, and it was all of them or none.
    pub async fn submit_together(
        &self,
        whole: Option<BoundKey>,
        asked: Vec<(Call, Command)>,
    ) -> Result<Vec<Result<Submitted, SubmitError>>, SubmitError> {
        if asked.is_empty() { Ok(vec![]) } else { self.ask(asked, whole).await }
    }

    async fn ask(&self, asked: Vec<(Call, Command)>, key: Option<BoundKey>) -> Outcomes {
        let (reply, answer) = oneshot::channel();
        let place = self.parts.room.take(&asked).map_err(|full| self.busy(full))?;
        let span = tracing::debug_span!(target: "daybook::trace", "submit", commands = asked.len());
        let pending = Pending { asked, key, reply, span: span.clone(), place };
        self.queue.try_send(pending).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => self.busy("queue"),
            mpsc::error::TrySendError::Closed(_) => gone(self.stopped()),
        })?;
        answered(answer).instrument(span).await
    }

    fn busy(&self, full: &'static str) -> SubmitError {
        self.parts.metrics.refused(full);
        SubmitError::Busy
    }

    /// Refuses a call whose idempotency key was used, for whoever has to ask somebody outside before there is a command.
    /// [`Engine::submit`] looks again.
    ///
    /// # Errors
    ///
    /// [`SubmitError::KeyUsed`]; [`SubmitError::Unavailable`] if the log is away.
    pub async fn refuse_used_key(&self, shard: Shard, call: &Call) -> Result<(), SubmitError> {
        let Some((key, fingerprint)) = call.key else { return Ok(()) };
        let used = self.log().used_keys(shard, &[key], self.clock().now().ms()).await.map_err(|error| {
            tracing::warn!(error = %Causes(&error), "cannot look an idempotency key up");
            SubmitError::Unavailable
        })?;
        used.first().map_or(Ok(()), |found| Err(SubmitError::key_used(&found.used, &fingerprint)))
    }

    /// Whether the writer still takes commands; it stops if the log turns out corrupt or was replaced.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        !self.queue.is_closed()
    }

    /// Why the writer has stopped, if it said so.
    pub(crate) fn stopped(&self) -> Option<Stopped> {
        self.parts.stopped.get().copied()
    }

    /// Whether so many commands wait for the writer that the next would be told to come back.
    #[must_use]
    pub fn is_full(&self) -> bool {
        let (waiting, most) = self.queue();
        waiting >= most
    }

    /// How many commands wait for the writer, and how many may.
    #[must_use]
    pub fn queue(&self) -> (usize, usize) {
        self.parts.room.commands()
    }

    /// What few do at once.
    #[must_use]
    pub fn turns(&self) -> &Turns {
        &self.parts.turns
    }

    /// What is counted of it.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        &self.parts.metrics
    }

    /// The last report of each background worker.
    #[must_use]
    pub fn heartbeats(&self) -> &Heartbeats {
        &self.parts.heartbeats
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Arc<dyn Log> {
        &self.parts.log
    }

    /// The read models.
    #[must_use]
    pub fn reads(&self) -> &Reads {
        &self.parts.reads
    }

    /// Keys of personal data.
    #[must_use]
    pub fn vault(&self) -> &Vault {
        &self.parts.vault
    }

    /// Credentials, keys and tokens.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.parts.access
    }

    /// Who checks the identities of a platform's users: the sandbox for a sandbox platform, else the provider.
    pub(crate) async fn identity_check(
        &self,
        platform: PlatformId,
    ) -> Result<&dyn IdentityCheck, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &self.parts.sandbox_identity } else { &*self.parts.ports.identity })
    }

    /// Who takes a platform's files: the sandbox for a sandbox platform, else the bank.
    pub(crate) async fn bank(&self, platform: PlatformId) -> Result<&dyn BankPort, AccessError> {
        Ok(if self.is_sandbox(platform).await? { &SandboxBank } else { &*self.parts.ports.bank })
    }

    /// Who tells a platform which bank a routing number is: the sandbox for a sandbox platform, else the provider.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn routing_directory(
        &self,
        platform: PlatformId,
    ) -> Result<&dyn RoutingDirectory, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &SandboxRoutingDirectory } else { &*self.parts.ports.routing_directory })
    }

    /// Who checks addresses for a platform: the sandbox for a sandbox platform, else the provider.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn address_check(&self, platform: PlatformId) -> Result<&dyn AddressCheck, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &SandboxAddressCheck } else { &*self.parts.ports.address_check })
    }

    /// Who logs a platform's users in at their banks: the sandbox for a sandbox platform, else the provider.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is away.
    pub async fn bank_link(&self, platform: PlatformId) -> Result<&dyn BankLink, AccessError> {
        let is_sandbox = self.is_sandbox(platform).await?;
        Ok(if is_sandbox { &SandboxBankLink } else { &*self.parts.ports.bank_link })
    }

    async fn is_sandbox(&self, platform: PlatformId) -> Result<bool, AccessError> {
        Ok(self.parts.access.platform(platform).await?.is_some_and(|platform| platform.sandbox))
    }

    /// What the deployment chose.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.parts.settings
    }

    /// The wall clock.
    #[must_use]
    pub fn clock(&self) -> Clock {
        Clock
    }

    /// Randomness and ids.
    #[must_use]
    pub fn entropy(&self) -> Entropy {
        Entropy
    }
}
