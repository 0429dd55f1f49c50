//! Time limit of an answer once its request is complete, whatever the handler waits for.
//!
//! Commands have a limit in the engine, and reads have the database server's limit per statement. A database server
//! that hangs, or a network that drops all packets, enforces neither.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use futures::future::poll_fn;
use tokio::time::sleep;

/// Maximum time for a handler from the complete body on; longer than the database server's limit for a statement.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(6);
/// Maximum additional time for a call that waits for an event.
const LONG_POLL_TIMEOUT: Duration = Duration::from_secs(30);
/// Path of the call that may wait.
const LONG_POLL_PATH: &str = "/v3.1/events";

/// Error: the time limit was exceeded.
#[derive(Debug, thiserror::Error)]
#[error("no answer within {} s", .0.as_secs())]
pub(super) struct ResponseTimedOut(Duration);

/// Runs `work` for the request at `path` within its time limit. The time starts when the body `is_whole`.
pub(super) async fn within<T>(
    path: &str,
    is_whole: Rc<Cell<bool>>,
    work: impl Future<Output = T>,
) -> Result<T, ResponseTimedOut> {
    let limit = if path == LONG_POLL_PATH { RESPONSE_TIMEOUT + LONG_POLL_TIMEOUT } else { RESPONSE_TIMEOUT };
    let (mut work, mut timer) = (pin!(work), pin!(None));
    poll_fn(move |cx| {
        if let Poll::Ready(done) = work.as_mut().poll(cx) {
            return Poll::Ready(Ok(done));
        }
        if timer.is_none() && is_whole.get() {
            timer.set(Some(sleep(limit)));
        }
        match timer.as_mut().as_pin_mut().map(|timer| timer.poll(cx)) {
            Some(Poll::Ready(())) => Poll::Ready(Err(ResponseTimedOut(limit))),
            Some(Poll::Pending) | None => Poll::Pending,
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn endless_work_ends_at_its_time_limit() {
        for (path, limit) in
            [("/v3.1/users", RESPONSE_TIMEOUT), (LONG_POLL_PATH, RESPONSE_TIMEOUT + LONG_POLL_TIMEOUT)]
        {
            let since = Instant::now();
            within(path, Rc::new(Cell::new(true)), pending::<()>()).await.expect_err("it never ends");
            assert_eq!(since.elapsed().as_secs(), limit.as_secs());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn body_has_its_own_time_limit() {
        let (is_whole, slow) = (Rc::new(Cell::new(false)), Duration::from_secs(20));
        let reading = async {
            sleep(slow).await;
            is_whole.set(true);
            sleep(RESPONSE_TIMEOUT / 2).await;
        };
        let since = Instant::now();
        within("/v3.1/users", Rc::clone(&is_whole), reading).await.expect("it ends in time");
        assert_eq!(since.elapsed(), slow + RESPONSE_TIMEOUT / 2);
    }
}
