//! Pace of requests: each one after the previous answer, or at fixed times.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::arrivals::Arrivals;
use crate::error::Error;

/// Pace of a load.
#[derive(Clone)]
pub(crate) enum Pace {
    /// A closed loop of this duration: every connection sends its next request after the answer.
    Closed(Duration),
    /// A closed loop in which each request takes a permit, until the semaphore is closed.
    Room(Arc<Semaphore>),
    /// An open loop: a free connection takes the next due request. Its latency counts from the due time.
    Open(Arc<Arrivals>),
}

/// A running pace.
pub(super) struct Running {
    pace: Pace,
    begun: Instant,
    taken: AtomicUsize,
    due: Arc<Semaphore>,
}

impl Running {
    /// Starts the pace.
    pub(super) fn begin(pace: Pace) -> Result<Self, Error> {
        let (begun, due) = (Instant::now(), Arc::new(Semaphore::new(0)));
        if let Pace::Open(arrivals) = &pace {
            let (arrivals, due) = (Arc::clone(arrivals), Arc::clone(&due));
            std::thread::Builder::new().name("arrivals".into()).spawn(move || arrivals.ring(begun, &due))?;
        }
        Ok(Self { pace, begun, taken: AtomicUsize::new(0), due })
    }

    /// Waits until a free connection may send. Returns the time from which the latency counts, or none at the end.
    pub(super) async fn next(&self) -> Option<Instant> {
        match &self.pace {
            Pace::Closed(duration) => (self.begun.elapsed() < *duration).then(Instant::now),
            Pace::Room(room) => {
                room.acquire().await.ok()?.forget();
                Some(Instant::now())
            }
            Pace::Open(arrivals) => {
                let at = arrivals.at(self.taken.fetch_add(1, Ordering::Relaxed))?;
                self.due.acquire().await.ok()?.forget();
                Some(self.begun + at)
            }
        }
    }

    /// Returns the time since the beginning.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use daybook_random::Random;

    #[tokio::test]
    async fn open_loop_counts_from_due_time() {
        let arrivals = Arrivals::independent(1000.0, Duration::from_millis(20), Random::new(1));
        let moments: Vec<Duration> = (0..).map_while(|index| arrivals.at(index)).collect();
        let running = Running::begin(Pace::Open(Arc::new(arrivals))).expect("a thread");
        // The connection is busy until all requests are due.
        tokio::time::sleep(Duration::from_millis(40)).await;
        let mut due = vec![];
        while let Some(at) = running.next().await {
            due.push(at.duration_since(running.begun));
        }
        assert_eq!(due, moments);
    }

    #[tokio::test]
    async fn closed_loop_ends_and_waits_for_permits() {
        let over = Running::begin(Pace::Closed(Duration::ZERO)).expect("no thread");
        assert!(over.next().await.is_none());
        let room = Arc::new(Semaphore::new(2));
        let running = Running::begin(Pace::Room(Arc::clone(&room))).expect("no thread");
        assert!(running.next().await.is_some() && running.next().await.is_some());
        let waiting = tokio::time::timeout(Duration::from_millis(10), running.next()).await;
        assert!(waiting.is_err(), "there is no room");
        room.close();
        assert!(running.next().await.is_none());
    }
}
