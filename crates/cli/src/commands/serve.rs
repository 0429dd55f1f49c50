//! `daybook serve`: the service on an external PostgreSQL server.

use daybook_log::postgres::MAX_SHARDS;
use daybook_pg::{Pg, ShardRange};
use daybook_vault::{MasterKey, MasterKeys};

use crate::commands::dev::refuse_credentials;
use crate::config::Serve;
use crate::database::{Database, unless_stopped};
use crate::error::Error;
use crate::ingress::Ingress;
use crate::keys::{Keys, others, signers, signing_key};
use crate::service::{Listeners, Service};

/// Serves until the process is told to stop.
///
/// # Errors
///
/// Fails if the database cannot be reached or has credentials of `dev`, a key is missing, or the address cannot be
/// listened on.
pub async fn run(options: Serve) -> Result<(), Error> {
    let signing_key = signing_key(options.signing_key.as_deref(), &options.master_key);
    let master = MasterKeys::new(MasterKey::load(&options.master_key)?, others(&options.other_master_key)?);
    let keys = Keys { master, signers: signers(&signing_key, &options.former_signing_key)? };
    let ingress = Ingress::guarded(&options.service.http_limits)?;
    let listeners = Listeners::bind(&options.service, false)?;
    let replicas = replicas(&options)?;
    let database = Database::awaited(&options.database_url, &options.shards, options.database_wait).await?;
    if options.strict_roles {
        database.pg.requires_roles().await?;
    }
    let shards = options.serve_shards.clone().unwrap_or(1..=MAX_SHARDS);
    let settings = options.service.settings().working_on(*shards.start(), *shards.end());
    let starting = Service::start_with(database.pg, keys, settings, &options.bank);
    let mut service = unless_stopped(starting).await?;
    if !options.allow_dev_credentials
        && let Err(error) = refuse_credentials(service.engine.access()).await
    {
        service.stop().await;
        return Err(error);
    }
    if !replicas.is_empty() {
        service.read_from(replicas);
    }
    service.ingress = ingress;
    service.watch(&options.service);
    let ready = |base: &str| {
        // The reader of the output may be gone; the service continues.
        let _ = crate::say!("Daybook is ready at {base}");
        Ok(())
    };
    let served = service.serve(&options.service, listeners, ready, std::future::pending()).await;
    service.stop().await;
    served
}

/// Returns one handle for each standby, with the range of the server that it follows; none for home. Does not connect: a
/// standby that is down does not stop the service.
fn replicas(options: &Serve) -> Result<Vec<(Option<ShardRange>, Pg)>, Error> {
    let standbys = options.standbys.standbys(&options.shards)?;
    standbys.into_iter().map(|(range, host)| Ok((range, Pg::new(host)?))).collect()
}
