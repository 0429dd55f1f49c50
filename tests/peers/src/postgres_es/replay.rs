//! Replay of every event, as the crate does it to fill a new query.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use cqrs_es::persist::QueryReplay;
use cqrs_es::{EventEnvelope, Query};
use postgres_es::PostgresEventRepository;
use sqlx::PgPool;

use super::account::Account;
use crate::figure::{About, Figure};
use crate::load::Measured;
use crate::{Error, database};

/// Number of events that are timed together: one event takes too little time.
const STRETCH: usize = 1_000;

const ABOUT: About = About {
    does: "Reads every event in one stream, parses it and hands it to a query that counts.",
    does_not: "No balances, no check of any rule or hash; each event comes alone, in the order of aggregates' versions.",
    ..super::ABOUT
};

const LOAD: &str = "replay of all these events, one reader (latency is of 1,000)";

/// Replays all events once. Fails unless their number is the acknowledged one.
pub(super) async fn measure(pool: PgPool, acknowledged: u64) -> Result<Figure, Error> {
    ABOUT.begin(LOAD);
    let clock = Clock(Arc::new(Mutex::new(Stretches::new())));
    let repository = PostgresEventRepository::new(pool);
    let begin = Instant::now();
    QueryReplay::new(repository, clock.clone()).replay_all().await?;
    let duration = begin.elapsed();
    let stretches = clock.0.lock().unwrap_or_else(PoisonError::into_inner);
    database::must_be("replayed events", stretches.events.into(), acknowledged.into())?;
    let measured = Measured::new(acknowledged, stretches.events, duration, stretches.took.clone())?;
    Ok(ABOUT.figure(LOAD, &measured))
}

/// A query that stores only the times of events.
#[derive(Clone)]
struct Clock(Arc<Mutex<Stretches>>);

#[async_trait]
impl Query<Account> for Clock {
    async fn dispatch(&self, _: &str, events: &[EventEnvelope<Account>]) {
        let mut stretches = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in events {
            stretches.count();
        }
    }
}

struct Stretches {
    events: usize,
    since: Instant,
    took: Vec<Duration>,
}

impl Stretches {
    fn new() -> Self {
        Self { events: 0, since: Instant::now(), took: Vec::new() }
    }

    fn count(&mut self) {
        self.events += 1;
        if self.events.is_multiple_of(STRETCH) {
            let now = Instant::now();
            self.took.push(now - self.since);
            self.since = now;
        }
    }
}
