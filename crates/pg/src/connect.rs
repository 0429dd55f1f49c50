//! Connecting to the first host that accepts writes, with a timeout for each host.
//!
//! The driver's own timeout ends when the connection is open, not when the server has answered. Without a further
//! timeout a server that is paused would block for ever, and the other hosts would never be tried.

use std::future::Future;
use std::pin::Pin;

use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::Client;

use crate::config::CONNECT_TIMEOUT;
use crate::{Causes, Config, Error, Warnings, session};

/// A connection, the task that drives it, and the warnings of the server.
pub(crate) type Connected = (Client, JoinHandle<()>, Warnings);

impl Config {
    /// Connects to the first host that accepts writes.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] if no host answers in time.
    pub(crate) async fn connect(&self) -> Result<Connected, Error> {
        let within = self.connect_within();
        let connected = timeout(within, Box::pin(self.connect_to_any())).await;
        let late = |_| Error::Unavailable(format!("no connection within {} s", within.as_secs()));
        Ok(connected.map_err(late)??)
    }

    /// Connects to the first host that accepts writes. The last host has no timeout here; the caller bounds the whole
    /// call.
    pub(crate) async fn connect_to_any(&self) -> Result<Connected, tokio_postgres::Error> {
        let (last, others) = self.split_hosts();
        for host in others {
            match timeout(CONNECT_TIMEOUT, self.connect_to(&host)).await {
                Ok(Ok(connected)) => return Ok(connected),
                Ok(Err(error)) => tracing::debug!(error = %Causes(&error), "skipping a host"),
                Err(_) => tracing::debug!("skipping a host that does not answer"),
            }
        }
        self.connect_to(&last).await
    }

    async fn connect_to(&self, host: &tokio_postgres::Config) -> Result<Connected, tokio_postgres::Error> {
        let (client, connection) = host.connect(self.connector().clone()).await?;
        let has_transaction_timeout = connection.parameter("server_version").is_some_and(is_17_or_newer);
        let warnings = Warnings::default();
        let driving = warnings.clone().drive(connection);
        let moving = tokio::spawn(async move {
            if let Err(error) = driving.await {
                tracing::debug!(error = %Causes(&error), "a connection ended");
            }
        });
        if has_transaction_timeout {
            // Older servers refuse a connection with this setting.
            client.batch_execute("set transaction_timeout = 0").await?;
        }
        session::apply(&client, host.get_options().unwrap_or_default()).await?;
        Ok((client, moving, warnings))
    }
}

/// Returns true if a server of this version has the setting `transaction_timeout`.
fn is_17_or_newer(version: &str) -> bool {
    let digits = version.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse::<u32>().is_ok_and(|major| major >= 17)
}

/// Connection factory for a pool, which bounds the time itself.
pub(crate) struct Hosts(pub(crate) Config);

impl deadpool_postgres::Connect for Hosts {
    fn connect(
        &self,
        _: &tokio_postgres::Config,
    ) -> Pin<Box<dyn Future<Output = Result<(Client, JoinHandle<()>), tokio_postgres::Error>> + Send + '_>>
    {
        Box::pin(async {
            let (client, moving, _) = self.0.connect_to_any().await?;
            Ok((client, moving))
        })
    }
}
