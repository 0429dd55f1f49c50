//! Errors as answers: the single table from a refusal or failure to status, codes and text.
//!
//! A refusal concerns the customer's request and states its reason. A failure concerns the service: it is logged once,
//! here, with all its sources, and its answer carries a generic text and the request's id. No text repeats data of the
//! request.

mod failure;
mod refusal;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use daybook_domain::account::Shortfall;
use daybook_domain::{Currency, Money, NodeId};
use serde::{Serialize, Serializer};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use crate::description::values::CurrencyCode;
use crate::rate::LimitedBy;
use crate::request_id;
use crate::wire::amount::Decimal;
use crate::wire::text;

/// Seconds a caller has to wait when the command queue is full; it drains within milliseconds.
const BUSY_RETRY_AFTER_S: u64 = 1;

/// Seconds a caller has to wait when the database is unavailable: about the time of a restart.
const UNAVAILABLE_RETRY_AFTER_S: u64 = 2;

/// Security headers of every answer: it is not cached, its media type is not guessed, and links in it send no
/// `Referer`.
pub(crate) const SECURITY_HEADERS: [(HeaderName, &str); 3] = [
    (header::CACHE_CONTROL, "no-store"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
];

/// Security header of every answer over TLS: for two years a browser calls the service over TLS only.
pub(crate) const OVER_TLS: (HeaderName, &str) = (header::STRICT_TRANSPORT_SECURITY, "max-age=63072000");

/// An answer that is not a success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApiError {
    /// The platform's credentials are wrong or missing.
    Credentials,
    /// The OAuth key is wrong or has expired.
    OauthKey,
    /// The call comes from a device that is not authorised.
    Fingerprint,
    /// The request is malformed.
    Invalid {
        /// Path of the field, name of the parameter or header, or `body`.
        field: Cow<'static, str>,
        /// Requirement that the value violates.
        text: Cow<'static, str>,
    },
    /// The caller may not make this call: code and text.
    NotAllowed(&'static str, Cow<'static, str>),
    /// The values are well formed and conflict with the current state: code and text.
    Conflict(&'static str, Cow<'static, str>),
    /// The balance of a node is too small, and the platform's policy refuses such transactions immediately.
    InsufficientBalance {
        /// Amounts needed, available and held.
        shortfall: Shortfall,
        /// Id of the node.
        node: NodeId,
        /// Currency of the amounts.
        currency: Currency,
    },
    /// The idempotency key was used within the last 24 hours.
    KeyUsed {
        /// Id of the object that the first request created.
        original_id: Option<String>,
        /// True if this request has the same body as the first.
        same_payload: bool,
    },
    /// The bank knows the user and shows no accounts. Neither side made an error.
    NoBankAccounts,
    /// The object does not exist for this caller. An object of another owner gives the same answer.
    NotFound,
    /// The object that a field of the request names does not exist for this caller.
    NothingAt(Cow<'static, str>),
    /// The object, or its state, does not support this call: code and text.
    Unsupported(&'static str, Cow<'static, str>),
    /// The body is larger than the limit of the route.
    TooLarge,
    /// The body's media type is not JSON.
    MediaType,
    /// The `Host` of the request is not a name of this service.
    Misdirected,
    /// The caller exceeded a rate limit of calls or of wrong credentials.
    TooMany {
        /// Seconds to wait.
        retry_after_s: u64,
        /// Exhausted rate limit; for metrics, not part of the answer.
        share: LimitedBy,
    },
    /// The service is temporarily unavailable; the same request may succeed later.
    Unavailable {
        /// Seconds to wait.
        retry_after_s: u64,
        /// Id of the request in the log.
        request_id: String,
    },
    /// An internal error.
    Internal {
        /// Id of the request in the log.
        request_id: String,
    },
}

impl ApiError {
    /// Makes the error of a malformed field; `text` states the requirement.
    pub fn invalid(field: impl Into<Cow<'static, str>>, text: impl Into<Cow<'static, str>>) -> Self {
        Self::Invalid { field: field.into(), text: text.into() }
    }

    /// Makes the error of a field that names no object of this caller.
    pub fn nothing_at(field: impl Into<Cow<'static, str>>) -> Self {
        Self::NothingAt(field.into())
    }

    /// Makes the error of a missing field.
    pub fn missing(field: impl Into<Cow<'static, str>>) -> Self {
        Self::invalid(field, text::MISSING)
    }

    /// Moves the error into the field `outer`: for a part of a body.
    #[must_use]
    pub fn within(self, outer: &str) -> Self {
        let inner = |field: Cow<'static, str>| match field.as_ref() {
            "body" => Cow::Owned(outer.to_owned()),
            field => Cow::Owned(format!("{outer}.{field}")),
        };
        match self {
            Self::Invalid { field, text } => Self::Invalid { field: inner(field), text },
            Self::NothingAt(field) => Self::NothingAt(inner(field)),
            other => other,
        }
    }

    /// Makes the error of a refresh token that is neither the current nor the previous one.
    #[must_use]
    pub fn stale_refresh_token() -> Self {
        Self::Conflict("refresh_token_stale", "The refresh_token is unknown or no longer good.".into())
    }

    /// Makes the error of a full queue.
    #[must_use]
    pub fn busy() -> Self {
        Self::Unavailable { retry_after_s: BUSY_RETRY_AFTER_S, request_id: request_id::current() }
    }

    /// Makes the error of an unavailable dependency, and logs it.
    #[must_use]
    pub fn unavailable(source: &(dyn StdError + 'static)) -> Self {
        let request_id = request_id::current();
        tracing::warn!(request_id, error = %Chain(source), "not available");
        Self::Unavailable { retry_after_s: UNAVAILABLE_RETRY_AFTER_S, request_id }
    }

    /// Makes the error of an internal failure, and logs it with all its sources.
    #[must_use]
    pub fn internal(source: &(dyn StdError + 'static)) -> Self {
        let request_id = request_id::current();
        tracing::error!(request_id, error = %Chain(source), "failed");
        Self::Internal { request_id }
    }

    /// Returns the error's code: `error.code` of the answer.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().2
    }

    /// Returns true if the error concerns the caller's credentials, key, device or scope, and not the requested
    /// operation.
    #[must_use]
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Credentials | Self::OauthKey | Self::Fingerprint | Self::NotAllowed(..))
    }

    /// Returns the exhausted rate limit, if the error concerns one.
    pub(crate) const fn share(&self) -> Option<LimitedBy> {
        if let Self::TooMany { share, .. } = self { Some(*share) } else { None }
    }

    /// Returns the row of the table: status, `error_code`, code.
    fn row(&self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::Credentials => (StatusCode::UNAUTHORIZED, "100", "invalid_client_credentials"),
            Self::OauthKey => (StatusCode::UNAUTHORIZED, "110", "invalid_oauth_key"),
            Self::Fingerprint => (StatusCode::BAD_REQUEST, "120", "fingerprint_not_authorised"),
            Self::Invalid { .. } => (StatusCode::BAD_REQUEST, "200", "invalid_field"),
            Self::NotAllowed(slug, _) => (StatusCode::UNAUTHORIZED, "300", slug),
            Self::Conflict(slug, _) => (StatusCode::CONFLICT, "400", slug),
            Self::InsufficientBalance { .. } => (StatusCode::CONFLICT, "400", "insufficient_balance"),
            Self::KeyUsed { .. } => (StatusCode::CONFLICT, "400", "idempotency_key_used"),
            Self::NoBankAccounts => (StatusCode::PAYMENT_REQUIRED, "460", "no_bank_accounts"),
            Self::NotFound | Self::NothingAt(_) => (StatusCode::NOT_FOUND, "404", "not_found"),
            Self::Unsupported(slug, _) => (StatusCode::BAD_REQUEST, "410", slug),
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "200", "payload_too_large"),
            Self::MediaType => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "200", "unsupported_media_type"),
            Self::Misdirected => (StatusCode::MISDIRECTED_REQUEST, "200", "unknown_host"),
            Self::TooMany { .. } => (StatusCode::TOO_MANY_REQUESTS, "429", "too_many_requests"),
            Self::Unavailable { .. } => (StatusCode::SERVICE_UNAVAILABLE, "503", "unavailable"),
            Self::Internal { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "500", "internal_error"),
        }
    }
}

/// Text for the customer.
impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Credentials => f.write_str("Client credentials are wrong or missing."),
            Self::OauthKey => f.write_str("The oauth_key is wrong or has expired."),
            Self::Fingerprint => f.write_str("The fingerprint is not authorised."),
            Self::Invalid { field, text } => write!(f, "{field} {text}."),
            Self::NotAllowed(_, text) | Self::Conflict(_, text) | Self::Unsupported(_, text) => {
                f.write_str(text)
            }
            Self::InsufficientBalance { .. } => f.write_str("Not enough is available."),
            Self::KeyUsed { .. } => f.write_str("The idempotency key was already used once."),
            Self::NoBankAccounts => f.write_str("The bank shows no accounts for this login."),
            Self::NotFound | Self::NothingAt(_) => f.write_str("There is no such object."),
            Self::TooLarge => f.write_str("The body is too large."),
            Self::MediaType => f.write_str("The body must be application/json, without a content encoding."),
            Self::Misdirected => f.write_str(
                "This service is for its own machine and is called by a name of another; --allow-host lets it in.",
            ),
            Self::TooMany { .. } => f.write_str("Too many requests; try again later."),
            Self::Unavailable { request_id, .. } => {
                write!(f, "The service is not available now; try again later (request {request_id}).")
            }
            Self::Internal { request_id } => write!(f, "Something went wrong here (request {request_id})."),
        }
    }
}

impl StdError for ApiError {}

/// Body of the answer; also used as one outcome of a batch call.
impl Serialize for ApiError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (status, error_code, code) = self.row();
        let mut error = Detail {
            en: self.to_string(),
            code,
            field: None,
            original_id: None,
            same_payload: None,
            numbers: None,
        };
        match self {
            Self::Invalid { field, .. } | Self::NothingAt(field) => error.field = Some(field),
            Self::KeyUsed { original_id, same_payload } => {
                error.original_id = original_id.as_deref();
                error.same_payload = Some(*same_payload);
            }
            Self::InsufficientBalance { shortfall, node, currency } => {
                error.numbers = Some(Numbers::new(*shortfall, *node, *currency));
            }
            _ => {}
        }
        Failure { error, error_code, http_code: status.as_str(), success: false }.serialize(serializer)
    }
}

/// Body of an answer that is not a success.
#[derive(Serialize, ToSchema)]
pub(crate) struct Failure<'a> {
    error: Detail<'a>,
    error_code: &'static str,
    http_code: &'a str,
    success: bool,
}

impl PartialSchema for ApiError {
    fn schema() -> RefOr<Schema> {
        Failure::schema()
    }
}

impl ToSchema for ApiError {
    fn name() -> Cow<'static, str> {
        Failure::name()
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = FailureDetail)]
struct Detail<'a> {
    en: String,
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    original_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    same_payload: Option<bool>,
    #[serde(flatten)]
    #[schema(value_type = Numbers)]
    numbers: Option<Numbers>,
}

/// Amounts by which the balance of a node is too small.
#[derive(Serialize, ToSchema)]
#[schema(as = Shortfall)]
struct Numbers {
    #[schema(required = false)]
    node_id: String,
    #[schema(required = false)]
    needed: Decimal,
    #[schema(required = false)]
    available: Decimal,
    #[schema(required = false)]
    held: Decimal,
    #[schema(value_type = CurrencyCode, required = false)]
    currency: Currency,
}

impl Numbers {
    fn new(shortfall: Shortfall, node: NodeId, currency: Currency) -> Self {
        let decimal = |minor| Decimal(Money::new(minor, currency));
        let Shortfall { needed, available, held } = shortfall;
        let [needed, available, held] = [needed, available, held].map(decimal);
        Self { node_id: node.to_string(), needed, available, held, currency }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.row().0
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponseBuilder::new(self.status_code());
        // Some of these answers are made outside of the middleware that adds the headers to all others.
        for header in SECURITY_HEADERS {
            response.insert_header(header);
        }
        if let Self::Unavailable { retry_after_s, .. } | Self::TooMany { retry_after_s, .. } = self {
            response.insert_header((header::RETRY_AFTER, *retry_after_s));
        }
        response.json(self)
    }
}

/// Displays an error with all its sources on one line.
pub(crate) struct Chain<'a>(pub(crate) &'a (dyn StdError + 'static));

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)?;
        let mut below = self.0.source();
        while let Some(source) = below {
            write!(f, ": {source}")?;
            below = source.source();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
