//! Timeouts of a connection: ends it when the client takes too long.
//!
//! A client that sends nothing, or does not read its answer, occupies a connection and its buffers. [`RequestTracker`]
//! determines the time limit for a request; this module limits the time that an answer waits for its reader.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use daybook_engine::share::Permit;

use super::request_tracker::RequestTracker;

/// Maximum time in which the client must read some part of an answer.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// A connection that ends if its client takes too long.
pub(super) struct TimeoutStream<Io> {
    io: Io,
    tracker: Rc<RequestTracker>,
    /// Time by which the client must read more of the answer; `None` while no write is pending.
    unread_until: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// Permit of the connection limit, released on drop.
    _permit: Permit,
}

impl<Io> TimeoutStream<Io> {
    pub(super) fn new(io: Io, permit: Permit) -> Self {
        Self { io, tracker: Rc::default(), unread_until: None, timer: None, _permit: permit }
    }

    /// Returns the state that the middleware updates for the requests of this connection.
    pub(super) fn tracker(&self) -> Rc<RequestTracker> {
        Rc::clone(&self.tracker)
    }

    fn deadline(&self) -> Option<Instant> {
        self.tracker.deadline().into_iter().chain(self.unread_until).min()
    }

    /// Fails if the time limit is exceeded; otherwise the timer wakes the task that polls the connection.
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        if self.tracker.is_let_go(cx) {
            return Err(too_late());
        }
        let Some(deadline) = self.deadline() else { return Ok(()) };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        if timer.as_mut().poll(cx).is_ready() { Err(too_late()) } else { Ok(()) }
    }

    /// Limits the time of a pending write.
    fn written<T>(&mut self, cx: &mut Context<'_>, done: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if done.is_pending() {
            self.unread_until.get_or_insert_with(|| Instant::now() + READ_TIMEOUT);
            self.check(cx)?;
        } else {
            self.unread_until = None;
        }
        done
    }
}

impl<Io: AsyncRead + Unpin> AsyncRead for TimeoutStream<Io> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // A client that sends without a pause would never let the timer run.
        if self.tracker.deadline().is_some_and(|deadline| deadline <= Instant::now()) {
            return Poll::Ready(Err(too_late()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.io).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.tracker.received(&buffer.filled()[before..]);
        }
        read
    }
}

impl<Io: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<Io> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.io).poll_write(cx, bytes);
        self.written(cx, done)
    }

    /// actix flushes whenever it is idle. By then a complete head has begun a request, so no timer is set for it.
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        let done = Pin::new(&mut self.io).poll_flush(cx);
        self.written(cx, done)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let done = Pin::new(&mut self.io).poll_shutdown(cx);
        self.written(cx, done)
    }
}

fn too_late() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "the client takes too long")
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
    use tokio::time::timeout;

    use super::super::request_tracker::{BodyLength, REQUEST_TIMEOUT};
    use daybook_engine::share::{Limits, SharedLimit};

    use super::*;

    /// Longer than any timeout of the server.
    const LONGER_THAN_ANY_TIMEOUT: Duration = Duration::from_mins(10);

    fn pair(bytes: usize) -> (TimeoutStream<DuplexStream>, DuplexStream) {
        let (near, far) = duplex(bytes);
        let permit = SharedLimit::new(Limits::of(1)).take(1, None).expect("there is a seat");
        (TimeoutStream::new(near, permit), far)
    }

    /// Acts like actix: reads the available bytes, flushes, waits.
    async fn drive(connection: &mut TimeoutStream<DuplexStream>) -> io::Error {
        let mut bytes = [0; 64];
        let mut drive = async || loop {
            let read = std::future::poll_fn(|cx| {
                let mut buffer = ReadBuf::new(&mut bytes);
                let read = Pin::new(&mut *connection).poll_read(cx, &mut buffer);
                if read.is_pending()
                    && let Poll::Ready(Err(late)) = Pin::new(&mut *connection).poll_flush(cx)
                {
                    return Poll::Ready(Err(late));
                }
                read
            });
            if let Err(error) = read.await {
                return error;
            }
        };
        timeout(LONGER_THAN_ANY_TIMEOUT, drive()).await.expect("it is ended")
    }

    #[tokio::test(start_paused = true)]
    async fn stalled_later_head_times_out() {
        let (mut connection, mut far) = pair(64);
        let tracker = connection.tracker();
        tracker.started();
        tracker.received(b"GET / HTTP/1.1\r\n\r\n");
        tracker.finished(true, BodyLength::Empty);
        assert_eq!(tracker.deadline(), None);
        far.write_all(b"GET /").await.expect("written");
        let since = Instant::now();
        assert_eq!(drive(&mut connection).await.kind(), io::ErrorKind::TimedOut);
        assert!(since.elapsed() <= REQUEST_TIMEOUT + Duration::from_millis(10), "{:?}", since.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn dripping_head_times_out_as_a_whole() {
        let (mut connection, mut far) = pair(64);
        let since = Instant::now();
        tokio::spawn(async move {
            while far.write_all(b"x").await.is_ok() {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        assert_eq!(drive(&mut connection).await.kind(), io::ErrorKind::TimedOut);
        assert!(since.elapsed() <= REQUEST_TIMEOUT + Duration::from_secs(1), "{:?}", since.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn pipelined_half_head_times_out() {
        let (mut connection, mut far) = pair(64);
        let tracker = connection.tracker();
        far.write_all(b"GET / HTTP/1.1\r\n\r\nGET / H").await.expect("written");
        let mut bytes = [0; 64];
        let count = connection.read(&mut bytes).await.expect("bytes");
        assert_eq!(count, 25);
        tracker.started();
        tracker.finished(true, BodyLength::Empty);
        let since = Instant::now();
        assert_eq!(drive(&mut connection).await.kind(), io::ErrorKind::TimedOut);
        assert!(since.elapsed() <= REQUEST_TIMEOUT + Duration::from_millis(10), "{:?}", since.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn rest_of_answered_request_times_out() {
        let (mut connection, _far) = pair(64);
        let tracker = connection.tracker();
        tracker.started();
        tracker.finished(false, BodyLength::Bytes(100));
        assert_eq!(drive(&mut connection).await.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn busy_and_idle_connections_have_no_deadline() {
        for is_serving in [true, false] {
            let (mut connection, _far) = pair(64);
            if is_serving {
                connection.tracker().started();
                connection.tracker().received(b"{");
            }
            assert!(
                timeout(LONGER_THAN_ANY_TIMEOUT / 2, drive(&mut connection)).await.is_err(),
                "{is_serving}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn only_unread_answer_times_out() {
        let (mut connection, mut far) = pair(4);
        let since = Instant::now();
        let error = timeout(LONGER_THAN_ANY_TIMEOUT, connection.write_all(b"an answer"))
            .await
            .expect("ended")
            .expect_err("unread");
        assert_eq!(
            (error.kind(), since.elapsed() <= READ_TIMEOUT + Duration::from_millis(10)),
            (io::ErrorKind::TimedOut, true)
        );
        // A client that reads slowly is served.
        let (mut connection, mut slow) = pair(4);
        let read = tokio::spawn(async move {
            let mut bytes = [0; 4];
            for _ in 0..5 {
                tokio::time::sleep(READ_TIMEOUT / 2).await;
                slow.read_exact(&mut bytes).await.expect("more");
            }
        });
        connection.write_all(&[0; 20]).await.expect("all of it is read");
        read.await.expect("done");
        assert!(far.read(&mut [0; 4]).await.is_ok());
    }
}
