//! Signatures of webhook calls, in two families of headers. Those of Standard Webhooks use a secret of the
//! subscription. Those for receivers written for the original service use the platform's client secret. Source:
//! Standard Webhooks 1.0; the original's "HMAC for Webhooks".

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_engine::Secret;
use hmac::{Hmac, KeyInit, Mac};
use hyper::header::{HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};
use sha1::Sha1;
use sha2::Sha256;
use zeroize::Zeroizing;

/// Prefix of a subscription's secret as text.
pub const PREFIX: &str = "whsec_";

const WEBHOOK_ID: HeaderName = HeaderName::from_static("webhook-id");
const WEBHOOK_TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
const WEBHOOK_SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");
const OBJECT_SHA1: HeaderName = HeaderName::from_static("x-synapse-signature");
const OBJECT_SHA256: HeaderName = HeaderName::from_static("x-synapse-signature-sha256");
const BODY_SHA256: HeaderName = HeaderName::from_static("x-synapse-signature-sha256-fullbody");

/// Secret that signs a subscription's webhooks: 32 bytes.
pub struct SubscriptionSecret(Zeroizing<[u8; 32]>);

impl SubscriptionSecret {
    /// Makes a secret from its bytes.
    #[must_use]
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Returns the secret as text for its receiver: `whsec_` and base64.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{PREFIX}{}", STANDARD.encode(self.0.as_slice()))
    }
}

/// Signed parts of a call.
#[derive(Clone, Copy)]
pub struct Signed<'a> {
    /// Id of the event, the same at every attempt, so that a receiver can detect duplicates.
    pub event_id: &'a str,
    /// Time of this attempt in seconds since the Unix epoch.
    pub at_s: i64,
    /// The body.
    pub body: &'a [u8],
    /// Id of the record that the event concerns.
    pub object_id: &'a str,
    /// Client id of the platform.
    pub client_id: &'a str,
}

impl Signed<'_> {
    /// Returns the headers. Each of `secrets` adds one signature. Without the client secret the original's headers are
    /// left out.
    ///
    /// # Errors
    ///
    /// None in practice: ids, digits and signatures are valid in headers.
    pub fn headers(
        &self,
        secrets: &[SubscriptionSecret],
        client_secret: Option<&Secret>,
    ) -> Result<HeaderMap, InvalidHeaderValue> {
        let mut headers = HeaderMap::new();
        headers.insert(WEBHOOK_ID, HeaderValue::from_str(self.event_id)?);
        headers.insert(WEBHOOK_TIMESTAMP, HeaderValue::from(self.at_s));
        let signatures: Vec<String> = secrets.iter().map(|secret| self.standard(&*secret.0)).collect();
        headers.insert(WEBHOOK_SIGNATURE, HeaderValue::from_str(&signatures.join(" "))?);
        if let Some(secret) = client_secret {
            let (key, object) =
                (secret.expose().as_bytes(), format!("{}+{}", self.object_id, self.client_id));
            let sha1 = keyed::<Hmac<Sha1>>(key).chain_update(&object).finalize().into_bytes();
            let sha256 = keyed::<Hmac<Sha256>>(key).chain_update(&object).finalize().into_bytes();
            let body = keyed::<Hmac<Sha256>>(key).chain_update(self.body).finalize().into_bytes();
            headers.insert(OBJECT_SHA1, HeaderValue::from_str(&hex::encode(sha1))?);
            headers.insert(OBJECT_SHA256, HeaderValue::from_str(&hex::encode(sha256))?);
            headers.insert(BODY_SHA256, HeaderValue::from_str(&hex::encode(body))?);
        }
        Ok(headers)
    }

    /// Returns one signature of Standard Webhooks.
    fn standard(&self, secret: &[u8]) -> String {
        let head = format!("{}.{}.", self.event_id, self.at_s);
        let mac = keyed::<Hmac<Sha256>>(secret).chain_update(head).chain_update(self.body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

fn keyed<M: KeyInit>(key: &[u8]) -> M {
    match M::new_from_slice(key) {
        Ok(mac) => mac,
        Err(_) => unreachable!("HMAC takes keys of any length"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed<'a>(event_id: &'a str, at_s: i64, body: &'a [u8]) -> Signed<'a> {
        Signed {
            event_id,
            at_s,
            body,
            object_id: "563db3fb86c27307d925871f",
            client_id: "client_id_e3f19e4bd4022c86e7f2",
        }
    }

    fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
        headers.get(name).map(|value| value.to_str().expect("text"))
    }

    #[test]
    fn signature_equals_published_test_vectors() {
        // From the tests of the published libraries, and from the page that explains manual verification.
        let table = [
            (
                "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                signed("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#),
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
            (
                "C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                signed(
                    "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
                    1_649_367_553,
                    br#"{"email":"test@example.com","username":"test_user"}"#,
                ),
                "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
            ),
        ];
        for (secret, signed, expected) in table {
            assert_eq!(signed.standard(&STANDARD.decode(secret).unwrap()), expected);
        }
    }

    #[test]
    fn rotation_signs_with_both_secrets() {
        let secrets = [SubscriptionSecret::new([1; 32]), SubscriptionSecret::new([2; 32])];
        let signed = signed("01M7", 1_700_000_000, b"{}");
        let headers = signed.headers(&secrets, None).unwrap();
        let expected = format!("{} {}", signed.standard(&[1; 32]), signed.standard(&[2; 32]));
        assert_eq!(text(&headers, "webhook-signature"), Some(expected.as_str()));
        assert_eq!(text(&headers, "webhook-id"), Some("01M7"));
        assert_eq!(text(&headers, "webhook-timestamp"), Some("1700000000"));
        assert_eq!(headers.len(), 3, "without a client secret nothing is signed with it");
    }

    #[test]
    fn secret_has_prefix_and_padded_base64() {
        assert_eq!(SubscriptionSecret::new([0; 32]).text(), format!("whsec_{}=", "A".repeat(43)));
    }

    #[test]
    fn original_headers_match_documented_example() {
        // Computed in Python from the example in the original's documentation.
        let headers = signed("01", 1, br#"{"a":1}"#)
            .headers(&[], Some(&Secret::new("client_secret_1".into())))
            .unwrap();
        let table = [
            ("X-Synapse-Signature", "e3cc9229bb909e27fb126ca4b5059afe46255f4f"),
            (
                "X-Synapse-Signature-Sha256",
                "afdc9313d4e33919b1faec8a86bee9f5eec76b233458995ddbb03343c43fe717",
            ),
            (
                "X-Synapse-Signature-SHA256-FullBody",
                "ebec2b475d1f95c55db987ac26520e0a3c1dcac668299d46479faec7c1e05165",
            ),
        ];
        for (name, expected) in table {
            assert_eq!(text(&headers, name), Some(expected), "{name}");
        }
    }
}
