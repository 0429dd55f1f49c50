use actix_web::body::to_bytes;
use daybook_domain::node::NodeKind;
use daybook_domain::transaction::Status;
use daybook_domain::{Refusal, custody, node, operation, platform, subnet, subscription, transaction, user};
use daybook_engine::SubmitError;
use daybook_engine::bank_login::BankLoginError;
use daybook_engine::rails::bank_link::BankLinkError;
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
async fn every_error_has_status_and_codes() {
    let id = || "01J".to_owned();
    let table = [
        (ApiError::Credentials, 401, "100", "invalid_client_credentials"),
        (ApiError::OauthKey, 401, "110", "invalid_oauth_key"),
        (ApiError::missing("to.id"), 400, "200", "invalid_field"),
        (ApiError::NotAllowed("no_scope", "No.".into()), 401, "300", "no_scope"),
        (ApiError::Conflict("routing_number", "No.".into()), 409, "400", "routing_number"),
        (ApiError::KeyUsed { original_id: None, same_payload: true }, 409, "400", "idempotency_key_used"),
        (ApiError::NoBankAccounts, 402, "460", "no_bank_accounts"),
        (ApiError::NotFound, 404, "404", "not_found"),
        (ApiError::nothing_at("to.id"), 404, "404", "not_found"),
        (ApiError::Unsupported("no_next_step", "No.".into()), 400, "410", "no_next_step"),
        (ApiError::TooLarge, 413, "200", "payload_too_large"),
        (ApiError::MediaType, 415, "200", "unsupported_media_type"),
        (ApiError::Misdirected, 421, "200", "unknown_host"),
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
async fn used_key_returns_the_original_id() {
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
async fn retryable_error_says_how_long_to_wait() {
    assert_eq!(answer(SubmitError::Busy.into()).await.1.as_deref(), Some("1"));
    assert_eq!(answer(SubmitError::Unavailable.into()).await.1.as_deref(), Some("2"));
    let (status, wait, body) = answer(ApiError::TooMany { retry_after_s: 7, share: LimitedBy::User }).await;
    assert_eq!((status, wait.as_deref(), &body["error_code"]), (429, Some("7"), &json!("429")));
    assert_eq!(answer(ApiError::NotFound).await.1, None);
}

#[actix_web::test]
async fn internal_error_tells_only_the_request_id() {
    let secret = std::io::Error::other("password of the database");
    let error = request_id::scope("01J".to_owned(), async { ApiError::internal(&secret) }).await;
    let (_, _, body) = answer(error).await;
    assert_eq!(body["error"]["en"], "Something went wrong here (request 01J).");
}

#[actix_web::test]
async fn shortfall_is_answered_with_exact_amounts() {
    let shortfall = Shortfall { needed: 1_000, available: -5, held: 250 };
    let node = NodeId::from_u128(1);
    let refusal = transaction::Refusal::InsufficientBalance { shortfall, node, currency: Currency::USD };
    let response = ApiError::from(Refusal::from(refusal)).error_response();
    let body = to_bytes(response.into_body()).await.unwrap();
    let expected = concat!(
        r#"{"error":{"en":"Not enough is available.","code":"insufficient_balance","#,
        r#""node_id":"00000000000000000000000001","needed":10.00,"available":-0.05,"held":2.50,"currency":"USD"},"#,
        r#""error_code":"400","http_code":"409","success":false}"#
    );
    assert_eq!(std::str::from_utf8(&body).unwrap(), expected);
}

#[test]
fn every_bank_login_error_is_mapped() {
    use BankLinkError as No;
    let row = |error: BankLoginError| {
        let (status, error_code, slug) = ApiError::from(error).row();
        (status.as_u16(), error_code, slug)
    };
    let away = std::io::Error::other("timed out");
    let table = [
        (BankLoginError::Token, (409, "400", "unknown_access_token")),
        (No::Over.into(), (409, "400", "unknown_access_token")),
        (No::Refused.into(), (409, "400", "wrong_bank_login")),
        (No::NoAccounts.into(), (402, "460", "no_bank_accounts")),
        (No::NoProvider.into(), (400, "410", "no_bank_logins")),
        (No::Unreachable(away).into(), (503, "503", "unavailable")),
    ];
    for (error, expected) in table {
        assert_eq!(row(error), expected);
    }
}

fn answered(refusal: impl Into<Refusal>) -> (u16, &'static str, &'static str) {
    let (status, error_code, slug) = ApiError::from(refusal.into()).row();
    (status.as_u16(), error_code, slug)
}

#[test]
fn every_transaction_refusal_is_mapped() {
    use transaction::Refusal as No;
    let table: [(No, ApiError); 8] = [
        (No::Unknown, ApiError::NotFound),
        (No::UnknownReceiver, ApiError::nothing_at("to.id")),
        (No::UnknownFeeNode(2), ApiError::nothing_at("fees[2].to.id")),
        (
            No::ReceiverType(NodeKind::AchUs),
            ApiError::invalid("to.type", "is not the receiving node's type, ACH-US"),
        ),
        (No::SameNode, ApiError::invalid("to.id", "must not be the sending node")),
        (No::FeeNodeType(1), ApiError::invalid("fees[1].to.id", "must be a node of type LEDGER-US")),
        (No::FeesExceedAmount, ApiError::invalid("fees", "must not exceed the amount")),
        (
            No::GatewayOnly,
            ApiError::NotAllowed("gateway_restricted", "Node is restricted to gateway transactions.".into()),
        ),
    ];
    for (refusal, error) in table {
        assert_eq!(ApiError::from(refusal), error);
    }
    let steps = [
        (No::CannotCancel(Status::Settled), "cannot_cancel_transaction"),
        (No::CannotReturn(Status::Created), "cannot_return_transaction"),
        (No::TooLateToReturn, "too_late_to_return"),
        (No::CannotPresent, "cannot_present_transaction"),
        (No::PresentedTooOften, "presented_too_often"),
        (No::TooLateToPresent, "too_late_to_present"),
        (No::CannotQueue(Status::Settled), "cannot_queue_transaction"),
        (No::NotQueued(Status::Created), "transaction_not_queued"),
        (No::StillBlocked, "transaction_still_blocked"),
        (No::NoNextStep(Status::Settled), "no_next_step"),
    ];
    for (refusal, slug) in steps {
        assert_eq!(answered(refusal), (400, "410", slug));
    }
}

#[test]
fn every_other_refusal_is_mapped() {
    let nothing = (404, "404", "not_found");
    assert_eq!(answered(platform::Refusal::Unknown), nothing);
    assert_eq!(answered(platform::Refusal::NotSandbox), nothing);
    assert_eq!(answered(user::Refusal::Unknown), nothing);
    assert_eq!(answered(user::Refusal::Closed), (401, "300", "user_closed"));
    assert_eq!(answered(user::Refusal::Locked), (401, "300", "user_locked"));
    assert_eq!(answered(user::Refusal::Erased), (401, "300", "user_erased"));
    assert_eq!(answered(user::Refusal::OnHold), (409, "400", "user_not_erasable"));
    assert_eq!(answered(node::Refusal::Unknown), nothing);
    assert_eq!(answered(custody::Refusal::Unknown), nothing);
    assert_eq!(answered(operation::Refusal::Unknown), nothing);
    assert_eq!(answered(node::Refusal::NotHeld), (400, "410", "node_not_held"));
    assert_eq!(answered(node::Refusal::NoMicroDeposits), (400, "410", "no_micro_deposits"));
    assert_eq!(answered(node::Refusal::Locked), (409, "400", "node_locked"));
    assert_eq!(
        ApiError::from(platform::Refusal::CurrencyDisabled),
        ApiError::invalid("amount.currency", "is not enabled")
    );
    assert_eq!(answered(platform::Refusal::OutOfRange), (400, "200", "invalid_field"));
    assert_eq!(answered(custody::Refusal::Stated), (409, "400", "statement_booked"));
    assert_eq!(answered(custody::Refusal::Opening), (409, "400", "statement_opening"));
    assert_eq!(answered(custody::Refusal::Sum), (409, "400", "statement_sum"));
    assert_eq!(answered(operation::Refusal::NotWaiting), (400, "410", "operation_not_waiting"));
    assert_eq!(answered(operation::Refusal::SamePerson), (401, "300", "same_operator"));
    assert_eq!(answered(operation::Refusal::Account), (409, "400", "journal_account"));
    assert_eq!(answered(operation::Refusal::OutOfRange), (409, "400", "journal_out_of_range"));
    assert_eq!(answered(subnet::Refusal::Unknown), nothing);
    assert_eq!(answered(subnet::Refusal::NodeType), (400, "410", "node_without_subnets"));
    assert_eq!(answered(subnet::Refusal::NoIssuer), (400, "410", "no_account_numbers"));
    assert_eq!(answered(subscription::Refusal::Unknown), nothing);
}
