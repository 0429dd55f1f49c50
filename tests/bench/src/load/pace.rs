//! When the next request is sent: as soon as the last one was answered, or at moments that were fixed beforehand.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::arrivals::Arrivals;
use crate::error::Error;

/// How requests follow each other.
#[derive(Clone)]
pub(crate) enum Pace {
    /// A closed loop: every connection asks again as soon as it was answered, for so long.
    Closed(Duration),
    /// The same whenever there is a permit for it, until no more are given.
    Room(Arc<Semaphore>),
    /// An open loop: whichever connection is free takes the next arrival; its latency counts from there.
    Open(Arc<Arrivals>),
}

/// A pace from the moment on at which the load began.
pub(super) struct Running {
    pace: Pace,
    begun: Instant,
    taken: AtomicUsize,
    due: Arc<Semaphore>,
}

impl Running {
    /// Begins now.
    pub(super) fn begin(pace: Pace) -> Result<Self, Error> {
        let (begun, due) = (Instant::now(), Arc::new(Semaphore::new(0)));
        if let Pace::Open(arrivals) = &pace {
            let (arrivals, due) = (Arc::clone(arrivals), Arc::clone(&due));
            std::thread::Builder::new().name("arrivals".into()).spawn(move || arrivals.ring(begun, &due))?;
        }
        Ok(Self { pace, begun, taken: AtomicUsize::new(0), due })
    }

    /// Waits until a connection that is free may send; answers the moment from which the latency counts, or none when
    /// it is over.
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

    /// Since it began.
    pub(super) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use daybook_random::Random;

    #[tokio::test]
    async fn an_open_loop_counts_from_when_the_request_was_due() {
        let arrivals = Arrivals::independent(1000.0, Duration::from_millis(20), Random::new(1));
        let moments: Vec<Duration> = (0..).map_while(|index| arrivals.at(index)).collect();
        let running = Running::begin(Pace::Open(Arc::new(arrivals))).expect("a thread");
        // The connection is busy for longer than the arrivals take.
        tokio::time::sleep(Duration::from_millis(40)).await;
        let mut due = vec![];
        while let Some(at) = running.next().await {
            due.push(at.duration_since(running.begun));
        }
        assert_eq!(due, moments);
    }

    #[tokio::test]
    async fn a_closed_loop_ends_and_room_is_waited_for() {
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
