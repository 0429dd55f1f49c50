//! Runs many seeds on all processors until one fails.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::faults::Report;
use crate::history::Statistics;

/// Calls `live` for each of `seeds` seeds from `first` on. Returns the counts, or the seed that failed.
///
/// `live` returns true if the run had no failure.
pub(crate) fn live(
    first: u64,
    seeds: u64,
    live: impl Fn(u64, &mut Statistics) -> bool + Sync,
) -> Result<Statistics, u64> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let (next, is_over) = (AtomicU64::new(first), AtomicBool::new(false));
    let (failed, seen) = (Mutex::new(None), Mutex::new(Statistics::new()));
    let end = first.saturating_add(seeds);
    let begin = Instant::now();
    let work = || {
        let mut own = Statistics::new();
        while !is_over.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                break;
            }
            if !live(seed, &mut own) {
                is_over.store(true, Ordering::Relaxed);
                failed.lock().map(|mut failed| *failed = Some(seed)).unwrap_or_default();
            }
        }
        seen.lock().map(|mut seen| merge(&mut seen, own)).unwrap_or_default();
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
        scope.spawn(|| {
            let mut told = Instant::now();
            while !is_over.load(Ordering::Relaxed) && next.load(Ordering::Relaxed) < end {
                thread::sleep(Duration::from_millis(100));
                if told.elapsed() >= Duration::from_secs(10) {
                    told = Instant::now();
                    progress(next.load(Ordering::Relaxed) - first, begin);
                }
            }
        });
    });
    if let Some(seed) = failed.into_inner().unwrap_or_default() {
        println!("seed {seed} fails; making it shorter …");
        return Err(seed);
    }
    progress(seeds, begin);
    Ok(seen.into_inner().unwrap_or_default())
}

/// Adds the counts of a run with faults. Returns true if the run had no failure.
pub(crate) fn add(seen: &mut Statistics, report: Report) -> bool {
    merge(seen, report.seen);
    report.failure.is_none()
}

fn merge(all: &mut Statistics, more: Statistics) {
    for (what, count) in more {
        *all.entry(what).or_default() += count;
    }
}

/// Prints the counts.
pub(crate) fn tell(seen: &Statistics) {
    for (what, count) in seen {
        println!("{count:>12}  {what}");
    }
}

fn progress(seeds: u64, begin: Instant) {
    let ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
    println!("{seeds} histories in {} s, {} per second", ms / 1000, seeds * 1000 / ms);
}
