//! Static file that never changes while the service runs: sent without a copy, compressed for clients that accept gzip,
//! and answered 304 if the client has it.

use actix_web::http::header::{self, HeaderMap, HeaderName};
use actix_web::{HttpRequest, HttpResponse};
use sha2::{Digest, Sha256};

use crate::server::chunked_body::ChunkedBody;

/// Clients may keep the file, but revalidate it with each request. An unchanged file costs only a response head.
const REVALIDATE: (HeaderName, &str) = (header::CACHE_CONTROL, "no-cache");

/// A static file.
pub(super) struct StaticFile {
    /// Last segment of its path.
    pub(super) name: &'static str,
    kind: &'static str,
    plain: &'static [u8],
    /// The content compressed with gzip.
    packed: Option<&'static [u8]>,
    /// Entity tag: prefix of the content's SHA-256.
    tag: String,
}

impl StaticFile {
    /// Makes a file of the media type `kind`, with its content uncompressed and compressed.
    pub(super) fn new(
        name: &'static str,
        kind: &'static str,
        (plain, packed): (&'static [u8], Option<&'static [u8]>),
    ) -> Self {
        let digest = hex::encode(Sha256::digest(plain));
        Self { name, kind, plain, packed, tag: digest[..32].to_owned() }
    }

    /// Returns the response to a request for the file.
    pub(super) fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let headers = request.headers();
        let packed = self.packed.filter(|_| names(headers, &header::ACCEPT_ENCODING, "gzip"));
        // The compressed content has different bytes, so it has another tag.
        let tag =
            if packed.is_some() { format!("\"{}-gzip\"", self.tag) } else { format!("\"{}\"", self.tag) };
        let is_known = names(headers, &header::IF_NONE_MATCH, &tag);
        let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header(REVALIDATE).insert_header((header::ETAG, tag));
        if self.packed.is_some() {
            response.insert_header((header::VARY, header::ACCEPT_ENCODING.as_str()));
        }
        if is_known {
            return response.finish();
        }
        if packed.is_some() {
            response.insert_header((header::CONTENT_ENCODING, "gzip"));
        }
        response.content_type(self.kind).body(ChunkedBody::of_static(packed.unwrap_or(self.plain)))
    }
}

/// Returns true if `name` is in a list separated by commas. A name with a weight counts as absent.
fn names(headers: &HeaderMap, list: &HeaderName, name: &str) -> bool {
    let values = headers.get_all(list).filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| {
        let one = one.trim();
        one == name || one.strip_prefix("W/") == Some(name)
    })
}

#[cfg(test)]
mod tests {
    use actix_web::body::MessageBody;
    use actix_web::http::StatusCode;
    use actix_web::test::TestRequest;

    use super::*;

    fn answer(headers: &[(&'static str, &str)]) -> HttpResponse {
        let file = StaticFile::new("a.js", "text/javascript", (b"plain", Some(b"gz")));
        let add = |request: TestRequest, header: &(&'static str, &str)| request.append_header(*header);
        file.answer(&headers.iter().fold(TestRequest::get(), add).to_http_request())
    }

    fn of(response: &HttpResponse, name: HeaderName) -> Option<&str> {
        response.headers().get(name)?.to_str().ok()
    }

    #[actix_web::test]
    async fn file_is_compressed_for_gzip_clients() {
        for (accepted, encoding, length) in
            [("gzip, deflate, br", Some("gzip"), 2), ("br", None, 5), ("gzip;q=0", None, 5)]
        {
            let response = answer(&[("accept-encoding", accepted)]);
            assert_eq!(of(&response, header::CONTENT_ENCODING), encoding, "{accepted}");
            assert_eq!(response.body().size(), actix_web::body::BodySize::Sized(length), "{accepted}");
        }
    }

    #[actix_web::test]
    async fn unchanged_file_is_answered_304() {
        let first = answer(&[]);
        let tag = of(&first, header::ETAG).expect("a tag");
        for known in [tag.to_owned(), format!("\"x\", W/{tag}")] {
            let again = answer(&[("if-none-match", &known)]);
            assert_eq!((again.status(), of(&again, header::ETAG)), (StatusCode::NOT_MODIFIED, Some(tag)));
        }
        let packed = answer(&[("if-none-match", tag), ("accept-encoding", "gzip")]);
        assert_eq!(packed.status(), StatusCode::OK);
    }
}
