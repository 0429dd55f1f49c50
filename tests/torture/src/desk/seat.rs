//! Seat of an operator at one service: sends steps, and repeats each until its outcome is known.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::Step;
use crate::arena::Arena;
use crate::balancer::Balancer;
use crate::client::Client;
use crate::history::Outcome;
use crate::ops::Asked;

/// Timeout of an answer.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(8);
/// Pause after a failed connection, and after an answer that does not tell the outcome.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);
/// Timeout for a step to have a known outcome.
const STEP_TIMEOUT: Duration = Duration::from_mins(1);
/// Maximum number of attempts while lines of another statement are being booked.
const MAX_BOOKING_ATTEMPTS: u32 = 50;

/// Number of rows of a list that an operator looks at.
const ROWS: u32 = 20;

/// Outcome of a step.
#[derive(Clone, Debug)]
pub(super) enum Sent {
    /// The step was executed. An answer to a repetition under its key has no record.
    Done(Value),
    /// The step was refused with this code.
    Refused(String),
}

impl Sent {
    /// Returns the body of the answer, if the step was executed.
    pub(super) fn done(self) -> Option<Value> {
        match self {
            Self::Done(body) => Some(body),
            Self::Refused(_) => None,
        }
    }
}

/// Seat of an operator.
pub(super) struct Seat<'a> {
    arena: &'a Arena,
    balancer: &'a Balancer,
    /// Index of the operator.
    pub(super) operator: usize,
    host: usize,
    client: Client,
    session: u64,
    keys: u64,
}

impl<'a> Seat<'a> {
    /// Creates the seat of an operator. Operators sit at different services if there are several. An operator waits while
    /// the balancer sends no client to the service.
    pub(super) fn new(arena: &'a Arena, balancer: &'a Balancer, operator: usize) -> Self {
        let host = operator % arena.hosts.len();
        let client = Client::new(arena.hosts[host].address, RESPONSE_TIMEOUT);
        Self { arena, balancer, operator, host, client, session: arena.history.session(), keys: 0 }
    }

    /// Returns a new idempotency key.
    pub(super) fn key(&mut self) -> String {
        self.keys += 1;
        format!("desk-{}-{}", self.operator, self.keys)
    }

    /// Sends a step until its outcome is known.
    pub(super) async fn send(&mut self, step: Step) -> Sent {
        let asked = Asked::Desk(step);
        let deadline = Instant::now() + STEP_TIMEOUT;
        while Instant::now() < deadline {
            if let Some(sent) = self.attempt(&asked).await {
                return sent;
            }
            sleep(RETRY_INTERVAL).await;
        }
        self.arena.history.wrong(format!("{asked:?} is not answered"));
        Sent::Refused(String::new())
    }

    /// Sends a step as [`Seat::send`] does, again and again while lines of another statement are being booked.
    pub(super) async fn send_patiently(&mut self, step: Step) -> Sent {
        for _ in 0..MAX_BOOKING_ATTEMPTS {
            match self.send(step.clone()).await {
                Sent::Refused(code) if code == "statement_booking" => sleep(RETRY_INTERVAL * 2).await,
                sent => return sent,
            }
        }
        self.arena.history.wrong(format!("lines are still being booked: {step:?}"));
        Sent::Refused("statement_booking".to_owned())
    }

    /// Sends a step once. Returns none if the outcome is unknown.
    async fn attempt(&mut self, asked: &Asked) -> Option<Sent> {
        if !(self.balancer.is_in(self.host) && self.client.open().await) {
            return None;
        }
        let history = &self.arena.history;
        let op = history.invoke(self.session, asked);
        let answer = self.client.send(&asked.call(&self.arena.world)).await;
        let body = answer.as_ref().map(|answer| answer.body.clone()).unwrap_or_default();
        let (outcome, answered) = asked.judge(answer);
        let (status, refused) = (answered.status, answered.refused.clone());
        history.done(op, outcome, answered);
        match outcome {
            Outcome::Ok => Some(Sent::Done(body)),
            // No status means that no process answered.
            Outcome::Fail => status.map(|_| Sent::Refused(refused.unwrap_or_default())),
            Outcome::Info => {
                self.session = history.session();
                None
            }
        }
    }

    /// Performs an operation.
    pub(super) async fn act(&mut self, act: Value) -> Sent {
        let (operator, key) = (self.operator, self.key());
        self.send(Step::Act { operator, act, key }).await
    }

    /// Reads.
    pub(super) async fn read(&mut self, path: &str) -> Value {
        let (operator, path) = (self.operator, path.to_owned());
        self.send(Step::Read { operator, path }).await.done().unwrap_or_default()
    }

    /// Reads the first rows of a list.
    pub(super) async fn list(&mut self, path: &str, name: &str) -> Vec<Value> {
        let read = self.read(&format!("{path}?per_page={ROWS}")).await;
        read[name].as_array().cloned().unwrap_or_default()
    }

    /// Hands in a file.
    pub(super) async fn hand_in(&mut self, text: &str, restates: bool) -> Sent {
        let (operator, text) = (self.operator, text.to_owned());
        self.send_patiently(Step::HandIn { operator, text, restates }).await
    }

    /// Asks the sandbox's bank for a file.
    pub(super) async fn ask(&mut self, wants: Value) -> Option<Value> {
        self.send_patiently(Step::Ask { wants }).await.done()
    }

    /// Advances the clock of the platform.
    pub(super) async fn advance(&mut self, seconds: i64) -> Sent {
        let key = self.key();
        self.send(Step::Advance { seconds, key }).await
    }

    /// Sets the matching rules.
    pub(super) async fn set_rules(&mut self, rules: Value) -> Sent {
        self.act(json!({"kind": "set_rules", "rules": rules})).await
    }
}
