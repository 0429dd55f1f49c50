//! HTTP limits of the service: converts options to rate limits, connection limits and a certificate.

use std::sync::Arc;
use std::time::Duration;

use daybook_api::rate::{Proxies, RateLimit, RateLimiter, RateLimits};
use daybook_api::{Certificate, Hosts, ListenerOptions};
use daybook_pg::Causes;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::config;
use crate::error::Error;

/// Default rate limits of `daybook serve`: higher than the rate of any well-behaved client, low enough to protect other
/// clients.
const DEFAULT_RATE_LIMITS: RateLimits = RateLimits {
    address: RateLimit::new(5_000, SECOND),
    platform: RateLimit::new(5_000, SECOND),
    user: RateLimit::new(500, SECOND),
    handshakes: RateLimit::new(50, SECOND),
    failures_of_address: RateLimit::new(60, MINUTE),
    failures_of_client: RateLimit::new(600, MINUTE),
};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_mins(1);

/// Default maximum of connections from one address.
const MAX_CONNECTIONS_PER_ADDRESS: usize = 2_048;

/// Number of file descriptors that the process needs besides those of client connections.
const RESERVED_DESCRIPTORS: u64 = 512;

/// Rate limits, connection limits and certificate of the service.
#[derive(Clone, Debug, Default)]
pub struct Ingress {
    /// Rate limiter for calls and failed authentications.
    pub rates: Arc<RateLimiter>,
    /// Options of the listener: connection limits, certificate and host names.
    pub listener_options: ListenerOptions,
}

impl Ingress {
    /// Limits of `daybook serve`.
    ///
    /// # Errors
    ///
    /// Fails if the certificate cannot be loaded.
    pub fn guarded(options: &config::HttpLimits) -> Result<Self, Error> {
        Self::of(options, DEFAULT_RATE_LIMITS, MAX_CONNECTIONS_PER_ADDRESS)
    }

    /// Limits of a sandbox: none, except those that `options` name.
    ///
    /// # Errors
    ///
    /// As [`Ingress::guarded`].
    pub fn open(options: &config::HttpLimits) -> Result<Self, Error> {
        Self::of(options, RateLimits::default(), 0)
    }

    fn of(
        options: &config::HttpLimits,
        paces: RateLimits,
        connections_per_address: usize,
    ) -> Result<Self, Error> {
        let paces = RateLimits {
            address: options.rate_per_address.unwrap_or(paces.address),
            platform: options.rate_per_platform.unwrap_or(paces.platform),
            user: options.rate_per_user.unwrap_or(paces.user),
            handshakes: options.handshakes_per_address.unwrap_or(paces.handshakes),
            failures_of_address: options.failures_per_address.unwrap_or(paces.failures_of_address),
            failures_of_client: options.failures_per_client.unwrap_or(paces.failures_of_client),
        };
        let files = options.tls_certificate.as_deref().zip(options.tls_key.as_deref());
        let load = |(chain, key)| Certificate::load(chain, key).map(Arc::new);
        let certificate = files.map(load).transpose().map_err(|error| Error::Usage(error.to_string()))?;
        let listener_options = ListenerOptions {
            connections: affordable(options.max_connections),
            connections_per_address: options.max_connections_per_address.unwrap_or(connections_per_address),
            certificate,
            hosts: Hosts::default(),
        };
        Ok(Self {
            rates: Arc::new(RateLimiter::new(paces, Proxies(options.trusted_proxy.clone()))),
            listener_options,
        })
    }

    /// Returns the limits for a listener that accepts only the host names `hosts`.
    #[must_use]
    pub fn called(mut self, hosts: Hosts) -> Self {
        self.listener_options.hosts = hosts;
        self
    }

    /// Reloads the certificate at each SIGHUP, until `stopped`.
    ///
    /// # Errors
    ///
    /// Fails if the signal handler cannot be installed.
    pub(crate) fn renew(&self, mut stopped: watch::Receiver<bool>) -> Result<(), Error> {
        let Some(certificate) = self.listener_options.certificate.clone() else { return Ok(()) };
        let mut hang_up = signal(SignalKind::hangup())?;
        tokio::spawn(async move {
            loop {
                tokio::select! {
                    asked = hang_up.recv() => if asked.is_none() { return },
                    _ = stopped.changed() => return,
                }
                match certificate.reload() {
                    Ok(()) => tracing::info!("the certificate was read again"),
                    Err(error) => tracing::error!(error = %Causes(&error), "the certificate stays as it was"),
                }
            }
        });
        Ok(())
    }
}

/// Raises the limit of file descriptors as far as needed and permitted. Returns the number of connections, at most
/// `wanted`, that fit within it.
fn affordable(wanted: usize) -> usize {
    let needed = u64::try_from(wanted).unwrap_or(u64::MAX).saturating_add(RESERVED_DESCRIPTORS);
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return wanted };
    let raised = needed.clamp(soft.min(hard), hard);
    let limit = if setrlimit(Resource::RLIMIT_NOFILE, raised, hard).is_ok() { raised } else { soft };
    if wanted == 0 || needed <= limit {
        return wanted;
    }
    let most = usize::try_from(limit.saturating_sub(RESERVED_DESCRIPTORS)).unwrap_or(wanted).max(1);
    tracing::warn!(most, wanted, "the system has descriptors for fewer connections (ulimit -n)");
    most
}
