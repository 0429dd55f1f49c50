//! The addresses of a service, taken before anything is made for it, and answered at when it is ready.

use std::io;
use std::net::{SocketAddr, TcpListener};

use daybook_pg::Causes;
use tokio::net::TcpSocket;

use crate::config;
use crate::error::Error;
use crate::metrics::DEFAULT;

/// How many connections may wait to be accepted.
const BACKLOG: u32 = 1024;

/// The sockets. A connection is refused until the service listens.
pub struct Listeners {
    http: TcpSocket,
    http_at: SocketAddr,
    metrics: Metrics,
}

/// Where metrics are shown.
enum Metrics {
    /// Nowhere: nobody named their address, and somebody else has it.
    Nowhere,
    /// At the address that was named.
    Named(TcpSocket, SocketAddr),
    /// Where they are by default, unless somebody else begins to listen there; whether that is one sandbox of several.
    Usual(TcpSocket, bool),
}

impl Listeners {
    /// Takes the addresses of `options`. Metrics are not shown where nobody named their address and somebody else has it: a
    /// second process on one machine shall start without an option. That is worth a warning, unless it is of a sandbox.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`] if an address that was named cannot be listened on.
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

    /// Begins to listen: for requests, and for who asks for metrics.
    ///
    /// # Errors
    ///
    /// [`Error::Listen`] if somebody else was first.
    pub(super) fn listen(self) -> Result<(TcpListener, Option<TcpListener>), Error> {
        let taken = |address| move |source| Error::Listen { address, source };
        let metrics = match self.metrics {
            Metrics::Nowhere => None,
            Metrics::Named(socket, address) => Some(listen(socket).map_err(taken(address))?),
            // Two who start at once may both have taken it.
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
    // Connections of a process that ended a moment ago are no reason to wait.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn listen(socket: TcpSocket) -> io::Result<TcpListener> {
    socket.listen(BACKLOG).and_then(tokio::net::TcpListener::into_std)
}
