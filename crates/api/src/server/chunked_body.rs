//! Large answers are sent in pieces. actix copies as much of an answer as it can send, so that a connection whose
//! client reads nothing occupies two pieces instead of the whole answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use actix_web::HttpRequest;
use actix_web::body::{BodySize, BoxBody, MessageBody};
use actix_web::dev::ServiceResponse;
use actix_web::web::{Bytes, Data};

use super::request_tracker::RequestTracker;
use super::response_budget::{Reader, ResponseBudget};
use crate::error::ApiError;
use crate::share::{self, LimitedResource};

/// Maximum size in bytes of an answer that is sent in one piece.
const MAX_WHOLE_BYTES: u64 = 64 << 10;
/// Size of a piece in bytes.
const CHUNK_BYTES: usize = 16 << 10;

/// Body of a large answer.
pub(crate) struct ChunkedBody {
    rest: Bytes,
    reader: Option<Arc<Reader>>,
}

impl ChunkedBody {
    /// Makes a body from static bytes, which all requests share, so that a waiting answer needs no memory.
    pub(crate) fn of_static(bytes: &'static [u8]) -> Self {
        Self { rest: Bytes::from_static(bytes), reader: None }
    }
}

impl MessageBody for ChunkedBody {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Sized(self.rest.len() as u64)
    }

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Bytes, Infallible>>> {
        let length = self.rest.len().min(CHUNK_BYTES);
        if length == 0 {
            return Poll::Ready(None);
        }
        if let Some(reader) = &self.reader {
            reader.took(length);
        }
        Poll::Ready(Some(Ok(self.rest.split_to(length))))
    }
}

impl Drop for ChunkedBody {
    fn drop(&mut self) {
        if let Some(reader) = &self.reader {
            reader.is_done();
        }
    }
}

/// Sends a large answer in pieces, if the memory for unread answers has room for it.
pub(super) fn cut(
    response: ServiceResponse,
    tracker: &Rc<RequestTracker>,
) -> Result<ServiceResponse, ApiError> {
    if !matches!(response.response().body().size(), BodySize::Sized(length) if length > MAX_WHOLE_BYTES) {
        return Ok(response);
    }
    let (request, response) = response.into_parts();
    let (response, body) = response.into_parts();
    let body = match body.try_into_bytes() {
        Ok(rest) => {
            let reader = match request.app_data::<Data<ResponseBudget>>() {
                Some(unread) => Some(begin(unread, rest.len(), &request)?),
                None => None,
            };
            if let Some(reader) = &reader {
                tracker.is_read_by(Arc::clone(reader));
            }
            BoxBody::new(ChunkedBody { rest, reader })
        }
        // The body is a stream already.
        Err(body) => body,
    };
    Ok(ServiceResponse::new(request, response.set_body(body)))
}

fn begin(unread: &ResponseBudget, length: usize, request: &HttpRequest) -> Result<Arc<Reader>, ApiError> {
    let reader = unread.begin(length, share::address(request));
    reader.ok_or_else(|| share::limit_reached(request, LimitedResource::Answers))
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;
    use futures::future::poll_fn;

    use super::*;

    static TEXT: [u8; 100_000] = [7; 100_000];

    #[actix_web::test]
    async fn pieces_are_the_whole() {
        let mut pieces = ChunkedBody::of_static(&TEXT);
        let first = poll_fn(|cx| Pin::new(&mut pieces).poll_next(cx)).await.expect("a piece").expect("bytes");
        assert_eq!(
            (first.len(), pieces.size()),
            (CHUNK_BYTES, BodySize::Sized(100_000 - CHUNK_BYTES as u64))
        );
        assert_eq!(to_bytes(ChunkedBody::of_static(&TEXT)).await.expect("bytes"), TEXT.as_slice());
    }
}
