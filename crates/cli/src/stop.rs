//! Stop signals: SIGINT and SIGTERM are handled from the start of the process, so that every command reacts to them.

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Number of stop signals so far.
static STOP_REQUESTS: LazyLock<watch::Sender<u32>> = LazyLock::new(|| watch::Sender::new(0));

/// Installs the signal handlers. With `insistently` the second signal ends the process at once, for an operator who
/// waits for a command that does not react.
///
/// # Errors
///
/// Fails if the signal handlers cannot be installed.
pub(crate) fn listen(insistently: bool) -> io::Result<()> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    tokio::spawn(async move {
        loop {
            tokio::select! { _ = interrupt.recv() => {}, _ = terminate.recv() => {} }
            STOP_REQUESTS.send_modify(|times| *times += 1);
            if insistently && *STOP_REQUESTS.borrow() > 1 {
                std::process::exit(i32::from(INTERRUPTED_EXIT_CODE));
            }
        }
    });
    Ok(())
}

/// Exit code of a command that was stopped before it was done; shells report SIGINT by this code.
pub(crate) const INTERRUPTED_EXIT_CODE: u8 = 130;

/// True if work was interrupted.
static WAS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Records that work was interrupted. Background tasks then lose their database, and their log lines about that are
/// suppressed.
pub(crate) fn break_off() {
    WAS_INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Returns true if work was interrupted.
#[must_use]
pub(crate) fn is_broken_off() -> bool {
    WAS_INTERRUPTED.load(Ordering::Relaxed)
}

/// Waits for the first stop signal. Returns at once if there was one already.
pub(crate) async fn asked() {
    asked_times(1).await;
}

/// Waits for the second stop signal.
pub(crate) async fn asked_again() {
    asked_times(2).await;
}

async fn asked_times(least: u32) {
    // The sender is static, so this cannot fail.
    let _ = STOP_REQUESTS.subscribe().wait_for(|times| *times >= least).await;
}
