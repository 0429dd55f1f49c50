//! The description of the API, and a page that shows it. Neither is part of the API that it describes, and both are for
//! everybody.

use actix_web::HttpResponse;
use actix_web::http::header::{self, HeaderValue};
use actix_web::web::{self, ServiceConfig, get};

use crate::description;
use crate::error::ApiError;

/// What the page may load and call: this service, and nothing else. Swagger UI styles by attributes, and draws its
/// icons from data.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

/// What the page is made of: its name, its media type, and what is in it.
const FILES: [(&str, &str, &str); 3] = [
    ("page.js", JAVASCRIPT, include_str!("page.js")),
    ("swagger-ui-bundle.js", JAVASCRIPT, include_str!(concat!(env!("OUT_DIR"), "/swagger-ui-bundle.js"))),
    ("swagger-ui.css", "text/css; charset=utf-8", include_str!(concat!(env!("OUT_DIR"), "/swagger-ui.css"))),
];

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The addresses.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(super::at("/openapi.json").route(get().to(openapi)))
        .service(super::at("/docs").route(get().to(page)))
        .service(super::at("/docs/{file}").route(get().to(file)));
}

async fn openapi() -> HttpResponse {
    HttpResponse::Ok().content_type(header::ContentType::json()).body(description::json())
}

async fn page() -> HttpResponse {
    answer("text/html; charset=utf-8", include_str!("page.html"))
}

async fn file(name: web::Path<String>) -> Result<HttpResponse, ApiError> {
    let found = FILES.iter().find(|(file, ..)| *file == *name).ok_or(ApiError::NotFound)?;
    let (_, kind, text) = *found;
    Ok(answer(kind, text))
}

fn answer(kind: &'static str, text: &'static str) -> HttpResponse {
    let policy = (header::CONTENT_SECURITY_POLICY, POLICY);
    HttpResponse::Ok().content_type(kind).insert_header(policy).body(text)
}
