//! OAuth: a refresh token is exchanged for a key. This module does not know how tokens and keys are made.

use daybook_domain::Timestamp;
use daybook_engine::access::Scopes;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::text::{SaidText, Text};
use super::{bounded, required};
use crate::ApiError;
use crate::description::values::OauthScope;

/// Request for an OAuth key.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ObtainKey {
    #[schema(value_type = SaidText)]
    refresh_token: Option<SaidText>,
    #[schema(value_type = Option<Vec<OauthScope>>, max_items = 100)]
    scope: Option<Vec<Text>>,
    phone_number: Option<Text>,
    validation_pin: Option<Text>,
}

/// A valid request for a key.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyRequest {
    /// Refresh token.
    pub refresh_token: String,
    /// Requested scopes; all if none are named.
    pub scopes: Scopes,
    /// Phone number or e-mail address to which a PIN is to be sent.
    pub phone_number: Option<String>,
    /// PIN that was sent.
    pub validation_pin: Option<String>,
}

impl ObtainKey {
    /// Parses the request.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<KeyRequest, ApiError> {
        let refresh_token = required("refresh_token", self.refresh_token)?;
        let scopes = match self.scope {
            None => Scopes::ALL,
            Some(names) => {
                let names = bounded("scope", Some(names))?;
                let scopes = Scopes::ALL.parse(names.iter().map(Text::as_str));
                scopes.ok_or_else(|| ApiError::invalid("scope", "names a scope that does not exist"))?
            }
        };
        let given = |text: Option<Text>| text.map(String::from).filter(|text| !text.is_empty());
        let (phone_number, validation_pin) = (given(self.phone_number), given(self.validation_pin));
        Ok(KeyRequest { refresh_token, scopes, phone_number, validation_pin })
    }
}

/// Data that the answer with a key is rendered from.
#[derive(Clone, Copy)]
pub struct OauthView<'a> {
    /// Client id of the platform.
    pub client_id: &'a str,
    /// Name of the platform.
    pub client_name: &'a str,
    /// The key in plain text, which is shown only once.
    pub oauth_key: &'a str,
    /// End of the key's lifetime.
    pub expires_at: Timestamp,
    /// Remaining lifetime in seconds.
    pub expires_in_s: u64,
    /// Refresh token that is valid from now on.
    pub refresh_token: &'a str,
    /// Number of further keys that the refresh token can be exchanged for.
    pub refresh_expires_in: u32,
    /// Granted scopes.
    pub scope: &'a [&'a str],
    /// User that the key belongs to.
    pub user_id: daybook_domain::UserId,
}

/// An OAuth key, with the refresh token for the next one.
#[derive(Clone, Serialize, ToSchema)]
pub struct Oauth {
    client_id: String,
    client_name: String,
    /// End of the key's lifetime in seconds since the Unix epoch.
    expires_at: String,
    expires_in: String,
    oauth_key: String,
    refresh_expires_in: u32,
    refresh_token: String,
    #[schema(value_type = Vec<OauthScope>)]
    scope: Vec<String>,
    user_id: String,
}

/// Challenge for an unknown device before it gets a key: first for the contact to which a PIN is sent, then for the
/// PIN.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeviceChallenge {
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<ChallengeTexts>,
    error_code: &'static str,
    http_code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<ChallengeTexts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    phone_numbers: Option<Vec<String>>,
    success: bool,
}

/// A text for people.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct ChallengeTexts {
    en: &'static str,
}

impl DeviceChallenge {
    const fn new(success: bool) -> Self {
        Self { error: None, error_code: "10", http_code: "202", message: None, phone_numbers: None, success }
    }

    /// Makes the challenge to choose one of these `contacts`.
    #[must_use]
    pub fn choose(contacts: Vec<String>) -> Self {
        let error = ChallengeTexts { en: "Fingerprint not verified. Please verify fingerprint via 2FA." };
        Self { error: Some(error), phone_numbers: Some(contacts), ..Self::new(false) }
    }

    /// Makes the challenge to enter the PIN that was sent.
    #[must_use]
    pub fn sent() -> Self {
        Self { message: Some(ChallengeTexts { en: "Validation PIN sent." }), ..Self::new(true) }
    }
}

/// Renders the record.
#[must_use]
pub fn render(view: &OauthView<'_>) -> Oauth {
    Oauth {
        client_id: view.client_id.to_owned(),
        client_name: view.client_name.to_owned(),
        expires_at: (view.expires_at.ms() / 1_000).to_string(),
        expires_in: view.expires_in_s.to_string(),
        oauth_key: view.oauth_key.to_owned(),
        refresh_expires_in: view.refresh_expires_in,
        refresh_token: view.refresh_token.to_owned(),
        scope: view.scope.iter().map(ToString::to_string).collect(),
        user_id: view.user_id.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(json: &serde_json::Value) -> Result<KeyRequest, String> {
        let body = crate::body::Body::from(actix_web::web::Bytes::from(json.to_string()));
        body.json::<ObtainKey>().and_then(ObtainKey::parse).map_err(|error| error.to_string())
    }

    #[test]
    fn a_refresh_token_is_enough() {
        let request =
            parse(&json!({"refresh_token": "refresh_1", "scope": null, "phone_number": ""})).unwrap();
        assert_eq!(request.refresh_token, "refresh_1");
        assert!(request.phone_number.is_none() && request.validation_pin.is_none());
        assert!(request.scopes == Scopes::ALL);
    }

    #[test]
    fn an_empty_scope_is_not_all_scopes() {
        let scopes = |names: &[&str]| {
            parse(&json!({"refresh_token": "refresh_1", "scope": names}))
                .map(|request| request.scopes.names().count())
        };
        assert_eq!([scopes(&[]), scopes(&["USER|GET"])], [Ok(0), Ok(1)]);
        for unknown in ["user|get", "USERS|POST", ""] {
            let refused = "scope names a scope that does not exist.";
            assert_eq!(scopes(&[unknown]), Err(refused.to_owned()), "{unknown}");
        }
    }

    #[test]
    fn key_request_requires_a_refresh_token() {
        for body in [json!({}), json!({"refresh_token": null}), json!({"refresh_token": ""})] {
            assert_eq!(parse(&body).err().as_deref(), Some("refresh_token is required."));
        }
        let many = vec!["USER|GET"; 101];
        let refused = parse(&json!({"refresh_token": "refresh_1", "scope": many})).err();
        assert_eq!(refused.as_deref(), Some("scope must have at most 100 entries."));
    }

    #[test]
    fn key_record_has_the_contract_shape() {
        let record = render(&OauthView {
            client_id: "client_id_1",
            client_name: "Acme",
            oauth_key: "oauth_1",
            expires_at: Timestamp::from_ms(1_700_007_200_999),
            expires_in_s: 7_200,
            refresh_token: "refresh_1",
            refresh_expires_in: 10,
            scope: &["USER|GET", "TRANS|POST"],
            user_id: daybook_domain::UserId::from_u128(1),
        });
        let expected = json!({
            "client_id": "client_id_1", "client_name": "Acme", "expires_at": "1700007200", "expires_in": "7200",
            "oauth_key": "oauth_1", "refresh_expires_in": 10, "refresh_token": "refresh_1",
            "scope": ["USER|GET", "TRANS|POST"], "user_id": "00000000000000000000000001",
        });
        assert_eq!(serde_json::to_value(record).unwrap(), expected);
    }
}
