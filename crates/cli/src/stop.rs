//! The wish to end: SIGINT and SIGTERM, from the first moment of the process on, so that each finds somebody who heeds it.

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// How often it was asked.
static ASKED: LazyLock<watch::Sender<u32>> = LazyLock::new(|| watch::Sender::new(0));

/// Begins to listen. With `insistently` the second signal ends the process on the spot: that of a person who waits for a
/// command which does not look up.
///
/// # Errors
///
/// The operating system's, if it does not tell of signals.
pub(crate) fn listen(insistently: bool) -> io::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        loop {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            ASKED.send_modify(|times| *times += 1);
            if insistently && *ASKED.borrow() > 1 {
                std::process::exit(i32::from(INTERRUPTED));
            }
        }
    });
    Ok(())
}

/// The code of a command that was told to end before it was done, as shells have it of SIGINT.
pub(crate) const INTERRUPTED: u8 = 130;

/// Whether work was broken off.
static BROKEN_OFF: AtomicBool = AtomicBool::new(false);

/// Notes that work was broken off. What ran beside it has lost its database, and what it says of that is of no use to anybody.
pub(crate) fn break_off() {
    BROKEN_OFF.store(true, Ordering::Relaxed);
}

/// Whether work was broken off.
#[must_use]
pub(crate) fn is_broken_off() -> bool {
    BROKEN_OFF.load(Ordering::Relaxed)
}

/// Waits until somebody wants the process to end; it does not wait for one who wanted that before.
pub(crate) async fn asked() {
    asked_times(1).await;
}

/// Waits until somebody wants it for the second time.
pub(crate) async fn asked_again() {
    asked_times(2).await;
}

async fn asked_times(least: u32) {
    // The sender lives as long as the process.
    let _ = ASKED.subscribe().wait_for(|times| *times >= least).await;
}
