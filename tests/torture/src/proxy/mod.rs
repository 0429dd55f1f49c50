//! Fault injection between the service and PostgreSQL: a TCP proxy in front of the server's Unix socket.
//!
//! The proxy parses only a part of the protocol: complete messages, the startup message, and COMMIT as a simple query,
//! which is the form of every COMMIT. It refuses TLS.

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

/// Rule for all connections, old and new, until another rule is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Everything passes.
    Pass,
    /// Every connection is closed.
    Cut,
    /// Every connection is reset.
    Reset,
    /// No data pass, and connections stay open.
    BlackHole,
    /// Existing connections lose the server's side, and the client gets no notice; new connections pass.
    HalfOpen,
    /// Every message is delayed: minimum and random addition.
    Delay(Duration, Duration),
    /// Maximum bytes per second, on each connection and in each direction.
    Throttle(u64),
    /// Every answer of the server is cut in its middle, and its connection is closed.
    Truncate,
    /// A connection that sends COMMIT is closed before the server gets it.
    LoseCommit,
    /// A connection that sends COMMIT is closed after the server has answered; the answer is dropped.
    LoseAnswer,
    /// A COMMIT is held back until the rule changes, then passes.
    HoldCommit,
}

/// State that a connection shares with the proxy.
#[derive(Clone, Debug)]
struct Way {
    server: PathBuf,
    rules: watch::Receiver<Rule>,
    lost: Arc<AtomicU64>,
}

/// A proxy in front of one server. It ends when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    rule: watch::Sender<Rule>,
    lost: Arc<AtomicU64>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port, in front of the Unix socket `server`.
    pub async fn start(server: PathBuf) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        let (rule, rules) = watch::channel(Rule::Pass);
        let lost = Arc::default();
        let way = Way { server, rules, lost: Arc::clone(&lost) };
        let accepting = tokio::spawn(accept(listener, way));
        Ok(Self { port, rule, lost, accepting })
    }

    /// Returns a URL of the server's database `database` for the user `user` through the proxy. Neither name needs
    /// quoting.
    pub fn url(&self, user: &str, database: &str) -> String {
        format!("host=127.0.0.1 port={} user={user} dbname={database}", self.port)
    }

    /// Sets the rule.
    pub fn set(&self, rule: Rule) {
        self.rule.send_replace(rule);
    }

    /// Returns the number of COMMITs, or of answers to a COMMIT, that were dropped.
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
