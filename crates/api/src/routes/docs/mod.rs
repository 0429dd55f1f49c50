//! Description of the API, and a page that shows it. Neither is part of the described API, and both are public.

mod file;

use std::sync::LazyLock;

use actix_web::http::header::{self, HeaderValue};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpRequest, HttpResponse};
use file::StaticFile;

use crate::description;
use crate::error::ApiError;

/// Content security policy of the page: it may load from and call this service only. Swagger UI uses inline styles and
/// icons from data URIs.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

/// Includes a file of Swagger UI, uncompressed and compressed.
macro_rules! swagger {
    ($name:literal) => {
        (
            include_bytes!(concat!(env!("OUT_DIR"), "/", $name)).as_slice(),
            Some(include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".gz")).as_slice()),
        )
    };
}

static PAGE: LazyLock<StaticFile> =
    LazyLock::new(|| StaticFile::new("page.html", HTML, (include_bytes!("page.html"), None)));

static OPENAPI: LazyLock<StaticFile> = LazyLock::new(|| {
    StaticFile::new("openapi.json", "application/json", (description::json().as_bytes(), None))
});

/// Files that the page loads.
static FILES: LazyLock<[StaticFile; 4]> = LazyLock::new(|| {
    [
        StaticFile::new("page.css", CSS, (include_bytes!("page.css"), None)),
        StaticFile::new("page.js", JAVASCRIPT, (include_bytes!("page.js"), None)),
        StaticFile::new("swagger-ui-bundle.js", JAVASCRIPT, swagger!("swagger-ui-bundle.js")),
        StaticFile::new("swagger-ui.css", CSS, swagger!("swagger-ui.css")),
    ]
});

/// Registers the paths.
pub(super) fn configure(config: &mut ServiceConfig) {
    config
        .service(super::at("/").route(super::get().to(root)))
        .service(super::at("/openapi.json").route(super::get().to(openapi)))
        .service(super::at("/docs").route(super::get().to(page)))
        .service(super::at("/docs/{file}").route(super::get().to(file)));
}

/// Serves the page at the root path. It is not cached there, because its permanent address is `/docs`.
async fn root(request: HttpRequest) -> HttpResponse {
    let mut response = with_policy(PAGE.answer(&request));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

async fn openapi(request: HttpRequest) -> HttpResponse {
    OPENAPI.answer(&request)
}

async fn page(request: HttpRequest) -> HttpResponse {
    with_policy(PAGE.answer(&request))
}

async fn file(name: web::Path<String>, request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let found = FILES.iter().find(|file| file.name == *name).ok_or(ApiError::NotFound)?;
    Ok(with_policy(found.answer(&request)))
}

fn with_policy(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY);
    response
}
