//! Composition of the service: log, read models, vault, access, engine, and their background tasks.

mod listeners;
mod serving;
mod shards;

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Server;
use daybook_api::body::Budget;
use daybook_api::webhook::WebhookSender;
use daybook_api::{App, Observability, ResourceLimits};
use daybook_domain::Kind;
use daybook_engine::feed::Feed;
use daybook_engine::rails::address_check::NoAddressCheck;
use daybook_engine::rails::bank::{BankPort, NoBank};
use daybook_engine::rails::bank_link::NoBankLink;
use daybook_engine::rails::identity::NoIdentityCheck;
use daybook_engine::rails::routing_directory::NoRoutingDirectory;
use daybook_engine::webhook::{Attempts, Webhooks};
use daybook_engine::{Access, Attester, Audit, Clock, Engine, Entropy, Ports, Processes, Settings};
use daybook_log::postgres::PostgresLog;
use daybook_log::{Log, Shard};
use daybook_outbound::guarded::{Client, SystemResolver};
use daybook_pg::{Causes, Pg, Role, ShardRange, in_background};
use daybook_projector::{Reads, Runner};
use daybook_vault::Vault;
pub use listeners::Listeners;
pub use serving::signal;
use shards::Shards;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::anchor::AnchorMetrics;
use crate::bank::FolderBank;
use crate::bank_inbox::Inbox;
use crate::config;
use crate::error::Error;
use crate::ingress::Ingress;
use crate::keys::Keys;
use crate::metrics::{Metrics, Source};
use crate::places::available;

/// Interval of the deletion of expired keys.
const HOUSEKEEPING_INTERVAL: Duration = Duration::from_hours(1);

/// The engine with its background tasks.
pub struct Service {
    /// Engine: executes commands.
    pub engine: Engine,
    /// Audit: makes checkpoints and proofs.
    pub audit: Audit,
    /// HTTP client for calls to webhook subscriptions.
    pub client: Client,
    /// HTTP limits. By default there are none.
    pub ingress: Ingress,
    /// Memory budget of request bodies.
    pub bodies: Budget,
    /// Limits of proofs and of large answers.
    pub resource_limits: ResourceLimits,
    /// Observability of requests.
    pub observability: Observability,
    reads: Reads,
    feed: Feed,
    log: PostgresLog,
    pg: Pg,
    shards: Arc<Shards>,
    stop: watch::Sender<bool>,
    tasks: Vec<JoinHandle<()>>,
}

impl Service {
    /// Starts everything except HTTP, without a bank. Sandboxes simulate their bank.
    ///
    /// # Errors
    ///
    /// As [`Service::start_with`].
    pub async fn start(pg: Pg, keys: Keys, settings: Settings) -> Result<Self, Error> {
        Self::start_with(pg, keys, settings, &config::Bank::default()).await
    }

    /// Starts everything except HTTP, with the bank of `bank`.
    ///
    /// # Errors
    ///
    /// Fails if the read models cannot be installed or the writer cannot be started.
    pub async fn start_with(
        pg: Pg,
        keys: Keys,
        settings: Settings,
        bank: &config::Bank,
    ) -> Result<Self, Error> {
        let mut service = Self::start_without_processes(pg, keys, settings, bank).await?;
        let stopped = service.stop.subscribe();
        let (engine, until, pg) = (service.engine.clone(), stopped.clone(), service.pg.clone());
        let processes = service.shards.each(stopped.clone(), move |shard| {
            // A to-do is locked while it is executed. It is a row of a read model, so this takes the projector's role.
            let processes = Processes::new(engine.clone(), pg.acting_as(Role::Projector), shard);
            in_background(processes.run(until.clone()))
        });
        let (engine, until) = (service.engine.clone(), stopped.clone());
        let attempts = Attempts::new(service.pg.clone());
        let housekeeping = service.shards.each(stopped.clone(), move |shard| {
            in_background(housekeeping(engine.clone(), attempts.clone(), shard, until.clone()))
        });
        let shards = Arc::clone(&service.shards);
        let following = tokio::spawn(in_background(async move { shards.follow(stopped).await }));
        service.tasks.extend([processes, housekeeping, following]);
        if let Some(folder) = &bank.bank_folder {
            let inbox = Inbox::new(service.engine.clone(), folder);
            service.tasks.push(tokio::spawn(in_background(inbox.run(service.stop.subscribe()))));
        }
        Ok(service)
    }

    /// Starts the parts for a command that does one thing and ends. Processes do not run: due to-dos are left to the
    /// service.
    ///
    /// # Errors
    ///
    /// As [`Service::start_with`].
    pub async fn start_without_processes(
        pg: Pg,
        keys: Keys,
        settings: Settings,
        bank: &config::Bank,
    ) -> Result<Self, Error> {
        let mut service = Self::start_without_projection(pg, keys, settings, bank).await?;
        let (store, stopped) = (service.engine.reads().store().clone(), service.stop.subscribe());
        let projecting = service.shards.each(stopped.clone(), move |shard| {
            in_background(Runner::new(&store, shard).run(stopped.clone()))
        });
        service.tasks.push(projecting);
        Ok(service)
    }

    /// Like [`Service::start_without_processes`], but without the projection: read models stay at their position.
    ///
    /// # Errors
    ///
    /// As [`Service::start_with`].
    pub async fn start_without_projection(
        pg: Pg,
        keys: Keys,
        settings: Settings,
        bank: &config::Bank,
    ) -> Result<Self, Error> {
        for role in [Role::App, Role::Projector, Role::Eraser] {
            pg.acting_as(role).permitted().await?;
        }
        let pg = pg.acting_as(Role::App);
        let log = PostgresLog::new(pg.clone()).omit_boxes_of(&Kind::LARGE_PAYLOADS.map(Kind::code));
        let log = log.signed_by(Arc::clone(&keys.signers.newest));
        // Everything that this process caches from here on must belong to this log.
        log.fence();
        let shards = available(&log).await?;
        let first = *shards.first().ok_or_else(|| {
            let why = "no server that has a shard is available";
            daybook_pg::Error::Unavailable(why.to_owned())
        })?;
        let (postgres, own) = (log.clone(), pg.clone());
        let log: Arc<dyn Log> = Arc::new(log);
        let reads = Reads::new(pg.clone(), log.clone());
        shards::prepare(&postgres, &keys.signers, &reads, first).await?;
        let audit = Audit::new(postgres.clone(), keys.signers.clone());
        let (masters, now_ms) = (keys.master, Clock.now().ms());
        let vault = Vault::open(pg.clone(), masters, first, now_ms, &|bytes| Entropy.fill(bytes)).await?;
        let access = Access::new(pg, vault.clone());
        let bank: Arc<dyn BankPort> = match FolderBank::of(bank) {
            Some(folder) => Arc::new(folder),
            None => Arc::new(NoBank),
        };
        let ports = Ports {
            identity: Arc::new(NoIdentityCheck),
            bank,
            bank_link: Arc::new(NoBankLink),
            routing_directory: Arc::new(NoRoutingDirectory),
            address_check: Arc::new(NoAddressCheck),
        };
        let engine = Engine::new(log, reads, vault, access, ports, settings);
        let stop = watch::Sender::new(false);
        let opening = Shards::new(engine.clone(), postgres.clone(), keys.signers, own.clone(), stop.clone());
        opening.open(first).await?;
        opening.open_others(shards).await;
        let (reads, feed) = (engine.reads().clone(), Feed::new(engine.log().clone()));
        let (client, observability) = (client(false)?, Observability::default());
        let (ingress, bodies) = (Ingress::default(), Budget::default());
        let resource_limits = ResourceLimits::default();
        let log = postgres;
        Ok(Self {
            engine,
            audit,
            client,
            ingress,
            bodies,
            resource_limits,
            observability,
            reads,
            feed,
            log,
            pg: own,
            shards: Arc::new(opening),
            stop,
            tasks: vec![],
        })
    }

    /// Answers queries from `replicas`: one for each standby, with the range of the server that it follows; none for home.
    /// Without this call the primary answers.
    pub fn read_from(&mut self, replicas: Vec<(Option<ShardRange>, Pg)>) {
        let server =
            |range: Option<ShardRange>| range.map_or(self.pg.home(), |range| self.pg.of(*range.start()));
        let placed =
            |(range, pg): (Option<ShardRange>, Pg)| (server(range).placement(), pg.acting_as(Role::App));
        let replicas = replicas.into_iter().map(placed).collect();
        self.log = self.log.clone().reading_from(replicas);
        let Some(replicas) = self.log.replicas().map(Arc::clone) else { return };
        let log: Arc<dyn Log> = Arc::new(self.log.clone());
        self.reads = self.engine.reads().reading_from(log.clone(), replicas);
        self.feed = Feed::new(log);
    }

    /// Creates the attester of account balances of `shard`.
    #[must_use]
    pub fn attester(&self, shard: Shard) -> Attester {
        Attester::new(self.engine.clone(), self.log.clone(), shard)
    }

    /// Creates an HTTP server on `listener`. The caller awaits it. Links begin with `base_url`.
    ///
    /// # Errors
    ///
    /// Fails if the listener cannot be used.
    pub fn http(&self, listener: TcpListener, base_url: &str) -> Result<Server, Error> {
        Ok(daybook_api::server(
            self.app(base_url),
            listener,
            &self.ingress.listener_options,
            serving::SHUTDOWN_TIMEOUT_S,
        )?)
    }

    /// State that the HTTP handlers share. Links begin with `base_url`.
    #[must_use]
    pub fn app(&self, base_url: &str) -> App {
        let (engine, audit) = (self.engine.clone(), self.audit.clone());
        let attempts = Attempts::new(self.pg.clone());
        let (client, feed, observability) =
            (self.client.clone(), self.feed.clone(), self.observability.clone());
        let (rates, base_url) = (Arc::clone(&self.ingress.rates), base_url.into());
        let (bodies, resource_limits) = (self.bodies.clone(), self.resource_limits.clone());
        let reads = self.reads.clone();
        App {
            engine,
            reads,
            audit,
            client,
            attempts,
            feed,
            bodies,
            resource_limits,
            rates,
            observability,
            base_url,
        }
    }

    /// Metrics of this process and of its `anchors`.
    #[must_use]
    pub fn metrics(&self, anchors: &AnchorMetrics) -> Metrics {
        let (engine, log) = (self.engine.clone(), self.log.clone());
        Metrics::new(
            Source { engine, log, pg: self.pg.clone(), observability: self.observability.clone() },
            anchors,
        )
    }

    /// Creates the webhook delivery of `shard`. Links begin with `base_url`.
    #[must_use]
    pub fn webhooks(&self, base_url: &str, shard: Shard) -> Webhooks {
        let (app, pg) = (self.app(base_url), self.pg.acting_as(Role::Projector));
        Webhooks::new(self.engine.clone(), pg, shard, app.attempts.clone(), Arc::new(WebhookSender::new(app)))
    }
}

impl Drop for Service {
    /// Stops the tasks if nobody awaits them. Otherwise they would find their signal closed and loop without a pause.
    fn drop(&mut self) {
        self.stop.send_replace(true);
    }
}

/// Creates the HTTP client for subscriptions. With `loopback` it also calls this machine, for receivers in development.
pub(crate) fn client(loopback: bool) -> Result<Client, Error> {
    Client::new(Arc::new(SystemResolver), loopback, &[]).map_err(|error| Error::Usage(error.to_string()))
}

/// Deletes expired idempotency keys, OAuth keys and delivery attempts of a shard once an hour.
async fn housekeeping(engine: Engine, attempts: Attempts, shard: Shard, mut stopped: watch::Receiver<bool>) {
    while !*stopped.borrow() {
        let now = engine.clock().now();
        if let Err(error) = engine.log().purge_keys(shard, now.ms()).await {
            tracing::warn!(shard, error = %Causes(&error), "cannot delete expired idempotency keys");
        }
        if let Err(error) = engine.access().purge_keys(shard, now).await {
            tracing::warn!(shard, error = %Causes(&error), "cannot delete expired OAuth keys");
        }
        if let Err(error) = attempts.purge(shard, now.ms()).await {
            tracing::warn!(shard, error = %Causes(&error), "cannot delete old delivery attempts");
        }
        tokio::select! {
            () = tokio::time::sleep(HOUSEKEEPING_INTERVAL) => {}
            stop = stopped.changed() => if stop.is_err() { return },
        }
    }
}
