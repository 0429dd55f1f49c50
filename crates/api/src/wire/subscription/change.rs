//! Body of a request that changes a subscription. Absent and null fields stay unchanged.

use daybook_domain::subscription::Scope;
use daybook_engine::SubscriptionDetails;
use serde::Deserialize;
use utoipa::ToSchema;

use super::url::checked;
use crate::ApiError;
use crate::description::values::{HookUrl, SubscriptionScope};
use crate::wire::required;
use crate::wire::text::Text;

/// Request to change a subscription. Absent and null fields stay unchanged.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct ChangeSubscription {
    is_active: Option<bool>,
    #[schema(value_type = Option<HookUrl>)]
    url: Option<Text>,
    #[schema(value_type = Option<Vec<SubscriptionScope>>, min_items = 1, max_items = 100)]
    scope: Option<Vec<Text>>,
    rotate_secret: Option<bool>,
}

/// A valid change.
#[derive(Clone, PartialEq, Eq)]
pub struct SubscriptionChange {
    /// True if webhooks are to be delivered.
    pub is_active: Option<bool>,
    /// Events for which webhooks are delivered.
    pub scopes: Option<Vec<Scope>>,
    /// True if a new secret is to sign the webhooks.
    pub rotates_secret: bool,
    /// Details, to be sealed with class profile under the platform's own user.
    pub details: Option<SubscriptionDetails>,
}

impl ChangeSubscription {
    /// Parses the change; `in_sandbox` is true for a sandbox platform.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self, in_sandbox: bool) -> Result<SubscriptionChange, ApiError> {
        let url = self.url.map(|url| checked(required("url", Some(url))?, in_sandbox));
        Ok(SubscriptionChange {
            is_active: self.is_active,
            scopes: self.scope.map(|names| super::scopes(names.iter().map(Text::as_str))).transpose()?,
            rotates_secret: self.rotate_secret.unwrap_or(false),
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
    fn absent_fields_stay_unchanged() {
        let nothing =
            SubscriptionChange { is_active: None, scopes: None, rotates_secret: false, details: None };
        let nulls = r#"{"is_active": null, "url": null, "scope": null, "rotate_secret": null}"#;
        for json in ["{}", nulls, r#"{"rotate_secret": false}"#] {
            assert!(parse(json).is_ok_and(|change| change == nothing), "{json}");
        }
        let change =
            parse(r#"{"is_active": false, "url": "https://a.b", "scope": ["NODE|DELETE"]}"#).unwrap();
        assert_eq!((change.is_active, change.scopes), (Some(false), Some(vec![Scope::NodeDelete])));
        assert_eq!(change.details.unwrap().url, "https://a.b");
    }

    #[test]
    fn invalid_field_is_named() {
        let table = [
            (r#"{"url": ""}"#, "url is required."),
            (r#"{"url": "http://a.b"}"#, "url must begin with https."),
            (r#"{"scope": []}"#, "scope must have 1 to 100 entries."),
        ];
        for (json, text) in table {
            assert_eq!(parse(json).err(), Some(text.to_owned()), "{json}");
        }
        assert!(parse(r#"{"rotate_secret": true}"#).is_ok_and(|change| change.rotates_secret));
        assert!(parse(r#"{"is_active": "no"}"#).is_err());
        assert!(parse(r#"{"rotate_secret": "yes"}"#).is_err());
    }
}
