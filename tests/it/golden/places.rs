//! Example events of subnets, subscriptions and attestations.

use daybook_domain::subnet::{AccountClass, Allowed};
use daybook_domain::subscription::{Scope, StopReason};
use daybook_domain::{Event, attestation, subnet, subscription};

use super::examples::{PLATFORM, SENDER, USER, sealed};

/// One example of every event.
pub(super) fn examples() -> Vec<Event> {
    vec![
        subnet::Created {
            platform: PLATFORM,
            user: USER,
            node: SENDER,
            class: AccountClass::Checking,
            details: Some(sealed()),
        }
        .into(),
        subnet::Updated { allowed: Some(Allowed::Locked), details: None }.into(),
        subscription::Created {
            platform: PLATFORM,
            scopes: vec![Scope::TransPost, Scope::TranPatch],
            url: Some(sealed()),
        }
        .into(),
        subscription::Changed { is_active: Some(false), ..subscription::Changed::default() }.into(),
        attestation::Made {
            position: 4,
            accounts: 2,
            root: "0cx9AZiX8qiUAuzePnNwYwUaS5w5w/m3gXHdyIXoCOk=".into(),
        }
        .into(),
    ]
}

/// Further examples of events, each with the suffix of its file's name.
pub(super) fn further_examples() -> Vec<(&'static str, Event)> {
    let changed = subscription::Changed::default();
    let scopes = Some(Scope::ALL.to_vec());
    vec![
        ("renamed", subnet::Updated { allowed: None, details: Some(sealed()) }.into()),
        ("all_scopes", subscription::Changed { scopes, ..changed.clone() }.into()),
        ("moved", subscription::Changed { url: Some(sealed()), ..changed.clone() }.into()),
        ("rotated", subscription::Changed { secret_generation: Some(1), ..changed.clone() }.into()),
        (
            "stopped",
            subscription::Changed { is_active: Some(false), stopped: Some(StopReason::Gone), ..changed }
                .into(),
        ),
    ]
}
