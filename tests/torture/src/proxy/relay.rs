//! One connection through the proxy, message by message, under the current rule.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use tokio::io::AsyncWriteExt;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpStream, UnixStream, unix};
use tokio::sync::watch;
use tokio::time::sleep;

use super::frames::{Frames, is_commit, is_question, is_ready, is_ssl_request};
use super::{Rule, Way};

/// Way in which the client's side of a connection ends.
enum End {
    Closed,
    Reset,
}

/// Relays a connection until its end.
pub(super) async fn relay(client: TcpStream, mut way: Way) {
    // Otherwise small answers wait for the client's delayed acknowledgement, 40 ms each.
    if client.set_nodelay(true).is_err() {
        return;
    }
    let (from_client, to_client) = client.into_split();
    let mut from_client = Frames::of_client(from_client);
    let Ok(server) = UnixStream::connect(&way.server).await else { return };
    let (from_server, to_server) = server.into_split();
    let mut relay =
        Relay { to_client, to_server, rules: way.rules.clone(), asked: 1, ready: 0, withheld: None };
    let mut from_server = Frames::of_server(from_server);
    let begun_half_open = *way.rules.borrow_and_update() == Rule::HalfOpen;
    let end = loop {
        let rule = *way.rules.borrow_and_update();
        match rule {
            Rule::Cut => break End::Closed,
            Rule::Reset => break End::Reset,
            Rule::BlackHole => {
                if way.rules.changed().await.is_err() {
                    break End::Closed;
                }
                continue;
            }
            Rule::HalfOpen if !begun_half_open => {
                drop((relay.to_server, from_server));
                // The data of the client are read and dropped, so that the client sees no error. The connection ends
                // with the rule.
                tokio::select! {
                    () = swallow(&mut from_client) => {}
                    _ = way.rules.wait_for(|rule| *rule != Rule::HalfOpen) => {}
                }
                return;
            }
            _ => {}
        }
        let passed = tokio::select! {
            changed = way.rules.changed() => changed.ok().map(|()| true),
            frame = from_client.next() => match frame {
                Some(frame) => relay.forth(frame, rule, &way).await,
                None => None,
            },
            frame = from_server.next() => match frame {
                Some(frame) => relay.back(frame, rule, &way).await,
                None => None,
            },
        };
        if passed.is_none() {
            break End::Closed;
        }
    };
    if let End::Reset = end {
        let _ = relay.to_client.as_ref().set_zero_linger();
        // Dropping this half would shut down its direction in order, before the reset.
        relay.to_client.forget();
    }
}

struct Relay {
    to_client: OwnedWriteHalf,
    to_server: unix::OwnedWriteHalf,
    rules: watch::Receiver<Rule>,
    /// The server sends `ReadyForQuery` once after the start, and once for each query.
    asked: u64,
    ready: u64,
    /// Number of the answer that the client does not get.
    withheld: Option<u64>,
}

impl Relay {
    /// Passes a message of the client to the server. Returns none if the connection is over.
    async fn forth(&mut self, frame: Bytes, rule: Rule, way: &Way) -> Option<bool> {
        if is_ssl_request(&frame) {
            self.to_client.write_all(b"N").await.ok()?;
            return Some(true);
        }
        self.asked += u64::from(is_question(&frame));
        if is_commit(&frame) {
            match rule {
                Rule::LoseCommit => {
                    way.lost.fetch_add(1, Ordering::SeqCst);
                    return None;
                }
                Rule::LoseAnswer => self.withheld = Some(self.asked),
                Rule::HoldCommit => {
                    self.rules.wait_for(|now| *now != rule).await.ok()?;
                }
                _ => {}
            }
        }
        self.wait(rule, frame.len()).await;
        self.to_server.write_all(&frame).await.ok()?;
        Some(true)
    }

    /// Passes a message of the server to the client. Returns none if the connection is over.
    async fn back(&mut self, frame: Bytes, rule: Rule, way: &Way) -> Option<bool> {
        if self.withheld == Some(self.ready + 1) {
            if is_ready(&frame) {
                way.lost.fetch_add(1, Ordering::SeqCst);
                return None;
            }
            return Some(true);
        }
        self.ready += u64::from(is_ready(&frame));
        self.wait(rule, frame.len()).await;
        if rule == Rule::Truncate {
            let half = frame.get(..frame.len() / 2).unwrap_or_default();
            let _ = self.to_client.write_all(half).await;
            return None;
        }
        self.to_client.write_all(&frame).await.ok()?;
        Some(true)
    }

    /// Delays a message of `bytes` bytes as `rule` requires, unless the rule changes.
    async fn wait(&mut self, rule: Rule, bytes: usize) {
        let wait = match rule {
            Rule::Delay(least, beyond) => least + beyond.mul_f64(fraction(self.asked + self.ready)),
            Rule::Throttle(per_second) => Duration::from_micros(bytes as u64 * 1_000_000 / per_second.max(1)),
            _ => return,
        };
        let mut rules = self.rules.clone();
        tokio::select! {
            () = sleep(wait) => {}
            _ = rules.wait_for(|now| *now != rule) => {}
        }
    }
}

/// Returns a pseudo-random number from 0 to 1 that depends on `number` only.
fn fraction(number: u64) -> f64 {
    f64::from(u32::try_from(daybook_random::Random::new(number).below_u64(1_000)).unwrap_or_default())
        / 1_000.0
}

/// Reads and drops all data until the client closes the connection.
async fn swallow<R: tokio::io::AsyncRead + Unpin>(from: &mut Frames<R>) {
    while from.next().await.is_some() {}
}
