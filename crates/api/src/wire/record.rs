//! Common parts of all records: the platform that owns the record, and the record's URL.

use std::fmt::Display;

use serde::Serialize;
use utoipa::ToSchema;

/// The platform that owns a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Client {
    /// Client id of the platform.
    pub id: String,
    /// Name of the platform.
    pub name: String,
}

/// Links of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Links {
    #[serde(rename = "self")]
    itself: Link,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
struct Link {
    href: String,
}

impl Links {
    /// Makes the link of a record to itself: `path` below the version's prefix of `base_url`.
    #[must_use]
    pub fn to(base_url: &str, path: impl Display) -> Self {
        Self { itself: Link { href: format!("{}/v3.1/{path}", base_url.trim_end_matches('/')) } }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_link_is_absolute() {
        let expected = json!({"self": {"href": "http://localhost:8080/v3.1/users/1"}});
        for base_url in ["http://localhost:8080", "http://localhost:8080/"] {
            assert_eq!(serde_json::to_value(Links::to(base_url, "users/1")).unwrap(), expected);
        }
    }
}
