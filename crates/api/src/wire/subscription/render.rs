//! Record of a subscription.

use daybook_domain::SubscriptionId;
use daybook_domain::subscription::{self, Scope};
use daybook_engine::SubscriptionDetails;
use serde::Serialize;
use utoipa::ToSchema;

use crate::description::values::SubscriptionScope;
use crate::webhook::signature::SubscriptionSecret;
use crate::wire::Listed;
use crate::wire::record::Links;

/// Data that the record of a subscription is rendered from.
#[derive(Clone, Copy)]
pub struct SubscriptionView<'a> {
    /// Id of the subscription.
    pub id: SubscriptionId,
    /// State of the subscription.
    pub subscription: &'a subscription::Subscription,
    /// Opened details; the default if they could not be opened.
    pub details: &'a SubscriptionDetails,
    /// Client id of the platform.
    pub client_id: &'a str,
    /// Base URL of the API.
    pub base_url: &'a str,
}

/// A subscription: a URL that receives webhooks for events of certain scopes. `secret` is present only right after it
/// was created or rotated; `stopped` only while the service has stopped the deliveries.
#[derive(Clone, Serialize, ToSchema)]
pub struct Subscription {
    #[serde(rename = "_id")]
    id: String,
    #[serde(rename = "_links")]
    links: Links,
    #[serde(rename = "_v")]
    version: u8,
    client_id: String,
    is_active: bool,
    #[schema(value_type = Vec<SubscriptionScope>)]
    scope: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<StopRecord>,
    url: String,
}

impl Listed for Subscription {
    const KEYS: (&'static str, &'static str) = ("subscriptions", "subscriptions_count");
}

/// Time and reason at which the service stopped deliveries to the subscription.
#[derive(Clone, Serialize, ToSchema)]
struct StopRecord {
    /// Time in milliseconds since the Unix epoch.
    date: i64,
    reason: &'static str,
}

impl StopRecord {
    fn of(stop: subscription::Stop) -> Self {
        Self { date: stop.at.ms(), reason: stop.reason.as_str() }
    }
}

impl Subscription {
    /// Adds the secret that signs the webhooks, for the call that created or rotated it.
    #[must_use]
    pub fn telling(self, secret: &SubscriptionSecret) -> Self {
        Self { secret: Some(secret.text()), ..self }
    }
}

/// Renders the record.
#[must_use]
pub fn render(view: &SubscriptionView<'_>) -> Subscription {
    let SubscriptionView { id, subscription, .. } = *view;
    Subscription {
        id: id.to_string(),
        links: Links::to(view.base_url, format_args!("subscriptions/{id}")),
        version: 2,
        client_id: view.client_id.to_owned(),
        is_active: subscription.is_active,
        scope: subscription.scopes.iter().copied().map(Scope::as_str).collect(),
        secret: None,
        stopped: subscription.stopped.map(StopRecord::of),
        url: view.details.url.clone(),
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::subscription::{Stop, StopReason};
    use daybook_domain::{PlatformId, Timestamp};

    use super::*;
    use crate::envelope::Record;

    #[test]
    fn a_record_has_every_field() {
        let subscription = subscription::Subscription {
            platform: PlatformId::from_u128(9),
            is_active: false,
            scopes: vec![Scope::TransPost, Scope::UserPatch],
            url: None,
            rotation: None,
            stopped: Some(Stop { reason: StopReason::Silent, at: Timestamp::from_ms(7) }),
            created_at: Timestamp::from_ms(5),
        };
        let record = render(&SubscriptionView {
            id: SubscriptionId::from_u128(3),
            subscription: &subscription,
            details: &SubscriptionDetails { url: "a.b/C".into() },
            client_id: "client_id_x",
            base_url: "http://h",
        });
        let id = "00000000000000000000000003";
        let expected = format!(
            concat!(
                r#"{{"_id":"{id}","_links":{{"self":{{"href":"http://h/v3.1/subscriptions/{id}"}}}},"_v":2,"#,
                r#""client_id":"client_id_x","is_active":false,"scope":["TRANS|POST","USER|PATCH"],"stopped":{{"date":7,"reason":"silent"}},"url":"a.b/C","#,
                r#""error_code":"0","http_code":"200"}}"#
            ),
            id = id,
        );
        assert_eq!(serde_json::to_string(&Record(record.clone())).unwrap(), expected);
        let told = serde_json::to_value(record.telling(&SubscriptionSecret::new([0; 32]))).unwrap();
        assert!(told["secret"].as_str().is_some_and(|secret| secret.starts_with("whsec_")));
    }
}
