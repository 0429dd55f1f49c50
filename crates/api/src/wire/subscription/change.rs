//! The body that changes a subscription. What is absent or null stays as it is.

use daybook_domain::subscription::Scope;
use daybook_engine::SubscriptionDetails;
use serde::Deserialize;

use super::url::checked;
use crate::ApiError;
use crate::wire::required;
use crate::wire::text::Text;

/// The body.
#[derive(Clone, Debug, Deserialize)]
pub struct ChangeSubscription {
    is_active: Option<bool>,
    url: Option<Text>,
    scope: Option<Vec<Text>>,
}

/// A change that is well formed.
#[derive(Clone, PartialEq, Eq)]
pub struct SubscriptionChange {
    /// Whether it shall be called.
    pub is_active: Option<bool>,
    /// When it shall be called.
    pub scopes: Option<Vec<Scope>>,
    /// To be sealed with class profile, under the platform's own user.
    pub details: Option<SubscriptionDetails>,
}

impl ChangeSubscription {
    /// Checks what is there; `in_sandbox` says that the platform is one.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self, in_sandbox: bool) -> Result<SubscriptionChange, ApiError> {
        let url = self.url.map(|url| checked(required("url", Some(url))?, in_sandbox));
        Ok(SubscriptionChange {
            is_active: self.is_active,
            scopes: self.scope.map(|names| super::scopes(&names)).transpose()?,
            details: url.transpose()?.map(|url| SubscriptionDetails { url }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;

    fn parse(json: &str) -> Result<SubscriptionChange, String> {
        let body = Body::from(actix_web::web::Bytes::from(json.to_owned()));
        let change = body.json::<ChangeSubscription>().and_then(|body| body.parse(false));
        change.map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_stays() {
        let nothing = SubscriptionChange { is_active: None, scopes: None, details: None };
        for json in ["{}", r#"{"is_active": null, "url": null, "scope": null}"#] {
            assert!(parse(json).is_ok_and(|change| change == nothing), "{json}");
        }
        let change =
            parse(r#"{"is_active": false, "url": "https://a.b", "scope": ["NODE|DELETE"]}"#).unwrap();
        assert_eq!((change.is_active, change.scopes), (Some(false), Some(vec![Scope::NodeDelete])));
        assert_eq!(change.details.unwrap().url, "https://a.b");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let table = [
            (r#"{"url": ""}"#, "url is required."),
            (r#"{"url": "http://a.b"}"#, "url must begin with https."),
            (r#"{"scope": []}"#, "scope must have 1 to 100 entries."),
        ];
        for (json, text) in table {
            assert_eq!(parse(json).err(), Some(text.to_owned()), "{json}");
        }
        assert!(parse(r#"{"is_active": "no"}"#).is_err());
    }
}
