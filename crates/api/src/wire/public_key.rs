//! Public keys of a platform: request and answer.

use daybook_domain::UserId;
use daybook_engine::access::{IssuedPublicKey, PUBLIC_KEY_LIFETIME_MS, PlatformRecord, Scopes};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use super::moment;
use super::record::Client;
use crate::ApiError;
use crate::description::values::{ObjectIdOrNothing, PublicScopes, Yes};
use crate::in_query::Parameters;
use crate::query::Query;

/// Name of the flag, whose value must be "yes".
const FLAG: &str = "issue_public_key";

/// Name of the parameter with the user that the key is limited to.
pub const USER: &str = "user_id";

/// Request for a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Wanted {
    /// `YES`, the only accepted value.
    #[param(inline, value_type = Yes)]
    pub issue_public_key: bool,
    /// Scopes of the key, separated by commas.
    #[param(rename = "scope", inline, value_type = PublicScopes)]
    pub scopes: Scopes,
    /// User that the key is limited to; the whole platform if it is absent.
    #[param(rename = "user_id", inline, required = false, value_type = ObjectIdOrNothing)]
    pub user: Option<UserId>,
}

impl Parameters for Wanted {
    /// Refuses a request without the flag. A text that is not the id of a user is [`ApiError::NothingAt`].
    fn read(query: Query<'_>) -> Result<Self, ApiError> {
        moment::none(query)?;
        if !query.flag(FLAG) {
            return Err(ApiError::invalid(FLAG, "must be YES; there is nothing else to ask here"));
        }
        let named = query.texts("scope")?.join(",");
        let names: Vec<&str> = named.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(ApiError::missing("scope"));
        }
        let unknown = || ApiError::invalid("scope", "names a scope that no public key has");
        let scopes = Scopes::PUBLIC.parse(names).ok_or_else(unknown)?;
        let user = query.text(USER)?.filter(|id| !id.is_empty());
        let user = user.map(|id| id.parse().map_err(|_| ApiError::nothing_at(USER))).transpose()?;
        Ok(Self { issue_public_key: true, scopes, user })
    }
}

/// A new public key, with the platform that it belongs to.
#[derive(Clone, Serialize, ToSchema)]
pub struct Issued {
    client: Client,
    public_key_obj: PublicKey,
}

#[derive(Clone, Serialize, ToSchema)]
struct PublicKey {
    client_obj_id: String,
    /// End of the key's lifetime in seconds since the Unix epoch.
    expires_at: String,
    /// Lifetime of the key in seconds.
    expires_in: String,
    public_key: String,
    scope: Vec<&'static str>,
}

/// Renders the answer.
#[must_use]
pub fn render(platform: &PlatformRecord, wanted: Wanted, issued: IssuedPublicKey) -> Issued {
    Issued {
        client: Client { id: platform.client_id.clone(), name: platform.name.clone() },
        public_key_obj: PublicKey {
            client_obj_id: platform.id.to_string(),
            expires_at: (issued.expires_at.ms() / 1_000).to_string(),
            expires_in: (PUBLIC_KEY_LIFETIME_MS / 1_000).to_string(),
            public_key: issued.key,
            scope: wanted.scopes.names().collect(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<Vec<&'static str>, String> {
        let wanted = Wanted::read(Query(query)).map_err(|error| error.to_string());
        wanted.map(|wanted| wanted.scopes.names().collect())
    }

    #[test]
    fn scopes_come_in_one_or_many_parameters() {
        for query in
            ["scope=USERS|POST,USER|GET", "scope=USERS|POST&scope=USER%7CGET", "scope=,USER|GET,+USERS|POST,"]
        {
            let query = format!("issue_public_key=yes&{query}");
            assert_eq!(parse(&query), Ok(vec!["USER|GET", "USERS|POST"]), "{query}");
        }
    }

    #[test]
    fn invalid_request_for_key_is_refused() {
        let flag = "issue_public_key must be YES; there is nothing else to ask here.";
        for query in ["", "scope=USERS|POST", "issue_public_key=NO&scope=USERS|POST", "issue_public_key"] {
            assert_eq!(parse(query), Err(flag.to_owned()), "{query}");
        }
        for query in ["", "&scope=", "&scope=,"] {
            let query = format!("issue_public_key=YES{query}");
            assert_eq!(parse(&query), Err("scope is required.".to_owned()), "{query}");
        }
        for scope in ["TRANS|POST", "users|post", "USERS|POST,USERS", "*"] {
            let query = format!("issue_public_key=YES&scope={scope}");
            let refused = "scope names a scope that no public key has.";
            assert_eq!(parse(&query), Err(refused.to_owned()), "{query}");
        }
        let stranger = Wanted::read(Query("issue_public_key=YES&scope=USER|GET&user_id=ada"));
        assert_eq!(stranger, Err(ApiError::nothing_at("user_id")));
    }
}
