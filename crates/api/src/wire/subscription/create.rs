//! Body of a request that creates a subscription.

use daybook_domain::subscription::Scope;
use daybook_engine::SubscriptionDetails;
use serde::Deserialize;
use utoipa::ToSchema;

use super::url::checked;
use crate::ApiError;
use crate::description::values::{HookUrl, SubscriptionScope};
use crate::wire::required;
use crate::wire::text::Text;

/// Request to create a subscription.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub struct CreateSubscription {
    #[schema(value_type = HookUrl)]
    url: Option<Text>,
    #[schema(value_type = Vec<SubscriptionScope>, min_items = 1, max_items = 100)]
    scope: Option<Vec<Text>>,
}

/// A valid subscription.
#[derive(Clone, PartialEq, Eq)]
pub struct NewSubscription {
    /// Events for which webhooks are delivered.
    pub scopes: Vec<Scope>,
    /// Details, to be sealed with class profile under the platform's own user.
    pub details: SubscriptionDetails,
}

impl CreateSubscription {
    /// Parses the subscription; `in_sandbox` is true for a sandbox platform.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self, in_sandbox: bool) -> Result<NewSubscription, ApiError> {
        let url = checked(required("url", self.url)?, in_sandbox)?;
        let scopes = super::scopes(
            self.scope.ok_or_else(|| ApiError::missing(super::SCOPE))?.iter().map(Text::as_str),
        )?;
        Ok(NewSubscription { scopes, details: SubscriptionDetails { url } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;

    fn parse(json: &str) -> Result<(String, Vec<Scope>), String> {
        let body = Body::from(actix_web::web::Bytes::from(json.to_owned()));
        let new = body.json::<CreateSubscription>().and_then(|body| body.parse(true));
        new.map(|new| (new.details.url, new.scopes)).map_err(|error| error.to_string())
    }

    #[test]
    fn url_and_scopes_are_kept_verbatim() {
        let json =
            r#"{"url": "example.com/Hook", "scope": ["TRANS|POST", "USER|PATCH", "TRANS|POST"], "_id": "1"}"#;
        let scopes = vec![Scope::TransPost, Scope::UserPatch, Scope::TransPost];
        assert_eq!(parse(json), Ok(("example.com/Hook".to_owned(), scopes)));
    }

    #[test]
    fn invalid_field_is_named() {
        let known = "scope must hold none but USERS|POST, USER|PATCH, NODES|POST, NODE|PATCH, NODE|DELETE, TRANS|POST, \
                     TRAN|PATCH, TRAN|DELETE, SUBNETS|POST, SUBNET|PATCH, USER|GET, NODES|GET, NODE|GET, TRANS|GET, \
                     TRAN|GET, SUBNETS|GET, SUBNET|GET.";
        let many = format!(r#"{{"url": "a.b", "scope": [{}"TRANS|POST"]}}"#, r#""TRANS|POST","#.repeat(100));
        let table = [
            (r#"{"scope": ["TRANS|POST"]}"#, "url is required."),
            (r#"{"url": "", "scope": ["TRANS|POST"]}"#, "url is required."),
            (r#"{"url": "a.b"}"#, "scope is required."),
            (r#"{"url": "a.b", "scope": []}"#, "scope must have 1 to 100 entries."),
            (many.as_str(), "scope must have 1 to 100 entries."),
            (r#"{"url": "a.b", "scope": ["TRANS|POST", "USERS|GET"]}"#, known),
            (r#"{"url": "a.b", "scope": ["trans|post"]}"#, known),
        ];
        for (json, text) in table {
            assert_eq!(parse(json), Err(text.to_owned()), "{json}");
        }
        for json in [r#"{"url": 1, "scope": ["TRANS|POST"]}"#, r#"{"url": "a.b", "scope": "TRANS|POST"}"#] {
            assert!(parse(json).is_err(), "{json}");
        }
    }
}
