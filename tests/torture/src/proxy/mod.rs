//! The way from the service to PostgreSQL, which fails on demand: a TCP proxy in front of the server's unix socket.
//!
//! It follows the protocol as far as it must: messages as wholes, the first one of a client, and COMMIT as a simple query,
//! which is how every COMMIT is sent. It speaks no TLS, and says so to whoever asks.

mod frames;
mod relay;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::error::Result;

/// What happens to connections, old and new, until another rule is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Everything passes.
    Pass,
    /// Every connection is ended.
    Cut,
    /// Every connection is ended by a reset.
    Reset,
    /// Nothing passes any more, and nobody is told.
    BlackHole,
    /// The server's side of what was connected before is gone, and the client is not told; who comes now passes.
    HalfOpen,
    /// Every message is late by so much, and up to so much more.
    Delay(Duration, Duration),
    /// So many bytes pass in a second, on each connection and each way.
    Throttle(u64),
    /// Every answer of the server ends in its middle, and with it the connection.
    Truncate,
    /// A connection that sends COMMIT is ended before the server gets it.
    LoseCommit,
    /// A connection that sends COMMIT is ended after the server has answered, without the answer.
    LoseAnswer,
    /// A COMMIT is kept until the rule changes, then goes its way.
    HoldCommit,
}

/// What a connection knows of its proxy.
#[derive(Clone, Debug)]
struct Way {
    server: PathBuf,
    rules: watch::Receiver<Rule>,
    lost: Arc<AtomicU64>,
}

/// A proxy in front of one server; it ends when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    rule: watch::Sender<Rule>,
    lost: Arc<AtomicU64>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port, in front of the unix socket `server`.
    pub async fn start(server: PathBuf) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (rule, rules) = watch::channel(Rule::Pass);
        let lost = Arc::default();
        let way = Way { server, rules, lost: Arc::clone(&lost) };
        let accepting = tokio::spawn(accept(listener, way));
        Ok(Self { port, rule, lost, accepting })
    }

    /// A URL of the server's database `database`, for the user `user`, by way of the proxy; neither name needs quoting.
    pub fn url(&self, user: &str, database: &str) -> String {
        format!("host=127.0.0.1 port={} user={user} dbname={database}", self.port)
    }

    /// Sets the rule.
    pub fn set(&self, rule: Rule) {
        self.rule.send_replace(rule);
    }

    /// How many COMMITs, or answers to one, were lost.
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, way: Way) {
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(relay::relay(client, way.clone()));
    }
}
