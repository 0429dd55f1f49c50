//! Bank login: credentials and answers of the user, and the bank's challenges. This module does not inspect the
//! secrets.

use daybook_engine::Secret;
use daybook_engine::bank_login::LoginChallenge;
use daybook_engine::rails::bank_link::{ChallengeKind, Credentials};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::wire::required;
use crate::wire::text::{self, SaidName};

/// Request to a bank.
pub enum BankCall {
    /// Begins a login with the user's credentials.
    Begin(Credentials),
    /// Answers a challenge.
    Answer {
        /// Token of the challenge.
        access_token: Secret,
        /// Answer of the user.
        mfa_answer: Secret,
    },
}

impl BankCall {
    /// Returns the part of the call that identifies it and is not a secret of the user.
    #[must_use]
    pub fn told(&self) -> &str {
        match self {
            Self::Begin(credentials) => &credentials.bank_name,
            Self::Answer { access_token, .. } => access_token.expose(),
        }
    }
}

/// Parses the beginning of a login.
pub(super) fn begin(
    bank_name: Option<SaidName>,
    bank_id: Option<Secret>,
    bank_pw: Option<Secret>,
) -> Result<BankCall, ApiError> {
    let bank_name = required("info.bank_name", bank_name)?;
    let (bank_id, bank_pw) = (secret("info.bank_id", bank_id)?, secret("info.bank_pw", bank_pw)?);
    Ok(BankCall::Begin(Credentials { bank_name, bank_id, bank_pw }))
}

/// Parses the answer to a challenge.
pub(super) fn answer(access_token: Option<Secret>, mfa_answer: Option<Secret>) -> Result<BankCall, ApiError> {
    let access_token = secret("access_token", access_token)?;
    Ok(BankCall::Answer { access_token, mfa_answer: secret("mfa_answer", mfa_answer)? })
}

/// Checks that a secret is present and within the limits of a text.
fn secret(field: &'static str, secret: Option<Secret>) -> Result<Secret, ApiError> {
    let secret =
        secret.filter(|secret| !secret.expose().is_empty()).ok_or_else(|| ApiError::missing(field))?;
    text::check(secret.expose()).map_err(|text| ApiError::invalid(field, text))?;
    Ok(secret)
}

/// Challenge of a bank. Source: API 3.1, "MFA challenge object".
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Challenge {
    mfa: Mfa,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct Mfa {
    access_token: String,
    message: String,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl From<LoginChallenge> for Challenge {
    fn from(asked: LoginChallenge) -> Self {
        let LoginChallenge { access_token, kind, message } = asked;
        let kind = match kind {
            ChallengeKind::Question => "question",
            ChallengeKind::Code => "code",
        };
        Self { mfa: Mfa { access_token, message, kind } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::create::{CreateNode, NewNodes};
    use super::*;
    use crate::body::Body;

    fn parse(json: &Value) -> Result<BankCall, ApiError> {
        match CreateNode::read(&Body::from(actix_web::web::Bytes::from(json.to_string())))? {
            NewNodes::OfBank(call) => Ok(call),
            NewNodes::One(_) => panic!("{json} asks no bank"),
        }
    }

    fn login() -> Value {
        json!({"type": "ACH-US", "info": {"bank_id": "synapse_good", "bank_pw": " test1234 ", "bank_name": "fake"}})
    }

    fn reply() -> Value {
        json!({"access_token": "mfa_00", "mfa_answer": "test_answer"})
    }

    fn with(mut body: Value, pointer: &str, value: Value) -> Value {
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        body.pointer_mut(parent).unwrap()[name] = value;
        body
    }

    #[test]
    fn login_requires_bank_user_and_password() {
        let Ok(BankCall::Begin(credentials)) = parse(&login()) else { panic!("it is no login") };
        assert_eq!(credentials.bank_name, "fake");
        // Exactly as sent: a password may begin with a blank.
        assert_eq!(
            (credentials.bank_id.expose(), credentials.bank_pw.expose()),
            ("synapse_good", " test1234 ")
        );
    }

    #[test]
    fn an_answer_needs_no_type() {
        for body in [reply(), with(reply(), "/type", json!("ACH-US"))] {
            let Ok(BankCall::Answer { access_token, mfa_answer }) = parse(&body) else { panic!("{body}") };
            assert_eq!((access_token.expose(), mfa_answer.expose()), ("mfa_00", "test_answer"));
        }
    }

    #[test]
    fn missing_field_is_named() {
        let table = [
            (login(), "/info/bank_name"),
            (login(), "/info/bank_id"),
            (login(), "/info/bank_pw"),
            (reply(), "/access_token"),
            (reply(), "/mfa_answer"),
        ];
        for (body, pointer) in table {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            for nothing in [json!(null), json!("")] {
                let refused = parse(&with(body.clone(), pointer, nothing)).err();
                assert_eq!(refused, Some(ApiError::missing(field.clone())), "{pointer}");
            }
        }
    }

    #[test]
    fn invalid_field_is_named_without_its_value() {
        let table = [
            (login(), "/info/bank_id"),
            (login(), "/info/bank_pw"),
            (reply(), "/access_token"),
            (reply(), "/mfa_answer"),
        ];
        for (body, pointer) in table {
            let field = pointer.trim_start_matches('/').replace('/', ".");
            let wrong = [
                (json!(8_675_309), "must be a string"),
                (json!(["canary"]), "must be a string"),
                (json!("canary\0"), "must not contain NUL"),
                (json!("canary".repeat(200)), "must be at most 1,000 characters"),
            ];
            for (value, text) in wrong {
                let refused = parse(&with(body.clone(), pointer, value)).err().unwrap();
                assert_eq!(refused, ApiError::invalid(field.clone(), text), "{pointer}");
            }
        }
    }

    #[test]
    fn stored_part_of_call_is_no_secret() {
        assert_eq!(parse(&login()).unwrap().told(), "fake");
        assert_eq!(parse(&reply()).unwrap().told(), "mfa_00");
    }

    #[test]
    fn challenge_has_the_contract_shape() {
        for (kind, name) in [(ChallengeKind::Question, "question"), (ChallengeKind::Code, "code")] {
            let asked =
                LoginChallenge { access_token: "mfa_00".to_owned(), kind, message: "Who?".to_owned() };
            let expected = json!({"mfa": {"access_token": "mfa_00", "message": "Who?", "type": name}});
            assert_eq!(serde_json::to_value(Challenge::from(asked)).unwrap(), expected);
        }
    }
}
