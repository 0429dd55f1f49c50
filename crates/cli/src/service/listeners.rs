//! Addresses of a service. They are bound before anything is created, and listened on when the service is ready.

use std::io;
use std::net::{SocketAddr, TcpListener};

use daybook_pg::Causes;
use tokio::net::TcpSocket;

use crate::config;
use crate::error::Error;
use crate::metrics::DEFAULT;

/// Maximum number of connections that wait to be accepted.
const LISTEN_BACKLOG: u32 = 1024;

/// Bound sockets. Connections are refused until the service listens.
pub struct Listeners {
    http: TcpSocket,
    http_at: SocketAddr,
    metrics: Metrics,
}

/// Address of the metrics.
enum Metrics {
    /// No metrics: the options name no address, and the default address is in use.
    Nowhere,
    /// The address that the options name.
    Named(TcpSocket, SocketAddr),
    /// The default address, unless another process listens on it first. The flag is true for a sandbox.
    Usual(TcpSocket, bool),
}

impl Listeners {
    /// Binds the addresses of `options`. If the options name no address for metrics and the default address is in use,
    /// metrics are not served: a second process on one machine must start without options. This causes a warning,
    /// except for a sandbox.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`] if an address that the options name cannot be listened on.
    pub fn bind(options: &config::Service, is_sandbox: bool) -> Result<Self, Error> {
        let taken = |address| move |source| Error::Listen { address, source };
        let http = bind(options.listen).map_err(taken(options.listen))?;
        let metrics = match options.metrics_listen {
            Some(address) => Metrics::Named(bind(address).map_err(taken(address))?, address),
            None => match bind(DEFAULT) {
                Ok(socket) => Metrics::Usual(socket, is_sandbox),
                Err(error) => {
                    not_shown(&error, is_sandbox);
                    Metrics::Nowhere
                }
            },
        };
        Ok(Self { http, http_at: options.listen, metrics })
    }

    /// Begins to listen for requests, and for scrapes of the metrics.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`] if another process was first.
    pub(super) fn listen(self) -> Result<(TcpListener, Option<TcpListener>), Error> {
        let taken = |address| move |source| Error::Listen { address, source };
        let metrics = match self.metrics {
            Metrics::Nowhere => None,
            Metrics::Named(socket, address) => Some(listen(socket).map_err(taken(address))?),
            // Two processes that start at once may both have bound the address.
            Metrics::Usual(socket, is_sandbox) => {
                listen(socket).inspect_err(|error| not_shown(error, is_sandbox)).ok()
            }
        };
        Ok((listen(self.http).map_err(taken(self.http_at))?, metrics))
    }
}

fn not_shown(error: &io::Error, is_sandbox: bool) {
    if is_sandbox {
        tracing::info!(address = %DEFAULT, error = %Causes(error), "metrics are not shown; --metrics-listen names another address");
    } else {
        tracing::warn!(address = %DEFAULT, error = %Causes(error), "metrics are not shown; --metrics-listen names another address");
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Connections of a process that ended recently must not delay the start.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn listen(socket: TcpSocket) -> io::Result<TcpListener> {
    socket.listen(LISTEN_BACKLOG).and_then(tokio::net::TcpListener::into_std)
}
