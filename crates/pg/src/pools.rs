//! Connection pools: one for each role, so that a connection never changes its rights, and one for the login itself.

use std::time::Duration;

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, QueueMode, RecyclingMethod, Runtime, Timeouts,
};
use tokio::sync::OnceCell;

use crate::connect::Hosts;
use crate::fence::FenceSlot;
use crate::metrics::{Metrics, PoolUsage};
use crate::roles::{Role, Standing};
use crate::{Config, Error, background};

/// Maximum number of connections with the rights of the login.
const POOL_SIZE: usize = 16;

/// Maximum number of connections in each pool for background work of one shard.
const OWN_POOL_SIZE: usize = 4;

/// Number of connections that the projector's pool gets for each further shard, and their maximum: a page, a round of
/// to-dos, and the lanes of webhooks.
const PROJECTOR_PER_SHARD: (usize, usize) = (3, 24);

/// Number of connections that each pool for background work gets for each further shard, and their maximum.
const OWN_PER_SHARD: (usize, usize) = (1, 16);

/// Maximum time that a request waits for a pooled connection before it is rejected.
const POOL_TIMEOUT: Duration = Duration::from_millis(500);

/// Maximum time that background work waits for a pooled connection. No caller waits for it, and several shards share the
/// pools.
const BACKGROUND_TIMEOUT: Duration = Duration::from_secs(5);

/// Pools of one database. An unused pool has no connection.
#[derive(Debug)]
pub(crate) struct Pools {
    login: (Config, Pool),
    /// Pools of the roles, in the order of [`Role::ALL`].
    roles: [(Config, Pool); 5],
    /// Pools for background work: with the rights of the application role, and with those of the login.
    own: [(Config, Pool); 2],
    /// Roles that the login may act as, queried once.
    standing: OnceCell<Standing>,
    fence: FenceSlot,
    pub(crate) metrics: Metrics,
}

/// Name of the login's pool.
const LOGIN: &str = "login";
/// Names of the pools for background work.
const OWN: [&str; 2] = ["own", "own_login"];

impl Pools {
    pub(crate) fn new(config: Config) -> Result<Self, Error> {
        let metrics = Metrics::of(Role::ALL.map(Role::short_name).into_iter().chain([LOGIN]).chain(OWN));
        Self::counting(config, metrics)
    }

    /// Creates the pools, which count in `metrics`.
    pub(crate) fn counting(config: Config, metrics: Metrics) -> Result<Self, Error> {
        let fence = FenceSlot::default();
        let of = |role: Role| {
            let config = config.clone().acting_as(role);
            let wait = if role == Role::Projector { BACKGROUND_TIMEOUT } else { POOL_TIMEOUT };
            let pool = pool(&config, role.pool_size(), wait, &fence)?;
            Ok::<_, Error>((config, pool))
        };
        let [owner, app, projector, auditor, eraser] = Role::ALL.map(of);
        let roles = [owner?, app?, projector?, auditor?, eraser?];
        let own = [config.clone().acting_as(Role::App), config.clone()].map(|config| {
            let pool = pool(&config, OWN_POOL_SIZE, BACKGROUND_TIMEOUT, &fence)?;
            Ok::<_, Error>((config, pool))
        });
        let [app, login] = own;
        let own = [app?, login?];
        let login = pool(&config, POOL_SIZE, POOL_TIMEOUT, &fence)?;
        Ok(Self { login: (config, login), roles, own, standing: OnceCell::new(), fence, metrics })
    }

    pub(crate) async fn client(&self, role: Option<Role>) -> Result<Object, Error> {
        let (name, (_, pool)) = self.of(role).await?;
        pool.get().await.map_err(|error| match error {
            PoolError::Backend(source) => Error::from(source),
            PoolError::PostCreateHook(refused) => FenceSlot::meaning(refused),
            other => {
                if matches!(other, PoolError::Timeout(_)) {
                    self.metrics.timed_out(name);
                }
                Error::Unavailable(other.to_string())
            }
        })
    }

    /// Returns the usage of each pool.
    pub(crate) fn usage(&self) -> impl Iterator<Item = PoolUsage> {
        let roles = Role::ALL.map(Role::short_name).into_iter().zip(&self.roles);
        roles.chain([(LOGIN, &self.login)]).chain(OWN.into_iter().zip(&self.own)).map(
            |(pool, (_, status))| {
                let status = status.status();
                let in_use = status.size.saturating_sub(status.available);
                PoolUsage { pool, max: status.max_size, size: status.size, in_use, waiting: status.waiting }
            },
        )
    }

    /// Returns the configuration of connections with these rights.
    pub(crate) async fn config(&self, role: Option<Role>) -> Result<&Config, Error> {
        let (_, (config, _)) = self.of(role).await?;
        Ok(config)
    }

    /// Checks that connections act as roles.
    pub(crate) async fn requires_roles(&self) -> Result<(), Error> {
        self.standing.get_or_try_init(|| self.ask()).await?.requires_roles()
    }

    pub(crate) const fn of_login(&self) -> &Config {
        &self.login.0
    }

    /// Returns the slot for the fence of this database.
    pub(crate) const fn fence(&self) -> &FenceSlot {
        &self.fence
    }

    /// Sizes the pools of background work for this number of shards. Those of requests stay as they are: more shards do
    /// not mean more requests.
    pub(crate) fn serves(&self, shards: usize) {
        let sized =
            |one: usize, (each, most): (usize, usize)| (one + each * shards.saturating_sub(1)).min(most);
        let (_, projector) = &self.roles[Role::Projector as usize];
        projector.resize(sized(Role::Projector.pool_size(), PROJECTOR_PER_SHARD));
        let [(_, own), (_, own_login)] = &self.own;
        own.resize(sized(OWN_POOL_SIZE, OWN_PER_SHARD));
        // Without roles, the projector works with the login as well.
        own_login.resize(sized(OWN_POOL_SIZE, PROJECTOR_PER_SHARD));
    }

    pub(crate) fn close(&self) {
        for (_, pool) in self.roles.iter().chain([&self.login]).chain(&self.own) {
            pool.close();
        }
    }

    /// Returns the pool for a role, with its name. Background work gets its own pools where requests share theirs.
    async fn of(&self, role: Option<Role>) -> Result<(&'static str, &(Config, Pool)), Error> {
        let (name, pool, own) = match role {
            Some(role) if self.standing.get_or_try_init(|| self.ask()).await?.check(role)? => {
                (role.short_name(), &self.roles[role as usize], (role == Role::App).then_some(0))
            }
            Some(_) | None => (LOGIN, &self.login, Some(1)),
        };
        let own = own.filter(|_| background::is_background());
        Ok(own.map_or((name, pool), |own| (OWN[own], &self.own[own])))
    }

    async fn ask(&self) -> Result<Standing, Error> {
        let (client, connection, _) = self.login.0.connect().await?;
        let standing = Standing::of(&client).await;
        drop(client);
        // Awaited, so that no session of the login is left behind.
        let _ = connection.await;
        standing
    }
}

fn pool(config: &Config, size: usize, wait: Duration, fence: &FenceSlot) -> Result<Pool, Error> {
    let manager = Manager::from_connect(
        config.to_tokio_postgres(),
        Hosts(config.clone()),
        ManagerConfig { recycling_method: RecyclingMethod::Fast },
    );
    Pool::builder(manager)
        .post_create(fence.hook())
        .max_size(size)
        // The connection that was used last still has its plans and tables in the processor's caches.
        .queue_mode(QueueMode::Lifo)
        .runtime(Runtime::Tokio1)
        .timeouts(Timeouts {
            wait: Some(wait),
            create: Some(config.connect_within()),
            recycle: Some(POOL_TIMEOUT),
        })
        .build()
        .map_err(|error| Error::Config(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn background_pools_grow_with_shards() {
        let config = Config::from_url("postgres://ada@localhost/ledger?sslmode=disable").expect("a URL");
        let pools = Pools::new(config).expect("pools");
        let sizes = |name: &str| pools.usage().find(|usage| usage.pool == name).map(|usage| usage.max);
        let background = || ["projector", "own", "own_login"].map(|name| sizes(name).expect("a pool"));
        assert_eq!(background(), [4, 4, 4]);
        pools.serves(1);
        assert_eq!(background(), [4, 4, 4]);
        pools.serves(4);
        assert_eq!(background(), [13, 7, 13]);
        pools.serves(64);
        assert_eq!(background(), [24, 16, 24]);
        assert_eq!((sizes("app"), sizes("login")), (Some(12), Some(POOL_SIZE)));
    }
}
