//! Pools: one for each role, so that a connection never changes its rights, and one for the login itself.

use std::time::Duration;

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, QueueMode, RecyclingMethod, Runtime, Timeouts,
};
use tokio::sync::OnceCell;

use crate::connect::Hosts;
use crate::fence::Place;
use crate::metrics::{Metrics, PoolUsage};
use crate::roles::{Role, Standing};
use crate::{Config, Error};

/// The most connections with the rights of the login.
const POOL_SIZE: usize = 16;

/// How long a request waits for a pooled connection before it is told to come back.
const POOL_WAIT: Duration = Duration::from_millis(500);

/// The pools of one database; an unused one has no connection.
#[derive(Debug)]
pub(crate) struct Pools {
    login: (Config, Pool),
    /// In the order of [`Role::ALL`].
    roles: [(Config, Pool); 5],
    /// What the login may, asked once.
    standing: OnceCell<Standing>,
    fence: Place,
    pub(crate) metrics: Metrics,
}

/// What the pool of the login is called.
const LOGIN: &str = "login";

impl Pools {
    pub(crate) fn new(config: Config) -> Result<Self, Error> {
        let fence = Place::default();
        let of = |role: Role| {
            let config = config.clone().acting_as(role);
            let pool = pool(&config, role.pool_size(), &fence)?;
            Ok::<_, Error>((config, pool))
        };
        let [owner, app, projector, auditor, eraser] = Role::ALL.map(of);
        let roles = [owner?, app?, projector?, auditor?, eraser?];
        let own = pool(&config, POOL_SIZE, &fence)?;
        let metrics = Metrics::of(Role::ALL.map(Role::short_name).into_iter().chain([LOGIN]));
        Ok(Self { login: (config, own), roles, standing: OnceCell::new(), fence, metrics })
    }

    pub(crate) async fn client(&self, role: Option<Role>) -> Result<Object, Error> {
        let (_, pool) = self.of(role).await?;
        pool.get().await.map_err(|error| match error {
            PoolError::Backend(source) => Error::from(source),
            PoolError::PostCreateHook(refused) => Place::meaning(refused),
            other => {
                if matches!(other, PoolError::Timeout(_)) {
                    self.metrics.timed_out(role.map_or(LOGIN, Role::short_name));
                }
                Error::Unavailable(other.to_string())
            }
        })
    }

    /// How much of each pool is used.
    pub(crate) fn usage(&self) -> impl Iterator<Item = PoolUsage> {
        let roles = Role::ALL.map(Role::short_name).into_iter().zip(&self.roles);
        roles.chain([(LOGIN, &self.login)]).map(|(pool, (_, status))| {
            let status = status.status();
            let in_use = status.size.saturating_sub(status.available);
            PoolUsage { pool, max: status.max_size, size: status.size, in_use, waiting: status.waiting }
        })
    }

    /// How connections with these rights are made.
    pub(crate) async fn config(&self, role: Option<Role>) -> Result<&Config, Error> {
        let (config, _) = self.of(role).await?;
        Ok(config)
    }

    pub(crate) const fn of_login(&self) -> &Config {
        &self.login.0
    }

    /// Where whoever knows the database may put up a fence.
    pub(crate) const fn fence(&self) -> &Place {
        &self.fence
    }

    pub(crate) fn close(&self) {
        for (_, pool) in self.roles.iter().chain([&self.login]) {
            pool.close();
        }
    }

    async fn of(&self, role: Option<Role>) -> Result<&(Config, Pool), Error> {
        let Some(role) = role else { return Ok(&self.login) };
        let standing = self.standing.get_or_try_init(|| self.ask()).await?;
        Ok(if standing.check(role)? { &self.roles[role as usize] } else { &self.login })
    }

    async fn ask(&self) -> Result<Standing, Error> {
        let (client, connection, _) = self.login.0.connect().await?;
        let standing = Standing::of(&client).await;
        drop(client);
        // Waited for, so that no session of the login is left behind.
        let _ = connection.await;
        standing
    }
}

fn pool(config: &Config, size: usize, fence: &Place) -> Result<Pool, Error> {
    let manager = Manager::from_connect(
        config.to_tokio_postgres(),
        Hosts(config.clone()),
        ManagerConfig { recycling_method: RecyclingMethod::Fast },
    );
    Pool::builder(manager)
        .post_create(fence.hook())
        .max_size(size)
        // Whoever was last used has its plans and tables still in the processor's caches.
        .queue_mode(QueueMode::Lifo)
        .runtime(Runtime::Tokio1)
        .timeouts(Timeouts {
            wait: Some(POOL_WAIT),
            create: Some(config.connect_within()),
            recycle: Some(POOL_WAIT),
        })
        .build()
        .map_err(|error| Error::Config(error.to_string()))
}
