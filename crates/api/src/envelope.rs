//! Envelope of every successful answer: the codes, and for a list the page and the total.

use actix_web::body::BoxBody;
use actix_web::error::JsonPayloadError;
use actix_web::http::header::{ContentType, HeaderName, HeaderValue};
use actix_web::{HttpRequest, HttpResponse, Responder};
use daybook_engine::Submitted;
use daybook_proof::Receipt;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::page::Page;
use crate::wire::Listed;
use crate::wire::audit::receipt;

/// Response header with the log position that the answer reflects.
const POSITION: HeaderName = HeaderName::from_static("x-daybook-position");

/// Response header with the receipt of the call's write, as JSON: `docs/reference/proof.md`.
const RECEIPT: HeaderName = HeaderName::from_static("x-daybook-receipt");

/// `error_code` of a success.
const ERROR_CODE: &str = "0";
/// `http_code` of a success.
const HTTP_CODE: &str = "200";

/// Answer with one record: the record's fields with the codes beside them.
#[derive(Clone, Debug)]
pub struct Record<T>(pub T);

impl<T: Serialize> Serialize for Record<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Envelope<'a, T> {
            #[serde(flatten)]
            record: &'a T,
            error_code: &'static str,
            http_code: &'static str,
        }
        Envelope { record: &self.0, error_code: ERROR_CODE, http_code: HTTP_CODE }.serialize(serializer)
    }
}

/// Answer 202 of a call that needs more information first: the fields of the challenge with the codes beside them.
#[derive(Clone, Debug)]
pub struct Accepted<T>(pub T);

impl<T: Serialize> Responder for Accepted<T> {
    type Body = BoxBody;
    fn respond_to(self, _request: &HttpRequest) -> HttpResponse {
        #[derive(Serialize)]
        struct Envelope<T> {
            #[serde(flatten)]
            asked: T,
            error_code: &'static str,
            http_code: &'static str,
            success: bool,
        }
        let envelope = Envelope { asked: self.0, error_code: "10", http_code: "202", success: true };
        HttpResponse::Accepted().json(envelope)
    }
}

/// Answer with one page of records.
#[derive(Clone, Debug)]
pub struct List<T> {
    /// Records of the page.
    pub records: Vec<T>,
    /// Requested page.
    pub page: Page,
    /// Number of records on all pages together.
    pub total: u64,
}

impl<T> List<T> {
    /// Makes a list of records that this call created. Source: API 3.1, "Collection response envelope".
    #[must_use]
    pub fn of_new(records: Vec<T>) -> Self {
        let total = records.len() as u64;
        Self { records, page: Page::default(), total }
    }

    /// Makes a list of all records on a single page, however long.
    #[must_use]
    pub fn of_all(records: Vec<T>) -> Self {
        let total = records.len() as u64;
        let per_page = u32::try_from(total).unwrap_or(u32::MAX).max(1);
        Self { records, page: Page { number: 1, per_page }, total }
    }
}

impl<T: Listed + Serialize> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (records, count) = T::KEYS;
        let mut map = serializer.serialize_map(Some(8))?;
        map.serialize_entry("error_code", ERROR_CODE)?;
        map.serialize_entry("http_code", HTTP_CODE)?;
        map.serialize_entry("limit", &self.page.per_page)?;
        map.serialize_entry(count, &self.total)?;
        map.serialize_entry(records, &self.records)?;
        map.serialize_entry("page", &self.page.number)?;
        map.serialize_entry("page_count", &self.page.count(self.total))?;
        map.serialize_entry("success", &true)?;
        map.end()
    }
}

/// Initial capacity in bytes of a serialized answer. Most answers with one record fit, so the buffer does not grow
/// repeatedly.
const INITIAL_CAPACITY_BYTES: usize = 2048;

fn json(answer: &impl Serialize) -> HttpResponse {
    let mut body = Vec::with_capacity(INITIAL_CAPACITY_BYTES);
    match serde_json::to_writer(&mut body, answer) {
        Ok(()) => HttpResponse::Ok().content_type(ContentType::json()).body(body),
        Err(error) => HttpResponse::from_error(JsonPayloadError::Serialize(error)),
    }
}

/// Log position that an answer reflects and, if the call wrote something, the receipt of the write.
#[derive(Clone, Debug, Default)]
pub struct ReadPosition {
    position: Option<u64>,
    receipt: Option<Receipt>,
}

impl From<Option<u64>> for ReadPosition {
    fn from(position: Option<u64>) -> Self {
        Self { position, receipt: None }
    }
}

impl From<u64> for ReadPosition {
    fn from(position: u64) -> Self {
        Some(position).into()
    }
}

impl From<&Submitted> for ReadPosition {
    fn from(done: &Submitted) -> Self {
        Self { position: Some(done.position), receipt: done.receipt() }
    }
}

/// An answer with the log position it reflects, if that is known.
#[derive(Clone, Debug)]
pub struct WithPosition<R> {
    answer: R,
    place: ReadPosition,
}

impl<R> WithPosition<R> {
    /// Attaches `place` to `answer`.
    #[must_use]
    pub fn of(answer: R, place: impl Into<ReadPosition>) -> Self {
        Self { answer, place: place.into() }
    }

    /// Maps the answer; the position stays the same.
    #[must_use]
    pub fn map<S>(self, other: impl FnOnce(R) -> S) -> WithPosition<S> {
        WithPosition { answer: other(self.answer), place: self.place }
    }
}

macro_rules! answers {
    ($($answer:ident of $first:ident $(+ $bound:ident)*),*) => {$(
        impl<T> $answer<T> {
            /// Attaches `place` to the answer.
            #[must_use]
            pub fn at(self, place: impl Into<ReadPosition>) -> WithPosition<Self> {
                WithPosition::of(self, place)
            }
        }

        impl<T: $first $(+ $bound)*> Responder for $answer<T> {
            type Body = BoxBody;
            fn respond_to(self, _request: &HttpRequest) -> HttpResponse {
                json(&self)
            }
        }
    )*};
}

answers!(Record of Serialize, List of Serialize + Listed);

impl<R: Responder> Responder for WithPosition<R> {
    type Body = R::Body;
    fn respond_to(self, request: &HttpRequest) -> HttpResponse<R::Body> {
        let mut response = self.answer.respond_to(request);
        let ReadPosition { position, receipt } = self.place;
        let headers = response.headers_mut();
        if let Some(position) = position {
            headers.insert(POSITION, HeaderValue::from(position));
        }
        if let Some(receipt) = receipt.and_then(|receipt| HeaderValue::try_from(receipt::line(&receipt)).ok())
        {
            headers.insert(RECEIPT, receipt);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use actix_web::body::to_bytes;
    use actix_web::test::TestRequest;

    use super::*;

    #[derive(Clone, Serialize)]
    struct Thing {
        _id: &'static str,
    }

    impl Listed for Thing {
        const KEYS: (&'static str, &'static str) = ("nodes", "node_count");
    }

    async fn answer(answer: impl Responder<Body = BoxBody>) -> (Option<HeaderValue>, String) {
        let response = answer.respond_to(&TestRequest::default().to_http_request());
        let position = response.headers().get(POSITION).cloned();
        let body = to_bytes(response.into_body()).await.unwrap();
        (position, String::from_utf8(body.to_vec()).unwrap())
    }

    #[actix_web::test]
    async fn record_answer_has_codes_beside_fields() {
        let (position, body) = answer(Record(Thing { _id: "1" })).await;
        assert_eq!(body, r#"{"_id":"1","error_code":"0","http_code":"200"}"#);
        assert_eq!(position, None);
    }

    #[actix_web::test]
    async fn challenge_answer_is_202_with_own_codes() {
        let answer = Accepted(Thing { _id: "1" }).respond_to(&TestRequest::default().to_http_request());
        assert_eq!(answer.status(), 202);
        let body = to_bytes(answer.into_body()).await.unwrap();
        let expected = r#"{"_id":"1","error_code":"10","http_code":"202","success":true}"#;
        assert_eq!(std::str::from_utf8(&body).unwrap(), expected);
    }

    #[actix_web::test]
    async fn known_position_is_in_the_header() {
        let (position, _) = answer(Record(Thing { _id: "1" }).at(42)).await;
        assert_eq!(position, Some(HeaderValue::from(42)));
    }

    #[actix_web::test]
    async fn list_answer_has_page_and_total() {
        let page = Page { number: 2, per_page: 1 };
        let list = List { records: vec![Thing { _id: "1" }], page, total: 3 };
        let expected = concat!(
            r#"{"error_code":"0","http_code":"200","limit":1,"node_count":3,"nodes":[{"_id":"1"}],"#,
            r#""page":2,"page_count":3,"success":true}"#
        );
        assert_eq!(answer(list).await.1, expected);
    }

    #[actix_web::test]
    async fn new_record_is_answered_as_a_list() {
        let expected = concat!(
            r#"{"error_code":"0","http_code":"200","limit":20,"node_count":1,"nodes":[{"_id":"1"}],"#,
            r#""page":1,"page_count":1,"success":true}"#
        );
        assert_eq!(answer(List::of_new(vec![Thing { _id: "1" }])).await.1, expected);
    }
}
