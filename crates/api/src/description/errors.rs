//! Schemas of error responses: one shape for all errors, with an example that the code itself produces.

use actix_web::ResponseError;
use actix_web::body::MessageBody;
use serde_json::{Value, json};

use crate::ApiError;
use crate::rate::LimitedBy;

/// Description of each error status, valid for every call.
const TEXTS: [(&str, &str); 10] = [
    ("400", "The request is invalid, or the object does not support it"),
    ("401", "Credentials are wrong or missing, or do not permit the call"),
    ("402", "The bank knows the user and shows no accounts"),
    ("404", "The object does not exist for this caller"),
    ("409", "The request conflicts with the current state, or its idempotency key was used"),
    ("413", "The body is too large"),
    ("415", "The body is not `application/json`, or has a content encoding"),
    ("429", "Too many requests, or too many wrong credentials; `Retry-After` gives the seconds to wait"),
    ("500", "Internal error; the text contains the id of the request"),
    ("503", "Unavailable; `Retry-After` gives the seconds to wait. A POST may have been carried out"),
];

/// One example error per status, in the order of [`TEXTS`].
fn examples() -> [ApiError; 10] {
    let request_id = "01KAHC5Q3V9Z6M1T8R4W7X2Y0N".to_owned();
    [
        ApiError::invalid("amount.amount", "must be greater than zero"),
        ApiError::OauthKey,
        ApiError::NoBankAccounts,
        ApiError::NotFound,
        ApiError::KeyUsed { original_id: Some(request_id.clone()), same_payload: true },
        ApiError::TooLarge,
        ApiError::MediaType,
        ApiError::TooMany { retry_after_s: 1, share: LimitedBy::Address },
        ApiError::Internal { request_id: request_id.clone() },
        ApiError::Unavailable { retry_after_s: 2, request_id },
    ]
}

/// Returns the error responses by status.
pub(super) fn responses() -> Value {
    TEXTS
        .into_iter()
        .zip(examples())
        .map(|((status, text), error)| (status, response(text, &error)))
        .collect()
}

fn response(text: &str, error: &ApiError) -> Value {
    let body = error.error_response().into_body().try_into_bytes().unwrap_or_default();
    let example: Value = serde_json::from_slice(&body).unwrap_or_default();
    let schema = json!({"$ref": "#/components/schemas/Failure"});
    let mut response =
        json!({"description": text, "content": {"application/json": {"schema": schema, "example": example}}});
    if let ApiError::Unavailable { .. } | ApiError::TooMany { .. } = error {
        let schema = json!({"type": "integer", "minimum": 1});
        response["headers"] = json!({"Retry-After": {"description": "Seconds to wait.", "schema": schema}});
    }
    response
}
