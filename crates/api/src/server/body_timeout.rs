//! Time limit of a request's body, independent of its reader and of the client's speed.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::HttpMessage;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures::Stream;
use tokio::time::{Sleep, sleep};

use super::request_tracker::BodyLength;

/// Maximum time for the body to arrive, from its first poll.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// Limits the time in which the body of `request`, of length `body_length`, must arrive. Returns a flag that is true
/// once the whole body has arrived.
pub(super) fn watch(request: &mut ServiceRequest, body_length: BodyLength) -> Rc<Cell<bool>> {
    let is_whole = Rc::new(Cell::new(body_length == BodyLength::Empty));
    if !is_whole.get() {
        let payload = request.take_payload();
        let watched = BodyTimeout { payload, timer: None, is_whole: Rc::clone(&is_whole) };
        request.set_payload(Payload::Stream { payload: Box::pin(watched) });
    }
    is_whole
}

/// A body with a time limit.
struct BodyTimeout {
    payload: Payload,
    timer: Option<Pin<Box<Sleep>>>,
    is_whole: Rc<Cell<bool>>,
}

impl Stream for BodyTimeout {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        if let Poll::Ready(next) = Pin::new(&mut this.payload).poll_next(cx) {
            if next.is_none() {
                this.is_whole.set(true);
            }
            // A body that has already arrived needs no timer. The timer is not restarted by each chunk.
            let is_over = this.timer.as_ref().is_some_and(|timer| timer.is_elapsed());
            return Poll::Ready(if is_over && next.is_some() { Some(Err(too_late())) } else { next });
        }
        let timer = this.timer.get_or_insert_with(|| Box::pin(sleep(BODY_TIMEOUT)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Some(Err(too_late())))
    }
}

fn too_late() -> PayloadError {
    PayloadError::Io(io::ErrorKind::TimedOut.into())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header;
    use actix_web::test::TestRequest;
    use futures::{FutureExt, StreamExt, stream};
    use tokio::time::Instant;

    use super::*;

    /// Returns a body that sends `pieces` chunks, one per second, and then stalls.
    fn dripping(pieces: usize) -> Payload {
        let piece = |_| sleep(Duration::from_secs(1)).map(|()| Ok(Bytes::from_static(b" ")));
        let pieces = stream::iter(0..pieces).then(piece);
        Payload::Stream { payload: Box::pin(pieces.chain(stream::pending())) }
    }

    fn request(payload: Payload) -> ServiceRequest {
        let mut request =
            TestRequest::post().insert_header((header::CONTENT_LENGTH, "9999")).to_srv_request();
        request.set_payload(payload);
        request
    }

    #[tokio::test(start_paused = true)]
    async fn slow_body_ends_within_its_time_limit() {
        for pieces in [0, 5, 9999] {
            let (since, mut request) = (Instant::now(), request(dripping(pieces)));
            let is_whole = watch(&mut request, BodyLength::Bytes(9999));
            let last =
                request.take_payload().filter_map(async |piece| piece.err()).boxed_local().next().await;
            assert!(matches!(last, Some(PayloadError::Io(late)) if late.kind() == io::ErrorKind::TimedOut));
            assert!(since.elapsed() <= BODY_TIMEOUT + Duration::from_secs(1), "{:?}", since.elapsed());
            assert!(!is_whole.get());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn complete_and_empty_bodies_are_whole() {
        let all = stream::iter([Ok(Bytes::from_static(b"{}"))]);
        let mut request = request(Payload::Stream { payload: Box::pin(all) });
        let is_whole = watch(&mut request, BodyLength::Bytes(2));
        assert!(!is_whole.get());
        assert_eq!(request.take_payload().count().await, 1);
        assert!(is_whole.get());
        assert!(watch(&mut TestRequest::get().to_srv_request(), BodyLength::Empty).get());
    }
}
