//! Memory limit of large answers that wait for their readers: in total and per address. If there is no room for another
//! answer, the slowest reader is disconnected; if no reader is slow, the new answer is refused.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Context;
use std::time::Duration;

use daybook_engine::share::{LimitHolder, LimitReached, Permit, SharedLimit};
use futures::task::AtomicWaker;
use prometheus_client::metrics::counter::Counter;
use tokio::time::Instant;

/// Time over which a speed is measured. A reader counts as slow only after it.
const SPEED_WINDOW: Duration = Duration::from_secs(1);
/// Minimum speed in bytes per second of a reader that is not slow.
const MIN_BYTES_PER_SECOND: u64 = 256 << 10;

/// Large answers of a process that are being sent.
#[derive(Debug)]
pub(super) struct ResponseBudget {
    shares: SharedLimit,
    readers: Mutex<Vec<Arc<Reader>>>,
    let_go: Counter,
}

/// Reader of a large answer.
#[derive(Debug)]
pub(super) struct Reader {
    from: Option<LimitHolder>,
    progress: Mutex<Progress>,
    /// Memory that the answer occupies; `None` once it is over.
    permit: Mutex<Option<Permit>>,
    is_let_go: AtomicBool,
    waker: AtomicWaker,
}

/// Progress of an answer. Bytes that buffers on the way take at first do not measure the reader's speed.
#[derive(Clone, Copy, Debug)]
struct Progress {
    since: Instant,
    took: usize,
    /// Time of the last read.
    last: Instant,
    /// Speed in bytes per second before `since`.
    before: Option<u64>,
}

impl ResponseBudget {
    pub(super) fn new(shares: SharedLimit, let_go: Counter) -> Self {
        Self { shares, readers: Mutex::default(), let_go }
    }

    /// Begins an answer of `bytes` bytes to a client at `from`; disconnects slow readers to make room. Returns `None`
    /// if there is still no room.
    pub(super) fn begin(&self, bytes: usize, from: Option<LimitHolder>) -> Option<Arc<Reader>> {
        let most = self.shares.limits();
        // An answer larger than the limit occupies all of it.
        let bytes = bytes.min(most.address).min(most.all);
        let mut readers = lock(&self.readers);
        readers.retain(|reader| lock(&reader.permit).is_some());
        let permit = loop {
            match self.shares.take(bytes, from) {
                Ok(permit) => break permit,
                Err(full) => {
                    let slowest = slowest(&readers, full, Instant::now())?;
                    readers.swap_remove(slowest).let_go();
                    self.let_go.inc();
                }
            }
        };
        let reader = Arc::new(Reader::new(permit, from));
        readers.push(Arc::clone(&reader));
        Some(reader)
    }
}

/// Returns the index of the slowest reader whose memory would help.
fn slowest(readers: &[Arc<Reader>], full: LimitReached, now: Instant) -> Option<usize> {
    let helps = |reader: &Reader| match full {
        LimitReached::All => true,
        LimitReached::Of(holder) => reader.from == Some(holder),
    };
    let of_those = readers.iter().enumerate().filter(|(_, reader)| helps(reader));
    let speeds = of_those.filter_map(|(place, reader)| {
        let progress = *lock(&reader.progress);
        Some((progress.speed(now)?, progress.last, place))
    });
    speeds.min().filter(|(speed, ..)| *speed < MIN_BYTES_PER_SECOND).map(|(.., place)| place)
}

impl Progress {
    fn new(now: Instant) -> Self {
        Self { since: now, took: 0, last: now, before: None }
    }

    fn took(&mut self, bytes: usize, now: Instant) {
        if now >= self.since + SPEED_WINDOW {
            *self = Self { before: self.speed(now), ..Self::new(now) };
        }
        self.took += bytes;
        self.last = now;
    }

    /// Returns the speed in bytes per second, once it is known; 0 for a reader that pauses.
    fn speed(&self, now: Instant) -> Option<u64> {
        if now >= self.last + SPEED_WINDOW {
            return Some(0);
        }
        if now < self.since + SPEED_WINDOW {
            return self.before;
        }
        let ms = u64::try_from(now.duration_since(self.since).as_millis()).ok()?;
        Some((self.took as u64).saturating_mul(1_000) / ms)
    }
}

impl Reader {
    fn new(permit: Permit, from: Option<LimitHolder>) -> Self {
        Self {
            from,
            progress: Mutex::new(Progress::new(Instant::now())),
            permit: Mutex::new(Some(permit)),
            is_let_go: AtomicBool::default(),
            waker: AtomicWaker::new(),
        }
    }

    /// Records that more bytes are being sent.
    pub(super) fn took(&self, bytes: usize) {
        lock(&self.progress).took(bytes, Instant::now());
    }

    /// Releases the memory of the answer.
    pub(super) fn is_done(&self) {
        drop(lock(&self.permit).take());
    }

    fn let_go(&self) {
        self.is_done();
        self.is_let_go.store(true, Ordering::Release);
        self.waker.wake();
    }

    /// Returns true if the reader is disconnected; otherwise wakes the polling task when that happens.
    pub(super) fn is_let_go(&self, cx: &Context<'_>) -> bool {
        self.waker.register(cx.waker());
        self.is_let_go.load(Ordering::Acquire)
    }
}

/// Locks a mutex. No code under these locks can panic halfway.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use daybook_engine::share::Limits;
    use tokio::time::advance;

    use super::*;

    const ADA: Option<LimitHolder> = Some(LimitHolder::Address(1));
    const BOB: Option<LimitHolder> = Some(LimitHolder::Address(2));

    fn unread() -> ResponseBudget {
        ResponseBudget::new(SharedLimit::new(Limits { address: 60, ..Limits::of(100) }), Counter::default())
    }

    fn is_let_go(reader: &Reader) -> bool {
        reader.is_let_go.load(Ordering::Relaxed)
    }

    #[tokio::test(start_paused = true)]
    async fn slowest_reader_of_an_address_is_disconnected() {
        let unread = unread();
        let [one, other, third] = [ADA, ADA, BOB].map(|from| unread.begin(30, from).expect("room"));
        assert!(unread.begin(30, ADA).is_none(), "nobody is slow yet");
        advance(SPEED_WINDOW).await;
        one.took(10);
        assert!(unread.begin(30, ADA).is_some());
        assert_eq!([&one, &other, &third].map(|reader| is_let_go(reader)), [false, true, false]);
        // If the total limit is reached, any slow reader is disconnected.
        assert!(unread.begin(40, BOB).is_some());
        assert!(is_let_go(&third) && !is_let_go(&one));
    }

    #[tokio::test(start_paused = true)]
    async fn steady_reader_is_not_disconnected() {
        let unread = unread();
        let readers = [ADA, ADA].map(|from| unread.begin(30, from).expect("room"));
        for _ in 0..3 {
            advance(SPEED_WINDOW / 2).await;
            for reader in &readers {
                reader.took(1 << 20);
            }
        }
        assert!(unread.begin(30, ADA).is_none());
        readers[0].is_done();
        assert!(unread.begin(30, ADA).is_some());
        assert!(!readers.iter().any(|reader| is_let_go(reader)));
        assert!(unread.begin(usize::MAX, BOB).is_none());
        drop(readers);
    }

    #[test]
    fn early_burst_does_not_hide_slow_reader() {
        let begun = Instant::now();
        let at = |ms| begun + Duration::from_millis(ms);
        let mut progress = Progress::new(begun);
        progress.took(8 << 20, at(1));
        assert_eq!(progress.speed(at(900)), None);
        assert_eq!(progress.speed(at(1_001)), Some(0), "it pauses");
        for ms in [900, 1_800, 2_700, 3_600] {
            progress.took(16 << 10, at(ms));
        }
        assert!(
            progress.speed(at(3_700)).is_some_and(|speed| speed < MIN_BYTES_PER_SECOND),
            "it drips: {progress:?}"
        );
    }
}
