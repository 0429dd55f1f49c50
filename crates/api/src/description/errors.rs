//! What can be answered that is not a success: one shape for all of it, with an example that the code itself makes.

use actix_web::ResponseError;
use actix_web::body::MessageBody;
use serde_json::{Value, json};

use crate::ApiError;
use crate::rate::Share;

/// What a status says of whichever call.
const TEXTS: [(&str, &str); 10] = [
    ("400", "Something about the request is wrong, or what it is about does not support it"),
    ("401", "Credentials are wrong or missing, or do not allow this"),
    ("402", "The bank knows the user and shows no accounts"),
    ("404", "There is no such object for this caller"),
    ("409", "Well formed, and in conflict with what is there; also an idempotency key that was used"),
    ("413", "The body is too large"),
    ("415", "The body is not `application/json`, or is encoded"),
    ("429", "Too many requests, or too many wrong credentials; `Retry-After` tells in how many seconds"),
    ("500", "Something of ours is broken; the text names the request"),
    ("503", "Not now; `Retry-After` tells in how many seconds. A POST may have been carried out"),
];

/// An error of each status.
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
        ApiError::TooMany { retry_after_s: 1, share: Share::Address },
        ApiError::Internal { request_id: request_id.clone() },
        ApiError::Unavailable { retry_after_s: 2, request_id },
    ]
}

/// The responses by their status.
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
