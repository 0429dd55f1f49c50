//! Health checks: liveness and readiness.

use actix_web::http::header;
use actix_web::web::{self, Json};
use actix_web::{HttpResponse, ResponseError};
use serde::Serialize;

use crate::app::App;
use crate::error::ApiError;
use crate::wire::health::{Live, Parts, Ready};

/// Returns 200 if the process runs.
#[utoipa::path(
    get, path = "/health/live", operation_id = "health.live",
    responses((status = 200, body = Live)),
)]
pub async fn live() -> Json<Live> {
    Json(Live { status: "live" })
}

/// Returns 200 if the service is ready: it accepts commands, and the log and the read models are available, for at least
/// one shard. Otherwise returns 503 with the part that is unavailable.
#[utoipa::path(
    get, path = "/health/ready", operation_id = "health.ready",
    responses((status = 200, body = Ready)),
)]
pub async fn ready(app: web::Data<App>) -> HttpResponse {
    let found = app.engine.readiness().await;
    let is_stopping = app.observability.is_stopping();
    if found.is_ready() && !is_stopping {
        return HttpResponse::Ok().json(Ready::from(found));
    }
    let why = found.fault().unwrap_or("it is about to stop".into());
    let error = ApiError::unavailable(&std::io::Error::other(why));
    let Ready { parts, status, .. } = found.into();
    let status = if is_stopping { "stopping" } else { status };
    let mut response = HttpResponse::build(error.status_code());
    if let ApiError::Unavailable { retry_after_s, .. } = &error {
        response.insert_header((header::RETRY_AFTER, *retry_after_s));
    }
    response.json(NotReady { error: &error, parts, status })
}

/// Error object with the state of each part.
#[derive(Serialize)]
struct NotReady<'a> {
    #[serde(flatten)]
    error: &'a ApiError,
    parts: Parts,
    status: &'static str,
}
