use actix_web::body::to_bytes;
use daybook_domain::node::NodeKind;
use serde_json::{Value, json};

use super::*;

async fn answer(error: ApiError) -> (u16, Option<String>, Value) {
    let response = error.error_response();
    let status = response.status().as_u16();
    let retry_after = response.headers().get("retry-after").map(|value| value.to_str().unwrap().to_owned());
    let body = to_bytes(response.into_body()).await.unwrap();
    (status, retry_after, serde_json::from_slice(&body).unwrap())
}

#[actix_web::test]
async fn every_error_has_its_status_its_code_and_its_slug() {
    let id = || "01J".to_owned();
    let table = [
        (ApiError::Credentials, 401, "100", "invalid_client_credentials"),
        (ApiError::OauthKey, 401, "110", "invalid_oauth_key"),
        (ApiError::missing("to.id"), 400, "200", "invalid_field"),
        (ApiError::NotAllowed("no_scope", "No.".into()), 401, "300", "no_scope"),
        (ApiError::Conflict("routing_number", "No.".into()), 409, "400", "routing_number"),
        (ApiError::KeyUsed { original_id: None, same_payload: true }, 409, "400", "idempotency_key_used"),
        (ApiError::NotFound, 404, "404", "not_found"),
        (ApiError::Unsupported("no_rail", "No.".into()), 400, "410", "no_rail"),
        (ApiError::TooLarge, 413, "200", "payload_too_large"),
        (ApiError::MediaType, 415, "200", "unsupported_media_type"),
        (ApiError::busy(), 503, "503", "unavailable"),
        (ApiError::Internal { request_id: id() }, 500, "500", "internal_error"),
    ];
    for (error, status, code, slug) in table {
        let (answered, _, body) = answer(error.clone()).await;
        assert_eq!(answered, status, "{error:?}");
        assert_eq!(body["error_code"], code, "{error:?}");
        assert_eq!(body["http_code"], status.to_string(), "{error:?}");
        assert_eq!(body["error"]["code"], slug, "{error:?}");
        assert_eq!(body["success"], false, "{error:?}");
        assert!(body["error"]["en"].as_str().is_some_and(|text| text.len() > 2), "{error:?}");
    }
}

#[actix_web::test]
async fn a_malformed_field_is_named() {
    let (_, _, body) = answer(ApiError::missing("to.id")).await;
    let expected = json!({
        "error": {"en": "to.id is required.", "code": "invalid_field", "field": "to.id"},
        "error_code": "200", "http_code": "400", "success": false,
    });
    assert_eq!(body, expected);
}

#[actix_web::test]
async fn a_used_key_tells_what_it_made() {
    let used = SubmitError::KeyUsed { original: Some(1), same_payload: false };
    let (_, _, body) = answer(used.into()).await;
    let expected = json!({
        "error": {
            "en": "The idempotency key was already used once.", "code": "idempotency_key_used",
            "original_id": "00000000000000000000000001", "same_payload": false,
        },
        "error_code": "400", "http_code": "409", "success": false,
    });
    assert_eq!(body, expected);
}

#[actix_web::test]
async fn who_must_wait_is_told_how_long() {
    assert_eq!(answer(SubmitError::Busy.into()).await.1.as_deref(), Some("1"));
    assert_eq!(answer(SubmitError::Unavailable.into()).await.1.as_deref(), Some("2"));
    assert_eq!(answer(ApiError::NotFound).await.1, None);
}

#[actix_web::test]
async fn a_failure_tells_the_request_and_nothing_else() {
    let secret = std::io::Error::other("password of the database");
    let error = request_id::scope("01J".to_owned(), async { ApiError::internal(&secret) }).await;
    let (_, _, body) = answer(error).await;
    assert_eq!(body["error"]["en"], "Something went wrong here (request 01J).");
}

#[test]
fn every_refusal_has_its_place() {
    use transaction::Refusal as No;
    let table: [(Refusal, ApiError); 12] = [
        (user::Refusal::Unknown.into(), ApiError::NotFound),
        (node::Refusal::Unknown.into(), ApiError::NotFound),
        (
            node::Refusal::NotHeld.into(),
            ApiError::Unsupported("node_not_held", "Node does not hold money here.".into()),
        ),
        (No::Unknown.into(), ApiError::NotFound),
        (No::UnknownReceiver.into(), ApiError::NotFound),
        (No::UnknownFeeNode.into(), ApiError::NotFound),
        (
            No::ReceiverType(NodeKind::AchUs).into(),
            ApiError::invalid("to.type", "is not the receiving node's type, ACH-US"),
        ),
        (No::SameNode.into(), ApiError::invalid("to.id", "must not be the sending node")),
        (No::FeeNodeType.into(), ApiError::invalid("fees", "must go to nodes of type LEDGER-US")),
        (No::FeesExceedAmount.into(), ApiError::invalid("fees", "must not exceed the amount")),
        (
            No::GatewayOnly.into(),
            ApiError::NotAllowed("gateway_restricted", "Node is restricted to gateway transactions.".into()),
        ),
        (
            No::NoRail(NodeKind::AchUs, NodeKind::WireUs).into(),
            ApiError::Unsupported("no_rail", "No rail moves money between ACH-US and WIRE-US.".into()),
        ),
    ];
    for (refusal, error) in table {
        assert_eq!(ApiError::from(refusal), error);
    }
}
