//! A way to PostgreSQL that fails on demand: a TCP proxy that reads just enough of the protocol to notice a COMMIT.
//!
//! It knows simple queries only, which is how every COMMIT of ours is sent; neither TLS nor cancel requests.
#![allow(clippy::expect_used, reason = "a test that cannot have its proxy has failed")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use daybook_pg::Config;
use daybook_torture::proxy::frames::{Frames, is_commit};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_postgres::config::Host;

/// What happens to connections, old and new, until another rule is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Everything passes.
    Pass,
    /// Every connection is cut.
    Cut,
    /// Nothing passes any more, and nobody is told.
    BlackHole,
    /// A connection that sends COMMIT is cut before the server gets it.
    LoseCommit,
    /// A connection that sends COMMIT is cut after the server has answered, without the answer.
    LoseAnswer,
    /// A COMMIT is kept until the rule changes, then goes its way.
    HoldCommit,
}

/// A proxy in front of one server, alive until it is dropped.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    user: String,
    database: String,
    rule: watch::Sender<Rule>,
    lost: Arc<AtomicU64>,
}

impl Proxy {
    /// Listens on a free port, in front of the unix socket that `server` names.
    ///
    /// # Panics
    ///
    /// If `server` names none, or there is no free port.
    pub async fn start(server: &Config) -> Self {
        let target = server.to_tokio_postgres();
        let socket = match (target.get_hosts(), target.get_ports()) {
            ([Host::Unix(folder)], [port]) => Some(folder.join(format!(".s.PGSQL.{port}"))),
            _ => None,
        };
        let socket = socket.expect("the server has one unix socket");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let (rule, rules) = watch::channel(Rule::Pass);
        let lost = Arc::default();
        tokio::spawn(accept(listener, socket, rules, Arc::clone(&lost)));
        let name = |name: Option<&str>| name.unwrap_or_default().to_owned();
        Self { port, user: name(target.get_user()), database: name(target.get_dbname()), rule, lost }
    }

    /// How to reach the server through the proxy.
    ///
    /// # Panics
    ///
    /// If the server's names of user or database need quoting.
    #[must_use]
    pub fn config(&self) -> Config {
        let Self { port, user, database, .. } = self;
        let url = format!("host=127.0.0.1 port={port} user={user} dbname={database}");
        Config::from_url(&url).expect("the url is well formed")
    }

    /// Sets the rule.
    pub fn set(&self, rule: Rule) {
        self.rule.send_replace(rule);
    }

    /// How many COMMITs, or answers to one, were lost.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::SeqCst)
    }
}

/// Takes connections until the proxy is dropped.
async fn accept(
    listener: TcpListener,
    socket: PathBuf,
    mut rules: watch::Receiver<Rule>,
    lost: Arc<AtomicU64>,
) {
    loop {
        tokio::select! {
            changed = rules.changed() => if changed.is_err() { return },
            accepted = listener.accept() => {
                let Ok((client, _)) = accepted else { return };
                let (socket, rules, lost) = (socket.clone(), rules.clone(), Arc::clone(&lost));
                tokio::spawn(async move {
                    relay(client, &socket, rules, &lost).await;
                });
            }
        }
    }
}

/// Relays one connection; returning cuts it on both sides.
async fn relay(
    mut client: TcpStream,
    socket: &Path,
    mut rules: watch::Receiver<Rule>,
    lost: &AtomicU64,
) -> Option<()> {
    // Otherwise small answers wait for the client's delayed acknowledgement, 40 ms each.
    client.set_nodelay(true).ok()?;
    let mut server = UnixStream::connect(socket).await.ok()?;
    let (from_client, mut to_client) = client.split();
    let (from_server, mut to_server) = server.split();
    let (mut from_client, mut from_server) = (Frames::of_client(from_client), Frames::of_server(from_server));
    // The server says "ready" once after the start, and once for each query or sync.
    let (mut asked, mut ready) = (1_u64, 0_u64);
    let mut withheld = None;
    loop {
        let rule = *rules.borrow_and_update();
        match rule {
            Rule::Cut => return None,
            Rule::BlackHole => {
                rules.changed().await.ok()?;
                continue;
            }
            Rule::Pass | Rule::LoseCommit | Rule::LoseAnswer | Rule::HoldCommit => {}
        }
        tokio::select! {
            changed = rules.changed() => changed.ok()?,
            frame = from_client.next() => {
                let frame = frame?;
                asked += u64::from(matches!(frame.first(), Some(b'Q' | b'S')));
                if is_commit(&frame) {
                    match rule {
                        Rule::LoseCommit => {
                            lost.fetch_add(1, Ordering::SeqCst);
                            return None;
                        }
                        Rule::LoseAnswer => withheld = Some(asked),
                        Rule::HoldCommit => rules.changed().await.ok()?,
                        Rule::Pass | Rule::Cut | Rule::BlackHole => {}
                    }
                }
                to_server.write_all(&frame).await.ok()?;
            }
            frame = from_server.next() => {
                let frame = frame?;
                let is_ready = frame.first() == Some(&b'Z');
                if withheld != Some(ready + 1) {
                    to_client.write_all(&frame).await.ok()?;
                } else if is_ready {
                    lost.fetch_add(1, Ordering::SeqCst);
                    return None;
                }
                ready += u64::from(is_ready);
            }
        }
    }
}
